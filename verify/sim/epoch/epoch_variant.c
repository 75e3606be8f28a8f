/* verify/sim/epoch/epoch_variant.c - epoch/ compiled for the simulator, over the atomics of CPUs or the PTX of GPUs,
 * and in use: writers and readers of a few cells. */
#include "../../../src/epoch/epoch_participant.h"
#include "../../../src/epoch/epoch_pins.h"
#include "../../../src/pool/pool.h"
#include "epoch_sim.h"

#ifdef PLEACH_NODE_ISA_cuda
#define EPOCH_VARIANT sim_epoch_cuda
#else
#define EPOCH_VARIANT sim_epoch_plain
#endif

/* ---- nodes: the same number in every word ---- */

static uint64_t *node_at(const epoch_ref *p, uint32_t id)
{
    return (uint64_t *)pool_address(p->nodes, id, EPOCH_NODE_BYTES);
}

static void fill(const epoch_ref *p, uint32_t id, uint64_t number)
{
    uint64_t *node = node_at(p, id);
    for (unsigned i = 0; i < EPOCH_NODE_WORDS; i++) port_store(&node[i], number);
}

static uint32_t find_node(const epoch_ref *p, const epoch_visit *v, unsigned cell)
{
    uint32_t id = (uint32_t)port_load(&p->cells[cell]);
    ledger_finds(v->me, id);
    return id;
}

static void linger(const epoch_visit *v)
{
    for (unsigned i = 0; i < v->pauses; i++) port_pause(i);
}

static void fail_used_again(uint32_t id, unsigned me)
{
    char why[80];
    snprintf(why, sizeof why, "node %u was used again, and agent %u looks at it", id, me);
    sim_fail_later(why);
}

static void watch(const epoch_ref *p, const epoch_visit *v, uint32_t id)
{
    const uint64_t *node = node_at(p, id);
    uint64_t number = port_load(&node[0]);
    for (unsigned look = 0; look < v->times; look++) {
        for (unsigned i = 0; i < EPOCH_NODE_WORDS; i++)
            if (port_load(&node[i]) != number) fail_used_again(id, v->me);
        linger(v);
    }
}

/* ---- nodes that find no room in a ring: a list, of which whoever asks takes all ---- */

static void spill(const epoch_ref *p, uint32_t id, uint64_t until)
{
    ledger_stamped(id, until);
    port_store(&p->aside[id].until, until);
    for (;;) {
        uint64_t first = port_load(p->spilled);
        port_store(&p->aside[id].next, first);
        if (port_compare_swap(p->spilled, first, id)) return;
    }
}

static uint32_t unspill_all(const epoch_ref *p)
{
    for (;;) {
        uint64_t first = port_load_acquire(p->spilled);
        if (first == 0 || port_compare_swap(p->spilled, first, 0)) return (uint32_t)first;
    }
}

/* What was retired with a stamp up to this is free; from a look of one's own, which may say more than the floor. */
static uint64_t free_up_to(const epoch_ref *p, bool looks)
{
    if (!looks) return epoch_oldest(p->epoch.state);
    uint64_t floor = epoch_look(p->epoch); /* before the pins: E4 */
    uint64_t pinned = port_load(&p->epoch.state->pins_oldest);
    port_validate_fence();
    return floor < pinned ? floor : pinned;
}

static void return_spilled(const epoch_ref *p, const epoch_visit *v)
{
    uint64_t free = free_up_to(p, v->looks);
    for (uint32_t id = unspill_all(p), next; id != 0; id = next) {
        next = (uint32_t)port_load(&p->aside[id].next);
        uint64_t until = port_load(&p->aside[id].until);
        if (until <= free)
            ledger_freed(v->me, id);
        else
            spill(p, id, until);
    }
}

/* ---- writers ---- */

static uint32_t take(const epoch_ref *p, const epoch_visit *v, epoch_participant *a)
{
    uint32_t id = epoch_reuse(a);
    if (id != 0) {
        ledger_reused(v->me, id);
        return id;
    }
    id = ledger_take(v->me);
    if (id != 0) return id;
    return_spilled(p, v);
    return ledger_take(v->me);
}

/* Puts a node into the cell. The swap is the weakest that publishes a node; who reads the clock next must not do so
 * before the swap is there for all to see (epoch.h), so it settles. Answers the node that was there. */
static uint32_t link_node(const epoch_ref *p, const epoch_visit *v, uint32_t id)
{
    uint64_t *cell = &p->cells[v->cell];
    for (unsigned attempt = 0;; attempt++) {
        uint32_t old = find_node(p, v, v->cell);
        watch(p, v, old);
        port_publish_fence();
        ledger_links(v->me, id);
        if (port_latch(cell, old, id)) {
            ledger_unlinked(v->me, old);
            port_fence_after_latch();
            return old;
        }
        ledger_keeps(v->me, id);
        port_pause(attempt);
    }
}

static void write_once(const epoch_ref *p, const epoch_visit *v, epoch_participant *a, uint32_t id)
{
    fill(p, id, ledger_number());
    ledger_entered(v->me, epoch_enter(p->epoch, a->slot));
    uint32_t old = link_node(p, v, id);
    ledger_forgets(v->me);
    ledger_leaves(v->me);
    epoch_leave(p->epoch, a->slot);
    if (!epoch_retire(a, old)) spill(p, old, port_load(&p->epoch.state->clock) + 1);
}

static void write(const epoch_ref *p, const epoch_visit *v)
{
    epoch_participant a;
    sim_operation_begin();
    epoch_participant_begin(&a, 1);
    for (unsigned attempt = 0; !epoch_writer_begin(p->epoch, &a, v->me); attempt++) port_pause(attempt);
    for (unsigned i = 0; i < v->times; i++) {
        uint32_t id = take(p, v, &a);
        if (id == 0) break; /* somebody stays inside for long: no new nodes until then */
        write_once(p, v, &a, id);
    }
    uint64_t until = port_load(&p->epoch.state->clock) + 1;
    for (uint32_t i = 0; i < a.bagged && i < EPOCH_BAG; i++) ledger_stamped(a.bag[i], until);
    uint32_t left = epoch_writer_end(p->epoch, &a, until);
    for (uint32_t i = 0; i < left; i++) spill(p, a.bag[i], until);
    sim_operation_end(1);
}

/* ---- readers ---- */

/* As a snapshot does: announced with the claim, and the clock passes its stamp. */
static uint64_t claim_and_pass(const epoch_ref *p, const epoch_visit *v, epoch_participant *a)
{
    uint64_t word = EPOCH_IN + port_load(&p->epoch.state->clock);
    for (unsigned attempt = 0; (a->slot = epoch_claim(p->epoch, v->me, word)) == EPOCH_NONE;) port_pause(attempt++);
    uint64_t stamp = epoch_advance_dated(p->epoch, a->slot);
    ledger_entered(v->me, stamp);
    if (port_load(&p->epoch.state->clock) <= stamp) sim_fail("the clock has not passed agent %u's stamp", v->me);
    return stamp;
}

static uint64_t join_and_enter(const epoch_ref *p, const epoch_visit *v, epoch_participant *a)
{
    epoch_participant_begin(a, 1);
    if (v->passes) return claim_and_pass(p, v, a);
    for (unsigned attempt = 0; !epoch_register(p->epoch, a, v->me); attempt++) port_pause(attempt);
    uint64_t stamp = epoch_enter(p->epoch, a->slot);
    ledger_entered(v->me, stamp);
    return stamp;
}

static void leave_and_part(const epoch_ref *p, const epoch_visit *v, epoch_participant *a)
{
    ledger_leaves(v->me);
    if (v->passes) {
        epoch_exit_and_release(p->epoch, a->slot);
        return;
    }
    epoch_leave(p->epoch, a->slot);
    epoch_unregister(p->epoch, a);
}

static void read(const epoch_ref *p, const epoch_visit *v)
{
    epoch_participant a;
    sim_operation_begin();
    join_and_enter(p, v, &a);
    watch(p, v, find_node(p, v, v->cell));
    ledger_forgets(v->me);
    leave_and_part(p, v, &a);
    sim_operation_end(1);
}

/* Whatever the pins leave behind is somebody else's memory at once. */
static void move_pins(const epoch_ref *p)
{
    uint64_t *table = ledger_table(), *unused;
    if (!table) return; /* somebody else has taken the largest, and is about to move there */
    while (epoch_pins_move(p->epoch.state, table, ledger_room(table), &unused) == EPOCH_BUSY) port_pause(0);
    for (uint64_t i = 0; i < ledger_room(unused) * EPOCH_PIN_WORDS; i++) port_store(&unused[i], 1);
}

static void pin(const epoch_ref *p, uint64_t stamp)
{
    for (unsigned attempt = 0;; attempt++) {
        epoch_answer answer = epoch_pin(p->epoch.state, stamp);
        if (answer == EPOCH_DONE) return;
        if (answer == EPOCH_FULL) move_pins(p);
        port_pause(attempt);
    }
}

/* Comes upon one node while it is inside, and upon another when only the pin is left. */
static void read_pinned(const epoch_ref *p, const epoch_visit *v)
{
    epoch_participant a;
    sim_operation_begin();
    uint64_t stamp = join_and_enter(p, v, &a);
    uint32_t id = find_node(p, v, v->cell);
    linger(v);
    pin(p, stamp);
    leave_and_part(p, v, &a);
    watch(p, v, id);
    watch(p, v, find_node(p, v, v->other_cell));
    ledger_forgets(v->me);
    for (unsigned attempt = 0; epoch_unpin(p->epoch.state, stamp) == EPOCH_BUSY; attempt++) port_pause(attempt);
    sim_operation_end(1);
}

/* ---- everybody ---- */

static void scan(const epoch_ref *p, const epoch_visit *v)
{
    epoch_participant a;
    sim_operation_begin();
    epoch_participant_begin(&a, 1);
    epoch_scan(p->epoch, &a, v->slots, v->ticking);
    sim_operation_end(1);
}

static void take_back(const epoch_ref *p, const epoch_visit *v)
{
    sim_operation_begin();
    return_spilled(p, v);
    sim_operation_end(1);
}

/* A stock of what is free in the slot's ring. */
static void use_ring(const epoch_ref *p, const epoch_visit *v, uint32_t slot)
{
    epoch_participant a;
    epoch_participant_begin(&a, 1);
    if (!epoch_writer_begin(p->epoch, &a, slot)) return;
    for (unsigned i = 0; i < EPOCH_BAG; i++) {
        uint32_t id = epoch_reuse(&a);
        if (id == 0) break;
        ledger_reused(v->me, id);
        ledger_freed(v->me, id);
    }
    epoch_writer_end(p->epoch, &a, port_load(&p->epoch.state->clock) + 1);
}

static void settle(const epoch_ref *p, const epoch_visit *v)
{
    epoch_participant a;
    epoch_participant_begin(&a, 1);
    if (port_load(&p->epoch.state->scan_next) > 0) epoch_scan(p->epoch, &a, p->epoch.slots, true); /* half done */
    for (unsigned i = 0; i < 2; i++) epoch_scan(p->epoch, &a, p->epoch.slots, true);
    for (uint32_t slot = 0; slot < p->epoch.slots; slot++)
        for (uint32_t used = 0; used < p->epoch.ring; used += EPOCH_BAG) use_ring(p, v, slot);
    return_spilled(p, v);
}

const epoch_variant EPOCH_VARIANT = {PORT_LINE_WORDS, fill, write, read, read_pinned, scan, take_back, settle};
