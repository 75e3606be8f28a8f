/* reclaim.h - epochs entered by a whole launch, by a block, by a warp, or by a CPU's thread for many or for one
 * operation. The subject is the tree of tree.h with a cell for each value: an update gives a key another cell, and the
 * old one may be used again when nobody can be looking at it any more.
 *
 *   E1  A cell is retired with the epoch that is read after it has gone from the tree. Who can still find it has
 *       entered in that epoch or before.
 *   E2  The epoch moves from e to e + 1 when nobody inside has entered before e. So in e + 2 nobody inside has entered
 *       in e: cells that were retired in e are free.
 *
 * M. Awad's dissertation, 4.4.4. A cell is two words: key << 32 | something, and the next cell of a chain.
 */
#ifndef PLEACH_BENCH_ABLATIONS_RECLAIM_H
#define PLEACH_BENCH_ABLATIONS_RECLAIM_H

#include "variants.h"

#ifdef __cplusplus
extern "C" {
#endif

enum reclaim_way { RECLAIM_WHOLE, RECLAIM_ANNOUNCED, RECLAIM_COUNTED };
enum { RECLAIM_BAGS = 3, RECLAIM_FIRST_EPOCH = 3, RECLAIM_LOOK_EVERY = 16 };
enum { RECLAIM_EPOCH = 0, RECLAIM_TAKEN = 16, RECLAIM_INSIDE = 32, RECLAIM_SHARED_WORDS = 80 }; /* lines of 16 words */
enum reclaim_answer { RECLAIM_GOOD = 1, RECLAIM_OTHER_KEY, RECLAIM_NOT_FOUND, RECLAIM_NO_CELL };

/* What a thread keeps between launches: chains of cells, ABL_NONE at their ends. */
typedef struct reclaim_hand {
    uint64_t epochs[RECLAIM_BAGS];
    uint32_t bags[RECLAIM_BAGS], tails[RECLAIM_BAGS], free;
} reclaim_hand;

/* Pointers are into the memory of the device. */
typedef struct reclaim_work {
    size_t begin, n;      /* operations of this launch */
    uint32_t stay;        /* operations of a thread between entering and leaving */
    uint32_t updates;     /* of a hundred operations */
    uint32_t threads, lanes; /* in all; of an agent */
    int way;
    uint64_t launch_epoch; /* RECLAIM_WHOLE */
    const uint32_t *keys;
    uint8_t *answers;
    uint64_t *cells, *shared, *announced; /* announced: a line of 16 words for each agent */
    uint64_t cell_count;
    reclaim_hand *hands;
} reclaim_work;

/* ---- entering and leaving: by the first lane of an agent ---- */

ABL_FN uint64_t reclaim_enter(const reclaim_work *w, uint32_t agent)
{
    if (w->way == RECLAIM_WHOLE) return w->launch_epoch;
    uint64_t epoch = port_load(w->shared + RECLAIM_EPOCH);
    if (w->way == RECLAIM_ANNOUNCED) {
        port_store(w->announced + (size_t)agent * 16, epoch);
        port_fence_seq_cst();
        return epoch;
    }
    for (;;) {
        port_fetch_add(w->shared + RECLAIM_INSIDE + 16 * (epoch % 3), 1);
        port_fence_seq_cst();
        const uint64_t now = port_load(w->shared + RECLAIM_EPOCH);
        if (now == epoch) return epoch;
        port_fetch_add(w->shared + RECLAIM_INSIDE + 16 * (epoch % 3), (uint64_t)-1);
        epoch = now;
    }
}

ABL_FN void reclaim_leave(const reclaim_work *w, uint32_t agent, uint64_t epoch)
{
    if (w->way == RECLAIM_ANNOUNCED) port_store_release(w->announced + (size_t)agent * 16, 0);
    if (w->way != RECLAIM_COUNTED) return;
    port_publish_fence();
    port_fetch_add(w->shared + RECLAIM_INSIDE + 16 * (epoch % 3), (uint64_t)-1);
}

/* Whether nobody whom this lane looks at has entered before the epoch. */
ABL_FN bool reclaim_all_here(const reclaim_work *w, uint64_t epoch, uint32_t lane)
{
    if (w->way == RECLAIM_COUNTED)
        return lane > 0 || port_load(w->shared + RECLAIM_INSIDE + 16 * ((epoch + 2) % 3)) == 0;
    bool all = true;
    for (uint32_t agent = lane; agent < w->threads / w->lanes; agent += w->lanes) {
        const uint64_t other = port_load(w->announced + (size_t)agent * 16);
        all = all && (other == 0 || other == epoch);
    }
    return all;
}

ABL_FN void reclaim_move_on(const reclaim_work *w, uint64_t epoch)
{
    (void)port_compare_swap(w->shared + RECLAIM_EPOCH, epoch, epoch + 1);
}

/* ---- cells ---- */

ABL_FN void reclaim_empty_bag(const reclaim_work *w, reclaim_hand *hand, int bag)
{
    if (hand->bags[bag] == ABL_NONE) return;
    w->cells[2 * (size_t)hand->tails[bag] + 1] = hand->free;
    hand->free = hand->bags[bag];
    hand->bags[bag] = ABL_NONE;
}

/* On entering: what nobody can be looking at is free. */
ABL_FN void reclaim_refresh(const reclaim_work *w, reclaim_hand *hand, uint64_t epoch)
{
    PORT_UNROLL
    for (int bag = 0; bag < RECLAIM_BAGS; bag++)
        if (hand->epochs[bag] + 2 <= epoch) reclaim_empty_bag(w, hand, bag);
}

/* ABL_NONE: there is none. */
ABL_FN uint32_t reclaim_take(const reclaim_work *w, reclaim_hand *hand)
{
    const uint32_t cell = hand->free;
    if (cell == ABL_NONE) {
        const uint64_t fresh = port_fetch_add(w->shared + RECLAIM_TAKEN, 1);
        return fresh < w->cell_count ? (uint32_t)fresh : ABL_NONE;
    }
    hand->free = (uint32_t)w->cells[2 * (size_t)cell + 1];
    return cell;
}

ABL_FN void reclaim_retire(const reclaim_work *w, reclaim_hand *hand, uint32_t cell)
{
    uint64_t epoch = w->launch_epoch;
    if (w->way != RECLAIM_WHOLE) {
        port_fence_seq_cst();
        epoch = port_load(w->shared + RECLAIM_EPOCH);
    }
    PORT_UNROLL
    for (int bag = 0; bag < RECLAIM_BAGS; bag++) {
        if ((uint64_t)bag != epoch % RECLAIM_BAGS) continue;
        if (hand->epochs[bag] != epoch) reclaim_empty_bag(w, hand, bag); /* it is three epochs old at least */
        if (hand->bags[bag] == ABL_NONE) hand->tails[bag] = cell;
        w->cells[2 * (size_t)cell + 1] = hand->bags[bag];
        hand->bags[bag] = cell;
        hand->epochs[bag] = epoch;
    }
}

/* ---- operations ---- */

/* The leaf of a key; nothing is inserted, so that it stays the key's. */
ABL_FN uint64_t *reclaim_leaf(abl_tree tree, abl_policy policy, uint32_t key, abl_view *view)
{
    const uint64_t root = port_load(tree.shared + ABL_ROOT);
    uint32_t node = (uint32_t)root;
    for (uint32_t level = (uint32_t)(root >> 32);; level--) {
        abl_look(abl_node(tree, node), policy, view);
        if (level == 0) return abl_node(tree, node);
        node = abl_child(view, key);
    }
}

/* Gives the key another cell, if the leaf can be latched. *old becomes the one that it had. */
ABL_FN bool reclaim_try_swap(uint64_t *leaf, abl_policy policy, uint32_t key, uint32_t cell, uint32_t *old)
{
    abl_view view;
    if (!abl_latch(leaf, policy)) return false;
    abl_look(leaf, policy, &view);
    PORT_UNROLL
    for (int i = 0; i < ABL_PAIRS; i++) {
        if (abl_key(view.pairs[i]) != key) continue;
        *old = (uint32_t)view.pairs[i];
        port_publish_fence();
        port_store(leaf + i, abl_pair(key, cell));
    }
    abl_release(leaf, policy);
    return true;
}

ABL_FN uint8_t reclaim_one(abl_tree tree, const reclaim_work *w, reclaim_hand *hand, size_t i)
{
    const abl_policy policy = {ABL_SPIN, ABL_PROACTIVE, ABL_LIGHT, ABL_FRESH};
    const uint32_t key = w->keys[i];
    abl_view view;
    uint64_t *leaf = reclaim_leaf(tree, policy, key, &view);
    const uint64_t pair = abl_match(&view, key);
    if (pair == ABL_EMPTY) return RECLAIM_NOT_FOUND;
    const uint64_t seen = port_load(w->cells + 2 * (size_t)(uint32_t)pair);
    if (abl_key(seen) != key) return RECLAIM_OTHER_KEY;
    if ((uint32_t)i * 0x9e3779b1u % 100 >= w->updates) return RECLAIM_GOOD;
    const uint32_t cell = reclaim_take(w, hand);
    if (cell == ABL_NONE) return RECLAIM_NO_CELL;
    port_store(w->cells + 2 * (size_t)cell, abl_pair(key, (uint32_t)i));
    uint32_t old = ABL_NONE;
    unsigned step = 0;
    while (!reclaim_try_swap(leaf, policy, key, cell, &old)) {
        port_pause(step);
        step = port_retry_point(step + 1);
    }
    reclaim_retire(w, hand, old);
    return RECLAIM_GOOD;
}

/* Threads that a launch should have: *threads is a multiple of the block's. */
pleach_status reclaim_threads_cuda(uint32_t *threads);
uint32_t reclaim_block_cuda(void);
pleach_status reclaim_run_cuda(abl_tree tree, const reclaim_work *work, pleach_stream stream);

#ifdef __cplusplus
}
#endif
#endif
