/* verify/sim/hash/hash_sim.h - hash tables under the simulator: what hash_variant.c, compiled once per machine and key
 * width, offers to hash_world.c, which knows neither. */
#ifndef PLEACH_HASH_SIM_H
#define PLEACH_HASH_SIM_H

#include "../../../src/hash/hash_run.h"
#include "../../history/history.h"
#include "../sim.h"

typedef struct hash_variant {
    unsigned key_bits, slots; /* of a slab */
    bool values;
    uint32_t (*hash)(const slab_ref *place, uint64_t key);
    /* One operation, with its answer and stamps put into it; op->key is the history's, `key` the table's. */
    void (*run)(const slab_ref *place, slab_table *table, uint64_t key, history_op *op);
    /* All pairs of a table, with its own keys, as they come; every one must be among so many. */
    void (*walk)(const slab_ref *place, const slab_table *table, history_op *op, history_pair *pairs, uint64_t room);
    /* `run` by somebody who is alone, without helping to move other buckets, and without stamps. False: it did not
     * end. */
    bool (*alone)(const slab_ref *place, slab_table *table, uint64_t key, history_op *op);
    /* A run of slabs that were in use: taken, given some past, and returned. */
    void (*recycle)(const slab_ref *place, unsigned log, uint64_t version, const uint64_t *keys, unsigned count);
    /* What an agent does that has had its root for long, and wants to change something: it comes to the first slab of a
     * bucket, which is another's by now, latches it, sees that its root has changed, and lets go. */
    void (*haunt)(const slab_ref *place, const slab_table *table, uint32_t id);
    /* What is left of a growth, by somebody who is alone. False: it is not over. */
    bool (*finish)(const slab_ref *place, slab_table *table);
    uint32_t (*take)(const slab_ref *place); /* a slab; 0: there is none */
    const hash_run_ops *ops; /* for who is alone */
} hash_variant;

extern const hash_variant sim_hash_map32_plain, sim_hash_map64_plain, sim_hash_map32_cuda, sim_hash_map64_cuda;
extern const hash_variant sim_hash_set32_plain, sim_hash_set64_plain, sim_hash_set32_cuda, sim_hash_set64_cuda;

extern const sim_structure sim_hash;

#endif
