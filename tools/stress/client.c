/* client.c - the calls of one client in one turn: choosing them, copying their arrays, making them. */
#include <stdlib.h>
#include <string.h>

#include "stress.h"
#include "tools/common/words.h"

enum { CPU_BLOCK_BYTES = 1 << 20, GPU_BLOCK_BYTES = 1 << 25 }; /* about as many elements as bytes / 32 */
enum { CPU_ARRAY_CALLS = 32, GPU_ARRAY_CALLS = 24, CPU_SINGLES = MAX_CALLS, GPU_SINGLES = 48 };
enum { MOST_SINGLES = 8 }; /* of one operation in a row */
enum { CLUSTER_CELLS = 16, ARRAY_ALIGN = 16 };
enum { CALL_BYTES = 8 * ARRAY_ALIGN }; /* for rounding up seven arrays, and for one count more */

bool clients_create(struct stress *s)
{
    s->block_bytes = s->on_gpu ? GPU_BLOCK_BYTES : CPU_BLOCK_BYTES;
    s->clients = calloc(s->client_count, sizeof s->clients[0]);
    if (s->clients == NULL) return false;
    for (unsigned i = 0; i < s->options.streams; i++)
        if (!s->device->open_stream(&s->streams[i])) return false;
    for (unsigned i = 0; i < s->client_count; i++) {
        struct client *client = &s->clients[i];
        client->index = i;
        client->stream = s->streams[i % s->options.streams];
        client->here = malloc(s->block_bytes);
        client->there = s->on_gpu ? s->device->allocate(s->block_bytes) : client->here;
        if (client->here == NULL || client->there == NULL) return false;
        if (s->options.versioned && !probe_create(client)) return false;
    }
    return true;
}

void clients_destroy(struct stress *s)
{
    for (unsigned i = 0; s->clients != NULL && i < s->client_count; i++) {
        if (s->on_gpu) s->device->release(s->clients[i].there);
        free(s->clients[i].here);
        free(s->clients[i].probe);
    }
    for (unsigned i = 0; i < s->options.streams; i++)
        if (s->streams[i] != NULL) s->device->close_stream(s->streams[i]);
    free(s->clients);
}

/* ---- the block of arrays ---- */

size_t results_per_element(unsigned op)
{
    return op == PLEACH_OP_RANGE ? SPAN : op == OP_RANGE_LIMIT ? RANGE_LIMIT : 1;
}

static void *carve(char **at, size_t bytes)
{
    void *array = *at;
    *at += (bytes + ARRAY_ALIGN - 1) / ARRAY_ALIGN * ARRAY_ALIGN;
    return array;
}

struct arrays call_arrays(const struct call *call, char *block, unsigned bits)
{
    const size_t words = call->n * word_bytes(bits), results = words * results_per_element(call->op);
    char *at = block + call->at;
    struct arrays arrays;
    arrays.keys = carve(&at, words);
    arrays.values = carve(&at, words);
    arrays.out_keys = carve(&at, results);
    arrays.out_values = carve(&at, results);
    arrays.counts = carve(&at, (call->n + 1) * sizeof(uint64_t));
    arrays.short_counts = carve(&at, call->n * sizeof(uint32_t));
    arrays.flags = carve(&at, call->n);
    return arrays;
}

static size_t bytes_per_element(unsigned op, unsigned bits)
{
    return 2 * word_bytes(bits) * (1 + results_per_element(op)) + sizeof(uint64_t) + sizeof(uint32_t) + 1;
}

/* ---- choosing cells ---- */

/* How the elements of one call walk over the client's own cells; none occurs twice. */
struct walk {
    enum cell_order order;
    size_t count, start;
    struct mix_order shuffle;
};

static size_t own_cells(const struct stress *s) { return s->keys.cells / s->client_count; }

static struct walk walk_make(struct stress *s, struct client *client, size_t n)
{
    struct walk walk = {.order = s->turn.order, .count = own_cells(s)};
    if (mix_below(&client->random, 4) == 0) walk.order = (enum cell_order)mix_below(&client->random, CELL_ORDERS);
    if (walk.order == ORDER_CLUSTERS && walk.count % CLUSTER_CELLS != 0) walk.order = ORDER_RANDOM;
    walk.start = client->cursor % walk.count;
    client->cursor += n;
    walk.shuffle = mix_order_make(walk.order == ORDER_CLUSTERS ? walk.count / CLUSTER_CELLS : walk.count,
                                  mix_next(&client->random));
    return walk;
}

static size_t walk_at(const struct walk *walk, size_t i)
{
    switch (walk->order) {
    case ORDER_ASCENDING: return (walk->start + i) % walk->count;
    case ORDER_DESCENDING: return walk->count - 1 - (walk->start + i) % walk->count;
    case ORDER_CLUSTERS: return mix_order_at(&walk->shuffle, i / CLUSTER_CELLS) * CLUSTER_CELLS + i % CLUSTER_CELLS;
    case ORDER_RANDOM:
    case CELL_ORDERS: break;
    }
    return mix_order_at(&walk->shuffle, i);
}

static size_t own_cell(const struct stress *s, unsigned index, size_t i)
{
    return (index + s->client_count * (i / s->block)) * s->block + i % s->block;
}

/* ---- choosing calls ---- */

static unsigned choose_op(struct mix_random *random, const uint8_t *percent)
{
    unsigned op = 0, draw = (unsigned)mix_below(random, 100);
    while (draw >= percent[op]) draw -= percent[op++];
    return op;
}

/* The upper end of an interval; sometimes it is below the lower end. */
static uint64_t choose_end(struct stress *s, struct client *client, size_t cell)
{
    const uint64_t draw = mix_next(&client->random);
    size_t last = size_min(cell + (size_t)(draw % SPAN), s->keys.cells - 1);
    if ((draw >> 32) % 16 == 0 && cell > 0) last = cell - 1;
    return key_of(&s->keys, last);
}

/* Any size up to most; small sizes are as likely as large ones. */
static size_t choose_size(struct mix_random *random, size_t most)
{
    unsigned bits = 0;
    while ((size_t)2 << bits <= most) bits++;
    const size_t power = (size_t)1 << mix_below(random, bits + 1);
    return size_min(power + (size_t)mix_below(random, power), most);
}

static void choose_elements(struct stress *s, struct client *client, const struct call *call)
{
    const struct arrays x = call_arrays(call, client->here, s->bits);
    const struct walk walk = walk_make(s, client, call->n);
    const bool is_find = call->op == PLEACH_OP_FIND || call->op == PLEACH_OP_CONTAINS;
    const bool any = s->turn.shared || (is_find && s->turn.foreign_finds && mix_below(&client->random, 3) == 0);
    for (size_t i = 0; i < call->n; i++) {
        const size_t cell = any ? (size_t)mix_below(&client->random, s->keys.cells)
                                : own_cell(s, client->index, walk_at(&walk, i));
        const uint64_t key = key_of(&s->keys, cell);
        word_set(x.keys, s->bits, i, key);
        if (op_takes_value(call->op))
            word_set(x.values, s->bits, i, stress_value(s, key, client->index, client->serial++));
        else if (op_is_interval(call->op))
            word_set(x.values, s->bits, i, choose_end(s, client, cell));
    }
}

/* False if the client's block is full. Its last byte is kept for the fill that waits for copies. */
static bool choose_call(struct stress *s, struct client *client)
{
    struct call *call = &client->calls[client->call_count];
    const size_t left = s->block_bytes - client->used - 1;
    *call = (struct call){.op = choose_op(&client->random, s->turn.percent), .at = client->used};
    call->n = choose_size(&client->random, client->style == STYLE_SINGLE ? MOST_SINGLES : s->turn.most);
    if (!s->turn.shared) call->n = size_min(call->n, own_cells(s));
    const size_t each = bytes_per_element(call->op, s->bits);
    if (left < CALL_BYTES + each) return false;
    call->n = size_min(call->n, (left - CALL_BYTES) / each);
    const size_t bytes = (call->n * each + CALL_BYTES) / ARRAY_ALIGN * ARRAY_ALIGN;
    memset(client->here + call->at, SPOILED, bytes);
    choose_elements(s, client, call);
    client->used += bytes;
    client->call_count++;
    return true;
}

static enum call_style choose_style(const struct stress *s, struct client *client)
{
    const bool single = mix_below(&client->random, s->on_gpu ? 8 : 2) == 0;
    if (single && !s->turn.arrays_only) return STYLE_SINGLE;
    return mix_below(&client->random, 8) == 0 ? STYLE_HOST : STYLE_RESIDENT;
}

/* The filling waits until the copy is complete, which is on another stream than the calls. */
static void choose_part(void *context, unsigned index)
{
    struct stress *s = context;
    struct client *client = &s->clients[index];
    client->call_count = client->used = 0;
    client->style = choose_style(s, client);
    const size_t arrays = s->on_gpu ? GPU_ARRAY_CALLS : CPU_ARRAY_CALLS;
    const size_t singles = s->on_gpu ? GPU_SINGLES : CPU_SINGLES;
    const size_t calls = client->style == STYLE_SINGLE ? singles : arrays;
    while (client->call_count < calls && choose_call(s, client)) continue;
    if (client_is_resident(s, client) &&
        (!s->device->copy_in(client->there, client->here, client->used) ||
         !s->device->fill(client->there + s->block_bytes - 1, 0, 1)))
        stress_wrong(s, index, "copying to the GPU failed");
}

/* ---- making calls ---- */

void client_wait(struct stress *s, struct client *client)
{
    STRESS_CALL(s, client->index, "waiting for the stream", client->used,
                s->device->wait_stream(client->stream) ? PLEACH_OK : PLEACH_E_CUDA);
}

/* Results are stored as an array call would store them. Intervals have no single call, so an array of one element takes
 * its place. */
static pleach_status make_single(struct stress *s, unsigned op, const struct arrays *x, size_t i)
{
    const unsigned bits = s->bits;
    if (!op_is_interval(op)) {
        const struct result result = target_one(&s->target, op, word_get(x->keys, bits, i),
                                                op_takes_value(op) ? word_get(x->values, bits, i) : 0);
        x->flags[i] = (uint8_t)result.flag;
        word_set(x->out_keys, bits, i, result.key);
        word_set(x->out_values, bits, i, result.value);
        return result.status;
    }
    const size_t results = results_per_element(op);
    uint64_t counts[2] = {0};
    const struct arrays one = {.keys = word_at(x->keys, bits, i), .values = word_at(x->values, bits, i),
                               .out_keys = word_at(x->out_keys, bits, i * results),
                               .out_values = word_at(x->out_values, bits, i * results),
                               .counts = counts, .short_counts = x->short_counts + i};
    const pleach_status status = target_array(&s->target, op, 1, &one, results, PLEACH_SYNC);
    x->counts[i] = counts[op == PLEACH_OP_RANGE];
    return status;
}

void client_make_call(struct stress *s, struct client *client, struct call *call)
{
    const bool resident = client_is_resident(s, client);
    const struct arrays x = call_arrays(call, resident ? client->there : client->here, s->bits);
    /* Packed ranges do not run on the stream, so earlier calls of the client must be complete. */
    if (call->op == PLEACH_OP_RANGE && resident) client_wait(s, client);
    heartbeat_begin(s, client->index, op_name(call->op), call->n);
    call->status = PLEACH_OK;
    if (client->style != STYLE_SINGLE)
        call->status = target_array(&s->target, call->op, call->n, &x, call->n * results_per_element(call->op),
                                    resident ? client->stream : PLEACH_SYNC);
    for (size_t i = 0; client->style == STYLE_SINGLE && i < call->n; i++) {
        const pleach_status status = make_single(s, call->op, &x, i);
        if (status != PLEACH_OK) call->status = status;
    }
    heartbeat_end(s, client->index, PLEACH_OK);
}

static void query_ends(struct stress *s, struct client *client)
{
    int found[2] = {0};
    client->min = client->max = (struct result){0};
    if (s->target.map == NULL) return;
    STRESS_CALL(s, client->index, "min", 1,
                pleach_map_min(s->target.map, &found[0], &client->min.key, &client->min.value));
    STRESS_CALL(s, client->index, "max", 1,
                pleach_map_max(s->target.map, &found[1], &client->max.key, &client->max.value));
    client->min.flag = (uint64_t)found[0];
    client->max.flag = (uint64_t)found[1];
}

void clients_make_calls(void *context, unsigned index)
{
    struct stress *s = context;
    struct client *client = &s->clients[index];
    for (size_t i = 0; i < client->call_count; i++) {
        client_make_call(s, client, &client->calls[i]);
        probe_step(s, client);
    }
    if (client->style == STYLE_SINGLE) query_ends(s, client);
    if (client_is_resident(s, client)) client_wait(s, client);
    probe_end(s, client);
}

static void fetch_part(void *context, unsigned index)
{
    struct stress *s = context;
    struct client *client = &s->clients[index];
    if (!client_is_resident(s, client)) return;
    STRESS_CALL(s, index, "copying results back", client->used,
                s->device->copy_out(client->here, client->there, client->used) ? PLEACH_OK : PLEACH_E_CUDA);
}

void clients_turn(struct stress *s, crew_part *make_calls)
{
    crew_run(s->crew, choose_part, s);
    crew_run(s->crew, make_calls, s);
    crew_run(s->crew, fetch_part, s);
}
