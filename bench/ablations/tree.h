/* tree.h - the subject of pleach-bench ablations, and of nothing else: a small B-link tree of 32-bit keys and values,
 * whose choices are constants of the caller's, so that each can be measured against the others.
 *
 * It follows the B-tree of M. Awad's dissertation (chapter 3): nodes of 128 bytes, side links, one latch bit for
 * writers, readers without latches. One thread an operation, on CPUs and on GPUs. Words of a node:
 *
 *   0 .. 13   pairs, in any order: key << 32 | value in a leaf, lowest key << 32 | child above; ABL_EMPTY: none
 *   14        the state: 1 while somebody has latched the node
 *   15        the link: high key << 32 | next node on the level; the node's keys are below the high key
 *
 *   T1  A pair is one word. It is stored by who has latched the node, and changes no more until it is moved.
 *   T2  A split writes the new node, then the link, then empties the places of the pairs that have moved. Readers load
 *       the pairs, then the link: who misses a pair that has moved sees the link to it.
 *   T3  The new node of a split is latched until the old one has been emptied: nothing changes in two places.
 *   T4  A node stays on its level and its lowest key stays. What is above or left of a key's leaf leads to it.
 *
 * Nobody waits with a latch in his hands: who cannot have a second one lets go of the first. So the lanes of a warp,
 * who may hold one another's latches, all come to an end.
 */
#ifndef PLEACH_BENCH_ABLATIONS_TREE_H
#define PLEACH_BENCH_ABLATIONS_TREE_H

#include <stddef.h>

#include "port/port.h"

#ifdef __CUDACC__
#define ABL_FN PORT_FN
#else
#define ABL_FN static inline __attribute__((always_inline, unused))
#endif

enum { ABL_PAIRS = 14, ABL_KEPT = 7, ABL_STATE = 14, ABL_LINK = 15, ABL_WORDS = 16, ABL_LEVELS = 12 };
enum { ABL_ROOT = 0, ABL_TAKEN = 16, ABL_SHARED_WORDS = 32 }; /* on lines of their own */
#define ABL_EMPTY UINT64_MAX
#define ABL_TOP UINT32_MAX /* above all keys */
#define ABL_NONE UINT32_MAX

/* ---- choices ---- */

enum abl_latching { /* a node is latched: */
    ABL_FROM_ROOT,   /* begin again at the root */
    ABL_FROM_PARENT, /* at the last known parent */
    ABL_SPIN,        /* try again at once */
    ABL_BACK_OFF     /* try again, after a pause that grows */
};
enum abl_splitting {
    ABL_PROACTIVE, /* full nodes on the way down, with their parents latched */
    ABL_UP_PATH,   /* the leaf, then upwards, on the way that led down */
    ABL_UP_SEARCH  /* the leaf, then upwards, each parent searched for from the root */
};
enum abl_fencing { /* between pairs and link, and around latches */
    ABL_NO_FENCE,  /* right for reading only, while nobody writes */
    ABL_LIGHT,     /* what this machine needs: src/port */
    ABL_FULL       /* what the papers use: all accesses before it are performed, and caches forgotten */
};
enum abl_loading {
    ABL_FRESH, /* past a GPU's L1 */
    ABL_CACHED /* right for reading only, while nobody writes */
};

typedef struct abl_policy {
    int latching, splitting, fencing, loading;
} abl_policy;

typedef struct abl_tree {
    uint64_t *words;   /* of all nodes */
    uint64_t *shared;  /* ABL_ROOT: level << 32 | node; ABL_TAKEN: nodes in use */
    uint64_t capacity; /* nodes */
} abl_tree;

/* What operations tell about themselves. */
typedef struct abl_tally {
    uint64_t visited, failures, splits; /* nodes looked at, latches that were taken, splits */
} abl_tally;

enum abl_answer { ABL_THERE, ABL_INSERTED, ABL_NO_ROOM };

ABL_FN uint64_t abl_pair(uint32_t key, uint32_t value) { return (uint64_t)key << 32 | value; }
ABL_FN uint32_t abl_key(uint64_t pair) { return (uint32_t)(pair >> 32); }
ABL_FN uint64_t *abl_node(abl_tree tree, uint32_t id) { return tree.words + (uint64_t)id * ABL_WORDS; }

/* ---- reading ---- */

typedef struct abl_view {
    uint64_t pairs[ABL_PAIRS];
    uint32_t high, right;
} abl_view;

ABL_FN void abl_load_two(const uint64_t *p, abl_policy policy, uint64_t *first, uint64_t *second)
{
#ifdef __CUDACC__
    const port_two two = policy.loading == ABL_CACHED ? port_load_two_cached(p) : port_load_two(p);
    *first = two.first;
    *second = two.second;
#else
    (void)policy;
    *first = port_load(p);
    *second = port_load(p + 1);
#endif
}

ABL_FN void abl_fence(abl_policy policy)
{
    if (policy.fencing == ABL_LIGHT) port_validate_fence();
    if (policy.fencing != ABL_FULL) return;
#ifdef __CUDACC__
    port_invalidate_cached();
#else
    port_fence_seq_cst();
#endif
}

ABL_FN void abl_look(const uint64_t *node, abl_policy policy, abl_view *view)
{
    PORT_UNROLL
    for (int i = 0; i < ABL_PAIRS; i += 2) abl_load_two(node + i, policy, &view->pairs[i], &view->pairs[i + 1]);
    abl_fence(policy);
    const uint64_t link = policy.loading == ABL_CACHED ? port_load_cached(node + ABL_LINK) : port_load(node + ABL_LINK);
    view->high = abl_key(link);
    view->right = (uint32_t)link;
}

/* The pair of the child that leads to the key. */
ABL_FN uint32_t abl_child(const abl_view *view, uint32_t key)
{
    uint64_t best = 0;
    PORT_UNROLL
    for (int i = 0; i < ABL_PAIRS; i++)
        if (view->pairs[i] <= abl_pair(key, UINT32_MAX) && view->pairs[i] > best) best = view->pairs[i];
    return (uint32_t)best;
}

/* The pair with the key, or ABL_EMPTY. */
ABL_FN uint64_t abl_match(const abl_view *view, uint32_t key)
{
    uint64_t found = ABL_EMPTY;
    PORT_UNROLL
    for (int i = 0; i < ABL_PAIRS; i++)
        if (abl_key(view->pairs[i]) == key) found = view->pairs[i];
    return found;
}

/* An empty place, or ABL_PAIRS. */
ABL_FN int abl_room(const abl_view *view)
{
    int room = ABL_PAIRS;
    PORT_UNROLL
    for (int i = 0; i < ABL_PAIRS; i++)
        if (view->pairs[i] == ABL_EMPTY) room = i;
    return room;
}

/* The key's pair, or ABL_EMPTY. */
ABL_FN uint64_t abl_find(abl_tree tree, abl_policy policy, uint32_t key, abl_tally *tally)
{
    const uint64_t root = port_load(tree.shared + ABL_ROOT);
    uint32_t node = (uint32_t)root, level = (uint32_t)(root >> 32);
    for (;;) {
        abl_view view;
        abl_look(abl_node(tree, node), policy, &view);
        tally->visited++;
        if (key >= view.high) {
            node = view.right;
        } else if (level == 0) {
            return abl_match(&view, key);
        } else {
            node = abl_child(&view, key);
            level--;
        }
    }
}

/* ---- latches ---- */

ABL_FN bool abl_latch(uint64_t *node, abl_policy policy)
{
    if (!port_latch(node + ABL_STATE, 0, 1)) return false;
    if (policy.fencing == ABL_FULL) abl_fence(policy);
    return true;
}

ABL_FN void abl_release(uint64_t *node, abl_policy policy)
{
    if (policy.fencing == ABL_FULL) abl_fence(policy);
    port_store_release(node + ABL_STATE, 0);
}

#endif
