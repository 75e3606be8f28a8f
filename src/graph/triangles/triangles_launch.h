/* graph/triangles/triangles_launch.h - the stages of counting triangles on the GPU, and the form of the lists that they
 * exchange.
 *
 * Vertices are numbered by decreasing degree. The list of a vertex has its neighbours with smaller numbers, its
 * members. It has them as numbers, and those below TRIANGLE_WINDOW once more in packed words. The upper bits of a
 * packed word are the place of TRIANGLE_BITS consecutive numbers, and it has a bit for each of these. Members of long
 * lists share words: members with many neighbours, which are in most lists, are next to each other. Short lists have
 * one word per member.
 */
#ifndef PLEACH_TRIANGLES_LAUNCH_H
#define PLEACH_TRIANGLES_LAUNCH_H

#include <cuda_runtime_api.h>
#include <stdint.h>

enum {
    TRIANGLE_BITS = 20,
    TRIANGLE_PLACES = 1 << (32 - TRIANGLE_BITS),
    TRIANGLE_WINDOW = TRIANGLE_PLACES * TRIANGLE_BITS,
    TRIANGLE_MASK = (1 << TRIANGLE_BITS) - 1,
    TRIANGLE_KEY_BITS = 24,
    TRIANGLE_MOST_DEGREE = (1 << TRIANGLE_KEY_BITS) - 1, /* in keys */
    TRIANGLE_SHARING = 256, /* from this degree on, members share words */
    TRIANGLE_WIDE = 64,     /* from this degree on, blocks count at a vertex, otherwise warps */
};

/* Where a vertex's list is, in both arrays. Read in one access. */
typedef struct triangle_list {
    uint64_t start __attribute__((aligned(16)));
    uint32_t packed, members;
} triangle_list;

typedef struct triangle_notes {
    unsigned long long total;
    unsigned long long ticket[5];  /* the next vertex to take, for each kernel */
    uint64_t sharing, wide, active; /* vertices of degree at least TRIANGLE_SHARING, TRIANGLE_WIDE, 2 */
} triangle_notes;

typedef struct triangle_graph {
    uint64_t n;
    const uint64_t *offsets; /* of the rows */
    const uint32_t *targets;
    uint32_t *number; /* by id */
    uint32_t *id;     /* by number */
    triangle_list *list;
    uint32_t *members, *packed;
    uint64_t *by_vertex;
    triangle_notes *notes;
} triangle_graph;

#ifdef __cplusplus
extern "C" {
#endif

/* Computes, by id, keys that ascend as degrees decrease, and the ids. */
cudaError_t triangles_launch_keys(const triangle_graph *g, uint32_t *keys, uint32_t *ids, cudaStream_t stream);

/* Computes numbers from the ids in the order of their keys, and how many vertices have which degrees. */
cudaError_t triangles_launch_numbers(const triangle_graph *g, const uint32_t *keys, cudaStream_t stream);

cudaError_t triangles_launch_lists(const triangle_graph *g, cudaStream_t stream);

/* Count triangles whose smallest number is below TRIANGLE_WINDOW, and the others. */
cudaError_t triangles_launch_window(const triangle_graph *g, cudaStream_t stream);
cudaError_t triangles_launch_rest(const triangle_graph *g, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
