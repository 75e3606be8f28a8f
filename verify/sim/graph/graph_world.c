/* verify/sim/graph/graph_world.c - graphs under the simulator: directed and undirected, with values and without, dense
 * and sparse.
 *
 * Slabs have few slots here and segments four vertices, and vertices are chosen by their hashes, so that tables grow
 * with a few edges and segments are made by every other one. Graphs are made ready by somebody who is alone; slabs in
 * the free lists have a past. */
#include <string.h>

#include "graph_world.h"

#include "../../../src/hash/slabhash_seed.h"

_Thread_local graph_world graph_now;

static const graph_variant *const variants[] = {&sim_graph_set32_cuda,  &sim_graph_map32_cuda, &sim_graph_set32_plain,
                                                &sim_graph_map32_plain, &sim_graph_set32_cuda, &sim_graph_map32_plain};
static const char *const variant_names[] = {"cuda",         "cuda_values", "plain",
                                            "plain_values", "cuda_sparse", "plain_sparse", NULL};
enum { FIRST_SPARSE = 4 };

enum { NEVER_GROWS = 1 << 30 }; /* load_of_keys */
enum { FIRST_VALUE = 100000, FIRST_VERSION = 4000 }; /* none looks like a slab's id */

unsigned graph_slots(void) { return graph_now.kind->ops->slots; }

unsigned graph_segments(void) { return GRAPH_IDS >> graph_now.kind->segment_log; }

slab_table *graph_vertex_of(uint32_t id) { return graph_now.kind->vertex(&graph_now.place, id); }

/* ---- laying out ---- */

static void begin(bool directed, uint32_t load_of_keys)
{
    graph_world *w = &graph_now;
    graph_state *state = sim_reserve(sizeof *state);
    w->place = (graph_ref){.state = state, .directed = directed};
    w->place.directory = sim_reserve(graph_segments() * sizeof(uint64_t));
    if (w->sparse) w->place.names = sim_reserve(graph_segments() * sizeof(uint64_t));
    w->place.slabs = (slab_ref){.runs = {.pool = &state->pool, .runs = &state->runs, .node_bytes = SLAB_BYTES},
                                  .load_of_keys = load_of_keys};
    w->place.slabs.runs.nodes = sim_reserve(GRAPH_SLABS * SLAB_BYTES);
    sim_nodes(w->place.slabs.runs.nodes, SLAB_BYTES, GRAPH_SLABS);
    state->pool.next = GRAPH_FIRST_ID;
    state->pool.capacity = GRAPH_SLABS;
}

static bool is_chosen(uint32_t id)
{
    for (unsigned i = 0; i < graph_now.chosen; i++)
        if (graph_now.ids[i] == id) return true;
    return false;
}

/* One more vertex: the first one from `from` on whose hash ends in these bits, or any, if there is none. */
static void choose_id(uint32_t from, uint32_t bits, uint32_t which)
{
    graph_world *w = &graph_now;
    unsigned tries = 0;
    uint32_t id = from, at = w->chosen;
    for (; tries < 2 * GRAPH_IDS; tries++, id = (id + 1) % GRAPH_IDS) {
        uint32_t bound = tries < GRAPH_IDS ? which : 0;
        if (!is_chosen(id) && !((w->kind->hash(&w->place.slabs, id) ^ bits) & bound)) break;
    }
    for (; at > 0 && w->ids[at - 1] > id; at--) w->ids[at] = w->ids[at - 1];
    w->ids[at] = id;
    w->chosen++;
}

void graph_choose_ids(unsigned count)
{
    graph_world *w = &graph_now;
    uint32_t which = ((uint32_t)1 << sim_draw(4)) - 1, bits = (uint32_t)sim_draw(8);
    uint32_t span = sim_draw(3) ? GRAPH_IDS : 2 * count;
    unsigned strays = (unsigned)sim_draw(4);
    w->place.slabs.seed = slabhash_seed_of(sim_draw(1u << 30));
    w->chosen = 0;
    while (w->chosen < count) choose_id((uint32_t)sim_draw(span) % GRAPH_IDS, bits, sim_draw(4) < strays ? 0 : which);
}

static void count_told(const graph_op *op)
{
    graph_world *w = &graph_now;
    if (op->kind == GRAPH_OP_PUT_VERTEX) w->vertices += op->outcome == HISTORY_INSERTED;
    if (op->kind > GRAPH_OP_ERASE) return;
    w->vertices += (op->new_from == HISTORY_INSERTED) + (op->new_to == HISTORY_INSERTED);
    w->edges += (op->outcome == HISTORY_INSERTED) - (op->outcome == HISTORY_ERASED);
}

void graph_do_exclusive(const graph_ref *g, graph_op_kind kind, uint32_t from, uint32_t to)
{
    graph_world *w = &graph_now;
    graph_op op = {.kind = kind, .from = from, .to = to, .value = FIRST_VALUE + w->next_value++};
    if (from == to || w->stuck) return;
    if (w->kind->alone(g, &op))
        count_told(&op);
    else
        w->stuck = true;
}

void graph_fill(uint32_t hub, unsigned count)
{
    graph_world *w = &graph_now;
    graph_ref place = w->place;
    unsigned at = (unsigned)sim_draw(w->chosen);
    place.slabs.load_of_keys = NEVER_GROWS;
    for (unsigned i = 0; i < w->chosen && count > 0; i++, at = (at + 1) % w->chosen) {
        if (w->ids[at] == hub) continue;
        graph_do_exclusive(&place, GRAPH_OP_PUT, hub, w->ids[at]);
        count--;
    }
}

void graph_work(unsigned times, unsigned puts_percent)
{
    graph_world *w = &graph_now;
    for (; times > 0; times--)
        graph_do_exclusive(&w->place, sim_draw_chance(puts_percent) ? GRAPH_OP_PUT : GRAPH_OP_ERASE,
                       w->ids[sim_draw(w->chosen)], w->ids[sim_draw(w->chosen)]);
}

void graph_recycle(unsigned most)
{
    graph_world *w = &graph_now;
    uint64_t keys[GRAPH_CHOSEN];
    unsigned gone = w->sparse ? (unsigned)sim_draw(4) : 0, first = (unsigned)sim_draw(w->chosen);
    for (unsigned i = 0; i < w->chosen; i++) keys[i] = w->ids[i];
    if (first + gone > w->chosen) gone = w->chosen - first;
    if (gone) w->kind->come_and_go(&w->place, &w->ids[first], gone);
    for (unsigned i = (unsigned)sim_draw(most + 1); i > 0; i--) {
        slab_ref place = w->place.slabs;
        place.runs.stripe = (uint32_t)sim_draw(w->stripes);
        w->kind->recycle(&place, sim_draw(2) ? 0 : (unsigned)sim_draw(3), FIRST_VERSION + sim_draw(9), keys, w->chosen);
    }
}

void graph_settle(void) { graph_now.initial_count = graph_now.stuck ? 0 : graph_find_all(graph_now.initial); }

/* A pool with room for a few slabs only. */
static void limit_pool(void)
{
    pool_state *pool = &graph_now.place.state->pool;
    graph_now.may_refuse = true;
    pool->capacity = pool->next + sim_draw(7);
}

/* ---- tiny cases ---- */

/* Two agents, a few operations each; what the exhaustive strategy goes through. There are vertices a, b, c and d of one
 * segment, and z of another. If the graph is built, c has edges with a, b and d, and if it is `full`, with a fourth
 * one, which fills its slabs. A letter and two vertices: p puts, e erases, f finds. l lists the neighbours of a vertex,
 * d asks how many there are, v puts one, ? asks for one. */
static const struct {
    bool built, full;
    const char *part[2];
} tiny_cases[] = {
    {false, false, {"pab", "pba fab"}},    /* one edge, from both its ends, and one segment for both */
    {false, false, {"paz", "vz ?z ?a"}},
    {false, false, {"vz", "vz fza"}},
    {true, false, {"pab", "eab fba"}},     /* it comes and goes */
    {true, false, {"eac", "eca fac"}},
    {true, false, {"eac pac", "lc la"}},
    {true, false, {"pab", "pbd lb"}},      /* one's second table is the other's first */
    {true, true, {"pcz", "eac fcz"}},      /* growth */
    {true, true, {"pzc", "fcd lc"}},
    {true, true, {"pcz", "pac lc"}},
    {true, true, {"pcz", "eac dc"}},
};

static uint32_t id_of_letter(char letter) { return letter == 'z' ? GRAPH_IDS - 1 : (uint32_t)(letter - 'a'); }

static graph_op_kind kind_of_letter(char letter)
{
    switch (letter) {
    case 'p': return GRAPH_OP_PUT;
    case 'e': return GRAPH_OP_ERASE;
    case 'f': return GRAPH_OP_FIND;
    case 'l': return GRAPH_OP_LIST;
    case 'd': return GRAPH_OP_DEGREE;
    case 'v': return GRAPH_OP_PUT_VERTEX;
    default: return GRAPH_OP_FIND_VERTEX;
    }
}

static void plan_tiny(unsigned a, const char *part)
{
    graph_begin_agent(a);
    while (*part) {
        graph_op_kind kind = kind_of_letter(*part++);
        uint32_t from = id_of_letter(*part++), to = from;
        if (*part && *part != ' ') to = id_of_letter(*part++);
        graph_plan_op(a, kind, from, to);
        if (*part == ' ') part++;
    }
}

static void tiny(unsigned which)
{
    graph_world *w = &graph_now;
    uint32_t c = id_of_letter('c');
    begin(false, 512);
    w->chosen = 0;
    for (uint32_t id = 0; id < 4; id++) w->ids[w->chosen++] = id;
    w->ids[w->chosen++] = GRAPH_IDS / 2;
    w->ids[w->chosen++] = id_of_letter('z');
    graph_ref place = w->place;
    place.slabs.load_of_keys = NEVER_GROWS;
    for (uint32_t id = 0; id < 4 && tiny_cases[which].built; id++) graph_do_exclusive(&place, GRAPH_OP_PUT, id, c);
    if (tiny_cases[which].full) graph_do_exclusive(&place, GRAPH_OP_PUT, w->ids[4], c);
    graph_settle();
    for (unsigned a = 0; a < 2; a++) plan_tiny(a, tiny_cases[which].part[a]);
}

/* ---- one schedule ---- */

static unsigned prepare(unsigned variant, int tiny_case)
{
    graph_world *w = &graph_now;
    w->kind = variants[variant];
    w->sparse = variant >= FIRST_SPARSE;
    w->may_refuse = w->stuck = w->solo = false;
    w->lists = w->next_value = 0;
    w->vertices = w->edges = 0;
    w->passed_from = w->passed_to = 0;
    w->stripes = 1;
    if (tiny_case >= 0) {
        tiny((unsigned)tiny_case);
        return w->agents;
    }
    begin(sim_draw(5) == 0, 256u + (uint32_t)sim_draw(1024));
    w->stripes = 1 + (unsigned)sim_draw(2);
    sim_multiprocessors(1 + (unsigned)sim_draw(4));
    graph_draw_scenario();
    if (sim_draw(4) == 0) limit_pool();
    sim_expect(120 * (uint64_t)w->first_op[w->agents - w->solo]);
    return w->agents;
}

static void agent(unsigned index)
{
    graph_world *w = &graph_now;
    bool solo = w->solo && index + 1 == w->agents;
    graph_ref place = w->place;
    place.slabs.runs.stripe = index % w->stripes;
    for (unsigned i = w->first_op[index]; i < w->first_op[index + 1]; i++) {
        graph_op *op = &w->ops[i];
        if (solo && sim_alone()) {
            w->first_op[index + 1] = i;
            return;
        }
        w->kind->run(&place, op, &w->targets[op->targets], GRAPH_IDS);
        if (op->kind == GRAPH_OP_LIST && op->target_count > GRAPH_IDS)
            sim_fail("a list has %u neighbours, of %u vertices", (unsigned)op->target_count, (unsigned)GRAPH_IDS);
        count_told(op);
    }
}

const sim_structure sim_graph = {"graph", variant_names, sizeof tiny_cases / sizeof tiny_cases[0], prepare, agent,
                                 graph_judge, graph_explain, graph_describe, graph_is_latched, graph_forget_all};
