/* ycsb_groups.c - operations by the group: one array call for each kind, in an order in which each finds what
 * it asks for. Operations of a group lie together by kind, as whoever has groups to send would gather them; the clock
 * stops between groups, and answers are taken over then. */
#include "ycsb.h"

/* Kinds in the order of their calls. All ranges of a call have the same limit, so scans are sent by their lengths:
 * those up to a quarter of the longest, up to half of it, and so on. */
enum part { PART_INSERT, PART_UPDATE, PART_RMW, PART_READ, PART_SCAN };
enum { SCAN_PARTS = 4, PARTS = PART_SCAN + SCAN_PARTS };

struct group {
    size_t begins[PARTS + 1]; /* elements */
    size_t pairs;             /* room that its scans need */
};

struct groups {
    struct ycsb *y;
    size_t count, at; /* groups; the one that is carried out */
    size_t most, most_pairs;
    struct group *groups;
    uint32_t *ops; /* by element: which operation it is */
    uint64_t *host_words; /* keys, then values */

    /* On the device; of all groups the keys and values, of one the rest. */
    uint64_t *keys, *values, *out, *ends, *pair_keys, *pair_values;
    uint32_t *counts;
    uint8_t *bytes;

    uint8_t *host_bytes; /* the same here */
    uint64_t *host_out, *host_keys, *host_values;
    uint32_t *host_counts;
    struct bench_memory memory;
};

static size_t part_of(const struct ycsb *y, size_t i)
{
    static const enum part parts[YCSB_KINDS] = {PART_READ, PART_UPDATE, PART_INSERT, PART_SCAN, PART_RMW};
    if (y->ops.kinds[i] != YCSB_SCAN) return parts[y->ops.kinds[i]];
    return PART_SCAN + ((size_t)y->ops.lengths[i] * SCAN_PARTS - 1) / y->workload->most_scan;
}

static uint32_t limit_of(const struct ycsb *y, size_t part)
{
    return (uint32_t)((y->workload->most_scan * (part - PART_SCAN + 1) + SCAN_PARTS - 1) / SCAN_PARTS);
}

/* ---- before the clock starts ---- */

static void arrange_group(struct groups *g, size_t which)
{
    const struct ycsb *y = g->y;
    struct group *group = &g->groups[which];
    const size_t begin = which * y->group, end = begin + y->group < y->ops.n ? begin + y->group : y->ops.n;
    size_t at = begin;
    group->pairs = 0;
    for (size_t part = 0; part < PARTS; part++) {
        group->begins[part] = at;
        for (size_t i = begin; i < end; i++)
            if (part_of(y, i) == part) g->ops[at++] = (uint32_t)i;
        if (part >= PART_SCAN) group->pairs += (at - group->begins[part]) * limit_of(y, part);
    }
    group->begins[PARTS] = at;
    if (group->pairs > g->most_pairs) g->most_pairs = group->pairs;
}

static bool send_elements(struct groups *g)
{
    const struct ycsb *y = g->y;
    const size_t n = y->ops.n, bytes = n * sizeof(uint64_t);
    for (size_t e = 0; e < n; e++) {
        g->host_words[e] = y->ops.keys[g->ops[e]];
        g->host_words[n + e] = y->ops.values[g->ops[e]];
    }
    return y->device->copy_in(g->keys, g->host_words, bytes) &&
           y->device->copy_in(g->values, g->host_words + n, bytes) &&
           y->device->fill(g->ends, 0xff, g->most * sizeof *g->ends);
}

static bool allocate(struct groups *g)
{
    const struct tool_device *device = g->y->device;
    struct bench_memory *memory = &g->memory;
    const size_t n = g->y->ops.n, word = sizeof(uint64_t), pairs = g->most_pairs > 0 ? g->most_pairs : 1;
    g->host_words = bench_memory_host(memory, 2 * n * word);
    g->keys = bench_memory_device(memory, device, n * word);
    g->values = bench_memory_device(memory, device, n * word);
    g->bytes = bench_memory_device(memory, device, g->most);
    g->out = bench_memory_device(memory, device, g->most * word);
    g->ends = bench_memory_device(memory, device, g->most * word);
    g->counts = bench_memory_device(memory, device, g->most * sizeof *g->counts);
    g->pair_keys = bench_memory_device(memory, device, pairs * word);
    g->pair_values = bench_memory_device(memory, device, pairs * word);
    g->host_bytes = bench_memory_host(memory, g->most);
    g->host_out = bench_memory_host(memory, g->most * word);
    g->host_counts = bench_memory_host(memory, g->most * sizeof *g->host_counts);
    g->host_keys = bench_memory_host(memory, pairs * word);
    g->host_values = bench_memory_host(memory, pairs * word);
    return !memory->lacking;
}

static bool make_groups(struct groups *g, struct ycsb *y)
{
    *g = (struct groups){.y = y, .count = (y->ops.n + y->group - 1) / y->group, .most = y->group};
    g->groups = bench_memory_zeros(&g->memory, g->count * sizeof *g->groups);
    g->ops = bench_memory_host(&g->memory, y->ops.n * sizeof *g->ops);
    if (g->memory.lacking) return ycsb_complain(y, "groups", PLEACH_E_MEMORY);
    for (size_t which = 0; which < g->count; which++) arrange_group(g, which);
    if (!allocate(g)) return ycsb_complain(y, "groups", PLEACH_E_MEMORY);
    return send_elements(g) || ycsb_complain(y, "groups", PLEACH_E_CUDA);
}

/* ---- the timed calls ---- */

static pleach_status call_scans(struct groups *g, const struct group *group, pleach_stream stream)
{
    const struct target *own = g->y->store;
    pleach_status status = PLEACH_OK;
    size_t room = 0;
    for (size_t part = PART_SCAN; part < PARTS && status == PLEACH_OK; part++) {
        const size_t begin = group->begins[part], n = group->begins[part + 1] - begin;
        const uint32_t limit = limit_of(g->y, part);
        if (n > 0)
            status = pleach_map_range_limit(own->map, n, g->keys + begin, g->ends, limit, g->pair_keys + room,
                                            g->pair_values + room, g->counts + (begin - group->begins[0]), stream);
        room += n * limit;
    }
    return status;
}

static pleach_status call_kinds(void *context, pleach_stream given)
{
    struct groups *g = context;
    const struct target *own = g->y->store;
    const struct group *group = &g->groups[g->at];
    /* On a stream updates are concurrent operations; an array that may become a batch has to be waited for. */
    const pleach_stream stream = g->y->options->engine == PLEACH_ENGINE_CALLS ? given : PLEACH_SYNC;
    pleach_status status = PLEACH_OK;
    for (size_t part = 0; part < PART_SCAN && status == PLEACH_OK; part++) {
        const size_t begin = group->begins[part], n = group->begins[part + 1] - begin, at = begin - group->begins[0];
        if (n == 0) continue;
        const struct arrays write = {.keys = g->keys + begin, .values = g->values + begin, .flags = g->bytes + at};
        const struct arrays read = {.keys = g->keys + begin, .out_values = g->out + at,
                                    .flags = part == PART_READ ? g->bytes + at : NULL};
        if (part == PART_INSERT) status = target_array(own, PLEACH_OP_ADD, n, &write, 0, stream);
        if (part == PART_READ || part == PART_RMW) status = target_array(own, PLEACH_OP_FIND, n, &read, 0, stream);
        if ((part == PART_RMW || part == PART_UPDATE) && status == PLEACH_OK)
            status = target_array(own, PLEACH_OP_PUT, n, &write, 0, stream);
    }
    return status == PLEACH_OK ? call_scans(g, group, stream) : status;
}

/* ---- after it has stopped ---- */

static bool fetch(struct groups *g)
{
    const struct tool_device *device = g->y->device;
    const size_t n = g->most, pairs = g->groups[g->at].pairs;
    return device->copy_out(g->host_bytes, g->bytes, n) &&
           device->copy_out(g->host_out, g->out, n * sizeof *g->out) &&
           device->copy_out(g->host_counts, g->counts, n * sizeof *g->counts) &&
           device->copy_out(g->host_keys, g->pair_keys, pairs * sizeof(uint64_t)) &&
           device->copy_out(g->host_values, g->pair_values, pairs * sizeof(uint64_t));
}

/* The scans of one part, which begin at these places among the group's elements and its pairs. */
struct taking {
    struct groups *g;
    size_t begin, room;
    uint32_t limit;
};

static void take_scan(void *context, size_t begin, size_t end)
{
    const struct taking *t = context;
    const struct groups *g = t->g;
    struct ycsb *y = g->y;
    const size_t first = g->groups[g->at].begins[0];
    for (size_t k = begin; k < end; k++) {
        const size_t i = g->ops[t->begin + k], at = t->room + k * t->limit, got = g->host_counts[t->begin + k - first];
        const size_t n = got < y->ops.lengths[i] ? got : y->ops.lengths[i]; /* the call's limit may be higher */
        y->counts[i] = (uint16_t)n;
        if (n == 0) continue;
        y->values[i] = g->host_keys[at];
        y->lasts[i] = g->host_keys[at + n - 1];
        ycsb_see_pairs(y, i, n, g->host_keys + at, g->host_values + at);
    }
}

static void take_scans(struct groups *g, const struct group *group)
{
    struct taking t = {.g = g};
    for (size_t part = PART_SCAN; part < PARTS; part++) {
        const size_t n = group->begins[part + 1] - group->begins[part];
        t.begin = group->begins[part];
        t.limit = limit_of(g->y, part);
        crew_share(g->y->crew, n, take_scan, &t);
        t.room += n * t.limit;
    }
}

static bool take_answers(struct groups *g)
{
    struct ycsb *y = g->y;
    const struct group *group = &g->groups[g->at];
    if (!fetch(g)) return ycsb_complain(y, "answers", PLEACH_E_CUDA);
    for (size_t part = 0; part < PART_SCAN; part++)
        for (size_t e = group->begins[part]; e < group->begins[part + 1]; e++) {
            const size_t i = g->ops[e], at = e - group->begins[0];
            const uint8_t right = part == PART_INSERT || part == PART_READ ? 1 : PLEACH_REPLACED;
            y->counts[i] = g->host_bytes[at] == right;
            y->values[i] = g->host_out[at];
        }
    take_scans(g, group);
    return true;
}

static bool spoil(const struct groups *g)
{
    const struct tool_device *device = g->y->device;
    const size_t pairs = g->groups[g->at].pairs * sizeof(uint64_t);
    return device->fill(g->bytes, 0xee, g->most) && device->fill(g->out, 0xee, g->most * sizeof *g->out) &&
           device->fill(g->counts, 0, g->most * sizeof *g->counts) && device->fill(g->pair_keys, 0xee, pairs) &&
           device->fill(g->pair_values, 0xee, pairs);
}

static bool run_groups(struct ycsb *y, void *context, double *seconds)
{
    struct groups *g = context;
    *seconds = 0;
    for (g->at = 0; g->at < g->count; g->at++) {
        double took = 0;
        if (!spoil(g)) return ycsb_complain(y, "answers", PLEACH_E_CUDA);
        const pleach_status status = y->device->time(call_kinds, g, &took);
        if (status != PLEACH_OK) return ycsb_complain(y, "the timed calls", status);
        *seconds += took;
        if (!take_answers(g)) return false;
    }
    return true;
}

void ycsb_measure_groups(struct ycsb *y)
{
    struct groups g;
    const struct ycsb_way way = {.form = "[]", .order = YCSB_GROUPS, .batch = y->group, .run = run_groups,
                                 .context = &g};
    y->form = way.form;
    if (make_groups(&g, y)) ycsb_measure_way(y, &way);
    bench_memory_release(&g.memory);
}
