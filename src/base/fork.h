/* base/fork.h - structures that a child process can use after fork.
 *
 * The child has one thread, and a copy of the memory as it was at the fork. So that this copy is a state between two
 * calls, each structure is watched: before a fork all calls in all watched structures come to their end, and new ones
 * wait, until the parent goes on. In the child every structure sets back what belonged to threads that are not there.
 *
 * ORDER   Structures whose calls go into others (outer ones) are prepared before these. Otherwise a call in an outer
 *         structure, which the fork waits for, would wait for an inner one that the fork holds already.
 * A structure is added and removed by a thread that is inside no structure: a fork may hold the list and wait for it.
 */
#ifndef PLEACH_BASE_FORK_H
#define PLEACH_BASE_FORK_H

#include <stdbool.h>

typedef struct fork_steps {
    bool outer;
    void (*prepare)(void *object); /* before the fork; waits for the calls inside, and keeps others outside */
    void (*parent)(void *object);  /* after it, in the parent: lets them in */
    void (*child)(void *object);   /* after it, in the child */
} fork_steps;

typedef struct fork_watch {
    struct fork_watch *before, *after;
    const fork_steps *steps; /* NULL: not watched */
    void *object;
} fork_watch;

/* `watch` holds zeros, and must not move. False: there is no memory. */
bool fork_watch_add(fork_watch *watch, const fork_steps *steps, void *object);

/* Does nothing if it was not added. */
void fork_watch_remove(fork_watch *watch);

/* What a child does before it sets structures back. The library has one such step. */
typedef void fork_step(void);
void fork_set_first_in_child(fork_step *step);

#endif
