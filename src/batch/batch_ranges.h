/* batch/batch_ranges.h - sorts the operations of a batch by key, so that each worker of the team has a range of keys of
 * its own. One pass by the highest bits in which keys differ divides them into many small ranges. Each worker then
 * sorts neighbouring ranges by itself, in its caches. All steps are stable, so the result is the same as that of
 * batch_sort.h. Included by batch_cpu.c. */

/* The source of the operations: the selected ones (batch_list.h) or, if all operations of the batch are selected, the
 * batch itself. */
typedef struct sort_source {
    const map_key *key;
    const uint32_t *function; /* NULL: computed from the kind */
    const batch_request *request;
    uint32_t n;
} sort_source;

enum {
    RANGE_OPERATIONS = 512, /* per range on average; more if there are not enough ranges for that */
    RANGES_A_MEMBER = 16,   /* but at least this many ranges per worker, so that workers get equal shares */
#ifdef PLEACH_SIM
    RANGE_FEW = 4,
#else
    RANGE_FEW = 24,         /* ranges of at most this length are sorted by insertion only */
#endif
    RANGE_MORE_BITS = 3     /* more bits than n keys need at least: one key in eight has another with the same bits */
};

static unsigned ranges_bits(uint32_t n, unsigned members)
{
    unsigned bits = 0;
    while (bits < BATCH_RANGE_BITS && (n / RANGE_OPERATIONS >> bits || members * RANGES_A_MEMBER >> bits)) bits++;
    return bits;
}

static unsigned highest_bit(map_key word)
{
    unsigned highest = 0;
    while (highest + 1 < PLEACH_KEY_BITS && word >> (highest + 1)) highest++;
    return highest;
}

/* Sorts from side `from`, by digits of `bits` bits from low_bit on, skipping digits in which the keys are all the same.
 * Returns the side that has the result. */
static unsigned range_digits(sort_side side[2], unsigned from, uint32_t begin, uint32_t end, map_key differ,
                             unsigned low_bit, unsigned bits)
{
    const unsigned mask = (1u << bits) - 1;
    for (unsigned shift = low_bit; shift < PLEACH_KEY_BITS; shift += bits) {
        if (((unsigned)(differ >> shift) & mask) == 0) continue;
        uint32_t first[BATCH_DIGITS] = {0}, sum = begin;
        const sort_side in = side[from], out = side[!from];
        for (uint32_t i = begin; i < end; i++) first[(unsigned)(in.key[i] >> shift) & mask]++;
        for (unsigned digit = 0; digit <= mask; digit++) {
            uint32_t count = first[digit];
            first[digit] = sum;
            sum += count;
        }
        for (uint32_t i = begin; i < end; i++) {
            uint32_t at = first[(unsigned)(in.key[i] >> shift) & mask]++;
            out.key[at] = in.key[i];
            out.function[at] = in.function[i];
        }
        from = !from;
    }
    return from;
}

/* Sorts one range, from side 1 to side 1. First by as many of the highest bits as are needed to make few keys agree in
 * them; the rest is done by insertion, or by all digits if keys are too close together for that. */
static void sort_range(sort_side side[2], uint32_t begin, uint32_t end)
{
    map_key differ = 0;
    uint32_t falls = 0;
    if (end - begin <= RANGE_FEW && sort_rest(side[1], begin, end)) return;
    for (uint32_t i = begin + 1; i < end; i++) {
        differ |= side[1].key[i] ^ side[1].key[begin];
        falls += side[1].key[i] < side[1].key[i - 1];
    }
    if (falls == 0) return; /* the operations were already in order */
    unsigned highest = highest_bit(differ) + 1, wanted = RANGE_MORE_BITS;
    while ((end - begin) >> (wanted - RANGE_MORE_BITS)) wanted++;
    if (wanted > highest) wanted = highest;
    unsigned passes = (wanted + BATCH_DIGIT_BITS - 1) / BATCH_DIGIT_BITS, bits = (wanted + passes - 1) / passes;
    unsigned low_bit = highest > passes * bits ? highest - passes * bits : 0;
    unsigned from = range_digits(side, 1, begin, end, differ, low_bit, bits);
    if (low_bit > 0 && !sort_rest(side[from], begin, end))
        from = range_digits(side, from, begin, end, differ, 0, BATCH_DIGIT_BITS);
    if (from == 1) return;
    memcpy(side[1].key + begin, side[0].key + begin, (end - begin) * sizeof(map_key));
    memcpy(side[1].function + begin, side[0].function + begin, (end - begin) * sizeof(uint32_t));
}

/* The ranges, and which of them belong to a worker. */
typedef struct key_ranges {
    unsigned shift, count;
    unsigned own_first, own_end;
    uint32_t largest;
    uint32_t begin[BATCH_RANGES + 1];
    uint32_t next[BATCH_RANGES]; /* where the worker's next operation of a range goes */
} key_ranges;

static inline unsigned range_of(const key_ranges *r, map_key key)
{
    return (unsigned)(key >> r->shift) & (r->count - 1);
}

/* Called after all workers have counted. A worker's ranges are those that begin in its part of the array. */
static void place_ranges(const batch_job *job, const team *team, unsigned member, uint32_t n, key_ranges *r)
{
    uint32_t low = part_begin(team, member, n), high = part_begin(team, member + 1, n), sum = 0;
    r->own_first = r->own_end = r->count;
    r->largest = 0;
    for (unsigned range = 0; range < r->count; range++) {
        if (sum >= low && r->own_first == r->count) r->own_first = range;
        if (sum >= high && r->own_end == r->count) r->own_end = range;
        r->begin[range] = sum;
        for (unsigned m = 0; m < team->members; m++) {
            if (m == member) r->next[range] = sum;
            sum += job->digits[(size_t)m * BATCH_RANGES + range];
        }
        if (sum - r->begin[range] > r->largest) r->largest = sum - r->begin[range];
    }
    r->begin[r->count] = sum;
}

static void fill_ranges(const sort_source *from, sort_side to, uint32_t begin, uint32_t end, key_ranges *r)
{
    if (from->function)
        for (uint32_t i = begin; i < end; i++) {
            uint32_t at = r->next[range_of(r, from->key[i])]++;
            to.key[at] = from->key[i];
            to.function[at] = from->function[i];
        }
    else
        for (uint32_t i = begin; i < end; i++) {
            uint32_t at = r->next[range_of(r, from->key[i])]++;
            to.key[at] = from->key[i];
            to.function[at] = batch_function_of(batch_kind_at(from->request, i), i);
        }
}

/* Sorts from the source, which may lie in side 0, to side 1. If it returns true, to all workers, *own is the worker's
 * range of the result and is in order; the ranges of other workers may not be in order yet. Returns false, to all
 * workers, if one range has too much of the batch for an even division; then nothing has been moved. */
static bool sort_into_ranges(batch_job *job, team *team, unsigned member, const sort_source *from,
                             sort_side side[2], map_key differ, op_stretch *own)
{
    key_ranges r;
    unsigned bits = ranges_bits(from->n, team->members), highest = highest_bit(differ) + 1;
    uint32_t begin = part_begin(team, member, from->n), end = part_begin(team, member + 1, from->n);
    uint32_t *count = job->digits + (size_t)member * BATCH_RANGES;
    r.count = 1u << bits;
    r.shift = highest > bits ? highest - bits : 0;
    memset(count, 0, r.count * sizeof *count);
    for (uint32_t i = begin; i < end; i++) count[range_of(&r, from->key[i])]++;
    team_barrier(team);
    place_ranges(job, team, member, from->n, &r);
    if (team->members > 1 && r.largest > from->n / team->members / 2 + RANGE_FEW) return false;
    fill_ranges(from, side[1], begin, end, &r);
    team_barrier(team);
    for (unsigned range = r.own_first; range < r.own_end; range++)
        sort_range(side, r.begin[range], r.begin[range + 1]);
    *own = (op_stretch){r.begin[r.own_first], r.begin[r.own_end]};
    return true;
}
