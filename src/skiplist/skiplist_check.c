#include "skiplist_check.h"

void skiplist_count_chunks(unsigned slots, unsigned key_bits, const blink_tree *tree, void *nodes,
                           blink_counts *counts)
{
    if (slots == 16)
        skiplist16_count_chunks(key_bits, tree, nodes, counts);
    else
        skiplist32_count_chunks(key_bits, tree, nodes, counts);
}

bool skiplist_validate(unsigned slots, unsigned key_bits, const blink_tree *tree, void *nodes, char *message,
                       size_t message_size)
{
    return slots == 16 ? skiplist16_validate(key_bits, tree, nodes, message, message_size)
                       : skiplist32_validate(key_bits, tree, nodes, message, message_size);
}
