/* base/key128.h - a 16-byte number: the key of the widest maps, and a type that holds a key of any width. Host only.
 *
 * Users pass arrays with two uint64_t per element, so the type is aligned as those are, and may alias them.
 */
#ifndef PLEACH_BASE_KEY128_H
#define PLEACH_BASE_KEY128_H

__extension__ typedef unsigned __int128 key128 __attribute__((aligned(8), may_alias));

#endif
