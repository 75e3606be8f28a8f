#include "bench_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cli.h"
#include "json.h"

static const char command[] = "pleach bench report";

static const char help[] =
    "usage: pleach bench report [OPTION...] RESULTS.json...\n"
    "\n"
    "Makes a page of what 'pleach bench --json' has written: a drawing for each benchmark, bars or, where it was\n"
    "measured with several sizes, lines over the size; and all figures as a table. The page is one file that needs\n"
    "no network, is readable on a phone, and is light or dark as its reader likes.\n"
    "\n"
    "  --output FILE      where to (default report.html); - is standard output\n"
    "  --title TEXT       default: Benchmarks of pleach\n";

enum { MOST_FILES = 256 };

struct page {
    const char *paths[MOST_FILES];
    size_t files;
    const char *output, *title;
    bool help;
    struct json *file[MOST_FILES];
    struct page_point *points;
    size_t count;
};

/* ---- reading ---- */

static void widen(struct page_point *point, double rate)
{
    if (point->least == 0 || rate < point->least) point->least = rate;
    if (rate > point->most) point->most = rate;
}

/* Millions a second; or milliseconds, of results that are times. */
static double value_of(const struct json *run)
{
    const double rate = json_number(run, "items_per_second", 0);
    if (rate > 0) return rate / 1e6;
    return strcmp(json_text(run, "time_unit", ""), "ms") == 0 ? json_number(run, "real_time", 0) : 0;
}

/* The lowest and highest of the repeats that a median is of. */
static void find_spread(const struct json *runs, const char *name, struct page_point *point)
{
    point->least = point->most = 0;
    for (const struct json *run = runs->first; run != NULL; run = run->next) {
        const bool repeat = strcmp(json_text(run, "run_type", ""), "iteration") == 0;
        if (!repeat || strcmp(json_text(run, "run_name", ""), name) != 0) continue;
        widen(point, value_of(run));
    }
    widen(point, point->median);
}

static bool is_median(const struct json *run)
{
    return strcmp(json_text(run, "aggregate_name", ""), "median") == 0 && value_of(run) > 0 &&
           json_text(run, "benchmark", NULL) != NULL && json_text(run, "run_name", NULL) != NULL;
}

static void read_point(const struct page *page, size_t file, const struct json *runs, const struct json *run,
                       struct page_point *point)
{
    *point = (struct page_point){
        .benchmark = json_text(run, "benchmark", ""),
        .device = json_text(run, "device", "cpu"),
        .dist = json_text(run, "dist", ""),
        .source = page->paths[file],
        .bits = json_number(run, "bits", 0),
        .size = {json_number(run, "keys", 0), json_number(run, "batch", 0), json_number(run, "threads", 0)},
        .unit = json_text(run, "unit", "M/s"),
        .median = value_of(run),
        .of_limit = json_number(run, "limit_share", 0),
    };
    if (strncmp(point->device, "cpu", 3) != 0) point->size[PAGE_THREADS] = 0;
    find_spread(runs, json_text(run, "run_name", ""), point);
}

static bool read_file(struct page *page, size_t which)
{
    char why[512];
    page->file[which] = json_read(page->paths[which], why, sizeof why);
    if (page->file[which] == NULL) return cli_complain(command, "%s", why), false;
    const struct json *runs = json_member(page->file[which], "benchmarks");
    size_t more = 0;
    for (const struct json *run = runs != NULL ? runs->first : NULL; run != NULL; run = run->next)
        more += is_median(run);
    if (more == 0)
        return cli_complain(command, "%s: has no results of 'pleach bench --json'", page->paths[which]), false;
    struct page_point *points = realloc(page->points, (page->count + more) * sizeof *points);
    if (points == NULL) return cli_complain(command, "not enough memory"), false;
    page->points = points;
    for (const struct json *run = runs->first; run != NULL; run = run->next)
        if (is_median(run)) read_point(page, which, runs, run, &points[page->count++]);
    return true;
}

static int compare_points(const void *x, const void *y)
{
    const struct page_point *a = x, *b = y;
    int order = strcmp(a->benchmark, b->benchmark);
    for (size_t i = 0; order == 0 && i < PAGE_SIZES; i++) order = (a->size[i] > b->size[i]) - (a->size[i] < b->size[i]);
    if (order == 0) order = strcmp(a->device, b->device);
    if (order == 0) order = (a->bits > b->bits) - (a->bits < b->bits);
    if (order == 0) order = strcmp(a->dist, b->dist);
    return order != 0 ? order : strcmp(a->source, b->source);
}

/* ---- writing ---- */

static const char style[] =
    "<style>\n"
    ":root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--faint:#d8dde3;--card:#f6f8fa}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e9ed;--paper:#12161b;--faint:#333b45;--card:#1a2027}}\n"
    "body{margin:0 auto;max-width:60rem;padding:1rem;font:16px/1.5 system-ui,sans-serif;color:var(--ink);"
    "background:var(--paper)}\n"
    "h1{font-size:1.6rem}h2{font-size:1.1rem;margin:0 0 .5rem}\n"
    "section{background:var(--card);border-radius:.5rem;padding:1rem;margin:1rem 0}\n"
    "svg{display:block;width:100%;height:auto}svg text{fill:currentColor;font-size:13px}\n"
    "@media(max-width:40rem){svg text{font-size:18px}}\n"
    ".grid{stroke:var(--faint)}.whisker{stroke:currentColor;stroke-width:1.5}.line{fill:none;stroke-width:2.5}\n"
    ".s0{fill:#2f7ed8}.s1{fill:#d9822b}.s2{fill:#3aa655}.s3{fill:#b04ac7}\n"
    ".s4{fill:#c83c3c}.s5{fill:#17a2a2}.s6{fill:#8a7a2b}.s7{fill:#7a7f87}\n"
    ".line.s0{stroke:#2f7ed8}.line.s1{stroke:#d9822b}.line.s2{stroke:#3aa655}.line.s3{stroke:#b04ac7}\n"
    ".line.s4{stroke:#c83c3c}.line.s5{stroke:#17a2a2}.line.s6{stroke:#8a7a2b}.line.s7{stroke:#7a7f87}\n"
    ".line{fill:none!important}\n"
    "details{margin-top:.5rem}.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem}\n"
    "td,th{padding:.15rem .6rem;text-align:right;border-bottom:1px solid var(--faint)}\n"
    "td:first-child,th:first-child{text-align:left}dl{display:grid;grid-template-columns:auto 1fr;gap:.1rem 1rem}\n"
    "dt{opacity:.7}dd{margin:0}nav{columns:15rem;font-size:.85rem}nav a{display:block;color:inherit}\n"
    "</style>\n";

static bool same_machine(const struct page *page, size_t one, size_t two)
{
    static const char *const parts[] = {"pleach", "cpu", "simd", "gpu", "compiler"};
    const struct json *a = json_member(page->file[one], "context"), *b = json_member(page->file[two], "context");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(json_text(a, parts[i], ""), json_text(b, parts[i], "")) != 0) return false;
    return true;
}

static bool all_on_one_machine(const struct page *page)
{
    for (size_t i = 1; i < page->files; i++)
        if (!same_machine(page, i, 0)) return false;
    return true;
}

static void write_machine(FILE *file, const struct page *page, size_t which)
{
    static const char *const parts[] = {"date", "pleach", "cpu", "simd", "gpu", "compiler"};
    const struct json *context = json_member(page->file[which], "context");
    fprintf(file, "<dl>");
    if (!all_on_one_machine(page)) {
        fprintf(file, "<dt>file</dt><dd>");
        page_text(file, page->paths[which]);
        fprintf(file, "</dd>");
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *const text = json_text(context, parts[i], NULL);
        if (text == NULL) continue;
        fprintf(file, "<dt>%s</dt><dd>", parts[i]);
        page_text(file, text);
        fprintf(file, "</dd>");
    }
    fprintf(file, "</dl>\n");
}

static void write_cell(FILE *file, double count)
{
    char text[16] = "";
    if (count > 0) page_count(count, text, sizeof text);
    fprintf(file, "<td>%s</td>", text);
}

static void write_table(FILE *file, const struct page_group *group)
{
    fprintf(file, "<details><summary>figures</summary><div class=\"wide\"><table><tr><th>where</th><th>keys</th>"
            "<th>at once</th><th>threads</th><th>");
    page_text(file, group->points[0].unit);
    fprintf(file, "</th><th>lowest</th><th>highest</th><th>times random lines</th></tr>\n");
    for (size_t i = 0; i < group->count; i++) {
        const struct page_point *p = &group->points[i];
        char label[128];
        page_label(&(struct page_group){p, 1}, p, PAGE_SIZES, label, sizeof label);
        fprintf(file, "<tr><td>");
        page_text(file, label);
        fprintf(file, ", ");
        page_text(file, p->dist);
        if (strcmp(p->unit, group->points[0].unit) != 0) fprintf(file, ", ");
        if (strcmp(p->unit, group->points[0].unit) != 0) page_text(file, p->unit);
        fprintf(file, "</td>");
        for (size_t s = 0; s < PAGE_SIZES; s++) write_cell(file, p->size[s]);
        fprintf(file, "<td>%.4g</td><td>%.4g</td><td>%.4g</td>", p->median, p->least, p->most);
        if (p->of_limit > 0)
            fprintf(file, "<td>%.3f</td></tr>\n", p->of_limit);
        else
            fprintf(file, "<td></td></tr>\n");
    }
    fprintf(file, "</table></div></details>\n");
}

/* From where on there is another benchmark. */
static size_t group_end(const struct page *page, size_t begin)
{
    size_t end = begin;
    while (end < page->count && strcmp(page->points[end].benchmark, page->points[begin].benchmark) == 0) end++;
    return end;
}

static void write_contents(FILE *file, const struct page *page)
{
    fprintf(file, "<nav>");
    for (size_t begin = 0; begin < page->count; begin = group_end(page, begin)) {
        fprintf(file, "<a href=\"#p%zu\">", begin);
        page_text(file, page->points[begin].benchmark);
        fprintf(file, "</a>\n");
    }
    fprintf(file, "</nav>\n");
}

static void write_groups(FILE *file, const struct page *page)
{
    for (size_t begin = 0, end; begin < page->count; begin = end) {
        end = group_end(page, begin);
        const struct page_group group = {page->points + begin, end - begin};
        fprintf(file, "<section id=\"p%zu\"><h2>", begin);
        page_text(file, page->points[begin].benchmark);
        if (strcmp(page->points[begin].unit, "M/s") != 0) {
            fprintf(file, ", ");
            page_text(file, page->points[begin].unit);
        }
        fprintf(file, "</h2>\n");
        page_draw(file, &group);
        write_table(file, &group);
        fprintf(file, "</section>\n");
    }
}

static void write_page(FILE *file, const struct page *page)
{
    fprintf(file, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>");
    page_text(file, page->title);
    fprintf(file, "</title>\n%s</head><body>\n<h1>", style);
    page_text(file, page->title);
    fprintf(file, "</h1>\n<p>Millions of operations a second, unless a heading says otherwise: medians, and from the "
            "lowest to the highest repeat. "
            "All answers were checked outside the clock; data on a GPU lies in its memory, transfers are not "
            "counted.</p>\n");
    for (size_t i = 0; i < page->files; i++)
        if (i == 0 || !same_machine(page, i, i - 1)) write_machine(file, page, i);
    write_contents(file, page);
    write_groups(file, page);
    fprintf(file, "</body></html>\n");
}

/* ---- the command ---- */

static void read_words(struct cli *cli, struct page *page)
{
    const char *text = NULL;
    while (cli_more(cli) && !page->help) {
        if (cli_take_flag(cli, "--help")) {
            page->help = true;
        } else if (cli_take_text(cli, "--output", &page->output) || cli_take_text(cli, "--title", &page->title)) {
            continue;
        } else if (!cli_take_word(cli, &text)) {
            cli_reject_option(cli);
        } else if (page->files == MOST_FILES) {
            cli_fail(cli, "at most %d files", MOST_FILES);
        } else {
            page->paths[page->files++] = text;
        }
    }
    if (cli->status == EXIT_GOOD && !page->help && page->files == 0)
        cli_fail(cli, "name a file that 'pleach bench --json FILE' has written");
}

static bool save_page(const struct page *page)
{
    const bool to_stdout = strcmp(page->output, "-") == 0;
    FILE *file = to_stdout ? stdout : fopen(page->output, "w");
    if (file != NULL) write_page(file, page);
    bool good = file != NULL && !ferror(file);
    if (file != NULL && !to_stdout) good = fclose(file) == 0 && good;
    if (!good) cli_complain(command, "cannot write %s: %s", page->output, strerror(errno));
    return good;
}

int command_bench_report(int argc, char **argv)
{
    struct cli cli;
    struct page page = {.output = "report.html", .title = "Benchmarks of pleach"};
    cli_start(&cli, command, argc, argv);
    read_words(&cli, &page);
    if (cli.status != EXIT_GOOD) return cli.status;
    if (page.help) fputs(help, stdout);
    bool good = true;
    for (size_t i = 0; good && !page.help && i < page.files; i++) good = read_file(&page, i);
    if (good && !page.help) {
        qsort(page.points, page.count, sizeof page.points[0], compare_points);
        good = save_page(&page);
    }
    if (good && !page.help && strcmp(page.output, "-") != 0)
        printf("%s: %zu results; open it in a browser\n", page.output, page.count);
    for (size_t i = 0; i < page.files; i++) json_free(page.file[i]);
    free(page.points);
    return cli_finish_output(command, good ? EXIT_GOOD : EXIT_USAGE);
}
