/* verify/sim/hash/hash_judge.c - what came of a schedule of hash tables, and names of their words for traces. */
#include <string.h>

#include "hash_world.h"

static slab *slab_of(uint64_t id) { return &((slab *)hash_now.place.runs.nodes)[id]; }

size_t hash_find_all(history_pair *pairs)
{
    hash_world *w = &hash_now;
    size_t count = 0;
    for (unsigned t = 0; t < w->tables; t++)
        for (unsigned number = 0; number < w->universe; number++) {
            history_op op = {.kind = HISTORY_FIND};
            if (!w->kind->alone(&w->place, &w->table[t], w->keys[number], &op)) w->stuck = true;
            if (op.outcome == HISTORY_FOUND)
                pairs[count++] = (history_pair){t * HASH_TABLE_STEP + number, op.out_value};
        }
    return count;
}

/* ---- every slab is in one place ---- */

static bool mark_free_run(uint64_t id, unsigned log, uint64_t *seen, char *why, size_t size)
{
    for (uint64_t end = id + ((uint64_t)1 << log); id < end; id++) {
        if (id < HASH_FIRST_ID || id >= HASH_SLABS || (seen[id / 64] >> id % 64 & 1))
            return snprintf(why, size, "P1: slab %llu is free, and somewhere else too", (unsigned long long)id), false;
        seen[id / 64] |= (uint64_t)1 << id % 64;
        uint64_t header = slab_of(id)->word[SLAB_HEADER];
        if (header == 0) continue; /* never used: nobody can have heard of it (pool_alloc_fresh_run) */
        if ((header & SLAB_LATCHED) || !(header & (SLAB_MOVED | SLAB_OTHER)) || slab_mask(header))
            return snprintf(why, size, "H5: slab %llu is free, and has the header %llx", (unsigned long long)id,
                            (unsigned long long)header), false;
    }
    return true;
}

static bool mark_list(uint64_t head, unsigned log, uint64_t *seen, char *why, size_t size)
{
    for (uint64_t id = (uint32_t)head; id; id = (uint32_t)slab_of(id)->word[SLAB_LINK])
        if (!mark_free_run(id, log, seen, why, size)) return false;
    return true;
}

static bool mark_lists(uint64_t *seen, char *why, size_t size)
{
    const pool_runs *runs = hash_now.place.runs.runs;
    for (unsigned i = 0; i < POOL_SINGLE_STRIPES; i++)
        if (!mark_list(runs->single[i].head, 0, seen, why, size)) return false;
    for (unsigned log = 1; log < POOL_RUN_LOGS; log++)
        if (!mark_list(runs->longer[log].head, log, seen, why, size)) return false;
    for (uint64_t id = (uint32_t)runs->row; id < runs->row >> 32; id++)
        if (!mark_free_run(id, 0, seen, why, size)) return false;
    return true;
}

/* Agents that race for the last slab move the end past the capacity; if that grows later, these ids are nowhere. */
static bool judge_places(uint64_t *seen, char *why, size_t size)
{
    hash_world *w = &hash_now;
    const pool_runs_place *runs = &w->place.runs;
    if (!mark_lists(seen, why, size)) return false;
    uint64_t next = runs->pool->next, capacity = runs->pool->capacity, end = next < capacity ? next : capacity;
    if (next > capacity) {
        w->passed_from = capacity;
        w->passed_to = next;
    }
    for (uint64_t id = HASH_FIRST_ID; id < end; id++)
        if (!(seen[id / 64] >> id % 64 & 1) && (id < w->passed_from || id >= w->passed_to))
            return snprintf(why, size, "P1: slab %llu is nowhere", (unsigned long long)id), false;
    return true;
}

/* `keys`: how many all tables have. */
static bool judge_shape(uint64_t *keys, char *why, size_t size)
{
    uint64_t seen[HASH_SLABS / 64] = {0};
    *keys = 0;
    for (unsigned t = 0; t < hash_now.tables; t++) {
        hash_counts counts;
        if (!hash_now.kind->ops->check(&hash_now.place, &hash_now.table[t], seen, &counts, why, size)) return false;
        *keys += counts.keys;
    }
    return judge_places(seen, why, size);
}

/* ---- the judgement ---- */

static bool refused_without_need(char *why, size_t size)
{
    for (unsigned i = 0; i < hash_now.first_op[hash_now.agents]; i++) {
        const history_op *op = &hash_now.ops[i];
        if (op->kind > HISTORY_ERASE || op->outcome != HISTORY_NOT_APPLIED) continue;
        if (hash_now.may_refuse && op->kind != HISTORY_ERASE) continue;
        return snprintf(why, size, "an update was refused though the pool has room"), true;
    }
    return false;
}

/* Finds see all keys that there are. */
static bool judge_contents(size_t *count, char *why, size_t size)
{
    uint64_t keys;
    if (!judge_shape(&keys, why, size)) return false;
    *count = hash_find_all(hash_now.last);
    if (hash_now.stuck) return snprintf(why, size, "a find by somebody who is alone does not end"), false;
    if (*count != keys)
        return snprintf(why, size, "the tables have %llu keys, finds see %zu", (unsigned long long)keys, *count), false;
    return true;
}

/* With memory enough, what is left of a growth can be done, and changes nothing. */
static bool judge_growth(size_t before, char *why, size_t size)
{
    size_t after;
    hash_now.place.runs.pool->capacity = HASH_SLABS;
    for (unsigned t = 0; t < hash_now.tables; t++)
        if (!hash_now.kind->finish(&hash_now.place, &hash_now.table[t]))
            return snprintf(why, size, "a growth cannot be finished by somebody who is alone"), false;
    if (!judge_contents(&after, why, size)) return false;
    return after == before || (snprintf(why, size, "finishing a growth changes the number of keys"), false);
}

/* Who is alone gets every free slab, whatever list it is in and whatever run it is part of, before it is told that
 * there is none. */
static bool judge_free(char *why, size_t size)
{
    uint64_t seen[HASH_SLABS / 64] = {0};
    unsigned expected = 0, taken = 0;
    if (!mark_lists(seen, why, size)) return false;
    for (unsigned i = 0; i < HASH_SLABS / 64; i++) expected += (unsigned)__builtin_popcountll(seen[i]);
    hash_now.place.runs.pool->capacity = 0; /* nothing fresh */
    while (hash_now.kind->take(&hash_now.place)) taken++;
    if (taken == expected) return true;
    return snprintf(why, size, "%u slabs are free, %u could be taken", expected, taken), false;
}

bool hash_judge(char *why, size_t size, sim_checked *checked)
{
    hash_world *w = &hash_now;
    size_t last_count;
    w->bad_history = false;
    if (w->stuck) return snprintf(why, size, "an operation does not end, and nobody else is there"), false;
    if (!judge_contents(&last_count, why, size) || refused_without_need(why, size)) return false;
    if (!w->checker) w->checker = history_checker_create();
    w->history = (history){.initial = w->initial, .initial_count = w->initial_count, .ops = w->ops,
                           .count = w->first_op[w->agents], .pairs = w->pairs, .final = w->last,
                           .final_count = last_count};
    history_verdict verdict = w->checker ? history_check(w->checker, &w->history) : HISTORY_UNDECIDED;
    checked->histories += verdict == HISTORY_GOOD;
    checked->undecided += verdict == HISTORY_UNDECIDED;
    w->bad_history = verdict == HISTORY_BAD;
    if (w->bad_history) return snprintf(why, size, "the answers are not those of a table"), false;
    return judge_growth(last_count, why, size) && judge_free(why, size);
}

void hash_explain(FILE *out)
{
    if (hash_now.bad_history) history_explain(hash_now.checker, &hash_now.history, out);
}

void hash_forget(void)
{
    history_checker_destroy(hash_now.checker);
    hash_now.checker = NULL;
}

/* ---- names of words, for traces: the pool comes first, then its runs, the tables, the slabs ---- */

static size_t offset_in(uint32_t word, const void *part)
{
    return (size_t)((uint64_t *)hash_now.place.runs.pool + word - (const uint64_t *)part);
}

static void describe_table(size_t at, uint64_t value, char *text, size_t size)
{
    static const char *const names[] = {"root", "next", "cursor", "load"};
    unsigned high = (unsigned)(value >> 32), low = (unsigned)value;
    if (at % 4 < 2)
        snprintf(text, size, "table %zu: %s = slab %u, log %u, version %u", at / 4, names[at % 4], low, high & 31,
                 high >> 5);
    else
        snprintf(text, size, "table %zu: %s = %u, %u", at / 4, names[at % 4], high, low);
}

static void describe_slab(size_t at, uint64_t value, char *text, size_t size)
{
    unsigned id = (unsigned)(at / SLAB_WORDS), word = (unsigned)(at % SLAB_WORDS);
    unsigned long long v = value;
    if (word == SLAB_HEADER)
        snprintf(text, size, "slab %u header = version %llu, slots %x%s%s%s", id, v >> SLAB_VERSION_SHIFT,
                 slab_mask(value), value & SLAB_LATCHED ? ", latched" : "", value & SLAB_MOVED ? ", moved" : "",
                 value & SLAB_OTHER ? ", other" : "");
    else if (word == SLAB_LINK)
        snprintf(text, size, "slab %u link = slab %u, log %u", id, (unsigned)value, (unsigned)(value >> 32));
    else
        snprintf(text, size, "slab %u word %u = (%u, %u)", id, word - SLAB_FIRST, (unsigned)value,
                 (unsigned)(value >> 32));
}

void hash_describe(uint32_t word, uint64_t value, char *text, size_t size)
{
    const pool_runs_place *runs = &hash_now.place.runs;
    if ((uint64_t *)runs->pool + word >= (uint64_t *)runs->nodes)
        describe_slab(offset_in(word, runs->nodes), value, text, size);
    else if ((uint64_t *)runs->pool + word >= (uint64_t *)hash_now.table)
        describe_table(offset_in(word, hash_now.table), value, text, size);
    else if ((uint64_t *)runs->pool + word >= (uint64_t *)runs->runs)
        snprintf(text, size, "list %zu = slab %u, tag %u", offset_in(word, runs->runs) / 8, (unsigned)value,
                 (unsigned)(value >> 32));
    else
        snprintf(text, size, "pool: %s = %llu", word ? "capacity" : "next", (unsigned long long)value);
}

bool hash_is_latched(uint32_t word, uint64_t value)
{
    const pool_runs_place *runs = &hash_now.place.runs;
    if ((uint64_t *)runs->pool + word < (uint64_t *)runs->nodes) return false;
    return offset_in(word, runs->nodes) % SLAB_WORDS == SLAB_HEADER && (value & SLAB_LATCHED);
}
