/* pleach/queue.h - single operations from many threads, applied in batches.
 *
 * A queue feeds a map. Any number of threads submit single operations. The queue's service thread collects them, closes
 * a batch when it is large enough or old enough, applies it with pleach_map_apply (pleach/batch.h), and completes each
 * operation: it runs the callback or wakes the waiting caller. While one batch is applied the next one fills, so a
 * submitting thread waits only if the queue is full.
 *
 * Linearizable: batches are applied in the order of submission, and every operation takes effect between its submission
 * and its completion. The operations of one thread take effect, and their callbacks run, in the order in which it
 * submitted them, whether or not it waited for the results.
 *
 * The map may be used directly at the same time, in any way; a live snapshot does not stop the queue. The map must not
 * be destroyed before the queue.
 *
 * In the child of a fork a queue is empty: the parent executes what was in it.
 *
 * WHEN A BATCH FAILS
 *
 * FULL, MEMORY   its halves are tried, one after the other, down to single operations. Operations that do not fit
 *                complete with that status and are not applied; the others are applied.
 * BUSY           a device view is open: the batch is retried every millisecond until it succeeds, while the queue
 *                fills. The retries end only when the view or the queue is closed. If the queue is closed, the
 *                operations complete with BUSY and are not applied.
 * others         every operation of the batch completes with that status; none is applied.
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
    uint32_t batch;    /* maximum operations per batch, at most 2^30; 0 means 8192 */
    uint32_t age_us;   /* a batch is closed when its oldest operation has waited this many microseconds; 0 means 200.
                        * With 1 an idle queue applies an operation at once; batches grow only while one is applied */
    uint32_t capacity; /* maximum operations in the queue, including those of the batch that is being applied; at least
                        * `batch`, at most 2^31; 0 means 4 * batch */
} pleach_queue_config;

/* The result of one operation. flag, key, value and count correspond to flags, out_keys, out_values and counts of
 * pleach_operation. Fields that do not apply are 0; if status is not PLEACH_OK, all four are 0. */
typedef struct pleach_answer {
    pleach_status status;
    uint8_t flag;
    uint64_t key, value, count;
} pleach_answer;

/* A callback. Callbacks run on the service thread, one at a time; while one runs no other operation is completed. It
 * may submit, but must not wait for the queue: inside a callback pleach_queue_submit returns BUSY if the queue is full,
 * and pleach_queue_call and pleach_queue_flush always return BUSY. It must not destroy the queue. */
typedef void pleach_done(void *context, const pleach_answer *answer);

/* ---- lifetime ---------------------------------------------------------------------------------------------------- */

/* Creates a queue and starts its service thread. config may be NULL (all defaults).
 * errors         ARGUMENT (out or map NULL, an option out of range), WIDTH (a map with 128-bit keys), MEMORY (also if
 *                no thread can be created). On error *out is NULL. */
PLEACH_API pleach_status pleach_queue_create(pleach_queue **out, pleach_map *map, const pleach_queue_config *config);

/* Refuses further operations and returns when all accepted ones are completed; from a callback it returns at once.
 * concurrency    with every call but destroy. Threads that are waiting for room, and all later calls, get
 *                PLEACH_E_CLOSED. */
PLEACH_API void pleach_queue_close(pleach_queue *queue);

/* Closes the queue and frees it; NULL is a no-op. Calls that are waiting for room, for a result or in a flush return
 * first.
 * concurrency    No other call may be in progress or start later. If that cannot be known, close the queue first. */
PLEACH_API void pleach_queue_destroy(pleach_queue *queue);

/* ---- operations ----------------------------------------------------------------------------------------------------
 * Any operation but PLEACH_OP_RANGE. `value` is the upper bound of PLEACH_OP_COUNT, and ignored if not needed.
 * ordering       the operations of one thread: as it submitted them. Others: as they entered the queue.
 * concurrency    from any thread, with every call.
 * linearization  between submission and completion, when its batch is applied.
 * errors         ARGUMENT (queue or answer NULL, an unknown operation, or PLEACH_OP_RANGE), WIDTH (a key or value does
 *                not fit a 32-bit map), CLOSED, BUSY: the operation was not accepted. Errors of an accepted operation
 *                are reported in the status of its pleach_answer.
 */

/* Returns as soon as the operation is in the queue; waits while the queue is full. `done` may be NULL, and may run
 * before this call returns. */
PLEACH_API pleach_status pleach_queue_submit(pleach_queue *queue, pleach_operation operation, uint64_t key,
                                             uint64_t value, pleach_done *done, void *context);

/* The same, but returns BUSY if the queue is full. */
PLEACH_API pleach_status pleach_queue_try_submit(pleach_queue *queue, pleach_operation operation, uint64_t key,
                                                 uint64_t value, pleach_done *done, void *context);

/* Waits for room and then for the result. Returns the status of the result if there is one. */
PLEACH_API pleach_status pleach_queue_call(pleach_queue *queue, pleach_operation operation, uint64_t key,
                                           uint64_t value, pleach_answer *answer);

/* Closes the batch that is filling, and returns when all operations that were submitted before are completed.
 * errors         ARGUMENT, BUSY (from a callback). */
PLEACH_API pleach_status pleach_queue_flush(pleach_queue *queue);

/* ---- statistics -------------------------------------------------------------------------------------------------- */

enum { PLEACH_QUEUE_BUCKETS = 40 };

/* Since the queue was created. */
typedef struct pleach_queue_stats {
    uint64_t operations; /* completed, whatever their status */
    uint64_t failed;     /* completed with a status other than OK */
    uint64_t batches;    /* applied, each with one pleach_map_apply; halves count as batches */
    uint64_t refused;    /* not accepted: BUSY or CLOSED */
    uint64_t pending;    /* now: accepted and not yet completed */
    uint64_t waiting;    /* now: threads that wait for room, for a result, or in a flush */

    /* Histogram of response times, from the call (including the wait for room) until the results exist and the
     * callbacks of the batch begin. Bucket 0 counts times below 1 us, bucket b times from 2^(b-1) to below 2^b us, the
     * last bucket all longer times. The sum of the buckets is `operations`. */
    uint64_t microseconds[PLEACH_QUEUE_BUCKETS];
} pleach_queue_stats;

PLEACH_API pleach_status pleach_queue_get_stats(pleach_queue *queue, pleach_queue_stats *stats);

/* Returns a number of microseconds, a power of two, that `percent` percent of the operations (such as 99.9) stayed
 * below; 0 if there were no operations. */
PLEACH_API uint64_t pleach_queue_percentile(const pleach_queue_stats *stats, double percent);

#ifdef __cplusplus
}
#endif
#endif
