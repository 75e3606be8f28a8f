/* baseline_merge_tree.c - baseline: a log-structured merge tree, as in the GPU LSM (Ashkiani and others). Level i has a
 * run of at most b * 2^i pairs or none. A batch of b is sorted; while the level that it would go to is taken, it is
 * merged with the run there, and goes one level up: as in counting by twos. Erases are batches of tombstones. Runs keep
 * pairs that newer ones have replaced. Smaller levels are newer; in a run the newest pair of a key is the last. */
#include <stdlib.h>

#include "baseline.h"
#include "tools/common/words.h"

struct level {
    struct baseline_buffer pairs;
    size_t n; /* 0: there is no run */
    bool has_dead;
};

struct merge_tree {
    struct baseline_store base;
    unsigned bits;
    size_t batch;
    struct level levels[BASELINE_MOST_RUNS];
    struct level passing[2]; /* runs on their way up */
};

static baseline_run run_of(const struct level *level)
{
    return baseline_buffer_run(&level->pairs, level->n, level->has_dead);
}

static baseline_work work_on(const void *store)
{
    const struct merge_tree *t = store;
    baseline_work work = {.step = BASELINE_FIND, .bits = t->bits};
    for (size_t i = 0; i < BASELINE_MOST_RUNS; i++)
        if (t->levels[i].n > 0) work.runs[work.run_count++] = run_of(&t->levels[i]);
    return work;
}

static void *tree_create(const struct baseline_needs *needs)
{
    struct merge_tree *t = calloc(1, sizeof *t);
    if (t == NULL) return NULL;
    t->base = (struct baseline_store){needs->machine, work_on};
    t->bits = needs->bits;
    t->batch = needs->batch;
    return t;
}

static void tree_destroy(void *store)
{
    struct merge_tree *t = store;
    if (t == NULL) return;
    for (size_t i = 0; i < BASELINE_MOST_RUNS; i++) baseline_buffer_free(t->base.machine, &t->levels[i].pairs);
    for (size_t i = 0; i < 2; i++) baseline_buffer_free(t->base.machine, &t->passing[i].pairs);
    free(t);
}

static pleach_status tree_clear(void *store)
{
    struct merge_tree *t = store;
    for (size_t i = 0; i < BASELINE_MOST_RUNS; i++) t->levels[i].n = 0;
    return PLEACH_OK;
}

/* Of a level without a run. */
static pleach_status room_at(struct merge_tree *t, struct level *level, size_t n)
{
    return baseline_buffer_room(t->base.machine, t->bits, &level->pairs, n, 0);
}

/* Levels for so many pairs, and for the runs that go up to the last of them. */
static pleach_status tree_reserve(void *store, size_t keys, size_t batch)
{
    struct merge_tree *t = store;
    const size_t batches = keys / t->batch + batch / t->batch + 2;
    pleach_status status = PLEACH_OK;
    for (size_t i = 0; i < BASELINE_MOST_RUNS && ((size_t)1 << i) <= batches && status == PLEACH_OK; i++) {
        const size_t n = t->batch << i;
        status = baseline_buffer_room(t->base.machine, t->bits, &t->levels[i].pairs, n, t->levels[i].n);
        if (status == PLEACH_OK && ((size_t)2 << i) <= batches) status = room_at(t, &t->passing[0], n);
        if (status == PLEACH_OK && ((size_t)2 << i) <= batches) status = room_at(t, &t->passing[1], n);
        if (status == PLEACH_OK) status = t->base.machine->verbs->prepare(t->base.machine, t->bits, n);
    }
    return status;
}

/* ---- updates ---- */

static pleach_status merge_into(struct merge_tree *t, const struct level *older, const struct level *newer,
                                struct level *to)
{
    struct baseline_machine *m = t->base.machine;
    const size_t n = older->n + newer->n;
    const pleach_status status = room_at(t, to, n);
    if (status != PLEACH_OK) return status;
    const baseline_run one = run_of(older), other = run_of(newer);
    to->n = n;
    to->has_dead = older->has_dead || newer->has_dead;
    const baseline_run all = run_of(to);
    return m->verbs->merge(m, t->bits, &one, &other, &all);
}

/* Where a run goes that comes to level i: there, if it is free, else to memory that the run before is not in. */
static struct level *goal(struct merge_tree *t, size_t i)
{
    return t->levels[i].n == 0 ? &t->levels[i] : &t->passing[i % 2];
}

/* At most t->batch pairs; tombstones if values is NULL. */
static pleach_status add_batch(struct merge_tree *t, size_t n, const void *keys, const void *values)
{
    struct baseline_machine *m = t->base.machine;
    struct level *run = goal(t, 0);
    pleach_status status = room_at(t, run, t->batch);
    if (status != PLEACH_OK) return status;
    status = m->verbs->sort(m, t->bits, n, keys, values != NULL ? values : keys, run->pairs.keys, run->pairs.values);
    if (status == PLEACH_OK && values == NULL) status = m->verbs->fill(m, run->pairs.dead, 1, n);
    if (status != PLEACH_OK) return status;
    run->n = n;
    run->has_dead = values == NULL;
    for (size_t i = 0; run != &t->levels[i]; i++) {
        if (i + 1 == BASELINE_MOST_RUNS) return PLEACH_E_SIZE;
        struct level *to = goal(t, i + 1);
        status = merge_into(t, &t->levels[i], run, to);
        if (status != PLEACH_OK) {
            to->n = 0;
            return status;
        }
        t->levels[i].n = 0;
        run = to;
    }
    return PLEACH_OK;
}

static pleach_status add_batches(struct merge_tree *t, size_t n, const void *keys, const void *values)
{
    pleach_status status = PLEACH_OK;
    for (size_t done = 0; done < n && status == PLEACH_OK; done += t->batch) {
        const size_t skip = done * word_bytes(t->bits), left = n - done;
        status = add_batch(t, left < t->batch ? left : t->batch, (const char *)keys + skip,
                           values != NULL ? (const char *)values + skip : NULL);
    }
    return status;
}

static pleach_status tree_insert(void *store, size_t n, const void *keys, const void *values)
{
    return add_batches(store, n, keys, values);
}

static pleach_status tree_erase(void *store, size_t n, const void *keys) { return add_batches(store, n, keys, NULL); }

/* ---- how many ---- */

/* By asking of every pair whether a newer one replaces it. */
static pleach_status tree_count(void *store, uint64_t *count)
{
    struct merge_tree *t = store;
    baseline_work work = work_on(t);
    pleach_status status = PLEACH_OK;
    *count = 0;
    work.step = BASELINE_LIVE;
    for (uint32_t r = 0; r < work.run_count && status == PLEACH_OK; r++) {
        uint64_t live = 0;
        work.oldest = r;
        work.n = work.runs[r].n;
        status = t->base.machine->verbs->each(t->base.machine, &work, &live);
        *count += live;
    }
    return status;
}

const struct baseline_verbs baseline_merge_tree = {
    .name = "merge-tree", .create = tree_create, .destroy = tree_destroy, .clear = tree_clear,
    .reserve = tree_reserve, .insert = tree_insert, .erase = tree_erase, .find = baseline_find,
    .range = baseline_range, .succ = baseline_succ, .count = tree_count,
};
