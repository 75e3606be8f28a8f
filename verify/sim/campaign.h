/* verify/sim/campaign.h - many schedules, one after the other, and the names by which one is found again. */
#ifndef PLEACH_SIM_CAMPAIGN_H
#define PLEACH_SIM_CAMPAIGN_H

#include "sim.h"

enum { SIM_ANY = -1 };

typedef struct sim_plan {
    int structure;         /* index into sim_structures, or SIM_ANY */
    const char *variant;   /* NULL: all of them in turn */
    int strategy;          /* SIM_ANY: random, pct and delay in turn */
    uint64_t seed;
    uint64_t schedules;    /* exhaustive: the most for one tiny case; 0: no bound */
    unsigned jobs;         /* OS threads, each with a machine of its own */
    unsigned preemptions;  /* exhaustive: at most so many in one schedule */
    unsigned weakness;     /* exhaustive: early loads and late stores, likewise */
    unsigned trace_events; /* of each agent, to print with a finding */
    void (*progress)(uint64_t schedules); /* now and then, from one of the threads; may be NULL */
} sim_plan;

typedef struct sim_totals {
    uint64_t schedules, operations, points;
    sim_checked checked;
    uint64_t cases, complete; /* exhaustive: tiny cases, and how many of them were gone through to the end */
    uint64_t findings;        /* 0 or 1: the first one ends the campaign */
    uint64_t found_after;     /* schedules */
} sim_totals;

extern const sim_structure *const sim_structures[]; /* NULL-ended */

/* Number of a structure, or SIM_ANY if there is none of this name. */
int sim_structure_named(const char *name);
bool sim_has_variant(const sim_structure *structure, const char *variant);

/* Runs the plan; a finding is printed to `out`. False: there was no memory for the simulation. */
bool sim_campaign(const sim_plan *plan, sim_totals *totals, FILE *out);

typedef enum sim_replayed {
    SIM_REPLAY_GOOD,
    SIM_REPLAY_FINDING,
    SIM_REPLAY_BAD_NAME,
    SIM_REPLAY_NO_MEMORY
} sim_replayed;

/* Repeats one schedule and prints the last steps of each agent, and what is wrong if something is. */
sim_replayed sim_replay(const char *id, unsigned trace_events, FILE *out);

#endif
