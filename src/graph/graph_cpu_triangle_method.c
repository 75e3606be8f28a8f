/* graph/graph_cpu_triangle_method.c - estimates from degrees which of two methods of counting changes is less work.
 *
 * By wedges: for each edge, the neighbours of the endpoint that has fewer are listed, and an edge is looked up for
 * each. By rows: each neighbour of each vertex is copied, marked and renumbered; then, for each edge, the list of one
 * endpoint is read (graph/triangles/triangles.c). That list has the neighbours of higher degree. Their number is
 * estimated as if edges connected random endpoints: a vertex has the same share of such neighbours as the share of all
 * edge endpoints that are at vertices of higher degree. A table of degrees by powers of two is accurate enough for
 * that.
 */
#include "graph_cpu.h"
#include "triangles/triangles_method.h"

/* Measured, in nanoseconds, approximately: an edge lookup; a neighbour in a row; a member of a list; a vertex. */
enum { COST_ASK = 40, COST_NEIGHBOUR = 40, COST_MEMBER = 1, COST_VERTEX = 12 };
enum { LEAST_WORK = 1 << 20, POWERS = 33, CHUNK = 4096 }; /* below LEAST_WORK the choice does not matter */

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

/* Of the vertices in the same power of two, half are assumed to be of higher degree. */
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
    if (wedges < LEAST_WORK || wedges < rows) return false; /* before all degrees are read */
    degree_table table = {0};
    count_degrees(graph, &table);
    return wedges > rows + COST_MEMBER * members_of_lists(&table, 2 * (double)edges);
}
