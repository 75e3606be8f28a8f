/* soak.h - the parts of pleach soak.
 *
 *   soak.c             options, rounds, and the last line
 *   soak_watch.c       the thread that shows progress and notices a hang; wrong answers
 *   soak_keys.c        which keys a round uses, and what their values say
 *   soak_hand.c        choosing calls, and making them
 *   soak_check.c       comparing every answer with the oracle's
 *   soak_snapshots.c   snapshots beside the work, if the maps are versioned
 *   soak_mixed.c, soak_conserved.c, soak_sorted.c, soak_whole.c, soak_batches.c    the scenarios
 *   soak_hash.c        the scenario of hash tables
 *
 * A round is a map and some turns on it. In a turn each hand (a thread; on a GPU with a stream, which hands may share)
 * first chooses its calls, then all hands make theirs at the same time, then each checks its answers. A round follows
 * from the seed and its number alone, so it can be repeated.
 *
 * HOW CONCURRENT ANSWERS CAN BE CHECKED
 *
 * The keys of a round are cells of the oracle, in the order of the keys. Blocks of 1 to 16 neighbouring cells belong to
 * the hands in turn, so each leaf has keys of several hands. Only the owner updates its cells, so it knows what it must
 * be told about them. What a successor or a range says about other hands' cells cannot be known exactly; but each value
 * says to which key it belongs and who wrote it, so that a foreign, torn or misplaced pair is noticed.
 */
#ifndef PLEACH_TOOLS_SOAK_H
#define PLEACH_TOOLS_SOAK_H

#include <stdatomic.h>

#include "tools/common/tool_device.h"
#include "calls.h"
#include "tools/common/crew.h"
#include "oracle.h"

enum {
    SOAK_MOST_HANDS = 64,   /* a value has 6 bits for its writer */
    SOAK_MOST_STREAMS = 64,
    SOAK_MOST_CALLS = 256,  /* of a hand in a turn */
    SOAK_SPAN = 16,         /* cells of the widest interval */
    SOAK_TEXT = 512,
    SOAK_NOBODY = SOAK_MOST_HANDS
};

#define SOAK_NO_CELL SIZE_MAX

struct soak_options {
    pleach_device device;
    unsigned threads, streams, bits; /* bits: 0 for both in turn */
    size_t scenario;                 /* its index, or how many there are for all in turn */
    uint64_t seed, first_round, rounds, operations;
    uint64_t keys, batch; /* 0 for the scenario's own */
    double seconds, patience;
    bool versioned, skiplist, hashed;
};

/* ---- soak_keys.c ---- */

enum soak_layout { SOAK_SPREAD, SOAK_DENSE_LOW, SOAK_DENSE_HIGH, SOAK_CLUSTERED, SOAK_LAYOUTS };

struct soak_keys {
    enum soak_layout layout;
    unsigned bits;
    size_t cells;
    uint64_t step;
};

struct soak_keys soak_keys_make(enum soak_layout layout, unsigned bits, size_t cells);
uint64_t soak_key(const struct soak_keys *keys, size_t cell);

/* SOAK_NO_CELL for a key that nobody uses. */
size_t soak_cell(const struct soak_keys *keys, uint64_t key);

/* A value for a key: its upper half belongs to the key, the lower names the writer and has a serial number. */
uint64_t soak_value(unsigned bits, uint64_t key, unsigned writer, uint64_t serial);

/* Who wrote the value; SOAK_NOBODY if it is not a value of this key. */
unsigned soak_writer(unsigned bits, uint64_t key, uint64_t value);

/* ---- hands ---- */

enum soak_order { SOAK_ASCENDING, SOAK_DESCENDING, SOAK_CLUSTERS, SOAK_RANDOM, SOAK_ORDERS };

enum soak_style {
    SOAK_SINGLE,  /* single calls */
    SOAK_HERE,    /* array calls with arrays in host memory */
    SOAK_RESIDENT /* array calls on the hand's stream, with arrays in the map's memory */
};

/* A call on elements first .. first + n - 1 of the hand's arrays; or as many single calls. */
struct soak_call {
    enum call_kind kind;
    size_t first, n;
    size_t first_out; /* where its keys and values go */
    pleach_status status;
};

/* What a hand is doing, for the watch. */
struct soak_post {
    _Atomic(const char *) what; /* NULL: no call */
    atomic_size_t n;
    atomic_ullong since;        /* milliseconds */
    atomic_ullong last_return;
};

struct soak_hand {
    unsigned index;
    struct mix_random random;
    pleach_stream stream;
    enum soak_style style;
    struct soak_call calls[SOAK_MOST_CALLS];
    size_t call_count;
    size_t used, used_out; /* elements and results of the turn */
    size_t cursor;         /* where ascending or descending keys go on */
    uint64_t serial;
    uint32_t *cells;
    struct call_arrays here, there;  /* in host memory, and in the map's; the same on the CPU */
    struct call_answer least, most;  /* of min and max, after single calls */
    struct soak_look *look;          /* soak_snapshots.c; NULL without versions */
    int64_t *balance;  /* conserved: inserts minus erases of each key */
    uint64_t *debt;    /* conserved: the values written to it minus those taken from it */
    struct soak_post post;
    atomic_ullong operations, checked;
    uint64_t wrong;
    char first_wrong[SOAK_TEXT];
};

/* What a scenario asks of a turn. */
struct soak_turn {
    const uint8_t *percent;
    enum soak_order order; /* of most calls */
    size_t most;           /* elements of one array call */
    bool shared;           /* any hand may use any cell, and a cell may come twice in a call */
    bool arrays_only;
    bool snapshots; /* hands take snapshots between their calls, if there are versions */
    bool appears; /* whole: the map is being loaded, not cleared */
};

struct soak {
    struct soak_options options;
    const struct tool_device *device;
    struct crew *crew;
    unsigned hand_count;
    struct soak_hand *hands;
    size_t room; /* elements, and results, of a hand in a turn */
    pleach_stream streams[SOAK_MOST_STREAMS];
    double begin, deadline;

    /* the round */
    uint64_t round, seed;
    unsigned bits;
    struct mix_random random;
    pleach_map *map;
    struct soak_keys keys;
    size_t block; /* cells */
    struct oracle oracle;
    struct soak_turn turn;
    void *out_keys, *out_values; /* of a load or an export; host memory */
    size_t pairs;                /* in them */
    pleach_snapshot *before;     /* of what was known before the turn; NULL: none */
    struct soak_sorted *sorted;
    struct soak_batches *batches;

    struct soak_watch *watch;
    uint64_t rounds_done;
    _Atomic uint64_t shown_round;
};

/* ---- soak.c ---- */

const char *soak_scenario_name(const struct soak *soak, uint64_t round);

/* What the round's map is made of. */
pleach_map_config soak_config(const struct soak *soak);

/* Prints the command that repeats a round. */
void soak_tell_repeat(const struct soak *soak, uint64_t round);

/* ---- soak_watch.c ---- */

bool soak_watch_start(struct soak *soak);
void soak_watch_stop(struct soak *soak);

/* Around whatever may hang. */
void soak_enter(struct soak *soak, unsigned hand, const char *what, size_t n);
void soak_leave(struct soak *soak, unsigned hand);

void soak_wrong(struct soak *soak, unsigned hand, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Complains of a status other than PLEACH_OK. */
bool soak_good(struct soak *soak, unsigned hand, const char *what, pleach_status status);

bool soak_is_wrong(const struct soak *soak);

/* Neither the time nor the operations of the options are used up. */
bool soak_time_left(const struct soak *soak);
uint64_t soak_operations(const struct soak *soak);
uint64_t soak_checked(const struct soak *soak);
void soak_count(struct soak_hand *hand, uint64_t operations, uint64_t checked);

/* ---- soak_hand.c ---- */

static inline size_t soak_least(size_t a, size_t b) { return a < b ? a : b; }

bool soak_hands_create(struct soak *soak);
void soak_hands_destroy(struct soak *soak);

static inline unsigned soak_owner(const struct soak *soak, size_t cell)
{
    return (unsigned)(cell / soak->block % soak->hand_count);
}

static inline bool soak_is_resident(const struct soak *soak, const struct soak_hand *hand)
{
    return hand->style == SOAK_RESIDENT && soak->device->kind == PLEACH_CUDA;
}

/* Parts for crew_run; context is the soak. */
void soak_choose(void *context, unsigned index); /* by soak->turn; also brings the arguments to the map's memory */
void soak_do(void *context, unsigned index);
void soak_fetch(void *context, unsigned index);

void soak_do_call(struct soak *soak, struct soak_hand *hand, struct soak_call *call);
void soak_wait(struct soak *soak, struct soak_hand *hand);

/* ---- soak_check.c ---- */

/* Part for crew_run: every answer of the turn against the oracle, in which updates take effect. */
void soak_check(void *context, unsigned index);

/* The outcome of an update, which takes effect in the oracle. */
pleach_outcome soak_expected_outcome(struct oracle *oracle, enum call_kind kind, size_t cell, uint64_t value,
                                     uint64_t *old_value);

/* The cell of a pair that was reported; SOAK_NO_CELL unless the cell's owner wrote it. */
size_t soak_check_owner(const struct soak *soak, uint64_t key, uint64_t value);

/* ---- soak_snapshots.c: all of it does nothing without versions ---- */

bool soak_look_create(struct soak_hand *hand);
void soak_look_destroy(struct soak_hand *hand);

/* While nobody else is at work: takes soak->before; and exports it to out_keys and out_values, and releases it. */
void soak_take_before(struct soak *soak);
bool soak_export_before(struct soak *soak, size_t room);

/* Between calls of a hand: it may take a snapshot, look whether one has changed, or release it. */
void soak_look_between(struct soak *soak, struct soak_hand *hand);
void soak_look_end(struct soak *soak, struct soak_hand *hand);

/* After everything was released no old image may be left. */
void soak_check_nothing_kept(struct soak *soak);

/* ---- soak_mixed.c ---- */

/* A fresh map, an oracle and keys for about so many cells; and their end. */
bool soak_open_round(struct soak *soak, size_t cells);
void soak_close_round(struct soak *soak);

/* About half of the cells come into the oracle and the empty map. */
void soak_fill(struct soak *soak);

/* The oracle's pairs come to out_keys and out_values; and from there into the empty map. */
void soak_gather(struct soak *soak);
void soak_load(struct soak *soak, unsigned hand);

/* A turn up to the checks. */
void soak_run_turn(struct soak *soak, crew_part *make_calls);

/* The whole map against the whole oracle, and the map's own invariants; while nobody else is at work. */
void soak_compare(struct soak *soak);
void soak_validate(struct soak *soak);

/* ---- scenarios: each runs one round ---- */

void soak_mixed(struct soak *soak);
void soak_conserved(struct soak *soak);
void soak_sorted(struct soak *soak);
void soak_whole(struct soak *soak);
void soak_batches(struct soak *soak);
void soak_hash(struct soak *soak);

/* Looks at the maps of sorted for the last time. */
void soak_sorted_finish(struct soak *soak);

/* Says what batches were made, if any. */
void soak_batches_finish(struct soak *soak);

#endif
