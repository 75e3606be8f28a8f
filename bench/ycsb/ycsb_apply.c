/* ycsb_apply.c - a group of operations as one batch (pleach_map_apply): all kinds mixed, as if in their order. A
 * read-modify-write is a find and a put. Scans are left to array calls: a batch has one limit for all its ranges. */
#include "ycsb.h"

struct applied {
    struct ycsb *y;
    size_t elements, count, at; /* groups, and the one that is carried out */
    size_t most;                /* elements of a group */
    size_t *begins;             /* by group; elements */
    uint32_t *ops;              /* by element: which operation it is of */
    uint8_t *host_kinds;
    uint64_t *host_keys, *host_values;
    uint8_t *kinds, *flags;     /* on the device; flags and out of a group */
    uint64_t *keys, *values, *out;
    uint8_t *host_flags;
    uint64_t *host_out;
    struct bench_memory memory;
};

static void add_element(struct applied *a, size_t i, pleach_operation kind)
{
    const size_t e = a->elements++;
    a->ops[e] = (uint32_t)i;
    a->host_kinds[e] = (uint8_t)kind;
    a->host_keys[e] = a->y->ops.keys[i];
    a->host_values[e] = a->y->ops.values[i];
}

static void make_elements(struct applied *a)
{
    const struct ycsb *y = a->y;
    a->elements = 0;
    for (size_t i = 0; i < y->ops.n; i++) {
        const uint8_t kind = y->ops.kinds[i];
        if (i % y->group == 0) a->begins[i / y->group] = a->elements;
        if (kind == YCSB_READ || kind == YCSB_RMW) add_element(a, i, PLEACH_OP_FIND);
        if (kind == YCSB_UPDATE || kind == YCSB_RMW) add_element(a, i, PLEACH_OP_PUT);
        if (kind == YCSB_INSERT) add_element(a, i, PLEACH_OP_ADD);
    }
    a->begins[a->count] = a->elements;
    for (size_t which = 0; which < a->count; which++) {
        const size_t n = a->begins[which + 1] - a->begins[which];
        a->most = n > a->most ? n : a->most;
    }
}

static bool allocate_host(struct applied *a)
{
    const size_t n = 2 * a->y->ops.n, word = sizeof(uint64_t); /* a read-modify-write is two elements */
    a->begins = bench_memory_zeros(&a->memory, (a->count + 1) * sizeof *a->begins);
    a->ops = bench_memory_host(&a->memory, n * sizeof *a->ops);
    a->host_kinds = bench_memory_host(&a->memory, n);
    a->host_keys = bench_memory_host(&a->memory, n * word);
    a->host_values = bench_memory_host(&a->memory, n * word);
    a->host_flags = bench_memory_host(&a->memory, 2 * a->y->group);
    a->host_out = bench_memory_host(&a->memory, 2 * a->y->group * word);
    return !a->memory.lacking;
}

static bool send_elements(struct applied *a)
{
    const struct tool_device *device = a->y->device;
    const size_t n = a->elements, word = sizeof(uint64_t);
    a->kinds = bench_memory_device(&a->memory, device, n);
    a->keys = bench_memory_device(&a->memory, device, n * word);
    a->values = bench_memory_device(&a->memory, device, n * word);
    a->flags = bench_memory_device(&a->memory, device, a->most);
    a->out = bench_memory_device(&a->memory, device, a->most * word);
    return !a->memory.lacking && device->copy_in(a->kinds, a->host_kinds, n) &&
           device->copy_in(a->keys, a->host_keys, n * word) && device->copy_in(a->values, a->host_values, n * word);
}

static pleach_status call_apply(void *context, pleach_stream stream)
{
    struct applied *a = context;
    const struct target *own = a->y->store;
    const size_t begin = a->begins[a->at];
    pleach_batch batch = {.n = a->begins[a->at + 1] - begin, .kinds = a->kinds + begin, .keys = a->keys + begin,
                          .values = a->values + begin, .flags = a->flags, .out_values = a->out};
    (void)stream; /* it is synchronous */
    return pleach_map_apply(own->map, &batch);
}

static bool take_answers(struct applied *a)
{
    struct ycsb *y = a->y;
    const size_t begin = a->begins[a->at], n = a->begins[a->at + 1] - begin;
    if (!y->device->copy_out(a->host_flags, a->flags, n) ||
        !y->device->copy_out(a->host_out, a->out, n * sizeof *a->out))
        return ycsb_complain(y, "answers", PLEACH_E_CUDA);
    for (size_t k = 0; k < n; k++) {
        const size_t i = a->ops[begin + k];
        const uint8_t kind = a->host_kinds[begin + k], right = kind == PLEACH_OP_PUT ? PLEACH_REPLACED : 1;
        /* Of a read-modify-write the put comes last, and has the old value, which is what its find has seen. */
        if (kind == PLEACH_OP_PUT && y->ops.kinds[i] == YCSB_RMW)
            y->counts[i] = y->counts[i] == 1 && a->host_flags[k] == right && a->host_out[k] == y->values[i];
        else
            y->counts[i] = a->host_flags[k] == right;
        y->values[i] = a->host_out[k];
    }
    return true;
}

static bool run_apply(struct ycsb *y, void *context, double *seconds)
{
    struct applied *a = context;
    *seconds = 0;
    for (a->at = 0; a->at < a->count; a->at++) {
        double took = 0;
        if (!y->device->fill(a->flags, 0xee, a->most) || !y->device->fill(a->out, 0xee, a->most * sizeof *a->out))
            return ycsb_complain(y, "answers", PLEACH_E_CUDA);
        const pleach_status status = y->device->time(call_apply, a, &took);
        if (status != PLEACH_OK) return ycsb_complain(y, "the timed batch", status);
        *seconds += took;
        if (!take_answers(a)) return false;
    }
    return true;
}

void ycsb_measure_apply(struct ycsb *y)
{
    if (y->rival != &ycsb_map || y->ops.scans > 0) return;
    struct applied a = {.y = y, .count = (y->ops.n + y->group - 1) / y->group};
    const struct ycsb_way way = {.form = "-apply", .order = YCSB_IN_ORDER, .batch = y->group, .run = run_apply,
                                 .context = &a};
    y->form = way.form;
    bool made = allocate_host(&a);
    if (made) make_elements(&a);
    made = made && send_elements(&a);
    if (made)
        ycsb_measure_way(y, &way);
    else
        ycsb_complain(y, "batches", PLEACH_E_MEMORY);
    bench_memory_release(&a.memory);
}
