/* verify/sim/map/map_sim.h - the ordered map under the simulator: what map_variant.c, compiled once per machine and key
 * width, offers to map_world.c, which knows no widths. */
#ifndef PLEACH_MAP_SIM_H
#define PLEACH_MAP_SIM_H

#include "../../../src/blink/blink_cpu.h"
#include "../../history/history.h"
#include "../sim.h"

enum { MAP_RANGE_ROOM = 12 }; /* pairs that a range may report */

typedef struct map_variant {
    unsigned key_bits;
    bool versioned;
    unsigned line_words; /* PORT_LINE_WORDS */
    void (*build)(const build_plan *plan, void *nodes, const uint64_t *keys, const uint64_t *values);
    /* One operation, with its answer and stamps put into it; pairs has room for a range's. */
    void (*run)(map_ref place, unsigned stripe, history_op *op, history_pair *pairs);
    /* Several of one kind as one array call; NULL where there is none. */
    void (*run_array)(map_ref place, unsigned stripe, history_op *ops, unsigned count, history_pair *pairs);
    /* Takes a snapshot, asks all of `ops` of it, one after the other, and releases it; NULL where there are none. Each
     * operation gets the stamps of the taking: that is when its answer was true. */
    void (*run_snapshot)(map_ref place, unsigned stripe, history_op *ops, unsigned count, history_pair *pairs);
    /* The three parts of that: a snapshot's timestamp; one operation at it, without stamps; and its end. */
    uint64_t (*take)(map_ref place, unsigned stripe);
    void (*ask)(map_ref place, uint64_t at, history_op *op, history_pair *pairs);
    void (*release)(map_ref place, unsigned stripe, uint64_t at);
    /* All pairs of a quiescent tree, at most room; answers how many there are. */
    size_t (*export_pairs)(map_ref place, history_pair *pairs, size_t room);
    /* How many of these pairs of a quiescent tree a find misses, or meets only after a step to the right. */
    size_t (*detours)(map_ref place, const history_pair *pairs, size_t count);
    /* Returns all old images: nobody has a snapshot any more. */
    void (*return_all)(map_ref place);
} map_variant;

extern const map_variant sim_map_32_plain, sim_map_64_plain, sim_map_32_x86, sim_map_64_x86, sim_map_32_cuda,
    sim_map_64_cuda;
extern const map_variant sim_versioned_32_plain, sim_versioned_64_plain, sim_versioned_32_x86, sim_versioned_64_x86,
    sim_versioned_32_cuda, sim_versioned_64_cuda;

extern const sim_structure sim_map, sim_versioned;

#endif
