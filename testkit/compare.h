/* testkit/compare.h - does a quiet map hold exactly what the oracle holds, by every way of asking? */
#ifndef PLEACH_TESTS_COMPARE_H
#define PLEACH_TESTS_COMPARE_H

#include "oracle.h"
#include "patterns.h"
#include "wide.h"

/* A map and an oracle with the same content. */
typedef struct filled {
    wide w;
    oracle *o;
} filled;

/* n keys of the pattern, with their values_for, salt 1. */
filled fill_map(const setting *where, pattern p, size_t n, rng *r);
void filled_close(filled *f);

/* Asks size, export, min, max, and find, contains, succ, pred and short ranges at every key of the oracle's universe
 * and beside it, the full range, and validate. Fails the test at the first difference. */
void assert_same(const wide *w, const oracle *o);

/* Only size, export and validate. */
void assert_same_content(const wide *w, const oracle *o);

/* Applies an array call of puts or adds (oracle_put, oracle_add), or of erases, to the oracle, element by element;
 * expected outcomes and old values are written. Distinct keys only, since the map may take equal keys in another order. */
typedef pleach_outcome oracle_insert(oracle *o, uint64_t key, uint64_t value, uint64_t *old);
void oracle_insert_all(oracle *o, oracle_insert *insert, size_t n, const uint64_t *keys, const uint64_t *values,
                       uint8_t *outcomes, uint64_t *olds);
void oracle_erase_all(oracle *o, size_t n, const uint64_t *keys, uint8_t *outcomes, uint64_t *olds);

/* The same array call on map and oracle; fails the test where outcomes or old values differ. */
void put_both(const wide *w, oracle *o, size_t n, const uint64_t *keys, const uint64_t *values);
void add_both(const wide *w, oracle *o, size_t n, const uint64_t *keys, const uint64_t *values);
void erase_both(const wide *w, oracle *o, size_t n, const uint64_t *keys);

/* Tells the oracle what an array call of puts or adds (oracle_put, oracle_add) reports that it has applied; `olds` may
 * be NULL. Returns how many elements were refused; these must be absent. */
size_t acknowledge(oracle *o, oracle_insert *insert, size_t n, const uint64_t *keys, const uint64_t *values,
                   const uint8_t *outcomes, const uint64_t *olds);

/* Asks the map one array call, and fails the test where the results of one that succeeds differ from the oracle's.
 * Unwritten outputs are part of the comparison. Returns the call's status. */
pleach_status compare_find(const wide *w, const oracle *o, size_t n, const uint64_t *keys);
pleach_status compare_contains(const wide *w, const oracle *o, size_t n, const uint64_t *keys);
pleach_status compare_succ(const wide *w, const oracle *o, size_t n, const uint64_t *keys);
pleach_status compare_pred(const wide *w, const oracle *o, size_t n, const uint64_t *keys);
pleach_status compare_range(const wide *w, const oracle *o, size_t n, const uint64_t *lo, const uint64_t *hi,
                            uint32_t limit);
pleach_status compare_range_limit(const wide *w, const oracle *o, size_t n, const uint64_t *lo, const uint64_t *hi,
                                  uint32_t limit);
pleach_status compare_range_count(const wide *w, const oracle *o, size_t n, const uint64_t *lo, const uint64_t *hi);

/* The same by calls that must succeed. */
#define check_succ(...) assert_ok(compare_succ(__VA_ARGS__))
#define check_pred(...) assert_ok(compare_pred(__VA_ARGS__))
#define check_range(...) assert_ok(compare_range(__VA_ARGS__))
#define check_range_limit(...) assert_ok(compare_range_limit(__VA_ARGS__))
#define check_range_count(...) assert_ok(compare_range_count(__VA_ARGS__))
void check_find(const wide *w, const oracle *o, size_t n, const uint64_t *keys); /* and contains */
void check_min_max(const wide *w, const oracle *o);

/* As assert_memory_equal, but says which element differs and how. */
void assert_words_equal(const char *what, size_t n, const uint64_t *got, const uint64_t *expected);
void assert_bytes_equal(const char *what, size_t n, const uint8_t *got, const uint8_t *expected);

#endif
