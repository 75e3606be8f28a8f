#include "map_cuda_mailbox.h"

#include "../base/cancel.h"
#include "../base/memory.h"

pleach_status mailboxes_open(mailboxes *all)
{
    if (base_allocation_fails()) return PLEACH_E_MEMORY;
    CUDA_TRY(cudaHostAlloc((void **)&all->box, MAILBOX_COUNT * sizeof *all->box, cudaHostAllocPortable));
    pthread_mutex_init(&all->mutex, NULL);
    pthread_cond_init(&all->given, NULL);
    return PLEACH_OK;
}

void mailboxes_close(mailboxes *all)
{
    if (!all->box) return;
    pthread_cond_destroy(&all->given);
    pthread_mutex_destroy(&all->mutex);
    cudaFreeHost(all->box);
}

mailbox *mailbox_take(mailboxes *all)
{
    const unsigned every = (1u << MAILBOX_COUNT) - 1;
    unsigned i = 0;
    pthread_mutex_lock(&all->mutex);
    while (all->taken == every) cancel_free_wait(&all->given, &all->mutex);
    while (all->taken >> i & 1) i++;
    all->taken |= 1u << i;
    pthread_mutex_unlock(&all->mutex);
    all->box[i].notes.queries = 0;
    return &all->box[i];
}

void mailbox_give(mailboxes *all, mailbox *box)
{
    pthread_mutex_lock(&all->mutex);
    all->taken &= ~(1u << (box - all->box));
    pthread_cond_signal(&all->given);
    pthread_mutex_unlock(&all->mutex);
}
