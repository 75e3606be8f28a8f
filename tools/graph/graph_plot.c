#include "graph_plot.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/common/out_file.h"

enum { COLUMNS = 72, LINES = 14 };

bool graph_plot_add(struct graph_plot *plot, double x, double y)
{
    if (plot->count == plot->room) {
        const size_t room = plot->room > 0 ? 2 * plot->room : 64;
        double *xs = realloc(plot->x, room * sizeof *xs);
        if (xs != NULL) plot->x = xs;
        double *ys = realloc(plot->y, room * sizeof *ys);
        if (ys != NULL) plot->y = ys;
        if (xs == NULL || ys == NULL) return false;
        plot->room = room;
    }
    plot->x[plot->count] = x;
    plot->y[plot->count++] = y;
    return true;
}

void graph_plot_free(struct graph_plot *plot)
{
    free(plot->x);
    free(plot->y);
    *plot = (struct graph_plot){0};
}

static double highest(const struct graph_plot *plot)
{
    double most = 1;
    for (size_t i = 0; i < plot->count; i++)
        if (plot->y[i] > most) most = plot->y[i];
    return most;
}

/* The last point at or before x, or the first. */
static double value_at(const struct graph_plot *plot, double x)
{
    size_t low = 0, high = plot->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (plot->x[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return plot->y[low];
}

void graph_plot_print(const struct graph_plot *plot, const char *y_name, const char *x_name)
{
    if (plot->count < 2) return;
    const double most = highest(plot), end = plot->x[plot->count - 1];
    printf("\n%s\n", y_name);
    for (int line = LINES; line > 0; line--) {
        if (line == LINES)
            printf("%12.0f |", most);
        else
            printf("%12s |", "");
        for (int column = 1; column <= COLUMNS; column++) {
            const double height = value_at(plot, end * column / COLUMNS) / most * LINES;
            putchar(height >= line ? '#' : height >= line - 0.5 ? '.' : ' ');
        }
        putchar('\n');
    }
    printf("%12d +", 0);
    for (int column = 0; column < COLUMNS; column++) putchar('-');
    printf("\n%14s%-*s%.0f\n", "", COLUMNS - 8, x_name, end);
}

bool graph_plot_save(const struct graph_plot *plot, const char *file, const char *y_name, const char *x_name)
{
    enum { WIDTH = 800, HEIGHT = 400, MARGIN = 60 };
    struct out_file to;
    if (!out_file_open(&to, file)) return false;
    FILE *const out = to.stream;
    const double most = highest(plot), end = plot->count > 0 ? plot->x[plot->count - 1] : 1;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
                 "font-size=\"13\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n", WIDTH, HEIGHT, WIDTH, HEIGHT);
    fprintf(out, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#888\"/>\n", MARGIN, MARGIN / 2, HEIGHT - MARGIN,
            WIDTH - MARGIN / 2);
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.0f</text>\n", MARGIN - 6, MARGIN / 2 + 5, most);
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text>\n", MARGIN - 6, HEIGHT - MARGIN + 5);
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.0f</text>\n", WIDTH - MARGIN / 2,
            HEIGHT - MARGIN + 20, end);
    fprintf(out, "<text x=\"%d\" y=\"%d\">%s, by %s</text>\n", MARGIN + 10, MARGIN / 2 + 5, y_name, x_name);
    fprintf(out, "<polyline fill=\"none\" stroke=\"#1668a8\" stroke-width=\"1.5\" points=\"");
    for (size_t i = 0; i < plot->count; i++)
        fprintf(out, "%.1f,%.1f ", MARGIN + plot->x[i] / end * (WIDTH - 1.5 * MARGIN),
                HEIGHT - MARGIN - plot->y[i] / most * (HEIGHT - 1.5 * MARGIN));
    fprintf(out, "\"/>\n</svg>\n");
    return out_file_close(&to);
}
