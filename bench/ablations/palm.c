/* palm.c - see palm.h. */
#include "palm.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

bool palm_create(struct palm *tree, size_t n, size_t inserts)
{
    const size_t leaves = n / PALM_FILL + 1;
    const size_t most = PALM_BATCH + PALM_KEYS;
    /* A leaf takes ten keys at least before it is split; a batch finds room for a split by each of its keys. */
    tree->capacity = (uint32_t)(leaves + leaves / 10 + inserts / 8 + 2 * PALM_BATCH + 64);
    tree->nodes = aligned_alloc(sizeof tree->nodes[0], tree->capacity * sizeof tree->nodes[0]);
    tree->keys = malloc(most * sizeof tree->keys[0]);
    tree->below = malloc(most * sizeof tree->below[0]);
    tree->rising = malloc(most * sizeof tree->rising[0]);
    tree->risen = malloc(most * sizeof tree->risen[0]);
    bool good = tree->nodes != NULL && tree->keys != NULL && tree->below != NULL && tree->rising != NULL &&
                tree->risen != NULL;
    for (size_t level = 0; level < PALM_LEVELS; level++) {
        tree->ways[level] = malloc(PALM_BATCH * sizeof tree->ways[level][0]);
        good = good && tree->ways[level] != NULL;
    }
    return good;
}

void palm_destroy(struct palm *tree)
{
    free(tree->nodes);
    free(tree->keys);
    free(tree->below);
    free(tree->rising);
    free(tree->risen);
    for (size_t level = 0; level < PALM_LEVELS; level++) free(tree->ways[level]);
    *tree = (struct palm){0};
}

void palm_copy(struct palm *tree, const struct palm *from)
{
    memcpy(tree->nodes, from->nodes, from->taken * sizeof tree->nodes[0]);
    tree->root = from->root;
    tree->height = from->height;
    tree->taken = from->taken;
    tree->splits = tree->moved = tree->parents_written = 0;
}

/* ---- nodes ---- */

/* These loops have a fixed length, so that they become a few vector instructions. */

static uint32_t count_below(const struct palm_node *node, uint32_t key)
{
    uint32_t count = 0;
    for (size_t i = 0; i < PALM_KEYS; i++) count += node->keys[i] < key;
    return count;
}

static uint32_t child_of(const struct palm_node *node, uint32_t key)
{
    uint32_t count = 0;
    for (size_t i = 0; i < PALM_KEYS; i++) count += node->keys[i] <= key;
    return node->below[count - 1];
}

/* Where the key is in a leaf, or PALM_EMPTY. */
static uint32_t place_in_leaf(const struct palm_node *leaf, bool append, uint32_t key)
{
    if (!append) {
        const uint32_t at = count_below(leaf, key);
        return leaf->keys[at] == key ? at : PALM_EMPTY;
    }
    uint32_t place = 0; /* + 1 */
    for (uint32_t i = 0; i < PALM_KEYS; i++) place += leaf->keys[i] == key ? i + 1 : 0;
    return place - 1;
}

static void insert_at(struct palm_node *node, uint32_t at, uint32_t key, uint32_t below)
{
    memmove(node->keys + at + 1, node->keys + at, (node->count - at) * sizeof node->keys[0]);
    memmove(node->below + at + 1, node->below + at, (node->count - at) * sizeof node->below[0]);
    node->keys[at] = key;
    node->below[at] = below;
    node->count++;
}

static void erase_at(struct palm_node *node, uint32_t at)
{
    node->count--;
    memmove(node->keys + at, node->keys + at + 1, (node->count - at) * sizeof node->keys[0]);
    memmove(node->below + at, node->below + at + 1, (node->count - at) * sizeof node->below[0]);
    node->keys[node->count] = PALM_EMPTY;
}

static void write_node(struct palm_node *node, const uint32_t *keys, const uint32_t *below, size_t count)
{
    memset(node->keys, 0xff, sizeof node->keys);
    memcpy(node->keys, keys, count * sizeof keys[0]);
    memcpy(node->below, below, count * sizeof below[0]);
    node->count = (uint32_t)count;
}

/* ---- building ---- */

static uint32_t build_level(struct palm *tree, const uint32_t *keys, uint32_t below, size_t n)
{
    const size_t count = n == 0 ? 1 : (n + PALM_FILL - 1) / PALM_FILL;
    for (size_t i = 0; i < count; i++) {
        struct palm_node *node = &tree->nodes[tree->taken + i];
        const size_t begin = i * PALM_FILL, own = n - begin < PALM_FILL ? n - begin : PALM_FILL;
        uint32_t some_keys[PALM_FILL], some_below[PALM_FILL];
        for (size_t k = 0; k < own; k++) {
            const uint32_t child = below + (uint32_t)(begin + k);
            some_keys[k] = keys != NULL ? keys[begin + k] : begin + k == 0 ? 0 : tree->nodes[child].keys[0];
            some_below[k] = keys != NULL ? abl_value(keys[begin + k]) : child;
            if (keys == NULL) tree->nodes[child].parent = tree->taken + (uint32_t)i;
        }
        write_node(node, some_keys, some_below, own);
    }
    tree->taken += (uint32_t)count;
    return (uint32_t)count;
}

void palm_build(struct palm *tree, const uint32_t *keys, size_t n)
{
    tree->taken = tree->height = 0;
    uint32_t below = 0, count = build_level(tree, keys, 0, n);
    for (; count > 1; tree->height++) {
        const uint32_t first = tree->taken;
        count = build_level(tree, NULL, below, count);
        below = first;
    }
    tree->root = below;
    tree->nodes[below].parent = PALM_EMPTY;
}

/* ---- the way down ---- */

static uint32_t *way_at(const struct palm *tree, uint32_t level) { return tree->ways[tree->parents ? 0 : level]; }

/* Level by level, so that the processor waits for many nodes at a time. */
static void descend(struct palm *tree, const uint32_t *keys, size_t n)
{
    uint32_t *top = way_at(tree, tree->height);
    tree->way_height = tree->height;
    for (size_t i = 0; i < n; i++) top[i] = tree->root;
    for (uint32_t level = tree->height; level > 0; level--) {
        const uint32_t *from = way_at(tree, level);
        uint32_t *to = way_at(tree, level - 1);
        for (size_t i = 0; i < n; i++) to[i] = child_of(&tree->nodes[from[i]], keys[i]);
    }
}

void palm_find(struct palm *tree, const uint32_t *keys, size_t n, uint32_t *values)
{
    descend(tree, keys, n);
    for (size_t i = 0; i < n; i++) {
        const struct palm_node *leaf = &tree->nodes[way_at(tree, 0)[i]];
        const uint32_t at = place_in_leaf(leaf, tree->append, keys[i]);
        values[i] = at == PALM_EMPTY ? PALM_EMPTY : leaf->below[at];
    }
}

/* ---- splits ---- */

/* The parent of a node of a level, which the operation has passed through. Nodes above the root that there was on the
 * way down are roots. */
static uint32_t parent_of(const struct palm *tree, uint32_t node, uint32_t level, uint32_t op)
{
    if (tree->parents) return tree->nodes[node].parent;
    return level + 1 > tree->way_height ? tree->root : way_at(tree, level + 1)[op];
}

static void grow_root(struct palm *tree)
{
    const uint32_t root = tree->taken++, lowest = 0;
    write_node(&tree->nodes[root], &lowest, &tree->root, 1);
    tree->nodes[root].parent = PALM_EMPTY;
    tree->nodes[tree->root].parent = root;
    tree->root = root;
    tree->height++;
}

static void adopt_children(struct palm *tree, uint32_t node)
{
    for (uint32_t i = 0; i < tree->nodes[node].count; i++) tree->nodes[tree->nodes[node].below[i]].parent = node;
    tree->parents_written += tree->nodes[node].count;
}

/* The node becomes one or more, of what tree->keys and tree->below have. Those after the first rise. */
static void spread_out(struct palm *tree, uint32_t node, uint32_t level, uint32_t op, size_t total)
{
    const size_t pieces = total <= PALM_DEGREE ? 1 : (total + PALM_FILL - 1) / PALM_FILL;
    if (pieces > 1 && node == tree->root) grow_root(tree);
    const uint32_t parent = pieces > 1 ? parent_of(tree, node, level, op) : 0;
    for (size_t piece = 0; piece < pieces; piece++) {
        const size_t begin = total * piece / pieces, end = total * (piece + 1) / pieces;
        const uint32_t id = piece == 0 ? node : tree->taken++;
        write_node(&tree->nodes[id], tree->keys + begin, tree->below + begin, end - begin);
        if (piece == 0) continue;
        tree->risen[tree->risen_count++] = (struct palm_rise){tree->keys[begin], id, parent, op};
        tree->splits++;
        if (!tree->parents) continue;
        tree->nodes[id].parent = parent; /* unless that one is split now */
        tree->parents_written++;
        if (level > 0) adopt_children(tree, id);
    }
}

/* ---- leaves ---- */

static void sort_leaf(struct palm_node *leaf)
{
    for (uint32_t i = 1; i < leaf->count; i++) {
        const uint32_t key = leaf->keys[i], value = leaf->below[i];
        uint32_t at = i;
        for (; at > 0 && leaf->keys[at - 1] > key; at--) {
            leaf->keys[at] = leaf->keys[at - 1];
            leaf->below[at] = leaf->below[at - 1];
        }
        leaf->keys[at] = key;
        leaf->below[at] = value;
    }
}

static bool is_insert(uint32_t key) { return key % 2 == 1; }

static uint8_t update_leaf(struct palm *tree, struct palm_node *leaf, uint32_t key)
{
    const uint32_t at = place_in_leaf(leaf, tree->append, key);
    if (is_insert(key) == (at != PALM_EMPTY)) {
        if (is_insert(key)) leaf->below[at] = abl_value(key);
        return 0;
    }
    if (is_insert(key)) {
        const uint32_t to = tree->append ? leaf->count : count_below(leaf, key);
        tree->moved += leaf->count - to;
        insert_at(leaf, to, key, abl_value(key));
    } else if (tree->append) {
        leaf->count--;
        leaf->keys[at] = leaf->keys[leaf->count];
        leaf->below[at] = leaf->below[leaf->count];
        leaf->keys[leaf->count] = PALM_EMPTY;
        tree->moved += at < leaf->count;
    } else {
        erase_at(leaf, at);
        tree->moved += leaf->count - at;
    }
    return 1;
}

/* The leaf's pairs and a group's operations, both in order, into tree->keys and tree->below. Answers how many. */
static size_t merge_leaf(struct palm *tree, const struct palm_node *leaf, const uint32_t *keys, size_t n,
                         uint8_t *answers)
{
    size_t total = 0, at = 0;
    for (size_t i = 0; i <= n; i++) {
        for (; at < leaf->count && (i == n || leaf->keys[at] < keys[i]); at++, total++) {
            tree->keys[total] = leaf->keys[at];
            tree->below[total] = leaf->below[at];
        }
        if (i == n) break;
        const bool there = at < leaf->count && leaf->keys[at] == keys[i];
        at += there;
        answers[i] = is_insert(keys[i]) != there;
        if (!is_insert(keys[i])) continue;
        tree->keys[total] = keys[i];
        tree->below[total++] = abl_value(keys[i]);
    }
    return total;
}

static void update_group(struct palm *tree, uint32_t id, const uint32_t *keys, size_t begin, size_t end,
                         uint8_t *answers)
{
    struct palm_node *leaf = &tree->nodes[id];
    size_t inserts = 0;
    for (size_t i = begin; i < end; i++) inserts += is_insert(keys[i]);
    if (leaf->count + inserts <= PALM_DEGREE) {
        for (size_t i = begin; i < end; i++) answers[i] = update_leaf(tree, leaf, keys[i]);
        return;
    }
    if (tree->append) sort_leaf(leaf);
    const size_t total = merge_leaf(tree, leaf, keys + begin, end - begin, answers + begin);
    spread_out(tree, id, 0, (uint32_t)begin, total);
}

/* ---- inner nodes ---- */

static void take_group(struct palm *tree, uint32_t level, const struct palm_rise *group, size_t n)
{
    struct palm_node *node = &tree->nodes[group->parent];
    if (node->count + n <= PALM_DEGREE) {
        for (size_t i = 0; i < n; i++) insert_at(node, count_below(node, group[i].key), group[i].key, group[i].child);
        return;
    }
    size_t total = 0;
    for (size_t i = 0, at = 0; i < n || at < node->count; total++) {
        const bool own = at < node->count && (i == n || node->keys[at] < group[i].key);
        tree->keys[total] = own ? node->keys[at] : group[i].key;
        tree->below[total] = own ? node->below[at] : group[i].child;
        at += own;
        i += !own;
    }
    spread_out(tree, group->parent, level, group->op, total);
}

static void climb(struct palm *tree)
{
    for (uint32_t level = 1; tree->risen_count > 0; level++) {
        struct palm_rise *rising = tree->risen;
        const size_t count = tree->risen_count;
        tree->risen = tree->rising;
        tree->rising = rising;
        tree->risen_count = 0;
        for (size_t begin = 0, end; begin < count; begin = end) {
            for (end = begin + 1; end < count && rising[end].parent == rising[begin].parent; end++) continue;
            take_group(tree, level, rising + begin, end - begin);
        }
    }
}

bool palm_update(struct palm *tree, const uint32_t *keys, size_t n, uint8_t *answers)
{
    if (tree->taken + n + n / 8 + 64 > tree->capacity || tree->height + 5 > PALM_LEVELS) return false;
    descend(tree, keys, n);
    const uint32_t *leaves = way_at(tree, 0);
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && leaves[end] == leaves[begin]; end++) continue;
        update_group(tree, leaves[begin], keys, begin, end, answers);
    }
    climb(tree);
    return true;
}

/* ---- checking ---- */

static const char *check_node(const struct palm *tree, uint32_t id, uint32_t level, uint64_t low, uint64_t high,
                              abl_content *content)
{
    struct palm_node node = tree->nodes[id];
    const char *wrong = NULL;
    if (node.count > PALM_DEGREE || (level > 0 && node.count == 0)) return "a node of a wrong size";
    if (level == 0) sort_leaf(&node);
    for (uint32_t i = 0; i < node.count && wrong == NULL; i++) {
        const uint32_t key = node.keys[i];
        if (key < low || key >= high || (i > 0 && key <= node.keys[i - 1])) return "a key outside its place";
        if (level == 0) {
            content->count++;
            content->sum += abl_key_sum(key);
            if (node.below[i] != abl_value(key)) return "a value that is not its key's";
            continue;
        }
        if (node.below[i] >= tree->taken) return "a child outside the memory";
        if (tree->parents && tree->nodes[node.below[i]].parent != id) return "a child of another parent";
        wrong = check_node(tree, node.below[i], level - 1, key, i + 1 < node.count ? node.keys[i + 1] : high, content);
    }
    return wrong;
}

const char *palm_check(const struct palm *tree, abl_content *content)
{
    *content = (abl_content){0, 0};
    return check_node(tree, tree->root, tree->height, 0, UINT64_MAX, content);
}
