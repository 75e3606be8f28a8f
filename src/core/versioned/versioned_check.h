/* core/versioned/versioned_check.h - the validator of versions: V1, V2 and V5 of a quiescent map, in host memory. */
#ifndef PLEACH_VERSIONED_CHECK_H
#define PLEACH_VERSIONED_CHECK_H

#include "../../version/version.h"
#include "../blink/blink_tree.h"

/* After blink_validate. True if every row of images is as it should be; else the message says what is not. */
bool versioned_validate(unsigned key_bits, const blink_tree *tree, void *nodes, versions versions, char *message,
                        size_t message_size);

#endif
