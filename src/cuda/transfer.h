/* cuda/transfer.h - copies large results to ordinary host memory. The driver copies to such memory with one thread, at
 * a fifth of the bus's rate. Here the GPU writes to a ring of pinned buffers, and several threads copy what has arrived
 * to the caller's array, while the next buffers fill. */
#ifndef PLEACH_TRANSFER_H
#define PLEACH_TRANSFER_H

#include <stdbool.h>

#include "cuda_base.h"

typedef struct transfer transfer;

/* Returns NULL if there is no memory. The first transfer allocates buffers and starts threads. */
transfer *transfer_create(void);
void transfer_destroy(transfer *t); /* NULL is a no-op */

/* Returns true if a transfer is faster than a plain copy. */
bool transfer_pays(const void *host, size_t bytes);

/* Copies `device` as it is after all work queued on the stream so far, and waits. Only one transfer runs at a time:
 * concurrent ones, and those that find no memory for buffers, are plain copies. */
pleach_status transfer_to_host(transfer *t, void *host, const void *device, size_t bytes, cudaStream_t stream);

#endif
