/* bench_page.h - the parts of pleach bench report: results of benchmarks as a page for people.
 *
 *   bench_page.c        the command: files, what was measured, and the page around it
 *   bench_page_draw.c   one drawing: bars, or lines over a size
 */
#ifndef PLEACH_TOOLS_BENCH_PAGE_H
#define PLEACH_TOOLS_BENCH_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum page_size { PAGE_KEYS, PAGE_BATCH, PAGE_THREADS, PAGE_SIZES };

/* The median of some repeats. Texts belong to the file that they were read from. */
struct page_point {
    const char *benchmark, *device, *dist, *source;
    const char *unit; /* M/s, or what the file says */
    double bits, size[PAGE_SIZES];
    double median, least, most;
    double of_limit; /* the binding limit's part, where it was measured; or 0 */
};

/* Which points are drawn together: those of one benchmark. */
struct page_group {
    const struct page_point *points;
    size_t count;
};

/* The size that differs the most among points; PAGE_SIZES: none does. */
enum page_size page_varies(const struct page_group *group);
const char *page_size_name(enum page_size size);

/* Text with what HTML has a meaning for replaced. */
void page_text(FILE *file, const char *text);

/* What tells a point from others of its group, but for one size. */
void page_label(const struct page_group *group, const struct page_point *point, enum page_size but, char *label,
                size_t size);

/* A count as people write it: 1,000,000 is 1M, and 65,536 is 2^16. */
void page_count(double count, char *text, size_t size);

/* An <svg>: bars, or, where a size varies, lines over that. */
void page_draw(FILE *file, const struct page_group *group);

int command_bench_report(int argc, char **argv);

#endif
