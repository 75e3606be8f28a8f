/* baseline_cpu.c - the primitives of the baselines on the CPU: each is shared by the threads of a crew. */
#include <stdlib.h>
#include <string.h>

#include "baseline.h"
#include "coupled.h"
#include "tools/common/crew.h"
#include "tools/common/radix_sort.h"
#include "tools/common/words.h"

#define STEP_BITS 32
#include "baseline_merge.h"
#include "baseline_steps.h"
#undef STEP_BITS
#define STEP_BITS 64
#include "baseline_merge.h"
#include "baseline_steps.h"
#undef STEP_BITS

struct part { size_t begin, end; };

static struct part part_of(size_t n, unsigned threads, unsigned index)
{
    return (struct part){n * index / threads, n * (index + 1) / threads};
}

struct merging {
    unsigned threads;
    const baseline_run *older, *newer, *to;
};

struct selecting {
    size_t n;
    unsigned threads;
    const void *from;
    const uint8_t *keep;
    void *to;
    size_t *begins; /* of a thread */
};

static uint8_t is_dead(const baseline_run *run, size_t i) { return run->dead != NULL && run->dead[i]; }

#define STEP_BITS 32
#include "baseline_cpu_width.h"
#undef STEP_BITS
#define STEP_BITS 64
#include "baseline_cpu_width.h"
#undef STEP_BITS

/* ---- memory ---- */

static pleach_status copy_words(struct baseline_machine *m, void *to, const void *from, size_t bytes)
{
    (void)m;
    if (bytes > 0) memcpy(to, from, bytes);
    return PLEACH_OK;
}

static pleach_status fill_bytes(struct baseline_machine *m, void *memory, int byte, size_t bytes)
{
    (void)m;
    if (bytes > 0) memset(memory, byte, bytes);
    return PLEACH_OK;
}

/* Digits of all threads, then pairs. */
static size_t begin_bytes(const struct baseline_machine *m) { return crew_threads(m->crew) * RADIX_DIGITS * sizeof(size_t); }

static pleach_status prepare(struct baseline_machine *m, unsigned bits, size_t n)
{
    const size_t bytes = begin_bytes(m) + 2 * n * word_bytes(bits);
    if (bytes <= m->scratch_bytes) return PLEACH_OK;
    void *scratch = malloc(bytes);
    if (scratch == NULL) return PLEACH_E_MEMORY;
    free(m->scratch);
    m->scratch = scratch;
    m->scratch_bytes = bytes;
    return PLEACH_OK;
}

static pleach_status wait_for_nothing(struct baseline_machine *m)
{
    (void)m;
    return PLEACH_OK;
}

/* ---- sort ---- */

static pleach_status sort(struct baseline_machine *m, unsigned bits, size_t n, const void *keys, const void *values,
                          void *sorted_keys, void *sorted_values)
{
    const pleach_status status = prepare(m, bits, n);
    if (status != PLEACH_OK || n == 0) return status;
    char *spare = (char *)m->scratch + begin_bytes(m);
    radix_sort(&(struct radix_sort){.bits = bits, .n = n, .words = keys, .values = values, .sorted = sorted_keys,
                                    .sorted_values = sorted_values, .spare = spare,
                                    .spare_values = spare + n * word_bytes(bits), .crew = m->crew,
                                    .counts = m->scratch});
    return PLEACH_OK;
}

/* ---- merge, select ---- */

static pleach_status merge(struct baseline_machine *m, unsigned bits, const baseline_run *older,
                           const baseline_run *newer, const baseline_run *to)
{
    struct merging merging = {crew_threads(m->crew), older, newer, to};
    crew_run(m->crew, bits == 32 ? cpu_merge32 : cpu_merge64, &merging);
    return PLEACH_OK;
}

static void count_kept(void *context, unsigned index)
{
    const struct selecting *s = context;
    const struct part part = part_of(s->n, s->threads, index);
    size_t kept = 0;
    for (size_t i = part.begin; i < part.end; i++) kept += s->keep[i] != 0;
    s->begins[index] = kept;
}

static pleach_status select_kept(struct baseline_machine *m, unsigned bits, size_t n, const void *from,
                                 const uint8_t *keep, void *to, uint64_t *kept)
{
    const pleach_status status = prepare(m, bits, 0);
    if (status != PLEACH_OK) return status;
    struct selecting s = {n, crew_threads(m->crew), from, keep, to, m->scratch};
    crew_run(m->crew, count_kept, &s);
    *kept = 0;
    for (unsigned thread = 0; thread < s.threads; thread++) {
        const size_t count = s.begins[thread];
        s.begins[thread] = *kept;
        *kept += count;
    }
    crew_run(m->crew, bits == 32 ? cpu_select32 : cpu_select64, &s);
    return PLEACH_OK;
}

/* ---- a step for each element ---- */

struct stepping {
    const baseline_work *work;
    uint64_t total;
};

static uint64_t coupled_steps(const baseline_work *work, size_t begin, size_t end)
{
    uint64_t total = 0;
    for (size_t i = begin; i < end; i++) total += coupled_step(work, i);
    return total;
}

static void do_slice(void *context, size_t begin, size_t end)
{
    struct stepping *s = context;
    const baseline_work *work = s->work;
    const uint64_t total = work->step >= BASELINE_COUPLED_INSERT ? coupled_steps(work, begin, end)
                           : work->bits == 32                    ? cpu_steps32(work, begin, end)
                                                                 : cpu_steps64(work, begin, end);
    __atomic_fetch_add(&s->total, total, __ATOMIC_RELAXED);
}

static pleach_status each(struct baseline_machine *m, const baseline_work *work, uint64_t *total)
{
    struct stepping stepping = {work, 0};
    crew_share(m->crew, work->n, do_slice, &stepping);
    if (total != NULL) *total = stepping.total;
    return PLEACH_OK;
}

static const struct baseline_primitives cpu_primitives = {
    .allocate = malloc, .release = free, .copy = copy_words, .fill = fill_bytes, .read = copy_words,
    .write = copy_words, .prepare = prepare, .sort = sort, .merge = merge, .select = select_kept, .each = each,
    .wait = wait_for_nothing,
};

void baseline_machine_cpu(struct baseline_machine *m, struct crew *crew)
{
    *m = (struct baseline_machine){.verbs = &cpu_primitives, .crew = crew};
}

void baseline_machine_close(struct baseline_machine *m)
{
    if (m->verbs == NULL) return;
    m->verbs->release(m->scratch);
    m->verbs->release(m->total);
    *m = (struct baseline_machine){0};
}
