/* pleach/map.h - the concurrent ordered map (a B-link tree, or a skiplist), on the CPU and on NVIDIA GPUs.
 *
 * INTRODUCTION
 *
 * A map holds unique unsigned keys in order, each with a value as wide as the key: 32 bits, 64 bits or, on the CPU
 * only, 128 bits, chosen when the map is created. The full range of both is usable; no key or value is reserved. A map
 * lives on one device: in host memory, worked on by CPU threads, or in GPU memory, worked on by kernels.
 *
 * There are three ways in, and all of them may be used at the same time on one map:
 *   - array calls (pleach_map_put and its kin): n operations in one call. On a CPU map the map's worker threads
 *     share them; on a GPU map a kernel runs them. They are synchronous with stream = PLEACH_SYNC, else ordered
 *     on the given CUDA stream.
 *   - single calls (…_one) from any number of threads. They work on GPU maps too, at a launch per call.
 *   - device-side calls from your own kernels (pleach/map_device.cuh), through a view opened by the host.
 *
 * WHAT IS LINEARIZABLE
 *
 *   put, add, erase, find, contains   yes: each element takes effect at one instant between call and return.
 *   succ, pred, min, max              yes: an answer that crossed leaves is checked again, see docs/blink.md.
 *   range, range_limit, range_count   each leaf (up to 14 neighbouring keys) is read at one instant; different
 *                                     leaves at different instants. Keys that nobody updates during the call are
 *                                     always right. Of a versioned map: yes, each query as a whole.
 *   size                              exact when no update is running; else the count of some updates is missing, and
 *                                     never negative.
 *   load, export, compact, clear,     run alone (see THE GATE), so they see and leave one state.
 *   validate, stats, batches
 *
 * Elements of one array call take effect one after the other in an unspecified order, as if from many threads;
 * so do equal keys in one call. Large or ordered arrays of updates are applied as a batch where that is faster, which
 * holds other calls back for as long: see pleach_engine. Their order is not promised then either; where it matters, use
 * pleach_map_apply (pleach/batch.h).
 *
 * THE GATE
 *
 * load, export, compact, clear, stats, validate and batches (pleach/batch.h) wait until all other calls (and the
 * streams' work on this map) are done and hold newcomers back while they run. So do array updates that are applied as a
 * batch. Queries at snapshots (pleach/snapshot.h) are not held back by batches, only by the others. A call that is held
 * back goes in when such a call ends or, at the latest, when the next one does for which it was awake: a thread that
 * makes one after the other keeps nobody out. While a device view is open they answer PLEACH_E_BUSY at once, because the
 * library cannot see when your kernel ends; array updates are concurrent operations then. Do not call them from a stream
 * callback.
 *
 * POINTERS
 *
 * Array arguments are arrays of uint32_t, of uint64_t or of pleach_key128, by the map's key width. Those may as well be
 * arrays of unsigned __int128, which has the same layout, aligned as uint64_t is. A GPU map takes host pointers and
 * device pointers alike, each argument by itself, and stages what it must; a CPU map takes host pointers. The
 * library reads and writes them only until the call returns (PLEACH_SYNC) or until the stream has passed the call.
 * Host memory used with a stream should be pinned; with pageable memory the call waits for its copies.
 * Arguments named "may be NULL" are results you can leave out. n = 0 is success and touches nothing.
 *
 * WHEN MEMORY RUNS OUT
 *
 * An update that needs a node when the pool is at its limit is not applied, and says so in its element's outcome
 * (PLEACH_NOT_APPLIED). Other elements of the call may be applied; no prefix is promised; the call answers
 * PLEACH_E_FULL. Erasing needs no memory, unless a snapshot is live (pleach/snapshot.h). The map stays valid and
 * usable. A batch (pleach/batch.h) is applied as a whole or not at all; array updates that do not fit as a batch are
 * tried as concurrent operations.
 *
 * CAVEATS
 *
 * - Erasing by concurrent operations leaves nodes in place, also empty ones. A batch that erases puts the small nodes
 *   that it leaves together, unless a snapshot is live; nodes that become free are used again, but stay the map's.
 *   pleach_map_compact rebuilds the map and gives memory back.
 * - The tree is not lock-free: readers take no latch, and most that look for a present key find it whatever a writer
 *   is doing, but a reader that does not see its key, and every updater, waits while a writer is inside that leaf.
 *   A writer is inside for some tens of instructions; if the operating system stops it just there, those who need
 *   the same leaf wait. In a versioned map every reader of that leaf does.
 * - succ, pred, min and max over a stretch of emptied leaves read all of it, at least twice, and start again when
 *   somebody updates it meanwhile. Compact after erasing much.
 * - Of a skiplist (PLEACH_SKIPLIST) the first two do not hold: erasing merges small chunks and uses their memory again,
 *   and finds are lock-free, but for 64-bit keys on CPUs without AVX. At its limit it may refuse inserts though chunks
 *   were merged away, as long as somebody may still look at those; pleach_map_get_stats waits for that.
 * - After fork the child may use and destroy its copy of every structure in host memory, of this and of the other
 *   headers, and must leave those on a GPU alone. The fork waits for calls that run. docs/limits.md has the details.
 * - Waits end in sleep, so threads of different real-time priorities may share a processor. Priorities are not inherited.
 * - A thread that is cancelled inside a call finishes it first. Asynchronous cancellation inside a call, and calls from
 *   signal handlers, are not allowed.
 * - In host memory a structure orders your own accesses: what a thread wrote before it put a key, another may read
 *   after it has found the key. ThreadSanitizer knows this too (docs/limits.md).
 * - Operations do not order your own memory accesses on a GPU: to hand data over through a map there, use fences.
 */
#ifndef PLEACH_MAP_H
#define PLEACH_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pleach_map pleach_map;

/* A cudaStream_t, or PLEACH_SYNC for a call that returns when its work is done. To name CUDA's default stream
 * pass cudaStreamLegacy or cudaStreamPerThread. */
typedef void *pleach_stream;
#define PLEACH_SYNC ((pleach_stream)0)

typedef enum pleach_device { PLEACH_CPU = 0, PLEACH_CUDA = 1 } pleach_device;

/* A key, or a value, of a map with 128-bit keys: the number high * 2^64 + low. */
typedef struct pleach_key128 {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    uint64_t high, low;
#else
    uint64_t low, high;
#endif
} pleach_key128;

/* What happened to one element of an update. */
typedef enum pleach_outcome {
    PLEACH_NOT_APPLIED = 0, /* the pool was full: the map does not know this element */
    PLEACH_INSERTED = 1,    /* the key was absent and is now present */
    PLEACH_REPLACED = 2,    /* put: the key was present; its old value is reported */
    PLEACH_EXISTS = 3,      /* add: the key was present and keeps its value, which is reported as old */
    PLEACH_ERASED = 4,      /* erase: the key was present; its old value is reported */
    PLEACH_ABSENT = 5       /* erase: the key was absent */
} pleach_outcome;

/* How synchronous array updates (put, add, erase) are carried out. A batch holds other calls back while it runs; that
 * is the price of its speed. Updates on a stream, single calls, calls whose old_values overlap keys or values, and
 * those of more than 2^30 elements are always concurrent operations. So is what cannot be a batch, because a device
 * view is open or there is not enough memory for all of it. */
typedef enum pleach_engine {
    PLEACH_ENGINE_AUTO = 0,   /* whichever is faster, by the number of elements and their order: docs/batch.md */
    PLEACH_ENGINE_CALLS = 1,  /* as concurrent operations: others are never held up */
    PLEACH_ENGINE_BATCHES = 2 /* as a batch (pleach/batch.h), alone in the map, wherever that is possible */
} pleach_engine;

/* What a map is made of. Both have the same operations and guarantees; docs/guide.md says when to prefer which. */
typedef enum pleach_structure {
    PLEACH_BLINK = 0,   /* a B-link tree */
    PLEACH_SKIPLIST = 1 /* a skiplist of chunks (docs/skiplist.md): 32- and 64-bit keys, no snapshots, no batches */
} pleach_structure;

/* Options. Zero everything, then set what you need: all zeros is a 64-bit map on the CPU. */
typedef struct pleach_map_config {
    pleach_device device;
    unsigned key_bits;      /* 32, 64 or, on the CPU, 128; 0 means 64 */
    unsigned threads;       /* CPU: worker threads of array calls; 0 means one per online CPU; at most 1024 */
    int gpu;                /* CUDA: device ordinal */
    uint64_t max_bytes;     /* limit on node memory; 0 means no limit but the machine's */
    uint64_t reserve_keys;  /* have node memory ready for so many keys, so that no call has to get it */
    unsigned versioned;     /* 1: snapshots can be taken (pleach/snapshot.h). 0: they cannot */
    pleach_engine engine;   /* of synchronous array updates */
    pleach_structure structure;
    /* The rest is for skiplists; 0 means the fastest in most cases. */
    unsigned chunk;         /* slots of a chunk, two of which hold no pair: 16 or 32 */
    unsigned team;          /* CUDA: lanes of a warp that search a chunk together: 1, 2, 4, 8, 16 or 32 */
    double raise;           /* the chance, in (0, 1], that a new chunk is entered on the level above (p_chunk); 0: 1 */
} pleach_map_config;

typedef struct pleach_map_stats {
    uint64_t keys;          /* keys in the map */
    uint64_t leaves;        /* leaf nodes, empty ones included */
    uint64_t inner;         /* inner nodes */
    uint64_t empty_leaves;  /* leaves left without a key by erasing; compact removes them */
    uint64_t unposted;      /* nodes reachable only through a neighbour, because the pool was full at a split */
    uint64_t node_bytes;    /* bytes in nodes */
    uint64_t reserved_bytes;/* bytes of node memory held from the machine */
    uint64_t snapshots;     /* live ones; a versioned map */
    uint64_t old_images;    /* nodes kept for live snapshots */
    uint64_t old_image_bytes;
    uint64_t held_back_bytes; /* of these, what would be free if the oldest snapshot were released */
    uint64_t free_bytes;    /* of nodes that were in use and wait to be used again */
    uint64_t reclaimed_bytes; /* of nodes that were kept for snapshots and used again, since the map was made */
    uint64_t zombies;       /* chunks of a skiplist that were merged away and are not free yet: somebody may look */
    uint64_t restarts;      /* how often a query of a skiplist read a chunk again, or began anew from the top */
    uint64_t shape;         /* a digest of all nodes and what they hold: the same for the same tree */
    double fill;            /* keys / leaf slots */
    unsigned height;        /* levels, leaves included */
    unsigned key_bits;
} pleach_map_stats;

/* ---- life ---------------------------------------------------------------------------------------------------- */

/* Creates an empty map. config may be NULL (all defaults).
 * Errors: ARGUMENT (key_bits, device, threads, versioned, engine or structure out of range, a GPU map with 128-bit
 * keys, max_bytes below eight nodes (of a skiplist: 32 chunks), a skiplist with 128-bit keys, versions or batches,
 * chunk, team or raise out of range or set for a tree, out NULL), MEMORY, FULL (reserve_keys beyond the limit),
 * NO_CUDA, NO_GPU, CUDA. On error *out is NULL. */
PLEACH_API pleach_status pleach_map_create(pleach_map **out, const pleach_map_config *config);

/* Frees the map and its memory; NULL is allowed. No other call may be running or come later, and no kernel may be using
 * a view of it. Waits for the streams' work on this map. */
PLEACH_API void pleach_map_destroy(pleach_map *map);

/* ---- array updates ---------------------------------------------------------------------------------------------
 * memory         keys[n] and values[n] are read; outcomes[n] (pleach_outcome as bytes) and old_values[n] are
 *                written and may be NULL. old_values[i] is written only for REPLACED, EXISTS and ERASED.
 *                old_values may be the same array as values.
 * ordering       synchronous, or on the stream.
 * concurrency    with every call; exclusive calls wait. As a batch alone, but for queries at snapshots: pleach_engine.
 * linearization  each element by itself, when its leaf is stored to under the leaf's latch; in a versioned map when the
 *                clock is read under that latch. As a batch: all one after the other, while it runs.
 * progress       deadlock-free: the holder of a latch never waits.
 * cost           one descent per element; a split per seven or more inserts into a leaf. As a batch: docs/batch.md.
 * errors         ARGUMENT, SIZE, FULL (see above), POINTER, STREAM, MEMORY (staging; nothing applied), CUDA.
 *                On a stream, FULL cannot be returned: look for NOT_APPLIED in outcomes.
 */

/* Insert or assign: afterwards each key has its value. */
PLEACH_API pleach_status pleach_map_put(pleach_map *map, size_t n, const void *keys, const void *values,
                                        uint8_t *outcomes, void *old_values, pleach_stream stream);

/* Insert if absent: a present key keeps its value. */
PLEACH_API pleach_status pleach_map_add(pleach_map *map, size_t n, const void *keys, const void *values,
                                        uint8_t *outcomes, void *old_values, pleach_stream stream);

/* Erase. Never FULL, unless a snapshot is live. */
PLEACH_API pleach_status pleach_map_erase(pleach_map *map, size_t n, const void *keys, uint8_t *outcomes,
                                          void *old_values, pleach_stream stream);

/* ---- array queries ---------------------------------------------------------------------------------------------
 * memory, ordering, concurrency and errors as for updates. Queries take no latch. found[i] is 1 or 0; outputs for
 * a key that is not found are not written.
 */

/* values may be NULL; found may be NULL. Linearization: for a present key the look at its leaf's header, or
 * the store of the pair if that came later; for an absent key any instant while its leaf was looked at. */
PLEACH_API pleach_status pleach_map_find(pleach_map *map, size_t n, const void *keys, void *values, uint8_t *found,
                                         pleach_stream stream);

PLEACH_API pleach_status pleach_map_contains(pleach_map *map, size_t n, const void *keys, uint8_t *found,
                                             pleach_stream stream);

/* The smallest key above, or the largest key below, each key, strictly. out_keys, out_values and found may each be
 * NULL. */
PLEACH_API pleach_status pleach_map_succ(pleach_map *map, size_t n, const void *keys, void *out_keys,
                                         void *out_values, uint8_t *found, pleach_stream stream);
PLEACH_API pleach_status pleach_map_pred(pleach_map *map, size_t n, const void *keys, void *out_keys,
                                         void *out_values, uint8_t *found, pleach_stream stream);

/* counts[i] = number of keys in the closed interval [lo[i], hi[i]]; 0 if lo > hi. */
PLEACH_API pleach_status pleach_map_range_count(pleach_map *map, size_t n, const void *lo, const void *hi,
                                                uint64_t *counts, pleach_stream stream);

/* The first `limit` pairs of each interval: query i's go to out_keys[i*limit ...] and out_values[i*limit ...] (each
 * may be NULL), their number, at most limit, to counts[i] (may be NULL). SIZE if n*limit > 2^31, ARGUMENT if limit is
 * zero. */
PLEACH_API pleach_status pleach_map_range_limit(pleach_map *map, size_t n, const void *lo, const void *hi,
                                                uint32_t limit, void *out_keys, void *out_values, uint32_t *counts,
                                                pleach_stream stream);

/* All pairs of all intervals, packed: query i's pairs are at offsets[i] .. offsets[i+1]-1 of out_keys and
 * out_values (each may be NULL). offsets has n+1 elements, is host or device memory, and may be NULL only if n is 0;
 * capacity is the number of elements that out_keys and out_values have room for. *total (host, may be NULL) is the
 * number of pairs found. limit = 0 means all, else at most so many per query. With both outputs NULL it only counts,
 * and capacity does not matter. Beside fast writers it may need scratch memory: MEMORY. Always synchronous.
 * SPACE if *total > capacity: then offsets and *total are right, and what out_keys and out_values hold is not
 * specified. */
PLEACH_API pleach_status pleach_map_range(pleach_map *map, size_t n, const void *lo, const void *hi, uint32_t limit,
                                          size_t capacity, void *out_keys, void *out_values, uint64_t *offsets,
                                          size_t *total);

/* ---- single calls ----------------------------------------------------------------------------------------------
 * The same operations for one key, from any thread. Keys and values are given as uint64_t whatever the width; WIDTH
 * if one does not fit. With 128-bit keys they reach those below 2^64; WIDTH if a result that is asked for is not below:
 * it is not written, and an update has been applied as its outcome says. An array call with n = 1 has no such limit,
 * and runs on the calling thread as well; for min and max there are min_pair and max_pair. outcome, old_value, value, found, out_key and out_value may be NULL.
 * Synchronous. */
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

/* The same for every width: *out_key and *out_value are of the map's width, as the elements of arrays are, so WIDTH
 * cannot happen. Each may be NULL, and is not written if the map is empty. Host memory. */
PLEACH_API pleach_status pleach_map_min_pair(pleach_map *map, int *found, void *out_key, void *out_value);
PLEACH_API pleach_status pleach_map_max_pair(pleach_map *map, int *found, void *out_key, void *out_value);

/* ---- whole-map calls -------------------------------------------------------------------------------------------
 * Synchronous. All but size and reserve pass the gate exclusively: BUSY while a device view is open. */

/* Fills an empty map with n pairs. Input in ascending order is taken as it is; any other input is sorted first
 * (a copy is made). Of equal keys the last one in the array stays. fill in (0, 1] is how full leaves and inner nodes
 * are made; 0 means the default, 0.7, which leaves room for inserts; 1 is smallest and fastest to read.
 * Errors: NOT_EMPTY (also for n = 0), ARGUMENT, SIZE, MEMORY, FULL, POINTER, CUDA; after all but the first the map is
 * still empty. */
PLEACH_API pleach_status pleach_map_load(pleach_map *map, size_t n, const void *keys, const void *values, double fill);

/* Writes all pairs in ascending order of keys; out_keys and out_values may each be NULL. *n (required, host) is the
 * number of keys in the map, also when capacity is less: then SPACE, and nothing is written. With both outputs NULL it
 * only counts, and capacity does not matter. */
PLEACH_API pleach_status pleach_map_export(pleach_map *map, size_t capacity, void *out_keys, void *out_values,
                                           size_t *n);

/* 32, 64 or 128; 0 for NULL. */
PLEACH_API unsigned pleach_map_key_bits(const pleach_map *map);

PLEACH_API pleach_status pleach_map_size(pleach_map *map, uint64_t *size);
PLEACH_API pleach_status pleach_map_get_stats(pleach_map *map, pleach_map_stats *stats);

/* Gets node memory ready for `keys` keys in all, so that later inserts, also from your kernels, find it there. May run
 * beside everything. FULL if max_bytes does not allow it, or for more than 2^34 keys, which no map can hold; MEMORY if
 * the machine does not have so much. */
PLEACH_API pleach_status pleach_map_reserve(pleach_map *map, uint64_t keys);

/* Rebuilds the tree with the given fill (as in load) and gives unused memory back. Needs memory for a copy of the
 * pairs meanwhile; on MEMORY, or FULL if the limit does not allow this fill, the map is as it was. */
PLEACH_API pleach_status pleach_map_compact(pleach_map *map, double fill);

/* Removes everything and gives the memory back. */
PLEACH_API pleach_status pleach_map_clear(pleach_map *map);

/* Checks every invariant of docs/blink.md and, of a versioned map, those of docs/versioned.md that a quiet map shows.
 * On CORRUPT the message (host memory, may be NULL) names the first invariant that fails and the node, such as
 * "I2: ..."; else it is empty. A GPU map's nodes are copied to the host for this. */
PLEACH_API pleach_status pleach_map_validate(pleach_map *map, char *message, size_t message_size);

/* ---- device views ----------------------------------------------------------------------------------------------
 * What a kernel needs to work on a map; pass it by value. Open one, launch kernels that use pleach/map_device.cuh,
 * wait for them, close it. Any number may be open. Kernels cannot get memory: reserve first, and look at outcomes. */
typedef struct pleach_map_view {
    void *tree;       /* the tree's root and counters, device memory */
    void *nodes;      /* the node pool's base address */
    uint32_t key_bits;
    uint32_t reserved;
} pleach_map_view;

/* ARGUMENT for a CPU map. */
PLEACH_API pleach_status pleach_map_view_open(pleach_map *map, pleach_map_view *view);
PLEACH_API pleach_status pleach_map_view_close(pleach_map *map, pleach_map_view *view);

#ifdef __cplusplus
}
#endif
#endif
