/* gfsl.c - pleach-bench gfsl: the loop over ranges, mixes and structures. */
#include "gfsl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/commands.h"
#include "tools/common/cli.h"

static const char command[] = "pleach-bench gfsl";

/* Only what their texts say in numbers; most results are in figures without. */
static const char paper[] =
    "Figures of the paper and of the thesis (GeForce GTX 970; M&C: the lock-free skiplist of Misra and Chaudhuri)\n"
    "\n"
    "  [10,10,80], range 1M, by warps per block        8     16     24     32\n"
    "  GFSL, chunks of 32 (table II), M/s           58.9   65.7   62.5   52.9\n"
    "  M&C (thesis, table 5.2), M/s                 20.7   21.3   20.6   20.2\n"
    "\n"
    "  GFSL over M&C, mixes         10K: down to 0.53x, 30K: down to 0.90x, above: 1.27x to 11.64x\n"
    "  GFSL over M&C, mixes, 10M    6.8x to 11.6x\n"
    "  GFSL over M&C, contains      up to 2.9x in small ranges, up to 4.4x in large ones\n"
    "  GFSL over M&C, insert        3.5x to 9.1x\n"
    "  GFSL over M&C, delete        3.5x to 12.6x\n"
    "  from range 1M to 10M, mixes  GFSL loses up to 8%, M&C 68% to 75%\n"
    "  chunks of 32 over 16         up to 1.28x in large ranges, about the same in small ones (thesis)\n";

/* ---- measuring ---- */

static bool repeat_once(struct gfsl *g, const struct gfsl_verbs *verbs, bool last, double *rate)
{
    double seconds = 1;
    if (!verbs->restore(g)) return false;
    if (!g->device->fill(g->work.answers, GFSL_NO_ANSWER, g->n)) return gfsl_complain(g, "answers", PLEACH_E_CUDA);
    const pleach_status status = g->device->time(verbs->call, g, &seconds);
    if (status != PLEACH_OK) return gfsl_complain(g, "the timed operations", status);
    *rate = (double)g->n / seconds / 1e6;
    return verbs->collect(g, last) && gfsl_judge(g);
}

/* A launch shape that was asked for is part of the name: block x stay x blocks per multiprocessor. */
static void name_row(const struct gfsl *g, char name[BENCH_NAME_BYTES])
{
    const struct gfsl_options *o = g->options;
    const bool usual = o->block == GFSL_USUAL_BLOCK && o->stay == GFSL_USUAL_STAY && o->blocks_per_sm == 0;
    char shape[64] = "";
    if (!usual && !g->subject->array && g->device->kind == PLEACH_CUDA)
        snprintf(shape, sizeof shape, "/%ux%ux%u", (unsigned)o->block, (unsigned)o->stay, (unsigned)o->blocks_per_sm);
    const int length = snprintf(name, BENCH_NAME_BYTES, "%s/%s%s", g->subject->name, g->mix->name, shape);
    if (length >= BENCH_NAME_BYTES) name[BENCH_NAME_BYTES - 2] = '~'; /* cut off */
}

static void start_row(const struct gfsl *g, struct bench_row *row)
{
    *row = (struct bench_row){.device = g->device->name, .dist = g->options->distinct ? "distinct" : "uniform",
                              .bits = g->bits, .keys = g->range, .batch = g->n};
    if (g->device->kind == PLEACH_CPU) row->threads = (unsigned)g->options->threads;
    name_row(g, row->name);
}

/* Inserts of keys that are there and deletes of keys that are not change nothing: about half of them. */
static void bind_row(const struct gfsl *g, struct bench_row *row)
{
    const bool gpu = g->device->kind == PLEACH_CUDA;
    const struct bench_place place = {gpu, g->bits, !gpu && !g->subject->array, 0};
    const double updates = (g->mix->inserts + g->mix->deletes) / 100.0;
    const double changes = g->mix->single ? updates : updates / 2;
    struct bench_need need = {{0}};
    bench_need_add(&need, changes, bench_need_change(place));
    bench_need_add(&need, 1 - changes, bench_need_find(place));
    bench_row_bind(row, &g->limits, &need);
}

static void measure_open(struct gfsl *g, const struct gfsl_verbs *verbs)
{
    const size_t repeats = (size_t)g->options->repeats;
    struct bench_row row;
    double unused;
    start_row(g, &row);
    /* On a GPU one time for nothing: code is loaded, memory is got. */
    if (g->device->kind == PLEACH_CUDA && !repeat_once(g, verbs, false, &unused)) return;
    for (; row.repeats < repeats; row.repeats++)
        if (!repeat_once(g, verbs, row.repeats + 1 == repeats, &row.rates[row.repeats])) return;
    bind_row(g, &row);
    bench_report_add(g->report, &row);
}

static void measure(struct gfsl *g, const struct gfsl_subject *subject)
{
    const struct gfsl_verbs *verbs = subject->structure == GFSL_LOCKFREE ? &gfsl_lockfree_verbs : &gfsl_map_verbs;
    char line[80];
    bool there = false;
    g->subject = subject;
    const bool opened = verbs->open(g, &there);
    if (opened && there) measure_open(g, verbs);
    if (opened && !there) {
        snprintf(line, sizeof line, "%s/%s, range %zu: not there", subject->name, g->mix->name, g->range);
        bench_report_say(g->report, line);
    }
    verbs->close(g);
    g->subject = NULL;
}

/* The one point that the paper gives in numbers. */
static void say_paper(const struct gfsl *g)
{
    if (g->range == 1000000 && strcmp(g->mix->name, "10-10-80") == 0)
        bench_report_say(g->report, "the paper, 10-10-80, range 1M, GTX 970: 65.7 M/s; lock-free 21.3 (see --paper)");
}

static void measure_range(struct gfsl *g, size_t range)
{
    const struct gfsl_options *options = g->options;
    if (!gfsl_use_range(g, range)) return;
    for (size_t m = 0; m < options->mix_count; m++) {
        if (!gfsl_use_mix(g, &options->mixes[m])) continue;
        for (size_t s = 0; s < options->subject_count; s++)
            if (!options->subjects[s].array || options->mixes[m].single) measure(g, &options->subjects[s]);
        say_paper(g);
    }
    gfsl_drop_mix(g);
}

static void say_shape(const struct gfsl *g)
{
    char line[120];
    if (g->device->kind == PLEACH_CPU) return;
    snprintf(line, sizeof line,
             "kernels: blocks of %u threads; skiplists: stays of %u operations; blocks per SM: %u (0: all)",
             (unsigned)g->options->block, (unsigned)g->options->stay, (unsigned)g->options->blocks_per_sm);
    bench_report_say(g->report, line);
}

static bool measure_all(const struct gfsl_options *options, const struct tool_device *device,
                        struct bench_report *report)
{
    struct gfsl g = {.options = options, .device = device, .report = report, .bits = options->bits == 0 ? 32 : 64};
    g.crew = crew_create(device->kind == PLEACH_CPU ? (unsigned)options->threads : cli_online_cpus());
    if (g.crew == NULL) {
        cli_complain(command, "cannot start threads");
        return false;
    }
    g.limits = device->kind == PLEACH_CPU ? bench_limits_cpu(g.crew, false) : bench_limits_cuda(false);
    say_shape(&g);
    for (size_t i = 0; i < options->range_count; i++) measure_range(&g, (size_t)options->ranges[i]);
    gfsl_drop_mix(&g);
    gfsl_drop_range(&g);
    crew_destroy(g.crew);
    return !g.failed;
}

/* ---- the command ---- */

static int run(struct gfsl_options *options, const struct tool_device *device)
{
    gfsl_choose_ranges(options, device->kind == PLEACH_CUDA);
    struct bench_report *report = bench_report_open(&options->files, command);
    return report != NULL ? bench_report_finish(report, measure_all(options, device, report)) : EXIT_USAGE;
}

int command_bench_gfsl(int argc, char **argv)
{
    struct gfsl_options options;
    int status;
    if (!gfsl_read_options(&options, argc, argv, &status)) return status;
    if (options.paper) {
        fputs(paper, stdout);
        return EXIT_GOOD;
    }
    const struct tool_device *device = tool_device_choose(command, options.device);
    return device != NULL ? run(&options, device) : EXIT_USAGE;
}
