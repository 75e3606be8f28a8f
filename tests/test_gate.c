/* test_gate.c - what a CPU map stands on beside its tree: the gate, the worker threads, and the sorting of what is
 * loaded. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "exec/cpu/sort.h"
#include "exec/cpu/workers.h"
#include "gate/gate.h"
#include "support/agents.h"
#include "support/buffers.h"
#include "support/harness.h"
#include "support/units.h"
#include "support/patterns.h"

/* ---- the gate: who is inside ----------------------------------------------------------------------------------- */

/* Everything here but the gate is plain memory, so that ThreadSanitizer reports whoever gets in wrongly, and
 * volatile, so that the compiler leaves the accesses where they stand. */
typedef struct premises {
    gate g;
    struct {
        _Alignas(GATE_LINE) volatile unsigned inside; /* by shared callers; each writes its own */
    } shared[256];
    volatile unsigned exclusive_inside;
    volatile size_t left, right; /* equal, save while an exclusive caller is inside */
    volatile size_t exclusive_done;
    atomic_size_t expected;      /* of exclusive_done */
    size_t rounds;
    unsigned exclusive_percent, view_percent;
} premises;

static premises *open_premises(size_t rounds, unsigned exclusive_percent, unsigned view_percent)
{
    premises *p = aligned_alloc(GATE_LINE, sizeof *p);
    assert_non_null(p);
    memset(p, 0, sizeof *p);
    assert_true(gate_init(&p->g));
    p->rounds = rounds;
    p->exclusive_percent = exclusive_percent;
    p->view_percent = view_percent;
    return p;
}

static void close_premises(premises *p)
{
    gate_destroy(&p->g);
    free(p);
}

/* Some time inside, long enough at times for others to be scheduled. */
static void stay(rng *r)
{
    if (rng_percent(r, 2))
        sched_yield();
    for (volatile unsigned i = (unsigned)rng_below(r, 30); i > 0; i--) {
    }
}

static void look_around(agent *a, premises *p)
{
    EXPECT(a, p->exclusive_inside == 0);
    EXPECT(a, p->left == p->right);
    stay(&a->r);
    EXPECT(a, p->exclusive_inside == 0);
    EXPECT(a, p->left == p->right);
}

static void visit_shared(agent *a, premises *p)
{
    gate_enter(&p->g);
    p->shared[a->index].inside++;
    look_around(a, p);
    p->shared[a->index].inside--;
    gate_leave(&p->g);
}

static void be_alone(agent *a, premises *p)
{
    EXPECT(a, p->exclusive_inside == 0);
    p->exclusive_inside++;
    p->left++;
    for (size_t i = 0; i < a->count; i++)
        EXPECT(a, p->shared[i].inside == 0);
    stay(&a->r);
    for (size_t i = 0; i < a->count; i++)
        EXPECT(a, p->shared[i].inside == 0);
    p->right++;
    p->exclusive_inside--;
    p->exclusive_done++;
}

static void visit_alone(agent *a, premises *p)
{
    if (!gate_enter_exclusive(&p->g)) {
        EXPECT(a, p->view_percent > 0);
        return;
    }
    be_alone(a, p);
    gate_leave_exclusive(&p->g);
    atomic_fetch_add_explicit(&p->expected, 1, memory_order_relaxed);
}

/* While a view is open nobody is alone inside. */
static void visit_with_view(agent *a, premises *p)
{
    gate_view_open(&p->g);
    bool alone = gate_enter_exclusive(&p->g);
    if (alone)
        gate_leave_exclusive(&p->g);
    EXPECT(a, !alone);
    look_around(a, p);
    EXPECT(a, gate_view_close(&p->g));
}

static void visit(agent *a)
{
    premises *p = a->shared;
    for (size_t round = 0; round < p->rounds && !stopped(a); round++) {
        unsigned what = (unsigned)rng_below(&a->r, 100);
        if (what < p->exclusive_percent)
            visit_alone(a, p);
        else if (what < p->exclusive_percent + p->view_percent)
            visit_with_view(a, p);
        else
            visit_shared(a, p);
    }
}

static void run_visits(size_t agents, size_t rounds, unsigned exclusive_percent, unsigned view_percent)
{
    premises *p = open_premises(rounds, exclusive_percent, view_percent);
    run_agents(agents, visit, p);
    assert_int_equal(p->exclusive_done, atomic_load(&p->expected));
    assert_int_equal(p->left, p->right);
    assert_int_equal(p->left, p->exclusive_done);
    if (exclusive_percent)
        assert_true(p->exclusive_done > 0);
    close_premises(p);
}

static void shared_and_exclusive_never_together(const void *unused)
{
    (void)unused;
    run_visits(calling_threads(), scaled(300000), 5, 0);
    run_visits(calling_threads(), scaled(100000), 40, 0);
    run_visits(2, scaled(300000), 20, 0);
}

static void exclusive_callers_exclude_each_other(const void *unused)
{
    (void)unused;
    run_visits(calling_threads(), scaled(100000), 100, 0);
}

static void views_and_exclusive_never_together(const void *unused)
{
    (void)unused;
    run_visits(calling_threads(), scaled(100000), 20, 20);
}

/* Threads that share a slot of the gate: it counts them. */
static void more_threads_than_slots(const void *unused)
{
    (void)unused;
    run_visits(GATE_SLOTS + 20, scaled(200), 10, 5);
}

/* The first agent must get in beside others that leave and come back all the time. */
static void crowd(agent *a)
{
    premises *p = a->shared;
    if (a->index > 0) {
        while (!stopped(a))
            visit_shared(a, p);
        return;
    }
    for (size_t round = 0; round < p->rounds && !stopped(a); round++)
        visit_alone(a, p);
    stop_all(a);
}

static void exclusive_is_not_starved(const void *unused)
{
    (void)unused;
    premises *p = open_premises(scaled(500), 0, 0);
    run_agents(1 + calling_threads(), crowd, p);
    assert_int_equal(p->exclusive_done, p->rounds);
    close_premises(p);
}

/* ---- the gate: who waits for whom ---- */

/* Long enough for a thread that does not wait to be seen. A slow machine makes this miss a mistake, never see one. */
static void while_others_could_run(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
}

typedef struct encounter {
    gate g;
    atomic_int stage;      /* set by the agent that is inside */
    atomic_int arrived;    /* of those who must wait: about to ask */
    atomic_int got_in;
    volatile int alone_was; /* plain: written by the exclusive caller before it leaves */
} encounter;

static encounter *open_encounter(void)
{
    encounter *e = aligned_alloc(GATE_LINE, sizeof *e);
    assert_non_null(e);
    memset(e, 0, sizeof *e);
    assert_true(gate_init(&e->g));
    return e;
}

static void close_encounter(encounter *e)
{
    gate_destroy(&e->g);
    free(e);
}

static void wait_until(agent *a, atomic_int *number, int value)
{
    while (atomic_load(number) < value && !stopped(a))
        sched_yield();
}

/* Agent 0 is alone inside; 1 wants to share, 2 to be alone, 3 to open a view. */
static void meet_closed_gate(agent *a)
{
    encounter *e = a->shared;
    if (a->index == 0) {
        EXPECT(a, gate_enter_exclusive(&e->g));
        atomic_store(&e->stage, 1);
        wait_until(a, &e->arrived, 3);
        while_others_could_run();
        bool alone = atomic_load(&e->got_in) == 0;
        e->alone_was = 1;
        gate_leave_exclusive(&e->g); /* also after a failure: the others wait */
        EXPECT(a, alone);
        return;
    }
    wait_until(a, &e->stage, 1);
    atomic_fetch_add(&e->arrived, 1);
    bool in = true;
    if (a->index == 1)
        gate_enter(&e->g);
    else if (a->index == 2)
        in = gate_enter_exclusive(&e->g); /* refused if the view came first */
    else
        gate_view_open(&e->g);
    atomic_fetch_add(&e->got_in, 1);
    bool after = e->alone_was == 1;
    if (a->index == 1)
        gate_leave(&e->g);
    else if (a->index == 2 && in)
        gate_leave_exclusive(&e->g);
    else if (a->index == 3)
        EXPECT(a, gate_view_close(&e->g));
    EXPECT(a, after);
}

static void all_wait_for_the_one_inside(const void *unused)
{
    (void)unused;
    for (size_t round = 0; round < shrunk(10, 3); round++) {
        encounter *e = open_encounter();
        run_agents(4, meet_closed_gate, e);
        assert_int_equal(atomic_load(&e->got_in), 3);
        close_encounter(e);
    }
}

/* Agent 0 shares; 1 wants to be alone and waits; 2 comes later, wants to share, and must let 1 in first. */
static void meet_closing_gate(agent *a)
{
    encounter *e = a->shared;
    if (a->index == 0) {
        gate_enter(&e->g);
        atomic_store(&e->stage, 1);
        wait_until(a, &e->arrived, 1);
        while_others_could_run();
        bool nobody = atomic_load(&e->got_in) == 0;
        gate_leave(&e->g);
        EXPECT(a, nobody);
    } else if (a->index == 1) {
        wait_until(a, &e->stage, 1);
        EXPECT(a, gate_enter_exclusive(&e->g));
        bool first = atomic_fetch_add(&e->got_in, 1) == 0;
        e->alone_was = 1;
        gate_leave_exclusive(&e->g);
        EXPECT(a, first);
    } else {
        wait_until(a, &e->stage, 1);
        while (!atomic_load(&e->g.closed) && !atomic_load(&e->got_in) && !stopped(a))
            sched_yield();
        atomic_fetch_add(&e->arrived, 1);
        gate_enter(&e->g);
        bool second = e->alone_was == 1;
        atomic_fetch_add(&e->got_in, 1);
        gate_leave(&e->g);
        EXPECT(a, second);
    }
}

static void newcomers_wait_behind_the_exclusive_caller(const void *unused)
{
    (void)unused;
    for (size_t round = 0; round < shrunk(10, 3); round++) {
        encounter *e = open_encounter();
        run_agents(3, meet_closing_gate, e);
        assert_int_equal(atomic_load(&e->got_in), 2);
        close_encounter(e);
    }
}

/* ---- the gate: in what order ----
 * Agent 0 is alone inside until all others wait, who have come one by one; then it leaves and asks again at once. */

static int waiting(gate *g)
{
    pthread_mutex_lock(&g->lock);
    int count = (int)(g->waiting + (g->numbers - g->next));
    pthread_mutex_unlock(&g->lock);
    return count;
}

static void wait_for_queue(agent *a, encounter *e, int length)
{
    while ((!atomic_load(&e->stage) || waiting(&e->g) < length) && !stopped(a))
        sched_yield();
}

/* By who has come when: all who share go first, in any order, then those who do not, in theirs. */
static const char queue_up[] = "0sseebsbeesebsexeebxs";

static bool is_in_turn(size_t index, int before)
{
    int shared = 0, exclusive = 0;
    for (size_t i = 1; queue_up[i]; i++) {
        shared += strchr("sb", queue_up[i]) != NULL;
        exclusive += i < index && strchr("ex", queue_up[i]);
    }
    return strchr("sb", queue_up[index]) ? before < shared : before == shared + exclusive;
}

static void queue_at_gate(agent *a)
{
    encounter *e = a->shared;
    char kind = queue_up[a->index];
    if (a->index == 0) {
        EXPECT(a, gate_enter_exclusive(&e->g));
        atomic_store(&e->stage, 1);
        wait_for_queue(a, e, (int)a->count - 1);
        gate_leave_exclusive(&e->g);
    } else
        wait_for_queue(a, e, (int)a->index - 1);
    bool in = true;
    if (kind == 's')
        gate_enter(&e->g);
    else if (kind == 'b')
        gate_enter_beside(&e->g);
    else
        in = kind == 'x' ? gate_enter_batch(&e->g) : gate_enter_exclusive(&e->g);
    int before = atomic_fetch_add(&e->got_in, 1);
    if (kind == 's')
        gate_leave(&e->g);
    else if (kind == 'b')
        gate_leave_beside(&e->g);
    else if (in)
        gate_leave_exclusive(&e->g);
    EXPECT(a, in);
    EXPECT(a, a->index == 0 ? before == (int)a->count - 1 : is_in_turn(a->index, before));
}

static void who_waits_goes_first(const void *unused)
{
    (void)unused;
    for (size_t round = 0; round < shrunk(200, 20); round++) {
        encounter *e = open_encounter();
        run_agents(strlen(queue_up), queue_at_gate, e);
        close_encounter(e);
    }
}

/* Who may be beside a batch, and waits for somebody else, need not wait for a batch that came before it. */
static void queue_behind_batch(agent *a)
{
    encounter *e = a->shared;
    if (a->index == 0) {
        EXPECT(a, gate_enter_exclusive(&e->g));
        atomic_store(&e->stage, 1);
        wait_for_queue(a, e, 2);
        gate_leave_exclusive(&e->g);
        return;
    }
    wait_for_queue(a, e, (int)a->index - 1);
    if (a->index == 1) {
        EXPECT(a, gate_enter_batch(&e->g));
        wait_until(a, &e->got_in, 1); /* or this does not end */
        gate_leave_exclusive(&e->g);
    } else {
        gate_enter_beside(&e->g);
        atomic_store(&e->got_in, 1);
        gate_leave_beside(&e->g);
    }
}

static void batches_hold_nobody_back_beside(const void *unused)
{
    (void)unused;
    for (size_t round = 0; round < shrunk(50, 5); round++) {
        encounter *e = open_encounter();
        run_agents(3, queue_behind_batch, e);
        close_encounter(e);
    }
}

/* ---- the gate: one who wants to be alone all the time ----
 * The first agent leaves and asks again at once, while the others make some calls each. Another's call is overtaken if
 * it had begun before the first agent asked, and is still outside when that one is inside. This may happen to a thread
 * on its way to the queue, above all if it loses its processor there. So the first agent sleeps a while inside when it
 * has overtaken somebody: who is on its way then gets there, and who waits has nothing of it. */

typedef struct siege {
    gate g;
    size_t calls;
    atomic_size_t at_work, turns;
    atomic_size_t steps[256]; /* of each agent: odd while it asks */
} siege;

static size_t overtaken(const agent *a, siege *s, const size_t *before)
{
    size_t count = 0;
    for (size_t i = 1; i < a->count; i++)
        count += before[i] % 2 && atomic_load(&s->steps[i]) == before[i];
    return count;
}

static void be_alone_without_end(agent *a, siege *s)
{
    size_t before[COUNT_OF(s->steps)], all = 0;
    while (atomic_load(&s->at_work) > 0 && !stopped(a)) {
        for (size_t i = 1; i < a->count; i++)
            before[i] = atomic_load(&s->steps[i]);
        EXPECT(a, gate_enter_exclusive(&s->g));
        size_t now = overtaken(a, s, before);
        if (now)
            nanosleep(&(struct timespec){.tv_nsec = 500 * 1000}, NULL);
        for (volatile unsigned i = 0; i < 20000; i++) {
        }
        gate_leave_exclusive(&s->g);
        atomic_fetch_add(&s->turns, 1);
        EXPECT(a, (all += now) <= s->calls / 2); /* some in all; thousands if who waits is not let in first */
    }
}

static void call_some(agent *a, siege *s)
{
    atomic_size_t *steps = &s->steps[a->index];
    for (size_t call = 0; call < s->calls && !stopped(a); call++) {
        size_t kind = (call + a->index) % 4;
        bool in = true;
        atomic_fetch_add(steps, 1);
        if (kind < 2)
            gate_enter(&s->g);
        else if (kind == 2)
            gate_enter_beside(&s->g);
        else
            in = gate_enter_exclusive(&s->g);
        atomic_fetch_add(steps, 1);
        EXPECT(a, in);
        if (kind < 2)
            gate_leave(&s->g);
        else if (kind == 2)
            gate_leave_beside(&s->g);
        else
            gate_leave_exclusive(&s->g);
    }
}

static void besiege(agent *a)
{
    siege *s = a->shared;
    if (a->index == 0) {
        be_alone_without_end(a, s);
        return;
    }
    while (atomic_load(&s->turns) == 0 && !stopped(a))
        sched_yield();
    call_some(a, s);
    atomic_fetch_sub(&s->at_work, 1);
}

static void nobody_is_overtaken_for_long(const void *unused)
{
    (void)unused;
    for (size_t round = 0; round < shrunk(20, 5); round++) {
        siege *s = aligned_alloc(GATE_LINE, sizeof *s);
        assert_non_null(s);
        memset(s, 0, sizeof *s);
        assert_true(gate_init(&s->g));
        s->calls = 400;
        atomic_store(&s->at_work, calling_threads());
        run_agents(1 + calling_threads(), besiege, s);
        gate_destroy(&s->g);
        free(s);
    }
}

/* All are inside at the same time, or this does not end. */
static void share(agent *a)
{
    encounter *e = a->shared;
    gate_enter(&e->g);
    atomic_fetch_add(&e->got_in, 1);
    wait_until(a, &e->got_in, (int)a->count);
    gate_leave(&e->g);
}

static void shared_callers_are_inside_together(const void *unused)
{
    (void)unused;
    encounter *e = open_encounter();
    run_agents(8, share, e);
    assert_true(gate_enter_exclusive(&e->g)); /* and have all left */
    gate_leave_exclusive(&e->g);
    close_encounter(e);
}

static void views_refuse_exclusive(const void *unused)
{
    (void)unused;
    encounter *e = open_encounter();
    assert_false(gate_view_close(&e->g));
    gate_view_open(&e->g);
    gate_view_open(&e->g);
    assert_false(gate_enter_exclusive(&e->g));
    gate_enter(&e->g); /* would wait for ever if the refused caller had closed the gate */
    gate_leave(&e->g);
    assert_true(gate_view_close(&e->g));
    assert_false(gate_enter_exclusive(&e->g));
    assert_true(gate_view_close(&e->g));
    assert_false(gate_view_close(&e->g)); /* no more were open, and none is owed */
    assert_true(gate_enter_exclusive(&e->g));
    gate_leave_exclusive(&e->g);
    gate_view_open(&e->g);
    assert_false(gate_enter_exclusive(&e->g));
    assert_true(gate_view_close(&e->g));
    close_encounter(e);
}

/* Numbers of threads that live at the same time differ, and a thread keeps its own. */
typedef struct numbering {
    atomic_int asked;
    unsigned number[GATE_SLOTS];
} numbering;

static void ask_number(agent *a)
{
    numbering *n = a->shared;
    n->number[a->index] = gate_thread_number();
    atomic_fetch_add(&n->asked, 1);
    wait_until(a, &n->asked, (int)a->count);
    for (size_t i = 0; i < a->count; i++)
        EXPECT(a, i == a->index || n->number[i] != n->number[a->index]);
    EXPECT(a, gate_thread_number() == n->number[a->index]);
}

static void threads_have_numbers(const void *unused)
{
    (void)unused;
    numbering n = {.asked = 0};
    run_agents(16, ask_number, &n);
}

/* ---- worker threads -------------------------------------------------------------------------------------------- */

/* One call's elements. The counts are plain: parts do not overlap, and all are done when the call returns. */
typedef struct errand {
    size_t n, grain;
    unsigned char *times;
    atomic_bool wrong; /* a part that is empty, or out of bounds, or neither small enough nor everything */
} errand;

static void count_elements(void *context, size_t begin, size_t end)
{
    errand *e = context;
    if (begin >= end || end > e->n || (end - begin > e->grain && end - begin != e->n)) {
        atomic_store(&e->wrong, true);
        return;
    }
    for (size_t i = begin; i < end; i++)
        e->times[i]++;
}

/* Answers rather than asserts: callable from any thread. */
static bool each_element_once(workers *w, size_t n, size_t grain)
{
    errand e = {n, grain, must_alloc(n, 1), false};
    workers_run(w, n, grain, count_elements, &e);
    bool right = !atomic_load(&e.wrong);
    for (size_t i = 0; i < n; i++)
        right &= e.times[i] == 1;
    free(e.times);
    return right;
}

static void every_element_once(const void *unused)
{
    (void)unused;
    static const unsigned threads[] = {1, 2, 3, 7};
    static const size_t sizes[] = {0, 1, 2, 7, 63, 64, 65, 1000, 4097};
    static const size_t grains[] = {1, 2, 7, 64, 1000, 4096, 4097, 100000};
    for (size_t t = 0; t < COUNT_OF(threads); t++) {
        workers *w = workers_create(threads[t]);
        assert_non_null(w);
        for (size_t s = 0; s < COUNT_OF(sizes); s++)
            for (size_t g = 0; g < COUNT_OF(grains); g++)
                for (size_t round = 0; round < shrunk(5, 1); round++)
                    assert_true(each_element_once(w, sizes[s], grains[g]));
        workers_destroy(w);
    }
}

typedef struct office {
    workers *w;
    size_t rounds;
} office;

static void send_errands(agent *a)
{
    office *o = a->shared;
    for (size_t round = 0; round < o->rounds && !stopped(a); round++)
        EXPECT(a, each_element_once(o->w, rng_below(&a->r, 300), 1 + rng_below(&a->r, 50)));
}

static void callers_at_once(const void *unused)
{
    (void)unused;
    static const unsigned threads[] = {2, 3, 5};
    for (size_t t = 0; t < COUNT_OF(threads); t++) {
        office o = {workers_create(threads[t]), scaled(8000)};
        assert_non_null(o.w);
        run_agents(calling_threads(), send_errands, &o);
        workers_destroy(o.w);
    }
}

/* Parts that wait for each other: only several threads can finish them. */
typedef struct meeting {
    atomic_int present, over;
    int wanted;
    office *o;
} meeting;

static void attend(void *context, size_t begin, size_t end)
{
    meeting *m = context;
    atomic_fetch_add(&m->present, 1);
    if (end - begin != 1)
        return; /* one thread got everything and would wait for ever; that too few came is seen afterwards */
    while (atomic_load(&m->present) < m->wanted || !atomic_load(&m->over))
        sched_yield();
}

static void all_threads_work(const void *unused)
{
    (void)unused;
    for (unsigned threads = 2; threads <= 5; threads++) {
        workers *w = workers_create(threads);
        assert_non_null(w);
        meeting m = {.wanted = (int)threads, .over = 1};
        for (int round = 0; round < 20; round++) {
            atomic_store(&m.present, 0);
            workers_run(w, threads, 1, attend, &m);
            assert_int_equal(atomic_load(&m.present), threads);
        }
        workers_destroy(w);
    }
}

/* Agent 0 has the helpers, until agent 1 has got its own work done without them. */
static void call_beside_a_long_call(agent *a)
{
    meeting *m = a->shared;
    if (a->index == 0) {
        workers_run(m->o->w, (size_t)m->wanted, 1, attend, m);
        EXPECT(a, atomic_load(&m->present) == m->wanted);
        return;
    }
    wait_until(a, &m->present, m->wanted);
    bool right = each_element_once(m->o->w, 1000, 10) && each_element_once(m->o->w, 5, 10);
    atomic_store(&m->over, 1);
    EXPECT(a, right);
}

static void busy_helpers_hold_nobody_up(const void *unused)
{
    (void)unused;
    office o = {workers_create(3), 0};
    assert_non_null(o.w);
    for (size_t round = 0; round < shrunk(20, 5); round++) {
        meeting m = {.wanted = 3, .o = &o};
        run_agents(2, call_beside_a_long_call, &m);
        assert_true(each_element_once(o.w, 1000, 10));
    }
    workers_destroy(o.w);
}

static void workers_that_never_worked(const void *unused)
{
    (void)unused;
    for (unsigned threads = 1; threads <= 4; threads++) {
        workers *w = workers_create(threads);
        assert_non_null(w);
        workers_run(w, 0, 1, count_elements, NULL); /* no element, no call */
        workers_destroy(w);
    }
}

static void workers_without_memory(const void *unused)
{
    (void)unused;
    for (long failing = 1; failing <= 2; failing++) {
        base_fail_nth_allocation(failing);
        workers *w = workers_create(3);
        base_fail_nth_allocation(0);
        assert_null(w);
    }
}

/* ---- sorting --------------------------------------------------------------------------------------------------- */

/* An array of keys as the library wants it. */
static void *of_width(unsigned key_bits, size_t n, const uint64_t *words)
{
    void *array = must_alloc(n, key_bits / 8);
    for (size_t i = 0; i < n; i++) {
        if (key_bits == 32)
            ((uint32_t *)array)[i] = (uint32_t)words[i];
        else
            ((uint64_t *)array)[i] = words[i];
    }
    return array;
}

static uint64_t word_at(unsigned key_bits, const void *array, size_t i)
{
    return key_bits == 32 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

typedef struct reference {
    uint64_t key;
    size_t place; /* in the input */
} reference;

static int by_key_and_place(const void *a, const void *b)
{
    const reference *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static reference *sorted_reference(size_t n, const uint64_t *keys)
{
    reference *r = must_alloc(n, sizeof *r);
    for (size_t i = 0; i < n; i++)
        r[i] = (reference){keys[i], i};
    qsort(r, n, sizeof *r, by_key_and_place);
    return r;
}

static void check_sort(unsigned key_bits, size_t n, const uint64_t *keys)
{
    uint64_t top = key_bits == 32 ? UINT32_MAX : UINT64_MAX;
    uint64_t *values = must_alloc(n, sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = ~(uint64_t)i & top; /* says where it came from */
    void *in_keys = of_width(key_bits, n, keys), *in_values = of_width(key_bits, n, values);
    void *out_keys = NULL, *out_values = NULL;
    size_t distinct = sort_distinct(key_bits, in_keys, in_values, n, &out_keys, &out_values);
    reference *r = sorted_reference(n, keys);
    size_t expected = 0;
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && r[i + 1].key == r[i].key)
            continue; /* the last one wins */
        assert_true(expected < distinct);
        assert_int_equal(word_at(key_bits, out_keys, expected), r[i].key);
        assert_int_equal(word_at(key_bits, out_values, expected), values[r[i].place]);
        expected++;
    }
    assert_int_equal(distinct, expected);
    assert_true(sort_is_ascending(key_bits, out_keys, distinct));
    for (size_t i = 0; i < n; i++) { /* copies were sorted */
        assert_int_equal(word_at(key_bits, in_keys, i), keys[i]);
        assert_int_equal(word_at(key_bits, in_values, i), values[i]);
    }
    free(r);
    free(values);
    free(in_keys);
    free(in_values);
    base_free(out_keys);
    base_free(out_values);
}

static const unsigned widths[] = {32, 64};

static uint64_t top_of(unsigned key_bits)
{
    return key_bits == 32 ? UINT32_MAX : UINT64_MAX;
}

static void sort_of_patterns(const void *unused)
{
    (void)unused;
    static const size_t sizes[] = {0, 1, 2, 3, 255, 256, 257, 5000};
    rng r = rng_for(test_seed(), 1);
    for (size_t w = 0; w < COUNT_OF(widths); w++)
        for (size_t s = 0; s < COUNT_OF(sizes); s++)
            for (pattern p = 0; p < PATTERNS; p++) {
                uint64_t *keys = pattern_keys(p, sizes[s], top_of(widths[w]), &r);
                check_sort(widths[w], sizes[s], keys);
                free(keys);
            }
}

static void sort_with_duplicates(const void *unused)
{
    (void)unused;
    enum { N = 3000 };
    static const uint64_t distinct[] = {1, 2, 3, 10, 255, 256, 1000};
    rng r = rng_for(test_seed(), 2);
    uint64_t *keys = must_alloc(N, sizeof *keys);
    for (size_t w = 0; w < COUNT_OF(widths); w++)
        for (size_t d = 0; d < COUNT_OF(distinct); d++) {
            for (size_t i = 0; i < N; i++)
                keys[i] = mix64(rng_below(&r, distinct[d])) & top_of(widths[w]);
            check_sort(widths[w], N, keys);
        }
    free(keys);
}

static void sort_of_equal_and_extreme_keys(const void *unused)
{
    (void)unused;
    enum { N = 600 };
    for (size_t w = 0; w < COUNT_OF(widths); w++) {
        uint64_t top = top_of(widths[w]), keys[N];
        const uint64_t some[] = {0, top, 1, top - 1, top / 2, top / 2 + 1};
        for (size_t k = 0; k < COUNT_OF(some); k++) {
            for (size_t i = 0; i < N; i++)
                keys[i] = some[k];
            check_sort(widths[w], N, keys);
        }
        for (size_t i = 0; i < N; i++)
            keys[i] = some[i % COUNT_OF(some)];
        check_sort(widths[w], N, keys);
    }
}

/* Keys that differ in one byte only: the other passes of a radix sort have nothing to do and may be left out. */
static void sort_by_one_byte(const void *unused)
{
    (void)unused;
    enum { N = 700 };
    rng r = rng_for(test_seed(), 3);
    for (size_t w = 0; w < COUNT_OF(widths); w++)
        for (unsigned shift = 0; shift < widths[w]; shift += 8) {
            uint64_t keys[N], rest = rng_next(&r) & top_of(widths[w]) & ~((uint64_t)255 << shift);
            for (size_t i = 0; i < N; i++)
                keys[i] = rest | rng_below(&r, 256) << shift;
            check_sort(widths[w], N, keys);
        }
}

static void assert_ascending(unsigned key_bits, size_t n, const uint64_t *keys, bool expected)
{
    void *array = of_width(key_bits, n, keys);
    assert_int_equal(sort_is_ascending(key_bits, array, n), expected);
    free(array);
}

static void ascending_means_strictly(const void *unused)
{
    (void)unused;
    for (size_t w = 0; w < COUNT_OF(widths); w++) {
        uint64_t top = top_of(widths[w]);
        const uint64_t rising[] = {0, 1, 2, top / 2, top / 2 + 1, top - 1, top};
        size_t n = COUNT_OF(rising);
        for (size_t length = 0; length <= n; length++)
            assert_ascending(widths[w], length, rising, true);
        for (size_t at = 1; at < n; at++) {
            uint64_t keys[COUNT_OF(rising)];
            memcpy(keys, rising, sizeof keys);
            keys[at] = keys[at - 1]; /* twice */
            assert_ascending(widths[w], n, keys, false);
            assert_ascending(widths[w], at, keys, true);
            keys[at] = rising[at - 1];
            keys[at - 1] = rising[at]; /* falling */
            assert_ascending(widths[w], n, keys, false);
        }
        assert_ascending(widths[w], 2, (const uint64_t[]){top, 0}, false);
    }
}

static void sort_without_memory(const void *unused)
{
    (void)unused;
    const uint64_t keys[] = {3, 1, 2};
    for (size_t w = 0; w < COUNT_OF(widths); w++) {
        void *array = of_width(widths[w], COUNT_OF(keys), keys), *out_keys, *out_values;
        for (long failing = 1; failing <= 4; failing++) {
            base_fail_nth_allocation(failing);
            size_t distinct = sort_distinct(widths[w], array, array, COUNT_OF(keys), &out_keys, &out_values);
            base_fail_nth_allocation(0);
            assert_true(distinct == SIZE_MAX);
        }
        free(array);
    }
}

/* ---- the runner ------------------------------------------------------------------------------------------------ */

static unit_case cases[] = {
    {"shared_and_exclusive_never_together", shared_and_exclusive_never_together, NULL},
    {"exclusive_callers_exclude_each_other", exclusive_callers_exclude_each_other, NULL},
    {"views_and_exclusive_never_together", views_and_exclusive_never_together, NULL},
    {"more_threads_than_slots", more_threads_than_slots, NULL},
    {"exclusive_is_not_starved", exclusive_is_not_starved, NULL},
    {"all_wait_for_the_one_inside", all_wait_for_the_one_inside, NULL},
    {"newcomers_wait_behind_the_exclusive_caller", newcomers_wait_behind_the_exclusive_caller, NULL},
    {"who_waits_goes_first", who_waits_goes_first, NULL},
    {"batches_hold_nobody_back_beside", batches_hold_nobody_back_beside, NULL},
    {"nobody_is_overtaken_for_long", nobody_is_overtaken_for_long, NULL},
    {"shared_callers_are_inside_together", shared_callers_are_inside_together, NULL},
    {"views_refuse_exclusive", views_refuse_exclusive, NULL},
    {"threads_have_numbers", threads_have_numbers, NULL},
    {"every_element_once", every_element_once, NULL},
    {"callers_at_once", callers_at_once, NULL},
    {"all_threads_work", all_threads_work, NULL},
    {"busy_helpers_hold_nobody_up", busy_helpers_hold_nobody_up, NULL},
    {"workers_that_never_worked", workers_that_never_worked, NULL},
    {"workers_without_memory", workers_without_memory, NULL},
    {"sort_of_patterns", sort_of_patterns, NULL},
    {"sort_with_duplicates", sort_with_duplicates, NULL},
    {"sort_of_equal_and_extreme_keys", sort_of_equal_and_extreme_keys, NULL},
    {"sort_by_one_byte", sort_by_one_byte, NULL},
    {"ascending_means_strictly", ascending_means_strictly, NULL},
    {"sort_without_memory", sort_without_memory, NULL},
};

int main(int argc, char **argv)
{
    return run_units("test_gate", argc, argv, cases, COUNT_OF(cases));
}
