/* verify/sim/graph/graph_scenarios.c - what graph a schedule begins with, and who does what. */
#include "graph_world.h"

/* What operations a scenario has, in percent; the rest are finds. */
typedef struct mix {
    unsigned put, erase, list, vertex;
} mix;

static const mix even_mix = {35, 30, 10, 8}, insert_mix = {65, 10, 8, 8}, erase_mix = {20, 50, 10, 4},
                 look_mix = {20, 15, 25, 20};

/* ---- planning ---- */

void graph_begin_agent(unsigned agent)
{
    graph_now.agents = agent + 1;
    graph_now.first_op[agent + 1] = graph_now.first_op[agent];
}

void graph_plan_op(unsigned agent, graph_op_kind kind, uint32_t from, uint32_t to)
{
    graph_world *w = &graph_now;
    unsigned *end = &w->first_op[agent + 1];
    bool lists = kind == GRAPH_OP_LIST, edge = kind <= GRAPH_OP_FIND;
    if (*end == GRAPH_OPS || (edge && from == to) || (lists && w->lists == GRAPH_LISTS)) return;
    graph_op *op = &w->ops[(*end)++];
    *op = (graph_op){.kind = kind, .agent = agent, .from = from, .to = to};
    if (kind == GRAPH_OP_PUT && w->kind->values) op->value = 200000 + w->next_value++;
    if (lists) op->targets = GRAPH_IDS * w->lists++;
}

static graph_op_kind draw_kind(mix mix)
{
    unsigned draw = (unsigned)sim_draw(100);
    if (draw < mix.put) return GRAPH_OP_PUT;
    if ((draw -= mix.put) < mix.erase) return GRAPH_OP_ERASE;
    if ((draw -= mix.erase) < mix.list) return GRAPH_OP_LIST;
    if ((draw -= mix.list) < mix.vertex)
        return sim_draw(2) ? GRAPH_OP_DEGREE : sim_draw(2) ? GRAPH_OP_PUT_VERTEX : GRAPH_OP_FIND_VERTEX;
    return GRAPH_OP_FIND;
}

static mix draw_mix(void)
{
    switch (sim_draw(4)) {
    case 0: return insert_mix;
    case 1: return erase_mix;
    case 2: return look_mix;
    default: return even_mix;
    }
}

static uint32_t draw_id(void) { return graph_now.ids[sim_draw(graph_now.chosen)]; }

/* Edges from either end: one of a hub's, as often as `of_4` says, or any. */
static void plan_edge(unsigned agent, graph_op_kind kind, uint32_t hub, unsigned of_4)
{
    uint32_t from = sim_draw(4) < of_4 ? hub : draw_id(), to = draw_id();
    bool turned = sim_draw(2);
    graph_plan_op(agent, kind, turned ? to : from, turned ? from : to);
}

static void plan_any(unsigned agents, unsigned most_each, uint32_t hub, unsigned of_4)
{
    bool same = sim_draw(2);
    mix all = draw_mix();
    for (unsigned a = 0; a < agents; a++) {
        mix mine = same ? all : draw_mix();
        graph_begin_agent(a);
        for (unsigned ops = 1 + (unsigned)sim_draw(most_each); ops > 0; ops--)
            plan_edge(a, draw_kind(mine), hub, of_4);
    }
}

static unsigned few_agents(void) { return 2 + (unsigned)sim_draw(sim_draw(4) ? 3 : 6); }

/* ---- scenarios ---- */

/* No vertex is there, nor a segment; agents make them at once. */
static void beginning(void)
{
    graph_choose_ids(2 + (unsigned)sim_draw(5));
    graph_recycle(4);
    graph_settle();
    plan_any(few_agents(), 4, draw_id(), 1);
}

/* Some edges, which all agents want at once, each from the end that it likes. */
static void contested(void)
{
    graph_choose_ids(2 + (unsigned)sim_draw(3));
    graph_recycle(3);
    graph_work((unsigned)sim_draw(6), 80);
    graph_settle();
    plan_any(few_agents(), 5, draw_id(), 2);
}

/* One edge, or two, that come and go; who is told of it looks at both its ends at once, and whether these are there. */
static void witnessed(void)
{
    unsigned agents = 2 + (unsigned)sim_draw(3);
    graph_choose_ids(2 + (unsigned)sim_draw(2));
    graph_work((unsigned)sim_draw(3), 90);
    graph_settle();
    for (unsigned a = 0; a < agents; a++) {
        unsigned changes = a == 0 ? 100 : (unsigned)sim_draw(3) * 50;
        graph_begin_agent(a);
        for (unsigned i = 1 + (unsigned)sim_draw(3); i > 0; i--) {
            uint32_t from = draw_id(), to = draw_id();
            graph_op_kind change = sim_draw(3) ? GRAPH_OP_PUT : GRAPH_OP_ERASE;
            graph_plan_op(a, sim_draw_chance(changes) ? change : GRAPH_OP_FIND, from, to);
            if (a > 0) graph_plan_op(a, sim_draw(3) ? GRAPH_OP_LIST : GRAPH_OP_FIND_VERTEX, sim_draw(2) ? from : to, 0);
        }
    }
}

/* A vertex whose slabs are full, or nearly, so that its table is about to grow; so are some of the others. */
static void brimming(void)
{
    unsigned degree = graph_slots() * (1 + (unsigned)sim_draw(8 / graph_slots()));
    graph_choose_ids(degree + 3 + (unsigned)sim_draw(4));
    graph_recycle(4);
    uint32_t hub = draw_id();
    graph_fill(hub, degree - (unsigned)sim_draw(2));
    for (unsigned i = (unsigned)sim_draw(3); i > 0; i--) graph_fill(draw_id(), graph_slots() - (unsigned)sim_draw(2));
    graph_settle();
    plan_any(few_agents(), 4, hub, 3);
}

static bool is_moving(uint32_t id)
{
    const slab_table *t = graph_vertex_of(id);
    return t && t->next > 1 && (uint32_t)t->next != (uint32_t)t->root;
}

/* Nobody helps whoever is alone, so tables stay halfway. */
static void moving(void)
{
    graph_world *w = &graph_now;
    unsigned first;
    graph_choose_ids(12 + (unsigned)sim_draw(8));
    graph_recycle(4);
    uint32_t hub = draw_id();
    first = (unsigned)sim_draw(w->chosen);
    for (unsigned i = 0; i < w->chosen && !is_moving(hub); i++)
        graph_do_exclusive(&w->place, GRAPH_OP_PUT, hub, w->ids[(first + i) % w->chosen]);
    if (sim_draw(2)) graph_work((unsigned)sim_draw(5), 60);
    graph_settle();
    plan_any(few_agents(), 4, hub, 3);
}

/* Three vertices with full slabs and an edge for every two of them: what is the second table of one is the first of
 * another. */
static void triangle(void)
{
    uint32_t corner[3];
    unsigned agents = 3 + (unsigned)sim_draw(3);
    graph_choose_ids(3 + graph_slots() + (unsigned)sim_draw(3));
    graph_recycle(3);
    for (unsigned i = 0; i < 3; i++) {
        corner[i] = draw_id();
        graph_fill(corner[i], graph_slots() - 1 - (unsigned)sim_draw(2));
    }
    graph_settle();
    for (unsigned a = 0; a < agents; a++) {
        mix mine = draw_mix();
        graph_begin_agent(a);
        for (unsigned i = 1 + (unsigned)sim_draw(3); i > 0; i--) {
            unsigned which = (unsigned)sim_draw(3), turn = 1 + (unsigned)sim_draw(2);
            graph_plan_op(a, draw_kind(mine), corner[which], corner[(which + turn) % 3]);
        }
    }
}

/* A writer who adds neighbours one after the other, so that the table grows and grows, beside some who look, and others
 * who change what is on the way. */
static void outpaced(void)
{
    unsigned agents = 2 + (unsigned)sim_draw(3);
    graph_choose_ids(10 + (unsigned)sim_draw(10));
    graph_recycle(3);
    uint32_t hub = draw_id();
    if (sim_draw(3)) graph_fill(hub, graph_slots());
    graph_settle();
    for (unsigned a = 0; a < agents; a++) {
        unsigned at = (unsigned)sim_draw(graph_now.chosen);
        graph_begin_agent(a);
        if (a > 0 && sim_draw(3)) {
            for (unsigned i = 1 + (unsigned)sim_draw(3); i > 0; i--) plan_edge(a, draw_kind(look_mix), hub, 3);
            continue;
        }
        for (unsigned i = 4 + (unsigned)sim_draw(10); i > 0; i--, at = (at + 1) % graph_now.chosen)
            graph_plan_op(a, sim_draw(8) ? GRAPH_OP_PUT : GRAPH_OP_ERASE, sim_draw(2) ? hub : graph_now.ids[at],
                          graph_now.ids[(at + sim_draw(2)) % graph_now.chosen]);
    }
}

static void crowd(void)
{
    graph_choose_ids(3 + (unsigned)sim_draw(8));
    graph_work((unsigned)sim_draw(12), 75);
    graph_settle();
    plan_any(8 + (unsigned)sim_draw(GRAPH_AGENTS - 8), 3, draw_id(), 2);
}

/* The last agent looks for edges beside the others, whatever they are at: a find waits for nobody. */
static void add_soloist(void)
{
    enum { LOOKS = 120, BUDGET = 4000 };
    unsigned me = graph_now.agents;
    if (me == GRAPH_AGENTS) return;
    graph_begin_agent(me);
    for (unsigned i = 0; i < LOOKS; i++) plan_edge(me, GRAPH_OP_FIND, draw_id(), 2);
    graph_now.solo = true;
    sim_solo(me, BUDGET, sim_draw(3) ? 256 : 64);
}

void graph_draw_scenario(void)
{
    unsigned draw = (unsigned)sim_draw(100);
    if (draw < 18)
        beginning();
    else if (draw < 32)
        contested();
    else if (draw < 46)
        witnessed();
    else if (draw < 62)
        brimming();
    else if (draw < 76)
        moving();
    else if (draw < 87)
        triangle();
    else if (draw < 97)
        outpaced();
    else
        crowd();
    if (sim_draw(12) == 0) add_soloist();
}
