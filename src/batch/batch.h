/* batch/batch.h - an array of operations, applied as if one after the other in array order, without latches. Include
 * after blink/blink.h. docs/batch.md has the drawings.
 *
 * STAGES, each a function of one index, so that any number of agents can run it in any order; between two stages all
 * agents meet.
 *
 *     list      the operations that have to do with each other: updates, queries of several keys, and finds of keys
 *               that some operation updates (a scan)
 *     read      the others: their answers are the old map's
 *     sort      the listed operations by key, and those of one key by their place in the batch
 *     combine   per key: what its operations do together (batch_function.h; a scan)
 *     look      per key: the leaf that covers it, and what the map holds before the batch
 *     answer    per operation: its result, from what the map holds and what the operations before it do
 *     query     per range, count, successor, predecessor: from the old map and the operations before it; again for
 *               those that pass by too many keys that are not there (batch_query.h, batch_live.h)
 *     edit      the keys whose state changes become edits of their leaves (a scan)
 *     runs      the edits of one leaf are a run, which exactly one agent has (a scan)
 *     plan      per run: how many nodes its leaf becomes (a scan gives each new node its place and its id)
 *     build     per new node: its contents, out of the old leaf and the edits
 *               new nodes are edits of the level above: runs, plan and build again, up to the root and beyond it
 *     keep      what live snapshots may ask for is copied (batch_keep.h; a scan)
 *     commit    per run, on all levels: the old node is overwritten with its first part
 *     tidy      small neighbours are put together, nodes that are free are given back (batch_rebalance.h; scans)
 *
 * NEW NODES        have numbers, by a scan; the lowest numbers take their ids from the back of the pool's stock, the
 *                  others are the ids that were never taken, in order.
 * ALL OR NOTHING   Up to commit nothing is stored to a node that somebody knows, and it is known how many nodes are
 *                  needed before the first is built. So a batch that lacks memory leaves the map as it was.
 * DETERMINISM      What a stage does at an index depends on the batch and the map alone. So the same batch makes the
 *                  same tree, whatever the number of agents.
 * WHO MAY RUN      A batch runs alone: it passes the gate exclusively, but for queries at snapshots that were taken
 *                  before it (batch_keep.h).
 * MEMORY ORDERS    Within a stage nobody reads what another agent of the stage writes (the filter's bits are set by
 *                  port_mark, and read a stage later). Where agents meet, what was stored before is there for all: the
 *                  executor's business, a kernel's end, a block's barrier, or team_barrier.
 * PROGRESS         Nobody else is in the map and no latch is held, so a step never answers AGAIN, and descents and
 *                  walks to the right end as in blink.h. All agents come to the same meetings: what decides whether
 *                  there is another one is in `sizes`, which all read after a meeting.
 *
 * Departures from PALM (Sewall and others, 2011): reads are answered out of the old tree and the combined functions,
 * not in order under the leaf's owner; a node's parts are built by as many agents as there are parts; new nodes get
 * their ids from a scan. From Eirene (Zhang and others, 2023): ranges cost no artificial queries.
 */
#include "../version/version.h"
#include "batch_function.h"

#include "../base/width.h"

/* What an agent needs to know of a batch. */
typedef struct batch_ref {
    map_ref map;
    batch_request r;

    uint64_t *filter; /* 2^filter_bits bits, zeros at first */
    uint32_t filter_bits;
    uint32_t *mark;    /* by place in the batch: the place, BATCH_LISTED, BATCH_ONLY_ASKED */
    map_key *list_key; /* the listed operations, in the order of the batch */
    uint32_t *list_function;

    /* The same, in the order of keys. */
    map_key *op_key;
    uint32_t *op_function; /* what it does, and its place in the batch */
    batch_link *op_link;   /* after the scan: all up to and with this one */

    uint32_t *key_first; /* the key's first operation; one more element than keys */
    uint32_t *key_node;  /* the leaf that covers it */
    map_key *key_value;  /* in the old map */
    uint8_t *key_flags;  /* BATCH_HAD, BATCH_HAS, BATCH_CHANGED */

    /* Edits of all levels, one level after the other: a key and what it shall have. */
    map_key *edit_key, *edit_value;
    uint32_t *edit_node;
    uint8_t *edit_flags;
    batch_sums *edit_sums; /* up to and with this one, from the first edit of the level */
    uint32_t *run_first;   /* by run, at the same places: its first edit */
    uint32_t *run_new;     /* new nodes of the runs up to and with this one */
    uint32_t edit_room;    /* so many of them fit into the arrays */

    /* Tidy: nodes that have become small. These may be in memory that earlier stages have used: case_keys[0],
     * case_node, case_first and case_freed where the keys' arrays were, case_keys[1] where the edits were. */
    map_key *case_keys[2];
    uint32_t *case_node;  /* the parent */
    uint32_t *case_first; /* of the nodes below it that are free now, */
    uint32_t *case_freed; /* and how many these are */

    version_record *record;  /* of a map with versions; else NULL */
    version_state *versions;
    bool keeps;              /* a snapshot is live, and may be asked meanwhile */
    uint32_t *run_copy;      /* by run of leaves: copies up to and with its own; where the keys' arrays were */

    uint32_t patience; /* keys that are not there, after which a query gives up, or skips if `live` is built */
    batch_live live;

    batch_sizes *sizes;
} batch_ref;

/* Before anything else, by one agent. */
PORT_FN void batch_begin(const batch_ref *b)
{
    batch_sizes *s = b->sizes;
    const pool_state *pool = &b->map.tree->pool;
    uint64_t next = port_load(&pool->next), capacity = port_load(&pool->capacity);
    s->ops = s->keys = s->seen = s->full = s->wide = s->tired = s->copies = s->tidied = s->cases = 0;
    s->differ = s->steps = 0;
    s->stock = s->stock_end = port_load(&pool->stock_end); /* batch_settle_stock has moved it to the front */
    s->next = next;
    s->first_id = (uint32_t)(next < capacity ? next : capacity);
    s->root = s->new_root = port_load(&b->map.tree->root);
    s->level[0].first_edit = s->level[0].edits = s->level[0].runs = s->level[0].first_node = s->level[0].nodes = 0;
}

PORT_FN uint32_t *batch_stock(const batch_ref *b) { return pool_stock(&b->map.tree->pool); }

/* The id of new node number `node`. */
PORT_FN uint32_t batch_new_id(const batch_ref *b, uint32_t node)
{
    uint64_t stock = b->sizes->stock;
    return node < stock ? batch_stock(b)[stock - 1 - node] : b->sizes->first_id + (uint32_t)(node - stock);
}

#include "batch_stock.h"
#include "batch_list.h"
#include "batch_keys.h"
#include "batch_level.h"
#include "batch_keep.h"
#include "batch_commit.h"
#include "batch_rebalance.h"
#include "batch_live.h"
#include "batch_query.h"
