/* testkit/verdicts.h - a checker of histories, and what it says about a bad one, for the tests of the checker. */
#ifndef PLEACH_TESTS_VERDICTS_H
#define PLEACH_TESTS_VERDICTS_H

#include "verify/history/history.h"

/* Fails the test if there is no memory. */
history_checker *new_checker(void);

/* The text of history_explain; must be freed. */
char *explanation(history_checker *c, const history *h);

#endif
