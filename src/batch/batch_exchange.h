/* batch/batch_exchange.h - result exchange: moves each result from the worker that processed its key to the worker that
 * owns its position in the caller's arrays. Included by batch_cpu.c.
 *
 * The operations of a worker's keys have positions all over the batch. If workers stored results there directly, a
 * cache line of the caller's arrays would move from core to core with nearly every result. So each worker writes its
 * results to memory of its own (its mail), sorted by the part of the batch to which their positions belong. After a
 * barrier, each worker stores the results of its part. The parts of a large batch consist of several boxes, small
 * enough that the caches hold the positions of one. A single worker with one box stores results directly.
 */

static inline uint32_t all_boxes(const batch_worker *w) { return w->team->members * w->job->boxes; }

/* Returns the box of a position; scale is boxes / n, with 32 fractional bits. */
static inline unsigned box_of(uint64_t scale, uint32_t place) { return (unsigned)(place * scale >> 32); }

static inline uint32_t *mail_from(const batch_worker *w, unsigned sender)
{
    return w->job->mail + (size_t)sender * batch_result_row(all_boxes(w));
}

/* Reserves space for the results of the worker's operations, at the same indices as these: mail_from(sender)[box] is
 * the index of the next one. */
static void open_mail(batch_worker *w, op_stretch ops)
{
    uint32_t boxes = all_boxes(w), *next = mail_from(w, w->member), at = ops.at;
    if (boxes == 1) return;
    w->job->parts[w->member].mail_begin = ops.at;
    w->mail_scale = ((uint64_t)boxes << 32) / w->b.r.n;
    memset(next, 0, boxes * sizeof *next);
    for (uint32_t op = ops.at; op < ops.end; op++) next[box_of(w->mail_scale, batch_place(&w->b, op))]++;
    for (uint32_t box = 0; box < boxes; box++) {
        uint32_t count = next[box];
        next[box] = at;
        at += count;
    }
}

static inline void send_result(batch_worker *w, uint32_t op, batch_reply reply)
{
    uint32_t place = batch_place(&w->b, op);
    if (all_boxes(w) == 1) {
        batch_store_reply(&w->b, place, reply);
        return;
    }
    uint32_t at = mail_from(w, w->member)[box_of(w->mail_scale, place)]++;
    w->letter[at] = (reply_letter){place, reply.flag, reply.has_value};
    w->letter_value[at] = reply.value;
}

enum { LETTERS_AHEAD = 16 };

static inline void prefetch_reply(const batch_ref *b, uint32_t place)
{
    if (b->r.flags) __builtin_prefetch(b->r.flags + place, 1, 2);
    if (b->r.out_values) __builtin_prefetch((const map_key *)b->r.out_values + place, 1, 2);
}

/* Stores the results that one worker has put into one box. Boxes are adjacent; mail_begin is where the first one
 * begins. */
static void empty_box(batch_worker *w, unsigned sender, uint32_t box)
{
    const uint32_t *end = mail_from(w, sender);
    uint32_t at = box ? end[box - 1] : w->job->parts[sender].mail_begin, last = end[box];
    for (; at < last; at++) {
        if (at + LETTERS_AHEAD < last) prefetch_reply(&w->b, w->letter[at + LETTERS_AHEAD].place);
        reply_letter letter = w->letter[at];
        batch_reply reply = {w->letter_value[at], letter.flag, letter.has_value};
        batch_store_reply(&w->b, letter.place, reply);
    }
}

/* Called after a barrier: stores the results in this worker's boxes. */
static void scatter_results(batch_worker *w)
{
    uint32_t boxes = w->job->boxes;
    if (all_boxes(w) == 1) return;
    for (uint32_t box = w->member * boxes; box < (w->member + 1) * boxes; box++)
        for (unsigned sender = 0; sender < w->team->members; sender++) empty_box(w, sender, box);
}
