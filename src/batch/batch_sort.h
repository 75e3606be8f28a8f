/* batch/batch_sort.h - sorts the operations of a batch by key, by a team: a radix sort, digit by digit from the lowest,
 * over only those bits in which keys differ. It is stable, so operations of one key stay in the order of the batch.
 * Included by batch_cpu.c. */

/* Returns where a worker's part of 0 .. n-1 begins. */
static inline uint32_t part_begin(const team *team, unsigned member, uint32_t n)
{
    return (uint32_t)((uint64_t)n * member / team->members);
}

typedef struct sort_side {
    map_key *key;
    uint32_t *function;
} sort_side;

static void count_digits(const map_key *key, uint32_t begin, uint32_t end, unsigned shift, uint32_t *count)
{
    memset(count, 0, BATCH_DIGITS * sizeof *count);
    for (uint32_t i = begin; i < end; i++) count[(unsigned)(key[i] >> shift) & (BATCH_DIGITS - 1)]++;
}

/* Computes where this worker's keys of each digit go: after all keys of lower digits, and after those of the same digit
 * that lower-numbered workers have. */
static void first_places(const batch_job *job, const team *team, unsigned member, uint32_t *first)
{
    uint32_t sum = 0;
    for (unsigned digit = 0; digit < BATCH_DIGITS; digit++)
        for (unsigned m = 0; m < team->members; m++) {
            if (m == member) first[digit] = sum;
            sum += job->digits[(size_t)m * BATCH_DIGITS + digit];
        }
}

static void sort_pass(batch_job *job, team *team, unsigned member, sort_side from, sort_side to,
                      unsigned shift)
{
    uint32_t n = job->sizes.ops, begin = part_begin(team, member, n), end = part_begin(team, member + 1, n);
    uint32_t first[BATCH_DIGITS];
    count_digits(from.key, begin, end, shift, job->digits + (size_t)member * BATCH_DIGITS);
    team_barrier(team);
    first_places(job, team, member, first);
    for (uint32_t i = begin; i < end; i++) {
        uint32_t at = first[(unsigned)(from.key[i] >> shift) & (BATCH_DIGITS - 1)]++;
        to.key[at] = from.key[i];
        to.function[at] = from.function[i];
    }
    team_barrier(team);
}

/* Returns the bits in which keys differ. */
static map_key differing_bits(batch_job *job, team *team, unsigned member, const map_key *keys)
{
    uint32_t n = job->sizes.ops, end = part_begin(team, member + 1, n);
    map_key differ = 0;
    for (uint32_t i = part_begin(team, member, n); i < end; i++) differ |= keys[i] ^ keys[0];
    memcpy(job->parts[member].words, &differ, sizeof differ);
    team_barrier(team);
    for (unsigned m = 0; m < team->members; m++) {
        map_key theirs;
        memcpy(&theirs, job->parts[m].words, sizeof theirs);
        differ |= theirs;
    }
    team_barrier(team); /* from here on the parts may be overwritten */
    return differ;
}

static unsigned sort_digits(batch_job *job, team *team, unsigned member, sort_side side[2], unsigned from,
                            map_key differ, unsigned low_bit)
{
    for (unsigned shift = low_bit; shift < PLEACH_KEY_BITS; shift += BATCH_DIGIT_BITS) {
        if (((unsigned)(differ >> shift) & (BATCH_DIGITS - 1)) == 0) continue;
        sort_pass(job, team, member, side[from], side[!from], shift);
        from = !from;
    }
    return from;
}

/* Sorts keys that are in order except for their low bits, by insertion. Returns false if that is more work than it is
 * worth. */
static bool sort_rest(sort_side side, uint32_t begin, uint32_t end)
{
    uint64_t moves = 0, most = 8 * (uint64_t)(end - begin) + 64;
    for (uint32_t i = begin + 1; i < end; i++) {
        map_key key = side.key[i];
        uint32_t function = side.function[i], at = i;
        for (; at > begin && side.key[at - 1] > key; at--, moves++) {
            side.key[at] = side.key[at - 1];
            side.function[at] = side.function[at - 1];
        }
        side.key[at] = key;
        side.function[at] = function;
        if (moves > most) return false;
    }
    return true;
}

/* Where the worker's part begins, moved on to an index at which the bits from low_bit on change. */
static uint32_t rest_begin(const sort_side *side, const team *team, unsigned member, uint32_t n,
                           unsigned low_bit)
{
    uint32_t at = part_begin(team, member, n);
    while (at > 0 && at < n && side->key[at] >> low_bit == side->key[at - 1] >> low_bit) at++;
    return at;
}

/* The lowest bit to sort by digits: high enough that about one key in eight has another with the same bits. */
static unsigned first_digit(map_key differ, uint32_t n)
{
    unsigned highest = 0, wanted = 3;
    while (highest + 1 < PLEACH_KEY_BITS && differ >> (highest + 1)) highest++;
    while (wanted < 31 && n >> wanted) wanted++;
    unsigned passes = (wanted + BATCH_DIGIT_BITS - 1) / BATCH_DIGIT_BITS;
    return highest + 1 > passes * BATCH_DIGIT_BITS ? highest + 1 - passes * BATCH_DIGIT_BITS : 0;
}

/* Sorts from side[0]; returns the side that has the result. First by as many of the highest bits as are needed to make
 * few keys agree in them; the rest is done by insertion, or by all digits if keys are too close together for that. Both
 * are stable. */
static unsigned sort_operations(batch_job *job, team *team, unsigned member, sort_side side[2])
{
    uint32_t n = job->sizes.ops;
    map_key differ = differing_bits(job, team, member, side[0].key);
    unsigned low_bit = first_digit(differ, n);
    unsigned from = sort_digits(job, team, member, side, 0, differ, low_bit);
    if (low_bit == 0) return from;
    uint32_t begin = rest_begin(&side[from], team, member, n, low_bit);
    uint32_t end = rest_begin(&side[from], team, member + 1, n, low_bit);
    team_barrier(team); /* all workers must find their parts before any key moves */
    bool sorted = begin == end || sort_rest(side[from], begin, end);
    job->parts[member].words[0] = sorted;
    team_barrier(team);
    for (unsigned m = 0; m < team->members; m++) sorted = sorted && job->parts[m].words[0];
    team_barrier(team);
    return sorted ? from : sort_digits(job, team, member, side, from, differ, 0);
}
