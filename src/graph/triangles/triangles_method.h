/* graph/triangles/triangles_method.h - the two methods of counting changes in triangles, and a choice of it for
 * tests. */
#ifndef PLEACH_GRAPH_WAY_H
#define PLEACH_GRAPH_WAY_H

typedef enum triangle_method { TRIANGLES_LEAST_WORK, TRIANGLES_BY_WEDGE, TRIANGLES_BY_ROW } triangle_method;

/* For tests only, process-wide: changes are counted by this method. */
void graph_cpu_force_method(triangle_method way);

#endif
