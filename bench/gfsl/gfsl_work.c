/* gfsl_work.c - the first keys, the operations, and the checks of the results. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gfsl.h"
#include "tools/common/cli.h"

bool gfsl_complain(struct gfsl *g, const char *what, pleach_status status)
{
    const char *cuda = g->device->kind == PLEACH_CUDA ? pleach_cuda_error() : "";
    cli_complain("pleach-bench gfsl", "%s, %s, range %zu, on %s: %s: %s%s%s",
                 g->subject != NULL ? g->subject->name : "-", g->mix != NULL ? g->mix->name : "-", g->range,
                 g->device->name, what, pleach_strerror(status), cuda[0] != '\0' ? ": " : "", cuda);
    g->failed = true;
    return false;
}

/* ---- a range ---- */

static void make_order(void *context, size_t begin, size_t end)
{
    struct gfsl *g = context;
    const struct mix_order order = mix_order_make(g->range, g->options->seed);
    for (size_t i = begin; i < end; i++) word_set(g->order, g->bits, i, mix_order_at(&order, i));
}

void gfsl_drop_range(struct gfsl *g)
{
    gfsl_lockfree_drop_image(g);
    bench_memory_release(&g->range_memory);
}

bool gfsl_use_range(struct gfsl *g, size_t range)
{
    const size_t bytes = range * word_bytes(g->bits);
    gfsl_drop_range(g);
    g->range = range;
    g->order = bench_memory_host(&g->range_memory, bytes);
    g->device_order = bench_memory_device(&g->range_memory, g->device, bytes);
    g->present = bench_memory_host(&g->range_memory, range);
    g->touched = bench_memory_host(&g->range_memory, range);
    g->final = bench_memory_host(&g->range_memory, range);
    g->net = bench_memory_host(&g->range_memory, range * sizeof g->net[0]);
    if (g->range_memory.lacking) return gfsl_complain(g, "keys", PLEACH_E_MEMORY);
    crew_share(g->crew, range, make_order, g);
    if (!g->device->copy_in(g->device_order, g->order, bytes)) return gfsl_complain(g, "keys", PLEACH_E_CUDA);
    return true;
}

/* ---- a mix ---- */

static uint8_t draw_kind(const struct gfsl_mix *mix, struct mix_random *random)
{
    const uint64_t percent = mix_below(random, 100);
    return percent < mix->inserts ? GFSL_INSERT : percent < mix->inserts + mix->deletes ? GFSL_DELETE : GFSL_CONTAINS;
}

static void make_operations(void *context, size_t begin, size_t end)
{
    struct gfsl *g = context;
    const struct mix_order order = mix_order_make(g->range, g->options->seed + 1);
    for (size_t i = begin; i < end; i++) {
        struct mix_random random = {mix64(g->options->seed + 2) ^ mix64(i)};
        g->kinds[i] = draw_kind(g->mix, &random);
        const uint64_t key = g->options->distinct ? mix_order_at(&order, i % g->range) : mix_below(&random, g->range);
        word_set(g->keys, g->bits, i, key);
    }
}

/* As in the paper: so many operations, but inserts alone and deletes alone as many as the range has keys. */
static size_t count_operations(const struct gfsl *g)
{
    if (g->mix->inserts + g->mix->deletes < 100 || !g->mix->single) return (size_t)g->options->ops;
    return g->options->updates > 0 ? (size_t)g->options->updates : g->range;
}

static void note_first_keys(struct gfsl *g)
{
    g->first = g->mix->fill == GFSL_EMPTY ? 0 : g->mix->fill == GFSL_HALF ? g->range / 2 : g->range;
    memset(g->present, 0, g->range);
    for (size_t i = 0; i < g->first; i++) g->present[gfsl_order_key(g, i)] = 1;
}

static void note_updates(struct gfsl *g)
{
    memset(g->touched, 0, g->range);
    g->inserts = 0;
    for (size_t i = 0; i < g->n; i++) {
        g->inserts += g->kinds[i] == GFSL_INSERT;
        if (g->kinds[i] != GFSL_CONTAINS) g->touched[word_get(g->keys, g->bits, i)] = 1;
    }
}

void gfsl_drop_mix(struct gfsl *g)
{
    bench_memory_release(&g->mix_memory);
    g->work = (struct gfsl_work){0};
    g->mix = NULL;
}

static bool allocate_mix(struct gfsl *g)
{
    const size_t bytes = g->n * word_bytes(g->bits);
    g->kinds = bench_memory_host(&g->mix_memory, g->n);
    g->keys = bench_memory_host(&g->mix_memory, bytes);
    g->answers = bench_memory_host(&g->mix_memory, g->n);
    g->work = (struct gfsl_work){.n = g->n, .bits = g->bits, .block = (uint32_t)g->options->block,
                                 .blocks_per_sm = (uint32_t)g->options->blocks_per_sm};
    g->work.kinds = bench_memory_device(&g->mix_memory, g->device, g->n);
    g->work.keys = bench_memory_device(&g->mix_memory, g->device, bytes);
    g->work.answers = bench_memory_device(&g->mix_memory, g->device, g->n);
    return !g->mix_memory.lacking;
}

bool gfsl_use_mix(struct gfsl *g, const struct gfsl_mix *mix)
{
    gfsl_drop_mix(g);
    g->mix = mix;
    g->n = count_operations(g);
    if (!allocate_mix(g)) return gfsl_complain(g, "operations", PLEACH_E_MEMORY);
    crew_share(g->crew, g->n, make_operations, g);
    note_first_keys(g);
    note_updates(g);
    return (g->device->copy_in((void *)g->work.kinds, g->kinds, g->n) &&
            g->device->copy_in((void *)g->work.keys, g->keys, g->n * word_bytes(g->bits))) ||
           gfsl_complain(g, "operations", PLEACH_E_CUDA);
}

/* ---- the judgement ---- */

/* Array calls answer with outcomes. */
static enum gfsl_answer answer_at(const struct gfsl *g, size_t i)
{
    const uint8_t answer = g->answers[i];
    if (!g->subject->array || g->kinds[i] == GFSL_CONTAINS) return (enum gfsl_answer)answer;
    if (answer == (g->kinds[i] == GFSL_INSERT ? PLEACH_INSERTED : PLEACH_ERASED)) return GFSL_YES;
    if (answer == (g->kinds[i] == GFSL_INSERT ? PLEACH_EXISTS : PLEACH_ABSENT)) return GFSL_NO;
    return answer == PLEACH_NOT_APPLIED ? GFSL_NOT_APPLIED : GFSL_NO_ANSWER;
}

static bool wrong(struct gfsl *g, const char *what, uint64_t which)
{
    cli_complain("pleach-bench gfsl", "WRONG: %s, %s, range %zu, on %s: %s %" PRIu64, g->subject->name, g->mix->name,
                 g->range, g->device->name, what, which);
    g->failed = true;
    return false;
}

static bool judge_answers(struct gfsl *g)
{
    for (size_t key = 0; key < g->range; key++) g->net[key] = g->present[key];
    for (size_t i = 0; i < g->n; i++) {
        const uint64_t key = word_get(g->keys, g->bits, i);
        const enum gfsl_answer answer = answer_at(g, i);
        if (answer == GFSL_NOT_APPLIED) return wrong(g, "no memory for operation", i);
        if (answer != GFSL_YES && answer != GFSL_NO) return wrong(g, "no answer to operation", i);
        if (g->kinds[i] == GFSL_INSERT) g->net[key] += answer == GFSL_YES;
        if (g->kinds[i] == GFSL_DELETE) g->net[key] -= answer == GFSL_YES;
        if (!g->touched[key] && (answer == GFSL_YES) != g->present[key]) return wrong(g, "the answer to operation", i);
    }
    return true;
}

bool gfsl_judge(struct gfsl *g)
{
    uint64_t size = 0;
    if (!g->device->copy_out(g->answers, g->work.answers, g->n)) return gfsl_complain(g, "answers", PLEACH_E_CUDA);
    if (!judge_answers(g)) return false;
    for (size_t key = 0; key < g->range; key++) {
        if (g->net[key] != g->final[key]) return wrong(g, "inserts and deletes do not add up for key", key);
        size += g->final[key];
    }
    return size == g->final_size || wrong(g, "the size is", g->final_size);
}
