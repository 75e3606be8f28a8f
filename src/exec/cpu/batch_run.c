/* exec/cpu/batch_run.c - the stages of a batch (batch/batch.h), by a team of threads. Compiled once per key width
 * (PLEACH_KEY_BITS) and instruction set (PLEACH_NODE_ISA_...). */
#include "batch_run.h"

#include <string.h>

#include "../../core/blink/blink.h"

#include "../../batch/batch.h"

#define JOIN_(a, b, c) a##b##_##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#if defined(PLEACH_NODE_ISA_avx512)
#define RUN_NAME JOIN(batch_run, PLEACH_KEY_BITS, avx512)
#elif defined(PLEACH_NODE_ISA_avx2)
#define RUN_NAME JOIN(batch_run, PLEACH_KEY_BITS, avx2)
#else
#define RUN_NAME JOIN(batch_run, PLEACH_KEY_BITS, plain)
#endif

#include "batch_sort.h"

/* A member's view of the job. */
typedef struct W(working) {
    batch_job *job;
    team *team;
    unsigned member;
    W(batch) b;
} W(working);

/* ---- memory ---- */

/* Each level has no more edits than the one below it, and few maps have more than ten levels. What a level does not
 * need is address space only. */
enum { LEVELS_OF_EDITS = 12 };

static void *W(carve)(char **scratch, size_t count, size_t size)
{
    void *piece = *scratch;
    *scratch += (count * size + 63) / 64 * 64;
    return piece;
}

/* Answers how much memory it is. */
static size_t W(lay_out)(W(batch) *b, W(sort_side) side[2], char *scratch, size_t n)
{
    char *at = scratch;
    size_t edits = LEVELS_OF_EDITS * n + BATCH_LEVELS;
    for (unsigned s = 0; s < 2; s++) {
        side[s].key = W(carve)(&at, n, sizeof(W(key)));
        side[s].function = W(carve)(&at, n, sizeof(uint32_t));
    }
    b->list_key = side[0].key;
    b->list_function = side[0].function;
    b->mark = W(carve)(&at, n, sizeof(uint32_t));
    b->filter_bits = batch_filter_bits((uint32_t)n);
    b->filter = W(carve)(&at, (size_t)1 << (b->filter_bits - 6), sizeof(uint64_t));
    b->op_link = W(carve)(&at, n, sizeof(batch_link));
    b->key_first = W(carve)(&at, n + 1, sizeof(uint32_t));
    b->key_node = W(carve)(&at, n, sizeof(uint32_t));
    b->key_value = W(carve)(&at, n, sizeof(W(key)));
    b->key_flags = W(carve)(&at, n, sizeof(uint8_t));
    b->edit_key = W(carve)(&at, edits, sizeof(W(key)));
    b->edit_value = W(carve)(&at, edits, sizeof(W(key)));
    b->edit_node = W(carve)(&at, edits, sizeof(uint32_t));
    b->edit_flags = W(carve)(&at, edits, sizeof(uint8_t));
    b->edit_sums = W(carve)(&at, edits, sizeof(batch_sums));
    b->run_first = W(carve)(&at, edits, sizeof(uint32_t));
    b->run_new = W(carve)(&at, edits, sizeof(uint32_t));
    b->edit_room = edits < UINT32_MAX ? (uint32_t)edits : UINT32_MAX;
    return (size_t)(at - scratch);
}

static size_t W(scratch_bytes)(uint32_t n)
{
    W(batch) b;
    W(sort_side) side[2];
    return W(lay_out)(&b, side, NULL, n);
}

/* ---- stages ---- */

#define FOR_PART(w, i, n)                                                                                        \
    for (uint32_t n_ = (n), i = part_begin((w)->team, (w)->member, n_),                                          \
                  end_ = part_begin((w)->team, (w)->member + 1, n_);                                             \
         i < end_; i++)

/* A scan by the team: each member adds up its part, meets the others, and goes through its part again from the sum of
 * the parts before. FIRST(b, level, i) is what belongs to i when it is first asked for, AGAIN the second time; STORE(b,
 * level, i, sum) takes all up to and with it. */
#define DEFINE_SCAN(name, type, zero, JOIN_TWO, FIRST, AGAIN, STORE)                                                  \
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

static inline batch_sums W(sums_join)(batch_sums a, batch_sums b)
{
    return (batch_sums){a.runs + b.runs, a.has + b.has, a.had + b.had};
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
DEFINE_SCAN(scan_sums, batch_sums, ZERO_SUMS, W(sums_join), W(batch_sums_of), W(batch_sums_of), W(batch_store_sums))
DEFINE_SCAN(scan_new, uint32_t, 0, ADD, W(batch_plan_run), W(batch_planned), W(batch_store_planned))

/* Some keys at a time go down the tree together, a level at a time, so that the memory works for all of them at once.
 * Nobody changes the tree meanwhile, so a step never has to be done again. */
enum { LOOKING = 32 };

static void W(find_all)(W(blink) map, W(find) *find, uint32_t n)
{
    uint32_t busy = n;
    uint64_t done = 0;
    while (busy) {
        for (uint32_t i = 0; i < n; i++) {
            if (done >> i & 1) continue;
            if (W(find_step)(map, &find[i]) == BLINK_DONE) {
                done |= (uint64_t)1 << i;
                busy--;
                continue;
            }
            const char *node = (const char *)W(node_at)(map, find[i].cursor.node);
            for (size_t line = 0; line < sizeof(W(node)); line += 64) port_prefetch(node + line);
        }
    }
}

static void W(look)(W(working) *w, uint32_t begin, uint32_t end)
{
    W(find) find[LOOKING];
    for (uint32_t from = begin; from < end; from += LOOKING) {
        uint32_t n = end - from < LOOKING ? end - from : LOOKING;
        for (uint32_t i = 0; i < n; i++) W(find_start)(w->b.map, &find[i], W(batch_key_at)(&w->b, from + i));
        W(find_all)(w->b.map, find, n);
        for (uint32_t i = 0; i < n; i++) W(batch_looked)(&w->b, from + i, &find[i]);
    }
}

/* The operations that are not listed. */
static void W(read)(W(working) *w, uint32_t begin, uint32_t end)
{
    W(find) find[LOOKING];
    uint32_t mark[LOOKING], n = 0;
    for (uint32_t at = begin; at < end || n > 0; at++) {
        if (at < end && !W(batch_is_listed)(&w->b, at)) {
            W(find_start)(w->b.map, &find[n], W(batch_argument)(&w->b, at));
            mark[n++] = w->b.mark[at];
        }
        if (n < LOOKING && at + 1 < end) continue;
        W(find_all)(w->b.map, find, n);
        for (uint32_t i = 0; i < n; i++) W(batch_answer_read)(&w->b, mark[i], &find[i]);
        n = 0;
    }
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

/* Queries of several keys. False, for all members, if there is no room for the pairs of ranges. */
static bool W(answer_queries)(W(working) *w)
{
    batch_job *job = w->job;
    uint32_t n = job->request.n, ops = job->sizes.ops;
    FOR_PART(w, op, ops) W(batch_query)(&w->b, op);
    team_meet(w->team);
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
        FOR_PART(w, i, s->level[level].runs) W(batch_commit)(&w->b, level, i);
    if (w->member == 0) W(batch_end)(&w->b);
}

static void W(find_edits)(W(working) *w)
{
    uint32_t n = w->b.sizes->ops, keys;
    W(scan_links)(w, 0, n);
    keys = w->b.sizes->keys;
    W(look)(w, part_begin(w->team, w->member, keys), part_begin(w->team, w->member + 1, keys));
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
    W(read)(w, part_begin(w->team, w->member, n), part_begin(w->team, w->member + 1, n));
}

static void W(work)(void *context, team *team, unsigned member)
{
    W(working) w = {.job = context, .team = team, .member = member};
    W(sort_side) side[2];
    w.b.r = w.job->request;
    w.b.map.tree = w.job->place.tree;
    w.b.map.nodes = w.job->place.nodes;
    w.b.map.stripe = 0;
    w.b.sizes = &w.job->sizes;
    W(lay_out)(&w.b, side, w.job->scratch, w.job->request.n);
    uint32_t seen = W(survey)(&w);
    if ((seen & BATCH_HAS_WRONG) || ((seen & BATCH_HAS_VALUES) && !w.job->request.values)) {
        if (member == 0) w.job->status = PLEACH_E_ARGUMENT;
        return;
    }
    W(list)(&w);
    unsigned sorted = W(sort_operations)(w.job, team, member, side);
    w.b.op_key = side[sorted].key;
    w.b.op_function = side[sorted].function;
    if (w.b.sizes->ops) W(find_edits)(&w);
    if (((seen & BATCH_HAS_QUERIES) || w.job->offsets) && !W(answer_queries)(&w)) return;
    team_meet(team); /* nobody asks the old map any more */
    W(change_tree)(&w);
}

const batch_run_ops RUN_NAME = {W(scratch_bytes), W(work)};
