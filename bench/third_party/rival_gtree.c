/* rival_gtree.c - GTree of GLib (Debian's libglib2.0-dev), a balanced binary tree. Keys and values are 64 bits, as wide
 * as its pointers, and stand in their place. */
#include <glib.h>

#include "rival.h"

_Static_assert(sizeof(gpointer) == sizeof(uint64_t), "keys stand in the place of pointers");

static gint compare_keys(gconstpointer a, gconstpointer b, gpointer unused)
{
    (void)unused;
    return ((guintptr)a > (guintptr)b) - ((guintptr)a < (guintptr)b);
}

static gpointer pointer_of(uint64_t word) { return (gpointer)(guintptr)word; }

static void *gtree_create(const struct rival_needs *needs)
{
    (void)needs;
    return g_tree_new_full(compare_keys, NULL, NULL, NULL);
}

static void gtree_destroy(void *store) { g_tree_destroy(store); }

static bool gtree_get(void *store, unsigned thread, uint64_t key, uint64_t *value)
{
    gpointer at = NULL;
    (void)thread;
    if (!g_tree_lookup_extended(store, pointer_of(key), NULL, &at)) return false;
    *value = (guintptr)at;
    return true;
}

static bool gtree_put(void *store, unsigned thread, uint64_t key, uint64_t value)
{
    (void)thread;
    g_tree_insert(store, pointer_of(key), pointer_of(value));
    return true;
}

static size_t gtree_scan(void *store, unsigned thread, uint64_t from, size_t n, uint64_t *keys, uint64_t *values)
{
    size_t count = 0;
    (void)thread;
    for (GTreeNode *node = g_tree_lower_bound(store, pointer_of(from)); node != NULL && count < n; count++) {
        keys[count] = (guintptr)g_tree_node_key(node);
        values[count] = (guintptr)g_tree_node_value(node);
        node = g_tree_node_next(node);
    }
    return count;
}

static uint64_t gtree_count(void *store) { return (uint64_t)g_tree_nnodes(store); }

/* Four pointers and three bytes a node, in multiples of 16; GLib keeps free ones, so malloc cannot be asked. */
static uint64_t gtree_bytes(void *store) { return gtree_count(store) * 48; }

const struct rival rival_gtree = {
    .name = "gtree", .kind = RIVAL_PEER, .create = gtree_create, .destroy = gtree_destroy, .get = gtree_get,
    .put = gtree_put, .insert = gtree_put, .scan = gtree_scan, .count = gtree_count, .bytes = gtree_bytes,
};
