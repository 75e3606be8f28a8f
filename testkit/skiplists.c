#include "skiplists.h"

const shape shapes[SHAPES] = {{16, 1}, {32, 1}, {16, 0.5}, {32, 0.5}, {16, 0.1}, {32, 0.1}};

void with_every_shape(const setting *where, const void *what)
{
    const shape_case *each = what;
    for (size_t i = 0; i < SHAPES; i++) {
        print_message("chunks of %u, raised with %g\n", shapes[i].chunk, shapes[i].raise);
        each->run(where, shapes[i]);
    }
}

pleach_map_config skiplist_config(const setting *where, shape s)
{
    return (pleach_map_config){.device = where->device, .key_bits = where->key_bits, .threads = where->threads,
                               .structure = PLEACH_SKIPLIST, .chunk = s.chunk, .raise = s.raise};
}

wide open_shape(const setting *where, shape s)
{
    return wide_open_as(skiplist_config(where, s));
}

uint64_t chunk_bytes(const wide *w, shape s) { return (uint64_t)s.chunk * w->key_bits / 4; }
