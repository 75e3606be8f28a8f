/* base/key128.h - a number of 16 bytes: keys of the widest maps, and what holds a key of any width. Host only.
 *
 * Arrays come from users as two uint64_t an element: so it is aligned as those are, and may be an alias of them.
 */
#ifndef PLEACH_BASE_KEY128_H
#define PLEACH_BASE_KEY128_H

__extension__ typedef unsigned __int128 key128 __attribute__((aligned(8), may_alias));

#endif
