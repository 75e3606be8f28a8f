/* limit.c - needs of operations, and what the limits make of them. */
#include "limit.h"

#include <stdio.h>
#include <string.h>

enum { LEAF_SLOTS = 16, LEAF_PAIRS = 12, LOADED_PAIRS = 10 }; /* pairs: in a leaf after random inserts; after a load */

/* Of a GPU: what of L1 is left for nodes; accesses to L2 at a leaf, which is read past L1: link and header, halving,
 * and the pair; or all pairs, the latch taken and let go, and half of the pairs written. */
enum { L1_BYTES = 1 << 16, LEAF_LOADS = 5, LATCHED_LEAF = 13 };

const char *bench_resource_name(enum bench_resource resource)
{
    static const char *const names[BENCH_RESOURCES] = {"random lines",           "random lines changed",
                                                       "random sectors",         "random sectors changed",
                                                       "dependent lines",        "memory bandwidth",
                                                       "sorting",                "sectors from L2"};
    return names[resource];
}

double bench_limit_rate(const struct bench_limits *limits, const struct bench_need *need, const char **name)
{
    double time = 0, longest = 0, beside = 0; /* beside: of L2 */
    *name = NULL;
    for (int i = 0; i < BENCH_RESOURCES; i++) {
        if (need->amount[i] <= 0) continue;
        if (limits->rate[i] <= 0) return 0;
        const double part = need->amount[i] / limits->rate[i];
        if (i == BENCH_L2) {
            beside = part;
            continue;
        }
        if (part > longest) *name = bench_resource_name((enum bench_resource)i);
        longest = part > longest ? part : longest;
        time += part;
    }
    if (beside > time) *name = bench_resource_name(BENCH_L2);
    time = beside > time ? beside : time;
    return time > 0 ? 1 / time : 0;
}

void bench_need_add(struct bench_need *sum, double share, struct bench_need need)
{
    for (int i = 0; i < BENCH_RESOURCES; i++) sum->amount[i] += share * need.amount[i];
}

static struct bench_need only(enum bench_resource resource, double amount)
{
    struct bench_need need = {{0}};
    need.amount[resource] = amount;
    return need;
}

static double pair_bytes(struct bench_place place) { return 2 * place.bits / 8.0; }

/* Of the keys of a leaf; with 32 bits a GPU's line has its values too. */
static double key_lines(struct bench_place place)
{
    const double bytes = place.bits / 8.0 * LEAF_SLOTS;
    return place.gpu ? bytes / 128 : bytes / 64;
}

/* What the way to a leaf asks L2 for: some loads of each inner node that is on a level too large for L1, by halving. */
static double way_down(struct bench_place place)
{
    const double node_bytes = pair_bytes(place) * LEAF_SLOTS, loads = place.bits == 32 ? 3.1 : 4;
    double nodes = place.keys / LOADED_PAIRS / LOADED_PAIRS, sectors = 0;
    if (!place.gpu) return 0;
    for (; nodes * node_bytes > L1_BYTES; nodes /= LOADED_PAIRS) sectors += loads;
    return sectors;
}

/* `leaf`: what is asked for there. */
static void go_down(struct bench_need *need, struct bench_place place, double leaf)
{
    if (place.gpu && place.keys > 0) need->amount[BENCH_L2] = way_down(place) + leaf;
}

/* All keys of the leaf, and the value's line or sector. */
struct bench_need bench_need_find(struct bench_place place)
{
    if (place.alone) return only(BENCH_DEPENDENT, 1);
    struct bench_need need = only(BENCH_LINES, place.gpu && place.bits == 32 ? 1 : key_lines(place));
    if (!place.gpu || place.bits != 32) need.amount[BENCH_SECTORS] = 1;
    go_down(&need, place, LEAF_LOADS);
    return need;
}

/* As a find, and a line of keys and the value's are written. */
struct bench_need bench_need_change(struct bench_place place)
{
    if (place.alone) return only(BENCH_DEPENDENT, 1);
    const bool one_line = place.gpu && place.bits == 32;
    struct bench_need need = only(BENCH_LINES, one_line ? 0 : key_lines(place) - 1);
    need.amount[BENCH_CHANGED_LINES] = 1;
    if (!one_line) need.amount[BENCH_CHANGED_SECTORS] = 1;
    go_down(&need, place, LATCHED_LEAF);
    return need;
}

/* Whole leaves, the first of which is begun in its middle, and the pairs written. */
struct bench_need bench_need_range(struct bench_place place, double pairs)
{
    const double begun = 0.5 + pairs / LEAF_PAIRS, leaves = begun > 1 ? begun : 1;
    const double leaf_lines = pair_bytes(place) * LEAF_SLOTS / (place.gpu ? 128 : 64);
    struct bench_need need =
        place.alone ? only(BENCH_DEPENDENT, leaves) : only(BENCH_LINES, leaves * leaf_lines);
    need.amount[BENCH_BYTES] = pairs * pair_bytes(place);
    go_down(&need, place, leaves * leaf_lines * 4); /* sectors of a line */
    return need;
}

/* A pair read and written in order. */
static struct bench_need need_stream(struct bench_place place) { return only(BENCH_BYTES, 2 * pair_bytes(place)); }

/* The same, after a sort. */
static struct bench_need need_sort(struct bench_place place)
{
    struct bench_need need = need_stream(place);
    need.amount[BENCH_SORTED] = place.bits / 32.0 * place.bits / 32.0; /* twice the passes over twice the bytes */
    return need;
}

/* The group of slots that the key hashes to, and its value where that lies in another sector. */
struct bench_need bench_need_hash_find(struct bench_place place)
{
    return place.alone ? only(BENCH_DEPENDENT, 1) : only(BENCH_SECTORS, place.bits / 32.0);
}

struct bench_need bench_need_hash_change(struct bench_place place)
{
    if (place.alone) return only(BENCH_DEPENDENT, 1);
    return only(BENCH_CHANGED_SECTORS, place.bits / 32.0);
}

/* ---- by name ---- */

enum what { NOTHING, FIND, CHANGE, RANGE, COUNT, STREAM, SORT, HASH_FIND, HASH_CHANGE, SHARE, BESIDE, HALF,
            ALL };

/* The first that a name begins with. SHARE: the number after the last '/' is the percentage of changes. BESIDE: the
 * same, beside ranges of the number before it. HALF: half changes, half ranges of the number. ALL: as BESIDE, but of
 * three queries one is a range and two are for one key. */
static const struct {
    const char *start;
    enum what what;
} needs[] = {
    {"load", STREAM},          {"export", STREAM},           {"find-mixed/writer", CHANGE}, {"find", FIND},
    {"insert-empty", SORT},    {"insert-sorted", STREAM},    {"insert-batch", CHANGE},      {"erase-sorted", STREAM},
    {"erase", CHANGE},         {"range-count", COUNT},       {"range", RANGE},              {"succ", FIND},
    {"pred", FIND},            {"apply/find", FIND},         {"apply/range", BESIDE},       {"apply", SHARE},
    {"single-find", FIND},     {"single-put", CHANGE},       {"single-mixed", SHARE},       {"queue", SHARE},
    {"hash/set/find", HASH_FIND}, {"hash/map/find", HASH_FIND}, {"hash", HASH_CHANGE},      {"map/put", SORT},
    {"map/find", FIND},        {"map/erase", CHANGE},        {"index/insert", CHANGE},      {"index/erase", CHANGE},
    {"index/count", FIND},     {"batch/find", FIND},         {"array/find", FIND},          {"batch/", CHANGE},
    {"array/", CHANGE},        {"insert", CHANGE},           {"grow", CHANGE},              {"mixed-range", BESIDE},
    {"mixed-length", HALF},    {"mixed-erase", SHARE},       {"mixed-all", ALL},
};

/* Of the first name that is like it. */
static enum what what_of(const char *name)
{
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (strncmp(name, needs[i].start, strlen(needs[i].start)) == 0) return needs[i].what;
    return NOTHING;
}

static double last_number(const char *name)
{
    const char *slash = strrchr(name, '/');
    double number = 0;
    return slash != NULL && sscanf(slash + 1, "%lf", &number) == 1 ? number : 0;
}

/* The one between the last two slashes. */
static double number_before(const char *name)
{
    const char *from = strrchr(name, '/');
    double number = 0;
    while (from != NULL && from > name && *--from != '/') {}
    return from != NULL && *from == '/' && sscanf(from + 1, "%lf", &number) == 1 ? number : 0;
}

static struct bench_need share_of(double percent, struct bench_need changes, struct bench_need queries)
{
    struct bench_need need = {{0}};
    bench_need_add(&need, 1 - percent / 100, queries);
    bench_need_add(&need, percent / 100, changes);
    return need;
}

bool bench_is_alone(const char *name)
{
    return strncmp(name, "single-", 7) == 0 || strncmp(name, "mixed-", 6) == 0 || strncmp(name, "queue/call", 10) == 0;
}

/* Arrays of these may be sorted first, and then share the way down. */
static bool may_share(const char *name)
{
    static const char *const starts[] = {"apply", "batch", "insert", "grow", "map/put", "queue", "index",
                                         "erase-sorted"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0) return true;
    return false;
}

struct bench_need bench_need_by_name(struct bench_place place, const char *name, bool sorted)
{
    const double number = last_number(name);
    if (may_share(name)) place.keys = 0;
    const struct bench_need range = bench_need_range(place, number_before(name));
    const enum what what = what_of(name);
    /* Keys in order: neighbours share their leaves, and memory is read from its beginning to its end. */
    if (sorted && (what == FIND || what == CHANGE || what == SORT)) return need_stream(place);
    switch (what) {
    case FIND: return bench_need_find(place);
    case CHANGE: return bench_need_change(place);
    case COUNT: return bench_need_range(place, 0);
    case RANGE: return bench_need_range(place, number);
    case STREAM: return need_stream(place);
    case SORT: return need_sort(place);
    case HASH_FIND: return bench_need_hash_find(place);
    case HASH_CHANGE: return bench_need_hash_change(place);
    case SHARE: return share_of(number, bench_need_change(place), bench_need_find(place));
    case BESIDE: return share_of(number, bench_need_change(place), range);
    case HALF: return share_of(50, bench_need_change(place), bench_need_range(place, number));
    case ALL: return share_of(number, bench_need_change(place), share_of(200 / 3.0, bench_need_find(place), range));
    case NOTHING: break;
    }
    return (struct bench_need){{0}};
}

/* ---- graphs ---- */

enum { ID_BYTES = 4, EDGE_BYTES = 2 * ID_BYTES };

/* The slot of each entry, somewhere in the list of one of the ends. */
struct bench_need bench_need_graph_change(double entries) { return only(BENCH_CHANGED_SECTORS, entries); }

struct bench_need bench_need_graph_find(void) { return only(BENCH_SECTORS, 1); }

/* Edges are read and entries written in order, after a sort of these: of 32 bits it has four passes, and leaves out
 * those that no id needs. */
struct bench_need bench_need_graph_build(double edges, double entries, unsigned id_bits)
{
    struct bench_need need = only(BENCH_BYTES, edges * EDGE_BYTES + entries * ID_BYTES);
    need.amount[BENCH_SORTED] = entries * ((id_bits + 7) / 8) / 4;
    return need;
}

/* Its own list is read, and said to be empty; from lists of vertices that go as well nothing needs to be taken. */
struct bench_need bench_need_graph_erase_vertex(double entries, double mirrored)
{
    struct bench_need need = only(BENCH_CHANGED_SECTORS, mirrored + 1);
    need.amount[BENCH_BYTES] = entries * ID_BYTES;
    return need;
}

/* Read and written, and the sector that its list begins in, which it has in common with the others there. */
struct bench_need bench_need_graph_neighbour(double vertices)
{
    struct bench_need need = only(BENCH_BYTES, 2 * ID_BYTES);
    need.amount[BENCH_SECTORS] = vertices;
    return need;
}

struct bench_need bench_need_graph_lists(double entries) { return only(BENCH_BYTES, entries * ID_BYTES); }
