#include "edge_make.h"
#include "edge_random.h"

/* Random bits below these bounds mean the quarters a, b, c; above them d. */
struct quarters {
    uint64_t a, ab, abc;
};

/* A bit of each id: the quarter of the matrix that the edge is in. */
static inline void choose_quarter(const struct quarters *bounds, uint64_t random, uint32_t *from, uint32_t *to)
{
    const uint32_t below = random >= bounds->ab;
    const uint32_t right = (random >= bounds->a) ^ below ^ (random >= bounds->abc);
    *from = *from << 1 | below;
    *to = *to << 1 | right;
}

/* One-to-one on the numbers of `scale` bits: each step can be undone. */
static uint32_t scramble(uint32_t id, unsigned scale, uint64_t key)
{
    const uint32_t mask = (uint32_t)(((uint64_t)1 << scale) - 1);
    const unsigned half = (scale + 1) / 2;
    for (int round = 0; round < 3; round++) {
        const uint64_t random = edge_random(key, (uint64_t)round);
        id = (id + (uint32_t)(random >> 32)) & mask;
        id = (id * ((uint32_t)random | 1)) & mask;
        id ^= id >> half;
    }
    return id;
}

bool edge_make_rmat(struct edge_list *list, const struct edge_rmat *what)
{
    const bool usual = what->a == 0 && what->b == 0 && what->c == 0;
    const double a = usual ? 0.57 : what->a, b = usual ? 0.19 : what->b, c = usual ? 0.19 : what->c;
    const struct quarters bounds = {edge_chance(a), edge_chance(a) + edge_chance(b),
                                    edge_chance(a) + edge_chance(b) + edge_chance(c)};
    const uint64_t vertices = (uint64_t)1 << what->scale, half = (what->scale + 1) / 2;
    edge_list_start(list, false);
    list->declared = vertices;
    if (what->edge_factor > SIZE_MAX / vertices || !edge_list_reserve(list, (size_t)(what->edge_factor * vertices)))
        return false;
    for (uint64_t edge = 0; edge < what->edge_factor * vertices; edge++) {
        uint32_t from = 0, to = 0;
        for (uint64_t draw = 0; draw < half; draw++) { /* 64 bits are two levels */
            const uint64_t random = edge_random(what->seed, edge * half + draw);
            choose_quarter(&bounds, random & UINT32_MAX, &from, &to);
            if (2 * draw + 1 < what->scale) choose_quarter(&bounds, random >> 32, &from, &to);
        }
        list->from[edge] = what->scramble ? scramble(from, what->scale, ~what->seed) : from;
        list->to[edge] = what->scramble ? scramble(to, what->scale, ~what->seed) : to;
    }
    list->count = (size_t)(what->edge_factor * vertices);
    return true;
}
