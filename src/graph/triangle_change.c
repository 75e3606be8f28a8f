/* graph/triangle_change.c - edges that come or go with a call, numbered, and who counts a triangle. */
#include "triangle_change.h"

#include "../base/memory.h"
#include "../exec/hash_exec.h"

static uint64_t name_of(uint32_t one, uint32_t two)
{
    return one < two ? (uint64_t)one << 32 | two : (uint64_t)two << 32 | one;
}

bool change_open(triangle_change *c, unsigned threads)
{
    size_t n = c->request->n;
    pleach_hash_config config = {.key_bits = 64, .threads = threads, .reserve_keys = n};
    c->counts = base_alloc(n, 1);
    c->names = base_alloc(n, sizeof *c->names);
    c->elements = base_alloc(n, sizeof *c->elements);
    c->outcomes = base_alloc(n, 1);
    return c->counts && c->names && c->elements && c->outcomes &&
           hash_exec_cpu.create(&c->numbers, &config) == PLEACH_OK;
}

void change_close(triangle_change *c)
{
    if (c->numbers) hash_exec_cpu.destroy(c->numbers);
    base_free(c->counts);
    base_free(c->names);
    base_free(c->elements);
    base_free(c->outcomes);
}

/* Of equal ones the table keeps one. */
pleach_status change_number(triangle_change *c)
{
    const graph_request *r = c->request;
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        if (c->counts[i]) {
            c->names[n] = name_of(r->from[i], r->to[i]);
            c->elements[n++] = i;
        }
    hash_request add = {.kind = HASH_ADD, .n = n, .keys = c->names, .values = c->elements, .flags = c->outcomes};
    pleach_status status = n > 0 ? hash_exec_cpu.run(c->numbers, &add, PLEACH_SYNC) : PLEACH_OK;
    for (size_t i = 0; i < n; i++) c->counts[c->elements[i]] = c->outcomes[i] == PLEACH_INSERTED;
    return status;
}

/* UINT64_MAX: this edge does not change. */
static uint64_t number_of(const triangle_change *c, uint32_t one, uint32_t two)
{
    uint64_t name = name_of(one, two), number = UINT64_MAX;
    hash_request find = {.kind = HASH_FIND, .n = 1, .keys = &name, .out_values = &number};
    hash_exec_cpu.run(c->numbers, &find, PLEACH_SYNC);
    return number;
}

/* Is a triangle with this edge to be counted at the other? */
static bool counted_there(const triangle_change *c, uint64_t number, uint32_t end, uint32_t third)
{
    uint64_t other = number_of(c, end, third);
    if (other == UINT64_MAX) return false;
    return c->coming ? other > number : other < number;
}

static void charge(const triangle_change *c, uint32_t id, uint64_t triangles)
{
    if (!c->by_vertex || id >= c->capacity || !triangles) return;
    __atomic_fetch_add(&c->by_vertex[id], c->coming != c->back ? triangles : 0 - triangles, __ATOMIC_RELAXED);
}

bool change_counts_here(const triangle_change *c, uint64_t number, uint32_t third)
{
    if (counted_there(c, number, c->request->from[number], third)) return false;
    if (counted_there(c, number, c->request->to[number], third)) return false;
    charge(c, third, 1);
    return true;
}

void change_add(triangle_change *c, uint64_t number, uint64_t triangles)
{
    charge(c, c->request->from[number], triangles);
    charge(c, c->request->to[number], triangles);
    atomic_fetch_add(&c->change, c->back ? 0 - triangles : triangles);
}
