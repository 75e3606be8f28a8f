#include "skiplists.h"

const shape shapes[SHAPES] = {{16, 1}, {32, 1}, {16, 0.5}, {32, 0.5}, {16, 0.1}, {32, 0.1}};

void with_every_shape(const setting *where, void (*run)(const setting *where, shape s))
{
    for (size_t i = 0; i < SHAPES; i++) {
        print_message("chunks of %u, raised with %g\n", shapes[i].chunk, shapes[i].raise);
        run(where, shapes[i]);
    }
}

pleach_map_config skiplist_config(const setting *where, shape s)
{
    return (pleach_map_config){.device = where->device, .key_bits = where->key_bits, .threads = where->threads,
                               .structure = PLEACH_SKIPLIST, .chunk = s.chunk, .raise = s.raise};
}

wide open_skiplist(const pleach_map_config *config)
{
    wide w = {NULL, config->key_bits, config->key_bits == 32 ? UINT32_MAX : UINT64_MAX};
    assert_ok(pleach_map_create(&w.map, config));
    return w;
}

wide open_shape(const setting *where, shape s)
{
    const pleach_map_config config = skiplist_config(where, s);
    return open_skiplist(&config);
}

uint64_t chunk_bytes(const wide *w, shape s) { return (uint64_t)s.chunk * w->key_bits / 4; }
