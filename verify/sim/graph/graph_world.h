/* verify/sim/graph/graph_world.h - a schedule's graph and operations: between graph_world.c, which lays them out,
 * graph_scenarios.c and graph_judge.c. */
#ifndef PLEACH_GRAPH_WORLD_H
#define PLEACH_GRAPH_WORLD_H

#include "graph_sim.h"

enum {
    GRAPH_AGENTS = 20,
    GRAPH_IDS = 64, /* of vertices, below; a history's key for a half of an edge is from * GRAPH_IDS + to */
    GRAPH_VERTEX_KEYS = GRAPH_IDS * GRAPH_IDS, /* from here on they are vertices */
    GRAPH_CHOSEN = 20, /* ids of a schedule, at most */
    GRAPH_OPS = 260,
    GRAPH_LISTS = 24,
    GRAPH_PAIRS = GRAPH_CHOSEN * GRAPH_CHOSEN + GRAPH_CHOSEN,
    GRAPH_SLABS = 512,   /* ids below */
    GRAPH_FIRST_ID = 160 /* flags and slots of a header, vertices and small counts are no slabs, nor taken for such */
};

typedef struct graph_world {
    const graph_variant *kind;
    graph_ref place;
    unsigned agents, stripes;
    bool sparse;     /* ids are found through a dictionary */
    bool may_refuse; /* the pool is small */
    bool stuck;      /* before the agents began */
    bool solo;       /* the last agent makes finds beside those who stand still */
    uint32_t ids[GRAPH_CHOSEN]; /* ascending */
    unsigned chosen;
    uint64_t passed_from, passed_to; /* slabs that the pool passed by while it was full */
    uint32_t next_value;
    int64_t vertices, edges; /* what operations have told, all of them together */
    history_pair initial[GRAPH_PAIRS], last[GRAPH_PAIRS];
    size_t initial_count;
    unsigned first_op[GRAPH_AGENTS + 1];
    graph_op ops[GRAPH_OPS];
    graph_target targets[GRAPH_LISTS * GRAPH_IDS]; /* what lists have seen */
    unsigned lists;
    history_op told[4 * GRAPH_OPS]; /* the operations, as finds and changes of halves and vertices */
    history_pair pairs[GRAPH_LISTS * GRAPH_IDS];
    history history;
    bool bad_history; /* the last schedule's */
    history_checker *checker;
} graph_world;

extern _Thread_local graph_world graph_now;

unsigned graph_slots(void);
unsigned graph_segments(void); /* that there could be */
slab_table *graph_vertex_of(uint32_t id);

/* ---- before agents run (graph_world.c) ---- */

/* So many vertices. As neighbours, most of them are in one bucket until there are so many buckets, the others anywhere;
 * or some are neighbours in the directory. None of them is there. */
void graph_choose_ids(unsigned count);
/* By somebody who is alone, and does not help. */
void graph_do_exclusive(const graph_ref *g, graph_op_kind kind, uint32_t from, uint32_t to);
/* Edges of a vertex with so many of the others, in the tables that there are, without growth. */
void graph_fill(uint32_t hub, unsigned count);
/* Somebody has been at work here. */
void graph_work(unsigned times, unsigned puts_percent);
/* Slabs in the free lists, whose keys are vertices. Of a sparse graph, free numbers too; before any vertex comes. */
void graph_recycle(unsigned most);
/* What the agents find. */
void graph_settle(void);

/* ---- what agents do (graph_scenarios.c) ---- */

/* Agents are planned one after the other. */
void graph_begin_agent(unsigned agent);
void graph_plan_op(unsigned agent, graph_op_kind kind, uint32_t from, uint32_t to);
void graph_draw_scenario(void);

/* ---- afterwards (graph_judge.c) ---- */

/* All halves of edges, as finds by somebody who is alone see them, and all vertices; answers how many. */
size_t graph_find_all(history_pair *pairs);

bool graph_judge(char *why, size_t size, sim_checked *checked);
void graph_explain(FILE *out);
void graph_describe(uint32_t word, uint64_t value, char *text, size_t size);
bool graph_is_latched(uint32_t word, uint64_t value);
void graph_forget_all(void);

#endif
