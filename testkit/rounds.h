/* testkit/rounds.h - agents that work on one structure in rounds and write down what they are told. When all of them wait,
 * the first one writes down what the structure holds and has the history of the round judged by verify/history; the next
 * round begins with those contents. */
#ifndef PLEACH_TESTS_ROUNDS_H
#define PLEACH_TESTS_ROUNDS_H

#include <pthread.h>

#include "agents.h"
#include "recorder.h"
#include "verify/history/history.h"

/* The first member of what the agents share. Above the line: what the test sets; the others are run_rounds's. */
typedef struct rounds {
    void (*work)(agent *a);           /* an agent's calls of one round */
    void (*contents)(agent *a);       /* record_final */
    pleach_status (*empty)(agent *a); /* clears the structure */
    void (*begin)(agent *a);          /* by the first agent, before each round but the first; may be NULL */
    unsigned emptied;                 /* percent of the rounds that begin with an empty structure */
    size_t count;                     /* of rounds */
    /* ---- */
    recorder *book;
    history_checker *checker;
    pthread_barrier_t barrier;
    bool over;
    size_t refused; /* updates that were not applied */
} rounds;

/* Runs them all; fails the test if a history is bad. */
void run_rounds(size_t agents, rounds *all);

/* Says how many histories were judged since the last time; fails the test if none was. */
void rounds_were_judged(void);

/* A find, or an update, of which `erases` percent erase. */
history_kind find_or_update(agent *a, unsigned erases);

/* Never given twice in a round, so that what is read tells who wrote it; a few of them are, to try that as well. */
uint64_t round_value(agent *a, size_t call);

/* A checker; fails the test if there is no memory. */
history_checker *new_checker(void);

/* The text of history_explain; must be freed. */
char *explanation(history_checker *c, const history *h);

#endif
