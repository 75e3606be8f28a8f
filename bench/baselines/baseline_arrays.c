/* baseline_arrays.c - baselines: a sorted array into which batches are merged, and one that is sorted anew. */
#include <stdlib.h>

#include "baseline.h"
#include "tools/common/words.h"

/* Without a key twice. */
struct arrays {
    struct baseline_store base;
    unsigned bits;
    size_t n;
    struct baseline_buffer array, spare;      /* the one in use, and one for what follows it */
    struct baseline_buffer sorted, selected;  /* of a batch */
    uint8_t *keep;                            /* which elements stay */
    size_t keep_room;
};

static baseline_work work_on(const void *store)
{
    const struct arrays *a = store;
    baseline_work work = {.step = BASELINE_FIND, .bits = a->bits, .run_count = 1, .distinct = 1};
    work.runs[0] = baseline_buffer_run(&a->array, a->n, false);
    return work;
}

static void *arrays_create(const struct baseline_needs *needs)
{
    struct arrays *a = calloc(1, sizeof *a);
    if (a == NULL) return NULL;
    a->base = (struct baseline_store){needs->machine, work_on};
    a->bits = needs->bits;
    return a;
}

static void arrays_destroy(void *store)
{
    struct arrays *a = store;
    if (a == NULL) return;
    baseline_buffer_free(a->base.machine, &a->array);
    baseline_buffer_free(a->base.machine, &a->spare);
    baseline_buffer_free(a->base.machine, &a->sorted);
    baseline_buffer_free(a->base.machine, &a->selected);
    a->base.machine->verbs->release(a->keep);
    free(a);
}

static pleach_status arrays_clear(void *store)
{
    ((struct arrays *)store)->n = 0;
    return PLEACH_OK;
}

static pleach_status room_to_keep(struct arrays *a, size_t n)
{
    if (n <= a->keep_room) return PLEACH_OK;
    a->base.machine->verbs->release(a->keep);
    a->keep = a->base.machine->verbs->allocate(n);
    a->keep_room = a->keep != NULL ? n : 0;
    return a->keep != NULL ? PLEACH_OK : PLEACH_E_MEMORY;
}

/* Everything that an insert needs: to merge, a sorted batch beside the two arrays. */
static pleach_status make_room(struct arrays *a, size_t keys, size_t batch, bool merges)
{
    struct baseline_machine *m = a->base.machine;
    pleach_status status = baseline_buffer_room(m, a->bits, &a->array, keys, a->n);
    if (status == PLEACH_OK) status = baseline_buffer_room(m, a->bits, &a->spare, keys, 0);
    if (status == PLEACH_OK && merges) status = baseline_buffer_room(m, a->bits, &a->sorted, batch, 0);
    if (status == PLEACH_OK && merges) status = baseline_buffer_room(m, a->bits, &a->selected, batch, 0);
    if (status == PLEACH_OK) status = room_to_keep(a, keys);
    return status == PLEACH_OK ? m->verbs->prepare(m, a->bits, keys) : status;
}

static pleach_status sorted_reserve(void *store, size_t keys, size_t batch)
{
    struct arrays *a = store;
    return make_room(a, keys > a->n + batch ? keys : a->n + batch, batch, true);
}

static pleach_status rebuild_reserve(void *store, size_t keys, size_t batch)
{
    struct arrays *a = store;
    return make_room(a, keys > a->n + batch ? keys : a->n + batch, batch, false);
}

static void swap(struct baseline_buffer *one, struct baseline_buffer *other)
{
    const struct baseline_buffer kept = *one;
    *one = *other;
    *other = kept;
}

static pleach_status select_pairs(struct arrays *a, const struct baseline_buffer *from, size_t n,
                                  struct baseline_buffer *to, uint64_t *kept)
{
    struct baseline_machine *m = a->base.machine;
    const pleach_status status = m->verbs->select(m, a->bits, n, from->keys, a->keep, to->keys, kept);
    return status == PLEACH_OK ? m->verbs->select(m, a->bits, n, from->values, a->keep, to->values, kept) : status;
}

/* ---- insert ---- */

/* Pairs whose keys are there already give them their values; the others are merged into the spare array. */
static pleach_status sorted_insert(void *store, size_t n, const void *keys, const void *values)
{
    struct arrays *a = store;
    struct baseline_machine *m = a->base.machine;
    struct baseline_buffer *batch = &a->sorted;
    uint64_t fresh = 0;
    if (n == 0) return PLEACH_OK;
    pleach_status status = sorted_reserve(a, a->n + n, n);
    if (status == PLEACH_OK) status = m->verbs->sort(m, a->bits, n, keys, values, batch->keys, batch->values);
    baseline_work work = work_on(a);
    work.step = BASELINE_NEW;
    work.n = n;
    work.keys = batch->keys;
    work.values = batch->values;
    work.bytes = a->keep;
    if (status == PLEACH_OK) status = m->verbs->each(m, &work, &fresh);
    if (status == PLEACH_OK && fresh < n) {
        status = select_pairs(a, batch, n, &a->selected, &fresh);
        batch = &a->selected;
    }
    if (status != PLEACH_OK || fresh == 0) return status;
    const baseline_run newer = baseline_buffer_run(batch, fresh, false);
    const baseline_run to = baseline_buffer_run(&a->spare, a->n + fresh, false);
    status = m->verbs->merge(m, a->bits, &work.runs[0], &newer, &to);
    if (status != PLEACH_OK) return status;
    swap(&a->array, &a->spare);
    a->n += fresh;
    return PLEACH_OK;
}

/* The batch goes to the end of the array; a stable sort leaves the last pair of a key behind its others. */
static pleach_status rebuild_insert(void *store, size_t n, const void *keys, const void *values)
{
    struct arrays *a = store;
    struct baseline_machine *m = a->base.machine;
    const size_t all = a->n + n;
    uint64_t kept = 0;
    if (n == 0) return PLEACH_OK;
    pleach_status status = rebuild_reserve(a, all, n);
    if (status == PLEACH_OK)
        status = m->verbs->copy(m, word_at(a->array.keys, a->bits, a->n), keys, n * word_bytes(a->bits));
    if (status == PLEACH_OK)
        status = m->verbs->copy(m, word_at(a->array.values, a->bits, a->n), values, n * word_bytes(a->bits));
    if (status == PLEACH_OK)
        status = m->verbs->sort(m, a->bits, all, a->array.keys, a->array.values, a->spare.keys, a->spare.values);
    const baseline_work work = {.step = BASELINE_LAST, .bits = a->bits, .n = all, .keys = a->spare.keys,
                                .bytes = a->keep};
    if (status == PLEACH_OK) status = m->verbs->each(m, &work, &kept);
    if (status != PLEACH_OK) return status;
    if (kept < all)
        status = select_pairs(a, &a->spare, all, &a->array, &kept);
    else
        swap(&a->array, &a->spare);
    a->n = kept;
    return status;
}

/* ---- erase ---- */

static pleach_status arrays_erase(void *store, size_t n, const void *keys)
{
    struct arrays *a = store;
    struct baseline_machine *m = a->base.machine;
    uint64_t kept = a->n;
    if (n == 0 || a->n == 0) return PLEACH_OK;
    pleach_status status = room_to_keep(a, a->n);
    if (status == PLEACH_OK) status = m->verbs->fill(m, a->keep, 1, a->n);
    baseline_work work = work_on(a);
    work.step = BASELINE_STRIKE;
    work.n = n;
    work.keys = keys;
    work.bytes = a->keep;
    if (status == PLEACH_OK) status = m->verbs->each(m, &work, NULL);
    if (status == PLEACH_OK) status = select_pairs(a, &a->array, a->n, &a->spare, &kept);
    if (status != PLEACH_OK) return status;
    swap(&a->array, &a->spare);
    a->n = kept;
    return PLEACH_OK;
}

static pleach_status arrays_count(void *store, uint64_t *count)
{
    *count = ((const struct arrays *)store)->n;
    return PLEACH_OK;
}

const struct baseline_verbs baseline_sorted = {
    .name = "sorted", .create = arrays_create, .destroy = arrays_destroy, .clear = arrays_clear,
    .reserve = sorted_reserve, .insert = sorted_insert, .erase = arrays_erase, .find = baseline_find,
    .range = baseline_range, .succ = baseline_succ, .count = arrays_count,
};

const struct baseline_verbs baseline_rebuild = {
    .name = "rebuild", .create = arrays_create, .destroy = arrays_destroy, .clear = arrays_clear,
    .reserve = rebuild_reserve, .insert = rebuild_insert, .erase = arrays_erase, .find = baseline_find,
    .range = baseline_range, .succ = baseline_succ, .count = arrays_count,
};
