/* exec/cpu/batch_sort.h - the operations of a batch in the order of their keys, by a team: a radix sort, digit by digit
 * from the lowest, over those bits only in which keys differ. It is stable, so operations of one key stay in the order
 * of the batch. Included by batch_run.c, once per key width. */

/* The part of 0 .. n-1 that a member has. */
static inline uint32_t part_begin(const team *team, unsigned member, uint32_t n)
{
    return (uint32_t)((uint64_t)n * member / team->members);
}

typedef struct W(sort_side) {
    W(key) *key;
    uint32_t *function;
} W(sort_side);

static void W(count_digits)(const W(key) *key, uint32_t begin, uint32_t end, unsigned shift, uint32_t *count)
{
    memset(count, 0, BATCH_DIGITS * sizeof *count);
    for (uint32_t i = begin; i < end; i++) count[key[i] >> shift & (BATCH_DIGITS - 1)]++;
}

/* Where this member's keys of each digit go: after all keys of lower digits, and those of the members before it. */
static void W(first_places)(const batch_job *job, const team *team, unsigned member, uint32_t *first)
{
    uint32_t sum = 0;
    for (unsigned digit = 0; digit < BATCH_DIGITS; digit++)
        for (unsigned m = 0; m < team->members; m++) {
            if (m == member) first[digit] = sum;
            sum += job->digits[(size_t)m * BATCH_DIGITS + digit];
        }
}

static void W(sort_pass)(batch_job *job, team *team, unsigned member, W(sort_side) from, W(sort_side) to,
                         unsigned shift)
{
    uint32_t n = job->sizes.ops, begin = part_begin(team, member, n), end = part_begin(team, member + 1, n);
    uint32_t first[BATCH_DIGITS];
    W(count_digits)(from.key, begin, end, shift, job->digits + (size_t)member * BATCH_DIGITS);
    team_meet(team);
    W(first_places)(job, team, member, first);
    for (uint32_t i = begin; i < end; i++) {
        uint32_t at = first[from.key[i] >> shift & (BATCH_DIGITS - 1)]++;
        to.key[at] = from.key[i];
        to.function[at] = from.function[i];
    }
    team_meet(team);
}

/* The bits in which keys differ. */
static W(key) W(differing_bits)(batch_job *job, team *team, unsigned member, const W(key) *keys)
{
    uint32_t n = job->sizes.ops, end = part_begin(team, member + 1, n);
    W(key) differ = 0;
    for (uint32_t i = part_begin(team, member, n); i < end; i++) differ |= keys[i] ^ keys[0];
    job->parts[member].words[0] = differ;
    team_meet(team);
    for (unsigned m = 0; m < team->members; m++) differ |= (W(key))job->parts[m].words[0];
    team_meet(team); /* now the parts may be used again */
    return differ;
}

/* From side[0]; answers which side has the result. */
static unsigned W(sort_operations)(batch_job *job, team *team, unsigned member, W(sort_side) side[2])
{
    W(key) differ = W(differing_bits)(job, team, member, side[0].key);
    unsigned from = 0;
    for (unsigned shift = 0; shift < PLEACH_KEY_BITS; shift += BATCH_DIGIT_BITS) {
        if ((differ >> shift & (BATCH_DIGITS - 1)) == 0) continue;
        W(sort_pass)(job, team, member, side[from], side[!from], shift);
        from = !from;
    }
    return from;
}
