/* map/map_cuda_long.c - counts, and ranges with a limit each, some of which may be long (blink_long_kernels.h). Packed
 * ranges are in map_cuda_range.c. */
#include "map_cuda.h"

pleach_status cuda_long_make(staging *s, const long_notes *notes, long_work **work)
{
    const uint64_t noted = notes->queries < LONG_QUERIES ? notes->queries : LONG_QUERIES;
    pleach_status status = staging_scratch(s, sizeof **work, (void **)work);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(*work, 0, offsetof(long_work, reach), s->stream));
    CUDA_TRY(cudaMemcpyAsync(*work, notes, sizeof notes->queries + noted * sizeof notes->query[0],
                             cudaMemcpyHostToDevice, s->stream));
    return PLEACH_OK;
}

/* The host does not read the notes before the kernel for long queries is launched: that kernel does nothing if there
 * are none. */
pleach_status cuda_long_run_on_stream(cuda_map *map, request *r, staging *s)
{
    long_work *work;
    pleach_status status = staging_scratch(s, sizeof *work, (void **)&work);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(work, 0, offsetof(long_work, reach), s->stream));
    r->notes = &work->notes;
    CUDA_TRY(cuda_run_kernel(map, r, NULL, s->stream));
    CUDA_TRY(cuda_run_long_kernel(map, r, work, s->stream));
    return PLEACH_OK;
}

static pleach_status return_results(staging *s)
{
    pleach_status status = staging_return_results(s);
    return status == PLEACH_OK ? cuda_status(cudaStreamSynchronize(s->stream)) : status;
}

/* The results of few queries are copied back together with the notes. Those of many are not, because they might be
 * copied twice. */
static pleach_status run_with_notes(cuda_map *map, request *r, long_notes *notes, staging *s)
{
    enum { FEW = 1 << 13 };
    long_work *work;
    r->notes = notes;
    CUDA_TRY(cuda_run_kernel(map, r, NULL, s->stream));
    pleach_status status =
        r->n <= FEW ? return_results(s) : cuda_status(cudaStreamSynchronize(s->stream));
    if (status != PLEACH_OK || (r->n <= FEW && !notes->queries)) return status;
    if (notes->queries) {
        status = cuda_long_make(s, notes, &work);
        if (status != PLEACH_OK) return status;
        CUDA_TRY(cuda_run_long_kernel(map, r, work, s->stream));
    }
    return return_results(s);
}

pleach_status cuda_long_run_synchronously(cuda_map *map, request *r, staging *s)
{
    mailbox *box = mailbox_take(&map->mail);
    pleach_status status = run_with_notes(map, r, &box->notes, s);
    if (status != PLEACH_OK) cudaStreamSynchronize(s->stream); /* until it is done, a kernel may write to the box */
    mailbox_give(&map->mail, box);
    return status;
}
