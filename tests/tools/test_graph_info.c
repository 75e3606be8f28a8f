/* test_graph_info.c - the figures of lists of edges against brute force; pleach graph info and gen, with messages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testkit/buffers.h"
#include "testkit/folder.h"
#include "testkit/harness.h"
#include "testkit/random.h"
#include "testkit/units.h"
#include "tools/edges/edge_summary.h"
#include "tools/graph/graph.h"

static size_t lists_summed;

/* ---- figures ---- */

static void make_random(struct edge_list *list, size_t count, uint64_t ids, uint64_t part)
{
    rng random = rng_for(test_seed(), part);
    edge_list_start(list, false);
    for (size_t i = 0; i < count; i++) {
        const uint32_t from = (uint32_t)rng_below(&random, ids), to = (uint32_t)rng_below(&random, ids);
        assert_true(edge_list_append(list, from, to, 0));
    }
}

enum { MOST_IDS = 40 };

static void check_summary(const struct edge_list *list, const uint32_t *ids, size_t id_count)
{
    bool to[MOST_IDS][MOST_IDS] = {{false}};
    struct edge_summary want = {0}, got;
    for (size_t i = 0; i < list->count; i++) {
        to[list->from[i]][list->to[i]] = true;
        if (list->undirected) to[list->to[i]][list->from[i]] = true;
        want.self_loops += list->from[i] == list->to[i];
    }
    for (size_t u = 0; u < id_count; u++) {
        uint64_t degree = 0;
        for (size_t v = 0; v < id_count; v++) {
            degree += u != v && (to[u][v] || to[v][u]);
            want.directed += u != v && to[u][v];
            want.edges += u < v && (to[u][v] || to[v][u]);
        }
        want.vertices += degree > 0 || to[u][u];
        if (degree > want.max_degree) want.max_degree = degree;
    }
    for (size_t i = 0; i < list->count; i++) { /* figures do not depend on which ids there are */
        list->from[i] = ids[list->from[i]];
        list->to[i] = ids[list->to[i]];
    }
    assert_true(edge_summarize(list, &got));
    assert_memory_equal(&got, &want, sizeof got);
    lists_summed++;
}

static void test_summaries(void)
{
    for (size_t round = 0; round < scaled(2000); round++) {
        rng random = rng_for(test_seed(), 100 + round);
        uint32_t ids[MOST_IDS];
        struct edge_list list;
        const uint64_t id_count = 1 + rng_below(&random, MOST_IDS), gap = UINT64_C(1) << rng_below(&random, 27);
        for (size_t i = 0; i < MOST_IDS; i++) ids[i] = (uint32_t)(i * gap + rng_below(&random, gap));
        ids[id_count - 1] = rng_percent(&random, 30) ? EDGE_MOST_ID : ids[id_count - 1];
        make_random(&list, rng_below(&random, 200), id_count, 100 + round);
        list.undirected = rng_percent(&random, 50);
        check_summary(&list, ids, id_count);
        edge_list_free(&list);
    }
}

/* Renumbered, a list has the same edges under other names. */
static void test_compact(void)
{
    struct edge_list list, compact;
    uint32_t *ids;
    size_t vertices;
    make_random(&list, 5000, UINT32_MAX, 4);
    make_random(&compact, 5000, UINT32_MAX, 4);
    assert_true(edge_list_compact(&compact, &ids, &vertices));
    assert_int_equal(edge_list_id_limit(&compact), vertices);
    for (size_t i = 1; i < vertices; i++) assert_true(ids[i - 1] < ids[i]);
    for (size_t i = 0; i < list.count; i++) {
        assert_int_equal(ids[compact.from[i]], list.from[i]);
        assert_int_equal(ids[compact.to[i]], list.to[i]);
    }
    free(ids);
    edge_list_free(&list);
    edge_list_free(&compact);
    assert_true(edge_list_compact(&list, &ids, &vertices));
    assert_true(ids == NULL && vertices == 0 && edge_list_id_limit(&list) == 0);
}

/* ---- the command ---- */

/* Runs a subcommand with words between blanks; $ is the folder. What it prints, on both streams, goes to `text`. */
static int run_words(const folder *f, int (*run)(int, char **), const char *words, char *text, size_t size)
{
    char buffer[1000], *argv[20], saved[300];
    int argc = 0;
    size_t used = 0;
    for (const char *at = words; *at && used + 1 < sizeof buffer; at++) {
        const int wrote = *at == '$' ? snprintf(buffer + used, sizeof buffer - used, "%s", f->name) : 1;
        if (*at != '$') buffer[used] = *at;
        used += (size_t)wrote;
    }
    buffer[used] = '\0';
    for (char *word = strtok(buffer, " "); word && argc < 19; word = strtok(NULL, " ")) argv[argc++] = word;
    argv[argc] = NULL;
    snprintf(saved, sizeof saved, "%s/printed", f->name);
    fflush(stdout);
    const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    FILE *printed = fopen(saved, "w+");
    assert_true(printed && dup2(fileno(printed), STDOUT_FILENO) >= 0 && dup2(fileno(printed), STDERR_FILENO) >= 0);
    const int status = run(argc, argv);
    fflush(stdout);
    dup2(out, STDOUT_FILENO), dup2(err, STDERR_FILENO);
    close(out), close(err);
    rewind(printed);
    text[fread(text, 1, size - 1, printed)] = '\0';
    fclose(printed);
    return status;
}

static const struct call {
    int (*run)(int argc, char **argv);
    const char *words;
    int status;
    const char *printed; /* a part of it */
} calls[] = {
    {graph_gen, "delaunay --scale 4 -o $/d.mtx", 0, ""},
    {graph_info, "$/d.mtx", 0,
     "vertices 16\nedges 33\nself_loops 0\nmax_degree "},
    {graph_info, "$/d.mtx", 0, "\ndeclared_vertices 16\nlines 33\ndirected_edges 66\n"},
    {graph_gen, "rmat --scale 5 --edge-factor 2 --seed 3 --scramble -o $/r.el", 0, ""},
    {graph_info, "--format snap $/r.el", 0, "declared_vertices 32\nlines 64\n"},
    {graph_info, "--format mtx $/r.el", 1, "r.el:1: a Matrix Market file begins with"},
    {graph_info, "--temporal $/r.el", 1, "r.el:4: the line ends where the time should be"},
    {graph_info, "$/none", 2, "cannot open"},
    {graph_info, "", 2, "which FILE?"},
    {graph_info, "a b", 2, "one FILE at a time"},
    {graph_info, "--loud", 2, "unknown option '--loud'"},
    {graph_info, "--format odd x", 2, "--format takes one of: auto, snap, mtx, metis"},
    {graph_info, "--help", 0, "usage: pleach graph info"},
    {graph_gen, "--help", 0, "usage: pleach graph gen"},
    {graph_gen, "-o x", 2, "which KIND?"},
    {graph_gen, "rgg", 2, "Say -o FILE"},
    {graph_gen, "tree -o x", 2, "not 'tree'"},
    {graph_gen, "rgg grid -o x", 2, "one KIND at a time"},
    {graph_gen, "rgg --scramble -o x", 2, "are for rmat"},
    {graph_gen, "rmat --degree 3 -o x", 2, "--degree is for rgg and grid"},
    {graph_gen, "grid --degree 5 -o x", 2, "from 2 to 4"},
    {graph_gen, "rgg --degree many -o x", 2, "not 'many'"},
    {graph_gen, "rgg --scale 32 -o x", 2, "from 2 to 31"},
    {graph_gen, "grid --scale 4 -o $/g.graph", 2, "METIS files can be read only"},
    {graph_gen, "grid --scale 4 -o $/g.el.gz", 2, "compress it afterwards"},
    {graph_gen, "grid --scale 4 -o $/no/g.el", 2, "cannot write"},
};

static void test_command(void)
{
    AT_END(folder_close) folder f = folder_open();
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        char text[4000];
        const int status = run_words(&f, calls[i].run, calls[i].words, text, sizeof text);
        if (status != calls[i].status || strstr(text, calls[i].printed) == NULL)
            fail_msg("'%s': status %d, %s", calls[i].words, status, text);
    }
}

int main(int argc, char **argv)
{
    unit_case cases[] = {
        UNIT_NAMED("summaries", test_summaries),
        UNIT_NAMED("compact", test_compact),
        UNIT_NAMED("the command", test_command),
    };
    const int status = run_units("test_graph_info", argc, argv, cases, COUNT_OF(cases));
    printf("test_graph_info: %zu lists summed up, %zu commands run\n", lists_summed, COUNT_OF(calls));
    return status;
}
