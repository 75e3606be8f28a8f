/* level/level_digest.h - one word after the other into a number that depends on all of them and their order. */
#ifndef PLEACH_BLINK_DIGEST_H
#define PLEACH_BLINK_DIGEST_H

#include "../port/port.h"

PORT_FN uint64_t blink_digest(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * 0x9e3779b97f4a7c15u;
    return digest ^ digest >> 29;
}

#endif
