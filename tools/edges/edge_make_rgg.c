/* edge_make_rgg.c - random geometric graphs. Places are integers and compared by the square of their distance, so that
 * no rounding decides about an edge. */
#include <math.h>
#include <stdlib.h>

#include "edge_make.h"
#include "edge_random.h"

enum { PLACE_BITS = 31 }; /* the sum of two squares fits 63 bits */

struct place {
    uint32_t x, y;
};

struct rgg {
    uint64_t vertices;
    uint64_t reach;       /* the square of the radius */
    uint64_t side;        /* cells in a row; each is as wide as the radius at least */
    struct place *places; /* by cell, row by row */
    uint32_t *begins;     /* of the cells, and where the last one ends */
};

/* Natural logarithm and pi are constants here: libraries differ in the last bits of log(). */
static double radius_squared(const struct edge_rgg *what)
{
    const double pi = 3.14159265358979323846, ln2 = 0.69314718055994530942;
    const double vertices = (double)((uint64_t)1 << what->scale);
    if (what->degree > 0) return what->degree / (pi * vertices);
    return 0.55 * 0.55 * ln2 * what->scale / vertices;
}

static uint64_t cell_of(const struct rgg *rgg, struct place place)
{
    const uint64_t column = place.x * rgg->side >> PLACE_BITS, row = place.y * rgg->side >> PLACE_BITS;
    return row * rgg->side + column;
}

static struct place draw_place(uint64_t seed, uint64_t vertex)
{
    const uint64_t random = edge_random(seed, vertex);
    return (struct place){(uint32_t)(random >> 33), (uint32_t)(random & ((1u << PLACE_BITS) - 1))};
}

/* Places by cell. Each is drawn twice, to be counted and to be put in its cell, rather than kept. */
static bool place_all(struct rgg *rgg, uint64_t seed)
{
    const uint64_t cells = rgg->side * rgg->side;
    rgg->places = calloc(rgg->vertices, sizeof rgg->places[0]);
    rgg->begins = calloc(cells + 2, sizeof rgg->begins[0]);
    if (rgg->places == NULL || rgg->begins == NULL) return false;
    /* Counted two entries behind the cell's own: after the sums the entry behind its own is where the cell begins, and
     * when all places have been put there it is where the cell ends, which is where the next one begins. */
    for (uint64_t i = 0; i < rgg->vertices; i++) rgg->begins[cell_of(rgg, draw_place(seed, i)) + 2]++;
    for (uint64_t cell = 2; cell < cells + 2; cell++) rgg->begins[cell] += rgg->begins[cell - 1];
    for (uint64_t i = 0; i < rgg->vertices; i++) {
        const struct place place = draw_place(seed, i);
        rgg->places[rgg->begins[cell_of(rgg, place) + 1]++] = place;
    }
    return true;
}

static bool is_near(const struct rgg *rgg, uint32_t a, uint32_t b)
{
    const int64_t x = (int64_t)rgg->places[a].x - rgg->places[b].x, y = (int64_t)rgg->places[a].y - rgg->places[b].y;
    return (uint64_t)(x * x + y * y) < rgg->reach;
}

/* Edges from a vertex to those of a cell with higher ids. */
static bool join_cell(const struct rgg *rgg, uint32_t vertex, uint64_t cell, struct edge_list *list)
{
    for (uint32_t other = rgg->begins[cell]; other < rgg->begins[cell + 1]; other++)
        if (other > vertex && is_near(rgg, vertex, other) && !edge_list_append(list, vertex, other, 0)) return false;
    return true;
}

/* Ids ascend with the cells, so cells above hold no higher ones. */
static bool join_vertex(const struct rgg *rgg, uint32_t vertex, struct edge_list *list)
{
    const uint64_t cell = cell_of(rgg, rgg->places[vertex]), column = cell % rgg->side;
    const bool left = column > 0, right = column + 1 < rgg->side, below = cell + rgg->side < rgg->side * rgg->side;
    const uint64_t next = cell + rgg->side;
    return join_cell(rgg, vertex, cell, list) && (!right || join_cell(rgg, vertex, cell + 1, list)) &&
           (!below || !left || join_cell(rgg, vertex, next - 1, list)) &&
           (!below || join_cell(rgg, vertex, next, list)) &&
           (!below || !right || join_cell(rgg, vertex, next + 1, list));
}

bool edge_make_rgg(struct edge_list *list, const struct edge_rgg *what)
{
    const double squared = radius_squared(what);
    const double unit = (double)((uint64_t)1 << PLACE_BITS);
    struct rgg rgg = {.vertices = (uint64_t)1 << what->scale};
    rgg.reach = squared < 1 ? (uint64_t)(squared * unit * unit) : (uint64_t)1 << 2 * PLACE_BITS;
    /* A cell is wider than the radius by a little more than rounding can take away. */
    rgg.side = (uint64_t)(0.999 / sqrt(squared < 1 ? squared : 1));
    const uint64_t enough = (uint64_t)1 << (what->scale + 1) / 2; /* more cells than points would be of no use */
    if (rgg.side > enough) rgg.side = enough;
    if (rgg.side < 1) rgg.side = 1;
    edge_list_start(list, false);
    list->declared = rgg.vertices;
    list->undirected = true;
    bool good = place_all(&rgg, what->seed);
    for (uint64_t vertex = 0; good && vertex < rgg.vertices; vertex++) good = join_vertex(&rgg, (uint32_t)vertex, list);
    free(rgg.places);
    free(rgg.begins);
    if (!good) edge_list_free(list);
    return good;
}
