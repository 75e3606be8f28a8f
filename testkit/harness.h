/* testkit/harness.h - the runner of every test program: a table of cases is run over every setting (device, key
 * width, worker threads) that the command line asks for, and a line "N passed, N failed" closes the run.
 *
 * Command line: [--device cpu|cuda] [--filter PATTERN]. The pattern may hold * and ?, and is matched against names
 * such as "cpu/32/t3 put_replaces_and_reports_old".
 * Environment: PLEACH_TEST_SEED sets the seed, PLEACH_TEST_SCALE sizes the long cases (percent, default 100),
 * PLEACH_TEST_SKIP (patterns like the filter's, with blanks between them) leaves cases out and says which,
 * PLEACH_TEST_THREADS is the number of calling threads in the thread tests (default 4). What the maps are made of:
 * PLEACH_TEST_VERSIONED, PLEACH_TEST_ENGINE, PLEACH_TEST_STRUCTURE and PLEACH_TEST_RAISE (testkit/wide.c).
 */
#ifndef PLEACH_TESTS_HARNESS_H
#define PLEACH_TESTS_HARNESS_H

/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pleach/pleach.h>

#include "buffers.h"

/* Which sanitizer the tests are compiled with: gcc defines a macro, clang has a feature. */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#ifdef __SANITIZE_ADDRESS__
#define ADDRESS_SANITIZER 1
#else
#define ADDRESS_SANITIZER __has_feature(address_sanitizer)
#endif
#ifdef __SANITIZE_THREAD__
#define THREAD_SANITIZER 1
#else
#define THREAD_SANITIZER __has_feature(thread_sanitizer)
#endif

typedef struct setting {
    pleach_device device;
    unsigned key_bits;
    unsigned threads; /* the map's worker threads */
} setting;

typedef struct test_case {
    const char *name;
    void (*run)(const setting *where); /* NULL: the other one */
    void (*run_with)(const setting *where, const void *what);
    const void *what;
    bool of_trees; /* left out where the tests' maps are skiplists */
} test_case;

#define CASE(function) {.name = #function, .run = (function)}
/* Of batches, snapshots, views: skiplists have none. */
#define CASE_OF_TREES(function) {.name = #function, .run = (function), .of_trees = true}
/* One of several cases that only differ in what the function is given. */
#define CASE_WITH(title, function, argument) {.name = #title, .run_with = (function), .what = (argument)}
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Runs the table; answers main's exit status. */
int run_cases(int argc, char **argv, pleach_device default_device, const test_case *cases, size_t count);

/* The same with 128-bit keys, which only CPU maps have, and 1 to 4 worker threads. */
int run_cases_with_widest_keys(int argc, char **argv, const test_case *cases, size_t count);

/* Whether the tests' maps are skiplists: PLEACH_TEST_STRUCTURE. */
bool tests_skiplist(void);

/* For programs that need what only trees have, before all else: their maps are trees whatever the environment says, and
 * scripts/suite.sh leaves them out of the tests of skiplists. */
void tests_of_trees(void);

/* Whether PLEACH_TEST_SKIP names this case; if so, says it. */
bool left_out(const char *name);

/* The run's seed; constant during a run. */
uint64_t test_seed(void);

/* n, sized by PLEACH_TEST_SCALE; at least 1. */
size_t scaled(size_t n);

/* n, or less of it if PLEACH_TEST_SCALE is below 100, but not below `least`: for sizes that must keep their meaning,
 * such as enough keys for several levels of nodes. */
size_t shrunk(size_t n, size_t least);

/* As scaled, but a hundredth of it on a GPU, where a single call costs a kernel launch. */
size_t scaled_single_calls(const setting *where, size_t n);

/* Calling threads of the thread tests. */
size_t calling_threads(void);

/* Adds to the number of checked operations that the run reports; callable from any thread. */
void count_checked(size_t operations);

/* Free bytes of the GPU that this thread uses; 0 for a CPU setting, and where PLEACH_TEST_SHARED_GPU says that other
 * programs use the GPU too. Fails the test if the driver does not say. */
size_t gpu_free_bytes(const setting *where);

/* What two of these results may differ by without anything being lost: the runtime rounds to such pieces. */
enum { GPU_ROUNDING = 4 << 20 };

/* For AT_END. */
static inline void destroy_map(pleach_map **map) { pleach_map_destroy(*map); }
static inline void destroy_graph(pleach_graph **graph) { pleach_graph_destroy(*graph); }

#define assert_ok(call) assert_int_equal((call), PLEACH_OK)

#endif
