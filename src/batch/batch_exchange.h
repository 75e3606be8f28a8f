/* batch/batch_exchange.h - answers on their way from the member that has a key to the member that has the place.
 * Included by batch_cpu.c.
 *
 * The operations of a member's keys have places all over the batch. If members stored answers there, a line of the
 * caller's arrays would go from core to core with nearly every one of them. So a member leaves them, in memory of its
 * own, sorted by the part of the batch that their places lie in; and after the members have met, each stores those of
 * its part. The parts of a large batch are several boxes, so small that the caches hold what is stored from one. A
 * member that is alone, with one box, stores answers at once.
 */

static inline uint32_t all_boxes(const batch_worker *w) { return w->team->members * w->job->boxes; }

/* The box of a place; scale is boxes / n, with 32 binary places. */
static inline unsigned box_of(uint64_t scale, uint32_t place) { return (unsigned)(place * scale >> 32); }

static inline uint32_t *mail_from(const batch_worker *w, unsigned sender)
{
    return w->job->mail + (size_t)sender * batch_result_row(all_boxes(w));
}

/* Makes room for the answers of the member's operations, at the same places as these: mail_from(sender)[box] is where
 * the next one goes. */
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

/* What one member has left in one box. A box follows the one before; mail_begin is where the first is. */
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

/* After the members have met: this member's boxes. */
static void scatter_results(batch_worker *w)
{
    uint32_t boxes = w->job->boxes;
    if (all_boxes(w) == 1) return;
    for (uint32_t box = w->member * boxes; box < (w->member + 1) * boxes; box++)
        for (unsigned sender = 0; sender < w->team->members; sender++) empty_box(w, sender, box);
}
