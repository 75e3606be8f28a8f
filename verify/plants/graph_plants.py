"""The planted bugs of graphs; see plants.py."""
from plants import Plant

EDGE = "src/graph/graph_edge.h"
FORMAT = "src/graph/base/graph_format.h"
TABLE = "src/hash/slabhash_table.h"
IDS = "src/graph/ids/dictionary_kind.h"
NUMBERS = "src/graph/ids/numbers.h"
LOOP = "verify/sim/graph/graph_variant.c"  # as src/graph/graph_run_kind.h
UPDATE = "src/hash/slabhash_update.h"

COMMIT_OTHER = "    change_commit(&g->slabs, e->other, other);\n"
COMMIT_HOME = "    change_commit(&g->slabs, e->home, home);\n"
LATCH_OTHER = "    slab_step step = change_look(&g->slabs, e->other, other);\n"
ABANDON_OTHER = "if (step == SLAB_DONE) change_abandon(&g->slabs, other);"
HOME_IS_GONE = COMMIT_HOME + "    home->first = NULL;\n    home->fresh = 0;\n"

GRAPH_PLANTS = (
    # ---- two tables ----
    Plant("home_is_let_go_first", "the other half changes when the latch of the first is gone", "graph/plain", EDGE,
          LATCH_OTHER, HOME_IS_GONE + LATCH_OTHER, ((EDGE, COMMIT_OTHER + COMMIT_HOME, COMMIT_OTHER),)),
    Plant("other_half_waits_alone", "the halves of an edge change one after the other, each under its own latch",
          "graph/cuda", EDGE, LATCH_OTHER,
          HOME_IS_GONE + "    for (unsigned n = 0; change_look(&g->slabs, e->other, other) != SLAB_DONE ||\n"
          "                         change_latch(&g->slabs, e->other, other) != SLAB_DONE;)\n"
          "        port_pause(n++);\n    slab_step step = SLAB_DONE;\n    return step;\n",
          ((EDGE, COMMIT_OTHER + COMMIT_HOME, COMMIT_OTHER),)),
    Plant("brief_try_keeps_other", "who leaves an edge to somebody else leaves its other end latched", "graph/cuda",
          EDGE, "    if (both) change_abandon(&g->slabs, &other);\n", ""),
    Plant("other_half_is_forgotten", "an edge that is erased stays in the other end's table", "graph/plain", EDGE,
          "if (!change_alters(home)) return", "if (!change_alters(home) || home->outcome == PLEACH_ERASED) return"),
    Plant("other_half_keeps_value", "an edge has two values, one at each end", "graph/cuda_values", EDGE,
          "if (!change_alters(home)) return",
          "if (!change_alters(home) || home->outcome == PLEACH_REPLACED) return"),
    Plant("known_absent_always", "the other half is not looked for", "graph/plain_values", EDGE,
          "other->known_absent = home->outcome == PLEACH_INSERTED;", "other->known_absent = true;"),
    Plant("edge_counts_at_home_twice", "the load of the other end's table stays as it was", "graph/cuda", EDGE,
          COMMIT_OTHER + COMMIT_HOME, "    change_commit(&g->slabs, e->home, other);\n" + COMMIT_HOME),
    Plant("edge_counts_before", "a degree counts an edge that is about to change twice", "graph/plain_values", EDGE,
          COMMIT_OTHER + COMMIT_HOME,
          "    count_key(&g->slabs, e->home, home, 1);\n" + COMMIT_OTHER +
          "    count_key(&g->slabs, e->home, home, (uint64_t)-1);\n" + COMMIT_HOME),
    Plant("find_asks_either_end", "a find asks the table of the end that it was given first", "graph/plain_values",
          EDGE,
          "    bool swapped = !g->directed && to < from;\n    const", "    bool swapped = false;\n    const"),
    # ---- letting go ----
    Plant("abandon_forgets_home", "who does not get the second latch keeps the first", "graph/cuda", EDGE,
          "    change_abandon(&g->slabs, home);\n    home->first = NULL;\n    return step;", "    return step;"),
    Plant("left_edge_keeps_home", "who leaves an edge because of its other end lets go of its home twice", "graph/cuda",
          EDGE, "    change_abandon(&g->slabs, home);\n    home->first = NULL;\n",
          "    change_abandon(&g->slabs, home);\n"),
    Plant("refusal_keeps_home", "who has no memory for the other half keeps the latch of the first",
          "graph/plain_values", EDGE, "        change_abandon(&g->slabs, home);\n        e->outcome",
          "        e->outcome"),
    Plant("edge_loses_outcome", "an edge that came is told to lack memory", "graph/cuda_values", EDGE,
          COMMIT_OTHER + COMMIT_HOME + "    e->outcome = home->outcome;\n", COMMIT_OTHER + COMMIT_HOME),
    Plant("abandon_forgets_other", "who has no memory for the other half keeps its latch", "graph/plain", EDGE,
          "        " + ABANDON_OTHER + "\n", ""),
    Plant("abandon_what_moved", "a latch is let go that is another's, or none any more", "graph/cuda", EDGE,
          ABANDON_OTHER, "change_abandon(&g->slabs, other);"),
    Plant("abandon_loses_slab", "the slab for an edge that does not come is lost", "graph/plain_values", UPDATE,
          "if (c->fresh) slab_free(place, c->fresh);", "(void)place;"),
    Plant("other_half_lacks_memory", "half an edge comes where there is memory for no more", "graph/cuda_values", EDGE,
          "if (step != SLAB_DONE || other->outcome == PLEACH_NOT_APPLIED) {", "if (step != SLAB_DONE) {"),
    Plant("abandoned_is_inserted", "an edge for which memory was lacking is told to be there", "graph/plain", EDGE,
          "        e->outcome = PLEACH_NOT_APPLIED;\n        return step;",
          "        e->outcome = home->outcome;\n        return step;"),
    Plant("second_latch_is_refusal", "who does not get the second latch says that there is no memory", "graph/cuda",
          EDGE, "        e->outcome = PLEACH_NOT_APPLIED;\n        return step;",
          "        e->outcome = PLEACH_NOT_APPLIED;\n        return SLAB_DONE;"),
    Plant("unknown_edge_is_refused", "erasing an edge of vertices that nobody knows is refused", "graph/plain", EDGE,
          "e->outcome = erases ? PLEACH_ABSENT : PLEACH_NOT_APPLIED;", "e->outcome = PLEACH_NOT_APPLIED;"),
    # ---- vertices ----
    Plant("vertices_come_last", "an edge is there before its ends are", "graph/plain_values",
          LOOP, "        sim_put_ends(g, &e, op);\n        if (sim_update_fast_path(g, &e)) {\n",
          "        if (sim_update_fast_path(g, &e)) {\n            sim_put_ends(g, &e, op);\n",
          ((LOOP, "        if (e.helps_home)", "        sim_put_ends(g, &e, op);\n        if (e.helps_home)"),)),
    Plant("edge_is_seen_first", "who has seen an edge does not find its ends", "graph/cuda", LOOP,
          "        sim_put_ends(g, &e, op);\n        if (sim_update_fast_path(g, &e)) {\n",
          "        if (sim_update_fast_path(g, &e)) {\n            sim_put_ends(g, &e, op);\n",
          ((LOOP, "        if (e.helps_home)", "        sim_put_ends(g, &e, op);\n        if (e.helps_home)"),
           (UPDATE, "    if (c->only &&", "    if (0 &&"))),
    Plant("vertex_put_is_store", "a vertex that is put takes the count of its neighbours back", "graph/plain", FORMAT,
          "if (port_compare_swap(&vertex->load, load, load | SLAB_OWNERS)) return true;",
          "port_store(&vertex->load, load | SLAB_OWNERS);\n        return true;"),
    Plant("growth_loses_vertex", "a vertex is not there any more when its table has grown", "graph/cuda_values", TABLE,
          "port_fetch_add(&table->load, 0 - buckets * one);",
          "port_fetch_add(&table->load, 0 - buckets * one - SLAB_OWNERS);"),
    Plant("load_is_added_in_two", "two who count at once count one", "graph/plain_values", UPDATE,
          "    if (c->only &&", "    if (c->first &&"),
    Plant("segment_is_made_twice", "a segment takes the place of another, and of what was put there", "graph/cuda",
          FORMAT, "if (!port_compare_swap(entry, 0, run)) pool_free_run(",
          "if (!port_load(entry)) port_store(entry, run);\n    else pool_free_run("),
    Plant("segment_is_lost", "memory for a segment that another has made meanwhile is nowhere", "graph/plain", FORMAT,
          "if (!port_compare_swap(entry, 0, run)) pool_free_run(g->slabs.runs, log, run);",
          "(void)port_compare_swap(entry, 0, run);"),
    Plant("segment_is_used_memory", "a segment has the words of slabs that were there before", "graph/cuda_values",
          FORMAT, "pool_alloc_fresh_run(g->slabs.runs, log)", "pool_alloc_run(g->slabs.runs, log)"),
    Plant("segments_are_forgotten", "the number of segments goes back when a smaller one is made", "graph/plain_values",
          FORMAT,
          "if (segments > segment || port_compare_swap(&g->state->segments, segments, segment + 1)) return true;",
          "if (segments > segment) return true;\n        port_store(&g->state->segments, segment + 1);\n"
          "        return true;"),
    # ---- ids of sparse graphs ----
    Plant("number_is_taken_twice", "two ids that come at once have one number", "graph/cuda_sparse", NUMBERS,
          "if (!port_compare_swap(&g->state->numbers, numbers, numbers + 1)) continue;",
          "port_store(&g->state->numbers, numbers + 1);"),
    Plant("free_number_is_taken_twice", "two ids have one number, which was free", "graph/plain_sparse", NUMBERS,
          "if (!port_compare_swap(&g->state->free_numbers, spare, spare - 1)) continue;",
          "port_store(&g->state->free_numbers, spare - 1);"),
    Plant("known_id_takes_number", "a number is taken for an id that has one by now, and is lost", "graph/cuda_sparse",
          IDS, "if (c->outcome == PLEACH_INSERTED && !graph_alloc_internal_id(", "if (!graph_alloc_internal_id("),
    Plant("number_has_no_name", "a number does not say whose it is", "graph/plain_sparse", NUMBERS,
          "        graph_store_name(g, *number, id);\n", ""),
    Plant("name_loses_free_number", "a name takes the place of a number that is free", "graph/cuda_sparse", NUMBERS,
          "port_store(name, port_load(name) >> 32 << 32 | id);", "port_store(name, id);"),
    Plant("known_id_has_no_number", "who finds under the latch that the id is there takes the first vertex for it",
          "graph/plain_sparse", IDS, "c.outcome == PLEACH_EXISTS ? c.old.value : c.pair.value", "c.pair.value"),
    Plant("refused_id_keeps_latch", "who has no memory for a number keeps the latch of the id's bucket",
          "graph/cuda_sparse", IDS, "        change_abandon(&g->slabs, c);\n", ""),
    Plant("refused_id_comes", "an id comes without a number when memory is lacking", "graph/plain_sparse", IDS,
          "        change_abandon(&g->slabs, c);\n", "        change_commit(&g->slabs, dictionary, c);\n"),
    Plant("number_has_no_segment", "a number is handed out before there is memory for its vertex", "graph/cuda_sparse",
          NUMBERS, "                !graph_make_segment(g, *number))\n                return false;",
          "                *number == GRAPH_NO_VERTEX)\n                return false;"),
)
