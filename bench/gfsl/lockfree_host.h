/* lockfree_host.h - the baseline of lockfree.h on the host: places for nodes, a list made of sorted keys, and the check
 * of a list that nobody is changing. */
#ifndef PLEACH_BENCH_LOCKFREE_HOST_H
#define PLEACH_BENCH_LOCKFREE_HOST_H

#include <stdio.h>
#include <string.h>

#include "lockfree.h"

/* Gives out places, one after the other. */
typedef struct lockfree_room {
    uint64_t units; /* that have been given out */
    uint32_t next_at, levels;
} lockfree_room;

static inline uint64_t lockfree_take(lockfree_room *room, uint32_t height)
{
    const uint64_t unit = room->units;
    room->units += (room->next_at + height + LOCKFREE_UNIT_WORDS - 1) / LOCKFREE_UNIT_WORDS;
    if (height > room->levels) room->levels = height;
    return (uint64_t)height << LOCKFREE_HEIGHT_SHIFT | unit << 1;
}

/* Room with nothing but a head in it. */
static inline lockfree_room lockfree_new_room(unsigned bits)
{
    lockfree_room room = {.next_at = bits / 32};
    (void)lockfree_take(&room, LOCKFREE_LEVELS);
    room.levels = 1;
    return room;
}

/* A height, of random bits: each further level with probability 1/2. */
static inline uint32_t lockfree_draw(uint64_t random)
{
    uint32_t height = 1;
    for (; height < LOCKFREE_LEVELS && (random & 1) != 0; random >>= 1) height++;
    return height;
}

static inline size_t lockfree_bytes(const lockfree_room *room) { return room->units * LOCKFREE_UNIT_WORDS * 8; }

static inline lockfree_list lockfree_list_at(void *words, const lockfree_room *room, unsigned bits)
{
    return (lockfree_list){.words = words, .levels = room->levels, .key_shift = 64 - bits, .next_at = room->next_at};
}

/* Makes a list of keys that come in ascending order. Begin with an empty one. */
typedef struct lockfree_builder {
    lockfree_list list;
    uint64_t *last[LOCKFREE_LEVELS];
} lockfree_builder;

static inline void lockfree_begin(lockfree_builder *builder, lockfree_list list)
{
    builder->list = list;
    memset(list.words, 0, (list.next_at + LOCKFREE_LEVELS) * sizeof list.words[0]);
    for (size_t level = 0; level < LOCKFREE_LEVELS; level++) builder->last[level] = list.words;
}

static inline void lockfree_append(lockfree_builder *builder, uint64_t key, uint64_t value, uint64_t place)
{
    const lockfree_list list = builder->list;
    uint64_t *node = lockfree_node(list, place);
    node[0] = list.key_shift > 0 ? key << list.key_shift | value : key;
    if (list.key_shift == 0) node[1] = value;
    for (uint32_t level = 0; level < lockfree_height(place); level++) {
        *lockfree_next(list, node, level) = 0;
        *lockfree_next(list, builder->last[level], level) = place;
        builder->last[level] = node;
    }
}

/* The place after a node's on a level, those marked there left out; `node` may be the head, list.words. */
static inline uint64_t lockfree_after(lockfree_list list, uint64_t *node, uint32_t level)
{
    uint64_t at = lockfree_unmarked(*lockfree_next(list, node, level));
    while (at != 0) {
        const uint64_t next = *lockfree_next(list, lockfree_node(list, at), level);
        if (!lockfree_is_marked(next)) break;
        at = lockfree_unmarked(next);
    }
    return at;
}

/* One level: in order, of nodes that are high enough and, above level 0, in the list. NULL, or what is wrong. */
static inline const char *lockfree_check_level(lockfree_list list, uint32_t level)
{
    uint64_t *below = list.words, *before = NULL;
    for (uint64_t at = lockfree_after(list, list.words, level); at != 0;) {
        uint64_t *node = lockfree_node(list, at);
        if (before != NULL && lockfree_key(list, before) >= lockfree_key(list, node)) return "L3: keys out of order";
        if (lockfree_height(at) <= level) return "a node on a level above its height";
        if (level > 0 && lockfree_is_marked(*lockfree_next(list, node, 0))) return "L2: marked below, not above";
        while (level > 0 && below != node) { /* every node of this level is met on the one below */
            const uint64_t next = lockfree_after(list, below, level - 1);
            if (next == 0) return "a node that is missing on the level below";
            below = lockfree_node(list, next);
        }
        before = node;
        at = lockfree_after(list, node, level);
    }
    return NULL;
}

static inline const char *lockfree_check(lockfree_list list)
{
    const char *wrong = NULL;
    for (uint32_t level = 0; level < list.levels && wrong == NULL; level++) wrong = lockfree_check_level(list, level);
    return wrong;
}

#endif
