/* eirene.h - finds in a batch, as W. Zhang and others, Eirene, carry them out, on the tree of tree.h, with counts of
 * what they visit and access. */
#ifndef PLEACH_BENCH_ABLATIONS_EIRENE_H
#define PLEACH_BENCH_ABLATIONS_EIRENE_H

#include "variants.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { EIRENE_NODES, EIRENE_ACCESSES, EIRENE_FROM_ROOT, EIRENE_ISSUED, EIRENE_COUNTS };
enum { EIRENE_LOOK_WORDS = ABL_PAIRS + 1 };

/* Pointers are into the memory of the device. */
typedef struct eirene_batch {
    size_t n, group;       /* requests; issued keys that one thread has */
    const uint32_t *asked; /* by request */
    uint32_t *keys;        /* issued: those that are looked for */
    uint32_t *owner;       /* by request: which issued key is its own; NULL: each has its own */
    uint32_t *answers;     /* by issued key: value, or ABL_NONE */
    uint32_t *results;     /* by request */
    uint64_t *counts;      /* EIRENE_COUNTS of them; EIRENE_ISSUED is known before the walk */
} eirene_batch;

/* Memory for sorting requests on a GPU, and for combining equal ones. */
typedef struct eirene_sort {
    uint32_t *numbers; /* 0 .. n-1 */
    uint32_t *sorted_keys, *sorted_numbers;
    uint64_t *heads; /* n */
    void *scratch;
    size_t scratch_bytes;
} eirene_sort;

/* A group's keys, in ascending order if there are several: from the leaf before, to the right, as far as a way from
 * the root would be; else from the root. Answers how many words were accessed. */
ABL_FN uint64_t eirene_group(abl_tree tree, const eirene_batch *batch, size_t group, uint64_t *nodes, uint64_t *roots)
{
    const abl_policy policy = {ABL_FROM_ROOT, ABL_PROACTIVE, ABL_LIGHT, ABL_FRESH};
    const uint64_t root = port_load(tree.shared + ABL_ROOT);
    const size_t issued = batch->counts[EIRENE_ISSUED], begin = group * batch->group;
    const size_t end = begin + batch->group < issued ? begin + batch->group : issued;
    uint64_t accesses = 1;
    uint32_t leaf = ABL_NONE;
    for (size_t i = begin; i < end; i++) {
        const uint32_t key = batch->keys[i];
        const bool aside = leaf != ABL_NONE;
        uint32_t node = aside ? leaf : (uint32_t)root, level = aside ? 0 : (uint32_t)(root >> 32);
        uint32_t steps = 0;
        abl_view view;
        *roots += !aside;
        for (;;) {
            abl_look(abl_node(tree, node), policy, &view);
            ++*nodes;
            accesses += EIRENE_LOOK_WORDS;
            if (key < view.high && level == 0) break;
            if (key >= view.high && (level > 0 || !aside || steps < (uint32_t)(root >> 32))) {
                node = view.right;
                steps++;
            } else if (key >= view.high) { /* too far */
                node = (uint32_t)root;
                level = (uint32_t)(root >> 32);
                ++*roots;
                steps = 0;
            } else {
                node = abl_child(&view, key);
                level--;
            }
        }
        const uint64_t pair = abl_match(&view, key);
        batch->answers[i] = pair == ABL_EMPTY ? ABL_NONE : (uint32_t)pair;
        accesses += 2;
        leaf = node;
    }
    return accesses;
}

/* The result of a request whose key others have too. Answers how many words were accessed. */
ABL_FN uint64_t eirene_deal(const eirene_batch *batch, size_t request)
{
    batch->results[request] = batch->answers[batch->owner[request]];
    return 3;
}

pleach_status eirene_scratch_cuda(size_t n, size_t *bytes);
pleach_status eirene_run_cuda(abl_tree tree, const eirene_batch *batch, const eirene_sort *sort, pleach_stream stream);

#ifdef __cplusplus
}
#endif
#endif
