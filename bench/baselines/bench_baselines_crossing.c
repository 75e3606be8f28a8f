/* bench_baselines_crossing.c - from which number of keys on inserting a batch into pleach's map beats building it anew
 * from all pairs, their sort included (figure 3.3 of M. Awad's dissertation). */
#include <math.h>
#include <stdio.h>

#include "bench_baselines.h"

enum { HALVINGS = 3 };

struct crossing {
    struct contest *contest;
    void *keys, *values; /* sorted pairs */
    size_t m, batch;     /* of the call that is timed: keys in the end, and those of them that are inserted */
};

static pleach_status sort_and_load(struct crossing *x, size_t n)
{
    struct contest *c = x->contest;
    struct baseline_machine *m = &c->machine;
    pleach_status status = m->verbs->sort(m, c->bench.bits, n, c->load.a, c->load.b, x->keys, x->values);
    if (status == PLEACH_OK) status = m->verbs->wait(m);
    return status == PLEACH_OK ? contest_map_load(c->store, n, x->keys, x->values) : status;
}

static pleach_status call_rebuild(void *context, pleach_stream stream)
{
    struct crossing *x = context;
    x->contest->machine.stream = stream;
    const pleach_status status = sort_and_load(x, x->m);
    x->contest->machine.stream = NULL;
    return status;
}

static pleach_status call_insert(void *context, pleach_stream stream)
{
    struct crossing *x = context;
    struct contest *c = x->contest;
    const size_t first = x->m - x->batch;
    c->machine.stream = stream;
    const pleach_status status = c->kind->verbs->insert(c->store, x->batch, word_at(c->load.a, c->bench.bits, first),
                                                        word_at(c->load.b, c->bench.bits, first));
    c->machine.stream = NULL;
    return status;
}

/* The map has the first m pairs. */
static bool is_right(struct crossing *x)
{
    struct contest *c = x->contest;
    struct batch *load = &c->load;
    uint64_t size = 0;
    return pleach_map_size(contest_map_of(c->store), &size) == PLEACH_OK && size == x->m && batch_spoil(load) &&
           pleach_map_find(contest_map_of(c->store), x->m, load->a, load->out_a, load->bytes, PLEACH_SYNC) ==
               PLEACH_OK &&
           batch_fetch(load) && batch_count_wrong(load, x->m, batch_right_found) == 0;
}

/* Median seconds of inserting the batch, or of building anew; 0 after an error message. */
static double seconds_of(struct crossing *x, bool inserts)
{
    struct contest *c = x->contest;
    double seconds[BENCH_MOST_REPEATS];
    for (size_t i = 0; i < c->bench.options->repeats; i++) {
        pleach_status status = pleach_map_clear(contest_map_of(c->store));
        if (status == PLEACH_OK && inserts) status = sort_and_load(x, x->m - x->batch);
        if (status == PLEACH_OK) status = pleach_map_reserve(contest_map_of(c->store), x->m + x->batch);
        if (status == PLEACH_OK) status = c->bench.device->time(inserts ? call_insert : call_rebuild, x, &seconds[i]);
        if (status == PLEACH_OK && i == 0 && !is_right(x)) status = PLEACH_E_CORRUPT;
        if (status == PLEACH_OK) continue;
        bench_complain(&c->bench, "crossing", inserts ? "inserting" : "building anew", status);
        return 0;
    }
    return bench_median(seconds, c->bench.options->repeats);
}

struct point {
    size_t m;
    double insert, rebuild;
};

static bool measure(struct crossing *x, size_t m, struct point *point)
{
    x->m = m;
    point->m = m;
    point->insert = seconds_of(x, true);
    point->rebuild = point->insert > 0 ? seconds_of(x, false) : 0;
    return point->rebuild > 0;
}

static bool inserting_wins(const struct point *point) { return point->insert < point->rebuild; }

/* Where the lines between two points meet. */
static double where_equal(const struct point *low, const struct point *high)
{
    const double before = low->insert - low->rebuild, after = high->insert - high->rebuild;
    return (double)low->m + ((double)high->m - (double)low->m) * before / (before - after);
}

static void report(struct crossing *x, const struct point *at, double keys, size_t first, size_t last)
{
    struct contest *c = x->contest;
    struct bench_row row;
    char line[160];
    bench_start_row(&c->bench, &row, "crossing", x->batch);
    row.keys = (size_t)keys;
    row.rates[row.repeats++] = (double)x->batch / at->insert / 1e6;
    bench_row_count(&row, "crossing_keys", keys);
    bench_row_count(&row, "rebuild_mps", (double)at->m / at->rebuild / 1e6);
    bench_row_count(&row, "measured_from", (double)first);
    bench_row_count(&row, "measured_to", (double)last);
    bench_add_row(&c->bench, &row);
    if (keys > 0 && keys > (double)first)
        snprintf(line, sizeof line, "inserting %zu is faster than building anew from %.0f keys on", x->batch, keys);
    else
        snprintf(line, sizeof line, "inserting %zu is %s faster than building anew, from %zu to %zu keys", x->batch,
                 keys > 0 ? "always" : "never", first, last);
    bench_report_say(c->bench.report, line);
}

/* Doubles the size until inserting wins, then halves the step. */
static void find_crossing(struct crossing *x)
{
    const size_t first = 2 * x->batch, most = x->contest->load.n;
    struct point low = {0}, high = {0};
    size_t last = first;
    for (size_t m = first; m <= most; m *= 2) {
        low = high;
        last = m;
        if (!measure(x, m, &high)) return;
        if (inserting_wins(&high)) break;
    }
    if (!inserting_wins(&high) || low.m == 0) {
        report(x, &high, inserting_wins(&high) ? (double)first : 0, first, last);
        return;
    }
    for (int i = 0; i < HALVINGS; i++) {
        struct point middle;
        if (!measure(x, (size_t)sqrt((double)low.m * (double)high.m), &middle)) return;
        if (inserting_wins(&middle))
            high = middle;
        else
            low = middle;
    }
    report(x, &high, where_equal(&low, &high), first, last);
}

void contest_crossing(struct contest *c)
{
    if (!contest_use_keys(c, contest_keys(c, TASK_CROSSING))) return;
    const size_t bytes = c->load.n * word_bytes(c->bench.bits);
    struct crossing x = {.contest = c, .keys = c->bench.device->allocate(bytes),
                         .values = c->bench.device->allocate(bytes)};
    if (x.keys == NULL || x.values == NULL)
        bench_complain(&c->bench, "crossing", "sorted pairs", PLEACH_E_MEMORY);
    else if (contest_open(c, 0) && c->machine.verbs->prepare(&c->machine, c->bench.bits, c->load.n) == PLEACH_OK)
        for (unsigned power = CONTEST_BATCH_POWER; power <= CONTEST_MOST_POWER; power += 2) {
            x.batch = (size_t)1 << power;
            if (2 * x.batch <= c->load.n && !c->bench.failed) find_crossing(&x);
        }
    contest_close(c);
    c->bench.device->release(x.keys);
    c->bench.device->release(x.values);
}
