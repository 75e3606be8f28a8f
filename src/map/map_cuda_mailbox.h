/* map/map_cuda_mailbox.h - pinned host memory that kernels write to: what a synchronous call finds out, and the results of
 * small ranges, without a copy of their own. A call takes a box and gives it back when its kernels are done. */
#ifndef PLEACH_MAILBOX_H
#define PLEACH_MAILBOX_H

#include <pthread.h>

#include "../blink/blink_cuda.h"
#include "../cuda/cuda_base.h"

/* A query's share of the pairs is small: if it has more, what was written of it is lost. */
enum { MAILBOX_COUNT = 16, MAILBOX_QUERIES = 8, MAILBOX_PAIRS = 512, MAILBOX_SHARE = 256 };

typedef struct mailbox {
    long_notes notes;
    uint64_t total, misfits, lacking; /* of packed ranges */
    /* Of a few small ranges, in the map's width. */
    uint64_t low[MAILBOX_QUERIES], high[MAILBOX_QUERIES];
    uint64_t counts[MAILBOX_QUERIES];
    uint64_t keys[MAILBOX_PAIRS], values[MAILBOX_PAIRS];
} mailbox;

typedef struct mailboxes {
    pthread_mutex_t mutex;
    pthread_cond_t given;
    mailbox *box; /* MAILBOX_COUNT of them */
    unsigned taken; /* a bit for each */
} mailboxes;

pleach_status mailboxes_open(mailboxes *all);
void mailboxes_close(mailboxes *all); /* also when opening failed, or `all` is all zeros */

/* Waits until there is one. Progress: who has one waits for the GPU only. */
mailbox *mailbox_take(mailboxes *all);
void mailbox_give(mailboxes *all, mailbox *box);

#endif
