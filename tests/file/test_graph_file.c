/* test_graph_file.c - graphs to files and back: all kinds, vertices without edges, large ids; files that are damaged,
 * of another kind, or no graphs; every allocation and every call of the file system failing in turn. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "testkit/buffers.h"
#include "testkit/folder.h"
#include "testkit/harness.h"
#include "testkit/random.h"
#include "testkit/units.h"

/* ---- graphs ---- */

typedef struct kind { unsigned directed, values, sparse; } kind;
static const kind kinds[] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}};

static pleach_graph *open_graph(kind k, uint64_t max_bytes)
{
    const pleach_graph_config config = {.directed = k.directed, .values = k.values, .max_bytes = max_bytes,
                                        .sparse_ids = k.sparse};
    pleach_graph *graph;
    assert_ok(pleach_graph_create(&graph, &config));
    return graph;
}

static void put_random_edges(pleach_graph *graph, kind k, size_t n, uint32_t ids, uint64_t seed)
{
    FREED uint32_t *from = must_alloc(n, sizeof *from), *to = must_alloc(n, sizeof *to);
    FREED uint32_t *values = must_alloc(n, sizeof *values);
    rng r = rng_for(test_seed(), seed);
    for (size_t i = 0; i < n; i++) {
        from[i] = (uint32_t)rng_below(&r, ids);
        to[i] = (uint32_t)rng_below(&r, ids);
        values[i] = (uint32_t)rng_next(&r);
    }
    assert_ok(pleach_graph_insert_edges(graph, n, from, to, k.values ? values : NULL, NULL, PLEACH_SYNC));
}

/* Edges, a vertex that has lost its edges, and the largest id that there is. */
static pleach_graph *make_graph(kind k)
{
    pleach_graph *graph = open_graph(k, 0);
    put_random_edges(graph, k, 3000, 500, k.directed + 2 * k.values);
    const uint32_t alone[] = {7000, 123456789, UINT32_MAX - 1}, from = 5, to = UINT32_MAX - 2, value = UINT32_MAX;
    assert_ok(pleach_graph_insert_vertices(graph, 3, alone, NULL, PLEACH_SYNC));
    assert_ok(pleach_graph_insert_edges(graph, 1, &from, &to, k.values ? &value : NULL, NULL, PLEACH_SYNC));
    return graph;
}

typedef struct contents {
    uint64_t edges, vertices;
    uint32_t *from, *to, *values, *ids;
} contents;

static contents contents_of(pleach_graph *graph, kind k)
{
    contents c = {0};
    assert_ok(pleach_graph_export_edges(graph, 0, NULL, NULL, NULL, &c.edges));
    assert_ok(pleach_graph_export_vertices(graph, 0, NULL, &c.vertices));
    c.from = must_alloc(c.edges + 1, sizeof *c.from);
    c.to = must_alloc(c.edges + 1, sizeof *c.to);
    c.values = must_alloc(c.edges + 1, sizeof *c.values);
    c.ids = must_alloc(c.vertices + 1, sizeof *c.ids);
    memset(c.values, 0, (c.edges + 1) * sizeof *c.values);
    assert_ok(pleach_graph_export_edges(graph, c.edges, c.from, c.to, k.values ? c.values : NULL, &c.edges));
    assert_ok(pleach_graph_export_vertices(graph, c.vertices, c.ids, &c.vertices));
    return c;
}

static void contents_free(contents *c)
{
    free(c->from);
    free(c->to);
    free(c->values);
    free(c->ids);
}

static void assert_same(const contents *a, pleach_graph *graph, kind k)
{
    char message[200];
    AT_END(contents_free) contents b = contents_of(graph, k);
    assert_int_equal(a->edges, b.edges);
    assert_int_equal(a->vertices, b.vertices);
    assert_memory_equal(a->from, b.from, a->edges * sizeof *a->from);
    assert_memory_equal(a->to, b.to, a->edges * sizeof *a->to);
    assert_memory_equal(a->values, b.values, a->edges * sizeof *a->values);
    assert_memory_equal(a->ids, b.ids, a->vertices * sizeof *a->ids);
    if (pleach_graph_validate(graph, message, sizeof message) != PLEACH_OK) fail_msg("%s", message);
}

/* ---- cases ---- */

#ifndef PLEACH_HAVE_XXHASH

static void test_no_files(void)
{
    AT_END(destroy_graph) pleach_graph *graph = make_graph(kinds[0]);
    AT_END(contents_free) contents before = contents_of(graph, kinds[0]);
    assert_int_equal(pleach_graph_save(graph, "graph"), PLEACH_E_NO_FILES);
    assert_int_equal(pleach_graph_load_file(graph, "graph"), PLEACH_E_NO_FILES);
    assert_same(&before, graph, kinds[0]);
}

static unit_case cases[] = {UNIT_NAMED("a build without files says so", test_no_files)};

#else

static void test_round_trip(const void *argument)
{
    const kind k = *(const kind *)argument;
    AT_END(folder_close) folder f = folder_open();
    AT_END(destroy_graph) pleach_graph *graph = make_graph(k), *other = open_graph(k, 0);
    AT_END(contents_free) contents c = contents_of(graph, k);
    put_random_edges(other, k, 100, 1000, 99); /* these must go */
    assert_ok(pleach_graph_save(graph, f.path));
    assert_ok(pleach_graph_load_file(other, f.path));
    assert_same(&c, other, k);
    /* The same again, over the file, and from it into itself. */
    file_image first = file_image_read(f.path);
    assert_ok(pleach_graph_save(other, f.path));
    file_image second = file_image_read(f.path);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.bytes, second.bytes, first.size);
    assert_ok(pleach_graph_load_file(graph, f.path));
    assert_same(&c, graph, k);
    /* An empty graph is one, too. */
    assert_ok(pleach_graph_clear(other));
    assert_ok(pleach_graph_save(other, f.path));
    assert_ok(pleach_graph_load_file(graph, f.path));
    AT_END(contents_free) contents empty = contents_of(graph, k);
    assert_int_equal(empty.edges + empty.vertices, 0);
    assert_int_equal(folder_entries(&f), 1);
    free(first.bytes);
    free(second.bytes);
}

static void test_other_kinds(void)
{
    AT_END(folder_close) folder f = folder_open();
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        pleach_graph *graph = make_graph(kinds[i]);
        assert_ok(pleach_graph_save(graph, f.path));
        pleach_graph_destroy(graph);
        for (size_t j = 0; j < COUNT_OF(kinds); j++) {
            AT_END(destroy_graph) pleach_graph *other = open_graph(kinds[j], 0);
            put_random_edges(other, kinds[j], 50, 30, 5);
            AT_END(contents_free) contents before = contents_of(other, kinds[j]);
            assert_int_equal(pleach_graph_load_file(other, f.path), i == j ? PLEACH_OK : PLEACH_E_WIDTH);
            if (i != j) assert_same(&before, other, kinds[j]);
        }
    }
}

/* How vertices are found is not in files. */
static void test_sparse_and_dense(void)
{
    AT_END(folder_close) folder f = folder_open();
    for (size_t i = 0; i < 2 * COUNT_OF(kinds); i++) {
        kind k = kinds[i / 2], other_kind = k;
        k.sparse = i % 2;
        other_kind.sparse = !k.sparse;
        AT_END(destroy_graph) pleach_graph *graph = make_graph(k);
        AT_END(destroy_graph) pleach_graph *other = open_graph(other_kind, 0);
        AT_END(contents_free) contents c = contents_of(graph, k);
        assert_ok(pleach_graph_save(graph, f.path));
        assert_ok(pleach_graph_load_file(other, f.path));
        assert_same(&c, other, other_kind);
    }
}

/* Files with right checksums that hold no graph. */
static void save_map(const folder *f, size_t n, const uint64_t *keys, const uint64_t *values)
{
    const pleach_map_config config = {.versioned = 1};
    pleach_map *map;
    pleach_snapshot *snapshot;
    assert_ok(pleach_map_create(&map, &config));
    assert_ok(pleach_map_put(map, n, keys, values, NULL, NULL, PLEACH_SYNC));
    assert_ok(pleach_snapshot_take(map, &snapshot, PLEACH_SYNC));
    assert_ok(pleach_snapshot_save(snapshot, f->path));
    pleach_snapshot_release(snapshot);
    pleach_map_destroy(map);
}

static void test_no_graphs(void)
{
    const uint64_t mark = UINT64_C(0x6870617267000000), last = UINT64_MAX, edge = UINT64_C(1) << 32 | 2;
    const uint64_t back = UINT64_C(2) << 32 | 1, nowhere = UINT64_C(1) << 32 | UINT32_MAX;
    const struct { uint64_t keys[2], values[2]; size_t n; pleach_status status; } files[] = {
        {{edge, last}, {0, mark}, 2, PLEACH_OK},
        {{edge, last}, {0, mark}, 0, PLEACH_E_FORMAT},
        {{edge, last}, {0, mark}, 1, PLEACH_E_FORMAT},
        {{edge, last}, {0, mark + 4}, 2, PLEACH_E_FORMAT},
        {{edge, last}, {0, mark + 1}, 2, PLEACH_E_WIDTH},
        {{edge, last}, {UINT64_C(1) << 32, mark}, 2, PLEACH_E_FORMAT},
        {{back, last}, {0, mark}, 2, PLEACH_E_FORMAT},
        {{nowhere, last}, {0, mark}, 2, PLEACH_E_FORMAT},
        {{UINT64_MAX - 1, last}, {0, mark}, 2, PLEACH_E_FORMAT},
    };
    AT_END(folder_close) folder f = folder_open();
    AT_END(destroy_graph) pleach_graph *graph = make_graph(kinds[0]);
    for (size_t i = COUNT_OF(files); i-- > 0;) { /* the good one is the last */
        contents before = contents_of(graph, kinds[0]);
        save_map(&f, files[i].n, files[i].keys, files[i].values);
        assert_int_equal(pleach_graph_load_file(graph, f.path), files[i].status);
        if (i > 0) assert_same(&before, graph, kinds[0]);
        contents_free(&before);
    }
    assert_int_equal(pleach_graph_load_file(graph, f.name), PLEACH_E_FILE);
    assert_int_equal(pleach_graph_save(graph, f.name), PLEACH_E_FILE);
    assert_int_equal(pleach_graph_load_file(graph, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_graph_load_file(NULL, f.path), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_graph_save(graph, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_graph_save(NULL, f.path), PLEACH_E_ARGUMENT);
}

static void assert_refused_by_map(const folder *f, unsigned key_bits)
{
    const pleach_map_config config = {.key_bits = key_bits};
    pleach_map *map;
    uint64_t size, value;
    int found;
    assert_ok(pleach_map_create(&map, &config));
    assert_ok(pleach_map_put_one(map, 7, 8, NULL, NULL));
    assert_int_equal(pleach_map_load_file(map, f->path, 0), PLEACH_E_KIND);
    assert_ok(pleach_map_find_one(map, 7, &found, &value));
    assert_ok(pleach_map_size(map, &size));
    assert_true(found && value == 8 && size == 1);
    pleach_map_destroy(map);
}

static void test_maps_refuse(void)
{
    AT_END(folder_close) folder f = folder_open();
    for (unsigned i = 0; i < 9; i++) { /* all kinds, sparse too; and an empty graph */
        const kind k = {i & 1, i >> 1 & 1, i >> 2 & 1};
        pleach_graph *graph = i < 8 ? make_graph(k) : open_graph(k, 0);
        pleach_file_info info;
        assert_ok(pleach_graph_save(graph, f.path));
        assert_ok(pleach_file_get_info(f.path, &info));
        assert_true(info.holds_graph == 1 && info.key_bits == 64);
        for (unsigned bits = 32; bits <= 128; bits *= 2) assert_refused_by_map(&f, bits);
        pleach_graph_destroy(graph);
    }
}

/* A map may hold any pairs, also a graph's: what the file is stands in its header. */
static void test_maps_like_graphs(void)
{
    const uint64_t keys[] = {1, UINT64_MAX}, values[] = {0, UINT64_C(0x6870617267000000)};
    const pleach_map_config config = {.key_bits = 64};
    AT_END(folder_close) folder f = folder_open();
    pleach_map *map;
    pleach_file_info info;
    uint64_t value = 0;
    int found = 0;
    save_map(&f, 2, keys, values);
    assert_ok(pleach_file_get_info(f.path, &info));
    assert_int_equal(info.holds_graph, 0);
    assert_ok(pleach_map_create(&map, &config));
    assert_ok(pleach_map_load_file(map, f.path, 0));
    assert_ok(pleach_map_find_one(map, UINT64_MAX, &found, &value));
    assert_true(found && value == values[1]);
    pleach_map_destroy(map);
}

/* Every byte of a small file altered, and the file cut there. */
static void test_damage(void)
{
    AT_END(folder_close) folder f = folder_open();
    AT_END(destroy_graph) pleach_graph *graph = open_graph(kinds[1], 0), *other = make_graph(kinds[1]);
    put_random_edges(graph, kinds[1], 12, 9, 3);
    assert_ok(pleach_graph_save(graph, f.path));
    file_image good = file_image_read(f.path);
    AT_END(contents_free) contents before = contents_of(other, kinds[1]);
    for (size_t i = 0; i < good.size; i++) {
        good.bytes[i] ^= 1 << i % 8;
        file_image_write(f.path, good.size, good.bytes);
        const pleach_status status = pleach_graph_load_file(other, f.path);
        assert_true(status == PLEACH_E_FORMAT || status == PLEACH_E_NEWER);
        good.bytes[i] ^= 1 << i % 8;
        file_image_write(f.path, i, good.bytes);
        assert_int_equal(pleach_graph_load_file(other, f.path), PLEACH_E_FORMAT);
    }
    assert_same(&before, other, kinds[1]);
    printf("%zu damaged files refused\n", 2 * good.size);
    free(good.bytes);
}

/* After each failure the file, the graph and what is held are as before. */
static void test_faults(const void *argument)
{
    const bool loads = argument != NULL;
    AT_END(folder_close) folder f = folder_open();
    AT_END(destroy_graph) pleach_graph *graph = make_graph(kinds[1]), *other = open_graph(kinds[1], 0);
    put_random_edges(other, kinds[1], 40, 30, 8);
    assert_ok(pleach_graph_save(graph, f.path));
    AT_END(contents_free) contents before = contents_of(loads ? other : graph, kinds[1]);
    AT_END(contents_free) contents loaded = contents_of(graph, kinds[1]);
    const long held = base_held();
    pleach_status status = PLEACH_E_MEMORY;
    long failures = 0;
    for (; status != PLEACH_OK; failures++) {
        assert_true(failures < 1000);
        base_fail_nth_allocation(failures + 1);
        status = loads ? pleach_graph_load_file(other, f.path) : pleach_graph_save(graph, f.path);
        base_fail_nth_allocation(0);
        assert_true(status == PLEACH_OK || status == PLEACH_E_MEMORY || status == PLEACH_E_FILE);
        assert_int_equal(base_held(), held);
        assert_int_equal(folder_entries(&f), 1);
        if (status != PLEACH_OK) assert_same(&before, loads ? other : graph, kinds[1]);
    }
    printf("%ld failures\n", failures - 1);
    assert_true(failures > 5);
    if (loads) assert_same(&loaded, other, kinds[1]);
}

/* A file that does not fit into the limit. */
static void test_limit(void)
{
    AT_END(folder_close) folder f = folder_open();
    AT_END(destroy_graph) pleach_graph *graph = open_graph(kinds[0], 0), *small = open_graph(kinds[0], 1 << 20);
    put_random_edges(graph, kinds[0], 200000, 20000, 4);
    put_random_edges(small, kinds[0], 100, 50, 4);
    AT_END(contents_free) contents before = contents_of(small, kinds[0]);
    assert_ok(pleach_graph_save(graph, f.path));
    assert_int_equal(pleach_graph_load_file(small, f.path), PLEACH_E_FULL);
    assert_same(&before, small, kinds[0]);
}

static const int yes = 1;
static const kind sparse_undirected = {0, 0, 1}, sparse_directed = {1, 1, 1};

static unit_case cases[] = {
    UNIT_WITH("undirected", test_round_trip, &kinds[0]),
    UNIT_WITH("undirected, values", test_round_trip, &kinds[1]),
    UNIT_WITH("directed", test_round_trip, &kinds[2]),
    UNIT_WITH("directed, values", test_round_trip, &kinds[3]),
    UNIT_WITH("sparse", test_round_trip, &sparse_undirected),
    UNIT_WITH("sparse, directed", test_round_trip, &sparse_directed),
    UNIT_NAMED("sparse and dense", test_sparse_and_dense),
    UNIT_NAMED("files of other kinds", test_other_kinds),
    UNIT_NAMED("files of no graph", test_no_graphs),
    UNIT_NAMED("maps refuse graphs", test_maps_refuse),
    UNIT_NAMED("maps like graphs", test_maps_like_graphs),
    UNIT_NAMED("damaged files", test_damage),
    UNIT_WITH("saving, with faults", test_faults, NULL),
    UNIT_WITH("loading, with faults", test_faults, &yes),
    UNIT_NAMED("a file that is too large", test_limit),
};

#endif

int main(int argc, char **argv)
{
    return run_units("test_graph_file", argc, argv, cases, sizeof cases / sizeof cases[0]);
}
