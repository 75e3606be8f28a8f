/* map/map_cuda_range.c - packed ranges on the GPU. A call counts the pairs, computes offsets from the counts, and
 * fills. Concurrent inserts and erases are handled as on the CPU (map/map_cpu_range.c): gaps are closed; and if a query
 * has more pairs than its section of the arrays holds, all are filled again, into sections with spare slots.
 *
 * After all have been counted, long queries are cut into parts (blink_long_kernels.h). From then on the pieces, which
 * are the parts of long queries and the short queries between them, are the queries of this file. In a versioned map a
 * call that has long queries and no snapshot takes one, so that all parts are read at one timestamp. */
#include "map_cuda.h"

#include <string.h>

#include "../cuda/sort_cuda.h"

typedef struct packed {
    cuda_map *map;
    staging *s;
    mailbox *box;
    const request *caller;
    unsigned other_results;   /* staged before the pairs */
    request whole;            /* the caller's queries; device pointers, as are all below */
    request r;                /* the same, or their pieces */
    uint64_t *caller_offsets; /* whole.n + 1 */
    uint64_t *offsets;        /* r.n + 1, as are the next three */
    uint64_t *found;          /* the last element stays 0 */
    uint64_t *closed;         /* offsets without gaps */
    uint64_t *places;         /* offsets of sections with spare slots */
    uint64_t *misfits;        /* number of queries that did not fit */
    void *scan_scratch;
    size_t scan_bytes, scan_room;
    long_work *work;          /* NULL: no query is long */
    long_pieces pieces;
    bool to_the_end;          /* parts of limited queries extend to their high ends */
    snapshot_place instant;   /* taken by this call; at is NULL if it has taken none */
} packed;

static pleach_status scan(packed *p, const uint64_t *in, uint64_t *out, size_t n)
{
    size_t bytes = 0;
    CUDA_TRY(sort_cuda_scan(NULL, &bytes, in, out, n, p->s->stream));
    if (bytes > p->scan_room) {
        pleach_status status = staging_scratch(p->s, bytes, &p->scan_scratch);
        if (status != PLEACH_OK) return status;
        p->scan_room = bytes;
    }
    CUDA_TRY(sort_cuda_scan(p->scan_scratch, &bytes, in, out, n, p->s->stream));
    return PLEACH_OK;
}

/* Copies a number from device memory; the host can read it after `look`. */
static pleach_status send(packed *p, uint64_t *to, const uint64_t *from)
{
    CUDA_TRY(cudaMemcpyAsync(to, from, sizeof *to, cudaMemcpyDeviceToHost, p->s->stream));
    return PLEACH_OK;
}

static pleach_status look(packed *p) { return cuda_status(cudaStreamSynchronize(p->s->stream)); }

/* Computes the offsets of what has been found, and their total. */
static pleach_status add_up(packed *p, uint64_t *offsets, uint64_t *total)
{
    pleach_status status = scan(p, p->found, offsets, p->r.n + 1);
    if (status == PLEACH_OK) status = send(p, &p->box->total, offsets + p->r.n);
    if (status == PLEACH_OK) status = look(p);
    *total = p->box->total;
    return status;
}

static pleach_status prepare(packed *p, const request *r)
{
    size_t array = r->n * p->map->key_bytes, numbers = (r->n + 1) * sizeof *p->found;
    p->whole = *r;
    if (r->after) CUDA_TRY(cudaStreamWaitEvent(p->s->stream, r->after, 0));
    pleach_status status = staging_input(p->s, r->keys, array, &p->whole.keys);
    if (status == PLEACH_OK) status = staging_input(p->s, r->values, array, &p->whole.values);
    if (status == PLEACH_OK) status = staging_scratch(p->s, numbers, (void **)&p->found);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(p->found, 0, numbers, p->s->stream));
    p->whole.long_counts = p->found;
    p->r = p->whole;
    p->offsets = p->caller_offsets;
    return PLEACH_OK;
}

/* Counts the pairs, unless an attempt to fit all into the mailbox has already counted them. */
static pleach_status count_pairs(packed *p, uint64_t *total)
{
    request count = p->r;
    if (p->box->notes.queries) {
        CUDA_TRY(cudaMemcpyAsync(p->found, p->box->counts, p->r.n * sizeof *p->found, cudaMemcpyHostToDevice,
                                 p->s->stream));
        return PLEACH_OK;
    }
    count.kind = OP_COUNT;
    count.out_keys = count.out_values = NULL;
    count.notes = &p->box->notes;
    CUDA_TRY(cuda_run_kernel(p->map, &count, NULL, p->s->stream));
    return add_up(p, p->offsets, total);
}

/* ---- long queries ---- */

static pleach_status hold_instant(packed *p)
{
    if (!p->map->ref.versions.state || p->whole.at) return PLEACH_OK;
    pleach_status status = cuda_versions_take(p->map, &p->instant, NULL);
    p->whole.at = p->instant.at;
    return status;
}

static pleach_status make_room_for_pieces(packed *p)
{
    const long_notes *notes = &p->box->notes;
    long_pieces *to = &p->pieces;
    size_t n = p->whole.n;
    to->noted = notes->queries < LONG_QUERIES ? notes->queries : LONG_QUERIES;
    to->n = n + to->noted * (long_parts_each(to->noted) - 1);
    pleach_status status = cuda_long_make(p->s, notes, &p->work);
    if (status == PLEACH_OK) status = staging_scratch(p->s, to->n * p->map->key_bytes, &to->low);
    if (status == PLEACH_OK) status = staging_scratch(p->s, to->n * p->map->key_bytes, &to->high);
    if (status == PLEACH_OK) status = staging_scratch(p->s, (to->n + 1) * sizeof *to->found, (void **)&to->found);
    if (status == PLEACH_OK) status = staging_scratch(p->s, (n + 1) * sizeof *to->first, (void **)&to->first);
    if (status == PLEACH_OK) status = staging_scratch(p->s, (to->n + 1) * sizeof *p->offsets, (void **)&p->offsets);
    return status;
}

/* Limits the pairs of pieces to what their query's limit leaves. */
static pleach_status limit_pieces(packed *p)
{
    if (!p->work || !p->whole.limit) return PLEACH_OK;
    CUDA_TRY(p->map->blink->limit_pieces(&p->whole, p->work, &p->pieces, p->s->stream));
    return send(p, &p->box->lacking, &p->work->lacking);
}

/* Replaces the long queries by their parts. *total becomes the number of pairs of all pieces. */
static pleach_status cut(packed *p, uint64_t *total)
{
    cudaStream_t stream = p->s->stream;
    pleach_status status = hold_instant(p);
    if (status == PLEACH_OK) status = make_room_for_pieces(p);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cuda_count_parts_kernel(p->map, &p->whole, p->work, p->to_the_end, stream));
    CUDA_TRY(blink_cuda_count_pieces(p->work, &p->pieces, p->whole.n, stream));
    status = scan(p, p->pieces.first, p->pieces.first, p->whole.n + 1);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(p->map->blink->make_pieces(&p->whole, p->work, &p->pieces, stream));
    p->r = p->whole;
    p->r.n = p->pieces.n;
    p->r.keys = p->pieces.low;
    p->r.values = p->pieces.high;
    p->found = p->pieces.found;
    p->box->lacking = 0;
    status = limit_pieces(p);
    return status == PLEACH_OK ? add_up(p, p->offsets, total) : status;
}

/* Cuts so that limited queries do not lack pairs. A second attempt suffices, because parts then extend to the high
 * ends. */
static pleach_status cut_enough(packed *p, uint64_t *total)
{
    pleach_status status = cut(p, total);
    if (status != PLEACH_OK || !p->box->lacking) return status;
    p->to_the_end = true;
    return cut(p, total);
}

/* ---- filling ---- */

/* Closes gaps: moves query i's pairs from places[i] of `from` to closed[i] of `to`. If from == to, uses a copy. */
static pleach_status move_pairs(packed *p, const void *from, void *to, const uint64_t *places, const uint64_t *closed,
                                uint64_t total)
{
    void *target = to;
    if (!to) return PLEACH_OK;
    if (total == 0) return PLEACH_OK;
    if (from == to) {
        pleach_status status = staging_scratch(p->s, total * p->map->key_bytes, &target);
        if (status != PLEACH_OK) return status;
    }
    CUDA_TRY(p->map->blink->move(from, target, places, closed, p->found, p->r.n, p->s->stream));
    if (target != to)
        CUDA_TRY(cudaMemcpyAsync(to, target, total * p->map->key_bytes, cudaMemcpyDeviceToDevice, p->s->stream));
    return PLEACH_OK;
}

/* One round. *fitted is set if the pairs of every query fit. Then `closed` and box->total describe what was found. */
static pleach_status fill_places(packed *p, void *keys, void *values, const uint64_t *places, bool *fitted)
{
    request fill = p->r;
    fill.out_keys = keys;
    fill.out_values = values;
    fill.offsets = places;
    fill.long_counts = p->found;
    CUDA_TRY(cuda_run_kernel(p->map, &fill, NULL, p->s->stream));
    p->box->lacking = 0;
    pleach_status status = limit_pieces(p);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(p->misfits, 0, sizeof *p->misfits, p->s->stream));
    CUDA_TRY(blink_cuda_count_misfits(places, p->found, p->r.n, p->misfits, p->s->stream));
    status = send(p, &p->box->misfits, p->misfits);
    uint64_t total;
    if (status == PLEACH_OK) status = add_up(p, p->closed, &total);
    *fitted = p->box->misfits == 0;
    return status;
}

/* Allocates device memory for the pairs; those of a host array are copied back to it. */
static pleach_status stage_outputs(packed *p, uint64_t pairs)
{
    p->s->results = p->other_results; /* drops what an earlier attempt has staged */
    pleach_status status =
        staging_output(p->s, p->caller->out_keys, pairs * p->map->key_bytes, false, &p->r.out_keys);
    if (status == PLEACH_OK)
        status = staging_output(p->s, p->caller->out_values, pairs * p->map->key_bytes, false, &p->r.out_values);
    return status;
}

/* Moves the pairs from sections, into which all of them fit, to the caller's arrays, without gaps. Returns SPACE if
 * there are now too many. */
static pleach_status close_gaps(packed *p, const void *keys, const void *values, const uint64_t *places,
                                size_t capacity, uint64_t *total)
{
    uint64_t counted = *total;
    pleach_status status = PLEACH_OK;
    *total = p->box->total;
    if (places == p->offsets && *total == counted) return PLEACH_OK; /* unchanged, so there are no gaps */
    if (*total <= capacity) {
        if (places != p->offsets) status = stage_outputs(p, *total);
        if (status == PLEACH_OK) status = move_pairs(p, keys, p->r.out_keys, places, p->closed, *total);
        if (status == PLEACH_OK) status = move_pairs(p, values, p->r.out_values, places, p->closed, *total);
        if (status != PLEACH_OK) return status;
    }
    size_t numbers = (p->r.n + 1) * sizeof *p->offsets;
    CUDA_TRY(cudaMemcpyAsync(p->offsets, p->closed, numbers, cudaMemcpyDeviceToDevice, p->s->stream));
    return *total <= capacity ? PLEACH_OK : PLEACH_E_SPACE;
}

/* One round with `spare` additional slots per query. Its scratch memory is freed at the end of the round. */
static pleach_status fill_with_spare(packed *p, uint64_t spare, size_t capacity, uint64_t *total, bool *fitted)
{
    uint64_t *places = p->places;
    void *keys = NULL, *values = NULL;
    CUDA_TRY(blink_cuda_add_spare(p->found, places, p->r.n, spare, p->s->stream));
    pleach_status status = scan(p, places, places, p->r.n + 1);
    if (status == PLEACH_OK) status = send(p, &p->box->total, places + p->r.n);
    if (status == PLEACH_OK) status = look(p);
    if (status != PLEACH_OK) return status;
    const uint64_t room = p->box->total;
    staging round = staging_on(p->map, p->s->stream);
    if (p->r.out_keys) status = staging_scratch(&round, room * p->map->key_bytes, &keys);
    if (status == PLEACH_OK && p->r.out_values) status = staging_scratch(&round, room * p->map->key_bytes, &values);
    if (status == PLEACH_OK) status = fill_places(p, keys, values, places, fitted);
    if (status == PLEACH_OK && *fitted && !p->box->lacking)
        status = close_gaps(p, keys, values, places, capacity, total);
    staging_free(&round);
    return status;
}

/* Sets box->lacking if, because of erases, limited queries lack pairs that lie behind their parts. */
static pleach_status fill_pairs(packed *p, size_t capacity, uint64_t *total)
{
    bool fitted = false;
    size_t numbers = (p->r.n + 1) * sizeof *p->closed;
    pleach_status status = staging_scratch(p->s, numbers, (void **)&p->closed);
    if (status == PLEACH_OK) status = staging_scratch(p->s, sizeof *p->misfits, (void **)&p->misfits);
    if (status == PLEACH_OK) status = fill_places(p, p->r.out_keys, p->r.out_values, p->offsets, &fitted);
    if (status != PLEACH_OK || p->box->lacking) return status;
    if (fitted) return close_gaps(p, p->r.out_keys, p->r.out_values, p->offsets, capacity, total);
    status = staging_scratch(p->s, numbers, (void **)&p->places);
    for (unsigned round = 0; status == PLEACH_OK && !fitted && !p->box->lacking; round++)
        status = fill_with_spare(p, (uint64_t)4 << (round < 20 ? round : 20), capacity, total, &fitted);
    return status;
}

static pleach_status fill_all(packed *p, size_t capacity, uint64_t *total)
{
    if (*total > capacity) return PLEACH_E_SPACE;
    pleach_status status = stage_outputs(p, *total);
    return status == PLEACH_OK ? fill_pairs(p, capacity, total) : status;
}

/* ---- the call ---- */

static pleach_status count_all(packed *p, uint64_t *total)
{
    p->box->lacking = 0;
    if (p->whole.n == 0) return cuda_status(cudaMemsetAsync(p->offsets, 0, sizeof *p->offsets, p->s->stream));
    pleach_status status = count_pairs(p, total);
    return status == PLEACH_OK && p->box->notes.queries ? cut_enough(p, total) : status;
}

/* Returns the offsets to the caller even if the pairs do not fit. */
static pleach_status pack(packed *p, const request *r, size_t capacity, uint64_t *offsets, size_t *total)
{
    uint64_t found = 0;
    pleach_status status =
        staging_output(p->s, offsets, (r->n + 1) * sizeof *offsets, false, (void **)&p->caller_offsets);
    p->caller = r;
    p->other_results = p->s->results;
    if (status == PLEACH_OK) status = prepare(p, r);
    if (status == PLEACH_OK) status = count_all(p, &found);
    if (status != PLEACH_OK) return status;
    if ((r->out_keys || r->out_values) && r->n) {
        status = fill_all(p, capacity, &found);
        if (status == PLEACH_OK && p->box->lacking) { /* at most once: afterwards nothing lies behind the parts */
            p->to_the_end = true;
            status = cut(p, &found);
            if (status == PLEACH_OK) status = fill_all(p, capacity, &found);
        }
    }
    if (status != PLEACH_OK && status != PLEACH_E_SPACE) return status;
    if (p->work)
        CUDA_TRY(blink_cuda_pick(p->offsets, p->pieces.first, p->caller_offsets, p->whole.n, p->s->stream));
    *total = found;
    pleach_status returned = staging_return_results(p->s);
    return returned == PLEACH_OK ? status : returned;
}

static pleach_status pack_with(packed *p, const request *r, size_t capacity, uint64_t *offsets, size_t *total)
{
    pleach_status status = pack(p, r, capacity, offsets, total);
    staging_free(p->s);
    pleach_status finished = look(p);
    if (p->instant.at) cuda_versions_let_go(p->map, &p->instant);
    return status == PLEACH_OK ? finished : status;
}

/* ---- a few small ranges: one kernel writes the pairs to the mailbox ---- */

static bool is_small(const staging *s, const request *r, const uint64_t *offsets)
{
    return r->n > 0 && r->n <= MAILBOX_QUERIES && staging_is_host(s, offsets) && staging_is_host(s, r->keys) &&
           staging_is_host(s, r->values) && staging_is_host(s, r->out_keys) && staging_is_host(s, r->out_values);
}

static pleach_status run_small(const cuda_map *map, request *r, cudaStream_t stream, mailbox *box)
{
    size_t array = r->n * map->key_bytes;
    memcpy(box->low, r->keys, array);
    memcpy(box->high, r->values, array);
    r->keys = box->low;
    r->values = box->high;
    if (r->out_keys) r->out_keys = box->keys;
    if (r->out_values) r->out_values = box->values;
    r->long_counts = box->counts;
    r->notes = &box->notes;
    if (r->after) CUDA_TRY(cudaStreamWaitEvent(stream, r->after, 0));
    CUDA_TRY(cuda_run_kernel(map, r, NULL, stream));
    CUDA_TRY(cudaStreamSynchronize(stream));
    return PLEACH_OK;
}

/* Records the queries that may have more pairs than their share holds. */
static void note_large(const request *r, uint32_t limit, mailbox *box)
{
    long_notes *notes = &box->notes;
    uint64_t noted = notes->queries;
    for (size_t i = 0; i < r->n; i++) {
        bool known = false; /* already recorded, so its count is meaningless */
        for (uint64_t k = 0; k < noted; k++) known |= notes->query[k] == i;
        if (!known && box->counts[i] == limit && limit != r->limit) notes->query[notes->queries++] = i;
    }
}

static void hand_out_pairs(const cuda_map *map, const request *r, uint32_t limit, const mailbox *box,
                           const uint64_t *offsets)
{
    size_t bytes = map->key_bytes;
    for (size_t i = 0; i < r->n; i++) {
        size_t to = offsets[i] * bytes, from = i * limit * bytes, all = box->counts[i] * bytes;
        if (r->out_keys) memcpy((char *)r->out_keys + to, (const char *)box->keys + from, all);
        if (r->out_values) memcpy((char *)r->out_values + to, (const char *)box->values + from, all);
    }
}

/* If the pairs do not fit into the mailbox, nothing is copied to the caller. Then the mailbox's notes list the queries
 * that are to be cut, and its counts give the pairs of the others. */
static pleach_status range_small(const cuda_map *map, const request *r, size_t capacity, uint64_t *offsets,
                                 size_t *total, cudaStream_t stream, mailbox *box)
{
    request small = *r;
    const uint32_t room = r->n > 1 ? (uint32_t)(MAILBOX_PAIRS / r->n) : MAILBOX_SHARE;
    small.limit = r->limit && r->limit < room ? r->limit : room;
    pleach_status status = run_small(map, &small, stream, box);
    if (status == PLEACH_OK) note_large(r, small.limit, box);
    if (status != PLEACH_OK || box->notes.queries) return status;
    offsets[0] = 0;
    for (size_t i = 0; i < r->n; i++) offsets[i + 1] = offsets[i] + box->counts[i];
    *total = offsets[r->n];
    if (!r->out_keys && !r->out_values) return PLEACH_OK;
    if (*total > capacity) return PLEACH_E_SPACE;
    hand_out_pairs(map, r, small.limit, box, offsets);
    return PLEACH_OK;
}

static pleach_status range_with(cuda_map *map, const request *r, size_t capacity, uint64_t *offsets, size_t *total,
                                cudaStream_t stream, mailbox *box)
{
    staging s = staging_to_wait_for(map, stream);
    if (is_small(&s, r, offsets)) {
        pleach_status status = range_small(map, r, capacity, offsets, total, stream, box);
        if (status != PLEACH_OK || box->notes.queries == 0) return status;
    }
    packed p = {.map = map, .s = &s, .box = box};
    return pack_with(&p, r, capacity, offsets, total);
}

pleach_status cuda_range_packed(cuda_map *map, const request *r, size_t capacity, uint64_t *offsets, size_t *total,
                                cudaStream_t stream)
{
    mailbox *box = mailbox_take(&map->mail);
    pleach_status status = range_with(map, r, capacity, offsets, total, stream, box);
    mailbox_give(&map->mail, box);
    return status;
}
