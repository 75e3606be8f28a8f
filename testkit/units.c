#include "units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

static size_t passed;

static void run_one(void **state)
{
    const unit_case *what = *state;
    if (what->run)
        what->run();
    else
        what->run_with(what->argument);
    passed++; /* a failed assertion jumps past this line */
}

int run_units(const char *program, int argc, char **argv, unit_case *cases, size_t count)
{
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    if (!tests)
        return 1;
    setvbuf(stdout, NULL, _IOLBF, 0); /* cmocka writes to both streams: keep lines whole where they are merged */
    if (argc == 3 && !strcmp(argv[1], "--filter"))
        cmocka_set_test_filter(argv[2]);
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (!left_out(cases[i].name))
            tests[n++] = (struct CMUnitTest){.name = cases[i].name, .test_func = run_one, .initial_state = &cases[i]};
    printf("%s: PLEACH_TEST_SEED=%llu\n", program, (unsigned long long)test_seed());
    int failed = _cmocka_run_group_tests(program, tests, n, NULL, NULL);
    printf("%zu passed, %d failed\n", passed, failed);
    free(tests);
    return failed || !passed ? 1 : 0;
}
