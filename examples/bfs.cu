/* bfs.cu - a breadth-first search over a dynamic graph, in a user kernel that iterates over neighbours.
 *
 * pleach_graph_build makes the graph from random edges. Level by level, each warp processes one vertex of the frontier:
 * its lanes get the neighbours, and the first thread to see a neighbour sets its distance and appends it to the next
 * frontier. The distances are compared with those of a search on the host, over the same graph's rows.
 *
 *   bfs [vertices [edges]]
 */
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>
#include <pleach/graph_device.cuh>
#include <pleach/pleach.h>

enum { BLOCK = 256, WARP = 32 };
static const uint32_t UNSEEN = UINT32_MAX, SOURCE = 0;

#define TRY(call)                                                                                                \
    do {                                                                                                         \
        pleach_status status = (call);                                                                           \
        if (status != PLEACH_OK) {                                                                               \
            fprintf(stderr, "%s: %s %s\n", #call, pleach_strerror(status), pleach_cuda_error());                 \
            return 1;                                                                                            \
        }                                                                                                        \
    } while (0)

#define TRY_CUDA(call)                                                                                           \
    do {                                                                                                         \
        cudaError_t error = (call);                                                                              \
        if (error != cudaSuccess) {                                                                              \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                                       \
            return 1;                                                                                            \
        }                                                                                                        \
    } while (0)

/* One warp per vertex of the frontier. The graph does not change meanwhile, so the lists need no validation. */
__global__ void next_level(const __grid_constant__ pleach_graph_view view, const uint32_t *frontier, uint32_t count,
                           uint32_t level, uint32_t *distance, uint32_t *next, uint32_t *next_count)
{
    uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, neighbour;
    if (warp >= count)
        return;
    pleach_graph_warp_iterator it = pleach_graph_warp_neighbours_begin(view, frontier[warp]);
    while (pleach_graph_warp_neighbours_next(&it, &neighbour, NULL))
        if (neighbour != PLEACH_NO_VERTEX && distance[neighbour] == UINT32_MAX &&
            atomicCAS(&distance[neighbour], UINT32_MAX, level) == UINT32_MAX)
            next[atomicAdd(next_count, 1u)] = neighbour;
}

/* `memory`, on the GPU: the distances, two alternating frontiers, and the count of the next one. */
static int search_gpu(pleach_graph *graph, uint32_t vertices, uint32_t *memory, float *milliseconds)
{
    uint32_t *distance = memory, *frontier[2] = {memory + vertices, memory + 2 * (size_t)vertices};
    uint32_t *next_count = memory + 3 * (size_t)vertices;
    pleach_graph_view view;
    cudaEvent_t begin, end;
    uint32_t count = 1, level = 0, zero = 0;
    TRY_CUDA(cudaEventCreate(&begin));
    TRY_CUDA(cudaEventCreate(&end));
    TRY_CUDA(cudaMemset(distance, 0xff, vertices * sizeof *distance));
    TRY_CUDA(cudaMemcpy(&distance[SOURCE], &zero, sizeof zero, cudaMemcpyHostToDevice));
    TRY_CUDA(cudaMemcpy(frontier[0], &SOURCE, sizeof SOURCE, cudaMemcpyHostToDevice));
    TRY(pleach_graph_view_open(graph, &view));
    TRY_CUDA(cudaEventRecord(begin));
    while (count) {
        uint32_t blocks = (uint32_t)(((uint64_t)count * WARP + BLOCK - 1) / BLOCK);
        printf("level %u: %u vertices\n", level, count);
        TRY_CUDA(cudaMemset(next_count, 0, sizeof *next_count));
        next_level<<<blocks, BLOCK>>>(view, frontier[level % 2], count, level + 1, distance,
                                      frontier[(level + 1) % 2], next_count);
        TRY_CUDA(cudaGetLastError());
        TRY_CUDA(cudaMemcpy(&count, next_count, sizeof count, cudaMemcpyDeviceToHost)); /* waits for the kernel */
        level++;
    }
    TRY_CUDA(cudaEventRecord(end));
    TRY_CUDA(cudaEventSynchronize(end));
    TRY_CUDA(cudaEventElapsedTime(milliseconds, begin, end));
    TRY(pleach_graph_view_close(graph, &view)); /* no kernel uses it any more */
    return 0;
}

/* The same on the host, over rows. */
static void search_host(uint32_t vertices, const uint64_t *offsets, const uint32_t *targets, uint32_t *distance,
                        uint32_t *queue)
{
    uint32_t front = 0, back = 0;
    for (uint32_t i = 0; i < vertices; i++)
        distance[i] = UNSEEN;
    distance[SOURCE] = 0;
    queue[back++] = SOURCE;
    while (front < back) {
        uint32_t vertex = queue[front++];
        for (uint64_t i = offsets[vertex]; i < offsets[vertex + 1]; i++)
            if (distance[targets[i]] == UNSEEN) {
                distance[targets[i]] = distance[vertex] + 1;
                queue[back++] = targets[i];
            }
    }
}

/* Returns how many distances differ, or -1 on failure. */
static int64_t compare(pleach_graph *graph, uint32_t vertices, const uint32_t *found)
{
    uint64_t rows = 0, entries = 0;
    int64_t different = 0;
    if (pleach_graph_export_rows(graph, 0, NULL, 0, NULL, NULL, &rows, &entries) != PLEACH_OK)
        return -1;
    uint64_t *offsets = (uint64_t *)malloc(((size_t)vertices + 1) * sizeof *offsets);
    uint32_t *targets = (uint32_t *)malloc((entries + 1) * sizeof *targets);
    uint32_t *distance = (uint32_t *)malloc(2 * (size_t)vertices * sizeof *distance); /* and a queue */
    if (!offsets || !targets || !distance ||
        pleach_graph_export_rows(graph, vertices, offsets, entries, targets, NULL, &rows, &entries) != PLEACH_OK) {
        different = -1;
    } else {
        for (uint64_t i = rows; i < vertices; i++) /* trailing vertices without edges have no row */
            offsets[i + 1] = offsets[rows];
        search_host(vertices, offsets, targets, distance, distance + vertices);
        for (uint32_t i = 0; i < vertices; i++)
            different += found[i] != distance[i];
    }
    free(offsets);
    free(targets);
    free(distance);
    return different;
}

static int search_and_compare(pleach_graph *graph, uint32_t vertices, uint32_t *found)
{
    uint32_t *memory;
    float milliseconds = 0;
    TRY_CUDA(cudaMalloc(&memory, (3 * (size_t)vertices + 1) * sizeof *memory));
    if (search_gpu(graph, vertices, memory, &milliseconds))
        return 1;
    TRY_CUDA(cudaMemcpy(found, memory, vertices * sizeof *found, cudaMemcpyDeviceToHost));
    cudaFree(memory);
    int64_t different = compare(graph, vertices, found);
    printf("search: %.3f ms; %lld distances are not those of the host\n", milliseconds, (long long)different);
    return different != 0;
}

/* Random edges; every eighth starts at a small id, so that degrees differ. */
static void make_edges(uint32_t vertices, size_t edges, uint32_t *from, uint32_t *to)
{
    uint64_t state = 1;
    for (size_t i = 0; i < edges; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint32_t a = (uint32_t)(state >> 33) % vertices;
        state = state * 6364136223846793005u + 1442695040888963407u;
        from[i] = i % 8 ? a : a % (vertices / 64 + 1);
        to[i] = (uint32_t)(state >> 33) % vertices;
    }
}

int main(int argc, char **argv)
{
    char line[256];
    uint32_t vertices = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1 << 18;
    size_t edges = argc > 2 ? strtoul(argv[2], NULL, 10) : 8 * (size_t)vertices;
    if (pleach_gpu_info(0, line, sizeof line) != PLEACH_OK) {
        printf("no GPU to run this example on: %s\n", line);
        return 0;
    }
    if (vertices == 0 || vertices == PLEACH_NO_VERTEX)
        return fprintf(stderr, "bfs [vertices [edges]]\n"), 2;
    uint32_t *from = (uint32_t *)malloc((edges + 1) * sizeof *from), *to = (uint32_t *)malloc((edges + 1) * sizeof *to);
    uint32_t *found = (uint32_t *)malloc(vertices * sizeof *found);
    if (!from || !to || !found)
        return fprintf(stderr, "no memory for %zu edges\n", edges), 1;
    make_edges(vertices, edges, from, to);
    pleach_graph *graph;
    pleach_graph_config config = {};
    config.device = PLEACH_CUDA;
    TRY(pleach_graph_create(&graph, &config));
    TRY(pleach_graph_build(graph, edges, from, to, NULL));
    uint64_t there = 0;
    TRY(pleach_graph_size(graph, NULL, &there));
    printf("%u ids, %llu undirected edges\n", vertices, (unsigned long long)there);
    int failed = search_and_compare(graph, vertices, found);
    pleach_graph_destroy(graph);
    free(from);
    free(to);
    free(found);
    return failed;
}
