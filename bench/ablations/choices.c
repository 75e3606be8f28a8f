/* choices.c - the ablations latch, splits and loads: operations on the tree of tree.h, with one choice changed. */
#include <stdio.h>
#include <stdlib.h>

#include "ablations.h"

/* Keys that are there at first, operations on others or on these, and a tree on the device. */
struct stage {
    struct ablations *a;
    size_t first, n;
    uint32_t *keys, *answers; /* on the host */
    struct ablation_tree subject;
    abl_work work; /* on the device */
    struct bench_memory memory;
    abl_content before, added;
    enum abl_variant variant;
    bool inserts;
    struct bench_row row;
    uint64_t tally[3]; /* of the last repeat */
};

struct choice {
    const char *name;
    enum abl_variant variant;
    bool inserts, gpu_only;
};

enum spread { EMPTY, UNIFORM, FEW };
static const char *const spread_names[] = {"empty", "uniform", "few"};

/* ---- keys ---- */

enum { SPOTS = 4 };

/* Multiples of the step are there at first; no odd key is. */
static uint32_t key_step(const struct stage *s) { return ablations_even_step(s->first); }

/* The i-th key to insert; all are different. FEW: ascending in some places at once, so that those who insert meet. */
static uint32_t insert_key(const struct stage *s, enum spread spread, size_t i)
{
    const struct mix_order anywhere = mix_order_make(UINT32_MAX - 1, 5), gaps = mix_order_make(s->first + 1, 7);
    if (spread == EMPTY) return (uint32_t)mix_order_at(&anywhere, i);
    const uint32_t step = key_step(s), odd = 2 * (uint32_t)(i / (s->first + 1)) + 1;
    if (spread == UNIFORM) return (uint32_t)mix_order_at(&gaps, i % (s->first + 1)) * step + odd;
    /* CPU threads have a slice each: what they do at the same time goes to the same place. */
    const size_t threads = ablations_on_gpu(s->a) ? 1 : s->a->threads, slice = (s->n + threads - 1) / threads;
    const size_t turn = i % slice, within = turn / SPOTS * threads + i / slice;
    return (uint32_t)(turn % SPOTS) * (UINT32_MAX / SPOTS / step * step) + 2 * (uint32_t)within + 1;
}

struct filling {
    struct stage *s;
    enum spread spread;
};

static void fill_keys(void *context, size_t begin, size_t end)
{
    const struct filling *f = context;
    const struct mix_order ranks = mix_order_make(f->s->first, 3);
    for (size_t i = begin; i < end; i++)
        f->s->keys[i] = f->s->inserts ? insert_key(f->s, f->spread, i)
                                      : (uint32_t)mix_order_at(&ranks, i % f->s->first) * key_step(f->s);
}

/* ---- the stage ---- */

static void close_stage(struct stage *s)
{
    abl_tree_destroy(&s->subject.image);
    bench_memory_release(&s->memory);
}

static bool allocate(struct stage *s)
{
    const struct tool_device *device = s->a->device;
    const size_t bytes = s->n * sizeof(uint32_t);
    s->keys = bench_memory_host(&s->memory, bytes);
    s->answers = bench_memory_host(&s->memory, bytes);
    s->work.n = s->n;
    s->work.keys = bench_memory_device(&s->memory, device, bytes);
    s->work.answers = bench_memory_device(&s->memory, device, bytes);
    s->work.tally = bench_memory_device(&s->memory, device, sizeof s->tally);
    return ablations_make_tree(s->a, &s->subject, &s->memory, s->first, key_step(s), s->inserts ? s->n : 0);
}

/* `first` keys in the tree, n operations. */
static bool open_stage(struct stage *s, struct ablations *a, size_t first, size_t n, bool inserts, enum spread spread)
{
    struct filling filling = {s, spread};
    *s = (struct stage){.a = a, .first = first, .n = n, .inserts = inserts};
    if (!allocate(s)) return ablations_complain(a, "the tree", "out of memory");
    crew_share(a->crew, n, fill_keys, &filling);
    for (size_t i = 0; i < first; i++) s->before.sum += abl_key_sum((uint32_t)i * key_step(s));
    for (size_t i = 0; i < n && inserts; i++) s->added.sum += abl_key_sum(s->keys[i]);
    s->before.count = first;
    s->added.count = inserts ? n : 0;
    return a->device->copy_in((void *)s->work.keys, s->keys, n * sizeof s->keys[0]) ||
           ablations_complain(a, "the tree", "cannot copy to the device");
}

/* ---- measuring ---- */

static void run_part(void *context, size_t begin, size_t end)
{
    struct stage *s = context;
    abl_run_part(s->variant, s->subject.tree, &s->work, begin, end);
}

static pleach_status call(void *context, pleach_stream stream)
{
    struct stage *s = context;
    (void)stream; /* of a GPU */
    if (ablations_on_gpu(s->a)) return abl_run_cuda(s->variant, s->subject.tree, &s->work, stream);
    crew_share(s->a->crew, s->n, run_part, s);
    return PLEACH_OK;
}

static bool restore(void *stage)
{
    const struct stage *s = stage;
    const struct tool_device *device = s->a->device;
    return ablations_restore_tree(s->a, &s->subject) &&
           device->fill(s->work.answers, 0xff, s->n * sizeof s->answers[0]) &&
           device->fill(s->work.tally, 0, sizeof s->tally);
}

static const char *check_answers(const struct stage *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->inserts && s->answers[i] == ABL_NO_ROOM) return "no room for a node";
        if (s->answers[i] != (s->inserts ? (uint32_t)ABL_INSERTED : abl_value(s->keys[i]))) return "a wrong answer";
    }
    return NULL;
}

/* The tree comes to the host, is checked there, and holds all that it should. The host's copy begins as the image. */
static const char *check(void *stage)
{
    struct stage *s = stage;
    const struct tool_device *device = s->a->device;
    uint64_t shared[ABL_SHARED_WORDS];
    abl_content content;
    abl_tree copy = {.shared = shared};
    if (!device->copy_out(s->answers, s->work.answers, s->n * sizeof s->answers[0]) ||
        !device->copy_out(s->tally, s->work.tally, sizeof s->tally) ||
        !device->copy_out(shared, s->subject.tree.shared, sizeof shared))
        return "cannot copy from the device";
    const char *wrong = check_answers(s);
    if (wrong != NULL || !s->inserts) return wrong;
    copy.capacity = shared[ABL_TAKEN];
    const size_t bytes = (size_t)copy.capacity * ABL_WORDS * sizeof(uint64_t);
    copy.words = malloc(bytes);
    if (copy.words == NULL) return "out of memory for its check";
    wrong = device->copy_out(copy.words, s->subject.tree.words, bytes) ? abl_tree_check(copy, &content)
                                                                : "cannot copy from the device";
    free(copy.words);
    if (wrong != NULL) return wrong;
    return content.count == s->before.count + s->added.count && content.sum == s->before.sum + s->added.sum
               ? NULL : "other keys than were inserted";
}

static void measure(struct stage *s, const struct choice *choice, const char *ablation, const char *dist)
{
    static const struct ablation_verbs verbs = {restore, call, check};
    if (choice->gpu_only && !ablations_on_gpu(s->a)) return;
    ablations_start_row(s->a, &s->row, dist, s->first, s->n);
    snprintf(s->row.name, sizeof s->row.name, "%s/%s", ablation, choice->name);
    s->variant = choice->variant;
    if (!ablations_repeat(s->a, &s->row, &verbs, s)) return;
    bench_row_count(&s->row, "nodes_per_op", (double)s->tally[0] / (double)s->n);
    bench_row_count(&s->row, "failed_latches_per_op", (double)s->tally[1] / (double)s->n);
    bench_row_count(&s->row, "splits", (double)s->tally[2]);
    bench_report_add(s->a->report, &s->row);
}

static void measure_all(struct ablations *a, const char *ablation, const struct choice *choices, size_t count,
                        bool inserts, enum spread spread)
{
    struct stage s;
    const size_t many = ablations_on_gpu(a) ? (size_t)1 << 21 : (size_t)1 << 20;
    const size_t first = spread == EMPTY ? 0 : a->quick ? many / 8 : many;
    const bool brief = a->quick && ablations_on_gpu(a) && spread != UNIFORM; /* all meet at a few nodes: it is slow */
    const size_t n = brief ? (size_t)1 << 12 : spread == EMPTY ? (size_t)1 << 16 : inserts ? first / 2 : 2 * first;
    if (open_stage(&s, a, first, n, inserts, spread))
        for (size_t i = 0; i < count; i++)
            if (choices[i].inserts == inserts) measure(&s, &choices[i], ablation, spread_names[spread]);
    close_stage(&s);
}

/* ---- the ablations ---- */

void ablation_latch(struct ablations *a)
{
    static const struct choice choices[] = {{"from-root", ABL_INSERT_ROOT, true, false},
                                            {"from-parent", ABL_INSERT_PARENT, true, false},
                                            {"spin", ABL_INSERT_SPIN, true, false},
                                            {"back-off", ABL_INSERT_BACK_OFF, true, false}};
    for (enum spread spread = EMPTY; spread <= FEW; spread++) measure_all(a, "latch", choices, 4, true, spread);
}

void ablation_splits(struct ablations *a)
{
    static const struct choice choices[] = {{"proactive", ABL_INSERT_PARENT, true, false},
                                            {"up-path", ABL_INSERT_UP_PATH, true, false},
                                            {"up-search", ABL_INSERT_UP_SEARCH, true, false}};
    for (enum spread spread = EMPTY; spread <= FEW; spread++) measure_all(a, "splits", choices, 3, true, spread);
}

/* Finds run alone: without fences, and from a cache, they are right only then. */
void ablation_loads(struct ablations *a)
{
    static const struct choice choices[] = {{"insert/full-fence", ABL_INSERT_FENCED, true, false},
                                            {"insert/light-fence", ABL_INSERT_PARENT, true, false},
                                            {"find/full-fence", ABL_FIND_FENCED, false, false},
                                            {"find/light-fence", ABL_FIND_LIGHT, false, false},
                                            {"find/no-fence", ABL_FIND_BARE, false, false},
                                            {"find/full-fence/L1", ABL_FIND_FENCED_CACHED, false, true},
                                            {"find/light-fence/L1", ABL_FIND_LIGHT_CACHED, false, true},
                                            {"find/no-fence/L1", ABL_FIND_BARE_CACHED, false, true}};
    measure_all(a, "loads", choices, 8, true, EMPTY);
    measure_all(a, "loads", choices, 8, true, UNIFORM);
    bench_report_say(a->report, "finds while nobody writes: no-fence and L1 are right only then");
    measure_all(a, "loads", choices, 8, false, UNIFORM);
}
