/* verify/sim/machine.h - the state of one simulation; shared by the files of the simulator and nobody else. */
#ifndef PLEACH_SIM_MACHINE_H
#define PLEACH_SIM_MACHINE_H

#include "fiber.h"
#include "sim.h"

enum {
    MAX_AGENTS = 256,
    MAX_WORDS = 1 << 14,
    MAX_NODES = 512,
    MAX_CELLS = 1 << 12,   /* words stored to in one schedule */
    PAST_VALUES = 8,       /* of one word that are remembered */
    BUFFERED_STORES = 16,
    MULTIPROCESSORS = 4,
    SECTOR_WORDS = 4,
    STACK_BYTES = 1 << 16,
    TRACE_EVENTS = 64,     /* of each agent that are remembered; a power of two */
    MAX_CHOICES = 1 << 14, /* of an exhaustive schedule */
    FAILURE_SIZE = 400,
    RECENT = 24,           /* accesses of an agent that promises are chosen from */
    NO_AGENT = MAX_AGENTS
};

typedef enum point_kind {
    POINT_LOAD,
    POINT_LOAD_CACHED,
    POINT_LOAD_ACQUIRE,
    POINT_STORE,
    POINT_STORE_RELEASE,
    POINT_ADD,
    POINT_SWAP,
    POINT_SWAP_FAILED,
    POINT_FENCE,
    POINT_DRAIN, /* a buffered store leaves */
    POINT_PAUSE,
    POINT_BEGIN,
    POINT_END,
    POINT_PLAIN, /* an access to watched memory (plain.h) */
    POINT_KINDS
} point_kind;

typedef struct trace_event {
    uint64_t point;
    uint64_t value;
    uint32_t word;
    uint32_t age; /* a load: how many stores later than the value's instant it is */
    uint8_t kind;
} trace_event;

typedef struct buffered_store {
    uint32_t word, words;
    uint64_t value[2];
    uint32_t after; /* number of release fences before it: it goes after all stores with a smaller one */
    uint32_t compiled; /* number of compiler fences before it */
    bool sequential;   /* sequentially consistent */
    bool swapped; /* the store of a read-modify-write: others' read-modify-writes know of it, their loads do not yet */
} buffered_store;

/* Of an agent, since the last access that orders. */
typedef struct recent_access {
    uint32_t access; /* the agent's number of loads so far */
    uint32_t word;
    uint32_t id; /* a load: of the node that its value names, or UINT32_MAX */
    bool load;
} recent_access;

/* promise.c: the schedule has no late loads; its first run; the second one, before the load, between load and store, and
 * after the store; or it was abandoned. */
typedef enum late_state { LATE_OFF, LATE_RECORDING, LATE_WAITING, LATE_MADE, LATE_KEPT, LATE_BROKEN } late_state;

/* A store of an agent that is performed before its load of number `access`. */
typedef struct promise {
    uint64_t random, candidates;
    uint32_t agent, access, word, words;
    uint64_t value[2];
} promise;

typedef struct sim_agent {
    fiber fiber;
    unsigned index, multiprocessor;
    bool done;
    uint32_t floor;  /* no later load is taken before this instant */
    uint32_t latest; /* the latest instant of its loads so far */
    uint32_t sequential; /* when its last sequentially consistent store was performed */
    uint32_t fences; /* release fences so far */
    uint32_t compiler_fences;
    uint32_t buffered;
    buffered_store buffer[BUFFERED_STORES];
    uint32_t told[MAX_NODES];     /* instant of the latest load that gave this id */
    uint32_t followed[MAX_NODES]; /* the same, once an address was made from it: floor of loads from this node */
    int64_t priority;
    uint64_t held_until; /* point at which a delayed agent may go on */
    uint8_t last_kind;
    uint32_t last_word; /* of its last access */
    bool waiting;       /* it has paused since its operation began */
    bool allocating;    /* sim_allocating */
    uint32_t accesses, recent_count;
    recent_access recent[RECENT];
    uint64_t events;
    trace_event trace[TRACE_EVENTS];
} sim_agent;

typedef struct cell {
    uint32_t newest; /* of the ring below */
    uint32_t filled;
    uint32_t word;
    uint32_t writer;
    uint32_t swapper; /* who has a `swapped` store of this word in its buffer; NO_AGENT: nobody */
    struct {
        uint32_t time;
        uint64_t value;
    } past[PAST_VALUES];
} cell;

typedef struct sector {
    uint32_t generation, time;
} sector;

typedef enum choice_cost { COST_NONE, COST_PREEMPTION, COST_WEAKNESS } choice_cost;

/* The list of decisions of the exhaustive strategy. */
typedef struct choices {
    unsigned depth, length;
    unsigned most_preemptions, most_weakness;
    unsigned preemptions, weakness; /* spent so far in this schedule */
    struct {
        uint8_t taken, options, cost;
        uint8_t preemptions, weakness; /* spent before this one */
    } at[MAX_CHOICES];
} choices;

typedef struct sim_machine {
    const sim_structure *structure;
    sim_strategy strategy;
    uint64_t random;
    choices *exhaustive; /* NULL: decisions are drawn */

    uint64_t *memory;
    uint32_t words;                          /* in use */
    uint32_t nodes_at, node_words, nodes;    /* the part that is nodes */
    uint32_t given[MAX_NODES];               /* instant after which a node's id is another node's; 0: never given back */
    uint32_t now;                            /* number of stores performed */
    uint16_t *cell_of;                       /* word -> cell; 0: never stored to while agents run */
    cell *cells;
    uint32_t cell_count;
    uint32_t *seen;                          /* [cell][agent]: the latest instant seen there by it */
    sector *l1[MULTIPROCESSORS];
    uint32_t l1_generation[MULTIPROCESSORS];
    unsigned early_loads, late_stores, drains; /* chances, of 256 */

    sim_agent *agents;
    unsigned agent_count;
    uint16_t live[MAX_AGENTS];
    unsigned live_count;
    sim_agent *me;
    fiber main;
    bool running;
    bool without_fences; /* between operations */

    unsigned switch_chance;                  /* random: of 256 */
    int64_t lowest_priority;
    unsigned changes_left;                   /* pct */
    uint64_t next_change;
    uint8_t marked_kind;                     /* delay */
    uint32_t marked_after;                   /* such accesses to let pass first */
    unsigned hold_agent;                     /* sim_hold; NO_AGENT: there is none */
    uint32_t hold_word, hold_until;
    unsigned hold_stores;                    /* to hold_until that are still to come */
    bool hold_pending;                       /* it has not been held yet */
    unsigned turn_left;
    unsigned multiprocessors;
    unsigned soloist, solo_budget, solo_chance; /* sim_solo; NO_AGENT: there is none */
    unsigned solo_displaced;                    /* who would have been next */
    bool solo_inside;                           /* within an operation */
    uint64_t solo_since;

    uint64_t points, progress_at, budget, expected_points;
    uint64_t operations;
    char failure[FAILURE_SIZE];              /* empty: none */
    char failure_later[FAILURE_SIZE];        /* sim_fail_later */
    late_state late;
    promise promised;
} sim_machine;

extern _Thread_local sim_machine *sim_now_running;

sim_machine *machine_create(void);
void machine_destroy(sim_machine *m);

/* Runs one schedule. False: m->failure says why. */
bool machine_run(sim_machine *m, const sim_structure *structure, unsigned variant, int tiny, sim_checked *checked);

/* The same twice or more: then with loads that are performed after later stores (promise.c). */
bool machine_run_late(sim_machine *m, const sim_structure *structure, unsigned variant, int tiny, sim_checked *checked);

/* promise.c: what an agent is about to do */
void promise_forget(sim_agent *a);
void promise_order(sim_machine *m);
void promise_order_of(sim_machine *m, sim_agent *other); /* by a fence that another agent makes it execute */
void promise_break(sim_machine *m) __attribute__((noreturn));
void promise_await(sim_machine *m);
void promise_load(sim_machine *m, uint32_t word);
void promise_loaded(sim_machine *m, uint32_t word, uint64_t value);
void promise_modified(sim_machine *m, uint32_t word);
bool promise_store(sim_machine *m, uint32_t word, uint32_t words, const uint64_t *value);

/* memory.c */
void memory_perform_early(sim_machine *m, uint32_t word, uint32_t words, const uint64_t *value);
void memory_reset(sim_machine *m);
void memory_drain(sim_machine *m);
void memory_maybe_drain_one(sim_machine *m);

/* schedule.c */
void schedule_begin(sim_machine *m);
/* An access is about to happen: perhaps somebody else goes first. */
void schedule_point(sim_machine *m, point_kind kind, uint32_t word);
void schedule_leave(sim_machine *m) __attribute__((noreturn)); /* the agent is done */

/* choose.c */
uint64_t choose_draw(sim_machine *m, uint64_t bound);
static inline bool choose_chance(sim_machine *m, unsigned of_256);
unsigned choose_option(sim_machine *m, unsigned options, choice_cost cost); /* exhaustive strategy only */
void choices_restart(choices *c);
bool choices_next(choices *c); /* false: all were tried */

static inline uint64_t machine_random(sim_machine *m)
{
    uint64_t z = (m->random += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline bool choose_chance(sim_machine *m, unsigned of_256) { return (machine_random(m) >> 56) < of_256; }

/* trace.c */
void trace_access(sim_machine *m, point_kind kind, uint32_t word, uint64_t value, uint32_t age);
void trace_print(sim_machine *m, unsigned events, FILE *out);
void trace_print_waits(sim_machine *m, FILE *out);

#endif
