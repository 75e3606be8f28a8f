#include "pairs.h"

#include <stdlib.h>
#include <string.h>

#include "buffers.h"
#include "compare.h"
#include "patterns.h"

static pairs pairs_alloc(size_t n)
{
    return (pairs){n, must_alloc(n, sizeof(uint64_t)), must_alloc(n, sizeof(uint64_t))};
}

void pairs_free(pairs *p)
{
    free(p->keys);
    free(p->values);
}

pairs pairs_spread(size_t n, uint64_t top, uint64_t salt)
{
    pairs p = pairs_alloc(n);
    for (size_t i = 0; i < n; i++) {
        p.keys[i] = i > 0 && i == n - 1 ? top : i * (n > 1 ? top / (n - 1) : 0);
        p.values[i] = value_for(p.keys[i], top, salt);
    }
    return p;
}

pairs pairs_of_map(const wide *w)
{
    size_t n = 0;
    assert_ok(wide_export(w, 0, NULL, NULL, &n));
    pairs p = pairs_alloc(n);
    assert_ok(wide_export(w, n, p.keys, p.values, &n));
    return p;
}

pairs pairs_of_snapshot(pleach_snapshot *snapshot, unsigned key_bits)
{
    uint64_t size = 0;
    size_t n = 0;
    assert_ok(pleach_snapshot_size(snapshot, &size));
    pairs p = pairs_alloc((size_t)size);
    void *keys = narrowed(key_bits, p.n, p.keys), *values = narrowed(key_bits, p.n, p.values);
    assert_ok(pleach_snapshot_export(snapshot, p.n, keys, values, &n));
    assert_int_equal(n, p.n);
    widened(key_bits, n, keys, p.keys);
    widened(key_bits, n, values, p.values);
    return p;
}

void assert_holds(const wide *w, const pairs *expected)
{
    assert_valid(w);
    AT_END(pairs_free) pairs held = pairs_of_map(w);
    assert_int_equal(held.n, expected->n);
    assert_words_equal("keys", held.n, held.keys, expected->keys);
    assert_words_equal("values", held.n, held.values, expected->values);
}

wide open_target(const setting *where, unsigned versioned, const pairs *content)
{
    pleach_map_config config = versioned ? tree_config_for(where) : config_for(where);
    config.versioned = versioned;
    wide w = wide_open_as(config);
    assert_ok(wide_load(&w, content->n, content->keys, content->values, 0));
    return w;
}

wide open_source(const setting *where, const pairs *content)
{
    const setting on_cpu = {PLEACH_CPU, where->key_bits, where->threads};
    return open_target(&on_cpu, 1, content);
}

pleach_snapshot *snapshot_of(const wide *w)
{
    pleach_snapshot *snapshot = NULL;
    assert_ok(pleach_snapshot_take(w->map, &snapshot, PLEACH_SYNC));
    return snapshot;
}
