/* pleach/queue.h - single operations from many threads, carried out in batches.
 *
 * A queue stands before a map. Any number of threads hand it single operations; a thread of its own, the service
 * thread, collects them, closes a batch when it is large enough or old enough, applies it with pleach_map_apply
 * (pleach/batch.h), and completes each operation: it calls the callback, or wakes the caller who waits. While one batch
 * is applied the next one fills, so a thread that submits waits only when the queue is full.
 *
 * Linearizable: batches are applied in the order of submission, and every operation takes effect between its submission
 * and its completion. Operations of one thread take effect, and their callbacks run, in the order in which it submitted
 * them, whether or not it waited for the answers.
 *
 * The map may be used beside the queue in any way; a live snapshot does not stop the queue. The map must not be
 * destroyed before it.
 *
 * In the child of a fork a queue is empty: what was in it is carried out by the parent.
 *
 * WHEN A BATCH FAILS
 *
 * FULL, MEMORY   its halves are tried, one after the other, down to single operations. Those that do not fit are
 *                answered with that status and are not applied; the others are.
 * BUSY           a device view is open: the batch is tried again, every millisecond, until it goes through. Meanwhile
 *                the queue fills. Nothing ends this but closing the view, or closing the queue: then the operations are
 *                answered with BUSY and are not applied.
 * others         every operation of the batch is answered with that status; none is applied.
 */
#ifndef PLEACH_QUEUE_H
#define PLEACH_QUEUE_H

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pleach_queue pleach_queue;

/* Options. Zero everything, then set what you need. */
typedef struct pleach_queue_config {
    uint32_t batch;    /* most operations of one batch, at most 2^30; 0 means 8192 */
    uint32_t age_us;   /* a batch is closed when its oldest operation has waited so many microseconds; 0 means 200.
                        * With 1 an idle queue answers at once, and batches grow only while others are applied */
    uint32_t capacity; /* operations that may be in the queue, those of the batch that is being applied included; at
                        * least `batch`, at most 2^31; 0 means 4 * batch */
} pleach_queue_config;

/* What came of one operation. flag, key, value and count are what pleach_operation says of flags, out_keys, out_values
 * and counts; what it does not speak of, and everything if status is not OK, is 0. */
typedef struct pleach_answer {
    pleach_status status;
    uint8_t flag;
    uint64_t key, value, count;
} pleach_answer;

/* Runs on the service thread, one at a time: while it runs nobody else is served. It may submit; what it must not do is
 * wait for the queue, so there pleach_queue_submit answers BUSY when the queue is full, and pleach_queue_call and
 * pleach_queue_flush always. It must not destroy the queue. */
typedef void pleach_done(void *context, const pleach_answer *answer);

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* Starts the service thread. config may be NULL (all defaults).
 * Errors: ARGUMENT (out or map NULL, an option out of range), WIDTH (a map with 128-bit keys), MEMORY (also if there is
 * no thread to be had). On error *out is NULL. */
PLEACH_API pleach_status pleach_queue_create(pleach_queue **out, pleach_map *map, const pleach_queue_config *config);

/* Takes no more operations, completes those it has, and returns when that is done; from a callback it returns at once.
 * Threads that wait for room get PLEACH_E_CLOSED, as do all who come later, so the queue may be closed while others use
 * it. */
PLEACH_API void pleach_queue_close(pleach_queue *queue);

/* Closes the queue and frees it; NULL is allowed. Calls that wait inside, for room, for an answer or in a flush, are
 * let out first. No other call may be running or come later: where you cannot know, close the queue first. */
PLEACH_API void pleach_queue_destroy(pleach_queue *queue);

/* ---- operations ----------------------------------------------------------------------------------------------------
 * Any operation but PLEACH_OP_RANGE, from any thread. `value` is the upper bound of PLEACH_OP_COUNT, and is ignored
 * where the operation takes none.
 * Errors, after which the operation has not been taken: ARGUMENT (queue or answer NULL, an operation that there is not,
 * or PLEACH_OP_RANGE), WIDTH (a key or value does not fit a 32-bit map), CLOSED, BUSY. What happens later, the answer's
 * status tells. */

/* Returns as soon as the operation is in the queue; waits while that is full. `done` may be NULL. It may run before
 * this call returns. */
PLEACH_API pleach_status pleach_queue_submit(pleach_queue *queue, pleach_operation operation, uint64_t key,
                                             uint64_t value, pleach_done *done, void *context);

/* The same, but answers BUSY when the queue is full. */
PLEACH_API pleach_status pleach_queue_try_submit(pleach_queue *queue, pleach_operation operation, uint64_t key,
                                                 uint64_t value, pleach_done *done, void *context);

/* Waits for room and then for the answer. Answers the answer's status where there is one. */
PLEACH_API pleach_status pleach_queue_call(pleach_queue *queue, pleach_operation operation, uint64_t key,
                                           uint64_t value, pleach_answer *answer);

/* Closes the batch that is filling, and returns when everything that was submitted before is completed.
 * Errors: ARGUMENT, BUSY (from a callback). */
PLEACH_API pleach_status pleach_queue_flush(pleach_queue *queue);

/* ---- statistics -------------------------------------------------------------------------------------------------- */

enum { PLEACH_QUEUE_BUCKETS = 40 };

/* Since the queue was made. */
typedef struct pleach_queue_stats {
    uint64_t operations; /* completed, whatever their status */
    uint64_t failed;     /* of these, with another status than OK */
    uint64_t batches;    /* applied, each with one pleach_map_apply; halves count as batches */
    uint64_t refused;    /* not taken: BUSY or CLOSED */
    uint64_t pending;    /* now: taken and not yet completed */
    uint64_t waiting;    /* now: threads that wait for room, for an answer, or in a flush */

    /* Times from the call, waiting for room included, until the answers are there and the callbacks of its batch begin.
     * Bucket 0 counts those below a microsecond, bucket b those from 2^(b-1) to below 2^b microseconds; the last one
     * all that took longer. Their sum is `operations`. */
    uint64_t microseconds[PLEACH_QUEUE_BUCKETS];
} pleach_queue_stats;

PLEACH_API pleach_status pleach_queue_get_stats(pleach_queue *queue, pleach_queue_stats *stats);

/* So many percent of the operations, such as 99.9, took less than this number of microseconds, a power of two; 0 if
 * there were none. */
PLEACH_API uint64_t pleach_queue_percentile(const pleach_queue_stats *stats, double percent);

#ifdef __cplusplus
}
#endif
#endif
