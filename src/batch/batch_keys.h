/* batch/batch_keys.h - the keys of a batch: combine, lookup, resolve, edit. Included by batch.h. */

typedef struct batch_state {
    map_key value;
    bool present;
} batch_state;

PORT_FN uint32_t batch_place(const batch_ref *b, uint32_t op) { return batch_function_place(b->op_function[op]); }
PORT_FN uint32_t batch_kind(const batch_ref *b, uint32_t op) { return batch_kind_at(&b->r, batch_place(b, op)); }

/* Returns whether the operation is the first one on its key. */
PORT_FN bool batch_begins(const batch_ref *b, uint32_t op) { return op == 0 || b->op_key[op] != b->op_key[op - 1]; }

/* Combine: returns the scan's element of an operation. */
PORT_FN batch_link batch_link_of(const batch_ref *b, uint32_t op)
{
    batch_link link;
    link.function = b->op_function[op];
    link.keys = batch_begins(b, op);
    return link;
}

/* Stores the scan's result at an operation. */
PORT_FN void batch_store_link(const batch_ref *b, uint32_t op, batch_link link)
{
    b->op_link[op] = link;
    if (batch_begins(b, op)) b->key_first[link.keys - 1] = op;
    if (op + 1 < b->sizes->ops) return;
    b->key_first[link.keys] = op + 1;
    b->sizes->keys = link.keys;
}

/* After the scan: the number of an operation's key, and the key with a number. */
PORT_FN uint32_t batch_key_of(const batch_ref *b, uint32_t op) { return b->op_link[op].keys - 1; }
PORT_FN map_key batch_key_at(const batch_ref *b, uint32_t key) { return b->op_key[b->key_first[key]]; }


PORT_FN batch_state batch_apply(const batch_ref *b, uint32_t function, batch_state state)
{
    uint32_t kind = batch_function_kind(function);
    if (kind == BATCH_SET || (kind == BATCH_FILL && !state.present)) {
        state.value = ((const map_key *)b->r.values)[batch_function_place(function)];
        state.present = true;
    }
    if (kind == BATCH_GONE) state.present = false;
    return state;
}

PORT_FN batch_state batch_old_state(const batch_ref *b, uint32_t key)
{
    batch_state state;
    state.value = b->key_value[key];
    state.present = (b->key_flags[key] & BATCH_HAD) != 0;
    return state;
}

/* Returns a key's flags: whether it was present, and what its operations do to it together. */
PORT_FN uint8_t batch_flags_of(batch_state old, uint32_t function)
{
    /* Setting a value counts as a change even if the value is the same, because the old value is not read here. */
    uint32_t kind = batch_function_kind(function);
    bool has = kind == BATCH_SAME ? old.present : kind != BATCH_GONE;
    bool changed = old.present != has || kind == BATCH_SET;
    return (uint8_t)((old.present ? BATCH_HAD : 0) | (has ? BATCH_HAS : 0) | (changed ? BATCH_CHANGED : 0));
}

/* Lookup: stores the result of a find that is done. */
PORT_FN void batch_looked(const batch_ref *b, uint32_t key, const find_op *find)
{
    uint32_t last = b->key_first[key + 1] - 1;
    batch_state old;
    old.present = find->found;
    old.value = find->found ? find->value : 0;
    b->key_node[key] = find->cursor.node;
    b->key_value[key] = old.value;
    b->key_flags[key] = batch_flags_of(old, b->op_link[last].function);
}

/* Returns the state of the key just before an operation. */
PORT_FN batch_state batch_state_before(const batch_ref *b, uint32_t op)
{
    batch_state old = batch_old_state(b, batch_key_of(b, op));
    return batch_begins(b, op) ? old : batch_apply(b, b->op_link[op - 1].function, old);
}

/* Returns by how much an operation changes the number of keys. */
PORT_FN int8_t batch_change_of(const batch_ref *b, uint32_t op)
{
    bool before = batch_state_before(b, op).present, after = before;
    uint32_t kind = batch_function_kind(b->op_function[op]);
    if (kind == BATCH_SET || kind == BATCH_FILL) after = true;
    if (kind == BATCH_GONE) after = false;
    return (int8_t)(after - before);
}

/* The result of an operation on one key. */
typedef struct batch_reply {
    map_key value;
    uint8_t flag;
    bool has_value;
} batch_reply;

/* Returns the result, computed from the state of the key before the operation. */
PORT_FN batch_reply batch_reply_to(const batch_ref *b, uint32_t op, batch_state before)
{
    bool present = before.present;
    batch_reply reply;
    reply.value = before.value;
    reply.flag = present; /* found */
    reply.has_value = present;
    switch ((batch_effect)batch_function_kind(b->op_function[op])) {
    case BATCH_SET: reply.flag = present ? PLEACH_REPLACED : PLEACH_INSERTED; break;
    case BATCH_FILL: reply.flag = present ? PLEACH_EXISTS : PLEACH_INSERTED; break;
    case BATCH_GONE: reply.flag = present ? PLEACH_ERASED : PLEACH_ABSENT; break;
    case BATCH_SAME: reply.has_value = present && batch_kind(b, op) != OP_CONTAINS; break;
    }
    return reply;
}

PORT_FN void batch_store_reply(const batch_ref *b, uint32_t place, batch_reply reply)
{
    if (b->r.flags) b->r.flags[place] = reply.flag;
    if (b->r.out_values && reply.has_value) ((map_key *)b->r.out_values)[place] = reply.value;
}

/* Resolve, for operations on one key. */
PORT_FN void batch_answer(const batch_ref *b, uint32_t op)
{
    if (batch_function_kind(b->op_function[op]) == BATCH_SAME && batch_kind(b, op) > OP_CONTAINS) return;
    batch_store_reply(b, batch_place(b, op), batch_reply_to(b, op, batch_state_before(b, op)));
}

/* Edit: the scan's element, and storing its result at a key. */
PORT_FN uint32_t batch_changed(const batch_ref *b, uint32_t key) { return (b->key_flags[key] & BATCH_CHANGED) != 0; }

PORT_FN void batch_store_edit(const batch_ref *b, uint32_t key, uint32_t changed)
{
    if (key + 1 == b->sizes->keys) b->sizes->level[0].edits = changed;
    if (!batch_changed(b, key)) return;
    uint32_t edit = changed - 1, last = b->key_first[key + 1] - 1;
    batch_state now = batch_apply(b, b->op_link[last].function, batch_old_state(b, key));
    b->edit_key[edit] = b->op_key[last];
    b->edit_value[edit] = now.value;
    b->edit_node[edit] = b->key_node[key];
    b->edit_flags[edit] = b->key_flags[key];
}
