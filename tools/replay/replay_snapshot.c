/* replay_snapshot.c - snapshots by name, and files. Each such operation is a run of its own, so these are called by one
 * thread. */
#define _DEFAULT_SOURCE 1
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"
#include "tools/common/words.h"

/* ---- lines ---- */

static void make_bad(struct op *op, const char *text) { *op = (struct op){.kind = OP_BAD, .error = strdup(text)}; }

static const struct {
    const char *verb;
    enum op_kind kind;
    const char *lacking;
} named[] = {
    {"snap", OP_SNAP, "snap takes a NAME"},
    {"drop", OP_DROP, "drop takes a NAME"},
    {"save", OP_SAVE, "save takes a FILE, without blanks"},
    {"load", OP_LOAD, "load takes a FILE, without blanks"},
};

enum { NAMED = sizeof named / sizeof named[0], NAMED_VERB = 4 };

/* The place in `named` of the verb that the line begins with; NAMED if it is none of these. */
static size_t find_named(const char *line, size_t verb)
{
    size_t i = 0;
    while (i < NAMED && (verb != NAMED_VERB || memcmp(line, named[i].verb, NAMED_VERB) != 0)) i++;
    return i;
}

/* `name` is what comes after the verb. */
static void parse_named(size_t which, const char *name, size_t length, struct op *op)
{
    if (length == 0 || memchr(name, ' ', length) != NULL)
        make_bad(op, named[which].lacking);
    else
        *op = (struct op){.kind = named[which].kind, .name = strndup(name, length)};
}

static bool is_question(enum op_kind kind)
{
    return kind == OP_SIZE || (op_is_in_batches(kind) && !op_changes_key(kind));
}

/* "get@NAME K": parsed as "get K". */
static void parse_question(const char *line, size_t length, const char *at, unsigned key_bits, struct op *op)
{
    char plain[TEXT_LINE_BYTES];
    const char *end = line + length, *space = memchr(at, ' ', (size_t)(end - at));
    const char *name_end = space != NULL ? space : end;
    const size_t verb = (size_t)(at - line), rest = (size_t)(end - name_end);
    if (name_end == at + 1) {
        make_bad(op, "a NAME of a snapshot belongs after @");
        return;
    }
    memcpy(plain, line, verb);
    memcpy(plain + verb, name_end, rest);
    replay_parse(plain, verb + rest, key_bits, op);
    if (op->kind == OP_BAD) return;
    if (!is_question(op->kind)) {
        make_bad(op, "a snapshot has get, has, range, count, succ, pred and size");
        return;
    }
    op->asked = op->kind;
    op->kind = OP_AT;
    op->name = strndup(at + 1, (size_t)(name_end - at) - 1);
}

void replay_parse_versioned(const char *line, size_t length, unsigned key_bits, struct op *op)
{
    const char *space = memchr(line, ' ', length);
    const size_t verb = space != NULL ? (size_t)(space - line) : length;
    const char *at = memchr(line, '@', verb);
    const size_t which = find_named(line, verb);
    if (which < NAMED)
        parse_named(which, line + verb + (space != NULL), length - verb - (space != NULL), op);
    else if (at != NULL && at > line)
        parse_question(line, length, at, key_bits, op);
    else
        replay_parse(line, length, key_bits, op);
}

/* ---- carrying out ---- */

static struct named_snapshot *find_snapshot(struct replay *replay, const char *name)
{
    for (size_t i = 0; i < replay->snapshot_count; i++)
        if (strcmp(replay->snapshots[i].name, name) == 0) return &replay->snapshots[i];
    return NULL;
}

static void answer_text(struct replay *replay, const char *format, const char *name, struct answer *answer)
{
    snprintf(replay->message, sizeof replay->message, format, name);
    *answer = (struct answer){.form = ANSWER_TEXT};
}

static void answer_status(pleach_status status, struct answer *answer)
{
    *answer = status == PLEACH_OK ? answer_word("ok") : answer_error(status);
}

static void take(struct replay *replay, const struct op *op, struct answer *answer)
{
    if (find_snapshot(replay, op->name) != NULL) {
        answer_text(replay, "error: there is a snapshot '%.100s' already", op->name, answer);
        return;
    }
    struct named_snapshot fresh = {.name = strdup(op->name)};
    struct named_snapshot *all = realloc(replay->snapshots, (replay->snapshot_count + 1) * sizeof all[0]);
    if (all != NULL) replay->snapshots = all;
    pleach_status status = PLEACH_E_MEMORY;
    if (fresh.name != NULL && all != NULL)
        status = pleach_snapshot_take(replay->target.map, &fresh.snapshot, PLEACH_SYNC);
    if (status == PLEACH_OK)
        all[replay->snapshot_count++] = fresh;
    else
        free(fresh.name);
    answer_status(status, answer);
}

static void release(struct replay *replay, struct named_snapshot *named)
{
    pleach_snapshot_release(named->snapshot);
    free(named->name);
    *named = replay->snapshots[--replay->snapshot_count];
}

void replay_release_all(struct replay *replay)
{
    while (replay->snapshot_count > 0) release(replay, &replay->snapshots[0]);
    free(replay->snapshots);
}

/* All pairs of the interval, chunk by chunk, to the first thread's store. */
static pleach_status read_range(struct replay *replay, pleach_snapshot *snapshot, const struct op *op,
                                struct answer *answer)
{
    struct pair_store *store = &replay->stores[0];
    uint64_t from = op->a, left = op->limit, offsets[2];
    *answer = (struct answer){.form = ANSWER_PAIRS, .key = store->pairs};
    bool more = !replay_range_is_empty(op);
    while (more) {
        size_t total = 0;
        const uint32_t limit = left < RANGE_CHUNK ? (uint32_t)left : RANGE_CHUNK;
        const struct ends ends = replay_ends(replay, from, op->b);
        const pleach_status status = pleach_snapshot_range(snapshot, 1, &ends.lo, &ends.hi, limit, RANGE_CHUNK,
                                                           store->keys, store->values, offsets, &total);
        if (status != PLEACH_OK) return status;
        if (!pair_store_add(store, replay->key_bits, 0, total, store->keys, store->values)) return PLEACH_E_MEMORY;
        answer->value += total;
        if (op->limit != REPLAY_NO_LIMIT) left -= total;
        const uint64_t last = total > 0 ? word_get(store->keys, replay->key_bits, total - 1) : op->b;
        more = total == limit && left > 0 && last < op->b;
        from = last + 1;
    }
    return PLEACH_OK;
}

static pleach_status read_point(const struct replay *replay, pleach_snapshot *snapshot, const struct op *op,
                                struct answer *answer)
{
    const unsigned bits = replay->key_bits;
    uint64_t key, out_key = 0, value = 0;
    uint8_t found = 0;
    pleach_status status;
    word_set(&key, bits, 0, op->a);
    if (op->asked == OP_SUCC)
        status = pleach_snapshot_succ(snapshot, 1, &key, &out_key, &value, &found, PLEACH_SYNC);
    else if (op->asked == OP_PRED)
        status = pleach_snapshot_pred(snapshot, 1, &key, &out_key, &value, &found, PLEACH_SYNC);
    else
        status = pleach_snapshot_find(snapshot, 1, &key, &value, &found, PLEACH_SYNC);
    *answer = answer_key(op->asked, found, word_get(&out_key, bits, 0), word_get(&value, bits, 0));
    return status;
}

static pleach_status read_number_of_keys(const struct replay *replay, pleach_snapshot *snapshot, const struct op *op,
                                         struct answer *answer)
{
    const struct ends ends = replay_ends(replay, op->a, op->b);
    *answer = answer_number(0);
    if (op->asked == OP_SIZE) return pleach_snapshot_size(snapshot, &answer->value);
    return pleach_snapshot_range_count(snapshot, 1, &ends.lo, &ends.hi, &answer->value, PLEACH_SYNC);
}

static void ask(struct replay *replay, pleach_snapshot *snapshot, const struct op *op, struct answer *answer)
{
    const pleach_status status = op_is_on_key(op->asked) ? read_point(replay, snapshot, op, answer)
                                 : op->asked == OP_RANGE ? read_range(replay, snapshot, op, answer)
                                                         : read_number_of_keys(replay, snapshot, op, answer);
    if (status != PLEACH_OK) *answer = answer_error(status);
}

static pleach_status save(struct replay *replay, const char *path)
{
    pleach_snapshot *snapshot = NULL;
    pleach_status status = pleach_snapshot_take(replay->target.map, &snapshot, PLEACH_SYNC);
    if (status == PLEACH_OK) status = pleach_snapshot_save(snapshot, path);
    const int why = errno;
    pleach_snapshot_release(snapshot);
    errno = why;
    return status;
}

static void save_or_load(struct replay *replay, const struct op *op, struct answer *answer)
{
    errno = 0;
    const pleach_status status = op->kind == OP_SAVE ? save(replay, op->name)
                                                     : pleach_map_load_file(replay->target.map, op->name, 0);
    answer_status(status, answer);
    if (status != PLEACH_E_FILE) return;
    char text[256]; /* the system's own reason is the one that helps */
    snprintf(text, sizeof text, "error: %.100s: %s", op->name, strerror(errno));
    answer_text(replay, "%s", text, answer);
}

/* An operation on a snapshot that should be there. */
static void use(struct replay *replay, const struct op *op, struct answer *answer)
{
    struct named_snapshot *found = find_snapshot(replay, op->name);
    if (found == NULL) {
        answer_text(replay, "error: there is no snapshot '%.100s'", op->name, answer);
    } else if (op->kind == OP_DROP) {
        release(replay, found);
        answer_status(PLEACH_OK, answer);
    } else {
        ask(replay, found->snapshot, op, answer);
    }
}

void replay_snapshot(struct replay *replay, const struct op *op, struct answer *answer)
{
    if (op->name == NULL) { /* no memory for it when the line was read */
        answer_status(PLEACH_E_MEMORY, answer);
        return;
    }
    if (op->kind == OP_SNAP)
        take(replay, op, answer);
    else if (op->kind == OP_SAVE || op->kind == OP_LOAD)
        save_or_load(replay, op, answer);
    else
        use(replay, op, answer);
}
