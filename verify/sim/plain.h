/* verify/sim/plain.h - memory that agents share by plain accesses, such as the scratch memory of a batch.
 *
 * C gives plain accesses no meaning when two agents make them at the same time and one of them is a store. So there is
 * no need to say what they see: it is enough to notice. A variant is compiled with -fsanitize=thread, which has the
 * compiler call a function before every plain access; these functions are here (plain.c), not ThreadSanitizer's.
 *
 * Agents order their accesses through words of simulated memory, by sim_synced_...: each agent has a vector clock, a
 * release leaves it with the value that is stored, and an acquire that sees this value joins it. An access that is not
 * ordered behind an earlier one of another agent, of which one is a store, is a finding. This does not depend on what
 * the schedule made of it. Schedules may also switch agents at plain accesses.
 *
 * Marks (port_mark) are atomic: two of them are no finding, a mark and a plain access are.
 */
#ifndef PLEACH_SIM_PLAIN_H
#define PLEACH_SIM_PLAIN_H

#include "sim.h"

enum { WATCHED_AGENTS = 6 }; /* the first ones; others must not come near */

/* Within prepare: this is watched during the schedule. `name` says what is at an offset. */
void sim_watch(const void *begin, size_t bytes, const char *(*name)(size_t offset));
void sim_watch_forget(void);

/* While nobody else accesses it (sim_look): what has happened so far to watched memory is forgotten, and this part of
 * it must be written before it is read. */
void sim_watch_empty(const void *begin, size_t bytes);

/* Accesses of the port layer's kind to a word of simulated memory; they answer what the word held. */
uint64_t sim_synced_load(const uint64_t *p, int order);
void sim_synced_store(uint64_t *p, uint64_t v, int order);
uint64_t sim_synced_add(uint64_t *p, uint64_t v, int order);
uint64_t sim_synced_swap(uint64_t *p, uint64_t expected, uint64_t desired, int order);

/* memset and memcpy, which compilers do not tell of. */
void *sim_plain_set(void *to, int byte, size_t bytes);
void *sim_plain_copy(void *to, const void *from, size_t bytes);

#endif
