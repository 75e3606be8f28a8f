/* edge_readers.h - for edge_read*.c: one reader for each format, and what they share. */
#ifndef PLEACH_TOOLS_EDGE_READERS_H
#define PLEACH_TOOLS_EDGE_READERS_H

#include "edge_input.h"
#include "edge_list.h"
#include "tools/common/memory_limit.h"

/* Each reads to the end of the file; false after a failure, which the input's error tells. */
bool edge_read_snap(struct edge_input *in, struct edge_list *list);
bool edge_read_mtx(struct edge_input *in, struct edge_list *list);
bool edge_read_metis(struct edge_input *in, struct edge_list *list);

static inline bool edge_keep(struct edge_input *in, struct edge_list *list, uint32_t from, uint32_t to, uint64_t time)
{
    list->other_bytes = in->bytes.memory;
    return edge_list_append(list, from, to, time) || edge_input_cannot(in, memory_lack());
}

/* Counts in a header can be wrong by any factor, so no more than this is reserved on their word. */
enum { EDGE_MOST_RESERVED = 1 << 20 };

static inline bool edge_keep_room(struct edge_input *in, struct edge_list *list, uint64_t count)
{
    return edge_list_reserve(list, count < EDGE_MOST_RESERVED ? (size_t)count : EDGE_MOST_RESERVED) ||
           edge_input_cannot(in, memory_lack());
}

#endif
