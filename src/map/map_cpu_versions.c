/* map/map_cpu_versions.c - snapshots of a CPU map: the clock, the participants' slots, the pins, the records of nodes.
 *
 * Progress: taking a snapshot needs a participant's slot, of which there are more than threads that could need one at a
 * time. A thread that holds the latch of the table of pins never waits. */
#include <string.h>

#include "../base/memory.h"
#include "../versioned/versioned_check.h"
#include "../sync/gate.h"
#include "map_cpu.h"

/* A skiplist has longer rings, because a thread that the operating system suspends inside a critical section delays the
 * reclaiming of everything that other threads retire. */
enum { AGENTS = 1024, VISITORS = 2048, RING = 512, SKIPLIST_RING = 1 << 14, FIRST_PINS = 64 };

static bool open_slots(cpu_map *map, unsigned visitors, unsigned ring)
{
    epoch *e = &map->ref.versions.epoch;
    epoch_begin(e->state);
    e->slots = AGENTS;
    e->visitors = visitors;
    e->ring = ring;
    size_t rings = (size_t)AGENTS * ring, words = (size_t)(AGENTS + visitors) * PORT_LINE_WORDS;
    if (!pool_host_open_small_pages(&map->slots, rings * sizeof *e->rings + words * sizeof *e->announce +
                                                   AGENTS * sizeof *e->home))
        return false;
    e->rings = map->slots.nodes;
    e->announce = (uint64_t *)(e->rings + rings);
    e->home = (epoch_home *)(e->announce + words);
    return true;
}

/* Opens the part that skiplists use: slots and rings. */
bool cpu_epoch_open(cpu_map *map)
{
    map->ref.versions.epoch.state = base_alloc(1, sizeof *map->ref.versions.epoch.state);
    return map->ref.versions.epoch.state && open_slots(map, 0, SKIPLIST_RING);
}

/* Opens a record for every node that the map may ever have. The operating system allocates memory only for those that
 * are used. */
bool cpu_versions_open(cpu_map *map)
{
    versions *v = &map->ref.versions;
    uint64_t nodes = map->ref.tree->pool.capacity;
    v->state = base_alloc(1, sizeof *v->state);
    if (!v->state) return false;
    v->epoch.state = &v->state->epoch;
    v->epoch.dated = 1;
    v->stripes = VERSION_STRIPES;
    if (!open_slots(map, VISITORS, RING)) return false;
    uint64_t *pins = base_alloc(FIRST_PINS, EPOCH_PIN_WORDS * sizeof *pins);
    v->epoch.state->pin_table = (uint64_t)(uintptr_t)pins;
    v->epoch.state->pin_room = FIRST_PINS;
    if (!pins) return false;
    if (!pool_host_open_per_node(&map->records, nodes, sizeof(version_record), map->node_bytes)) return false;
    v->record = map->records.nodes;
    return true;
}

void cpu_versions_close(cpu_map *map)
{
    versions *v = &map->ref.versions;
    if (!v->epoch.state) return;
    base_free((void *)(uintptr_t)v->epoch.state->pin_table);
    base_free(v->state ? (void *)v->state : (void *)v->epoch.state);
    pool_host_close(&map->slots);
    pool_host_close(&map->records);
}

/* Forgets everything that has been retired. The clock and the counters continue. */
void cpu_epoch_forget(cpu_map *map)
{
    epoch e = map->ref.versions.epoch;
    for (uint64_t i = 0; i < AGENTS; i++)
        if (e.home[i].tail != e.home[i].head) e.home[i].tail = e.home[i].head; /* a store would need memory */
}

/* Resets the version records of all nodes, which empties their version chains. */
void cpu_versions_forget(cpu_map *map, uint64_t nodes)
{
    versions *v = &map->ref.versions;
    memset(v->record, 0, nodes * sizeof v->record[0]);
    for (unsigned i = 0; i < VERSION_STRIPES; i++) v->state->kept[i].head = 0;
    cpu_epoch_forget(map);
}

bool cpu_versions_pinned(const cpu_map *map)
{
    return map->ref.versions.state && map->ref.versions.state->epoch.pins > 0;
}

/* ---- taking and releasing ---- */

/* Doubles the table of pins, unless another thread has done so. Returns false if there is no memory. */
static bool more_pins(epoch_state *e, uint64_t room)
{
    uint64_t *table = base_alloc(2 * room, EPOCH_PIN_WORDS * sizeof *table), *unused = NULL;
    if (!table) return false;
    for (unsigned attempt = 0; epoch_pins_move(e, table, 2 * room, &unused) == EPOCH_BUSY;) port_pause(attempt++);
    base_free(unused);
    return true;
}

static pleach_status pin(epoch_state *e, uint64_t at)
{
    for (unsigned attempt = 0;;) {
        uint64_t room = port_load(&e->pin_room);
        if (port_load(&e->pins) > room / 2) more_pins(e, room); /* half full, it is seldom compacted */
        epoch_answer answer = epoch_pin(e, at);
        if (answer == EPOCH_DONE) return PLEACH_OK;
        if (answer == EPOCH_BUSY) port_pause(attempt++);
        if (answer == EPOCH_FULL && !more_pins(e, room)) return PLEACH_E_MEMORY;
    }
}

pleach_status cpu_versions_take(void *exec, snapshot_place *place, pleach_stream stream)
{
    (void)stream;
    cpu_map *map = exec;
    versions v = map->ref.versions;
    if (!v.state) return PLEACH_E_ARGUMENT;
    epoch_participant agent;
    place->timestamp = version_snapshot_begin(&v, &agent, 1, gate_thread_number());
    place->at = &place->timestamp;
    pleach_status status = pin(v.epoch.state, place->timestamp);
    version_snapshot_end(&v, &agent, place->timestamp, 1, EPOCH_ALL);
    return status;
}

pleach_status cpu_versions_release(void *exec, snapshot_place *place)
{
    cpu_map *map = exec;
    epoch_state *e = map->ref.versions.epoch.state;
    epoch_participant agent;
    uint64_t oldest = epoch_oldest(e);
    for (unsigned attempt = 0; epoch_unpin(e, *place->at) == EPOCH_BUSY;) port_pause(attempt++);
    epoch_participant_begin(&agent, 1);
    epoch_scan(map->ref.versions.epoch, &agent, EPOCH_ALL, false);
    /* Only the oldest snapshot keeps versions from being reclaimed by age. */
    if (epoch_oldest(e) != oldest) map->ops->return_images(map->ref, gate_thread_number());
    return PLEACH_OK;
}

/* Reclaims everything that no snapshot needs, including what concurrent calls have left. The caller must hold the gate
 * exclusively. */
void cpu_versions_settle(cpu_map *map)
{
    epoch_participant agent;
    epoch_participant_begin(&agent, 1);
    epoch_scan(map->ref.versions.epoch, &agent, EPOCH_ALL, false); /* completes a scan that others have begun */
    epoch_scan(map->ref.versions.epoch, &agent, EPOCH_ALL, false);
    map->ops->return_images(map->ref, 0);
}

void cpu_versions_stats(const cpu_map *map, pleach_map_stats *stats)
{
    stats->snapshots = map->ref.versions.state->epoch.pins;
    stats->reclaimed_bytes = versioned_reclaimed(map->ref.versions) * map->node_bytes;
    stats->held_back_bytes =
        versioned_held_back(map->key_bits, map->ref.tree, map->ref.nodes, map->ref.versions) * map->node_bytes;
}
