#include "page.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/harness/bench.h"
#include "bench/paper/paper.h"
#include "bench/commands.h"
#include "tools/common/cli.h"
#include "tools/common/memory_limit.h"
#include "tools/common/out_file.h"

static const char command[] = "pleach-bench report";

static const char help[] =
    "usage: pleach-bench report [OPTION...] RESULTS.json|FOLDER...\n"
    "\n"
    "Makes a page of what 'pleach-bench --json' has written: for each operation lines over the sizes that it was\n"
    "measured with, or bars; latencies, memory, the parts of limits that were reached; and all figures as tables. A\n"
    "FOLDER stands for all its .json files; those of 'pleach-bench paper --out FOLDER' are shown with what the papers\n"
    "report. The page is one file that needs no network, is readable on a phone, and is light or dark as its reader\n"
    "likes.\n"
    "\n"
    "  --output FILE      where to (default report.html); - is standard output\n"
    "  --title TEXT       default: Benchmarks of pleach\n"
    "  --reasons FILE     lines 'PATTERN: why' for operations where pleach is not the fastest, or below half of its\n"
    "                     limit; 'find*@cuda*' matches the names of such operations with their device\n"
    "  --plots FOLDER     also write every drawing as FOLDER/NAME.svg, for light and dark pages\n"
    "  --plot NAME=FILE   one of them\n"
    "  --max-memory N     bytes to take at most for all files, such as 512Mi (default: half of the machine's memory)\n";

const char *page_keep(struct page *page, const char *text)
{
    for (size_t i = 0; i < page->kept_count; i++)
        if (strcmp(page->kept[i], text) == 0) return page->kept[i];
    char **const kept = realloc(page->kept, (page->kept_count + 1) * sizeof kept[0]);
    if (kept != NULL) page->kept = kept;
    char *const copy = kept != NULL ? strdup(text) : NULL;
    if (copy == NULL) {
        page->failed = true;
        return "";
    }
    page->kept[page->kept_count++] = copy;
    return copy;
}

/* ---- files ---- */

static void add_path(struct cli *cli, struct page *page, const char *path)
{
    if (page->files == PAGE_MOST_FILES)
        cli_fail(cli, "at most %d files", PAGE_MOST_FILES);
    else
        page->paths[page->files++] = path;
}

/* In the order of the papers' list, then by name. */
static int compare_paths(const void *x, const void *y)
{
    const char *const *a = x, *const *b = y;
    const size_t one = page_paper_of(*a), two = page_paper_of(*b);
    return one != two ? (one > two) - (one < two) : strcmp(*a, *b);
}

static void add_folder(struct cli *cli, struct page *page, const char *folder)
{
    const size_t before = page->files;
    DIR *const entries = opendir(folder);
    if (entries == NULL) {
        cli_fail(cli, "%s: %s", folder, strerror(errno));
        return;
    }
    for (const struct dirent *entry; cli->status == EXIT_GOOD && (entry = readdir(entries)) != NULL;) {
        const size_t length = strlen(entry->d_name);
        char path[4096];
        if (length < 6 || strcmp(entry->d_name + length - 5, ".json") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        add_path(cli, page, page_keep(page, path));
    }
    closedir(entries);
    if (cli->status == EXIT_GOOD && page->files == before) cli_fail(cli, "%s: has no .json file", folder);
    qsort(page->paths + before, page->files - before, sizeof page->paths[0], compare_paths);
}

static void read_words(struct cli *cli, struct page *page)
{
    const char *text = NULL;
    struct stat about;
    while (cli_more(cli) && !page->help) {
        if (cli_take_flag(cli, "--help")) {
            page->help = true;
        } else if (cli_take_text(cli, "--output", &page->output) || cli_take_text(cli, "--out", &page->output) ||
                   cli_take_text(cli, "--title", &page->title) || cli_take_text(cli, "--plots", &page->plots) ||
                   cli_take_text(cli, "--reasons", &page->reasons) || memory_limit_take(cli)) {
            continue;
        } else if (cli_take_text(cli, "--plot", &text)) {
            if (cli->status != EXIT_GOOD) break;
            if (strchr(text, '=') == NULL || page->plot_count == sizeof page->plot / sizeof page->plot[0])
                cli_fail(cli, "--plot takes NAME=FILE, at most 16 times");
            else
                page->plot[page->plot_count++] = text;
        } else if (!cli_take_word(cli, &text)) {
            cli_reject_option(cli);
        } else if (stat(text, &about) == 0 && S_ISDIR(about.st_mode)) {
            add_folder(cli, page, text);
        } else {
            add_path(cli, page, text);
        }
    }
    if (cli->status == EXIT_GOOD && !page->help && page->files == 0)
        cli_fail(cli, "name a file that 'pleach-bench --json FILE' has written");
}

/* ---- the command ---- */

/* Points that tell latencies come twice: among the rates, and among the latencies. */
static bool add_latencies(struct page *page)
{
    const size_t count = page->count;
    size_t more = 0;
    for (size_t i = 0; i < count; i++) more += page->points[i].quantiles > 0;
    struct page_point *points = realloc(page->points, (count + more + 1) * sizeof *points);
    if (points == NULL) return cli_complain(command, "not enough memory"), false;
    page->points = points;
    page->capacity = count + more + 1;
    for (size_t i = 0; i < count; i++) {
        if (points[i].quantiles == 0) continue;
        points[page->count] = points[i];
        points[page->count++].part = PART_LATENCY;
    }
    return true;
}

static bool read_all(struct page *page)
{
    for (size_t i = 0; i < page->files; i++)
        if (!page_read_file(page, i)) return false;
    page_add_memory(page);
    if (!page_merge_limits(page) || !add_latencies(page) || !page_read_reasons(page)) return false;
    qsort(page->points, page->count, sizeof page->points[0], page_compare_points);
    page_judge(page);
    return true;
}

static bool save_page(struct page *page)
{
    struct out_file out;
    if (page->plots != NULL && mkdir(page->plots, 0777) != 0 && errno != EEXIST)
        return cli_complain(command, "%s: %s", page->plots, strerror(errno)), false;
    bool good = out_file_open(&out, page->output);
    if (good) {
        page_write(out.stream, page);
        good = out_file_close(&out);
    }
    if (!good) cli_complain(command, "cannot write %s: %s", page->output, out_file_reason(errno));
    for (size_t i = 0; good && i < page->plot_count; i++)
        if (!page->plot_written[i])
            good = (cli_complain(command, "--plot %s: no drawing has this name; the page has them as ids",
                                 page->plot[i]), false);
    return good && !page->failed;
}

static void tell(const struct page *page)
{
    FILE *const out = strcmp(page->output, "-") == 0 ? stderr : stdout;
    size_t flagged, unexplained;
    page_count_verdicts(page, &flagged, &unexplained);
    fprintf(out, "%s: %zu results, %zu drawings; open it in a browser\n", page->output, page->results, page->drawings);
    fprintf(out, "%zu operations are not the fastest or below half of their limit; %zu without a reason\n", flagged,
            unexplained);
}

static void free_page(struct page *page)
{
    for (size_t i = 0; i < page->files; i++) json_free(page->file[i]);
    for (size_t i = 0; i < page->kept_count; i++) free(page->kept[i]);
    for (size_t i = 0; i < page->reason_count; i++) {
        free(page->reason[i].pattern);
        free(page->reason[i].why);
    }
    free(page->reason);
    free(page->kept);
    free(page->words);
    free(page->points);
}

int command_bench_report(int argc, char **argv)
{
    struct cli cli;
    struct page page = {.output = "report.html", .title = "Benchmarks of pleach"};
    cli_start(&cli, command, argc, argv);
    read_words(&cli, &page);
    bool good = cli.status == EXIT_GOOD;
    if (good && page.help) fputs(help, stdout);
    if (good && !page.help) good = read_all(&page) && save_page(&page);
    if (good && !page.help) tell(&page);
    free_page(&page);
    return cli_finish_output(command, good ? EXIT_GOOD : EXIT_USAGE);
}
