/* limits.c - how fast this machine's memory is: what the rates of a structure are measured against.
 *
 * Each line names the line to read next; together they are one cycle in scrambled order through memory much larger
 * than the caches, in huge pages where the system grants them. Following one chain shows the latency of memory;
 * following 32 at once, with a prefetch for each, shows how many lines a thread can have in flight; writing to each
 * shows what bringing it back costs. Beside these, blocks are copied and pairs are sorted by radix.
 */
#define _DEFAULT_SOURCE 1
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/harness/bench.h"
#include "tools/common/clock.h"
#include "tools/common/radix_sort.h"

enum { LINE_BYTES = 64, HUGE_PAGE = 1 << 21, CHAINS = 32, LINE_SEED = 30 };
enum { QUICK_LINES = 1 << 23, ALL_LINES = 1 << 24 };
enum { STEPS_ALONE = 1 << 19, STEPS_TOGETHER = 1 << 23, REFERENCE_REPEATS = 3 }; /* of a thread, at most */
enum { QUICK_BYTES = 1 << 28, ALL_BYTES = 1 << 30 }; /* that all threads copy from and to */
enum { MOST_PAIRS = 1 << 20 };                       /* that a thread sorts */
enum { MOST_MEASURED = 16 };

enum way { ALONE, TOGETHER, CHANGING };

struct line {
    uint32_t next;
    unsigned char rest[LINE_BYTES - sizeof(uint32_t)];
};

struct lines {
    size_t count;
    struct line *line;
    void *mapping;
    size_t mapped;
    struct mix_order order;
    unsigned threads; /* that take part; the others of the crew rest */
    enum way way;
    size_t begin; /* where on the cycle a run begins: not where the one before did, which caches may still hold */
    atomic_uint_least32_t sink; /* keeps the compiler from leaving the reading out */
};

static void link_slice(void *context, size_t begin, size_t end)
{
    const struct lines *lines = context;
    for (size_t i = begin; i < end; i++)
        lines->line[mix_order_at(&lines->order, i)].next =
            (uint32_t)mix_order_at(&lines->order, (i + 1) % lines->count);
}

static bool lines_create(struct lines *lines, struct crew *crew, bool quick)
{
    lines->count = quick ? QUICK_LINES : ALL_LINES;
    lines->mapped = lines->count * sizeof(struct line) + HUGE_PAGE;
    lines->mapping = mmap(NULL, lines->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (lines->mapping == MAP_FAILED) return false;
    const uintptr_t aligned = ((uintptr_t)lines->mapping + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    lines->line = (struct line *)aligned;
    /* Without huge pages the rates are lower, and still those of this machine. */
    (void)madvise(lines->line, lines->count * sizeof(struct line), MADV_HUGEPAGE);
    lines->order = mix_order_make(lines->count, LINE_SEED);
    crew_share(crew, lines->count, link_slice, lines);
    return true;
}

static void lines_destroy(struct lines *lines) { munmap(lines->mapping, lines->mapped); }

static uint32_t start_of(const struct lines *lines, unsigned chain, unsigned chains)
{
    return (uint32_t)mix_order_at(&lines->order, (lines->count / chains * chain + lines->begin) % lines->count);
}

/* A thread's steps are a part of the cycle, and no other's. */
static size_t steps_of(const struct lines *lines)
{
    const size_t most = lines->way == ALONE ? STEPS_ALONE : STEPS_TOGETHER, part = lines->count / lines->threads;
    return (most < part ? most : part) / CHAINS * CHAINS;
}

static uint32_t follow_one(const struct lines *lines, unsigned index)
{
    uint32_t at = start_of(lines, index, lines->threads);
    for (size_t step = 0, most = steps_of(lines); step < most; step++) at = lines->line[at].next;
    return at;
}

static uint32_t follow_many(const struct lines *lines, unsigned index)
{
    uint32_t at[CHAINS], sum = 0;
    for (unsigned c = 0; c < CHAINS; c++) at[c] = start_of(lines, index * CHAINS + c, lines->threads * CHAINS);
    for (size_t step = 0, most = steps_of(lines) / CHAINS; step < most; step++) {
        for (unsigned c = 0; c < CHAINS; c++) {
            at[c] = lines->line[at[c]].next;
            __builtin_prefetch(&lines->line[at[c]]);
        }
    }
    for (unsigned c = 0; c < CHAINS; c++) sum += at[c];
    return sum;
}

/* Each chain is another part of the cycle, so no two write to one line. */
static uint32_t change_many(struct lines *lines, unsigned index)
{
    uint32_t at[CHAINS], sum = 0;
    for (unsigned c = 0; c < CHAINS; c++) at[c] = start_of(lines, index * CHAINS + c, lines->threads * CHAINS);
    for (size_t step = 0, most = steps_of(lines) / CHAINS; step < most; step++) {
        for (unsigned c = 0; c < CHAINS; c++) {
            lines->line[at[c]].rest[0]++;
            at[c] = lines->line[at[c]].next;
            __builtin_prefetch(&lines->line[at[c]], 1);
        }
    }
    for (unsigned c = 0; c < CHAINS; c++) sum += at[c];
    return sum;
}

static void follow(void *context, unsigned index)
{
    struct lines *lines = context;
    if (index >= lines->threads) return;
    atomic_fetch_add(&lines->sink, lines->way == ALONE      ? follow_one(lines, index)
                                   : lines->way == TOGETHER ? follow_many(lines, index)
                                                            : change_many(lines, index));
}

/* Millions of lines per second. */
static double line_rate(struct lines *lines, struct crew *crew, unsigned threads, enum way way)
{
    lines->threads = threads;
    lines->way = way;
    const double start = clock_seconds();
    crew_run(crew, follow, lines);
    const double seconds = clock_seconds() - start;
    lines->begin = (lines->begin + steps_of(lines)) % lines->count;
    return (double)(threads * steps_of(lines)) / seconds / 1e6;
}

/* The middle one of a few, so that one disturbed run does not move every share in the table. */
static double middle_line_rate(struct lines *lines, struct crew *crew, enum way way)
{
    double rates[REFERENCE_REPEATS];
    for (int i = 0; i < REFERENCE_REPEATS; i++) rates[i] = line_rate(lines, crew, crew_threads(crew), way);
    return bench_median(rates, REFERENCE_REPEATS);
}

/* ---- copies and sorts, of all threads ---- */

/* Each thread has two blocks next to each other. */
struct blocks {
    unsigned char *memory;
    size_t bytes, pairs; /* of a block; that are sorted */
};

static unsigned char *block_of(const struct blocks *blocks, unsigned index)
{
    return blocks->memory + 2 * index * blocks->bytes;
}

static void copy_block(void *context, unsigned index)
{
    const struct blocks *blocks = context;
    unsigned char *to = block_of(blocks, index);
    memcpy(to, to + blocks->bytes, blocks->bytes);
}

static void fill_pairs(void *context, unsigned index)
{
    const struct blocks *blocks = context;
    uint64_t *words = (uint64_t *)block_of(blocks, index);
    memset(words, 1, 2 * blocks->bytes); /* so that the pages are there */
    for (size_t i = 0; i < blocks->pairs; i++) words[i] = mix64(i + (uint64_t)index * blocks->pairs);
}

static bool blocks_create(struct blocks *blocks, unsigned threads, bool quick)
{
    enum { LINE = 64 };
    blocks->bytes = (size_t)(quick ? QUICK_BYTES : ALL_BYTES) / 2 / threads / LINE * LINE;
    const size_t pairs = blocks->bytes / sizeof(uint64_t);
    blocks->pairs = pairs < MOST_PAIRS ? pairs : MOST_PAIRS;
    blocks->memory = malloc(2 * blocks->bytes * threads);
    return blocks->memory != NULL;
}

/* Key and value in one word, sorted by the key's four bytes. */
static void sort_pairs(void *context, unsigned index)
{
    const struct blocks *blocks = context;
    uint64_t *const words = (uint64_t *)block_of(blocks, index);
    radix_sort(&(struct radix_sort){.bits = 64, .high = 32, .n = blocks->pairs, .words = words, .sorted = words,
                                    .spare = words + blocks->pairs});
}

/* `amount` is that of a thread. */
static double middle_block_rate(struct blocks *blocks, struct crew *crew, crew_part *part, double amount)
{
    double rates[REFERENCE_REPEATS];
    for (int i = 0; i < REFERENCE_REPEATS; i++) {
        crew_run(crew, fill_pairs, blocks);
        const double start = clock_seconds();
        crew_run(crew, part, blocks);
        rates[i] = crew_threads(crew) * amount / (clock_seconds() - start) / 1e6;
    }
    return bench_median(rates, REFERENCE_REPEATS);
}

/* ---- all of them ---- */

static struct bench_limits measure_cpu(struct crew *crew, bool quick)
{
    struct bench_limits limits = {{0}};
    struct lines lines = {0};
    struct blocks blocks;
    if (lines_create(&lines, crew, quick)) {
        limits.rate[BENCH_LINES] = limits.rate[BENCH_SECTORS] = middle_line_rate(&lines, crew, TOGETHER);
        limits.rate[BENCH_CHANGED_LINES] = limits.rate[BENCH_CHANGED_SECTORS] =
            middle_line_rate(&lines, crew, CHANGING);
        limits.rate[BENCH_DEPENDENT] = middle_line_rate(&lines, crew, ALONE);
        lines_destroy(&lines);
    }
    if (blocks_create(&blocks, crew_threads(crew), quick)) {
        limits.rate[BENCH_BYTES] = middle_block_rate(&blocks, crew, copy_block, 2.0 * (double)blocks.bytes);
        limits.rate[BENCH_SORTED] = middle_block_rate(&blocks, crew, sort_pairs, (double)blocks.pairs);
    }
    free(blocks.memory);
    return limits;
}

struct bench_limits bench_limits_cpu(struct crew *crew, bool quick)
{
    static struct { unsigned threads; bool quick; struct bench_limits limits; } measured[MOST_MEASURED];
    const unsigned threads = crew_threads(crew);
    size_t i = 0;
    while (i < MOST_MEASURED - 1 && measured[i].threads != 0 &&
           (measured[i].threads != threads || measured[i].quick != quick))
        i++;
    if (measured[i].threads != threads || measured[i].quick != quick) {
        measured[i].threads = threads;
        measured[i].quick = quick;
        measured[i].limits = measure_cpu(crew, quick);
    }
    return measured[i].limits;
}

static void limit_row(struct bench *bench, struct lines *lines, const char *name, unsigned threads, enum way way)
{
    struct bench_row row;
    bench_start_row(bench, &row, name, way == ALONE ? 1 : CHAINS);
    row.threads = threads;
    row.keys = lines->count;
    row.dist = "random";
    row.bits = 0;
    for (; row.repeats < bench->options->repeats; row.repeats++)
        row.rates[row.repeats] = line_rate(lines, bench->crew, threads, way);
    bench_add_row(bench, &row);
}

/* What the shares in the other rows are shares of. */
static void known_row(struct bench *bench, const char *name, enum bench_resource resource)
{
    struct bench_row row;
    if (bench->limits.rate[resource] <= 0) return;
    bench_start_row(bench, &row, name, 0);
    row.keys = 0;
    row.bits = 0;
    row.dist = "";
    row.rates[row.repeats++] = bench->limits.rate[resource];
    bench_add_row(bench, &row);
}

static void known_rows(struct bench *bench)
{
    known_row(bench, "limits/lines", BENCH_LINES);
    known_row(bench, "limits/lines-changed", BENCH_CHANGED_LINES);
    if (bench->device->kind == PLEACH_CUDA) {
        known_row(bench, "limits/sectors", BENCH_SECTORS);
        known_row(bench, "limits/sectors-changed", BENCH_CHANGED_SECTORS);
    }
    known_row(bench, "limits/sectors-of-L2", BENCH_L2);
    known_row(bench, "limits/lines-dependent", BENCH_DEPENDENT);
    known_row(bench, "limits/bytes-copied", BENCH_BYTES);
    known_row(bench, "limits/pairs-sorted", BENCH_SORTED);
}

void bench_limits(struct bench *bench, const struct bench_case *which)
{
    struct lines lines = {0};
    known_rows(bench);
    if (bench->device->kind == PLEACH_CUDA) return;
    if (!lines_create(&lines, bench->crew, bench->options->quick)) {
        bench_complain(bench, which->name, "getting memory", PLEACH_E_MEMORY);
        return;
    }
    limit_row(bench, &lines, "limits/dependent", 1, ALONE);
    limit_row(bench, &lines, "limits/32-chains", 1, TOGETHER);
    lines_destroy(&lines);
}
