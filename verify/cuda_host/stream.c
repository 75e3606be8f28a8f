/* stream.c - streams, events, and the OS thread that is the GPU. That thread runs only while a thread of the host waits
 * for it (but for PACE_FREE), so a program with one thread repeats with its seed. The host's threads give work and wait;
 * the GPU's thread begins what is at the head of a stream and may begin, and lets the threads of grids take turns.
 */
#include "stream.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A thread of the host waits until *progress >= target. Of BY_SEED's calls, which wait for a while only, `rounds`. */
typedef struct waiter {
    struct waiter *next;
    const uint64_t *progress;
    uint64_t target, rounds;
    bool served;
} waiter;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER, served = PTHREAD_COND_INITIALIZER;
static waiter *waiters;
static struct CUstream_st legacy = {.magic = STREAM_MAGIC, .blocking = true, .next = NULL};
static struct CUstream_st *streams = &legacy, *const legacy_stream = &legacy;
static uint64_t last_number, last_id = 2;

/* ---- what may begin ---- */

static bool has_older_work(const struct CUstream_st *s, uint64_t number) { return s->first && s->first->number < number; }

/* The legacy stream waits for all blocking streams, and they for it. */
static bool may_begin(const struct CUstream_st *s)
{
    const gpu_work *work = s->first;
    if (!work || work->begun) return false;
    if (work->kind == WORK_WAIT && work->event->done < work->ticket) return false;
    if (s != legacy_stream) return !s->blocking || !has_older_work(legacy_stream, work->number);
    for (const struct CUstream_st *other = streams; other; other = other->next)
        if (other != s && other->blocking && has_older_work(other, work->number)) return false;
    return true;
}

/* The oldest, or any. */
static struct CUstream_st *choose_stream(void)
{
    struct CUstream_st *chosen = NULL;
    uint64_t candidates = 0;
    for (struct CUstream_st *s = streams; s; s = s->next) {
        if (!may_begin(s)) continue;
        candidates++;
        bool better = !chosen || s->first->number < chosen->first->number;
        if (gpu.order == ORDER_RANDOM ? gpu_random(candidates) == 0 : better) chosen = s;
    }
    return chosen;
}

static void end_work(struct CUstream_st *s)
{
    gpu_work *work = s->first;
    if (work->kind == WORK_GRID) work->grid.drop(work->grid.closure);
    s->done = work->number;
    s->first = work->next;
    if (!s->first) s->last = NULL;
    free(work->kept);
    free(work);
}

static void check_range(const char *what, const void *p, size_t bytes)
{
    size_t left;
    if (memory_find(p, &left) != MEMORY_NONE && left < bytes)
        gpu_fatal("%s of %zu bytes at %p, where %zu are left", what, bytes, p, left);
}

/* Of a GPU that is lost work ends without being done, so that nobody waits for it. */
static bool is_dropped(gpu_work *work)
{
    static uint64_t grids;
    if (work->kind == WORK_GRID && ++grids == gpu.fault) gpu_lose();
    if (gpu_is_lost() && work->kind == WORK_RECORD) work->event->done = work->ticket;
    return gpu_is_lost();
}

static void begin_work(struct CUstream_st *s)
{
    gpu_work *work = s->first;
    work->begun = true;
    if (is_dropped(work)) {
        end_work(s);
        return;
    }
    switch (work->kind) {
    case WORK_GRID: grid_begin(&work->grid); return; /* which ends later */
    case WORK_COPY:
        check_range("a copy to", work->to, work->bytes);
        check_range("a copy from", work->from, work->bytes);
        memmove(work->to, work->from, work->bytes);
        break;
    case WORK_FILL:
        check_range("a fill", work->to, work->bytes);
        memset(work->to, work->byte, work->bytes);
        break;
    case WORK_FREE:
        if (!memory_give(work->to)) gpu_fatal("cudaFreeAsync of %p, which is no live memory", work->to);
        break;
    case WORK_RECORD:
        work->event->done = work->ticket;
        clock_gettime(CLOCK_MONOTONIC, &work->event->at);
        break;
    case WORK_WAIT: break;
    }
    end_work(s);
}

/* Of all streams. True if any work began or ended. */
static bool begin_and_end_work(void)
{
    bool any = false;
    for (struct CUstream_st *s = streams; s; s = s->next)
        if (s->first && s->first->begun && grid_has_ended(&s->first->grid)) {
            end_work(s);
            any = true;
        }
    for (struct CUstream_st *s; (s = choose_stream());) {
        begin_work(s);
        any = true;
    }
    return any;
}

/* ---- the GPU's thread ---- */

static void serve_waiters(bool idle)
{
    for (waiter **w = &waiters; *w;) {
        waiter *one = *w;
        if (one->rounds > 0) one->rounds--;
        bool rested = one->rounds == 0 || idle;
        if (*one->progress < one->target && !(one->target == UINT64_MAX && rested)) {
            if (idle) gpu_fatal("streams wait for each other");
            w = &one->next;
            continue;
        }
        one->served = true;
        *w = one->next;
        pthread_cond_broadcast(&served);
    }
}

static bool has_work(void)
{
    for (const struct CUstream_st *s = streams; s; s = s->next)
        if (s->first) return true;
    return false;
}

static void *run_gpu(void *unused)
{
    enum { MANY = 1 << 20, FEW = 64 };
    (void)unused;
    pthread_mutex_lock(&mutex);
    for (;;) {
        while (!waiters && !(gpu.pace == PACE_FREE && has_work())) {
            memory_open(false);
            pthread_cond_wait(&wanted, &mutex);
        }
        memory_open(true);
        bool any = begin_and_end_work();
        pthread_mutex_unlock(&mutex);
        uint64_t turns = gpu.pace == PACE_BY_SEED ? 1 + gpu_random(FEW) * gpu_random(FEW) : MANY;
        bool ran = grid_take_turns(turns);
        pthread_mutex_lock(&mutex);
        any |= begin_and_end_work();
        if (!has_work()) memory_open(false); /* who is served may look at once */
        serve_waiters(!any && !ran);
    }
    return NULL;
}

static void begin_gpu(void)
{
    pthread_t thread;
    sigset_t all, before;
    gpu_choose();
    atexit(memory_report_leaks);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, run_gpu, NULL) != 0) gpu_fatal("no thread for the GPU");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_detach(thread);
}

void gpu_need(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin_gpu);
}

/* ---- the host's side ---- */

static uint64_t host_random(uint64_t below) { return gpu_random_of(&gpu.host_random, below); } /* with the mutex */

/* With the mutex; for `rounds` of the GPU's loop at most, if target is UINT64_MAX. */
static void wait_until(const uint64_t *progress, uint64_t target, uint64_t rounds)
{
    if (*progress >= target) return;
    waiter self = {waiters, progress, target, rounds, false};
    waiters = &self;
    pthread_cond_signal(&wanted);
    while (!self.served) pthread_cond_wait(&served, &mutex);
}

/* What a call leaves to chance: whether the GPU does something before it returns. */
static void let_gpu_go_on(const struct CUstream_st *s, uint64_t number)
{
    static const uint64_t never;
    switch (gpu.pace) {
    case PACE_AT_ONCE: wait_until(&s->done, number, 0); break;
    case PACE_LATE: break;
    case PACE_BY_SEED:
        if (host_random(3)) wait_until(&never, UINT64_MAX, 1 + host_random(4) * host_random(16));
        break;
    case PACE_FREE: pthread_cond_signal(&wanted); break;
    }
}

static struct CUstream_st *add_stream(bool blocking)
{
    struct CUstream_st *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->magic = STREAM_MAGIC;
    s->blocking = blocking;
    s->id = ++last_id;
    s->next = legacy_stream->next;
    legacy_stream->next = s;
    return s;
}

struct CUstream_st *stream_new(bool blocking)
{
    pthread_mutex_lock(&mutex);
    struct CUstream_st *s = add_stream(blocking);
    pthread_mutex_unlock(&mutex);
    return s;
}

/* Streams are never freed: a handle of one that was destroyed is recognized. */
struct CUstream_st *stream_of(cudaStream_t handle)
{
    static _Thread_local struct CUstream_st *own;
    if (!handle || handle == cudaStreamLegacy) return legacy_stream;
    if (handle == cudaStreamPerThread) return own ? own : (own = stream_new(true));
    return handle->magic == STREAM_MAGIC ? handle : NULL;
}

bool stream_give(cudaStream_t handle, const gpu_work *work, bool wait)
{
    gpu_need();
    struct CUstream_st *s = stream_of(handle);
    gpu_work *own = s ? malloc(sizeof *own) : NULL;
    if (!own) return false;
    *own = *work;
    pthread_mutex_lock(&mutex);
    const uint64_t number = own->number = ++last_number; /* work may be gone below */
    if (own->kind == WORK_RECORD) own->ticket = ++own->event->given;
    if (own->kind == WORK_WAIT) own->ticket = own->event->given;
    if (s->last)
        s->last->next = own;
    else
        s->first = own;
    s->last = own;
    s->given = number;
    if (wait)
        wait_until(&s->done, number, 0);
    else
        let_gpu_go_on(s, number);
    pthread_mutex_unlock(&mutex);
    return true;
}

static void wait_for_all(bool (*which)(const struct CUstream_st *))
{
    pthread_mutex_lock(&mutex);
    for (struct CUstream_st *s = streams; s; s = s->next)
        if (!which || which(s)) wait_until(&s->done, s->given, 0);
    pthread_mutex_unlock(&mutex);
}

static bool is_blocking(const struct CUstream_st *s) { return s->blocking; }

bool stream_wait(cudaStream_t handle)
{
    gpu_need();
    struct CUstream_st *s = stream_of(handle);
    if (!s) return false;
    if (s == legacy_stream) {
        wait_for_all(is_blocking);
        return true;
    }
    pthread_mutex_lock(&mutex);
    wait_until(&s->done, s->given, 0);
    pthread_mutex_unlock(&mutex);
    return true;
}

void stream_wait_all(void)
{
    gpu_need();
    wait_for_all(NULL);
}

/* Who asks often enough must see it done. */
static bool is_reached(const uint64_t *progress, const uint64_t *target)
{
    pthread_mutex_lock(&mutex);
    if (*progress < *target && gpu.pace != PACE_AT_ONCE) {
        static const uint64_t never;
        wait_until(&never, UINT64_MAX, 1 + host_random(2));
    }
    bool reached = *progress >= *target;
    pthread_mutex_unlock(&mutex);
    return reached;
}

bool stream_is_done(const struct CUstream_st *s) { return is_reached(&s->done, &s->given); }
bool event_is_done(gpu_event *event) { return is_reached(&event->done, &event->given); }

void event_wait(gpu_event *event)
{
    pthread_mutex_lock(&mutex);
    wait_until(&event->done, event->given, 0);
    pthread_mutex_unlock(&mutex);
}
