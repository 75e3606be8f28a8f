/* test_map_delays.c - threads that are stopped anywhere. A tormentor sends signals at random moments, whose handler
 * sleeps or spins, so that a thread stands still between any two instructions: with a leaf latched, a split half done,
 * a separator not posted yet, or the gate half closed. The others wait or go on, and every answer must be right. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/random.h"
#include "testkit/wide.h"

/* ---- delays ---------------------------------------------------------------------------------------------------- */

enum { LONGEST_SLEEP_NS = 2000000, LONGEST_SPIN = 50000, MOST_VICTIMS = 64 };

static atomic_size_t sleeps, spins;
static atomic_uint_fast64_t delay_dice;

static void sleep_ns(long nanoseconds)
{
    struct timespec duration = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    nanosleep(&duration, NULL);
}

/* Everything here may be called in a signal handler. Half of the sleeps are short, to be many. */
static void stand_still(int signal_number)
{
    (void)signal_number;
    int kept = errno;
    uint64_t dice = mix64(atomic_fetch_add(&delay_dice, 1));
    if (dice % 4 == 0) {
        atomic_fetch_add(&spins, 1);
        for (volatile uint64_t turns = dice / 8 % LONGEST_SPIN; turns > 0; turns--) {
        }
    } else {
        atomic_fetch_add(&sleeps, 1);
        sleep_ns((long)(dice / 8 % (dice & 4 ? LONGEST_SLEEP_NS : LONGEST_SLEEP_NS / 20)));
    }
    errno = kept;
}

static sigset_t only_delays(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    return set;
}

typedef struct victim {
    pthread_mutex_t mutex; /* a thread that has ended must not be sent anything */
    bool alive;
    pthread_t thread;
} victim;

/* What all agents of a case share. */
typedef struct torment {
    wide w;
    bool whole_process; /* signals go to any thread that takes them: the map's own workers too */
    size_t window;      /* keys of each owner at a time */
    uint64_t seed;
    atomic_bool over;
    atomic_uint_fast64_t generation; /* grows with time, and the owners' keys with it */
    victim victims[MOST_VICTIMS];
    size_t count;
} torment;

static void suffer(agent *a)
{
    torment *t = a->shared;
    sigset_t delays = only_delays();
    pthread_sigmask(SIG_UNBLOCK, &delays, NULL);
    pthread_mutex_lock(&t->victims[a->index].mutex);
    t->victims[a->index].thread = pthread_self();
    t->victims[a->index].alive = true;
    pthread_mutex_unlock(&t->victims[a->index].mutex);
}

static void be_released(agent *a)
{
    torment *t = a->shared;
    pthread_mutex_lock(&t->victims[a->index].mutex);
    t->victims[a->index].alive = false;
    pthread_mutex_unlock(&t->victims[a->index].mutex);
}

static bool is_over(const agent *a)
{
    const torment *t = a->shared;
    return stopped(a) || atomic_load_explicit(&t->over, memory_order_relaxed);
}

static void strike(torment *t, rng *r)
{
    if (t->whole_process) {
        kill(getpid(), SIGUSR1);
        return;
    }
    victim *v = &t->victims[rng_below(r, t->count)];
    pthread_mutex_lock(&v->mutex);
    if (v->alive)
        pthread_kill(v->thread, SIGUSR1);
    pthread_mutex_unlock(&v->mutex);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void *tormentor(void *argument)
{
    enum { GENERATION_NS = 500000, LONGEST_PAUSE_NS = 150000 };
    torment *t = argument;
    rng r = {t->seed};
    uint64_t begin = now_ns(), end = begin + (uint64_t)shrunk(600, 200) * 1000000;
    for (uint64_t now = begin; now < end; now = now_ns()) {
        strike(t, &r);
        atomic_store_explicit(&t->generation, (now - begin) / GENERATION_NS, memory_order_relaxed);
        sleep_ns((long)rng_below(&r, LONGEST_PAUSE_NS));
    }
    atomic_store(&t->over, true);
    return NULL;
}

/* Runs the agents until the tormentor has had its time. */
static void run_tormented(torment *t, size_t agents, agent_body *body)
{
    struct sigaction action = {.sa_handler = stand_still, .sa_flags = SA_RESTART};
    sigset_t delays = only_delays();
    pthread_t thread;
    t->count = agents;
    t->seed = mix64(test_seed() + agents);
    atomic_store(&delay_dice, t->seed);
    atomic_store(&sleeps, 0);
    atomic_store(&spins, 0);
    for (size_t i = 0; i < MOST_VICTIMS; i++)
        pthread_mutex_init(&t->victims[i].mutex, NULL);
    sigaction(SIGUSR1, &action, NULL);
    pthread_sigmask(SIG_BLOCK, &delays, NULL); /* neither this thread nor the tormentor; agents take them back */
    assert_int_equal(pthread_create(&thread, NULL, tormentor, t), 0);
    run_agents(agents, body, t);
    pthread_join(thread, NULL);
    print_message("stopped threads %zu times to sleep, %zu times to spin\n", atomic_load(&sleeps),
                  atomic_load(&spins));
    assert_true(atomic_load(&sleeps) > 0);
}

static torment *torment_begin(const setting *where, size_t window)
{
    torment *t = must_alloc(1, sizeof *t);
    t->w = wide_open(where);
    t->window = window;
    return t;
}

static void torment_end(torment *t)
{
    wide_close(&t->w);
    free(t);
}

/* ---- owners ----------------------------------------------------------------------------------------------------
 * Agent i of T owns every T-th key, so that owners meet in every leaf. It uses a window of its keys at a time, which
 * moves on, so that leaves keep filling and splitting. Nobody else updates its keys: it knows each answer. */

typedef struct owner {
    agent *a;
    torment *t;
    uint64_t first;    /* of the window: the owner's keys are numbered */
    bool *present;     /* by number modulo window */
    uint64_t *values;
    size_t operations;
} owner;

static owner owner_begin(agent *a)
{
    torment *t = a->shared;
    suffer(a);
    return (owner){a, t, 0, must_alloc(t->window, sizeof(bool)), must_alloc(t->window, sizeof(uint64_t)), 0};
}

static void owner_end(owner *self)
{
    be_released(self->a);
    count_checked(self->operations);
    free(self->present);
    free(self->values);
}

static uint64_t key_of(const owner *self, uint64_t number)
{
    return number * self->a->count + self->a->index;
}

static bool is_own(const owner *self, uint64_t key)
{
    return key % self->a->count == self->a->index;
}

static uint64_t any_number(owner *self)
{
    return self->first + rng_below(&self->a->r, self->t->window);
}

static uint64_t any_value(owner *self)
{
    return rng_next(&self->a->r) & self->t->w.top;
}

static void owner_insert(owner *self, uint64_t number, bool replace)
{
    size_t at = number % self->t->window;
    uint64_t value = any_value(self);
    pleach_outcome expected = replace ? PLEACH_REPLACED : PLEACH_EXISTS;
    pleach_answer got = {.value = 1};
    EXPECT_OK(self->a, map_answer(self->t->w.map, replace ? PLEACH_OP_PUT : PLEACH_OP_ADD, key_of(self, number), value,
                                  &got));
    EXPECT(self->a, got.flag == (self->present[at] ? expected : PLEACH_INSERTED));
    EXPECT(self->a, got.value == (self->present[at] ? self->values[at] : 1));
    if (replace || !self->present[at])
        self->values[at] = value;
    self->present[at] = true;
}

static void owner_erase(owner *self, uint64_t number)
{
    size_t at = number % self->t->window;
    uint64_t old = 1;
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    EXPECT_OK(self->a, pleach_map_erase_one(self->t->w.map, key_of(self, number), &outcome, &old));
    EXPECT(self->a, outcome == (self->present[at] ? PLEACH_ERASED : PLEACH_ABSENT));
    EXPECT(self->a, old == (self->present[at] ? self->values[at] : 1));
    self->present[at] = false;
}

static void owner_find(owner *self, uint64_t number)
{
    size_t at = number % self->t->window;
    uint64_t value = 1;
    int found = -1;
    EXPECT_OK(self->a, pleach_map_find_one(self->t->w.map, key_of(self, number), &found, &value));
    EXPECT(self->a, found == self->present[at]);
    EXPECT(self->a, value == (found ? self->values[at] : 1));
}

/* The next of my keys after this one, or the end of the window. */
static uint64_t next_own(const owner *self, uint64_t number)
{
    do
        number++;
    while (number < self->first + self->t->window && !self->present[number % self->t->window]);
    return number;
}

static void owner_succ(owner *self, uint64_t number)
{
    uint64_t got = 0, value = 0, mine = next_own(self, number);
    int found = -1;
    bool have = mine < self->first + self->t->window;
    EXPECT_OK(self->a, pleach_map_succ_one(self->t->w.map, key_of(self, number), &found, &got, &value));
    EXPECT(self->a, found || !have);
    if (!found)
        return;
    EXPECT(self->a, got > key_of(self, number));
    EXPECT(self->a, !have || got <= key_of(self, mine));
    EXPECT(self->a, !is_own(self, got) ||
                        (have && got == key_of(self, mine) && value == self->values[mine % self->t->window]));
}

/* From a key of mine to the next one that is there: the first is answered if present, the second always. */
static void owner_range(owner *self, uint64_t number)
{
    enum { ROOM = 4096 };
    uint64_t next = next_own(self, number), lo = key_of(self, number), hi = key_of(self, next);
    uint64_t keys[ROOM], values[ROOM], offsets[2] = {9, 9};
    bool to_a_key = next < self->first + self->t->window;
    size_t total = 0;
    if (hi - lo >= ROOM)
        return;
    EXPECT_OK(self->a, wide_range(&self->t->w, 1, &lo, &hi, 0, ROOM, keys, values, offsets, &total));
    EXPECT(self->a, offsets[0] == 0 && offsets[1] == total && total <= hi - lo + 1);
    size_t mine = 0;
    for (size_t i = 0; i < total; i++) {
        EXPECT(self->a, keys[i] >= lo && keys[i] <= hi && (i == 0 || keys[i] > keys[i - 1]));
        if (!is_own(self, keys[i]))
            continue;
        mine++;
        EXPECT(self->a, keys[i] == lo || (to_a_key && keys[i] == hi));
        EXPECT(self->a, values[i] == self->values[(keys[i] == lo ? number : next) % self->t->window]);
    }
    EXPECT(self->a, mine == (size_t)self->present[number % self->t->window] + to_a_key);
}

static void owner_call(owner *self)
{
    uint64_t dice = rng_below(&self->a->r, 100), number = any_number(self);
    if (dice < 35)
        owner_insert(self, number, dice < 20);
    else if (dice < 60)
        owner_erase(self, number);
    else if (dice < 85)
        owner_find(self, number);
    else if (dice < 93)
        owner_succ(self, number);
    else
        owner_range(self, number);
    self->operations++;
}

/* The window follows the time: keys that fall out of it are erased, keys that come into it are absent. */
static void owner_moves_on(owner *self)
{
    uint64_t generation = atomic_load_explicit(&self->t->generation, memory_order_relaxed);
    while (self->first < generation && !stopped(self->a)) {
        owner_erase(self, self->first++);
        self->operations++;
    }
}

static void owner_looks_back(owner *self)
{
    for (uint64_t i = 0; i < self->t->window && !stopped(self->a); i++)
        owner_find(self, self->first + i);
}

static void owner_of_keys(agent *a)
{
    owner self = owner_begin(a);
    while (!is_over(a)) {
        owner_call(&self);
        owner_moves_on(&self);
    }
    owner_looks_back(&self);
    owner_end(&self);
}

static void owners_are_stopped_anywhere(const setting *where)
{
    torment *t = torment_begin(where, 32);
    run_tormented(t, calling_threads(), owner_of_keys);
    torment_end(t);
}

/* ---- array calls, whose workers are stopped too ---- */

typedef struct array_call {
    enum { ARRAY_ERASE, ARRAY_PUT, ARRAY_FIND, ARRAY_KINDS } kind;
    uint64_t *keys, *values, *olds;
    uint8_t *flags; /* outcomes, or found */
} array_call;

/* Is the answer for one element what its owner knows? The owner's knowledge goes on with it. */
static bool element_is_right(owner *self, const array_call *c, size_t i)
{
    static const uint8_t if_there[] = {PLEACH_ERASED, PLEACH_REPLACED, 1};
    static const uint8_t if_absent[] = {PLEACH_ABSENT, PLEACH_INSERTED, 0};
    size_t at = (self->first + i) % self->t->window;
    bool there = self->present[at];
    bool right = c->flags[i] == (there ? if_there : if_absent)[c->kind] && c->olds[i] == (there ? self->values[at] : 0);
    if (c->kind == ARRAY_PUT)
        self->values[at] = c->values[i];
    if (c->kind != ARRAY_FIND)
        self->present[at] = c->kind == ARRAY_PUT;
    return right;
}

static bool array_is_right(owner *self, const array_call *c)
{
    const wide *w = &self->t->w;
    size_t n = self->t->window;
    for (size_t i = 0; i < n; i++) {
        c->keys[i] = key_of(self, self->first + i);
        c->values[i] = any_value(self);
    }
    pleach_status status = c->kind == ARRAY_ERASE ? wide_erase(w, n, c->keys, c->flags, c->olds)
                           : c->kind == ARRAY_PUT ? wide_put(w, n, c->keys, c->values, c->flags, c->olds)
                                                  : wide_find(w, n, c->keys, c->olds, c->flags);
    bool right = status == PLEACH_OK;
    for (size_t i = 0; i < n; i++)
        right &= element_is_right(self, c, i);
    return right;
}

/* One call over all keys of the window. */
static void owner_array(owner *self)
{
    size_t n = self->t->window;
    array_call c = {rng_below(&self->a->r, ARRAY_KINDS), must_alloc(n, sizeof(uint64_t)),
                    must_alloc(n, sizeof(uint64_t)), must_alloc(n, sizeof(uint64_t)), must_alloc(n, 1)};
    bool right = array_is_right(self, &c);
    free(c.keys);
    free(c.values);
    free(c.olds);
    free(c.flags);
    EXPECT(self->a, right);
}

static void owner_of_arrays(agent *a)
{
    owner self = owner_begin(a);
    while (!is_over(a)) {
        owner_array(&self);
        owner_moves_on(&self);
    }
    owner_looks_back(&self);
    owner_end(&self);
}

/* More elements than one part of a call, so that the map's workers join in. */
static void array_calls_and_their_workers_are_stopped(const setting *where)
{
    torment *t = torment_begin(where, 700);
    t->whole_process = true;
    run_tormented(t, calling_threads(), owner_of_arrays);
    torment_end(t);
}

/* ---- whole-map calls beside owners ---- */

static void keep_house(agent *a)
{
    torment *t = a->shared;
    pleach_map_stats stats;
    uint64_t size = 0;
    size_t n = 0, room = 2 * a->count * t->window + 1000;
    FREED uint64_t *keys = must_alloc(room, sizeof *keys);
    pleach_status status = wide_export(&t->w, room, keys, NULL, &n);
    bool ascending = n <= room;
    for (size_t i = 1; i < n && ascending; i++)
        ascending = keys[i - 1] < keys[i];
    EXPECT(a, status == PLEACH_OK && ascending);
    EXPECT_OK(a, pleach_map_compact(t->w.map, (double)rng_below(&a->r, 11) / 10));
    EXPECT_OK(a, pleach_map_validate(t->w.map, NULL, 0));
    EXPECT_OK(a, pleach_map_get_stats(t->w.map, &stats));
    EXPECT_OK(a, pleach_map_size(t->w.map, &size));
    EXPECT_OK(a, pleach_map_reserve(t->w.map, 1000));
    count_checked(6);
}

static void owner_or_housekeeper(agent *a)
{
    if (a->index > 0) {
        owner_of_keys(a);
        return;
    }
    suffer(a);
    while (!is_over(a)) {
        keep_house(a);
        sleep_ns(1000000);
    }
    be_released(a);
}

static void whole_map_calls_are_stopped_anywhere(const setting *where)
{
    torment *t = torment_begin(where, 32);
    run_tormented(t, calling_threads() + 1, owner_or_housekeeper);
    torment_end(t);
}

/* ---- a fight for few keys --------------------------------------------------------------------------------------
 * All put, add and erase the same keys of one or two leaves. Every value is given once, so what went in and what came
 * out must balance, in number and in sum, against what is left. */

enum { FIGHT_KEYS = 16 };

typedef struct fight {
    torment t; /* first, so that tormented agents find it */
    atomic_uint_fast64_t numbers[FIGHT_KEYS], sums[FIGHT_KEYS];
} fight;

/* One agent's part of the balance; added to the whole when it is done. */
typedef struct fighter {
    agent *a;
    fight *f;
    uint64_t given; /* values so far */
    uint64_t numbers[FIGHT_KEYS], sums[FIGHT_KEYS];
} fighter;

/* Says whose it is and for which key; 32 bits must do. */
static uint64_t fresh_value(fighter *self, uint64_t key)
{
    return (self->given++ * self->a->count + self->a->index) * FIGHT_KEYS + key;
}

static void fight_insert(fighter *self, uint64_t key, bool replace)
{
    uint64_t value = fresh_value(self, key), old = key;
    pleach_outcome outcome = PLEACH_NOT_APPLIED, taken = replace ? PLEACH_REPLACED : PLEACH_EXISTS;
    pleach_map *map = self->f->t.w.map;
    if (replace)
        EXPECT_OK(self->a, pleach_map_put_one(map, key, value, &outcome, &old));
    else
        EXPECT_OK(self->a, pleach_map_add_one(map, key, value, &outcome, &old));
    EXPECT(self->a, outcome == PLEACH_INSERTED || outcome == taken);
    EXPECT(self->a, old % FIGHT_KEYS == key); /* nobody's value turns up under another key */
    self->numbers[key] += outcome == PLEACH_INSERTED;
    if (outcome == PLEACH_INSERTED)
        self->sums[key] += value;
    else if (replace)
        self->sums[key] += value - old;
}

static void fight_erase(fighter *self, uint64_t key)
{
    uint64_t old = key;
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    EXPECT_OK(self->a, pleach_map_erase_one(self->f->t.w.map, key, &outcome, &old));
    EXPECT(self->a, outcome == PLEACH_ERASED || outcome == PLEACH_ABSENT);
    EXPECT(self->a, old % FIGHT_KEYS == key);
    if (outcome == PLEACH_ABSENT)
        return;
    self->numbers[key]--;
    self->sums[key] -= old;
}

static void fight_find(fighter *self, uint64_t key)
{
    uint64_t value = key;
    int found = -1;
    EXPECT_OK(self->a, pleach_map_find_one(self->f->t.w.map, key, &found, &value));
    EXPECT(self->a, value % FIGHT_KEYS == key);
}

static void fight_body(agent *a)
{
    fighter self = {.a = a, .f = a->shared};
    size_t operations = 0;
    suffer(a);
    for (; !is_over(a); operations++) {
        uint64_t key = rng_below(&a->r, FIGHT_KEYS), dice = rng_below(&a->r, 100);
        if (dice < 50)
            fight_insert(&self, key, dice < 15);
        else if (dice < 85)
            fight_erase(&self, key);
        else
            fight_find(&self, key);
    }
    be_released(a);
    for (size_t key = 0; key < FIGHT_KEYS; key++) {
        atomic_fetch_add(&self.f->numbers[key], self.numbers[key]);
        atomic_fetch_add(&self.f->sums[key], self.sums[key]);
    }
    count_checked(operations);
}

static void fight_balances(const setting *where)
{
    FREED fight *f = must_alloc(1, sizeof *f);
    f->t.w = wide_open(where);
    run_tormented(&f->t, calling_threads(), fight_body);
    for (uint64_t key = 0; key < FIGHT_KEYS; key++) {
        uint64_t value = 0;
        int found = -1;
        assert_ok(pleach_map_find_one(f->t.w.map, key, &found, &value));
        assert_int_equal(atomic_load(&f->numbers[key]), found);
        assert_int_equal(atomic_load(&f->sums[key]), value);
    }
    wide_close(&f->t.w);
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(owners_are_stopped_anywhere),
        CASE(array_calls_and_their_workers_are_stopped),
        CASE(whole_map_calls_are_stopped_anywhere),
        CASE(fight_balances),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
