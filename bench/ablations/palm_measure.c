/* palm_measure.c - the ablations palm-leaves and palm-parents: batches on the tree of palm.h, by one thread. Batches
 * are sorted before the clock starts, as they have to be with any choice. */
#include <stdio.h>
#include <string.h>

#include "ablations.h"
#include "palm.h"

enum load { UPDATES, INSERTS, FINDS };
static const char *const load_names[] = {"updates", "inserts", "finds"};

enum { BATCHES = 32 };

struct stage {
    struct ablations *a;
    size_t first, n;
    enum load load;
    uint32_t *keys; /* batch by batch, each ascending */
    uint8_t *answers;
    uint32_t *values; /* of finds */
    struct palm image, tree;
    abl_content after;
    bool full;
    struct bench_memory memory;
};

struct choice {
    const char *name;
    bool append, parents;
};

/* ---- keys ---- */

/* Multiples of the step are there at first. */
static uint32_t key_step(const struct stage *s) { return ablations_even_step(s->first); }

/* Every batch has keys from everywhere. Updates: as many inserts as erases. */
static uint32_t key_at(const struct stage *s, const struct mix_order *order, size_t i)
{
    const uint32_t rank = (uint32_t)mix_order_at(order, i % s->first);
    const bool insert = s->load == INSERTS || (s->load == UPDATES && i % 2 == 1);
    return rank * key_step(s) + (insert ? 2 * (uint32_t)(i / s->first) + 1 : 0);
}

static bool draw_keys(struct stage *s, enum load load)
{
    const struct mix_order order = mix_order_make(s->first, 19);
    s->load = load;
    s->after = (abl_content){0, 0};
    for (size_t i = 0; i < s->first; i++) s->after.sum += abl_key_sum((uint32_t)i * key_step(s));
    s->after.count = s->first;
    for (size_t i = 0; i < s->n; i++) {
        s->keys[i] = key_at(s, &order, i);
        if (load == FINDS) continue;
        const bool insert = s->keys[i] % 2 == 1;
        s->after.count += insert ? 1 : (uint64_t)-1;
        s->after.sum += insert ? abl_key_sum(s->keys[i]) : -abl_key_sum(s->keys[i]);
    }
    for (size_t i = 0; i < s->n; i += PALM_BATCH)
        if (!bench_sort(s->keys + i, 32, PALM_BATCH)) return false;
    return true;
}

/* ---- memory ---- */

static bool open_stage(struct stage *s, struct ablations *a, size_t first)
{
    *s = (struct stage){.a = a, .first = first, .n = (size_t)(a->quick ? BATCHES / 8 : BATCHES) * PALM_BATCH};
    s->keys = bench_memory_host(&s->memory, s->n * sizeof s->keys[0]);
    s->answers = bench_memory_host(&s->memory, s->n);
    s->values = bench_memory_host(&s->memory, s->n * sizeof s->values[0]);
    uint32_t *sorted = bench_memory_host(&s->memory, first * sizeof sorted[0]);
    if (s->memory.lacking || !palm_create(&s->image, first, s->n) || !palm_create(&s->tree, first, s->n))
        return ablations_complain(a, "palm", "out of memory");
    for (size_t i = 0; i < first; i++) sorted[i] = (uint32_t)i * key_step(s);
    palm_build(&s->image, sorted, first);
    return true;
}

static void close_stage(struct stage *s)
{
    palm_destroy(&s->image);
    palm_destroy(&s->tree);
    bench_memory_release(&s->memory);
}

/* ---- measuring ---- */

static pleach_status call(void *context, pleach_stream stream)
{
    struct stage *s = context;
    (void)stream;
    for (size_t i = 0; i < s->n && !s->full; i += PALM_BATCH) {
        if (s->load == FINDS)
            palm_find(&s->tree, s->keys + i, PALM_BATCH, s->values + i);
        else
            s->full = !palm_update(&s->tree, s->keys + i, PALM_BATCH, s->answers + i);
    }
    return PLEACH_OK;
}

static bool restore(void *stage)
{
    struct stage *s = stage;
    memset(s->answers, 0xff, s->n);
    memset(s->values, 0xff, s->n * sizeof s->values[0]);
    palm_copy(&s->tree, &s->image);
    s->full = false;
    return true;
}

static const char *check(void *stage)
{
    const struct stage *s = stage;
    abl_content content;
    if (s->full) return "no room for a node";
    for (size_t i = 0; i < s->n; i++)
        if (s->load == FINDS ? s->values[i] != abl_value(s->keys[i]) : s->answers[i] != 1) return "a wrong answer";
    const char *wrong = palm_check(&s->tree, &content);
    if (wrong != NULL) return wrong;
    return content.count == s->after.count && content.sum == s->after.sum ? NULL : "other keys than it should have";
}

static void measure(struct stage *s, const char *ablation, const struct choice *choice)
{
    static const struct ablation_verbs verbs = {restore, call, check};
    struct bench_row row;
    const double ops = (double)s->n;
    ablations_start_row(s->a, &row, load_names[s->load], s->first, s->n);
    row.threads = 1;
    snprintf(row.name, sizeof row.name, "%s/%s", ablation, choice->name);
    s->tree.append = choice->append;
    s->tree.parents = choice->parents;
    if (!ablations_repeat(s->a, &row, &verbs, s)) return;
    bench_row_count(&row, "moved_per_op", (double)s->tree.moved / ops);
    bench_row_count(&row, "splits", (double)s->tree.splits);
    bench_row_count(&row, "parents_written_per_op", (double)s->tree.parents_written / ops);
    bench_report_add(s->a->report, &row);
}

static void measure_all(struct ablations *a, const char *ablation, const struct choice choices[2],
                        const enum load loads[2])
{
    for (size_t first = (size_t)1 << 19; first <= (size_t)1 << 23; first *= 16) {
        struct stage s;
        if (open_stage(&s, a, a->quick ? first / 16 : first)) {
            for (size_t i = 0; i < 2; i++) {
                if (draw_keys(&s, loads[i]))
                    for (size_t j = 0; j < 2; j++) measure(&s, ablation, &choices[j]);
                else
                    (void)ablations_complain(a, ablation, "out of memory");
            }
        }
        close_stage(&s);
    }
}

void ablation_palm_leaves(struct ablations *a)
{
    static const struct choice choices[] = {{"append", true, true}, {"sorted", false, true}};
    static const enum load loads[] = {UPDATES, FINDS};
    measure_all(a, "palm-leaves", choices, loads);
}

void ablation_palm_parents(struct ablations *a)
{
    static const struct choice choices[] = {{"pointers", true, true}, {"paths", true, false}};
    static const enum load loads[] = {UPDATES, INSERTS};
    measure_all(a, "palm-parents", choices, loads);
}
