/* bench_limits.c - how fast this machine reads random cache lines: what the rates of a tree are measured against.
 *
 * Each line names the line to read next; together they are one cycle in scrambled order through memory much larger
 * than the caches, in huge pages where the system grants them. Following one chain shows the latency of memory;
 * following 32 at once, with a prefetch for each, shows how many lines a thread can have in flight.
 */
#define _DEFAULT_SOURCE 1
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "bench.h"
#include "clock.h"

enum { LINE_BYTES = 64, HUGE_PAGE = 1 << 21, CHAINS = 32, LINE_SEED = 30 };
enum { QUICK_LINES = 1 << 21, ALL_LINES = 1 << 24 };
enum { STEPS_ALONE = 1 << 20, STEPS_TOGETHER = 1 << 24, REFERENCE_REPEATS = 3 };

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
    bool together;
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
    return (uint32_t)mix_order_at(&lines->order, lines->count / chains * chain);
}

static uint32_t follow_one(const struct lines *lines, unsigned index)
{
    uint32_t at = start_of(lines, index, lines->threads);
    for (size_t step = 0; step < STEPS_ALONE; step++) at = lines->line[at].next;
    return at;
}

static uint32_t follow_many(const struct lines *lines, unsigned index)
{
    uint32_t at[CHAINS], sum = 0;
    for (unsigned c = 0; c < CHAINS; c++) at[c] = start_of(lines, index * CHAINS + c, lines->threads * CHAINS);
    for (size_t step = 0; step < STEPS_TOGETHER / CHAINS; step++) {
        for (unsigned c = 0; c < CHAINS; c++) {
            at[c] = lines->line[at[c]].next;
            __builtin_prefetch(&lines->line[at[c]]);
        }
    }
    for (unsigned c = 0; c < CHAINS; c++) sum += at[c];
    return sum;
}

static void follow(void *context, unsigned index)
{
    struct lines *lines = context;
    if (index >= lines->threads) return;
    atomic_fetch_add(&lines->sink, lines->together ? follow_many(lines, index) : follow_one(lines, index));
}

/* Millions of lines per second. */
static double line_rate(struct lines *lines, struct crew *crew, unsigned threads, bool together)
{
    lines->threads = threads;
    lines->together = together;
    const double start = clock_seconds();
    crew_run(crew, follow, lines);
    const double seconds = clock_seconds() - start;
    return (double)threads * (together ? STEPS_TOGETHER : STEPS_ALONE) / seconds / 1e6;
}

/* The middle one of a few, so that one disturbed run does not move every multiple in the table. */
double bench_line_rate(struct crew *crew, bool quick)
{
    struct lines lines = {0};
    double low = 0, middle = 0, high = 0;
    if (!lines_create(&lines, crew, quick)) return 0;
    for (int i = 0; i < REFERENCE_REPEATS; i++) {
        const double rate = line_rate(&lines, crew, crew_threads(crew), true);
        if (i == 0 || rate < low) low = rate;
        if (i == 0 || rate > high) high = rate;
        middle += rate;
    }
    lines_destroy(&lines);
    return middle - low - high;
}

static void limit_row(struct bench *bench, struct lines *lines, const char *name, unsigned threads, bool together)
{
    struct bench_row row;
    bench_start_row(bench, &row, name, together ? CHAINS : 1);
    row.threads = threads;
    row.keys = lines->count;
    row.dist = "random";
    row.bits = 0;
    for (; row.repeats < bench->options->repeats; row.repeats++)
        row.rates[row.repeats] = line_rate(lines, bench->crew, threads, together);
    bench_add_row(bench, &row);
}

void bench_limits(struct bench *bench, const struct bench_case *which)
{
    struct lines lines = {0};
    if (!lines_create(&lines, bench->crew, bench->options->quick)) {
        bench_complain(bench, which->name, "getting memory", PLEACH_E_MEMORY);
        return;
    }
    limit_row(bench, &lines, "limits/dependent", 1, false);
    limit_row(bench, &lines, "limits/32-chains", 1, true);
    if (bench->threads > 1) {
        limit_row(bench, &lines, "limits/dependent", bench->threads, false);
        limit_row(bench, &lines, "limits/32-chains", bench->threads, true);
    }
    lines_destroy(&lines);
}
