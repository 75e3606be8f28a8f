/* page_dims.c - what tells points apart, and what a line can be drawn over. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

static bool is_text(enum page_dim dim)
{
    return dim == PAGE_STORE || dim == PAGE_PLACE || dim == PAGE_PANEL || dim == PAGE_DIST || dim == PAGE_SOURCE;
}

const char *page_dim_title(enum page_dim dim)
{
    static const char *const titles[PAGE_DIMS] = {"store", "device", "of", "bits", "keys", "updates, %", "distribution",
                                                  "threads", "operations in a call", "file"};
    return titles[dim];
}

double page_number_of(struct page *page, const char *text)
{
    if (text[0] == '\0') return 0;
    for (size_t i = 0; i < page->word_count; i++)
        if (strcmp(page->words[i], text) == 0) return (double)(i + 1);
    const char **words = realloc(page->words, (page->word_count + 1) * sizeof words[0]);
    if (words == NULL) return page->failed = true, 0;
    page->words = words;
    words[page->word_count++] = text;
    return (double)page->word_count;
}

const char *page_word(const struct page *page, const struct page_point *point, enum page_dim dim)
{
    const size_t number = (size_t)point->dim[dim];
    return number > 0 ? page->words[number - 1] : "";
}

bool page_same(const struct page_point *a, const struct page_point *b, unsigned dims)
{
    for (enum page_dim d = 0; d < PAGE_DIMS; d++)
        if ((dims >> d & 1) != 0 && a->dim[d] != b->dim[d]) return false;
    return true;
}

static size_t classes(const struct page_group *group, unsigned dims)
{
    size_t count = 0;
    for (size_t i = 0; i < group->count; i++) {
        size_t j = 0;
        while (j < i && !page_same(group->points[i], group->points[j], dims)) j++;
        count += j == i;
    }
    return count;
}

size_t page_distinct(const struct page_group *group, enum page_dim dim) { return classes(group, 1U << dim); }

/* A dimension that follows from the others, as the size of a batch from the form of a call, is not needed. Who did it
 * and where always is, if it differs. */
unsigned page_telling(const struct page_group *group)
{
    static const enum page_dim in_order[] = {PAGE_SOURCE, PAGE_BATCH, PAGE_THREADS, PAGE_DIST, PAGE_UPDATES, PAGE_KEYS,
                                             PAGE_BITS};
    unsigned telling = 0;
    for (enum page_dim d = 0; d < PAGE_DIMS; d++)
        if (page_distinct(group, d) > 1) telling |= 1U << d;
    const size_t all = classes(group, telling);
    for (size_t i = 0; i < sizeof in_order / sizeof in_order[0]; i++) {
        const unsigned without = telling & ~(1U << in_order[i]);
        if (without != telling && classes(group, without) == all) telling = without;
    }
    return telling;
}

size_t page_longest_line(const struct page_group *group, enum page_dim over, unsigned telling)
{
    const unsigned others = telling & ~(1U << over);
    size_t longest = 0;
    for (size_t i = 0; i < group->count; i++) {
        size_t length = 0;
        for (size_t j = 0; j < group->count; j++) {
            size_t k = 0;
            if (!page_same(group->points[i], group->points[j], others)) continue;
            while (k < j && !page_same(group->points[k], group->points[j], telling | 1U << over)) k++;
            length += k == j;
        }
        if (length > longest) longest = length;
    }
    return longest;
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
        snprintf(text, size, "%.4g%s", count / units[i].unit, units[i].name);
        return;
    }
    snprintf(text, size, "%.4g", count);
}

/* The name of a file without its folder and ".json". */
static void file_name(const char *path, char *text, size_t size)
{
    const char *const slash = strrchr(path, '/'), *const name = slash != NULL ? slash + 1 : path;
    const size_t length = strlen(name), end = length > 5 && strcmp(name + length - 5, ".json") == 0 ? 5 : 0;
    snprintf(text, size, "%.*s", (int)(length - end), name);
}

static void write_dim(const struct page *page, const struct page_point *point, enum page_dim dim, char *text,
                      size_t size)
{
    char number[24];
    page_count(point->dim[dim], number, sizeof number);
    if (dim == PAGE_SOURCE)
        file_name(page_word(page, point, dim), text, size);
    else if (is_text(dim))
        snprintf(text, size, "%s", page_word(page, point, dim));
    else if (dim == PAGE_BITS)
        snprintf(text, size, "%s-bit", number);
    else if (dim == PAGE_UPDATES)
        snprintf(text, size, "%.4g%% updates", point->dim[dim] - 1);
    else if (dim == PAGE_BATCH)
        snprintf(text, size, "%s at once", number);
    else
        snprintf(text, size, "%s %s", number, dim == PAGE_KEYS ? "keys" : point->dim[dim] == 1 ? "thread" : "threads");
}

void page_label(const struct page *page, const struct page_point *point, unsigned dims, char *label, size_t size)
{
    char text[PAGE_LABEL_BYTES];
    label[0] = '\0';
    for (enum page_dim d = 0; d < PAGE_DIMS; d++) {
        const size_t length = strlen(label);
        if ((dims >> d & 1) == 0 || point->dim[d] == 0) continue;
        write_dim(page, point, d, text, sizeof text);
        snprintf(label + length, size - length, "%s%s", length > 0 ? ", " : "", text);
    }
    if (label[0] == '\0') snprintf(label, size, "%s", page_word(page, point, PAGE_PLACE));
}
