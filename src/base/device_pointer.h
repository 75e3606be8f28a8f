/* base/device_pointer.h - detects GPU memory passed to a CPU map, so that the call fails instead of crashing. */
#ifndef PLEACH_FOREIGN_POINTER_H
#define PLEACH_FOREIGN_POINTER_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the CUDA driver knows one of the pointers, some of which may be NULL, as GPU memory that the CPU
 * cannot read. Returns false in a process without CUDA. */
bool any_device_pointer(const void *const *pointers, size_t n);

/* Must be called in the child of a fork: from then on an unknown driver is not searched for any more. Another thread of
 * the parent may have held the loader's lock, which then stays locked in the child forever. */
void any_device_pointer_after_fork(void);

#endif
