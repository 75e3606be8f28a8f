/* verify/sim/memory.c - what loads, stores and fences of agents mean; sim.h has the model in words.
 *
 * Time is the number of stores performed so far, so an instant is a state of the whole memory. A load that is taken at
 * instant t sees the value that its word had then. All weakness of loads is the choice of t; all weakness of stores is
 * when they are performed. */
#include <stdio.h>
#include <string.h>

#include "../../src/port/port_sim.h"
#include "machine.h"

void memory_reset(sim_machine *m)
{
    for (uint32_t c = 1; c <= m->cell_count; c++) m->cell_of[m->cells[c].word] = 0;
    m->cell_count = 0;
    memset(m->memory, 0, m->words * sizeof m->memory[0]);
    m->words = 0;
    m->nodes = 0;
    m->nodes_at = UINT32_MAX;
    memset(m->given, 0, sizeof m->given);
    m->now = 1;
    for (unsigned i = 0; i < MULTIPROCESSORS; i++) m->l1_generation[i]++;
}

void *sim_reserve(size_t bytes)
{
    sim_machine *m = sim_now_running;
    uint32_t words = (uint32_t)((bytes + 63) / 64 * 8); /* whole cache lines */
    if (m->words + words > MAX_WORDS) sim_fail("the scenario needs more simulated memory than there is");
    void *place = m->memory + m->words;
    m->words += words;
    return place;
}

void sim_nodes(void *nodes, size_t node_bytes, uint32_t count)
{
    sim_machine *m = sim_now_running;
    if (count > MAX_NODES) sim_fail("the scenario has more nodes than can be followed");
    m->nodes_at = (uint32_t)((uint64_t *)nodes - m->memory);
    m->node_words = (uint32_t)(node_bytes / 8);
    m->nodes = count;
}

static uint32_t word_of(sim_machine *m, const uint64_t *p)
{
    uintptr_t offset = (uintptr_t)p - (uintptr_t)m->memory;
    if (offset % 8 != 0 || offset / 8 >= m->words)
        sim_fail("agent %u accesses memory that is not the structure's", m->me->index);
    return (uint32_t)(offset / 8);
}

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* ---- nodes that go back to their allocator ---- */

/* A load that gives its id comes later than the store that lets the allocator hand it out again. */
void sim_given(uint32_t id)
{
    sim_machine *m = sim_now_running;
    if (m->running && id < m->nodes) m->given[id] = m->now + 1;
}

void sim_allocating(bool allocating)
{
    sim_machine *m = sim_now_running;
    if (m->running) m->me->allocating = allocating;
}

/* Whoever touches a node has learnt its id since it was given back for the last time. */
static void check_given(sim_machine *m, uint32_t word)
{
    if (word < m->nodes_at) return;
    uint32_t id = (word - m->nodes_at) / m->node_words;
    if (id >= m->nodes || m->me->told[id] >= m->given[id] || m->me->allocating) return;
    char why[FAILURE_SIZE];
    snprintf(why, sizeof why, "agent %u came upon node %u before it was given back, and touches it after that",
             m->me->index, id);
    sim_fail_later(why);
}

/* ---- the past of a word ---- */

static cell *cell_for(sim_machine *m, uint32_t word)
{
    if (m->cell_of[word]) return &m->cells[m->cell_of[word]];
    if (m->cell_count + 1 >= MAX_CELLS) sim_fail("the scenario stores to more words than can be remembered");
    uint32_t index = ++m->cell_count;
    m->cell_of[word] = (uint16_t)index;
    cell *c = &m->cells[index];
    *c = (cell){.word = word, .filled = 1, .swapper = NO_AGENT};
    c->past[0].value = m->memory[word];
    memset(&m->seen[(size_t)index * MAX_AGENTS], 0, m->agent_count * sizeof m->seen[0]);
    return c;
}

static uint32_t *seen_by_me(sim_machine *m, uint32_t word)
{
    return m->cell_of[word] ? &m->seen[(size_t)m->cell_of[word] * MAX_AGENTS + m->me->index] : NULL;
}

/* The instant since when the values of a word are known. A load must not be taken earlier: it would get a value that
 * came later, and then take this for the order of things. */
static uint32_t known_since(sim_machine *m, uint32_t word)
{
    if (!m->cell_of[word]) return 0;
    const cell *c = &m->cells[m->cell_of[word]];
    return c->filled < PAST_VALUES ? 0 : c->past[(c->newest + 1) % PAST_VALUES].time;
}

/* Which of its past values a word had at `time`. */
static uint32_t past_at(const cell *c, uint32_t time)
{
    uint32_t at = c->newest;
    for (uint32_t back = 1; back < c->filled && c->past[at].time > time; back++)
        at = (at + PAST_VALUES - 1) % PAST_VALUES;
    return at;
}

static uint64_t value_at(sim_machine *m, uint32_t word, uint32_t time)
{
    if (!m->cell_of[word]) return m->memory[word];
    const cell *c = &m->cells[m->cell_of[word]];
    return c->past[past_at(c, time)].value;
}

/* The earliest instant from `floor` on at which the word had the value that it has at `time`. A load that is taken then
 * says the same, and holds later loads back least. */
static uint32_t earliest(sim_machine *m, uint32_t word, uint32_t floor, uint32_t time)
{
    if (!m->cell_of[word]) return floor;
    const cell *c = &m->cells[m->cell_of[word]];
    return later(floor, c->past[past_at(c, time)].time);
}

/* Makes a store visible that agent `by` makes. */
static void perform_store_by(sim_machine *m, const sim_agent *by, uint32_t word, uint64_t value)
{
    cell *c = cell_for(m, word);
    m->now++;
    c->newest = (c->newest + 1) % PAST_VALUES;
    if (c->filled < PAST_VALUES) c->filled++;
    c->past[c->newest].time = m->now;
    c->past[c->newest].value = value;
    c->writer = by->index;
    m->memory[word] = value;
    m->seen[(size_t)m->cell_of[word] * MAX_AGENTS + by->index] = m->now;
    m->l1[by->multiprocessor][word / SECTOR_WORDS].generation = 0;
}

/* The store of somebody's read-modify-write comes before any later one to its word. */
static void perform_swapped(sim_machine *m, uint32_t word)
{
    cell *c = cell_for(m, word);
    if (c->swapper == NO_AGENT) return;
    sim_agent *by = &m->agents[c->swapper];
    unsigned at = 0;
    while (!by->buffer[at].swapped || by->buffer[at].word != word) at++;
    const buffered_store s = by->buffer[at];
    by->buffered--;
    memmove(&by->buffer[at], &by->buffer[at + 1], (by->buffered - at) * sizeof s);
    c->swapper = NO_AGENT;
    perform_store_by(m, by, word, s.value[0]);
    if (s.sequential) by->sequential = m->now;
}

static void perform_store(sim_machine *m, uint32_t word, uint64_t value)
{
    perform_swapped(m, word);
    perform_store_by(m, m->me, word, value);
}

/* Both words get the same instant, so that no load can see one of them without the other. */
static void perform_store_two(sim_machine *m, uint32_t word, const uint64_t *value)
{
    perform_store(m, word, value[0]);
    m->now--;
    perform_store(m, word + 1, value[1]);
}

/* ---- stores that wait ---- */

static void perform_buffered(sim_machine *m, unsigned at)
{
    sim_agent *me = m->me;
    buffered_store s = me->buffer[at];
    trace_access(m, POINT_DRAIN, s.word, s.value[0], 0);
    if (s.swapped) {
        perform_swapped(m, s.word);
        return;
    }
    me->buffered--;
    memmove(&me->buffer[at], &me->buffer[at + 1], (me->buffered - at) * sizeof s);
    if (s.words == 2)
        perform_store_two(m, s.word, s.value);
    else
        perform_store(m, s.word, s.value[0]);
    if (s.sequential) me->sequential = m->now;
}

static bool overlap(const buffered_store *a, const buffered_store *b)
{
    return a->word < b->word + b->words && b->word < a->word + a->words;
}

/* The one that must go first if `at` is to go: stores to one word keep their order, and none passes a fence. */
static unsigned first_before(const sim_agent *me, unsigned at)
{
    for (unsigned i = 0; i < at; i++)
        if (overlap(&me->buffer[i], &me->buffer[at]) || me->buffer[i].after < me->buffer[at].after)
            return first_before(me, i);
    return at;
}

/* Is there a store in the buffer that a new one may not pass? */
static bool fenced_off(const sim_agent *me) { return me->buffered && me->buffer[0].after < me->fences; }

/* One of the first `of` stores, or what must go before it. */
static void perform_some_buffered(sim_machine *m, unsigned of)
{
    unsigned at = m->exhaustive ? 0 : (unsigned)choose_draw(m, of);
    perform_buffered(m, first_before(m->me, at));
}

void memory_drain(sim_machine *m)
{
    while (m->me->buffered) {
        schedule_point(m, POINT_DRAIN, m->me->buffer[0].word);
        if (m->me->buffered) perform_some_buffered(m, m->me->buffered);
    }
}

/* Of the agent's sequentially consistent stores in the buffer; `buffered` if there is none. */
static unsigned first_sequential(const sim_agent *me)
{
    unsigned at = 0;
    while (at < me->buffered && !me->buffer[at].sequential) at++;
    return at;
}

/* A sequentially consistent load comes after the agent's stores of this kind, and after no others. */
static void drain_sequential(sim_machine *m)
{
    while (first_sequential(m->me) < m->me->buffered) {
        schedule_point(m, POINT_DRAIN, m->me->buffer[first_sequential(m->me)].word);
        const unsigned at = first_sequential(m->me); /* others may have come between */
        if (at < m->me->buffered) perform_buffered(m, first_before(m->me, at));
    }
}

void memory_maybe_drain_one(sim_machine *m)
{
    if (m->exhaustive || !choose_chance(m, m->drains)) return;
    sim_agent *me = m->me;
    m->me = &m->agents[choose_chance(m, 128) ? me->index : m->live[choose_draw(m, m->live_count)]];
    if (m->me->buffered) perform_some_buffered(m, m->me->buffered);
    m->me = me;
}

static bool must_wait(const sim_agent *me, const buffered_store *s)
{
    if (fenced_off(me)) return true; /* it must wait behind those */
    for (unsigned i = 0; i < me->buffered; i++)
        if (overlap(&me->buffer[i], s)) return true;
    return false;
}

/* The agent's own stores to a word, and what must go before them. */
static void perform_buffered_of(sim_machine *m, uint32_t word)
{
    buffered_store here = {.word = word, .words = 1};
    for (unsigned i = 0; i < m->me->buffered;) {
        if (!overlap(&m->me->buffer[i], &here)) {
            i++;
            continue;
        }
        perform_buffered(m, first_before(m->me, i));
        i = 0;
    }
}

static bool store_waits(sim_machine *m)
{
    if (m->exhaustive) return choose_option(m, 2, COST_WEAKNESS) == 1;
    return choose_chance(m, m->late_stores);
}

static void store(sim_machine *m, buffered_store s)
{
    sim_agent *me = m->me;
    s.after = me->fences;
    s.compiled = me->compiler_fences;
    if (store_waits(m) || must_wait(me, &s)) {
        if (me->buffered == BUFFERED_STORES) perform_some_buffered(m, m->me->buffered);
        me->buffer[me->buffered++] = s;
    } else if (s.words == 2) {
        perform_store_two(m, s.word, s.value);
    } else {
        perform_store(m, s.word, s.value[0]);
        if (s.sequential) me->sequential = m->now;
    }
}

/* A store that the agent makes later (promise.c): what must go before it goes first. */
void memory_perform_early(sim_machine *m, uint32_t word, uint32_t words, const uint64_t *value)
{
    if (fenced_off(m->me)) memory_drain(m);
    for (uint32_t i = 0; i < words; i++) perform_buffered_of(m, word + i);
    trace_access(m, POINT_DRAIN, word, value[0], 0);
    if (words == 2)
        perform_store_two(m, word, value);
    else
        perform_store(m, word, value[0]);
}

/* ---- loads that are early ---- */

static uint32_t floor_of(sim_machine *m, uint32_t word)
{
    uint32_t floor = later(m->me->floor, known_since(m, word));
    const uint32_t *seen = seen_by_me(m, word);
    if (seen) floor = later(floor, *seen);
    if (word < m->nodes_at) return floor;
    uint32_t id = (word - m->nodes_at) / m->node_words;
    return id < m->nodes ? later(floor, m->me->followed[id]) : floor;
}

/* The instant before the last store to the word, if that is late enough to be of use; else 0. */
static uint32_t before_last_store(sim_machine *m, uint32_t word, uint32_t floor)
{
    if (!m->cell_of[word]) return 0;
    const cell *c = &m->cells[m->cell_of[word]];
    uint32_t time = c->past[c->newest].time;
    return time > floor && c->filled > 1 ? time - 1 : 0;
}

static uint32_t choose_instant(sim_machine *m, uint32_t word, uint32_t floor)
{
    if (floor >= m->now) return m->now;
    uint32_t before = before_last_store(m, word, floor);
    if (m->exhaustive) return before && choose_option(m, 2, COST_WEAKNESS) == 1 ? before : m->now;
    if (!choose_chance(m, m->early_loads)) return m->now;
    if (before && choose_chance(m, 128)) return before;
    return floor + (uint32_t)choose_draw(m, m->now - floor + 1);
}

/* When the sector of this word came into L1. */
static uint32_t l1_instant(sim_machine *m, uint32_t word)
{
    unsigned which = m->me->multiprocessor;
    sector *s = &m->l1[which][word / SECTOR_WORDS];
    bool held = s->generation == m->l1_generation[which] && (m->exhaustive || !choose_chance(m, 8));
    if (!held) *s = (sector){m->l1_generation[which], choose_instant(m, word, floor_of(m, word))};
    return s->time;
}

static void drop_l1(sim_machine *m) { m->l1_generation[m->me->multiprocessor]++; }

static void tell(sim_machine *m, uint32_t id, uint32_t time)
{
    if (id < m->nodes) m->me->told[id] = later(m->me->told[id], time);
}

void sim_tell_run(uint32_t first, uint64_t count)
{
    sim_machine *m = sim_now_running;
    if (!m->running || first >= m->nodes) return;
    for (uint64_t id = first; id < first + count && id < m->nodes; id++) tell(m, (uint32_t)id, m->me->told[first]);
}

/* Remembers what a load gives to those after it. Ids are in the low half of words outside of nodes and of 16-byte
 * pairs, and in the high half of 8-byte pairs; bit 31 is the link's. */
static void loaded(sim_machine *m, uint32_t word, uint64_t value, uint32_t time)
{
    sim_agent *me = m->me;
    uint32_t *seen = seen_by_me(m, word);
    if (seen) *seen = later(*seen, time);
    me->latest = later(me->latest, time);
    tell(m, (uint32_t)value & 0x7fffffffu, time);
    if (word >= m->nodes_at) tell(m, (uint32_t)(value >> 32) & 0x7fffffffu, time);
}

static bool forwarded(const sim_agent *me, uint32_t word, uint64_t *value)
{
    for (unsigned i = me->buffered; i-- > 0;) {
        const buffered_store *s = &me->buffer[i];
        if (word < s->word || word >= s->word + s->words) continue;
        *value = s->value[word - s->word];
        return true;
    }
    return false;
}

static bool acquires(int order)
{
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}
static bool releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/* ---- what the port layer calls ---- */

uint64_t sim_load(const uint64_t *p, int order, int scope)
{
    sim_machine *m = sim_now_running;
    if (!m->running) return *p;
    uint32_t word = word_of(m, p), time;
    uint64_t value;
    point_kind kind = scope == SIM_cta ? POINT_LOAD_CACHED : acquires(order) ? POINT_LOAD_ACQUIRE : POINT_LOAD;
    schedule_point(m, kind, word);
    promise_load(m, word);
    check_given(m, word);
    if (order == __ATOMIC_SEQ_CST) drain_sequential(m);
    const uint32_t after = order == __ATOMIC_SEQ_CST ? m->me->sequential : 0, floor = later(after, floor_of(m, word));
    bool was_forwarded = forwarded(m->me, word, &value);
    if (was_forwarded) {
        time = m->now;
    } else {
        time = scope == SIM_cta ? later(l1_instant(m, word), known_since(m, word)) : choose_instant(m, word, floor);
        value = value_at(m, word, time);
        if (scope == SIM_gpu) time = earliest(m, word, floor, time);
        loaded(m, word, value, time);
    }
    promise_loaded(m, word, value);
    if (acquires(order)) {
        promise_order(m);
        if (!was_forwarded) m->me->floor = later(m->me->floor, time);
        if (scope == SIM_gpu) drop_l1(m);
    }
    trace_access(m, kind, word, value, m->now - time);
    return value;
}

void sim_load_two(const uint64_t *p, uint64_t *first, uint64_t *second, int scope)
{
    sim_machine *m = sim_now_running;
    if (!m->running) {
        *first = p[0];
        *second = p[1];
        return;
    }
    uint32_t word = word_of(m, p);
    (void)word_of(m, p + 1);
    if (word % 2) sim_fail("agent %u makes an access of 16 bytes that is not aligned", m->me->index);
    point_kind kind = scope == SIM_cta ? POINT_LOAD_CACHED : POINT_LOAD;
    schedule_point(m, kind, word);
    promise_load(m, word);
    check_given(m, word);
    uint32_t floor = later(floor_of(m, word), floor_of(m, word + 1));
    uint32_t known = later(known_since(m, word), known_since(m, word + 1));
    uint32_t of = before_last_store(m, word + 1, floor) ? word + 1 : word;
    uint32_t time = scope == SIM_cta ? later(l1_instant(m, word), known) : choose_instant(m, of, floor);
    if (scope == SIM_gpu) time = later(earliest(m, word, floor, time), earliest(m, word + 1, floor, time));
    if (!forwarded(m->me, word, first)) loaded(m, word, *first = value_at(m, word, time), time);
    if (!forwarded(m->me, word + 1, second)) loaded(m, word + 1, *second = value_at(m, word + 1, time), time);
    trace_access(m, kind, word, *first, m->now - time);
    trace_access(m, kind, word + 1, *second, m->now - time);
    promise_loaded(m, word, *first);
    promise_loaded(m, word + 1, *second);
}

void sim_store(uint64_t *p, uint64_t v, int order)
{
    sim_machine *m = sim_now_running;
    if (!m->running) {
        *p = v;
        return;
    }
    buffered_store s = {.word = word_of(m, p), .words = 1, .value = {v}, .sequential = order == __ATOMIC_SEQ_CST};
    point_kind kind = releases(order) ? POINT_STORE_RELEASE : POINT_STORE;
    schedule_point(m, kind, s.word);
    check_given(m, s.word);
    if (releases(order)) promise_order(m);
    if (releases(order)) m->me->fences++;
    trace_access(m, kind, s.word, v, 0);
    if (promise_store(m, s.word, 1, s.value)) return;
    store(m, s);
}

void sim_store_two(uint64_t *p, uint64_t first, uint64_t second)
{
    sim_machine *m = sim_now_running;
    if (!m->running) {
        p[0] = first;
        p[1] = second;
        return;
    }
    buffered_store s = {.word = word_of(m, p), .words = 2, .value = {first, second}};
    (void)word_of(m, p + 1);
    if (s.word % 2) sim_fail("agent %u makes an access of 16 bytes that is not aligned", m->me->index);
    schedule_point(m, POINT_STORE, s.word);
    check_given(m, s.word);
    trace_access(m, POINT_STORE, s.word, first, 0);
    trace_access(m, POINT_STORE, s.word + 1, second, 0);
    if (promise_store(m, s.word, 2, s.value)) return;
    store(m, s);
}

/* The store of a read-modify-write: at once, or as something that others' loads see later. */
static void store_swapped(sim_machine *m, uint32_t word, uint64_t value, bool may_be_late, bool sequential)
{
    sim_agent *me = m->me;
    perform_swapped(m, word);
    if (!may_be_late || me->buffered == BUFFERED_STORES || !store_waits(m)) {
        perform_store_by(m, me, word, value);
        if (sequential) me->sequential = m->now;
        return;
    }
    cell_for(m, word)->swapper = me->index;
    m->memory[word] = value;
    me->buffer[me->buffered++] =
        (buffered_store){.word = word, .words = 1, .value = {value}, .after = me->fences,
                          .compiled = me->compiler_fences, .sequential = sequential, .swapped = true};
}

static void modified(sim_machine *m, uint32_t word, uint64_t old, int order)
{
    loaded(m, word, old, m->now);
    if (acquires(order) || releases(order)) promise_order(m);
    promise_modified(m, word);
    if (!acquires(order)) return;
    m->me->floor = m->now;
    drop_l1(m);
}

uint64_t sim_exchange(uint64_t *p, uint64_t v)
{
    sim_machine *m = sim_now_running;
    uint64_t old = *p;
    if (!m->running) {
        *p = v;
        return old;
    }
    uint32_t word = word_of(m, p);
    schedule_point(m, POINT_SWAP, word);
    check_given(m, word);
    if (fenced_off(m->me)) memory_drain(m);
    perform_buffered_of(m, word);
    old = m->memory[word];
    store_swapped(m, word, v, false, false);
    modified(m, word, old, __ATOMIC_RELAXED);
    trace_access(m, POINT_SWAP, word, v, 0);
    return old;
}

uint64_t sim_fetch_add(uint64_t *p, uint64_t v, int order, bool in_one_go)
{
    sim_machine *m = sim_now_running;
    if (!m->running) {
        *p += v;
        return *p - v;
    }
    uint32_t word = word_of(m, p);
    schedule_point(m, POINT_ADD, word);
    if (releases(order) || fenced_off(m->me)) memory_drain(m);
    perform_buffered_of(m, word);
    uint64_t old = m->memory[word];
    store_swapped(m, word, old + v, !in_one_go, order == __ATOMIC_SEQ_CST);
    modified(m, word, old, order);
    trace_access(m, POINT_ADD, word, old + v, 0);
    return old;
}

uint64_t sim_compare_swap(uint64_t *p, uint64_t expected, uint64_t desired, int order, bool in_one_go)
{
    sim_machine *m = sim_now_running;
    if (!m->running) {
        uint64_t old = *p;
        if (old == expected) *p = desired;
        return old;
    }
    uint32_t word = word_of(m, p);
    schedule_point(m, POINT_SWAP, word);
    check_given(m, word);
    perform_buffered_of(m, word);
    if (m->memory[word] == expected && (releases(order) || fenced_off(m->me))) memory_drain(m);
    uint64_t old = m->memory[word]; /* others may have come between while stores were drained */
    if (old != expected) {
        perform_swapped(m, word); /* who has read it, even so, does not read what was before */
        loaded(m, word, old, m->now);
        promise_modified(m, word);
        trace_access(m, POINT_SWAP_FAILED, word, old, 0);
        return old;
    }
    store_swapped(m, word, desired, !in_one_go && !releases(order), false);
    modified(m, word, old, order);
    trace_access(m, POINT_SWAP, word, desired, 0);
    return old;
}

/* A fence of CTA scope orders loads; it leaves L1 alone, and is not relied upon for stores. */
void sim_fence(int order, int scope)
{
    sim_machine *m = sim_now_running;
    if (!m->running) return;
    schedule_point(m, POINT_FENCE, m->me->last_word);
    if (order == __ATOMIC_SEQ_CST) memory_drain(m);
    if (acquires(order) || (releases(order) && scope == SIM_gpu)) promise_order(m);
    if (releases(order) && scope == SIM_gpu) m->me->fences++;
    if (!acquires(order)) return;
    m->me->floor = later(m->me->floor, order == __ATOMIC_SEQ_CST ? m->now : m->me->latest);
    if (scope == SIM_gpu) drop_l1(m);
}

void sim_compiler_fence(int order)
{
    sim_machine *m = sim_now_running;
    if (m->running && order == __ATOMIC_SEQ_CST) m->me->compiler_fences++;
}

/* Stores between which and a fence from outside no compiler fence lies: the compiler may have put them behind that
 * instant, even if the program has made later loads before it. */
static unsigned stores_compiled(const sim_agent *a)
{
    unsigned stores = a->buffered;
    while (stores > 0 && a->buffer[stores - 1].compiled == a->compiler_fences) stores--;
    return stores;
}

/* At this instant of the other agent, whatever it is about to do. */
static void fence_other(sim_machine *m, sim_agent *other)
{
    sim_agent *me = m->me;
    m->me = other;
    while (stores_compiled(other) > 0) perform_some_buffered(m, stores_compiled(other));
    other->floor = m->now;
    m->me = me;
    promise_order_of(m, other);
}

void sim_barrier(void)
{
    sim_machine *m = sim_now_running;
    if (!m->running) return;
    sim_fence(__ATOMIC_SEQ_CST, SIM_gpu);
    const unsigned me = m->me->index;
    for (unsigned i = 1; i < m->agent_count; i++) {
        sim_agent *other = &m->agents[(me + i) % m->agent_count];
        if (other->done) continue;
        schedule_point(m, POINT_FENCE, m->me->last_word);
        fence_other(m, other);
    }
    sim_fence(__ATOMIC_SEQ_CST, SIM_gpu);
}

void sim_pause(void)
{
    sim_machine *m = sim_now_running;
    if (!m->running) return;
    /* Who waits for another may not keep from it what that one waits for. Drawn schedules perform stores by chance. */
    if (m->exhaustive && m->me->waiting) memory_drain(m);
    m->me->waiting = true;
    schedule_point(m, POINT_PAUSE, m->me->last_word);
}

void sim_after_branch(void)
{
    sim_machine *m = sim_now_running;
    if (!m->running) return;
    promise_order(m);
    m->me->floor = later(m->me->floor, m->me->latest);
}

void *sim_follow(void *p, uint32_t id)
{
    sim_machine *m = sim_now_running;
    if (!m->running) return p;
    if (id == 0 || id >= m->nodes) sim_fail("agent %u follows node id %u, which names no node", m->me->index, id);
    m->me->followed[id] = later(m->me->followed[id], m->me->told[id]);
    return p;
}
