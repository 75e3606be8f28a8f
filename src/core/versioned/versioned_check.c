#include "versioned_check.h"

#include "../../base/complaint.h"
#include "../../node/node_sizes.h"
#include "../blink/blink_check.h"

typedef struct check {
    char *nodes;
    size_t node_bytes;
    versions versions;
    uint64_t used_ids;
    complaint said;
} check;

static uint64_t header_of(const check *c, uint64_t id)
{
    const uint64_t *node = (const uint64_t *)(c->nodes + id * c->node_bytes);
    return node[NODE_HEADER_SLOT * (c->node_bytes / NODE_SLOTS / 8)];
}

static bool is_image(const check *c, uint64_t id)
{
    return id != 0 && id < c->used_ids && header_level(header_of(c, id)) == NODE_OLD_IMAGE && header_of(c, id) != 0;
}

/* V1 and V2, from a leaf to the end of its row. What lies below the oldest live snapshot may have been returned. */
static void check_row(check *c, uint64_t leaf)
{
    const version_record *record = c->versions.record;
    uint64_t oldest = c->versions.state->oldest, since = record[leaf].since;
    if (since > c->versions.state->clock)
        complain(&c->said, "V1: node %llu is from the future", (unsigned long long)leaf);
    for (uint64_t id = record[leaf].older; since > oldest && !c->said.made; id = record[id].older) {
        if (!is_image(c, id)) {
            complain(&c->said, "V2: the row of node %llu ends at %llu, and a snapshot is older",
                     (unsigned long long)leaf, (unsigned long long)since);
            return;
        }
        if (record[id].since >= since || record[id].until != since)
            complain(&c->said, "V1: image %llu of node %llu lasts to %llu, the next one begins at %llu",
                     (unsigned long long)id, (unsigned long long)leaf, (unsigned long long)record[id].until,
                     (unsigned long long)since);
        since = record[id].since;
    }
}

/* V5, and that the images counted are those there are. */
static void check_kept(check *c)
{
    uint64_t listed = 0, counted = 0, images = 0;
    for (unsigned stripe = 0; stripe < VERSION_STRIPES; stripe++) {
        counted += c->versions.state->kept[stripe].images;
        for (uint64_t id = c->versions.state->kept[stripe].head; id != 0; id = c->versions.record[id].next) {
            if (!is_image(c, id) || ++listed > c->used_ids) {
                complain(&c->said, "V5: the list of kept images has %llu, which is none", (unsigned long long)id);
                return;
            }
        }
    }
    for (uint64_t id = 1; id < c->used_ids; id++) images += is_image(c, id);
    if (listed != images || counted != images)
        complain(&c->said, "V5: there are %llu old images, %llu in lists, %llu counted", (unsigned long long)images,
                 (unsigned long long)listed, (unsigned long long)counted);
}

bool versioned_validate(unsigned key_bits, const blink_tree *tree, void *nodes, versions versions, char *message,
                        size_t message_size)
{
    check c = {.nodes = nodes, .node_bytes = node_bytes_of(key_bits), .versions = versions,
               .used_ids = blink_used_ids(tree), .said = {.message = message, .message_size = message_size}};
    if (versions.state->latch) complain(&c.said, "the list of snapshots is latched");
    for (uint64_t id = 1; id < c.used_ids && !c.said.made; id++)
        if (header_of(&c, id) != 0 && header_level(header_of(&c, id)) == 0) check_row(&c, id);
    check_kept(&c);
    return !c.said.made;
}
