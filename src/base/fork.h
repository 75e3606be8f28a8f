/* base/fork.h - structures that a child process can use after fork.
 *
 * The child has one thread, and a copy of the memory as it was at the fork. This copy must be a state between two
 * calls, so each structure is watched: before a fork, all calls in all watched structures finish, and new calls wait
 * until the parent continues. In the child, every structure resets what belonged to threads that do not exist there.
 *
 * ORDER   Structures whose calls enter other structures (outer ones) are prepared before those. Otherwise a call in an
 *         outer structure, which the fork waits for, would wait for an inner one that the fork already holds.
 * Only a thread that is inside no structure may add or remove one: a fork may hold the list and wait for that thread.
 */
#ifndef PLEACH_BASE_FORK_H
#define PLEACH_BASE_FORK_H

#include <stdbool.h>

typedef struct fork_steps {
    bool outer;
    void (*prepare)(void *object); /* before the fork; waits for the calls inside, and keeps new calls outside */
    void (*parent)(void *object);  /* after it, in the parent: admits calls again */
    void (*child)(void *object);   /* after it, in the child */
} fork_steps;

typedef struct fork_watch {
    struct fork_watch *before, *after;
    const fork_steps *steps; /* NULL if not watched */
    void *object;
} fork_watch;

/* `watch` must be zeroed, and must not move. Returns false if there is no memory. */
bool fork_watch_add(fork_watch *watch, const fork_steps *steps, void *object);

/* No-op if it was not added. */
void fork_watch_remove(fork_watch *watch);

/* A step that a child runs before it resets structures. The library has one such step. */
typedef void fork_step(void);
void fork_set_first_in_child(fork_step *step);

#endif
