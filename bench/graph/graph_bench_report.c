/* graph_bench_report.c - figures of pleach-bench graph, as a table and as JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "graph_bench.h"
#include "bench/harness/bench.h"
#include "bench/harness/json.h"
#include "tools/common/machine.h"
#include "tools/common/out_file.h"
#include "pleach/pleach.h"

static const char command[] = "pleach-bench graph";

enum { LIMIT_WIDTH = 24 }; /* of the name of a limit, where a note comes after it */

static const char *adjacency_name(const struct graph_bench *bench)
{
    if (bench->adjacency == PLEACH_ADJACENCY_ORDERED) return "ordered";
    return bench->sparse ? "hash, sparse ids" : "hash";
}

/* A row, with copies of what may not last. */
struct kept {
    struct graph_row row;
    struct figure figure, peer;
    char what[40], note[120];
};

struct graph_report {
    FILE *table;
    bool all;
    const struct graph_bench *bench;
    struct kept **rows;
    size_t count, capacity;
};

/* ---- figures ---- */

void figure_add(struct figure *figure, double value) { figure->of_run[figure->runs++] = value; }

void figure_mean(const struct figure classes[GRAPH_CLASSES], struct figure *mean)
{
    *mean = (struct figure){0};
    for (size_t run = 0; run < classes[0].runs; run++) {
        double sum = 0;
        for (size_t class = 0; class < GRAPH_CLASSES; class++) sum += classes[class].of_run[run];
        figure_add(mean, sum / GRAPH_CLASSES);
    }
}

/* Their median, with all of them in ascending order. */
static double sort_runs(const struct figure *figure, double *sorted)
{
    if (figure->runs == 0) return 0;
    memcpy(sorted, figure->of_run, figure->runs * sizeof sorted[0]);
    return bench_median(sorted, figure->runs);
}

double figure_median(const struct figure *figure)
{
    double sorted[GRAPH_MOST_RUNS];
    return sort_runs(figure, sorted);
}

static double figure_spread(const struct figure *figure)
{
    double sorted[GRAPH_MOST_RUNS];
    const double median = sort_runs(figure, sorted);
    return median > 0 ? (sorted[figure->runs - 1] - sorted[0]) / median : 0;
}

/* ---- the table ---- */

static void print_heading(const struct graph_report *report)
{
    char cpu[300], gpu[300];
    machine_cpu(cpu, sizeof cpu);
    machine_gpu(gpu, sizeof gpu);
    fprintf(report->table, "cpu       %s\ngpu       %s\ndevice    %s, %u threads; adjacency %s; scale %u, %zu runs\n\n",
            cpu, gpu, report->bench->device->name, report->bench->threads, adjacency_name(report->bench),
            report->bench->scale, report->bench->runs);
    fprintf(report->table, "%-15s %-9s %8s %-24s %10s %-9s %7s %9s %7s %6s  %s\n", "experiment", "graph", "batch",
            "what", "median", "unit", "spread", "TITAN V", "x peer", "share", "of the limit");
    fflush(report->table);
}

struct graph_report *graph_report_create(const struct graph_bench *bench, bool quiet_output, bool all)
{
    struct graph_report *const report = calloc(1, sizeof *report);
    if (report == NULL) return NULL;
    report->table = quiet_output ? stderr : stdout;
    report->bench = bench;
    report->all = all;
    print_heading(report);
    return report;
}

void graph_report_destroy(struct graph_report *report)
{
    if (report == NULL) return;
    for (size_t i = 0; i < report->count; i++) free(report->rows[i]);
    free(report->rows);
    free(report);
}

static bool is_time(const struct graph_row *row) { return strcmp(row->unit, "ms") == 0; }

/* How many times as fast as the peer; 0: there is none. Times are better when they are less. */
static double times_peer(const struct graph_row *row)
{
    if (row->peer == NULL) return 0;
    const double own = figure_median(row->figure), peer = figure_median(row->peer);
    if (!(own > 0 && peer > 0)) return 0;
    return is_time(row) ? peer / own : own / peer;
}

/* The best that the limit allows, in the unit of the row. */
static double limit_figure(const struct graph_row *row)
{
    return is_time(row) ? 1e-3 / row->limit.rate : row->limit.rate;
}

/* Of the limit, that was reached; 0 where none is known. */
static double limit_share(const struct graph_row *row)
{
    const double own = figure_median(row->figure);
    if (row->limit.name == NULL || !(own > 0)) return 0;
    return is_time(row) ? limit_figure(row) / own : own / limit_figure(row);
}

static void print_row(const struct graph_report *report, const struct graph_row *row)
{
    char batch[24], seed[24], peer[24], share[24];
    fprintf(report->table, "%-15s %-9s %8s %-24s %10.3f %-9s %6.1f%% %9s %7s %6s  %-*s%s\n", row->experiment,
            row->graph, bench_or_dash(batch, sizeof batch, "%.0f", (double)row->batch), row->what,
            figure_median(row->figure), row->unit, 100 * figure_spread(row->figure),
            bench_or_dash(seed, sizeof seed, "%.2f", row->seed),
            bench_or_dash(peer, sizeof peer, "%.2f", times_peer(row)),
            bench_or_dash(share, sizeof share, "%.0f%%", 100 * limit_share(row)),
            row->note != NULL ? LIMIT_WIDTH : 0, row->limit.name != NULL ? row->limit.name : "",
            row->note != NULL ? row->note : "");
    fflush(report->table);
}

static bool make_room(struct graph_report *report)
{
    if (report->count < report->capacity) return true;
    const size_t capacity = report->capacity > 0 ? 2 * report->capacity : 64;
    struct kept **const rows = realloc(report->rows, capacity * sizeof rows[0]);
    if (rows == NULL) return false;
    report->rows = rows;
    report->capacity = capacity;
    return true;
}

void graph_report_add(struct graph_report *report, const struct graph_row *row)
{
    if (!row->detail || report->all) print_row(report, row);
    struct kept *const kept = make_room(report) ? calloc(1, sizeof *kept) : NULL;
    if (kept == NULL) return; /* it has been printed */
    kept->row = *row;
    kept->figure = *row->figure;
    kept->row.figure = &kept->figure;
    if (row->peer != NULL) {
        kept->peer = *row->peer;
        kept->row.peer = &kept->peer;
    }
    snprintf(kept->what, sizeof kept->what, "%s", row->what);
    snprintf(kept->note, sizeof kept->note, "%s", row->note != NULL ? row->note : "");
    kept->row.what = kept->what;
    kept->row.note = kept->note;
    report->rows[report->count++] = kept;
}

void graph_report_heading(struct graph_report *report, const char *text)
{
    fprintf(report->table, "\n%s\n", text);
    fflush(report->table);
}

/* ---- JSON, in the shape of Google Benchmark's. No text of rows has a character that must be replaced. ---- */

/* Of one run, or of the median; of a rate also the time of one of what it counts. */
static void write_value(FILE *file, const struct graph_row *row, double value)
{
    if (is_time(row))
        fprintf(file, "\"real_time\": %.6g, \"cpu_time\": %.6g, \"time_unit\": \"ms\", ", value, value);
    else
        fprintf(file, "\"real_time\": %.6g, \"cpu_time\": %.6g, \"time_unit\": \"ns\", \"items_per_second\": %.6g, ",
                1000 / value, 1000 / value, 1e6 * value);
    fprintf(file, "\"benchmark\": \"graph-%s/%s%s\", \"device\": \"%s\", \"batch\": %" PRIu64 ", \"unit\": \"%s\"",
            row->experiment, row->graph, is_time(row) ? "/time" : "", row->what, row->batch, row->unit);
}

static void write_row(FILE *file, const struct graph_bench *bench, const struct graph_row *row)
{
    char name[200];
    snprintf(name, sizeof name, "graph-%s/%s%s/%s/%s/scale:%u/batch:%" PRIu64, row->experiment, row->graph,
             is_time(row) ? "/time" : "", bench->device->name, row->what, bench->scale, row->batch);
    for (size_t i = 0; i < row->figure->runs; i++) {
        fprintf(file, "{\"name\": \"%s\", \"run_name\": \"%s\", \"run_type\": \"iteration\", "
                "\"repetition_index\": %zu, \"repetitions\": %zu, ", name, name, i, row->figure->runs);
        write_value(file, row, row->figure->of_run[i]);
        fprintf(file, "},\n    ");
    }
    fprintf(file, "{\"name\": \"%s_median\", \"run_name\": \"%s\", \"run_type\": \"aggregate\", "
            "\"aggregate_name\": \"median\", ", name, name);
    write_value(file, row, figure_median(row->figure));
    fprintf(file, ", \"experiment\": \"%s\", \"graph\": \"%s\", \"what\": \"%s\", \"median\": %.6g, "
            "\"spread\": %.4f, \"titan_v\": %.6g, \"times_peer\": %.4f, \"note\": \"%s\"",
            row->experiment, row->graph, row->what, figure_median(row->figure), figure_spread(row->figure), row->seed,
            times_peer(row), row->note);
    if (row->limit.name != NULL)
        fprintf(file, ", \"limit\": \"%s\", \"%s\": %.6g, \"limit_share\": %.4f", row->limit.name,
                is_time(row) ? "limit_time" : "limit_rate", limit_figure(row), limit_share(row));
    fprintf(file, "}");
}

/* Millions a second, of those that were measured. */
static void write_limits(FILE *file, const struct bench_limits *limits)
{
    const char *before = "";
    fprintf(file, ", \"limits\": {");
    for (int i = 0; i < BENCH_RESOURCES; i++) {
        if (!(limits->rate[i] > 0)) continue;
        fprintf(file, "%s\"%s\": %.6g", before, bench_resource_name((enum bench_resource)i), limits->rate[i]);
        before = ", ";
    }
    fprintf(file, "}");
}

static void write_context(FILE *file, const struct graph_bench *bench)
{
    struct machine_line machine[MACHINE_LINES];
    machine_describe(machine);
    fprintf(file, "{\"executable\": \"%s\", \"num_cpus\": %u", command, cli_online_cpus());
    for (size_t i = 0; i < MACHINE_LINES; i++) {
        fprintf(file, ", \"%s\": ", machine[i].name);
        json_write_text(file, machine[i].text);
    }
    fprintf(file, ", \"device\": \"%s\", \"threads\": %u, \"adjacency\": \"%s\", \"scale\": %u, \"runs\": %zu",
            bench->device->name, bench->threads, adjacency_name(bench), bench->scale, bench->runs);
    write_limits(file, &bench->limits);
    fprintf(file, "}");
}

bool graph_report_json(const struct graph_report *report, const char *path)
{
    struct out_file out;
    bool written = out_file_open(&out, path);
    if (written) {
        FILE *const file = out.stream;
        fprintf(file, "{\n  \"context\": ");
        write_context(file, report->bench);
        fprintf(file, ",\n  \"benchmarks\": [");
        for (size_t i = 0; i < report->count; i++) {
            fprintf(file, "%s\n    ", i == 0 ? "" : ",");
            write_row(file, report->bench, &report->rows[i]->row);
        }
        fprintf(file, "\n  ]\n}\n");
        written = out_file_close(&out);
    }
    if (!written) cli_complain(command, "cannot write %s: %s", path, out_file_reason(errno));
    return written;
}
