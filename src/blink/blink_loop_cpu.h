/* blink/blink_loop_cpu.h - one thread interleaves many operations: while one waits for its next node to arrive from
 * memory, the others take their steps. Included after their algorithms by blink_cpu.c, by versioned/versioned_cpu.c for
 * maps with versions, and by skiplist/skiplist_cpu.c for skiplists. RUN_TABLE is the name of the table defined here,
 * without the instruction set. */
#include <string.h>

#include "../level/level_thread.h"
#include "blink_build.h"
#include "blink_cpu.h"
#include "blink_cut.h"

#if defined(PLEACH_NODE_ISA_avx512)
#define ISA_NAME(name) name##_avx512
#elif defined(PLEACH_NODE_ISA_avx2)
#define ISA_NAME(name) name##_avx2
#elif defined(PLEACH_NODE_ISA_x86) /* the simulator's */
#define ISA_NAME(name) name##_sim_x86
#elif defined(PLEACH_SIM)
#define ISA_NAME(name) name##_sim_plain
#else
#define ISA_NAME(name) name##_plain
#endif
#define RUN_NAME2(name) ISA_NAME(name)
#define RUN_NAME RUN_NAME2(RUN_TABLE)
#ifdef BLINK_VERSIONED
#define RUN_UPDATE run_keeping
#define RUN_RANGE run_at_instant
#else
#define RUN_UPDATE run_update
#define RUN_RANGE run_range
#endif

enum {
    INTERLEAVE = 32, /* operations interleaved by one thread; see docs/performance.md */
    SCAN_SLOTS = 16, /* announcements scanned by a call when it leaves */
    STAY = 256       /* operations per critical section of a thread in a skiplist */
};

#include "blink_prefetch.h"

#ifdef BLINK_SKIPLIST
/* The work that an update may leave. */
typedef restructure_op rest_op;
#else
typedef post_op rest_op;
#endif

/* An update, followed by the work that it leaves. */
typedef struct inflight_update {
    update_op op;
    rest_op rest;
    bool resting;
} inflight_update;

/* A range, and the number of leaves it has read. */
typedef struct inflight_range {
#ifdef BLINK_VERSIONED
    snapshot_range_op past;
#else
    range_op range;
#endif
    uint32_t leaves;
} inflight_range;

/* One operation in flight, of the kind that the request has. */
typedef struct inflight_op {
    size_t element;
    union {
        find_op find;
        inflight_update update;
        seek_op seek;
#ifdef BLINK_VERSIONED
        snapshot_seek_op snapshot_seek;
#endif
        inflight_range ranging;
    };
} inflight_op;

static inline map_key key_at(const void *array, size_t i) { return ((const map_key *)array)[i]; }
static inline void set_key(void *array, size_t i, map_key value)
{
    if (array) ((map_key *)array)[i] = value;
}

/* ---- per kind: start (returns false if the element needs no work), step, node needed next, finish ---- */

static inline bool start_find(map_thread map, inflight_op *f, const request *r)
{
    find_start(map, &f->find, key_at(r->keys, f->element));
    return true;
}

static inline level_step step_find(map_thread map, inflight_op *f) { return find_step(map, &f->find); }
static inline uint32_t next_node_of_find(const inflight_op *f) { return f->find.cursor.node; }

static inline void finish_find(inflight_op *f, const request *r, run_result *result)
{
    (void)result;
    if (f->find.found) set_key(r->out_values, f->element, f->find.value);
    if (r->flags) r->flags[f->element] = f->find.found;
}

static inline bool start_update(map_thread map, inflight_op *f, const request *r)
{
    op_kind kind = r->kind;
    map_key value = kind == OP_ERASE ? 0 : key_at(r->values, f->element);
    f->update.resting = false;
    update_start(map, &f->update.op, kind, key_at(r->keys, f->element), value);
    return true;
}

static inline level_step step_update(map_thread map, inflight_op *f)
{
    inflight_update *u = &f->update;
#ifdef BLINK_SKIPLIST
    if (u->resting) return restructure_step(map, &u->rest);
    level_step step = update_step(map, &u->op);
    if (step != STEP_RESTRUCTURE) return step;
    restructure_start(map, &u->rest, &u->op);
#else
    if (u->resting) return post_step(map, &u->rest);
    level_step step = update_step(map, &u->op);
#ifdef BLINK_VERSIONED
    if (step == STEP_COPY) step = update_keeping(map, &u->op);
#endif
    if (step != STEP_SPLIT) return step;
    post_start(map, &u->rest, u->op.separator, 1, u->op.cursor.parent);
#endif
    u->resting = true;
    return STEP_MOVED;
}

static inline uint32_t next_node_of_update(const inflight_op *f)
{
    return f->update.resting ? f->update.rest.cursor.node : f->update.op.cursor.node;
}

static inline void finish_update(inflight_op *f, const request *r, run_result *result)
{
    pleach_outcome outcome = f->update.op.outcome;
    result->size_change += (outcome == PLEACH_INSERTED) - (outcome == PLEACH_ERASED);
    result->not_applied += outcome == PLEACH_NOT_APPLIED;
    if (outcome == PLEACH_REPLACED || outcome == PLEACH_EXISTS || outcome == PLEACH_ERASED)
        set_key(r->out_values, f->element, f->update.op.old);
    if (r->flags) r->flags[f->element] = (uint8_t)outcome;
}

static inline bool seeks_up(const request *r) { return r->kind == OP_SUCC || r->kind == OP_CEILING; }

/* Stores the key to seek from, inclusive. Returns false if there is none. */
static inline bool seek_from(const inflight_op *f, const request *r, map_key *from)
{
    map_key key = key_at(r->keys, f->element);
    bool up = seeks_up(r), strict = r->kind == OP_SUCC || r->kind == OP_PRED;
    if (strict && key == (up ? KEY_MAX : 0)) {
        if (r->flags) r->flags[f->element] = 0;
        return false;
    }
    *from = strict ? (up ? key + 1 : key - 1) : key;
    return true;
}

static inline void report_nearest(size_t element, const request *r, bool found, map_pair answer)
{
    if (found) {
        set_key(r->out_keys, element, answer.key);
        set_key(r->out_values, element, answer.value);
    }
    if (r->flags) r->flags[element] = found;
}

static inline bool start_seek(map_thread map, inflight_op *f, const request *r)
{
    map_key from;
    if (!seek_from(f, r, &from)) return false;
    seek_start(map, &f->seek, from, seeks_up(r));
    return true;
}

static inline level_step step_seek(map_thread map, inflight_op *f) { return seek_step(map, &f->seek); }
static inline uint32_t next_node_of_seek(const inflight_op *f) { return f->seek.cursor.node; }

static inline void finish_seek(inflight_op *f, const request *r, run_result *result)
{
    (void)result;
    report_nearest(f->element, r, f->seek.found, f->seek.answer);
}

static inline void report_count(size_t element, const request *r, uint64_t count)
{
    if (r->counts) r->counts[element] = (uint32_t)count;
    if (r->long_counts) r->long_counts[element] = count;
}

static inline bool begin_range(map_thread map, range_op *range, size_t element, const request *r)
{
    map_key low = key_at(r->keys, element), high = key_at(r->values, element);
    uint64_t limit = r->limit ? r->limit : UINT64_MAX;
    uint64_t place = element * (uint64_t)r->limit, room = limit;
    if (r->offsets) {
        place = r->offsets[element];
        room = r->offsets[element + 1] - place;
    }
    if (low > high) {
        report_count(element, r, 0);
        return false;
    }
    map_key *keys = r->out_keys ? (map_key *)r->out_keys + place : NULL;
    map_key *values = r->out_values ? (map_key *)r->out_values + place : NULL;
    range_start(map, range, low, high, limit, room, keys, values);
    return true;
}

/* The more queries a call has handed back, the longer one must be to be worth one of the few remaining entries. */
static uint64_t leaves_before(uint64_t handed_back)
{
    if (handed_back < LONG_MOST / 2) return LONG_LEAVES;
    return (uint64_t)LONG_LEAVES << (2 + (handed_back - LONG_MOST / 2) / (LONG_MOST / 8) * 2);
}

/* Called between two leaves of a range. Returns true if the range was handed back here, to be divided. */
PORT_COLD bool hand_back(const inflight_op *f, range_op *range, run_result *result)
{
    long_list *longs = result->longs;
    if (!longs) return false;
    uint64_t used = port_load(&longs->used);
    if (used >= LONG_MOST || f->ranging.leaves < leaves_before(used)) return false;
    used = port_fetch_add(&longs->used, 1);
    if (used >= LONG_MOST) return false;
    long_query *left = &longs->query[used];
    left->element = f->element;
    left->count = range->count;
    left->leaves = f->ranging.leaves;
    memcpy(left->next, &range->cursor.target, sizeof range->cursor.target);
    sink_close(&range->sink, range->count < range->room ? range->count : range->room);
    return true;
}

/* Called after a step at a leaf. Returns REFUSED if the loop must check whether to hand the range back; otherwise, and
 * if it is not handed back, the range continues. */
static inline level_step after_leaf(inflight_op *f, level_step step)
{
    return step == STEP_MOVED && ++f->ranging.leaves % LONG_LEAVES == 0 ? STEP_REFUSED : step;
}

#ifndef BLINK_VERSIONED
static inline bool start_range(map_thread map, inflight_op *f, const request *r)
{
    f->ranging.leaves = 0;
    return begin_range(map, &f->ranging.range, f->element, r);
}

static inline level_step step_range(map_thread map, inflight_op *f)
{
    if (f->ranging.range.cursor.level > 0) return cursor_descend(map, &f->ranging.range.cursor);
    return after_leaf(f, range_leaf(map, &f->ranging.range));
}

static inline uint32_t next_node_of_range(const inflight_op *f) { return f->ranging.range.cursor.node; }

static inline void finish_range(inflight_op *f, const request *r, run_result *result)
{
    (void)result;
    report_count(f->element, r, f->ranging.range.count);
}
#else
/* ---- the same at a snapshot. A find is a seek that must hit; ranges are always at a snapshot. ---- */

static inline bool start_snapshot_seek(map_thread map, inflight_op *f, const request *r)
{
    map_key from = key_at(r->keys, f->element);
    if (r->kind != OP_FIND && !seek_from(f, r, &from)) return false;
    snapshot_seek_start(map, &f->snapshot_seek, *r->at, from, r->kind == OP_FIND || seeks_up(r));
    f->snapshot_seek.exact = r->kind == OP_FIND;
    return true;
}

static inline level_step step_snapshot_seek(map_thread map, inflight_op *f)
{
    return snapshot_seek_step(map, &f->snapshot_seek);
}

static inline uint32_t next_node_of_snapshot_seek(const inflight_op *f) { return f->snapshot_seek.cursor.node; }

static inline void finish_snapshot_seek(inflight_op *f, const request *r, run_result *result)
{
    (void)result;
    report_nearest(f->element, r, f->snapshot_seek.found, f->snapshot_seek.answer);
}

static inline bool start_snapshot_range(map_thread map, inflight_op *f, const request *r)
{
    f->ranging.leaves = 0;
    f->ranging.past.at = *r->at;
    return begin_range(map, &f->ranging.past.range, f->element, r);
}

static inline level_step step_snapshot_range(map_thread map, inflight_op *f)
{
    range_op *range = &f->ranging.past.range;
    if (range->cursor.level > 0) return cursor_descend(map, &range->cursor);
    return after_leaf(f, snapshot_range_step(map, &f->ranging.past));
}
static inline uint32_t next_node_of_snapshot_range(const inflight_op *f) { return f->ranging.past.range.cursor.node; }

static inline void finish_snapshot_range(inflight_op *f, const request *r, run_result *result)
{
    (void)result;
    report_count(f->element, r, f->ranging.past.range.count);
}
#endif

/* ---- the loop ---- */

/* Progress: an operation that returns AGAIN waits for a latch holder. This is never another operation of this thread,
 * because a step releases what it latched. The thread pauses only if no operation in flight has moved. `hands_back` is
 * evaluated after a step that was REFUSED: true ends the operation as DONE does. */
#define DEFINE_RUN(kind, hands_back)                                                                             \
    static void run_##kind(map_thread map, const request *r, size_t begin, size_t end, run_result *result)       \
    {                                                                                                            \
        inflight_op flight[INTERLEAVE];                                                                          \
        unsigned flying = 0, stuck_rounds = 0;                                                                   \
        size_t next = begin;                                                                                     \
        while (flying < INTERLEAVE && next < end) {                                                              \
            flight[flying].element = next++;                                                                     \
            flying += start_##kind(map, &flight[flying], r);                                                     \
        }                                                                                                        \
        while (flying > 0) {                                                                                     \
            bool moved = false;                                                                                  \
            for (unsigned i = 0; i < flying;) {                                                                  \
                inflight_op *f = &flight[i];                                                                     \
                level_step step = step_##kind(map, f);                                                           \
                moved |= step != STEP_AGAIN;                                                                     \
                if (step == STEP_MOVED) prefetch_node(map, next_node_of_##kind(f));                              \
                if (step != STEP_DONE && !(step == STEP_REFUSED && hands_back)) {                                \
                    i++;                                                                                         \
                    continue;                                                                                    \
                }                                                                                                \
                finish_##kind(f, r, result);                                                                     \
                bool started = false;                                                                            \
                while (!started && next < end) {                                                                 \
                    f->element = next++;                                                                         \
                    started = start_##kind(map, f, r);                                                           \
                }                                                                                                \
                if (started)                                                                                     \
                    i++;                                                                                         \
                else                                                                                             \
                    *f = flight[--flying];                                                                       \
            }                                                                                                    \
            stuck_rounds = moved ? 0 : stuck_rounds + 1;                                                         \
            if (!moved) port_pause(stuck_rounds);                                                                \
        }                                                                                                        \
    }

DEFINE_RUN(find, false)
DEFINE_RUN(update, false)
DEFINE_RUN(seek, false)

#ifndef BLINK_VERSIONED
DEFINE_RUN(range, hand_back(f, &f->ranging.range, result))
#else
DEFINE_RUN(snapshot_seek, false)
DEFINE_RUN(snapshot_range, hand_back(f, &f->ranging.past.range, result))

static void run_at_snapshot(map_thread map, const request *r, size_t begin, size_t end, run_result *result)
{
    if (r->kind == OP_RANGE || r->kind == OP_COUNT)
        run_snapshot_range(map, r, begin, end, result);
    else
        run_snapshot_seek(map, r, begin, end, result);
}

static void run_return(map_ref ref, unsigned stripe) { return_all(map_thread_of(&ref, stripe)); }

/* Updates preserve versions: with a bag for them, if there are likely to be some. */
static void run_keeping(map_thread map, const request *r, size_t begin, size_t end, run_result *result)
{
    epoch_participant agent;
    version_writer_begin(map.versions, &agent, 1, map.stripe);
    map.agent = &agent;
    run_update(map, r, begin, end, result);
    version_writer_end(map.versions, &agent, map.stripe);
}

/* Ranges of the newest version see one instant: that of a snapshot which lasts for this part of the call. */
static void run_at_instant(map_thread map, const request *r, size_t begin, size_t end, run_result *result)
{
    epoch_participant agent;
    request at_instant = *r;
    uint64_t at = version_snapshot_begin(map.versions, &agent, 1, map.stripe);
    at_instant.at = &at;
    run_snapshot_range(map, &at_instant, begin, end, result);
    version_snapshot_end(map.versions, &agent, at, 1, SCAN_SLOTS);
}
#endif

/* ---- one operation by itself ---- */

/* Progress: as in the loop above. Returns the number of steps in a row that have found something in the way. */
static inline unsigned after_step(map_thread map, level_step step, uint32_t next, unsigned attempts)
{
    if (step == STEP_MOVED) {
        prefetch_node(map, next);
        return 0;
    }
    port_pause(++attempts);
    return attempts;
}

static void find_one(map_thread map, map_key key, single_result *result)
{
    find_op find;
    level_step step;
    unsigned attempts = 0;
    find_start(map, &find, key);
    while ((step = find_step(map, &find)) != STEP_DONE) attempts = after_step(map, step, find.cursor.node, attempts);
    result->flag = find.found;
    if (find.found) result->value = find.value;
}

static void seek_one(map_thread map, op_kind kind, map_key key, single_result *result)
{
    const bool up = kind == OP_SUCC || kind == OP_CEILING, strict = kind == OP_SUCC || kind == OP_PRED;
    result->flag = 0;
    if (strict && key == (up ? KEY_MAX : 0)) return;
    seek_op seek;
    level_step step;
    unsigned attempts = 0;
    seek_start(map, &seek, strict ? (up ? key + 1 : key - 1) : key, up);
    seek.answer = (map_pair){0, 0}; /* for compilers that do not see that it is set if a key is found */
    while ((step = seek_step(map, &seek)) != STEP_DONE) attempts = after_step(map, step, seek.cursor.node, attempts);
    result->flag = seek.found;
    if (!seek.found) return;
    result->key = seek.answer.key;
    result->value = seek.answer.value;
}

/* Returns DONE, or what the update leaves to do on the levels above. */
static inline level_step update_leaf_blocking(map_thread map, update_op *op)
{
    for (unsigned attempts = 0;;) { /* ends: blink.h, skiplist.h, PROGRESS */
        level_step step = update_step(map, op);
#ifdef BLINK_VERSIONED
        if (step == STEP_COPY) step = update_keeping(map, op);
#endif
        if (step != STEP_MOVED && step != STEP_AGAIN) return step;
        attempts = after_step(map, step, op->cursor.node, attempts);
    }
}

PORT_COLD void update_levels_above(map_thread map, update_op *op)
{
    rest_op rest = {0};
    level_step step;
    unsigned attempts = 0;
#ifdef BLINK_SKIPLIST
    restructure_start(map, &rest, op);
    while ((step = restructure_step(map, &rest)) != STEP_DONE)
#else
    post_start(map, &rest, op->separator, 1, op->cursor.parent);
    while ((step = post_step(map, &rest)) != STEP_DONE)
#endif
        attempts = after_step(map, step, rest.cursor.node, attempts);
}

static int update_one(map_thread map, op_kind kind, map_key key, map_key value, single_result *result)
{
    update_op op;
    update_start(map, &op, kind, key, value);
    if (update_leaf_blocking(map, &op) != STEP_DONE) update_levels_above(map, &op);
    result->flag = (uint8_t)op.outcome;
    if (op.outcome == PLEACH_REPLACED || op.outcome == PLEACH_EXISTS || op.outcome == PLEACH_ERASED)
        result->value = op.old;
    return (op.outcome == PLEACH_INSERTED) - (op.outcome == PLEACH_ERASED);
}

static void run_kind(map_thread map, const request *r, size_t begin, size_t end, run_result *result)
{
#ifdef BLINK_VERSIONED
    if (r->at) {
        run_at_snapshot(map, r, begin, end, result);
        return;
    }
#endif
    switch (r->kind) {
    case OP_PUT:
    case OP_ADD:
    case OP_ERASE: RUN_UPDATE(map, r, begin, end, result); break;
    case OP_FIND:
    case OP_CONTAINS: run_find(map, r, begin, end, result); break;
    case OP_SUCC:
    case OP_PRED:
    case OP_CEILING:
    case OP_FLOOR: run_seek(map, r, begin, end, result); break;
    case OP_RANGE:
    case OP_COUNT: RUN_RANGE(map, r, begin, end, result); break;
    }
}

#ifdef BLINK_SKIPLIST
static void run_request(map_ref ref, unsigned stripe, const request *r, size_t begin, size_t end,
                        run_result *result)
{
    map_thread map = map_thread_of(&ref, stripe);
    skiplist_ref at = skiplist_of(&ref, sizeof(map_node));
    epoch_participant agent;
    skiplist_register(&at, &agent, 1, stripe);
    map.agent = &agent;
    for (; begin < end; begin += STAY) {
        skiplist_begin(&at, &agent);
        run_kind(map, r, begin, end - begin < STAY ? end : begin + STAY, result);
        skiplist_end(&at, &agent);
    }
    skiplist_unregister(&at, &agent);
}

/* Returns all free chunks, wherever participants have left them. The caller must have exclusive access to the map. */
static void run_return(map_ref ref, unsigned stripe)
{
    skiplist_ref at = skiplist_of(&ref, sizeof(map_node));
    epoch_participant agent;
    for (unsigned i = 0; i < 4; i++) { /* the rest of another participant's scan, and two ticks of the clock */
        epoch_participant_begin(&agent, 1);
        epoch_scan(at.epoch, &agent, EPOCH_ALL, true);
    }
    uint64_t claimed = port_load(&at.epoch.state->claimed);
    for (uint32_t slot = 0; slot < claimed; slot++) {
        skiplist_register(&at, &agent, 1, slot);
        skiplist_return(&at, &agent);
        skiplist_unregister(&at, &agent);
    }
    (void)stripe;
}
#else
static void run_request(map_ref ref, unsigned stripe, const request *r, size_t begin, size_t end,
                        run_result *result)
{
    run_kind(map_thread_of(&ref, stripe), r, begin, end, result);
}
#endif

/* What surrounds an operation by itself: it is inside a skiplist, or may retire versions of a versioned map. */
typedef struct single_scope {
#if defined(BLINK_SKIPLIST) || defined(BLINK_VERSIONED)
    epoch_participant agent;
#endif
#ifdef BLINK_SKIPLIST
    skiplist_ref list;
#endif
    bool entered;
} single_scope;

static inline void scope_begin(single_scope *scope, map_thread *map, const map_ref *ref, op_kind kind)
{
    (void)map, (void)ref, (void)kind;
    scope->entered = false;
#if defined(BLINK_SKIPLIST)
    scope->list = skiplist_of(ref, sizeof(map_node));
    skiplist_register(&scope->list, &scope->agent, 1, map->stripe);
    map->agent = &scope->agent;
    skiplist_begin(&scope->list, &scope->agent);
#elif defined(BLINK_VERSIONED)
    scope->entered = op_is_update(kind);
    if (!scope->entered) return;
    version_writer_begin(map->versions, &scope->agent, 1, map->stripe);
    map->agent = &scope->agent;
#endif
}

static inline void scope_end(single_scope *scope, const map_thread *map)
{
    (void)scope, (void)map;
#if defined(BLINK_SKIPLIST)
    skiplist_end(&scope->list, &scope->agent);
    skiplist_unregister(&scope->list, &scope->agent);
#elif defined(BLINK_VERSIONED)
    if (scope->entered) version_writer_end(map->versions, &scope->agent, map->stripe);
#endif
}

static int run_single(map_ref ref, unsigned stripe, op_kind kind, key128 key, key128 value, single_result *result)
{
    map_thread map = map_thread_of(&ref, stripe);
    single_scope scope;
    int change = 0;
    scope_begin(&scope, &map, &ref, kind);
    switch (kind) {
    case OP_PUT:
    case OP_ADD:
    case OP_ERASE: change = update_one(map, kind, (map_key)key, (map_key)value, result); break;
    case OP_FIND:
    case OP_CONTAINS: find_one(map, (map_key)key, result); break;
    case OP_SUCC:
    case OP_PRED:
    case OP_CEILING:
    case OP_FLOOR: seek_one(map, kind, (map_key)key, result); break;
    case OP_RANGE:
    case OP_COUNT: break; /* ranges are array calls */
    }
    scope_end(&scope, &map);
    return change;
}

/* ---- dividing a long interval ---- */

enum { CUT_LEAVES = 256 }; /* minimum for a part: about the cost of waking a thread */

/* Cuts off what lies beyond `most` leaves first. */
static uint32_t cut_parts(map_thread map, long_cut *cut, map_key *lows, map_key *highs)
{
    map_key low = *(const map_key *)cut->low, high = *(const map_key *)cut->high, end = high;
    uint64_t leaves = cut_leaves(map, low, high);
    if (cut->most < leaves) {
        map_key beyond = cut_at(map, low, high, (uint32_t)(cut->most * 0x1p32 / leaves));
        if (beyond > low) end = beyond - 1;
        leaves = cut->most;
    }
    uint64_t parts = leaves / CUT_LEAVES < cut->parts ? leaves / CUT_LEAVES : cut->parts;
    uint32_t n = 0;
    lows[0] = low;
    for (uint32_t part = 1; part < parts; part++) {
        map_key next = cut_at(map, low, end, cut_share(part, (uint32_t)parts));
        if (next <= lows[n]) continue; /* duplicates the previous cut */
        highs[n++] = next - 1;
        lows[n] = next;
    }
    highs[n++] = end;
    cut->rest = end < high;
    if (cut->rest) {
        lows[n] = end + 1;
        highs[n++] = high;
    }
    return n;
}

static uint32_t run_cut(map_ref ref, unsigned stripe, long_cut *cut, void *lows, void *highs)
{
    map_thread map = map_thread_of(&ref, stripe);
    single_scope scope;
    scope_begin(&scope, &map, &ref, OP_COUNT);
    uint32_t parts = cut_parts(map, cut, lows, highs);
    scope_end(&scope, &map);
    return parts;
}

static void run_build(const build_plan *plan, void *nodes, const void *keys, const void *values, uint32_t level,
                      size_t begin, size_t end)
{
    for (size_t index = begin; index < end; index++)
        for (unsigned slot = 0; slot < NODE_SLOTS; slot++)
            build_slot(plan, nodes, keys, values, level, index, slot);
}

/* Returns the position of a leaf's pair among its pairs in ascending order. */
static unsigned export_rank(const map_node *leaf, unsigned count, unsigned i, map_key key)
{
#ifdef BLINK_SKIPLIST
    (void)i;
    return slots_rank(leaf, count, key);
#else
    (void)leaf, (void)count, (void)key;
    return i;
#endif
}

static void run_export(map_ref ref, void *out_keys, void *out_values)
{
    map_thread map = map_thread_of(&ref, 0);
    level_cursor cursor;
    cursor_start(map, &cursor, 0);
    while (cursor.level > 0) cursor_descend(map, &cursor);
    size_t written = 0;
    for (uint32_t id = cursor.node; id != NODE_NONE;) {
        const map_node *leaf = node_at(map, id);
        map_pair link = pair_load(leaf, NODE_LINK_SLOT);
        id = pair_is_link(link) ? pair_node(link) : NODE_NONE;
        if (id != NODE_NONE) prefetch_node(map, id);
        unsigned count = header_count(header_load(leaf));
        for (unsigned i = 0; i < count; i++) {
            map_pair pair = pair_load(leaf, i);
            size_t place_of_pair = written + export_rank(leaf, count, i, pair.key);
            set_key(out_keys, place_of_pair, pair.key);
            set_key(out_values, place_of_pair, pair.value);
        }
        written += count;
    }
}

#if defined(BLINK_VERSIONED) || defined(BLINK_SKIPLIST)
const blink_run_ops RUN_NAME = {run_request, run_single, run_build, run_cut, run_export, run_return};
#else
const blink_run_ops RUN_NAME = {run_request, run_single, run_build, run_cut, run_export, NULL};
#endif
