/* edge_list.h - edges as they come from a file or a generator: in order, with self loops and duplicates.
 *
 * Vertex ids are 0 .. EDGE_MOST_ID and may be sparse. The highest 32-bit number is none, so that structures are free to
 * mark an empty place with it.
 */
#ifndef PLEACH_TOOLS_EDGE_LIST_H
#define PLEACH_TOOLS_EDGE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EDGE_MOST_ID (UINT32_MAX - 1)

struct edge_list {
    uint64_t declared; /* vertices by the file's header; 0: it has none */
    bool undirected;   /* each edge stands for both directions */
    size_t count, capacity;
    uint32_t *from, *to;
    uint64_t *time; /* NULL unless `timed` */
    bool timed;
    bool limited;         /* of a file: what is held with it must be within memory_limit.h's limit */
    uint64_t other_bytes; /* held with it: by what unpacks the file, or by edge_list_compact's ids */
};

/* An empty list, which owns no memory yet. */
void edge_list_start(struct edge_list *list, bool timed);

/* Room for `capacity` edges in all; false when memory is lacking, and then the list is as it was. */
bool edge_list_reserve(struct edge_list *list, size_t capacity);

/* Whether so many bytes more may be held than the list and what belongs to it have. Otherwise memory_lack says why. */
bool edge_list_allows(const struct edge_list *list, uint64_t more);

/* `time` is dropped where the list has none. False when memory is lacking. Ids are not checked. */
bool edge_list_append(struct edge_list *list, uint32_t from, uint32_t to, uint64_t time);

/* Leaves an empty list. */
void edge_list_free(struct edge_list *list);

/* The highest id plus 1; 0 for an empty list. */
uint64_t edge_list_id_limit(const struct edge_list *list);

/* Numbers the vertices that occur anew, 0 .. *vertices - 1, in the order of their ids. *ids, which the caller frees,
 * has the old ids. False when memory is lacking, and then the list is as it was. */
bool edge_list_compact(struct edge_list *list, uint32_t **ids, size_t *vertices);

/* Of a list with times: oldest first, equal ones in the order that they were in. False as above. */
bool edge_list_sort_by_time(struct edge_list *list);

#endif
