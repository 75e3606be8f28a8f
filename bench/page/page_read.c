/* page_read.c - results of a file as points: what was measured, by whom, where, and with which sizes. */
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "bench/paper/paper.h"
#include "tools/common/cli.h"

static const char command[] = "pleach-bench report";

static bool begins_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

/* ---- numbers ---- */

static void widen(struct page_point *point, double rate)
{
    if (point->least == 0 || rate < point->least) point->least = rate;
    if (rate > point->most) point->most = rate;
}

/* Millions a second; or milliseconds, of results that are times. */
static double value_of(const struct json *run)
{
    const double rate = json_number(run, "items_per_second", 0);
    if (rate > 0) return rate / 1e6;
    return strcmp(json_text(run, "time_unit", ""), "ms") == 0 ? json_number(run, "real_time", 0) : 0;
}

/* The lowest and highest of the repeats that a median is of; a file has them just before it. */
static void find_spread(const struct json *repeats, const struct json *median, struct page_point *point)
{
    const char *const name = json_text(median, "run_name", "");
    for (const struct json *run = repeats; run != median; run = run->next) {
        const bool repeat = strcmp(json_text(run, "run_type", ""), "iteration") == 0;
        if (repeat && strcmp(json_text(run, "run_name", ""), name) == 0) widen(point, value_of(run));
    }
    widen(point, point->median);
}

static bool is_median(const struct json *run)
{
    return strcmp(json_text(run, "aggregate_name", ""), "median") == 0 && value_of(run) > 0 &&
           json_text(run, "benchmark", NULL) != NULL && json_text(run, "run_name", NULL) != NULL;
}

/* "latency_p999_ns" is the quantile 0.999. */
static void read_latencies(const struct json *run, struct page_point *point)
{
    for (const struct json *member = run->first; member != NULL; member = member->next) {
        char digits[16], after = 0;
        char text[24];
        const bool fits = member->name != NULL && point->quantiles < PAGE_MOST_QUANTILES;
        if (!fits || sscanf(member->name, "latency_p%15[0-9]_n%c", digits, &after) != 2 || after != 's') continue;
        snprintf(text, sizeof text, "0.%s", digits);
        if (!(member->number > 0)) continue;
        point->quantile[point->quantiles] = strtod(text, NULL);
        point->latency[point->quantiles++] = member->number;
    }
}

/* ---- names ---- */

/* Structures that are others', or made for comparison. */
static bool is_own(const char *store)
{
    static const char *const others[] = {"peer-", "base-", "sorted", "merge-tree", "coupled", "rebuild", "lockfree",
                                         "vectors", "merged rows", "GraphBLAS"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (begins_with(store, others[i])) return false;
    return true;
}

/* Of pleach-bench ablations: "splits/up-path" is one of the ways to split. */
bool page_is_choice(const char *benchmark)
{
    return begins_with(benchmark, "latch/") || begins_with(benchmark, "splits/") || begins_with(benchmark, "loads/") ||
           begins_with(benchmark, "eirene/") || begins_with(benchmark, "reclaim/") || begins_with(benchmark, "palm-");
}

/* Of pleach-bench baselines, which names a store for each device. */
static bool is_beside_baselines(const char *benchmark, const char *device)
{
    static const char *const stores[] = {"map", "map-batches", "sorted", "rebuild", "merge-tree", "coupled"};
    const char *const slash = strchr(device, '/');
    for (size_t i = 0; slash != NULL && i < sizeof stores / sizeof stores[0]; i++)
        if (strcmp(slash + 1, stores[i]) == 0) return !begins_with(benchmark, "ycsb");
    return false;
}

/* "map/contains" is "contains" by a map; "batch/find" is "batches/find" by batches. */
static const char *take_store(struct page *page, const char *name, char *store, size_t size)
{
    static const char *const forms[] = {"batch/", "array/"};
    static const char *const beside_hash[] = {"map/put", "map/find", "map/find-miss", "map/erase-half"};
    static const char *const stores[] = {"map/", "map[]/", "skiplist16/", "skiplist32/", "skiplist16[]/",
                                         "skiplist32[]/", "lockfree/"};
    char text[PAGE_NAME_BYTES];
    if (begins_with(name, "hash/map/") || begins_with(name, "hash/set/")) {
        snprintf(store, size, "hash %.3s", name + 5);
        snprintf(text, sizeof text, "hash/%s", name + 9);
        return page_keep(page, text);
    }
    for (size_t i = 0; i < sizeof beside_hash / sizeof beside_hash[0]; i++) {
        if (strcmp(name, beside_hash[i]) != 0) continue;
        snprintf(store, size, "map");
        snprintf(text, sizeof text, "hash/%s%s", name + 4, i == 0 ? "-sized" : ""); /* it has its memory ready too */
        return page_keep(page, text);
    }
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (!begins_with(name, forms[i])) continue;
        snprintf(store, size, "%.5s", name);
        snprintf(text, sizeof text, "batches/%s", name + strlen(forms[i]));
        return page_keep(page, text);
    }
    if (page_is_choice(name)) {
        const char *const slash = strrchr(name, '/');
        snprintf(store, size, "%s", slash + 1);
        snprintf(text, sizeof text, "%.*s", (int)(slash - name), name);
        return page_keep(page, text);
    }
    for (size_t i = 0; i < sizeof stores / sizeof stores[0]; i++) {
        if (!begins_with(name, stores[i])) continue;
        snprintf(store, size, "%.*s", (int)strlen(stores[i]) - 1, stores[i]);
        return page_keep(page, name + strlen(stores[i]));
    }
    return name;
}

/* "apply/update/5%" is "apply" with updates, 5% of them; "10-10-80" a mix with 20% of them. */
static const char *take_updates(struct page *page, const char *name, char *store, size_t size, double *updates)
{
    char text[PAGE_NAME_BYTES];
    int inserts, deletes, others, end = 0;
    if (sscanf(name, "%d-%d-%d%n", &inserts, &deletes, &others, &end) == 3 && inserts + deletes + others == 100) {
        *updates = 1 + inserts + deletes;
        snprintf(text, sizeof text, "mix%s", name + end);
        return page_keep(page, text);
    }
    const char *const slash = strrchr(name, '/');
    double share;
    end = 0;
    if (begins_with(name, "erase/")) return name; /* a share of the keys */
    if (slash == NULL || sscanf(slash + 1, "%lf%%%n", &share, &end) != 1 || end == 0 || slash[1 + end] != '\0')
        return name;
    *updates = 1 + share;
    snprintf(text, sizeof text, "%.*s", (int)(slash - name), name);
    char *const kind = strchr(text, '/');
    if (store[0] == '\0' && kind != NULL && (begins_with(text, "apply/") || begins_with(text, "queue/"))) {
        snprintf(store, size, "%s", kind + 1);
        *kind = '\0';
    }
    return page_keep(page, text);
}

/* "cpu/map" is a map on a CPU. */
static void take_device(struct page *page, const char *device, char *store, size_t size, struct page_point *point)
{
    static const struct { const char *code, *name; } forms[] = {{"v", "versioned"}, {"s", "beside a snapshot"},
                                                                {"s16", "skiplist16"}, {"s32", "skiplist32"}};
    char place[PAGE_NAME_BYTES], both[2 * PAGE_NAME_BYTES];
    const size_t length = strcspn(device, "/");
    snprintf(place, sizeof place, "%.*s", (int)length, device);
    if (device[length] == '/') {
        const char *form = device + length + 1;
        for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
            if (strcmp(form, forms[i].code) == 0) form = forms[i].name;
        snprintf(both, sizeof both, "%s%s%s", store, store[0] != '\0' ? ", " : "", form);
        snprintf(store, size, "%.95s", both);
    }
    point->dim[PAGE_PLACE] = page_number_of(page, page_keep(page, place));
    if (!begins_with(device, "cpu")) point->dim[PAGE_THREADS] = 0;
}

static size_t part_of(const char *benchmark, const char *device, const char *operation)
{
    if (page_is_choice(benchmark)) return PART_CHOICES;
    if (is_beside_baselines(benchmark, device)) return PART_BASELINES;
    if (begins_with(benchmark, "limits/")) return PART_LIMITS;
    if (begins_with(benchmark, "long-") || strcmp(benchmark, "range-one") == 0) return PART_AS_USED;
    if (begins_with(benchmark, "ycsb")) return PART_YCSB;
    if (begins_with(benchmark, "graph-")) return PART_GRAPHS;
    if (begins_with(operation, "hash/")) return PART_HASH;
    return operation != benchmark && !begins_with(operation, "batches/") && !begins_with(benchmark, "apply/") &&
                   !begins_with(benchmark, "queue/") && !begins_with(benchmark, "single") ? PART_MIXED
                                                                                           : PART_OPERATIONS;
}

static void name_graph(struct page *page, const struct json *file, const struct json *run, struct page_point *point)
{
    char name[PAGE_NAME_BYTES];
    snprintf(name, sizeof name, "graph-%s", json_text(run, "experiment", "?"));
    point->operation = page_keep(page, name);
    point->dim[PAGE_PANEL] = page_number_of(page, json_text(run, "graph", ""));
    point->dim[PAGE_STORE] = page_number_of(page, point->device);
    point->dim[PAGE_PLACE] = page_number_of(page, json_text(json_member(file, "context"), "device", "cpu"));
    point->dim[PAGE_THREADS] = 0;
    point->own = is_own(point->device);
}

static void name_point(struct page *page, const struct json *file, const struct json *run, struct page_point *point)
{
    char store[PAGE_NAME_BYTES] = "";
    if (json_text(run, "experiment", NULL) != NULL && json_text(run, "graph", NULL) != NULL) {
        name_graph(page, file, run, point);
        return;
    }
    if (begins_with(point->benchmark, "limits/")) {
        snprintf(store, sizeof store, "%s", point->benchmark + strlen("limits/"));
        point->operation = "limits";
        if (begins_with(store, "bytes")) point->unit = "MB/s";
    } else {
        const char *const name = take_store(page, point->benchmark, store, sizeof store);
        point->operation = take_updates(page, name, store, sizeof store, &point->dim[PAGE_UPDATES]);
    }
    take_device(page, point->device, store, sizeof store, point);
    point->dim[PAGE_STORE] = page_number_of(page, page_keep(page, store));
    const char *const comma = strstr(store, ", ");
    point->own = is_own(store) && (comma == NULL || is_own(comma + 2));
}

static void read_point(struct page *page, size_t which, const struct json *repeats, const struct json *run)
{
    struct page_point *const point = &page->points[page->count++];
    const size_t paper = page_paper_of(page->paths[which]);
    *point = (struct page_point){
        .benchmark = json_text(run, "benchmark", ""),
        .device = json_text(run, "device", "cpu"),
        .unit = json_text(run, "unit", "M/s"),
        .median = value_of(run),
        .limit = json_text(run, "limit", ""),
        .limit_share = json_number(run, "limit_share", 0),
        .times_peer = json_number(run, "times_peer", 0),
        .bytes_per_key = json_number(run, "bytes_per_key", 0),
        .dim[PAGE_BITS] = json_number(run, "bits", 0),
        .dim[PAGE_KEYS] = json_number(run, "keys", 0),
        .dim[PAGE_THREADS] = json_number(run, "threads", 0),
        .dim[PAGE_BATCH] = json_number(run, "batch", 0),
        .dim[PAGE_DIST] = page_number_of(page, json_text(run, "dist", "")),
        .dim[PAGE_SOURCE] = page_number_of(page, page->paths[which]),
    };
    name_point(page, page->file[which], run, point);
    point->part = part_of(point->benchmark, point->device, point->operation);
    if (paper < paper_experiment_count && point->part != PART_LIMITS) point->part = PART_PAPERS + paper;
    read_latencies(run, point);
    find_spread(repeats, run, point);
}

static bool make_room(struct page *page, size_t more)
{
    if (page->count + more <= page->capacity) return true;
    const size_t capacity = 2 * (page->count + more);
    struct page_point *points = realloc(page->points, capacity * sizeof *points);
    if (points == NULL) return cli_complain(command, "not enough memory"), false;
    page->points = points;
    page->capacity = capacity;
    return true;
}

bool page_read_file(struct page *page, size_t which)
{
    char why[512];
    page->file[which] = json_read(page->paths[which], why, sizeof why);
    if (page->file[which] == NULL) return cli_complain(command, "%s", why), false;
    const struct json *runs = json_member(page->file[which], "benchmarks"), *repeats;
    size_t more = 0;
    for (const struct json *run = runs != NULL ? runs->first : NULL; run != NULL; run = run->next)
        more += is_median(run);
    if (more == 0)
        return cli_complain(command, "%s: has no results of 'pleach-bench --json'", page->paths[which]), false;
    if (!make_room(page, more)) return false;
    page->results += more;
    repeats = runs->first;
    for (const struct json *run = runs->first; run != NULL; run = run->next) {
        if (!is_median(run)) continue;
        read_point(page, which, repeats, run);
        repeats = run->next;
    }
    return !page->failed;
}

size_t page_paper_of(const char *path)
{
    const char *const slash = strrchr(path, '/'), *const name = slash != NULL ? slash + 1 : path;
    for (size_t i = 0; i < paper_experiment_count; i++) {
        const size_t length = strlen(paper_experiments[i].name);
        if (paper_experiments[i].theirs == NULL) continue; /* pleach's own are shown by what they measure */
        if (strncmp(name, paper_experiments[i].name, length) != 0) continue;
        const char *rest = name + length;
        if (*rest == '-') rest += 1 + strspn(rest + 1, "0123456789");
        if (strcmp(rest, ".json") == 0) return i;
    }
    return paper_experiment_count;
}

/* ---- points made of others ---- */

static const unsigned of_store = 1U << PAGE_STORE | 1U << PAGE_PLACE | 1U << PAGE_KEYS | 1U << PAGE_BITS;

/* A store's memory does not depend on what it is asked, nor by which form of call. */
void page_add_memory(struct page *page)
{
    const size_t count = page->count;
    for (size_t i = 0; i < count; i++) {
        if (!(page->points[i].bytes_per_key > 0) || !make_room(page, 1)) continue;
        struct page_point point = page->points[i];
        char store[PAGE_NAME_BYTES];
        snprintf(store, sizeof store, "%s", page_word(page, &point, PAGE_STORE));
        char *const form = strstr(store, "[]") != NULL ? strstr(store, "[]") : strstr(store, "-apply");
        if (form != NULL) *form = '\0';
        point.dim[PAGE_STORE] = page_number_of(page, page_keep(page, store));
        point.dim[PAGE_THREADS] = point.dim[PAGE_BATCH] = point.dim[PAGE_DIST] = point.dim[PAGE_UPDATES] = 0;
        point.part = PART_MEMORY;
        point.operation = "memory";
        point.unit = "bytes a key";
        point.limit = "";
        point.limit_share = 0;
        point.median = point.least = point.most = point.bytes_per_key;
        point.quantiles = 0;
        size_t known = count;
        while (known < page->count && !page_same(&page->points[known], &point, of_store)) known++;
        if (known == page->count) page->points[page->count++] = point;
    }
}

bool page_merge_limits(struct page *page)
{
    const unsigned dims = (1U << PAGE_DIMS) - 1 - (1U << PAGE_SOURCE);
    size_t kept = 0;
    for (size_t i = 0; i < page->count; i++) {
        size_t known = 0;
        const struct page_point point = page->points[i];
        while (point.part == PART_LIMITS && known < kept &&
               (page->points[known].part != PART_LIMITS || strcmp(page->points[known].unit, point.unit) != 0 ||
                !page_same(&page->points[known], &point, dims))) known++;
        if (point.part != PART_LIMITS || known == kept) {
            page->points[kept++] = point;
            continue;
        }
        widen(&page->points[known], point.least);
        widen(&page->points[known], point.most);
    }
    page->count = kept;
    return !page->failed;
}

int page_compare_points(const void *x, const void *y)
{
    static const enum page_dim in_order[] = {PAGE_PANEL, PAGE_PLACE, PAGE_BITS, PAGE_KEYS, PAGE_UPDATES, PAGE_THREADS,
                                             PAGE_BATCH, PAGE_DIST, PAGE_STORE, PAGE_SOURCE};
    const struct page_point *a = x, *b = y;
    int order = (a->part > b->part) - (a->part < b->part);
    if (order == 0) order = strcmp(a->operation, b->operation);
    if (order == 0) order = strcmp(a->unit, b->unit);
    for (size_t i = 0; order == 0 && i < sizeof in_order / sizeof in_order[0]; i++)
        order = (a->dim[in_order[i]] > b->dim[in_order[i]]) - (a->dim[in_order[i]] < b->dim[in_order[i]]);
    return order;
}
