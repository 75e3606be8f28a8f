/* graph/triangles/triangle_change.c - numbers the edges that a call inserts or erases, and decides at which of them a
 * triangle is counted. */
#include "triangle_change.h"

#include "../../base/memory.h"
#include "../../hash/slabhash_seed.h"

static uint64_t name_of(uint32_t one, uint32_t two)
{
    return one < two ? (uint64_t)one << 32 | two : (uint64_t)two << 32 | one;
}

bool change_open(triangle_change *c)
{
    uint64_t places = 16;
    while (places < 2 * c->request->n) places *= 2;
    c->mask = places - 1;
    c->seed = slabhash_seed_of(base_entropy());
    c->counts = base_alloc(c->request->n, 1);
    c->numbers = base_alloc(places, sizeof *c->numbers);
    return c->counts && c->numbers;
}

void change_close(triangle_change *c)
{
    base_free(c->counts);
    base_free(c->numbers);
}

/* Multiply-shift, as in slabhash_width.h. There are up to 2^32 places. */
static uint64_t first_place_of(const triangle_change *c, uint64_t name)
{
    uint64_t product = (c->seed.low + name) * (c->seed.by + (name >> 32));
    uint32_t sum = (uint32_t)((product + c->seed.plus) >> 32);
    return ((uint64_t)(sum ^ sum >> 16) * 0x9e3779b97f4a7c15u) >> 32 & c->mask;
}

void change_prefetch(const triangle_change *c, uint32_t one, uint32_t two)
{
    __builtin_prefetch(&c->numbers[first_place_of(c, name_of(one, two))]);
}

/* Returns the place of the edge, or the one where it would be put. */
static numbered_edge *place_of(const triangle_change *c, uint64_t name)
{
    uint64_t place = first_place_of(c, name);
    while (c->numbers[place].name && c->numbers[place].name != name) place = (place + 1) & c->mask;
    return &c->numbers[place];
}

/* Of equal edges, the first is kept. */
void change_number(triangle_change *c)
{
    enum { AHEAD = 16 };
    const graph_request *r = c->request;
    for (size_t i = 0; i < r->n; i++) {
        if (i + AHEAD < r->n) change_prefetch(c, r->from[i + AHEAD], r->to[i + AHEAD]);
        if (!c->counts[i]) continue;
        uint64_t name = name_of(r->from[i], r->to[i]);
        numbered_edge *place = place_of(c, name);
        c->counts[i] = !place->name;
        if (!place->name) *place = (numbered_edge){name, i};
    }
}

/* Returns UINT64_MAX if this edge does not change. */
static uint64_t number_of(const triangle_change *c, uint32_t one, uint32_t two)
{
    const numbered_edge *place = place_of(c, name_of(one, two));
    return place->name ? place->element : UINT64_MAX;
}

bool change_has(const triangle_change *c, uint32_t one, uint32_t two) { return number_of(c, one, two) != UINT64_MAX; }

/* Returns whether a triangle with this edge must be counted at the other edge. */
static bool counted_there(const triangle_change *c, uint64_t number, uint32_t end, uint32_t third)
{
    uint64_t other = number_of(c, end, third);
    if (other == UINT64_MAX) return false;
    return c->coming ? other > number : other < number;
}

void change_charge(const triangle_change *c, uint32_t id, uint64_t triangles)
{
    if (!c->by_vertex || id >= c->capacity || !triangles) return;
    __atomic_fetch_add(&c->by_vertex[id], c->coming != c->back ? triangles : 0 - triangles, __ATOMIC_RELAXED);
}

bool counted_at_this_edge(const triangle_change *c, uint64_t number, uint32_t third)
{
    if (counted_there(c, number, c->request->from[number], third)) return false;
    if (counted_there(c, number, c->request->to[number], third)) return false;
    change_charge(c, third, 1);
    return true;
}

void change_add(triangle_change *c, uint64_t number, uint64_t triangles)
{
    change_charge(c, c->request->from[number], triangles);
    change_charge(c, c->request->to[number], triangles);
    atomic_fetch_add(&c->change, c->back ? 0 - triangles : triangles);
}
