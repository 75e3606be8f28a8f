/* node/node_sink_cuda.h - results of a range from one GPU thread: gathered in registers and stored 16 bytes at a time
 * where the array is so aligned, because a store costs the same whatever its width (node_cuda.h). */

enum { W(SINK_WIDE) = 16 / sizeof(W(key)) };

typedef struct W(sink) {
    W(key) *keys, *values;
    W(key) held_keys[W(SINK_WIDE)], held_values[W(SINK_WIDE)];
    bool aligned; /* else every number is stored by itself */
} W(sink);

PORT_FN void W(sink_open)(W(sink) *sink, W(key) *keys, W(key) *values)
{
    sink->keys = keys;
    sink->values = values;
    sink->aligned = (((uintptr_t)keys | (uintptr_t)values) & 15) == 0;
}

PORT_FN void W(sink_flush)(W(key) *array, uint64_t place, const W(key) *held)
{
    if (!array) return;
#if PLEACH_KEY_BITS == 32
    *(uint4 *)(array + place) = make_uint4(held[0], held[1], held[2], held[3]);
#else
    *(ulonglong2 *)(array + place) = make_ulonglong2(held[0], held[1]);
#endif
}

PORT_FN void W(sink_put)(W(sink) *sink, uint64_t place, W(pair) pair)
{
    if (!sink->aligned) {
        if (sink->keys) sink->keys[place] = pair.key;
        if (sink->values) sink->values[place] = pair.value;
        return;
    }
    unsigned at = (unsigned)place % W(SINK_WIDE);
    PORT_UNROLL for (unsigned i = 0; i < W(SINK_WIDE); i++) {
        if (i == at) sink->held_keys[i] = pair.key;
        if (i == at) sink->held_values[i] = pair.value;
    }
    if (at + 1 < W(SINK_WIDE)) return;
    W(sink_flush)(sink->keys, place - at, sink->held_keys);
    W(sink_flush)(sink->values, place - at, sink->held_values);
}

/* What is still held: fewer than a full store. */
PORT_FN void W(sink_close)(W(sink) *sink, uint64_t count)
{
    if (!sink->aligned) return;
    unsigned held = (unsigned)count % W(SINK_WIDE);
    PORT_UNROLL for (unsigned i = 0; i + 1 < W(SINK_WIDE); i++) {
        if (i >= held) continue;
        if (sink->keys) sink->keys[count - held + i] = sink->held_keys[i];
        if (sink->values) sink->values[count - held + i] = sink->held_values[i];
    }
}
