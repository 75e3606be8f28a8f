/* pleach/map.h - a concurrent ordered map (a B-link tree or a skiplist) on the CPU and on NVIDIA GPUs.
 *
 * INTRODUCTION
 *
 * A map holds unique unsigned keys in order, each with a value of the same width: 32 bits, 64 bits or, on the CPU
 * only, 128 bits, chosen when the map is created. The full range of keys and values is usable; none is reserved. A map
 * lives on one device: in host memory, where CPU threads work on it, or in GPU memory, where kernels do.
 *
 * There are three kinds of calls. All of them may be made concurrently on one map:
 *   - Array calls (pleach_map_put and others): n operations per call. On a CPU map the map's worker threads share them;
 *     on a GPU map a kernel runs them. They are synchronous with stream = PLEACH_SYNC, otherwise ordered on the given
 *     CUDA stream.
 *   - Single calls (…_one), from any number of threads. They work on GPU maps too, at one kernel launch per call.
 *   - Device-side calls from user kernels (pleach/map_device.cuh), through a view that the host opens.
 *
 * WHAT IS LINEARIZABLE
 *
 *   put, add, erase, find, contains   yes: each element takes effect at one instant between call and return.
 *   succ, pred, min, max              yes: a result that spans several leaves is revalidated before it is returned
 *                                     (docs/blink.md).
 *   range, range_limit, range_count   per leaf: each leaf (up to 14 adjacent keys) is read at one instant, different
 *                                     leaves at different instants. A key that is not updated during the call is always
 *                                     reported correctly. Versioned maps: yes, each query as a whole.
 *   size                              exact while no update is running; otherwise it may miss some updates. It is never
 *                                     negative.
 *   load, export, compact, clear,     exclusive (see THE GATE), so each call sees and leaves one state.
 *   validate, stats, batches
 *
 * The elements of one array call take effect one after another in an unspecified order, as if from many threads. This
 * includes equal keys in one call. Large or ordered arrays of updates are applied as a batch where that is faster,
 * which blocks other calls for that long (pleach_engine). Their order is unspecified then, too. If order matters, use
 * pleach_map_apply (pleach/batch.h).
 *
 * THE GATE
 *
 * load, export, compact, clear, stats, validate, batches (pleach/batch.h) and array updates that are applied as a batch
 * are exclusive calls. An exclusive call waits until all other calls, and the streams' work on this map, are done, and
 * blocks new calls until it returns. Snapshot queries (pleach/snapshot.h) are blocked by the others but not by batches.
 * A blocked call enters when the current exclusive call ends or, at the latest, at the end of the next one for which it
 * was awake, so a thread that issues exclusive calls in a loop cannot starve others. While a device view is open,
 * exclusive calls return PLEACH_E_BUSY at once, because the library cannot see when a user kernel ends; array updates
 * run as concurrent operations then. Never make an exclusive call from a stream callback.
 *
 * POINTERS
 *
 * Array arguments are arrays of uint32_t, uint64_t or pleach_key128, according to the map's key width. In place of
 * pleach_key128, arrays of unsigned __int128 may be passed; their layout is the same, and the alignment of uint64_t is
 * enough. A GPU map accepts host and device pointers, each argument independently, and stages where necessary; a CPU
 * map accepts host pointers. The library accesses the arrays only until the call returns (PLEACH_SYNC) or until the
 * stream has passed the call. Host memory used with a stream should be pinned; with pageable memory the call waits for
 * its copies. Arguments described as "may be NULL" are results that can be omitted. n = 0 succeeds and touches nothing.
 *
 * WHEN MEMORY RUNS OUT
 *
 * An update that needs a node when the pool is at its limit is not applied: its outcome is PLEACH_NOT_APPLIED, and the
 * call returns PLEACH_E_FULL. Other elements of the call may be applied, not necessarily a prefix of the array. Erasing
 * needs no memory unless a snapshot is live (pleach/snapshot.h). The map stays valid and usable. A batch
 * (pleach/batch.h) is applied as a whole or not at all; array updates that do not fit as a batch are retried as
 * concurrent operations.
 *
 * CAVEATS
 *
 * - Erased keys leave memory behind. Concurrent erases leave their nodes in place, even empty ones. A batch that erases
 *   merges the underfull nodes that it leaves, unless a snapshot is live; the nodes that it frees are reused, but stay
 *   allocated to the map. Remedy: pleach_map_compact rebuilds the map and returns the memory.
 * - The tree is not lock-free. Readers take no latch, and most lookups of a present key succeed whatever a writer does.
 *   But a reader that does not see its key, and every updater, waits while a writer is inside that leaf; in a versioned
 *   map every reader of that leaf does. A writer is inside for some tens of instructions. If the operating system
 *   preempts it there, all threads that need the leaf wait.
 * - succ, pred, min and max are slow across emptied leaves: they read the whole stretch at least twice, and again if it
 *   is updated concurrently. Remedy: compact after erasing much.
 * - The first two caveats do not apply to skiplists (PLEACH_SKIPLIST): erasing merges underfull chunks and reuses their
 *   memory as soon as no running call can be reading them, so a window of keys that moves keeps its size; and find is
 *   lock-free except for 64-bit keys on CPUs without AVX. The memory stays allocated to the map. But a skiplist at its
 *   limit may refuse inserts although chunks were merged away, as long as a thread may still be reading those chunks.
 *   Remedy: pleach_map_get_stats waits until none can.
 * - After fork the child may use and destroy its copy of every structure in host memory, of this and of the other
 *   headers, and must not touch structures on a GPU. The fork waits for calls in progress. Details: docs/limits.md.
 * - Waits end in sleep, so threads of different real-time priorities may share a processor. Priorities are not
 *   inherited.
 * - A thread that is cancelled inside a call finishes the call first. Asynchronous cancellation inside a call is not
 *   allowed, nor are calls from signal handlers.
 * - In host memory a structure orders the caller's own accesses: after a thread has found a key, it may read what the
 *   thread that put the key wrote before. ThreadSanitizer is informed of this order (docs/limits.md).
 * - On a GPU, operations do not order the caller's own accesses. Remedy: use fences to hand data over through a map.
 */
#ifndef PLEACH_MAP_H
#define PLEACH_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "operation.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pleach_map pleach_map;

/* A cudaStream_t, or PLEACH_SYNC for a call that returns when its work is done. For CUDA's default stream pass
 * cudaStreamLegacy or cudaStreamPerThread. */
typedef void *pleach_stream;
#define PLEACH_SYNC ((pleach_stream)0)

typedef enum pleach_device { PLEACH_CPU = 0, PLEACH_CUDA = 1 } pleach_device;

/* A key or a value of a map with 128-bit keys: high * 2^64 + low. */
typedef struct pleach_key128 {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    uint64_t high, low;
#else
    uint64_t low, high;
#endif
} pleach_key128;

/* How synchronous array updates (put, add, erase) are executed. A batch is faster, but blocks other calls while it
 * runs. Always concurrent operations are: updates on a stream, single calls, calls whose old_values overlap keys or
 * values, calls of more than 2^30 elements, and calls that cannot be a batch because a device view is open or memory
 * does not suffice for all of it. */
typedef enum pleach_engine {
    PLEACH_ENGINE_AUTO = 0,   /* whichever is faster, by the number of elements and their order: docs/batch.md */
    PLEACH_ENGINE_CALLS = 1,  /* as concurrent operations: other calls are never blocked */
    PLEACH_ENGINE_BATCHES = 2 /* as an exclusive batch (pleach/batch.h) wherever that is possible */
} pleach_engine;

/* The data structure. Both have the same operations and guarantees; docs/guide.md says when to prefer which. */
typedef enum pleach_structure {
    PLEACH_BLINK = 0,   /* a B-link tree */
    PLEACH_SKIPLIST = 1 /* a skiplist of chunks (docs/skiplist.md): 32- and 64-bit keys, no snapshots, no batches */
} pleach_structure;

/* Options. Zero everything, then set what you need: all zeros is a 64-bit map on the CPU. */
typedef struct pleach_map_config {
    pleach_device device;
    unsigned key_bits;      /* 32, 64 or, on the CPU, 128; 0 means 64 */
    unsigned threads;       /* CPU: worker threads for array calls, at most 1024; 0 means one per online CPU */
    int gpu;                /* CUDA: device ordinal */
    uint64_t max_bytes;     /* limit on node memory; 0: only the machine's (docs/limits.md, "Many structures") */
    uint64_t reserve_keys;  /* preallocate node memory for this many keys, so that calls need not grow the pool */
    unsigned versioned;     /* 1: snapshots can be taken (pleach/snapshot.h). 0: they cannot */
    pleach_engine engine;   /* of synchronous array updates */
    pleach_structure structure;
    /* The following are for skiplists; 0 means the value that is fastest in most cases. */
    unsigned chunk;         /* slots per chunk, two of which hold no pair: 16 or 32 */
    unsigned team;          /* CUDA: lanes of a warp that search a chunk together: 1, 2, 4, 8, 16 or 32 */
    double raise;           /* probability in (0, 1] that a new chunk is inserted on the level above (p_chunk); 0: 1 */
} pleach_map_config;

typedef struct pleach_map_stats {
    uint64_t keys;          /* keys in the map */
    uint64_t leaves;        /* leaf nodes, empty ones included */
    uint64_t inner;         /* inner nodes */
    uint64_t empty_leaves;  /* leaves that erasing has left without keys; compact removes them */
    uint64_t unposted;      /* nodes reachable only through a neighbour, because the pool was full at a split */
    uint64_t node_bytes;    /* bytes in nodes */
    uint64_t reserved_bytes;/* bytes of node memory allocated from the system */
    uint64_t snapshots;     /* versioned maps: live snapshots */
    uint64_t old_images;    /* nodes kept as old versions for live snapshots */
    uint64_t old_image_bytes;
    uint64_t held_back_bytes; /* part of old_image_bytes that releasing the oldest snapshot would free */
    uint64_t free_bytes;    /* in nodes that were in use and can be reused */
    uint64_t reclaimed_bytes; /* in nodes that were kept for snapshots and then reused, since the map was created */
    uint64_t zombies;       /* skiplist chunks merged away but not yet free: a thread may still read them */
    uint64_t restarts;      /* how often a skiplist query read a chunk again or restarted from the top */
    uint64_t shape;         /* a digest of all nodes and their contents: equal for equal trees */
    double fill;            /* keys / leaf slots */
    unsigned height;        /* levels, leaves included */
    unsigned key_bits;
} pleach_map_stats;

/* ---- lifetime ------------------------------------------------------------------------------------------------- */

/* Creates an empty map. config may be NULL (all defaults).
 * errors         ARGUMENT (key_bits, device, threads, versioned, engine or structure out of range; a GPU map with
 *                128-bit keys; max_bytes below eight nodes, or 32 chunks for a skiplist; a skiplist with 128-bit keys,
 *                versions or batches; chunk, team or raise out of range or set for a tree; out NULL), MEMORY, FULL
 *                (reserve_keys beyond the limit), NO_CUDA, NO_GPU, CUDA. On error *out is NULL. */
PLEACH_API pleach_status pleach_map_create(pleach_map **out, const pleach_map_config *config);

/* Frees the map and its memory; NULL is a no-op. Waits for the streams' work on this map.
 * concurrency    No other call may be in progress or start later, and no kernel may be using a view of the map. */
PLEACH_API void pleach_map_destroy(pleach_map *map);

/* ---- array updates ---------------------------------------------------------------------------------------------
 * memory         reads keys[n] and values[n]; writes outcomes[n] (pleach_outcome as bytes) and old_values[n], each of
 *                which may be NULL. old_values[i] is written only for REPLACED, EXISTS and ERASED. old_values may be
 *                the same array as values.
 * ordering       synchronous, or on the stream.
 * concurrency    with every call; exclusive calls wait. As a batch (pleach_engine) exclusive except for snapshot
 *                queries.
 * linearization  per element, at the store to its leaf under the leaf's latch; in a versioned map, at the read of the
 *                clock under that latch. As a batch: one element after another, while the batch runs.
 * progress       deadlock-free: a latch holder never waits.
 * cost           one descent per element; a split per seven or more inserts into a leaf. As a batch: docs/batch.md.
 * errors         ARGUMENT, SIZE, FULL (see above), POINTER, STREAM, MEMORY (staging; nothing applied), CUDA. On a
 *                stream FULL cannot be returned: check outcomes for NOT_APPLIED.
 */

/* Inserts or assigns: afterwards each key has its value. */
PLEACH_API pleach_status pleach_map_put(pleach_map *map, size_t n, const void *keys, const void *values,
                                        uint8_t *outcomes, void *old_values, pleach_stream stream);

/* Inserts if absent: a present key keeps its value. */
PLEACH_API pleach_status pleach_map_add(pleach_map *map, size_t n, const void *keys, const void *values,
                                        uint8_t *outcomes, void *old_values, pleach_stream stream);

/* Erases. Returns FULL only while a snapshot is live. */
PLEACH_API pleach_status pleach_map_erase(pleach_map *map, size_t n, const void *keys, uint8_t *outcomes,
                                          void *old_values, pleach_stream stream);

/* ---- array queries ---------------------------------------------------------------------------------------------
 * memory         as for updates. found[i] is 1 or 0; outputs for a key that is not found are not written.
 * ordering, concurrency, errors   as for updates.
 * linearization  find of a present key: the load of its leaf's header, or the store of the pair if that came later. Of
 *                an absent key: any instant while its leaf was read. Others: WHAT IS LINEARIZABLE, above.
 * progress       queries take no latch, but may wait for a writer inside a leaf (CAVEATS, above).
 * cost           one descent per element; ranges also read every leaf of their interval.
 */

/* values and found may each be NULL. */
PLEACH_API pleach_status pleach_map_find(pleach_map *map, size_t n, const void *keys, void *values, uint8_t *found,
                                         pleach_stream stream);

PLEACH_API pleach_status pleach_map_contains(pleach_map *map, size_t n, const void *keys, uint8_t *found,
                                             pleach_stream stream);

/* For each key the smallest key strictly above it, or the largest strictly below. out_keys, out_values and found may
 * each be NULL. */
PLEACH_API pleach_status pleach_map_succ(pleach_map *map, size_t n, const void *keys, void *out_keys,
                                         void *out_values, uint8_t *found, pleach_stream stream);
PLEACH_API pleach_status pleach_map_pred(pleach_map *map, size_t n, const void *keys, void *out_keys,
                                         void *out_values, uint8_t *found, pleach_stream stream);

/* counts[i] = number of keys in the closed interval [lo[i], hi[i]]; 0 if lo > hi. */
PLEACH_API pleach_status pleach_map_range_count(pleach_map *map, size_t n, const void *lo, const void *hi,
                                                uint64_t *counts, pleach_stream stream);

/* The first `limit` pairs of each interval. Those of query i are written to out_keys[i*limit ...] and
 * out_values[i*limit ...] (each may be NULL), their number, at most limit, to counts[i] (may be NULL).
 * errors         also SIZE if n*limit > 2^31, ARGUMENT if limit is zero. */
PLEACH_API pleach_status pleach_map_range_limit(pleach_map *map, size_t n, const void *lo, const void *hi,
                                                uint32_t limit, void *out_keys, void *out_values, uint32_t *counts,
                                                pleach_stream stream);

/* All pairs of all intervals, packed. limit = 0 means all, otherwise at most limit pairs per query.
 * memory         the pairs of query i are at offsets[i] .. offsets[i+1]-1 of out_keys and out_values, which have room
 *                for `capacity` elements. Each may be NULL; if both are, the call only counts and ignores capacity.
 *                offsets has n+1 elements, is host or device memory, and may be NULL only if n is 0. *total (host, may
 *                be NULL) is the number of pairs found.
 * ordering       always synchronous.
 * errors         also MEMORY (scratch memory, which it may need concurrently with fast writers) and SPACE (*total >
 *                capacity: offsets and *total are correct, the contents of out_keys and out_values are unspecified). */
PLEACH_API pleach_status pleach_map_range(pleach_map *map, size_t n, const void *lo, const void *hi, uint32_t limit,
                                          size_t capacity, void *out_keys, void *out_values, uint64_t *offsets,
                                          size_t *total);

/* ---- single calls ----------------------------------------------------------------------------------------------
 * The same operations for one key, from any thread, with the guarantees of the array calls.
 * memory         outcome, old_value, value, found, out_key and out_value may each be NULL.
 * ordering       synchronous.
 * errors         as for array calls, and WIDTH. Keys and values are passed as uint64_t whatever the map's width; WIDTH
 *                if one does not fit. In a map with 128-bit keys these calls reach keys and values below 2^64; WIDTH if
 *                a requested result is not below 2^64: it is not written, and an update has been applied as its outcome
 *                says. Remedy: an array call with n = 1, which also runs on the calling thread; for min and max,
 *                min_pair and max_pair.
 */
PLEACH_API pleach_status pleach_map_put_one(pleach_map *map, uint64_t key, uint64_t value, pleach_outcome *outcome,
                                            uint64_t *old_value);
PLEACH_API pleach_status pleach_map_add_one(pleach_map *map, uint64_t key, uint64_t value, pleach_outcome *outcome,
                                            uint64_t *old_value);
PLEACH_API pleach_status pleach_map_erase_one(pleach_map *map, uint64_t key, pleach_outcome *outcome,
                                              uint64_t *old_value);
PLEACH_API pleach_status pleach_map_find_one(pleach_map *map, uint64_t key, int *found, uint64_t *value);
PLEACH_API pleach_status pleach_map_contains_one(pleach_map *map, uint64_t key, int *found);
PLEACH_API pleach_status pleach_map_succ_one(pleach_map *map, uint64_t key, int *found, uint64_t *out_key,
                                             uint64_t *out_value);
PLEACH_API pleach_status pleach_map_pred_one(pleach_map *map, uint64_t key, int *found, uint64_t *out_key,
                                             uint64_t *out_value);
PLEACH_API pleach_status pleach_map_min(pleach_map *map, int *found, uint64_t *out_key, uint64_t *out_value);
PLEACH_API pleach_status pleach_map_max(pleach_map *map, int *found, uint64_t *out_key, uint64_t *out_value);

/* Minimum and maximum for every width: *out_key and *out_value have the map's width, as array elements do, so WIDTH
 * cannot occur. Each is host memory, may be NULL, and is not written if the map is empty. */
PLEACH_API pleach_status pleach_map_min_pair(pleach_map *map, int *found, void *out_key, void *out_value);
PLEACH_API pleach_status pleach_map_max_pair(pleach_map *map, int *found, void *out_key, void *out_value);

/* ---- whole-map calls -------------------------------------------------------------------------------------------
 * ordering       synchronous.
 * concurrency    exclusive, so BUSY while a device view is open; except key_bits, size and reserve. load, compact and
 *                clear also return BUSY while a snapshot is live (pleach/snapshot.h).
 */

/* Fills an empty map with n pairs. Input in ascending order is used directly; other input is copied and sorted first.
 * If a key occurs more than once, the last occurrence wins. fill in (0, 1] is how full leaves and inner nodes are made;
 * 0 means the default, 0.7, which leaves room for inserts; 1 is smallest and fastest to read.
 * errors         NOT_EMPTY (also for n = 0), ARGUMENT, SIZE, MEMORY, FULL, POINTER, CUDA. After any but NOT_EMPTY the
 *                map is still empty. */
PLEACH_API pleach_status pleach_map_load(pleach_map *map, size_t n, const void *keys, const void *values, double fill);

/* Writes all pairs in ascending order of keys. out_keys and out_values may each be NULL; if both are, the call only
 * counts and ignores capacity. *n (required, host) is the number of keys in the map.
 * errors         SPACE if *n > capacity: *n is set, and nothing else is written. */
PLEACH_API pleach_status pleach_map_export(pleach_map *map, size_t capacity, void *out_keys, void *out_values,
                                           size_t *n);

/* Returns 32, 64 or 128; 0 for NULL. */
PLEACH_API unsigned pleach_map_key_bits(const pleach_map *map);

PLEACH_API pleach_status pleach_map_size(pleach_map *map, uint64_t *size);
PLEACH_API pleach_status pleach_map_get_stats(pleach_map *map, pleach_map_stats *stats);

/* Preallocates node memory for `keys` keys in total, so that later inserts, including those from user kernels, need not
 * grow the pool. Safe to call concurrently with any other call.
 * errors         FULL if max_bytes does not allow it, or for more than 2^34 keys, which no map can hold; MEMORY if the
 *                machine does not have that much. */
PLEACH_API pleach_status pleach_map_reserve(pleach_map *map, uint64_t keys);

/* Rebuilds the tree with the given fill (as in load) and returns unused memory to the system. Needs memory for a copy
 * of the pairs while it runs. After MEMORY, or FULL (the limit does not allow this fill), the map is unchanged. */
PLEACH_API pleach_status pleach_map_compact(pleach_map *map, double fill);

/* Removes everything and returns the memory to the system. */
PLEACH_API pleach_status pleach_map_clear(pleach_map *map);

/* Checks every invariant of docs/blink.md and, for a versioned map, those of docs/versioned.md that can be checked
 * while no call is running. A GPU map's nodes are copied to the host for this.
 * errors         CORRUPT: the message (host memory, may be NULL) names the first invariant that fails and the node,
 *                such as "I2: ...". Otherwise the message is empty. */
PLEACH_API pleach_status pleach_map_validate(pleach_map *map, char *message, size_t message_size);

/* ---- device views ----------------------------------------------------------------------------------------------
 * What a kernel needs to work on a map; pass it by value. Open a view, launch kernels that use pleach/map_device.cuh,
 * wait for them, close the view. Any number of views may be open. Kernels cannot allocate memory: reserve first, and
 * check outcomes. */
typedef struct pleach_map_view {
    void *tree;       /* the tree's root and counters, device memory */
    void *nodes;      /* the node pool's base address */
    uint32_t key_bits;
    uint32_t reserved;
} pleach_map_view;

/* errors         ARGUMENT for a CPU map. */
PLEACH_API pleach_status pleach_map_view_open(pleach_map *map, pleach_map_view *view);
PLEACH_API pleach_status pleach_map_view_close(pleach_map *map, pleach_map_view *view);

#ifdef __cplusplus
}
#endif
#endif
