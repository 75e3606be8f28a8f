/* map_subject.h - a map under test beside its model, and the parts of fuzz_map.c.
 *
 *   fuzz_map.c       the map's options, the sequence of operations, keys and arrays out of bytes
 *   map_updates.c    put, add, erase: arrays and single calls
 *   map_queries.c    find, contains, succ, pred, min, max and the ranges
 *   map_whole.c      load, export, compact, clear, reserve, size, statistics, validate
 *   map_snapshots.c  snapshots: taken, kept open for a while, asked like the map, released
 *   map_refusals.c   calls that must be refused, and change nothing
 */
#ifndef PLEACH_FUZZ_MAP_SUBJECT_H
#define PLEACH_FUZZ_MAP_SUBJECT_H

#include <stdbool.h>

#include <pleach/pleach.h>

#include "fuzz.h"
#include "model.h"

/* A live snapshot, and what the map held when it was taken. */
typedef struct kept_snapshot {
    pleach_snapshot *snapshot;
    model model;
} kept_snapshot;

enum { MOST_SNAPSHOTS = 6 };

typedef struct subject {
    bytes in;
    pleach_map *map;
    model model;
    unsigned key_bits;
    uint64_t top;        /* the largest key and the largest value */
    uint64_t nodes;      /* the pool's limit; 0: none */
    uint64_t next_value; /* values are given out once, so that an old value tells who wrote it */
    uint64_t reserved;   /* keys that a reserve has promised room for */
    bool only_grown;     /* since it was empty nothing but inserts: every leaf but the last is half full */
    bool may_lack;       /* an allocation is set to fail, so MEMORY is a good answer */
    bool versioned;
    kept_snapshot kept[MOST_SNAPSHOTS];
    size_t live;              /* of them */
    pleach_snapshot *asked;   /* whom the queries ask, with its model in place of the map's; NULL: the map */
} subject;

/* A query of the map, or of the snapshot that is asked. */
#define ASK(s, name, ...)                                                                                        \
    ((s)->asked ? pleach_snapshot_##name((s)->asked, __VA_ARGS__) : pleach_map_##name((s)->map, __VA_ARGS__))

/* What results are filled with beforehand, to see what was written. No value is like this. */
enum { UNTOUCHED = 0xa5 };
uint64_t untouched_word(const subject *s);

/* n elements of the map's width (or bytes), all UNTOUCHED; exactly so much memory, for AddressSanitizer's sake. */
void *new_words(const subject *s, size_t n);
uint8_t *new_bytes(size_t n);

/* The same for a result that the input may decide to leave out: NULL then. */
void *maybe_words(const subject *s, size_t n, bool wanted);
uint8_t *maybe_bytes(size_t n, bool wanted);

uint64_t get_word(const subject *s, const void *words, size_t i);

/* Keys out of the input: small, clustered, at both ends of the key space, present ones, any. */
uint64_t take_key(subject *s);
uint64_t next_value(subject *s);

/* An array of keys, one by one or as an arithmetic sequence (which may repeat keys, or wrap round). */
typedef struct key_array {
    size_t n;
    uint64_t *keys; /* for the model */
    void *words;    /* for the map */
} key_array;

key_array take_keys(subject *s, size_t most);
void free_keys(key_array *a);

/* Whether this answer is OK; MEMORY is the only other good one, where an allocation was set to fail. */
bool succeeded(const subject *s, pleach_status status, const char *call);

/* FULL is an answer only of a map with a limit, and not before the limit can have been reached. `wanted` is how many
 * keys the map would have had. */
void check_full_is_justified(const subject *s, uint64_t wanted);

typedef enum update_kind { UPDATE_PUT, UPDATE_ADD, UPDATE_ERASE } update_kind;

void update_array(subject *s, update_kind kind);
void update_one(subject *s, update_kind kind);

void query_find(subject *s);
void query_contains(subject *s);
void query_neighbours(subject *s);
void query_one(subject *s);
void query_range_count(subject *s);
void query_range_limit(subject *s);
void query_range(subject *s);

void whole_load(subject *s);
void whole_export(subject *s);
void whole_compact(subject *s);
void whole_clear(subject *s);
void whole_reserve(subject *s);
void whole_statistics(subject *s);
void whole_validate(subject *s);

/* Size and every pair, asked in the ways that need no memory. */
void check_content(subject *s);

/* One of: take, ask, release. */
void snapshot_something(subject *s);
void snapshots_release_all(subject *s);

void refuse_something(subject *s);

#endif
