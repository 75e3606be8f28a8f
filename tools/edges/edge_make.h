/* edge_make.h - graphs to order, from a seed: the same ones on every machine.
 *
 * Each function fills a list, which the caller frees, with 2^scale vertices. False when memory is lacking; then the
 * list is empty. All but rmat make simple undirected graphs: no self loop, each edge once, from the lower id.
 */
#ifndef PLEACH_TOOLS_EDGE_MAKE_H
#define PLEACH_TOOLS_EDGE_MAKE_H

#include "edge_list.h"

enum { EDGE_MAKE_MOST_SCALE = 31 };

/* R-MAT (Chakrabarti, Zhan, Faloutsos 2004), a Kronecker graph: few vertices have many edges. Directed, with self
 * loops and duplicates. */
struct edge_rmat {
    unsigned scale;       /* 1 to EDGE_MAKE_MOST_SCALE */
    uint64_t edge_factor; /* edges for each vertex; in Graph500 16 */
    double a, b, c;       /* chances of three quarters of the matrix; all 0: those of Graph500, 0.57, 0.19, 0.19 */
    bool scramble;        /* give the ids out at random; else low ids have the most edges */
    uint64_t seed;
};
bool edge_make_rmat(struct edge_list *list, const struct edge_rmat *what);

/* Random geometric: points in a square, edges between those that are near. Ids follow the place, row by row. */
struct edge_rgg {
    unsigned scale; /* 2 to EDGE_MAKE_MOST_SCALE */
    double degree;  /* on average, but for the square's border; 0: radius 0.55 sqrt(ln n / n), as rgg_n_2_K has */
    uint64_t seed;
};
bool edge_make_rgg(struct edge_list *list, const struct edge_rgg *what);

/* Like roads: a connected part of a grid, with some diagonals. */
struct edge_grid {
    unsigned scale; /* 2 to EDGE_MAKE_MOST_SCALE */
    double degree;  /* on average, 2 to 4; 0: 2.4 */
    uint64_t seed;
};
bool edge_make_grid(struct edge_list *list, const struct edge_grid *what);

/* Like a Delaunay triangulation: the points of a grid, moved at random, and in each of its cells the diagonal that the
 * empty-circle rule prefers. Degrees are 4 to 8 inside, and almost 6 on average. */
struct edge_delaunay {
    unsigned scale; /* 2 to EDGE_MAKE_MOST_SCALE */
    uint64_t seed;
};
bool edge_make_delaunay(struct edge_list *list, const struct edge_delaunay *what);

#endif
