/* test_fork.c - the child of a fork uses its copy of every structure: it reads, writes, validates and destroys, while
 * the parent is idle or all of its threads are inside calls. A child that hangs is ended by an alarm, and is a failure. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pleach/graph_snapshot.h>
#include <pleach/hash.h>
#include <pleach/index.h>
#include <pleach/queue.h>
#include <pleach/triangles.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/units.h"

/* ThreadSanitizer takes new threads of a child for those of its parent: there children start none. */
enum { CHILDREN_START_THREADS = !THREAD_SANITIZER, THREADS = CHILDREN_START_THREADS ? 3 : 1 };

enum { PAIRS = 6000, VERTICES = 300, DEADLINE_SECONDS = 60 };

/* In the child: leaves the function with the line that is wrong. */
#define CHECK(condition)                                                                                         \
    do {                                                                                                         \
        if (!(condition)) return __LINE__;                                                                       \
    } while (0)
#define CHECK_OK(call) CHECK((call) == PLEACH_OK)

typedef int in_child(void *world); /* 0, or the line that is wrong */

/* Answers what is wrong, "" if nothing is. */
static const char *run_child(in_child *work, void *world)
{
    static _Thread_local char why[100];
    const pid_t child = fork();
    if (child == 0) {
        alarm(DEADLINE_SECONDS);
        const int line = work(world);
        if (line) fprintf(stderr, "test_fork.c:%d: wrong in the child\n", line);
        _exit(line ? 1 : 0);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    why[0] = 0;
    if (child < 0)
        snprintf(why, sizeof why, "no child");
    else if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "the child ends by signal %d%s", WTERMSIG(status),
                 WTERMSIG(status) == SIGALRM ? ": it hangs" : "");
    else if (WEXITSTATUS(status) != 0)
        snprintf(why, sizeof why, "the child fails with status %d", WEXITSTATUS(status));
    return why;
}

static void fork_and_run(in_child *work, void *world) { assert_string_equal(run_child(work, world), ""); }

/* ---- one of each structure ---- */

typedef struct all_structures {
    pleach_map *map, *versioned, *skiplist;
    pleach_hash *hash;
    pleach_graph *graph, *ordered;
    pleach_index *index;
    pleach_queue *queue; /* before `map` */
    pleach_snapshot *snapshot;
    pleach_graph_snapshot *graph_snapshot;
    uint64_t *keys, *values;
    uint8_t *flags;
    uint32_t *from, *to;
} all_structures;

static pleach_map *make_map(pleach_map_config config)
{
    pleach_map *map = NULL;
    config.threads = THREADS;
    assert_ok(pleach_map_create(&map, &config));
    return map;
}

/* Vertex i and its neighbours i + 1 and i + 2 are a triangle. */
static void make_edges(all_structures *all)
{
    for (uint32_t i = 0; i < 2 * VERTICES; i++) {
        all->from[i] = i / 2;
        all->to[i] = (i / 2 + 1 + i % 2) % VERTICES;
    }
}

static void make_graphs(all_structures *all)
{
    const pleach_graph_config plain = {.threads = THREADS},
                              ordered = {.threads = THREADS, .adjacency = PLEACH_ADJACENCY_ORDERED, .snapshots = 1};
    assert_ok(pleach_graph_create(&all->graph, &plain));
    assert_ok(pleach_graph_create(&all->ordered, &ordered));
    assert_ok(pleach_graph_insert_edges(all->graph, 2 * VERTICES, all->from, all->to, NULL, NULL, PLEACH_SYNC));
    assert_ok(pleach_graph_insert_edges(all->ordered, 2 * VERTICES, all->from, all->to, NULL, NULL, PLEACH_SYNC));
    assert_ok(pleach_graph_snapshot_take(all->ordered, &all->graph_snapshot));
}

/* Array calls fill them, so all workers have been started. */
static all_structures *make_all(void)
{
    all_structures *all = must_alloc(1, sizeof *all);
    all->keys = must_alloc(PAIRS, sizeof *all->keys);
    all->values = must_alloc(PAIRS, sizeof *all->values);
    all->flags = must_alloc(PAIRS, 1);
    all->from = must_alloc(2 * VERTICES, sizeof *all->from);
    all->to = must_alloc(2 * VERTICES, sizeof *all->to);
    for (uint64_t i = 0; i < PAIRS; i++) all->keys[i] = 3 * i + 1, all->values[i] = i;
    make_edges(all);
    all->map = make_map((pleach_map_config){0});
    all->versioned = make_map((pleach_map_config){.versioned = 1});
    all->skiplist = make_map((pleach_map_config){.structure = PLEACH_SKIPLIST});
    assert_ok(pleach_hash_create(&all->hash, &(pleach_hash_config){.threads = THREADS}));
    assert_ok(pleach_index_create(&all->index, &(pleach_index_config){.threads = THREADS}));
    assert_ok(pleach_queue_create(&all->queue, all->map, NULL));
    assert_ok(pleach_map_put(all->map, PAIRS, all->keys, all->values, NULL, NULL, PLEACH_SYNC));
    assert_ok(pleach_map_put(all->versioned, PAIRS, all->keys, all->values, NULL, NULL, PLEACH_SYNC));
    assert_ok(pleach_map_put(all->skiplist, PAIRS, all->keys, all->values, NULL, NULL, PLEACH_SYNC));
    assert_ok(pleach_hash_put(all->hash, PAIRS, all->keys, all->values, NULL, NULL, PLEACH_SYNC));
    assert_ok(pleach_index_insert(all->index, PAIRS, all->keys, all->values, NULL));
    assert_ok(pleach_snapshot_take(all->versioned, &all->snapshot, PLEACH_SYNC));
    make_graphs(all);
    return all;
}

static void destroy_all(all_structures *all)
{
    pleach_queue_destroy(all->queue);
    pleach_snapshot_release(all->snapshot);
    pleach_graph_snapshot_release(all->graph_snapshot);
    pleach_map_destroy(all->map);
    pleach_map_destroy(all->versioned);
    pleach_map_destroy(all->skiplist);
    pleach_hash_destroy(all->hash);
    pleach_graph_destroy(all->graph);
    pleach_graph_destroy(all->ordered);
    pleach_index_destroy(all->index);
}

static void free_all(all_structures *all)
{
    free(all->keys);
    free(all->values);
    free(all->flags);
    free(all->from);
    free(all->to);
    free(all);
}

/* ---- what a child does with its copies ---- */

static int use_map(all_structures *all, pleach_map *map)
{
    uint64_t size = 0, bounds[2] = {0, UINT64_MAX - 1}, count = 0;
    char message[200];
    memset(all->flags, 0, PAIRS);
    CHECK_OK(pleach_map_contains(map, PAIRS, all->keys, all->flags, PLEACH_SYNC));
    for (size_t i = 0; i < PAIRS; i++) CHECK(all->flags[i] == 1);
    CHECK_OK(pleach_map_size(map, &size));
    CHECK_OK(pleach_map_range_count(map, 1, &bounds[0], &bounds[1], &count, PLEACH_SYNC));
    CHECK(count == size && size >= PAIRS);
    CHECK_OK(pleach_map_erase(map, PAIRS, all->keys, all->flags, NULL, PLEACH_SYNC));
    for (size_t i = 0; i < PAIRS; i++) CHECK(all->flags[i] == PLEACH_ERASED);
    CHECK_OK(pleach_map_put(map, PAIRS, all->keys, all->values, NULL, NULL, PLEACH_SYNC));
    CHECK_OK(pleach_map_validate(map, message, sizeof message));
    return 0;
}

static int use_batch(all_structures *all, pleach_map *map)
{
    FREED uint8_t *kinds = must_alloc(PAIRS, 1);
    memset(kinds, PLEACH_OP_ERASE, PAIRS);
    pleach_batch batch = {.n = PAIRS, .kinds = kinds, .keys = all->keys, .flags = all->flags};
    CHECK_OK(pleach_map_apply(map, &batch));
    for (size_t i = 0; i < PAIRS; i++) CHECK(all->flags[i] == PLEACH_ERASED);
    return 0;
}

static int use_hash(all_structures *all)
{
    char message[200];
    CHECK_OK(pleach_hash_validate(all->hash, message, sizeof message));
    CHECK_OK(pleach_hash_erase(all->hash, PAIRS, all->keys, all->flags, NULL, PLEACH_SYNC));
    for (size_t i = 0; i < PAIRS; i++) CHECK(all->flags[i] == PLEACH_ERASED);
    CHECK_OK(pleach_hash_put(all->hash, PAIRS, all->keys, all->values, NULL, NULL, PLEACH_SYNC));
    return 0;
}

static int use_graph(all_structures *all, pleach_graph *graph)
{
    char message[200];
    uint64_t triangles = 0;
    CHECK_OK(pleach_graph_validate(graph, message, sizeof message));
    CHECK_OK(pleach_graph_triangles(graph, 0, NULL, &triangles));
    CHECK(triangles >= VERTICES);
    CHECK_OK(pleach_graph_find_edges(graph, 2 * VERTICES, all->from, all->to, NULL, all->flags, PLEACH_SYNC));
    for (size_t i = 0; i < 2 * VERTICES; i++) CHECK(all->flags[i] == 1);
    CHECK_OK(pleach_graph_erase_edges(graph, 2 * VERTICES, all->from, all->to, NULL, PLEACH_SYNC));
    return 0;
}

static void count_up(void *context, const pleach_answer *answer)
{
    if (answer->status == PLEACH_OK) ++*(unsigned *)context;
}

static int use_queue(pleach_queue *queue)
{
    pleach_answer answer;
    unsigned done = 0;
    if (!CHILDREN_START_THREADS) return 0;
    CHECK_OK(pleach_queue_call(queue, PLEACH_OP_PUT, 2, 7, &answer));
    CHECK_OK(pleach_queue_call(queue, PLEACH_OP_FIND, 2, 0, &answer));
    CHECK(answer.flag == 1 && answer.value == 7);
    for (unsigned i = 0; i < 100; i++) CHECK_OK(pleach_queue_submit(queue, PLEACH_OP_ERASE, 2, 0, count_up, &done));
    CHECK_OK(pleach_queue_flush(queue));
    CHECK(done == 100);
    return 0;
}

static int use_snapshots(all_structures *all)
{
    uint64_t size = 0, vertices = 0, edges = 0;
    CHECK_OK(pleach_snapshot_size(all->snapshot, &size));
    CHECK(size == PAIRS);
    CHECK_OK(pleach_graph_snapshot_size(all->graph_snapshot, &vertices, &edges));
    CHECK(vertices == VERTICES && edges == 2 * VERTICES);
    return 0;
}

static int use_index(all_structures *all)
{
    CHECK_OK(pleach_index_erase(all->index, PAIRS, all->keys, all->values, all->flags));
    for (size_t i = 0; i < PAIRS; i++) CHECK(all->flags[i] == PLEACH_ERASED);
    return 0;
}

static int use_all(void *world)
{
    all_structures *all = world;
    int line = use_queue(all->queue);
    if (!line) line = use_map(all, all->map);
    if (!line) line = use_batch(all, all->map);
    if (!line) line = use_map(all, all->versioned);
    if (!line) line = use_map(all, all->skiplist);
    if (!line) line = use_hash(all);
    if (!line) line = use_graph(all, all->graph);
    if (!line) line = use_graph(all, all->ordered);
    if (!line) line = use_index(all);
    if (!line) line = use_snapshots(all);
    return line;
}

static int use_and_destroy_all(void *world)
{
    const int line = use_all(world);
    destroy_all(world);
    return line;
}

static int only_destroy_all(void *world)
{
    destroy_all(world);
    return 0;
}

/* ---- an idle parent ---- */

static void children_of_an_idle_parent(void)
{
    all_structures *all = make_all();
    fork_and_run(only_destroy_all, all);
    fork_and_run(use_and_destroy_all, all);
    assert_int_equal(use_all(all), 0); /* nothing has happened to the parent's */
    destroy_all(all);
    free_all(all);
}

static int fork_again(void *world)
{
    return use_queue(((all_structures *)world)->queue) || *run_child(use_and_destroy_all, world) ? __LINE__ : 0;
}

static void grandchildren(void)
{
    all_structures *all = make_all();
    fork_and_run(fork_again, all);
    destroy_all(all);
    free_all(all);
}

/* A child that leaves everything alone, as one that calls exec. */
static int do_nothing(void *world)
{
    (void)world;
    return 0;
}

static void structures_that_are_gone(void)
{
    all_structures *all = make_all();
    destroy_all(all);
    fork_and_run(do_nothing, all);
    free_all(all);
}

/* What was in the queue is carried out once, by the parent. */
typedef struct deposits {
    pleach_queue *queue;
    pleach_map *map;
    unsigned done;
} deposits;

static int queue_is_empty(void *world)
{
    deposits *d = world;
    pleach_queue_stats stats;
    CHECK_OK(pleach_queue_get_stats(d->queue, &stats));
    CHECK(stats.pending == 0 && stats.waiting == 0);
    CHECK_OK(pleach_queue_flush(d->queue));
    CHECK(d->done == 0);
    if (CHILDREN_START_THREADS) CHECK_OK(pleach_queue_submit(d->queue, PLEACH_OP_PUT, 1, 0, count_up, &d->done));
    CHECK_OK(pleach_queue_flush(d->queue));
    CHECK(d->done == CHILDREN_START_THREADS);
    pleach_queue_destroy(d->queue);
    pleach_map_destroy(d->map);
    return 0;
}

static void pending_operations_are_the_parents(void)
{
    deposits d = {.map = make_map((pleach_map_config){0})};
    const pleach_queue_config patient = {.batch = 1000, .age_us = 1000 * 1000 * 1000};
    assert_ok(pleach_queue_create(&d.queue, d.map, &patient));
    for (uint64_t i = 0; i < 50; i++)
        assert_ok(pleach_queue_submit(d.queue, PLEACH_OP_PUT, 10 + i, 0, count_up, &d.done));
    fork_and_run(queue_is_empty, &d);
    assert_ok(pleach_queue_flush(d.queue));
    assert_int_equal(d.done, 50);
    pleach_queue_destroy(d.queue);
    pleach_map_destroy(d.map);
}

/* ---- a busy parent ----
 * Keys that are 0 modulo 3 belong to the threads. Those below BALANCES hold amounts that batches move from one to
 * another, so their sum is constant between two calls. */

enum { BALANCES = 3 * 64, AMOUNT = 1000000, BUSY_AGENTS = 6 };

/* Whether a thread may allocate while another one forks, outside of calls that a fork waits for. AddressSanitizer's
 * allocator does not prepare its locks for a fork, so that a child may find one taken. */
enum { MAY_ALLOCATE = !ADDRESS_SANITIZER };

typedef struct busy_parent {
    all_structures *all;
    size_t forks;
    atomic_uint busy; /* agents that have begun */
} busy_parent;

static void set_balances(all_structures *all)
{
    for (uint64_t key = 0; key < BALANCES; key += 3) {
        const uint64_t amount = AMOUNT;
        assert_ok(pleach_map_put(all->map, 1, &key, &amount, NULL, NULL, PLEACH_SYNC));
        assert_ok(pleach_map_put(all->versioned, 1, &key, &amount, NULL, NULL, PLEACH_SYNC));
    }
}

static int check_balances(pleach_map *map)
{
    uint64_t sum = 0;
    for (uint64_t key = 0; key < BALANCES; key += 3) {
        uint64_t value = 0;
        uint8_t found = 0;
        CHECK_OK(pleach_map_find(map, 1, &key, &value, &found, PLEACH_SYNC));
        CHECK(found);
        sum += value;
    }
    CHECK(sum == (uint64_t)AMOUNT * (BALANCES / 3));
    return 0;
}

static int check_and_use(void *world)
{
    all_structures *all = world;
    int line = check_balances(all->map);
    if (!line) line = check_balances(all->versioned);
    if (!line) line = use_all(all);
    destroy_all(all);
    return line;
}

/* Adding the amount's complement takes it away. */
static void move_amount(agent *a, pleach_map *map)
{
    const uint64_t from = rng_below(&a->r, BALANCES / 3) * 3, to = rng_below(&a->r, BALANCES / 3) * 3;
    const uint64_t amount = rng_below(&a->r, 1000);
    const uint8_t kinds[2] = {PLEACH_OP_ADD, PLEACH_OP_ADD};
    const uint64_t keys[2] = {from, to}, values[2] = {0 - amount, amount};
    pleach_batch batch = {.n = 2, .kinds = kinds, .keys = keys, .values = values};
    EXPECT_OK(a, pleach_map_apply(map, &batch));
}

static void change_maps(agent *a, all_structures *all)
{
    const uint64_t key = BALANCES + 3 * rng_below(&a->r, 1000), value = 1;
    EXPECT_OK(a, pleach_map_put(all->versioned, 1, &key, &value, NULL, NULL, PLEACH_SYNC));
    EXPECT_OK(a, pleach_map_put(all->skiplist, 1, &key, &value, NULL, NULL, PLEACH_SYNC));
    EXPECT_OK(a, pleach_hash_put(all->hash, 1, &key, &value, NULL, NULL, PLEACH_SYNC));
    EXPECT_OK(a, pleach_map_erase(all->versioned, 1, &key, NULL, NULL, PLEACH_SYNC));
    EXPECT_OK(a, pleach_map_erase(all->skiplist, 1, &key, NULL, NULL, PLEACH_SYNC));
}

static void change_graphs(agent *a, all_structures *all)
{
    const uint32_t from = VERTICES + (uint32_t)rng_below(&a->r, 50), to = (uint32_t)rng_below(&a->r, VERTICES);
    EXPECT_OK(a, pleach_graph_insert_edges(all->graph, 1, &from, &to, NULL, NULL, PLEACH_SYNC));
    EXPECT_OK(a, pleach_graph_insert_edges(all->ordered, 1, &from, &to, NULL, NULL, PLEACH_SYNC));
    EXPECT_OK(a, pleach_graph_erase_edges(all->ordered, 1, &from, &to, NULL, PLEACH_SYNC));
}

/* Array calls, for which workers run. */
static void ask_arrays(agent *a, all_structures *all)
{
    FREED uint8_t *found = must_alloc(PAIRS, 1);
    pleach_status status = pleach_map_contains(all->map, PAIRS, all->keys, found, PLEACH_SYNC);
    if (status == PLEACH_OK) status = pleach_map_contains(all->versioned, PAIRS, all->keys, found, PLEACH_SYNC);
    if (status == PLEACH_OK)
        status = pleach_graph_find_edges(all->ordered, 2 * VERTICES, all->from, all->to, NULL, found, PLEACH_SYNC);
    EXPECT(a, status == PLEACH_OK);
}

static void ask_queue(agent *a, all_structures *all)
{
    pleach_answer answer;
    EXPECT_OK(a, pleach_queue_call(all->queue, PLEACH_OP_PUT, BALANCES + 3 * rng_below(&a->r, 1000), 5, &answer));
    EXPECT_OK(a, pleach_queue_submit(all->queue, PLEACH_OP_FIND, 5, 0, NULL, NULL));
}

static void make_and_destroy(agent *a)
{
    AT_END(destroy_map) pleach_map *map = NULL;
    AT_END(destroy_graph) pleach_graph *graph = NULL;
    const pleach_graph_config ordered = {.threads = 1, .adjacency = PLEACH_ADJACENCY_ORDERED};
    EXPECT_OK(a, pleach_map_create(&map, &(pleach_map_config){.threads = 1}));
    EXPECT_OK(a, pleach_graph_create(&graph, &ordered));
}

static void be_busy(agent *a, all_structures *all)
{
    switch (a->index % 6) {
    case 1: move_amount(a, all->map); return;
    case 2: move_amount(a, all->versioned); return;
    case 3: change_maps(a, all); change_graphs(a, all); return;
    case 4: ask_arrays(a, all); return;
    case 5: ask_queue(a, all); return;
    default:
        if (MAY_ALLOCATE)
            make_and_destroy(a);
        else
            move_amount(a, all->map);
        return;
    }
}

static void fork_or_be_busy(agent *a)
{
    busy_parent *p = a->shared;
    for (bool begun = false; a->index > 0 && !stopped(a) && !a->failed; begun = true) {
        be_busy(a, p->all);
        if (!begun) atomic_fetch_add(&p->busy, 1);
    }
    if (a->index > 0) return;
    while (atomic_load(&p->busy) < BUSY_AGENTS && !stopped(a)) sched_yield();
    for (size_t i = 0; i < p->forks && !stopped(a); i++) {
        const char *wrong = run_child(i % 2 ? check_and_use : only_destroy_all, p->all);
        if (*wrong) fprintf(stderr, "test_fork.c: fork %zu: %s\n", i, wrong);
        EXPECT(a, !*wrong);
    }
    stop_all(a);
}

static void children_of_a_busy_parent(void)
{
    all_structures *all = make_all();
    set_balances(all);
    busy_parent p = {all, 2 + scaled(16), 0};
    run_agents(1 + BUSY_AGENTS, fork_or_be_busy, &p);
    assert_int_equal(check_balances(all->map), 0);
    assert_int_equal(use_all(all), 0);
    destroy_all(all);
    free_all(all);
}

/* ---- handlers of the program ---- */

/* Stands for the C library's. Some lock their list of handlers during a fork, and a registration then never returns. */
static atomic_bool forking;
static atomic_uint registered_in_fork;

#ifdef __GLIBC__
typedef void fork_handler(void);
int __register_atfork(fork_handler *prepare, fork_handler *parent, fork_handler *child, void *library);
extern void *__dso_handle;

int pthread_atfork(fork_handler *prepare, fork_handler *parent, fork_handler *child)
{
    if (atomic_load(&forking)) atomic_fetch_add(&registered_in_fork, 1);
    return __register_atfork(prepare, parent, child, &__dso_handle);
}
#endif

static int put_and_find(void *world)
{
    uint64_t value = 0;
    int found = 0;
    CHECK_OK(pleach_map_put_one(world, 7, 8, NULL, NULL));
    CHECK_OK(pleach_map_find_one(world, 7, &found, &value));
    CHECK(found && value == 8);
    return 0;
}

/* The first case: no thread has been inside a structure before. */
static void a_fork_before_any_call(void)
{
    AT_END(destroy_map) pleach_map *map = make_map((pleach_map_config){0});
    atomic_store(&forking, true);
    fork_and_run(put_and_find, map);
    atomic_store(&forking, false);
    assert_int_equal(atomic_load(&registered_in_fork), 0);
    assert_int_equal(put_and_find(map), 0);
}

/* A lock of the program, which its own handlers lock for forks, and under which threads make calls. main registers them
 * before there is any structure. */
static pthread_mutex_t program_lock = PTHREAD_MUTEX_INITIALIZER;
static void lock_program(void) { pthread_mutex_lock(&program_lock); }
static void unlock_program(void) { pthread_mutex_unlock(&program_lock); }

static int call_under_lock(void *world)
{
    lock_program();
    const int line = put_and_find(world);
    unlock_program();
    return line;
}

static void fork_or_call_under_lock(agent *a)
{
    while (a->index > 0 && !stopped(a) && !a->failed) EXPECT(a, call_under_lock(a->shared) == 0);
    if (a->index > 0) return;
    for (size_t i = 0; i < 10 + scaled(100) && !stopped(a); i++)
        EXPECT(a, !*run_child(i % 4 ? do_nothing : call_under_lock, a->shared));
    stop_all(a);
}

static void forks_and_calls_under_a_lock(void)
{
    AT_END(destroy_map) pleach_map *map = make_map((pleach_map_config){0});
    alarm(DEADLINE_SECONDS); /* what hangs is the parent */
    run_agents(3, fork_or_call_under_lock, map);
    alarm(0);
}

/* ---- the runner ---- */

static unit_case cases[] = {
    UNIT(a_fork_before_any_call),
    UNIT(forks_and_calls_under_a_lock),
    UNIT(children_of_an_idle_parent),
    UNIT(grandchildren),
    UNIT(structures_that_are_gone),
    UNIT(pending_operations_are_the_parents),
    UNIT(children_of_a_busy_parent),
};

int main(int argc, char **argv)
{
    if (pthread_atfork(lock_program, unlock_program, unlock_program) != 0) return 1;
    return run_units("test_fork", argc, argv, cases, COUNT_OF(cases));
}
