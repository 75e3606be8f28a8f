/* exec/cpu/batch_mail.h - answers on their way from the member that has a key to the member that has the place.
 * Included by batch_run.c, once per key width.
 *
 * The operations of a member's keys have places all over the batch. If members stored answers there, a line of the
 * caller's arrays would go from core to core with nearly every one of them. So a member leaves them, in memory of its
 * own, sorted by the part of the batch that their places lie in; and after the members have met, each stores those of
 * its part. A member that is alone stores them at once.
 */

/* Which member has a place; scale is members / n, with 32 binary places. */
static inline unsigned W(addressee)(uint64_t scale, uint32_t place) { return (unsigned)(place * scale >> 32); }

static inline uint32_t *W(mail_from)(const W(working) *w, unsigned sender)
{
    return w->job->mail + (size_t)sender * batch_mail_row(w->team->members);
}

/* Makes room for the answers of the member's operations, at the same places as these: mail_from(sender)[addressee] is
 * where the next one goes. */
static void W(open_mail)(W(working) *w, W(stretch) ops)
{
    unsigned members = w->team->members;
    uint32_t *next = W(mail_from)(w, w->member), at = ops.at;
    if (members == 1) return;
    w->job->parts[w->member].mail_begin = ops.at;
    w->mail_scale = ((uint64_t)members << 32) / w->b.r.n;
    memset(next, 0, members * sizeof *next);
    for (uint32_t op = ops.at; op < ops.end; op++) next[W(addressee)(w->mail_scale, W(batch_place)(&w->b, op))]++;
    for (unsigned m = 0; m < members; m++) {
        uint32_t count = next[m];
        next[m] = at;
        at += count;
    }
}

static inline void W(post_reply)(W(working) *w, uint32_t op, W(batch_reply) reply)
{
    unsigned members = w->team->members;
    uint32_t place = W(batch_place)(&w->b, op);
    if (members == 1) {
        W(batch_store_reply)(&w->b, place, reply);
        return;
    }
    uint32_t at = W(mail_from)(w, w->member)[W(addressee)(w->mail_scale, place)]++;
    w->letter[at] = (W(letter)){place, reply.flag, reply.has_value};
    w->letter_value[at] = reply.value;
}

enum { LETTERS_AHEAD = 16 };

static inline void W(prefetch_reply)(const W(batch) *b, uint32_t place)
{
    if (b->r.flags) __builtin_prefetch(b->r.flags + place, 1, 2);
    if (b->r.out_values) __builtin_prefetch((const W(key) *)b->r.out_values + place, 1, 2);
}

/* After the members have met: the letters to this member. A sender's letters to one follow those to the one before;
 * mail_begin is where its first are. */
static void W(deliver_mail)(W(working) *w)
{
    unsigned members = w->team->members;
    for (unsigned from = 0; members > 1 && from < members; from++) {
        const uint32_t *end = W(mail_from)(w, from);
        uint32_t at = w->member ? end[w->member - 1] : w->job->parts[from].mail_begin, last = end[w->member];
        for (; at < last; at++) {
            if (at + LETTERS_AHEAD < last) W(prefetch_reply)(&w->b, w->letter[at + LETTERS_AHEAD].place);
            W(letter) letter = w->letter[at];
            W(batch_reply) reply = {w->letter_value[at], letter.flag, letter.has_value};
            W(batch_store_reply)(&w->b, letter.place, reply);
        }
    }
}
