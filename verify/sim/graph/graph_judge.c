/* verify/sim/graph/graph_judge.c - what came of a schedule of graphs, and names of their words for traces. */
#include <inttypes.h>
#include <string.h>

#include "../../../src/pool/pool_runs_check.h"
#include "graph_world.h"

typedef struct census {
    uint64_t seen[GRAPH_SLABS / 64];
    uint64_t vertices, halves;
    uint64_t numbers; /* of a sparse graph: a bit for each that was seen */
    uint32_t id; /* the vertex whose edges are looked at */
    bool fine;
    char *why;
    size_t size;
} census;

static graph_state *state(void) { return graph_now.place.state; }

/* The halves by themselves: of an undirected graph, too. */
static graph_ref halves(void)
{
    graph_ref place = graph_now.place;
    place.directed = 1;
    return place;
}

size_t graph_find_all(history_pair *pairs)
{
    graph_world *w = &graph_now;
    graph_ref place = halves();
    size_t count = 0;
    for (unsigned i = 0; i < w->chosen; i++)
        for (unsigned j = 0; graph_vertex_of(w->ids[i]) && j < w->chosen; j++) {
            uint32_t value = 0;
            if (w->kind->ops->find(&place, w->ids[i], w->ids[j], &value))
                pairs[count++] = (history_pair){w->ids[i] * GRAPH_IDS + w->ids[j], value};
        }
    for (unsigned i = 0; i < w->chosen; i++)
        if (graph_vertex_is_there(graph_vertex_of(w->ids[i])))
            pairs[count++] = (history_pair){GRAPH_VERTEX_KEYS + w->ids[i], 0};
    return count;
}

/* ---- the shape ---- */

static bool count_vertex(census *c, uint32_t number)
{
    const slab_table *vertex = graph_now.kind->table(&graph_now.place, number);
    uint32_t id = graph_now.kind->id(&graph_now.place, number);
    hash_counts counts;
    char why[160];
    if (!graph_now.kind->ops->check(&graph_now.place.slabs, vertex, c->seen, &counts, why, sizeof why))
        return snprintf(c->why, c->size, "vertex %" PRIu32 ": %s", id, why), false;
    bool there = graph_vertex_is_there(vertex);
    if (!there && counts.keys)
        return snprintf(c->why, c->size, "G4: vertex %" PRIu32 " has neighbours, and is not there", id), false;
    c->vertices += there;
    c->halves += counts.keys;
    return true;
}

static bool count_segments(census *c)
{
    uint32_t per_segment = (uint32_t)1 << graph_now.kind->segment_log;
    uint64_t slabs = per_segment * sizeof(slab_table) / SLAB_BYTES;
    for (uint32_t segment = 0; segment < graph_segments(); segment++) {
        uint64_t run = graph_now.place.directory[segment];
        if (!run) continue;
        if (segment >= state()->segments)
            return snprintf(c->why, c->size, "segment %" PRIu32 " is made, and %" PRIu64 " are said to be", segment,
                            state()->segments), false;
        if (!pool_mark_run(&state()->pool, c->seen, run, slabs))
            return snprintf(c->why, c->size, "P1: segment %" PRIu32 " is in two places", segment), false;
        for (uint32_t i = 0; i < per_segment; i++)
            if (!count_vertex(c, segment * per_segment + i)) return false;
    }
    return true;
}

/* ---- ids of a sparse graph ---- */

static bool check_id(void *context, graph_target target)
{
    census *c = context;
    c->fine = false;
    if (target.value >= state()->numbers || c->numbers >> target.value & 1)
        return snprintf(c->why, c->size, "G6: vertex %" PRIu32 " has the number %" PRIu32 ", as another has, or nobody "
                        "may", target.id, target.value), false;
    c->numbers |= (uint64_t)1 << target.value;
    uint32_t name = graph_now.kind->id(&graph_now.place, target.value);
    if (name != target.id)
        return snprintf(c->why, c->size, "G6: vertex %" PRIu32 " has the number %" PRIu32 ", whose name is %" PRIu32,
                        target.id, target.value, name), false;
    return c->fine = true;
}

static bool check_free_numbers(census *c)
{
    for (uint32_t i = 0; i < state()->free_numbers; i++) {
        uint32_t segment = (uint32_t)graph_now.place.names[i >> graph_now.kind->segment_log];
        uint32_t within = i & (((uint32_t)1 << graph_now.kind->segment_log) - 1);
        uint64_t number = slab_at(&graph_now.place.slabs, segment)->word[within] >> 32;
        if (number >= state()->numbers || c->numbers >> number & 1)
            return snprintf(c->why, c->size, "G7: number %" PRIu64 " is free, and is elsewhere or none", number), false;
        c->numbers |= (uint64_t)1 << number;
    }
    return true;
}

static bool check_dictionary(census *c)
{
    const slab_table *dictionary = &state()->dictionary;
    hash_counts counts;
    char why[160];
    if (!graph_now.sparse) return true;
    for (uint32_t segment = 0; segment < graph_segments(); segment++) {
        uint64_t run = graph_now.place.names[segment];
        if (run && !pool_mark_run(&state()->pool, c->seen, run, 1))
            return snprintf(c->why, c->size, "P1: names of segment %" PRIu32 " are in two places", segment), false;
    }
    if (!graph_now.kind->dictionary->ops->check(&graph_now.place.slabs, dictionary, c->seen, &counts, why, sizeof why))
        return snprintf(c->why, c->size, "dictionary: %s", why), false;
    if (state()->numbers != counts.keys + state()->free_numbers || state()->numbers > GRAPH_IDS)
        return snprintf(c->why, c->size, "G7: %" PRIu64 " numbers, and %" PRIu64 " ids and %" PRIu64 " that are free",
                        state()->numbers, counts.keys, state()->free_numbers), false;
    c->fine = true;
    graph_now.kind->dictionary->ops->visit(&graph_now.place, dictionary, check_id, c);
    return c->fine && check_free_numbers(c);
}

/* ---- edges ---- */

static bool check_edge(void *context, graph_target target)
{
    census *c = context;
    graph_ref place = halves();
    uint32_t value = 0;
    c->fine = false;
    if (target.id == c->id) return snprintf(c->why, c->size, "G1: vertex %" PRIu32 " has a loop", c->id), false;
    if (target.id >= GRAPH_IDS || !graph_vertex_is_there(graph_vertex_of(target.id)))
        return snprintf(c->why, c->size, "G4: edge %" PRIu32 " %" PRIu32 " leads nowhere", c->id, target.id), false;
    if (!graph_now.place.directed &&
        (!graph_now.kind->ops->find(&place, target.id, c->id, &value) || value != target.value))
        return snprintf(c->why, c->size, "G2: edge %" PRIu32 " %" PRIu32 " is not the same at both ends", c->id,
                        target.id), false;
    return c->fine = true;
}

static bool check_edges(census *c)
{
    for (c->id = 0; c->id < GRAPH_IDS; c->id++) {
        const slab_table *vertex = graph_vertex_of(c->id);
        c->fine = true;
        if (vertex) graph_now.kind->ops->visit(&graph_now.place, vertex, check_edge, c);
        if (!c->fine) return false;
    }
    return true;
}

/* A slab that is free can be latched by nobody; one that was to be a segment, and is none, was never a bucket. */
static bool check_free_headers(const census *c)
{
    for (uint64_t id = GRAPH_FIRST_ID; id < pool_ids(&state()->pool); id++) {
        uint64_t header = slab_at(&graph_now.place.slabs, (uint32_t)id)->word[SLAB_HEADER];
        if (c->seen[id / 64] >> id % 64 & 1 || header == 0) continue;
        if ((header & SLAB_LATCHED) || !(header & (SLAB_MOVED | SLAB_OTHER)) || slab_mask(header))
            return snprintf(c->why, c->size, "H5: slab %" PRIu64 " is free, and has the header %" PRIx64, id, header),
                   false;
    }
    return true;
}

/* Ids that are no slabs, and those that were passed by: agents that race for the last slab move the end past the
 * capacity; if that grows later, these ids are nowhere. */
static void mark_none(census *c)
{
    graph_world *w = &graph_now;
    if (state()->pool.next > state()->pool.capacity) {
        w->passed_from = state()->pool.capacity;
        w->passed_to = state()->pool.next;
    }
    for (uint64_t id = 0; id < GRAPH_SLABS; id++)
        if (id < GRAPH_FIRST_ID || (id >= w->passed_from && id < w->passed_to))
            c->seen[id / 64] |= (uint64_t)1 << id % 64;
}

/* Answers in *count how many halves and vertices there are. */
static bool judge_shape(size_t *count, char *why, size_t size)
{
    graph_world *w = &graph_now;
    census c = {.why = why, .size = size};
    mark_none(&c);
    if (!count_segments(&c) || !check_dictionary(&c) || !check_edges(&c) || !check_free_headers(&c) ||
        !pool_check_runs(w->place.slabs.runs, c.seen, why, size))
        return false;
    if ((uint64_t)w->vertices != c.vertices || (uint64_t)w->edges * (w->place.directed ? 1 : 2) != c.halves)
        return snprintf(why, size, "G5: %" PRIu64 " vertices and %" PRIu64 " ends of edges, operations have told of %"
                        PRId64 " and %" PRId64 " edges", c.vertices, c.halves, w->vertices, w->edges), false;
    *count = graph_find_all(w->last);
    if (*count != c.vertices + c.halves)
        return snprintf(why, size, "there are %" PRIu64 " vertices and %" PRIu64 " ends of edges, finds see %zu",
                        c.vertices, c.halves, *count), false;
    return true;
}

/* ---- the answers ----
 *
 * A half of an edge is a key. Finds ask for the home, and so do updates that find nothing to be done; a change is one
 * of both halves, each at an instant of its own between its stamps; and a list of a vertex's neighbours has the halves
 * in its table, whatever their homes are. A vertex is a key that is put if it is absent, also by a put of an edge. */

static void tell(const graph_op *op, uint8_t kind, uint64_t key, uint8_t outcome)
{
    history_op *told = &graph_now.told[graph_now.history.count++];
    *told = (history_op){.invoked = op->invoked, .returned = op->returned, .agent = op->agent, .kind = kind, .key = key,
                         .outcome = outcome};
    if (key < GRAPH_VERTEX_KEYS) {
        told->value = op->value;
        told->out_value = op->old;
    }
}

static void tell_list(const graph_op *op)
{
    const graph_target *targets = &graph_now.targets[op->targets];
    history_pair *pairs = &graph_now.pairs[op->targets];
    for (uint32_t i = 0, at; i < op->target_count; i++) {
        history_pair pair = {op->from * GRAPH_IDS + (uint64_t)targets[i].id, targets[i].value};
        for (at = i; at > 0 && pairs[at - 1].key > pair.key; at--) pairs[at] = pairs[at - 1];
        pairs[at] = pair;
    }
    tell(op, HISTORY_RANGE, op->from * GRAPH_IDS, 0);
    history_op *told = &graph_now.told[graph_now.history.count - 1];
    told->high = told->key + GRAPH_IDS - 1;
    told->pairs = op->targets;
    told->pair_count = op->target_count;
}

static bool alters(const graph_op *op)
{
    bool replaces = op->outcome == HISTORY_REPLACED && graph_now.kind->values;
    return op->outcome == HISTORY_INSERTED || op->outcome == HISTORY_ERASED || replaces;
}

static void tell_edge(const graph_op *op)
{
    static const uint8_t kinds[] = {HISTORY_PUT, HISTORY_ADD, HISTORY_ERASE, HISTORY_FIND};
    bool directed = graph_now.place.directed, turned = !directed && op->to < op->from;
    uint64_t home = turned ? op->to : op->from, other = turned ? op->from : op->to;
    tell(op, kinds[op->kind], home * GRAPH_IDS + other, op->outcome);
    if (!directed && alters(op)) tell(op, kinds[op->kind], other * GRAPH_IDS + home, op->outcome);
    if (op->kind != GRAPH_OP_PUT || op->new_from == HISTORY_NOT_APPLIED) return;
    tell(op, HISTORY_ADD, GRAPH_VERTEX_KEYS + op->from, op->new_from);
    tell(op, HISTORY_ADD, GRAPH_VERTEX_KEYS + op->to, op->new_to);
}

static void tell_all(size_t last_count)
{
    graph_world *w = &graph_now;
    w->history = (history){.initial = w->initial, .initial_count = w->initial_count, .ops = w->told, .pairs = w->pairs,
                           .final = w->last, .final_count = last_count};
    for (unsigned i = 0; i < w->first_op[w->agents]; i++) {
        const graph_op *op = &w->ops[i];
        if (op->kind == GRAPH_OP_LIST)
            tell_list(op);
        else if (op->kind <= GRAPH_OP_FIND)
            tell_edge(op);
        else if (op->kind != GRAPH_OP_DEGREE)
            tell(op, op->kind == GRAPH_OP_PUT_VERTEX ? HISTORY_ADD : HISTORY_FIND, GRAPH_VERTEX_KEYS + op->from,
                 op->outcome);
    }
}

/* ---- the judgement ---- */

static bool refused_without_need(char *why, size_t size)
{
    for (unsigned i = 0; i < graph_now.first_op[graph_now.agents]; i++) {
        const graph_op *op = &graph_now.ops[i];
        bool puts = op->kind == GRAPH_OP_PUT || op->kind == GRAPH_OP_PUT_VERTEX;
        if ((!puts && op->kind != GRAPH_OP_ERASE) || op->outcome != HISTORY_NOT_APPLIED) continue;
        if (!graph_now.may_refuse || !puts)
            return snprintf(why, size, "an update was refused though the pool has room"), true;
    }
    return false;
}

/* Does this operation's answer say that there is an edge with this end? */
static bool tells_of(const graph_op *op, uint32_t id)
{
    bool is_end = op->from == id || (op->kind != GRAPH_OP_LIST && op->to == id);
    if (op->kind != GRAPH_OP_LIST)
        return is_end && (op->kind == GRAPH_OP_FIND ? op->outcome == HISTORY_FOUND
                                                    : op->kind == GRAPH_OP_ERASE && op->outcome == HISTORY_ERASED);
    for (uint32_t i = 0; i < op->target_count; i++)
        if (is_end || graph_now.targets[op->targets + i].id == id) return true;
    return false;
}

/* G4, while agents run: whoever has seen an edge finds its ends. Key by key, histories do not say that. */
static bool edge_before_vertex(char *why, size_t size)
{
    const graph_op *end = &graph_now.ops[graph_now.first_op[graph_now.agents]];
    for (const graph_op *op = graph_now.ops; op < end; op++) {
        if (op->kind != GRAPH_OP_FIND_VERTEX || op->outcome == HISTORY_FOUND) continue;
        for (const graph_op *before = graph_now.ops; before < end; before++)
            if (before->returned < op->invoked && tells_of(before, op->from))
                return snprintf(why, size, "G4: vertex %" PRIu32 " is not there when its edge has been seen", op->from),
                       true;
    }
    return false;
}

/* How many more neighbours of a vertex there are by this operation. */
static int64_t neighbours_by(const graph_op *op, uint32_t id)
{
    if (op->kind > GRAPH_OP_ERASE || (op->from != id && (graph_now.place.directed || op->to != id))) return 0;
    return (op->outcome == HISTORY_INSERTED) - (op->outcome == HISTORY_ERASED);
}

/* G5, while agents run: a degree counts the edges that were there, and of those that came or went meanwhile some. */
static bool wrong_degree(const graph_op *op, char *why, size_t size)
{
    graph_world *w = &graph_now;
    int64_t least = 0, most;
    for (size_t i = 0; i < w->initial_count; i++)
        least += w->initial[i].key < GRAPH_VERTEX_KEYS && w->initial[i].key / GRAPH_IDS == op->from;
    most = least;
    for (unsigned i = 0; i < w->first_op[w->agents]; i++) {
        const graph_op *other = &w->ops[i];
        int64_t more = neighbours_by(other, op->from);
        bool before = other->returned < op->invoked, after = other->invoked > op->returned;
        if (!after && (before || more < 0)) least += more;
        if (!after && (before || more > 0)) most += more;
    }
    if (op->old >= least && op->old <= most) return false;
    return snprintf(why, size, "G5: the degree of vertex %" PRIu32 " is said to be %" PRIu32 ", and is from %" PRId64
                    " to %" PRId64, op->from, op->old, least, most), true;
}

static bool any_wrong_degree(char *why, size_t size)
{
    for (unsigned i = 0; i < graph_now.first_op[graph_now.agents]; i++)
        if (graph_now.ops[i].kind == GRAPH_OP_DEGREE && wrong_degree(&graph_now.ops[i], why, size)) return true;
    return false;
}

/* With memory enough, what is left of growth can be done, and changes nothing. */
static bool judge_growth(size_t before, char *why, size_t size)
{
    size_t after;
    state()->pool.capacity = GRAPH_SLABS;
    for (uint32_t id = 0; id < GRAPH_IDS; id++) {
        slab_table *vertex = graph_vertex_of(id);
        if (vertex && !graph_now.kind->finish(&graph_now.place.slabs, vertex))
            return snprintf(why, size, "a growth cannot be finished by somebody who is alone"), false;
    }
    if (!graph_now.kind->dictionary->finish(&graph_now.place.slabs, &state()->dictionary))
        return snprintf(why, size, "a growth of the dictionary cannot be finished by somebody who is alone"), false;
    if (!judge_shape(&after, why, size)) return false;
    return after == before || (snprintf(why, size, "finishing a growth changes the number of edges"), false);
}

bool graph_judge(char *why, size_t size, sim_checked *checked)
{
    graph_world *w = &graph_now;
    size_t last_count;
    w->bad_history = false;
    if (w->stuck) return snprintf(why, size, "an operation does not end, and nobody else is there"), false;
    if (!judge_shape(&last_count, why, size) || refused_without_need(why, size) || edge_before_vertex(why, size) ||
        any_wrong_degree(why, size))
        return false;
    if (!w->checker) w->checker = history_checker_create();
    tell_all(last_count);
    history_verdict verdict = w->checker ? history_check(w->checker, &w->history) : HISTORY_UNDECIDED;
    checked->histories += verdict == HISTORY_GOOD;
    checked->undecided += verdict == HISTORY_UNDECIDED;
    w->bad_history = verdict == HISTORY_BAD;
    if (w->bad_history) return snprintf(why, size, "the answers are not those of a graph"), false;
    return judge_growth(last_count, why, size);
}

void graph_explain(FILE *out)
{
    if (!graph_now.bad_history) return;
    fprintf(out, "the half of edge (u, v) in u's table is the key %d u + v, and vertex v is the key %d + v%s\n",
            GRAPH_IDS, GRAPH_VERTEX_KEYS, graph_now.place.directed ? "" : "; the edge's home is in the smaller one's");
    history_explain(graph_now.checker, &graph_now.history, out);
}

void graph_forget_all(void)
{
    history_checker_destroy(graph_now.checker);
    graph_now.checker = NULL;
}

/* ---- names of words, for traces: the state comes first, then the directory, the slabs ---- */

static size_t offset_in(uint32_t word, const void *part)
{
    return (size_t)((uint64_t *)state() + word - (const uint64_t *)part);
}

/* Of a sparse graph: the segment whose names a slab has; graph_segments(): it has none. */
static uint32_t names_at(size_t at)
{
    uint32_t segment = 0;
    if (!graph_now.sparse) return graph_segments();
    while (segment < graph_segments() && graph_now.place.names[segment] != at / SLAB_WORDS) segment++;
    return segment;
}

/* The number of the vertex that a word of a slab belongs to; GRAPH_NO_VERTEX: the slab is no segment. */
static uint32_t vertex_at(size_t at)
{
    for (uint32_t segment = 0; segment < graph_segments(); segment++)
        if (graph_now.place.directory[segment] == at / SLAB_WORDS)
            return (segment << graph_now.kind->segment_log) + (uint32_t)(at % SLAB_WORDS) / 4;
    return GRAPH_NO_VERTEX;
}

static void describe_vertex(uint32_t id, size_t at, uint64_t value, char *text, size_t size)
{
    static const char *const names[] = {"root", "next", "cursor", "load"};
    unsigned high = (unsigned)(value >> 32), low = (unsigned)value;
    if (at % 4 < 2)
        snprintf(text, size, "vertex %u: %s = slab %u, log %u, version %u", (unsigned)id, names[at % 4], low, high & 31,
                 high >> 5);
    else
        snprintf(text, size, "vertex %u: %s = %u, %u", (unsigned)id, names[at % 4], high, low);
}

static void describe_slab(size_t at, uint64_t value, char *text, size_t size)
{
    unsigned id = (unsigned)(at / SLAB_WORDS), word = (unsigned)(at % SLAB_WORDS);
    if (word == SLAB_HEADER)
        snprintf(text, size, "slab %u header = version %" PRIu64 ", slots %x%s%s%s", id, value >> SLAB_VERSION_SHIFT,
                 slab_mask(value), value & SLAB_LATCHED ? ", latched" : "", value & SLAB_MOVED ? ", moved" : "",
                 value & SLAB_OTHER ? ", other" : "");
    else if (word == SLAB_LINK)
        snprintf(text, size, "slab %u link = slab %u", id, (unsigned)value);
    else
        snprintf(text, size, "slab %u word %u = (%u, %u)", id, word - SLAB_FIRST, (unsigned)value,
                 (unsigned)(value >> 32));
}

void graph_describe(uint32_t word, uint64_t value, char *text, size_t size)
{
    const uint64_t *at = (uint64_t *)state() + word, *nodes = graph_now.place.slabs.runs.nodes;
    size_t offset = at >= nodes ? offset_in(word, nodes) : 0;
    if (at >= nodes && vertex_at(offset) != GRAPH_NO_VERTEX)
        describe_vertex(vertex_at(offset), offset, value, text, size);
    else if (at >= nodes && names_at(offset) < graph_segments())
        snprintf(text, size, "names of segment %u: word %u = %u, %u", (unsigned)names_at(offset),
                 (unsigned)(offset % SLAB_WORDS), (unsigned)(value >> 32), (unsigned)value);
    else if (at >= nodes)
        describe_slab(offset, value, text, size);
    else if (at >= graph_now.place.directory)
        snprintf(text, size, "segment %zu = slab %u", offset_in(word, graph_now.place.directory), (unsigned)value);
    else
        snprintf(text, size, "state: word %u = %" PRIu64 ", %u", word, value >> 32, (unsigned)value);
}

bool graph_is_latched(uint32_t word, uint64_t value)
{
    const uint64_t *at = (uint64_t *)state() + word, *nodes = graph_now.place.slabs.runs.nodes;
    if (at < nodes || offset_in(word, nodes) % SLAB_WORDS != SLAB_HEADER || !(value & SLAB_LATCHED)) return false;
    return vertex_at(offset_in(word, nodes)) == GRAPH_NO_VERTEX && names_at(offset_in(word, nodes)) == graph_segments();
}
