/* skiplist/skiplist_check.h - the validator, and counts over all chunks, of a quiescent skiplist in host memory. */
#ifndef PLEACH_SKIPLIST_CHECK_H
#define PLEACH_SKIPLIST_CHECK_H

#include "../blink/blink_check.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `slots` is the number of slots per chunk. counts->images is set to the number of zombies. */
void skiplist_count_chunks(unsigned slots, unsigned key_bits, const blink_tree *tree, void *nodes,
                           blink_counts *counts);

/* Returns true if every invariant of skiplist.h holds; else the message names the first violation and its chunk. */
bool skiplist_validate(unsigned slots, unsigned key_bits, const blink_tree *tree, void *nodes, char *message,
                       size_t message_size);

/* The same for one chunk size and one key width: skiplist_check_width.c is compiled once for each. */
extern const blink_checks skiplist16_checks_32, skiplist16_checks_64, skiplist32_checks_32, skiplist32_checks_64;

#ifdef __cplusplus
}
#endif
#endif
