/* exec/cuda/map_cuda_range.c - packed ranges on the GPU: count, add up, fill. What other calls insert and erase
 * meanwhile is dealt with as on the CPU (exec/cpu/map_cpu_range.c): gaps are closed, and queries that have outgrown
 * their places make all be filled again, with room to spare. */
#include "map_cuda.h"
#include "sort_cuda.h"

typedef struct packed {
    cuda_map *map;
    staging *s;
    request r;           /* device pointers */
    const request *caller;
    unsigned other_results; /* staged before the pairs */
    uint64_t *offsets;   /* n + 1 */
    uint64_t *found;     /* n + 1; the last stays 0 */
    uint64_t *closed;    /* n + 1: offsets without gaps */
    uint64_t *places;    /* n + 1: offsets with room to spare */
    uint64_t *misfits;   /* queries that did not fit */
    void *scan_scratch;
    size_t scan_bytes;
} packed;

static pleach_status scan(packed *p, const uint64_t *in, uint64_t *out)
{
    CUDA_TRY(sort_cuda_scan(p->scan_scratch, &p->scan_bytes, in, out, p->r.n + 1, p->s->stream));
    return PLEACH_OK;
}

static pleach_status read_total(packed *p, const uint64_t *offsets, uint64_t *total)
{
    CUDA_TRY(cudaMemcpyAsync(total, offsets + p->r.n, sizeof *total, cudaMemcpyDeviceToHost, p->s->stream));
    CUDA_TRY(cudaStreamSynchronize(p->s->stream));
    return PLEACH_OK;
}

static pleach_status prepare(packed *p, const request *r)
{
    size_t array = r->n * p->map->key_bytes, numbers = (r->n + 1) * sizeof *p->found;
    p->r = *r;
    if (r->after) CUDA_TRY(cudaStreamWaitEvent(p->s->stream, r->after, 0));
    pleach_status status = staging_input(p->s, r->keys, array, &p->r.keys);
    if (status == PLEACH_OK) status = staging_input(p->s, r->values, array, &p->r.values);
    if (status == PLEACH_OK) status = staging_scratch(p->s, numbers, (void **)&p->found);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(p->found, 0, numbers, p->s->stream));
    CUDA_TRY(sort_cuda_scan(NULL, &p->scan_bytes, p->found, p->offsets, r->n + 1, p->s->stream));
    return staging_scratch(p->s, p->scan_bytes, &p->scan_scratch);
}

static pleach_status count_pairs(packed *p, uint64_t *total)
{
    request count = p->r;
    count.kind = REQUEST_COUNT;
    count.out_keys = count.out_values = NULL;
    count.long_counts = p->found;
    CUDA_TRY(cuda_run_kernel(p->map, &count, NULL, p->s->stream));
    pleach_status status = scan(p, p->found, p->offsets);
    return status == PLEACH_OK ? read_total(p, p->offsets, total) : status;
}

/* Closes gaps: query i's pairs go from places[i] of `from` to closed[i] of `to`; in place by way of a copy. */
static pleach_status move_pairs(packed *p, const void *from, void *to, const uint64_t *places, const uint64_t *closed,
                                uint64_t total)
{
    void *target = to;
    if (!to) return PLEACH_OK;
    if (total == 0) return PLEACH_OK;
    if (from == to) {
        pleach_status status = staging_scratch(p->s, total * p->map->key_bytes, &target);
        if (status != PLEACH_OK) return status;
    }
    CUDA_TRY(blink_cuda_move(p->map->key_bits, from, target, places, closed, p->found, p->r.n, p->s->stream));
    if (target != to)
        CUDA_TRY(cudaMemcpyAsync(to, target, total * p->map->key_bytes, cudaMemcpyDeviceToDevice, p->s->stream));
    return PLEACH_OK;
}

/* One try. *fitted: every query's pairs found room. */
static pleach_status fill_places(packed *p, void *keys, void *values, const uint64_t *places, bool *fitted)
{
    uint64_t misfits = 0, *misfits_there = p->misfits;
    request fill = p->r;
    fill.out_keys = keys;
    fill.out_values = values;
    fill.offsets = places;
    fill.long_counts = p->found;
    CUDA_TRY(cuda_run_kernel(p->map, &fill, NULL, p->s->stream));
    CUDA_TRY(cudaMemsetAsync(misfits_there, 0, sizeof misfits, p->s->stream));
    CUDA_TRY(blink_cuda_count_misfits(places, p->found, p->r.n, misfits_there, p->s->stream));
    CUDA_TRY(cudaMemcpyAsync(&misfits, misfits_there, sizeof misfits, cudaMemcpyDeviceToHost, p->s->stream));
    CUDA_TRY(cudaStreamSynchronize(p->s->stream));
    *fitted = misfits == 0;
    return PLEACH_OK;
}

/* Device memory for so many pairs of results; a host array's comes back to it. */
static pleach_status stage_outputs(packed *p, uint64_t pairs)
{
    p->s->results = p->other_results; /* not to what an earlier try has staged */
    pleach_status status =
        staging_output(p->s, p->caller->out_keys, pairs * p->map->key_bytes, false, &p->r.out_keys);
    if (status == PLEACH_OK)
        status = staging_output(p->s, p->caller->out_values, pairs * p->map->key_bytes, false, &p->r.out_values);
    return status;
}

/* From places that all pairs fitted into to the caller's arrays without gaps. SPACE if they have become too many. */
static pleach_status close_gaps(packed *p, const void *keys, const void *values, const uint64_t *places,
                                size_t capacity, uint64_t *total)
{
    uint64_t counted = *total;
    pleach_status status = scan(p, p->found, p->closed);
    if (status == PLEACH_OK) status = read_total(p, p->closed, total);
    if (status != PLEACH_OK) return status;
    if (places == p->offsets && *total == counted) return PLEACH_OK; /* nothing changed: there are no gaps */
    if (*total <= capacity) {
        if (places != p->offsets) status = stage_outputs(p, *total);
        if (status == PLEACH_OK) status = move_pairs(p, keys, p->r.out_keys, places, p->closed, *total);
        if (status == PLEACH_OK) status = move_pairs(p, values, p->r.out_values, places, p->closed, *total);
        if (status != PLEACH_OK) return status;
    }
    size_t numbers = (p->r.n + 1) * sizeof *p->offsets;
    CUDA_TRY(cudaMemcpyAsync(p->offsets, p->closed, numbers, cudaMemcpyDeviceToDevice, p->s->stream));
    return *total <= capacity ? PLEACH_OK : PLEACH_E_SPACE;
}

/* One round with `spare` places more for every query; scratch memory is the round's own. */
static pleach_status fill_with_spare(packed *p, uint64_t spare, size_t capacity, uint64_t *total, bool *fitted)
{
    uint64_t room;
    uint64_t *places = p->places;
    void *keys = NULL, *values = NULL;
    CUDA_TRY(blink_cuda_add_spare(p->found, places, p->r.n, spare, p->s->stream));
    pleach_status status = scan(p, places, places);
    if (status == PLEACH_OK) status = read_total(p, places, &room);
    if (status != PLEACH_OK) return status;
    staging round = staging_on(p->map, p->s->stream);
    if (p->r.out_keys) status = staging_scratch(&round, room * p->map->key_bytes, &keys);
    if (status == PLEACH_OK && p->r.out_values) status = staging_scratch(&round, room * p->map->key_bytes, &values);
    if (status == PLEACH_OK) status = fill_places(p, keys, values, places, fitted);
    if (status == PLEACH_OK && *fitted) status = close_gaps(p, keys, values, places, capacity, total);
    staging_free(&round);
    return status;
}

static pleach_status fill_pairs(packed *p, size_t capacity, uint64_t *total)
{
    bool fitted = false;
    size_t numbers = (p->r.n + 1) * sizeof *p->closed;
    pleach_status status = staging_scratch(p->s, numbers, (void **)&p->closed);
    if (status == PLEACH_OK) status = staging_scratch(p->s, sizeof *p->misfits, (void **)&p->misfits);
    if (status == PLEACH_OK) status = fill_places(p, p->r.out_keys, p->r.out_values, p->offsets, &fitted);
    if (status != PLEACH_OK) return status;
    if (fitted) return close_gaps(p, p->r.out_keys, p->r.out_values, p->offsets, capacity, total);
    status = staging_scratch(p->s, numbers, (void **)&p->places);
    for (unsigned round = 0; status == PLEACH_OK && !fitted; round++)
        status = fill_with_spare(p, (uint64_t)4 << (round < 20 ? round : 20), capacity, total, &fitted);
    return status;
}

/* offsets goes back to the caller also when the pairs do not fit. */
static pleach_status pack(packed *p, const request *r, size_t capacity, uint64_t *offsets, size_t *total)
{
    uint64_t found = 0;
    pleach_status status = staging_output(p->s, offsets, (r->n + 1) * sizeof *offsets, false, (void **)&p->offsets);
    p->caller = r;
    p->other_results = p->s->results;
    if (status == PLEACH_OK) status = prepare(p, r);
    if (status == PLEACH_OK && r->n) status = count_pairs(p, &found);
    if (status == PLEACH_OK && !r->n)
        status = cuda_status(cudaMemsetAsync(p->offsets, 0, sizeof *p->offsets, p->s->stream));
    if (status != PLEACH_OK) return status;
    bool wanted = r->out_keys || r->out_values;
    bool too_many = wanted && found > capacity;
    if (wanted && !too_many && r->n) {
        status = stage_outputs(p, found);
        if (status == PLEACH_OK) status = fill_pairs(p, capacity, &found);
        too_many = status == PLEACH_E_SPACE;
    }
    *total = found;
    if (status == PLEACH_OK || too_many) status = staging_return_results(p->s);
    return status != PLEACH_OK ? status : too_many ? PLEACH_E_SPACE : PLEACH_OK;
}

pleach_status cuda_range_packed(cuda_map *map, const request *r, size_t capacity, uint64_t *offsets, size_t *total,
                                cudaStream_t stream)
{
    staging s = staging_on(map, stream);
    packed p = {.map = map, .s = &s};
    pleach_status status = pack(&p, r, capacity, offsets, total);
    staging_free(&s);
    pleach_status finished = cuda_status(cudaStreamSynchronize(stream));
    return status == PLEACH_OK ? finished : status;
}
