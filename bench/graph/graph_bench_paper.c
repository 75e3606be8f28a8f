/* graph_bench_paper.c - the dissertation's tables and figures of chapter 5, one after the other.
 *
 * Tables by batch size are the means of all classes, and a batch here is to the graph as it was there. Tables by graph
 * have a row for each of the dissertation's graphs, beside the class that it belongs to: rates, in entries per second,
 * because sizes differ; an edge is two entries, but one in rows that are oriented before they are sorted.
 */
#include <stdio.h>

#include "graph_bench.h"

void paper_add_graphs(const struct graph_bench *bench, const char *table, const char *what, size_t entries_an_edge,
                      const struct paper_times *times, double (*seed)(const struct seed_graph *graph),
                      void (*note)(const struct seed_graph *graph, char *text, size_t size))
{
    for (size_t i = 0; i < SEED_GRAPHS; i++) {
        const struct seed_graph *const graph = &seed_graphs[i];
        const struct graph_input *const input = &bench->inputs[graph->class];
        const struct figure *const own = &times->milliseconds[graph->class];
        const size_t entries = entries_an_edge * input->once.count;
        struct graph_limit limit = times->limit[graph->class];
        struct figure rates = {0};
        char text[120];
        for (size_t run = 0; run < own->runs; run++)
            figure_add(&rates, millions_per_second(entries, 1e-3 * own->of_run[run]));
        limit.rate *= (double)entries;
        note(graph, text, sizeof text);
        const struct graph_row row = {.experiment = table, .graph = input->name, .what = what, .unit = "MEntry/s",
                                      .figure = &rates, .limit = limit, .seed = 1e3 * graph->entries / seed(graph),
                                      .note = text};
        graph_report_add(bench->report, &row);
    }
}

void graph_bench_paper(struct graph_bench *bench)
{
    static const struct {
        const char *heading;
        graph_experiment *run;
    } parts[] = {
        {"Table 5.2: random edges inserted, mean of all graphs", paper_insert},
        {"Table 5.3: edges erased, mean of all graphs", paper_erase},
        {"Table 5.4: vertices erased, mean of all graphs", paper_erase_vertices},
        {"Table 5.5: bulk build", paper_build},
        {"Table 5.6: incremental build, mean of all graphs", paper_incremental},
        {"Tables 5.7, 5.8: triangles of a static graph; the sorting that rows need before, and tables do not",
         paper_triangles},
        {"Table 5.9: rounds of a batch and a count, cumulative", paper_rounds},
        {"Figures 5.2, 5.3: the load factor", paper_load},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && graph_goes_on(bench); i++) {
        if (parts[i].run == paper_load && bench->adjacency == PLEACH_ADJACENCY_ORDERED) continue; /* it has none */
        graph_report_heading(bench->report, parts[i].heading);
        parts[i].run(bench);
    }
}
