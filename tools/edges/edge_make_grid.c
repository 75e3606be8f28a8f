/* edge_make_grid.c - graphs on a grid: roads, and a triangulation. A vertex's id is row * columns + column. */
#include "edge_make.h"
#include "edge_random.h"

struct grid {
    uint64_t rows, columns, seed;
};

static struct grid grid_of(unsigned scale, uint64_t seed)
{
    return (struct grid){(uint64_t)1 << scale / 2, (uint64_t)1 << (scale + 1) / 2, seed};
}

static void start_list(struct edge_list *list, unsigned scale)
{
    edge_list_start(list, false);
    list->declared = (uint64_t)1 << scale;
    list->undirected = true;
}

static bool join(struct edge_list *list, uint64_t from, uint64_t to)
{
    return edge_list_append(list, (uint32_t)from, (uint32_t)to, 0);
}

/* ---- roads ---- */

/* Bounds for random bits. */
struct roads {
    uint64_t second, diagonal;
};

/* Every vertex but the first has a way up or to the left, which makes a tree of all. Where both are possible, the other
 * is there by chance as well; and a diagonal, in one of its two directions. */
static bool join_road(struct edge_list *list, const struct grid *grid, const struct roads *roads, uint64_t row,
                      uint64_t column)
{
    const uint64_t vertex = row * grid->columns + column;
    const uint64_t random = edge_random(grid->seed, 2 * vertex), more = edge_random(grid->seed, 2 * vertex + 1);
    const bool prefers_up = random >> 63 != 0, both = (random & UINT32_MAX) < roads->second;
    const bool up = row > 0 && (column == 0 || prefers_up || both);
    const bool left = column > 0 && (row == 0 || !prefers_up || both);
    if (up && !join(list, vertex - grid->columns, vertex)) return false;
    if (left && !join(list, vertex - 1, vertex)) return false;
    if (row == 0 || column == 0 || (more & UINT32_MAX) >= roads->diagonal) return true;
    const uint64_t above = vertex - grid->columns;
    return more >> 63 != 0 ? join(list, above - 1, vertex) : join(list, above, vertex - 1);
}

bool edge_make_grid(struct edge_list *list, const struct edge_grid *what)
{
    const struct grid grid = grid_of(what->scale, what->seed);
    const double degree = what->degree > 0 ? what->degree : 2.4;
    /* The tree has almost an edge for each vertex. Of what is wanted beyond it a tenth are diagonals. The border has
     * places for none of it, so the chances are higher inside. */
    const double inside = (double)(grid.rows - 1) * (double)(grid.columns - 1);
    const double extra = (degree / 2 - 1) * (double)(grid.rows * grid.columns) / inside;
    const struct roads roads = {edge_chance(0.9 * extra), edge_chance(0.1 * extra)};
    bool good = true;
    start_list(list, what->scale);
    for (uint64_t row = 0; good && row < grid.rows; row++)
        for (uint64_t column = 0; good && column < grid.columns; column++)
            good = join_road(list, &grid, &roads, row, column);
    if (!good) edge_list_free(list);
    return good;
}

/* ---- triangulation ---- */

struct point {
    int64_t x, y;
};

/* Grid points are 256 apart and move by less than a quarter of that, so every cell stays convex and either diagonal
 * lies in it. */
static struct point point_at(const struct grid *grid, uint64_t row, uint64_t column)
{
    const uint64_t random = edge_random(grid->seed, row * grid->columns + column);
    const uint64_t x = 256 * column + random % 127, y = 256 * row + (random >> 32) % 127;
    return (struct point){(int64_t)x - 63, (int64_t)y - 63};
}

/* Whether d lies inside the circle through a, b, c, which turn to the left: the sign of the usual determinant. */
static bool in_circle(struct point a, struct point b, struct point c, struct point d)
{
    const int64_t ax = a.x - d.x, ay = a.y - d.y, bx = b.x - d.x, by = b.y - d.y, cx = c.x - d.x, cy = c.y - d.y;
    const int64_t a2 = ax * ax + ay * ay, b2 = bx * bx + by * by, c2 = cx * cx + cy * cy;
    return a2 * (bx * cy - cx * by) - b2 * (ax * cy - cx * ay) + c2 * (ax * by - bx * ay) > 0;
}

/* The edges that begin in a vertex and go right and down, and the diagonal of the cell between. */
static bool join_cell(struct edge_list *list, const struct grid *grid, uint64_t row, uint64_t column)
{
    const uint64_t vertex = row * grid->columns + column;
    const bool right = column + 1 < grid->columns, below = row + 1 < grid->rows;
    if (right && !join(list, vertex, vertex + 1)) return false;
    if (below && !join(list, vertex, vertex + grid->columns)) return false;
    if (!right || !below) return true;
    const struct point here = point_at(grid, row, column), beside = point_at(grid, row, column + 1);
    const struct point across = point_at(grid, row + 1, column + 1), under = point_at(grid, row + 1, column);
    return in_circle(here, beside, across, under) ? join(list, vertex + 1, vertex + grid->columns)
                                                  : join(list, vertex, vertex + grid->columns + 1);
}

bool edge_make_delaunay(struct edge_list *list, const struct edge_delaunay *what)
{
    const struct grid grid = grid_of(what->scale, what->seed);
    bool good = true;
    start_list(list, what->scale);
    for (uint64_t row = 0; good && row < grid.rows; row++)
        for (uint64_t column = 0; good && column < grid.columns; column++) good = join_cell(list, &grid, row, column);
    if (!good) edge_list_free(list);
    return good;
}
