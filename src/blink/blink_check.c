#include "blink_check.h"

#include "../node/node_format.h"

uint64_t blink_stripes_sum(const blink_tree *tree)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < BLINK_STRIPES; i++) sum += port_load(&tree->stripe[i].size);
    return sum;
}

uint64_t blink_size(const blink_tree *tree)
{
    uint64_t size = blink_stripes_sum(tree);
    /* An array call counts when it is done, so a concurrent reader may see more erasures than insertions. */
    return (int64_t)size < 0 ? 0 : size;
}

uint64_t blink_used_ids(const blink_tree *tree)
{
    uint64_t next = port_load(&tree->pool.next), capacity = port_load(&tree->pool.capacity);
    return next < capacity ? next : capacity;
}

static const blink_checks *checks_of(unsigned key_bits)
{
    return key_bits == 32 ? &blink_checks_32 : key_bits == 64 ? &blink_checks_64 : &blink_checks_128;
}

void blink_count_nodes(unsigned key_bits, const blink_tree *tree, void *nodes, blink_counts *counts)
{
    checks_of(key_bits)->count_nodes(tree, nodes, counts);
}

bool blink_validate(unsigned key_bits, const blink_tree *tree, void *nodes, char *message, size_t message_size)
{
    return checks_of(key_bits)->validate(tree, nodes, message, message_size);
}
