/* graph_plot.h - one line over an axis: drawn with characters for a terminal, or as SVG. */
#ifndef PLEACH_TOOLS_GRAPH_PLOT_H
#define PLEACH_TOOLS_GRAPH_PLOT_H

#include <stdbool.h>
#include <stddef.h>

/* Zeros: an empty plot. */
struct graph_plot {
    size_t count, room;
    double *x, *y;
};

/* x ascends. False when memory is lacking. */
bool graph_plot_add(struct graph_plot *plot, double x, double y);
void graph_plot_free(struct graph_plot *plot);

/* On standard output. Nothing for fewer than two points. */
void graph_plot_print(const struct graph_plot *plot, const char *y_name, const char *x_name);

/* False when the file cannot be written; errno says why. */
bool graph_plot_save(const struct graph_plot *plot, const char *file, const char *y_name, const char *x_name);

#endif
