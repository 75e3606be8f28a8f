/* bench_compare.c - pleach-bench compare: what got faster or slower between two files of results.
 *
 * A benchmark counts as faster only if each of its repeats is faster than each repeat before, and by more than a
 * percentage that is asked for: what lies within the noise of either side is told as such. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench/commands.h"
#include "tools/common/cli.h"
#include "json.h"
#include "tools/common/memory_limit.h"

static const char command[] = "pleach-bench compare";

static const char help[] =
    "usage: pleach-bench compare [OPTION...] BEFORE.json AFTER.json\n"
    "\n"
    "Compares two files that 'pleach-bench --json' has written, or others of the shape that Google Benchmark's have.\n"
    "A benchmark is faster, or slower, if all its repeats are on one side of all repeats of the other file, and the\n"
    "medians differ by more than the percentage; else it is the same, as far as these repeats tell.\n"
    "\n"
    "  --percent P        differences up to this are none (default 2)\n"
    "  --changed          only benchmarks that are faster or slower\n"
    "  --fail-if-slower   exit status 1 if any is slower\n"
    "  --max-memory N     bytes to take at most for both files (default: half of the machine's memory)\n"
    "\n"
    "The last line says how many there were of each.\n";

/* The repeats of one benchmark. */
struct series {
    const char *name;
    double least, most, median;
    size_t count;
};

struct results {
    const char *path;
    struct json *file;
    struct series *series;
    size_t count;
};

struct tally {
    size_t faster, slower, same, gone, new;
};

/* Operations a second, or the inverse of the time where a file has only that. */
static double rate_of(const struct json *run)
{
    double rate = json_number(run, "items_per_second", 0), time = json_number(run, "real_time", 0);
    return rate > 0 ? rate : time > 0 ? 1 / time : 0;
}

static bool is_run(const struct json *run)
{
    return strcmp(json_text(run, "run_type", "iteration"), "iteration") == 0 && rate_of(run) > 0 &&
           json_text(run, "name", NULL) != NULL;
}

/* The repeats of a benchmark, from its first run on; false: memory is lacking. */
static bool gather(struct series *s, const struct json *first)
{
    size_t count = 0;
    const char *name = json_text(first, "name", "");
    for (const struct json *run = first; run != NULL; run = run->next)
        count += is_run(run) && strcmp(json_text(run, "name", ""), name) == 0;
    double *rates = malloc(count * sizeof *rates);
    if (rates == NULL) return false;
    count = 0;
    for (const struct json *run = first; run != NULL; run = run->next)
        if (is_run(run) && strcmp(json_text(run, "name", ""), name) == 0) rates[count++] = rate_of(run);
    const double median = bench_median(rates, count);
    *s = (struct series){name, rates[0], rates[count - 1], median, count};
    free(rates);
    return true;
}

static const struct series *find(const struct results *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->series[i].name, name) == 0) return &r->series[i];
    return NULL;
}

static bool read_results(struct results *r)
{
    char why[512];
    size_t room = 0;
    r->file = json_read(r->path, why, sizeof why);
    if (r->file == NULL) {
        cli_complain(command, "%s", why);
        return false;
    }
    const struct json *runs = json_member(r->file, "benchmarks");
    if (runs == NULL || runs->kind != JSON_ARRAY) {
        cli_complain(command, "%s: has no \"benchmarks\", as files of 'pleach-bench --json' have", r->path);
        return false;
    }
    for (const struct json *run = runs->first; run != NULL; run = run->next) room++;
    r->series = calloc(room + 1, sizeof *r->series);
    if (r->series == NULL) return false;
    for (const struct json *run = runs->first; run != NULL; run = run->next) {
        if (!is_run(run) || find(r, json_text(run, "name", "")) != NULL) continue;
        if (!gather(&r->series[r->count], run)) return false;
        r->count++;
    }
    return true;
}

static void tell_machines(const struct results *before, const struct results *after)
{
    static const char *const parts[] = {"cpu", "gpu", "simd", "compiler"};
    const struct json *one = json_member(before->file, "context"), *two = json_member(after->file, "context");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *was = json_text(one, parts[i], ""), *is = json_text(two, parts[i], "");
        if (strcmp(was, is) != 0) printf("not the same %s: %s; then %s\n", parts[i], was, is);
    }
}

/* Millions a second for what counts operations; or as it is, for times. */
static void tell(const struct series *s, const struct series *then, const char *verdict)
{
    const double unit = s->median > 1e5 ? 1e6 : 1;
    printf("%-72s %11.4g %11.4g %7.3f  %s\n", s->name, s->median / unit, then->median / unit, then->median / s->median,
           verdict);
}

static void compare_one(const struct series *s, const struct series *then, double percent, bool only_changed,
                        struct tally *tally)
{
    double change = 100 * (then->median / s->median - 1);
    bool faster = then->least > s->most && change > percent, slower = then->most < s->least && change < -percent;
    tally->faster += faster;
    tally->slower += slower;
    tally->same += !faster && !slower;
    if (faster || slower || !only_changed) tell(s, then, faster ? "faster" : slower ? "slower" : "same");
}

static void compare(const struct results *before, const struct results *after, double percent, bool only_changed,
                    struct tally *tally)
{
    tell_machines(before, after);
    printf("%-72s %11s %11s %7s\n", "benchmark", "before, M/s", "after, M/s", "times");
    for (size_t i = 0; i < before->count; i++) {
        const struct series *then = find(after, before->series[i].name);
        if (then != NULL)
            compare_one(&before->series[i], then, percent, only_changed, tally);
        else
            tally->gone++;
    }
    for (size_t i = 0; i < after->count; i++) tally->new += find(before, after->series[i].name) == NULL;
    for (size_t i = 0; i < before->count; i++)
        if (find(after, before->series[i].name) == NULL) printf("%-72s only before\n", before->series[i].name);
    for (size_t i = 0; i < after->count; i++)
        if (find(before, after->series[i].name) == NULL) printf("%-72s only after\n", after->series[i].name);
    printf("%zu faster, %zu slower, %zu the same, %zu only before, %zu only after\n", tally->faster, tally->slower,
           tally->same, tally->gone, tally->new);
}

static void close_results(struct results *r)
{
    free(r->series);
    json_free(r->file);
}

struct wish {
    const char *paths[2];
    size_t count;
    double percent;
    bool only_changed, fail_if_slower, help;
};

static void read_percent(struct cli *cli, const char *text, double *percent)
{
    char *end;
    if (text == NULL) return;
    *percent = strtod(text, &end);
    if (end == text || *end != '\0' || !(*percent >= 0 && *percent <= 1000))
        cli_fail(cli, "--percent takes a number from 0 to 1000, not '%s'", text);
}

static void take_path(struct cli *cli, struct wish *wish, const char *path)
{
    if (wish->count == 2)
        cli_fail(cli, "two files are compared, not more");
    else
        wish->paths[wish->count++] = path;
}

static void read_wish(struct cli *cli, struct wish *wish)
{
    const char *text = NULL;
    while (cli_more(cli)) {
        if (cli_take_flag(cli, "--help")) {
            wish->help = true;
            return;
        }
        if (memory_limit_take(cli)) continue;
        if (cli_take_flag(cli, "--changed"))
            wish->only_changed = true;
        else if (cli_take_flag(cli, "--fail-if-slower"))
            wish->fail_if_slower = true;
        else if (cli_take_text(cli, "--percent", &text))
            read_percent(cli, text, &wish->percent);
        else if (cli_take_word(cli, &text))
            take_path(cli, wish, text);
        else
            cli_reject_option(cli);
    }
    if (cli->status == EXIT_GOOD && wish->count < 2) cli_fail(cli, "name two files: BEFORE.json AFTER.json");
}

int command_bench_compare(int argc, char **argv)
{
    struct cli cli;
    struct wish wish = {.percent = 2};
    struct tally tally = {0, 0, 0, 0, 0};
    cli_start(&cli, command, argc, argv);
    read_wish(&cli, &wish);
    if (cli.status != EXIT_GOOD) return cli.status;
    if (wish.help) {
        fputs(help, stdout);
        return EXIT_GOOD;
    }
    struct results before = {.path = wish.paths[0]}, after = {.path = wish.paths[1]};
    bool good = read_results(&before) && read_results(&after);
    if (good) compare(&before, &after, wish.percent, wish.only_changed, &tally);
    close_results(&before);
    close_results(&after);
    int status = !good ? EXIT_USAGE : wish.fail_if_slower && tally.slower > 0 ? EXIT_WRONG : EXIT_GOOD;
    return cli_finish_output(command, status);
}
