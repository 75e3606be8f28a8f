/* baseline_coupled.c - baseline: the tree of coupled.h, as arrays of operations. */
#include "coupled.h"

#include <stdlib.h>

#include "baseline.h"

struct coupled {
    struct baseline_store base;
    coupled_tree tree;
    size_t room; /* nodes */
};

static baseline_work work_on(const void *store)
{
    const struct coupled *c = store;
    return (baseline_work){.step = BASELINE_COUPLED_FIND, .bits = c->tree.bits, .tree = c->tree};
}

static pleach_status coupled_clear(void *store)
{
    struct coupled *c = store;
    struct baseline_machine *m = c->base.machine;
    const uint64_t empty = COUPLED_LEAF, used[2] = {1, 0};
    pleach_status status = m->verbs->write(m, c->tree.nodes, &empty, sizeof empty);
    return status == PLEACH_OK ? m->verbs->write(m, c->tree.used, used, sizeof used) : status;
}

static void coupled_destroy(void *store)
{
    struct coupled *c = store;
    if (c == NULL) return;
    c->base.machine->verbs->release(c->tree.nodes);
    c->base.machine->verbs->release(c->tree.used);
    free(c);
}

static size_t node_bytes(const struct coupled *c) { return coupled_words(c->tree.bits) * sizeof(uint64_t); }

static void *coupled_create(const struct baseline_needs *needs)
{
    struct coupled *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    c->base = (struct baseline_store){needs->machine, work_on};
    c->tree.bits = needs->bits;
    c->room = coupled_nodes_for(0);
    c->tree.nodes = c->base.machine->verbs->allocate(c->room * node_bytes(c));
    c->tree.used = c->base.machine->verbs->allocate(2 * sizeof c->tree.used[0]);
    if (c->tree.nodes != NULL && c->tree.used != NULL && coupled_clear(c) == PLEACH_OK) return c;
    coupled_destroy(c);
    return NULL;
}

/* Nodes for n more inserts; those that are there move. */
static pleach_status room_for(struct coupled *c, size_t n)
{
    struct baseline_machine *m = c->base.machine;
    uint64_t used = 0;
    pleach_status status = m->verbs->read(m, &used, c->tree.used, sizeof used);
    const size_t room = used + coupled_nodes_for(n);
    if (status != PLEACH_OK || room <= c->room) return status;
    if (room > UINT32_MAX) return PLEACH_E_SIZE;
    uint64_t *nodes = m->verbs->allocate(room * node_bytes(c));
    if (nodes == NULL) return PLEACH_E_MEMORY;
    status = m->verbs->copy(m, nodes, c->tree.nodes, used * node_bytes(c));
    if (status == PLEACH_OK) status = m->verbs->wait(m);
    m->verbs->release(status == PLEACH_OK ? c->tree.nodes : nodes);
    if (status != PLEACH_OK) return status;
    c->tree.nodes = nodes;
    c->room = room;
    return PLEACH_OK;
}

/* Also for a batch after all keys have come. */
static pleach_status coupled_reserve(void *store, size_t keys, size_t batch) { return room_for(store, keys + batch); }

static pleach_status coupled_insert_all(void *store, size_t n, const void *keys, const void *values)
{
    struct coupled *c = store;
    const pleach_status status = room_for(c, n);
    if (status != PLEACH_OK) return status;
    baseline_work work = work_on(c);
    work.step = BASELINE_COUPLED_INSERT;
    work.n = n;
    work.keys = keys;
    work.values = (void *)values;
    return c->base.machine->verbs->each(c->base.machine, &work, NULL);
}

static pleach_status coupled_erase_all(void *store, size_t n, const void *keys)
{
    struct coupled *c = store;
    baseline_work work = work_on(c);
    work.step = BASELINE_COUPLED_ERASE;
    work.n = n;
    work.keys = keys;
    return c->base.machine->verbs->each(c->base.machine, &work, NULL);
}

static pleach_status coupled_size(void *store, uint64_t *count)
{
    struct coupled *c = store;
    return c->base.machine->verbs->read(c->base.machine, count, c->tree.used + 1, sizeof *count);
}

const struct baseline_verbs baseline_coupled = {
    .name = "coupled", .create = coupled_create, .destroy = coupled_destroy, .clear = coupled_clear,
    .reserve = coupled_reserve, .insert = coupled_insert_all, .erase = coupled_erase_all, .find = baseline_find,
    .range = baseline_range, .succ = baseline_succ, .count = coupled_size,
};
