/* testkit/instant.h - answers that were given at one instant, as those of a snapshot are. A history knows only between
 * which stamps each of them was given; that they fit each other is judged here. */
#ifndef PLEACH_TESTS_INSTANT_H
#define PLEACH_TESTS_INSTANT_H

#include "verify/history/history.h"

/* What a snapshot holds, or the part of it that is asked for, in ascending order. */
typedef struct instant {
    const history_pair *pairs;
    size_t count;
} instant;

/* Whether the instant answers this query so; `reported` are the pairs of a range. */
bool instant_answers(instant now, const history_op *op, const history_pair *reported);

#endif
