/* page_plots.c - which drawings a group of points gets: lines over every dimension that has a line of at least
 * three points, else bars; several of them where one would be crowded. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "tools/common/cli.h"
#include "tools/common/out_file.h"

enum { LINE_POINTS = 3, CROWDED = 8 };

typedef void draw_function(const struct page_canvas *canvas, const struct page_plot *plot);

/* ---- files of single drawings ---- */

/* Letters, digits and points; the rest is hyphens. */
static void spell_name(const char *text, char *name, size_t size)
{
    size_t used = 0;
    for (; *text != '\0' && used + 1 < size; text++) {
        if (strncmp(text, "[]", 2) == 0) {
            used += (size_t)snprintf(name + used, size - used, "-array");
            text++;
            if (used >= size) used = size - 1;
        } else if (isalnum((unsigned char)*text) || *text == '.' || *text == '_') {
            name[used++] = *text;
        } else if (used > 0 && name[used - 1] != '-') {
            name[used++] = '-';
        }
    }
    while (used > 0 && name[used - 1] == '-') used--;
    name[used] = '\0';
}

/* No two drawings of a page have the same name. */
static void make_name(struct page *page, const char *text, char *name, size_t size)
{
    char known[2 * PAGE_LABEL_BYTES + 16];
    spell_name(text, name, size - 8);
    const size_t length = strlen(name);
    for (unsigned number = 2; number < 1000 && !page->failed; number++) {
        const size_t before = page->kept_count;
        snprintf(known, sizeof known, "drawing %s", name);
        page_keep(page, known);
        if (page->kept_count > before) break;
        snprintf(name + length, size - length, "-%u", number);
    }
}

static bool save_plot(struct page *page, const char *path, draw_function *draw, const struct page_plot *plot,
                      const char *title)
{
    struct out_file out;
    bool good = out_file_open(&out, path);
    if (good) {
        draw(&(struct page_canvas){out.stream, true, title}, plot);
        good = out_file_close(&out);
    }
    if (good) return true;
    cli_complain("pleach-bench report", "cannot write %s: %s", path, out_file_reason(errno));
    page->failed = true;
    return false;
}

static void save_where_asked(struct page *page, const char *name, draw_function *draw, const struct page_plot *plot,
                             const char *title)
{
    char path[4096];
    const size_t length = strlen(name);
    if (page->plots != NULL) {
        snprintf(path, sizeof path, "%s/%s.svg", page->plots, name);
        save_plot(page, path, draw, plot, title);
    }
    for (size_t i = 0; i < page->plot_count; i++) {
        if (strncmp(page->plot[i], name, length) != 0 || page->plot[i][length] != '=') continue;
        page->plot_written[i] = save_plot(page, page->plot[i] + length + 1, draw, plot, title);
    }
}

/* ---- drawings ---- */

/* What the drawings of one group have in common. */
struct drawing {
    FILE *file;
    struct page *page;
    const char *name; /* of the group */
    draw_function *draw;
    enum page_dim over;
    unsigned labels, panels;
};

static void draw_panel(const struct drawing *d, const struct page_group *group)
{
    const char *const how = d->draw == page_draw_latencies ? " latency" : "";
    char title[2 * PAGE_LABEL_BYTES], caption[PAGE_LABEL_BYTES] = "", name[2 * PAGE_LABEL_BYTES], over[64] = "";
    const struct page_plot plot = {d->page, *group, d->over, d->labels};
    if (d->panels != 0) page_label(d->page, group->points[0], d->panels, caption, sizeof caption);
    if (d->over != PAGE_DIMS) snprintf(over, sizeof over, " by %s", page_dim_title(d->over));
    snprintf(title, sizeof title, "%s%s%s%s%s", d->name, how, over, caption[0] != '\0' ? ": " : "", caption);
    make_name(d->page, title, name, sizeof name);
    fprintf(d->file, "<figure id=\"%s\">", name);
    if (caption[0] != '\0' || over[0] != '\0') {
        fprintf(d->file, "<figcaption>");
        page_text(d->file, caption[0] != '\0' ? caption : over + 1);
        fprintf(d->file, "</figcaption>");
    }
    fprintf(d->file, "\n");
    d->draw(&(struct page_canvas){d->file, false, title}, &plot);
    fprintf(d->file, "</figure>\n");
    d->page->drawings++;
    save_where_asked(d->page, name, d->draw, &plot, title);
}

/* One drawing for all points that are the same in d->panels. */
static void draw_panels(const struct drawing *d, const struct page_group *group)
{
    struct page_group panel = {malloc((group->count + 1) * sizeof group->points[0]), 0};
    bool *const done = calloc(group->count + 1, sizeof *done);
    if (panel.points == NULL || done == NULL) d->page->failed = true;
    for (size_t i = 0; !d->page->failed && i < group->count; i++) {
        if (done[i]) continue;
        panel.count = 0;
        for (size_t j = i; j < group->count; j++) {
            if (!page_same(group->points[i], group->points[j], d->panels)) continue;
            panel.points[panel.count++] = group->points[j];
            done[j] = true;
        }
        draw_panel(d, &panel);
    }
    free(panel.points);
    free(done);
}

/* Most series of a drawing, if there is one for each value of `panels`. */
static size_t most_series(const struct page_group *group, unsigned series, unsigned panels)
{
    size_t most = 0;
    for (size_t i = 0; i < group->count; i++) {
        size_t count = 0;
        for (size_t j = 0; j < group->count; j++) {
            size_t k = 0;
            if (!page_same(group->points[i], group->points[j], panels)) continue;
            while (k < j && !page_same(group->points[k], group->points[j], series | panels)) k++;
            count += k == j;
        }
        if (count > most) most = count;
    }
    return most;
}

static void draw_lines(struct drawing *d, const struct page_group *group, unsigned telling)
{
    static const enum page_dim in_order[] = {PAGE_PANEL, PAGE_SOURCE, PAGE_BITS, PAGE_UPDATES, PAGE_THREADS, PAGE_DIST,
                                             PAGE_KEYS, PAGE_BATCH, PAGE_PLACE};
    const unsigned series = telling & ~(1U << d->over);
    d->panels = series & 1U << PAGE_PANEL;
    for (size_t i = 1; i < sizeof in_order / sizeof in_order[0]; i++)
        if (most_series(group, series, d->panels) > CROWDED) d->panels |= series & 1U << in_order[i];
    d->labels = series & ~d->panels;
    d->draw = page_draw_lines;
    draw_panels(d, group);
}

static int compare_rates(const void *x, const void *y)
{
    const struct page_point *const *a = x, *const *b = y;
    const int higher = ((*a)->median < (*b)->median) - ((*a)->median > (*b)->median);
    return page_less_is_better(*a) ? -higher : higher;
}

/* Stores beside each other, the best first; what else differs makes other drawings. */
static void draw_bars(struct drawing *d, struct page_group *group, unsigned telling)
{
    const unsigned who = 1U << PAGE_STORE | 1U << PAGE_PLACE;
    d->over = PAGE_DIMS;
    d->panels = (telling & 1U << PAGE_STORE) != 0 && group->points[0]->part != PART_LIMITS ? telling & ~who : 0;
    d->labels = telling & ~d->panels;
    if (group->points[0]->part == PART_LIMITS) d->labels |= 1U << PAGE_STORE;
    d->draw = page_draw_bars;
    const bool in_order = strcmp(group->points[0]->operation, "graph-load") == 0; /* of what is varied */
    if (!in_order && (d->panels != 0 || d->labels == 1U << PAGE_STORE))
        qsort(group->points, group->count, sizeof group->points[0], compare_rates);
    draw_panels(d, group);
}

void page_write_plots(FILE *file, struct page *page, const struct page_group *group, const char *name)
{
    static const enum page_dim in_order[] = {PAGE_BATCH, PAGE_KEYS, PAGE_UPDATES, PAGE_THREADS, PAGE_DIST};
    const unsigned telling = page_telling(group);
    struct drawing d = {.file = file, .page = page, .name = name};
    struct page_group own = {malloc((group->count + 1) * sizeof group->points[0]), group->count};
    bool lines = false;
    if (own.points == NULL) {
        page->failed = true;
        return;
    }
    memcpy(own.points, group->points, group->count * sizeof own.points[0]);
    fprintf(file, "<div class=\"plots\">\n");
    if (group->points[0]->part == PART_LATENCY) {
        d.over = PAGE_DIMS;
        d.panels = telling & ~(1U << PAGE_STORE);
        d.labels = 1U << PAGE_STORE;
        d.draw = page_draw_latencies;
        draw_panels(&d, &own);
        lines = true;
    }
    for (size_t i = 0; i < sizeof in_order / sizeof in_order[0]; i++) {
        d.over = in_order[i];
        if (group->points[0]->part == PART_LATENCY) break;
        if ((telling >> d.over & 1) == 0 || page_longest_line(group, d.over, telling) < LINE_POINTS) continue;
        draw_lines(&d, &own, telling);
        lines = true;
    }
    if (!lines) draw_bars(&d, &own, telling);
    fprintf(file, "</div>\n");
    free(own.points);
}
