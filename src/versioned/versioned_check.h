/* versioned/versioned_check.h - the validator of versions: V1, V2 and V5 of a quiescent map, in host memory, and
 * what can be seen of E2 and E3 when nobody is there. */
#ifndef PLEACH_VERSIONED_CHECK_H
#define PLEACH_VERSIONED_CHECK_H

#include "../version/version.h"
#include "../blink/blink_tree.h"

/* After blink_validate. True if every row of images is as it should be; else the message says what is not.
 * `announce_words` is PORT_LINE_WORDS of the machine whose map it is. */
bool versioned_validate(unsigned key_bits, const blink_tree *tree, void *nodes, versions versions,
                        unsigned announce_words, char *message, size_t message_size);

/* The timestamps of the oldest two pins, the table being in host memory; UINT64_MAX where there is none. */
void versioned_oldest_two(const epoch_state *e, uint64_t *first, uint64_t *second);

/* Old images that would be free if the oldest pin were let go of. */
uint64_t versioned_held_back(unsigned key_bits, const blink_tree *tree, void *nodes, versions versions);

/* Old images that were used again, or returned to the pool, since the map was made. */
uint64_t versioned_reclaimed(versions versions);

#endif
