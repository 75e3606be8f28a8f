/* eirene.c - the ablation eirene: finds one by one, with equal keys combined, and with neighbours one after the other.
 * Combining sorts the requests; that is measured with it. */
#include "eirene.h"

#include <stdio.h>
#include <stdlib.h>

#include "ablations.h"

struct stage {
    struct ablations *a;
    size_t first, n;
    uint32_t *asked, *results; /* on the host, by request */
    abl_tree image, tree;      /* on the host, on the device */
    uint32_t *device_asked, *device_issued, *device_owner, *device_answers, *device_results;
    uint64_t *device_counts, counts[EIRENE_COUNTS];
    eirene_batch batch;
    eirene_sort sort; /* on a CPU, only its heads: words to sort */
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

static uint32_t key_of(const struct stage *s, size_t rank) { return (uint32_t)rank * (ABL_TOP / (uint32_t)s->first); }

/* Popular keys lie anywhere. */
static void draw_requests(struct stage *s, const struct skew *skew)
{
    struct mix_random random = {11};
    const struct mix_order order = mix_order_make(s->first, 13);
    for (size_t i = 0; i < s->n; i++) {
        const size_t rank = skew->exponent > 0 ? bench_zipf_rank(skew->exponent, s->first, &random)
                                               : (size_t)mix_below(&random, s->first);
        s->asked[i] = key_of(s, (size_t)mix_order_at(&order, rank));
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
    void *const device[] = {s->device_asked,        s->device_issued,  s->device_owner, s->device_answers,
                            s->device_results,      s->device_counts,  s->tree.words,   s->tree.shared,
                            s->sort.numbers,        s->sort.heads,     s->sort.scratch, s->sort.sorted_keys,
                            s->sort.sorted_numbers};
    free(s->asked);
    free(s->results);
    for (size_t i = 0; i < sizeof device / sizeof device[0]; i++) s->a->device->release(device[i]);
    abl_tree_destroy(&s->image);
}

static bool build_tree(struct stage *s)
{
    const struct tool_device *device = s->a->device;
    const size_t shared_bytes = ABL_SHARED_WORDS * sizeof(uint64_t);
    uint32_t *keys = malloc(s->first * sizeof keys[0]);
    if (keys == NULL || !abl_tree_create(&s->image, abl_nodes_for(s->first, 0))) {
        free(keys);
        return false;
    }
    for (size_t i = 0; i < s->first; i++) keys[i] = key_of(s, i);
    abl_tree_build(&s->image, keys, s->first);
    free(keys);
    const size_t bytes = (size_t)s->image.shared[ABL_TAKEN] * ABL_WORDS * sizeof(uint64_t);
    s->tree.capacity = s->image.shared[ABL_TAKEN];
    if (ablations_on_gpu(s->a)) {
        s->tree.words = device->allocate(bytes);
        s->tree.shared = device->allocate(shared_bytes);
    } else if (!abl_tree_create(&s->tree, s->tree.capacity)) {
        return false;
    }
    return s->tree.words != NULL && s->tree.shared != NULL &&
           device->copy_in(s->tree.words, s->image.words, bytes) &&
           device->copy_in(s->tree.shared, s->image.shared, shared_bytes);
}

static bool open_sort(struct stage *s)
{
    const struct tool_device *device = s->a->device;
    const size_t bytes = s->n * sizeof(uint32_t);
    s->sort.heads = device->allocate(s->n * sizeof s->sort.heads[0]);
    if (!ablations_on_gpu(s->a)) return s->sort.heads != NULL;
    if (eirene_scratch_cuda(s->n, &s->sort.scratch_bytes) != PLEACH_OK) return false;
    s->sort.numbers = device->allocate(bytes);
    s->sort.sorted_keys = device->allocate(bytes);
    s->sort.sorted_numbers = device->allocate(bytes);
    s->sort.scratch = device->allocate(s->sort.scratch_bytes);
    for (size_t i = 0; i < s->n; i++) s->asked[i] = (uint32_t)i; /* before there are requests */
    return s->sort.heads != NULL && s->sort.numbers != NULL && s->sort.sorted_keys != NULL &&
           s->sort.sorted_numbers != NULL && s->sort.scratch != NULL &&
           device->copy_in(s->sort.numbers, s->asked, bytes);
}

static bool open_stage(struct stage *s, struct ablations *a)
{
    const struct tool_device *device = a->device;
    const size_t many = ablations_on_gpu(a) ? (size_t)1 << 23 : (size_t)1 << 20;
    *s = (struct stage){.a = a, .first = a->quick ? many / 8 : many};
    s->n = ablations_on_gpu(a) ? (size_t)1 << 20 : s->first / 4;
    const size_t bytes = s->n * sizeof(uint32_t);
    s->asked = malloc(bytes);
    s->results = malloc(bytes);
    s->device_asked = device->allocate(bytes);
    s->device_issued = device->allocate(bytes);
    s->device_owner = device->allocate(bytes);
    s->device_answers = device->allocate(bytes);
    s->device_results = device->allocate(bytes);
    s->device_counts = device->allocate(sizeof s->counts);
    return (s->asked != NULL && s->results != NULL && s->device_asked != NULL && s->device_issued != NULL &&
            s->device_owner != NULL && s->device_answers != NULL && s->device_results != NULL &&
            s->device_counts != NULL && build_tree(s) && open_sort(s)) ||
           ablations_complain(a, "eirene", "out of memory");
}

/* ---- measuring ---- */

static void run_groups(void *context, size_t begin, size_t end)
{
    const struct stage *s = context;
    uint64_t nodes = 0, roots = 0, accesses = 0;
    for (size_t group = begin; group < end; group++)
        accesses += eirene_group(s->tree, &s->batch, group, &nodes, &roots);
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
    if (ablations_on_gpu(s->a)) return eirene_run_cuda(s->tree, &s->batch, &s->sort, stream);
    if (s->batch.owner != NULL && !combine_requests(s)) return PLEACH_E_MEMORY;
    crew_share(s->a->crew, (s->batch.counts[EIRENE_ISSUED] + s->batch.group - 1) / s->batch.group, run_groups, s);
    if (s->batch.owner != NULL) crew_share(s->a->crew, s->n, deal_results, s);
    return PLEACH_OK;
}

static bool measure_once(void *stage, const char *name, double *seconds)
{
    struct stage *s = stage;
    const struct tool_device *device = s->a->device;
    const size_t bytes = s->n * sizeof(uint32_t);
    const uint64_t counts[EIRENE_COUNTS] = {[EIRENE_ISSUED] = s->n}; /* unless they are combined */
    if (!device->fill(s->batch.results, 0xff, bytes) || !device->copy_in(s->batch.counts, counts, sizeof counts))
        return ablations_complain(s->a, name, "cannot write to the device");
    const pleach_status status = device->time(call, s, seconds);
    if (status != PLEACH_OK) return ablations_complain(s->a, name, pleach_status_name(status));
    if (!device->copy_out(s->results, s->batch.results, bytes) ||
        !device->copy_out(s->counts, s->batch.counts, sizeof s->counts))
        return ablations_complain(s->a, name, "cannot copy from the device");
    for (size_t i = 0; i < s->n; i++)
        if (s->results[i] != abl_value(s->asked[i])) return ablations_complain(s->a, name, "a wrong answer");
    return true;
}

static void measure(struct stage *s, const struct step *step, const char *dist)
{
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
    if (!ablations_repeat(s->a, &row, measure_once, s)) return;
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
