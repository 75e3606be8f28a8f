/* page_reasons.c - where pleach is not the fastest of those measured on the same work, or reaches less than half
 * of the limit that binds it; and the reasons that a file gives. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "tools/common/cli.h"

static const char command[] = "pleach-bench report";

/* "find@cuda", by which reasons are given. */
static void name_of(const struct page *page, const struct page_point *point, char *name, size_t size)
{
    const char *const place = page_word(page, point, PAGE_PLACE);
    const bool told = strncmp(point->device, place, strlen(place)) == 0;
    snprintf(name, size, "%s@%s%s%s", point->benchmark, told ? "" : place, told ? "" : "/", point->device);
}

static bool add_reason(struct page *page, const char *line)
{
    const char *const colon = strstr(line, ": ");
    struct page_reason *reasons = realloc(page->reason, (page->reason_count + 1) * sizeof *reasons);
    if (reasons == NULL) return false;
    page->reason = reasons;
    struct page_reason *const reason = &reasons[page->reason_count];
    reason->pattern = strndup(line, (size_t)(colon - line));
    reason->why = strdup(colon + 2);
    if (reason->pattern == NULL || reason->why == NULL) {
        free(reason->pattern);
        free(reason->why);
        return false;
    }
    page->reason_count++;
    return true;
}

bool page_read_reasons(struct page *page)
{
    char *line = NULL;
    size_t room = 0, number = 0;
    if (page->reasons == NULL) return true;
    FILE *const file = fopen(page->reasons, "r");
    if (file == NULL) return cli_complain(command, "%s: %s", page->reasons, strerror(errno)), false;
    bool good = true;
    while (good && getline(&line, &room, file) >= 0) {
        number++;
        line[strcspn(line, "\r\n")] = '\0';
        if (line[strspn(line, " \t")] == '\0' || line[0] == '#') continue;
        if (strstr(line, ": ") == NULL)
            good = (cli_complain(command, "%s:%zu: not 'PATTERN: why'", page->reasons, number), false);
        else if (!add_reason(page, line))
            good = (cli_complain(command, "not enough memory"), false);
    }
    free(line);
    fclose(file);
    return good;
}

static void flag(struct page *page, struct page_point *point)
{
    char name[2 * PAGE_NAME_BYTES];
    name_of(page, point, name, sizeof name);
    point->flagged = true;
    for (size_t i = 0; point->why == NULL && i < page->reason_count; i++)
        if (fnmatch(page->reason[i].pattern, name, 0) == 0) point->why = page->reason[i].why;
}

static bool same_work(const struct page_point *a, const struct page_point *b)
{
    const unsigned dims = (1U << PAGE_DIMS) - 1 - (1U << PAGE_STORE);
    return a->part == b->part && strcmp(a->operation, b->operation) == 0 && strcmp(a->unit, b->unit) == 0 &&
           page_same(a, b, dims);
}

/* Rates are better when they are higher; times and bytes when they are lower. */
bool page_less_is_better(const struct page_point *point)
{
    return strcmp(point->unit, "ms") == 0 || strncmp(point->unit, "bytes", 5) == 0;
}

static double times_as_good(const struct page_point *a, const struct page_point *b)
{
    return page_less_is_better(a) ? b->median / a->median : a->median / b->median;
}

static void find_worse(struct page_point *point, double badness)
{
    if (badness > point->badness) point->badness = badness;
}

static bool has_order(const struct page *page, const struct page_point *point)
{
    return strncmp(page_word(page, point, PAGE_STORE), "hash", 4) != 0;
}

/* The best of others on the same work, if `point` is the best of pleach's structures of its kind there: a hash table
 * has no order, so it does not stand for those that do. */
static const struct page_point *better_one(const struct page *page, const struct page_point *point)
{
    const struct page_point *best = NULL;
    for (size_t i = 0; i < page->count; i++) {
        const struct page_point *const other = &page->points[i];
        if (other == point || !same_work(other, point) || times_as_good(other, point) <= 1) continue;
        if (other->own && has_order(page, other) != has_order(page, point)) continue;
        if (other->own) return NULL;
        if (best == NULL || times_as_good(other, best) > 1) best = other;
    }
    return best;
}

static void judge_point(struct page *page, struct page_point *point)
{
    const bool judged = point->part != PART_LIMITS && point->part != PART_LATENCY && point->part != PART_MEMORY;
    /* Choices are there to be compared: none of them is to be the fastest. */
    if (!point->own || !judged || page_is_choice(point->benchmark)) return;
    const struct page_point *const better = point->times_peer > 0 ? NULL : better_one(page, point);
    size_t used = 0;
    if (better != NULL) {
        char label[PAGE_LABEL_BYTES];
        page_label(page, better, 1U << PAGE_STORE, label, sizeof label);
        used = (size_t)snprintf(point->verdict, sizeof point->verdict, "%.90s: %.3g times as good", label,
                                times_as_good(better, point));
        find_worse(point, times_as_good(better, point));
    } else if (point->times_peer > 0 && point->times_peer < 1) {
        used = (size_t)snprintf(point->verdict, sizeof point->verdict, "its peer: %.3g times as good",
                                1 / point->times_peer);
        find_worse(point, 1 / point->times_peer);
    }
    if (point->limit[0] != '\0' && point->limit_share < 0.5 && used < sizeof point->verdict) {
        find_worse(point, point->limit_share > 0 ? 0.5 / point->limit_share : 1e9);
        used += (size_t)snprintf(point->verdict + used, sizeof point->verdict - used, "%s%.0f%% of %.40s",
                                 used > 0 ? "; " : "", 100 * point->limit_share, point->limit);
    }
    if (used > 0) flag(page, point);
}

void page_judge(struct page *page)
{
    for (size_t i = 0; i < page->count; i++) judge_point(page, &page->points[i]);
}

/* Does `other` stand for `point` too: a case of the same name that is worse, or as bad and earlier? */
static bool stands_for(const struct page_point *other, const struct page_point *point)
{
    if (!other->flagged || strcmp(other->benchmark, point->benchmark) != 0 ||
        strcmp(other->device, point->device) != 0 || other->dim[PAGE_PLACE] != point->dim[PAGE_PLACE]) return false;
    return other->badness > point->badness || (other->badness == point->badness && other < point);
}

static bool is_worst(const struct page *page, const struct page_point *point)
{
    if (!point->flagged) return false;
    for (size_t i = 0; i < page->count; i++)
        if (stands_for(&page->points[i], point)) return false;
    return true;
}

void page_count_verdicts(const struct page *page, size_t *flagged, size_t *unexplained)
{
    *flagged = *unexplained = 0;
    for (size_t i = 0; i < page->count; i++) {
        const struct page_point *const point = &page->points[i];
        if (!is_worst(page, point)) continue;
        ++*flagged;
        *unexplained += point->why == NULL;
    }
}

/* `before`: the reason of the one above it, if it is in the same list. */
static void write_verdict(FILE *file, const struct page *page, const struct page_point *point, const char *before)
{
    const unsigned sizes = 1U << PAGE_PANEL | 1U << PAGE_BITS | 1U << PAGE_KEYS | 1U << PAGE_BATCH |
                           1U << PAGE_THREADS | 1U << PAGE_DIST;
    char name[2 * PAGE_NAME_BYTES], label[PAGE_LABEL_BYTES];
    name_of(page, point, name, sizeof name);
    fprintf(file, "<li><b>");
    page_text(file, name);
    fprintf(file, "</b> ");
    page_text(file, point->verdict);
    page_label(page, point, sizes, label, sizeof label);
    fprintf(file, " (");
    page_text(file, label);
    fprintf(file, ")");
    if (point->why != NULL) {
        fprintf(file, ". Why: ");
        page_text(file, point->why == before ? "as above" : point->why);
    }
    fprintf(file, "</li>\n");
}

void page_write_verdicts(FILE *file, const struct page *page, const struct page_group *group)
{
    bool any = false;
    const char *before = NULL;
    for (size_t i = 0; i < group->count; i++) {
        const struct page_point *const point = group->points[i];
        bool told = !point->flagged;
        for (size_t j = 0; j < group->count && !told; j++) told = stands_for(group->points[j], point);
        if (told) continue;
        if (!any) fprintf(file, "<ul class=\"why\">\n");
        any = true;
        write_verdict(file, page, point, before);
        before = point->why;
    }
    if (any) fprintf(file, "</ul>\n");
}

void page_write_unexplained(FILE *file, const struct page *page)
{
    size_t flagged, unexplained;
    page_count_verdicts(page, &flagged, &unexplained);
    fprintf(file, "<h2 id=\"reasons\">Not the fastest, or below half of a limit</h2>\n<p>%zu operations; %zu without "
            "a reason%s</p>\n", flagged, unexplained, unexplained > 0 ? ":" : ".");
    if (unexplained == 0) return;
    fprintf(file, "<ul>\n");
    for (size_t i = 0; i < page->count; i++) {
        const struct page_point *const point = &page->points[i];
        if (point->why == NULL && is_worst(page, point)) write_verdict(file, page, point, NULL);
    }
    fprintf(file, "</ul>\n");
}
