/* node/node_sink.h - results of a range to arrays, one number at a time, for backends without wider stores. */

typedef struct W(sink) {
    W(key) *keys, *values;
} W(sink);

PORT_FN void W(sink_open)(W(sink) *sink, W(key) *keys, W(key) *values)
{
    sink->keys = keys;
    sink->values = values;
}

PORT_FN void W(sink_put)(W(sink) *sink, uint64_t place, W(pair) pair)
{
    if (sink->keys) sink->keys[place] = pair.key;
    if (sink->values) sink->values[place] = pair.value;
}

PORT_FN void W(sink_close)(W(sink) *sink, uint64_t count)
{
    (void)sink;
    (void)count;
}
