/* versioned/versioned_check.h - the validator of versions: V1, V2 and V5 of a quiescent map in host memory, and what
 * can be checked of E2 and E3 while no participant is inside. */
#ifndef PLEACH_VERSIONED_CHECK_H
#define PLEACH_VERSIONED_CHECK_H

#include "../version/version.h"
#include "../level/level_tree.h"

/* Call after blink_validate. Returns true if every version chain is valid; otherwise the message names the first
 * violation. `announce_words` is PORT_LINE_WORDS of the machine on which the map lives. */
bool versioned_validate(unsigned key_bits, const blink_tree *tree, void *nodes, versions versions,
                        unsigned announce_words, char *message, size_t message_size);

/* Returns the timestamps of the two oldest pins, or UINT64_MAX if there is none. The table must be in host memory. */
void versioned_oldest_two(const epoch_state *e, uint64_t *first, uint64_t *second);

/* Returns the number of old versions that would become free if the oldest pin were removed. */
uint64_t versioned_held_back(unsigned key_bits, const blink_tree *tree, void *nodes, versions versions);

/* Returns the number of old versions that were reused, or returned to the pool, since the map was created. */
uint64_t versioned_reclaimed(versions versions);

#endif
