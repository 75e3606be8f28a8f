/* eirene.c - the ablation eirene: finds one by one, with equal keys combined, and with neighbours one after the other.
 * Requests are sorted before the clock starts: what is measured is the walk through the tree. */
#include "eirene.h"

#include <stdio.h>
#include <stdlib.h>

#include "ablations.h"

struct stage {
    struct ablations *a;
    size_t first, n, issued;
    uint32_t *asked, *sorted, *owner, *results; /* on the host: by request, sorted without repeats, by request */
    abl_tree image, tree;                       /* on the host, on the device */
    uint32_t *device_asked, *device_sorted, *device_owner, *device_answers, *device_results;
    uint64_t *device_counts, counts[EIRENE_COUNTS];
    eirene_batch batch;
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
        s->asked[i] = s->sorted[i] = key_of(s, (size_t)mix_order_at(&order, rank));
    }
}

static uint32_t place_of(const struct stage *s, uint32_t key)
{
    size_t low = 0, high = s->issued;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (s->sorted[middle] <= key)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static void find_owners(void *context, size_t begin, size_t end)
{
    struct stage *s = context;
    for (size_t i = begin; i < end; i++) s->owner[i] = place_of(s, s->asked[i]);
}

static bool combine_requests(struct stage *s)
{
    if (!bench_sort(s->sorted, 32, s->n)) return false;
    s->issued = 0;
    for (size_t i = 0; i < s->n; i++)
        if (i == 0 || s->sorted[i] != s->sorted[i - 1]) s->sorted[s->issued++] = s->sorted[i];
    crew_share(s->a->crew, s->n, find_owners, s);
    return true;
}

/* ---- memory ---- */

static void close_stage(struct stage *s)
{
    void *const host[] = {s->asked, s->sorted, s->owner, s->results};
    void *const device[] = {s->device_asked,   s->device_sorted, s->device_owner, s->device_answers,
                            s->device_results, s->device_counts, s->tree.words,   s->tree.shared};
    for (size_t i = 0; i < sizeof host / sizeof host[0]; i++) free(host[i]);
    for (size_t i = 0; i < sizeof device / sizeof device[0]; i++) s->a->device->release(device[i]);
    abl_tree_destroy(&s->image);
}

static bool build_tree(struct stage *s)
{
    const struct bench_device *device = s->a->device;
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

static bool open_stage(struct stage *s, struct ablations *a)
{
    const struct bench_device *device = a->device;
    const size_t many = ablations_on_gpu(a) ? (size_t)1 << 23 : (size_t)1 << 20;
    *s = (struct stage){.a = a, .first = a->quick ? many / 8 : many};
    s->n = ablations_on_gpu(a) ? (size_t)1 << 20 : s->first / 4;
    const size_t bytes = s->n * sizeof(uint32_t);
    s->asked = malloc(bytes);
    s->sorted = malloc(bytes);
    s->owner = malloc(bytes);
    s->results = malloc(bytes);
    s->device_asked = device->allocate(bytes);
    s->device_sorted = device->allocate(bytes);
    s->device_owner = device->allocate(bytes);
    s->device_answers = device->allocate(bytes);
    s->device_results = device->allocate(bytes);
    s->device_counts = device->allocate(sizeof s->counts);
    return (s->asked != NULL && s->sorted != NULL && s->owner != NULL && s->results != NULL &&
            s->device_asked != NULL && s->device_sorted != NULL && s->device_owner != NULL &&
            s->device_answers != NULL && s->device_results != NULL && s->device_counts != NULL && build_tree(s)) ||
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
    if (ablations_on_gpu(s->a)) return eirene_run_cuda(s->tree, &s->batch, stream);
    crew_share(s->a->crew, (s->batch.issued + s->batch.group - 1) / s->batch.group, run_groups, s);
    if (s->batch.owner != NULL) crew_share(s->a->crew, s->n, deal_results, s);
    return PLEACH_OK;
}

static bool measure_once(void *stage, const char *name, double *seconds)
{
    struct stage *s = stage;
    const struct bench_device *device = s->a->device;
    const size_t bytes = s->n * sizeof(uint32_t);
    if (!device->fill(s->batch.results, 0xff, bytes) || !device->fill(s->batch.counts, 0, sizeof s->counts))
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
                              .issued = step->combining ? s->issued : s->n,
                              .group = step->group,
                              .keys = step->combining ? s->device_sorted : s->device_asked,
                              .owner = step->combining ? s->device_owner : NULL,
                              .answers = step->combining ? s->device_answers : s->device_results,
                              .results = s->device_results,
                              .counts = s->device_counts};
    if (!ablations_repeat(s->a, &row, measure_once, s)) return;
    const double requests = (double)s->n;
    bench_row_count(&row, "nodes_per_request", (double)s->counts[EIRENE_NODES] / requests);
    bench_row_count(&row, "accesses_per_request", (double)s->counts[EIRENE_ACCESSES] / requests);
    bench_row_count(&row, "issued_per_request", (double)s->batch.issued / requests);
    bench_row_count(&row, "from_root_per_request", (double)s->counts[EIRENE_FROM_ROOT] / requests);
    bench_report_add(s->a->report, &row);
    bench_report_say(s->a->report,
                     bench_report_keep(s->a->report, "%.2f nodes, %.1f words accessed by a request",
                                       row.counters[0].value, row.counters[1].value));
}

void ablation_eirene(struct ablations *a)
{
    struct stage s;
    if (open_stage(&s, a)) {
        for (size_t i = 0; i < sizeof skews / sizeof skews[0]; i++) {
            const size_t bytes = s.n * sizeof(uint32_t);
            draw_requests(&s, &skews[i]);
            if (!combine_requests(&s) || !a->device->copy_in(s.device_asked, s.asked, bytes) ||
                !a->device->copy_in(s.device_sorted, s.sorted, bytes) ||
                !a->device->copy_in(s.device_owner, s.owner, bytes)) {
                (void)ablations_complain(a, "eirene", "out of memory");
                break;
            }
            for (size_t j = 0; j < sizeof steps / sizeof steps[0]; j++) measure(&s, &steps[j], skews[i].name);
        }
    }
    close_stage(&s);
}
