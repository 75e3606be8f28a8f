/* cuda/transfer.h - large results on their way to ordinary host memory. The driver copies to such memory by one
 * thread, at a fifth of the bus's rate. Here the GPU writes to a ring of pinned buffers, and several threads copy what
 * has arrived on to the caller's array, while the next buffers fill. */
#ifndef PLEACH_TRANSFER_H
#define PLEACH_TRANSFER_H

#include <stdbool.h>

#include "cuda_base.h"

typedef struct transfer transfer;

/* NULL if there is no memory. Buffers and threads are made by the first transfer. */
transfer *transfer_create(void);
void transfer_destroy(transfer *t); /* NULL is allowed */

/* Is it faster than a plain copy? */
bool transfer_pays(const void *host, size_t bytes);

/* Copies what is there when the stream has come here, and waits. One transfer at a time: others, and those that find no
 * memory for buffers, are plain copies. */
pleach_status transfer_to_host(transfer *t, void *host, const void *device, size_t bytes, cudaStream_t stream);

#endif
