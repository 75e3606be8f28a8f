/* contents.c - begin and end of a round, and the whole contents of the structure against the oracle. */
#include <inttypes.h>
#include <stdlib.h>

#include "stress.h"
#include "tools/common/words.h"

/* ---- a round ---- */

/* Each client owns the same number of blocks. */
static size_t whole_blocks(const struct stress *s, size_t cells)
{
    const size_t group = s->block * s->client_count;
    return cells > group ? cells / group * group : group;
}

/* The seed of the round chooses the engine of a tree, chunk size and promotion probability of a skiplist, the seed of a
 * hash table, and whether that is a set. */
static pleach_status create_target(struct stress *s)
{
    static const double raises[] = {1, 1, 0.5, 0.1};
    const uint64_t draw = s->seed;
    s->target = (struct target){0};
    if (s->options.structure == TARGET_HASH) {
        s->target.set = draw % 3 == 0;
        const pleach_hash_config config = {.device = s->device->kind, .key_bits = s->bits, .set = s->target.set,
                                           .threads = 2, .seed = (uint32_t)draw, .fixed_seed = 1};
        return pleach_hash_create(&s->target.hash, &config);
    }
    pleach_map_config config = {.device = s->device->kind, .key_bits = s->bits, .versioned = s->options.versioned};
    if (s->options.structure == TARGET_SKIPLIST) {
        config.structure = PLEACH_SKIPLIST;
        config.chunk = draw % 2 == 0 ? 16 : 32;
        config.raise = raises[draw / 2 % (sizeof raises / sizeof raises[0])];
    } else {
        config.engine = (pleach_engine)((draw >> 8) % (PLEACH_ENGINE_BATCHES + 1));
    }
    return pleach_map_create(&s->target.map, &config);
}

bool round_open(struct stress *s, size_t cells)
{
    static const size_t blocks[] = {1, 4, 16, 64};
    s->block = blocks[mix_below(&s->random, sizeof blocks / sizeof blocks[0])];
    s->keys = key_space_make((enum key_layout)mix_below(&s->random, KEY_LAYOUTS), s->bits, whole_blocks(s, cells));
    s->turn = (struct turn){0};
    for (unsigned i = 0; i < s->client_count; i++) {
        s->clients[i].random = (struct mix_random){mix64(s->seed + i)};
        s->clients[i].cursor = s->clients[i].serial = 0;
    }
    s->out_keys = malloc(s->keys.cells * sizeof(uint64_t));
    s->out_values = malloc(s->keys.cells * sizeof(uint64_t));
    if (!oracle_create(&s->oracle, s->keys.cells) || s->out_keys == NULL || s->out_values == NULL) {
        stress_wrong(s, 0, "out of host memory");
        return false;
    }
    return STRESS_CALL(s, 0, "create", 0, create_target(s));
}

void round_close(struct stress *s)
{
    if (s->target.map != NULL) snapshot_check_none_left(s);
    heartbeat_begin(s, 0, "destroy", 0);
    target_destroy(&s->target);
    heartbeat_end(s, 0, PLEACH_OK);
    oracle_destroy(&s->oracle);
    free(s->out_keys);
    free(s->out_values);
    s->out_keys = s->out_values = NULL;
}

/* ---- filling ---- */

void contents_gather(struct stress *s)
{
    s->pairs = 0;
    for (size_t cell = 0; cell < s->keys.cells; cell++) {
        if (!s->oracle.present[cell]) continue;
        word_set(s->out_keys, s->bits, s->pairs, key_of(&s->keys, cell));
        word_set(s->out_values, s->bits, s->pairs++, s->oracle.values[cell]);
    }
}

void contents_load(struct stress *s, unsigned client)
{
    if (STRESS_CALL(s, client, "load", s->pairs, target_load(&s->target, s->pairs, s->out_keys, s->out_values)))
        stress_count(&s->clients[client], s->pairs, 0);
}

void contents_fill(struct stress *s)
{
    uint64_t unused;
    for (size_t cell = 0; cell < s->keys.cells; cell++) {
        const uint64_t draw = mix_next(&s->random);
        if (draw % 2 == 0) continue;
        const uint64_t value = stress_value(s, key_of(&s->keys, cell), cell_owner(s, cell), draw >> 32);
        oracle_update(&s->oracle, PLEACH_OP_PUT, cell, value, &unused);
    }
    contents_gather(s);
    contents_load(s, 0);
}

/* ---- comparing ---- */

/* Only hash tables export in no order; their validator finds a key that occurs twice. */
static void compare_part(void *context, unsigned index)
{
    struct stress *s = context;
    const size_t begin = s->pairs * index / s->client_count, end = s->pairs * (index + 1) / s->client_count;
    for (size_t i = begin; i < end; i++) {
        const uint64_t key = word_get(s->out_keys, s->bits, i);
        const uint64_t value = s->target.set ? 0 : word_get(s->out_values, s->bits, i);
        const size_t cell = cell_of(&s->keys, key);
        uint64_t right = 0;
        if (cell == NO_CELL || !oracle_find(&s->oracle, cell, &right) || right != value)
            stress_wrong(s, index, "export: pair %zu is %" PRIu64 ":%" PRIu64 "; expected value %" PRIu64, i, key,
                         value, right);
        if (s->target.map != NULL && i > 0 && word_get(s->out_keys, s->bits, i - 1) >= key)
            stress_wrong(s, index, "export: pair %zu, key %" PRIu64 ", is not above the previous one", i, key);
    }
    stress_count(&s->clients[index], 0, end - begin);
}

void contents_compare_pairs(struct stress *s, const char *what)
{
    const size_t right = oracle_size(&s->oracle);
    if (s->pairs != right)
        stress_wrong(s, 0, "%s has %zu keys; expected %zu", what, s->pairs, right);
    else
        crew_run(s->crew, compare_part, s);
}

/* Into arrays in GPU memory. */
static pleach_status export_there(struct stress *s)
{
    const size_t cells = s->keys.cells, bytes = cells * word_bytes(s->bits);
    void *keys = s->device->allocate(bytes), *values = s->device->allocate(bytes);
    pleach_status status = PLEACH_E_MEMORY;
    if (keys != NULL && values != NULL) status = target_export(&s->target, cells, keys, values, &s->pairs);
    if (status == PLEACH_OK &&
        (!s->device->copy_out(s->out_keys, keys, bytes) || !s->device->copy_out(s->out_values, values, bytes)))
        status = PLEACH_E_CUDA;
    s->device->release(keys);
    s->device->release(values);
    return status;
}

void contents_compare(struct stress *s)
{
    const bool there = s->on_gpu && mix_below(&s->random, 2) == 0;
    uint64_t size = 0;
    if (!STRESS_CALL(s, 0, "export", s->keys.cells,
                     there ? export_there(s)
                           : target_export(&s->target, s->keys.cells, s->out_keys, s->out_values, &s->pairs)) ||
        !STRESS_CALL(s, 0, "size", 0, target_size(&s->target, &size)))
        return;
    if (size != s->pairs) stress_wrong(s, 0, "size is %" PRIu64 "; export has %zu keys", size, s->pairs);
    contents_compare_pairs(s, "export");
    stress_count(&s->clients[0], s->pairs, 1);
}

void contents_validate(struct stress *s)
{
    char message[256] = "";
    heartbeat_begin(s, 0, "validate", 0);
    const pleach_status status = heartbeat_end(s, 0, target_validate(&s->target, message, sizeof message));
    if (status == PLEACH_E_CORRUPT)
        stress_wrong(s, 0, "validate: %s", message);
    else
        stress_ok(s, 0, "validate", status);
}

void contents_check(struct stress *s)
{
    contents_compare(s);
    if (!stress_is_wrong(s)) contents_validate(s);
}
