/* graph/triangles/triangles_method.h - the two ways of counting by how many triangles change, and the tests' choice between them. */
#ifndef PLEACH_GRAPH_WAY_H
#define PLEACH_GRAPH_WAY_H

typedef enum triangle_method { TRIANGLES_LEAST_WORK, TRIANGLES_BY_WEDGE, TRIANGLES_BY_ROW } triangle_method;

/* Tests only, process-wide: changes are counted in this way. */
void graph_cpu_force_method(triangle_method way);

#endif
