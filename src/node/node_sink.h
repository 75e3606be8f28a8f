/* node/node_sink.h - writes results of a range to arrays, one number at a time, where there are no wider stores. */

typedef struct pair_sink {
    map_key *keys, *values;
} pair_sink;

PORT_FN void sink_open(pair_sink *sink, map_key *keys, map_key *values)
{
    sink->keys = keys;
    sink->values = values;
}

PORT_FN void sink_put(pair_sink *sink, uint64_t place, map_pair pair)
{
    if (sink->keys) sink->keys[place] = pair.key;
    if (sink->values) sink->values[place] = pair.value;
}

PORT_FN void sink_close(pair_sink *sink, uint64_t count)
{
    (void)sink;
    (void)count;
}
