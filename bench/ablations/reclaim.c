/* reclaim.c - the ablation reclaim: what entering epochs costs finds, and how much garbage waits for its end. */
#include "reclaim.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ablations.h"

enum { LAUNCHES = 8, MANY = 256, GPU_STAY = 8 };

struct stage {
    struct ablations *a;
    size_t first;
    uint32_t *keys;
    uint8_t *answers;      /* on the host */
    struct ablation_tree subject;
    uint64_t *first_cells, shared[RECLAIM_SHARED_WORDS];
    reclaim_hand *first_hands;
    size_t n, hand_bytes;
    reclaim_work work; /* on the device */
    struct bench_memory memory;
};

/* How long a stay is, and of how many threads together; 0: a block. */
static const struct choice {
    const char *cpu, *gpu;
    int way;
    uint32_t cpu_stay, gpu_lanes;
} choices[] = {{"process", "device", RECLAIM_WHOLE, MANY, 32},
               {"thread", "block", RECLAIM_ANNOUNCED, MANY, 0},
               {"operation", "tile", RECLAIM_ANNOUNCED, 1, 32},
               {"operation-counter", "tile-counter", RECLAIM_COUNTED, 1, 32}};

static uint32_t key_step(const struct stage *s) { return ABL_TOP / (uint32_t)s->first; }
static uint32_t key_of(const struct stage *s, size_t rank) { return (uint32_t)rank * key_step(s); }

/* ---- memory ---- */

/* The tree's values become cells, one after the other: leaves come first, from left to right. */
static void fill_cells(struct stage *s)
{
    for (size_t i = 0; i < s->first; i++) {
        uint64_t *node = abl_node(s->subject.image, (uint32_t)(i / ABL_FILL));
        node[i % ABL_FILL] = abl_pair(key_of(s, i), (uint32_t)i);
        s->first_cells[2 * i] = abl_pair(key_of(s, i), 0);
        s->first_cells[2 * i + 1] = 0;
    }
}

static bool allocate(struct stage *s)
{
    const struct tool_device *device = s->a->device;
    struct bench_memory *memory = &s->memory;
    s->keys = bench_memory_host(memory, s->n * sizeof s->keys[0]);
    s->answers = bench_memory_host(memory, s->n);
    s->first_cells = bench_memory_host(memory, 2 * s->first * sizeof s->first_cells[0]);
    s->first_hands = bench_memory_host(memory, s->hand_bytes);
    s->work.keys = bench_memory_device(memory, device, s->n * sizeof s->keys[0]);
    s->work.answers = bench_memory_device(memory, device, s->n);
    s->work.cells = bench_memory_device(memory, device, 2 * s->work.cell_count * sizeof(uint64_t));
    s->work.shared = bench_memory_device(memory, device, sizeof s->shared);
    s->work.announced = bench_memory_device(memory, device, (size_t)s->work.threads * 16 * sizeof(uint64_t));
    s->work.hands = bench_memory_device(memory, device, s->hand_bytes);
    return ablations_make_tree(s->a, &s->subject, memory, s->first, key_step(s), 0);
}

static bool open_stage(struct stage *s, struct ablations *a)
{
    const bool gpu = ablations_on_gpu(a);
    const size_t many = gpu ? (size_t)1 << 21 : (size_t)1 << 19;
    *s = (struct stage){.a = a, .first = a->quick ? many / 8 : many};
    const struct mix_order order = mix_order_make(s->first, 17);
    s->n = 2 * s->first;
    s->work.threads = a->threads;
    if (gpu && reclaim_threads_cuda(&s->work.threads) != PLEACH_OK)
        return ablations_complain(a, "reclaim", "cannot ask the GPU");
    s->work.cell_count = s->first + s->n; /* even if none is used again */
    s->hand_bytes = s->work.threads * sizeof(reclaim_hand);
    if (!allocate(s)) return ablations_complain(a, "reclaim", "out of memory");
    fill_cells(s);
    for (size_t i = 0; i < s->n; i++) s->keys[i] = key_of(s, (size_t)mix_order_at(&order, i % s->first));
    memset(s->first_hands, 0xff, s->hand_bytes);
    for (size_t i = 0; i < s->work.threads; i++) memset(s->first_hands[i].epochs, 0, sizeof s->first_hands[i].epochs);
    s->shared[RECLAIM_EPOCH] = RECLAIM_FIRST_EPOCH;
    s->shared[RECLAIM_TAKEN] = s->first;
    return a->device->copy_in((void *)s->work.keys, s->keys, s->n * sizeof s->keys[0]) ||
           ablations_complain(a, "reclaim", "cannot copy to the device");
}

static void close_stage(struct stage *s)
{
    abl_tree_destroy(&s->subject.image);
    bench_memory_release(&s->memory);
}

/* ---- measuring ---- */

static void run_thread(void *context, unsigned thread)
{
    struct stage *s = context;
    const reclaim_work *w = &s->work;
    reclaim_hand *hand = &w->hands[thread];
    const size_t each = (w->n + w->threads - 1) / w->threads, begin = thread * each;
    const size_t end = begin + each < w->n ? begin + each : w->n;
    for (size_t at = begin, stay = 0; at < end; stay++) {
        const uint64_t epoch = reclaim_enter(w, thread);
        reclaim_refresh(w, hand, epoch);
        for (size_t k = 0; k < w->stay && at < end; k++, at++)
            w->answers[w->begin + at] = reclaim_one(s->subject.tree, w, hand, w->begin + at);
        reclaim_leave(w, thread, epoch);
        if (w->way == RECLAIM_WHOLE || stay % RECLAIM_LOOK_EVERY != 0) continue;
        const uint64_t now = port_load(w->shared + RECLAIM_EPOCH);
        if (reclaim_all_here(w, now, 0)) reclaim_move_on(w, now);
    }
}

/* Between launches nobody is inside: what was retired in one is free in the next. */
static pleach_status call(void *context, pleach_stream stream)
{
    struct stage *s = context;
    (void)stream; /* of a GPU */
    pleach_status status = PLEACH_OK;
    for (size_t launch = 0; launch < LAUNCHES && status == PLEACH_OK; launch++) {
        s->work.begin = s->n / LAUNCHES * launch;
        s->work.n = s->n / LAUNCHES;
        s->work.launch_epoch = RECLAIM_FIRST_EPOCH + 2 * launch;
        if (ablations_on_gpu(s->a))
            status = reclaim_run_cuda(s->subject.tree, &s->work, stream);
        else
            crew_run(s->a->crew, run_thread, s);
    }
    return status;
}

static bool restore(void *stage)
{
    const struct stage *s = stage;
    const struct tool_device *device = s->a->device;
    return ablations_restore_tree(s->a, &s->subject) &&
           device->copy_in(s->work.cells, s->first_cells, 2 * s->first * sizeof(uint64_t)) &&
           device->copy_in(s->work.shared, s->shared, sizeof s->shared) &&
           device->copy_in(s->work.hands, s->first_hands, s->hand_bytes) &&
           device->fill(s->work.announced, 0, (size_t)s->work.threads * 16 * sizeof(uint64_t)) &&
           device->fill(s->work.answers, 0, s->n);
}

struct checking {
    const struct stage *s;
    const uint64_t *words, *cells;
    uint64_t taken;
    atomic_size_t bad_answers, bad_cells;
};

static void check_answers(void *context, size_t begin, size_t end)
{
    struct checking *c = context;
    size_t bad = 0;
    for (size_t i = begin; i < end; i++) bad += c->s->answers[i] != RECLAIM_GOOD;
    atomic_fetch_add(&c->bad_answers, bad);
}

/* Every key has a cell, which says whose it is: so none has another's. */
static void check_cells(void *context, size_t begin, size_t end)
{
    struct checking *c = context;
    size_t bad = 0;
    for (size_t i = begin; i < end; i++) {
        const uint64_t pair = c->words[i / ABL_FILL * ABL_WORDS + i % ABL_FILL];
        const uint32_t key = key_of(c->s, i), cell = (uint32_t)pair;
        bad += abl_key(pair) != key || cell >= c->taken || abl_key(c->cells[2 * (size_t)cell]) != key;
    }
    atomic_fetch_add(&c->bad_cells, bad);
}

static const char *check(void *stage)
{
    struct stage *s = stage;
    const struct tool_device *device = s->a->device;
    uint64_t shared[RECLAIM_SHARED_WORDS];
    struct checking c = {.s = s};
    if (!device->copy_out(s->answers, s->work.answers, s->n) ||
        !device->copy_out(shared, s->work.shared, sizeof shared))
        return "cannot copy from the device";
    crew_share(s->a->crew, s->n, check_answers, &c);
    if (atomic_load(&c.bad_answers) > 0) return "an operation met another key's cell, or found none";
    c.taken = shared[RECLAIM_TAKEN];
    if (c.taken > s->work.cell_count) return "more cells than there are";
    uint64_t *words = malloc(ablations_tree_bytes(&s->subject)), *cells = malloc(2 * c.taken * sizeof cells[0]);
    const bool room = words != NULL && cells != NULL;
    const bool here = room && device->copy_out(words, s->subject.tree.words, ablations_tree_bytes(&s->subject)) &&
                      device->copy_out(cells, s->work.cells, 2 * c.taken * sizeof cells[0]);
    c.words = words;
    c.cells = cells;
    if (here) crew_share(s->a->crew, s->first, check_cells, &c);
    free(words);
    free(cells);
    if (!here) return room ? "cannot copy from the device" : "out of memory for its check";
    return atomic_load(&c.bad_cells) > 0 ? "a key without a cell of its own" : NULL;
}

static void measure(struct stage *s, const struct choice *choice, uint32_t updates)
{
    static const struct ablation_verbs verbs = {restore, call, check};
    struct bench_row row;
    uint64_t shared[RECLAIM_SHARED_WORDS];
    const bool gpu = ablations_on_gpu(s->a);
    ablations_start_row(s->a, &row, updates > 0 ? "updates" : "finds", s->first, s->n);
    snprintf(row.name, sizeof row.name, "reclaim/%s", gpu ? choice->gpu : choice->cpu);
    s->work.way = choice->way;
    s->work.updates = updates;
    s->work.stay = gpu ? GPU_STAY : choice->cpu_stay;
    s->work.lanes = !gpu ? 1 : choice->gpu_lanes > 0 ? choice->gpu_lanes : reclaim_block_cuda();
    if (!ablations_repeat(s->a, &row, &verbs, s)) return;
    if (!s->a->device->copy_out(shared, s->work.shared, sizeof shared)) return;
    bench_row_count(&row, "updates_percent", updates);
    bench_row_count(&row, "most_retired", (double)(shared[RECLAIM_TAKEN] - s->first));
    bench_row_count(&row, "epochs", (double)(shared[RECLAIM_EPOCH] - RECLAIM_FIRST_EPOCH));
    bench_report_add(s->a->report, &row);
    if (updates > 0)
        bench_report_say(s->a->report, bench_report_keep(s->a->report, "at most %.0f cells waited to be used again",
                                                         row.counters[1].value));
}

void ablation_reclaim(struct ablations *a)
{
    struct stage s;
    if (open_stage(&s, a))
        for (uint32_t updates = 0; updates <= 20; updates += 20)
            for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) measure(&s, &choices[i], updates);
    close_stage(&s);
}
