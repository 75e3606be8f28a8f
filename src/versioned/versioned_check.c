#include "versioned_check.h"

#include "../base/check_report.h"
#include "../node/node_sizes.h"
#include "../blink/blink_check.h"

typedef struct check {
    char *nodes;
    size_t node_bytes;
    versions versions;
    uint64_t used_ids;
    uint64_t oldest; /* no live snapshot is older */
    unsigned announce_words;
    check_report said;
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

/* V1 and V2, from a leaf to the end of its chain. Those below the oldest live snapshot may be reclaimed. */
static void check_row(check *c, uint64_t leaf)
{
    const version_record *record = c->versions.record;
    uint64_t oldest = c->oldest, since = record[leaf].since;
    if (since > c->versions.state->epoch.clock)
        complain(&c->said, "V1: node %llu is from the future", (unsigned long long)leaf);
    for (uint64_t id = record[leaf].older; since > oldest && !c->said.made; id = (uint32_t)record[id].older) {
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

static bool check_listed(check *c, uint64_t id, uint64_t *listed)
{
    if (is_image(c, id) && ++*listed <= c->used_ids) return true;
    complain(&c->said, "V5: node %llu is in a list of images, and is none", (unsigned long long)id);
    return false;
}

/* V5: lists and rings together have as many entries as there are old versions, and each entry is one. */
static void check_kept(check *c)
{
    const versions *v = &c->versions;
    uint64_t listed = 0, images = 0;
    for (unsigned stripe = 0; stripe < v->stripes; stripe++)
        for (uint64_t id = v->state->kept[stripe].head; id != 0; id = v->record[id].next)
            if (!check_listed(c, id, &listed)) return;
    for (uint64_t slot = 0; slot < v->epoch.slots; slot++) {
        const epoch_home *home = &v->epoch.home[slot];
        for (uint64_t at = home->head; at < home->tail; at++)
            if (!check_listed(c, epoch_entry(v->epoch, (uint32_t)slot, at)->id, &listed)) return;
    }
    for (uint64_t id = 1; id < c->used_ids; id++) {
        images += is_image(c, id);
        if (is_image(c, id) && (v->record[id].older & VERSION_LOCK))
            complain(&c->said, "V5: image %llu is locked", (unsigned long long)id);
    }
    if (listed != images)
        complain(&c->said, "V5: there are %llu old images, %llu in lists", (unsigned long long)images,
                 (unsigned long long)listed);
}

/* E2 and E3 of a quiescent map: no participant is inside, and no latch is held. */
static void check_epoch(check *c)
{
    const epoch_state *e = &c->versions.state->epoch;
    if (e->pin_latch || e->scan_latch) complain(&c->said, "the snapshots are latched");
    if (e->floor > e->clock) complain(&c->said, "E2: the floor is above the clock");
    for (uint64_t slot = 0; slot < e->claimed; slot++)
        if (c->versions.epoch.announce[slot * c->announce_words] != EPOCH_FREE)
            complain(&c->said, "E3: slot %llu is still an agent's", (unsigned long long)slot);
}

bool versioned_validate(unsigned key_bits, const blink_tree *tree, void *nodes, versions versions,
                        unsigned announce_words, char *message, size_t message_size)
{
    check c = {.nodes = nodes, .node_bytes = node_bytes_of(key_bits), .versions = versions,
               .used_ids = blink_used_ids(tree), .oldest = epoch_oldest(&versions.state->epoch),
               .announce_words = announce_words, .said = {.message = message, .message_size = message_size}};
    check_epoch(&c);
    for (uint64_t id = 1; id < c.used_ids && !c.said.made; id++)
        if (header_of(&c, id) != 0 && header_level(header_of(&c, id)) == 0) check_row(&c, id);
    check_kept(&c);
    return !c.said.made;
}

void versioned_oldest_two(const epoch_state *e, uint64_t *first, uint64_t *second)
{
    epoch_pins p = epoch_pins_open(e);
    uint64_t at = epoch_pins_next(p, 0), next = epoch_pins_next(p, at + 1);
    *first = at < p.room ? p.stamp[at] : UINT64_MAX;
    *second = next < p.room ? p.stamp[next] : UINT64_MAX;
}

uint64_t versioned_held_back(unsigned key_bits, const blink_tree *tree, void *nodes, versions versions)
{
    check c = {.nodes = nodes, .node_bytes = node_bytes_of(key_bits), .used_ids = blink_used_ids(tree)};
    uint64_t first, second, held = 0;
    versioned_oldest_two(&versions.state->epoch, &first, &second);
    for (uint64_t id = 1; id < c.used_ids && first != UINT64_MAX; id++)
        held += is_image(&c, id) && versions.record[id].until > first && versions.record[id].until <= second;
    return held;
}

uint64_t versioned_reclaimed(versions versions)
{
    uint64_t images = 0;
    for (unsigned i = 0; i < versions.stripes; i++) images += versions.state->kept[i].returned;
    for (uint64_t i = 0; i < versions.epoch.slots; i++) images += versions.epoch.home[i].head;
    return images;
}
