/* bench_cases.c - the list of benchmarks, with their sizes. */
#include <stdio.h>

#include "bench/harness/bench.h"

enum { M = 1000000, ARRAY = CASE_CPU | CASE_CUDA, MIXED = ARRAY | CASE_DISTINCT | CASE_NARROW | CASE_TREE };

/* Name, {CPU keys, CPU operations, GPU keys, GPU operations}; 0 operations where the keys say how many. Neighbours in
 * the list have the same number of keys where they can, because other keys take time to generate. */
const struct bench_case bench_cases[BENCH_CASES] = {
    {"limits", {0, 0, 0, 0}, ARRAY, bench_limits,
     "what memory can do: random lines read and changed, bytes copied, pairs sorted"},
    {"load", {10 * M, 0, 64 * M, 0}, ARRAY | CASE_DISTINCT, bench_load,
     "bulk load of sorted pairs into an empty map"},
    {"find", {10 * M, 1 * M, 64 * M, 64 * M}, ARRAY, bench_find,
     "array find of keys in the map"},
    {"find-miss", {10 * M, 1 * M, 64 * M, 64 * M}, ARRAY | CASE_DISTINCT, bench_find_miss,
     "array find of keys not in the map"},
    {"export", {10 * M, 0, 64 * M, 0}, ARRAY | CASE_DISTINCT, bench_export,
     "all pairs in order"},
    {"find-mixed", {10 * M, 1 * M, 64 * M, 64 * M}, ARRAY | CASE_NARROW, bench_find_mixed,
     "array find beside a writer"},
    {"insert-batch", {10 * M, 0, 16 * M, 0}, ARRAY | CASE_DISTINCT, bench_insert_batch,
     "array put of 2^16, 2^18, 2^20, 2^22 new keys"},
    {"insert-empty", {5 * M, 0, 16 * M, 0}, ARRAY | CASE_DISTINCT, bench_insert_empty,
     "array put of all keys into an empty map"},
    {"insert-sorted", {5 * M, 0, 1 << 25, 0}, ARRAY | CASE_DISTINCT, bench_insert_sorted,
     "array put of all keys in ascending order into an empty map"},
    {"erase", {10 * M, 0, 40 * M, 0}, ARRAY | CASE_DISTINCT, bench_erase,
     "array erase of a tenth of the keys"},
    {"erase-sorted", {10 * M, 0, 40 * M, 0}, ARRAY | CASE_DISTINCT, bench_erase_sorted,
     "the same, in ascending order"},
    {"range-limit", {10 * M, 1 * M, 40 * M, 4 * M}, ARRAY, bench_range_limit,
     "ranges of 8 and 32 expected pairs, at most twice as many"},
    {"range-packed", {10 * M, 1 * M, 40 * M, 4 * M}, ARRAY, bench_range_packed,
     "ranges of 8 and 32 expected pairs, packed"},
    {"range-count", {10 * M, 1 * M, 40 * M, 4 * M}, ARRAY, bench_range_count,
     "counting ranges of 32 expected keys"},
    {"long-count", {10 * M, 0, 40 * M, 0}, ARRAY, bench_long_count,
     "one count of everything; host arrays, as in all that follow up to long-mixed"},
    {"long-range", {10 * M, 1 << 16, 40 * M, 1 << 16}, ARRAY, bench_long_range,
     "one packed range of so many pairs"},
    {"long-export", {10 * M, 0, 40 * M, 0}, ARRAY, bench_long_export,
     "all pairs in order, of a snapshot where there are some"},
    {"long-save", {10 * M, 0, 40 * M, 0}, ARRAY, bench_long_save,
     "a snapshot to a file in the current folder; with --versioned"},
    {"range-one", {10 * M, 100, 40 * M, 100}, ARRAY, bench_range_one,
     "one packed range of so many pairs, short"},
    {"long-mixed", {10 * M, 1 * M, 40 * M, 1 * M}, ARRAY, bench_long_mixed,
     "counts of ranges of 8 keys, one over everything, and both in one call"},
    {"succ", {10 * M, 1 * M, 40 * M, 4 * M}, ARRAY, bench_succ,
     "array successor"},
    {"pred", {10 * M, 1 * M, 40 * M, 4 * M}, ARRAY, bench_pred,
     "array predecessor"},
    {"apply", {10 * M, 1 << 20, 1 << 23, 1 << 20}, ARRAY | CASE_TREE, bench_apply,
     "batches, as if one after the other: finds, with 5%, 50%, 100% updates of present keys, or inserts"},
    {"batches", {10 * M, 0, 0, 0}, CASE_CPU | CASE_NARROW | CASE_TREE, bench_batches,
     "batches of 2^8 to 2^20 finds, updates, inserts, erases beside array calls, in turn; stages, and a model"},
    {"single-find", {10 * M, 1 * M, 0, 0}, CASE_CPU | CASE_NARROW, bench_single_find,
     "single finds from all threads"},
    {"single-put", {10 * M, 1 * M, 0, 0}, CASE_CPU | CASE_DISTINCT | CASE_NARROW, bench_single_put,
     "single puts of new keys from all threads"},
    {"single-mixed", {10 * M, 1 * M, 0, 0}, CASE_CPU | CASE_NARROW, bench_single_mixed,
     "single finds with 5% and 50% puts of present keys"},
    {"queue", {10 * M, 1 * M, 1 << 23, 4 * M}, ARRAY | CASE_NARROW | CASE_TREE, bench_queue,
     "finds with 0%, 5%, 50% puts of present keys, submitted to a queue by all threads; and calls that wait"},
    {"index", {8 * M, 1 << 20, 1 << 23, 1 << 20}, ARRAY | CASE_DISTINCT | CASE_NARROW | CASE_TREE, bench_index,
     "a multi-value index of so many pairs, 8 ids a key: arrays, and a batch with a quarter of each; host arrays"},
    {"hash", {4404019, 0, 35232153, 0}, ARRAY | CASE_DISTINCT | CASE_NARROW | CASE_TREE, bench_hash,
     "hash tables of a 64th of the keys, an 8th, all: put, find, erase of half; the map's beside them"},
    {"mixed-range", {10 * M, 1 * M, 40 * M, 5 * M}, MIXED, bench_mixed_range,
     "one kernel, or single calls: puts beside ranges of 8 and 32; without versions, and linearizable with them"},
    {"mixed-length", {1 * M, 1 * M, 1 * M, 5 * M}, MIXED, bench_mixed_length,
     "the same, half puts, ranges of 4 to 256"},
    {"mixed-memory", {5 * M, 5 * M, 45 * M, 45 * M}, MIXED, bench_mixed_memory,
     "the memory that half puts, half ranges leave a map with versions with, by tenths of them"},
    {"mixed-erase", {10 * M, 1 * M, 45 * M, 45 * M}, MIXED, bench_mixed_erase,
     "one kernel, or single calls: erases beside finds, without versions and with them"},
    {"mixed-all", {10 * M, 1 * M, 16 * M, 16 * M}, MIXED, bench_mixed_all,
     "puts, erases, finds, ranges of 8 and successors in one kernel, or by single calls: 20%, 60%, 100% updates"},
};

/* A size, or a dash where there is none. */
static void print_size(size_t size)
{
    if (size > 0)
        printf(" %10zu", size);
    else
        printf(" %10s", "-");
}

void bench_print_list(void)
{
    printf("%-14s %-10s %10s %10s %10s %10s  %s\n", "name", "device", "CPU: keys", "operations", "GPU: keys",
           "operations", "what");
    for (size_t i = 0; i < BENCH_CASES; i++) {
        const struct bench_case *c = &bench_cases[i];
        printf("%-14s %-10s", c->name, !(c->flags & CASE_CUDA) ? "cpu" : c->flags & CASE_CPU ? "cpu, cuda" : "cuda");
        print_size(c->sizes.cpu_keys);
        print_size(c->sizes.cpu_ops);
        print_size(c->sizes.gpu_keys);
        print_size(c->sizes.gpu_ops);
        printf("  %s\n", c->summary);
    }
}
