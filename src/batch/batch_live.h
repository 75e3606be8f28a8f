/* batch/batch_live.h - finds, in key order, the keys of a batch that are present at one of its positions. Included by
 * batch.h.
 *
 * A successor, a predecessor or a range passes keys of the batch that are absent at its position: erased before it, or
 * inserted after it. There may be as many such keys as operations, and as many queries that pass all of them. So a
 * query gives up after a number of them (batch_query.h), and then uses these functions, which take log n steps each:
 *
 *     batch_next_live     the first key of the batch, from a key number on, that is present at a position
 *     batch_last_live     the last such key below a key number
 *     batch_next_gap,     the next gap between two neighbouring keys of the batch in which the old map has keys that
 *     batch_last_gap      the batch does not name, and the last such gap
 *
 * LIVE KEYS   The operations are in the order of their positions, each with the number of its key and its change: +1
 * if the key appears, -1 if it disappears, else 0. From level to level they are stably partitioned by one bit
 * of the key number, from the highest: a wavelet matrix. At each level, a group of 32 operations stores their bits, and
 * the number and the sum of the changes of all operations before the group that have a 0. The first t operations are a
 * contiguous range at each level. The sum of the changes of its zeros, plus the number of keys of the lower half that
 * the old map has, is the number of keys of the lower half that are present at position t. So counting the live keys
 * below a key number, and finding the live key of a given rank, read two groups per level.
 *
 * GAPS        One bit per key, with sums over words of bits.
 *
 * All of this is built only if queries have given up, by all workers: one scan and one stable partition per level.
 */


#define BATCH_NO_KEY UINT32_MAX

PORT_FN unsigned batch_bits(uint32_t word)
{
#ifdef __CUDA_ARCH__
    return (unsigned)__popc(word);
#else
    return (unsigned)__builtin_popcount(word);
#endif
}

PORT_FN unsigned batch_lowest_bit(uint32_t word)
{
#ifdef __CUDA_ARCH__
    return (unsigned)__ffs((int)word) - 1;
#else
    return (unsigned)__builtin_ctz(word);
#endif
}

PORT_FN unsigned batch_highest_bit(uint32_t word)
{
#ifdef __CUDA_ARCH__
    return 31 - (unsigned)__clz((int)word);
#else
    return 31 - (unsigned)__builtin_clz(word);
#endif
}

/* The operations of one level before `at` whose bit is 0: their number, and the sum of their changes. */
typedef struct batch_zeros { uint32_t zeros, sum; } batch_zeros;

PORT_FN batch_zeros batch_zeros_before(const batch_live *l, uint32_t level, uint32_t at)
{
    const batch_group *g = &l->group[(uint64_t)level * l->groups + at / 32];
    uint32_t before = ((uint32_t)1 << at % 32) - 1;
    batch_zeros z;
    z.zeros = g->zeros + batch_bits(~g->ones & before);
    z.sum = g->sum + batch_bits(g->plus & before) - batch_bits(g->minus & before);
    return z;
}

/* A descent to a subtree of key numbers that begins at `from`: the range, at the current level, of those among the
 * first operations of a batch whose keys are in the subtree. */
typedef struct batch_descent { uint32_t begin, end, from; } batch_descent;

PORT_FN batch_descent batch_descent_from(uint32_t place)
{
    batch_descent d;
    d.begin = d.from = 0;
    d.end = place;
    return d;
}

/* Descends by one level, to both halves. Returns how many keys of the lower half are present. */
PORT_FN uint32_t batch_live_halve(const batch_live *l, uint32_t level, uint32_t n, uint32_t keys, batch_descent *lower,
                                  batch_descent *upper)
{
    const batch_descent all = *lower;
    uint32_t half = (uint32_t)1 << (l->levels - 1 - level), middle = all.from + half;
    batch_zeros begin = batch_zeros_before(l, level, all.begin), end = batch_zeros_before(l, level, all.end);
    uint32_t zeros = batch_zeros_before(l, level, n).zeros;
    uint32_t first = l->had[all.from < keys ? all.from : keys], last = l->had[middle < keys ? middle : keys];
    lower->begin = begin.zeros;
    lower->end = end.zeros;
    upper->begin = zeros + all.begin - begin.zeros;
    upper->end = zeros + all.end - end.zeros;
    upper->from = middle;
    return last - first + end.sum - begin.sum;
}

/* ---- queries ---- */

/* Returns how many keys with lower numbers are present just before the operation at `place`. */
PORT_FN uint32_t batch_live_below(const batch_ref *b, uint32_t key, uint32_t place)
{
    const batch_live *l = &b->live;
    batch_descent at = batch_descent_from(place), upper;
    uint32_t live = 0;
    for (uint32_t level = 0; level < l->levels; level++) {
        uint32_t lower = batch_live_halve(l, level, b->r.n, b->sizes->keys, &at, &upper);
        if (key >> (l->levels - 1 - level) & 1) {
            live += lower;
            at = upper;
        }
    }
    return live;
}

/* Returns the number of the key that has `rank` live keys below it. If there is none, returns a number that no key
 * has. */
PORT_FN uint32_t batch_live_ranked(const batch_ref *b, uint32_t rank, uint32_t place)
{
    const batch_live *l = &b->live;
    batch_descent at = batch_descent_from(place), upper;
    for (uint32_t level = 0; level < l->levels; level++) {
        uint32_t lower = batch_live_halve(l, level, b->r.n, b->sizes->keys, &at, &upper);
        if (rank >= lower) {
            rank -= lower;
            at = upper;
        }
    }
    return at.from;
}

/* Return the first live key from number `key` on, and the last one below it, or BATCH_NO_KEY if there is none. */
PORT_FN uint32_t batch_next_live(const batch_ref *b, uint32_t key, uint32_t place)
{
    uint32_t next = batch_live_ranked(b, batch_live_below(b, key, place), place);
    return next < b->sizes->keys ? next : BATCH_NO_KEY;
}

PORT_FN uint32_t batch_last_live(const batch_ref *b, uint32_t key, uint32_t place)
{
    uint32_t live = batch_live_below(b, key, place);
    return live ? batch_live_ranked(b, live - 1, place) : BATCH_NO_KEY;
}

/* Returns the index of the word that contains gap number `number`, counted from 0. */
PORT_FN uint32_t batch_gap_word(const batch_ref *b, uint32_t number)
{
    uint32_t low = 0, high = b->sizes->keys / 32 + 1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (b->live.gaps[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Return the first gap after key number `key` or a later key, and the last gap after key number `key` or an earlier
 * key. A gap has the number of the key before it. Both return BATCH_NO_KEY if there is none. */
PORT_FN uint32_t batch_next_gap(const batch_ref *b, uint32_t key)
{
    uint32_t word = key / 32, bits = b->live.gap[word] & ~(uint32_t)0 << key % 32;
    if (bits) return word * 32 + batch_lowest_bit(bits);
    uint32_t number = b->live.gaps[word + 1];
    if (number == b->live.gaps[b->sizes->keys / 32 + 1]) return BATCH_NO_KEY;
    word = batch_gap_word(b, number);
    return word * 32 + batch_lowest_bit(b->live.gap[word]);
}

PORT_FN uint32_t batch_last_gap(const batch_ref *b, uint32_t key)
{
    uint32_t word = key / 32, bits = b->live.gap[word] & ~(uint32_t)0 >> (31 - key % 32);
    if (bits) return word * 32 + batch_highest_bit(bits);
    uint32_t number = b->live.gaps[word];
    if (number == 0) return BATCH_NO_KEY;
    word = batch_gap_word(b, number - 1);
    return word * 32 + batch_highest_bit(b->live.gap[word]);
}

/* ---- construction ---- */

/* First, for each position: nothing changes. */
PORT_FN void batch_live_clear(const batch_ref *b, uint32_t place)
{
    b->live.number[0][place] = 0;
    b->live.change[0][place] = 0;
}

/* Then, for each operation: stores its change at its position. */
PORT_FN void batch_live_note(const batch_ref *b, uint32_t op)
{
    int8_t change = batch_change_of(b, op);
    if (change == 0) return;
    b->live.number[0][batch_place(b, op)] = batch_key_of(b, op);
    b->live.change[0][batch_place(b, op)] = change;
}

/* Element of a scan over keys. */
PORT_FN uint32_t batch_had(const batch_ref *b, uint32_t key) { return (b->key_flags[key] & BATCH_HAD) != 0; }

PORT_FN void batch_store_had(const batch_ref *b, uint32_t key, uint32_t had)
{
    if (key == 0) b->live.had[0] = 0;
    b->live.had[key + 1] = had;
}

/* Returns whether the old map has a key between this key of the batch and the next one. The leaves between two keys of
 * the batch concern one gap only, so all gaps together take as many steps as there are keys and leaves. */
PORT_FN bool batch_is_gap(const batch_ref *b, uint32_t key)
{
    bool last = key + 1 == b->sizes->keys;
    map_key own = batch_key_at(b, key), next = last ? KEY_MAX : batch_key_at(b, key + 1);
    for (uint32_t id = b->key_node[key];;) {
        const map_node *node = node_at(b->map, id);
        map_pair link = pair_load(node, NODE_LINK_SLOT);
        unsigned count = header_count(header_load(node)), slot;
        node_image leaf;
        node_read(node, &leaf);
        slot = image_rank(&leaf, count, own);
        if (slot < count && image_pair(&leaf, slot).key == own) slot++;
        if (slot < count) return last || image_pair(&leaf, slot).key < next;
        if (!pair_is_link(link) || (!last && link.key >= next)) return false;
        id = pair_node(link);
    }
}

/* Element of a scan over words of gaps. */
PORT_FN uint32_t batch_find_gaps(const batch_ref *b, uint32_t word)
{
    uint32_t gap = 0;
    for (uint32_t i = 0; i < 32 && word * 32 + i < b->sizes->keys; i++)
        gap |= (uint32_t)batch_is_gap(b, word * 32 + i) << i;
    b->live.gap[word] = gap;
    return batch_bits(gap);
}

PORT_FN uint32_t batch_gaps_of(const batch_ref *b, uint32_t word) { return batch_bits(b->live.gap[word]); }

PORT_FN void batch_store_gaps(const batch_ref *b, uint32_t word, uint32_t gaps)
{
    if (word == 0) b->live.gaps[0] = 0;
    b->live.gaps[word + 1] = gaps;
}

/* Element of a scan over the groups of a level. `runs` counts its zeros, `has` and `had` those zeros that make a key
 * appear or disappear. */
PORT_FN batch_sums batch_group_sums(const batch_group *g, uint32_t n)
{
    batch_sums sums;
    sums.runs = n - batch_bits(g->ones);
    sums.has = batch_bits(g->plus);
    sums.had = batch_bits(g->minus);
    return sums;
}

PORT_FN batch_group *batch_group_at(const batch_ref *b, uint32_t level, uint32_t group)
{
    return &b->live.group[(uint64_t)level * b->live.groups + group];
}

/* Operations of a group: 32, or fewer in the last one. */
PORT_FN uint32_t batch_group_size(const batch_ref *b, uint32_t group)
{
    uint32_t left = b->r.n - group * 32;
    return left < 32 ? left : 32;
}

PORT_FN batch_sums batch_fill_group(const batch_ref *b, uint32_t level, uint32_t group)
{
    const uint32_t *number = b->live.number[level & 1];
    const int8_t *change = b->live.change[level & 1];
    unsigned bit = b->live.levels - 1 - level;
    batch_group *g = batch_group_at(b, level, group);
    uint32_t n = batch_group_size(b, group);
    g->ones = g->plus = g->minus = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t one = number[group * 32 + i] >> bit & 1;
        int8_t by = change[group * 32 + i];
        g->ones |= one << i;
        g->plus |= (uint32_t)(!one && by > 0) << i;
        g->minus |= (uint32_t)(!one && by < 0) << i;
    }
    return batch_group_sums(g, n);
}

PORT_FN batch_sums batch_group_again(const batch_ref *b, uint32_t level, uint32_t group)
{
    return batch_group_sums(batch_group_at(b, level, group), batch_group_size(b, group));
}

PORT_FN void batch_store_group(const batch_ref *b, uint32_t level, uint32_t group, batch_sums sums)
{
    batch_group *g = batch_group_at(b, level, group);
    batch_sums own = batch_group_again(b, level, group);
    g->zeros = sums.runs - own.runs;
    g->sum = (sums.has - sums.had) - (own.has - own.had);
}

/* After the scan: moves the operations of a group to their positions in the next level. */
PORT_FN void batch_divide_group(const batch_ref *b, uint32_t level, uint32_t group)
{
    const batch_live *l = &b->live;
    uint32_t zeros = batch_zeros_before(l, level, b->r.n).zeros, from = group * 32;
    const batch_group *g = batch_group_at(b, level, group);
    for (uint32_t i = 0; i < batch_group_size(b, group); i++) {
        uint32_t before = g->zeros + batch_bits(~g->ones & (((uint32_t)1 << i) - 1));
        uint32_t to = g->ones >> i & 1 ? zeros + from + i - before : before;
        l->number[~level & 1][to] = l->number[level & 1][from + i];
        l->change[~level & 1][to] = l->change[level & 1][from + i];
    }
}
