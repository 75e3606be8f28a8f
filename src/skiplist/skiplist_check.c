#include "skiplist_check.h"

static const blink_checks *checks_of(unsigned slots, unsigned key_bits)
{
    if (slots == 16) return key_bits == 32 ? &skiplist16_checks_32 : &skiplist16_checks_64;
    return key_bits == 32 ? &skiplist32_checks_32 : &skiplist32_checks_64;
}

void skiplist_count_chunks(unsigned slots, unsigned key_bits, const blink_tree *tree, void *nodes,
                           blink_counts *counts)
{
    checks_of(slots, key_bits)->count_nodes(tree, nodes, counts);
}

bool skiplist_validate(unsigned slots, unsigned key_bits, const blink_tree *tree, void *nodes, char *message,
                       size_t message_size)
{
    return checks_of(slots, key_bits)->validate(tree, nodes, message, message_size);
}
