/* batch/batch_count.h - wide counts in the middle of a batch. Included by executors that support them, after batch.h.
 *
 * A count is the number of keys of the old map in its interval, plus what the operations before it have inserted there,
 * minus what they have erased. The first part is a difference of two ranks. A rank is the number of keys in the leaves
 * before a leaf, summed once for all leaves, plus the number of keys before a slot. The second part is a sum over the
 * operations that have a key in the interval, which are a contiguous range in key order, and a position before the
 * count's: points below and to the left of it, summed for all counts together.
 *
 * To do so, the operations' positions are processed bit by bit, from the highest (a wavelet matrix, of which only one
 * level exists at a time). At each bit the operations are stably partitioned into those with a 0 and those with a 1. A
 * scan gives, for each index, the number of zeros before it and the sum of their changes. A count with a 1 at this bit
 * adds the changes of the zeros in its range, all of which come before it, and continues with the range of ones. A
 * count with a 0 continues with the range of zeros. So n counts among n operations cost n times the bits of a position.
 */

typedef struct batch_counting {
    uint32_t *place[2]; /* positions of the operations, as they are partitioned from one array to the other */
    int8_t *change[2];  /* in the number of keys */
    uint32_t *zeros;    /* before each index; one more element than operations */
    int32_t *zero_sum;  /* the sum of their changes */
    uint64_t *before;   /* by leaf: keys in the leaves before it */
} batch_counting;

/* One wide count. */
typedef struct batch_wide {
    uint32_t op;
    uint32_t begin, end; /* its range of operations */
    int64_t sum;
} batch_wide;

/* Returns the first operation with a key above this one. */
PORT_FN uint32_t batch_above(const batch_ref *b, map_key key)
{
    uint32_t low = 0, high = b->sizes->ops;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (b->op_key[middle] > key)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Walks over at most `most` keys of the batch and pairs. Returns true if that was enough to compute the count. */
PORT_FN bool batch_count_walk(const batch_ref *b, uint32_t op, uint32_t most)
{
    uint32_t place = batch_place(b, op);
    map_key hi = ((const map_key *)b->r.values)[place];
    uint64_t count = 0;
    if (hi >= b->op_key[op]) {
        batch_walk walk;
        map_pair pair;
        if (batch_above(b, hi) - b->key_first[batch_key_of(b, op)] > most) return false;
        batch_walk_start(b, &walk, op, false);
        walk.patience = UINT32_MAX; /* there are at most `most` absent keys to pass */
        for (; batch_walk_next(b, &walk, hi, &pair); count++)
            if (count == most) return false;
    }
    if (b->r.counts) b->r.counts[place] = count;
    return true;
}

PORT_FN batch_wide batch_wide_start(const batch_ref *b, uint32_t op)
{
    batch_wide wide;
    wide.op = op;
    wide.begin = b->key_first[batch_key_of(b, op)];
    wide.end = batch_above(b, ((const map_key *)b->r.values)[batch_place(b, op)]);
    wide.sum = 0;
    return wide;
}

/* Returns where index `at` moves when the operations are partitioned; all_zeros of them have a 0. */
PORT_FN uint32_t batch_divided(const batch_counting *c, uint32_t at, bool one, uint32_t all_zeros)
{
    return one ? all_zeros + at - c->zeros[at] : c->zeros[at];
}

PORT_FN void batch_wide_step(const batch_ref *b, const batch_counting *c, batch_wide *wide, unsigned bit)
{
    bool one = batch_place(b, wide->op) >> bit & 1;
    uint32_t all_zeros = c->zeros[b->sizes->ops];
    if (one) wide->sum += c->zero_sum[wide->end] - c->zero_sum[wide->begin];
    wide->begin = batch_divided(c, wide->begin, one, all_zeros);
    wide->end = batch_divided(c, wide->end, one, all_zeros);
}

/* Returns how many keys of the old map are below a key or, if `with` is set, at or below it. */
PORT_FN uint64_t batch_old_rank(const batch_ref *b, const batch_counting *c, uint32_t leaf, map_key key, bool with)
{
    node_image image;
    const map_node *node = node_at(b->map, leaf);
    unsigned count = header_count(header_load(node));
    node_read(node, &image);
    unsigned rank = image_rank(&image, count, key);
    if (with && rank < count && image_pair(&image, rank).key == key) rank++;
    return c->before[leaf] + rank;
}

PORT_FN void batch_wide_end(const batch_ref *b, const batch_counting *c, const batch_wide *wide)
{
    uint32_t place = batch_place(b, wide->op), own = batch_key_of(b, wide->op);
    map_key hi = ((const map_key *)b->r.values)[place];
    find_op find;
    find_start(b->map, &find, hi);
    while (find_step(b->map, &find) != STEP_DONE) {
    }
    uint64_t below = batch_old_rank(b, c, b->key_node[own], b->op_key[wide->op], false);
    uint64_t up_to = batch_old_rank(b, c, find.cursor.node, hi, true);
    if (b->r.counts) b->r.counts[place] = up_to - below + (uint64_t)wide->sum;
}
