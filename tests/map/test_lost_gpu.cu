/* tests/test_lost_gpu.cu - a GPU on which a kernel has had a fault. CUDA then fails every call of the process for good.
 * The library must say so (PLEACH_E_CUDA) at every call, must not answer as if all were well, and must not hang; what
 * was created can still be destroyed.
 *
 * Each run is a process of its own. On a GPU a kernel of the test writes nowhere after the N-th call; on an emulated GPU
 * the N-th kernel of all that the library begins has the fault.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pleach/pleach.h>

#include "verify/sized.cuh"

enum { N = 600, SECONDS = 60, LAST = 1 << 12 };
enum { HANDLED = 10, NOTHING_LOST = 11, WRONG = 12 }; /* how a run ends */

static __global__ void write_nowhere(unsigned *nowhere) { *nowhere = 1; }

static struct {
    unsigned calls, fault_after; /* on a GPU */
    bool lost;
    unsigned wrong; /* the line of the first call that is; 0: none */
} run;

static void have_fault(void)
{
    if (SIZED(true, false) && ++run.calls == run.fault_after) {
        write_nowhere<<<1, 1>>>((unsigned *)16);
        cudaDeviceSynchronize();
    }
}

static bool took(pleach_status status, unsigned line)
{
    const bool good = status == PLEACH_OK;
    if (!run.wrong && (good ? run.lost : status != PLEACH_E_CUDA)) run.wrong = line;
    if (!good) run.lost = true;
    have_fault();
    return good;
}

#define TOOK(call) took((call), __LINE__)
#define RIGHT(condition) (!run.wrong && !(condition) ? (void)(run.wrong = __LINE__) : (void)0)

static uint64_t keys[N], values[N], more[N];
static uint32_t from[N], to[N];
static uint8_t found[N];

static void use_map(bool versioned, pleach_structure structure)
{
    pleach_map *map = NULL;
    pleach_map_config config = {};
    config.device = PLEACH_CUDA;
    config.versioned = versioned;
    config.structure = structure;
    if (!TOOK(pleach_map_create(&map, &config))) return;
    uint64_t size = 0, low = 0, high = UINT64_MAX, count = 0;
    int has = 0;
    pleach_snapshot *snapshot = NULL;
    TOOK(pleach_map_put(map, N, keys, keys, NULL, NULL, PLEACH_SYNC));
    if (TOOK(pleach_map_find(map, N, keys, values, found, PLEACH_SYNC))) RIGHT(found[7] && values[7] == keys[7]);
    if (TOOK(pleach_map_find_one(map, keys[9], &has, &size))) RIGHT(has && size == keys[9]);
    if (TOOK(pleach_map_range_count(map, 1, &low, &high, &count, PLEACH_SYNC))) RIGHT(count == N);
    if (TOOK(pleach_map_size(map, &size))) RIGHT(size == N);
    if (versioned && TOOK(pleach_snapshot_take(map, &snapshot, PLEACH_SYNC)))
        TOOK(pleach_snapshot_find(snapshot, N, keys, values, found, PLEACH_SYNC));
    TOOK(pleach_map_erase(map, N / 2, keys, NULL, NULL, PLEACH_SYNC));
    if (TOOK(pleach_map_export(map, N, more, values, &count))) RIGHT(count == N - N / 2);
    pleach_snapshot_release(snapshot);
    TOOK(pleach_map_compact(map, 0));
    pleach_map_destroy(map);
}

static void use_hash(void)
{
    pleach_hash *hash = NULL;
    pleach_hash_config config = {};
    config.device = PLEACH_CUDA;
    if (!TOOK(pleach_hash_create(&hash, &config))) return;
    TOOK(pleach_hash_put(hash, N, keys, keys, NULL, NULL, PLEACH_SYNC));
    if (TOOK(pleach_hash_find(hash, N, keys, values, found, PLEACH_SYNC))) RIGHT(found[7] && values[7] == keys[7]);
    pleach_hash_destroy(hash);
}

static void use_graph(pleach_adjacency adjacency)
{
    pleach_graph *graph = NULL;
    pleach_graph_config config = {};
    config.device = PLEACH_CUDA;
    config.adjacency = adjacency;
    uint64_t vertices, edges, total;
    if (!TOOK(pleach_graph_create(&graph, &config))) return;
    TOOK(pleach_graph_insert_edges(graph, N, from, to, NULL, NULL, PLEACH_SYNC));
    if (!run.lost && TOOK(pleach_graph_size(graph, &vertices, &edges))) RIGHT(edges > 0); /* may be known to the host */
    TOOK(pleach_graph_triangles(graph, 0, NULL, &total));
    pleach_graph_destroy(graph);
}

/* Each structure alone: what comes after the fault is also another structure's creation. */
static int use_all(unsigned fault_after)
{
    run.fault_after = fault_after;
    for (uint32_t i = 0; i < N; i++) keys[i] = 5 * (uint64_t)i, from[i] = i % 100, to[i] = i * 7 % 101;
    alarm(SECONDS);
    use_map(false, PLEACH_BLINK);
    use_hash();
    use_graph(PLEACH_ADJACENCY_HASH);
    use_map(true, PLEACH_BLINK);
    use_map(false, PLEACH_SKIPLIST);
    use_graph(PLEACH_ADJACENCY_ORDERED);
    if (run.wrong) printf("the call in line %u is wrong: %s\n", run.wrong, pleach_cuda_error());
    return run.wrong ? WRONG : run.lost ? HANDLED : NOTHING_LOST;
}

/* In a process that has never called CUDA. Answers its exit status, or minus the signal that ended it. */
static int status_of(unsigned fault_after)
{
    char number[16];
    snprintf(number, sizeof number, "%u", fault_after);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        setenv("PLEACH_CUDA_HOST_FAULT", number, 1);
        execl("/proc/self/exe", "test_lost_gpu", number, (char *)NULL);
        _exit(WRONG);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child) return WRONG;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int main(int argc, char **argv)
{
    if (argc == 2) return use_all((unsigned)strtoul(argv[1], NULL, 10));
    unsigned passed = 0, failed = 0, n = 1;
    int status = HANDLED;
    for (; status != NOTHING_LOST && n < LAST; n += 1 + n / 12) {
        status = status_of(n);
        status == HANDLED || status == NOTHING_LOST ? passed++ : failed++;
        if (status == -SIGALRM) printf("FAILED  fault %u: it does not end\n", n);
        else if (status != HANDLED && status != NOTHING_LOST) printf("FAILED  fault %u: it ends with %d\n", n, status);
    }
    if (passed < 20) failed++; /* as many kernels there are at least, and calls */
    printf("%u passed, %u failed\n", passed, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
