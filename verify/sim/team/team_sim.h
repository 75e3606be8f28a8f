/* verify/sim/team/team_sim.h - batches by a team under the simulator: what team_variant.c, compiled once per set of
 * node verbs and key width, offers to team_world.c. */
#ifndef PLEACH_TEAM_SIM_H
#define PLEACH_TEAM_SIM_H

#include "../../../src/batch/batch_cpu.h"
#include "../sim.h"

typedef struct team_variant {
    unsigned key_bits;
    size_t (*scratch_bytes)(uint32_t n, uint64_t used_ids);
    void (*run_alone)(batch_job *job); /* by a team of one */

    /* Within prepare: a gate, and workers of which so many, the caller included, can be a team. */
    void (*begin)(unsigned threads);
    /* By one agent: a batch; and the end. */
    void (*run)(batch_job *job, unsigned most);
    void (*end)(void);
    /* By each of the others in a team: until the end. */
    void (*help)(void);

    void (*enter)(unsigned agent);
    void (*leave)(unsigned agent);
    void (*enter_beside)(unsigned agent);
    void (*leave_beside)(unsigned agent);
    void (*enter_exclusive)(void);
    void (*leave_alone)(void);
} team_variant;

extern const team_variant sim_team_32_plain, sim_team_64_plain, sim_team_32_x86, sim_team_64_x86;
extern const sim_structure sim_team;

#endif
