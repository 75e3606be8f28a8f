/* graph_bench_limit.c - what memory allows figures of pleach's graphs to be.
 *
 * Needs are those of limit.h; what depends on the shape of a graph is counted here, from its edges, outside the
 * clock. Lists that must be read to count triangles are taken to come from memory each time. Caches may hold some of
 * them, so that a share can be higher than what memory alone would allow; no better bound is known that holds for all
 * ways of counting.
 */
#include <stdlib.h>

#include "graph_bench.h"

enum { LEAST_SCALE = 12, LARGE_SCALE = 20 };

void graph_measure_limits(struct graph_bench *bench)
{
    const bool quick = bench->scale < LARGE_SCALE;
    if (bench->scale < LEAST_SCALE) return; /* measuring would take longer than the experiments, and limit nothing */
    bench->limits = graph_on_cpu(bench) ? bench_limits_cpu(bench->crew, quick) : bench_limits_cuda(quick);
}

struct graph_limit graph_limit(const struct graph_bench *bench, struct bench_need need)
{
    struct graph_limit limit = {0};
    limit.rate = bench_limit_rate(&bench->limits, &need, &limit.name);
    return limit.rate > 0 ? limit : (struct graph_limit){0};
}

/* It has the name of the one that holds back most. */
struct graph_limit graph_limit_mean(const struct graph_limit *classes)
{
    struct graph_limit mean = {0};
    double least = 0;
    for (size_t i = 0; i < GRAPH_CLASSES; i++) {
        if (classes[i].name == NULL) return (struct graph_limit){0};
        if (mean.name == NULL || classes[i].rate < least) {
            mean.name = classes[i].name;
            least = classes[i].rate;
        }
        mean.rate += classes[i].rate / GRAPH_CLASSES;
    }
    return mean;
}

struct bench_need graph_need_build(const struct graph_bench *bench, const struct graph_input *input, bool directed)
{
    const double entries = (double)input->both.count;
    return bench_need_graph_build(directed ? entries : (double)input->once.count, entries, bench->scale);
}

/* ---- triangles ---- */

/* Edges of several arrays, and by vertex how many entries there are; and how many after each edge has been left to the
 * end of lower degree. An edge that is in two arrays counts twice: there are few. */
struct shape {
    const struct edge_array *const *arrays;
    size_t count;
    uint32_t *degrees, *oriented;
};

static bool goes_first(const struct shape *shape, uint32_t a, uint32_t b)
{
    return shape->degrees[a] != shape->degrees[b] ? shape->degrees[a] < shape->degrees[b] : a < b;
}

static void count_degrees(const struct shape *shape)
{
    for (size_t k = 0; k < shape->count; k++)
        for (size_t i = 0; i < shape->arrays[k]->count; i++) {
            shape->degrees[shape->arrays[k]->from[i]]++;
            shape->degrees[shape->arrays[k]->to[i]]++;
        }
}

static void orient(const struct shape *shape)
{
    for (size_t k = 0; k < shape->count; k++)
        for (size_t i = 0; i < shape->arrays[k]->count; i++) {
            const uint32_t from = shape->arrays[k]->from[i], to = shape->arrays[k]->to[i];
            shape->oriented[goes_first(shape, from, to) ? from : to]++;
        }
}

/* For each edge of the array the shorter list of its two ends. */
static double shorter_lists(const struct edge_array *array, const uint32_t *lengths)
{
    double sum = 0;
    for (size_t i = 0; i < array->count; i++) {
        const uint32_t from = lengths[array->from[i]], to = lengths[array->to[i]];
        sum += from < to ? from : to;
    }
    return sum;
}

bool graph_count_lists(struct graph_bench *bench, uint64_t vertices, const struct edge_array *const *arrays,
                       size_t count, struct graph_lists *lists)
{
    struct shape shape = {.arrays = arrays, .count = count, .degrees = calloc(vertices, sizeof(uint32_t)),
                          .oriented = calloc(vertices, sizeof(uint32_t))};
    const bool good = shape.degrees != NULL && shape.oriented != NULL;
    *lists = (struct graph_lists){0};
    if (good) {
        count_degrees(&shape);
        orient(&shape);
        /* Every edge once; and an entry of the shorter list is compared with one of the other at least. */
        for (size_t k = 0; k < count; k++)
            lists->all += (double)arrays[k]->count + shorter_lists(arrays[k], shape.oriented);
        lists->last = 2 * shorter_lists(arrays[count - 1], shape.degrees);
    }
    free(shape.degrees);
    free(shape.oriented);
    return good || graph_no_memory(bench);
}
