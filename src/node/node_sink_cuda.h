/* node/node_sink_cuda.h - writes the results of a range from one GPU thread: gathered in registers and stored 16 bytes
 * at a time if the array is so aligned, because a store costs the same whatever its width (node_cuda.h). */

enum { SINK_WIDE = 16 / sizeof(map_key) };

typedef struct pair_sink {
    map_key *keys, *values;
    map_key held_keys[SINK_WIDE], held_values[SINK_WIDE];
    bool aligned; /* otherwise every number is stored by itself */
} pair_sink;

PORT_FN void sink_open(pair_sink *sink, map_key *keys, map_key *values)
{
    sink->keys = keys;
    sink->values = values;
    sink->aligned = (((uintptr_t)keys | (uintptr_t)values) & 15) == 0;
}

PORT_FN void sink_flush(map_key *array, uint64_t place, const map_key *held)
{
    if (!array) return;
#if PLEACH_KEY_BITS == 32
    *(uint4 *)(array + place) = make_uint4(held[0], held[1], held[2], held[3]);
#else
    *(ulonglong2 *)(array + place) = make_ulonglong2(held[0], held[1]);
#endif
}

PORT_FN void sink_put(pair_sink *sink, uint64_t place, map_pair pair)
{
    if (!sink->aligned) {
        if (sink->keys) sink->keys[place] = pair.key;
        if (sink->values) sink->values[place] = pair.value;
        return;
    }
    unsigned at = (unsigned)place % SINK_WIDE;
    PORT_UNROLL for (unsigned i = 0; i < SINK_WIDE; i++) {
        if (i == at) sink->held_keys[i] = pair.key;
        if (i == at) sink->held_values[i] = pair.value;
    }
    if (at + 1 < SINK_WIDE) return;
    sink_flush(sink->keys, place - at, sink->held_keys);
    sink_flush(sink->values, place - at, sink->held_values);
}

/* Stores the remaining numbers: fewer than a full store. */
PORT_FN void sink_close(pair_sink *sink, uint64_t count)
{
    if (!sink->aligned) return;
    unsigned held = (unsigned)count % SINK_WIDE;
    PORT_UNROLL for (unsigned i = 0; i + 1 < SINK_WIDE; i++) {
        if (i >= held) continue;
        if (sink->keys) sink->keys[count - held + i] = sink->held_keys[i];
        if (sink->values) sink->values[count - held + i] = sink->held_values[i];
    }
}
