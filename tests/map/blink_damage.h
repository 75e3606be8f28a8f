/* blink_damage.h - changes to the nodes of a tree, for test_blink_check: what breaks an invariant, with what the
 * validator reports then, and what breaks none. */
#ifndef BLINK_DAMAGE_H
#define BLINK_DAMAGE_H

#include <stddef.h>

#include "breakable_tree.h"

typedef struct damage {
    const char *name;
    void (*inflict)(tree *t);
    const char *finding; /* how the message begins; NULL: the tree stays sound */
} damage;

extern const damage damages[];
extern const size_t damage_count;

/* Some of them. */
void leaf_keys_swapped(tree *t);
void root_begins_above_zero(tree *t);
void root_is_a_leaf(tree *t);
void size_one_too_large(tree *t);
void ids_that_were_skipped(tree *t);
void next_beyond_capacity(tree *t);

#endif
