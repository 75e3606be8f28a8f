/* ycsb.h - the parts of pleach-bench ycsb: the core workloads A to F of YCSB (B. Cooper and others, Benchmarking
 * Cloud Serving Systems with YCSB, 2010), with records of 64-bit keys and values.
 *
 *   ycsb.c           the command: the loop over devices, threads, workloads and stores
 *   ycsb_options.c   reading the options
 *   ycsb_file.c      workloads from files of properties
 *   ycsb_work.c      records and operations
 *   ycsb_check.c     the judgement of the answers
 *   ycsb_measure.c   a store from its creation to its rows
 *   ycsb_calls.c     single calls from threads, and how long they take
 *   ycsb_groups.c    operations by the group: array calls of a kind each
 *   ycsb_apply.c     the same as one batch
 *   ycsb_stores.c    pleach's structures as stores
 *   rivals/                others
 *
 * Operations are made before the clock starts, each for one of the clients: as many as there are threads that make
 * single calls, one on a GPU. A client asks for records that were there at first, or that it has inserted itself
 * before, so each is found, whatever the other clients are doing.
 *
 * Keys are made, or those of a file. Of these the records at first are some, and inserts take others: without --keys a
 * tenth of the file is left for them.
 *
 * A value says of which key it is, and which operation wrote it. So an answer can be judged after the clock has stopped
 * for every order of the operations: the value is of the key that was asked for, and was written by nobody, or by an
 * operation that writes this key and was not still to come. Where the order is known, the value is. Scans begin with
 * their key, and end where the keys that were there at first, and those that came, allow. In the end the store has as
 * many keys as it should, and all that were inserted.
 */
#ifndef PLEACH_BENCH_YCSB_H
#define PLEACH_BENCH_YCSB_H

#include <pthread.h>
#include <stdatomic.h>

#include "bench/harness/bench.h"
#include "bench/third_party/rival.h"
#include "tools/common/target.h"

enum { YCSB_MOST_WORKLOADS = 16, YCSB_MOST_RIVALS = 16, YCSB_MOST_SCAN = 10000 };

/* ---- ycsb_options.c, ycsb_file.c ---- */

enum ycsb_kind { YCSB_READ, YCSB_UPDATE, YCSB_INSERT, YCSB_SCAN, YCSB_RMW, YCSB_KINDS };
enum ycsb_dist { YCSB_UNIFORM, YCSB_ZIPFIAN, YCSB_LATEST, YCSB_DISTS };

struct ycsb_workload {
    char name[BENCH_NAME_BYTES]; /* "ycsb-A" */
    double share[YCSB_KINDS];    /* of the operations; they add up to 1 */
    enum ycsb_dist dist;
    unsigned least_scan, most_scan;
    bool zipfian_scans;  /* lengths of scans: short ones more often */
    uint64_t keys, ops;  /* as a file has them; 0: not */
};

struct ycsb_options {
    uint64_t keys, ops, batch, repeats; /* 0: the default */
    uint64_t seed;
    enum tool_where device;
    size_t engine, dist; /* indices of their names; dist: YCSB_DISTS is the workload's */
    uint64_t threads[BENCH_MOST_THREAD_COUNTS];
    size_t thread_counts;
    struct ycsb_workload workloads[YCSB_MOST_WORKLOADS];
    size_t workload_count;
    bool structures[3]; /* map, skiplist, hash */
    bool rivals[YCSB_MOST_RIVALS];
    bool quick, reserve, single, list_rivals, no_latency;
    const char *key_path;
    struct bench_key_file key_file;
    struct bench_files files;
};

/* False after an error message, or when there is nothing else to do; then *status is the command's. */
bool ycsb_read_options(struct ycsb_options *options, int argc, char **argv, int *status);
extern const char *const ycsb_dist_names[];

/* False with the reason, and the line, in `why`. */
bool ycsb_read_workload(struct ycsb_workload *workload, const char *path, char *why, size_t size);

/* ---- ycsb_work.c ---- */

/* The operations of a workload, by array index. Operation i belongs to client number i * clients / n, rounded down. */
struct ycsb_ops {
    size_t n, inserts, scans;
    uint8_t *kinds;
    uint32_t *records; /* those below `first` of struct ycsb were there at first */
    uint16_t *lengths; /* of scans */
    uint64_t *keys, *values;
    uint64_t *expected; /* what is read if operations come one after the other */
};

/* Where a client's operations begin; that of the client after the last is their number. */
static inline size_t ycsb_client_begin(size_t n, unsigned clients, unsigned client)
{
    return (size_t)(((uint64_t)n * client + clients - 1) / clients);
}

static inline unsigned ycsb_client(size_t n, unsigned clients, size_t i)
{
    return (unsigned)((uint64_t)i * clients / n);
}

static inline bool ycsb_writes(uint8_t kind) { return kind == YCSB_UPDATE || kind == YCSB_INSERT || kind == YCSB_RMW; }

/* The value that a writer gives a key: 0 for the one at first, else the operation's index plus 1. */
static inline uint64_t ycsb_value(uint64_t key, uint64_t writer)
{
    return (mix64(key ^ 0x5bd1e9955bd1e995u) & ~(uint64_t)UINT32_MAX) | writer;
}

/* How answers may depend on each other. */
enum ycsb_order {
    YCSB_IN_ORDER, /* one operation after the other */
    YCSB_CLIENTS,  /* each client one after the other */
    YCSB_GROUPS    /* one group after the other, and within one in any order */
};

struct ycsb {
    const struct ycsb_options *options;
    const struct tool_device *device;
    struct crew *crew;
    struct bench_report *report;
    unsigned threads, clients; /* threads: 0 on a GPU */
    struct bench_limits limits;
    struct mix_order order; /* in which a file's keys become records */
    bool failed, refused;   /* refused: a workload that needs more keys than the file has */

    /* Of a workload. */
    const struct ycsb_workload *workload;
    size_t first;   /* records at first */
    size_t group;   /* operations of a group */
    uint64_t *first_keys, *first_values; /* by record */
    uint64_t *sorted_first, *sorted_all; /* keys at first, and with all inserts; where there are scans */
    struct ycsb_ops ops;
    void *device_keys, *device_values; /* first_keys and first_values where the device can read them */
    struct bench_memory memory;        /* of all of it, and of the answers */

    /* Answers: of reads the value, of scans the first and the last key; how many were found, inserted, changed. */
    uint16_t *counts;
    uint64_t *values, *lasts;
    atomic_size_t bad_pairs; /* of scans, seen while their pairs were at hand */

    /* Of a store. */
    const struct rival *rival;
    const char *form; /* of its rows: "" or "[]" */
    void *store;
    bool fresh; /* holds the first records, as they were */
    uint64_t bytes; /* with the first records */
    bool told_bytes;
    pthread_rwlock_t *lock; /* NULL: none is needed */
};

/* The key of a record; those of all records are different, and their order is another one. */
static inline uint64_t ycsb_key(const struct ycsb *y, uint64_t record)
{
    const uint64_t *keys = y->options->key_file.keys;
    return keys != NULL ? keys[mix_order_at(&y->order, record)] : mix_key(64, record);
}

/* Each returns false after an error message. */
bool ycsb_use_workload(struct ycsb *y, const struct ycsb_workload *workload);
void ycsb_drop_workload(struct ycsb *y);
bool ycsb_complain(struct ycsb *y, const char *what, pleach_status status);

/* ---- ycsb_check.c ---- */

/* The answers of one repeat, and the store after it; on the last repeat fully. */
bool ycsb_judge(struct ycsb *y, enum ycsb_order order, bool last);

/* The pairs that a scan has found; may be called by many threads. */
void ycsb_see_pairs(struct ycsb *y, size_t i, size_t n, const uint64_t *keys, const uint64_t *values);

void ycsb_spoil_answers(struct ycsb *y);

/* ---- ycsb_stores.c ---- */

/* pleach's own, RIVAL_OWN: behind each stands a struct target. */
extern const struct rival ycsb_map, ycsb_skiplist, ycsb_hash;

/* The settings in struct rival_needs. */
struct ycsb_settings {
    pleach_device device;
    pleach_engine engine;
    bool reserve; /* memory for all keys */
};

/* ---- ycsb_measure.c ---- */

/* One way to carry out all operations on a store. */
struct ycsb_way {
    const char *form; /* "", "[]", "-apply" */
    enum ycsb_order order;
    size_t batch;                                                 /* operations in a call, for the row */
    bool (*run)(struct ycsb *y, void *context, double *seconds);  /* all, with their answers; false: complained */
    bool (*sample)(struct ycsb *y, struct bench_row *row);        /* latencies, in a repeat of its own; or NULL */
    void *context;
};

void ycsb_measure_way(struct ycsb *y, const struct ycsb_way *way);
void ycsb_measure_store(struct ycsb *y, const struct rival *rival);
const char *ycsb_kind_prefix(const struct rival *rival);

/* ---- ycsb_calls.c, ycsb_groups.c, ycsb_apply.c ---- */

void ycsb_measure_calls(struct ycsb *y);
void ycsb_measure_groups(struct ycsb *y);
void ycsb_measure_apply(struct ycsb *y);

/* A store without single inserts: these by the group, the rest by calls. */
void ycsb_measure_merging(struct ycsb *y);

#endif
