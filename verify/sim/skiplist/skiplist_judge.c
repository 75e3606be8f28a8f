/* verify/sim/skiplist/skiplist_judge.c - the judgement of a schedule's skiplist, and names of its words for traces. */
#include "skiplist_world.h"

#include "../../../src/skiplist/skiplist_check.h"
#include "../../../src/skiplist/skiplist_format.h"

/* ---- judging ---- */

/* S8: a chunk that is not live is a zombie in one ring, or free in one list, and nowhere else. */
static bool judge_places(char *why, size_t size, bool zombies_allowed)
{
    const blink_tree *tree = skiplist_now.place.tree;
    const epoch *e = &skiplist_now.place.versions.epoch;
    uint64_t used = blink_used_ids(tree), free_ids = 0;
    uint8_t in_rings[SKIPLIST_CHUNKS] = {0}, in_lists[SKIPLIST_CHUNKS] = {0};
    for (unsigned slot = 0; slot < e->slots; slot++)
        for (uint64_t at = e->home[slot].head; at < e->home[slot].tail; at++) {
            uint64_t id = e->rings[slot * e->ring + at % e->ring].id;
            if (id < SKIPLIST_CHUNKS) in_rings[id]++;
        }
    for (unsigned list = 0; list < POOL_STRIPES; list++)
        for (uint64_t id = (uint32_t)tree->pool.free[list].head; id && id < SKIPLIST_CHUNKS;
             id = (uint32_t)*skiplist_chunk_at(id)) {
            if (in_lists[id]++) break; /* in a circle */
            free_ids++;
        }
    for (uint64_t id = 1; id < used; id++) {
        uint64_t header = *skiplist_header_at(id);
        unsigned rings = header && chunk_state(header) == CHUNK_ZOMBIE, lists = header == 0;
        if (in_rings[id] == rings && in_lists[id] == lists && (zombies_allowed || !rings)) continue;
        snprintf(why, size, "S8: chunk %llu is %s, and %u times in a ring, %u times in a list", (unsigned long long)id,
                 lists ? "free" : rings ? "a zombie" : "live", in_rings[id], in_lists[id]);
        return false;
    }
    if (free_ids == tree->returned) return true;
    snprintf(why, size, "%llu chunks are in lists, and %llu are said to be", (unsigned long long)free_ids,
             (unsigned long long)tree->returned);
    return false;
}

/* Agents that have left hold no slot, and the scan's latch is free. */
static bool judge_epoch(char *why, size_t size)
{
    const epoch *e = &skiplist_now.place.versions.epoch;
    for (unsigned i = 0; i < e->slots; i++) {
        if (e->announce[i * skiplist_now.list->line_words] == EPOCH_FREE) continue;
        snprintf(why, size, "slot %u is taken, and nobody is there", i);
        return false;
    }
    if (!e->state->scan_latch && e->state->floor <= e->state->clock) return true;
    snprintf(why, size, "E2: floor %llu, clock %llu, latch of the scan %llu", (unsigned long long)e->state->floor,
             (unsigned long long)e->state->clock, (unsigned long long)e->state->scan_latch);
    return false;
}

static bool refused_without_need(char *why, size_t size)
{
    skiplist_world *w = &skiplist_now;
    for (unsigned i = 0; i < w->first_op[w->agents]; i++) {
        const history_op *op = &w->ops[i];
        if (op->kind > HISTORY_ERASE || op->outcome != HISTORY_NOT_APPLIED) continue;
        if (w->may_refuse && op->kind != HISTORY_ERASE) continue;
        snprintf(why, size, "an update was refused though the pool has room");
        return true;
    }
    return false;
}

static bool judge_shape(char *why, size_t size)
{
    skiplist_world *w = &skiplist_now;
    return skiplist_validate(w->list->slots, w->list->key_bits, w->place.tree, w->place.nodes, why, size);
}

/* Valid before and after the last zombies are returned. */
/* The id in a pair or a link, and the next chunk of a level, or 0. */
static uint32_t id_in_slot(uint64_t chunk, unsigned slot)
{
    unsigned words = skiplist_slot_words();
    return (uint32_t)(skiplist_chunk_at(chunk)[slot * words + words - 1] >> (words == 1) * 32);
}

static uint64_t chunk_after(uint64_t chunk)
{
    uint32_t link = id_in_slot(chunk, skiplist_now.list->slots - 2);
    return link & NODE_LINK ? link & ~NODE_LINK : 0;
}

/* An empty chunk can be merged, unless it is a head or the first in its upper chunk, or its neighbour stays latched for
 * long. Some agent must have done so. */
static bool judge_empty(char *why, size_t size)
{
    bool stays[SKIPLIST_CHUNKS] = {false};
    for (uint64_t above = skiplist_head(1); above; above = chunk_after(above)) stays[id_in_slot(above, 0)] = true;
    for (uint64_t id = skiplist_head(0); id; id = chunk_after(id)) {
        if (stays[id] || header_count(*skiplist_header_at(id)) > 0) continue;
        snprintf(why, size, "chunk %llu is empty, and no agent merges it", (unsigned long long)id);
        return false;
    }
    return true;
}

static bool judge_structure(char *why, size_t size)
{
    if (!judge_shape(why, size) || !judge_epoch(why, size) || !judge_places(why, size, true)) return false;
    bool none_empty = skiplist_now.ebbs && !skiplist_bag_was_full && !sim_delays();
    if (none_empty && !judge_empty(why, size)) return false;
    skiplist_now.list->return_all(skiplist_now.place);
    return judge_shape(why, size) && judge_epoch(why, size) && judge_places(why, size, false);
}

bool skiplist_judge(char *why, size_t size, sim_checked *checked)
{
    skiplist_world *w = &skiplist_now;
    w->bad_history = false;
    if (w->stuck) {
        snprintf(why, size, "an update does not end, or there are too many keys, and nobody else is there");
        return false;
    }
    if (!judge_structure(why, size) || refused_without_need(why, size)) return false;
    size_t last_count = skiplist_export(w->last), missed = last_count;
    if (last_count <= SKIPLIST_KEYS) missed = w->list->missed(w->place, w->last, last_count);
    if (missed > 0) {
        snprintf(why, size, "a find misses %zu of the keys", missed);
        return false;
    }
    if (!w->checker) w->checker = history_checker_create();
    w->history = (history){.initial = w->initial, .initial_count = w->initial_count, .ops = w->ops,
                          .count = w->first_op[w->agents], .pairs = w->pairs, .final = w->last,
                          .final_count = last_count};
    history_verdict verdict = w->checker ? history_check(w->checker, &w->history) : HISTORY_UNDECIDED;
    checked->histories += verdict == HISTORY_GOOD;
    checked->undecided += verdict == HISTORY_UNDECIDED;
    w->bad_history = verdict == HISTORY_BAD;
    if (w->bad_history) snprintf(why, size, "the answers are not those of a map");
    return !w->bad_history;
}

void skiplist_explain(FILE *out)
{
    skiplist_world *w = &skiplist_now;
    if (w->bad_history) history_explain(w->checker, &w->history, out);
}

/* ---- names of words, for traces ---- */

/* Whether the word is one of these. Then `at` is its number there. */
static bool is_within(uint32_t word, const void *part, size_t bytes, size_t *at)
{
    size_t from = (size_t)((const uint64_t *)part - (const uint64_t *)skiplist_now.place.versions.epoch.state);
    *at = word - from;
    return word >= from && *at < bytes / 8;
}

static void describe_tree(size_t offset, uint64_t value, char *text, size_t size)
{
    unsigned long long v = value;
    if (offset == offsetof(blink_tree, root))
        snprintf(text, size, "root = chunk %u, level %u", (unsigned)value, (unsigned)(value >> 32));
    else if (offset == offsetof(blink_tree, restarts))
        snprintf(text, size, "restarts = %llu", v);
    else if (offset == offsetof(blink_tree, returned))
        snprintf(text, size, "returned = %llu", v);
    else if (offset == offsetof(blink_tree, reclaimed))
        snprintf(text, size, "reclaimed = %llu", v);
    else if (offset == offsetof(blink_tree, pool.next))
        snprintf(text, size, "pool: next id = %llu", v);
    else if (offset == offsetof(blink_tree, pool.capacity))
        snprintf(text, size, "pool: capacity = %llu", v);
    else if (offset >= offsetof(blink_tree, stripe))
        snprintf(text, size, "size of stripe %zu = %lld", (offset - offsetof(blink_tree, stripe)) / 64, (long long)v);
    else
        snprintf(text, size, "pool: free list %zu = %llx", (offset - offsetof(blink_tree, pool.free)) / 64, v);
}

static void describe_chunk(size_t word, uint64_t value, char *text, size_t size)
{
    static const char *const states[] = {"low", "raising", "raised", "zombie"};
    unsigned words = skiplist_slot_words(), chunk_words = words * skiplist_now.list->slots;
    unsigned id = (unsigned)word / chunk_words, at = (unsigned)word % chunk_words, slot = at / words;
    unsigned long long v = value;
    if (slot + 1 == skiplist_now.list->slots)
        snprintf(text, size, "chunk %u header = version %llu, level %u, %s, count %u%s", id, v >> 16,
                 chunk_level(value), states[chunk_state(value)], header_count(value),
                 value & HEADER_LATCHED ? ", latched" : "");
    else if (words == 1 && (value >> 32 & NODE_LINK))
        snprintf(text, size, "chunk %u slot %u = link (%u, chunk %u)", id, slot, (unsigned)value,
                 (unsigned)(value >> 32) & ~NODE_LINK);
    else if (words == 1)
        snprintf(text, size, "chunk %u slot %u = (%u, %u)", id, slot, (unsigned)value, (unsigned)(value >> 32));
    else if (at % 2 && (value & NODE_LINK))
        snprintf(text, size, "chunk %u slot %u = link to chunk %u", id, slot, (unsigned)value & ~NODE_LINK);
    else
        snprintf(text, size, "chunk %u slot %u %s = %llu", id, slot, at % 2 ? "value" : "key", v);
}

void skiplist_describe(uint32_t word, uint64_t value, char *text, size_t size)
{
    skiplist_world *w = &skiplist_now;
    const epoch *e = &w->place.versions.epoch;
    unsigned long long v = value;
    size_t at;
    if (is_within(word, e->state, sizeof *e->state, &at))
        snprintf(text, size, "%s = %llu", epoch_word_name(at * 8), v);
    else if (is_within(word, e->announce, SKIPLIST_EPOCH_SLOTS * SKIPLIST_LINE_WORDS * 8, &at))
        snprintf(text, size, "slot %zu = %s %llu", at / w->list->line_words,
                 value == EPOCH_FREE ? "free" : value == EPOCH_OUT ? "out" : "in", v < EPOCH_IN ? 0 : v - EPOCH_IN);
    else if (is_within(word, e->home, SKIPLIST_EPOCH_SLOTS * sizeof e->home[0], &at))
        snprintf(text, size, "%s of ring %zu = %llu", at % 4 ? "tail" : "head", at / 4, v);
    else if (is_within(word, e->rings, SKIPLIST_EPOCH_SLOTS * SKIPLIST_EPOCH_RING * sizeof e->rings[0], &at))
        snprintf(text, size, "ring %zu, entry %zu: %s = %llu", at / 2 / e->ring, at / 2 % e->ring,
                 at % 2 ? "id" : "until", v);
    else if (is_within(word, w->place.tree, sizeof *w->place.tree, &at))
        describe_tree(at * 8, value, text, size);
    else
        describe_chunk(word - (size_t)((uint64_t *)w->place.nodes - (uint64_t *)e->state), value, text, size);
}

bool skiplist_is_latched(uint32_t word, uint64_t value)
{
    skiplist_world *w = &skiplist_now;
    size_t at;
    if (is_within(word, w->place.versions.epoch.state, sizeof(epoch_state), &at))
        return at * 8 == offsetof(epoch_state, scan_latch) && value != 0;
    if (!is_within(word, w->place.nodes, SKIPLIST_CHUNKS * w->chunk_bytes, &at)) return false;
    return at / skiplist_slot_words() % w->list->slots + 1 == w->list->slots && (value & HEADER_LATCHED);
}

void skiplist_forget(void)
{
    history_checker_destroy(skiplist_now.checker);
    skiplist_now.checker = NULL;
}
