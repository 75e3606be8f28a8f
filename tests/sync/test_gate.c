/* test_gate.c - the gate: who is inside, who waits for whom, and in what order. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sync/gate.h"
#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/system_calls.h"
#include "testkit/units.h"

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

static void shared_and_exclusive_never_together(void)
{
    run_visits(calling_threads(), scaled(300000), 5, 0);
    run_visits(calling_threads(), scaled(100000), 40, 0);
    run_visits(2, scaled(300000), 20, 0);
}

static void exclusive_callers_exclude_each_other(void)
{
    run_visits(calling_threads(), scaled(100000), 100, 0);
}

static void views_and_exclusive_never_together(void)
{
    run_visits(calling_threads(), scaled(100000), 20, 20);
}

/* Threads that share a slot of the gate: it counts them. */
static void more_threads_than_slots(void)
{
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

static void exclusive_is_not_starved(void)
{
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

static void all_wait_for_the_one_inside(void)
{
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

static void newcomers_wait_behind_the_exclusive_caller(void)
{
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
    int count = (int)g->waiting;
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
        gate_enter_snapshot(&e->g);
    else
        in = kind == 'x' ? gate_enter_batch(&e->g) : gate_enter_exclusive(&e->g);
    int before = atomic_fetch_add(&e->got_in, 1);
    if (kind == 's')
        gate_leave(&e->g);
    else if (kind == 'b')
        gate_leave_snapshot(&e->g);
    else if (in)
        gate_leave_exclusive(&e->g);
    EXPECT(a, in);
    EXPECT(a, a->index == 0 ? before == (int)a->count - 1 : is_in_turn(a->index, before));
}

static void who_waits_goes_first(void)
{
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
        gate_enter_snapshot(&e->g);
        atomic_store(&e->got_in, 1);
        gate_leave_snapshot(&e->g);
    }
}

static void batches_hold_nobody_back_beside(void)
{
    for (size_t round = 0; round < shrunk(50, 5); round++) {
        encounter *e = open_encounter();
        run_agents(3, queue_behind_batch, e);
        close_encounter(e);
    }
}

/* ---- the gate: one who wants to be alone all the time ----
 * The first agent leaves and asks again at once, while the others make some calls each. Another's call is overtaken if
 * it had begun before the first agent asked, and is still outside when that one is inside. This happens to a thread that
 * was woken and is not awake yet, but once only to one that is. So the first agent sleeps a while inside when it has
 * overtaken somebody: who is on its way then gets there, and is let in next. */

enum { MOST_OVERTAKEN = 500 }; /* one call, in a row: half a second on a machine that is busy with other things */

typedef struct siege {
    gate g;
    size_t calls;
    atomic_size_t at_work, turns;
    atomic_size_t steps[256]; /* of each agent: odd while it asks */
} siege;

/* How often in a row the call was overtaken that was so most often. */
static size_t overtaken(const agent *a, siege *s, const size_t *before, size_t *in_a_row)
{
    size_t most = 0;
    for (size_t i = 1; i < a->count; i++) {
        in_a_row[i] = before[i] % 2 && atomic_load(&s->steps[i]) == before[i] ? in_a_row[i] + 1 : 0;
        if (in_a_row[i] > most)
            most = in_a_row[i];
    }
    return most;
}

static void be_alone_without_end(agent *a, siege *s)
{
    size_t before[COUNT_OF(s->steps)], in_a_row[COUNT_OF(s->steps)] = {0};
    while (atomic_load(&s->at_work) > 0 && !stopped(a)) {
        for (size_t i = 1; i < a->count; i++)
            before[i] = atomic_load(&s->steps[i]);
        EXPECT(a, gate_enter_exclusive(&s->g));
        size_t now = overtaken(a, s, before, in_a_row);
        if (now)
            nanosleep(&(struct timespec){.tv_nsec = 500 * 1000}, NULL);
        for (volatile unsigned i = 0; i < 20000; i++) {
        }
        gate_leave_exclusive(&s->g);
        atomic_fetch_add(&s->turns, 1);
        EXPECT(a, now <= MOST_OVERTAKEN);
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
            gate_enter_snapshot(&s->g);
        else
            in = gate_enter_exclusive(&s->g);
        atomic_fetch_add(steps, 1);
        EXPECT(a, in);
        if (kind < 2)
            gate_leave(&s->g);
        else if (kind == 2)
            gate_leave_snapshot(&s->g);
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

static void nobody_is_overtaken_for_long(void)
{
    for (size_t round = 0; round < shrunk(20, 5); round++) {
        FREED siege *s = aligned_alloc(GATE_LINE, sizeof *s);
        assert_non_null(s);
        memset(s, 0, sizeof *s);
        assert_true(gate_init(&s->g));
        s->calls = 400;
        atomic_store(&s->at_work, calling_threads());
        run_agents(1 + calling_threads(), besiege, s);
        gate_destroy(&s->g);
    }
}

/* ---- the gate: a shared caller that was woken and does not come ----
 * A signal keeps it, which stands for a scheduler that has other threads to run. Exclusive callers go on. */

enum { PATIENCE_MS = 2000 };

static atomic_bool kept, let_go;

static void keep_thread(int signal_number)
{
    (void)signal_number;
    atomic_store(&kept, true);
    for (int ms = 0; ms < PATIENCE_MS && !atomic_load(&let_go); ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    atomic_store(&kept, false);
}

static void *share_once(void *argument)
{
    encounter *e = argument;
    gate_enter(&e->g);
    atomic_fetch_add(&e->got_in, 1);
    gate_leave(&e->g);
    return NULL;
}

static void nobody_waits_for_who_is_not_awake(void)
{
    encounter *e = open_encounter();
    pthread_t thread;
    struct sigaction keep = {.sa_handler = keep_thread, .sa_flags = SA_RESTART}, before;
    atomic_store(&let_go, false);
    assert_int_equal(sigaction(SIGUSR1, &keep, &before), 0);
    assert_true(gate_enter_exclusive(&e->g));
    assert_int_equal(pthread_create(&thread, NULL, share_once, e), 0);
    while (waiting(&e->g) < 1)
        sched_yield();
    while_others_could_run(); /* it sleeps */
    assert_int_equal(pthread_kill(thread, SIGUSR1), 0);
    for (int ms = 0; ms < PATIENCE_MS / 4 && !atomic_load(&kept); ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    const bool keeps = atomic_load(&kept); /* ThreadSanitizer holds the signal back until the thread is awake */
    gate_leave_exclusive(&e->g);
    for (int i = 0; i < 100; i++) {
        assert_true(gate_enter_exclusive(&e->g));
        gate_leave_exclusive(&e->g);
    }
    const bool was_kept = atomic_load(&kept);
    atomic_store(&let_go, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
    assert_true(was_kept || !keeps);
    assert_int_equal(atomic_load(&e->got_in), 1);
    close_encounter(e);
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

static void shared_callers_are_inside_together(void)
{
    encounter *e = open_encounter();
    run_agents(8, share, e);
    assert_true(gate_enter_exclusive(&e->g)); /* and have all left */
    gate_leave_exclusive(&e->g);
    close_encounter(e);
}

static void views_refuse_exclusive(void)
{
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

/* ---- numbers of threads, and the barrier ---- */

static bool have_membarrier = true;

/* Numbers of threads that live at the same time differ, and a thread keeps its own. */
typedef struct numbering {
    atomic_int asked;
    unsigned number[2 * GATE_SLOTS];
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

static void threads_have_numbers(void)
{
    numbering n = {.asked = 0};
    run_agents(16, ask_number, &n);
}

/* As many as there can be own a slot. */
static void slots_go_to_as_many_as_there_are(void)
{
    numbering n = {.asked = 0};
    run_agents(COUNT_OF(n.number), ask_number, &n);
    size_t owners = 0;
    for (size_t i = 0; i < COUNT_OF(n.number); i++) owners += n.number[i] < GATE_SLOTS;
    assert_true(owners >= (have_membarrier ? GATE_SLOTS / 2 : 0)); /* some are another test's threads that still end */
    assert_true(owners <= (have_membarrier ? GATE_SLOTS : 0));
}

static void ask_and_end(agent *a) { *(unsigned *)a->shared = gate_thread_number(); }

static void slots_are_owned_again(void)
{
    for (size_t i = 0; i < 3 * GATE_SLOTS; i++) {
        unsigned number;
        run_agents(1, ask_and_end, &number);
        assert_int_equal(number < GATE_SLOTS, have_membarrier);
    }
}

/* Runs `body` in a child, which must not come back. Returns how it ended. */
static int status_of_child(void (*body)(void))
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        body();
        _exit(3);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void *own_a_slot(void *asked)
{
    gate_thread_number();
    atomic_store((atomic_bool *)asked, true);
    while (pause()) {} /* ends with the process */
    return NULL;
}

/* The barrier is needed only while another thread owns a slot. */
static void lose_membarrier(void)
{
    static atomic_bool asked;
    if (!refuse_system_call(SYS_membarrier)) _exit(4);
    gate_barrier();
    pthread_t other;
    if (pthread_create(&other, NULL, own_a_slot, &asked) != 0) _exit(4);
    while (!atomic_load(&asked)) sched_yield();
    fclose(stderr);
    signal(SIGABRT, SIG_DFL);
    gate_barrier();
}

static void a_lost_membarrier_is_not_ignored(void)
{
    const int status = status_of_child(lose_membarrier);
    assert_true(have_membarrier ? WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT : WEXITSTATUS(status) == 3);
}

#define WITHOUT "PLEACH_TEST_WITHOUT_MEMBARRIER"

static void run_without_membarrier(void)
{
    setenv(WITHOUT, "1", 1);
    if (refuse_system_call(SYS_membarrier)) execl("/proc/self/exe", "test_gate", (char *)NULL);
    _exit(4);
}

static void all_again_without_membarrier(void)
{
    if (!have_membarrier) return; /* this is that run */
    fflush(stdout);
    const int status = status_of_child(run_without_membarrier);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- the runner ------------------------------------------------------------------------------------------------ */

static unit_case cases[] = {
    UNIT(shared_and_exclusive_never_together),
    UNIT(exclusive_callers_exclude_each_other),
    UNIT(views_and_exclusive_never_together),
    UNIT(more_threads_than_slots),
    UNIT(exclusive_is_not_starved),
    UNIT(all_wait_for_the_one_inside),
    UNIT(newcomers_wait_behind_the_exclusive_caller),
    UNIT(who_waits_goes_first),
    UNIT(batches_hold_nobody_back_beside),
    UNIT(nobody_is_overtaken_for_long),
    UNIT(nobody_waits_for_who_is_not_awake),
    UNIT(shared_callers_are_inside_together),
    UNIT(views_refuse_exclusive),
    UNIT(threads_have_numbers),
    UNIT(slots_go_to_as_many_as_there_are),
    UNIT(slots_are_owned_again),
    UNIT(a_lost_membarrier_is_not_ignored),
    UNIT(all_again_without_membarrier),
};

int main(int argc, char **argv)
{
    have_membarrier = !getenv(WITHOUT);
    return run_units("test_gate", argc, argv, cases, COUNT_OF(cases));
}
