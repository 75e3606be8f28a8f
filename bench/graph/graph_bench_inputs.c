/* graph_bench_inputs.c - the graphs that experiments begin with, and arrays of edges. */
#include <stdlib.h>
#include <string.h>

#include "tools/edges/edge_make.h"
#include "tools/edges/edge_random.h"
#include "tools/edges/edge_sort.h"
#include "graph_bench.h"
#include "tools/common/mix.h"

enum { GRAPH_SEED = 1, ORDER_SEED = 30, SOCIAL_EDGE_FACTOR = 16 };

/* ---- arrays ---- */

/* On the CPU the device's array is the host's. */
static void *device_twin(const struct graph_bench *bench, void *host, size_t bytes)
{
    return graph_on_cpu(bench) || host == NULL ? host : bench->device->allocate(bytes);
}

bool edge_array_make(struct graph_bench *bench, struct edge_array *array, size_t count)
{
    const size_t bytes = (count + 1) * sizeof(uint32_t);
    *array = (struct edge_array){.count = count, .from = malloc(bytes), .to = malloc(bytes)};
    array->flags = malloc(count + 1);
    array->device_from = device_twin(bench, array->from, bytes);
    array->device_to = device_twin(bench, array->to, bytes);
    array->device_flags = device_twin(bench, array->flags, count + 1);
    if (array->device_from != NULL && array->device_to != NULL && array->device_flags != NULL) return true;
    edge_array_free(bench, array);
    return graph_no_memory(bench);
}

bool edge_array_send(struct graph_bench *bench, struct edge_array *array)
{
    const size_t bytes = array->count * sizeof(uint32_t);
    memset(array->flags, 0xa5, array->count); /* what no call answers */
    if (graph_on_cpu(bench)) return true;
    return (bench->device->copy_in(array->device_from, array->from, bytes) &&
            bench->device->copy_in(array->device_to, array->to, bytes) &&
            bench->device->copy_in(array->device_flags, array->flags, array->count)) ||
           graph_stop(bench, "copying edges to the device", PLEACH_E_CUDA);
}

bool edge_array_fetch(struct graph_bench *bench, struct edge_array *array)
{
    return graph_on_cpu(bench) || bench->device->copy_out(array->flags, array->device_flags, array->count) ||
           graph_stop(bench, "copying outcomes back", PLEACH_E_CUDA);
}

void edge_array_free(struct graph_bench *bench, struct edge_array *array)
{
    void *const host[] = {array->from, array->to, array->flags};
    void *const device[] = {array->device_from, array->device_to, array->device_flags};
    for (size_t i = 0; i < 3; i++) {
        if (device[i] != host[i]) bench->device->release(device[i]);
        free(host[i]);
    }
    *array = (struct edge_array){0};
}

bool edge_array_double(struct graph_bench *bench, struct edge_array *both, const struct edge_array *once)
{
    if (!edge_array_make(bench, both, 2 * once->count)) return false;
    for (size_t i = 0; i < once->count; i++) {
        both->from[2 * i] = both->to[2 * i + 1] = once->from[i];
        both->to[2 * i] = both->from[2 * i + 1] = once->to[i];
    }
    return edge_array_send(bench, both);
}

void make_random_edges(struct edge_array *array, uint64_t vertices, uint64_t seed)
{
    for (size_t i = 0; i < array->count; i++) {
        const uint64_t random = edge_random(seed, i);
        array->from[i] = (uint32_t)((random >> 32) % vertices);
        array->to[i] = (uint32_t)((array->from[i] + 1 + (random & UINT32_MAX) % (vertices - 1)) % vertices);
    }
}

void make_present_edges(struct edge_array *array, const struct edge_array *source, uint64_t seed)
{
    for (size_t i = 0; i < array->count; i++) {
        const size_t edge = (size_t)(edge_random(seed, i) % source->count);
        array->from[i] = source->from[edge];
        array->to[i] = source->to[edge];
    }
}

static uint64_t name_of(const struct edge_array *array, size_t i, bool directed)
{
    const uint32_t from = array->from[i], to = array->to[i];
    return directed || from < to ? edge_pack(from, to) : edge_pack(to, from);
}

bool count_different(const struct edge_array *one, const struct edge_array *two, bool directed, uint64_t *different)
{
    const size_t count = one->count + two->count;
    uint64_t *const names = malloc((2 * count + 1) * sizeof names[0]);
    if (names == NULL) return false;
    for (size_t i = 0; i < one->count; i++) names[i] = name_of(one, i, directed);
    for (size_t i = 0; i < two->count; i++) names[one->count + i] = name_of(two, i, directed);
    edge_sort_words(names, names + count, count);
    *different = edge_unique_words(names, count);
    free(names);
    return true;
}

/* ---- graphs ---- */

/* Each edge once and no self loop. R-MAT's come in no order, and leave in none. */
static bool simplify(const struct edge_list *list, uint64_t **names, size_t *count)
{
    uint64_t *const words = malloc((2 * list->count + 1) * sizeof words[0]);
    size_t kept = 0;
    if (words == NULL) return false;
    for (size_t i = 0; i < list->count; i++) {
        const uint32_t from = list->from[i], to = list->to[i];
        if (from != to) words[kept++] = from < to ? edge_pack(from, to) : edge_pack(to, from);
    }
    edge_sort_words(words, words + kept, kept);
    *count = edge_unique_words(words, kept);
    *names = words;
    return true;
}

/* From the list, which is freed. */
static bool fill_input(struct graph_bench *bench, struct graph_input *input, struct edge_list *list, bool shuffled)
{
    uint64_t *names = NULL;
    size_t count = 0;
    input->vertices = list->declared;
    const bool simple = simplify(list, &names, &count);
    edge_list_free(list);
    if (!simple) return graph_no_memory(bench);
    const struct mix_order order = mix_order_make(count > 0 ? count : 1, ORDER_SEED);
    bool good = edge_array_make(bench, &input->once, count);
    for (size_t i = 0; good && i < count; i++) {
        const uint64_t name = names[shuffled ? mix_order_at(&order, i) : i];
        input->once.from[i] = (uint32_t)(name >> 32);
        input->once.to[i] = (uint32_t)name;
    }
    free(names);
    return good && edge_array_send(bench, &input->once) && edge_array_double(bench, &input->both, &input->once);
}

bool graph_input_rmat(struct graph_bench *bench, struct graph_input *input, uint64_t edge_factor)
{
    struct edge_list list;
    const struct edge_rmat what = {.scale = bench->scale, .edge_factor = edge_factor, .scramble = true,
                                   .seed = GRAPH_SEED};
    *input = (struct graph_input){.name = "social"};
    return edge_make_rmat(&list, &what) ? fill_input(bench, input, &list, true) : graph_no_memory(bench);
}

bool graph_input_make(struct graph_bench *bench, struct graph_input *input, enum graph_class which)
{
    static const char *const names[GRAPH_CLASSES] = {"road", "delaunay", "rgg", "social"};
    struct edge_list list;
    bool made;
    if (which == CLASS_SOCIAL) return graph_input_rmat(bench, input, SOCIAL_EDGE_FACTOR);
    *input = (struct graph_input){.name = names[which]};
    if (which == CLASS_ROAD)
        made = edge_make_grid(&list, &(struct edge_grid){.scale = bench->scale, .seed = GRAPH_SEED});
    else if (which == CLASS_DELAUNAY)
        made = edge_make_delaunay(&list, &(struct edge_delaunay){bench->scale, GRAPH_SEED});
    else
        made = edge_make_rgg(&list, &(struct edge_rgg){.scale = bench->scale, .seed = GRAPH_SEED});
    return made ? fill_input(bench, input, &list, false) : graph_no_memory(bench);
}

void graph_input_free(struct graph_bench *bench, struct graph_input *input)
{
    edge_array_free(bench, &input->once);
    edge_array_free(bench, &input->both);
}
