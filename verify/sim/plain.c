#include "plain.h"

#include <stdlib.h>
#include <string.h>

#include "../../src/port/port_sim.h"
#include "machine.h"

enum { SYNCED_WORDS = 24, SYNCED_VALUES = 16 };

typedef uint16_t vector[WATCHED_AGENTS];

/* Who has accessed a byte, and when by his own clock; 0: not at all. */
typedef struct shadow {
    uint32_t generation; /* of another schedule: nobody has */
    uint16_t writer, written;
    vector read, marked;
} shadow;

static _Thread_local struct {
    uintptr_t begin;
    size_t bytes, room;
    size_t empty_from, empty_to; /* offsets */
    const char *(*name)(size_t offset);
    shadow *shadows;
    uint32_t generation;
    vector clock[WATCHED_AGENTS];
    bool used[WATCHED_AGENTS]; /* its clock has been noted somewhere since it advanced */
    struct {
        const uint64_t *word;
        vector left[SYNCED_VALUES]; /* by the value's last bits: what whoever acquires it is ordered behind */
    } synced[SYNCED_WORDS];
    unsigned synced_count;
    unsigned switches; /* chance of a switch at an access, of 256 */
} p;

void sim_watch(const void *begin, size_t bytes, const char *(*name)(size_t offset))
{
    static const unsigned chances[] = {0, 1, 4, 16};
    if (bytes > p.room) {
        free(p.shadows);
        p.shadows = calloc(bytes, sizeof p.shadows[0]);
        p.room = p.shadows ? bytes : 0;
        p.generation = 0;
    }
    p.begin = (uintptr_t)begin;
    p.bytes = p.shadows ? bytes : 0;
    p.name = name;
    p.generation++;
    p.empty_from = p.empty_to = 0;
    for (unsigned a = 0; a < WATCHED_AGENTS; a++) {
        memset(p.clock[a], 0, sizeof p.clock[a]);
        p.clock[a][a] = 1;
        p.used[a] = false;
    }
    p.synced_count = 0;
    p.switches = chances[sim_draw(4)];
}

void sim_watch_empty(const void *begin, size_t bytes)
{
    p.generation++;
    p.empty_from = (uintptr_t)begin - p.begin;
    p.empty_to = p.empty_from + bytes;
}

void sim_watch_forget(void)
{
    free(p.shadows);
    memset(&p, 0, sizeof p);
}

/* ---- order ---- */

static void join(uint16_t *to, const uint16_t *from)
{
    for (unsigned a = 0; a < WATCHED_AGENTS; a++)
        if (from[a] > to[a]) to[a] = from[a];
}

static uint16_t *left_with(const uint64_t *word, uint64_t value)
{
    unsigned i = 0;
    while (i < p.synced_count && p.synced[i].word != word) i++;
    if (i == SYNCED_WORDS) sim_fail("more words than can be remembered order plain accesses");
    if (i == p.synced_count) {
        memset(&p.synced[i], 0, sizeof p.synced[i]);
        p.synced[i].word = word;
        p.synced_count++;
    }
    return p.synced[i].left[value % SYNCED_VALUES];
}

static bool acquires(int order) { return order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL; }
static bool releases(int order) { return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL; }

static unsigned watched_agent(void)
{
    unsigned me = sim_now_running->me->index;
    if (me >= WATCHED_AGENTS) sim_fail("agent %u has no business with memory that is watched", me);
    return me;
}

/* The agent's clock, without what it does from now on. An agent that has accessed nothing since it last left its clock
 * need not advance it: those who wait look often. */
static void leave_clock(uint16_t *with)
{
    unsigned me = watched_agent();
    vector done;
    memcpy(done, p.clock[me], sizeof done);
    if (p.used[me])
        p.clock[me][me]++;
    else
        done[me]--;
    join(with, done);
    p.used[me] = false;
}

uint64_t sim_synced_load(const uint64_t *word, int order)
{
    uint64_t value = sim_load(word, order, SIM_gpu);
    if (sim_now_running->running && acquires(order)) join(p.clock[watched_agent()], left_with(word, value));
    return value;
}

void sim_synced_store(uint64_t *word, uint64_t value, int order)
{
    if (sim_now_running->running) {
        uint16_t *with = left_with(word, value);
        memset(with, 0, sizeof(vector));
        if (releases(order)) leave_clock(with);
    }
    sim_store(word, value, order);
}

/* A read-modify-write hands on what was left with the value that it replaces. Nobody else goes between it and this. */
static void synced_modify(const uint64_t *word, uint64_t old, uint64_t new, int order)
{
    if (!sim_now_running->running) return;
    vector with;
    memcpy(with, left_with(word, old), sizeof with);
    if (acquires(order)) join(p.clock[watched_agent()], with);
    if (releases(order)) leave_clock(with);
    memcpy(left_with(word, new), with, sizeof with);
}

uint64_t sim_synced_add(uint64_t *word, uint64_t v, int order)
{
    uint64_t old = sim_fetch_add(word, v, order, false);
    synced_modify(word, old, old + v, order);
    return old;
}

uint64_t sim_synced_swap(uint64_t *word, uint64_t expected, uint64_t desired, int order)
{
    uint64_t old = sim_compare_swap(word, expected, desired, order, false);
    if (old == expected) synced_modify(word, old, desired, order);
    return old;
}

/* ---- accesses ---- */

typedef enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_MARK } access;

static void find(size_t offset, access access, unsigned other, const char *did)
{
    static const char *const does[] = {"reads", "writes", "marks"};
    sim_fail("agent %u %s a byte of %s that agent %u %s, with no meeting between", sim_now_running->me->index,
             does[access], p.name(offset), other, did);
}

static void note_byte(size_t offset, access access, unsigned me)
{
    shadow *s = &p.shadows[offset];
    const uint16_t *now = p.clock[me];
    if (s->generation != p.generation) *s = (shadow){.generation = p.generation};
    if (access != ACCESS_WRITE && !s->written && offset >= p.empty_from && offset < p.empty_to)
        sim_fail("agent %u reads a byte of %s that nobody has written", me, p.name(offset));
    if (s->written > now[s->writer]) find(offset, access, s->writer, "wrote");
    for (unsigned a = 0; a < WATCHED_AGENTS; a++) {
        if (access != ACCESS_READ && s->read[a] > now[a]) find(offset, access, a, "read");
        if (access != ACCESS_MARK && s->marked[a] > now[a]) find(offset, access, a, "marked");
    }
    if (access == ACCESS_READ) s->read[me] = now[me];
    if (access == ACCESS_MARK) s->marked[me] = now[me];
    if (access == ACCESS_WRITE) {
        s->writer = (uint16_t)me;
        s->written = now[me];
    }
    p.used[me] = true;
}

static void note(const void *at, size_t bytes, access access)
{
    sim_machine *m = sim_now_running;
    size_t offset = (uintptr_t)at - p.begin;
    if (!m || !m->running || offset >= p.bytes) return;
    if (!m->exhaustive && p.switches && choose_chance(m, p.switches)) schedule_point(m, POINT_PLAIN, m->me->last_word);
    for (size_t i = 0; i < bytes; i++) note_byte(offset + i, access, watched_agent());
}

void sim_mark(uint64_t *word, uint64_t bits)
{
    note(word, sizeof *word, ACCESS_MARK);
    *word |= bits;
}

void *sim_plain_set(void *to, int byte, size_t bytes)
{
    note(to, bytes, ACCESS_WRITE);
    return memset(to, byte, bytes);
}

void *sim_plain_copy(void *to, const void *from, size_t bytes)
{
    note(from, bytes, ACCESS_READ);
    note(to, bytes, ACCESS_WRITE);
    return memcpy(to, from, bytes);
}

/* ---- what the compiler calls ---- */

#ifdef SIM_WATCHES

#define ACCESSES(n)                                                                                              \
    void __tsan_read##n(void *at);                                                                               \
    void __tsan_write##n(void *at);                                                                              \
    void __tsan_unaligned_read##n(void *at);                                                                     \
    void __tsan_unaligned_write##n(void *at);                                                                    \
    void __tsan_read##n(void *at) { note(at, n, ACCESS_READ); }                                                  \
    void __tsan_write##n(void *at) { note(at, n, ACCESS_WRITE); }                                                \
    void __tsan_unaligned_read##n(void *at) { note(at, n, ACCESS_READ); }                                        \
    void __tsan_unaligned_write##n(void *at) { note(at, n, ACCESS_WRITE); }

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void *at, unsigned long bytes);
void __tsan_write_range(void *at, unsigned long bytes);
void *__tsan_memset(void *to, int byte, unsigned long bytes);
void *__tsan_memcpy(void *to, const void *from, unsigned long bytes);
void *__tsan_memmove(void *to, const void *from, unsigned long bytes);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
void __tsan_init(void);

void __tsan_read_range(void *at, unsigned long bytes) { note(at, bytes, ACCESS_READ); }
void __tsan_write_range(void *at, unsigned long bytes) { note(at, bytes, ACCESS_WRITE); }

void *__tsan_memset(void *to, int byte, unsigned long bytes) { return sim_plain_set(to, byte, bytes); }
void *__tsan_memcpy(void *to, const void *from, unsigned long bytes) { return sim_plain_copy(to, from, bytes); }
void *__tsan_memmove(void *to, const void *from, unsigned long bytes)
{
    note(from, bytes, ACCESS_READ);
    note(to, bytes, ACCESS_WRITE);
    return memmove(to, from, bytes);
}

void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_init(void) {}

#endif
