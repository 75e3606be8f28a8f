/* tree_host.c - see tree_host.h. */
#include "tree_host.h"

#include <stdlib.h>
#include <string.h>

#include "tools/common/mix.h"

uint64_t abl_key_sum(uint32_t key) { return mix64(key + 1); }

size_t abl_nodes_for(size_t n, size_t inserts)
{
    /* Nodes that are split are half full at least; a path of them is open at each end. */
    const size_t leaves = n / ABL_FILL + inserts / ABL_KEPT + 2;
    return leaves + leaves / (ABL_KEPT - 1) + 2 * ABL_LEVELS + 64;
}

bool abl_tree_create(abl_tree *tree, size_t capacity)
{
    const size_t bytes = ABL_WORDS * sizeof(uint64_t);
    *tree = (abl_tree){.capacity = capacity};
    tree->words = aligned_alloc(bytes, capacity * bytes);
    tree->shared = aligned_alloc(bytes, ABL_SHARED_WORDS * sizeof(uint64_t));
    if (tree->words != NULL && tree->shared != NULL) return true;
    abl_tree_destroy(tree);
    return false;
}

void abl_tree_destroy(abl_tree *tree)
{
    free(tree->words);
    free(tree->shared);
    *tree = (abl_tree){0};
}

/* ---- building ---- */

/* One level: nodes first .. first+count-1, of `pairs` pairs that pair_of answers. */
struct level {
    abl_tree *tree;
    const uint32_t *keys; /* of leaves */
    uint64_t below;       /* above: the first node of the level below */
    size_t pairs;
};

static uint64_t pair_of(const struct level *level, size_t i)
{
    if (level->keys != NULL) return abl_pair(level->keys[i], abl_value(level->keys[i]));
    const uint32_t child = (uint32_t)(level->below + i);
    return abl_pair(i == 0 ? 0 : abl_key(abl_node(*level->tree, child)[0]), child);
}

static size_t build_level(const struct level *level, uint64_t first)
{
    const size_t count = level->pairs == 0 ? 1 : (level->pairs + ABL_FILL - 1) / ABL_FILL;
    for (size_t n = 0; n < count; n++) {
        uint64_t *node = abl_node(*level->tree, (uint32_t)(first + n));
        const size_t begin = n * ABL_FILL, end = begin + ABL_FILL;
        const bool last = n + 1 == count;
        for (size_t i = 0; i < ABL_PAIRS; i++)
            node[i] = begin + i < end && begin + i < level->pairs ? pair_of(level, begin + i) : ABL_EMPTY;
        node[ABL_STATE] = 0;
        node[ABL_LINK] =
            last ? abl_pair(ABL_TOP, 0) : abl_pair(abl_key(pair_of(level, end)), (uint32_t)(first + n + 1));
    }
    return count;
}

void abl_tree_build(abl_tree *tree, const uint32_t *keys, size_t n)
{
    struct level level = {.tree = tree, .keys = keys, .pairs = n};
    uint64_t first = 0, height = 0;
    size_t count = build_level(&level, first);
    while (count > 1) {
        level = (struct level){.tree = tree, .below = first, .pairs = count};
        first += count;
        count = build_level(&level, first);
        height++;
    }
    memset(tree->shared, 0, ABL_SHARED_WORDS * sizeof tree->shared[0]);
    tree->shared[ABL_ROOT] = height << 32 | first;
    tree->shared[ABL_TAKEN] = first + 1;
}

/* ---- checking ---- */

/* By insertion: there are few, and those of a node that was made at once are in order already. */
static void sort_pairs(uint64_t pairs[ABL_PAIRS])
{
    for (size_t i = 1; i < ABL_PAIRS; i++) {
        const uint64_t pair = pairs[i];
        size_t at = i;
        for (; at > 0 && pairs[at - 1] > pair; at--) pairs[at] = pairs[at - 1];
        pairs[at] = pair;
    }
}

/* A node whose keys begin at *low, which becomes its high key. Its pairs come out in order. */
static const char *check_node(abl_tree tree, uint32_t id, uint32_t *low, uint64_t pairs[ABL_PAIRS], size_t *count)
{
    if (id >= tree.capacity) return "a node outside the memory";
    const uint64_t *node = abl_node(tree, id);
    const uint32_t high = abl_key(node[ABL_LINK]);
    if (node[ABL_STATE] != 0) return "a latch that nobody has let go of";
    memcpy(pairs, node, ABL_PAIRS * sizeof pairs[0]);
    sort_pairs(pairs);
    for (*count = 0; *count < ABL_PAIRS && pairs[*count] != ABL_EMPTY; ++*count) {
        const uint32_t key = abl_key(pairs[*count]);
        if (key < *low || key >= high) return "a key outside its node";
        if (*count > 0 && key == abl_key(pairs[*count - 1])) return "a key that is there twice";
    }
    *low = high;
    return NULL;
}

/* Every child is the node that its pair says: the level below, from left to right, is what the pairs name. */
static const char *check_children(abl_tree tree, const uint64_t *pairs, size_t count, uint32_t *child)
{
    for (size_t i = 0; i < count; i++) {
        if ((uint32_t)pairs[i] != *child) return "a child that is not named above";
        const uint64_t link = abl_node(tree, *child)[ABL_LINK];
        if (i + 1 < count && abl_key(link) != abl_key(pairs[i + 1])) return "a separator that is not the child's";
        *child = (uint32_t)link;
    }
    return NULL;
}

static void add_content(const uint64_t *pairs, size_t count, abl_content *content, const char **wrong)
{
    for (size_t i = 0; i < count; i++) {
        content->count++;
        content->sum += abl_key_sum(abl_key(pairs[i]));
        if ((uint32_t)pairs[i] != abl_value(abl_key(pairs[i]))) *wrong = "a value that is not its key's";
    }
}

/* The level whose leftmost node is *id, which becomes that of the level below. */
static const char *check_level(abl_tree tree, uint32_t *id, bool leaves, abl_content *content)
{
    uint64_t pairs[ABL_PAIRS];
    uint32_t low = 0, below = 0, at = *id;
    const char *wrong = NULL;
    for (uint64_t seen = 0; wrong == NULL; seen++) {
        size_t count = 0;
        wrong = seen > tree.capacity ? "a level without end" : check_node(tree, at, &low, pairs, &count);
        if (wrong != NULL) return wrong;
        if (!leaves && count == 0) return "an inner node without children";
        if (!leaves && seen == 0) *id = below = (uint32_t)pairs[0];
        if (leaves)
            add_content(pairs, count, content, &wrong);
        else
            wrong = check_children(tree, pairs, count, &below);
        if (low == ABL_TOP) break;
        at = (uint32_t)abl_node(tree, at)[ABL_LINK];
    }
    return wrong;
}

const char *abl_tree_check(abl_tree tree, abl_content *content)
{
    uint32_t id = (uint32_t)tree.shared[ABL_ROOT];
    const char *wrong = NULL;
    *content = (abl_content){0, 0};
    for (uint64_t level = (tree.shared[ABL_ROOT] >> 32) + 1; level-- > 0 && wrong == NULL;)
        wrong = check_level(tree, &id, level == 0, content);
    return wrong;
}
