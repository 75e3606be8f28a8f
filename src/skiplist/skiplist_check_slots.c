/* skiplist/skiplist_check_slots.c - the validator for one size of chunks, PLEACH_NODE_SLOTS. */
#include "../base/check_report.h"
#include "skiplist_check.h"
#include "skiplist_format.h"

#if PLEACH_NODE_SLOTS == 16
#define SLOTS_NAME(name) skiplist16_##name
#else
#define SLOTS_NAME(name) skiplist32_##name
#endif
#define NUMBER(n) ((unsigned long long)(n))

/* A walk over all levels. */
typedef struct check {
    const blink_tree *tree;
    void *nodes;
    uint64_t used_ids, visited, keys;
    complaint said;
} check;

#define PLEACH_KEY_BITS 32
#include "skiplist_check_width.h"
#undef PLEACH_KEY_BITS
#define PLEACH_KEY_BITS 64
#include "skiplist_check_width.h"
#undef PLEACH_KEY_BITS

void SLOTS_NAME(count_chunks)(unsigned key_bits, const blink_tree *tree, void *nodes, blink_counts *counts)
{
    *counts = (blink_counts){0};
    uint64_t used = blink_used_ids(tree);
    for (uint64_t id = 1; id < used; id++) {
        if (key_bits == 32)
            count_chunk32(nodes, id, counts);
        else
            count_chunk64(nodes, id, counts);
    }
}

bool SLOTS_NAME(validate)(unsigned key_bits, const blink_tree *tree, void *nodes, char *message, size_t message_size)
{
    check c = {.tree = tree, .nodes = nodes, .used_ids = blink_used_ids(tree),
               .said = {.message = message, .message_size = message_size}};
    if (message && message_size) message[0] = 0;
    if (key_bits == 32)
        check_skiplist32(&c);
    else
        check_skiplist64(&c);
    return !c.said.made;
}
