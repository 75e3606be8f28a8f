#include "slow_list.h"

slow_list slow_list_create(staging *s, size_t n)
{
    slow_list later = {NULL, NULL};
    if (n <= LATER_FEW || n > UINT32_MAX) return later;
    if (staging_scratch(s, sizeof *later.count, (void **)&later.count) != PLEACH_OK ||
        staging_scratch(s, n * sizeof *later.elements, (void **)&later.elements) != PLEACH_OK)
        later.elements = NULL;
    return later;
}
