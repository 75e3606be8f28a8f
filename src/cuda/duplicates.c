#include "duplicates.h"

repeats duplicates_of(staging *s, size_t n)
{
    enum { MOST = 1 << 22, FEWEST = 1 << 10 };
    repeats r = {.most = n < MOST ? (uint32_t)n : MOST};
    uint32_t places = FEWEST;
    while (places < r.most) places *= 2;
    r.mask = places - 1;
    if (staging_scratch(s, places * sizeof *r.rows, (void **)&r.rows) != PLEACH_OK ||
        staging_scratch(s, r.most * sizeof *r.row, (void **)&r.row) != PLEACH_OK ||
        staging_scratch(s, r.most * sizeof *r.before, (void **)&r.before) != PLEACH_OK ||
        cudaMemsetAsync(r.rows, 0, places * sizeof *r.rows, s->stream) != cudaSuccess)
        r.most = 0;
    return r;
}
