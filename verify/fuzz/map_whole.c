/* map_whole.c - calls for the whole map. */
#include <math.h>
#include <stdlib.h>

#include "../../tools/common/words.h"
#include "map_subject.h"

static double take_fill(subject *s)
{
    unsigned form = take_byte(&s->in);
    static const double odd[] = {NAN, -1, INFINITY, 1.0000001};
    return form < 4 ? odd[form] : form < 8 ? 0 : form < 204 ? form / 203.0 : 1;
}

static bool fill_is_valid(double fill) { return fill >= 0 && fill <= 1; }

/* Whether a tree of so many keys fits: yes with a leaf, and two inner nodes for good measure, for every key; no with
 * more keys than slots. Between, either answer is taken. */
static bool surely_fits(const subject *s, size_t n) { return s->nodes == 0 || 3 * n + 4 <= s->nodes; }
static bool surely_not(const subject *s, size_t n) { return s->nodes > 0 && n > 14 * s->nodes; }

static bool built(const subject *s, pleach_status status, size_t n, const char *call)
{
    if (status == PLEACH_E_FULL) {
        CHECK(!surely_fits(s, n), "%s of %zu keys answers FULL at %llu nodes", call, n, (unsigned long long)s->nodes);
        return false;
    }
    if (!succeeded(s, status, call)) return false;
    CHECK(!surely_not(s, n), "%s of %zu keys into %llu nodes", call, n, (unsigned long long)s->nodes);
    return true;
}

/* While a snapshot is live the map is not built anew; if something else is wrong with the call it may say that. */
static bool refused_for_snapshots(const subject *s, pleach_status status, const char *call)
{
    if (s->live == 0) return false;
    CHECK(status == PLEACH_E_BUSY || status == PLEACH_E_ARGUMENT || status == PLEACH_E_NOT_EMPTY,
          "%s beside %zu snapshots answers %s", call, s->live, pleach_status_name(status));
    return true;
}

/* What was built must keep to the limit too, and nobody else would notice. */
static void check_built(subject *s)
{
    s->only_grown = false;
    whole_statistics(s);
}

void whole_load(subject *s)
{
    double fill = take_fill(s);
    key_array a = take_keys(s, 512);
    void *values = new_words(s, a.n);
    model loaded = {0};
    for (size_t i = 0; i < a.n; i++) {
        uint64_t value = next_value(s);
        word_set(values, s->key_bits, i, value);
        model_set(&loaded, a.keys[i], value); /* of equal keys the last one stays */
    }
    pleach_status status = pleach_map_load(s->map, a.n, a.words, values, fill);
    if (refused_for_snapshots(s, status, "load")) {
        model_free(&loaded);
    } else if (!fill_is_valid(fill) || s->model.n > 0) {
        pleach_status expected = fill_is_valid(fill) ? PLEACH_E_NOT_EMPTY : PLEACH_E_ARGUMENT;
        CHECK(status == expected, "load answers %s", pleach_status_name(status));
        model_free(&loaded);
    } else if (built(s, status, loaded.n, "load")) {
        model_free(&s->model);
        s->model = loaded;
        check_built(s);
    } else {
        model_free(&loaded);
    }
    free(values);
    free_keys(&a);
}

void whole_compact(subject *s)
{
    double fill = take_fill(s);
    pleach_status status = pleach_map_compact(s->map, fill);
    if (refused_for_snapshots(s, status, "compact")) return;
    if (!fill_is_valid(fill))
        CHECK(status == PLEACH_E_ARGUMENT, "compact answers %s", pleach_status_name(status));
    else if (built(s, status, s->model.n, "compact"))
        check_built(s);
}

void whole_clear(subject *s)
{
    pleach_status status = pleach_map_clear(s->map);
    if (refused_for_snapshots(s, status, "clear")) return;
    succeeded(s, status, "clear");
    model_clear(&s->model);
    s->only_grown = true;
}

void whole_reserve(subject *s)
{
    static const uint64_t impossible[] = {UINT64_MAX, (uint64_t)1 << 62, ((uint64_t)1 << 34) + 1};
    unsigned form = take_byte(&s->in);
    uint64_t keys = form < 3 ? impossible[form] : (uint64_t)form * 4;
    pleach_status status = pleach_map_reserve(s->map, keys);
    if (status == PLEACH_E_FULL) {
        CHECK(form < 3 || (s->nodes > 0 && keys > s->nodes), "reserve for %llu keys", (unsigned long long)keys);
        return;
    }
    if (!succeeded(s, status, "reserve")) return;
    CHECK(form >= 3 && !surely_not(s, keys), "reserve for %llu keys", (unsigned long long)keys);
    if (keys > s->reserved) s->reserved = keys;
}

void whole_export(subject *s)
{
    unsigned form = take_byte(&s->in);
    size_t n = SIZE_MAX, room = form & 4 ? s->model.n / 2 : s->model.n + (form & 8);
    void *keys = maybe_words(s, room, !(form & 1)), *values = maybe_words(s, room, !(form & 2));
    pleach_status status = ASK(s, export, room, keys, values, &n);
    bool small = room < s->model.n && (keys || values);
    CHECK(status == (small ? PLEACH_E_SPACE : PLEACH_OK), "export answers %s", pleach_status_name(status));
    CHECK(n == s->model.n, "export counts %zu keys, not %zu", n, s->model.n);
    for (size_t i = 0; i < room; i++) {
        bool written = !small && i < n;
        uint64_t untouched = untouched_word(s);
        if (keys) CHECK(get_word(s, keys, i) == (written ? s->model.pairs[i].key : untouched), "export: key %zu", i);
        if (values)
            CHECK(get_word(s, values, i) == (written ? s->model.pairs[i].value : untouched), "export: value %zu", i);
    }
    free(keys);
    free(values);
}

void whole_statistics(subject *s)
{
    pleach_map_stats stats;
    if (!succeeded(s, pleach_map_get_stats(s->map, &stats), "get_stats")) return;
    uint64_t nodes = stats.leaves + stats.inner, node_bytes = 32 * (uint64_t)s->key_bits / 8;
    CHECK(stats.keys == s->model.n, "%llu keys", (unsigned long long)stats.keys);
    CHECK(stats.key_bits == s->key_bits && stats.height >= 2, "height %u", stats.height);
    CHECK(stats.keys <= 14 * stats.leaves && stats.empty_leaves <= stats.leaves, "%llu leaves",
          (unsigned long long)stats.leaves);
    CHECK(stats.node_bytes == nodes * node_bytes && stats.reserved_bytes >= stats.node_bytes, "bytes");
    CHECK(s->nodes == 0 || nodes + stats.old_images < s->nodes, "%llu nodes", /* id 0 is nobody's */
          (unsigned long long)nodes);
    CHECK(stats.snapshots == s->live && (s->live > 0 || stats.old_images == 0), "%llu snapshots, %llu old images",
          (unsigned long long)stats.snapshots, (unsigned long long)stats.old_images);
    CHECK(stats.old_image_bytes == stats.old_images * node_bytes && stats.held_back_bytes <= stats.old_image_bytes,
          "bytes of old images");
    CHECK(s->nodes > 0 || stats.unposted == 0, "%llu unposted", (unsigned long long)stats.unposted);
    CHECK(fabs(stats.fill * 14 * (double)stats.leaves - (double)stats.keys) < 0.001, "fill %f", stats.fill);
}

void whole_validate(subject *s)
{
    char message[120] = "not written";
    pleach_status status = pleach_map_validate(s->map, message, sizeof message);
    if (succeeded(s, status, message)) CHECK(message[0] == '\0', "message '%s'", message);
}

void check_content(subject *s)
{
    uint64_t size = UINT64_MAX;
    CHECK(ASK(s, size, &size) == PLEACH_OK && size == s->model.n, "size is %llu instead of %zu",
          (unsigned long long)size, s->model.n);
    size_t n = 0;
    void *keys = new_words(s, s->model.n), *values = new_words(s, s->model.n);
    CHECK(ASK(s, export, s->model.n, keys, values, &n) == PLEACH_OK && n == s->model.n, "export");
    for (size_t i = 0; i < n; i++)
        CHECK(get_word(s, keys, i) == s->model.pairs[i].key && get_word(s, values, i) == s->model.pairs[i].value,
              "pair %zu of %zu differs", i, n);
    free(keys);
    free(values);
}
