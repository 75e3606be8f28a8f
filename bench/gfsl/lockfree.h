/* lockfree.h - a BASELINE for pleach-bench gfsl, and for nothing else: the plain lock-free skiplist, one thread an
 * operation, one node a key.
 *
 * It is the algorithm of Herlihy and Shavit (The Art of Multiprocessor Programming, after Fraser), which P. Misra and
 * M. Chaudhuri (Performance Evaluation of Concurrent Lock-Free Data Structures on GPUs, 2012) ran on a GPU and against
 * which GFSL was measured. As theirs: each insert brings its node with it, of a height that was drawn before, and no
 * node is used again. Unlike theirs, nodes are as high as their tower, begin at a 32-byte sector, and a walk does not
 * look again at a node that it has seen to lie behind its key; all three make it faster.
 *
 * A node is found by its place: a number with the node's unit (of 32 bytes) and its height. Words of a node:
 *
 *   32-bit keys   key and value   next[0]   next[1] ...
 *   64-bit keys   key   value     next[0]   next[1] ...
 *
 * next[l] is the place of the next node on level l, or 0; its lowest bit is the mark: this node is being erased. The
 * head is the node at unit 0, before all keys.
 *
 *   L1  A key is in the list if a node with it can be reached on level 0 and its next[0] is not marked.
 *   L2  A marked next never changes again. All of a node's are marked before next[0] is.
 *   L3  Each level is in ascending order; on level 0 at most one node with a key has no mark.
 *
 * Memory order: a node's words are stored before the swap that publishes its place, which releases; whoever follows the
 * place reads them by an address made from it, which needs no more on any machine that this runs on. Words are read
 * fresh: a stale next could hide a key from somebody who comes after its insertion.
 *
 * Progress: insert and erase try again only when somebody else's swap has succeeded; contains never does.
 */
#ifndef PLEACH_BENCH_LOCKFREE_H
#define PLEACH_BENCH_LOCKFREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "port/port.h"

enum { LOCKFREE_LEVELS = 32, LOCKFREE_UNIT_WORDS = 4, LOCKFREE_HEIGHT_SHIFT = 33, LOCKFREE_MARK = 1 };

typedef struct lockfree_list {
    uint64_t *words;    /* of all nodes */
    uint32_t levels;    /* as many as the highest node has, also of nodes that are yet to be inserted */
    uint32_t key_shift; /* where the key is in a node's first word */
    uint32_t next_at;   /* which word is next[0] */
} lockfree_list;

PORT_FN uint64_t lockfree_unmarked(uint64_t next) { return next & ~(uint64_t)LOCKFREE_MARK; }
PORT_FN bool lockfree_is_marked(uint64_t next) { return (next & LOCKFREE_MARK) != 0; }
PORT_FN uint32_t lockfree_height(uint64_t place) { return (uint32_t)(place >> LOCKFREE_HEIGHT_SHIFT); }

PORT_FN uint64_t *lockfree_node(lockfree_list list, uint64_t place)
{
    return list.words + (uint64_t)(uint32_t)(place >> 1) * LOCKFREE_UNIT_WORDS;
}

PORT_FN uint64_t *lockfree_next(lockfree_list list, uint64_t *node, uint32_t level)
{
    return node + list.next_at + level;
}

PORT_FN uint64_t lockfree_key(lockfree_list list, const uint64_t *node)
{
    return port_load(node) >> list.key_shift;
}

/* Where a key belongs: on each level below a height, the last node before it and the place after that. */
typedef struct lockfree_path {
    uint64_t *before[LOCKFREE_LEVELS];
    uint64_t after[LOCKFREE_LEVELS];
} lockfree_path;

/* Along one level, from *before to the last node below the key; marked nodes on the way are taken out. Answers the
 * place after it. *bound is a node that is known to lie behind the key: it ends the walk without a look at it, even if
 * it is marked, which does no harm, because a node may be linked before a marked one. *lost: somebody else has changed
 * what was to be changed. */
PORT_FN uint64_t lockfree_walk(lockfree_list list, uint64_t key, uint32_t level, uint64_t **before, uint64_t *bound,
                               bool *lost)
{
    uint64_t *link = lockfree_next(list, *before, level);
    uint64_t at = lockfree_unmarked(port_load(link));
    while (at != 0 && at != *bound) {
        uint64_t *node = lockfree_node(list, at);
        uint64_t next = port_load(lockfree_next(list, node, level));
        uint64_t here = lockfree_key(list, node);
        if (lockfree_is_marked(next)) {
            *lost = !port_compare_swap(link, at, lockfree_unmarked(next));
            if (*lost) return 0;
            at = lockfree_unmarked(next);
            continue;
        }
        if (here > key) *bound = at;
        if (here >= key) break;
        *before = node;
        link = lockfree_next(list, node, level);
        at = next;
    }
    return at;
}

/* The place of the key's node, or 0. The path gets the levels below `height`; it may be NULL if that is 0. A node with
 * the key that is marked on a level has been taken out there. */
PORT_FN uint64_t lockfree_seek(lockfree_list list, uint64_t key, lockfree_path *path, uint32_t height)
{
    for (;;) {
        uint64_t *before = list.words;
        uint64_t bound = 0, at = 0;
        bool lost = false;
        for (uint32_t level = list.levels; level-- > 0 && !lost;) {
            at = lockfree_walk(list, key, level, &before, &bound, &lost);
            if (level < height) {
                path->before[level] = before;
                path->after[level] = at;
            }
        }
        if (!lost) return at != bound ? at : 0; /* behind the key is only the bound */
    }
}

/* Links a node that is in the list on a higher level. False if it is being erased: then it needs no tower. It may be
 * linked after it was marked; its next is marked then, and whoever comes by takes it out. */
PORT_FN bool lockfree_raise(lockfree_list list, uint64_t key, uint64_t place, uint32_t level, lockfree_path *path)
{
    uint64_t *own = lockfree_next(list, lockfree_node(list, place), level);
    for (;;) {
        uint64_t old = port_load(own), after = path->after[level];
        if (lockfree_is_marked(old)) return false;
        if (old != after && !port_compare_swap(own, old, after)) return false; /* nobody else stores but the mark */
        if (port_compare_swap(lockfree_next(list, path->before[level], level), after, place)) return true;
        if (lockfree_seek(list, key, path, lockfree_height(place)) != place) return false;
    }
}

/* Inserts the key if it is absent; the place is that of a node of the caller's, which is the list's if it answers true,
 * and else unused. */
PORT_FN bool lockfree_add(lockfree_list list, uint64_t key, uint64_t value, uint64_t place)
{
    lockfree_path path;
    uint64_t *node = lockfree_node(list, place);
    const uint32_t height = lockfree_height(place);
    do {
        if (lockfree_seek(list, key, &path, height) != 0) return false; /* linearized when its next[0] was loaded */
        port_store(node, list.key_shift > 0 ? key << list.key_shift | value : key);
        if (list.key_shift == 0) port_store(node + 1, value);
        for (uint32_t level = 0; level < height; level++)
            port_store(lockfree_next(list, node, level), path.after[level]);
    } while (!port_compare_swap(lockfree_next(list, path.before[0], 0), path.after[0], place)); /* linearized */
    for (uint32_t level = 1; level < height; level++)
        if (!lockfree_raise(list, key, place, level, &path)) break;
    return true;
}

PORT_FN bool lockfree_erase(lockfree_list list, uint64_t key)
{
    const uint64_t place = lockfree_seek(list, key, NULL, 0);
    if (place == 0) return false;
    uint64_t *node = lockfree_node(list, place);
    for (uint32_t level = lockfree_height(place); level-- > 1;)
        port_mark(lockfree_next(list, node, level), LOCKFREE_MARK);
    uint64_t *link = lockfree_next(list, node, 0), next;
    do {
        next = port_load(link);
        if (lockfree_is_marked(next)) return false; /* linearized just after the other's mark, which came meanwhile */
    } while (!port_compare_swap(link, next, next | LOCKFREE_MARK)); /* linearized */
    (void)lockfree_seek(list, key, NULL, 0);                        /* takes it out */
    return true;
}

PORT_FN bool lockfree_contains(lockfree_list list, uint64_t key)
{
    uint64_t *before = list.words;
    uint64_t bound = 0;
    for (uint32_t level = list.levels; level-- > 0;) {
        uint64_t at = lockfree_unmarked(port_load(lockfree_next(list, before, level)));
        while (at != 0 && at != bound) {
            uint64_t *node = lockfree_node(list, at);
            uint64_t next = port_load(lockfree_next(list, node, level));
            uint64_t here = lockfree_key(list, node);
            if (lockfree_is_marked(next)) {
                at = lockfree_unmarked(next);
                continue;
            }
            if (here > key) bound = at;
            if (here == key) return true; /* linearized when next was loaded: by L2 next[0] had no mark then */
            if (here > key) break;
            before = node;
            at = next;
        }
    }
    return false;
}

#endif
