/* graph/triangles/triangles_rest.cu - triangles a < b < c with none of the TRIANGLE_WINDOW numbers that have bits.
 * Graphs with hubs have few of them, and in graphs without hubs lists are short. So one warp counts at each c, with its
 * members in a hash table. A list that is too long for the table is processed in parts.
 */
#include "triangles_kernels.h"

enum { SLOTS_LOG2 = 9, SLOTS = 1 << SLOTS_LOG2, MEMBERS = SLOTS / 2, SHORT = 8 };

#define EMPTY UINT32_MAX

/* A warp's hash table. It uses as many slots, from the first on, as its members need. */
typedef struct rest_set {
    uint32_t slot[SLOTS];
} rest_set;

static __device__ __forceinline__ unsigned slot_of(uint32_t number, unsigned slots_log2)
{
    return number * 2654435761u >> (32 - slots_log2);
}

static __device__ void insert_number(rest_set *set, unsigned slots_log2, uint32_t number)
{
    unsigned at = slot_of(number, slots_log2), mask = (1u << slots_log2) - 1;
    while (atomicCAS(&set->slot[at], EMPTY, number) != EMPTY) at = (at + 1) & mask;
}

static __device__ __forceinline__ bool has_number(const rest_set *set, unsigned slots_log2, uint32_t number)
{
    unsigned at = slot_of(number, slots_log2), mask = (1u << slots_log2) - 1;
    uint32_t there = set->slot[at];
    while (there != EMPTY && there != number) {
        at = (at + 1) & mask;
        there = set->slot[at];
    }
    return there == number;
}

/* Counts the list's elements that are in the set: every step-th, from `from` on. */
static __device__ uint32_t find_numbers(const triangle_graph *g, const rest_set *set, unsigned slots_log2,
                                        triangle_list list, uint32_t from, uint32_t step, const bool by_vertex)
{
    uint32_t found = 0;
    for (uint32_t k = from; k < list.members; k += step) {
        uint32_t number = g->members[list.start + k];
        if (number < TRIANGLE_WINDOW || !has_number(set, slots_log2, number)) continue;
        if (by_vertex) charge(g, number, 1);
        found++;
    }
    return found;
}

/* Searches the lists of up to 32 members of c, one per lane. If all lists are short, each lane processes its own;
 * otherwise the warp processes one after the other. */
static __device__ uint64_t find_lists(const triangle_graph *g, const rest_set *set, unsigned slots_log2,
                                      uint32_t member, bool mine, const bool by_vertex)
{
    unsigned lane = lane_of();
    triangle_list list = {0, 0, 0};
    if (mine) list = g->list[member];
    unsigned some = __ballot_sync(ALL_LANES, list.members > 0);
    uint64_t all = 0;
    if (!__any_sync(ALL_LANES, list.members > SHORT)) {
        uint32_t found = find_numbers(g, set, slots_log2, list, 0, 1, by_vertex);
        if (by_vertex && mine) charge(g, member, found);
        return found;
    }
    for (; some; some &= some - 1) {
        unsigned i = __ffs(some) - 1;
        triangle_list its = {__shfl_sync(ALL_LANES, list.start, i), 0, __shfl_sync(ALL_LANES, list.members, i)};
        uint32_t found = find_numbers(g, set, slots_log2, its, lane, 32, by_vertex);
        if (by_vertex) {
            __syncwarp();
            uint64_t sum = __shfl_sync(ALL_LANES, warp_sum(found), 0);
            if (lane == i) charge(g, member, sum);
        }
        all += found;
    }
    return all;
}

static __device__ __forceinline__ uint64_t count_rest(const triangle_graph *g, rest_set *set, uint32_t number,
                                                      triangle_list list, unsigned lane, const bool by_vertex)
{
    uint64_t all = 0;
    for (uint32_t part = 0; part < list.members; part += MEMBERS) {
        uint32_t end = list.members - part < MEMBERS ? list.members : part + MEMBERS;
        unsigned slots_log2 = 5;
        while (1u << slots_log2 < 2 * (end - part)) slots_log2++;
        for (unsigned at = lane; at < 1u << slots_log2; at += 32) set->slot[at] = EMPTY;
        __syncwarp();
        for (uint32_t k = part + lane; k < end; k += 32) {
            uint32_t member = g->members[list.start + k];
            if (member >= TRIANGLE_WINDOW) insert_number(set, slots_log2, member);
        }
        __syncwarp();
        for (uint32_t first = 0; first < list.members; first += 32) {
            uint32_t member = 0;
            if (first + lane < list.members) member = g->members[list.start + first + lane];
            all += find_lists(g, set, slots_log2, member, member >= TRIANGLE_WINDOW, by_vertex);
        }
        __syncwarp();
    }
    if (by_vertex) {
        uint64_t sum = warp_sum(all);
        if (lane == 0) charge(g, number, sum);
    }
    return all;
}

static __device__ __forceinline__ void count_rest_all(const triangle_graph *g, rest_set *set, const bool by_vertex)
{
    enum { AT_ONCE = 16 };
    unsigned lane = lane_of();
    uint64_t all = 0, end = g->notes->active;
    for (;;) {
        uint64_t first = TRIANGLE_WINDOW + warp_ticket(&g->notes->ticket[4], lane, AT_ONCE);
        if (first >= end) break;
        triangle_list list = {0, 0, 0};
        if (lane < AT_ONCE && first + lane < end) list = g->list[first + lane];
        /* A packed word stands for at least one member within the window. */
        unsigned some = __ballot_sync(ALL_LANES, list.members - list.packed > 1);
        for (; some; some &= some - 1) {
            unsigned i = __ffs(some) - 1;
            triangle_list its = {__shfl_sync(ALL_LANES, list.start, i), 0, __shfl_sync(ALL_LANES, list.members, i)};
            all += count_rest(g, set, (uint32_t)(first + i), its, lane, by_vertex);
        }
    }
    add_to_total(g, all);
}

static __global__ void __launch_bounds__(TRIANGLE_THREADS) count_at_rest(triangle_graph g)
{
    __shared__ rest_set set[TRIANGLE_WARPS];
    count_rest_all(&g, &set[warp_of()], false);
}

static __global__ void __launch_bounds__(TRIANGLE_THREADS, 5) count_at_rest_by_vertex(triangle_graph g)
{
    __shared__ rest_set set[TRIANGLE_WARPS];
    count_rest_all(&g, &set[warp_of()], true);
}

cudaError_t triangles_launch_rest(const triangle_graph *g, cudaStream_t stream)
{
    if (g->n <= TRIANGLE_WINDOW) return cudaSuccess;
    return launch_at_once(g->by_vertex ? count_at_rest_by_vertex : count_at_rest, g,
                          stream);
}
