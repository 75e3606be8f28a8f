/* batch/batch_cpu.c - runs the stages of a batch (batch/batch.h) on a team of threads. Compiled once per key width
 * (PLEACH_KEY_BITS) and instruction set (PLEACH_NODE_ISA_...). */
#include "batch_cpu.h"

#include <string.h>
#include <time.h>

#include "../blink/blink.h"

#include "batch.h"
#include "batch_count.h"

#if defined(PLEACH_NODE_ISA_avx512)
#define ISA_NAME(name) name##_avx512
#elif defined(PLEACH_NODE_ISA_avx2)
#define ISA_NAME(name) name##_avx2
#elif defined(PLEACH_NODE_ISA_x86) /* for the simulator */
#define ISA_NAME(name) name##_sim_x86
#elif defined(PLEACH_SIM)
#define ISA_NAME(name) name##_sim_plain
#else
#define ISA_NAME(name) name##_plain
#endif
#define RUN_NAME2(name) ISA_NAME(name)
#define RUN_NAME RUN_NAME2(WIDTH_SYMBOL(batch_run))

typedef struct op_stretch { uint32_t at, end; } op_stretch;

#include "batch_sort.h"
#include "batch_ranges.h"
#include "../blink/blink_prefetch.h"

/* A result in transit (batch_exchange.h). */
typedef struct reply_letter {
    uint32_t place;
    uint8_t flag, has_value;
} reply_letter;

/* A worker's view of the job. */
typedef struct batch_worker {
    batch_job *job;
    team *team;
    unsigned member;
    unsigned told; /* how often it has published words */
    double since; /* member 0: when the current stage began */
    uint32_t seen;  /* BATCH_HAS_... */
    map_key differ; /* bits in which keys differ */
    uint32_t ops;   /* for batch_fused.h: sizes.ops, which one worker sets */
    uint64_t mail_scale;
    reply_letter *letter; /* batch_exchange.h; by operation in key order */
    map_key *letter_value;
    map_key *pass_case; /* keys of leaves that batch_fused.h has left underfull; a worker's from pass_first on, */
    uint32_t pass_first, pass_cases;
    map_key *pass_sorted; /* and those of all workers, sorted */
    batch_ref b;
    batch_counting counting;
    batch_wide *wide; /* by operation; a worker uses its part */
} batch_worker;

/* ---- memory ---- */

/* Each level has at most as many edits as the one below it. Above the tenth level there are edits only if 14^10 nodes
 * are full, or all of a batch falls into few of them. What a level does not use costs address space only. */
enum { LEVELS_OF_EDITS = 12 };

/* Returns the next piece of `scratch`. Without scratch, only counts the bytes. */
static void *carve(char *scratch, size_t *used, size_t count, size_t size)
{
    void *piece = scratch ? scratch + *used : NULL;
    *used += (count * size + 63) / 64 * 64;
    return piece;
}

/* Returns the bytes of scratch memory that the batch needs. */
static size_t lay_out(batch_worker *w, sort_side side[2], char *scratch, size_t n, uint64_t used_ids)
{
    batch_ref *b = &w->b;
    size_t used = 0;
    size_t edits = LEVELS_OF_EDITS * n + BATCH_LEVELS;
    for (unsigned s = 0; s < 2; s++) {
        side[s].key = carve(scratch, &used, n, sizeof(map_key));
        side[s].function = carve(scratch, &used, n, sizeof(uint32_t));
    }
    b->list_key = side[0].key;
    b->list_function = side[0].function;
    b->mark = carve(scratch, &used, n, sizeof(uint32_t));
    b->filter_bits = batch_filter_bits((uint32_t)n);
    b->filter = carve(scratch, &used, (size_t)1 << (b->filter_bits - 6), sizeof(uint64_t));
    b->op_link = carve(scratch, &used, n + POOL_STRIPES, sizeof(batch_link));
    b->key_first = carve(scratch, &used, n + POOL_STRIPES, sizeof(uint32_t));
    b->key_node = carve(scratch, &used, n, sizeof(uint32_t));
    b->key_value = carve(scratch, &used, n, sizeof(map_key));
    b->key_flags = carve(scratch, &used, n, sizeof(uint8_t));
    b->edit_key = carve(scratch, &used, edits, sizeof(map_key));
    b->edit_value = carve(scratch, &used, edits, sizeof(map_key));
    b->edit_node = carve(scratch, &used, edits, sizeof(uint32_t));
    b->edit_flags = carve(scratch, &used, edits, sizeof(uint8_t));
    b->edit_sums = carve(scratch, &used, edits, sizeof(batch_sums));
    b->run_first = carve(scratch, &used, edits, sizeof(uint32_t));
    b->run_new = carve(scratch, &used, edits, sizeof(uint32_t));
    for (unsigned s = 0; s < 2; s++) {
        w->counting.place[s] = carve(scratch, &used, n, sizeof(uint32_t));
        w->counting.change[s] = carve(scratch, &used, n, sizeof(int8_t));
    }
    w->counting.zeros = carve(scratch, &used, n + 1, sizeof(uint32_t));
    w->counting.zero_sum = carve(scratch, &used, n + 1, sizeof(int32_t));
    w->counting.before = carve(scratch, &used, used_ids, sizeof(uint64_t));
    w->wide = carve(scratch, &used, n, sizeof(batch_wide));
    w->pass_case = carve(scratch, &used, n, sizeof(map_key));
    w->pass_sorted = carve(scratch, &used, n, sizeof(map_key));
    w->letter = carve(scratch, &used, n, sizeof *w->letter);
    w->letter_value = carve(scratch, &used, n, sizeof(map_key));
    b->live.levels = 0;
    b->live.groups = batch_live_groups((uint32_t)n);
    b->live.group = carve(scratch, &used, (size_t)batch_live_levels((uint32_t)n) * b->live.groups,
                          sizeof *b->live.group);
    for (unsigned s = 0; s < 2; s++) {
        b->live.number[s] = w->counting.place[s];
        b->live.change[s] = w->counting.change[s];
    }
    b->live.had = carve(scratch, &used, n + 1, sizeof(uint32_t));
    b->live.gap = carve(scratch, &used, n / 32 + 1, sizeof(uint32_t));
    b->live.gaps = carve(scratch, &used, n / 32 + 2, sizeof(uint32_t));
    b->patience = BATCH_PATIENCE;
    b->edit_room = edits < UINT32_MAX ? (uint32_t)edits : UINT32_MAX;
    b->case_keys[0] = b->key_value;
    b->case_keys[1] = b->edit_key;
    b->case_node = b->key_node;
    b->case_first = b->key_first;
    b->case_freed = (uint32_t *)b->op_link;
    b->run_copy = b->key_first;
    return used;
}

static size_t scratch_bytes(uint32_t n, uint64_t used_ids)
{
    batch_worker w;
    sort_side side[2];
    return lay_out(&w, side, NULL, n, used_ids);
}

/* ---- stages ---- */

/* Returns the seconds since the last call, for member 0 if the caller has asked for times; otherwise 0. */
static double lap(batch_worker *w)
{
    struct timespec clock;
    if (w->member > 0 || !w->job->times) return 0;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    double now = (double)clock.tv_sec + 1e-9 * (double)clock.tv_nsec, since = w->since;
    w->since = now;
    return now - since;
}

#define FOR_PART(w, i, n)                                                                                        \
    for (uint32_t n_ = (n), i = part_begin((w)->team, (w)->member, n_),                                          \
                  end_ = part_begin((w)->team, (w)->member + 1, n_);                                             \
         i < end_; i++)

/* Point-to-point hand-off: a worker needs only the partial results of lower-numbered workers, so it waits for those and
 * no others. All workers publish equally often. What was stored before tell() is visible after hear() (release pairs
 * with acquire). All workers pass a barrier between publishing words and publishing the next ones, so no words are
 * overwritten before they are read. */
static void tell(batch_worker *w)
{
    atomic_store_explicit(&w->job->tidings[w->member].told, ++w->told, memory_order_release);
}

static const batch_part *hear(const batch_worker *w, unsigned from)
{
    batch_tidings *tidings = &w->job->tidings[from];
    for (unsigned look = 0; atomic_load_explicit(&tidings->told, memory_order_acquire) < w->told; look++)
        port_pause(look);
    return &w->job->parts[from];
}

/* A scan by the team. Each worker sums its part, receives the sums of lower-numbered workers, and goes through its part
 * again from the sum of their parts. FIRST(b, level, i) is the element at i in the first pass, AGAIN in the second.
 * STORE(b, level, i, sum) gets the inclusive sum. */
#define DEFINE_SCAN(name, type, zero, JOIN_TWO, FIRST, AGAIN, STORE)                                             \
    static void name(batch_worker *w, uint32_t level, uint32_t n)                                                \
    {                                                                                                            \
        type sum = zero;                                                                                         \
        bool alone = w->team->members == 1;                                                                      \
        (void)level;                                                                                             \
        if (!alone) {                                                                                            \
            FOR_PART(w, i, n) sum = JOIN_TWO(sum, FIRST(&w->b, level, i));                                       \
            memcpy(w->job->parts[w->member].words, &sum, sizeof sum);                                            \
            tell(w);                                                                                             \
            sum = (type)zero;                                                                                    \
            for (unsigned m = 0; m < w->member; m++) {                                                           \
                type part;                                                                                       \
                memcpy(&part, hear(w, m)->words, sizeof part);                                                   \
                sum = JOIN_TWO(sum, part);                                                                       \
            }                                                                                                    \
        }                                                                                                        \
        FOR_PART(w, i, n) {                                                                                      \
            sum = JOIN_TWO(sum, (alone ? FIRST(&w->b, level, i) : AGAIN(&w->b, level, i)));                      \
            STORE(&w->b, level, i, sum);                                                                         \
        }                                                                                                        \
        team_barrier(w->team);                                                                                      \
    }

/* Nodes are prefetched this many runs ahead. */
enum { RUNS_AHEAD = 12 };

static inline uint32_t node_of_run(const batch_ref *b, uint32_t level, uint32_t run)
{
    return b->edit_node[b->run_first[b->sizes->level[level].first_edit + run]];
}

static inline uint32_t plan_run(const batch_ref *b, uint32_t level, uint32_t run)
{
    if (run + RUNS_AHEAD < b->sizes->level[level].runs)
        port_prefetch(&node_at(b->map, node_of_run(b, level, run + RUNS_AHEAD))->word[HEADER_WORD]);
    return batch_plan_run(b, level, run);
}

#define ADD(a, b) ((a) + (b))
#define LISTED_FIRST(b, level, i) batch_note(b, i)
#define LISTED_AGAIN(b, level, i) batch_is_listed(b, i)
#define LISTED_STORE(b, level, i, sum) batch_store_listed(b, i, sum)
#define LINK_OF(b, level, i) batch_link_of(b, i)
#define LINK_STORE(b, level, i, sum) batch_store_link(b, i, sum)
#define CHANGED_OF(b, level, i) batch_changed(b, i)
#define CHANGED_STORE(b, level, i, sum) batch_store_edit(b, i, sum)

#define ZERO_LINK {0, 0}
#define ZERO_SUMS {0, 0, 0}
DEFINE_SCAN(scan_listed, uint32_t, 0, ADD, LISTED_FIRST, LISTED_AGAIN, LISTED_STORE)
DEFINE_SCAN(scan_links, batch_link, ZERO_LINK, batch_link_join, LINK_OF, LINK_OF, LINK_STORE)
DEFINE_SCAN(scan_changed, uint32_t, 0, ADD, CHANGED_OF, CHANGED_OF, CHANGED_STORE)
DEFINE_SCAN(scan_sums, batch_sums, ZERO_SUMS, batch_sums_join, batch_sums_of, batch_sums_of, batch_store_sums)
#define SMALL_OF(b, level, i) batch_is_underfull(b, i)
#define SMALL_STORE(b, level, i, sum) batch_store_small(b, i, sum)
DEFINE_SCAN(scan_small, uint32_t, 0, ADD, SMALL_OF, SMALL_OF, SMALL_STORE)
DEFINE_SCAN(scan_cases, batch_sums, ZERO_SUMS, batch_sums_join, batch_case_sums, batch_case_sums,
            batch_store_case)
#define COPY_OF(b, level, i) batch_needs_copy(b, i)
#define COPY_STORE(b, level, i, sum) batch_store_copy(b, i, sum)
DEFINE_SCAN(scan_copies, uint32_t, 0, ADD, COPY_OF, COPY_OF, COPY_STORE)
DEFINE_SCAN(scan_new, uint32_t, 0, ADD, plan_run, batch_planned, batch_store_planned)

/* Interleaves several finds, so that the memory system works on all of them at once; a find that is done is replaced by
 * the next one. No thread changes the tree during this stage, so no step has to be retried. NEXT puts the next key and
 * its tag into a slot, or returns false if there is none left. */
enum { FLIGHTS = 32 };

typedef struct inflight_op {
    find_op find;
    uint32_t tag;
} inflight_op;

#define FLY(map, flight, NEXT, ARRIVED)                                                                          \
    do {                                                                                                         \
        uint32_t flying_ = 0;                                                                                    \
        while (flying_ < FLIGHTS && NEXT(&flight[flying_])) flying_++;                                           \
        while (flying_ > 0) {                                                                                    \
            for (uint32_t i_ = 0; i_ < flying_;) {                                                               \
                inflight_op *f_ = &flight[i_];                                                                   \
                if (find_step(map, &f_->find) != STEP_DONE) {                                                   \
                    prefetch_node(map, f_->find.cursor.node);                                                    \
                    i_++;                                                                                        \
                    continue;                                                                                    \
                }                                                                                                \
                ARRIVED(f_);                                                                                     \
                if (NEXT(f_))                                                                                    \
                    i_++;                                                                                        \
                else                                                                                             \
                    *f_ = flight[--flying_];                                                                     \
            }                                                                                                    \
        }                                                                                                        \
    } while (0)

static inline bool next_key(batch_worker *w, op_stretch *keys, inflight_op *f)
{
    if (keys->at == keys->end) return false;
    f->tag = keys->at++;
    find_start(w->b.map, &f->find, batch_key_at(&w->b, f->tag));
    return true;
}

static void look_up(batch_worker *w, op_stretch keys)
{
    inflight_op flight[FLIGHTS];
#define NEXT_KEY(f) next_key(w, &keys, f)
#define LOOKED(f) batch_looked(&w->b, (f)->tag, &(f)->find)
    FLY(w->b.map, flight, NEXT_KEY, LOOKED);
}

/* Returns whether operations have to be selected. They need not if all of them would be, or none. */
static inline bool is_listed(const batch_worker *w)
{
    return (w->seen & BATCH_HAS_FINDS) && (w->seen & (BATCH_HAS_UPDATES | BATCH_HAS_QUERIES));
}

/* Starts the find of the next operation that is not selected. Returns false if there is none left. */
static inline bool next_read(batch_worker *w, op_stretch *places, inflight_op *f)
{
    bool listed = is_listed(w);
    if (listed)
        while (places->at < places->end && batch_is_listed(&w->b, places->at)) places->at++;
    if (places->at == places->end) return false;
    f->tag = listed ? w->b.mark[places->at] : batch_read_mark(&w->b, places->at);
    find_start(w->b.map, &f->find, batch_argument(&w->b, places->at++));
    return true;
}

static void read_unlisted(batch_worker *w, op_stretch places)
{
    inflight_op flight[FLIGHTS];
#define NEXT_READ(f) next_read(w, &places, f)
#define READ(f) batch_answer_read(&w->b, (f)->tag, &(f)->find)
    FLY(w->b.map, flight, NEXT_READ, READ);
}

static op_stretch own_stretch(const batch_worker *w, uint32_t n)
{
    return (op_stretch){part_begin(w->team, w->member, n), part_begin(w->team, w->member + 1, n)};
}

/* Finds out what the batch contains, and in which bits keys differ. */
static void survey(batch_worker *w)
{
    const map_key *keys = w->job->request.keys;
    uint32_t seen = 0;
    map_key differ = 0;
    FOR_PART(w, i, w->job->request.n) {
        seen |= batch_classify(batch_kind_at(&w->job->request, i));
        differ |= keys[i] ^ keys[0];
    }
    memcpy(&w->job->parts[w->member].words[2], &differ, sizeof differ);
    w->job->parts[w->member].words[1] = seen;
    if (w->member == 0) {
        batch_settle_stock(&w->b, 1);
        batch_begin(&w->b);
    }
    team_barrier(w->team);
    for (unsigned m = 0; m < w->team->members; m++) {
        map_key bits;
        memcpy(&bits, &w->job->parts[m].words[2], sizeof bits);
        differ |= bits;
        seen |= (uint32_t)w->job->parts[m].words[1];
    }
    if (w->member == 0) w->b.sizes->seen = seen;
    w->seen = seen;
    w->differ = differ;
}

#include "batch_wide.h"

#include "batch_live_team.h"

/* Runs each query by itself, except wide counts, which are counted together, and queries that give up. A worker
 * collects the wide counts at the front of its part of `wide`, and those that give up at the end of it. */
static void ask(batch_worker *w, uint32_t ops)
{
    batch_wide *wide = w->wide + part_begin(w->team, w->member, ops);
    batch_wide *tired = w->wide + part_begin(w->team, w->member + 1, ops);
    uint32_t n = 0, n_tired = 0;
    uint64_t all = 0, all_tired = 0;
    FOR_PART(w, op, ops) {
        if (batch_kind(&w->b, op) == OP_COUNT) {
            if (!count_by_walking(w, op)) wide[n++].op = op;
            continue;
        }
        batch_effort effort = batch_query(&w->b, op);
        note_effort(w, effort);
        if (effort.tired) tired[-(ptrdiff_t)++n_tired].op = op;
    }
    w->job->parts[w->member].words[0] = n;
    w->job->parts[w->member].words[1] = n_tired;
    team_barrier(w->team);
    for (unsigned m = 0; m < w->team->members; m++) {
        all += w->job->parts[m].words[0];
        all_tired += w->job->parts[m].words[1];
    }
    team_barrier(w->team);
    if (all) count_wide(w, w->counting, wide, n);
    team_barrier(w->team);
    if (all_tired) ask_tired(w, tired - n_tired, n_tired, (uint32_t)all_tired);
}

/* Runs the queries of several keys. Returns false, to all workers, if there is no space for the pairs of ranges. */
static bool answer_queries(batch_worker *w)
{
    batch_job *job = w->job;
    uint32_t n = job->request.n, ops = job->sizes.ops;
    ask(w, ops);
    if (!job->offsets) return true;
    if (w->member == 0) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < n; i++) {
            job->offsets[i] = sum;
            if (batch_kind_at(&job->request, i) == OP_RANGE) sum += job->request.counts[i];
        }
        job->offsets[n] = job->total = sum;
    }
    team_barrier(w->team);
    if (!w->b.r.range_keys && !w->b.r.range_values) return true;
    if (job->total > job->capacity) {
        if (w->member == 0) job->status = PLEACH_E_SPACE;
        return false;
    }
    w->b.r.offsets = job->offsets;
    FOR_PART(w, op, ops) note_effort(w, batch_fill_range(&w->b, op));
    return true;
}

/* Runs all stages except commit on one level. */
static void grow_level(batch_worker *w, uint32_t level)
{
    batch_level *l = &w->b.sizes->level[level];
    if (level > 0) {
        FOR_PART(w, i, l->edits) batch_locate(&w->b, level, i);
        team_barrier(w->team);
    }
    scan_sums(w, level, l->edits);
    scan_new(w, level, l->runs);
    if (w->member == 0) batch_close_plan(&w->b, level, w->b.run_new[l->first_edit + l->runs - 1]);
    team_barrier(w->team);
    FOR_PART(w, i, l->nodes) batch_build(&w->b, level, i);
    team_barrier(w->team);
}

/* Merges the leaves that batch_fused.h has left underfull (w->pass_cases of them by this worker) into those that the
 * stages have left underfull, in key order. */
static void gather_cases(batch_worker *w)
{
    batch_sizes *s = w->b.sizes;
    uint32_t staged = s->cases, to = 0, all = 0;
    w->job->parts[w->member].words[0] = w->pass_cases;
    team_barrier(w->team);
    for (unsigned m = 0; m < w->team->members; m++) {
        if (m < w->member) to += (uint32_t)w->job->parts[m].words[0];
        all += (uint32_t)w->job->parts[m].words[0];
    }
    map_key *merged = w->b.case_keys[0], *passed = staged ? w->pass_sorted : merged, *other = w->b.case_keys[1];
    memcpy(passed + to, w->pass_case + w->pass_first, w->pass_cases * sizeof *passed);
    team_barrier(w->team);
    if (w->member == 0) {
        if (staged) memcpy(other, merged, staged * sizeof *other);
        for (uint32_t i = 0, a = 0, b = 0; staged && i < staged + all; i++)
            merged[i] = b == all || (a < staged && other[a] < passed[b]) ? other[a++] : passed[b++];
        s->cases = staged + all;
    }
    team_barrier(w->team);
}

/* Rebalances what the batch has left underfull. If the map is empty, does nothing, because the executor then resets
 * it. */
static void tidy(batch_worker *w)
{
    batch_sizes *s = w->b.sizes;
    team_barrier(w->team);
    if (s->size == 0) return;
    if (s->tidied > 0) scan_small(w, 0, s->tidied);
    gather_cases(w);
    for (uint32_t level = 0; s->cases > 0; level++) {
        uint32_t cases = s->cases;
        FOR_PART(w, at, cases) batch_find_parent(&w->b, level, at);
        team_barrier(w->team);
        FOR_PART(w, at, cases) batch_join(&w->b, level, at);
        team_barrier(w->team);
        scan_cases(w, level, cases);
        if (w->member == 0) batch_close_cases(&w->b);
        team_barrier(w->team);
    }
    if (w->member == 0) batch_rebalance_end(&w->b);
}

/* Copies the leaves that live snapshots may read. */
static void keep(batch_worker *w)
{
    const batch_level *leaves = &w->b.sizes->level[0];
    scan_copies(w, 0, leaves->runs);
    if (w->member == 0) batch_close_copies(&w->b);
    team_barrier(w->team);
    FOR_PART(w, i, leaves->runs) batch_keep(&w->b, i);
    FOR_PART(w, i, leaves->nodes) batch_inherit(&w->b, i);
    team_barrier(w->team);
}

/* A level with at most this many edits is processed by one worker, because a barrier takes longer. The simulator's
 * batches are small. */
#ifdef PLEACH_SIM
enum { FEW_EDITS = 2 };
#else
enum { FEW_EDITS = 128 };
#endif

/* Runs all stages except commit, on all levels. */
static void grow_tree(batch_worker *w)
{
    batch_sizes *s = w->b.sizes;
    uint32_t level = 0;
    while (s->level[level].edits > FEW_EDITS) grow_level(w, level++);
    if (s->level[level].edits == 0) return;
    if (w->member == 0) {
        team one = {.members = 1};
        batch_worker alone = *w;
        alone.team = &one;
        while (s->level[level].edits > 0) grow_level(&alone, level++);
    }
    team_barrier(w->team);
}

/* Applies the edits of level 0, and the changes of higher levels that follow from them. */
static void change_tree(batch_worker *w)
{
    batch_sizes *s = w->b.sizes;
    grow_tree(w);
    if (w->b.keeps && !s->full) keep(w);
    if (s->full) {
        FOR_PART(w, i, batch_all_nodes(&w->b)) batch_forget(&w->b, i);
        if (w->member == 0) w->job->status = PLEACH_E_FULL;
        return;
    }
    for (uint32_t level = 0; s->level[level].edits > 0; level++)
        FOR_PART(w, i, s->level[level].runs) {
            if (i + RUNS_AHEAD < n_) prefetch_node(w->b.map, node_of_run(&w->b, level, i + RUNS_AHEAD));
            batch_commit(&w->b, level, i);
        }
    if (w->member == 0) {
        uint64_t *size = &w->b.map.tree->stripe[0].size, more = 0;
        batch_end(&w->b);
        for (unsigned m = 0; m < w->team->members; m++) more += w->job->parts[m].passed;
        port_store(size, port_load(size) + more);
        batch_count_keys(&w->b);
    }
    if ((w->seen & BATCH_HAS_ERASES) && !w->job->keeps) tidy(w);
}

#include "batch_exchange.h"
#include "batch_fused.h"

static void find_edits(batch_worker *w)
{
    uint32_t n = w->b.sizes->ops, keys;
    scan_links(w, 0, n);
    keys = w->b.sizes->keys;
    look_up(w, own_stretch(w, keys));
    team_barrier(w->team);
    FOR_PART(w, op, n) batch_answer(&w->b, op);
    scan_changed(w, 0, keys);
}

static void list_ops(batch_worker *w)
{
    uint32_t n = w->job->request.n;
    if (!w->job->request.kinds) {
        if (w->member == 0) w->b.sizes->ops = n;
        FOR_PART(w, i, n) batch_list_all(&w->b, i);
        team_barrier(w->team);
        return;
    }
    uint32_t words = (uint32_t)1 << (w->b.filter_bits - 6), from = part_begin(w->team, w->member, words);
    memset(w->b.filter + from, 0, (part_begin(w->team, w->member + 1, words) - from) * sizeof *w->b.filter);
    team_barrier(w->team);
    FOR_PART(w, i, n) batch_mark(&w->b, i);
    team_barrier(w->team);
    scan_listed(w, 0, n);
}

/* Sets the offsets of a batch without ranges. */
static void no_pairs(batch_worker *w)
{
    FOR_PART(w, i, w->b.r.n) w->job->offsets[i] = 0;
    if (w->member == 0) w->job->offsets[w->b.r.n] = 0;
}

/* Sorts the operations for batch_fused.h. Returns false, to all workers, if a few keys have so many operations that the
 * workers cannot get separate ranges of keys. */
static bool share_keys(batch_worker *w, sort_side side[2], op_stretch *own)
{
    sort_source from = {w->b.r.keys, NULL, &w->b.r, w->b.r.n};
    if (is_listed(w)) from = (sort_source){side[0].key, side[0].function, NULL, w->b.sizes->ops};
    if (!sort_into_ranges(w->job, w->team, w->member, &from, side, w->differ, own)) return false;
    w->ops = from.n;
    if (w->member == 0) w->b.sizes->ops = from.n;
    w->b.op_key = side[1].key;
    w->b.op_function = side[1].function;
    return true;
}

/* Applies a batch of updates and finds in one pass, if it is certain that all of it can be applied. Returns false
 * otherwise; then nothing has been changed. */
static bool work_in_one_pass(batch_worker *w, sort_side side[2], pleach_batch_times *times)
{
    op_stretch own;
    if ((w->seen & BATCH_HAS_QUERIES) || !pass_is_certain(&w->b, w->b.r.n)) return false;
    bool shared = share_keys(w, side, &own);
    times->sort = lap(w);
    if (!shared) return false;
    gather_edits(w, own, pass(w, own, &times->search, &times->modify));
    team_barrier(w->team);
    scatter_results(w);
    change_tree(w);
    times->modify += lap(w);
    return true;
}

/* Applies the batch in stages, each of which processes all of it before the next one begins. */
static void work_in_stages(batch_worker *w, sort_side side[2], pleach_batch_times *times)
{
    if (!is_listed(w)) list_ops(w);
    times->list += lap(w);
    unsigned sorted = sort_operations(w->job, w->team, w->member, side);
    w->b.op_key = side[sorted].key;
    w->b.op_function = side[sorted].function;
    times->sort += lap(w);
    if (w->b.sizes->ops) find_edits(w);
    times->search = lap(w);
    if ((w->seen & BATCH_HAS_QUERIES) && !answer_queries(w)) return;
    team_barrier(w->team); /* from here on no worker reads the old map */
    for (unsigned m = 0; m < w->team->members; m++) times->steps += w->job->parts[m].steps;
    times->query = lap(w);
    change_tree(w);
    times->modify = lap(w);
}

static void batch_work(void *context, team *team, unsigned member)
{
    pleach_batch_times unused, *times = ((batch_job *)context)->times;
    if (!times || member > 0) times = &unused;
    *times = (pleach_batch_times){0};
    batch_worker w = {.job = context, .team = team, .member = member};
    sort_side side[2];
    w.b.r = w.job->request;
    w.b.map = map_thread_of(&w.job->map, 0);
    w.b.record = w.job->map.versions.record;
    w.b.versions = w.job->map.versions.state;
    w.b.keeps = w.job->keeps;
    w.b.sizes = &w.job->sizes;
    lay_out(&w, side, w.job->scratch, w.job->request.n, w.job->used_ids);
    lap(&w);
    survey(&w);
    if ((w.seen & BATCH_HAS_WRONG) || ((w.seen & BATCH_HAS_VALUES) && !w.job->request.values)) {
        if (member == 0) w.job->status = PLEACH_E_ARGUMENT;
        return;
    }
    times->list = lap(&w);
    if (w.seen & BATCH_HAS_FINDS) {
        if (is_listed(&w)) list_ops(&w);
        times->list += lap(&w);
        read_unlisted(&w, own_stretch(&w, w.job->request.n));
        times->read = lap(&w);
    }
    if (!(w.seen & BATCH_HAS_QUERIES) && w.job->offsets) no_pairs(&w);
    if (!(w.seen & (BATCH_HAS_UPDATES | BATCH_HAS_QUERIES))) return; /* only finds */
    if (!work_in_one_pass(&w, side, times)) work_in_stages(&w, side, times);
}

const batch_run_ops RUN_NAME = {scratch_bytes, batch_work};
