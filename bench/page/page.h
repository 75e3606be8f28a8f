/* page.h - the parts of pleach-bench report: results of benchmarks as a page for people.
 *
 *   page.c          the command: options, files and folders
 *   page_read.c     a file's results as points
 *   page_dims.c     what tells points apart, and what a line can be drawn over
 *   page_svg.c      what all drawings have in common
 *   page_bars.c     bars
 *   page_lines.c    lines over a size, and latencies over percentiles
 *   page_plots.c    which drawings a group of points gets
 *   page_reasons.c  where pleach is not the fastest or far from a limit, and why
 *   page_write.c    the page around the drawings
 *
 * A point is the median of one result. Its dimensions are numbers; texts are numbered in the order of their appearance.
 */
#ifndef PLEACH_BENCH_PAGE_H
#define PLEACH_BENCH_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "bench/harness/json.h"

enum page_dim {
    PAGE_STORE, /* text: which structure, or which form of it */
    PAGE_PLACE, /* text: cpu, cuda */
    PAGE_PANEL, /* text: which graph, and the like */
    PAGE_BITS,
    PAGE_KEYS,
    PAGE_UPDATES, /* percent, and 1: so that 0 is none */
    PAGE_DIST,    /* text */
    PAGE_THREADS,
    PAGE_BATCH,
    PAGE_SOURCE, /* text: the file */
    PAGE_DIMS
};

enum { PAGE_MOST_FILES = 512, PAGE_MOST_QUANTILES = 8, PAGE_LABEL_BYTES = 160, PAGE_NAME_BYTES = 96 };

/* Parts of the page, in their order; after the last one come the papers' experiments. */
enum page_part {
    PART_LIMITS, PART_AS_USED, PART_OPERATIONS, PART_MIXED, PART_YCSB, PART_LATENCY, PART_MEMORY, PART_HASH, PART_GRAPHS,
    PART_BASELINES, PART_CHOICES, PART_PAPERS
};

struct page_point {
    size_t part;
    const char *operation;          /* what is measured, without who does it */
    const char *benchmark, *device; /* as the file has them */
    const char *unit;               /* M/s, or what the file says */
    double dim[PAGE_DIMS];
    double median, least, most;
    const char *limit; /* the limit that binds; "": not told */
    double limit_share;
    double times_peer; /* how many times as fast as the peer that the file itself names; 0: none */
    bool own;          /* of pleach's */
    double bytes_per_key;
    size_t quantiles;
    double quantile[PAGE_MOST_QUANTILES], latency[PAGE_MOST_QUANTILES]; /* 0.99, in ns */
    bool flagged;      /* not the fastest, or below half of its limit */
    double badness;    /* how many times too slow for that */
    const char *why;   /* the reason given; NULL: none */
    char verdict[160]; /* of a flagged one */
};

/* Points that belong together, as pointers, so that parts of them can be drawn by themselves. */
struct page_group {
    const struct page_point **points;
    size_t count;
};

struct page {
    const char *paths[PAGE_MOST_FILES];
    size_t files;
    size_t results; /* of the files; there are points more */
    struct json *file[PAGE_MOST_FILES];
    struct page_point *points;
    size_t count, capacity;
    const char **words; /* texts of dimensions */
    size_t word_count;
    char **kept; /* texts made for points */
    size_t kept_count;
    const char *output, *title, *reasons, *plots;
    const char *plot[16]; /* NAME=FILE */
    bool plot_written[16];
    size_t plot_count, drawings;
    struct page_reason *reason;
    size_t reason_count;
    bool help, failed;
};

/* A line of --reasons. */
struct page_reason { char *pattern, *why; };

/* ---- page.c ---- */

/* A copy, for as long as the page lives. "" when memory is lacking; then page->failed. */
const char *page_keep(struct page *page, const char *text);

/* ---- page_read.c ---- */

bool page_read_file(struct page *page, size_t which);
void page_add_memory(struct page *page);  /* points of bytes a key, from those that tell */
bool page_merge_limits(struct page *page); /* limits measured several times become one point */
/* Is it of pleach-bench ablations? */
bool page_is_choice(const char *benchmark);
/* The experiment of paper_list.c that a file is of; paper_experiment_count: none. */
size_t page_paper_of(const char *path);
int page_compare_points(const void *x, const void *y);

/* ---- page_dims.c ---- */

/* One bit for each dimension that is needed to tell points apart. */
unsigned page_telling(const struct page_group *group);
/* Values of a dimension among points. */
size_t page_distinct(const struct page_group *group, enum page_dim dim);
/* How many points the longest line over a dimension has, where the others of `telling` are the same. */
size_t page_longest_line(const struct page_group *group, enum page_dim over, unsigned telling);
bool page_same(const struct page_point *a, const struct page_point *b, unsigned dims);
/* Those dimensions of a point as words: "map, 64-bit, 2 threads". */
void page_label(const struct page *page, const struct page_point *point, unsigned dims, char *label, size_t size);
const char *page_dim_title(enum page_dim dim);
const char *page_word(const struct page *page, const struct page_point *point, enum page_dim dim);
/* The number of a text; 0 for an empty one. */
double page_number_of(struct page *page, const char *text);
/* A count as people write it: 1,000,000 is 1M, and 65,536 is 2^16. */
void page_count(double count, char *text, size_t size);

/* ---- page_svg.c ---- */

enum { SVG_WIDTH = 480, SVG_COLOURS = 8, SVG_LETTER = 7 };

/* Text with what HTML has a meaning for replaced, and what XML has none for left out. */
void page_text(FILE *file, const char *text);

/* A figure as people write it: four digits, or whole with a comma before each three. */
struct page_figure {
    char text[40];
};
struct page_figure page_figure(double value);

/* By itself in a file, a drawing has its own style, and a title inside. */
struct page_canvas {
    FILE *file;
    bool alone;
    const char *title;
};
void svg_begin(const struct page_canvas *canvas, double height);
void svg_end(const struct page_canvas *canvas);
extern const char svg_style[];

/* An axis from `low` to `high`, between two places. */
struct svg_axis {
    double low, high, from, to;
    bool logarithmic;
};
double svg_at(const struct svg_axis *axis, double value);
/* The next value worth a mark, from the first on (last = -1); false: there is none. */
bool svg_next_mark(const struct svg_axis *axis, double *last);

/* ---- page_bars.c, page_lines.c ---- */

/* What is drawn: points, with those dimensions as their labels. */
struct page_plot {
    const struct page *page;
    struct page_group group;
    enum page_dim over; /* lines */
    unsigned labels;
};

void page_draw_bars(const struct page_canvas *canvas, const struct page_plot *plot);
void page_draw_lines(const struct page_canvas *canvas, const struct page_plot *plot);
void page_draw_latencies(const struct page_canvas *canvas, const struct page_plot *plot);

/* ---- page_plots.c ---- */

/* All drawings of a group, on the page and in the files asked for. */
void page_write_plots(FILE *file, struct page *page, const struct page_group *group, const char *name);

/* ---- page_reasons.c ---- */

bool page_read_reasons(struct page *page);
void page_judge(struct page *page);
/* What was found of a group's points. */
void page_write_verdicts(FILE *file, const struct page *page, const struct page_group *group);
/* All without a reason; and how many there are. */
void page_write_unexplained(FILE *file, const struct page *page);
bool page_less_is_better(const struct page_point *point);
void page_count_verdicts(const struct page *page, size_t *flagged, size_t *unexplained);

/* ---- page_write.c ---- */

void page_write(FILE *file, struct page *page);

#endif
