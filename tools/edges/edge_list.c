#include "edge_list.h"

#include <stdlib.h>
#include <string.h>

#include "edge_sort.h"
#include "tools/common/memory_limit.h"

enum { FIRST_CAPACITY = 1024 };

void edge_list_start(struct edge_list *list, bool timed) { *list = (struct edge_list){.timed = timed}; }

static uint64_t edge_bytes_of(const struct edge_list *list) { return list->timed ? 16 : 8; }

static bool allows(const struct edge_list *list, size_t capacity, uint64_t more)
{
    return !list->limited || memory_allows(capacity * edge_bytes_of(list) + list->other_bytes + more);
}

bool edge_list_allows(const struct edge_list *list, uint64_t more) { return allows(list, list->capacity, more); }

static bool resize(void **array, size_t count, size_t size)
{
    if (count > SIZE_MAX / size) return false;
    void *const moved = realloc(*array, count * size);
    if (moved != NULL) *array = moved;
    return moved != NULL;
}

bool edge_list_reserve(struct edge_list *list, size_t capacity)
{
    if (capacity <= list->capacity) return true;
    if (!allows(list, capacity, 0)) return false;
    /* An array that has grown while another could not is only larger than it need be. */
    void *from = list->from, *to = list->to, *time = list->time;
    const bool grown = resize(&from, capacity, sizeof list->from[0]) && resize(&to, capacity, sizeof list->to[0]) &&
                       (!list->timed || resize(&time, capacity, sizeof list->time[0]));
    list->from = from;
    list->to = to;
    list->time = time;
    if (grown) list->capacity = capacity;
    return grown;
}

/* The capacity to grow to: twice as many edges, or as many as the limit of memory has room for. */
static size_t next_capacity(const struct edge_list *list)
{
    const size_t twice = list->capacity > 0 ? 2 * list->capacity : FIRST_CAPACITY;
    if (!list->limited || memory_limit() <= list->other_bytes) return twice;
    const uint64_t room = (memory_limit() - list->other_bytes) / edge_bytes_of(list);
    return room > list->capacity && room < twice ? (size_t)room : twice;
}

bool edge_list_append(struct edge_list *list, uint32_t from, uint32_t to, uint64_t time)
{
    if (list->count == list->capacity) {
        if (list->capacity > SIZE_MAX / 2) return false;
        if (!edge_list_reserve(list, next_capacity(list))) return false;
    }
    list->from[list->count] = from;
    list->to[list->count] = to;
    if (list->timed) list->time[list->count] = time;
    list->count++;
    return true;
}

void edge_list_free(struct edge_list *list)
{
    free(list->from);
    free(list->to);
    free(list->time);
    edge_list_start(list, list->timed);
}

uint64_t edge_list_id_limit(const struct edge_list *list)
{
    uint64_t limit = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (list->from[i] >= limit) limit = (uint64_t)list->from[i] + 1;
        if (list->to[i] >= limit) limit = (uint64_t)list->to[i] + 1;
    }
    return limit;
}

/* The place of an id that is there. */
static uint32_t place_of(const uint32_t *ids, size_t count, uint32_t id)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (ids[middle] <= id)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

bool edge_list_compact(struct edge_list *list, uint32_t **ids, size_t *vertices)
{
    *ids = NULL;
    *vertices = 0;
    if (list->count == 0) return true;
    if (!edge_list_allows(list, 4 * list->count * sizeof(uint32_t))) return false;
    uint32_t *all = calloc(2 * list->count, sizeof all[0]), *scratch = calloc(2 * list->count, sizeof all[0]);
    if (all == NULL || scratch == NULL) {
        free(all);
        free(scratch);
        return false;
    }
    memcpy(all, list->from, list->count * sizeof all[0]);
    memcpy(all + list->count, list->to, list->count * sizeof all[0]);
    edge_sort_ids(all, scratch, 2 * list->count);
    free(scratch);
    *vertices = edge_unique_ids(all, 2 * list->count);
    for (size_t i = 0; i < list->count; i++) {
        list->from[i] = place_of(all, *vertices, list->from[i]);
        list->to[i] = place_of(all, *vertices, list->to[i]);
    }
    *ids = all;
    list->other_bytes += 2 * list->count * sizeof all[0];
    return true;
}

struct event {
    uint64_t time;
    size_t at; /* in the list */
    uint32_t from, to;
};

static int by_time(const void *a, const void *b)
{
    const struct event *one = a, *two = b;
    if (one->time != two->time) return one->time < two->time ? -1 : 1;
    return one->at < two->at ? -1 : 1;
}

static bool is_sorted_by_time(const struct edge_list *list)
{
    for (size_t i = 1; i < list->count; i++)
        if (list->time[i] < list->time[i - 1]) return false;
    return true;
}

bool edge_list_sort_by_time(struct edge_list *list)
{
    if (is_sorted_by_time(list)) return true;
    if (!edge_list_allows(list, list->count * sizeof(struct event))) return false;
    struct event *const events = malloc(list->count * sizeof *events);
    if (events == NULL) return false;
    for (size_t i = 0; i < list->count; i++)
        events[i] = (struct event){list->time[i], i, list->from[i], list->to[i]};
    qsort(events, list->count, sizeof *events, by_time);
    for (size_t i = 0; i < list->count; i++) {
        list->time[i] = events[i].time;
        list->from[i] = events[i].from;
        list->to[i] = events[i].to;
    }
    free(events);
    return true;
}
