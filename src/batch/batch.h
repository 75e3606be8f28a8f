/* batch/batch.h - applies an array of operations as if one after the other in array order, without latches. Include
 * after blink/blink.h. docs/batch.md has the drawings.
 *
 * STAGES. Each is a function of one index, which any number of workers can run for all indices in any order. All
 * workers pass a barrier between two stages. A worker is a CPU thread or a GPU thread.
 *
 *     select     the operations that interact with others: updates, queries of several keys, and finds of keys that
 *                some operation updates (a scan)
 *     read       the other operations: their results are those of the old map
 *     sort       the selected operations by key, and those of one key by their position in the batch
 *     combine    per key: what its operations do together (batch_function.h; a scan)
 *     lookup     per key: the leaf that covers it, and what the map holds before the batch
 *     resolve    per operation: its result, from what the map holds and what the operations before it do
 *     query      per range, count, successor, predecessor: from the old map and the operations before it; again for
 *                those that pass too many absent keys (batch_query.h, batch_live.h)
 *     edit       the keys whose state changes become edits of their leaves (a scan)
 *     runs       the edits of one leaf are a run, which belongs to exactly one worker (a scan)
 *     plan       per run: how many nodes its leaf becomes (a scan gives each new node its position and its id)
 *     build      per new node: its contents, out of the old leaf and the edits
 *                new nodes are edits of the level above: runs, plan and build again, up to the root and beyond it
 *     preserve   the leaves that live snapshots may read are copied (batch_keep.h; a scan)
 *     commit     per run, on all levels: the old node is overwritten with its first part
 *     rebalance  underfull neighbours are merged, and nodes that become free are freed (batch_rebalance.h; scans)
 *
 * NEW NODES        are numbered by a scan. The lowest numbers take their ids from the back of the pool's stock, its
 *                  array of free ids; the others get the never-allocated ids, in order.
 * ALL OR NOTHING   Before commit nothing is stored to a node that is reachable, and the number of nodes that a level
 *                  needs is known before the first of them is built. So a batch that lacks memory leaves the map
 *                  unchanged.
 * DETERMINISM      What a stage does at an index depends on the batch and the map only. So the same batch on the same
 *                  map makes the same tree, regardless of the number of workers.
 * CONCURRENCY      A batch passes the gate exclusively. Only queries at snapshots that were taken before it may run
 *                  concurrently (batch_keep.h).
 * MEMORY ORDERS    Within a stage no worker reads what another worker of the stage writes (the filter's bits are set by
 *                  port_mark, and read a stage later). After a barrier everything that was stored before it is visible
 *                  to all workers. The executor provides the barrier: the end of a kernel, a block's barrier, or
 *                  team_barrier.
 * PROGRESS         No other thread updates the map and no latch is contended, so a step never returns STEP_AGAIN, and
 *                  descents and walks to the right end as in blink.h. All workers pass the same barriers: what decides
 *                  whether there is another one is in `sizes`, which all of them read after a barrier.
 *
 * DEPARTURES FROM THE PAPERS. PALM (Sewall and others, 2011): reads are resolved from the old tree and the combined
 * functions, not in order by the owner of the leaf; as many workers build a node's parts as there are parts; new nodes
 * get their ids from a scan. Eirene (Zhang and others, 2023): ranges cost no artificial queries.
 */
#include "../level/level_thread.h"
#include "batch_function.h"

#include "../base/width.h"

/* Everything that a worker needs to reach a batch; copied by value into every worker and kernel. */
typedef struct batch_ref {
    map_thread map;
    batch_request r;

    uint64_t *filter; /* 2^filter_bits bits, initially zero */
    uint32_t filter_bits;
    uint32_t *mark;    /* by position in the batch: the position, BATCH_LISTED, BATCH_ONLY_ASKED */
    map_key *list_key; /* the selected operations, in the order of the batch */
    uint32_t *list_function;

    /* The selected operations in the order of keys. */
    map_key *op_key;
    uint32_t *op_function; /* what the operation does, and its position in the batch */
    batch_link *op_link;   /* inclusive scan */

    uint32_t *key_first; /* the key's first operation; one more element than keys */
    uint32_t *key_node;  /* the leaf that covers the key */
    map_key *key_value;  /* in the old map */
    uint8_t *key_flags;  /* BATCH_HAD, BATCH_HAS, BATCH_CHANGED */

    /* Edits of all levels, one level after the other: a key and the value that it gets. */
    map_key *edit_key, *edit_value;
    uint32_t *edit_node;
    uint8_t *edit_flags;
    batch_sums *edit_sums; /* inclusive scan, from the first edit of the level */
    uint32_t *run_first;   /* by run, in the same part of the array: its first edit */
    uint32_t *run_new;     /* new nodes of the runs up to and including this one */
    uint32_t edit_room;    /* capacity of the edit arrays */

    /* Rebalance: underfull nodes (cases). These arrays may lie in memory that earlier stages have used: case_keys[0],
     * case_node, case_first and case_freed where the keys' arrays were, case_keys[1] where the edits were. */
    map_key *case_keys[2];
    uint32_t *case_node;  /* the parent */
    uint32_t *case_first; /* list of the nodes below it that have become free, */
    uint32_t *case_freed; /* and its length */

    version_record *record;  /* NULL unless the map is versioned */
    version_state *versions;
    bool keeps;              /* a snapshot is live and may be queried concurrently */
    uint32_t *run_copy;      /* by run of leaves: copies up to and including its own; where the keys' arrays were */

    uint32_t patience; /* absent keys after which a query gives up, or skips if `live` is built */
    batch_live live;

    batch_sizes *sizes;
} batch_ref;

/* One worker calls this before all stages. */
PORT_FN void batch_begin(const batch_ref *b)
{
    batch_sizes *s = b->sizes;
    const pool_state *pool = &b->map.tree->pool;
    uint64_t next = port_load(&pool->next), capacity = port_load(&pool->capacity);
    s->ops = s->keys = s->seen = s->full = s->wide = s->tired = s->copies = s->tidied = s->cases = 0;
    s->differ = s->steps = 0;
    s->stock = s->stock_end = port_load(&pool->stock_end); /* batch_settle_stock has moved the ids to the front */
    s->next = next;
    s->first_id = (uint32_t)(next < capacity ? next : capacity);
    s->root = s->new_root = port_load(&b->map.tree->root);
    s->level[0].first_edit = s->level[0].edits = s->level[0].runs = s->level[0].first_node = s->level[0].nodes = 0;
}

PORT_FN uint32_t *batch_stock(const batch_ref *b) { return pool_stock(&b->map.tree->pool); }

/* Returns the id of new node number `node`. */
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
