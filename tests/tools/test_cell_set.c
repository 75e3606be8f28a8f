/* test_cell_set.c - the set that batches of pleach stress are checked against: an oracle that errs accuses the library. */
#include <stdlib.h>

#include "testkit/harness.h"
#include "testkit/random.h"
#include "testkit/units.h"
#include "tools/stress/cell_set.h"

/* Powers of two and their neighbours, where the tree gets another level. */
static const size_t sizes[] = {1, 2, 63, 64, 65, 1000, 4095, 4096, 4097, 262143, 262144, 262145};

static void check_against_flags(const struct cell_set *set, const bool *present)
{
    size_t next = set->cells;
    for (size_t cell = set->cells; cell-- > 0;) {
        if (present[cell]) next = cell;
        assert_int_equal(cell_set_from(set, cell), next);
        assert_int_equal(cell_set_has(set, cell), present[cell]);
    }
    size_t before = SIZE_MAX, below = 0;
    for (size_t cell = 0; cell <= set->cells; cell++) {
        assert_int_equal(cell_set_before(set, cell), before);
        if (cell % 61 == 0 || cell == set->cells) assert_int_equal(cell_set_below(set, cell), below);
        if (cell < set->cells && present[cell]) before = cell, below++;
    }
    assert_int_equal(cell_set_from(set, set->cells), set->cells);
    assert_int_equal(set->size, below);
    assert_int_equal(cell_set_between(set, 0, set->cells), below);
}

/* Full, ever emptier, and empty: each state is looked at from every cell. */
static void test_every_cell(void)
{
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct cell_set set;
        FREED bool *present = calloc(sizes[i], sizeof present[0]);
        assert_non_null(present);
        assert_true(cell_set_create(&set, sizes[i]));
        rng random = rng_for(i, 1);
        check_against_flags(&set, present);
        for (unsigned percent = 100; percent > 0; percent /= 4) {
            for (size_t cell = 0; cell < sizes[i]; cell++) {
                present[cell] = rng_percent(&random, percent);
                if (present[cell])
                    cell_set_insert(&set, cell);
                else
                    cell_set_erase(&set, cell);
            }
            check_against_flags(&set, present);
        }
        cell_set_destroy(&set);
    }
}

int main(int argc, char **argv)
{
    unit_case cases[] = {UNIT_NAMED("every cell", test_every_cell)};
    return run_units("test_cell_set", argc, argv, cases, sizeof cases / sizeof cases[0]);
}
