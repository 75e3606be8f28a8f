/* tests/test_graph_device.cu - graphs from inside kernels: every function, on graphs of every kind, from many threads.
 *
 * own      thread i owns vertices 2 i and 2 i + 1, so it knows each answer about them while all others are at work.
 * fight    all threads put and erase the same few edges; what they were told must add up.
 * hubs     each of many edges of few vertices is put by two threads, and is new once; the tables grow meanwhile.
 * lists    neighbours of all vertices, by threads and by warps, are those that pleach_graph_neighbours lists.
 * beside   the same while others put and erase: who stays is listed once, if the iterator says that nothing changed.
 * limit    a graph at its limit says which edges it did not take, and has all others.
 *
 * Kernels cannot get memory. What these need was that of vertices which came by array calls, and were erased.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pleach/graph_device.cuh>
#include <pleach/hash_device.cuh> /* not used: both may be in one file, in either order */
#include <pleach/pleach.h>

#include "verify/sized.cuh"

enum {
    THREADS = SIZED(1 << 13, 1 << 9), BLOCK = 128, ROUNDS = SIZED(40, 8),
    HUBS = 16, HUB_EDGES = SIZED(2000, 300), FIRST_HUB = 2 * THREADS,
    FIGHTERS = 12, FIGHTS = FIGHTERS * FIGHTERS, FIRST_FIGHTER = FIRST_HUB + HUBS,
    VERTICES = SIZED(5 << 12, 1280), SPARE = SIZED(10 << 12, 2816), SPARE_HUBS = 32, SPARE_HUB_EDGES = SIZED(4000, 600),
    LIMIT_VERTICES = 1024, LIMIT_EDGES = SIZED(512, 160)
};

typedef struct counters {
    unsigned wrong; /* the line of what failed first */
    unsigned long long checks, inserted, not_applied, unchanged;
    int balance[FIGHTS];
} counters;

#define EXPECT(condition)                                                                                        \
    do {                                                                                                         \
        mine++;                                                                                                  \
        if (!(condition)) atomicCAS(&c->wrong, 0u, (unsigned)__LINE__);                                          \
    } while (0)

__global__ void own(const __grid_constant__ pleach_graph_view view, counters *c)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, a = 2 * i, b = 2 * i + 1, value = 0, neighbour = 0;
    unsigned long long mine = 0;
    bool directed = view.directed, values = view.values;
    EXPECT(!pleach_graph_find_edge(view, a, b, &value) && pleach_graph_degree(view, a) == 0);
    EXPECT(pleach_graph_erase_edge(view, a, b) == PLEACH_EDGE_ABSENT);
    EXPECT(pleach_graph_insert_edge(view, a, b, i) == PLEACH_EDGE_NEW);
    EXPECT(pleach_graph_insert_edge(view, a, b, i + 1) == PLEACH_EDGE_REPLACED);
    EXPECT(pleach_graph_find_edge(view, a, b, &value) && value == (values ? i + 1 : 0));
    EXPECT(pleach_graph_find_edge(view, b, a, NULL) == !directed);
    EXPECT(pleach_graph_vertex_is_there(view, a) && pleach_graph_vertex_is_there(view, b));
    EXPECT(pleach_graph_insert_edge(view, a, VERTICES + SPARE + i, 1) == PLEACH_EDGE_NOT_APPLIED); /* of no segment */
    EXPECT(!pleach_graph_vertex_is_there(view, VERTICES + SPARE + i));
    EXPECT(pleach_graph_degree(view, a) == 1 && pleach_graph_degree(view, b) == (directed ? 0 : 1));
    EXPECT(pleach_graph_insert_edge(view, a, a, 1) == PLEACH_EDGE_LOOP && !pleach_graph_find_edge(view, a, a, NULL));
    EXPECT(pleach_graph_insert_edge(view, a, PLEACH_NO_VERTEX, 1) == PLEACH_EDGE_NOT_APPLIED);
    EXPECT(pleach_graph_erase_edge(view, PLEACH_NO_VERTEX, a) == PLEACH_EDGE_NOT_APPLIED);
    EXPECT(!pleach_graph_find_edge(view, PLEACH_NO_VERTEX, a, NULL));
    EXPECT(pleach_graph_erase_edge(view, b, a) == (directed ? PLEACH_EDGE_ABSENT : PLEACH_EDGE_ERASED));
    EXPECT(pleach_graph_insert_edge(view, a, b, 5) == (directed ? PLEACH_EDGE_REPLACED : PLEACH_EDGE_NEW));
    EXPECT(pleach_graph_erase_edge(view, a, b) == PLEACH_EDGE_ERASED);
    EXPECT(pleach_graph_erase_edge(view, a, b) == PLEACH_EDGE_ABSENT);
    EXPECT(pleach_graph_degree(view, a) == 0 && pleach_graph_vertex_is_there(view, a));
    pleach_graph_iterator none = pleach_graph_neighbours_begin(view, a);
    EXPECT(!pleach_graph_neighbours_next(&none, &neighbour, &value));
    EXPECT(pleach_graph_insert_edge(view, b, a, i + 7) == PLEACH_EDGE_NEW);
    value = 0;
    pleach_graph_iterator it = pleach_graph_neighbours_begin(view, b);
    EXPECT(pleach_graph_neighbours_next(&it, &neighbour, &value));
    EXPECT(neighbour == a && value == (values ? i + 7 : 0));
    EXPECT(!pleach_graph_neighbours_next(&it, &neighbour, NULL) && !pleach_graph_neighbours_changed(&it));
    atomicAdd(&c->checks, mine);
}

__global__ void fight(const __grid_constant__ pleach_graph_view view, counters *c)
{
    unsigned long long mine = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t x = (threadIdx.x * 7 + blockIdx.x + round) % FIGHTERS, y = (threadIdx.x + blockIdx.x * 3) % FIGHTERS;
        uint32_t low = x < y ? x : y, high = x < y ? y : x;
        uint32_t from = view.directed ? low : x, to = view.directed ? high : y;
        pleach_edge_outcome outcome =
            round % 2 ? pleach_graph_erase_edge(view, FIRST_FIGHTER + from, FIRST_FIGHTER + to)
                      : pleach_graph_insert_edge(view, FIRST_FIGHTER + from, FIRST_FIGHTER + to, round);
        EXPECT(outcome != PLEACH_EDGE_NOT_APPLIED && (outcome == PLEACH_EDGE_LOOP) == (x == y));
        if (outcome == PLEACH_EDGE_NEW) atomicAdd(&c->balance[low * FIGHTERS + high], 1);
        if (outcome == PLEACH_EDGE_ERASED) atomicAdd(&c->balance[low * FIGHTERS + high], -1);
    }
    atomicAdd(&c->checks, mine);
}

__global__ void settle(const __grid_constant__ pleach_graph_view view, counters *c)
{
    uint32_t low = threadIdx.x / FIGHTERS, high = threadIdx.x % FIGHTERS;
    unsigned long long mine = 0;
    if (low > high) return;
    bool there = pleach_graph_find_edge(view, FIRST_FIGHTER + low, FIRST_FIGHTER + high, NULL);
    EXPECT(c->balance[threadIdx.x] == (there ? 1 : 0));
    atomicAdd(&c->checks, mine);
}

/* Each edge by two threads, which are not in one warp; told[] counts how often it was new. */
__global__ void hubs(const __grid_constant__ pleach_graph_view view, unsigned *told, counters *c)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, edge = i % (HUBS * HUB_EDGES);
    uint32_t hub = edge % HUBS, target = edge / HUBS;
    if (i >= 2 * HUBS * HUB_EDGES) return;
    unsigned long long mine = 0;
    pleach_edge_outcome outcome = pleach_graph_insert_edge(view, FIRST_HUB + hub, target, hub + target);
    EXPECT(outcome == PLEACH_EDGE_NEW || outcome == PLEACH_EDGE_REPLACED);
    if (outcome == PLEACH_EDGE_NEW) atomicAdd(&told[edge], 1u);
    atomicAdd(&c->checks, mine);
}

__global__ void hubs_settle(const __grid_constant__ pleach_graph_view view, const unsigned *told, counters *c)
{
    uint32_t edge = blockIdx.x * blockDim.x + threadIdx.x, hub = edge % HUBS, target = edge / HUBS, value = 0;
    if (edge >= HUBS * HUB_EDGES) return;
    unsigned long long mine = 0;
    EXPECT(told[edge] == 1);
    EXPECT(pleach_graph_find_edge(view, FIRST_HUB + hub, target, &value) && value == (view.values ? hub + target : 0));
    EXPECT(pleach_graph_degree(view, FIRST_HUB + hub) == HUB_EDGES);
    atomicAdd(&c->checks, mine);
}

/* What the host was told, in device memory. */
typedef struct lists {
    const uint64_t *offsets;
    const uint32_t *neighbours, *values;
    unsigned *seen; /* of each entry, how often it was listed */
} lists;

/* Where the neighbour is in the vertex's row, which ascends; the row's end if it is not there. */
__device__ static uint64_t place_in_row(lists l, uint32_t vertex, uint32_t neighbour)
{
    uint64_t low = l.offsets[vertex], end = l.offsets[vertex + 1], high = end;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (l.neighbours[middle] < neighbour)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && l.neighbours[low] == neighbour ? low : end;
}

__device__ static bool note(lists l, bool values, uint32_t vertex, uint32_t neighbour, uint32_t value)
{
    uint64_t at = place_in_row(l, vertex, neighbour);
    if (at == l.offsets[vertex + 1]) return false;
    atomicAdd(&l.seen[at], 1u);
    return !values || l.values[at] == value;
}

__global__ void lists_by_threads(const __grid_constant__ pleach_graph_view view, lists l, counters *c)
{
    uint32_t vertex = blockIdx.x * blockDim.x + threadIdx.x, neighbour, value = 0;
    if (vertex >= VERTICES) return;
    unsigned long long mine = 0;
    pleach_graph_iterator it = pleach_graph_neighbours_begin(view, vertex);
    while (pleach_graph_neighbours_next(&it, &neighbour, &value))
        EXPECT(note(l, view.values, vertex, neighbour, value));
    EXPECT(!pleach_graph_neighbours_changed(&it));
    EXPECT(!pleach_graph_neighbours_next(&it, &neighbour, &value)); /* it stays at the end */
    EXPECT(pleach_graph_degree(view, vertex) == l.offsets[vertex + 1] - l.offsets[vertex]);
    atomicAdd(&c->checks, mine);
}

__global__ void lists_by_warps(const __grid_constant__ pleach_graph_view view, lists l, counters *c)
{
    uint32_t vertex = (blockIdx.x * blockDim.x + threadIdx.x) / 32, neighbour, value = 0;
    if (vertex >= VERTICES) return;
    unsigned long long mine = 0;
    pleach_graph_warp_iterator it = pleach_graph_warp_neighbours_begin(view, vertex);
    while (pleach_graph_warp_neighbours_next(&it, &neighbour, &value)) {
        EXPECT(__ballot_sync(0xffffffffu, neighbour != PLEACH_NO_VERTEX)); /* all lanes are here, and some have one */
        if (neighbour != PLEACH_NO_VERTEX) EXPECT(note(l, view.values, vertex, neighbour, value));
    }
    EXPECT(!pleach_graph_warp_neighbours_changed(&it));
    atomicAdd(&c->checks, mine);
}

__global__ void lists_settle(lists l, uint64_t entries, counters *c)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long mine = 0;
    if (i < entries) EXPECT(l.seen[i] == 2);
    atomicAdd(&c->checks, mine);
}

/* Of the first hub: edges to odd targets come and go, those to even ones stay. Blocks in turn change it, list it by
 * threads, and list it by warps. Many change it for a short while, so that hardly a list is of one piece, and then one
 * thread for longer. */
__device__ static void churn(const pleach_graph_view &view)
{
    uint32_t rounds = blockIdx.x + threadIdx.x == 0 ? 100 * ROUNDS : ROUNDS;
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t target = (threadIdx.x * 31 + blockIdx.x * 17 + round * 101) % HUB_EDGES | 1;
        if (round > ROUNDS) __nanosleep(10000);
        if ((round + threadIdx.x) % 2)
            pleach_graph_erase_edge(view, FIRST_HUB, target);
        else
            pleach_graph_insert_edge(view, FIRST_HUB, target, target);
    }
}

/* The neighbours that stay are 0, 2 ... HUB_EDGES - 2. */
__device__ static bool all_stayed(unsigned long long count, unsigned long long sum)
{
    const unsigned long long half = HUB_EDGES / 2;
    return count == half && sum == half * (half - 1);
}

__global__ void beside(const __grid_constant__ pleach_graph_view view, counters *c)
{
    unsigned long long mine = 0;
    uint32_t neighbour, value = 0;
    if (blockIdx.x % 3 == 0) churn(view);
    for (int round = 0; round < ROUNDS && blockIdx.x % 3 == 1; round++) {
        unsigned long long count = 0, sum = 0, others = 0;
        pleach_graph_iterator it = pleach_graph_neighbours_begin(view, FIRST_HUB);
        while (pleach_graph_neighbours_next(&it, &neighbour, &value)) {
            if (neighbour % 2 == 0) count++, sum += neighbour;
            others += neighbour >= HUB_EDGES || (view.values && value != neighbour);
        }
        if (pleach_graph_neighbours_changed(&it)) continue;
        EXPECT(all_stayed(count, sum) && others == 0);
        atomicAdd(&c->unchanged, 1ull);
    }
    for (int round = 0; round < ROUNDS && blockIdx.x % 3 == 2; round++) {
        unsigned long long count = 0, sum = 0;
        pleach_graph_warp_iterator it = pleach_graph_warp_neighbours_begin(view, FIRST_HUB);
        while (pleach_graph_warp_neighbours_next(&it, &neighbour, &value)) {
            bool got = neighbour != PLEACH_NO_VERTEX;
            if (got) EXPECT(neighbour < HUB_EDGES && (!view.values || value == neighbour)); /* changed or not */
            if (got && neighbour % 2 == 0) count++, sum += neighbour;
        }
        for (int step = 16; step; step /= 2) {
            count += __shfl_xor_sync(0xffffffffu, count, step);
            sum += __shfl_xor_sync(0xffffffffu, sum, step);
        }
        if (pleach_graph_warp_neighbours_changed(&it)) continue;
        EXPECT(all_stayed(count, sum));
        if (threadIdx.x % 32 == 0) atomicAdd(&c->unchanged, 1ull);
    }
    atomicAdd(&c->checks, mine);
}

__global__ void overfill(const __grid_constant__ pleach_graph_view view, counters *c)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long mine = 0;
    if (i >= LIMIT_VERTICES * LIMIT_EDGES) return;
    uint32_t from = i % LIMIT_VERTICES, to = LIMIT_VERTICES + i / LIMIT_VERTICES;
    pleach_edge_outcome outcome = pleach_graph_insert_edge(view, from, to, i);
    EXPECT(outcome == PLEACH_EDGE_NEW || outcome == PLEACH_EDGE_NOT_APPLIED);
    EXPECT(pleach_graph_find_edge(view, from, to, NULL) == (outcome == PLEACH_EDGE_NEW));
    atomicAdd(outcome == PLEACH_EDGE_NEW ? &c->inserted : &c->not_applied, 1ull);
    atomicAdd(&c->checks, mine);
}

/* ---- the host's part ---- */

static int passed, failed;
static const char *kind_name;

static void expect(bool good, const char *what)
{
    good ? passed++ : failed++;
    printf("%s  %s: %s\n", good ? "ok    " : "FAILED", kind_name, what);
}

static void *on_gpu(size_t bytes, const void *from)
{
    void *there = NULL;
    bool good = cudaMalloc(&there, bytes ? bytes : 1) == cudaSuccess &&
                (from ? cudaMemcpy(there, from, bytes, cudaMemcpyHostToDevice) : cudaMemset(there, 0, bytes)) ==
                    cudaSuccess;
    if (good) return there;
    expect(false, "memory");
    exit(EXIT_FAILURE);
}

static counters collect(counters *there, const char *phase)
{
    counters here = {};
    char text[128];
    cudaError_t error = cudaMemcpy(&here, there, sizeof here, cudaMemcpyDeviceToHost);
    snprintf(text, sizeof text, "%s: %llu answers are right (first wrong one in line %u) %s", phase, here.checks,
             here.wrong, error == cudaSuccess ? "" : cudaGetErrorString(error));
    expect(error == cudaSuccess && here.wrong == 0 && here.checks > 0, text);
    if (error != cudaSuccess) exit(EXIT_FAILURE); /* nothing works any more */
    return here;
}

static pleach_graph *open_graph(unsigned kind, uint64_t max_bytes)
{
    pleach_graph *graph = NULL;
    pleach_graph_config config = {};
    config.device = PLEACH_CUDA;
    config.directed = kind & 1;
    config.values = kind >> 1 & 1;
    config.sparse_ids = kind >> 2;
    config.seed = 7;
    config.max_bytes = max_bytes;
    pleach_status status = pleach_graph_create(&graph, &config);
    expect(status == PLEACH_OK, pleach_strerror(status));
    return graph;
}

static uint32_t *host_array(size_t n)
{
    uint32_t *array = (uint32_t *)malloc((n + 1) * sizeof *array);
    if (!array) exit(EXIT_FAILURE);
    return array;
}

/* Vertices, and memory that others have left: lines of a few neighbours, and longer tables. */
static void make_room(pleach_graph *graph, unsigned kind)
{
    size_t n = SPARE + SPARE_HUBS * SPARE_HUB_EDGES, i = 0;
    uint32_t *from = host_array(n), *to = host_array(n), *ids = host_array(VERTICES + SPARE);
    for (; i < SPARE; i++) from[i] = VERTICES + (uint32_t)i, to[i] = VERTICES + (uint32_t)(i ^ 1);
    for (uint32_t hub = 0; hub < SPARE_HUBS; hub++)
        for (uint32_t k = 0; k < SPARE_HUB_EDGES; k++, i++)
            from[i] = VERTICES + hub, to[i] = VERTICES + SPARE_HUBS + 2 + k;
    for (i = 0; i < VERTICES + SPARE; i++) ids[i] = (uint32_t)i;
    expect(pleach_graph_insert_vertices(graph, VERTICES + SPARE, ids, NULL, PLEACH_SYNC) == PLEACH_OK, "vertices");
    expect(pleach_graph_insert_edges(graph, n, from, to, kind >> 1 & 1 ? to : NULL, NULL, PLEACH_SYNC) == PLEACH_OK,
           "edges that go again");
    expect(pleach_graph_erase_vertices(graph, SPARE, ids + VERTICES, NULL) == PLEACH_OK, "with their vertices");
    free(from);
    free(to);
    free(ids);
}

/* What the host lists, and what kernels do. */
static void compare_lists(pleach_graph *graph, unsigned kind, pleach_graph_view view, counters *c)
{
    size_t room = 2 * (HUBS * HUB_EDGES + THREADS + FIGHTS), total = 0;
    uint32_t *ids = host_array(VERTICES), *neighbours = host_array(room), *values = host_array(room);
    uint64_t *offsets = (uint64_t *)malloc((VERTICES + 1) * sizeof *offsets);
    if (!offsets) exit(EXIT_FAILURE);
    for (uint32_t i = 0; i < VERTICES; i++) ids[i] = i;
    pleach_status listed = pleach_graph_neighbours(graph, VERTICES, ids, room, neighbours,
                                                   kind >> 1 & 1 ? values : NULL, offsets, &total);
    expect(listed == PLEACH_OK, "the host lists neighbours");
    if (listed != PLEACH_OK) exit(EXIT_FAILURE);
    lists l;
    void *memory[4] = {on_gpu((VERTICES + 1) * sizeof *offsets, offsets),
                       on_gpu(total * sizeof *neighbours, neighbours), on_gpu(total * sizeof *values, values),
                       on_gpu(total * sizeof *l.seen, NULL)};
    l.offsets = (const uint64_t *)memory[0];
    l.neighbours = (const uint32_t *)memory[1];
    l.values = (const uint32_t *)memory[2];
    l.seen = (unsigned *)memory[3];
    lists_by_threads<<<VERTICES / BLOCK, BLOCK>>>(view, l, c);
    lists_by_warps<<<VERTICES / BLOCK * 32, BLOCK>>>(view, l, c);
    lists_settle<<<(unsigned)(total / BLOCK + 1), BLOCK>>>(l, total, c);
    collect(c, "lists");
    for (int i = 0; i < 4; i++) cudaFree(memory[i]);
    free(ids);
    free(neighbours);
    free(values);
    free(offsets);
}

static void expect_sound(pleach_graph *graph, uint64_t expected)
{
    char text[128];
    uint64_t edges = 0;
    expect(pleach_graph_size(graph, NULL, &edges) == PLEACH_OK && edges == expected, "the edges are as many as told");
    pleach_status valid = pleach_graph_validate(graph, text, sizeof text);
    expect(valid == PLEACH_OK, valid == PLEACH_OK ? "the graph is valid" : text);
}

static void test_answers(unsigned kind)
{
    enum { HUB_BLOCKS = (2 * HUBS * HUB_EDGES + BLOCK - 1) / BLOCK };
    pleach_graph *graph = open_graph(kind, 0);
    if (!graph) return;
    pleach_graph_view view;
    pleach_graph_stats stats = {};
    make_room(graph, kind);
    counters *c = (counters *)on_gpu(sizeof *c, NULL);
    unsigned *told = (unsigned *)on_gpu(HUBS * HUB_EDGES * sizeof *told, NULL);
    expect(pleach_graph_view_open(graph, &view) == PLEACH_OK && view.directed == (kind & 1) &&
               view.values == (kind >> 1 & 1) && !view.names == !(kind >> 2), "a view opens");
    own<<<THREADS / BLOCK, BLOCK>>>(view, c);
    collect(c, "own");
    fight<<<16, BLOCK>>>(view, c);
    settle<<<1, FIGHTS>>>(view, c);
    counters here = collect(c, "fight");
    hubs<<<HUB_BLOCKS, BLOCK>>>(view, told, c);
    hubs_settle<<<HUB_BLOCKS, BLOCK>>>(view, told, c);
    collect(c, "hubs");
    expect(pleach_graph_validate(graph, NULL, 0) == PLEACH_E_BUSY, "exclusive calls are refused meanwhile");
    compare_lists(graph, kind, view, c);
    expect(pleach_graph_view_close(graph, &view) == PLEACH_OK, "the view closes");
    uint64_t expected = THREADS + HUBS * HUB_EDGES, vertices = 0;
    for (int i = 0; i < FIGHTS; i++) expected += (uint64_t)here.balance[i];
    expect_sound(graph, expected);
    expect(pleach_graph_size(graph, &vertices, NULL) == PLEACH_OK && vertices == VERTICES, "and so are the vertices");
    expect(pleach_graph_get_stats(graph, &stats) == PLEACH_OK && stats.max_degree == HUB_EDGES &&
               stats.longest_chain < 20, "tables have grown in the kernel"); /* else they were chains of 70 and more */
    cudaFree(told);
    cudaFree(c);
    pleach_graph_destroy(graph);
}

static void test_beside(unsigned kind)
{
    pleach_graph *graph = open_graph(kind, 0);
    if (!graph) return;
    pleach_graph_view view;
    make_room(graph, kind);
    uint32_t *from = host_array(HUB_EDGES), *to = host_array(HUB_EDGES);
    for (uint32_t i = 0; i < HUB_EDGES / 2; i++) from[i] = FIRST_HUB, to[i] = 2 * i;
    expect(pleach_graph_insert_edges(graph, HUB_EDGES / 2, from, to, kind >> 1 & 1 ? to : NULL, NULL, PLEACH_SYNC) ==
               PLEACH_OK, "neighbours that stay");
    counters *c = (counters *)on_gpu(sizeof *c, NULL);
    expect(pleach_graph_view_open(graph, &view) == PLEACH_OK, "a view opens");
    beside<<<48, BLOCK>>>(view, c);
    counters here = collect(c, "beside");
    char text[64];
    snprintf(text, sizeof text, "%llu lists were all of one piece", here.unchanged);
    expect(here.unchanged > 0, text);
    expect(pleach_graph_view_close(graph, &view) == PLEACH_OK, "the view closes");
    uint32_t hub = FIRST_HUB, degree = 0;
    expect(pleach_graph_degrees(graph, 1, &hub, &degree, PLEACH_SYNC) == PLEACH_OK, "the hub's degree");
    expect_sound(graph, degree);
    cudaFree(c);
    free(from);
    free(to);
    pleach_graph_destroy(graph);
}

static void test_limit(unsigned kind)
{
    pleach_graph *graph = open_graph(kind, 1 << 20);
    if (!graph) return;
    pleach_graph_view view;
    counters *c = (counters *)on_gpu(sizeof *c, NULL);
    uint32_t vertex = 1;
    expect(pleach_graph_insert_vertices(graph, 1, &vertex, NULL, PLEACH_SYNC) == PLEACH_OK, "a vertex");
    expect(pleach_graph_view_open(graph, &view) == PLEACH_OK, "a view opens");
    overfill<<<LIMIT_VERTICES * LIMIT_EDGES / BLOCK, BLOCK>>>(view, c);
    counters here = collect(c, "limit");
    expect(pleach_graph_view_close(graph, &view) == PLEACH_OK, "the view closes");
    expect(here.not_applied > 0, "edges were refused at the limit");
    expect_sound(graph, here.inserted);
    cudaFree(c);
    pleach_graph_destroy(graph);
}

static void test_refusals(void)
{
    kind_name = "refusals";
    pleach_graph *gpu = open_graph(0, 0), *host = NULL;
    pleach_graph_view view = {};
    expect(pleach_graph_create(&host, NULL) == PLEACH_OK, "a graph on the CPU");
    expect(pleach_graph_view_open(host, &view) == PLEACH_E_ARGUMENT, "no view of that");
    expect(pleach_graph_view_open(NULL, &view) == PLEACH_E_ARGUMENT && pleach_graph_view_open(gpu, NULL) ==
               PLEACH_E_ARGUMENT, "no view of or to NULL");
    expect(pleach_graph_view_close(gpu, &view) == PLEACH_E_ARGUMENT, "none is open");
    pleach_graph_destroy(host);
    pleach_graph_destroy(gpu);
}

int main(void)
{
    static const char *const names[] = {"undirected", "directed", "undirected, values", "directed, values",
                                        "sparse, undirected", "sparse, directed", "sparse, undirected, values",
                                        "sparse, directed, values"};
    for (unsigned kind = 0; kind < 8; kind++) {
        kind_name = names[kind];
        test_answers(kind);
        test_beside(kind);
        if (kind < 4) test_limit(kind); /* kernels cannot put sparse ids, and there are few without that */
    }
    test_refusals();
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
