/* graph/triangles/triangles_method.h - the two ways of counting by how many triangles change, and the tests' choice between them. */
#ifndef PLEACH_GRAPH_WAY_H
#define PLEACH_GRAPH_WAY_H

typedef enum graph_way { GRAPH_LESS_WORK, GRAPH_BY_WEDGES, GRAPH_BY_ROWS } graph_way;

/* Tests only, process-wide: changes are counted in this way. */
void graph_cpu_force_way(graph_way way);

#endif
