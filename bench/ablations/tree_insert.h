/* tree_insert.h - inserting into the tree of tree.h. An insertion goes in steps, each of which takes what latches it
 * needs, does its work and lets go of them, or finds one taken and does nothing. */
#ifndef PLEACH_BENCH_ABLATIONS_TREE_INSERT_H
#define PLEACH_BENCH_ABLATIONS_TREE_INSERT_H

#include "variants.h"

/* An insertion on its way: a pair, the level that it belongs on, and how far it has come. */
typedef struct abl_way {
    uint32_t key, value, goal;
    uint32_t node, level, parent; /* parent: ABL_NONE if it is not known */
    uint32_t tries;
    bool arrived; /* nothing is left to be read before the next try for the latch */
    int answer;
    uint32_t path[ABL_LEVELS]; /* with ABL_UP_PATH: by level, the node on the way down */
} abl_way;

ABL_FN void abl_start_over(abl_tree tree, abl_way *way)
{
    const uint64_t root = port_load(tree.shared + ABL_ROOT);
    way->node = (uint32_t)root;
    way->level = (uint32_t)(root >> 32);
    way->parent = ABL_NONE;
}

/* Down and to the right, to the goal or, if nodes are split on the way, to a full one above it. */
ABL_FN void abl_descend(abl_tree tree, abl_policy policy, abl_way *way, abl_tally *tally)
{
    for (;;) {
        abl_view view;
        abl_look(abl_node(tree, way->node), policy, &view);
        tally->visited++;
        if (way->key >= view.high) {
            way->node = view.right;
            continue;
        }
        if (way->level == way->goal) return;
        if (policy.splitting == ABL_PROACTIVE && abl_room(&view) == ABL_PAIRS) return;
        if (policy.splitting == ABL_UP_PATH && way->level < ABL_LEVELS) way->path[way->level] = way->node;
        way->parent = way->node;
        way->node = abl_child(&view, way->key);
        way->level--;
    }
}

/* Some node is latched by somebody else; nothing is by us. */
ABL_FN void abl_give_way(abl_tree tree, abl_policy policy, abl_way *way, abl_tally *tally)
{
    tally->failures++;
    way->tries++;
    if (policy.latching == ABL_BACK_OFF) port_pause_longer(way->tries);
#ifndef __CUDACC__
    /* Who holds the latch may not be running. */
    if (policy.latching != ABL_BACK_OFF && way->tries % 1024 == 0) sched_yield();
#endif
    way->arrived = policy.latching == ABL_SPIN || policy.latching == ABL_BACK_OFF;
    if (policy.latching == ABL_FROM_PARENT && way->parent != ABL_NONE) {
        way->node = way->parent;
        way->level++;
        way->parent = ABL_NONE;
    } else if (!way->arrived) {
        abl_start_over(tree, way);
    }
}

/* Moves the upper half of a full latched node to a new one, which stays latched. Answers its lowest key; *hole is a
 * place in the old one that is empty now, as are those from ABL_KEPT on in the new one. */
ABL_FN uint32_t abl_halve(abl_tree tree, uint32_t from, uint32_t to, const abl_view *view, int *hole)
{
    uint64_t *node = abl_node(tree, from), *right = abl_node(tree, to);
    uint32_t moved = 0, lowest = 0;
    PORT_UNROLL
    for (int i = 0; i < ABL_PAIRS; i++) {
        int rank = 0;
        PORT_UNROLL
        for (int j = 0; j < ABL_PAIRS; j++) rank += view->pairs[j] < view->pairs[i];
        if (rank < ABL_KEPT) continue;
        if (rank == ABL_KEPT) lowest = abl_key(view->pairs[i]);
        moved |= 1u << i;
        port_store(right + rank - ABL_KEPT, view->pairs[i]);
    }
    for (int i = ABL_PAIRS - ABL_KEPT; i < ABL_PAIRS; i++) port_store(right + i, ABL_EMPTY);
    port_store(right + ABL_STATE, 1);
    port_store(right + ABL_LINK, abl_pair(view->high, view->right));
    port_publish_fence();
    port_store(node + ABL_LINK, abl_pair(lowest, to));
    port_publish_fence();
    PORT_UNROLL
    for (int i = 0; i < ABL_PAIRS; i++) {
        if ((moved >> i & 1) == 0) continue;
        port_store(node + i, ABL_EMPTY);
        *hole = i;
    }
    return lowest;
}

/* A new root above the old one, which is latched and has just been halved. */
ABL_FN void abl_grow(abl_tree tree, uint32_t id, uint32_t level, uint64_t left, uint64_t right)
{
    uint64_t *node = abl_node(tree, id);
    port_store(node, left);
    port_store(node + 1, right);
    for (int i = 2; i < ABL_PAIRS; i++) port_store(node + i, ABL_EMPTY);
    port_store(node + ABL_STATE, 0);
    port_store(node + ABL_LINK, abl_pair(ABL_TOP, 0));
    port_publish_fence();
    port_store(tree.shared + ABL_ROOT, (uint64_t)level << 32 | id);
}

/* Where the separator of a split goes. False: the parent is not to be had, or not the right one, or has no room; then
 * the way begins elsewhere. */
ABL_FN bool abl_take_parent(abl_tree tree, abl_policy policy, abl_way *way, uint32_t key, int *room, abl_tally *tally)
{
    abl_view view;
    if (way->parent == ABL_NONE) {
        abl_start_over(tree, way);
        return false;
    }
    uint64_t *parent = abl_node(tree, way->parent);
    if (!abl_latch(parent, policy)) {
        abl_give_way(tree, policy, way, tally);
        return false;
    }
    abl_look(parent, policy, &view);
    *room = abl_room(&view);
    if (key < view.high && *room < ABL_PAIRS) return true;
    abl_release(parent, policy);
    abl_start_over(tree, way);
    return false;
}

/* The key that halving the node would begin the new one with. */
ABL_FN uint32_t abl_middle(const abl_view *view)
{
    uint32_t middle = 0;
    PORT_UNROLL
    for (int i = 0; i < ABL_PAIRS; i++) {
        int rank = 0;
        PORT_UNROLL
        for (int j = 0; j < ABL_PAIRS; j++) rank += view->pairs[j] < view->pairs[i];
        if (rank == ABL_KEPT) middle = abl_key(view->pairs[i]);
    }
    return middle;
}

/* After a split below: its separator is what is to be inserted, one level higher. */
ABL_FN void abl_carry_up(abl_tree tree, abl_policy policy, abl_way *way, uint32_t key, uint32_t child)
{
    way->key = key;
    way->value = child;
    way->goal++;
    if (policy.splitting == ABL_UP_PATH && way->goal < ABL_LEVELS && way->path[way->goal] != ABL_NONE) {
        way->node = way->path[way->goal];
        way->level = way->goal;
        way->parent = ABL_NONE;
    } else {
        abl_start_over(tree, way);
    }
}

/* Splits a full node that is latched, and lets go of it. True: the insertion has come to its end. */
ABL_FN bool abl_split(abl_tree tree, abl_policy policy, abl_way *way, const abl_view *view, abl_tally *tally)
{
    const uint32_t id = way->node, level = way->level, parent = way->parent;
    uint64_t *node = abl_node(tree, id);
    const bool top = port_load(tree.shared + ABL_ROOT) == ((uint64_t)level << 32 | id);
    const bool with_parent = policy.splitting == ABL_PROACTIVE && !top;
    int room = 0, hole = 0;
    if (with_parent && !abl_take_parent(tree, policy, way, abl_middle(view), &room, tally)) {
        abl_release(node, policy);
        return false;
    }
    const uint64_t to = port_fetch_add(tree.shared + ABL_TAKEN, top ? 2 : 1);
    if (to + top >= tree.capacity) {
        if (with_parent) abl_release(abl_node(tree, parent), policy);
        abl_release(node, policy);
        way->answer = ABL_NO_ROOM;
        return true;
    }
    uint64_t *right = abl_node(tree, (uint32_t)to);
    const uint32_t lowest = abl_halve(tree, id, (uint32_t)to, view, &hole);
    const bool stays = way->key < lowest, here = level == way->goal;
    if (here) port_store(stays ? node + hole : right + ABL_KEPT, abl_pair(way->key, way->value));
    if (top) abl_grow(tree, (uint32_t)to + 1, level + 1, abl_pair(0, id), abl_pair(lowest, (uint32_t)to));
    if (with_parent) {
        port_store(abl_node(tree, parent) + room, abl_pair(lowest, (uint32_t)to));
        abl_release(abl_node(tree, parent), policy);
    }
    abl_release(right, policy);
    abl_release(node, policy);
    tally->splits++;
    if (!here) way->node = stays ? id : (uint32_t)to;
    if (!here || policy.splitting == ABL_PROACTIVE || top) return here;
    abl_carry_up(tree, policy, way, lowest, (uint32_t)to);
    return false;
}

ABL_FN bool abl_step(abl_tree tree, abl_policy policy, abl_way *way, abl_tally *tally)
{
    abl_view view;
    if (!way->arrived) abl_descend(tree, policy, way, tally);
    way->arrived = false;
    uint64_t *node = abl_node(tree, way->node);
    if (!abl_latch(node, policy)) {
        abl_give_way(tree, policy, way, tally);
        return false;
    }
    abl_look(node, policy, &view);
    const bool passed = way->key >= view.high, here = way->level == way->goal;
    const bool there = here && !passed && abl_match(&view, way->key) != ABL_EMPTY;
    const int room = abl_room(&view);
    if (!passed && !there && room == ABL_PAIRS) return abl_split(tree, policy, way, &view, tally);
    if (passed) way->node = view.right;
    if (there) way->answer = ABL_THERE;
    const bool placed = here && !passed && !there;
    if (placed) port_store(node + room, abl_pair(way->key, way->value));
    abl_release(node, policy);
    return there || placed;
}

/* An enum abl_answer. */
ABL_FN int abl_insert(abl_tree tree, abl_policy policy, uint32_t key, uint32_t value, abl_tally *tally)
{
    abl_way way;
    way.key = key;
    way.value = value;
    way.goal = way.tries = 0;
    way.arrived = false;
    way.answer = ABL_INSERTED;
    if (policy.splitting == ABL_UP_PATH)
        for (int i = 0; i < ABL_LEVELS; i++) way.path[i] = ABL_NONE;
    abl_start_over(tree, &way);
    unsigned step = 0;
    while (!abl_step(tree, policy, &way, tally)) step = port_retry_point(step + 1);
    return way.answer;
}

/* ---- the operations of variants.h, with their answers ---- */

ABL_FN uint32_t abl_run_find(abl_tree tree, abl_policy policy, uint32_t key, abl_tally *tally)
{
    const uint64_t pair = abl_find(tree, policy, key, tally);
    return pair == ABL_EMPTY ? ABL_NONE : (uint32_t)pair;
}

ABL_FN uint32_t abl_run_insert(abl_tree tree, abl_policy policy, uint32_t key, abl_tally *tally)
{
    return (uint32_t)abl_insert(tree, policy, key, abl_value(key), tally);
}

#endif
