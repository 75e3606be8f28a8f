/* verify/sim/sim.h - the simulator: virtual agents that share a simulated memory, and a scheduler that decides at every
 * access who goes next and what the memory's weakness lets a load see.
 *
 * A *structure* (the ordered map, the node pool, ...) is compiled with PLEACH_SIM defined, so that its accesses to
 * shared words come here (src/port/port_sim.h), and describes itself by a sim_structure. A *schedule* is one run: a
 * scenario and all decisions drawn from one number, or, for small cases, from a list of decisions that is gone through
 * exhaustively. Its name (sim_id) repeats it exactly.
 *
 * THE MEMORY  (memory.c)
 *   Every word has the sequence of its values, with the instants when each was stored. On top of it:
 *   - A store may wait in its agent's buffer, and stores to different words may leave it in any order, except that none
 *     passes a release or a release fence; a sequentially consistent fence empties it. Its own agent sees it at once.
 *   - A sequentially consistent store is a release and may wait, too, but not beyond the agent's next sequentially
 *     consistent load, which is an acquire and is taken after it: these accesses order each other, and are no fences.
 *   - A read-modify-write acts on the newest value. On a CPU its store may be seen late by loads, too: some processors
 *     make it of two instructions. (Not that of a swap that releases.) A GPU performs it at L2, in one go.
 *   - A load may be taken early: it answers what the word held at some instant since the agent's last ordering of loads
 *     (acquire, acquire fence, taken latch, branch on a GPU), and no older than what this agent has seen in that word.
 *     What is loaded through an address is not taken before the load that gave the address.
 *   - A load of CTA scope goes through the L1 of its multiprocessor, which some agents share: sectors of 32 bytes, each
 *     as old as its last filling, until an acquire of device scope by one of these agents, a store of theirs, or chance
 *     removes it.
 *   - Two words are read or written as one only by the accesses of 16 bytes.
 *   This is the contract of port.h on a machine with one point of coherence, which x86, Arm and NVIDIA GPUs are.
 */
#ifndef PLEACH_SIM_H
#define PLEACH_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum sim_strategy {
    SIM_RANDOM,     /* anybody may be next at any access */
    SIM_PCT,        /* fixed priorities with a few changes at random points */
    SIM_DELAY,      /* in turns, with one agent held back for long at one kind of access */
    SIM_EXHAUSTIVE, /* all schedules with few preemptions and few weak accesses */
    SIM_STRATEGIES
} sim_strategy;

extern const char *const sim_strategy_names[SIM_STRATEGIES + 1];

/* Draws of the scenario, before agents run. */
uint64_t sim_draw(uint64_t bound);         /* below bound */
bool sim_draw_chance(unsigned percent);
bool sim_delays(void); /* whether the schedule may hold an agent back for long, even one that has a latch */

/* ---- what a structure offers ---- */

/* Histories that were checked, and those that overlap too much for the checker to decide. */
typedef struct sim_checked {
    uint64_t histories, undecided;
} sim_checked;

typedef struct sim_structure {
    const char *name;
    const char *const *variants; /* NULL-ended: machines and key widths that it is compiled for */
    unsigned tiny_cases;         /* scenarios for the exhaustive strategy */
    /* Lays out a scenario with sim_reserve and sim_draw; `tiny` is the number of a tiny case, or -1. Answers the number
     * of agents. Runs alone, and its accesses are plain. */
    unsigned (*prepare)(unsigned variant, int tiny);
    void (*agent)(unsigned index);
    /* After the last agent: false, and why, if something is wrong. */
    bool (*judge)(char *why, size_t size, sim_checked *checked);
    void (*explain)(FILE *out); /* after judge answered false: more about it; may be NULL */
    /* A shared word, by its place in the memory that was reserved, and a value of it, in words. */
    void (*describe)(uint32_t word, uint64_t value, char *text, size_t size);
    bool (*is_latched)(uint32_t word, uint64_t value); /* does this value say that somebody holds something? */
    void (*forget)(void); /* frees what the calling thread has kept from schedule to schedule; NULL: nothing */
} sim_structure;

/* Zeroed shared memory, within prepare. */
void *sim_reserve(size_t bytes);
/* Which part of it is nodes, so that ids found in shared words can be recognised. */
void sim_nodes(void *nodes, size_t node_bytes, uint32_t count);

/* How many accesses a schedule has, more or less, so that changes of priority fall anywhere in it. */
void sim_expect(uint64_t accesses);
/* Agents have this many L1 caches, at most 4, which is what there are if nobody asks. */
void sim_multiprocessors(unsigned count);
/* One agent whose operations nobody interrupts: with chance `of_256` one of them comes before an access of the others,
 * who stand still meanwhile, wherever they are. A finding if one has not ended after `budget` accesses. */
void sim_solo(unsigned agent, unsigned budget, unsigned of_256);

/* The agent goes first, and is held back after its `times`-th access to `word`, until other agents have stored to
 * `until` `stores` times since, or for long: for faults that show only if an agent stops at one place until much has
 * happened. The others take turns. Both numbers count from 1. */
void sim_hold(unsigned agent, const uint64_t *word, unsigned times, const uint64_t *until, unsigned stores);

/* Operations of this schedule order nothing when they begin and end, as in a program without fences. Stamps then say
 * something about the operations of one agent only. */
void sim_without_fences(void);

/* ---- for agents ---- */

/* Between invocation and response of an operation; both answer the instant. They order what stamps must: an operation
 * sees what was done when it was invoked, and its own stores are done when it responds. */
uint64_t sim_operation_begin(void);
uint64_t sim_operation_end(unsigned operations); /* how many ended: an array call is several */

/* The instant, without any ordering. */
uint64_t sim_stamp(void);

/* Something was achieved, though no operation has ended: waiting is not yet a hang. */
void sim_progress(void);

/* All others are done. */
bool sim_alone(void);

/* The calling agent's index. */
unsigned sim_who(void);

/* This node goes back to its allocator. An access to it by whoever came upon its id before that is a finding. */
void sim_given(uint32_t id);
/* From true to false the calling agent acts as the allocator, which may look at a node that is not its own. */
void sim_allocating(bool allocating);

/* The calling agent makes addresses of `count` neighbouring nodes from the id of the first: who knows this id knows all
 * of theirs. */
void sim_tell_run(uint32_t first, uint64_t count);

/* From true to false the calling agent is alone, and its accesses are plain: to look at what there is, its own stores
 * included. */
void sim_look(bool looking);

/* Ends the schedule with a finding. */
void sim_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* The same of something that a load has seen, by an agent that can go on: it may have to keep a promise first. */
void sim_fail_later(const char *why);

#endif
