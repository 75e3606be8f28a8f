/* bench_report.c - results as a table, as JSON and as CSV. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "tools/common/cli.h"
#include "json.h"
#include "tools/common/machine.h"
#include "tools/common/out_file.h"

/* A text that rows may point to for as long as the report lives. */
struct kept_text {
    struct kept_text *next;
    char text[];
};

struct bench_report {
    FILE *table;
    struct kept_text *kept;
    struct bench_row *rows;
    size_t count, capacity;
    struct machine_line machine[MACHINE_LINES];
    const char *key_file; /* NULL: keys are made */
    struct bench_files files;
};

static void print_heading(const struct bench_report *report)
{
    for (size_t i = 0; i < MACHINE_LINES; i++)
        if (report->machine[i].text[0] != '\0')
            fprintf(report->table, "%-9s %s\n", report->machine[i].name, report->machine[i].text);
    fprintf(report->table, "\n%-22s %-19s %4s %10s %10s %-8s %7s %10s %8s %6s  %s\n", "benchmark", "device",
            "bits", "keys", "batch", "dist", "threads", "M/s", "spread", "share", "of the limit");
    fflush(report->table);
}

void bench_report_say(struct bench_report *report, const char *line) { fprintf(report->table, "  %s\n", line); }

const char *bench_report_keep(struct bench_report *report, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct kept_text *kept = malloc(sizeof *kept + strlen(text) + 1);
    if (kept == NULL) return "";
    memcpy(kept->text, text, strlen(text) + 1);
    kept->next = report->kept;
    report->kept = kept;
    return kept->text;
}

void bench_report_name_keys(struct bench_report *report, const char *path)
{
    const char *slash = strrchr(path, '/');
    report->key_file = bench_report_keep(report, "%s", slash != NULL ? slash + 1 : path);
    fprintf(report->table, "  keys of the file %s\n", report->key_file);
}

static void destroy(struct bench_report *report)
{
    while (report->kept != NULL) {
        struct kept_text *kept = report->kept;
        report->kept = kept->next;
        free(kept);
    }
    free(report->rows);
    free(report);
}

static int compare_rates(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

double bench_median(double *rates, size_t n)
{
    qsort(rates, n, sizeof rates[0], compare_rates);
    return (rates[(n - 1) / 2] + rates[n / 2]) / 2;
}

static void summarize(struct bench_row *row)
{
    double sorted[BENCH_MOST_REPEATS];
    const size_t n = row->repeats;
    memcpy(sorted, row->rates, n * sizeof sorted[0]);
    row->median = bench_median(sorted, n);
    row->spread = row->median > 0 ? (sorted[n - 1] - sorted[0]) / row->median : 0;
}

const char *bench_or_dash(char *text, size_t size, const char *format, double number)
{
    if (number > 0)
        snprintf(text, size, format, number);
    else
        snprintf(text, size, "-");
    return text;
}

/* Of the limit, that was reached; 0 where none is known. */
static double limit_share(const struct bench_row *row)
{
    return row->limit != NULL ? row->median / row->limit_rate : 0;
}

static void print_row(const struct bench_report *report, const struct bench_row *row)
{
    char bits[8], threads[8], share[16];
    fprintf(report->table, "%-22s %-19s %4s %10zu %10zu %-8s %7s %10.2f %7.1f%% %6s  %s\n", row->name, row->device,
            bench_or_dash(bits, sizeof bits, "%.0f", row->bits), row->keys, row->batch, row->dist,
            bench_or_dash(threads, sizeof threads, "%.0f", row->threads), row->median, 100 * row->spread,
            bench_or_dash(share, sizeof share, "%.0f%%", 100 * limit_share(row)), row->limit != NULL ? row->limit : "");
    fflush(report->table);
}

void bench_report_add(struct bench_report *report, struct bench_row *row)
{
    summarize(row);
    print_row(report, row);
    if (report->count == report->capacity) {
        const size_t capacity = report->capacity > 0 ? 2 * report->capacity : 64;
        struct bench_row *rows = realloc(report->rows, capacity * sizeof rows[0]);
        if (rows == NULL) return; /* it has been printed */
        report->rows = rows;
        report->capacity = capacity;
    }
    report->rows[report->count++] = *row;
}

void bench_row_bind(struct bench_row *row, const struct bench_limits *limits, const struct bench_need *need)
{
    row->limit_rate = bench_limit_rate(limits, need, &row->limit);
    if (!(row->limit_rate > 0)) row->limit = NULL;
}

void bench_row_count(struct bench_row *row, const char *name, double value)
{
    if (row->counter_count < BENCH_MOST_COUNTERS)
        row->counters[row->counter_count++] = (struct bench_counter){name, value};
}

/* False, with a message, if `written` is false. */
static bool see_written(bool written, const char *path)
{
    if (!written) cli_complain("pleach-bench", "cannot write %s: %s", path, out_file_reason(errno));
    return written;
}

/* What Google Benchmark's files have of a run, and what it was run with. CPU time is not measured: its tools want the
 * member, and get the time of the clock. */
static void write_json_run(FILE *file, const struct bench_row *row, double rate)
{
    const double time = rate > 0 ? 1000 / rate : 0; /* a writer beside readers may get nothing done */
    fprintf(file, "\"repetitions\": %zu, \"threads\": %u, \"iterations\": %zu, ", row->repeats,
            row->threads > 0 ? row->threads : 1, row->batch);
    fprintf(file, "\"real_time\": %.9g, \"cpu_time\": %.9g, \"time_unit\": \"ns\", \"items_per_second\": %.9g, ",
            time, time, 1e6 * rate);
    fprintf(file, "\"benchmark\": \"%s\", \"device\": \"%s\", \"bits\": %u, \"keys\": %zu, \"batch\": %zu, "
            "\"dist\": \"%s\"", row->name, row->device, row->bits, row->keys, row->batch, row->dist);
}

static void write_json_row(FILE *file, const struct bench_row *row)
{
    char name[256];
    snprintf(name, sizeof name, "%s/%s/bits:%u/keys:%zu/batch:%zu/dist:%s/threads:%u", row->name, row->device,
             row->bits, row->keys, row->batch, row->dist, row->threads);
    for (size_t i = 0; i < row->repeats; i++) {
        fprintf(file, "{\"name\": \"%s\", \"run_name\": \"%s\", \"run_type\": \"iteration\", "
                "\"repetition_index\": %zu, ", name, name, i);
        write_json_run(file, row, row->rates[i]);
        fprintf(file, "},\n    ");
    }
    fprintf(file, "{\"name\": \"%s_median\", \"run_name\": \"%s\", \"run_type\": \"aggregate\", "
            "\"aggregate_name\": \"median\", ", name, name);
    write_json_run(file, row, row->median);
    fprintf(file, ", \"spread\": %.4f", row->spread);
    if (row->limit != NULL)
        fprintf(file, ", \"limit\": \"%s\", \"limit_rate\": %.6g, \"limit_share\": %.4f", row->limit,
                row->limit_rate, limit_share(row));
    for (size_t i = 0; i < row->counter_count; i++)
        fprintf(file, ", \"%s\": %.9g", row->counters[i].name, row->counters[i].value);
    fprintf(file, "}");
}

static void write_json_context(FILE *file, const struct bench_report *report)
{
    char date[32] = "";
    const time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) != NULL) strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
    fprintf(file, "{\"date\": \"%s\", \"executable\": \"pleach-bench\", \"num_cpus\": %u", date, cli_online_cpus());
    for (size_t i = 0; i < MACHINE_LINES; i++) {
        fprintf(file, ", \"%s\": ", report->machine[i].name);
        json_write_text(file, report->machine[i].text);
    }
    if (report->key_file != NULL) {
        fprintf(file, ", \"key_file\": ");
        json_write_text(file, report->key_file);
    }
    fprintf(file, "}");
}

static bool write_json(const struct bench_report *report, const char *path)
{
    struct out_file out;
    if (!see_written(out_file_open(&out, path), path)) return false;
    FILE *const file = out.stream;
    fprintf(file, "{\n  \"context\": ");
    write_json_context(file, report);
    fprintf(file, ",\n  \"benchmarks\": [");
    for (size_t i = 0; i < report->count; i++) {
        fprintf(file, "%s\n    ", i == 0 ? "" : ",");
        write_json_row(file, &report->rows[i]);
    }
    fprintf(file, "\n  ]\n}\n");
    return see_written(out_file_close(&out), path);
}

static bool write_csv(const struct bench_report *report, const char *path)
{
    struct out_file out;
    if (!see_written(out_file_open(&out, path), path)) return false;
    FILE *const file = out.stream;
    fprintf(file, "name,device,bits,keys,batch,dist,threads,median_mps,spread,limit,limit_share,counters\n");
    for (size_t i = 0; i < report->count; i++) {
        const struct bench_row *row = &report->rows[i];
        fprintf(file, "%s,%s,%u,%zu,%zu,%s,%u,%.6g,%.4f,%s,%.4f,", row->name, row->device, row->bits, row->keys,
                row->batch, row->dist, row->threads, row->median, row->spread,
                row->limit != NULL ? row->limit : "", limit_share(row));
        for (size_t c = 0; c < row->counter_count; c++)
            fprintf(file, "%s%s=%.6g", c == 0 ? "" : ";", row->counters[c].name, row->counters[c].value);
        fputc('\n', file);
    }
    return see_written(out_file_close(&out), path);
}

static bool is_output(const char *path) { return path != NULL && strcmp(path, "-") == 0; }

static bool writable(const char *path, const char *command)
{
    if (path == NULL || out_file_possible(path)) return true;
    cli_complain(command, "cannot write to %s: %s", path, out_file_reason(errno));
    return false;
}

/* Times of an emulated GPU must never be written as results. */
static bool all_writable(const struct bench_files *files, const char *command)
{
    char gpu[256];
    const char emulated[] = "emulated GPU";
    const bool any = files->json != NULL || files->csv != NULL;
    if (any && pleach_gpu_info(0, gpu, sizeof gpu) == PLEACH_OK && !strncmp(gpu, emulated, sizeof emulated - 1)) {
        cli_complain(command, "this build has an emulated GPU, whose times say nothing of speed: no --json or --csv");
        return false;
    }
    return writable(files->json, command) && writable(files->csv, command);
}

bool bench_files_take(struct cli *cli, struct bench_files *files)
{
    return cli_take_text(cli, "--json", &files->json) || cli_take_text(cli, "--csv", &files->csv);
}

struct bench_report *bench_report_open(const struct bench_files *files, const char *command)
{
    if (!all_writable(files, command)) return NULL;
    struct bench_report *report = calloc(1, sizeof *report);
    if (report == NULL) {
        cli_complain(command, "out of memory");
        return NULL;
    }
    report->files = *files;
    report->table = is_output(files->json) || is_output(files->csv) ? stderr : stdout;
    machine_describe(report->machine);
    print_heading(report);
    return report;
}

int bench_report_finish(struct bench_report *report, bool good)
{
    const struct bench_files files = report->files;
    bool written = files.json == NULL || write_json(report, files.json);
    written = (files.csv == NULL || write_csv(report, files.csv)) && written;
    destroy(report);
    return !good ? EXIT_WRONG : written ? EXIT_GOOD : EXIT_USAGE;
}
