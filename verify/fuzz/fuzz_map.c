/* fuzz_map.c - any sequence of calls on a map of any kind; every answer is compared with a sorted array.
 *
 * THE INPUT   options (4 bytes), then operations: a byte that says which, then what it takes. Everything is decoded by
 *             take_byte, so that each input means something, and a change of one byte changes little.
 */
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include "../../tools/common/words.h"
#include "map_subject.h"

enum { MOST_KEYS = 3000, MOST_OPERATIONS = 400 };

/* ---- words and keys ---- */

uint64_t untouched_word(const subject *s) { return 0xa5a5a5a5a5a5a5a5u & s->top; }

uint8_t *new_bytes(size_t n)
{
    uint8_t *array = fuzz_alloc(n);
    memset(array, UNTOUCHED, n);
    return array;
}

void *new_words(const subject *s, size_t n) { return new_bytes(n * word_bytes(s->key_bits)); }

void *maybe_words(const subject *s, size_t n, bool wanted) { return wanted ? new_words(s, n) : NULL; }

uint8_t *maybe_bytes(size_t n, bool wanted) { return wanted ? new_bytes(n) : NULL; }

uint64_t get_word(const subject *s, const void *words, size_t i) { return word_get(words, s->key_bits, i); }

/* 0, top, 1, top - 1 ...: both ends of what a value can be. */
uint64_t next_value(subject *s)
{
    uint64_t turn = s->next_value++;
    return turn % 2 ? s->top - turn / 2 : turn / 2;
}

/* A key of the model or one beside it. */
static uint64_t present_key(subject *s, unsigned which, unsigned beside)
{
    if (s->model.n == 0) return which;
    return (s->model.pairs[which % s->model.n].key + beside % 3 - 1) & s->top;
}

uint64_t take_key(subject *s)
{
    unsigned kind = take_byte(&s->in);
    switch (kind % 8) {
    case 0:
    case 1: return take_byte(&s->in);
    case 2: return (s->top / 16 * (kind / 8 % 16) + take_byte(&s->in) % 32) & s->top;
    case 3: return kind / 8 % 16;
    case 4: return s->top - kind / 8 % 16;
    case 5: return take_number(&s->in, 8) & s->top;
    case 6: return take_number(&s->in, 2);
    default: return present_key(s, take_byte(&s->in), kind / 8);
    }
}

static uint64_t take_step(subject *s)
{
    unsigned step = take_byte(&s->in);
    uint64_t distance = (uint64_t)(step % 32) << step / 64 * 10;
    return step / 32 % 2 ? (uint64_t)0 - distance : distance;
}

/* Mostly short: a long array says little more, and takes its time. Beyond 256 elements the map's threads share them. */
static size_t take_length(subject *s, bool shared)
{
    size_t n = 1 + take_byte(&s->in);
    return shared ? 256 + n : n / 4;
}

key_array take_keys(subject *s, size_t most)
{
    unsigned form = take_byte(&s->in);
    bool sequence = form >= 192;
    key_array a = {.n = sequence ? take_length(s, form >= 248) : form % 24};
    if (a.n > most) a.n = most;
    a.keys = fuzz_alloc(a.n * sizeof *a.keys);
    a.words = new_words(s, a.n);
    uint64_t key = sequence ? take_key(s) : 0, step = sequence ? take_step(s) : 0;
    for (size_t i = 0; i < a.n; i++) {
        a.keys[i] = sequence ? (key + i * step) & s->top : take_key(s);
        word_set(a.words, s->key_bits, i, a.keys[i]);
    }
    return a;
}

void free_keys(key_array *a)
{
    free(a->keys);
    free(a->words);
}

/* ---- what may be answered ---- */

bool succeeded(const subject *s, pleach_status status, const char *call)
{
    bool lacked = s->may_lack && status == PLEACH_E_MEMORY;
    CHECK(status == PLEACH_OK || lacked, "%s answers %s", call, pleach_status_name(status));
    return status == PLEACH_OK;
}

void check_full_is_justified(const subject *s, uint64_t wanted)
{
    CHECK(s->nodes > 0, "FULL without a limit, at %zu keys", s->model.n);
    if (!s->only_grown) return;
    CHECK(s->model.n >= 2 * s->nodes, "FULL with %zu keys in %llu nodes", s->model.n, (unsigned long long)s->nodes);
    CHECK(wanted > s->reserved, "FULL at %llu keys, and %llu were reserved", (unsigned long long)wanted,
          (unsigned long long)s->reserved);
}

/* ---- the map ---- */

static void choose_verbs(unsigned choice)
{
    static const char *const names[] = {"plain", "avx2", "avx512"};
    setenv("PLEACH_SIMD", names[choice % 3], 1); /* looked at by every creation; what is not there falls back */
}

/* Options from the input; *expected is what creation must answer, but for a reserve that may be FULL. */
static pleach_map_config take_config(subject *s, pleach_status *expected)
{
    unsigned form = take_byte(&s->in), limit = take_byte(&s->in), reserve = take_byte(&s->in);
    choose_verbs(form / 2);
    unsigned spoilt = take_byte(&s->in);
    s->versioned = (spoilt & 64) != 0;
    pleach_map_config config = {.key_bits = form % 2 ? 32 : form & 128 ? 0 : 64, .threads = 1 + form / 8 % 3,
                                .versioned = s->versioned};
    s->key_bits = form % 2 ? 32 : 64;
    s->top = word_max(s->key_bits);
    uint64_t node_bytes = 32 * (uint64_t)s->key_bits / 8; /* 16 slots of a key and a value */
    if (limit < 224) s->nodes = limit < 160 ? 8 + limit % 40 : 8 + 8 * (uint64_t)(limit - 160);
    if (s->nodes) config.max_bytes = s->nodes * node_bytes + form % 7; /* not always a whole number of nodes */
    if (reserve > 128) config.reserve_keys = (uint64_t)(reserve - 128) * 4;
    *expected = PLEACH_OK;
    if (spoilt < 250) return config;
    *expected = spoilt == 255 ? PLEACH_E_FULL : PLEACH_E_ARGUMENT;
    if (spoilt == 250) config.key_bits = 16;
    if (spoilt == 251) config.threads = 1025;
    if (spoilt == 252) config.max_bytes = 8 * node_bytes - 1;
    if (spoilt == 253) config.device = (pleach_device)2;
    if (spoilt == 254) config.key_bits = 65;
    if (spoilt == 255) config.reserve_keys = UINT64_MAX;
    return config;
}

/* False: there is no map, and there should not be one. */
static bool create(subject *s)
{
    pleach_status expected;
    pleach_map_config config = take_config(s, &expected);
    pleach_status status = pleach_map_create(&s->map, &config);
    CHECK((s->map != NULL) == (status == PLEACH_OK), "create answers %s", pleach_status_name(status));
    if (status == PLEACH_E_FULL && expected == PLEACH_OK) {
        CHECK(config.reserve_keys > s->nodes && s->nodes > 0, "no room to reserve for so few keys");
        return false;
    }
    CHECK(status == expected, "create answers %s instead of %s", pleach_status_name(status),
          pleach_status_name(expected));
    s->reserved = config.reserve_keys;
    s->only_grown = true;
    return status == PLEACH_OK;
}

/* ---- operations ---- */

static void operate(subject *s, unsigned which)
{
    switch (which % 32) {
    case 0:
    case 1:
    case 2: update_array(s, UPDATE_PUT); break;
    case 3:
    case 4: update_array(s, UPDATE_ADD); break;
    case 5:
    case 6: update_array(s, UPDATE_ERASE); break;
    case 7:
    case 8: update_one(s, UPDATE_PUT); break;
    case 9: update_one(s, UPDATE_ADD); break;
    case 10:
    case 11: update_one(s, UPDATE_ERASE); break;
    case 12: query_find(s); break;
    case 13: query_contains(s); break;
    case 14:
    case 15: query_neighbours(s); break;
    case 16:
    case 17: query_one(s); break;
    case 18: query_range_count(s); break;
    case 19:
    case 20: query_range_limit(s); break;
    case 21:
    case 22: query_range(s); break;
    case 23: whole_load(s); break;
    case 24: whole_export(s); break;
    case 25: whole_compact(s); break;
    case 26: whole_clear(s); break;
    case 27: whole_reserve(s); break;
    case 28: whole_statistics(s); break;
    case 29: whole_validate(s); break;
    case 30: check_content(s); break;
    default: refuse_something(s); break;
    }
}

/* One operation, perhaps with an allocation that fails in it. */
static void operate_once(subject *s)
{
    unsigned which = take_byte(&s->in);
    s->may_lack = which >= 224;
    base_fail_nth_allocation(s->may_lack ? 1 + (long)take_byte(&s->in) % 4 : 0);
    if (s->versioned && which / 32 % 4 == 1)
        snapshot_something(s);
    else
        operate(s, which);
    base_fail_nth_allocation(0);
    s->may_lack = false;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_small_pages();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    subject s = {.in = {data, data + size}};
    if (!create(&s)) return 0;
    for (unsigned i = 0; s.in.at < s.in.end && i < MOST_OPERATIONS && s.model.n < MOST_KEYS; i++) {
        operate_once(&s);
        if (i % 16 == 15) whole_validate(&s);
    }
    check_content(&s);
    whole_validate(&s);
    snapshots_release_all(&s);
    whole_statistics(&s);
    pleach_map_destroy(s.map);
    model_free(&s.model);
    return 0;
}
