/* verify/sim/epoch/epoch_sim.h - the epoch module under the simulator: what epoch_variant.c, compiled with the port of
 * a CPU and of a GPU, offers to epoch_world.c, and what it tells it.
 *
 * The structure is the smallest that needs reclamation: a few cells, each with the id of a node. A writer puts another
 * node there and retires the old one; a reader follows the id, and must find in the node what was there when it came.
 */
#ifndef PLEACH_EPOCH_SIM_H
#define PLEACH_EPOCH_SIM_H

#include "../../../src/epoch/epoch_pins.h"
#include "../sim.h"

/* What the word at this offset of an epoch_state is, for traces. */
const char *epoch_word_name(size_t offset);

enum { EPOCH_NODE_BYTES = 16, EPOCH_NODE_WORDS = EPOCH_NODE_BYTES / 8 };

/* Of a retired node that is in no ring. */
typedef struct epoch_aside {
    uint64_t until, next;
} epoch_aside;

/* All of it in simulated memory. */
typedef struct epoch_ref {
    epoch epoch;
    uint64_t *cells;
    void *nodes;
    epoch_aside *aside; /* by id */
    uint64_t *spilled;  /* id of the first node that found no room in a ring; 0: none */
} epoch_ref;

/* What an agent does in one visit. */
typedef struct epoch_visit {
    unsigned me, cell, other_cell;
    unsigned times;  /* a writer: nodes put there; a reader: looks at a node */
    unsigned pauses; /* between one look and the next */
    unsigned slots;  /* of a part of the scan */
    bool passes;     /* a reader: advances the clock, as a snapshot does */
    bool ticking;    /* a scan does */
    bool looks;      /* for itself how high the floor could be */
} epoch_visit;

typedef struct epoch_variant {
    unsigned line_words; /* PORT_LINE_WORDS */
    void (*fill)(const epoch_ref *p, uint32_t id, uint64_t number);
    void (*write)(const epoch_ref *p, const epoch_visit *visit);
    void (*read)(const epoch_ref *p, const epoch_visit *visit);
    void (*read_pinned)(const epoch_ref *p, const epoch_visit *visit);
    void (*scan)(const epoch_ref *p, const epoch_visit *visit);
    void (*take_back)(const epoch_ref *p, const epoch_visit *visit); /* what was spilled and is free */
    /* Nobody is about: a scan or two more, and all that is retired is free again. */
    void (*settle)(const epoch_ref *p, const epoch_visit *visit);
} epoch_variant;

extern const epoch_variant sim_epoch_cuda, sim_epoch_plain;

/* The ledger: who has which node, kept beside the simulated memory, where nothing is weak. Each of these says what has
 * just happened, and finds fault with it if it must not. */
uint32_t ledger_take(unsigned me); /* a free node, or 0 */
uint64_t ledger_number(void);      /* to fill a node with; never the same twice, and never an id */
void ledger_reused(unsigned me, uint32_t id);
void ledger_links(unsigned me, uint32_t id); /* early: others may come upon it before the swap has returned */
void ledger_keeps(unsigned me, uint32_t id); /* it did not get there */
void ledger_unlinked(unsigned me, uint32_t old);
void ledger_stamped(uint32_t id, uint64_t until); /* a retired one */
void ledger_freed(unsigned me, uint32_t id);
void ledger_entered(unsigned me, uint64_t stamp);
void ledger_leaves(unsigned me);
void ledger_finds(unsigned me, uint32_t id); /* in a cell; from now on it may not be used again */
void ledger_forgets(unsigned me);            /* all that it has found */
/* A larger table for pins, or NULL; and how large a table is. */
uint64_t *ledger_table(void);
uint64_t ledger_room(const uint64_t *table);

extern const sim_structure sim_epoch;

#endif
