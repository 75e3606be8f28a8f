/* graph/triangles/triangles_cpu_method.c - which of two ways of counting what changes is less work: an estimate, by degrees.
 *
 * By wedges: each edge goes through the neighbours of its end that has fewer, and asks for an edge each time. By rows:
 * each neighbour of each vertex is copied, marked and given its number; then, for each edge, the list of one end is
 * gone through (graph/triangles/triangles.c). That list has the neighbours of higher degree. How many these are is estimated as
 * if edges met at random: a vertex' share of them is the share of all edge ends that are at vertices of higher degree,
 * which a table of degrees by powers of two is good enough for.
 */
#include "../graph_cpu.h"
#include "triangles_method.h"

/* Measured, in about nanoseconds: an edge asked for; a neighbour in a row; a member of a list; a vertex. */
enum { COST_ASK = 40, COST_NEIGHBOUR = 40, COST_MEMBER = 1, COST_VERTEX = 12 };
enum { LEAST_WORK = 1 << 20, POWERS = 33, CHUNK = 4096 }; /* below this work it does not matter */

static _Atomic triangle_method forced;

void graph_cpu_force_method(triangle_method way) { forced = way; }

static unsigned power_of(uint32_t degree) { return degree ? 32 - (unsigned)__builtin_clz(degree) : 0; }

/* ---- wedges ---- */

typedef struct wedge_work {
    const cpu_graph *graph;
    const triangle_change *change;
    atomic_uint_fast64_t asked;
} wedge_work;

static void wedges_part(void *context, size_t begin, size_t end)
{
    wedge_work *work = context;
    const graph_request *r = work->change->request;
    graph_ref place = graph_place_of(work->graph);
    uint64_t asked = 0;
    for (size_t i = begin; i < end; i++) {
        if (!work->change->counts[i]) continue;
        uint32_t from = slab_load(graph_vertex(&place, r->from[i])->load);
        uint32_t to = slab_load(graph_vertex(&place, r->to[i])->load);
        asked += from < to ? from : to;
    }
    atomic_fetch_add(&work->asked, asked);
}

static double work_of_wedges(const cpu_graph *graph, const triangle_change *change)
{
    wedge_work work = {graph, change, 0};
    workers_run(graph->workers, change->request->n, CHUNK, wedges_part, &work);
    return COST_ASK * (double)atomic_load(&work.asked);
}

/* ---- rows ---- */

/* Vertices by the power of two of their degree. */
typedef struct degree_table { double ends[POWERS], squares[POWERS]; } degree_table;

static void count_degrees(const cpu_graph *graph, degree_table *table)
{
    graph_ref place = graph_place_of(graph);
    uint64_t number, end;
    for (uint64_t segment = 0; segment < graph->state->segments; segment++)
        for (bool made = graph_segment(&place, segment, &number, &end); made && number < end; number++) {
            uint32_t degree = slab_load(graph_table(&place, (uint32_t)number)->load);
            unsigned power = power_of(degree);
            table->ends[power] += degree;
            table->squares[power] += (double)degree * degree;
        }
}

/* Those of equal power are, half of them, of higher degree. */
static double members_of_lists(const degree_table *table, double ends)
{
    double members = 0, higher = 0;
    for (unsigned power = POWERS; power-- > 0;) {
        double share = ends > 0 ? (higher + table->ends[power] / 2) / ends : 0;
        members += table->squares[power] * share * (1 - share);
        higher += table->ends[power];
    }
    return members;
}

bool graph_cpu_rows_are_less_work(const cpu_graph *graph, const triangle_change *change)
{
    if (forced != TRIANGLES_LEAST_WORK) return forced == TRIANGLES_BY_ROW;
    uint64_t vertices, edges;
    graph_exec_cpu.size((void *)graph, &vertices, &edges);
    double wedges = work_of_wedges(graph, change);
    double rows = 2 * COST_NEIGHBOUR * (double)edges + COST_VERTEX * (double)vertices;
    if (wedges < LEAST_WORK || wedges < rows) return false; /* before all degrees are looked at */
    degree_table table = {0};
    count_degrees(graph, &table);
    return wedges > rows + COST_MEMBER * members_of_lists(&table, 2 * (double)edges);
}
