/* base/device_pointer.h - a friendly answer instead of a crash when GPU memory is given to a CPU map. */
#ifndef PLEACH_FOREIGN_POINTER_H
#define PLEACH_FOREIGN_POINTER_H

#include <stdbool.h>
#include <stddef.h>

/* True if the CUDA driver knows one of these, of which some may be NULL, as memory of a GPU that the CPU cannot read.
 * False in a process without CUDA. */
bool any_device_pointer(const void *const *pointers, size_t n);

/* In the child of a fork: a driver that is not known yet is not looked for any more. Another thread of the parent may
 * have held the loader's lock, which is then locked in the child for ever. */
void any_device_pointer_after_fork(void);

#endif
