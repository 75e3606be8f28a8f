/* grid.c - grids, blocks, warps and threads. Each thread of a kernel is a fiber, and all fibers run in the one OS thread
 * that is the GPU (stream.c), so a schedule is a sequence of choices, and the same seed makes the same choices.
 *
 * Some blocks are resident at a time. A thread goes on until it must wait, or until its turn is over, which is counted
 * in accesses to shared memory. Lanes of a warp need not be at the same place; they meet where the program says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../sim/fiber.h"
#include "gpu.h"

/* What ThreadSanitizer is told: of each thread of a kernel it sees a thread. What any of them has done before IN_ORDER
 * (p) comes before what they do after it, of the same p: those who meet, and a grid and what was before and is after. */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define DONE_BEFORE(p) __tsan_release(p)
#define DONE_AFTER(p) __tsan_acquire(p)
enum { BLOCKS_ARE_NEW = true };
#else
#define DONE_BEFORE(p) ((void)(p))
#define DONE_AFTER(p) ((void)(p))
enum { BLOCKS_ARE_NEW = false };
#endif

enum { LANES = 32, SHARED_BYTES = 64 << 10, SHARED_GAP = 64, MOST_VARIABLES = 32 };
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { STACK_KIB = 512 };
#else
enum { STACK_KIB = 128 };
#endif
enum { STACK_BYTES = STACK_KIB << 10, STACK_STEP = 1088, STACK_STEPS = 31 };

typedef enum meeting_kind { MEETING_SYNC, MEETING_VOTE, MEETING_SHUFFLE } meeting_kind;
static const char *const meeting_name[] = {"__syncwarp", "a vote", "a shuffle"};

typedef enum thread_state { THREAD_READY, THREAD_AT_MEETING, THREAD_AT_BARRIER, THREAD_ENDED } thread_state;
static const char *const state_name[] = {"can go on", "waits for lanes", "waits for its block", "has ended"};

typedef struct gpu_thread {
    hostgpu_place place; /* first: hostgpu_now points here */
    struct gpu_block *block;
    fiber *on; /* NULL: it has not begun */
    thread_state state;
    unsigned lane, warp;
    unsigned source; /* of a shuffle */
    unsigned pause;  /* turns to let pass */
    uint64_t brought, got;
} gpu_thread;

/* Open while arrived != 0. Meetings of a warp at the same time have no lanes in common: one is found by its lowest. */
typedef struct meeting {
    unsigned mask, arrived;
    meeting_kind kind;
} meeting;

typedef struct gpu_warp {
    unsigned live;    /* lanes that have not ended */
    unsigned in_row;  /* meetings after which its lanes went on before others */
    unsigned claimed; /* lanes that open meetings wait for, or have */
    meeting open[LANES];
} gpu_warp;

typedef struct variable {
    const void *tag;
    char *at;
} variable;

typedef struct gpu_block {
    gpu_grid *grid;
    unsigned threads, live, at_barrier, said_yes;
    unsigned shared_used, variables;
    variable variable[MOST_VARIABLES];
    char *shared;
    gpu_warp *warp;
    struct gpu_block *next; /* of the resident ones, or of those to use again */
    gpu_thread thread[];
} gpu_block;

hostgpu_place *hostgpu_now;

static gpu_thread *running(void) { return (gpu_thread *)hostgpu_now; }

static gpu_grid *beginning;  /* grids with blocks that are not resident yet */
static gpu_block *resident, *unused;
static unsigned resident_threads;
static fiber home; /* the GPU's own loop */
static uint64_t turns_left;
static gpu_grid *ended_grid;

/* ---- who is next ---- */

static struct {
    gpu_thread **thread;
    size_t room, first, count; /* room is a power of two */
} ready;

static gpu_thread **ready_place(size_t i) { return &ready.thread[(ready.first + i) & (ready.room - 1)]; }

static void make_room(void)
{
    size_t room = ready.room ? 2 * ready.room : 1024;
    gpu_thread **more = malloc(room * sizeof *more);
    if (!more) gpu_fatal("no memory for %zu threads", room);
    for (size_t i = 0; i < ready.count; i++) more[i] = *ready_place(i);
    free(ready.thread);
    ready.thread = more;
    ready.room = room;
    ready.first = 0;
}

static void make_ready(gpu_thread *t)
{
    if (ready.count == ready.room) make_room();
    t->state = THREAD_READY;
    *ready_place(ready.count++) = t;
}

/* Before all others. */
static void make_next(gpu_thread *t)
{
    if (ready.count == ready.room) make_room();
    t->state = THREAD_READY;
    ready.first = (ready.first - 1) & (ready.room - 1);
    *ready_place(0) = t;
    ready.count++;
}

static gpu_thread *next_ready(void)
{
    if (gpu.order == ORDER_RANDOM) {
        gpu_thread **first = ready_place(0), **chosen = ready_place(gpu_random(ready.count));
        gpu_thread *t = *chosen;
        *chosen = *first;
        *first = t;
    }
    gpu_thread *t = *ready_place(0);
    ready.first = (ready.first + 1) & (ready.room - 1);
    ready.count--;
    return t;
}

static unsigned length_of_turn(void)
{
    enum { LONG = 1 << 14, MEAN = 40 };
    switch (gpu.order) {
    case ORDER_LONG_TURNS: return LONG;
    case ORDER_LOCK_STEP: return 1;
    case ORDER_RANDOM: break;
    }
    return 1 + (unsigned)gpu_random(gpu_random(4) ? 2 * MEAN : 4);
}

/* ---- fibers ---- */

static fiber **free_fibers;
static size_t free_count, free_room;

static void fiber_main(void);

static fiber *take_fiber(void)
{
    fiber *f;
    if (free_count) {
        f = free_fibers[--free_count];
    } else {
        /* Tops of stacks at the same place of their pages would all want the same few lines of the CPU's cache. */
        static size_t fibers;
        size_t bytes = STACK_BYTES - fibers++ % STACK_STEPS * STACK_STEP;
        f = malloc(sizeof *f);
        if (!f || !fiber_create(f, bytes)) gpu_fatal("no memory for the stack of one more thread");
    }
    fiber_aim(f, fiber_main);
    return f;
}

static void keep_fiber(fiber *f)
{
    if (free_count == free_room) {
        free_room = free_room ? 2 * free_room : 1024;
        free_fibers = realloc(free_fibers, free_room * sizeof(fiber *));
        if (!free_fibers) gpu_fatal("no memory for a list of stacks");
    }
    free_fibers[free_count++] = f;
}

/* Makes the next thread the running one. NULL: there is none, time is up, or there is news for the GPU's loop. */
static gpu_thread *begin_turn(void)
{
    hostgpu_now = NULL;
    if (ready.count == 0 || turns_left == 0 || ended_grid) return NULL;
    turns_left--;
    gpu_thread *t = next_ready();
    for (; t->pause; t = next_ready()) {
        t->pause--;
        make_ready(t);
    }
    hostgpu_now = &t->place;
    t->place.turn = length_of_turn();
    return t;
}

static fiber *fiber_of(gpu_thread *t)
{
    if (!t) return &home;
    if (!t->on) t->on = take_fiber();
    return t->on;
}

/* The running thread waits, or has had its turn. */
static void leave_to_others(void)
{
    gpu_thread *self = running();
    gpu_thread *next = begin_turn();
    if (next != self) fiber_jump(self->on, fiber_of(next));
}

void hostgpu_give_way(void)
{
    make_ready(running());
    leave_to_others();
}

/* In lock step a thread that waits for a latch would have as many turns as the one that holds it. */
void hostgpu_pause(unsigned nanoseconds)
{
    enum { PER_TURN = 32, MOST = 64 };
    unsigned turns = nanoseconds / PER_TURN;
    running()->pause = turns < MOST ? turns : MOST;
    hostgpu_give_way();
}

/* ---- blocks ---- */

static hostgpu_size at(uint64_t number, hostgpu_size size)
{
    return (hostgpu_size){(unsigned)(number % size.x), (unsigned)(number / size.x % size.y),
                          (unsigned)(number / size.x / size.y)};
}

static gpu_block *take_block(unsigned threads)
{
    for (gpu_block **b = &unused; *b; b = &(*b)->next)
        if ((*b)->threads == threads) {
            gpu_block *found = *b;
            *b = found->next;
            return found;
        }
    gpu_block *b = calloc(1, sizeof *b + threads * sizeof *b->thread);
    if (!b) gpu_fatal("no memory for a block of %u threads", threads);
    b->threads = threads;
    b->shared = aligned_alloc(4096, SHARED_BYTES);
    b->warp = calloc((threads + LANES - 1) / LANES, sizeof *b->warp);
    if (!b->shared || !b->warp) gpu_fatal("no memory for a block of %u threads", threads);
    return b;
}

static void begin_block(gpu_grid *grid)
{
    unsigned threads = grid->threads.x * grid->threads.y * grid->threads.z;
    gpu_block *b = take_block(threads);
    b->grid = grid;
    b->live = threads;
    b->at_barrier = b->said_yes = b->shared_used = b->variables = 0;
    memset(b->warp, 0, (threads + LANES - 1) / LANES * sizeof *b->warp);
    hostgpu_size place = at(grid->begun++, grid->blocks);
    for (unsigned i = 0; i < threads; i++) {
        gpu_thread *t = &b->thread[i];
        *t = (gpu_thread){.place = {at(i, grid->threads), place, grid->threads, grid->blocks, 0},
                          .block = b, .lane = i % LANES, .warp = i / LANES};
        b->warp[t->warp].live |= 1u << t->lane;
        make_ready(t);
    }
    b->next = resident;
    resident = b;
    resident_threads += threads;
    DONE_BEFORE(b);
}

static void append_grid(gpu_grid *grid)
{
    gpu_grid **last = &beginning;
    while (*last) last = &(*last)->next;
    *last = grid;
    grid->next = NULL;
}

/* Blocks come in by number, one of every grid in turn, while there is room. */
static void begin_blocks(void)
{
    for (gpu_grid *grid; (grid = beginning) && (grid->together || resident_threads < gpu.resident || !resident);) {
        do begin_block(grid);
        while (grid->together && grid->begun < grid->total);
        beginning = grid->next;
        if (grid->begun < grid->total) append_grid(grid);
    }
}

/* ThreadSanitizer would take what the next block does with this memory for races with this one. */
static void drop_block(gpu_block *b)
{
    if (!BLOCKS_ARE_NEW) {
        b->next = unused;
        unused = b;
        return;
    }
    DONE_AFTER(b);
    free(b->shared);
    free(b->warp);
    free(b);
}

static void end_block(gpu_block *b)
{
    for (gpu_block **r = &resident; *r; r = &(*r)->next)
        if (*r == b) {
            *r = b->next;
            break;
        }
    resident_threads -= b->threads;
    if (++b->grid->ended == b->grid->total) ended_grid = b->grid;
    drop_block(b);
    begin_blocks();
}

void grid_begin(gpu_grid *grid)
{
    append_grid(grid);
    DONE_BEFORE(grid);
    grid->began_at = (uint64_t)time(NULL);
    begin_blocks();
}

/* ---- meetings ---- */

static void describe_block(const gpu_block *b)
{
    fprintf(stderr, "emulated GPU: kernel %s, block %u of %llu:\n", b->grid->name, b->thread[0].place.block.x,
            (unsigned long long)b->grid->total);
    for (unsigned i = 0; i < b->threads;) {
        unsigned same = i;
        while (same < b->threads && b->thread[same].state == b->thread[i].state) same++;
        fprintf(stderr, "   threads %u to %u: %s\n", i, same - 1, state_name[b->thread[i].state]);
        i = same;
    }
}

static void bad_meeting(const gpu_thread *t, meeting_kind kind, unsigned mask, const char *what)
{
    describe_block(t->block);
    gpu_fatal("thread %u, in %s with mask %08x: %s", t->place.thread.x, meeting_name[kind], mask, what);
}

static uint64_t result_for(const meeting *m, const gpu_thread *warp_threads, unsigned lane)
{
    uint64_t votes = 0;
    switch (m->kind) {
    case MEETING_SYNC: return 0;
    case MEETING_SHUFFLE: return warp_threads[warp_threads[lane].source].brought;
    case MEETING_VOTE: break;
    }
    for (unsigned i = 0; i < LANES; i++)
        if (m->arrived >> i & 1) votes |= warp_threads[i].brought << i;
    return votes;
}

/* In long turns a warp goes on as long as a thread does: its stacks are in the CPU's cache. */
static void go_on(gpu_block *b, unsigned warp, unsigned lanes)
{
    enum { IN_ROW = 256 };
    gpu_thread *threads = &b->thread[warp * LANES];
    bool next = gpu.order == ORDER_LONG_TURNS && ++b->warp[warp].in_row % IN_ROW != 0;
    for (unsigned i = 0; i < LANES; i++) {
        unsigned lane = next ? LANES - 1 - i : i;
        gpu_thread *t = &threads[lane];
        if (!(lanes >> lane & 1) || t->state != THREAD_AT_MEETING) continue;
        if (next)
            make_next(t);
        else
            make_ready(t);
    }
}

/* All who have not ended are there: each gets its result, and those who wait go on. */
static void close_meeting(gpu_block *b, unsigned warp, meeting *m)
{
    gpu_thread *threads = &b->thread[warp * LANES];
    b->warp[warp].claimed &= ~m->mask;
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!(m->arrived >> lane & 1)) continue;
        gpu_thread *t = &threads[lane];
        if (m->kind == MEETING_SHUFFLE && !(m->arrived >> t->source & 1))
            bad_meeting(t, m->kind, m->mask, "it asks a lane that takes no part, or has ended");
        t->got = result_for(m, threads, lane);
    }
    go_on(b, warp, m->arrived);
    m->arrived = 0;
}

static uint64_t meet(unsigned mask, meeting_kind kind, uint64_t value, unsigned source)
{
    gpu_thread *t = running();
    gpu_warp *w = &t->block->warp[t->warp];
    if (!(mask >> t->lane & 1)) bad_meeting(t, kind, mask, "the mask leaves out the caller");
    meeting *m = &w->open[__builtin_ctz(mask)];
    if (m->arrived ? m->mask != mask || m->kind != kind : (w->claimed & mask) != 0)
        bad_meeting(t, kind, mask, "lanes of this mask are in a meeting of another mask or kind");
    m->mask = mask;
    m->kind = kind;
    w->claimed |= mask;
    m->arrived |= 1u << t->lane;
    t->brought = value;
    t->source = source % LANES;
    DONE_BEFORE(w);
    if (m->arrived == (mask & w->live)) {
        close_meeting(t->block, t->warp, m);
    } else {
        t->state = THREAD_AT_MEETING;
        leave_to_others();
    }
    DONE_AFTER(w);
    return t->got;
}

void hostgpu_warp_sync(unsigned mask) { meet(mask, MEETING_SYNC, 0, 0); }
unsigned hostgpu_vote(unsigned mask, bool yes) { return (unsigned)meet(mask, MEETING_VOTE, yes, 0); }
uint64_t hostgpu_shuffle(unsigned mask, uint64_t value, unsigned source)
{
    return meet(mask, MEETING_SHUFFLE, value, source);
}

static void open_barrier(gpu_block *b)
{
    uint64_t got = (uint64_t)b->at_barrier << 32 | b->said_yes;
    b->at_barrier = b->said_yes = 0;
    for (unsigned i = 0; i < b->threads; i++) {
        gpu_thread *t = &b->thread[i];
        if (t->state != THREAD_AT_BARRIER) continue;
        t->got = got;
        make_ready(t);
    }
}

unsigned hostgpu_block_sync(bool yes, unsigned *all)
{
    gpu_thread *t = running();
    gpu_block *b = t->block;
    t->state = THREAD_AT_BARRIER;
    b->said_yes += yes;
    DONE_BEFORE(&b->at_barrier);
    if (++b->at_barrier == b->live) open_barrier(b); /* which makes this thread ready too */
    leave_to_others();
    DONE_AFTER(&b->at_barrier);
    *all = (unsigned)(t->got >> 32);
    return (unsigned)t->got;
}

/* ---- a thread's life ---- */

static void end_thread(gpu_thread *t)
{
    gpu_block *b = t->block;
    gpu_warp *w = &b->warp[t->warp];
    t->state = THREAD_ENDED;
    w->live &= ~(1u << t->lane);
    for (unsigned i = 0; i < LANES; i++)
        if (w->open[i].arrived && w->open[i].arrived == (w->open[i].mask & w->live))
            close_meeting(b, t->warp, &w->open[i]);
    if (--b->live == 0)
        end_block(b);
    else if (b->at_barrier == b->live)
        open_barrier(b);
}

/* A fiber whose thread has ended carries out the next one if that has not begun yet: most threads are short. */
static void fiber_main(void)
{
    for (;;) {
        gpu_thread *t = running();
        fiber *self = t->on;
        gpu_grid *grid = t->block->grid;
        DONE_AFTER(grid);
        DONE_AFTER(t->block);
        grid->run(grid->closure);
        DONE_BEFORE(t->block);
        DONE_BEFORE(grid);
        end_thread(t);
        gpu_thread *next = begin_turn();
        if (next && !next->on) {
            next->on = self;
            continue;
        }
        keep_fiber(self);
        fiber_leave(self, fiber_of(next));
    }
}

bool grid_take_turns(uint64_t turns)
{
    begin_blocks();
    if (ready.count == 0) {
        if (!resident) return false;
        for (const gpu_block *b = resident; b; b = b->next) describe_block(b);
        gpu_fatal("no thread can go on");
    }
    turns_left = turns;
    ended_grid = NULL;
    gpu_thread *first = begin_turn();
    if (first) fiber_jump(&home, fiber_of(first));
    if (ended_grid) DONE_AFTER(ended_grid);
    for (const gpu_block *b = resident; b; b = b->next)
        if ((uint64_t)time(NULL) > b->grid->began_at + gpu.seconds) {
            describe_block(b);
            gpu_fatal("the kernel has not ended in %u s", gpu.seconds);
        }
    return true;
}

/* ---- shared memory ---- */

void *hostgpu_shared(const void *tag, size_t bytes, size_t alignment)
{
    gpu_block *b = running()->block;
    for (unsigned i = 0; i < b->variables; i++)
        if (b->variable[i].tag == tag) return b->variable[i].at;
    if (alignment < 16) alignment = 16;
    size_t begin = (b->shared_used + SHARED_GAP + alignment - 1) / alignment * alignment;
    if (begin + bytes > SHARED_BYTES || b->variables == MOST_VARIABLES)
        gpu_fatal("kernel %s declares too much shared memory", b->grid->name);
    char *found = b->shared + begin;
    for (volatile char *p = found; p < found + bytes; p++) *p = (char)0xdb; /* no memset, which ThreadSanitizer sees */
    b->shared_used = (unsigned)(begin + bytes);
    b->variable[b->variables++] = (variable){tag, found};
    return found;
}

bool grid_owns(const volatile void *p, size_t bytes)
{
    if (!hostgpu_now) return false;
    const gpu_block *b = running()->block;
    const char *at = (const char *)p;
    return at >= b->shared && at + bytes <= b->shared + b->shared_used;
}
