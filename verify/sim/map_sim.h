/* verify/sim/map_sim.h - the ordered map under the simulator: what map_variant.c, compiled once per machine and key
 * width, offers to map_world.c, which knows no widths. */
#ifndef PLEACH_MAP_SIM_H
#define PLEACH_MAP_SIM_H

#include "../../src/core/blink/blink_plan.h"
#include "../history/history.h"
#include "sim.h"

enum { MAP_RANGE_ROOM = 12 }; /* pairs that a range may report */

typedef struct map_variant {
    unsigned key_bits;
    void (*build)(const build_plan *plan, void *nodes, const uint64_t *keys, const uint64_t *values);
    /* One operation, with its answer and stamps put into it; pairs has room for a range's. */
    void (*run)(blink_tree *tree, void *nodes, unsigned stripe, history_op *op, history_pair *pairs);
    /* Several of one kind as one array call; NULL where there is none. */
    void (*run_array)(blink_tree *tree, void *nodes, unsigned stripe, history_op *ops, unsigned count,
                      history_pair *pairs);
    /* All pairs of a quiescent tree, at most room; answers how many there are. */
    size_t (*export_pairs)(blink_tree *tree, void *nodes, history_pair *pairs, size_t room);
} map_variant;

extern const map_variant sim_map32_plain, sim_map64_plain, sim_map32_x86, sim_map64_x86, sim_map32_cuda, sim_map64_cuda;

extern const sim_structure sim_map;

#endif
