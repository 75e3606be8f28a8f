/* gfsl.h - the parts of pleach-bench gfsl: the experiments of N. Moscovici and E. Petrank, A GPU-Friendly
 * Skiplist Algorithm, on skiplists, on B-link trees and on a plain lock-free skiplist.
 *
 *   gfsl.c           the loop over ranges, mixes and structures
 *   gfsl_options.c   reading the options
 *   gfsl_work.c      the first keys, the operations, and the checks of the results
 *   gfsl_map.c       skiplists and B-link trees
 *   gfsl_lockfree.c  the baseline: lockfree.h, lockfree_host.h
 *   gfsl_device.h, gfsl_*.cu   the kernels
 *
 * Answers are judged after the clock has stopped, by what holds for every order of the operations: that each key was
 * there at first or not (1 or 0), plus its inserts that answered yes, minus its deletes that did, is its presence at
 * the end; the structure has as many keys as that says, in order; and of a key that no operation changes every answer
 * is known. pleach_map_validate runs after the last repeat.
 */
#ifndef PLEACH_BENCH_GFSL_H
#define PLEACH_BENCH_GFSL_H

#include "bench/harness/bench.h"
#include "gfsl_device.h"
#include "lockfree_host.h"

enum { GFSL_MOST_RANGES = 16, GFSL_MOST_MIXES = 16, GFSL_MOST_SUBJECTS = 8, GFSL_SHORT_NAME = 16 };
enum { GFSL_USUAL_BLOCK = 512, GFSL_USUAL_STAY = 1 };

/* ---- gfsl_options.c ---- */

enum gfsl_fill { GFSL_EMPTY, GFSL_HALF, GFSL_ALL }; /* how many of the range's keys are there at first */

struct gfsl_mix {
    char name[GFSL_SHORT_NAME]; /* "10-10-80", "insert" */
    unsigned inserts, deletes;  /* percent; the rest asks whether a key is there */
    enum gfsl_fill fill;
    bool single;                /* one kind only */
};

enum gfsl_structure { GFSL_SKIPLIST, GFSL_MAP, GFSL_LOCKFREE };

/* What is measured: a structure, with operations one at a time or as an array call. */
struct gfsl_subject {
    char name[GFSL_SHORT_NAME]; /* "skiplist32", "map[]" */
    enum gfsl_structure structure;
    unsigned chunk;
    bool array;
};

struct gfsl_options {
    enum tool_where device;
    size_t bits; /* index of its name */
    uint64_t ranges[GFSL_MOST_RANGES], ops, updates, repeats, threads, team, block, stay, blocks_per_sm, seed;
    size_t range_count, mix_count, subject_count;
    struct gfsl_mix mixes[GFSL_MOST_MIXES];
    struct gfsl_subject subjects[GFSL_MOST_SUBJECTS];
    double raise;
    bool distinct, load, paper, no_array, stats;
    struct bench_files files;
};

/* False after an error message; then *status is the command's. Without a list the default depends on the device. */
bool gfsl_read_options(struct gfsl_options *options, int argc, char **argv, int *status);
void gfsl_choose_ranges(struct gfsl_options *options, bool gpu);

/* ---- gfsl_work.c ---- */

struct gfsl {
    const struct gfsl_options *options;
    const struct tool_device *device;
    struct crew *crew;
    struct bench_report *report;
    struct bench_limits limits;
    unsigned bits;
    bool failed;

    /* Of a range: keys 0 .. range-1. The first keys are a prefix of `order`. */
    size_t range, first;
    void *order, *device_order;
    uint8_t *present;   /* by key: at first */
    uint8_t *touched;   /* by key: there is an insert or a delete of it */
    uint8_t *final;     /* by key: filled by collect */
    int32_t *net;
    uint64_t final_size;
    struct bench_memory range_memory;

    /* Of a mix. */
    const struct gfsl_mix *mix;
    size_t n, inserts;
    uint8_t *kinds, *answers;
    void *keys;
    struct gfsl_work work; /* on the device */
    struct bench_memory mix_memory;

    /* Of a subject. */
    const struct gfsl_subject *subject;
    pleach_map *map;
    pleach_map_view map_view;
    pleach_skiplist_view skiplist_view;
    bool view_open;

    /* The baseline: the list as it is at first, and room behind it for the inserts. */
    enum gfsl_fill image_fill;
    bool image_made;
    lockfree_room image_room, room;
    uint64_t *image, *host_places;
    void *list_words, *device_places;
    struct bench_memory list_memory; /* of all but the image */
};

/* Each returns false after an error message. */
bool gfsl_complain(struct gfsl *g, const char *what, pleach_status status);
bool gfsl_use_range(struct gfsl *g, size_t range);
bool gfsl_use_mix(struct gfsl *g, const struct gfsl_mix *mix);
void gfsl_drop_mix(struct gfsl *g);
void gfsl_drop_range(struct gfsl *g);

/* Whether the answers and what collect has found go together. */
bool gfsl_judge(struct gfsl *g);

static inline uint64_t gfsl_order_key(const struct gfsl *g, size_t i) { return word_get(g->order, g->bits, i); }

/* ---- gfsl_map.c, gfsl_lockfree.c ---- */

/* A structure's part in a measurement; each but call and close returns false after an error message. */
struct gfsl_verbs {
    bool (*open)(struct gfsl *g, bool *there); /* *there: this build has such a structure */
    bool (*restore)(struct gfsl *g);           /* to the first keys; all that is not to be timed */
    tool_call *call;                          /* gets the struct gfsl */
    bool (*collect)(struct gfsl *g, bool last); /* final, final_size; checks the structure, on the last repeat fully */
    void (*close)(struct gfsl *g);
};

extern const struct gfsl_verbs gfsl_map_verbs, gfsl_lockfree_verbs;
void gfsl_lockfree_drop_image(struct gfsl *g);

/* Without CUDA there are no kernels, and nothing that asks for them. */
#ifndef PLEACH_TOOLS_CUDA
#define gfsl_run_map(view, work, stream) PLEACH_E_NO_CUDA
#define gfsl_run_lockfree(list, work, stream) PLEACH_E_NO_CUDA
#define gfsl_run_chunk16(view, work, stream) PLEACH_E_NO_CUDA
#define gfsl_run_chunk32(view, work, stream) PLEACH_E_NO_CUDA
#endif

#endif
