/* bench_baselines.h - the parts of pleach-bench baselines: what M. Awad's dissertation compares its B-tree with, and
 * pleach's map.
 *
 *   bench_baselines.c          options, and the loop over measurements and stores
 *   bench_baselines_map.c      pleach's map behind the baselines' verbs
 *   bench_baselines_work.c     grow, insert, erase, find, range, succ
 *   bench_baselines_crossing.c from which size on inserting beats building anew
 *   baselines/                 the baselines
 */
#ifndef PLEACH_BENCH_BASELINES_H
#define PLEACH_BENCH_BASELINES_H

#include "baseline.h"
#include "bench/harness/bench.h"

enum contest_task { TASK_GROW, TASK_INSERT, TASK_FIND, TASK_RANGE, TASK_SUCC, TASK_ERASE, TASK_CROSSING, TASKS };
enum { CONTEST_STORES = 6, CONTEST_BATCH_POWER = 16, CONTEST_MOST_POWER = 22 };

struct contest_store {
    const char *name;
    const struct baseline_verbs *verbs;
    pleach_engine engine; /* of a map */
    bool is_map;
    size_t cpu_most, gpu_most; /* keys and operations; 0: no matter. For what is slow */
};

/* One store on one device. */
struct contest {
    struct bench bench; /* first: its batches lead here */
    struct bench_limits limits; /* of the machine */
    struct tool_device named; /* the device, with the store in its name */
    struct baseline_machine machine;
    const struct contest_store *kind;
    void *store;
    struct batch load; /* the pairs of all keys, in shuffled order */
    bool has_load;
    size_t grow_batch; /* of the growth that is timed */
};

static inline struct contest *contest_of(const struct batch *batch) { return (struct contest *)batch->bench; }

/* ---- bench_baselines_map.c ---- */

extern const struct baseline_verbs contest_map_verbs;

/* Also tells the map whether its array calls are batches, and how many threads they have. */
void *contest_map_create(const struct contest *c);
pleach_status contest_map_load(void *store, size_t n, const void *keys, const void *values);
pleach_map *contest_map_of(void *store);

/* ---- bench_baselines_work.c ---- */

/* Each returns false after an error message. A store for batches of so many pairs. */
bool contest_open(struct contest *c, size_t batch);
void contest_close(struct contest *c);
bool contest_use_keys(struct contest *c, size_t n); /* and have their pairs */
void contest_drop_keys(struct contest *c);
size_t contest_keys(const struct contest *c, enum contest_task task);

void contest_grow(struct contest *c);
void contest_insert(struct contest *c);
void contest_queries(struct contest *c, const bool *wanted);
void contest_erase(struct contest *c);

/* ---- bench_baselines_crossing.c ---- */

void contest_crossing(struct contest *c);

#endif
