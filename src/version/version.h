/* version/version.h - timestamps, live snapshots, and the old images of nodes that these can still ask for.
 *
 * LAYOUT
 *
 * The clock is a number that grows by one with every snapshot. A snapshot taken when the clock stood at s has timestamp
 * s: it shows what was done at timestamps up to s. Beside every node, by its id, there is a record:
 *
 *     node 7   since 5   older ---> node 12   since 3   older ---> node 9   since 0   older: none
 *     the newest image              old image, until 5             old image, until 3
 *
 * A node keeps its id and its place; an update that must not lose the old image copies it to a node of its own and puts
 * that behind. Snapshot s is shown by the first image in the row with since <= s.
 *
 * INVARIANTS
 *   V1  Along a row `since` falls strictly, and `until` of an old image is `since` of the image before it in the row.
 *   V2  The last image of a row has since = 0: every snapshot finds an image. So has a record that nobody wrote to yet.
 *   V3  An old image never changes, until no live snapshot is older than its `until`; then it may be returned.
 *   V4  oldest <= s < end for every live snapshot s, for everybody who has seen a clock beyond s.
 *   V5  Every old image is in exactly one list of kept images.
 *
 * WHO MAY RUN TOGETHER   everything here, by any number of agents. A record's since and older are written under its
 *                        node's latch, or while nobody knows the node.
 *
 * MEMORY ORDERS
 *   An update has its node latched before it reads the clock (port_settle), and a snapshot advances the clock before
 *   any of its queries looks at a node. So either the update sees the new clock, or the query finds the latch: no
 *   snapshot falls between an update's look at the clock and its stores.
 *   A snapshot is entered in oldest and end before the clock passes it (release), and an update reads the clock first
 *   and end after it (port_validate_fence): V4.
 *
 * PROGRESS   Taking and releasing a snapshot needs the latch of the list of snapshots for a few accesses per live
 *            timestamp; both answer false instead of waiting. Keeping and returning images is lock-free.
 */
#ifndef PLEACH_VERSION_H
#define PLEACH_VERSION_H

#include "../pool/pool.h"

enum { VERSION_STRIPES = 16, VERSION_LIVE = 4096 };

typedef struct version_record {
    uint64_t since;
    uint64_t older; /* id of the image before this one; 0: none */
    uint64_t until; /* of an old image */
    uint64_t next;  /* of an old image: the next one in its list of kept images */
} version_record;

typedef struct version_state {
    uint64_t clock;
    uint64_t reserved0[7];
    uint64_t end;    /* one more than the largest timestamp of a live snapshot; 0: none is live */
    uint64_t oldest; /* the smallest; UINT64_MAX: none is live */
    uint64_t latch;  /* of the table below */
    uint64_t live;   /* entries in use */
    uint64_t reserved1[4];
    struct {
        uint64_t head; /* id of the first kept image; 0: none */
        uint64_t images;
        uint64_t reserved[6];
    } kept[VERSION_STRIPES];
    uint64_t timestamp[VERSION_LIVE]; /* of each live snapshot, in no order */
} version_state;

/* What agents share about versions, as a part of their handle on a map. */
typedef struct versions {
    version_state *state;
    version_record *record; /* by node id */
} versions;

typedef enum version_answer { VERSION_DONE, VERSION_BUSY, VERSION_FULL } version_answer;

/* Zeros, but for this: nothing is live. */
static inline __attribute__((unused)) void version_begin(version_state *v) { v->oldest = UINT64_MAX; }

/* ---- snapshots ---- */

PORT_FN void version_bounds(version_state *v, uint64_t live)
{
    uint64_t end = 0, oldest = UINT64_MAX;
    for (uint64_t i = 0; i < live; i++) {
        uint64_t timestamp = port_load(&v->timestamp[i]);
        if (timestamp >= end) end = timestamp + 1;
        if (timestamp < oldest) oldest = timestamp;
    }
    port_store(&v->end, end);
    port_store(&v->oldest, oldest);
}

/* Linearized when the clock advances. BUSY: somebody has the list; ask again. FULL: too many are live. */
PORT_FN version_answer version_take(version_state *v, uint64_t *snapshot)
{
    if (!port_compare_swap(&v->latch, 0, 1)) return VERSION_BUSY;
    uint64_t live = port_load(&v->live), now = port_load(&v->clock);
    if (live < VERSION_LIVE) {
        port_store(&v->timestamp[live], now);
        port_store(&v->live, live + 1);
        port_store(&v->end, now + 1);
        if (live == 0) port_store(&v->oldest, now);
        port_store_release(&v->clock, now + 1); /* V4: the bounds are there before the clock passes them */
        port_settle(); /* queries with this snapshot look at nodes after it */
    }
    port_store_release(&v->latch, 0);
    *snapshot = now;
    return live < VERSION_LIVE ? VERSION_DONE : VERSION_FULL;
}

/* The snapshot was taken and not released yet. Images that only it could ask for may be returned afterwards. */
PORT_FN version_answer version_release(version_state *v, uint64_t snapshot)
{
    if (!port_compare_swap(&v->latch, 0, 1)) return VERSION_BUSY;
    uint64_t live = port_load(&v->live) - 1, at = 0;
    while (at < live && port_load(&v->timestamp[at]) != snapshot) at++;
    port_store(&v->timestamp[at], port_load(&v->timestamp[live]));
    port_store(&v->live, live);
    version_bounds(v, live);
    port_store_release(&v->latch, 0);
    return VERSION_DONE;
}

/* ---- kept images ---- */

PORT_FN void version_push(versions v, unsigned stripe, uint32_t first, uint32_t last, uint64_t images)
{
    uint64_t *head = &v.state->kept[stripe % VERSION_STRIPES].head;
    for (;;) {
        uint64_t old = port_load(head);
        port_store(&v.record[last].next, old);
        if (port_compare_swap(head, old, first)) break;
    }
    port_fetch_add(&v.state->kept[stripe % VERSION_STRIPES].images, images);
}

/* Takes a whole list: nobody else returns these images, and no list is mistaken for another (no ABA). */
PORT_FN uint32_t version_pop_all(versions v, unsigned stripe)
{
    uint64_t *head = &v.state->kept[stripe % VERSION_STRIPES].head;
    for (;;) {
        uint64_t old = port_load_acquire(head);
        if (old == 0 || port_compare_swap(head, old, 0)) return (uint32_t)old;
    }
}

#endif
