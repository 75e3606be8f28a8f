/* blink/blink_cpu.c - one thread works on many operations at once: while one waits for its next node to come from
 * memory, the others take their steps. Compiled once per key width and instruction set; versioned_cpu.c does so for
 * maps with versions, skiplist_cpu.c for skiplists, once per size of chunks. */
#include <string.h>

#if defined(RUN_VERSIONED)
#include "../versioned/versioned.h"
#elif defined(RUN_SKIPLIST)
#include "../skiplist/skiplist.h"
#include "../skiplist/skiplist_reclaim.h"
#else
#include "blink.h"
#endif
#include "blink_build.h"
#include "blink_cut.h"

#include "blink_cpu.h"

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
#ifdef RUN_VERSIONED
#define RUN_NAME RUN_NAME2(WIDTH_SYMBOL(versioned_run))
#define RUN_UPDATE W(run_keeping)
#define RUN_RANGE W(run_at_instant)
#elif defined(RUN_SKIPLIST)
#if PLEACH_NODE_SLOTS == 16
#define RUN_NAME RUN_NAME2(WIDTH_SYMBOL(skiplist16_run))
#else
#define RUN_NAME RUN_NAME2(WIDTH_SYMBOL(skiplist32_run))
#endif
#define RUN_UPDATE W(run_update)
#define RUN_RANGE W(run_range)
#else
#define RUN_NAME RUN_NAME2(WIDTH_SYMBOL(blink_run))
#define RUN_UPDATE W(run_update)
#define RUN_RANGE W(run_range)
#endif

_Static_assert(BLINK_NOT_APPLIED == (int)PLEACH_NOT_APPLIED && BLINK_INSERTED == (int)PLEACH_INSERTED &&
                   BLINK_REPLACED == (int)PLEACH_REPLACED && BLINK_EXISTS == (int)PLEACH_EXISTS &&
                   BLINK_ERASED == (int)PLEACH_ERASED && BLINK_ABSENT == (int)PLEACH_ABSENT,
               "blink_outcome and pleach_outcome are the same numbers");

enum {
    IN_FLIGHT = 32, /* operations interleaved by one thread; see docs/performance.md */
    SCAN_SLOTS = 16, /* of the announcements that a call looks at when it leaves */
    STAY = 256       /* operations that a thread stays in a skiplist for */
};

#include "blink_prefetch.h"

#ifdef RUN_SKIPLIST
/* What an update may leave to do. */
typedef W(tend) W(rest);
#else
typedef W(post) W(rest);
#endif

/* An update, and after it the rest of its work. */
typedef struct W(updating) {
    W(update) op;
    W(rest) rest;
    bool resting;
} W(updating);

/* A range, and how many leaves it has read. */
typedef struct W(ranging) {
#ifdef RUN_VERSIONED
    W(past_range) past;
#else
    W(range) range;
#endif
    uint32_t leaves;
} W(ranging);

/* One operation in flight, of whichever kind the request has. */
typedef struct W(flight) {
    size_t element;
    union {
        W(find) find;
        W(updating) update;
        W(seek) seek;
#ifdef RUN_VERSIONED
        W(past_seek) past_seek;
#endif
        W(ranging) ranging;
    };
} W(flight);

static inline W(blink) W(map_at)(const map_place *place, unsigned stripe)
{
    W(blink) map = {.tree = place->tree, .nodes = place->nodes, .stripe = stripe};
#ifdef RUN_VERSIONED
    map.versions = &place->versions;
#endif
#ifdef RUN_SKIPLIST
    map.raise = place->raise;
#endif
    return map;
}

static inline W(key) W(key_at)(const void *array, size_t i) { return ((const W(key) *)array)[i]; }
static inline void W(set_key)(void *array, size_t i, W(key) value)
{
    if (array) ((W(key) *)array)[i] = value;
}

/* ---- per kind: start (false: nothing to do for this element), step, the node wanted next, finish ---- */

static inline bool W(start_find)(W(blink) map, W(flight) *f, const request *r)
{
    W(find_start)(map, &f->find, W(key_at)(r->keys, f->element));
    return true;
}

static inline blink_step W(step_find)(W(blink) map, W(flight) *f) { return W(find_step)(map, &f->find); }
static inline uint32_t W(wanted_by_find)(const W(flight) *f) { return f->find.cursor.node; }

static inline void W(finish_find)(W(flight) *f, const request *r, run_result *result)
{
    (void)result;
    if (f->find.found) W(set_key)(r->out_values, f->element, f->find.value);
    if (r->flags) r->flags[f->element] = f->find.found;
}

static inline bool W(start_update)(W(blink) map, W(flight) *f, const request *r)
{
    blink_kind kind = r->kind == REQUEST_PUT ? BLINK_PUT : r->kind == REQUEST_ADD ? BLINK_ADD : BLINK_ERASE;
    W(key) value = kind == BLINK_ERASE ? 0 : W(key_at)(r->values, f->element);
    f->update.resting = false;
    W(update_start)(map, &f->update.op, kind, W(key_at)(r->keys, f->element), value);
    return true;
}

static inline blink_step W(step_update)(W(blink) map, W(flight) *f)
{
    W(updating) *u = &f->update;
#ifdef RUN_SKIPLIST
    if (u->resting) return W(tend_step)(map, &u->rest);
    blink_step step = W(update_step)(map, &u->op);
    if (step != BLINK_TEND) return step;
    W(tend_start)(map, &u->rest, &u->op);
#else
    if (u->resting) return W(post_step)(map, &u->rest);
    blink_step step = W(update_step)(map, &u->op);
#ifdef RUN_VERSIONED
    if (step == BLINK_KEEP) step = W(update_keeping)(map, &u->op);
#endif
    if (step != BLINK_SPLIT) return step;
    W(post_start)(map, &u->rest, u->op.separator, 1, u->op.cursor.parent);
#endif
    u->resting = true;
    return BLINK_MOVED;
}

static inline uint32_t W(wanted_by_update)(const W(flight) *f)
{
    return f->update.resting ? f->update.rest.cursor.node : f->update.op.cursor.node;
}

static inline void W(finish_update)(W(flight) *f, const request *r, run_result *result)
{
    blink_outcome outcome = f->update.op.outcome;
    result->size_change += (outcome == BLINK_INSERTED) - (outcome == BLINK_ERASED);
    result->not_applied += outcome == BLINK_NOT_APPLIED;
    if (outcome == BLINK_REPLACED || outcome == BLINK_EXISTS || outcome == BLINK_ERASED)
        W(set_key)(r->out_values, f->element, f->update.op.old);
    if (r->flags) r->flags[f->element] = (uint8_t)outcome;
}

static inline bool W(seeks_up)(const request *r) { return r->kind == REQUEST_SUCC || r->kind == REQUEST_CEILING; }

/* The key to seek from, itself included. False: there is none. */
static inline bool W(seek_from)(const W(flight) *f, const request *r, W(key) *from)
{
    W(key) key = W(key_at)(r->keys, f->element);
    bool up = W(seeks_up)(r), strict = r->kind == REQUEST_SUCC || r->kind == REQUEST_PRED;
    if (strict && key == (up ? KEY_MAX : 0)) {
        if (r->flags) r->flags[f->element] = 0;
        return false;
    }
    *from = strict ? (up ? key + 1 : key - 1) : key;
    return true;
}

static inline void W(report_nearest)(size_t element, const request *r, bool found, W(pair) answer)
{
    if (found) {
        W(set_key)(r->out_keys, element, answer.key);
        W(set_key)(r->out_values, element, answer.value);
    }
    if (r->flags) r->flags[element] = found;
}

static inline bool W(start_seek)(W(blink) map, W(flight) *f, const request *r)
{
    W(key) from;
    if (!W(seek_from)(f, r, &from)) return false;
    W(seek_start)(map, &f->seek, from, W(seeks_up)(r));
    return true;
}

static inline blink_step W(step_seek)(W(blink) map, W(flight) *f) { return W(seek_step)(map, &f->seek); }
static inline uint32_t W(wanted_by_seek)(const W(flight) *f) { return f->seek.cursor.node; }

static inline void W(finish_seek)(W(flight) *f, const request *r, run_result *result)
{
    (void)result;
    W(report_nearest)(f->element, r, f->seek.found, f->seek.answer);
}

static inline void W(report_count)(size_t element, const request *r, uint64_t count)
{
    if (r->counts) r->counts[element] = (uint32_t)count;
    if (r->long_counts) r->long_counts[element] = count;
}

static inline bool W(begin_range)(W(blink) map, W(range) *range, size_t element, const request *r)
{
    W(key) low = W(key_at)(r->keys, element), high = W(key_at)(r->values, element);
    uint64_t limit = r->limit ? r->limit : UINT64_MAX;
    uint64_t place = element * (uint64_t)r->limit, room = limit;
    if (r->offsets) {
        place = r->offsets[element];
        room = r->offsets[element + 1] - place;
    }
    if (low > high) {
        W(report_count)(element, r, 0);
        return false;
    }
    W(key) *keys = r->out_keys ? (W(key) *)r->out_keys + place : NULL;
    W(key) *values = r->out_values ? (W(key) *)r->out_values + place : NULL;
    W(range_start)(map, range, low, high, limit, room, keys, values);
    return true;
}

/* The more queries a call has handed back, the longer one must be to be worth the few places that are left. */
static uint64_t W(leaves_before)(uint64_t handed_back)
{
    if (handed_back < LONG_MOST / 2) return LONG_LEAVES;
    return (uint64_t)LONG_LEAVES << (2 + (handed_back - LONG_MOST / 2) / (LONG_MOST / 8) * 2);
}

/* Between two leaves of a range: may it be left here, to be divided? */
PORT_COLD bool W(hand_back)(const W(flight) *f, W(range) *range, run_result *result)
{
    long_list *longs = result->longs;
    if (!longs) return false;
    uint64_t used = port_load(&longs->used);
    if (used >= LONG_MOST || f->ranging.leaves < W(leaves_before)(used)) return false;
    used = port_fetch_add(&longs->used, 1);
    if (used >= LONG_MOST) return false;
    long_query *left = &longs->query[used];
    left->element = f->element;
    left->count = range->count;
    left->leaves = f->ranging.leaves;
    memcpy(left->next, &range->cursor.target, sizeof range->cursor.target);
    W(sink_close)(&range->sink, range->count < range->room ? range->count : range->room);
    return true;
}

/* After a step at a leaf. REFUSED: the loop is to ask whether the range may be handed back; else it goes on. */
static inline blink_step W(after_leaf)(W(flight) *f, blink_step step)
{
    return step == BLINK_MOVED && ++f->ranging.leaves % LONG_LEAVES == 0 ? BLINK_REFUSED : step;
}

#ifndef RUN_VERSIONED
static inline bool W(start_range)(W(blink) map, W(flight) *f, const request *r)
{
    f->ranging.leaves = 0;
    return W(begin_range)(map, &f->ranging.range, f->element, r);
}

static inline blink_step W(step_range)(W(blink) map, W(flight) *f)
{
    if (f->ranging.range.cursor.level > 0) return W(cursor_descend)(map, &f->ranging.range.cursor);
    return W(after_leaf)(f, W(range_leaf)(map, &f->ranging.range));
}

static inline uint32_t W(wanted_by_range)(const W(flight) *f) { return f->ranging.range.cursor.node; }

static inline void W(finish_range)(W(flight) *f, const request *r, run_result *result)
{
    (void)result;
    W(report_count)(f->element, r, f->ranging.range.count);
}
#else
/* ---- the same at a snapshot. A find there is a seek that must hit; ranges are always at one. ---- */

static inline bool W(start_past_seek)(W(blink) map, W(flight) *f, const request *r)
{
    W(key) from = W(key_at)(r->keys, f->element);
    if (r->kind != REQUEST_FIND && !W(seek_from)(f, r, &from)) return false;
    W(past_seek_start)(map, &f->past_seek, *r->at, from, r->kind == REQUEST_FIND || W(seeks_up)(r));
    f->past_seek.exact = r->kind == REQUEST_FIND;
    return true;
}

static inline blink_step W(step_past_seek)(W(blink) map, W(flight) *f) { return W(past_seek_step)(map, &f->past_seek); }
static inline uint32_t W(wanted_by_past_seek)(const W(flight) *f) { return f->past_seek.cursor.node; }

static inline void W(finish_past_seek)(W(flight) *f, const request *r, run_result *result)
{
    (void)result;
    W(report_nearest)(f->element, r, f->past_seek.found, f->past_seek.answer);
}

static inline bool W(start_past_range)(W(blink) map, W(flight) *f, const request *r)
{
    f->ranging.leaves = 0;
    f->ranging.past.at = *r->at;
    return W(begin_range)(map, &f->ranging.past.range, f->element, r);
}

static inline blink_step W(step_past_range)(W(blink) map, W(flight) *f)
{
    W(range) *range = &f->ranging.past.range;
    if (range->cursor.level > 0) return W(cursor_descend)(map, &range->cursor);
    return W(after_leaf)(f, W(past_range_step)(map, &f->ranging.past));
}
static inline uint32_t W(wanted_by_past_range)(const W(flight) *f) { return f->ranging.past.range.cursor.node; }

static inline void W(finish_past_range)(W(flight) *f, const request *r, run_result *result)
{
    (void)result;
    W(report_count)(f->element, r, f->ranging.past.range.count);
}
#endif

/* ---- the loop ---- */

/* Progress: a flight that answers AGAIN waits for a latch holder, which is never a flight of this thread, because a
 * step releases what it latched. Only when nobody in flight moved does the thread pause. `hands_back` is asked after a
 * step that was REFUSED: true ends the flight as DONE does. */
#define DEFINE_RUN(kind, hands_back)                                                                             \
    static void W(run_##kind)(W(blink) map, const request *r, size_t begin, size_t end, run_result *result)      \
    {                                                                                                            \
        W(flight) flight[IN_FLIGHT];                                                                             \
        unsigned flying = 0, stuck_rounds = 0;                                                                   \
        size_t next = begin;                                                                                     \
        while (flying < IN_FLIGHT && next < end) {                                                               \
            flight[flying].element = next++;                                                                     \
            flying += W(start_##kind)(map, &flight[flying], r);                                                  \
        }                                                                                                        \
        while (flying > 0) {                                                                                     \
            bool moved = false;                                                                                  \
            for (unsigned i = 0; i < flying;) {                                                                  \
                W(flight) *f = &flight[i];                                                                       \
                blink_step step = W(step_##kind)(map, f);                                                        \
                moved |= step != BLINK_AGAIN;                                                                    \
                if (step == BLINK_MOVED) W(prefetch_node)(map, W(wanted_by_##kind)(f));                             \
                if (step != BLINK_DONE && !(step == BLINK_REFUSED && hands_back)) {                              \
                    i++;                                                                                         \
                    continue;                                                                                    \
                }                                                                                                \
                W(finish_##kind)(f, r, result);                                                                  \
                bool started = false;                                                                            \
                while (!started && next < end) {                                                                 \
                    f->element = next++;                                                                         \
                    started = W(start_##kind)(map, f, r);                                                        \
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

#ifndef RUN_VERSIONED
DEFINE_RUN(range, W(hand_back)(f, &f->ranging.range, result))
#else
DEFINE_RUN(past_seek, false)
DEFINE_RUN(past_range, W(hand_back)(f, &f->ranging.past.range, result))

static void W(run_past)(W(blink) map, const request *r, size_t begin, size_t end, run_result *result)
{
    if (r->kind == REQUEST_RANGE || r->kind == REQUEST_COUNT)
        W(run_past_range)(map, r, begin, end, result);
    else
        W(run_past_seek)(map, r, begin, end, result);
}

static void W(run_return)(map_place place, unsigned stripe) { W(return_all)(W(map_at)(&place, stripe)); }

/* Updates keep images: with a bag for them, if it looks as if there will be some. */
static void W(run_keeping)(W(blink) map, const request *r, size_t begin, size_t end, run_result *result)
{
    epoch_agent agent;
    version_open(map.versions, &agent, 1, map.stripe);
    map.agent = &agent;
    W(run_update)(map, r, begin, end, result);
    version_close(map.versions, &agent, map.stripe);
}

/* Ranges at the newest see one instant: that of a snapshot which lasts for this part of the call. */
static void W(run_at_instant)(W(blink) map, const request *r, size_t begin, size_t end, run_result *result)
{
    epoch_agent agent;
    request at_instant = *r;
    uint64_t at = version_begin_instant(map.versions, &agent, 1, map.stripe);
    at_instant.at = &at;
    W(run_past_range)(map, &at_instant, begin, end, result);
    version_end_instant(map.versions, &agent, at, 1, SCAN_SLOTS);
}
#endif

static void W(run_kind)(W(blink) map, const request *r, size_t begin, size_t end, run_result *result)
{
#ifdef RUN_VERSIONED
    if (r->at) {
        W(run_past)(map, r, begin, end, result);
        return;
    }
#endif
    switch (r->kind) {
    case REQUEST_PUT:
    case REQUEST_ADD:
    case REQUEST_ERASE: RUN_UPDATE(map, r, begin, end, result); break;
    case REQUEST_FIND: W(run_find)(map, r, begin, end, result); break;
    case REQUEST_SUCC:
    case REQUEST_PRED:
    case REQUEST_CEILING:
    case REQUEST_FLOOR: W(run_seek)(map, r, begin, end, result); break;
    case REQUEST_RANGE:
    case REQUEST_COUNT: RUN_RANGE(map, r, begin, end, result); break;
    }
}

#ifdef RUN_SKIPLIST
static skiplist_place W(skiplist_at)(const map_place *place)
{
    return (skiplist_place){place->tree, place->nodes, place->versions.epoch, sizeof(W(node))};
}

static void W(run_request)(map_place place, unsigned stripe, const request *r, size_t begin, size_t end,
                           run_result *result)
{
    W(blink) map = W(map_at)(&place, stripe);
    skiplist_place at = W(skiplist_at)(&place);
    epoch_agent agent;
    skiplist_join(&at, &agent, 1, stripe);
    map.agent = &agent;
    for (; begin < end; begin += STAY) {
        skiplist_begin(&at, &agent);
        W(run_kind)(map, r, begin, end - begin < STAY ? end : begin + STAY, result);
        skiplist_end(&at, &agent);
    }
    skiplist_part(&at, &agent);
}

/* Everything that is free, wherever agents have left it. Alone in the map. */
static void W(run_return)(map_place place, unsigned stripe)
{
    skiplist_place at = W(skiplist_at)(&place);
    epoch_agent agent;
    for (unsigned i = 0; i < 4; i++) { /* the rest of a scan that others began, and two steps of the clock */
        epoch_agent_begin(&agent, 1);
        epoch_scan(at.epoch, &agent, EPOCH_ALL, true);
    }
    uint64_t claimed = port_load(&at.epoch.state->claimed);
    for (uint32_t slot = 0; slot < claimed; slot++) {
        skiplist_join(&at, &agent, 1, slot);
        skiplist_return(&at, &agent);
        skiplist_part(&at, &agent);
    }
    (void)stripe;
}
#else
static void W(run_request)(map_place place, unsigned stripe, const request *r, size_t begin, size_t end,
                           run_result *result)
{
    W(run_kind)(W(map_at)(&place, stripe), r, begin, end, result);
}
#endif

/* ---- dividing a long interval ---- */

enum { CUT_LEAVES = 256 }; /* of a part, at least: about what it costs to wake a thread */

/* What is beyond `most` leaves is cut off first. */
static uint32_t W(cut_parts)(W(blink) map, long_cut *cut, W(key) *lows, W(key) *highs)
{
    W(key) low = *(const W(key) *)cut->low, high = *(const W(key) *)cut->high, end = high;
    uint64_t leaves = W(cut_leaves)(map, low, high);
    if (cut->most < leaves) {
        W(key) beyond = W(cut_at)(map, low, high, (uint32_t)(cut->most * 0x1p32 / leaves));
        if (beyond > low) end = beyond - 1;
        leaves = cut->most;
    }
    uint64_t parts = leaves / CUT_LEAVES < cut->parts ? leaves / CUT_LEAVES : cut->parts;
    uint32_t n = 0;
    lows[0] = low;
    for (uint32_t part = 1; part < parts; part++) {
        W(key) next = W(cut_at)(map, low, end, W(cut_share)(part, (uint32_t)parts));
        if (next <= lows[n]) continue; /* as good as the cut before it */
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

static uint32_t W(run_cut)(map_place place, unsigned stripe, long_cut *cut, void *lows, void *highs)
{
#ifdef RUN_SKIPLIST
    skiplist_place at = W(skiplist_at)(&place);
    epoch_agent agent;
    skiplist_join(&at, &agent, 1, stripe);
    skiplist_begin(&at, &agent);
#endif
    uint32_t parts = W(cut_parts)(W(map_at)(&place, stripe), cut, lows, highs);
#ifdef RUN_SKIPLIST
    skiplist_end(&at, &agent);
    skiplist_part(&at, &agent);
#endif
    return parts;
}

static void W(run_build)(const build_plan *plan, void *nodes, const void *keys, const void *values, uint32_t level,
                         size_t begin, size_t end)
{
    for (size_t index = begin; index < end; index++)
        for (unsigned slot = 0; slot < NODE_SLOTS; slot++)
            W(build_slot)(plan, nodes, keys, values, level, index, slot);
}

/* Where a leaf's pair belongs among the others. */
static unsigned W(export_rank)(const W(node) *leaf, unsigned count, unsigned i, W(key) key)
{
#ifdef RUN_SKIPLIST
    (void)i;
    return W(slots_rank)(leaf, count, key);
#else
    (void)leaf, (void)count, (void)key;
    return i;
#endif
}

static void W(run_export)(map_place place, void *out_keys, void *out_values)
{
    W(blink) map = W(map_at)(&place, 0);
    W(cursor) cursor;
    W(cursor_start)(map, &cursor, 0);
    while (cursor.level > 0) W(cursor_descend)(map, &cursor);
    size_t written = 0;
    for (uint32_t id = cursor.node; id != NODE_NONE;) {
        const W(node) *leaf = W(node_at)(map, id);
        W(pair) link = W(pair_load)(leaf, NODE_LINK_SLOT);
        id = W(pair_is_link)(link) ? W(pair_node)(link) : NODE_NONE;
        if (id != NODE_NONE) W(prefetch_node)(map, id);
        unsigned count = header_count(W(header_load)(leaf));
        for (unsigned i = 0; i < count; i++) {
            W(pair) pair = W(pair_load)(leaf, i);
            size_t place_of_pair = written + W(export_rank)(leaf, count, i, pair.key);
            W(set_key)(out_keys, place_of_pair, pair.key);
            W(set_key)(out_values, place_of_pair, pair.value);
        }
        written += count;
    }
}

#if defined(RUN_VERSIONED) || defined(RUN_SKIPLIST)
const blink_run_ops RUN_NAME = {W(run_request), W(run_build), W(run_cut), W(run_export), W(run_return)};
#else
const blink_run_ops RUN_NAME = {W(run_request), W(run_build), W(run_cut), W(run_export), NULL};
#endif
