/* baseline_buffer.c - memory for pairs, and queries, which are the same for all baselines. */
#include "baseline.h"
#include "tools/common/words.h"

void baseline_buffer_free(struct baseline_machine *m, struct baseline_buffer *buffer)
{
    m->verbs->release(buffer->keys);
    m->verbs->release(buffer->values);
    m->verbs->release(buffer->dead);
    *buffer = (struct baseline_buffer){0};
}

static pleach_status copy_pairs(struct baseline_machine *m, unsigned bits, struct baseline_buffer *to,
                                const struct baseline_buffer *from, size_t n)
{
    pleach_status status = m->verbs->copy(m, to->keys, from->keys, n * word_bytes(bits));
    if (status == PLEACH_OK) status = m->verbs->copy(m, to->values, from->values, n * word_bytes(bits));
    if (status == PLEACH_OK) status = m->verbs->copy(m, to->dead, from->dead, n);
    return status == PLEACH_OK ? m->verbs->wait(m) : status;
}

/* What is not filled is given back first, so that both are not there at once. */
pleach_status baseline_buffer_room(struct baseline_machine *m, unsigned bits, struct baseline_buffer *buffer, size_t n,
                                   size_t filled)
{
    if (n <= buffer->room) return PLEACH_OK;
    if (filled == 0) baseline_buffer_free(m, buffer);
    struct baseline_buffer larger = {.keys = m->verbs->allocate(n * word_bytes(bits)),
                                     .values = m->verbs->allocate(n * word_bytes(bits)),
                                     .dead = m->verbs->allocate(n),
                                     .room = n};
    pleach_status status = PLEACH_E_MEMORY;
    if (larger.keys != NULL && larger.values != NULL && larger.dead != NULL)
        status = filled > 0 ? copy_pairs(m, bits, &larger, buffer, filled) : PLEACH_OK;
    if (status != PLEACH_OK) {
        baseline_buffer_free(m, &larger);
        return status;
    }
    baseline_buffer_free(m, buffer);
    *buffer = larger;
    return PLEACH_OK;
}

baseline_run baseline_buffer_run(const struct baseline_buffer *buffer, size_t n, bool has_dead)
{
    return (baseline_run){buffer->keys, buffer->values, has_dead ? buffer->dead : NULL, n};
}

/* ---- queries ---- */

static pleach_status each(const struct baseline_store *store, const baseline_work *work)
{
    return store->machine->verbs->each(store->machine, work, NULL);
}

pleach_status baseline_find(void *store, size_t n, const void *keys, void *values, uint8_t *found)
{
    const struct baseline_store *s = store;
    baseline_work work = s->work(store);
    work.n = n;
    work.keys = keys;
    work.values = values;
    work.bytes = found;
    return each(s, &work);
}

pleach_status baseline_range(void *store, size_t n, const void *lows, const void *highs, uint32_t limit, void *out_keys,
                             void *out_values, uint32_t *counts)
{
    const struct baseline_store *s = store;
    baseline_work work = s->work(store);
    work.step += BASELINE_RANGE - BASELINE_FIND;
    work.n = n;
    work.keys = lows;
    work.highs = highs;
    work.limit = limit;
    work.out_keys = out_keys;
    work.values = out_values;
    work.counts = counts;
    return each(s, &work);
}

pleach_status baseline_succ(void *store, size_t n, const void *keys, void *out_keys, void *out_values, uint8_t *found)
{
    const struct baseline_store *s = store;
    baseline_work work = s->work(store);
    work.step += BASELINE_SUCC - BASELINE_FIND;
    work.n = n;
    work.keys = keys;
    work.out_keys = out_keys;
    work.values = out_values;
    work.bytes = found;
    return each(s, &work);
}
