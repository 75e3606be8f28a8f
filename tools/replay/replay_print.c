/* replay_print.c - an answer becomes a line. */
#include "replay.h"
#include "tools/common/words.h"

static void print_error(struct replay *replay, const char *text)
{
    text_out_string(&replay->out, "error: ");
    text_out_string(&replay->out, text);
    replay->stats.errors++;
}

static void print_pair(struct text_out *out, uint64_t key, uint64_t value)
{
    text_out_number(out, key);
    text_out_char(out, ':');
    text_out_number(out, value);
}

static void print_pairs(struct replay *replay, const struct answer *answer)
{
    const uint64_t *words = replay->stores[answer->store].words;
    text_out_number(&replay->out, answer->value);
    for (uint64_t i = answer->key; i < answer->key + answer->value; i++) {
        text_out_char(&replay->out, ' ');
        print_pair(&replay->out, words[2 * i], words[2 * i + 1]);
    }
}

/* How many pairs the range has, its limit taken into account. */
static pleach_status count_range(struct replay *replay, const struct op *op, uint64_t *count)
{
    const struct ends ends = replay_ends(replay, op->a, op->b);
    uint64_t offsets[2];
    size_t total = 0;
    const pleach_status status = pleach_map_range(replay->target.map, 1, &ends.lo, &ends.hi,
                                                  replay_range_limit(op->limit), 0, NULL, NULL, offsets, &total);
    *count = total < op->limit ? total : op->limit;
    return status == PLEACH_E_SPACE ? PLEACH_OK : status;
}

/* Prints the first pairs from *from on, at most `most`, and moves *from behind them. */
static pleach_status print_chunk(struct replay *replay, uint64_t *from, uint64_t to, uint64_t most, size_t *printed)
{
    struct pair_store *store = &replay->stores[0];
    const struct ends ends = replay_ends(replay, *from, to);
    uint64_t offsets[2];
    const uint32_t limit = most < RANGE_CHUNK ? (uint32_t)most : RANGE_CHUNK;
    const pleach_status status = pleach_map_range(replay->target.map, 1, &ends.lo, &ends.hi, limit, RANGE_CHUNK,
                                                  store->keys, store->values, offsets, printed);
    if (status != PLEACH_OK) return status;
    for (size_t i = 0; i < *printed; i++) {
        const uint64_t key = word_get(store->keys, replay->key_bits, i);
        text_out_char(&replay->out, ' ');
        print_pair(&replay->out, key, word_get(store->values, replay->key_bits, i));
        *from = key + 1;
    }
    return *printed > 0 ? PLEACH_OK : PLEACH_E_CORRUPT; /* the count promised more */
}

/* A range that was too long to keep. The run it belongs to is over and the next one has not begun, and nothing in the
 * run touched the interval: the map answers now as it did in its turn. */
static void print_fetched(struct replay *replay, const struct op *op)
{
    uint64_t left = 0, from = op->a;
    pleach_status status = count_range(replay, op, &left);
    if (status != PLEACH_OK) {
        print_error(replay, pleach_strerror(status));
        return;
    }
    text_out_number(&replay->out, left);
    while (left > 0 && status == PLEACH_OK && replay->out.error == 0) {
        size_t printed = 0;
        status = print_chunk(replay, &from, op->b, left, &printed);
        left -= printed;
    }
    if (status == PLEACH_OK) return;
    text_out_char(&replay->out, ' ');
    print_error(replay, pleach_strerror(status));
}

static void print_answer(struct replay *replay, const struct op *op, const struct answer *answer)
{
    switch (answer->form) {
    case ANSWER_WORD: text_out_string(&replay->out, answer->word); break;
    case ANSWER_NUMBER: text_out_number(&replay->out, answer->value); break;
    case ANSWER_PAIR: print_pair(&replay->out, answer->key, answer->value); break;
    case ANSWER_PAIRS: print_pairs(replay, answer); break;
    case ANSWER_FETCH: print_fetched(replay, op); break;
    case ANSWER_ERROR: print_error(replay, pleach_strerror(answer->status)); break;
    case ANSWER_TEXT:
        text_out_string(&replay->out, replay->message);
        replay->stats.errors++;
        break;
    }
}

void replay_print(struct replay *replay, const struct op *op, const struct answer *answer)
{
    if (op->kind == OP_BAD)
        print_error(replay, op->error != NULL ? op->error : "out of memory");
    else
        print_answer(replay, op, answer);
    text_out_char(&replay->out, '\n');
}
