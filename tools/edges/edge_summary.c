#include "edge_summary.h"

#include <stdlib.h>

#include "edge_sort.h"

/* The list's pairs without self loops, sorted, each once; as {low, high} or as (from, to). Answers how many. */
static size_t simple_pairs(const struct edge_list *list, bool ordered, uint64_t *pairs, uint64_t *scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const uint32_t from = list->from[i], to = list->to[i];
        if (from != to) pairs[count++] = ordered || from < to ? edge_pack(from, to) : edge_pack(to, from);
    }
    edge_sort_words(pairs, scratch, count);
    return edge_unique_words(pairs, count);
}

/* An end of a pair, or of a self loop, as a word to sort: the id, and whether it has a neighbour there. */
static uint64_t end_of(uint32_t id, bool neighbour) { return (uint64_t)id << 1 | neighbour; }

/* Sorted, the ends of one vertex come together: it is there, and has as many neighbours as pairs. */
static void count_ends(const uint64_t *ends, size_t count, struct edge_summary *summary)
{
    for (size_t at = 0; at < count;) {
        const uint64_t id = ends[at] >> 1;
        uint64_t degree = 0;
        for (; at < count && ends[at] >> 1 == id; at++) degree += ends[at] & 1;
        summary->vertices++;
        if (degree > summary->max_degree) summary->max_degree = degree;
    }
}

static bool count_degrees(const struct edge_list *list, const uint64_t *pairs, struct edge_summary *summary)
{
    const size_t most = 2 * (size_t)summary->edges + (size_t)summary->self_loops;
    if (!edge_list_allows(list, (2 * list->count + 2 * most) * sizeof(uint64_t))) return false;
    uint64_t *ends = calloc(most, sizeof ends[0]), *scratch = calloc(most, sizeof ends[0]);
    const bool good = ends != NULL && scratch != NULL;
    if (good) {
        size_t count = 0;
        for (size_t i = 0; i < summary->edges; i++) {
            ends[count++] = end_of((uint32_t)(pairs[i] >> 32), true);
            ends[count++] = end_of((uint32_t)pairs[i], true);
        }
        for (size_t i = 0; i < list->count; i++)
            if (list->from[i] == list->to[i]) ends[count++] = end_of(list->from[i], false);
        edge_sort_words(ends, scratch, count);
        count_ends(ends, count, summary);
    }
    free(ends);
    free(scratch);
    return good;
}

bool edge_summarize(const struct edge_list *list, struct edge_summary *summary)
{
    *summary = (struct edge_summary){0};
    if (list->count == 0) return true;
    if (!edge_list_allows(list, 2 * list->count * sizeof(uint64_t))) return false;
    uint64_t *pairs = calloc(list->count, sizeof pairs[0]), *scratch = calloc(list->count, sizeof pairs[0]);
    bool good = pairs != NULL && scratch != NULL;
    if (good) {
        for (size_t i = 0; i < list->count; i++) summary->self_loops += list->from[i] == list->to[i];
        summary->directed = list->undirected ? 0 : simple_pairs(list, true, pairs, scratch);
        summary->edges = simple_pairs(list, false, pairs, scratch);
        if (list->undirected) summary->directed = 2 * summary->edges;
        good = count_degrees(list, pairs, summary);
    }
    free(pairs);
    free(scratch);
    return good;
}
