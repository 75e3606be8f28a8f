#include "harness.h"

#include <dlfcn.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One case in one setting. */
typedef struct test_run {
    const test_case *what;
    setting where;
    char name[160];
} test_run;

typedef struct command_line {
    pleach_device device;
    const char *filter;
} command_line;

/* What the cases are run over. */
typedef struct settings {
    unsigned widths[2];
    size_t width_count;
    unsigned workers[4];
    size_t worker_count;
} settings;

static const settings on_cpu = {{32, 64}, 2, {1, 3}, 2};
static const settings on_cuda = {{32, 64}, 2, {1}, 1};
static const settings with_widest_keys = {{128}, 1, {1, 2, 3, 4}, 4};

/* Per width, because the random tests promise a number of operations for each. */
static const settings *over = &on_cpu;
static atomic_size_t checked_by_width[2];
static size_t current_width;
static size_t runs_passed;

static uint64_t number_from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

uint64_t test_seed(void)
{
    static uint64_t seed;
    if (!seed)
        seed = number_from_environment("PLEACH_TEST_SEED", (uint64_t)time(NULL));
    return seed;
}

size_t scaled(size_t n)
{
    size_t sized = (size_t)((double)n * (double)number_from_environment("PLEACH_TEST_SCALE", 100) / 100.0);
    return sized ? sized : 1;
}

size_t shrunk(size_t n, size_t least)
{
    size_t sized = scaled(n);
    return sized > n ? n : sized < least ? least : sized;
}

size_t scaled_single_calls(const setting *where, size_t n)
{
    return scaled(where->device == PLEACH_CUDA ? n / 100 : n);
}

/* Asked of the driver that is loaded already, so that builds without CUDA need nothing of it. */
size_t gpu_free_bytes(const setting *where)
{
    typedef int get_info_fn(size_t *free_bytes, size_t *total_bytes);
    if (where->device == PLEACH_CPU || getenv("PLEACH_TEST_SHARED_GPU"))
        return 0;
    size_t free_bytes = 0, total_bytes = 0;
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    assert_non_null(driver);
    void *symbol = dlsym(driver, "cuMemGetInfo_v2");
    assert_non_null(symbol);
    get_info_fn *get_info;
    *(void **)&get_info = symbol;
    assert_int_equal(get_info(&free_bytes, &total_bytes), 0);
    dlclose(driver);
    return free_bytes;
}

size_t calling_threads(void)
{
    size_t threads = (size_t)number_from_environment("PLEACH_TEST_THREADS", 4);
    return threads < 2 ? 2 : threads > 64 ? 64 : threads;
}

void count_checked(size_t operations)
{
    atomic_fetch_add_explicit(&checked_by_width[current_width], operations, memory_order_relaxed);
}

static size_t checked(size_t width)
{
    return atomic_load_explicit(&checked_by_width[width], memory_order_relaxed);
}

/* "skiplist" has chunks of 16 slots, "skiplist32" of 32. Another name would test something else than was asked for. */
bool tests_skiplist(void)
{
    const char *structure = getenv("PLEACH_TEST_STRUCTURE");
    if (!structure || !*structure || !strcmp(structure, "tree"))
        return false;
    if (strcmp(structure, "skiplist") && strcmp(structure, "skiplist32")) {
        fprintf(stderr, "PLEACH_TEST_STRUCTURE is tree, skiplist or skiplist32, not %s\n", structure);
        exit(2);
    }
    return true;
}

void tests_of_trees(void)
{
    unsetenv("PLEACH_TEST_STRUCTURE");
}

static void run_one(void **state)
{
    const test_run *run = *state;
    current_width = run->where.key_bits == over->widths[0] ? 0 : 1;
    if (run->what->run)
        run->what->run(&run->where);
    else
        run->what->run_with(&run->where, run->what->what);
    runs_passed++; /* a failed assertion jumps past this line */
}

static test_run make_run(const test_case *what, pleach_device device, unsigned key_bits, unsigned threads)
{
    test_run run = {what, {device, key_bits, threads}, ""};
    if (device == PLEACH_CPU)
        snprintf(run.name, sizeof run.name, "cpu/%u/t%u %s", key_bits, threads, what->name);
    else
        snprintf(run.name, sizeof run.name, "cuda/%u %s", key_bits, what->name);
    return run;
}

bool left_out(const char *name)
{
    const char *patterns = getenv("PLEACH_TEST_SKIP");
    char copy[4096];
    if (!patterns)
        return false;
    snprintf(copy, sizeof copy, "%s", patterns);
    for (char *rest = copy, *pattern; (pattern = strtok_r(rest, " ", &rest));)
        if (!fnmatch(pattern, name, 0)) {
            printf("left out: %s\n", name);
            return true;
        }
    return false;
}

/* The table times the settings; answers the number of runs. */
static size_t make_runs(pleach_device device, const test_case *cases, size_t count, test_run *runs)
{
    size_t n = 0;
    for (size_t width = 0; width < over->width_count; width++)
        for (size_t w = 0; w < over->worker_count; w++)
            for (size_t c = 0; c < count; c++)
                if (!cases[c].of_trees || !tests_skiplist()) {
                    runs[n] = make_run(&cases[c], device, over->widths[width], over->workers[w]);
                    n += !left_out(runs[n].name);
                }
    return n;
}

/* Answers the number of failed runs. */
static size_t run_through_cmocka(const char *program, test_run *runs, size_t n)
{
    struct CMUnitTest *tests = calloc(n, sizeof *tests);
    if (!tests)
        return n;
    for (size_t i = 0; i < n; i++) {
        tests[i].name = runs[i].name;
        tests[i].test_func = run_one;
        tests[i].initial_state = &runs[i];
    }
    int failed = _cmocka_run_group_tests(program, tests, n, NULL, NULL);
    free(tests);
    return (size_t)failed;
}

static bool parse_device(const char *word, pleach_device *device)
{
    if (!strcmp(word, "cpu"))
        *device = PLEACH_CPU;
    else if (!strcmp(word, "cuda"))
        *device = PLEACH_CUDA;
    else
        return false;
    return true;
}

static bool parse(int argc, char **argv, command_line *line)
{
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            return false;
        if (!strcmp(argv[i], "--filter"))
            line->filter = argv[i + 1];
        else if (strcmp(argv[i], "--device") || !parse_device(argv[i + 1], &line->device))
            return false;
    }
    return true;
}

/* A run that was asked for and cannot happen is a failure, not a skip: else a broken driver would look like
 * success. */
static bool device_is_there(pleach_device device)
{
    char why[256] = "";
    if (device == PLEACH_CPU || pleach_gpu_info(0, why, sizeof why) == PLEACH_OK)
        return true;
    fprintf(stderr, "no GPU to test on: %s\n", why);
    return false;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void print_summary(const char *program, size_t failed)
{
    for (size_t width = 0; width < over->width_count; width++)
        printf("%s: %zu operations checked with %u-bit keys\n", program, checked(width), over->widths[width]);
    if (failed)
        printf("%s: to repeat this run, set PLEACH_TEST_SEED=%" PRIu64 "\n", program, test_seed());
    printf("%zu passed, %zu failed\n", runs_passed, failed);
    fflush(stdout);
}

static int run_over(const settings *all, const char *program, const command_line *line, const test_case *cases,
                    size_t count)
{
    over = all;
    test_run *runs = calloc(count * over->width_count * over->worker_count, sizeof *runs);
    if (!runs)
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0); /* cmocka writes to both streams: keep lines whole where they are merged */
    printf("%s: PLEACH_TEST_SEED=%" PRIu64 "\n", program, test_seed());
    if (line->filter)
        cmocka_set_test_filter(line->filter);
    size_t failed = run_through_cmocka(program, runs, make_runs(line->device, cases, count, runs));
    if (!runs_passed && !failed) {
        fprintf(stderr, "%s: no case has such a name\n", program);
        failed = 1;
    }
    print_summary(program, failed);
    free(runs);
    return failed ? 1 : 0;
}

int run_cases(int argc, char **argv, pleach_device default_device, const test_case *cases, size_t count)
{
    const char *program = base_name(argv[0]);
    command_line line = {default_device, NULL};
    if (!parse(argc, argv, &line)) {
        fprintf(stderr, "usage: %s [--device cpu|cuda] [--filter PATTERN]\n", program);
        return 2;
    }
    if (!device_is_there(line.device)) {
        printf("0 passed, 1 failed\n");
        return 1;
    }
    return run_over(line.device == PLEACH_CPU ? &on_cpu : &on_cuda, program, &line, cases, count);
}

int run_cases_with_widest_keys(int argc, char **argv, const test_case *cases, size_t count)
{
    const char *program = base_name(argv[0]);
    command_line line = {PLEACH_CPU, NULL};
    if (!parse(argc, argv, &line) || line.device != PLEACH_CPU) {
        fprintf(stderr, "usage: %s [--filter PATTERN]\n", program);
        return 2;
    }
    return run_over(&with_widest_keys, program, &line, cases, count);
}
