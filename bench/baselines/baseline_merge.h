/* baseline_merge.h - merging two sorted runs by their merge path, for blocks of a GPU (O. Green and others, GPU Merge
 * Path). Included once for each width: STEP_BITS is 32 or 64. Plain C, so that tests carry it out on the CPU as well.
 *
 * Of equal keys those of the older run come first: a run's newest pair of a key is its last one.
 *
 * The merge is cut into tiles of equal length, and a tile into equal parts of threads. Where a cut lies in either run
 * is found by a binary search, so nobody waits for the one before. A block works on a tile in five phases, between
 * which its threads meet:
 *
 *   fetch   pairs of the tile from both runs, to registers: neighbouring threads fetch neighbouring pairs
 *   stage   these to the memory that the block shares: of the older run first, then of the newer one
 *   take    the pairs of the thread's own part, in the order of the merge, to registers
 *   lay     these to the shared memory, in their order
 *   write   the tile from there, neighbouring threads neighbouring pairs
 *
 * fetch and stage need no meeting between them. has_dead is a constant to the compiler: where there are no tombstones,
 * nothing is done for them.
 */
#define MERGE_JOIN2(a, b) a##b
#define MERGE_JOIN(a, b) MERGE_JOIN2(a, b)
#define MERGE(name) MERGE_JOIN(merge_##name, STEP_BITS)
#define MERGE_WORD MERGE_JOIN(MERGE_JOIN(uint, STEP_BITS), _t)

#ifndef PLEACH_BENCH_BASELINE_MERGE_H
#define PLEACH_BENCH_BASELINE_MERGE_H
/* Pairs of a thread: odd, so that threads that each go through pairs of their own meet in no bank of shared memory; and
 * so many that a tile of either width takes about 30 KiB of it. */
enum { MERGE_THREADS = 256, MERGE_PAIRS32 = 15, MERGE_PAIRS64 = 7 };
enum { MERGE_TILE32 = MERGE_THREADS * MERGE_PAIRS32, MERGE_TILE64 = MERGE_THREADS * MERGE_PAIRS64 };

/* Where a tile lies in the merge, and which pairs of the runs it is made of. */
typedef struct merge_span {
    uint64_t begin, older, newer;
    uint32_t older_n, newer_n;
} merge_span;

/* From the numbers of pairs of the older run before the tile and before the next one. */
PORT_FN merge_span merge_span_at(uint64_t begin, uint64_t end, uint64_t older, uint64_t older_end)
{
    merge_span span;
    span.begin = begin;
    span.older = older;
    span.newer = begin - older;
    span.older_n = (uint32_t)(older_end - older);
    span.newer_n = (uint32_t)(end - begin) - span.older_n;
    return span;
}
#endif

#define PART_PAIRS MERGE_JOIN(MERGE_PAIRS, STEP_BITS)
#define TILE_PAIRS MERGE_JOIN(MERGE_TILE, STEP_BITS)

/* What the threads of a block share. */
typedef struct MERGE(tile) {
    MERGE_WORD keys[TILE_PAIRS + 1]; /* the last one is read, and not looked at, by who has come to the end */
    MERGE_WORD values[TILE_PAIRS];
    uint8_t dead[TILE_PAIRS];
} MERGE(tile);

/* What a thread has in registers. Dead pairs have their bit. */
typedef struct MERGE(part) {
    MERGE_WORD keys[PART_PAIRS], values[PART_PAIRS];
    uint32_t dead;
} MERGE(part);

/* How many pairs of the older run are among the first `steps` of the merge. */
PORT_FN uint64_t MERGE(split)(const MERGE_WORD *older, uint64_t older_n, const MERGE_WORD *newer, uint64_t newer_n,
                              uint64_t steps)
{
    uint64_t low = steps > newer_n ? steps - newer_n : 0, high = steps < older_n ? steps : older_n;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (older[middle] <= newer[steps - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of a cut between tiles, the end of the last one included. */
PORT_FN uint64_t MERGE(cut)(const baseline_run *older, const baseline_run *newer, uint64_t tile)
{
    const uint64_t all = older->n + newer->n, steps = tile * TILE_PAIRS;
    return MERGE(split)((const MERGE_WORD *)older->keys, older->n, (const MERGE_WORD *)newer->keys, newer->n,
                        steps < all ? steps : all);
}

/* cuts[0] and cuts[1] are those before and behind the tile. */
PORT_FN merge_span MERGE(span)(const baseline_run *older, const baseline_run *newer, const uint64_t *cuts,
                               uint64_t tile)
{
    const uint64_t all = older->n + newer->n, begin = tile * TILE_PAIRS;
    return merge_span_at(begin, all - begin < TILE_PAIRS ? all : begin + TILE_PAIRS, cuts[0], cuts[1]);
}

/* ---- the phases ---- */

PORT_FN void MERGE(fetch)(const baseline_run *older, const baseline_run *newer, const merge_span *span, bool has_dead,
                          uint32_t thread, MERGE(part) *part)
{
    const MERGE_WORD *old_keys = (const MERGE_WORD *)older->keys + span->older;
    const MERGE_WORD *old_values = (const MERGE_WORD *)older->values + span->older;
    const MERGE_WORD *new_keys = (const MERGE_WORD *)newer->keys + span->newer;
    const MERGE_WORD *new_values = (const MERGE_WORD *)newer->values + span->newer;
    part->dead = 0;
    PORT_UNROLL
    for (uint32_t k = 0; k < PART_PAIRS; k++) {
        const uint32_t i = k * MERGE_THREADS + thread;
        const bool is_new = i >= span->older_n;
        const uint32_t at = is_new ? i - span->older_n : i;
        if (i >= span->older_n + span->newer_n) continue;
        part->keys[k] = (is_new ? new_keys : old_keys)[at];
        part->values[k] = (is_new ? new_values : old_values)[at];
        if (!has_dead) continue;
        const uint8_t *dead = is_new ? newer->dead : older->dead;
        if (dead != NULL && dead[(is_new ? span->newer : span->older) + at]) part->dead |= 1u << k;
    }
}

PORT_FN void MERGE(set)(MERGE(tile) *tile, uint32_t i, bool has_dead, uint32_t k, const MERGE(part) *part)
{
    tile->keys[i] = part->keys[k];
    tile->values[i] = part->values[k];
    if (has_dead) tile->dead[i] = part->dead >> k & 1;
}

PORT_FN void MERGE(stage)(MERGE(tile) *tile, const merge_span *span, bool has_dead, uint32_t thread,
                          const MERGE(part) *part)
{
    PORT_UNROLL
    for (uint32_t k = 0; k < PART_PAIRS; k++) {
        const uint32_t i = k * MERGE_THREADS + thread;
        if (i < span->older_n + span->newer_n) MERGE(set)(tile, i, has_dead, k, part);
    }
}

PORT_FN void MERGE(take)(const MERGE(tile) *tile, const merge_span *span, bool has_dead, uint32_t thread,
                         MERGE(part) *part)
{
    const MERGE_WORD *keys = tile->keys;
    const uint32_t older_n = span->older_n, n = older_n + span->newer_n, first = thread * PART_PAIRS;
    const uint32_t begin = first < n ? first : n;
    uint32_t older = (uint32_t)MERGE(split)(keys, older_n, keys + older_n, span->newer_n, begin);
    uint32_t newer = older_n + begin - older;
    MERGE_WORD old_key = keys[older], new_key = keys[newer];
    part->dead = 0;
    PORT_UNROLL
    for (uint32_t k = 0; k < PART_PAIRS; k++) {
        const bool is_new = older == older_n || (newer < n && new_key < old_key);
        const uint32_t from = is_new ? newer++ : older++;
        if (begin + k >= n) continue;
        part->keys[k] = is_new ? new_key : old_key;
        part->values[k] = tile->values[from];
        if (has_dead) part->dead |= (uint32_t)tile->dead[from] << k;
        const MERGE_WORD next = keys[from + 1];
        new_key = is_new ? next : new_key;
        old_key = is_new ? old_key : next;
    }
}

PORT_FN void MERGE(lay)(MERGE(tile) *tile, const merge_span *span, bool has_dead, uint32_t thread,
                        const MERGE(part) *part)
{
    PORT_UNROLL
    for (uint32_t k = 0; k < PART_PAIRS; k++) {
        const uint32_t i = thread * PART_PAIRS + k;
        if (i < span->older_n + span->newer_n) MERGE(set)(tile, i, has_dead, k, part);
    }
}

PORT_FN void MERGE(write)(const baseline_run *to, const MERGE(tile) *tile, const merge_span *span, bool has_dead,
                          uint32_t thread)
{
    PORT_UNROLL
    for (uint32_t k = 0; k < PART_PAIRS; k++) {
        const uint32_t i = k * MERGE_THREADS + thread;
        if (i >= span->older_n + span->newer_n) continue;
        ((MERGE_WORD *)to->keys)[span->begin + i] = tile->keys[i];
        ((MERGE_WORD *)to->values)[span->begin + i] = tile->values[i];
        if (has_dead) to->dead[span->begin + i] = tile->dead[i];
    }
}

#undef MERGE_JOIN2
#undef MERGE_JOIN
#undef MERGE
#undef MERGE_WORD
#undef PART_PAIRS
#undef TILE_PAIRS
