/* page_lines.c - lines over a size, and latencies over percentiles. Lines of others' structures are dashed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

enum {
    TOP = 14, BOTTOM = 214, LEFT = 52, RIGHT = SVG_WIDTH - 14, MOST_SERIES = 32, LEGEND = BOTTOM + 54, LEGEND_ROW = 17
};

struct lines {
    const struct page_plot *plot;
    struct svg_axis x, y;
    const struct page_point *series[MOST_SERIES]; /* one point of each */
    size_t count;
};

/* Which line a point is on; MOST_SERIES: none, the table has them all. */
static size_t series_of(struct lines *lines, const struct page_point *point)
{
    for (size_t i = 0; i < lines->count; i++)
        if (page_same(lines->series[i], point, lines->plot->labels)) return i;
    if (lines->count == MOST_SERIES) return MOST_SERIES;
    lines->series[lines->count] = point;
    return lines->count++;
}

static double value_on_x(const struct lines *lines, const struct page_point *point)
{
    const enum page_dim over = lines->plot->over;
    return point->dim[over] - (over == PAGE_UPDATES ? 1 : 0);
}

/* ---- axes ---- */

static void find_x(struct lines *lines)
{
    const struct page_group *group = &lines->plot->group;
    const enum page_dim over = lines->plot->over;
    lines->x = (struct svg_axis){.low = INFINITY, .high = -INFINITY, .from = LEFT + 8, .to = RIGHT - 8};
    for (size_t i = 0; i < group->count; i++) {
        const double value = value_on_x(lines, group->points[i]);
        if (group->points[i]->dim[over] <= 0) continue;
        lines->x.low = fmin(lines->x.low, value);
        lines->x.high = fmax(lines->x.high, value);
    }
    const bool size = over == PAGE_KEYS || over == PAGE_BATCH || over == PAGE_THREADS;
    lines->x.logarithmic = size && lines->x.low > 0 && lines->x.high >= 8 * lines->x.low;
}

/* From nothing on; by factors where the highest is so far above the lowest that that would be flat on the ground. */
static void find_y(struct lines *lines, double low, double high)
{
    enum { FLAT = 25 };
    const bool logarithmic = low > 0 && high > FLAT * low;
    lines->y = (struct svg_axis){.low = logarithmic ? low / 1.3 : 0, .high = 1.08 * high, .from = BOTTOM, .to = TOP,
                                 .logarithmic = logarithmic};
}

static void draw_y(FILE *file, const struct lines *lines, const char *unit)
{
    for (double mark = -1; svg_next_mark(&lines->y, &mark);) {
        const double y = svg_at(&lines->y, mark);
        fprintf(file, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, y, RIGHT);
        fprintf(file, "<text class=\"dim\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 5, y + 4,
                page_figure(mark).text);
    }
    fprintf(file, "<text class=\"dim\" x=\"0\" y=\"9\">");
    page_text(file, unit);
    fprintf(file, "%s</text>\n", lines->y.logarithmic ? ", by factors" : "");
}

/* A mark on the axis, unless it would touch the one before it. */
static void draw_mark(FILE *file, double x, const char *text, double *free_from)
{
    const double half = (double)strlen(text) * SVG_LETTER / 2;
    if (x - half < *free_from) return;
    *free_from = x + half + 4;
    fprintf(file, "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text class=\"dim\" x=\"%.1f\" y=\"%d\" "
            "text-anchor=\"middle\">", x, TOP, BOTTOM, x, BOTTOM + 16);
    page_text(file, text);
    fprintf(file, "</text>\n");
}

/* Points come in the order of their values only within a line, so the next higher value is looked for. */
static void draw_x(FILE *file, const struct lines *lines)
{
    const struct page_group *const group = &lines->plot->group;
    const enum page_dim over = lines->plot->over;
    double free_from = 0;
    for (double last = 0;;) {
        const struct page_point *next = NULL;
        char text[PAGE_NAME_BYTES];
        for (size_t i = 0; i < group->count; i++)
            if (group->points[i]->dim[over] > last && (next == NULL || group->points[i]->dim[over] < next->dim[over]))
                next = group->points[i];
        if (next == NULL) break;
        last = next->dim[over];
        if (over == PAGE_DIST)
            snprintf(text, sizeof text, "%s", page_word(lines->plot->page, next, over));
        else
            page_count(value_on_x(lines, next), text, sizeof text);
        draw_mark(file, svg_at(&lines->x, value_on_x(lines, next)), text, &free_from);
    }
    fprintf(file, "<text class=\"dim\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (LEFT + RIGHT) / 2,
            BOTTOM + 33, page_dim_title(over));
}

/* ---- what is between them ---- */

/* The parts of a limit that the points of a line reach. */
static void shares_of(struct lines *lines, size_t which, const char **limit, double *least, double *most)
{
    const struct page_group *const group = &lines->plot->group;
    *limit = "";
    *least = INFINITY;
    *most = 0;
    for (size_t i = 0; i < group->count; i++) {
        const struct page_point *const point = group->points[i];
        if (point->limit[0] == '\0' || series_of(lines, point) != which) continue;
        *limit = point->limit;
        *least = fmin(*least, point->limit_share);
        *most = fmax(*most, point->limit_share);
    }
}

static void draw_legend(FILE *file, struct lines *lines, bool shares)
{
    for (size_t i = 0; i < lines->count; i++) {
        const double y = LEGEND + (double)(i * LEGEND_ROW);
        const char *limit;
        char label[PAGE_LABEL_BYTES];
        double least, most;
        page_label(lines->plot->page, lines->series[i], lines->plot->labels, label, sizeof label);
        fprintf(file, "<path class=\"line s%zu%s\" d=\"M%d %.1fh18\"/><text x=\"%d\" y=\"%.1f\">", i % SVG_COLOURS,
                lines->series[i]->own ? "" : " other", LEFT, y - 4, LEFT + 24, y);
        page_text(file, label);
        shares_of(lines, i, &limit, &least, &most);
        if (shares && limit[0] != '\0') {
            fprintf(file, ": %.0f", 100 * least);
            if (most > least) fprintf(file, " to %.0f", 100 * most);
            fprintf(file, "%% of ");
            page_text(file, limit);
        }
        fprintf(file, "</text>\n");
    }
}

static void draw_point(FILE *file, const struct lines *lines, const struct page_point *point, size_t which)
{
    const double x = svg_at(&lines->x, value_on_x(lines, point));
    if (point->most > point->least)
        fprintf(file, "<path class=\"whisker\" d=\"M%.1f %.1fV%.1f\"/>", x, svg_at(&lines->y, point->least),
                svg_at(&lines->y, point->most));
    fprintf(file, "<circle class=\"s%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\"><title>%s (%s to %s) ",
            which % SVG_COLOURS, x, svg_at(&lines->y, point->median), page_figure(point->median).text,
            page_figure(point->least).text, page_figure(point->most).text);
    page_text(file, point->unit);
    fprintf(file, "</title></circle>\n");
}

static int compare_on_x(const void *x, const void *y, void *over)
{
    const struct page_point *const *a = x, *const *b = y;
    const enum page_dim dim = *(enum page_dim *)over;
    return ((*a)->dim[dim] > (*b)->dim[dim]) - ((*a)->dim[dim] < (*b)->dim[dim]);
}

static void draw_series(FILE *file, struct lines *lines, size_t which)
{
    const struct page_group *const group = &lines->plot->group;
    bool first = true;
    fprintf(file, "<path class=\"line s%zu%s\" d=\"", which % SVG_COLOURS, lines->series[which]->own ? "" : " other");
    for (size_t i = 0; i < group->count; i++) {
        const struct page_point *const point = group->points[i];
        if (point->dim[lines->plot->over] <= 0 || series_of(lines, point) != which) continue;
        fprintf(file, "%s%.1f %.1f", first ? "M" : "L", svg_at(&lines->x, value_on_x(lines, point)),
                svg_at(&lines->y, point->median));
        first = false;
    }
    fprintf(file, "%s\"/>\n", first ? "M0 0" : "");
    for (size_t i = 0; i < group->count; i++) {
        const struct page_point *const point = group->points[i];
        if (point->dim[lines->plot->over] > 0 && series_of(lines, point) == which)
            draw_point(file, lines, point, which);
    }
}

void page_draw_lines(const struct page_canvas *canvas, const struct page_plot *plot)
{
    struct lines lines = {.plot = plot};
    enum page_dim over = plot->over;
    double low = INFINITY, high = 0;
    qsort_r(plot->group.points, plot->group.count, sizeof plot->group.points[0], compare_on_x, &over);
    for (size_t i = 0; i < plot->group.count; i++) {
        const struct page_point *const point = plot->group.points[i];
        if (point->dim[over] <= 0) continue;
        low = fmin(low, point->median);
        high = fmax(high, point->most);
        series_of(&lines, point);
    }
    find_x(&lines);
    find_y(&lines, low, high > 0 ? high : 1);
    svg_begin(canvas, LEGEND + (double)(lines.count * LEGEND_ROW) - 6);
    draw_y(canvas->file, &lines, plot->group.points[0]->unit);
    draw_x(canvas->file, &lines);
    for (size_t i = 0; i < lines.count; i++) draw_series(canvas->file, &lines, i);
    draw_legend(canvas->file, &lines, true);
    svg_end(canvas);
}

/* ---- latencies ---- */

/* Where a quantile stands: as many steps from the left as it has nines. */
static double nines(double quantile) { return -log10(1 - fmin(quantile, 0.9999999)); }

static void draw_quantiles(FILE *file, const struct lines *lines, const struct page_point *point, size_t which)
{
    fprintf(file, "<path class=\"line s%zu%s\" d=\"", which % SVG_COLOURS, point->own ? "" : " other");
    for (size_t q = 0; q < point->quantiles; q++)
        fprintf(file, "%s%.1f %.1f", q == 0 ? "M" : "L", svg_at(&lines->x, nines(point->quantile[q])),
                svg_at(&lines->y, point->latency[q]));
    fprintf(file, "\"/>\n");
    for (size_t q = 0; q < point->quantiles; q++)
        fprintf(file, "<circle class=\"s%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\"><title>%.4g ns</title></circle>\n",
                which % SVG_COLOURS, svg_at(&lines->x, nines(point->quantile[q])),
                svg_at(&lines->y, point->latency[q]), point->latency[q]);
}

static void draw_quantile_axis(FILE *file, const struct lines *lines)
{
    double free_from = 0;
    for (size_t i = 0; i < lines->count; i++) {
        const struct page_point *const point = lines->series[i];
        for (size_t q = 0; i == 0 && q < point->quantiles; q++) {
            char text[24];
            snprintf(text, sizeof text, "%.6g%%", 100 * point->quantile[q]);
            draw_mark(file, svg_at(&lines->x, nines(point->quantile[q])), text, &free_from);
        }
    }
    fprintf(file, "<text class=\"dim\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">calls that take at most so long"
            "</text>\n", (LEFT + RIGHT) / 2, BOTTOM + 33);
}

void page_draw_latencies(const struct page_canvas *canvas, const struct page_plot *plot)
{
    struct lines lines = {.plot = plot, .x = {.low = 0, .high = 1, .from = LEFT + 14, .to = RIGHT - 22}};
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < plot->group.count; i++) {
        const struct page_point *const point = plot->group.points[i];
        if (lines.count < MOST_SERIES) lines.series[lines.count++] = point;
        for (size_t q = 0; q < point->quantiles; q++) {
            low = fmin(low, point->latency[q]);
            high = fmax(high, point->latency[q]);
            lines.x.high = fmax(lines.x.high, nines(point->quantile[q]));
        }
    }
    lines.y = (struct svg_axis){.low = low / 1.2, .high = 1.2 * high, .from = BOTTOM, .to = TOP, .logarithmic = true};
    svg_begin(canvas, LEGEND + (double)(lines.count * LEGEND_ROW) - 6);
    draw_y(canvas->file, &lines, "ns");
    draw_quantile_axis(canvas->file, &lines);
    for (size_t i = 0; i < lines.count; i++) draw_quantiles(canvas->file, &lines, lines.series[i], i);
    draw_legend(canvas->file, &lines, false); /* they are of rates */
    svg_end(canvas);
}
