#include "blink_check.h"

#include "../base/check_report.h"
#include "../node/node_sizes.h"

static uint64_t stripes_sum(const blink_tree *tree)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < BLINK_STRIPES; i++) sum += port_load(&tree->stripe[i].size);
    return sum;
}

uint64_t blink_size(const blink_tree *tree)
{
    uint64_t size = stripes_sum(tree);
    /* An array call counts when it is done, so beside it more erasures than insertions may have been counted. */
    return (int64_t)size < 0 ? 0 : size;
}

uint64_t blink_used_ids(const blink_tree *tree)
{
    uint64_t next = port_load(&tree->pool.next), capacity = port_load(&tree->pool.capacity);
    return next < capacity ? next : capacity;
}

/* A walk over the whole tree. */
typedef struct check {
    const blink_tree *tree;
    void *nodes;
    uint64_t used_ids;
    uint64_t visited;
    uint64_t keys;
    uint64_t unposted;
    complaint said;
} check;

#define PLEACH_KEY_BITS 32
#include "blink_check_width.h"
#undef PLEACH_KEY_BITS
#define PLEACH_KEY_BITS 64
#include "blink_check_width.h"
#undef PLEACH_KEY_BITS
#define PLEACH_KEY_BITS 128
#include "blink_check_width.h"
#undef PLEACH_KEY_BITS

static uint64_t header_of(unsigned key_bits, const void *node)
{
    return key_bits == 32 ? header_load32(node) : key_bits == 64 ? header_load64(node) : header_load128(node);
}

static uint64_t shape_of(unsigned key_bits, const void *node)
{
    return key_bits == 32 ? node_shape32(node) : key_bits == 64 ? node_shape64(node) : node_shape128(node);
}

void blink_count_nodes(unsigned key_bits, const blink_tree *tree, void *nodes, blink_counts *counts)
{
    *counts = (blink_counts){0};
    uint64_t used = blink_used_ids(tree);
    for (uint64_t id = 1; id < used; id++) {
        const void *node = pool_address(nodes, (uint32_t)id, node_bytes_of(key_bits));
        uint64_t header = header_of(key_bits, node);
        if (header == 0) continue; /* skipped: P3 */
        if (header_level(header) == NODE_OLD_IMAGE) {
            counts->images++;
            continue;
        }
        counts->shape += shape_of(key_bits, node);
        if (header_level(header) > 0) {
            counts->inner++;
            continue;
        }
        counts->leaves++;
        counts->keys += header_count(header);
        counts->empty_leaves += header_count(header) == 0;
    }
}

bool blink_validate(unsigned key_bits, const blink_tree *tree, void *nodes, char *message, size_t message_size)
{
    check c = {.tree = tree, .nodes = nodes, .used_ids = blink_used_ids(tree),
               .said = {.message = message, .message_size = message_size}};
    if (message && message_size) message[0] = 0;
    if (key_bits == 32)
        check_tree32(&c);
    else if (key_bits == 64)
        check_tree64(&c);
    else
        check_tree128(&c);
    return !c.said.made;
}
