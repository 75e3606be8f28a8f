#include "slow_list.h"

later_list later_of(staging *s, size_t n)
{
    later_list later = {NULL, NULL};
    if (n <= LATER_FEW || n > UINT32_MAX) return later;
    if (staging_scratch(s, sizeof *later.count, (void **)&later.count) != PLEACH_OK ||
        staging_scratch(s, n * sizeof *later.elements, (void **)&later.elements) != PLEACH_OK)
        later.elements = NULL;
    return later;
}
