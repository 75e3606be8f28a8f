/* baseline_cpu_width.h - merging and selecting on the CPU. Included once for each width: STEP_BITS is 32 or
 * 64. Each function does one thread's part. */
#define CPU_JOIN2(a, b) a##b
#define CPU_JOIN(a, b) CPU_JOIN2(a, b)
#define CPU(name) CPU_JOIN(cpu_##name, STEP_BITS)
#define CPU_WORD CPU_JOIN(CPU_JOIN(uint, STEP_BITS), _t)

/* ---- merge ---- */

static void CPU(merge)(void *context, unsigned index)
{
    const struct merging *m = context;
    const struct part part = part_of(m->older->n + m->newer->n, m->threads, index);
    const CPU_WORD *a = m->older->keys, *b = m->newer->keys, *values[] = {m->older->values, m->newer->values};
    CPU_WORD *to_keys = m->to->keys, *to_values = m->to->values;
    size_t at[2];
    at[0] = CPU_JOIN(merge_split, STEP_BITS)(a, m->older->n, b, m->newer->n, part.begin);
    at[1] = part.begin - at[0];
    for (size_t i = part.begin; i < part.end; i++) {
        const bool is_new = at[0] == m->older->n || (at[1] < m->newer->n && b[at[1]] < a[at[0]]);
        const size_t from = at[is_new]++;
        to_keys[i] = is_new ? b[from] : a[from];
        to_values[i] = values[is_new][from];
        if (m->to->dead != NULL) m->to->dead[i] = is_dead(is_new ? m->newer : m->older, from);
    }
}

/* ---- select ---- */

static void CPU(select)(void *context, unsigned index)
{
    const struct selecting *s = context;
    const struct part part = part_of(s->n, s->threads, index);
    const CPU_WORD *from = s->from;
    CPU_WORD *to = (CPU_WORD *)s->to + s->begins[index];
    for (size_t i = part.begin; i < part.end; i++)
        if (s->keep[i]) *to++ = from[i];
}

/* ---- steps ---- */

static uint64_t CPU(steps)(const baseline_work *w, size_t begin, size_t end)
{
    uint64_t total = 0;
    for (size_t i = begin; i < end; i++) total += CPU_JOIN(baseline_step, STEP_BITS)(w, w->step, i);
    return total;
}

#undef CPU_JOIN2
#undef CPU_JOIN
#undef CPU
#undef CPU_WORD
