/* map/map_cuda_mailbox.h - pinned host memory that kernels write to: it delivers what kernels report to a synchronous
 * call, and the results of small ranges, without separate copies. A call takes a box, and returns it when its kernels
 * are done. */
#ifndef PLEACH_MAILBOX_H
#define PLEACH_MAILBOX_H

#include <pthread.h>

#include "../blink/blink_cuda.h"
#include "../cuda/cuda_base.h"

/* A query may write up to its share of the pairs, at most MAILBOX_SHARE. If it has more, what it has written is
 * lost. */
enum { MAILBOX_COUNT = 16, MAILBOX_QUERIES = 8, MAILBOX_PAIRS = 512, MAILBOX_SHARE = 256 };

typedef struct mailbox {
    long_notes notes;
    uint64_t total, misfits, lacking; /* for packed ranges */
    /* For a few small ranges, in the map's key width. */
    uint64_t low[MAILBOX_QUERIES], high[MAILBOX_QUERIES];
    uint64_t counts[MAILBOX_QUERIES];
    uint64_t keys[MAILBOX_PAIRS], values[MAILBOX_PAIRS];
} mailbox;

typedef struct mailboxes {
    pthread_mutex_t mutex;
    pthread_cond_t given;
    mailbox *box; /* MAILBOX_COUNT of them */
    unsigned taken; /* one bit per box */
} mailboxes;

pleach_status mailboxes_open(mailboxes *all);
void mailboxes_close(mailboxes *all); /* may also be called if opening failed, or if `all` is all zeros */

/* Takes a box; waits until one is free. Progress: a call that holds a box waits for the GPU only. */
mailbox *mailbox_take(mailboxes *all);
void mailbox_give(mailboxes *all, mailbox *box);

#endif
