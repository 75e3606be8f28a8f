/* map/map_cpu_batch.c - batches on a map in host memory. */
#include <string.h>
#include <sys/mman.h>

#include "../base/memory.h"
#include "../batch/batch_cpu.h"
#include "map_cpu.h"

enum { LEAST_OPERATIONS_A_MEMBER = 2048, OPERATIONS_A_BOX = 1 << 15 };


/* Makes sure that there are `bytes` of scratch memory, which is kept from batch to batch. Most of it is address space
 * that is never written to. */
static bool have_scratch(cpu_scratch *scratch, size_t bytes)
{
    if (bytes <= scratch->bytes) return true;
    cpu_scratch_free(scratch);
    bytes += bytes / 2; /* the next batch may need a little more, because the map grows */
    if (base_allocation_fails()) return false;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    base_count_held(1);
    scratch->memory = memory;
    scratch->bytes = bytes;
    return true;
}

void cpu_scratch_free(cpu_scratch *scratch)
{
    if (!scratch->memory) return;
    munmap(scratch->memory, scratch->bytes);
    base_count_held(-1);
    scratch->memory = NULL;
    scratch->bytes = 0;
}

static unsigned members_for(const cpu_map *map, size_t n)
{
    size_t members = n / LEAST_OPERATIONS_A_MEMBER + 1;
    return members < map->threads ? (unsigned)members : map->threads;
}

static pleach_status run_batch(cpu_map *map, batch_job *job)
{
    unsigned members = members_for(map, job->request.n);
    size_t main_bytes = map->batch_ops->scratch_bytes(job->request.n, job->used_ids);
    size_t part_bytes = members * sizeof *job->parts, tidings_bytes = members * sizeof *job->tidings;
    size_t digit_bytes = members * BATCH_RANGES * sizeof *job->digits;
    job->boxes = 1 + job->request.n / members / OPERATIONS_A_BOX;
    size_t mail_bytes = members * batch_result_row((size_t)members * job->boxes) * sizeof *job->mail;
    size_t count_bytes = job->request.counts ? 0 : (size_t)job->request.n * sizeof(uint64_t);
    size_t bytes = main_bytes + part_bytes + tidings_bytes + digit_bytes + mail_bytes + count_bytes;
    if (!have_scratch(&map->scratch, bytes)) return PLEACH_E_MEMORY;
    char *at = map->scratch.memory;
    job->parts = (batch_part *)at;
    job->tidings = (batch_tidings *)(at + part_bytes);
    at += part_bytes + tidings_bytes;
    memset(job->parts, 0, part_bytes + tidings_bytes);
    job->digits = (uint32_t *)at;
    job->mail = (uint32_t *)(at + digit_bytes);
    at += digit_bytes + mail_bytes;
    if (count_bytes) job->request.counts = (uint64_t *)at;
    job->scratch = at + (count_bytes + 63) / 64 * 64;
    job->keeps = cpu_versions_pinned(map);
    workers_team(map->workers, members, map->batch_ops->work, job);
    const batch_sizes *s = &job->sizes;
    enum { LEAST_IDS = 3 }; /* a root, a leaf, and NODE_NONE */
    bool emptied = job->status == PLEACH_OK && (s->seen & BATCH_HAS_ERASES) && s->size == 0;
    if (emptied && !job->keeps && blink_used_ids(map->ref.tree) > LEAST_IDS) cpu_reset(map);
    pool_host_grown(&map->memory, blink_used_ids(map->ref.tree) * map->node_bytes);
    return job->status;
}

/* Runs a batch. If it lacks memory, reclaims old versions that no snapshot needs any more, and tries once more. */
static pleach_status run_or_settle(cpu_map *map, batch_job job, uint64_t *total)
{
    batch_job again = job;
    pleach_status status = run_batch(map, &job);
    *total = job.total;
    if (status != PLEACH_E_FULL || !map->ref.versions.state) return status;
    cpu_versions_settle(map);
    status = run_batch(map, &again);
    *total = again.total;
    return status;
}

pleach_status cpu_apply(void *exec, pleach_batch *batch)
{
    cpu_map *map = exec;
    batch_job job = {.map = map->ref, .used_ids = blink_used_ids(map->ref.tree), .capacity = batch->capacity,
                     .offsets = batch->offsets, .times = batch->times};
    job.request = (batch_request){.n = (uint32_t)batch->n,
                                  .limit = batch->limit,
                                  .kinds = batch->kinds,
                                  .keys = batch->keys,
                                  .values = batch->values,
                                  .flags = batch->flags,
                                  .out_keys = batch->out_keys,
                                  .out_values = batch->out_values,
                                  .counts = batch->counts,
                                  .range_keys = batch->range_keys,
                                  .range_values = batch->range_values};
    uint64_t total = 0;
    pleach_status status = run_or_settle(map, job, &total);
    batch->total = (size_t)total;
    return status;
}

pleach_status cpu_update(void *exec, const request *r)
{
    cpu_map *map = exec;
    batch_job job = {.map = map->ref, .used_ids = blink_used_ids(map->ref.tree)};
    job.request = (batch_request){.n = (uint32_t)r->n,
                                  .kind = r->kind == OP_PUT   ? OP_PUT
                                          : r->kind == OP_ADD ? OP_ADD
                                                                   : OP_ERASE,
                                  .keys = r->keys,
                                  .values = r->values,
                                  .flags = r->flags,
                                  .out_values = r->out_values};
    uint64_t total;
    return run_or_settle(map, job, &total);
}
