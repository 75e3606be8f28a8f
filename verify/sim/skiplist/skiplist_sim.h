/* verify/sim/skiplist/skiplist_sim.h - the skiplist under the simulator: what skiplist_variant.c, compiled once per
 * machine, key width and size of chunks, offers to skiplist_world.c, which knows none of them. */
#ifndef PLEACH_SKIPLIST_SIM_H
#define PLEACH_SKIPLIST_SIM_H

#include "../map/map_sim.h"

/* From coming in to going out, with some operations between. */
typedef struct skiplist_stay {
    unsigned ops;
    bool as_one; /* nothing is ordered between its operations: each gets the stamps of the whole stay */
    bool parts;  /* the slot is given back after it */
    /* Where a scenario wants an order of coming and going: the stage that the stay waits for, for some time, before it
     * begins, and before its first operation; and which it is when the agent has come in, and when it has gone out. */
    uint8_t begins_at, works_at, makes_in, makes_out;
} skiplist_stay;

extern _Thread_local unsigned skiplist_stage;
extern _Thread_local bool skiplist_bag_was_full; /* a chunk was not merged because it could not be retired */

typedef struct skiplist_variant {
    unsigned key_bits;
    unsigned slots;      /* of a chunk */
    unsigned line_words; /* PORT_LINE_WORDS */
    bool lock_free;      /* pairs are one access each: find never waits */
    void (*build)(const build_plan *plan, void *nodes, const uint64_t *keys, const uint64_t *values);
    /* One stay after the other, with the operations that follow each other in ops. */
    void (*visit)(map_ref place, unsigned stripe, const skiplist_stay *stays, unsigned count, history_op *ops,
                  history_pair *pairs);
    /* Finds, a few in each stay, until all are done, or all other agents. Answers how many were made. */
    unsigned (*visit_solo)(map_ref place, unsigned stripe, unsigned each, history_op *ops, unsigned count);
    /* Several of one kind as one array call; NULL where there is none. */
    void (*run_array)(map_ref place, unsigned stripe, history_op *ops, unsigned count, history_pair *pairs);
    /* An update by somebody who is alone, before agents run. False: it did not end. */
    bool (*alone)(map_ref place, unsigned stripe, history_op *op);
    /* All pairs of a quiescent skiplist, at most room, in no order within a chunk; answers how many there are. */
    size_t (*export_pairs)(map_ref place, history_pair *pairs, size_t room);
    /* How many of these pairs of a quiescent skiplist a find misses. */
    size_t (*missed)(map_ref place, const history_pair *pairs, size_t count);
    /* Returns all zombies: nobody is inside any more. */
    void (*return_all)(map_ref place);
} skiplist_variant;

extern const skiplist_variant sim_skiplist_32_plain, sim_skiplist_64_plain, sim_skiplist_32_x86, sim_skiplist_64_x86,
    sim_skiplist_32_cuda, sim_skiplist_64_cuda, sim_skiplist_wide_32_cuda;

extern const sim_structure sim_skiplist;

#endif
