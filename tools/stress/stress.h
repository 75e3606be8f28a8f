/* stress.h - the parts of `pleach stress` and `pleach demo`.
 *
 *   stress.c            options, rounds, and the last line
 *   demo.c              a short preset of it, with a table of what was done
 *   heartbeat.c         progress, the hang watchdog, counts, and the first wrong result of each client
 *   key_space, oracle   which keys a round uses, and what the structure must contain
 *   client.c            chooses the calls of a client and makes them
 *   client_check.c      compares every result with the oracle
 *   contents.c          begin and end of a round; the whole contents against the oracle
 *   snapshot_probe.c    snapshots that are taken between calls, if maps are versioned
 *   scenario_*.c        the scenarios; batches has batches.h, batch_plan.c and batch_check.c
 *
 * A round creates a structure and works on it in turns. In a turn each client (a thread; on a GPU with a stream, which
 * clients may share) first chooses its calls, then all clients make their calls concurrently, then each checks its
 * results. A round follows from the seed and its number alone, so it can be repeated.
 *
 * HOW RESULTS OF CONCURRENT CALLS CAN BE CHECKED
 *
 * The keys of a round are cells of the oracle, in the order of the keys. Blocks of 1 to 64 neighbouring cells belong to
 * the clients in turn, so each leaf holds keys of several clients. Only the owner updates its cells, so it knows
 * exactly what its calls must return for them. What a find, successor or range returns for cells of other clients
 * cannot be known exactly. But each value names its key and its writer, so a foreign, torn or misplaced pair is
 * noticed.
 */
#ifndef PLEACH_TOOLS_STRESS_H
#define PLEACH_TOOLS_STRESS_H

#include <stdatomic.h>

#include "key_space.h"
#include "oracle.h"
#include "tools/common/crew.h"
#include "tools/common/mix.h"
#include "tools/common/target.h"
#include "tools/common/tool_device.h"

enum {
    MAX_CLIENTS = WRITERS,
    MAX_STREAMS = 64,
    MAX_CALLS = 256, /* of a client in a turn */
    SPAN = 16,       /* cells of the widest interval */
    SPOILED = 0xa5   /* bytes of results before a call, so that a missing write is noticed */
};

struct stress_options {
    const char *command; /* for messages */
    size_t device, structure, bits, scenario; /* as numbered by the names of the options */
    uint64_t threads, streams, seed, first_round, rounds, operations;
    uint64_t keys, batch; /* 0 for the scenario's default */
    double minutes, seconds, hang_timeout;
    bool versioned, quiet; /* quiet: no lines on standard output */
};

enum target_structure { TARGET_TREE, TARGET_SKIPLIST, TARGET_HASH };

enum cell_order { ORDER_ASCENDING, ORDER_DESCENDING, ORDER_CLUSTERS, ORDER_RANDOM, CELL_ORDERS };

enum call_style {
    STYLE_SINGLE,  /* single calls */
    STYLE_HOST,    /* array calls with arrays in host memory */
    STYLE_RESIDENT /* array calls on the client's stream, with arrays in the structure's memory */
};

/* An array call on n elements, or n single calls. */
struct call {
    unsigned op;
    size_t n;
    size_t at; /* bytes: where its arrays begin in the client's block */
    pleach_status status;
};

/* What a client is doing, for the watchdog. */
struct heartbeat {
    _Atomic(const char *) what; /* NULL: no call */
    atomic_size_t n;
    atomic_ullong since;        /* milliseconds */
    atomic_ullong last_return;
};

struct client {
    unsigned index;
    struct mix_random random;
    pleach_stream stream;
    enum call_style style;
    struct call calls[MAX_CALLS];
    size_t call_count;
    size_t used;               /* bytes of the block in this turn */
    size_t cursor;             /* where ascending or descending keys continue */
    uint64_t serial;
    char *here, *there;        /* block of arrays in host memory, and its copy in GPU memory */
    struct result min, max;    /* after single calls */
    struct snapshot_probe *probe; /* NULL without versions */
    int64_t *balance;          /* conserved: inserts minus erases of each key */
    uint64_t *value_sum;       /* conserved: values written minus values replaced or erased */
    struct heartbeat heartbeat;
    atomic_ullong operations, checked, wrong;
    char first_wrong[512];
};

/* What a scenario wants from a turn. */
struct turn {
    const uint8_t *percent; /* of each operation */
    enum cell_order order;  /* of most calls */
    size_t most;            /* elements of one array call */
    bool shared;            /* any client may use any cell, and a cell may occur twice in a call */
    bool foreign_finds;     /* some finds are for cells of other clients */
    bool arrays_only;
    bool probes;            /* clients take snapshots between their calls, if maps are versioned */
    bool appears;           /* whole: the structure is loaded, not cleared, during the turn */
};

struct stress {
    struct stress_options options;
    const struct scenario *scenario;
    const struct tool_device *device;
    struct crew *crew;
    unsigned client_count;
    struct client *clients;
    size_t block_bytes;
    pleach_stream streams[MAX_STREAMS];
    double begin;

    /* the round */
    uint64_t round, seed;
    unsigned bits;
    bool on_gpu;
    struct mix_random random;
    struct target target;
    struct key_space keys;
    size_t block; /* cells that belong to the same client */
    struct oracle oracle;
    struct turn turn;
    void *out_keys, *out_values; /* pairs of a load or an export, in host memory */
    size_t pairs;
    pleach_snapshot *before;     /* taken before the turn; NULL: none */
    struct sorted *sorted;
    struct batches *batches;     /* kept for all rounds */

    struct watchdog *watchdog;
    _Atomic uint64_t rounds_done, shown_round;
};

/* A round is prepare, then turns, then check, unless something is wrong. Amounts are those of a CPU and of a GPU. */
struct scenario {
    const char *name;
    unsigned structures; /* bits: 1 << target_structure */
    size_t cells[2];
    unsigned halvings;   /* the map is smaller by up to this many powers of two */
    size_t turns[2], most[2];
    bool (*prepare)(struct stress *s); /* contents, and s->turn */
    void (*run_turn)(struct stress *s, size_t turn);
    void (*check)(struct stress *s);
    void (*end)(struct stress *s);     /* frees what prepare allocated; may be NULL */
    void (*report)(struct stress *s);  /* after the last round; may be NULL */
};

extern const struct scenario scenario_mixed, scenario_conserved, scenario_sorted, scenario_whole, scenario_batches;

/* ---- stress.c ---- */

struct stress_totals {
    uint64_t operations, checked, rounds, wrong;
    double seconds;
};

enum { SCENARIOS = 5 };

/* Reads options as the words of pleach stress, for a run that prints nothing. Returns an exit status. */
int stress_read_line(const char *command, char *line, struct stress_options *options);

/* Runs rounds, reports wrong results on standard error, and adds to the totals. Returns an exit status. */
int stress_run(const struct stress_options *options, struct stress_totals *totals);
const char *stress_scenario_name(const struct stress_options *options, uint64_t round);

/* Prints the command that repeats a round. */
void stress_print_repeat(const struct stress_options *options, uint64_t round);

/* ---- heartbeat.c ---- */

bool watchdog_start(struct stress *s);
void watchdog_stop(struct stress *s);

/* Around whatever may hang. The end returns the status that it is given. */
void heartbeat_begin(struct stress *s, unsigned client, const char *what, size_t n);
pleach_status heartbeat_end(struct stress *s, unsigned client, pleach_status status);

void stress_wrong(struct stress *s, unsigned client, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Reports a status other than PLEACH_OK as wrong. */
bool stress_ok(struct stress *s, unsigned client, const char *what, pleach_status status);

/* Makes a library call that must succeed, under the watchdog. True if it does. */
#define STRESS_CALL(s, client, what, n, call) \
    (heartbeat_begin(s, client, what, n), stress_ok(s, client, what, heartbeat_end(s, client, call)))

bool stress_is_wrong(const struct stress *s);

/* The limits of the options are not reached, and nothing is wrong. */
bool stress_goes_on(const struct stress *s);

/* Totals of all clients so far. */
struct stress_totals stress_sum(const struct stress *s);
void stress_count(struct client *client, uint64_t operations, uint64_t checked);

/* ---- client.c ---- */

bool clients_create(struct stress *s);
void clients_destroy(struct stress *s);

static inline size_t size_min(size_t a, size_t b) { return a < b ? a : b; }

static inline unsigned cell_owner(const struct stress *s, size_t cell)
{
    return (unsigned)(cell / s->block % s->client_count);
}

static inline bool client_is_resident(const struct stress *s, const struct client *client)
{
    return client->style == STYLE_RESIDENT && s->on_gpu;
}

/* Where in a block the arrays of a call are. */
struct arrays call_arrays(const struct call *call, char *block, unsigned bits);
size_t results_per_element(unsigned op);

/* One turn: every client chooses by s->turn; make_calls runs in all clients; results come back to host memory. */
void clients_turn(struct stress *s, crew_part *make_calls);
void clients_make_calls(void *stress, unsigned index); /* the usual make_calls */

void client_make_call(struct stress *s, struct client *client, struct call *call);
void client_wait(struct stress *s, struct client *client);

/* ---- client_check.c ---- */

/* Compares every result of the turn with the oracle, in which updates take effect. */
void clients_check(struct stress *s);

/* The value that a client writes; 0 in a set. */
uint64_t stress_value(const struct stress *s, uint64_t key, unsigned writer, uint64_t serial);

/* Whether the owner of the key's cell, or any client, may have written the pair. */
bool is_pair_of_owner(const struct stress *s, uint64_t key, uint64_t value);
bool is_pair_of_any(const struct stress *s, uint64_t key, uint64_t value);

/* ---- contents.c ---- */

/* Keys, oracle, and an empty structure; and their end. */
bool round_open(struct stress *s, size_t cells);
void round_close(struct stress *s);

/* Puts about half of the cells into the oracle and into the empty structure. */
void contents_fill(struct stress *s);

/* Copies the oracle's pairs to out_keys and out_values; loads the empty structure from there. */
void contents_gather(struct stress *s);
void contents_load(struct stress *s, unsigned client);

/* The whole contents against the oracle; the structure's own invariants. Nothing else runs. */
void contents_compare(struct stress *s);
void contents_validate(struct stress *s);
void contents_check(struct stress *s); /* both */

/* The same for pairs that are in out_keys and out_values already. */
void contents_compare_pairs(struct stress *s, const char *what);

/* ---- snapshot_probe.c: nothing happens without versions ---- */

bool probe_create(struct client *client);

/* Takes s->before while nothing else runs; later exports it to out_keys and out_values, and releases it. */
void snapshot_before_take(struct stress *s);
bool snapshot_before_export(struct stress *s, size_t capacity);

/* Between calls of a client: it may take a snapshot, check whether one has changed, or release it. */
void probe_step(struct stress *s, struct client *client);
void probe_end(struct stress *s, struct client *client);

/* When all snapshots are released no old version may be left. */
void snapshot_check_none_left(struct stress *s);

#endif
