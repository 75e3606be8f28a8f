/* graph/triangles/triangles_window.cu - triangles a < b < c, as numbers, with a below TRIANGLE_WINDOW. They are found
 * at c: its packed list becomes a set in shared memory, in which the packed lists of all its members b are looked up,
 * by one warp each. A word is 4 bytes read, and stands for as many numbers as it has bits.
 *
 * An R-MAT graph of 2^20 vertices and 2^24 edges has 1.57e7 edges, lists of 683 at most, and 4.24e8 triangles. Looking
 * members up one by one would take 4.4e9 lookups, 17.7 GB from the L2 cache; merging sorted lists reads up to 6.9e9
 * members. In packed words it is 1.4e9, 5.6 GB, in 5.2e7 steps of a warp, in which 84% of the lanes have a word. On an
 * H200 that is about 1 ms of the L2 cache, 0.7 ms of shared memory if three lanes of a warp access the same bank (fewer
 * do, because long lists are in order), and 0.6 ms of instructions. 3.4e5 members are beyond the window.
 *
 * At vertices with many neighbours a block counts, and the set is a bit for each number of the window: 16 KiB. At those
 * with fewer than TRIANGLE_WIDE a warp counts, and the set is a hash table of 1 KiB.
 */
#include "triangles_kernels.h"

/* This many blocks fit on a multiprocessor without spilling. */
enum { WIDE_BLOCKS = 8, NARROW_BLOCKS = 6, BY_VERTEX_BLOCKS = 5 };

/* ---- blocks ---- */

enum { MEMBERS_AT_ONCE = 512 };

typedef struct wide_block {
    uint32_t bits[TRIANGLE_PLACES];
    uint64_t start[MEMBERS_AT_ONCE]; /* the members' packed lists */
    uint32_t length[MEMBERS_AT_ONCE];
    uint64_t number;
    uint32_t next; /* next member, for a warp that is idle */
} wide_block;

/* For counting by vertex: a counter for each bit of the set, if there are not too many bits. */
enum { COUNTERS = 2048 };

typedef struct wide_counters {
    uint16_t first[TRIANGLE_PLACES]; /* the counter of a word's lowest bit */
    uint32_t counter[COUNTERS];
    uint32_t used;
} wide_counters;

static __device__ __forceinline__ uint32_t look_up(const uint32_t *bits, const uint32_t *list, uint32_t length,
                                                   unsigned lane)
{
    uint32_t found = 0;
    for (uint32_t k = lane; k < length; k += 128) {
        uint32_t word[4]; /* all are loaded before the first is looked up */
        for (uint32_t i = 0; i < 4; i++) word[i] = k + 32 * i < length ? list[k + 32 * i] : 0;
        for (uint32_t i = 0; i < 4; i++) found += __popc(bits[word[i] >> TRIANGLE_BITS] & word[i]);
    }
    return found;
}

/* Counts a triangle for each bit that the word shares with the set. */
static __device__ __forceinline__ uint32_t count_hits(const triangle_graph *g, const uint32_t *bits, wide_counters *c,
                                                      uint32_t word, bool counters)
{
    uint32_t place = word >> TRIANGLE_BITS, set = bits[place], hits = set & word, found = __popc(hits);
    for (; hits; hits &= hits - 1) {
        uint32_t below = (hits & (0 - hits)) - 1;
        if (counters)
            atomicAdd(&c->counter[c->first[place] + __popc(set & below)], 1);
        else
            charge(g, place * TRIANGLE_BITS + __popc(below), 1);
    }
    return found;
}

static __device__ __forceinline__ uint32_t look_up_by_vertex(const triangle_graph *g, const uint32_t *bits,
                                                             wide_counters *c, const uint32_t *list, uint32_t length,
                                                             unsigned lane)
{
    uint32_t found = 0;
    bool counters = c->used <= COUNTERS;
    for (uint32_t k = lane; k < length; k += 128) {
        uint32_t word[4];
        for (uint32_t i = 0; i < 4; i++) word[i] = k + 32 * i < length ? list[k + 32 * i] : 0;
        for (uint32_t i = 0; i < 4; i++) found += count_hits(g, bits, c, word[i], counters);
    }
    return found;
}

/* Of the packed words with one place, the one with its lowest bit represents all. */
static __device__ __forceinline__ bool speaks(uint32_t word, uint32_t set) { return word & set & (0 - set); }

static __device__ void give_counters(const triangle_graph *g, const triangle_list *list, const uint32_t *bits,
                                     wide_counters *c)
{
    for (uint32_t k = threadIdx.x; k < list->packed; k += TRIANGLE_THREADS) {
        uint32_t word = g->packed[list->start + k], set = bits[word >> TRIANGLE_BITS];
        if (!speaks(word, set)) continue;
        uint32_t first = atomicAdd(&c->used, __popc(set));
        c->first[word >> TRIANGLE_BITS] = (uint16_t)first;
        for (uint32_t i = first; i < first + __popc(set) && i < COUNTERS; i++) c->counter[i] = 0;
    }
}

static __device__ void charge_counters(const triangle_graph *g, const triangle_list *list, const uint32_t *bits,
                                       const wide_counters *c)
{
    if (c->used > COUNTERS) return;
    for (uint32_t k = threadIdx.x; k < list->packed; k += TRIANGLE_THREADS) {
        uint32_t word = g->packed[list->start + k], place = word >> TRIANGLE_BITS, set = bits[place];
        uint32_t i = c->first[place];
        if (!speaks(word, set)) continue;
        for (; set; set &= set - 1)
            charge(g, place * TRIANGLE_BITS + __popc((set & (0 - set)) - 1), c->counter[i++]);
    }
}

/* Processes the lists of `count` members, from the first on. A warp takes one at a time. */
static __device__ __forceinline__ uint64_t count_members(const triangle_graph *g, wide_block *b, wide_counters *c,
                                                         const uint32_t *members, uint32_t count)
{
    unsigned lane = lane_of();
    uint64_t all = 0;
    for (;;) {
        uint32_t i = 0, found;
        if (lane == 0) i = atomicAdd(&b->next, 1);
        i = __shfl_sync(ALL_LANES, i, 0);
        if (i >= count) return all;
        const uint32_t *list = g->packed + b->start[i];
        if (c) {
            found = look_up_by_vertex(g, b->bits, c, list, b->length[i], lane);
            uint64_t sum = warp_sum(found);
            if (lane == 0) charge(g, members[i], sum);
        } else {
            found = look_up(b->bits, list, b->length[i], lane);
        }
        all += found;
    }
}

/* The bits in shared memory are zero before and after. */
static __device__ __forceinline__ uint64_t count_wide(const triangle_graph *g, wide_block *b, wide_counters *c,
                                                      uint64_t number)
{
    triangle_list list = g->list[number];
    if (list.members < 2 || list.packed == 0) return 0;
    uint64_t all = 0;
    for (uint32_t k = threadIdx.x; k < list.packed; k += TRIANGLE_THREADS) {
        uint32_t word = g->packed[list.start + k];
        atomicOr(&b->bits[word >> TRIANGLE_BITS], word & TRIANGLE_MASK);
    }
    if (c) {
        if (threadIdx.x == 0) c->used = 0;
        __syncthreads();
        give_counters(g, &list, b->bits, c);
    }
    for (uint32_t first = 0; first < list.members; first += MEMBERS_AT_ONCE) {
        uint32_t count = list.members - first < MEMBERS_AT_ONCE ? list.members - first : MEMBERS_AT_ONCE;
        const uint32_t *members = g->members + list.start + first;
        if (first > 0) __syncthreads();
        for (uint32_t i = threadIdx.x; i < count; i += TRIANGLE_THREADS) {
            triangle_list member = g->list[members[i]];
            b->start[i] = member.start;
            b->length[i] = member.packed;
        }
        if (threadIdx.x == 0) b->next = 0;
        __syncthreads();
        all += count_members(g, b, c, members, count);
    }
    __syncthreads();
    if (c) {
        charge_counters(g, &list, b->bits, c);
        uint64_t sum = warp_sum(all);
        if (lane_of() == 0) charge(g, (uint32_t)number, sum);
        __syncthreads();
    }
    for (uint32_t k = threadIdx.x; k < list.packed; k += TRIANGLE_THREADS)
        b->bits[g->packed[list.start + k] >> TRIANGLE_BITS] = 0;
    return all;
}

/* The block requests its next vertex before it counts at the current one, because the request takes time. */
static __device__ __forceinline__ void count_wide_all(const triangle_graph *g, wide_block *b, wide_counters *c)
{
    uint64_t all = 0, next = blockIdx.x, end = g->notes->wide;
    for (unsigned place = threadIdx.x; place < TRIANGLE_PLACES; place += TRIANGLE_THREADS) b->bits[place] = 0;
    for (;;) {
        if (threadIdx.x == 0) b->number = next;
        __syncthreads();
        uint64_t number = b->number;
        if (number >= end) break;
        if (threadIdx.x == 0) next = gridDim.x + atomicAdd(&g->notes->ticket[2], 1ull);
        all += count_wide(g, b, c, number);
        __syncthreads();
    }
    add_to_total(g, all);
}

static __global__ void __launch_bounds__(TRIANGLE_THREADS, WIDE_BLOCKS) count_at_wide(triangle_graph g)
{
    __shared__ wide_block b;
    count_wide_all(&g, &b, NULL);
}

static __global__ void __launch_bounds__(TRIANGLE_THREADS, BY_VERTEX_BLOCKS) count_at_wide_by_vertex(triangle_graph g)
{
    __shared__ wide_block b;
    __shared__ wide_counters c;
    count_wide_all(&g, &b, &c);
}

/* ---- warps ---- */

enum { SLOTS_LOG2 = 8, SLOTS = 1 << SLOTS_LOG2 };

/* A warp's set. A slot has a packed word, or 0. Counters as above. There are fewer than TRIANGLE_WIDE members. */
typedef struct narrow_set {
    uint32_t slot[SLOTS];
    uint32_t counter[TRIANGLE_WIDE];
    uint8_t first[SLOTS];
    uint32_t used;
} narrow_set;

static __device__ __forceinline__ unsigned slot_of(uint32_t word)
{
    return (word >> TRIANGLE_BITS) * 2654435761u >> (32 - SLOTS_LOG2);
}

static __device__ __forceinline__ bool other_place(uint32_t a, uint32_t b) { return (a ^ b) >> TRIANGLE_BITS; }

static __device__ void insert_word(narrow_set *set, uint32_t word)
{
    for (unsigned at = slot_of(word);; at = (at + 1) % SLOTS) {
        uint32_t old = atomicCAS(&set->slot[at], 0, word);
        if (old == 0) return;
        if (other_place(old, word)) continue;
        atomicOr(&set->slot[at], word);
        return;
    }
}

/* Returns the bits that the word and the set share. *at becomes the slot. */
static __device__ __forceinline__ uint32_t find_word(const narrow_set *set, uint32_t word, unsigned *at)
{
    *at = slot_of(word);
    uint32_t there = set->slot[*at];
    while (there && other_place(there, word)) {
        *at = (*at + 1) % SLOTS;
        there = set->slot[*at];
    }
    return there & word & TRIANGLE_MASK;
}

static __device__ __forceinline__ uint32_t find_words(const narrow_set *set, const uint32_t *list, uint32_t length,
                                                      unsigned lane)
{
    uint32_t found = 0;
    unsigned at;
    for (uint32_t k = lane; k < length; k += 128) {
        uint32_t word[4];
        for (uint32_t i = 0; i < 4; i++) word[i] = k + 32 * i < length ? list[k + 32 * i] : 0;
        for (uint32_t i = 0; i < 4; i++)
            if (word[i]) found += __popc(find_word(set, word[i], &at));
    }
    return found;
}

static __device__ __forceinline__ uint32_t find_words_by_vertex(narrow_set *set, const uint32_t *list, uint32_t length,
                                                                unsigned lane)
{
    uint32_t found = 0;
    unsigned at;
    for (uint32_t k = lane; k < length; k += 64) {
        uint32_t word[2];
        for (uint32_t i = 0; i < 2; i++) word[i] = k + 32 * i < length ? list[k + 32 * i] : 0;
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t hits = word[i] ? find_word(set, word[i], &at) : 0;
            found += __popc(hits);
            for (; hits; hits &= hits - 1) {
                uint32_t below = (hits & (0 - hits)) - 1;
                atomicAdd(&set->counter[set->first[at] + __popc(set->slot[at] & below)], 1);
            }
        }
    }
    return found;
}

static __device__ void narrow_counters(narrow_set *set, unsigned lane)
{
    if (lane == 0) set->used = 0;
    for (unsigned i = lane; i < TRIANGLE_WIDE; i += 32) set->counter[i] = 0;
    __syncwarp();
    for (unsigned at = lane; at < SLOTS; at += 32)
        if (set->slot[at]) set->first[at] = (uint8_t)atomicAdd(&set->used, __popc(set->slot[at] & TRIANGLE_MASK));
}

static __device__ void charge_narrow(const triangle_graph *g, const narrow_set *set, unsigned lane)
{
    for (unsigned at = lane; at < SLOTS; at += 32) {
        uint32_t word = set->slot[at], place = word >> TRIANGLE_BITS, i = set->first[at];
        for (uint32_t bits = word & TRIANGLE_MASK; bits; bits &= bits - 1)
            charge(g, place * TRIANGLE_BITS + __popc((bits & (0 - bits)) - 1), set->counter[i++]);
    }
}

/* Slots are 0 before and after. */
static __device__ __forceinline__ uint64_t count_narrow(const triangle_graph *g, narrow_set *set, uint32_t number,
                                                        triangle_list list, unsigned lane, const bool by_vertex)
{
    uint64_t all = 0;
    for (uint32_t k = lane; k < list.packed; k += 32) insert_word(set, g->packed[list.start + k]);
    __syncwarp();
    if (by_vertex) narrow_counters(set, lane);
    __syncwarp();
    for (uint32_t first = 0; first < list.members; first += 32) {
        triangle_list mine = {0, 0, 0};
        uint32_t count = list.members - first < 32 ? list.members - first : 32, member = 0;
        if (lane < count) {
            member = g->members[list.start + first + lane];
            mine = g->list[member];
        }
        for (unsigned i = 0; i < count; i++) {
            const uint32_t *words = g->packed + __shfl_sync(ALL_LANES, mine.start, i);
            uint32_t length = __shfl_sync(ALL_LANES, mine.packed, i), found;
            if (by_vertex) {
                found = find_words_by_vertex(set, words, length, lane);
                __syncwarp();
                uint64_t sum = __shfl_sync(ALL_LANES, warp_sum(found), 0);
                if (lane == i) charge(g, member, sum);
            } else {
                found = find_words(set, words, length, lane);
            }
            all += found;
        }
    }
    __syncwarp();
    if (by_vertex) {
        charge_narrow(g, set, lane);
        uint64_t sum = warp_sum(all);
        if (lane == 0) charge(g, number, sum);
        __syncwarp();
    }
    for (unsigned at = lane; at < SLOTS; at += 32) set->slot[at] = 0;
    __syncwarp();
    return all;
}

static __device__ __forceinline__ void count_narrow_all(const triangle_graph *g, narrow_set *set, const bool by_vertex)
{
    enum { AT_ONCE = 8 };
    unsigned lane = lane_of();
    uint64_t all = 0, begin = g->notes->wide, end = g->notes->active;
    for (unsigned at = lane; at < SLOTS; at += 32) set->slot[at] = 0;
    __syncwarp();
    for (;;) {
        uint64_t first = begin + warp_ticket(&g->notes->ticket[3], lane, AT_ONCE);
        if (first >= end) break;
        triangle_list list = {0, 0, 0};
        if (lane < AT_ONCE && first + lane < end) list = g->list[first + lane];
        unsigned some = __ballot_sync(ALL_LANES, list.packed > 0 && list.members > 1);
        for (; some; some &= some - 1) {
            unsigned i = __ffs(some) - 1;
            triangle_list its = {__shfl_sync(ALL_LANES, list.start, i), __shfl_sync(ALL_LANES, list.packed, i),
                                 __shfl_sync(ALL_LANES, list.members, i)};
            all += count_narrow(g, set, (uint32_t)(first + i), its, lane, by_vertex);
        }
    }
    add_to_total(g, all);
}

static __global__ void __launch_bounds__(TRIANGLE_THREADS, NARROW_BLOCKS) count_at_narrow(triangle_graph g)
{
    __shared__ narrow_set set[TRIANGLE_WARPS];
    count_narrow_all(&g, &set[warp_of()], false);
}

static __global__ void __launch_bounds__(TRIANGLE_THREADS, BY_VERTEX_BLOCKS) count_at_narrow_by_vertex(triangle_graph g)
{
    __shared__ narrow_set set[TRIANGLE_WARPS];
    count_narrow_all(&g, &set[warp_of()], true);
}

cudaError_t triangles_launch_window(const triangle_graph *g, cudaStream_t stream)
{
    triangle_kernel *wide = g->by_vertex ? count_at_wide_by_vertex : count_at_wide;
    triangle_kernel *narrow = g->by_vertex ? count_at_narrow_by_vertex : count_at_narrow;
    cudaError_t error = launch_at_once(wide, g, stream);
    return error != cudaSuccess ? error : launch_at_once(narrow, g, stream);
}
