/* queue/queue.c - collects single operations into batches.
 *
 * The queue is a ring of entries. A submitting thread takes the next ticket by a compare-and-swap on `tail`, fills the
 * ticket's entry and marks it as ready. This must be the last thing that it does: the queue may be gone afterwards. The
 * service thread copies the oldest entries into the arrays of a batch, applies the batch, calls back, and frees the
 * entries by advancing `completed`. So submitting takes no lock, and the ring fills while a batch is applied.
 *
 * The mutex is for sleeping threads. The service thread stores in `wake_at` the ticket that it waits for, and then
 * loads `tail`; a submitter advances `tail` and then loads `wake_at`. All of this is sequentially consistent, so one of
 * the two sees the other. All other threads sleep until `completed` advances, which it does under the mutex.
 */
#include "../../include/pleach/queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "../map/map_object.h"
#include "../base/cancel.h"
#include "../base/fork.h"
#include "../base/memory.h"
#include "../sync/handover.h"
#include "../port/port.h"

enum { LINE = 64, DEFAULT_BATCH = 8192, DEFAULT_AGE_US = 200, CAPACITY_IN_BATCHES = 4 };

static const uint32_t MOST_BATCH = (uint32_t)1 << 30, MOST_CAPACITY = (uint32_t)1 << 31;
static const uint64_t CLOSED = (uint64_t)1 << 63; /* a bit of `tail`: so no ticket is given out after it is set */
static const uint64_t NEVER = UINT64_MAX;
static const uint64_t MICROSECOND = 1000, SECOND = 1000000000, BUSY_PAUSE = 1000000; /* in nanoseconds */

typedef struct entry {
    _Alignas(LINE) atomic_uint_fast64_t ready; /* its ticket + 1 as soon as the rest is stored */
    uint64_t key, value;
    pleach_done *done;
    void *context;
    uint64_t submitted, accepted; /* times; they differ if the thread had to wait for room */
    uint8_t operation;
} entry;

/* The batch that is being applied. Keys and values are as wide as the map's. */
typedef struct batch_arrays {
    uint8_t *kinds, *flags;
    void *keys, *values, *out_keys, *out_values;
    uint64_t *counts;
    unsigned seen; /* bit k is set if the batch has operations of kind k */
} batch_arrays;

struct pleach_queue {
    pleach_map *map;
    bool wide; /* 64-bit keys */
    uint32_t batch, capacity;
    uint64_t age; /* nanoseconds */
    entry *ring;
    uint64_t ring_mask;
    batch_arrays arrays;
    pthread_t thread;
    atomic_bool serving; /* the thread runs; false in the child of a fork until it is needed */
    fork_watch fork;

    _Alignas(LINE) atomic_uint_fast64_t tail;      /* the next ticket */
    _Alignas(LINE) atomic_uint_fast64_t completed; /* tickets below are completed; changes under the mutex */
    _Alignas(LINE) atomic_uint_fast64_t wake_at;   /* the service thread sleeps until `tail` has reached this */
    _Alignas(LINE) atomic_uint_fast64_t refused;
    atomic_uint_fast64_t inside;   /* waiting threads; they must leave before the queue is freed */
    atomic_uint_fast64_t flush_to; /* tickets below must not wait for more; changes under the mutex */

    pthread_mutex_t mutex;
    pthread_cond_t work;     /* wakes the service thread */
    pthread_cond_t progress; /* `completed` has advanced, or the queue is closed */
    pleach_queue_stats stats;
};

/* ---- helpers ---------------------------------------------------------------------------------------------------- */

static uint64_t nanoseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* Sleeps on the condition `work`. Returns false if the deadline has passed. */
static bool sleep_before(pleach_queue *queue, uint64_t deadline)
{
    if (deadline == NEVER) return pthread_cond_wait(&queue->work, &queue->mutex) == 0;
    const struct timespec until = {.tv_sec = (time_t)(deadline / SECOND), .tv_nsec = (long)(deadline % SECOND)};
    return pthread_cond_timedwait(&queue->work, &queue->mutex, &until) != ETIMEDOUT;
}

static bool is_closed(const pleach_queue *queue) { return (atomic_load(&queue->tail) & CLOSED) != 0; }

static uint64_t tickets_given(const pleach_queue *queue) { return atomic_load(&queue->tail) & ~CLOSED; }

static _Thread_local const pleach_queue *serves; /* the queue whose service thread this is */

static bool on_service_thread(const pleach_queue *queue)
{
    return serves == queue;
}

static entry *entry_of(const pleach_queue *queue, uint64_t ticket) { return &queue->ring[ticket & queue->ring_mask]; }

static uint64_t word_of(const pleach_queue *queue, const void *words, size_t i)
{
    return queue->wide ? ((const uint64_t *)words)[i] : ((const uint32_t *)words)[i];
}

static void set_word(const pleach_queue *queue, void *words, size_t i, uint64_t word)
{
    if (queue->wide)
        ((uint64_t *)words)[i] = word;
    else
        ((uint32_t *)words)[i] = (uint32_t)word;
}

static void *words_from(const pleach_queue *queue, void *words, size_t i)
{
    return (char *)words + i * (queue->wide ? sizeof(uint64_t) : sizeof(uint32_t));
}

/* ---- the service thread: collecting ------------------------------------------------------------------------------ */

/* Waits until the owner of the ticket has filled the entry. */
static const entry *ready_entry(const pleach_queue *queue, uint64_t ticket)
{
    entry *e = entry_of(queue, ticket);
    for (unsigned attempt = 0; atomic_load_explicit(&e->ready, memory_order_acquire) != ticket + 1; attempt++)
        port_pause(attempt);
    return e;
}

/* Sleeps until `tickets` tickets are given out, or there is a reason not to wait for them. */
static void sleep_until(pleach_queue *queue, uint64_t tickets, uint64_t deadline)
{
    const uint64_t completed = atomic_load(&queue->completed);
    pthread_mutex_lock(&queue->mutex);
    for (bool early = true; early;) {
        /* stored every time: a submitter that saw an older value may have reset it */
        atomic_store(&queue->wake_at, tickets);
        const uint64_t given = tickets_given(queue);
        if (given >= tickets || is_closed(queue)) break;
        if (given > completed && atomic_load(&queue->flush_to) > completed) break;
        early = sleep_before(queue, deadline);
    }
    atomic_store(&queue->wake_at, NEVER);
    pthread_mutex_unlock(&queue->mutex);
}

/* Returns the size of the next batch, or 0 if the queue is closed and empty. */
static size_t wait_for_batch(pleach_queue *queue)
{
    const uint64_t first = atomic_load(&queue->completed);
    for (;;) {
        /* Loaded before `have`, which then includes everything submitted before the close or flush. */
        const bool closed = is_closed(queue), hurry = closed || atomic_load(&queue->flush_to) > first;
        const uint64_t have = tickets_given(queue) - first;
        if (have >= queue->batch) return queue->batch;
        if (hurry && (have > 0 || closed)) return (size_t)have;
        if (have == 0) {
            sleep_until(queue, first + 1, NEVER);
            continue;
        }
        const uint64_t deadline = ready_entry(queue, first)->accepted + queue->age;
        if (nanoseconds_now() >= deadline) return (size_t)have;
        sleep_until(queue, first + queue->batch, deadline);
    }
}

static void gather(pleach_queue *queue, size_t n)
{
    const uint64_t first = atomic_load(&queue->completed);
    batch_arrays *to = &queue->arrays;
    to->seen = 0;
    for (size_t i = 0; i < n; i++) {
        const entry *e = ready_entry(queue, first + i);
        to->kinds[i] = e->operation;
        to->seen |= 1u << e->operation;
        set_word(queue, to->keys, i, e->key);
        set_word(queue, to->values, i, e->value);
    }
    handover_take(&queue->map); /* from the submitting threads: the memory that their callbacks use */
}

/* ---- the service thread: applying -------------------------------------------------------------------------------- */

static pleach_status apply_once(pleach_queue *queue, size_t from, size_t n)
{
    const batch_arrays *in = &queue->arrays;
    const unsigned with_keys = 1u << PLEACH_OP_SUCC | 1u << PLEACH_OP_PRED;
    pleach_batch batch = {.n = n,
                          .kinds = in->kinds + from,
                          .keys = words_from(queue, in->keys, from),
                          .values = words_from(queue, in->values, from),
                          .flags = in->flags + from,
                          .out_values = words_from(queue, in->out_values, from)};
    /* A GPU copies every result array that it is passed. */
    if (in->seen & with_keys) batch.out_keys = words_from(queue, in->out_keys, from);
    if (in->seen & 1u << PLEACH_OP_COUNT) batch.counts = in->counts + from;
    return pleach_map_apply(queue->map, &batch);
}

/* Pauses, unless the queue is or becomes closed. Returns whether it is closed. */
static bool pause_unless_closed(pleach_queue *queue)
{
    const uint64_t deadline = nanoseconds_now() + BUSY_PAUSE;
    pthread_mutex_lock(&queue->mutex);
    while (!is_closed(queue) && sleep_before(queue, deadline)) continue;
    pthread_mutex_unlock(&queue->mutex);
    return is_closed(queue);
}

static pleach_answer answer_of(const pleach_queue *queue, size_t i)
{
    const batch_arrays *in = &queue->arrays;
    pleach_answer answer = {.status = PLEACH_OK};
    const uint8_t kind = in->kinds[i];
    if (kind == PLEACH_OP_COUNT) {
        answer.count = in->counts[i];
        return answer;
    }
    answer.flag = in->flags[i];
    const bool update = kind <= PLEACH_OP_ERASE;
    const bool present = update ? answer.flag != PLEACH_INSERTED && answer.flag != PLEACH_ABSENT : answer.flag != 0;
    if (present && kind != PLEACH_OP_CONTAINS) answer.value = word_of(queue, in->out_values, i);
    if (present && (kind == PLEACH_OP_SUCC || kind == PLEACH_OP_PRED)) answer.key = word_of(queue, in->out_keys, i);
    return answer;
}

static unsigned bucket_of(uint64_t microseconds)
{
    unsigned bucket = 0;
    for (; microseconds > 0 && bucket < PLEACH_QUEUE_BUCKETS - 1; microseconds >>= 1) bucket++;
    return bucket;
}

static void call_back(pleach_queue *queue, size_t from, size_t n, pleach_status status, uint64_t *microseconds)
{
    const uint64_t now = nanoseconds_now(), first = atomic_load(&queue->completed);
    for (size_t i = 0; i < n; i++) {
        const entry *e = entry_of(queue, first + i);
        const pleach_answer none = {.status = status};
        const pleach_answer answer = status == PLEACH_OK ? answer_of(queue, from + i) : none;
        microseconds[bucket_of((now - e->submitted) / MICROSECOND)]++;
        if (e->done) e->done(e->context, &answer);
    }
}

/* Completes operations from .. from + n - 1 of the batch; they must be the oldest incomplete ones. */
static void complete(pleach_queue *queue, size_t from, size_t n, pleach_status status)
{
    uint64_t microseconds[PLEACH_QUEUE_BUCKETS] = {0};
    call_back(queue, from, n, status, microseconds);
    pthread_mutex_lock(&queue->mutex);
    queue->stats.operations += n;
    if (status == PLEACH_OK)
        queue->stats.batches++;
    else
        queue->stats.failed += n;
    for (size_t b = 0; b < PLEACH_QUEUE_BUCKETS; b++) queue->stats.microseconds[b] += microseconds[b];
    atomic_fetch_add(&queue->completed, n);
    if (atomic_load(&queue->inside) > 0) pthread_cond_broadcast(&queue->progress);
    pthread_mutex_unlock(&queue->mutex);
}

static void carry_out(pleach_queue *queue, size_t from, size_t n)
{
    pleach_status status = apply_once(queue, from, n);
    while (status == PLEACH_E_BUSY && !pause_unless_closed(queue)) status = apply_once(queue, from, n);
    if (n > 1 && (status == PLEACH_E_FULL || status == PLEACH_E_MEMORY)) {
        carry_out(queue, from, n / 2);
        carry_out(queue, from + n / 2, n - n / 2);
    } else
        complete(queue, from, n, status);
}

static void *serve(void *argument)
{
    pleach_queue *queue = argument;
    serves = queue;
    for (size_t n = wait_for_batch(queue); n > 0; n = wait_for_batch(queue)) {
        gather(queue, n);
        carry_out(queue, 0, n);
    }
    return NULL;
}

/* Starts the service thread if it does not run: in a new queue, and in a fork's child, which has only one thread. */
static pleach_status start_service(pleach_queue *queue)
{
    if (atomic_load_explicit(&queue->serving, memory_order_acquire)) return PLEACH_OK;
    pthread_mutex_lock(&queue->mutex);
    if (!atomic_load(&queue->serving)) {
        const bool started = !base_allocation_fails() && pthread_create(&queue->thread, NULL, serve, queue) == 0;
        atomic_store(&queue->serving, started);
    }
    const bool serving = atomic_load(&queue->serving);
    pthread_mutex_unlock(&queue->mutex);
    return serving ? PLEACH_OK : PLEACH_E_MEMORY;
}

/* ---- submitting -------------------------------------------------------------------------------------------------- */

static pleach_status check_operation(const pleach_queue *queue, pleach_operation operation, uint64_t key,
                                     uint64_t value)
{
    if (!queue || (unsigned)operation >= PLEACH_OP_RANGE) return PLEACH_E_ARGUMENT;
    if (queue->wide) return PLEACH_OK;
    const bool with_value = operation == PLEACH_OP_PUT || operation == PLEACH_OP_ADD || operation == PLEACH_OP_COUNT;
    return key > UINT32_MAX || (with_value && value > UINT32_MAX) ? PLEACH_E_WIDTH : PLEACH_OK;
}

/* Returns OK and the caller's *ticket, or BUSY or CLOSED. */
static pleach_status take_ticket(pleach_queue *queue, uint64_t *ticket)
{
    uint_fast64_t tail = atomic_load(&queue->tail);
    do {
        if (tail & CLOSED) return PLEACH_E_CLOSED;
        /* Negative if `tail` is stale; then it is read again. */
        const int64_t pending = (int64_t)(tail - atomic_load(&queue->completed));
        if (pending >= (int64_t)queue->capacity) return PLEACH_E_BUSY;
    } while (!atomic_compare_exchange_weak(&queue->tail, &tail, tail + 1));
    *ticket = tail;
    return PLEACH_OK;
}

/* Wakes the service thread if it waits for `tickets` or fewer; only one submitter does so. */
static void wake_service(pleach_queue *queue, uint64_t tickets)
{
    if (tickets < atomic_load(&queue->wake_at) || atomic_exchange(&queue->wake_at, NEVER) == NEVER) return;
    pthread_mutex_lock(&queue->mutex);
    pthread_cond_signal(&queue->work);
    pthread_mutex_unlock(&queue->mutex);
}

static pleach_status offer(pleach_queue *queue, const entry *what, uint64_t *ticket)
{
    handover_give(&queue->map);
    const pleach_status status = take_ticket(queue, ticket);
    if (status != PLEACH_OK) return status;
    entry *e = entry_of(queue, *ticket);
    e->key = what->key;
    e->value = what->value;
    e->done = what->done;
    e->context = what->context;
    e->submitted = what->submitted;
    e->accepted = what->accepted;
    e->operation = what->operation;
    wake_service(queue, *ticket + 1);
    atomic_store_explicit(&e->ready, *ticket + 1, memory_order_release);
    return PLEACH_OK;
}

static pleach_status offer_when_there_is_room(pleach_queue *queue, entry *what, uint64_t *ticket)
{
    pleach_status status;
    do {
        pthread_mutex_lock(&queue->mutex);
        while (!is_closed(queue) && tickets_given(queue) - atomic_load(&queue->completed) >= queue->capacity)
            cancel_free_wait(&queue->progress, &queue->mutex);
        pthread_mutex_unlock(&queue->mutex);
        what->accepted = nanoseconds_now();
        status = offer(queue, what, ticket);
    } while (status == PLEACH_E_BUSY); /* other threads took the room */
    return status;
}

static void count_refused(pleach_queue *queue) { atomic_fetch_add_explicit(&queue->refused, 1, memory_order_relaxed); }

static pleach_status submit(pleach_queue *queue, entry *what, bool patient, uint64_t *ticket)
{
    pleach_status status = start_service(queue);
    if (status != PLEACH_OK) return status;
    what->submitted = what->accepted = nanoseconds_now();
    status = offer(queue, what, ticket);
    if (status == PLEACH_OK) return status;
    if (status == PLEACH_E_BUSY && patient && !on_service_thread(queue)) {
        atomic_fetch_add(&queue->inside, 1);
        status = offer_when_there_is_room(queue, what, ticket);
        if (status != PLEACH_OK) count_refused(queue);
        atomic_fetch_sub(&queue->inside, 1);
    } else
        count_refused(queue);
    return status;
}

static pleach_status submit_operation(pleach_queue *queue, pleach_operation operation, uint64_t key, uint64_t value,
                                      pleach_done *done, void *context, bool patient)
{
    const pleach_status status = check_operation(queue, operation, key, value);
    if (status != PLEACH_OK) return status;
    entry what = {.key = key, .value = value, .done = done, .context = context, .operation = (uint8_t)operation};
    uint64_t ticket;
    return submit(queue, &what, patient, &ticket);
}

pleach_status pleach_queue_submit(pleach_queue *queue, pleach_operation operation, uint64_t key, uint64_t value,
                                  pleach_done *done, void *context)
{
    return submit_operation(queue, operation, key, value, done, context, true);
}

pleach_status pleach_queue_try_submit(pleach_queue *queue, pleach_operation operation, uint64_t key, uint64_t value,
                                      pleach_done *done, void *context)
{
    return submit_operation(queue, operation, key, value, done, context, false);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* Waits until `tickets` are completed. The caller must have counted itself in `inside`. */
static void wait_for_completed(pleach_queue *queue, uint64_t tickets)
{
    pthread_mutex_lock(&queue->mutex);
    while (atomic_load(&queue->completed) < tickets) cancel_free_wait(&queue->progress, &queue->mutex);
    pthread_mutex_unlock(&queue->mutex);
}

static void keep_answer(void *context, const pleach_answer *answer) { *(pleach_answer *)context = *answer; }

pleach_status pleach_queue_call(pleach_queue *queue, pleach_operation operation, uint64_t key, uint64_t value,
                                pleach_answer *answer)
{
    if (!answer) return PLEACH_E_ARGUMENT;
    pleach_status status = check_operation(queue, operation, key, value);
    if (status == PLEACH_OK && on_service_thread(queue)) status = PLEACH_E_BUSY;
    *answer = (pleach_answer){.status = status};
    if (status != PLEACH_OK) return status;
    entry what = {.key = key, .value = value, .done = keep_answer, .context = answer, .operation = (uint8_t)operation};
    uint64_t ticket;
    atomic_fetch_add(&queue->inside, 1);
    status = submit(queue, &what, true, &ticket);
    if (status == PLEACH_OK)
        wait_for_completed(queue, ticket + 1);
    else
        answer->status = status;
    atomic_fetch_sub(&queue->inside, 1);
    return answer->status;
}

pleach_status pleach_queue_flush(pleach_queue *queue)
{
    if (!queue) return PLEACH_E_ARGUMENT;
    if (on_service_thread(queue)) return PLEACH_E_BUSY;
    atomic_fetch_add(&queue->inside, 1);
    pthread_mutex_lock(&queue->mutex);
    const uint64_t tickets = tickets_given(queue);
    if (tickets > atomic_load(&queue->flush_to)) atomic_store(&queue->flush_to, tickets);
    pthread_cond_signal(&queue->work);
    pthread_mutex_unlock(&queue->mutex);
    wait_for_completed(queue, tickets);
    atomic_fetch_sub(&queue->inside, 1);
    return PLEACH_OK;
}

/* ---- creation and destruction ------------------------------------------------------------------------------------ */

static pleach_status read_config(pleach_queue *queue, const pleach_queue_config *config)
{
    const pleach_queue_config given = config ? *config : (pleach_queue_config){0};
    queue->batch = given.batch ? given.batch : DEFAULT_BATCH;
    queue->age = MICROSECOND * (given.age_us ? given.age_us : DEFAULT_AGE_US);
    if (queue->batch > MOST_BATCH) return PLEACH_E_ARGUMENT;
    const uint64_t usual = (uint64_t)CAPACITY_IN_BATCHES * queue->batch;
    queue->capacity = given.capacity ? given.capacity : usual < MOST_CAPACITY ? (uint32_t)usual : MOST_CAPACITY;
    return queue->capacity < queue->batch || queue->capacity > MOST_CAPACITY ? PLEACH_E_ARGUMENT : PLEACH_OK;
}

/* Keys must fit the 64-bit fields of operations and results. */
static pleach_status learn_width(pleach_queue *queue)
{
    const unsigned bits = pleach_map_key_bits(queue->map);
    queue->wide = bits == 64;
    return bits > 64 ? PLEACH_E_WIDTH : PLEACH_OK;
}

static void free_arrays(pleach_queue *queue)
{
    batch_arrays *a = &queue->arrays;
    void *all[] = {a->kinds, a->flags, a->keys, a->values, a->out_keys, a->out_values, a->counts, queue->ring};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) base_free(all[i]);
}

static pleach_status make_arrays(pleach_queue *queue)
{
    batch_arrays *a = &queue->arrays;
    const size_t n = queue->batch, word = queue->wide ? sizeof(uint64_t) : sizeof(uint32_t);
    uint64_t ring_size = 1;
    while (ring_size < queue->capacity) ring_size *= 2;
    queue->ring_mask = ring_size - 1;
    queue->ring = base_alloc((size_t)ring_size, sizeof *queue->ring);
    a->kinds = base_alloc(n, 1);
    a->flags = base_alloc(n, 1);
    a->keys = base_alloc(n, word);
    a->values = base_alloc(n, word);
    a->out_keys = base_alloc(n, word);
    a->out_values = base_alloc(n, word);
    a->counts = base_alloc(n, sizeof *a->counts);
    if (queue->ring && a->kinds && a->flags && a->keys && a->values && a->out_keys && a->out_values && a->counts)
        return PLEACH_OK;
    free_arrays(queue);
    return PLEACH_E_MEMORY;
}

static void destroy_conditions(pleach_queue *queue)
{
    pthread_cond_destroy(&queue->progress);
    pthread_cond_destroy(&queue->work);
    pthread_mutex_destroy(&queue->mutex);
}

static bool make_conditions(pleach_queue *queue)
{
    pthread_condattr_t monotonic;
    if (pthread_condattr_init(&monotonic) != 0) return false;
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->work, &monotonic);
    pthread_cond_init(&queue->progress, NULL);
    pthread_condattr_destroy(&monotonic);
    return true;
}

static void before_fork(void *object) { pthread_mutex_lock(&((pleach_queue *)object)->mutex); }
static void after_fork_in_parent(void *object) { pthread_mutex_unlock(&((pleach_queue *)object)->mutex); }

/* Empties the queue: the parent carries out what was in it, and entries may be half written. But if a callback has
 * forked, this thread is the service thread, and continues. */
static void after_fork_in_child(void *object)
{
    pleach_queue *queue = object;
    make_conditions(queue);
    atomic_store(&queue->inside, 0);
    if (on_service_thread(queue)) return;
    const uint64_t given = tickets_given(queue);
    atomic_store(&queue->completed, given);
    atomic_store(&queue->flush_to, given);
    atomic_store(&queue->wake_at, NEVER);
    atomic_store(&queue->serving, false);
}

static const fork_steps steps_of_fork = {false, before_fork, after_fork_in_parent, after_fork_in_child};

static pleach_status open_service(pleach_queue *queue)
{
    if (!make_conditions(queue)) return PLEACH_E_MEMORY;
    atomic_store(&queue->wake_at, NEVER);
    if (fork_watch_add(&queue->fork, &steps_of_fork, queue)) {
        if (start_service(queue) == PLEACH_OK) return PLEACH_OK;
        fork_watch_remove(&queue->fork);
    }
    destroy_conditions(queue);
    return PLEACH_E_MEMORY;
}

pleach_status pleach_queue_create(pleach_queue **out, pleach_map *map, const pleach_queue_config *config)
{
    if (!out) return PLEACH_E_ARGUMENT;
    *out = NULL;
    if (!map || map->structure != PLEACH_BLINK) return PLEACH_E_ARGUMENT;
    pleach_queue *queue = base_alloc(1, sizeof *queue);
    if (!queue) return PLEACH_E_MEMORY;
    queue->map = map;
    pleach_status status = read_config(queue, config);
    if (status == PLEACH_OK) status = learn_width(queue);
    if (status == PLEACH_OK) status = make_arrays(queue);
    if (status == PLEACH_OK && (status = open_service(queue)) != PLEACH_OK) free_arrays(queue);
    if (status == PLEACH_OK)
        *out = queue;
    else
        base_free(queue);
    return status;
}

void pleach_queue_close(pleach_queue *queue)
{
    if (!queue) return;
    atomic_fetch_add(&queue->inside, 1);
    pthread_mutex_lock(&queue->mutex);
    atomic_fetch_or(&queue->tail, CLOSED);
    pthread_cond_signal(&queue->work);
    pthread_cond_broadcast(&queue->progress);
    pthread_mutex_unlock(&queue->mutex);
    if (!on_service_thread(queue)) wait_for_completed(queue, tickets_given(queue));
    atomic_fetch_sub(&queue->inside, 1);
}

void pleach_queue_destroy(pleach_queue *queue)
{
    if (!queue) return;
    pleach_queue_close(queue);
    fork_watch_remove(&queue->fork);
    if (atomic_load(&queue->serving)) cancel_free_join(queue->thread);
    for (unsigned attempt = 0; atomic_load(&queue->inside) > 0; attempt++)
        port_pause(attempt); /* ends: the threads have nothing left to wait for */
    destroy_conditions(queue);
    free_arrays(queue);
    base_free(queue);
}

/* ---- statistics -------------------------------------------------------------------------------------------------- */

pleach_status pleach_queue_get_stats(pleach_queue *queue, pleach_queue_stats *stats)
{
    if (!queue || !stats) return PLEACH_E_ARGUMENT;
    pthread_mutex_lock(&queue->mutex);
    *stats = queue->stats;
    stats->pending = tickets_given(queue) - atomic_load(&queue->completed);
    pthread_mutex_unlock(&queue->mutex);
    stats->refused = atomic_load(&queue->refused);
    stats->waiting = atomic_load(&queue->inside);
    return PLEACH_OK;
}

uint64_t pleach_queue_percentile(const pleach_queue_stats *stats, double percent)
{
    if (!stats || stats->operations == 0) return 0;
    const double wanted = percent / 100 * (double)stats->operations;
    uint64_t sum = 0;
    unsigned bucket = 0;
    for (; bucket < PLEACH_QUEUE_BUCKETS - 1; bucket++) {
        sum += stats->microseconds[bucket];
        if (sum > 0 && (double)sum >= wanted) break;
    }
    return bucket < PLEACH_QUEUE_BUCKETS - 1 ? (uint64_t)1 << bucket : UINT64_MAX;
}
