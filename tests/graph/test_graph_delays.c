/* test_graph_delays.c - threads that are stopped anywhere while they change edges of few vertices: between the two
 * halves of an edge, with both latched, or with a table half moved. A tormentor sends signals at random moments, whose
 * handler sleeps for a while; the others go on, and every answer must be right, from whichever end an edge is asked
 * for.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/graph/graphs.h"
#include "testkit/recorder.h"
#include "verify/history/history.h"

enum { LONGEST_SLEEP_NS = 200000, AGENTS = 5, TORMENTOR = AGENTS - 1, FIRST_FILLER = 100, FILLERS = 400 };

static atomic_size_t sleeps;
static size_t histories_checked, operations_checked;

static void sleep_ns(uint64_t nanoseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)nanoseconds}, NULL);
}

/* Everything here may be called in a signal handler. */
static void stand_still(int signal_number)
{
    (void)signal_number;
    int kept = errno;
    sleep_ns(mix64(atomic_fetch_add(&sleeps, 1)) % LONGEST_SLEEP_NS);
    errno = kept;
}

typedef struct scene {
    const graph_kind *kind;
    pleach_graph *graph;
    recorder *book;
    uint32_t vertices;
    size_t calls;
    unsigned fillers;              /* percent of the updates: edges that nobody asks for, so that tables grow */
    pthread_t thread[AGENTS];
    atomic_size_t working;
    pthread_barrier_t barrier;     /* threads stay until the tormentor has stopped */
} scene;

/* ---- what the others do ------------------------------------------------------------------------------------------ */

static void put_filler(agent *a)
{
    scene *s = a->shared;
    uint32_t from = 1 + (uint32_t)rng_below(&a->r, s->vertices);
    uint32_t to = FIRST_FILLER + (uint32_t)rng_below(&a->r, FILLERS);
    EXPECT_OK(a, pleach_graph_insert_edges(s->graph, 1, &from, &to, values_or_null(s->kind, &to), NULL, PLEACH_SYNC));
}

/* One edge, named from either end if these are the same edge. Its key is that of the smaller end. */
static void call_one(agent *a)
{
    scene *s = a->shared;
    uint32_t from = 1 + (uint32_t)rng_below(&a->r, s->vertices - 1), to = from + 1;
    uint64_t key = from;
    uint8_t outcome = UNTOUCHED;
    bool finds = a->index % 2, erases = rng_percent(&a->r, 50);
    if (!s->kind->directed && rng_percent(&a->r, 50)) {
        from = to;
        to = (uint32_t)key;
    }
    history_op op = {.kind = finds ? HISTORY_FIND : erases ? HISTORY_ERASE : HISTORY_ADD, .key = key, .value = 1,
                     .out_value = 1};
    op.invoked = recorder_now(s->book);
    if (finds)
        EXPECT_OK(a, pleach_graph_find_edges(s->graph, 1, &from, &to, NULL, &outcome, PLEACH_SYNC));
    else if (erases)
        EXPECT_OK(a, pleach_graph_erase_edges(s->graph, 1, &from, &to, &outcome, PLEACH_SYNC));
    else
        EXPECT_OK(a, pleach_graph_insert_edges(s->graph, 1, &from, &to, values_or_null(s->kind, &to), &outcome,
                                               PLEACH_SYNC));
    op.returned = recorder_now(s->book);
    op.outcome = finds ? (outcome ? HISTORY_FOUND : HISTORY_NOT_FOUND)
                 : outcome == PLEACH_EDGE_REPLACED ? HISTORY_EXISTS : outcome;
    record(s->book, a->index, op);
    graph_checked(1);
}

static void torment(agent *a)
{
    scene *s = a->shared;
    while (atomic_load(&s->working) > 0) {
        pthread_kill(s->thread[rng_below(&a->r, TORMENTOR)], SIGUSR1);
        sleep_ns(rng_below(&a->r, LONGEST_SLEEP_NS / 4));
    }
}

static void take_part(agent *a)
{
    scene *s = a->shared;
    s->thread[a->index] = pthread_self();
    pthread_barrier_wait(&s->barrier);
    if (a->index == TORMENTOR) {
        torment(a);
    } else {
        for (size_t call = 0; call < s->calls && !stopped(a); call++)
            a->index % 2 == 0 && rng_percent(&a->r, s->fillers) ? put_filler(a) : call_one(a);
        atomic_fetch_sub(&s->working, 1);
    }
    pthread_barrier_wait(&s->barrier);
}

/* A call for one edge takes a GPU as long as a hundred take a CPU. */
static size_t single_calls(const graph_kind *kind, size_t n) { return kind->device == PLEACH_CUDA ? n / 25 : n; }

/* ---- the cases --------------------------------------------------------------------------------------------------- */

static void judge(scene *s, history_checker *checker)
{
    uint64_t keys[16], ones[16];
    size_t n = 0;
    for (uint32_t i = 1; i < s->vertices; i++)
        if (has_edge(s->graph, i, i + 1)) {
            keys[n] = i;
            ones[n++] = 1;
        }
    record_final(s->book, n, keys, ones);
    history h = recorded_history(s->book);
    history_verdict verdict = history_check(checker, &h);
    if (verdict == HISTORY_BAD)
        history_explain(checker, &h, stderr);
    assert_int_equal(verdict, HISTORY_GOOD);
    histories_checked++;
    operations_checked += h.count;
}

static void perform(const graph_kind *kind, uint32_t vertices, unsigned fillers)
{
    history_checker *checker = history_checker_create();
    assert_non_null(checker);
    for (size_t round = 0; round < scaled(12); round++) {
        scene s = {.kind = kind, .graph = graph_open(kind), .book = recorder_create(AGENTS), .vertices = vertices,
                   .calls = single_calls(kind, 2500), .fillers = fillers};
        atomic_init(&s.working, TORMENTOR);
        assert_int_equal(pthread_barrier_init(&s.barrier, NULL, AGENTS), 0);
        run_agents(AGENTS, take_part, &s);
        pthread_barrier_destroy(&s.barrier);
        assert_sound(s.graph);
        judge(&s, checker);
        recorder_destroy(s.book);
        graph_close(s.graph);
    }
    history_checker_destroy(checker);
}

static void one_edge(const graph_kind *kind)
{
    perform(kind, 2, 0);
}

static void a_path_of_edges(const graph_kind *kind)
{
    perform(kind, 4, 0);
}

static void tables_that_grow(const graph_kind *kind)
{
    perform(kind, 4, 50);
}

static void threads_were_stopped_and_judged(const graph_kind *kind)
{
    (void)kind;
    printf("checked %zu histories, %zu operations, %zu times a thread was stopped\n", histories_checked,
           operations_checked, atomic_load(&sleeps));
    assert_true(histories_checked > 0 && operations_checked > histories_checked && atomic_load(&sleeps) > 0);
    histories_checked = operations_checked = 0;
}

/* ---- each edge put once and erased once -------------------------------------------------------------------------- */

/* Of a pair of agents one puts edge after edge, and the other erases each as soon as it is there. No edge is touched
 * again, so a half that is left behind stays. */
static void put_or_chase(agent *a)
{
    scene *s = a->shared;
    const uint32_t hub = 1 + (uint32_t)a->index / 2, first = 1000 * hub;
    for (uint32_t i = 0; i < s->calls && !stopped(a); i++) {
        uint32_t to = first + i;
        uint8_t outcome = PLEACH_EDGE_ABSENT;
        if (a->index % 2 == 0)
            EXPECT_OK(a, pleach_graph_insert_edges(s->graph, 1, &hub, &to, values_or_null(s->kind, &to), NULL,
                                                   PLEACH_SYNC));
        else
            while (outcome == PLEACH_EDGE_ABSENT && !stopped(a))
                EXPECT_OK(a, pleach_graph_erase_edges(s->graph, 1, &hub, &to, &outcome, PLEACH_SYNC));
        graph_checked(1);
    }
}

static void chase_or_torment(agent *a)
{
    scene *s = a->shared;
    s->thread[a->index] = pthread_self();
    pthread_barrier_wait(&s->barrier);
    if (a->index == TORMENTOR) {
        torment(a);
    } else {
        put_or_chase(a);
        atomic_fetch_sub(&s->working, 1);
    }
    pthread_barrier_wait(&s->barrier);
}

static void edges_put_and_erased_at_once(const graph_kind *kind)
{
    for (size_t round = 0; round < scaled(30); round++) {
        scene s = {.kind = kind, .graph = graph_open(kind), .calls = single_calls(kind, 900)};
        atomic_init(&s.working, TORMENTOR);
        assert_int_equal(pthread_barrier_init(&s.barrier, NULL, AGENTS), 0);
        run_agents(AGENTS, chase_or_torment, &s);
        pthread_barrier_destroy(&s.barrier);
        assert_graph_size(s.graph, 2 * s.calls + 2, 0);
        graph_close(s.graph);
    }
}

static const graph_case cases[] = {
    GRAPH_CASE(one_edge),
    GRAPH_CASE(a_path_of_edges),
    GRAPH_CASE(tables_that_grow),
    GRAPH_CASE(edges_put_and_erased_at_once),
    GRAPH_CASE(threads_were_stopped_and_judged),
};

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = stand_still, .sa_flags = SA_RESTART};
    if (sigaction(SIGUSR1, &action, NULL) != 0)
        return 2;
    return run_graph_cases("test_graph_delays", argc, argv, cases, COUNT_OF(cases));
}
