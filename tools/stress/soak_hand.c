/* soak_hand.c - the calls of one hand in one turn: choosing them, bringing their arrays along, making them. */
#include <stdlib.h>

#include "soak.h"
#include "tools/common/words.h"

enum { CPU_ROOM = 1 << 15, GPU_ROOM = 1 << 20 };
enum { CPU_ARRAY_CALLS = 32, GPU_ARRAY_CALLS = 24, CPU_SINGLES = SOAK_MOST_CALLS, GPU_SINGLES = 48 };
enum { MOST_SINGLES = 8 }; /* of one kind in a row */
enum { CLUSTER_CELLS = 16, SPOIL = 0xa5 };

static bool on_gpu(const struct soak *soak) { return soak->device->kind == PLEACH_CUDA; }

/* ---- life ---- */

static bool hand_create(struct soak *soak, unsigned index)
{
    struct soak_hand *hand = &soak->hands[index];
    hand->index = index;
    hand->stream = soak->streams[index % soak->options.streams];
    hand->cells = malloc(soak->room * sizeof hand->cells[0]);
    /* A range of n elements has n + 1 offsets, so each call takes one element more than it uses. */
    if (!call_arrays_create(&hand->here, soak->room, soak->room, malloc) || hand->cells == NULL) return false;
    hand->there = hand->here;
    if (soak->options.versioned && !soak_look_create(hand)) return false;
    return !on_gpu(soak) || call_arrays_create(&hand->there, soak->room, soak->room, soak->device->allocate);
}

bool soak_hands_create(struct soak *soak)
{
    soak->room = on_gpu(soak) ? GPU_ROOM : CPU_ROOM;
    soak->hands = calloc(soak->hand_count, sizeof soak->hands[0]);
    if (soak->hands == NULL) return false;
    for (unsigned i = 0; i < soak->options.streams; i++)
        if (!soak->device->open_stream(&soak->streams[i])) return false;
    for (unsigned i = 0; i < soak->hand_count; i++)
        if (!hand_create(soak, i)) return false;
    return true;
}

void soak_hands_destroy(struct soak *soak)
{
    for (unsigned i = 0; soak->hands != NULL && i < soak->hand_count; i++) {
        struct soak_hand *hand = &soak->hands[i];
        if (on_gpu(soak) && hand->there.a != hand->here.a) call_arrays_destroy(&hand->there, soak->device->release);
        call_arrays_destroy(&hand->here, free);
        soak_look_destroy(hand);
        free(hand->cells);
    }
    for (unsigned i = 0; i < soak->options.streams; i++)
        if (soak->streams[i] != NULL) soak->device->close_stream(soak->streams[i]);
    free(soak->hands);
}

/* ---- choosing cells ---- */

/* How the elements of one call walk over the hand's own cells; none comes twice. */
struct walk {
    enum soak_order order;
    size_t count; /* cells to walk over */
    size_t start;
    struct mix_order shuffle;
};

static size_t own_cells(const struct soak *soak) { return soak->keys.cells / soak->hand_count; }

static struct walk walk_make(struct soak *soak, struct soak_hand *hand, size_t n)
{
    struct walk walk = {.order = soak->turn.order, .count = own_cells(soak)};
    if (mix_below(&hand->random, 4) == 0) walk.order = (enum soak_order)mix_below(&hand->random, SOAK_ORDERS);
    if (walk.order == SOAK_CLUSTERS && walk.count % CLUSTER_CELLS != 0) walk.order = SOAK_RANDOM;
    walk.start = hand->cursor % walk.count;
    hand->cursor += n;
    walk.shuffle = mix_order_make(walk.order == SOAK_CLUSTERS ? walk.count / CLUSTER_CELLS : walk.count,
                                  mix_next(&hand->random));
    return walk;
}

static size_t walk_at(const struct walk *walk, size_t i)
{
    switch (walk->order) {
    case SOAK_ASCENDING: return (walk->start + i) % walk->count;
    case SOAK_DESCENDING: return walk->count - 1 - (walk->start + i) % walk->count;
    case SOAK_CLUSTERS: return mix_order_at(&walk->shuffle, i / CLUSTER_CELLS) * CLUSTER_CELLS + i % CLUSTER_CELLS;
    case SOAK_RANDOM:
    case SOAK_ORDERS: break;
    }
    return mix_order_at(&walk->shuffle, i);
}

static size_t own_cell(const struct soak *soak, unsigned index, size_t i)
{
    return (index + soak->hand_count * (i / soak->block)) * soak->block + i % soak->block;
}

/* ---- choosing calls ---- */

/* The upper end of an interval; sometimes it is below the lower one. */
static uint64_t choose_end(struct soak *soak, struct soak_hand *hand, size_t cell)
{
    const uint64_t draw = mix_next(&hand->random);
    size_t last = cell + (size_t)(draw % SOAK_SPAN);
    if (last >= soak->keys.cells) last = soak->keys.cells - 1;
    if ((draw >> 32) % 16 == 0 && cell > 0) last = cell - 1;
    return soak_key(&soak->keys, last);
}

static void choose_element(struct soak *soak, struct soak_hand *hand, enum call_kind kind, size_t i, size_t cell)
{
    const uint64_t key = soak_key(&soak->keys, cell);
    hand->cells[i] = (uint32_t)cell;
    word_set(hand->here.a, soak->bits, i, key);
    if (call_takes_value(kind))
        word_set(hand->here.b, soak->bits, i, soak_value(soak->bits, key, hand->index, hand->serial++));
    else if (call_is_interval(kind))
        word_set(hand->here.b, soak->bits, i, choose_end(soak, hand, cell));
}

static size_t results_per_element(enum call_kind kind)
{
    return kind == CALL_RANGE ? SOAK_SPAN : kind == CALL_RANGE_LIMIT ? CALL_LIMIT : 1;
}

/* Any size up to most; small ones are as likely as large ones. */
static size_t choose_size(struct mix_random *random, size_t most)
{
    unsigned bits = 0;
    while ((size_t)2 << bits <= most) bits++;
    const size_t power = (size_t)1 << mix_below(random, bits + 1);
    const size_t n = power + (size_t)mix_below(random, power);
    return n < most ? n : most;
}

/* False when the hand has no more room. */
static bool choose_call(struct soak *soak, struct soak_hand *hand)
{
    struct soak_call *call = &hand->calls[hand->call_count];
    call->kind = call_choose(&hand->random, soak->turn.percent);
    const size_t most = hand->style == SOAK_SINGLE ? MOST_SINGLES : soak->turn.most;
    size_t n = choose_size(&hand->random, most);
    if (!soak->turn.shared) n = soak_least(n, own_cells(soak));
    const size_t results = results_per_element(call->kind);
    if (hand->used + 1 >= soak->room || hand->used_out + results > soak->room) return false;
    n = soak_least(n, soak->room - hand->used - 1);
    n = soak_least(n, (soak->room - hand->used_out) / results);
    call->n = n;
    call->first = hand->used;
    call->first_out = hand->used_out;
    const struct walk walk = walk_make(soak, hand, n);
    for (size_t i = 0; i < n; i++) {
        const size_t cell = soak->turn.shared ? mix_below(&hand->random, soak->keys.cells)
                                              : own_cell(soak, hand->index, walk_at(&walk, i));
        choose_element(soak, hand, call->kind, call->first + i, cell);
    }
    hand->used += n + 1;
    hand->used_out += n * results;
    hand->call_count++;
    return true;
}

static enum soak_style choose_style(const struct soak *soak, struct soak_hand *hand)
{
    const bool single = mix_below(&hand->random, on_gpu(soak) ? 8 : 2) == 0;
    if (single && !soak->turn.arrays_only) return SOAK_SINGLE;
    return mix_below(&hand->random, 8) == 0 ? SOAK_HERE : SOAK_RESIDENT;
}

static void copy_or_complain(struct soak *soak, unsigned hand, bool copied)
{
    if (!copied) soak_wrong(soak, hand, "copying to or from the GPU failed");
}

static struct call_arrays arrays_at(const struct soak *soak, const struct call_arrays *arrays,
                                    const struct soak_call *call)
{
    return (struct call_arrays){
        .a = word_at(arrays->a, soak->bits, call->first),
        .b = word_at(arrays->b, soak->bits, call->first),
        .out_a = word_at(arrays->out_a, soak->bits, call->first_out),
        .out_b = word_at(arrays->out_b, soak->bits, call->first_out),
        .bytes = arrays->bytes + call->first,
        .counts = arrays->counts + call->first,
        .short_counts = arrays->short_counts + call->first,
    };
}

static bool send_call(const struct soak *soak, const struct soak_hand *hand, const struct soak_call *call)
{
    const struct call_arrays from = arrays_at(soak, &hand->here, call), to = arrays_at(soak, &hand->there, call);
    const size_t bytes = call->n * word_bytes(soak->bits);
    const bool two = call_takes_value(call->kind) || call_is_interval(call->kind);
    return soak->device->copy_in(to.a, from.a, bytes) && (!two || soak->device->copy_in(to.b, from.b, bytes));
}

/* Results that nobody writes must not look right. */
static bool spoil(const struct soak *soak, const struct soak_hand *hand, const struct tool_device *device,
                  const struct call_arrays *arrays)
{
    const size_t results = hand->used_out * word_bytes(soak->bits);
    return device->fill(arrays->out_a, SPOIL, results) && device->fill(arrays->out_b, SPOIL, results) &&
           device->fill(arrays->counts, SPOIL, hand->used * sizeof(uint64_t)) &&
           device->fill(arrays->short_counts, SPOIL, hand->used * sizeof(uint32_t)) &&
           device->fill(arrays->bytes, SPOIL, hand->used);
}

/* The arguments go to the map's memory. Spoiling comes after them, because on a GPU it also waits for the copies, which
 * are on another stream than the calls. */
static void send(struct soak *soak, struct soak_hand *hand)
{
    bool sent = spoil(soak, hand, tool_device_host(), &hand->here);
    if (soak_is_resident(soak, hand)) {
        for (size_t i = 0; i < hand->call_count && sent; i++) sent = send_call(soak, hand, &hand->calls[i]);
        sent = sent && spoil(soak, hand, soak->device, &hand->there);
    }
    copy_or_complain(soak, hand->index, sent);
}

void soak_choose(void *context, unsigned index)
{
    struct soak *soak = context;
    struct soak_hand *hand = &soak->hands[index];
    hand->call_count = hand->used = hand->used_out = 0;
    hand->style = choose_style(soak, hand);
    const size_t arrays = on_gpu(soak) ? GPU_ARRAY_CALLS : CPU_ARRAY_CALLS;
    const size_t singles = on_gpu(soak) ? GPU_SINGLES : CPU_SINGLES;
    const size_t calls = hand->style == SOAK_SINGLE ? singles : arrays;
    while (hand->call_count < calls && choose_call(soak, hand)) continue;
    send(soak, hand);
}

/* ---- making calls ---- */

void soak_wait(struct soak *soak, struct soak_hand *hand)
{
    soak_enter(soak, hand->index, "waiting for the stream", hand->used);
    if (!soak->device->wait_stream(hand->stream)) soak_wrong(soak, hand->index, "waiting for the stream failed");
    soak_leave(soak, hand->index);
}

static void do_array(struct soak *soak, struct soak_hand *hand, struct soak_call *call)
{
    const bool resident = soak_is_resident(soak, hand);
    const struct call_arrays arrays = arrays_at(soak, resident ? &hand->there : &hand->here, call);
    call->status = call_array(soak->map, call->kind, call->n, &arrays, call->n * results_per_element(call->kind),
                              resident ? hand->stream : PLEACH_SYNC);
}

/* As an array call would leave its results. */
static void do_single(struct soak *soak, struct soak_hand *hand, struct soak_call *call, size_t i)
{
    const struct call_arrays *x = &hand->here;
    const struct call_answer answer =
        call_one(soak->map, call->kind, word_get(x->a, soak->bits, call->first + i),
                 call_takes_value(call->kind) ? word_get(x->b, soak->bits, call->first + i) : 0);
    if (answer.status != PLEACH_OK) call->status = answer.status;
    x->bytes[call->first + i] = (uint8_t)answer.what;
    word_set(x->out_a, soak->bits, call->first_out + i, answer.key);
    word_set(x->out_b, soak->bits, call->first_out + i, answer.value);
}

/* Intervals have no single call: an array of one takes its place. */
static void do_single_interval(struct soak *soak, struct soak_hand *hand, struct soak_call *call, size_t i)
{
    const size_t results = results_per_element(call->kind);
    uint64_t counts[2];
    const struct soak_call one = {
        .kind = call->kind, .first = call->first + i, .n = 1, .first_out = call->first_out + i * results};
    struct call_arrays arrays = arrays_at(soak, &hand->here, &one);
    if (call->kind == CALL_RANGE) arrays.counts = counts;
    const pleach_status status = call_array(soak->map, one.kind, 1, &arrays, results, PLEACH_SYNC);
    if (status != PLEACH_OK) call->status = status;
    if (call->kind == CALL_RANGE) hand->here.counts[one.first] = counts[1];
}

void soak_do_call(struct soak *soak, struct soak_hand *hand, struct soak_call *call)
{
    /* Packed ranges are not on the stream: what the hand did before must be done. */
    if (call->kind == CALL_RANGE && soak_is_resident(soak, hand)) soak_wait(soak, hand);
    soak_enter(soak, hand->index, call_kind_name(call->kind), call->n);
    call->status = PLEACH_OK;
    if (hand->style != SOAK_SINGLE) do_array(soak, hand, call);
    for (size_t i = 0; hand->style == SOAK_SINGLE && i < call->n; i++) {
        if (call_is_interval(call->kind))
            do_single_interval(soak, hand, call, i);
        else
            do_single(soak, hand, call, i);
    }
    soak_leave(soak, hand->index);
}

static void ask_ends(struct soak *soak, struct soak_hand *hand)
{
    int found[2] = {0};
    hand->least = hand->most = (struct call_answer){.status = PLEACH_OK};
    soak_enter(soak, hand->index, "min and max", 1);
    hand->least.status = pleach_map_min(soak->map, &found[0], &hand->least.key, &hand->least.value);
    hand->most.status = pleach_map_max(soak->map, &found[1], &hand->most.key, &hand->most.value);
    soak_leave(soak, hand->index);
    hand->least.what = (uint64_t)found[0];
    hand->most.what = (uint64_t)found[1];
}

void soak_do(void *context, unsigned index)
{
    struct soak *soak = context;
    struct soak_hand *hand = &soak->hands[index];
    for (size_t i = 0; i < hand->call_count; i++) {
        soak_do_call(soak, hand, &hand->calls[i]);
        soak_look_between(soak, hand);
    }
    if (hand->style == SOAK_SINGLE) ask_ends(soak, hand);
    if (soak_is_resident(soak, hand)) soak_wait(soak, hand);
    soak_look_end(soak, hand);
}

/* What this kind of call has written. */
static bool fetch_call(const struct soak *soak, const struct soak_hand *hand, const struct soak_call *call)
{
    const struct tool_device *device = soak->device;
    const struct call_arrays from = arrays_at(soak, &hand->there, call), to = arrays_at(soak, &hand->here, call);
    const enum call_kind kind = call->kind;
    const size_t results = call->n * results_per_element(kind) * word_bytes(soak->bits);
    const bool pairs = kind == CALL_SUCC || kind == CALL_PRED || kind == CALL_RANGE || kind == CALL_RANGE_LIMIT;
    const bool values = pairs || call_is_update(kind) || kind == CALL_FIND;
    bool good = true;
    if (pairs) good = device->copy_out(to.out_a, from.out_a, results);
    if (values) good = good && device->copy_out(to.out_b, from.out_b, results);
    if (!call_is_interval(kind)) return good && device->copy_out(to.bytes, from.bytes, call->n);
    if (kind == CALL_RANGE_LIMIT)
        return good && device->copy_out(to.short_counts, from.short_counts, call->n * sizeof(uint32_t));
    return good && device->copy_out(to.counts, from.counts, (call->n + 1) * sizeof(uint64_t));
}

void soak_fetch(void *context, unsigned index)
{
    struct soak *soak = context;
    const struct soak_hand *hand = &soak->hands[index];
    if (!soak_is_resident(soak, hand)) return;
    bool good = true;
    soak_enter(soak, index, "copying results back", hand->used);
    for (size_t i = 0; i < hand->call_count && good; i++) good = fetch_call(soak, hand, &hand->calls[i]);
    soak_leave(soak, index);
    copy_or_complain(soak, index, good);
}
