/* eirene.c - the ablation eirene: finds one by one, with equal keys combined, and with neighbours one after the other.
 * Combining sorts the requests; that is measured with it. */
#include "eirene.h"

#include <stdio.h>

#include "ablations.h"

struct stage {
    struct ablations *a;
    size_t first, n;
    uint32_t *asked, *results; /* on the host, by request */
    struct ablation_tree subject;
    uint32_t *device_asked, *device_issued, *device_owner, *device_answers, *device_results;
    uint64_t *device_counts, counts[EIRENE_COUNTS];
    eirene_batch batch;
    eirene_sort sort; /* on a CPU, only its heads: words to sort */
    struct bench_memory memory;
};

static const struct step {
    const char *name;
    bool combining;
    size_t group;
} steps[] = {{"one-by-one", false, 1}, {"combining", true, 1}, {"locality", true, 16}};

static const struct skew {
    const char *name;
    double exponent;
} skews[] = {{"uniform", 0}, {"zipf0.75", 0.75}, {"zipf0.99", 0.99}};

static uint32_t key_step(const struct stage *s) { return ABL_TOP / (uint32_t)s->first; }

/* Popular keys lie anywhere. */
static void draw_requests(struct stage *s, const struct skew *skew)
{
    struct mix_random random = {11};
    const struct mix_order order = mix_order_make(s->first, 13);
    for (size_t i = 0; i < s->n; i++) {
        const size_t rank = skew->exponent > 0 ? bench_zipf_rank(skew->exponent, s->first, &random)
                                               : (size_t)mix_below(&random, s->first);
        s->asked[i] = (uint32_t)mix_order_at(&order, rank) * key_step(s);
    }
}

static void make_words(void *context, size_t begin, size_t end)
{
    struct stage *s = context;
    for (size_t i = begin; i < end; i++) s->sort.heads[i] = (uint64_t)s->batch.asked[i] << 32 | i;
}

/* On a CPU. */
static bool combine_requests(struct stage *s)
{
    uint64_t *words = s->sort.heads, issued = 0;
    crew_share(s->a->crew, s->n, make_words, s);
    if (!bench_sort_from(words, 64, s->n, 32)) return false;
    for (size_t i = 0; i < s->n; i++) {
        if (i == 0 || words[i] >> 32 != words[i - 1] >> 32) s->batch.keys[issued++] = (uint32_t)(words[i] >> 32);
        s->batch.owner[(uint32_t)words[i]] = (uint32_t)(issued - 1);
    }
    s->batch.counts[EIRENE_ISSUED] = issued;
    return true;
}

/* ---- memory ---- */

static void close_stage(struct stage *s)
{
    abl_tree_destroy(&s->subject.image);
    bench_memory_release(&s->memory);
}

static bool open_sort(struct stage *s)
{
    const struct tool_device *device = s->a->device;
    const size_t bytes = s->n * sizeof(uint32_t);
    s->sort.heads = bench_memory_device(&s->memory, device, s->n * sizeof s->sort.heads[0]);
    if (!ablations_on_gpu(s->a)) return !s->memory.lacking;
    if (eirene_scratch_cuda(s->n, &s->sort.scratch_bytes) != PLEACH_OK) return false;
    s->sort.numbers = bench_memory_device(&s->memory, device, bytes);
    s->sort.sorted_keys = bench_memory_device(&s->memory, device, bytes);
    s->sort.sorted_numbers = bench_memory_device(&s->memory, device, bytes);
    s->sort.scratch = bench_memory_device(&s->memory, device, s->sort.scratch_bytes);
    if (s->memory.lacking) return false;
    for (size_t i = 0; i < s->n; i++) s->asked[i] = (uint32_t)i; /* before there are requests */
    return device->copy_in(s->sort.numbers, s->asked, bytes);
}

static bool open_stage(struct stage *s, struct ablations *a)
{
    const struct tool_device *device = a->device;
    const size_t many = ablations_on_gpu(a) ? (size_t)1 << 23 : (size_t)1 << 20;
    *s = (struct stage){.a = a, .first = a->quick ? many / 8 : many};
    s->n = ablations_on_gpu(a) ? (size_t)1 << 20 : s->first / 4;
    const size_t bytes = s->n * sizeof(uint32_t);
    s->asked = bench_memory_host(&s->memory, bytes);
    s->results = bench_memory_host(&s->memory, bytes);
    s->device_asked = bench_memory_device(&s->memory, device, bytes);
    s->device_issued = bench_memory_device(&s->memory, device, bytes);
    s->device_owner = bench_memory_device(&s->memory, device, bytes);
    s->device_answers = bench_memory_device(&s->memory, device, bytes);
    s->device_results = bench_memory_device(&s->memory, device, bytes);
    s->device_counts = bench_memory_device(&s->memory, device, sizeof s->counts);
    return (ablations_make_tree(a, &s->subject, &s->memory, s->first, key_step(s), 0) &&
            ablations_restore_tree(a, &s->subject) && open_sort(s)) ||
           ablations_complain(a, "eirene", "out of memory");
}

/* ---- measuring ---- */

static void run_groups(void *context, size_t begin, size_t end)
{
    const struct stage *s = context;
    uint64_t nodes = 0, roots = 0, accesses = 0;
    for (size_t group = begin; group < end; group++)
        accesses += eirene_group(s->subject.tree, &s->batch, group, &nodes, &roots);
    port_add(s->batch.counts + EIRENE_NODES, nodes);
    port_add(s->batch.counts + EIRENE_ACCESSES, accesses);
    port_add(s->batch.counts + EIRENE_FROM_ROOT, roots);
}

static void deal_results(void *context, size_t begin, size_t end)
{
    const struct stage *s = context;
    uint64_t accesses = 0;
    for (size_t i = begin; i < end; i++) accesses += eirene_deal(&s->batch, i);
    port_add(s->batch.counts + EIRENE_ACCESSES, accesses);
}

static pleach_status call(void *context, pleach_stream stream)
{
    struct stage *s = context;
    (void)stream; /* of a GPU */
    if (ablations_on_gpu(s->a)) return eirene_run_cuda(s->subject.tree, &s->batch, &s->sort, stream);
    if (s->batch.owner != NULL && !combine_requests(s)) return PLEACH_E_MEMORY;
    crew_share(s->a->crew, (s->batch.counts[EIRENE_ISSUED] + s->batch.group - 1) / s->batch.group, run_groups, s);
    if (s->batch.owner != NULL) crew_share(s->a->crew, s->n, deal_results, s);
    return PLEACH_OK;
}

static bool restore(void *stage)
{
    const struct stage *s = stage;
    const uint64_t counts[EIRENE_COUNTS] = {[EIRENE_ISSUED] = s->n}; /* unless they are combined */
    return s->a->device->fill(s->batch.results, 0xff, s->n * sizeof s->results[0]) &&
           s->a->device->copy_in(s->batch.counts, counts, sizeof counts);
}

static const char *check(void *stage)
{
    struct stage *s = stage;
    const struct tool_device *device = s->a->device;
    if (!device->copy_out(s->results, s->batch.results, s->n * sizeof s->results[0]) ||
        !device->copy_out(s->counts, s->batch.counts, sizeof s->counts))
        return "cannot copy from the device";
    for (size_t i = 0; i < s->n; i++)
        if (s->results[i] != abl_value(s->asked[i])) return "a wrong answer";
    return NULL;
}

static void measure(struct stage *s, const struct step *step, const char *dist)
{
    static const struct ablation_verbs verbs = {restore, call, check};
    struct bench_row row;
    ablations_start_row(s->a, &row, dist, s->first, s->n);
    snprintf(row.name, sizeof row.name, "eirene/%s", step->name);
    s->batch = (eirene_batch){.n = s->n,
                              .group = step->group,
                              .asked = s->device_asked,
                              .keys = step->combining ? s->device_issued : s->device_asked,
                              .owner = step->combining ? s->device_owner : NULL,
                              .answers = step->combining ? s->device_answers : s->device_results,
                              .results = s->device_results,
                              .counts = s->device_counts};
    if (!ablations_repeat(s->a, &row, &verbs, s)) return;
    const double requests = (double)s->n;
    bench_row_count(&row, "nodes_per_request", (double)s->counts[EIRENE_NODES] / requests);
    bench_row_count(&row, "accesses_per_request", (double)s->counts[EIRENE_ACCESSES] / requests);
    bench_row_count(&row, "issued_per_request", (double)s->counts[EIRENE_ISSUED] / requests);
    bench_row_count(&row, "from_root_per_request", (double)s->counts[EIRENE_FROM_ROOT] / requests);
    bench_report_add(s->a->report, &row);
    bench_report_say(s->a->report,
                     bench_report_keep(s->a->report, "%.2f nodes, %.1f words accessed by a request",
                                       row.counters[0].value, row.counters[1].value));
}

void ablation_eirene(struct ablations *a)
{
    struct stage s;
    bench_report_say(a->report, "rates count the sorting of requests, nodes and words the walk through the tree alone");
    if (open_stage(&s, a)) {
        for (size_t i = 0; i < sizeof skews / sizeof skews[0]; i++) {
            const size_t bytes = s.n * sizeof(uint32_t);
            draw_requests(&s, &skews[i]);
            if (!a->device->copy_in(s.device_asked, s.asked, bytes)) {
                (void)ablations_complain(a, "eirene", "cannot copy to the device");
                break;
            }
            for (size_t j = 0; j < sizeof steps / sizeof steps[0]; j++) measure(&s, &steps[j], skews[i].name);
        }
    }
    close_stage(&s);
}
