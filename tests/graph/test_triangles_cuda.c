/* tests/graph/test_triangles_cuda.c - triangles on the GPU: of graphs of all shapes, in all and by vertex, as the CPU and a
 * merge of sorted lists on the GPU count them; or as is known. Rows are in no order. Every allocation fails once.
 * PLEACH_TEST_SCALE (percent) below 100 makes the large graphs smaller.
 *
 * With --time, a table of times follows: R-MAT graphs as Graph500 has them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "graph/triangles/triangles_cuda.h"
#include "graph/triangles/triangles.h"
#include "bench/graph/triangles_merge_cuda.h"
#include "testkit/harness.h"
#include "testkit/random.h"

static int passed, failed;

static void expect(bool good, const char *graph, const char *what)
{
    good ? passed++ : failed++;
    if (!good) printf("FAILED  %s: %s\n", graph, what);
    fflush(stdout);
}

/* The program ends if it cannot have memory, or the GPU. */
static void need(bool good, const char *what)
{
    if (good) return;
    printf("FAILED  no %s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    exit(EXIT_FAILURE);
}

static void *take(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    need(memory != NULL, "memory");
    return memory;
}

static rng numbers = {20};

static uint64_t random_word(void) { return rng_next(&numbers); }

/* ---- graphs ---- */

/* Edges from the lower id, which is above the higher in a word. */
typedef struct graph {
    const char *name;
    uint64_t n, edges, room;
    uint64_t *edge;
    uint64_t *offsets;
    uint32_t *targets;
    bool known;                    /* every vertex that has neighbours is in so many triangles */
    uint64_t known_each, known_total;
} graph;

static void add_edge(graph *g, uint64_t a, uint64_t b)
{
    if (a == b) return;
    if (g->edges == g->room) {
        g->room = 2 * g->room + 1024;
        g->edge = realloc(g->edge, g->room * sizeof *g->edge);
        need(g->edge != NULL, "memory");
    }
    g->edge[g->edges++] = a < b ? a << 32 | b : b << 32 | a;
}

static void sort_edges(graph *g)
{
    if (g->edges == 0) return; /* there are no arrays */
    FREED uint64_t *other = take(g->edges, sizeof *other);
    for (unsigned shift = 0; shift < 64; shift += 16) {
        FREED uint64_t *first = take((1 << 16) + 1, sizeof *first);
        for (uint64_t i = 0; i < g->edges; i++) first[(g->edge[i] >> shift & 0xffff) + 1]++;
        for (unsigned digit = 0; digit < 1 << 16; digit++) first[digit + 1] += first[digit];
        for (uint64_t i = 0; i < g->edges; i++) other[first[g->edge[i] >> shift & 0xffff]++] = g->edge[i];
        memcpy(g->edge, other, g->edges * sizeof *other);
    }
}

/* Each edge once, in rows, at random places. */
static void make_rows(graph *g)
{
    uint64_t kept = 0;
    sort_edges(g);
    for (uint64_t i = 0; i < g->edges; i++)
        if (i == 0 || g->edge[i] != g->edge[i - 1]) g->edge[kept++] = g->edge[i];
    g->edges = kept;
    for (uint64_t i = kept; i > 1; i--) {
        uint64_t k = random_word() % i, edge = g->edge[i - 1];
        g->edge[i - 1] = g->edge[k];
        g->edge[k] = edge;
    }
    g->offsets = take(g->n + 2, sizeof *g->offsets); /* two further on while rows fill */
    g->targets = take(2 * kept, sizeof *g->targets);
    uint64_t *at = g->offsets + 1;
    for (uint64_t i = 0; i < kept; i++) {
        if ((g->edge[i] >> 32) + 1 < g->n) at[(g->edge[i] >> 32) + 1]++;
        if ((uint32_t)g->edge[i] + 1ull < g->n) at[(uint32_t)g->edge[i] + 1ull]++;
    }
    for (uint64_t i = 0; i < g->n; i++) at[i] += i ? at[i - 1] : 0;
    for (uint64_t i = 0; i < kept; i++) {
        uint32_t a = (uint32_t)(g->edge[i] >> 32), b = (uint32_t)g->edge[i];
        g->targets[at[a]++] = b;
        g->targets[at[b]++] = a;
    }
    free(g->edge);
    g->edge = NULL;
}

static void free_graph(graph *g)
{
    free(g->edge);
    free(g->offsets);
    free(g->targets);
}

/* 2^scale vertices; ids at random, so that they do not tell degrees. */
static graph rmat(const char *name, unsigned scale, uint64_t edges)
{
    graph g = {.name = name, .n = (uint64_t)1 << scale};
    FREED uint32_t *id = take(g.n, sizeof *id);
    for (uint64_t i = 0; i < g.n; i++) {
        uint64_t k = random_word() % (i + 1);
        id[i] = id[k];
        id[k] = (uint32_t)i;
    }
    for (uint64_t i = 0; i < edges; i++) {
        uint64_t a = 0, b = 0;
        for (unsigned level = 0; level < scale; level++) {
            uint64_t chance = random_word() % 100;
            a = 2 * a + (chance >= 76);
            b = 2 * b + ((chance >= 57 && chance < 76) || chance >= 95);
        }
        add_edge(&g, id[a], id[b]);
    }
    make_rows(&g);
    return g;
}

static graph random_graph(const char *name, uint64_t n, uint64_t edges)
{
    graph g = {.name = name, .n = n};
    for (uint64_t i = 0; i < edges; i++) add_edge(&g, random_word() % n, random_word() % n);
    make_rows(&g);
    return g;
}

/* side * side vertices, and diagonals that make two triangles of each cell. */
static graph grid(const char *name, uint64_t side, bool diagonals)
{
    graph g = {.name = name, .n = side * side};
    for (uint64_t y = 0; y < side; y++)
        for (uint64_t x = 0; x < side; x++) {
            uint64_t at = y * side + x;
            if (x + 1 < side) add_edge(&g, at, at + 1);
            if (y + 1 < side) add_edge(&g, at, at + side);
            if (diagonals && x + 1 < side && y + 1 < side) add_edge(&g, at, at + side + 1);
        }
    make_rows(&g);
    return g;
}

/* The first vertex and `others` around it, which are a ring if asked for. */
static graph star(const char *name, uint64_t others, bool ring)
{
    graph g = {.name = name, .n = others + 1};
    for (uint64_t i = 1; i <= others; i++) {
        add_edge(&g, 0, i);
        if (ring) add_edge(&g, i, i % others + 1);
    }
    make_rows(&g);
    return g;
}

/* The first `members` of n. */
static graph clique(const char *name, uint64_t members, uint64_t n)
{
    graph g = {.name = name, .n = n, .known = true};
    g.known_each = members < 3 ? 0 : (members - 1) * (members - 2) / 2;
    g.known_total = members * g.known_each / 3;
    for (uint64_t a = 0; a < members; a++)
        for (uint64_t b = a + 1; b < members; b++) add_edge(&g, a, b);
    make_rows(&g);
    return g;
}

/* A clique none of whose members is among the many with the largest degrees: the window of numbers that have bits is
 * full of vertices without triangles. Its lists are longer than the table of a warp. */
static graph buried_clique(const char *name)
{
    enum { SIDE = 310, PAIRS = 140, CLIQUE = 305 };
    graph g = {.name = name, .n = 2 * SIDE * PAIRS + CLIQUE};
    for (uint64_t pair = 0; pair < PAIRS; pair++)
        for (uint64_t a = 0; a < SIDE; a++)
            for (uint64_t b = 0; b < SIDE; b++) add_edge(&g, 2 * SIDE * pair + a, 2 * SIDE * pair + SIDE + b);
    for (uint64_t a = 0; a < CLIQUE; a++)
        for (uint64_t b = a + 1; b < CLIQUE; b++) add_edge(&g, g.n - 1 - a, g.n - 1 - b);
    make_rows(&g);
    return g;
}

/* ---- counting ---- */

typedef struct machine {
    staging s;
    workers *all;
    unsigned threads;
} machine;

typedef struct rows_there {
    triangles_on_gpu rows;
    uint64_t *offsets, *by_vertex;
    uint32_t *targets;
} rows_there;

static rows_there upload(const graph *g)
{
    rows_there there = {.rows = {.n = g->n}};
    need(cudaMalloc((void **)&there.offsets, (g->n + 1) * sizeof *there.offsets) == cudaSuccess, "device memory");
    need(cudaMalloc((void **)&there.targets, (2 * g->edges + 1) * sizeof *there.targets) == cudaSuccess,
         "device memory");
    need(cudaMalloc((void **)&there.by_vertex, (g->n + 1) * sizeof *there.by_vertex) == cudaSuccess, "device memory");
    cudaMemcpy(there.offsets, g->offsets, (g->n + 1) * sizeof *there.offsets, cudaMemcpyHostToDevice);
    cudaMemcpy(there.targets, g->targets, 2 * g->edges * sizeof *there.targets, cudaMemcpyHostToDevice);
    cudaMemset(there.by_vertex, 0, (g->n + 1) * sizeof *there.by_vertex);
    need(cudaDeviceSynchronize() == cudaSuccess, "copies");
    there.rows.offsets = there.offsets;
    there.rows.targets = there.targets;
    return there;
}

static void free_there(rows_there *there)
{
    cudaFree(there->offsets);
    cudaFree(there->targets);
    cudaFree(there->by_vertex);
}

static pleach_status count_there(machine *m, const rows_there *there, uint64_t *by_vertex, uint64_t *total)
{
    pleach_status status = triangles_cuda_count(&m->s, &there->rows, by_vertex, total);
    staging_free(&m->s);
    return status;
}

static uint64_t expected(machine *m, const graph *g, uint64_t *by_vertex)
{
    uint64_t total = g->known_total;
    triangle_rows rows = {g->n, g->offsets, g->targets, NULL};
    if (!g->known)
        need(triangles_count(m->all, m->threads, &rows, by_vertex, &total) == PLEACH_OK, "count on the CPU");
    else
        for (uint64_t i = 0; i < g->n; i++)
            by_vertex[i] = g->offsets[i + 1] > g->offsets[i] ? g->known_each : 0;
    return total;
}

static void check(machine *m, graph g)
{
    rows_there there = upload(&g);
    FREED uint64_t *want = take(g.n + 1, sizeof *want), *got = take(g.n + 1, sizeof *got);
    uint64_t wrong = 0, total = 1;
    uint64_t right = expected(m, &g, want);
    double seconds;
    expect(count_there(m, &there, NULL, &total) == PLEACH_OK, g.name, "a count");
    expect(total == right, g.name, "the total");
    total = 1;
    expect(count_there(m, &there, there.by_vertex, &total) == PLEACH_OK, g.name, "a count by vertex");
    expect(total == right, g.name, "the total beside a count by vertex");
    expect(count_there(m, &there, there.by_vertex, &total) == PLEACH_OK, g.name, "a count by vertex that adds");
    expect(cudaMemcpy(got, there.by_vertex, g.n * sizeof *got, cudaMemcpyDeviceToHost) == cudaSuccess, g.name, "copy");
    for (uint64_t i = 0; i < g.n; i++) wrong += got[i] != 2 * want[i];
    expect(wrong == 0, g.name, "triangles by vertex");
    expect(triangles_merge_cuda(g.n, there.offsets, there.targets, &total, &seconds) == 0, g.name, "a merge");
    expect(total == right, g.name, "the total by merging");
    printf("%-32s %9" PRIu64 " vertices %9" PRIu64 " edges %12" PRIu64 " triangles, %" PRIu64 " vertices wrong\n",
           g.name, g.n, g.edges, right, wrong);
    free_there(&there);
    free_graph(&g);
}

/* Each allocation in turn is refused. */
static void check_refusals(machine *m)
{
    graph g = clique("refused allocations", 100, 200);
    rows_there there = upload(&g);
    pleach_status status = PLEACH_E_MEMORY;
    uint64_t total = 0;
    long nth = 0;
    while (status == PLEACH_E_MEMORY && nth < 100) {
        base_fail_nth_allocation(++nth);
        status = count_there(m, &there, NULL, &total);
        base_fail_nth_allocation(0);
    }
    expect(status == PLEACH_OK && nth > 5, g.name, "the status");
    expect(total == g.known_total, g.name, "the total after them");
    free_there(&there);
    free_graph(&g);
}

/* ---- times ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { RUNS = 9 };

static void print_times(const char *name, const char *what, double *seconds)
{
    qsort(seconds, RUNS, sizeof *seconds, by_size);
    printf("%-20s %-28s %9.3f %9.3f %9.3f\n", name, what, 1e3 * seconds[0], 1e3 * seconds[RUNS / 2],
           1e3 * seconds[RUNS - 1]);
}

static void measure(machine *m, graph g)
{
    rows_there there = upload(&g);
    double seconds[3][RUNS];
    uint64_t total[3] = {0, 0, 0};
    for (int run = -2; run < RUNS; run++) { /* two to warm up */
        double begin = now(), merged = 0;
        bool good = count_there(m, &there, NULL, &total[0]) == PLEACH_OK;
        double middle = now();
        good &= count_there(m, &there, there.by_vertex, &total[1]) == PLEACH_OK;
        double end = now();
        good &= triangles_merge_cuda(g.n, there.offsets, there.targets, &total[2], &merged) == 0;
        expect(good && total[0] == total[1] && total[0] == total[2], g.name, "counts that are timed");
        if (run < 0) continue;
        seconds[0][run] = middle - begin;
        seconds[1][run] = end - middle;
        seconds[2][run] = merged;
    }
    print_times(g.name, "count, call", seconds[0]);
    print_times(g.name, "count by vertex, call", seconds[1]);
    print_times(g.name, "sort and merge, GPU only", seconds[2]);
    free_there(&there);
    free_graph(&g);
}

/* With PLEACH_TEST_SCALE below 100, an R-MAT graph of fewer vertices, with as many edges for each. */
static graph sized_rmat(const char *name, unsigned scale, unsigned edges_each)
{
    uint64_t most = shrunk((size_t)1 << scale, 2);
    while ((uint64_t)1 << scale > most) scale--;
    return rmat(name, scale, (uint64_t)edges_each << scale);
}

static graph sized_clique(const char *name, uint64_t size, uint64_t n, uint64_t least)
{
    uint64_t sized = shrunk(size, least);
    return clique(name, sized, n / size * sized);
}

static void check_shapes(machine *m)
{
    check(m, random_graph("no vertex", 0, 0));
    check(m, random_graph("one vertex", 1, 0));
    check(m, random_graph("no edge", 1000, 0));
    check(m, clique("an edge", 2, 2));
    check(m, clique("a triangle", 3, 100));
    check(m, clique("clique of 64", 64, 64));
    check(m, clique("clique of 65", 65, 70));
    check(m, clique("clique of 257", 257, 1000));
    check(m, sized_clique("clique of 700", 700, 700, 300));
    check(m, sized_clique("clique of 3000", 3000, 100000, 300));
    if (shrunk(100, 0) == 100) check(m, buried_clique("clique behind others")); /* smaller, nothing would be behind */
    check(m, grid("grid", shrunk(1024, 48), false));
    check(m, grid("grid with diagonals", shrunk(1024, 48), true));
    check(m, star("star of 2^20", shrunk(1 << 20, 5000), false));
    check(m, star("wheel of 2^20", shrunk(1 << 20, 5000), true));
    check(m, random_graph("random, dense", shrunk(3000, 300), shrunk(1000000, 30000)));
    check(m, random_graph("random, sparse", shrunk(1 << 20, 5000), shrunk(1 << 22, 20000)));
    check(m, random_graph("random, 100 each", shrunk(200000, 1000), shrunk(10000000, 50000)));
    for (unsigned scale = 1; scale <= 14; scale++) check(m, sized_rmat("R-MAT, small", scale, 16));
    check(m, sized_rmat("R-MAT 2^18, 2^21", 18, 8));
}

int main(int count, char **argument)
{
    machine m = {.threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN)};
    uint64_t keep = UINT64_MAX;
    m.all = workers_create(m.threads);
    need(m.all != NULL, "memory");
    need(cudaSetDevice(0) == cudaSuccess, "GPU");
    need(cudaDeviceGetDefaultMemPool(&m.s.pool, 0) == cudaSuccess, "memory pool");
    need(cudaMemPoolSetAttribute(m.s.pool, cudaMemPoolAttrReleaseThreshold, &keep) == cudaSuccess, "memory pool");
    need(cudaStreamCreateWithFlags(&m.s.stream, cudaStreamNonBlocking) == cudaSuccess, "stream");
    check_shapes(&m);
    check_refusals(&m);
    check(&m, sized_rmat("R-MAT 2^16, 2^20", 16, 16));
    check(&m, sized_rmat("R-MAT 2^20, 2^24", 20, 16));
    if (count > 1 && strcmp(argument[1], "--time") == 0) {
        printf("\n%-20s %-28s %9s %9s %9s\n", "ms", "", "least", "median", "most");
        measure(&m, rmat("R-MAT 2^16, 2^20", 16, 1 << 20));
        measure(&m, rmat("R-MAT 2^20, 2^24", 20, 1 << 24));
        measure(&m, grid("grid, diagonals, 2^20", 1024, true));
    }
    workers_destroy(m.all);
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
