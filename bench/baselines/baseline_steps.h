/* baseline_steps.h - what is done with one element of an array, by a thread of the CPU or of the GPU. Included once for
 * each width: STEP_BITS is 32 or 64. Each step answers a number, of which `each` makes the sum.
 *
 *   find    keys[i]: is it there? bytes[i], values[i]
 *   range   keys[i] .. highs[i]: the first `limit` pairs: out_keys, values, counts[i]
 *   succ    above keys[i]: out_keys[i], values[i], bytes[i]
 *   strike  keys[i]: if the run has it, bytes of its place becomes 0
 *   new     the batch keys, values, sorted: bytes[i] = 1 if the pair is the last of its key and not in the run; if it
 *           is the last and the run has the key, the run gets its value. Answers bytes[i].
 *   last    keys, sorted: bytes[i] = 1 if the pair is the last of its key. Answers bytes[i].
 *   live    answers 1 if pair i of run `oldest` is what a find of its key would answer
 */
#define STEP_JOIN2(a, b) a##b
#define STEP_JOIN(a, b) STEP_JOIN2(a, b)
#define STEP(name) STEP_JOIN(baseline_##name, STEP_BITS)
#define STEP_WORD STEP_JOIN(STEP_JOIN(uint, STEP_BITS), _t)

PORT_FN const STEP_WORD *STEP(keys)(const baseline_run *run) { return (const STEP_WORD *)run->keys; }

/* How many of the ascending keys are below `key`; with `with_equal` also those that equal it. */
PORT_FN uint64_t STEP(rank)(const STEP_WORD *keys, uint64_t n, STEP_WORD key, bool with_equal)
{
    const STEP_WORD *at = keys;
    if (n == 0) return 0;
    while (n > 1) {
        const uint64_t half = n / 2;
        const STEP_WORD middle = at[half - 1];
        at = (with_equal ? middle <= key : middle < key) ? at + half : at;
        n -= half;
    }
    return (uint64_t)(at - keys) + (with_equal ? *at <= key : *at < key);
}

/* The place of the last pair with this key, or n. */
PORT_FN uint64_t STEP(place)(const baseline_run *run, STEP_WORD key)
{
    const uint64_t end = STEP(rank)(STEP(keys)(run), run->n, key, true);
    return end > 0 && STEP(keys)(run)[end - 1] == key ? end - 1 : run->n;
}

PORT_FN bool STEP(is_dead)(const baseline_run *run, uint64_t place) { return run->dead != NULL && run->dead[place]; }

PORT_FN uint64_t STEP(find)(const baseline_work *w, uint64_t i)
{
    const STEP_WORD key = ((const STEP_WORD *)w->keys)[i];
    w->bytes[i] = 0;
    for (uint32_t r = 0; r < w->run_count; r++) {
        const baseline_run *run = &w->runs[r];
        const uint64_t place = STEP(place)(run, key);
        if (place == run->n) continue;
        if (STEP(is_dead)(run, place)) return 0;
        ((STEP_WORD *)w->values)[i] = ((const STEP_WORD *)run->values)[place];
        w->bytes[i] = 1;
        return 1;
    }
    return 0;
}

/* ---- ranges ---- */

/* Up to `limit` pairs from low to high of a run that has no key twice and no tombstone. */
PORT_FN uint32_t STEP(copy_pairs)(const baseline_run *run, STEP_WORD low, STEP_WORD high, uint32_t limit,
                                  STEP_WORD *out_keys, STEP_WORD *out_values)
{
    const STEP_WORD *keys = STEP(keys)(run), *values = (const STEP_WORD *)run->values;
    uint64_t at = STEP(rank)(keys, run->n, low, false);
    uint32_t count = 0;
    for (; count < limit && at < run->n && keys[at] <= high; at++, count++) {
        out_keys[count] = keys[at];
        out_values[count] = values[at];
    }
    return count;
}

/* The run with the smallest key at hand that is not above `high`, the newest of several such; or run_count. */
PORT_FN uint32_t STEP(next_run)(const baseline_work *w, const uint64_t *at, STEP_WORD high)
{
    uint32_t best = w->run_count;
    STEP_WORD smallest = 0;
    for (uint32_t r = 0; r < w->run_count; r++) {
        if (at[r] == w->runs[r].n) continue;
        const STEP_WORD key = STEP(keys)(&w->runs[r])[at[r]];
        if (key > high || (best < w->run_count && key >= smallest)) continue;
        best = r;
        smallest = key;
    }
    return best;
}

/* The same of several runs, by merging them from low on. */
PORT_FN uint32_t STEP(merge_pairs)(const baseline_work *w, STEP_WORD low, STEP_WORD high, uint32_t limit,
                                   STEP_WORD *out_keys, STEP_WORD *out_values)
{
    uint64_t at[BASELINE_MOST_RUNS];
    uint32_t count = 0;
    for (uint32_t r = 0; r < w->run_count; r++) at[r] = STEP(rank)(STEP(keys)(&w->runs[r]), w->runs[r].n, low, false);
    while (count < limit) {
        const uint32_t newest = STEP(next_run)(w, at, high);
        if (newest == w->run_count) break;
        const STEP_WORD key = STEP(keys)(&w->runs[newest])[at[newest]];
        for (uint32_t r = newest; r < w->run_count; r++)
            while (at[r] < w->runs[r].n && STEP(keys)(&w->runs[r])[at[r]] == key) at[r]++;
        if (STEP(is_dead)(&w->runs[newest], at[newest] - 1)) continue;
        out_keys[count] = key;
        out_values[count++] = ((const STEP_WORD *)w->runs[newest].values)[at[newest] - 1];
    }
    return count;
}

PORT_FN uint32_t STEP(pairs)(const baseline_work *w, STEP_WORD low, STEP_WORD high, uint32_t limit,
                             STEP_WORD *out_keys, STEP_WORD *out_values)
{
    return w->distinct ? STEP(copy_pairs)(&w->runs[0], low, high, limit, out_keys, out_values)
                       : STEP(merge_pairs)(w, low, high, limit, out_keys, out_values);
}

PORT_FN uint64_t STEP(range)(const baseline_work *w, uint64_t i)
{
    const STEP_WORD low = ((const STEP_WORD *)w->keys)[i], high = ((const STEP_WORD *)w->highs)[i];
    const uint64_t first = i * w->limit;
    w->counts[i] =
        STEP(pairs)(w, low, high, w->limit, (STEP_WORD *)w->out_keys + first, (STEP_WORD *)w->values + first);
    return w->counts[i];
}

PORT_FN uint64_t STEP(succ)(const baseline_work *w, uint64_t i)
{
    const STEP_WORD most = (STEP_WORD)~(STEP_WORD)0, key = ((const STEP_WORD *)w->keys)[i];
    w->bytes[i] = key < most && STEP(pairs)(w, (STEP_WORD)(key + 1), most, 1, (STEP_WORD *)w->out_keys + i,
                                            (STEP_WORD *)w->values + i) > 0;
    return w->bytes[i];
}

/* ---- updates ---- */

/* A key may come twice, so two threads may store the same byte. */
PORT_FN uint64_t STEP(strike)(const baseline_work *w, uint64_t i)
{
    const uint64_t place = STEP(place)(&w->runs[0], ((const STEP_WORD *)w->keys)[i]);
    if (place == w->runs[0].n) return 0;
#ifdef __CUDACC__
    w->bytes[place] = 0;
#else
    __atomic_store_n(&w->bytes[place], 0, __ATOMIC_RELAXED);
#endif
    return 1;
}

PORT_FN uint64_t STEP(last)(const baseline_work *w, uint64_t i)
{
    const STEP_WORD *keys = (const STEP_WORD *)w->keys;
    w->bytes[i] = i + 1 == w->n || keys[i] != keys[i + 1];
    return w->bytes[i];
}

PORT_FN uint64_t STEP(new)(const baseline_work *w, uint64_t i)
{
    const baseline_run *run = &w->runs[0];
    if (!STEP(last)(w, i)) return 0;
    const uint64_t place = STEP(place)(run, ((const STEP_WORD *)w->keys)[i]);
    if (place == run->n) return 1;
    ((STEP_WORD *)run->values)[place] = ((const STEP_WORD *)w->values)[i];
    w->bytes[i] = 0;
    return 0;
}

PORT_FN uint64_t STEP(live)(const baseline_work *w, uint64_t i)
{
    const baseline_run *own = &w->runs[w->oldest];
    const STEP_WORD key = STEP(keys)(own)[i];
    if (STEP(is_dead)(own, i) || (i + 1 < own->n && STEP(keys)(own)[i + 1] == key)) return 0;
    for (uint32_t r = 0; r < w->oldest; r++)
        if (STEP(place)(&w->runs[r], key) != w->runs[r].n) return 0;
    return 1;
}

PORT_FN uint64_t STEP(step)(const baseline_work *w, uint32_t step, uint64_t i)
{
    switch ((enum baseline_step)step) {
    case BASELINE_FIND: return STEP(find)(w, i);
    case BASELINE_RANGE: return STEP(range)(w, i);
    case BASELINE_SUCC: return STEP(succ)(w, i);
    case BASELINE_STRIKE: return STEP(strike)(w, i);
    case BASELINE_NEW: return STEP(new)(w, i);
    case BASELINE_LAST: return STEP(last)(w, i);
    case BASELINE_LIVE: return STEP(live)(w, i);
    case BASELINE_COUPLED_INSERT:
    case BASELINE_COUPLED_ERASE:
    case BASELINE_COUPLED_FIND:
    case BASELINE_COUPLED_RANGE:
    case BASELINE_COUPLED_SUCC: break; /* coupled.h has these */
    }
    return 0;
}

#undef STEP_JOIN2
#undef STEP_JOIN
#undef STEP
#undef STEP_WORD
