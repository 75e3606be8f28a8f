/* page_write.c - the page around the drawings: machines, contents, parts, figures. */
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "bench/paper/paper.h"

static const char style[] =
    "<style>\n"
    ":root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--faint:#d8dde3;--card:#f6f8fa}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e9ed;--paper:#12161b;--faint:#333b45;--card:#1a2027}}\n"
    "body{margin:0 auto;max-width:66rem;padding:1rem;font:16px/1.5 system-ui,sans-serif;color:var(--ink);"
    "background:var(--paper)}\n"
    "h1{font-size:1.6rem}h2{font-size:1.3rem;margin:2rem 0 .5rem}h3{font-size:1.05rem;margin:0 0 .5rem}\n"
    ".part{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(26rem,100%),1fr));gap:1rem;"
    "grid-auto-flow:row dense;align-items:start}\n"
    "section{background:var(--card);border-radius:.5rem;padding:1rem;min-width:0}"
    "section:has(figure+figure){grid-column:1/-1}\n"
    ".plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(24rem,100%),1fr));gap:1.2rem}\n"
    "figure{margin:0}figcaption{font-size:.9rem;opacity:.8}.why{font-size:.85rem;overflow-wrap:anywhere}\n"
    "details{margin-top:.5rem}.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem}\n"
    "td,th{padding:.15rem .6rem;text-align:right;border-bottom:1px solid var(--faint)}\n"
    "td:first-child,th:first-child{text-align:left}dl{display:grid;grid-template-columns:auto 1fr;gap:.1rem 1rem}\n"
    "dt{opacity:.7}dd{margin:0;white-space:pre-line;overflow-wrap:anywhere}\n"
    "nav{columns:15rem;font-size:.85rem}nav a{display:block;color:inherit}\n";

/* After that of drawings: they are narrow there, so that their letters must be larger. */
static const char phone_style[] =
    "@media(max-width:40rem){svg text{font-size:14.5px}svg .dim{font-size:13.5px}section{padding:.7rem}"
    ".why{padding-left:1.2rem}}\n";

static const char *part_title(size_t part)
{
    static const char *const titles[] = {"Limits of this machine", "As used", "Operations", "Mixed operations",
                                         "YCSB", "How long calls take", "Memory", "Hash tables", "Graphs",
                                         "Beside baselines", "Choices in the designs"};
    return part < PART_PAPERS ? titles[part] : paper_experiments[part - PART_PAPERS].what;
}

static void write_part_title(FILE *file, size_t part)
{
    if (part >= PART_PAPERS) {
        page_text(file, paper_experiments[part - PART_PAPERS].name);
        fprintf(file, ": ");
    }
    page_text(file, part_title(part));
}

static void write_entry(FILE *file, const char *name, const char *text)
{
    if (text == NULL || text[0] == '\0') return;
    fprintf(file, "<dt>%s</dt><dd>", name);
    page_text(file, text);
    fprintf(file, "</dd>\n");
}

static bool same_machine(const struct page *page, size_t one, size_t two)
{
    static const char *const parts[] = {"pleach", "commit", "build", "compiler", "cpu", "simd", "memory",
                                        "gpu", "driver"};
    const struct json *a = json_member(page->file[one], "context"), *b = json_member(page->file[two], "context");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(json_text(a, parts[i], ""), json_text(b, parts[i], "")) != 0) return false;
    return true;
}

/* The files that a machine and a commit are those of. */
static void write_sources(FILE *file, const struct page *page, size_t which)
{
    fprintf(file, "<dt>from</dt><dd>");
    for (size_t i = which; i < page->files; i++) {
        const char *const path = page->paths[i], *const slash = strrchr(path, '/');
        if (!same_machine(page, i, which)) continue;
        if (i > which) fprintf(file, ", ");
        page_text(file, slash != NULL ? slash + 1 : path);
    }
    fprintf(file, "</dd>\n");
}

/* Of all but the first only what differs from it. */
static void write_machine(FILE *file, const struct page *page, size_t which)
{
    static const char *const parts[] = {"date", "pleach", "commit", "build", "compiler", "cpu", "simd", "memory",
                                        "gpu", "driver"};
    const struct json *const context = json_member(page->file[which], "context");
    const struct json *const first = json_member(page->file[0], "context");
    fprintf(file, "<dl>\n");
    if (which > 0) write_sources(file, page, which);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *const text = json_text(context, parts[i], NULL), *const before = json_text(first, parts[i], NULL);
        if (which == 0 || text == NULL || before == NULL || strcmp(text, before) != 0)
            write_entry(file, parts[i], text);
    }
    fprintf(file, "</dl>\n");
}

static void write_table(FILE *file, const struct page *page, const struct page_group *group)
{
    const unsigned rest = (1U << PAGE_DIMS) - 1 - (1U << PAGE_KEYS | 1U << PAGE_BATCH | 1U << PAGE_THREADS);
    const unsigned dims = page_distinct(group, PAGE_SOURCE) > 1 ? rest : rest & ~(1U << PAGE_SOURCE);
    fprintf(file, "<details><summary>figures</summary><div class=\"wide\"><table><tr><th>which</th><th>keys</th>"
            "<th>at once</th><th>threads</th><th>");
    page_text(file, group->points[0]->unit);
    fprintf(file, "</th><th>lowest</th><th>highest</th><th>of its limit</th><th>latencies, ns</th></tr>\n");
    for (size_t i = 0; i < group->count; i++) {
        static const enum page_dim columns[] = {PAGE_KEYS, PAGE_BATCH, PAGE_THREADS};
        const struct page_point *const p = group->points[i];
        char label[PAGE_LABEL_BYTES], count[24];
        page_label(page, p, dims, label, sizeof label);
        fprintf(file, "<tr><td>");
        page_text(file, label);
        fprintf(file, "</td>");
        for (size_t c = 0; c < 3; c++) {
            page_count(p->dim[columns[c]], count, sizeof count);
            fprintf(file, "<td>%s</td>", p->dim[columns[c]] > 0 ? count : "");
        }
        fprintf(file, "<td>%s</td><td>%s</td><td>%s</td><td>", page_figure(p->median).text,
                page_figure(p->least).text, page_figure(p->most).text);
        if (p->limit[0] != '\0') fprintf(file, "%.0f%%, ", 100 * p->limit_share);
        page_text(file, p->limit);
        fprintf(file, "</td><td>");
        for (size_t q = 0; q < p->quantiles; q++)
            fprintf(file, "%s%.6g%%: %.0f", q > 0 ? ", " : "", 100 * p->quantile[q], p->latency[q]);
        fprintf(file, "</td></tr>\n");
    }
    fprintf(file, "</table></div></details>\n");
}

static void write_paper(FILE *file, const struct paper_experiment *e)
{
    fprintf(file, "<dl>\n");
    write_entry(file, "source", e->source);
    write_entry(file, "the paper", e->theirs);
    write_entry(file, "note", e->note);
    fprintf(file, "</dl>\n");
}

/* From where on there is another operation, or another unit. */
static size_t group_end(const struct page *page, size_t begin)
{
    const struct page_point *const first = &page->points[begin];
    size_t end = begin;
    while (end < page->count && page->points[end].part == first->part &&
           strcmp(page->points[end].operation, first->operation) == 0 &&
           strcmp(page->points[end].unit, first->unit) == 0) end++;
    return end;
}

/* Why experiments of the papers have no results here. */
static void write_papers_left_out(FILE *file, const struct page *page)
{
    bool any = false;
    if (page->count == 0 || page->points[page->count - 1].part < PART_PAPERS) return;
    for (size_t e = 0, i = 0; e < paper_experiment_count; e++) {
        const struct paper_experiment *const left = &paper_experiments[e];
        while (i < page->count && page->points[i].part < PART_PAPERS + e) i++;
        if (left->theirs == NULL || (i < page->count && page->points[i].part == PART_PAPERS + e)) continue;
        if (!any) fprintf(file, "<h2 id=\"left-out\">Experiments of the papers without results here</h2>\n<ul>\n");
        any = true;
        fprintf(file, "<li><b>");
        page_text(file, left->name);
        fprintf(file, "</b> ");
        page_text(file, left->what);
        fprintf(file, " (");
        page_text(file, left->source);
        fprintf(file, "): %s", left->command == NULL ? "cannot be run"
                               : left->cpu == NULL   ? "was not run; it runs on a GPU only"
                               : left->gpu == NULL   ? "was not run; it runs on a CPU only" : "was not run");
        if (left->note != NULL && (left->command == NULL || left->cpu == NULL || left->gpu == NULL)) {
            fprintf(file, ": ");
            page_text(file, left->note);
        }
        fprintf(file, "</li>\n");
    }
    if (any) fprintf(file, "</ul>\n");
}

static void write_group(FILE *file, struct page *page, size_t begin, size_t end)
{
    const struct page_point *const first = &page->points[begin];
    struct page_group group = {malloc((end - begin) * sizeof group.points[0]), end - begin};
    char name[2 * PAGE_NAME_BYTES];
    if (group.points == NULL) {
        page->failed = true;
        return;
    }
    for (size_t i = begin; i < end; i++) group.points[i - begin] = &page->points[i];
    const char *const paper = first->part >= PART_PAPERS ? paper_experiments[first->part - PART_PAPERS].name : "";
    const bool rate = strcmp(first->unit, "M/s") == 0;
    snprintf(name, sizeof name, "%.40s%s%.80s%s%.30s", paper, paper[0] != '\0' ? " " : "", first->operation,
             rate ? "" : ", ", rate ? "" : first->unit);
    fprintf(file, "<section id=\"p%zu\"><h3>", begin);
    page_text(file, name);
    fprintf(file, "%s</h3>\n", page_less_is_better(first) ? "; less is better" : "");
    page_write_plots(file, page, &group, name);
    page_write_verdicts(file, page, &group);
    write_table(file, page, &group);
    fprintf(file, "</section>\n");
    free(group.points);
}

static void write_contents(FILE *file, const struct page *page)
{
    fprintf(file, "<nav>");
    for (size_t i = 0; i < page->count; i++) {
        if (i > 0 && page->points[i].part == page->points[i - 1].part) continue;
        fprintf(file, "<a href=\"#part%zu\">", page->points[i].part);
        write_part_title(file, page->points[i].part);
        fprintf(file, "</a>\n");
    }
    fprintf(file, "<a href=\"#reasons\">Not the fastest, or below half of a limit</a>\n");
    if (page->count > 0 && page->points[page->count - 1].part >= PART_PAPERS)
        fprintf(file, "<a href=\"#left-out\">Experiments of the papers without results here</a>\n");
    fprintf(file, "</nav>\n");
}

void page_write(FILE *file, struct page *page)
{
    fprintf(file, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>");
    page_text(file, page->title);
    fprintf(file, "</title>\n%s%s\n%s</style>\n</head><body>\n<h1>", style, svg_style, phone_style);
    page_text(file, page->title);
    fprintf(file, "</h1>\n<p>Millions of operations a second, unless a heading says otherwise: medians, and from the "
            "lowest to the highest repeat. Lines of others are dashed, their bars grey. All answers were checked "
            "outside the clock; data on a GPU lies in its memory, transfers are not counted. Shares are "
            "of what memory allows, measured in the same run; there is more than all of it where caches help.</p>\n");
    for (size_t i = 0; i < page->files; i++) {
        size_t known = 0;
        while (known < i && !same_machine(page, i, known)) known++;
        if (known == i) write_machine(file, page, i);
    }
    write_contents(file, page);
    for (size_t begin = 0, end; begin < page->count; begin = end) {
        const size_t part = page->points[begin].part;
        end = group_end(page, begin);
        if (begin == 0 || page->points[begin - 1].part != part) {
            fprintf(file, "<h2 id=\"part%zu\">", part);
            write_part_title(file, part);
            fprintf(file, "</h2>\n");
            if (part >= PART_PAPERS) write_paper(file, &paper_experiments[part - PART_PAPERS]);
            fprintf(file, "<div class=\"part\">\n");
        }
        write_group(file, page, begin, end);
        if (end == page->count || page->points[end].part != part) fprintf(file, "</div>\n");
    }
    page_write_unexplained(file, page);
    write_papers_left_out(file, page);
    fprintf(file, "</body></html>\n");
}
