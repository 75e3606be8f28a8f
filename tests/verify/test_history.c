/* test_history.c - the checker of histories: histories that are good, histories that are known to be bad and what is
 * said about them. test_history_random.c compares its verdicts on random ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/harness.h"
#include "testkit/rounds.h"
#include "testkit/units.h"

/* ---- histories by hand -------------------------------------------------------------------------------------------
 * (agent, invoked, returned, ...), named after what is answered. */

#define OP(who, from, to, what, told) .agent = who, .invoked = from, .returned = to, .kind = what, .outcome = told
#define INSERTS(who, from, to, k, v) {OP(who, from, to, HISTORY_PUT, HISTORY_INSERTED), .key = k, .value = v}
#define REPLACES(who, from, to, k, v, old)                                                                            \
    {OP(who, from, to, HISTORY_PUT, HISTORY_REPLACED), .key = k, .value = v, .out_value = old}
#define ADDS(who, from, to, k, v) {OP(who, from, to, HISTORY_ADD, HISTORY_INSERTED), .key = k, .value = v}
#define ADDS_NOT(who, from, to, k, v, old)                                                                            \
    {OP(who, from, to, HISTORY_ADD, HISTORY_EXISTS), .key = k, .value = v, .out_value = old}
#define ERASES(who, from, to, k, old) {OP(who, from, to, HISTORY_ERASE, HISTORY_ERASED), .key = k, .out_value = old}
#define ERASES_NOT(who, from, to, k) {OP(who, from, to, HISTORY_ERASE, HISTORY_ABSENT), .key = k}
#define FINDS(who, from, to, k, v) {OP(who, from, to, HISTORY_FIND, HISTORY_FOUND), .key = k, .out_value = v}
#define MISSES(who, from, to, k) {OP(who, from, to, HISTORY_FIND, HISTORY_NOT_FOUND), .key = k}
#define CEIL(who, from, to, k, ok, ov)                                                                                \
    {OP(who, from, to, HISTORY_CEIL, HISTORY_FOUND), .key = k, .out_key = ok, .out_value = ov}
#define NO_CEIL(who, from, to, k) {OP(who, from, to, HISTORY_CEIL, HISTORY_NOT_FOUND), .key = k}
#define FLOOR(who, from, to, k, ok, ov)                                                                               \
    {OP(who, from, to, HISTORY_FLOOR, HISTORY_FOUND), .key = k, .out_key = ok, .out_value = ov}
#define NO_FLOOR(who, from, to, k) {OP(who, from, to, HISTORY_FLOOR, HISTORY_NOT_FOUND), .key = k}
#define SPAN(who, from, to, what, lo, hi, first, n)                                                                   \
    OP(who, from, to, what, HISTORY_NOT_APPLIED), .key = lo, .high = hi, .pairs = first, .pair_count = n
#define RANGE(who, from, to, lo, hi, first, n) {SPAN(who, from, to, HISTORY_RANGE, lo, hi, first, n)}
#define LIMITED(who, from, to, lo, hi, first, n) {SPAN(who, from, to, HISTORY_RANGE, lo, hi, first, n), .limited = true}
#define ATOMIC(who, from, to, lo, hi, first, n) {SPAN(who, from, to, HISTORY_RANGE_ATOMIC, lo, hi, first, n)}
#define ATOMIC_LIMITED(who, from, to, lo, hi, first, n)                                                               \
    {SPAN(who, from, to, HISTORY_RANGE_ATOMIC, lo, hi, first, n), .limited = true}
#define COUNT(who, from, to, lo, hi, n) {SPAN(who, from, to, HISTORY_COUNT_ATOMIC, lo, hi, 0, 0), .out_value = n}
#define PUT_PENDS(who, from, k, v) {OP(who, from, HISTORY_PENDING, HISTORY_PUT, 0), .key = k, .value = v}
#define ADD_PENDS(who, from, k, v) {OP(who, from, HISTORY_PENDING, HISTORY_ADD, 0), .key = k, .value = v}
#define ERASE_PENDS(who, from, k) {OP(who, from, HISTORY_PENDING, HISTORY_ERASE, 0), .key = k}
#define FIND_PENDS(who, from, k) {OP(who, from, HISTORY_PENDING, HISTORY_FIND, 0), .key = k}
#define PUT_FAILS(who, from, to, k, v) {OP(who, from, to, HISTORY_PUT, HISTORY_NOT_APPLIED), .key = k, .value = v}

#define OPS(...)                                                                                                      \
    .ops = (const history_op[]){__VA_ARGS__}, .count = sizeof((const history_op[]){__VA_ARGS__}) / sizeof(history_op)
#define PAIRS(...) (const history_pair[]){__VA_ARGS__}
#define PAIR_COUNT(...) sizeof((const history_pair[]){__VA_ARGS__}) / sizeof(history_pair)
#define INITIAL(...) .initial = PAIRS(__VA_ARGS__), .initial_count = PAIR_COUNT(__VA_ARGS__)
#define REPORTED(...) .pairs = PAIRS(__VA_ARGS__)
#define FINAL(...) .final = PAIRS(__VA_ARGS__), .final_count = PAIR_COUNT(__VA_ARGS__)
#define FINAL_EMPTY .final = PAIRS({0, 0}), .final_count = 0

typedef struct hand_made {
    const char *name;
    history h;
    const char *says[5]; /* bad ones: what an explanation must contain, the first one as its beginning */
    const char *omits;   /* and what it must not contain; NULL: nothing */
} hand_made;

static const hand_made good[] = {
    {"nothing_at_all", {0}, {NULL}, NULL},
    {"one_agent_all_answers",
     {OPS(INSERTS(1, 1, 2, 7, 10), REPLACES(1, 3, 4, 7, 11, 10), ADDS_NOT(1, 5, 6, 7, 12, 11), FINDS(1, 7, 8, 7, 11),
          ERASES(1, 9, 10, 7, 11), ERASES_NOT(1, 11, 12, 7), MISSES(1, 13, 14, 7), ADDS(1, 15, 16, 7, 13)),
      FINAL({7, 13})},
     {NULL}, NULL},
    {"initial_and_final", {INITIAL({1, 5}, {2, 6}), OPS(ERASES(1, 1, 2, 1, 5), FINDS(1, 3, 4, 2, 6)), FINAL({2, 6})},
     {NULL}, NULL},
    {"overlapping_find_sees_old_or_new", {OPS(INSERTS(1, 1, 9, 7, 10), MISSES(2, 2, 4, 7), FINDS(2, 5, 6, 7, 10))},
     {NULL}, NULL},
    {"equal_stamps_overlap", {OPS(INSERTS(1, 1, 5, 7, 10), MISSES(2, 5, 6, 7))}, {NULL}, NULL},
    {"updates_in_the_other_order",
     {OPS(REPLACES(1, 1, 9, 7, 10, 11), INSERTS(2, 2, 8, 7, 11), FINDS(1, 10, 11, 7, 10))},
     {NULL}, NULL},
    {"four_overlapping_in_one_order",
     {OPS(REPLACES(1, 1, 20, 7, 1, 4), REPLACES(2, 2, 21, 7, 2, 1), INSERTS(3, 3, 22, 7, 3),
          REPLACES(4, 4, 23, 7, 4, 3)),
      FINAL({7, 2})},
     {NULL}, NULL},
    {"not_applied_is_nothing", {OPS(PUT_FAILS(1, 1, 2, 7, 10), MISSES(1, 3, 4, 7)), FINAL_EMPTY}, {NULL}, NULL},
    {"pending_put_happens", {OPS(PUT_PENDS(1, 1, 7, 10), MISSES(2, 2, 3, 7), FINDS(2, 4, 5, 7, 10))}, {NULL}, NULL},
    {"pending_put_does_not_happen", {OPS(PUT_PENDS(1, 1, 7, 10), MISSES(2, 2, 3, 7)), FINAL_EMPTY}, {NULL}, NULL},
    {"pending_put_happens_at_the_very_end", {OPS(PUT_PENDS(1, 1, 7, 10), MISSES(2, 2, 3, 7)), FINAL({7, 10})},
     {NULL}, NULL},
    {"pending_erase_between_two_finds",
     {INITIAL({7, 1}), OPS(ERASE_PENDS(1, 1, 7), FINDS(2, 2, 3, 7, 1), MISSES(2, 4, 5, 7))}, {NULL}, NULL},
    {"pending_put_overwrites_where_pending_add_cannot",
     {OPS(PUT_PENDS(1, 1, 7, 5), ADD_PENDS(2, 2, 7, 5), FINDS(3, 3, 4, 7, 5), REPLACES(3, 5, 6, 7, 6, 5),
          FINDS(3, 7, 8, 7, 6), FINDS(3, 9, 10, 7, 5))},
     {NULL}, NULL},
    {"pending_find_says_nothing", {INITIAL({7, 1}), OPS(FIND_PENDS(1, 1, 7)), FINAL({7, 1})}, {NULL}, NULL},
    {"put_of_the_same_value", {INITIAL({7, 1}), OPS(REPLACES(1, 1, 2, 7, 1, 1), FINDS(1, 3, 4, 7, 1))}, {NULL}, NULL},
    {"loose_range_of_two_instants",
     {OPS(INSERTS(1, 2, 3, 1, 10), INSERTS(1, 4, 5, 2, 20), RANGE(2, 1, 9, 0, 9, 0, 1)), REPORTED({2, 20})},
     {NULL}, NULL},
    {"limited_range_is_silent_above", {INITIAL({1, 1}, {2, 2}), OPS(LIMITED(1, 1, 2, 0, 9, 0, 1)), REPORTED({1, 1})},
     {NULL}, NULL},
    {"an_empty_map",
     {OPS(COUNT(1, 1, 2, 0, 9, 0), ATOMIC(1, 3, 4, 0, 9, 0, 0), NO_CEIL(1, 5, 6, 0), RANGE(1, 7, 8, 0, 9, 0, 0)),
      FINAL_EMPTY},
     {NULL}, NULL},
    {"empty_interval", {INITIAL({1, 1}), OPS(RANGE(1, 1, 2, 5, 4, 0, 0), COUNT(1, 3, 4, 5, 4, 0))}, {NULL}, NULL},
    {"extreme_keys",
     {OPS(INSERTS(1, 1, 2, UINT64_MAX, UINT64_MAX), INSERTS(1, 3, 4, 0, 0),
          FLOOR(1, 5, 6, UINT64_MAX, UINT64_MAX, UINT64_MAX),
          CEIL(1, 7, 8, 0, 0, 0), COUNT(1, 9, 10, 0, UINT64_MAX, 2), RANGE(1, 11, 12, 0, UINT64_MAX, 0, 2)),
      REPORTED({0, 0}, {UINT64_MAX, UINT64_MAX})},
     {NULL}, NULL},
    {"ceil_and_floor",
     {INITIAL({2, 20}, {5, 50}),
      OPS(CEIL(1, 1, 2, 3, 5, 50), CEIL(1, 3, 4, 5, 5, 50), NO_CEIL(1, 5, 6, 6), FLOOR(1, 7, 8, 4, 2, 20),
          FLOOR(1, 9, 10, 2, 2, 20), NO_FLOOR(1, 11, 12, 1))},
     {NULL}, NULL},
    {"ceil_beside_a_moving_key",
     {INITIAL({5, 1}), OPS(INSERTS(1, 1, 2, 7, 2), ERASES(1, 3, 4, 5, 1), CEIL(2, 1, 9, 0, 7, 2))}, {NULL}, NULL},
    {"atomic_range_between_two_puts",
     {OPS(INSERTS(1, 2, 3, 1, 10), INSERTS(1, 4, 5, 2, 20), ATOMIC(2, 1, 9, 0, 9, 0, 1), COUNT(3, 1, 9, 0, 9, 1)),
      REPORTED({1, 10})},
     {NULL}, NULL},
    {"atomic_limited_range",
     {INITIAL({1, 1}, {2, 2}, {3, 3}), OPS(ATOMIC_LIMITED(1, 1, 2, 0, 9, 0, 2)), REPORTED({1, 1}, {2, 2})},
     {NULL}, NULL},
    {"atomic_count_needs_a_pending_put", {OPS(PUT_PENDS(1, 1, 3, 3), COUNT(2, 2, 3, 0, 9, 1)), FINAL({3, 3})},
     {NULL}, NULL},
};

static const hand_made bad[] = {
    {"stale_read_after_an_acknowledged_put", {OPS(INSERTS(1, 1, 2, 7, 21), MISSES(2, 3, 4, 7))},
     {"key 7: no order of these 2 operations", "7 absent", "put 7 = 21 -> inserted", "find 7 -> absent"}, NULL},
    {"stale_value", {INITIAL({7, 1}), OPS(REPLACES(1, 1, 2, 7, 2, 1), FINDS(2, 3, 4, 7, 1))},
     {"key 7:", "put 7 = 2 -> replaced 1", "find 7 -> found 1"}, NULL},
    {"lost_update", {OPS(INSERTS(1, 1, 5, 7, 1), REPLACES(2, 2, 6, 7, 2, 1), FINDS(1, 7, 8, 7, 1))},
     {"key 7:", "put 7 = 1", "put 7 = 2", "found 1"}, NULL},
    {"two_inserts_both_inserted", {OPS(INSERTS(1, 1, 5, 7, 1), ADDS(2, 2, 6, 7, 2))},
     {"key 7: no order of these 2", "put 7 = 1 -> inserted", "add 7 = 2 -> inserted"}, NULL},
    {"erased_twice", {INITIAL({7, 1}), OPS(ERASES(1, 1, 5, 7, 1), ERASES(2, 2, 6, 7, 1))},
     {"key 7: no order of these 2", "at the beginning: 7 = 1", "agent 1", "agent 2"}, NULL},
    {"a_value_nobody_wrote", {OPS(INSERTS(1, 1, 9, 7, 1), FINDS(2, 2, 3, 7, 5))}, {"key 7:", "found 5"}, NULL},
    {"flicker_beside_one_put",
     {OPS(INSERTS(1, 1, 9, 7, 1), FINDS(2, 2, 3, 7, 1), MISSES(2, 4, 5, 7), FINDS(2, 6, 7, 7, 1))},
     {"key 7:", "put 7 = 1 -> pending", "found 1", "absent"}, NULL},
    {"two_readers_see_two_orders",
     {OPS(INSERTS(1, 1, 30, 7, 1), REPLACES(2, 2, 31, 7, 2, 1), FINDS(3, 3, 4, 7, 2), FINDS(4, 5, 6, 7, 1))},
     {"key 7:", "found 2", "found 1", "put 7 = 2"}, NULL},
    {"wrong_old_value", {INITIAL({7, 3}), OPS(REPLACES(1, 1, 2, 7, 4, 9))},
     {"key 7: this operation", "replaced 9", "7 = 3"}, NULL},
    {"wrong_existing_value", {INITIAL({7, 3}), OPS(ADDS_NOT(1, 1, 2, 7, 4, 4))}, {"key 7:", "exists 4"}, NULL},
    {"replaced_what_was_never_there", {OPS(REPLACES(1, 1, 2, 7, 4, 0))}, {"key 7:", "replaced 0"}, NULL},
    {"erase_answers_another_value", {OPS(INSERTS(1, 1, 2, 7, 1), ERASES(1, 3, 4, 7, 2))},
     {"key 7:", "put 7 = 1", "erased 2"},
     NULL},
    {"erase_does_not_see_the_key", {OPS(INSERTS(1, 1, 2, 7, 1), ERASES_NOT(2, 3, 4, 7))},
     {"key 7:", "erase 7 -> absent"}, NULL},
    {"not_applied_but_seen", {OPS(PUT_FAILS(1, 1, 2, 7, 10), FINDS(1, 3, 4, 7, 10))}, {"key 7:", "found 10"},
     "not applied"},
    {"insert_after_insert_with_a_reader_between",
     {OPS(INSERTS(1, 1, 10, 7, 1), INSERTS(2, 2, 11, 7, 2), ERASES(3, 12, 13, 7, 2))},
     {"key 7:", "put 7 = 1", "put 7 = 2"}, "erase"},
    {"final_contents_lack_an_acknowledged_key", {OPS(INSERTS(1, 1, 2, 7, 1), INSERTS(1, 3, 4, 8, 1)), FINAL({8, 1})},
     {"key 7:", "put 7 = 1 -> inserted", "at the end: 7 absent"}, "8"},
    {"final_contents_have_an_erased_key", {INITIAL({7, 1}), OPS(ERASES(1, 1, 2, 7, 1)), FINAL({7, 1})},
     {"key 7:", "erased 1", "at the end: 7 = 1"}, NULL},
    {"final_contents_have_a_key_that_nobody_touched", {OPS(INSERTS(1, 1, 2, 7, 1)), FINAL({3, 3}, {7, 1})},
     {"key 3: nobody changed it", "at the end: 3 = 3"}, "put"},
    {"final_contents_out_of_order", {OPS(INSERTS(1, 1, 2, 7, 1), INSERTS(1, 3, 4, 8, 1)), FINAL({8, 1}, {7, 1})},
     {"the final contents are not in ascending order"}, NULL},
    {"final_value_of_an_overwritten_put", {OPS(INSERTS(1, 1, 2, 7, 1), REPLACES(1, 3, 4, 7, 2, 1)), FINAL({7, 1})},
     {"key 7:", "put 7 = 2", "at the end: 7 = 1"}, NULL},
    {"pending_put_seen_then_unseen", {OPS(PUT_PENDS(1, 1, 7, 1), FINDS(2, 2, 3, 7, 1), MISSES(2, 4, 5, 7))},
     {"key 7:", "put 7 = 1 -> pending", "found 1", "find 7 -> absent"}, NULL},
    {"pending_put_seen_before_it_was_invoked", {OPS(FINDS(2, 1, 2, 7, 1), PUT_PENDS(1, 3, 7, 1))},
     {"key 7:", "found 1"}, "put"},
    {"pending_put_happens_once",
     {OPS(PUT_PENDS(1, 1, 7, 1), FINDS(2, 2, 3, 7, 1), ERASES(2, 4, 5, 7, 1), FINDS(2, 6, 7, 7, 1))},
     {"key 7:", "pending", "erased 1", "found 1"}, NULL},
    {"pending_add_does_not_overwrite", {INITIAL({7, 1}), OPS(ADD_PENDS(1, 1, 7, 2), FINDS(2, 2, 3, 7, 2))},
     {"key 7:", "add 7 = 2 -> pending", "found 2"}, NULL},
    {"unseen_pending_put_is_not_blamed",
     {OPS(PUT_PENDS(3, 1, 7, 99), INSERTS(1, 1, 2, 7, 1), FINDS(2, 3, 4, 7, 2))}, {"key 7:", "found 2"}, "99"},
    {"range_loses_an_untouched_key",
     {INITIAL({1, 10}, {2, 20}, {3, 30}), OPS(INSERTS(1, 1, 2, 5, 50), RANGE(2, 1, 9, 0, 9, 0, 2)),
      REPORTED({1, 10}, {3, 30})},
     {"key 2: this operation", "range [0, 9] -> 1:10 3:30", "find 2 -> absent", "2 = 20"}, "put"},
    {"range_reports_an_erased_key",
     {INITIAL({1, 10}), OPS(ERASES(1, 1, 2, 1, 10), RANGE(2, 3, 4, 0, 9, 0, 1)), REPORTED({1, 10})},
     {"key 1:", "erase 1", "range [0, 9] -> 1:10"}, NULL},
    {"range_reports_a_key_twice", {INITIAL({1, 10}), OPS(RANGE(1, 1, 2, 0, 9, 0, 2)), REPORTED({1, 10}, {1, 10})},
     {"a range reports a key twice", "range [0, 9] -> 1:10 1:10"}, NULL},
    {"range_out_of_order", {INITIAL({1, 10}, {2, 20}), OPS(RANGE(1, 1, 2, 0, 9, 0, 2)), REPORTED({2, 20}, {1, 10})},
     {"a range does not report its keys in ascending order", "2:20 1:10"}, NULL},
    {"range_leaves_its_interval",
     {INITIAL({1, 10}, {9, 90}), OPS(RANGE(1, 1, 2, 0, 5, 0, 2)), REPORTED({1, 10}, {9, 90})},
     {"a range reports a key outside of its interval"}, NULL},
    {"limited_range_skips_a_key",
     {INITIAL({1, 10}, {2, 20}, {3, 30}), OPS(LIMITED(1, 1, 2, 0, 9, 0, 2)), REPORTED({1, 10}, {3, 30})},
     {"key 2:", "(limit)"}, NULL},
    {"ceil_jumps_over_a_key", {INITIAL({5, 50}, {8, 80}), OPS(CEIL(1, 1, 2, 3, 8, 80))},
     {"key 5: this operation", "ceil 3 -> 8:80", "find 5 -> absent"}, NULL},
    {"ceil_answers_below", {INITIAL({5, 50}), OPS(CEIL(1, 1, 2, 6, 5, 50))}, {"a ceil answers a key below", "ceil 6"},
     NULL},
    {"floor_jumps_over_a_key", {INITIAL({5, 50}, {8, 80}), OPS(FLOOR(1, 1, 2, 9, 5, 50))},
     {"key 8:", "floor 9 -> 5:50"}, NULL},
    {"floor_finds_none", {INITIAL({5, 50}), OPS(NO_FLOOR(1, 1, 2, 9))}, {"key 5:", "floor 9 -> none"}, NULL},
    {"ceil_mixes_two_instants", /* 5 leaves only after 6 has come, so 7 is never the nearest */
     {INITIAL({5, 1}, {7, 1}),
      OPS(INSERTS(1, 2, 3, 6, 1), ERASES(1, 4, 5, 5, 1), ERASES(1, 10, 11, 6, 1), INSERTS(1, 12, 13, 5, 2),
          CEIL(2, 1, 9, 5, 7, 1))},
     {"many keys at one instant: no order of these 3", "put 6 = 1 -> inserted", "erase 5 -> ", "ceil 5 -> 7:1"},
     "put 5"},
    {"atomic_range_sees_the_second_put_alone",
     {OPS(INSERTS(1, 2, 3, 1, 10), INSERTS(1, 4, 5, 2, 20), ATOMIC(2, 1, 9, 0, 9, 0, 1)), REPORTED({2, 20})},
     {"many keys at one instant: no order of these 3", "put 1 = 10", "put 2 = 20", "atomic range [0, 9] -> 2:20"},
     NULL},
    {"atomic_ranges_disagree_on_the_order",
     {OPS(INSERTS(1, 1, 20, 1, 10), INSERTS(2, 2, 21, 2, 20), ATOMIC(3, 3, 4, 0, 9, 0, 1), ATOMIC(4, 3, 4, 0, 9, 1, 1)),
      REPORTED({1, 10}, {2, 20})},
     {"many keys at one instant: no order of these 4", "atomic range [0, 9] -> 1:10", "atomic range [0, 9] -> 2:20"},
     NULL},
    {"atomic_count_too_large",
     {INITIAL({1, 1}), OPS(INSERTS(1, 2, 3, 2, 2), ERASES(1, 4, 5, 1, 1), COUNT(2, 1, 9, 0, 9, 3))},
     {"many keys at one instant", "atomic count [0, 9] -> 3"}, NULL},
    {"atomic_count_too_small", /* the old key leaves after the new one has come: never none */
     {INITIAL({1, 1}),
      OPS(INSERTS(1, 2, 3, 2, 2), ERASES(1, 4, 5, 1, 1), COUNT(2, 1, 9, 0, 9, 0), INSERTS(3, 1, 9, 50, 5))},
     {"many keys at one instant", "put 2 = 2", "erase 1", "atomic count [0, 9] -> 0"}, "put 50"},
    {"atomic_count_disagrees_with_the_final_contents",
     {OPS(PUT_PENDS(1, 1, 3, 3), COUNT(2, 2, 3, 0, 9, 1)), FINAL_EMPTY},
     {"many keys at one instant", "put 3 = 3 -> pending", "atomic count", "at the end: {}"}, NULL},
    {"find_answers_as_an_erase", {OPS({OP(1, 1, 2, HISTORY_FIND, HISTORY_ERASED), .key = 7})},
     {"no map answers", "find 7"}, NULL},
    {"returned_before_it_was_invoked", {OPS(MISSES(1, 5, 4, 7))}, {"an operation returns before it is invoked"}, NULL},
};

static void good_history(const void *argument)
{
    const hand_made *made = argument;
    history_checker *c = new_checker();
    if (history_check(c, &made->h) != HISTORY_GOOD)
        fail_msg("%s: %s", made->name, explanation(c, &made->h));
    history_checker_destroy(c);
}

static void bad_history(const void *argument)
{
    const hand_made *made = argument;
    history_checker *c = new_checker();
    assert_int_equal(history_check(c, &made->h), HISTORY_BAD);
    FREED char *text = explanation(c, &made->h);
    if (strncmp(text, made->says[0], strlen(made->says[0])))
        fail_msg("does not begin with \"%s\":\n%s", made->says[0], text);
    for (size_t i = 1; i < COUNT_OF(made->says) && made->says[i]; i++)
        if (!strstr(text, made->says[i]))
            fail_msg("does not say \"%s\":\n%s", made->says[i], text);
    if (made->omits && strstr(text, made->omits))
        fail_msg("says \"%s\":\n%s", made->omits, text);
    history_checker_destroy(c);
}

/* ---- one line per operation -------------------------------------------------------------------------------------- */

static void printed_operations(void)
{
    const history_pair pairs[] = {{1, 10}, {2, 20}};
    const struct {
        history_op op;
        const char *line;
    } lines[] = {
        {REPLACES(3, 12, 40, 7, 21, 5), "agent 3  [12, 40]  put 7 = 21 -> replaced 5"},
        {INSERTS(0, 1, 2, 7, 21), "agent 0  [1, 2]  put 7 = 21 -> inserted"},
        {ADDS_NOT(1, 1, 2, 7, 21, 5), "agent 1  [1, 2]  add 7 = 21 -> exists 5"},
        {ERASES(1, 1, 2, 7, 5), "agent 1  [1, 2]  erase 7 -> erased 5"},
        {ERASES_NOT(1, 1, 2, 7), "agent 1  [1, 2]  erase 7 -> absent"},
        {FINDS(1, 1, 2, 7, 5), "agent 1  [1, 2]  find 7 -> found 5"},
        {MISSES(1, 1, 2, 7), "agent 1  [1, 2]  find 7 -> absent"},
        {CEIL(1, 1, 2, 7, 8, 5), "agent 1  [1, 2]  ceil 7 -> 8:5"},
        {NO_FLOOR(1, 1, 2, 7), "agent 1  [1, 2]  floor 7 -> none"},
        {RANGE(1, 1, 2, 0, 9, 0, 2), "agent 1  [1, 2]  range [0, 9] -> 1:10 2:20"},
        {LIMITED(1, 1, 2, 0, 9, 1, 1), "agent 1  [1, 2]  range [0, 9] -> 2:20 (limit)"},
        {ATOMIC(1, 1, 2, 0, 9, 0, 0), "agent 1  [1, 2]  atomic range [0, 9] -> nothing"},
        {COUNT(1, 1, 2, 0, 9, 4), "agent 1  [1, 2]  atomic count [0, 9] -> 4"},
        {PUT_PENDS(1, 1, 7, 21), "agent 1  [1, pending]  put 7 = 21 -> pending"},
        {PUT_FAILS(1, 1, 2, 7, 21), "agent 1  [1, 2]  put 7 = 21 -> not applied"},
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        FREED char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        history_print_op(&lines[i].op, pairs, out);
        fclose(out);
        assert_string_equal(text, lines[i].line);
    }
}

/* ---- too many orders --------------------------------------------------------------------------------------------- */

/* 40 pairs of insert and erase, all at once, two of them of the same value, and an erase of a value that nobody gave:
 * too many sets to try. */
static void too_many_orders(void)
{
    enum { PAIRED = 40 };
    history_op ops[2 * PAIRED + 1];
    history h = {.ops = ops, .count = COUNT_OF(ops)};
    for (uint32_t i = 0; i < PAIRED; i++) {
        uint64_t value = i ? i : 1;
        ops[2 * i] = (history_op)INSERTS(i, 1, 10 + i, 7, value);
        ops[2 * i + 1] = (history_op)ERASES(i, 1, 100 + i, 7, value);
    }
    history_checker *c = new_checker();
    ops[2 * PAIRED] = (history_op)MISSES(99, 1000, 1001, 7);
    assert_int_equal(history_check(c, &h), HISTORY_GOOD);
    ops[2 * PAIRED] = (history_op)ERASES(99, 1, 1000, 7, 77);
    assert_int_equal(history_check(c, &h), HISTORY_UNDECIDED);
    history_checker_destroy(c);
}

int main(int argc, char **argv)
{
    static unit_case cases[COUNT_OF(good) + COUNT_OF(bad) + 2];
    size_t n = 0;
    for (size_t i = 0; i < COUNT_OF(good); i++)
        cases[n++] = (unit_case)UNIT_WITH(good[i].name, good_history, &good[i]);
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        cases[n++] = (unit_case)UNIT_WITH(bad[i].name, bad_history, &bad[i]);
    cases[n++] = (unit_case)UNIT(printed_operations);
    cases[n++] = (unit_case)UNIT(too_many_orders);
    return run_units("test_history", argc, argv, cases, n);
}
