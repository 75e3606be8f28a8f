/* demo.h - the parts of pleach demo.
 *
 *   demo_work.c    choosing operations, and carrying them out by single calls or array calls
 *   demo_check.c   comparing every answer with the oracle's
 *   demo.c         the phases, their rates, and the verdict
 *
 * HOW CONCURRENT ANSWERS CAN BE CHECKED EXACTLY
 *
 * Each block of the oracle belongs to one thread, in turn: thread t has the blocks t, t + threads, t + 2*threads and
 * so on. Only the owner updates the keys of a block, or asks for them, so what an operation must answer follows from
 * its own thread's earlier operations alone, whatever the other threads do meanwhile in the blocks to the left and
 * right. The first and the last key of each block are never erased, so a successor, a predecessor or a range that
 * begins inside a block ends inside it too. A block is a few leaves long and leaves do not respect blocks: the
 * threads do meet.
 */
#ifndef PLEACH_TOOLS_DEMO_H
#define PLEACH_TOOLS_DEMO_H

#include "calls.h"
#include "tools/common/crew.h"
#include "tools/common/mix.h"
#include "oracle.h"

struct demo_op {
    enum call_kind kind;
    size_t cell;
    size_t last;    /* the last cell of an interval that begins at cell */
    uint64_t value; /* of put and add */
};

/* One thread's operations of a round. */
struct demo_hand {
    unsigned index;
    struct mix_random random;
    size_t count;
    struct demo_op *ops;
    struct call_answer *answers;
    struct call_arrays arrays;
    pleach_status status; /* of the array call */
    uint64_t checked, mistakes;
    char first_mistake[200];
};

struct demo {
    pleach_map *map;
    pleach_device device;
    unsigned bits;
    unsigned threads;
    struct oracle oracle;
    struct crew *crew;
    struct demo_hand *hands; /* one per thread */
    size_t hand_ops;         /* room in each hand */
    uint64_t round;
    uint64_t seed;
};

/* ---- demo_work.c ---- */

bool demo_hands_create(struct demo *demo);
void demo_hands_destroy(struct demo *demo);

/* Fill every hand for a round: operations of any kind, or of one kind per hand on distinct keys. */
void demo_choose_single(struct demo *demo, size_t count);
void demo_choose_array(struct demo *demo, size_t count);

/* Parts for crew_run; context is the demo. */
void demo_do_single(void *context, unsigned index);
void demo_do_array(void *context, unsigned index);

/* ---- demo_check.c ---- */

/* Parts for crew_run: what array calls wrote becomes answers; the answers are compared with the oracle's. */
void demo_unpack_array(void *context, unsigned index);
void demo_check(void *context, unsigned index);

#endif
