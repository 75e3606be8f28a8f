/* exec/cpu/batch_run.c - the stages of a batch (batch/batch.h), by a team of threads. Compiled once per key width
 * (PLEACH_KEY_BITS) and instruction set (PLEACH_NODE_ISA_...). */
#include "batch_run.h"

#include <string.h>
#include <time.h>

#include "../../core/blink/blink.h"

#include "../../batch/batch.h"
#include "../../batch/batch_count.h"

#define JOIN_(a, b, c) a##b##_##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#if defined(PLEACH_NODE_ISA_avx512)
#define RUN_NAME JOIN(batch_run, PLEACH_KEY_BITS, avx512)
#elif defined(PLEACH_NODE_ISA_avx2)
#define RUN_NAME JOIN(batch_run, PLEACH_KEY_BITS, avx2)
#elif defined(PLEACH_NODE_ISA_x86) /* the simulator's */
#define RUN_NAME JOIN(batch_run, PLEACH_KEY_BITS, sim_x86)
#elif defined(PLEACH_SIM)
#define RUN_NAME JOIN(batch_run, PLEACH_KEY_BITS, sim_plain)
#else
#define RUN_NAME JOIN(batch_run, PLEACH_KEY_BITS, plain)
#endif

#include "batch_sort.h"
#include "prefetch.h"

/* A member's view of the job. */
typedef struct W(working) {
    batch_job *job;
    team *team;
    unsigned member;
    double since; /* member 0: when the stage at hand began */
    W(batch) b;
    W(batch_counting) counting;
    W(batch_wide) *wide; /* by operation; a member uses its part */
} W(working);

/* ---- memory ---- */

/* Each level has no more edits than the one below it, and above the tenth there are some only if 14^10 nodes are full,
 * or all of a batch is in few of them. What a level does not need is address space only. */
enum { LEVELS_OF_EDITS = 12 };

/* The next piece of `scratch`; without that, only how much it would be. */
static void *W(carve)(char *scratch, size_t *used, size_t count, size_t size)
{
    void *piece = scratch ? scratch + *used : NULL;
    *used += (count * size + 63) / 64 * 64;
    return piece;
}

/* Answers how much memory it is. */
static size_t W(lay_out)(W(working) *w, W(sort_side) side[2], char *scratch, size_t n, uint64_t used_ids)
{
    W(batch) *b = &w->b;
    size_t used = 0;
    size_t edits = LEVELS_OF_EDITS * n + BATCH_LEVELS;
    for (unsigned s = 0; s < 2; s++) {
        side[s].key = W(carve)(scratch, &used, n, sizeof(W(key)));
        side[s].function = W(carve)(scratch, &used, n, sizeof(uint32_t));
    }
    b->list_key = side[0].key;
    b->list_function = side[0].function;
    b->mark = W(carve)(scratch, &used, n, sizeof(uint32_t));
    b->filter_bits = batch_filter_bits((uint32_t)n);
    b->filter = W(carve)(scratch, &used, (size_t)1 << (b->filter_bits - 6), sizeof(uint64_t));
    b->op_link = W(carve)(scratch, &used, n, sizeof(batch_link));
    b->key_first = W(carve)(scratch, &used, n + 1, sizeof(uint32_t));
    b->key_node = W(carve)(scratch, &used, n, sizeof(uint32_t));
    b->key_value = W(carve)(scratch, &used, n, sizeof(W(key)));
    b->key_flags = W(carve)(scratch, &used, n, sizeof(uint8_t));
    b->edit_key = W(carve)(scratch, &used, edits, sizeof(W(key)));
    b->edit_value = W(carve)(scratch, &used, edits, sizeof(W(key)));
    b->edit_node = W(carve)(scratch, &used, edits, sizeof(uint32_t));
    b->edit_flags = W(carve)(scratch, &used, edits, sizeof(uint8_t));
    b->edit_sums = W(carve)(scratch, &used, edits, sizeof(batch_sums));
    b->run_first = W(carve)(scratch, &used, edits, sizeof(uint32_t));
    b->run_new = W(carve)(scratch, &used, edits, sizeof(uint32_t));
    for (unsigned s = 0; s < 2; s++) {
        w->counting.place[s] = W(carve)(scratch, &used, n, sizeof(uint32_t));
        w->counting.change[s] = W(carve)(scratch, &used, n, sizeof(int8_t));
    }
    w->counting.zeros = W(carve)(scratch, &used, n + 1, sizeof(uint32_t));
    w->counting.zero_sum = W(carve)(scratch, &used, n + 1, sizeof(int32_t));
    w->counting.before = W(carve)(scratch, &used, used_ids, sizeof(uint64_t));
    w->wide = W(carve)(scratch, &used, n, sizeof(W(batch_wide)));
    b->edit_room = edits < UINT32_MAX ? (uint32_t)edits : UINT32_MAX;
    return used;
}

static size_t W(scratch_bytes)(uint32_t n, uint64_t used_ids)
{
    W(working) w;
    W(sort_side) side[2];
    return W(lay_out)(&w, side, NULL, n, used_ids);
}

/* ---- stages ---- */

#define FOR_PART(w, i, n)                                                                                        \
    for (uint32_t n_ = (n), i = part_begin((w)->team, (w)->member, n_),                                          \
                  end_ = part_begin((w)->team, (w)->member + 1, n_);                                             \
         i < end_; i++)

/* A scan by the team: each member adds up its part, meets the others, and goes through its part again from the sum of
 * the parts before. FIRST(b, level, i) is what belongs to i when it is first asked for, AGAIN the second time; STORE(b,
 * level, i, sum) takes all up to and with it. */
#define DEFINE_SCAN(name, type, zero, JOIN_TWO, FIRST, AGAIN, STORE)                                             \
    static void W(name)(W(working) *w, uint32_t level, uint32_t n)                                               \
    {                                                                                                            \
        type sum = zero;                                                                                         \
        bool alone = w->team->members == 1;                                                                      \
        (void)level;                                                                                             \
        if (!alone) {                                                                                            \
            FOR_PART(w, i, n) sum = JOIN_TWO(sum, FIRST(&w->b, level, i));                                       \
            memcpy(w->job->parts[w->member].words, &sum, sizeof sum);                                            \
            team_meet(w->team);                                                                                  \
            sum = (type)zero;                                                                                    \
            for (unsigned m = 0; m < w->member; m++) {                                                           \
                type part;                                                                                       \
                memcpy(&part, w->job->parts[m].words, sizeof part);                                              \
                sum = JOIN_TWO(sum, part);                                                                       \
            }                                                                                                    \
        }                                                                                                        \
        FOR_PART(w, i, n) {                                                                                      \
            sum = JOIN_TWO(sum, (alone ? FIRST(&w->b, level, i) : AGAIN(&w->b, level, i)));                      \
            STORE(&w->b, level, i, sum);                                                                         \
        }                                                                                                        \
        team_meet(w->team);                                                                                      \
    }

/* Nodes are asked for some runs ahead, so that they are there when their turn comes. */
enum { RUNS_AHEAD = 12 };

static inline uint32_t W(node_of_run)(const W(batch) *b, uint32_t level, uint32_t run)
{
    return b->edit_node[b->run_first[b->sizes->level[level].first_edit + run]];
}

static inline uint32_t W(plan_run)(const W(batch) *b, uint32_t level, uint32_t run)
{
    if (run + RUNS_AHEAD < b->sizes->level[level].runs)
        port_prefetch(&W(node_at)(b->map, W(node_of_run)(b, level, run + RUNS_AHEAD))->word[W(HEADER_WORD)]);
    return W(batch_plan_run)(b, level, run);
}

#define ADD(a, b) ((a) + (b))
#define LISTED_FIRST(b, level, i) W(batch_note)(b, i)
#define LISTED_AGAIN(b, level, i) W(batch_is_listed)(b, i)
#define LISTED_STORE(b, level, i, sum) W(batch_store_listed)(b, i, sum)
#define LINK_OF(b, level, i) W(batch_link_of)(b, i)
#define LINK_STORE(b, level, i, sum) W(batch_store_link)(b, i, sum)
#define CHANGED_OF(b, level, i) W(batch_changed)(b, i)
#define CHANGED_STORE(b, level, i, sum) W(batch_store_edit)(b, i, sum)

#define ZERO_LINK {0, 0}
#define ZERO_SUMS {0, 0, 0}
DEFINE_SCAN(scan_listed, uint32_t, 0, ADD, LISTED_FIRST, LISTED_AGAIN, LISTED_STORE)
DEFINE_SCAN(scan_links, batch_link, ZERO_LINK, batch_link_join, LINK_OF, LINK_OF, LINK_STORE)
DEFINE_SCAN(scan_changed, uint32_t, 0, ADD, CHANGED_OF, CHANGED_OF, CHANGED_STORE)
DEFINE_SCAN(scan_sums, batch_sums, ZERO_SUMS, batch_sums_join, W(batch_sums_of), W(batch_sums_of), W(batch_store_sums))
DEFINE_SCAN(scan_new, uint32_t, 0, ADD, W(plan_run), W(batch_planned), W(batch_store_planned))

/* Several finds are under way at a time, so that the memory works for all of them at once; one that has arrived makes
 * room for the next. Nobody changes the tree meanwhile, so a step never has to be done again. `next` puts the next key
 * and its tag into a flight, or answers false. */
enum { FLIGHTS = 32 };

typedef struct W(flight) {
    W(find) find;
    uint32_t tag;
} W(flight);

#define FLY(map, flight, NEXT, ARRIVED)                                                                          \
    do {                                                                                                         \
        uint32_t flying_ = 0;                                                                                    \
        while (flying_ < FLIGHTS && NEXT(&flight[flying_])) flying_++;                                           \
        while (flying_ > 0) {                                                                                    \
            for (uint32_t i_ = 0; i_ < flying_;) {                                                               \
                W(flight) *f_ = &flight[i_];                                                                     \
                if (W(find_step)(map, &f_->find) != BLINK_DONE) {                                                \
                    W(prefetch_node)(map, f_->find.cursor.node);                                                      \
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

typedef struct W(stretch) { uint32_t at, end; } W(stretch);

static inline bool W(next_key)(W(working) *w, W(stretch) *keys, W(flight) *f)
{
    if (keys->at == keys->end) return false;
    f->tag = keys->at++;
    W(find_start)(w->b.map, &f->find, W(batch_key_at)(&w->b, f->tag));
    return true;
}

static void W(look)(W(working) *w, W(stretch) keys)
{
    W(flight) flight[FLIGHTS];
#define NEXT_KEY(f) W(next_key)(w, &keys, f)
#define LOOKED(f) W(batch_looked)(&w->b, (f)->tag, &(f)->find)
    FLY(w->b.map, flight, NEXT_KEY, LOOKED);
}

/* The operations that are not listed. */
static inline bool W(next_read)(W(working) *w, W(stretch) *places, W(flight) *f)
{
    while (places->at < places->end && W(batch_is_listed)(&w->b, places->at)) places->at++;
    if (places->at == places->end) return false;
    f->tag = w->b.mark[places->at];
    W(find_start)(w->b.map, &f->find, W(batch_argument)(&w->b, places->at++));
    return true;
}

static void W(read)(W(working) *w, W(stretch) places)
{
    W(flight) flight[FLIGHTS];
#define NEXT_READ(f) W(next_read)(w, &places, f)
#define READ(f) W(batch_answer_read)(&w->b, (f)->tag, &(f)->find)
    FLY(w->b.map, flight, NEXT_READ, READ);
}

static W(stretch) W(own_stretch)(const W(working) *w, uint32_t n)
{
    return (W(stretch)){part_begin(w->team, w->member, n), part_begin(w->team, w->member + 1, n)};
}

static uint32_t W(survey)(W(working) *w)
{
    uint64_t seen = 0;
    FOR_PART(w, i, w->job->request.n) seen |= batch_survey(w->job->request.kinds[i]);
    w->job->parts[w->member].words[1] = seen;
    if (w->member == 0) W(batch_begin)(&w->b);
    uint32_t words = (uint32_t)1 << (w->b.filter_bits - 6), from = part_begin(w->team, w->member, words);
    memset(w->b.filter + from, 0, (part_begin(w->team, w->member + 1, words) - from) * sizeof *w->b.filter);
    team_meet(w->team);
    for (unsigned m = 0; m < w->team->members; m++) seen |= w->job->parts[m].words[1];
    if (w->member == 0) w->b.sizes->seen = (uint32_t)seen;
    team_meet(w->team);
    return (uint32_t)seen;
}

#include "batch_wide.h"

/* Each query by itself, but wide counts, which are counted together. */
static void W(ask)(W(working) *w, uint32_t ops)
{
    W(batch_wide) *wide = w->wide + part_begin(w->team, w->member, ops);
    uint32_t n = 0;
    uint64_t all = 0;
    FOR_PART(w, op, ops) {
        if (W(batch_kind)(&w->b, op) != BATCH_COUNT)
            W(batch_query)(&w->b, op);
        else if (!W(count_by_walking)(w, op))
            wide[n++].op = op;
    }
    w->job->parts[w->member].words[0] = n;
    team_meet(w->team);
    for (unsigned m = 0; m < w->team->members; m++) all += w->job->parts[m].words[0];
    team_meet(w->team);
    if (all) W(count_wide)(w, w->counting, wide, n);
    team_meet(w->team);
}

/* Queries of several keys. False, for all members, if there is no room for the pairs of ranges. */
static bool W(answer_queries)(W(working) *w)
{
    batch_job *job = w->job;
    uint32_t n = job->request.n, ops = job->sizes.ops;
    W(ask)(w, ops);
    if (!job->offsets) return true;
    if (w->member == 0) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < n; i++) {
            job->offsets[i] = sum;
            if (job->request.kinds[i] == BATCH_RANGE) sum += job->request.counts[i];
        }
        job->offsets[n] = job->total = sum;
    }
    team_meet(w->team);
    if (!w->b.r.range_keys && !w->b.r.range_values) return true;
    if (job->total > job->capacity) {
        if (w->member == 0) job->status = PLEACH_E_SPACE;
        return false;
    }
    w->b.r.offsets = job->offsets;
    FOR_PART(w, op, ops) W(batch_fill_range)(&w->b, op);
    return true;
}

/* Everything but commit on one level. */
static void W(grow_level)(W(working) *w, uint32_t level)
{
    batch_level *l = &w->b.sizes->level[level];
    if (level > 0) {
        FOR_PART(w, i, l->edits) W(batch_locate)(&w->b, level, i);
        team_meet(w->team);
    }
    W(scan_sums)(w, level, l->edits);
    W(scan_new)(w, level, l->runs);
    if (w->member == 0) W(batch_close_plan)(&w->b, level, w->b.run_new[l->first_edit + l->runs - 1]);
    team_meet(w->team);
    FOR_PART(w, i, l->nodes) W(batch_build)(&w->b, level, i);
    team_meet(w->team);
}

static void W(change_tree)(W(working) *w)
{
    batch_sizes *s = w->b.sizes;
    uint32_t levels = 0;
    while (s->level[levels].edits > 0) W(grow_level)(w, levels++);
    if (s->full) {
        FOR_PART(w, i, W(batch_all_nodes)(&w->b)) W(batch_forget)(&w->b, i);
        if (w->member == 0) w->job->status = PLEACH_E_FULL;
        return;
    }
    for (uint32_t level = 0; level < levels; level++)
        FOR_PART(w, i, s->level[level].runs) {
            if (i + RUNS_AHEAD < n_) W(prefetch_node)(w->b.map, W(node_of_run)(&w->b, level, i + RUNS_AHEAD));
            W(batch_commit)(&w->b, level, i);
        }
    if (w->member == 0) W(batch_end)(&w->b);
}

static void W(find_edits)(W(working) *w)
{
    uint32_t n = w->b.sizes->ops, keys;
    W(scan_links)(w, 0, n);
    keys = w->b.sizes->keys;
    W(look)(w, W(own_stretch)(w, keys));
    team_meet(w->team);
    FOR_PART(w, op, n) W(batch_answer)(&w->b, op);
    W(scan_changed)(w, 0, keys);
}

static void W(list)(W(working) *w)
{
    uint32_t n = w->job->request.n;
    FOR_PART(w, i, n) W(batch_mark)(&w->b, i);
    team_meet(w->team);
    W(scan_listed)(w, 0, n);
}

/* A stage has ended. */
static void W(note_time)(W(working) *w, double *stage)
{
    struct timespec clock;
    if (w->member > 0 || !w->job->times) return;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    double now = (double)clock.tv_sec + 1e-9 * (double)clock.tv_nsec;
    if (stage) *stage = now - w->since;
    w->since = now;
}

static void W(work)(void *context, team *team, unsigned member)
{
    pleach_batch_times unused, *times = ((batch_job *)context)->times;
    if (!times) times = &unused;
    W(working) w = {.job = context, .team = team, .member = member};
    W(sort_side) side[2];
    w.b.r = w.job->request;
    w.b.map.tree = w.job->place.tree;
    w.b.map.nodes = w.job->place.nodes;
    w.b.map.stripe = 0;
    w.b.sizes = &w.job->sizes;
    W(lay_out)(&w, side, w.job->scratch, w.job->request.n, w.job->used_ids);
    W(note_time)(&w, NULL);
    uint32_t seen = W(survey)(&w);
    if ((seen & BATCH_HAS_WRONG) || ((seen & BATCH_HAS_VALUES) && !w.job->request.values)) {
        if (member == 0) w.job->status = PLEACH_E_ARGUMENT;
        return;
    }
    W(list)(&w);
    W(note_time)(&w, &times->list);
    W(read)(&w, W(own_stretch)(&w, w.job->request.n));
    W(note_time)(&w, &times->read);
    unsigned sorted = W(sort_operations)(w.job, team, member, side);
    w.b.op_key = side[sorted].key;
    w.b.op_function = side[sorted].function;
    W(note_time)(&w, &times->sort);
    if (w.b.sizes->ops) W(find_edits)(&w);
    W(note_time)(&w, &times->search);
    if (((seen & BATCH_HAS_QUERIES) || w.job->offsets) && !W(answer_queries)(&w)) return;
    team_meet(team); /* nobody asks the old map any more */
    W(note_time)(&w, &times->query);
    W(change_tree)(&w);
    W(note_time)(&w, &times->modify);
}

const batch_run_ops RUN_NAME = {W(scratch_bytes), W(work)};
