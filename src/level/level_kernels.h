/* level/level_kernels.h - what kernels of trees and of skiplists do with one element of an array call. */

PORT_FN void set_key(void *array, size_t i, map_key value)
{
    if (array) ((map_key *)array)[i] = value;
}

/* Executes element i, a seek, and stores its results. */
PORT_FN void seek_element(map_thread map, const request &r, size_t i)
{
    map_key key = ((const map_key *)r.keys)[i];
    bool up = r.kind == OP_SUCC || r.kind == OP_CEILING;
    bool strict = r.kind == OP_SUCC || r.kind == OP_PRED;
    seek_op seek;
    seek.found = false;
    if (!strict || key != (up ? KEY_MAX : 0)) {
        seek_start(map, &seek, strict ? (up ? key + 1 : key - 1) : key, up);
        LEVEL_BLOCKING(seek_step(map, &seek));
    }
    if (seek.found) {
        set_key(r.out_keys, i, seek.answer.key);
        set_key(r.out_values, i, seek.answer.value);
    }
    if (r.flags) r.flags[i] = seek.found;
}
