/* graph/triangles/triangles_launch.h - the stages of counting triangles on the GPU, and the form in which they hand lists on.
 *
 * Vertices get numbers by falling degree. The list of a vertex has its neighbours with smaller numbers: its members, as
 * numbers, and once more those below TRIANGLE_WINDOW in packed words, each of them the place of TRIANGLE_BITS numbers
 * next to each other, in the upper bits, and a bit for each of these. Members of long lists share words: those with
 * many neighbours, which are in most lists, are next to each other. Short lists have a word for each member.
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
    TRIANGLE_SHARING = 256, /* vertices of such a degree or more: members share words */
    TRIANGLE_WIDE = 64,     /* blocks count at vertices of such a degree or more, warps at the others */
};

/* Where a vertex's list is, in both arrays. Read at once. */
typedef struct triangle_list {
    uint64_t start __attribute__((aligned(16)));
    uint32_t packed, members;
} triangle_list;

typedef struct triangle_notes {
    unsigned long long total;
    unsigned long long ticket[5];  /* who takes which vertices, for each kernel */
    uint64_t sharing, wide, active; /* vertices with degrees of TRIANGLE_SHARING, TRIANGLE_WIDE, 2 and more */
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

/* By id: keys that ascend as degrees fall, and the ids. */
cudaError_t triangles_launch_keys(const triangle_graph *g, uint32_t *keys, uint32_t *ids, cudaStream_t stream);

/* From the ids in the order of their keys: numbers, and how many vertices have which degrees. */
cudaError_t triangles_launch_numbers(const triangle_graph *g, const uint32_t *keys, cudaStream_t stream);

cudaError_t triangles_launch_lists(const triangle_graph *g, cudaStream_t stream);

/* Triangles whose smallest number is below TRIANGLE_WINDOW, and the others. */
cudaError_t triangles_launch_window(const triangle_graph *g, cudaStream_t stream);
cudaError_t triangles_launch_rest(const triangle_graph *g, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
