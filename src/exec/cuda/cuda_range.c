/* exec/cuda/cuda_range.c - packed ranges on the GPU: count, add up, fill. Between counting and filling other calls may
 * erase, so a query can end up with fewer pairs than were counted (never more: its space is the limit); then the results
 * are moved together. */
#include "cuda_map.h"
#include "sort_cuda.h"

typedef struct packed {
    cuda_map *map;
    staging *s;
    request r;           /* device pointers */
    uint64_t *offsets;   /* n + 1 */
    uint64_t *found;     /* n + 1; the last stays 0 */
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
    CUDA_TRY(blink_cuda_run(on_gpu(p->map), &count, NULL, p->s->stream));
    pleach_status status = scan(p, p->found, p->offsets);
    return status == PLEACH_OK ? read_total(p, p->offsets, total) : status;
}

static pleach_status move_one(packed *p, void *array, const uint64_t *closed, uint64_t total)
{
    void *copy;
    if (!array) return PLEACH_OK;
    pleach_status status = staging_scratch(p->s, total * p->map->key_bytes, &copy);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(blink_cuda_move(p->map->key_bits, array, copy, p->offsets, closed, p->found, p->r.n, p->s->stream));
    CUDA_TRY(cudaMemcpyAsync(array, copy, total * p->map->key_bytes, cudaMemcpyDeviceToDevice, p->s->stream));
    return PLEACH_OK;
}

static pleach_status fill_pairs(packed *p, uint64_t *total)
{
    uint64_t filled, *closed;
    size_t numbers = (p->r.n + 1) * sizeof *closed;
    request fill = p->r;
    fill.offsets = p->offsets;
    fill.long_counts = p->found;
    CUDA_TRY(blink_cuda_run(on_gpu(p->map), &fill, NULL, p->s->stream));
    pleach_status status = staging_scratch(p->s, numbers, (void **)&closed);
    if (status == PLEACH_OK) status = scan(p, p->found, closed);
    if (status == PLEACH_OK) status = read_total(p, closed, &filled);
    if (status != PLEACH_OK || filled == *total) return status;
    *total = filled;
    status = move_one(p, p->r.out_keys, closed, filled);
    if (status == PLEACH_OK) status = move_one(p, p->r.out_values, closed, filled);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemcpyAsync(p->offsets, closed, numbers, cudaMemcpyDeviceToDevice, p->s->stream));
    return PLEACH_OK;
}

/* offsets goes back to the caller also when the pairs do not fit. */
static pleach_status pack(packed *p, const request *r, size_t capacity, uint64_t *offsets, size_t *total)
{
    uint64_t found = 0;
    pleach_status status = staging_output(p->s, offsets, (r->n + 1) * sizeof *offsets, false, (void **)&p->offsets);
    if (status == PLEACH_OK) status = prepare(p, r);
    if (status == PLEACH_OK && r->n) status = count_pairs(p, &found);
    if (status == PLEACH_OK && !r->n)
        status = cuda_status(cudaMemsetAsync(p->offsets, 0, sizeof *p->offsets, p->s->stream));
    *total = found;
    if (status != PLEACH_OK) return status;
    bool wanted = r->out_keys || r->out_values;
    bool too_many = wanted && found > capacity;
    if (wanted && !too_many && found) {
        status = staging_output(p->s, r->out_keys, found * p->map->key_bytes, false, &p->r.out_keys);
        if (status == PLEACH_OK)
            status = staging_output(p->s, r->out_values, found * p->map->key_bytes, false, &p->r.out_values);
        if (status == PLEACH_OK) status = fill_pairs(p, &found);
        *total = found;
    }
    if (status == PLEACH_OK) status = staging_return_results(p->s);
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
