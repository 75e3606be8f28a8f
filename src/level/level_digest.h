/* level/level_digest.h - mixes words into a digest that depends on all of them and on their order. */
#ifndef PLEACH_BLINK_DIGEST_H
#define PLEACH_BLINK_DIGEST_H

#include "../port/port.h"

PORT_FN uint64_t blink_digest(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * 0x9e3779b97f4a7c15u;
    return digest ^ digest >> 29;
}

#endif
