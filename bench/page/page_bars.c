/* page_bars.c - bars, each below its label, with the spread of its repeats and its part of a limit. */
#include <math.h>
#include <string.h>

#include "page.h"

enum { ROW = 38, BAR = 13, RIGHT = 66 };

static double highest(const struct page_group *group)
{
    double most = 0;
    for (size_t i = 0; i < group->count; i++) most = fmax(most, group->points[i]->most);
    return most > 0 ? most : 1;
}

static void draw_label(FILE *file, const struct page_plot *plot, const struct page_point *p, double top)
{
    char label[PAGE_LABEL_BYTES];
    page_label(plot->page, p, plot->labels, label, sizeof label);
    fprintf(file, "<text x=\"0\" y=\"%.0f\">", top + 12);
    page_text(file, label);
    fprintf(file, "</text>");
    if (p->limit[0] == '\0') return;
    fprintf(file, "<text class=\"dim\" x=\"%d\" y=\"%.0f\" text-anchor=\"end\">%.0f%% of ", SVG_WIDTH, top + 12,
            100 * p->limit_share);
    page_text(file, p->limit);
    fprintf(file, "</text>");
}

/* A bar of its own colour for pleach on each kind of machine, grey for others. The thin one behind reaches to the
 * limit, if that is on the paper. */
static void draw_bar(FILE *file, const struct page_plot *plot, const struct page_point *p, double top, double scale)
{
    const char *const place = page_word(plot->page, p, PAGE_PLACE);
    const double width = fmax(p->median * scale, 1);
    const int colour = !p->own ? 7 : strncmp(place, "cuda", 4) == 0 ? 1 : 0;
    if (p->limit_share > 0)
        fprintf(file, "<rect class=\"share\" x=\"0\" y=\"%.0f\" width=\"%.1f\" height=\"3\"/>", top + BAR + 1,
                fmin(width / p->limit_share, SVG_WIDTH));
    fprintf(file, "<rect class=\"s%d\" x=\"0\" y=\"%.0f\" width=\"%.1f\" height=\"%d\" rx=\"2\"><title>%s (%s to "
            "%s) ", colour, top, width, BAR, page_figure(p->median).text, page_figure(p->least).text,
            page_figure(p->most).text);
    page_text(file, p->unit);
    fprintf(file, "</title></rect>");
    if (p->most > p->least)
        fprintf(file, "<path class=\"whisker\" d=\"M%.1f %.1fH%.1f\"/>", p->least * scale, top + BAR / 2.0,
                p->most * scale);
    fprintf(file, "<text x=\"%.1f\" y=\"%.0f\">%s</text>\n", fmax(p->most * scale, width) + 6, top + 11,
            page_figure(p->median).text);
}

void page_draw_bars(const struct page_canvas *canvas, const struct page_plot *plot)
{
    const struct page_group *const group = &plot->group;
    const double scale = (SVG_WIDTH - RIGHT) / highest(group);
    svg_begin(canvas, (double)group->count * ROW + 4);
    for (size_t i = 0; i < group->count; i++) {
        const double top = ROW * (double)i;
        draw_label(canvas->file, plot, group->points[i], top);
        draw_bar(canvas->file, plot, group->points[i], top + 18, scale);
    }
    svg_end(canvas);
}
