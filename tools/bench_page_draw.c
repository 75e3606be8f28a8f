/* bench_page_draw.c - a group of points as an SVG. Colours are the page's: class s0 to s7 for series, and currentColor
 * for the rest, so that one drawing serves light and dark. */
#include <math.h>
#include <string.h>

#include "bench_page.h"

enum { WIDTH = 720, LABEL_BYTES = 128, MOST_SERIES = 16, COLOURS = 8 };

static const char *const size_names[PAGE_SIZES] = {"keys", "operations in a call", "threads"};

const char *page_size_name(enum page_size size) { return size_names[size]; }

static size_t distinct(const struct page_group *group, enum page_size size)
{
    size_t count = 0;
    for (size_t i = 0; i < group->count; i++) {
        size_t j = 0;
        while (j < i && group->points[j].size[size] != group->points[i].size[size]) j++;
        count += j == i;
    }
    return count;
}

enum page_size page_varies(const struct page_group *group)
{
    static const enum page_size in_order[] = {PAGE_BATCH, PAGE_KEYS, PAGE_THREADS};
    enum page_size most = PAGE_SIZES;
    size_t values = 2; /* two values are no line */
    for (size_t i = 0; i < PAGE_SIZES; i++) {
        if (distinct(group, in_order[i]) <= values) continue;
        most = in_order[i];
        values = distinct(group, most);
    }
    return most;
}

void page_text(FILE *file, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '>')
            fputs("&gt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else if (*text == '"')
            fputs("&quot;", file);
        else
            fputc(*text, file);
    }
}

void page_count(double count, char *text, size_t size)
{
    static const struct { double unit; const char *name; } units[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    int power;
    if (frexp(count, &power) == 0.5 && power > 8) {
        snprintf(text, size, "2^%d", power - 1);
        return;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (count < units[i].unit) continue;
        snprintf(text, size, "%.3g%s", count / units[i].unit, units[i].name);
        return;
    }
    snprintf(text, size, "%.3g", count);
}

static bool texts_differ(const struct page_group *group, size_t offset)
{
    for (size_t i = 1; i < group->count; i++) {
        const char *one = *(const char *const *)((const char *)&group->points[0] + offset);
        const char *other = *(const char *const *)((const char *)&group->points[i] + offset);
        if (strcmp(one, other) != 0) return true;
    }
    return false;
}

static void add(char *label, size_t size, const char *text)
{
    size_t length = strlen(label);
    snprintf(label + length, size - length, "%s%s", length > 0 ? ", " : "", text);
}

void page_label(const struct page_group *group, const struct page_point *point, enum page_size but, char *label,
                size_t size)
{
    char text[48], number[16];
    label[0] = '\0';
    if (texts_differ(group, offsetof(struct page_point, source))) {
        const char *const slash = strrchr(point->source, '/'), *const name = slash ? slash + 1 : point->source;
        const size_t length = strlen(name), end = length > 5 && strcmp(name + length - 5, ".json") == 0 ? 5 : 0;
        snprintf(text, sizeof text, "%.*s", (int)(length - end), name);
        add(label, size, text);
    }
    add(label, size, point->device);
    if (point->bits > 0) {
        snprintf(text, sizeof text, "%.0f-bit", point->bits);
        add(label, size, text);
    }
    if (texts_differ(group, offsetof(struct page_point, dist))) add(label, size, point->dist);
    for (enum page_size s = 0; s < PAGE_SIZES; s++) {
        if (s == but || point->size[s] == 0 || distinct(group, s) < 2) continue;
        page_count(point->size[s], number, sizeof number);
        const char *name = s == PAGE_BATCH ? "at once" : point->size[s] == 1 ? "thread" : size_names[s];
        snprintf(text, sizeof text, "%s %s", number, name);
        add(label, size, text);
    }
}

static double highest(const struct page_group *group)
{
    double most = 0;
    for (size_t i = 0; i < group->count; i++) most = fmax(most, group->points[i].most);
    return most > 0 ? most : 1;
}

/* ---- bars ---- */

enum { BAR = 20, BAR_LEFT = 230, BAR_RIGHT = 84 };

/* Labels stand beside their bars, or, if one is too long for that, above them. */
static bool labels_go_above(const struct page_group *group)
{
    enum { LONGEST = 30 };
    char label[LABEL_BYTES];
    for (size_t i = 0; i < group->count; i++) {
        page_label(group, &group->points[i], PAGE_SIZES, label, sizeof label);
        if (strlen(label) > LONGEST) return true;
    }
    return false;
}

static void draw_bar(FILE *file, const struct page_point *p, double left, double top, double scale)
{
    fprintf(file, "<rect class=\"s%d\" x=\"%.0f\" y=\"%.0f\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>",
            strncmp(p->device, "cuda", 4) == 0 ? 1 : 0, left, top, p->median * scale, BAR);
    fprintf(file, "<path class=\"whisker\" d=\"M%.1f %.0fH%.1f\"/>", left + p->least * scale, top + BAR / 2,
            left + p->most * scale);
    fprintf(file, "<text x=\"%.1f\" y=\"%.0f\">%.4g</text>\n", left + p->most * scale + 6, top + 14, p->median);
}

static void draw_bars(FILE *file, const struct page_group *group)
{
    const bool above = labels_go_above(group);
    const double row = above ? 46 : 26, left = above ? 0 : BAR_LEFT;
    const double scale = (WIDTH - left - BAR_RIGHT) / highest(group);
    fprintf(file, "<svg viewBox=\"0 0 %d %.0f\" role=\"img\">\n", WIDTH, (double)group->count * row + 4);
    for (size_t i = 0; i < group->count; i++) {
        const double top = 3 + row * (double)i;
        char label[LABEL_BYTES];
        page_label(group, &group->points[i], PAGE_SIZES, label, sizeof label);
        if (above)
            fprintf(file, "<text x=\"0\" y=\"%.0f\">", top + 13);
        else
            fprintf(file, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">", BAR_LEFT - 8, top + 14);
        page_text(file, label);
        fprintf(file, "</text>");
        draw_bar(file, &group->points[i], left, above ? top + 19 : top, scale);
    }
    fprintf(file, "</svg>\n");
}

/* ---- lines ---- */

struct plot {
    const struct page_group *group;
    enum page_size over;
    double low, high; /* logarithms of the sizes at the ends */
    double most;      /* at the top */
    char series[MOST_SERIES][LABEL_BYTES];
    size_t series_count;
};

enum { TOP = 12, BOTTOM = 284, LEFT_END = 64, RIGHT_END = WIDTH - 28 };

static double x_of(const struct plot *p, double size)
{
    return LEFT_END + (log2(size) - p->low) / (p->high - p->low) * (RIGHT_END - LEFT_END);
}

static double y_of(const struct plot *p, double rate) { return BOTTOM - rate / p->most * (BOTTOM - TOP); }

/* 1, 2 or 5 times a power of ten, so that about four of them reach the top. */
static double step_for(double most)
{
    const double power = pow(10, floor(log10(most / 4)));
    const double part = most / 4 / power;
    return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

static void draw_grid(FILE *file, const struct plot *p)
{
    char number[16];
    double last_x = -1000;
    for (double rate = 0; rate <= p->most; rate += step_for(p->most)) {
        fprintf(file, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT_END, y_of(p, rate), RIGHT_END);
        page_count(rate * 1e6, number, sizeof number);
        fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT_END - 6, y_of(p, rate) + 4,
                rate > 0 ? number : "0");
    }
    for (size_t i = 0; i < p->group->count; i++) { /* points ascend */
        const double size = p->group->points[i].size[p->over], x = size > 0 ? x_of(p, size) : last_x;
        if (x < last_x + 44) continue;
        page_count(size, number, sizeof number);
        fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x, BOTTOM + 18, number);
        last_x = x;
    }
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (LEFT_END + RIGHT_END) / 2, BOTTOM + 38,
            size_names[p->over]);
}

static size_t series_of(struct plot *p, const struct page_point *point)
{
    char label[LABEL_BYTES];
    page_label(p->group, point, p->over, label, sizeof label);
    for (size_t i = 0; i < p->series_count; i++)
        if (strcmp(p->series[i], label) == 0) return i;
    if (p->series_count == MOST_SERIES) return MOST_SERIES; /* the table has them all */
    memcpy(p->series[p->series_count], label, sizeof label);
    return p->series_count++;
}

static void draw_series(FILE *file, struct plot *p, size_t which)
{
    bool first = true;
    fprintf(file, "<path class=\"line s%zu\" d=\"", which % COLOURS);
    for (size_t i = 0; i < p->group->count; i++) {
        const struct page_point *point = &p->group->points[i];
        if (point->size[p->over] == 0 || series_of(p, point) != which) continue;
        fprintf(file, "%s%.1f %.1f", first ? "M" : "L", x_of(p, point->size[p->over]), y_of(p, point->median));
        first = false;
    }
    fprintf(file, "\"/>\n");
    for (size_t i = 0; i < p->group->count; i++) {
        const struct page_point *point = &p->group->points[i];
        if (point->size[p->over] == 0 || series_of(p, point) != which) continue;
        fprintf(file, "<circle class=\"s%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"><title>%.4g ", which % COLOURS,
                x_of(p, point->size[p->over]), y_of(p, point->median), point->median);
        page_text(file, point->unit);
        fprintf(file, "</title></circle>\n");
    }
}

static void draw_legend(FILE *file, const struct plot *p)
{
    enum { ROW = 22, COLUMN = WIDTH / 2, FIRST = BOTTOM + 62 };
    for (size_t i = 0; i < p->series_count; i++) {
        const size_t x = LEFT_END + i % 2 * COLUMN, y = FIRST + i / 2 * ROW;
        fprintf(file, "<rect class=\"s%zu\" x=\"%zu\" y=\"%zu\" width=\"14\" height=\"10\"/><text x=\"%zu\" y=\"%zu\">",
                i % COLOURS, x, y - 9, x + 20, y);
        page_text(file, p->series[i]);
        fprintf(file, "</text>\n");
    }
}

static void draw_lines(FILE *file, const struct page_group *group, enum page_size over)
{
    struct plot p = {.group = group, .over = over, .low = INFINITY, .high = -INFINITY, .most = 1.08 * highest(group)};
    for (size_t i = 0; i < group->count; i++) {
        const double size = group->points[i].size[over];
        if (size <= 0) continue;
        p.low = fmin(p.low, log2(size));
        p.high = fmax(p.high, log2(size));
        series_of(&p, &group->points[i]);
    }
    fprintf(file, "<svg viewBox=\"0 0 %d %zu\" role=\"img\">\n", WIDTH, BOTTOM + 74 + (p.series_count + 1) / 2 * 22);
    draw_grid(file, &p);
    for (size_t i = 0; i < p.series_count; i++) draw_series(file, &p, i);
    draw_legend(file, &p);
    fprintf(file, "</svg>\n");
}

void page_draw(FILE *file, const struct page_group *group)
{
    const enum page_size over = page_varies(group);
    if (over == PAGE_SIZES)
        draw_bars(file, group);
    else
        draw_lines(file, group, over);
}
