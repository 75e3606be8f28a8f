/* verify/history/checker.h - the parts of the checker, for its own files.
 *
 * THE WAY OF A CHECK
 *   gather.c   turns the history into items: one per point operation, one per key that a range speaks of, one per
 *              operation that speaks of many keys at one instant, and one per key for the final contents. It groups
 *              them by key and gives every value a number, so that the state of a key is one small number.
 *   search.c   looks for an order of one group's items, or of all items together, that explains their answers.
 *   zones.c    does without a search where it can: one key, no value given twice, nothing pending.
 *   order.c    sorting;  tables.c  hash tables that are cleared in no time.
 *   explain.c  makes a bad history small;  print.c  says it.
 */
#ifndef PLEACH_HISTORY_CHECKER_H
#define PLEACH_HISTORY_CHECKER_H

#include "history.h"

#define NONE UINT32_MAX

/* The state of a key: ABSENT, or the number of its value (see history_checker.values). */
enum { ABSENT = 0 };

/* ---- memory that only grows -------------------------------------------------------------------------------------- */

#define LIST(type)                                                                                                    \
    struct {                                                                                                          \
        type *at;                                                                                                     \
        size_t count, room;                                                                                           \
    }

/* Room for `wanted` elements of `size` bytes behind the pointer whose address is given; false: no memory. */
bool list_grow(void *pointer, size_t *room, size_t wanted, size_t size);

#define LIST_ROOM(list, wanted)                                                                                       \
    ((wanted) <= (list).room || list_grow(&(list).at, &(list).room, (wanted), sizeof *(list).at))
#define LIST_PUSH(list, element) (LIST_ROOM(list, (list).count + 1) && ((list).at[(list).count++] = (element), true))

/* ---- tables ------------------------------------------------------------------------------------------------------
 * A slot counts only if it carries the table's current generation, so that clearing is one addition. */

typedef struct number_slot {
    uint64_t key;
    uint32_t number, generation;
} number_slot;

/* Numbers keys 0, 1, 2 ... in the order of their first appearance. */
typedef struct number_table {
    number_slot *slots;
    size_t room; /* a power of two, or 0 */
    uint32_t count, generation;
} number_table;

void number_table_clear(number_table *t);
uint32_t number_for(number_table *t, uint64_t key); /* NONE: no memory */

typedef struct tuple_slot {
    uint32_t tuple, generation;
} tuple_slot;

/* A set of tuples of `width` words, numbered in the order of their first appearance. */
typedef struct tuple_set {
    LIST(uint32_t) words;
    tuple_slot *slots;
    size_t room;
    uint32_t width, count, generation;
} tuple_set;

void tuple_set_clear(tuple_set *set, size_t width);
uint32_t tuple_set_add(tuple_set *set, const uint32_t *tuple); /* its number; NONE: no memory */

static inline const uint32_t *tuple_at(const tuple_set *set, uint32_t number)
{
    return set->words.at + (size_t)number * set->width;
}

/* ---- items and events -------------------------------------------------------------------------------------------- */

typedef enum effect {
    EFFECT_READ,          /* needs state `before` and leaves it: queries, and updates that changed nothing */
    EFFECT_CHANGE,        /* takes `before` to `after` */
    EFFECT_PENDING_PUT,   /* takes any state to `after`, if it happens at all */
    EFFECT_PENDING_ADD,
    EFFECT_PENDING_ERASE,
    EFFECT_SLICE,         /* keys at places [place, place + length) had the expected states, at one instant */
    EFFECT_COUNT          /* `before` of the keys at these places were present, at one instant */
} effect;

typedef struct item {
    uint32_t op;        /* in the history; NONE: the final contents */
    uint32_t group;     /* NONE: speaks of many keys */
    uint32_t before, after;
    uint32_t place, length, expected; /* of many keys; place: of a single key, too, where all keys are searched */
    uint32_t opened;    /* position of its invocation among the events of the search, from 1 on */
    uint32_t deadline;  /* position of its return; pending ones come last */
    uint32_t slot;      /* where it is in the search's masks while it is open */
    uint8_t effect;
    bool unseen;        /* R4 of search.c */
    bool implied;       /* part of an item of many keys: of use only while keys are looked at one by one */
} item;

/* Order: stamp, then phase. At equal stamps invocations come first, because equal stamps count as overlapping. */
typedef enum phase { PHASE_INVOKED, PHASE_RETURNED, PHASE_FINAL, PHASE_FINAL_RETURNED } phase;

typedef struct event {
    uint64_t stamp;
    uint32_t item;
    uint32_t phase;
} event;

static inline bool is_return(const event *e)
{
    return e->phase & 1;
}

typedef LIST(event) event_list;

/* A key, and what is said about it. */
typedef struct group {
    uint64_t key;
    uint32_t initial, final; /* states */
    uint32_t place;          /* among all keys in ascending order, where that is needed */
    uint32_t first_event, event_count;
    bool updated;
} group;

/* ---- the search's working memory --------------------------------------------------------------------------------- */

typedef struct choice {
    uint32_t memo;  /* the configuration in which there was a choice */
    uint32_t tried; /* deadline of the item that was tried last */
} choice;

typedef struct search {
    /* what is searched */
    const event *events;
    uint32_t event_count;
    item *items;
    const uint32_t *expected; /* of EFFECT_SLICE */
    bool whole;               /* states are vectors in `states`, else those of one key */
    bool collecting;          /* all states that are possible at the end, instead of the first way there */
    uint64_t least_budget;    /* 0: as much as is reasonable for one check */
    uint64_t budget;          /* of configurations to visit */

    /* where it is */
    uint64_t visited;
    uint32_t at; /* event */
    uint32_t state;
    uint32_t mask_words;
    LIST(uint64_t) masks;      /* three of mask_words each: see open_reads and its neighbours in search.c */
    LIST(uint32_t) slot_items; /* item in each slot */
    LIST(uint32_t) free_slots;

    /* where it has been, and where it can go back to */
    tuple_set memo;
    tuple_set states; /* vectors of one state per key */
    LIST(uint32_t) tuple;
    LIST(choice) choices;
    LIST(uint32_t) collected; /* states */
} search;

/* Of a value that is given once: items, or NONE. See zones.c. */
typedef struct value_life {
    uint32_t bringer, taker;
    uint32_t first_read; /* of those that told it; the others by next_reads */
} value_life;

/* Where an order was missing: for history_explain. */
typedef enum fault { FAULT_NONE, FAULT_FORM, FAULT_KEY, FAULT_WHOLE } fault;

struct history_checker {
    const history *h;
    LIST(item) items;
    LIST(group) groups;
    event_list events, scratch;
    LIST(event) places;     /* groups in ascending order of keys: stamp is the key, item the group */
    LIST(uint32_t) expected;
    number_table group_numbers, value_numbers;
    LIST(uint64_t) values;  /* by number - 1 */
    search s;
    LIST(value_life) lives;     /* by state */
    LIST(uint32_t) next_reads;  /* by item */
    event_list wide, narrow;
    bool has_spans, has_many;
    fault fault;
    uint32_t fault_group, fault_op; /* fault_op NONE: the final contents */
    const char *fault_text;
};

/* ---- the parts --------------------------------------------------------------------------------------------------- */

/* Ascending by stamp and phase. */
bool sort_events(event_list *scratch, event *events, size_t n);

/* GOOD: gathered. BAD: an answer has a wrong form. UNDECIDED: no memory. */
history_verdict gather_history(history_checker *c, const history *h);

/* Writes the events of an item, one or two, and answers how many. */
uint32_t item_events(const history_checker *c, uint32_t which, event *out);

history_verdict search_key(history_checker *c, uint32_t which);
history_verdict search_whole(history_checker *c);

/* Of the one key that the search is prepared for. UNDECIDED: it needs the search. */
history_verdict check_zones(history_checker *c, const search *s, uint32_t initial);

/* All states in which the history can end, in c->s.collected; `whole`: of all keys, else of the only key that it has.
 * False: not known. */
bool collect_states(history_checker *c, const history *h, bool whole);

/* One of them as pairs, at most one for each group, ascending; answers how many. */
size_t collected_pairs(const history_checker *c, bool whole, uint32_t state, history_pair *pairs);

/* Of a completed operation. */
static inline bool changes_nothing(const history_op *op)
{
    return op->kind >= HISTORY_FIND || op->outcome == HISTORY_EXISTS || op->outcome == HISTORY_ABSENT;
}

static inline bool is_span(const history_op *op)
{
    return op->kind >= HISTORY_CEIL;
}

/* Ranges and counts have no outcome, so that it says nothing there. */
static inline bool is_ignored(const history_op *op)
{
    if (op->returned == HISTORY_PENDING)
        return op->kind >= HISTORY_FIND;
    return op->kind <= HISTORY_FLOOR && op->outcome == HISTORY_NOT_APPLIED;
}

#endif
