/* hash/hash_kernels.h - one GPU thread per operation, each making the same attempts as a CPU thread. Included by
 * hash.cu. */
#include "slabhash.h"
#include "slabhash_pairs.h"
#include "slabhash_blocking.h"

static __global__ void __launch_bounds__(BLOCK_THREADS, FIND_BLOCKS)
    find_kernel(const __grid_constant__ slabhash_on_gpu hash, const __grid_constant__ hash_request r)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= r.n) return;
    slab_ref place = place_of(hash);
    slab_key value = 0;
    bool found = find_blocking(&place, &hash.state->table, ((const slab_key *)r.keys)[i], &value);
    if (found && r.out_values) ((slab_key *)r.out_values)[i] = value;
    if (r.flags) r.flags[i] = found;
}

PORT_FN void begin_element(const hash_request *r, size_t i, slab_change *c)
{
    change_begin(c, r->kind, ((const slab_key *)r->keys)[i],
                 r->values ? ((const slab_key *)r->values)[i] : 0);
}

PORT_FN void answer_element(const hash_request *r, size_t i, const slab_change *c, changes *here)
{
    bool had = c->outcome == PLEACH_REPLACED || c->outcome == PLEACH_EXISTS || c->outcome == PLEACH_ERASED;
    if (had && r->out_values) ((slab_key *)r->out_values)[i] = c->old.value;
    if (r->flags) r->flags[i] = (uint8_t)c->outcome;
    note_outcome(here, c->outcome);
}

static __global__ void __launch_bounds__(BLOCK_THREADS, BRIEF_BLOCKS)
    fast_path_kernel(const __grid_constant__ slabhash_on_gpu hash, const __grid_constant__ hash_request r,
                 slow_list later, uint64_t *not_applied)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    changes here = {0, 0};
    bool done = true;
    if (i < r.n) {
        slab_ref place = place_of(hash);
        slab_change c;
        begin_element(&r, i, &c);
        done = update_fast_path(&place, &hash.state->table, &c, slab_fast_path_tries(r.n));
        if (done) answer_element(&r, i, &c, &here);
    }
    slow_list_push(later, !done, i);
    add_changes(hash.state, here, not_applied);
}

/* Chains the elements on the slow list by key (cuda/duplicates.h). The order in a chain is the order of arrival. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    row_kernel(const __grid_constant__ slabhash_on_gpu hash, const __grid_constant__ hash_request r,
               slow_list later, const __grid_constant__ repeats rows)
{
    enum { MOST_PLACES = 8 };
    uint64_t n = *later.count < rows.most ? *later.count : rows.most, step = (uint64_t)gridDim.x * BLOCK_THREADS;
    const slab_key *keys = (const slab_key *)r.keys;
    slab_ref place = place_of(hash);
    for (uint64_t k = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x; k < n; k += step) {
        slab_key key = keys[later.elements[k]];
        uint32_t at = slab_hash(&place, key) >> 3, found = REPEATS_NONE, before = 0;
        for (unsigned i = 0; i < MOST_PLACES && found == REPEATS_NONE; i++) {
            uint32_t other = atomicCAS(&rows.rows[(at + i) & rows.mask].first, 0u, (uint32_t)k + 1);
            if (other == 0 || keys[later.elements[other - 1]] == key) found = (at + i) & rows.mask;
        }
        if (found != REPEATS_NONE) before = atomicExch(&rows.rows[found].last, (uint32_t)k + 1);
        rows.row[k] = found;
        rows.before[k] = before - 1; /* 0 becomes REPEATS_NONE */
    }
}

static __global__ void __launch_bounds__(BLOCK_THREADS, UPDATE_BLOCKS)
    update_kernel(const __grid_constant__ slabhash_on_gpu hash, const __grid_constant__ hash_request r,
                  slow_list later, const __grid_constant__ repeats rows, uint64_t *not_applied)
{
    uint64_t n = later.elements ? *later.count : r.n, step = (uint64_t)gridDim.x * BLOCK_THREADS;
    changes here = {0, 0};
    for (uint64_t k = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x; k < n; k += step) {
        size_t i = later.elements ? later.elements[k] : k;
        if (k < rows.most && rows.before[k] != REPEATS_NONE) continue; /* the first of its chain makes the change */
        duplicate_chain *row = k < rows.most && rows.row[k] != REPEATS_NONE ? &rows.rows[rows.row[k]] : NULL;
        slab_ref place = place_of(hash);
        slab_change c;
        begin_element(&r, i, &c);
        if (row && c.kind == OP_PUT && r.values)
            c.pair.value = ((const slab_key *)r.values)[later.elements[row->last - 1]];
        update_blocking(&place, &hash.state->table, &c);
        answer_element(&r, i, &c, &here);
        if (!row) continue;
        row->first = (uint32_t)k + 1;
        row->last = c.outcome;
    }
    add_changes(hash.state, here, not_applied);
}

/* The result of an element that is not the first of its chain; `before` is the element before it. Sets have no
 * values. */
PORT_FN void answer_in_row(const hash_request *r, uint32_t first, pleach_outcome outcome, uint32_t before,
                           slab_change *c)
{
    const slab_key *values = (const slab_key *)r->values, *told = (const slab_key *)r->out_values;
    if (outcome == PLEACH_NOT_APPLIED) return;
    if (c->kind == OP_ERASE) {
        c->outcome = PLEACH_ABSENT;
    } else if (c->kind == OP_PUT) {
        c->outcome = PLEACH_REPLACED;
        if (values) c->old.value = values[before];
    } else {
        c->outcome = PLEACH_EXISTS;
        if (outcome == PLEACH_INSERTED && values) c->old.value = values[first];
        if (outcome == PLEACH_EXISTS && told) c->old.value = told[first];
    }
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    repeat_kernel(const __grid_constant__ slabhash_on_gpu hash, const __grid_constant__ hash_request r,
                  slow_list later, const __grid_constant__ repeats rows, uint64_t *not_applied)
{
    uint64_t n = *later.count < rows.most ? *later.count : rows.most, step = (uint64_t)gridDim.x * BLOCK_THREADS;
    changes here = {0, 0};
    for (uint64_t k = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x; k < n; k += step) {
        if (rows.before[k] == REPEATS_NONE) continue;
        duplicate_chain row = rows.rows[rows.row[k]];
        slab_change c;
        begin_element(&r, later.elements[k], &c);
        answer_in_row(&r, later.elements[row.first - 1], (pleach_outcome)row.last, later.elements[rows.before[k]], &c);
        answer_element(&r, later.elements[k], &c, &here);
    }
    add_changes(hash.state, here, not_applied);
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    sample_kernel(const __grid_constant__ slabhash_on_gpu hash, size_t n, const slab_key *keys, uint64_t *missing)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    slab_ref place = place_of(hash);
    slab_key value;
    bool found = find_blocking(&place, &hash.state->table, keys[i * n / SLABHASH_SAMPLE], &value);
    int here = __syncthreads_count(!found);
    if (threadIdx.x == 0 && here) port_fetch_add(missing, (uint64_t)here);
}

/* A block counts the buckets that its threads have moved in one addition: otherwise all threads would contend for one
 * word of memory. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    move_kernel(const __grid_constant__ slabhash_on_gpu hash, uint64_t buckets)
{
    uint64_t i = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    slab_ref place = place_of(hash);
    slab_table *table = &hash.state->table;
    uint32_t moved = 0;
    unsigned attempt = 0;
    if (i < buckets) {
        slab_help help;
        help.bucket = (uint32_t)i;
        help.end = (uint32_t)i + 1;
        while (port_retry_point(help_step(&place, table, &help, &moved)) != SLAB_DONE) port_pause(attempt++);
        if (moved) port_publish_fence(); /* before the block's addition, which another thread makes */
    }
    int count = __syncthreads_count(moved);
    if (threadIdx.x != 0 || !count) return;
    uint64_t root = port_load(&table->root); /* it stays the root until these are counted */
    slab_count_moved(&place, table, root, slab_target(table, root), (uint32_t)count);
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    copy_kernel(const __grid_constant__ slabhash_on_gpu from, uint64_t buckets,
                const __grid_constant__ slabhash_on_gpu to, uint64_t *not_applied)
{
    uint64_t i = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= buckets) return;
    slab_ref place = place_of(from), target = place_of(to);
    slab_pairs pairs = pairs_begin(&place, &from.state->table, (uint32_t)i);
    slab_change c;
    change_begin(&c, OP_ADD, 0, 0);
    while (pairs_next(&pairs, &c.pair)) {
        update_blocking(&target, &to.state->table, &c);
        if (c.outcome == PLEACH_NOT_APPLIED) port_fetch_add(not_applied, 1);
    }
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    list_kernel(const __grid_constant__ slabhash_on_gpu hash, uint64_t buckets, slab_key *keys, slab_key *values,
                uint64_t *count)
{
    uint64_t i = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i >= buckets) return;
    slab_ref place = place_of(hash);
    slab_pairs pairs = pairs_begin(&place, &hash.state->table, (uint32_t)i);
    slab_slot pair;
    uint64_t here = 0;
    while (pairs_next(&pairs, &pair)) here++;
    uint64_t at = here ? port_fetch_add(count, here) : 0;
    pairs = pairs_begin(&place, &hash.state->table, (uint32_t)i);
    for (; pairs_next(&pairs, &pair); at++) {
        if (keys) keys[at] = pair.key;
        if (values) values[at] = pair.value;
    }
}
