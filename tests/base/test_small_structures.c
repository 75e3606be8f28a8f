/* test_small_structures.c - how much memory structures of one element, and of some thousand, have, and that they need
 * few addresses. Many of one kind are made in a process of their own, and the memory that the system reports for it is
 * divided by their number. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testkit/harness.h"
#include "testkit/units.h"

/* A sanitizer has memory of its own for each byte that is touched, and more addresses than structures have, so there
 * the limits are not checked. */
enum { LIMITS_COUNT = !ADDRESS_SANITIZER && !THREAD_SANITIZER };

/* MAX_BYTES is far more than a huge page, and so little that this many fit in the addresses of any machine. */
enum { STRUCTURES = 100, SMALL = 64 << 10, MAX_BYTES = 256 << 20, SOME = 3000 };

static uint64_t max_bytes = MAX_BYTES; /* of structures that are created */

typedef struct kind {
    const char *name;
    pleach_status (*create)(const struct kind *kind, void **structure);
    pleach_status (*insert)(void *structure, size_t n, const uint64_t *keys);
    void (*destroy)(void *structure);
    pleach_status (*bytes)(void *structure, uint64_t *bytes); /* as its statistics say */
    unsigned key_bits, option;
} kind;

/* ---- maps ---- */

enum { PLAIN, VERSIONED, SKIPLIST };

static pleach_status create_map(const kind *kind, void **structure)
{
    const pleach_map_config config = {.key_bits = kind->key_bits, .threads = 1, .max_bytes = max_bytes,
                                      .versioned = kind->option == VERSIONED,
                                      .structure = kind->option == SKIPLIST ? PLEACH_SKIPLIST : PLEACH_BLINK};
    return pleach_map_create((pleach_map **)structure, &config);
}

static pleach_status insert_into_map(void *map, size_t n, const uint64_t *keys)
{
    pleach_status status = PLEACH_OK;
    for (size_t i = 0; i < n && status == PLEACH_OK; i++) status = pleach_map_put_one(map, keys[i], i, NULL, NULL);
    return status;
}

static void free_map(void *map) { pleach_map_destroy(map); }

static pleach_status map_bytes(void *map, uint64_t *bytes)
{
    pleach_map_stats stats;
    pleach_status status = pleach_map_get_stats(map, &stats);
    *bytes = stats.reserved_bytes;
    return status;
}

/* ---- hash tables ---- */

static pleach_status create_hash(const kind *kind, void **structure)
{
    const pleach_hash_config config = {.key_bits = kind->key_bits, .set = kind->option, .threads = 1,
                                       .max_bytes = max_bytes};
    return pleach_hash_create((pleach_hash **)structure, &config);
}

static pleach_status insert_into_hash(void *hash, size_t n, const uint64_t *keys)
{
    pleach_status status = PLEACH_OK;
    for (size_t i = 0; i < n && status == PLEACH_OK; i++) status = pleach_hash_put_one(hash, keys[i], i, NULL, NULL);
    return status;
}

static void free_hash(void *hash) { pleach_hash_destroy(hash); }

static pleach_status hash_bytes(void *hash, uint64_t *bytes)
{
    pleach_hash_stats stats;
    pleach_status status = pleach_hash_get_stats(hash, &stats);
    *bytes = stats.slab_bytes + stats.free_bytes;
    return status;
}

/* ---- graphs: key 2 * v is the edge from v to 70000 + v, in another segment ---- */

enum { DENSE, SPARSE, ORDERED };

static pleach_status create_graph(const kind *kind, void **structure)
{
    const pleach_graph_config config = {.threads = 1, .max_bytes = max_bytes, .sparse_ids = kind->option == SPARSE,
                                        .adjacency = kind->option == ORDERED ? PLEACH_ADJACENCY_ORDERED
                                                                             : PLEACH_ADJACENCY_HASH};
    return pleach_graph_create((pleach_graph **)structure, &config);
}

/* A portion at a time, because an ordered graph keeps the memory that its largest call has needed. */
static pleach_status insert_into_graph(void *graph, size_t n, const uint64_t *keys)
{
    enum { PORTION = 100 };
    uint32_t from[PORTION], to[PORTION];
    pleach_status status = PLEACH_OK;
    for (size_t at = 0; at < n && status == PLEACH_OK; at += PORTION) {
        const size_t edges = n - at < PORTION ? n - at : PORTION;
        for (size_t i = 0; i < edges; i++) {
            from[i] = (uint32_t)keys[at + i] / 2;
            to[i] = from[i] + 70000;
        }
        status = pleach_graph_insert_edges(graph, edges, from, to, NULL, NULL, PLEACH_SYNC);
    }
    return status;
}

static void free_graph(void *graph) { pleach_graph_destroy(graph); }

static pleach_status graph_bytes(void *graph, uint64_t *bytes)
{
    pleach_graph_stats stats;
    pleach_status status = pleach_graph_get_stats(graph, &stats);
    *bytes = stats.dictionary_bytes + stats.slab_bytes + stats.free_bytes;
    return status;
}

#define MAPS create_map, insert_into_map, free_map, map_bytes
#define HASHES create_hash, insert_into_hash, free_hash, hash_bytes
#define GRAPHS create_graph, insert_into_graph, free_graph, graph_bytes

static const kind kinds[] = {
    {"32-bit map", MAPS, 32, PLAIN},
    {"64-bit map", MAPS, 64, PLAIN},
    {"versioned map", MAPS, 64, VERSIONED},
    {"32-bit skiplist", MAPS, 32, SKIPLIST},
    {"64-bit skiplist", MAPS, 64, SKIPLIST},
    {"32-bit hash set", HASHES, 32, 1},
    {"64-bit hash map", HASHES, 64, 0},
    {"graph", GRAPHS, 32, DENSE},
    {"graph with sparse ids", GRAPHS, 32, SPARSE},
    {"ordered graph", GRAPHS, 32, ORDERED},
};

/* ---- the measurement ---- */

static uint64_t resident_bytes(void)
{
    unsigned long long all, resident;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%llu %llu", &all, &resident) != 2) _exit(2);
    fclose(file);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t keys[SOME];

typedef pleach_status fill(const kind *kind, void *structure);

static pleach_status one(const kind *kind, void *structure) { return kind->insert(structure, 1, keys); }
static pleach_status some(const kind *kind, void *structure) { return kind->insert(structure, SOME, keys); }

/* In a child. Returns its exit status. */
static int measure(const kind *kind, fill *fill, size_t structures, bool beside_bytes)
{
    void *made[STRUCTURES] = {NULL};
    const uint64_t before = resident_bytes();
    uint64_t bytes = 0, limit = SMALL;
    pleach_status status = PLEACH_OK;
    for (size_t i = 0; i < structures && status == PLEACH_OK; i++) {
        status = kind->create(kind, &made[i]);
        if (status == PLEACH_OK) status = fill(kind, made[i]);
    }
    const uint64_t each = (resident_bytes() - before) / structures;
    if (status == PLEACH_OK && beside_bytes) status = kind->bytes(made[0], &bytes);
    limit += 2 * bytes;
    for (size_t i = 0; i < structures; i++) kind->destroy(made[i]);
    const bool fits = status == PLEACH_OK && (each <= limit || !LIMITS_COUNT);
    if (!fits)
        fprintf(stderr, "%s: %s, %llu bytes each, limit %llu\n", kind->name, pleach_status_name(status),
                (unsigned long long)each, (unsigned long long)limit);
    return fits ? 0 : 1;
}

static void measure_all(fill *fill, size_t structures, bool beside_bytes)
{
    bool fit = true;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const pid_t child = fork();
        if (child == 0) {
            setrlimit(RLIMIT_CORE, &(struct rlimit){0});
            _exit(measure(&kinds[i], fill, structures, beside_bytes));
        }
        int status = 1;
        assert_int_equal(waitpid(child, &status, 0), child);
        fit &= status == 0;
        count_checked(structures);
    }
    assert_true(fit);
}

static bool works(size_t i, void **structure)
{
    pleach_status status = kinds[i].create(&kinds[i], structure);
    if (status == PLEACH_OK) status = some(&kinds[i], *structure);
    if (status != PLEACH_OK) fprintf(stderr, "%s: %s\n", kinds[i].name, pleach_status_name(status));
    return status == PLEACH_OK;
}

/* In a child that has fewer addresses than most machines have memory. If `taken`, most of these are in use; otherwise
 * they are enough for several structures of each kind at a time. */
static int use_few_addresses(int resource, bool taken)
{
    enum { EACH = 3 };
    const rlim_t addresses = (rlim_t)8 << 30;
    void *made[COUNT_OF(kinds)][EACH];
    max_bytes = 0;
    if (LIMITS_COUNT && setrlimit(resource, &(struct rlimit){addresses, addresses}) != 0) return 2;
    void *map = !taken ? NULL : mmap(NULL, addresses / 16 * 15, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return 3;
    const size_t each = taken ? 1 : EACH;
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        for (size_t j = 0; j < each; j++) {
            if (!works(i, &made[i][j])) return 1;
            if (taken) kinds[i].destroy(made[i][j]);
        }
    for (size_t i = 0; i < COUNT_OF(kinds) && !taken; i++)
        for (size_t j = 0; j < each; j++) kinds[i].destroy(made[i][j]);
    return 0;
}

/* ---- cases ---- */

static void one_element(void)
{
    measure_all(one, STRUCTURES, false);
}

/* Twice the nodes of all kinds, and what a structure has besides. */
static void some_elements(void)
{
    measure_all(some, STRUCTURES / 5, true);
}

static void check_few_addresses(int resource, bool taken)
{
    const pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0});
        _exit(use_few_addresses(resource, taken));
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void addresses_are_few(void)
{
    static const int resources[] = {RLIMIT_AS, RLIMIT_DATA};
    for (size_t i = 0; i < COUNT_OF(resources); i++) {
        check_few_addresses(resources[i], false);
        check_few_addresses(resources[i], true);
    }
}

static unit_case cases[] = {UNIT(one_element), UNIT(some_elements), UNIT(addresses_are_few)};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < SOME; i++) keys[i] = 2 * i + 7;
    return run_units("test_small_structures", argc, argv, cases, COUNT_OF(cases));
}
