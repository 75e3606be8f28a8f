"""The planted bugs of batches: of their stages, and of the team that runs them; see plants.py."""
from plants import Plant

FUNCTION = "src/batch/batch_function.h"
BATCH_LIST = "src/batch/batch_list.h"
BATCH_KEYS = "src/batch/batch_keys.h"
BATCH_QUERY = "src/batch/batch_query.h"
BATCH_LEVEL = "src/batch/batch_level.h"
BATCH_COMMIT = "src/batch/batch_commit.h"
BATCH_TIDY = "src/batch/batch_rebalance.h"
BATCH_KEEP = "src/batch/batch_keep.h"
OP_COUNT = "src/batch/batch_count.h"
BATCH_LIVE = "src/batch/batch_live.h"
BATCH_LIVE_TEAM = "src/batch/batch_live_team.h"
BATCH_PASS = "src/batch/batch_fused.h"
BATCH_MAIL = "src/batch/batch_exchange.h"
BATCH_RANGES = "src/batch/batch_ranges.h"
BATCH_RUN = "src/batch/batch_cpu.c"
BATCH_SORT = "src/batch/batch_sort.h"
BATCH_WIDE = "src/batch/batch_wide.h"
WORKERS = "src/sync/workers.c"
PORT_CPU = "src/port/port_cpu.h"

BATCH_PLANTS = (
    # ---- stages: what a batch computes ----
    Plant("add_after_erase_is_lost", "an add after an erase of the same key leaves it absent", "batch/cpu", FUNCTION,
          "return before == BATCH_GONE ? batch_function(BATCH_SET, batch_function_place(second)) : first;",
          "return first;"),
    Plant("keys_run_together", "what is done to one key goes on with the next", "batch/cpu", FUNCTION,
          "both.function = b.keys ? b.function : batch_compose(a.function, b.function);",
          "both.function = batch_compose(a.function, b.function);"),
    Plant("operation_sees_itself", "an update reports its own value as the old one", "batch/cpu", BATCH_KEYS,
          "batch_apply(b, b->op_link[op - 1].function, old);", "batch_apply(b, b->op_link[op].function, old);"),
    Plant("erases_are_not_marked", "a find does not know of an erase before it", "batch/cpu", BATCH_LIST,
          "if (batch_kind_at(&b->r, place) > OP_ERASE) return;",
          "if (batch_kind_at(&b->r, place) >= OP_ERASE) return;"),
    Plant("value_does_not_change", "a put of a present key changes nothing", "batch/cpu", BATCH_KEYS,
          "bool changed = old.present != has || kind == BATCH_SET;", "bool changed = old.present != has;"),
    Plant("range_sees_the_future", "a range sees all operations of the batch", "batch/cpu", BATCH_QUERY,
          "if (batch_place(b, middle) < place)", "if (middle < high)"),
    Plant("range_ends_early", "a range leaves out its last key", "batch/cpu", BATCH_QUERY,
          "if (has_key && key <= hi && (", "if (has_key && key < hi && ("),
    Plant("pred_skips_old_keys", "a predecessor is one of the batch's keys only", "batch/cpu", BATCH_QUERY,
          "if (has_old && old.key > candidate) break;", "if (has_old && old.key == candidate + 1) break;"),
    Plant("rank_counts_twice", "a replaced pair counts twice when a leaf is cut", "batch/cpu", BATCH_LEVEL,
          "return sums.has - sums.had + image_rank(", "return sums.has + image_rank("),
    Plant("parts_are_not_linked", "the new parts of a node hang in the air", "batch/cpu", BATCH_COMMIT,
          "map_pair link = batch_link_after(b, l->first_edit, &run, 0, l->first_node + before - 1);",
          "map_pair link = run.link; (void)before;"),
    Plant("inner_nodes_are_not_padded", "an inner node has leftovers behind its pairs", "batch/cpu", BATCH_LEVEL,
          "slots_pad(node, count, pair_is_link(link) ? link : pair); /* I4 */",
          "pair_store(node, NODE_LINK_SLOT, pair_is_link(link) ? link : pair);"),
    Plant("root_is_forgotten", "a new root is not entered", "batch/cpu", BATCH_COMMIT,
          "    port_store(&tree->root, s->new_root);\n", ""),
    Plant("erased_keys_count", "the map's size does not shrink", "batch/cpu", BATCH_COMMIT,
          "port_load(&tree->stripe[0].size) + sums.has - sums.had);", "port_load(&tree->stripe[0].size) + sums.has);"),
    Plant("ids_are_given_twice", "new inner nodes are not taken from the pool", "batch/cpu", BATCH_COMMIT,
          "nodes = batch_all_nodes(b) + s->copies,", "nodes = s->level[0].nodes + s->copies,"),
    Plant("first_slots_are_not_written", "of several edits only the last one's slots are written", "batch/cpu",
          BATCH_COMMIT, "lowest = at < lowest ? at : lowest;", "lowest = at;"),
    Plant("sort_turns_equals", "operations of one key change places", "batch/cpu", "src/batch/batch_sort.h",
          "side.key[at - 1] > key; at--, moves++)", "side.key[at - 1] >= key; at--, moves++)"),
    Plant("count_goes_the_wrong_way", "a wide count goes on among the wrong operations", "batch/cpu", OP_COUNT,
          "return one ? all_zeros + at - c->zeros[at] : c->zeros[at];",
          "return !one ? all_zeros + at - c->zeros[at] : c->zeros[at];"),
    Plant("leaves_are_not_added_up", "keys before a leaf are counted from the member's first leaf", "batch/cpu",
          "src/batch/batch_wide.h",
          "    for (unsigned m = 0; m < w->member; m++) sum += w->job->parts[m].words[0];\n", ""),
    Plant("full_leaf_is_not_cut", "the pass puts more pairs into a leaf than it has room for", "batch/cpu", BATCH_PASS,
          "header_count(run->header) + run->inserts > NODE_CAPACITY",
          "header_count(run->header) > NODE_CAPACITY"),
    Plant("passed_pairs_do_not_count", "the map's size leaves out leaves that the pass has changed", "batch/cpu",
          BATCH_PASS, "(uint64_t)p.has - p.had;", "0;"),
    Plant("pass_sees_the_future", "an operation is answered from what the key is like after the batch", "batch/cpu",
          BATCH_PASS, "batch_reply_to(b, op, batch_apply(b, function, old))",
          "batch_reply_to(b, op, batch_apply(b, b->op_function[end - 1], old))"),
    Plant("edits_lie_on_each_other", "edits that are left are put where those of another member are", "batch/cpu",
          BATCH_PASS, "for (unsigned m = 0; m < w->member; m++) to +=",
          "for (unsigned m = 1; m < w->member; m++) to +="),
    Plant("group_goes_the_way_of_its_last", "all keys of a group go down with the last one", "batch/cpu", BATCH_PASS,
          "if (n > 1 && child_for(map, node, g->key[0]) != last) break;", "if (n > 1 && level == 1) break;"),
    Plant("letters_of_one_sender", "answers come from the member's own keys only", "batch/cpu", BATCH_MAIL,
          "for (; at < last; at++) {", "for (; sender == w->member && at < last; at++) {"),
    Plant("range_stays_unsorted", "keys of a range with the same high bits stay as they come", "batch/cpu",
          BATCH_RANGES, "if (low_bit > 0 && !sort_rest(side[from], begin, end))", "if (0)"),
    Plant("range_is_left_out", "a member does not sort the first of its ranges", "batch/cpu", BATCH_RANGES,
          "for (unsigned range = r.own_first; range < r.own_end; range++)",
          "for (unsigned range = r.own_first + 1; range < r.own_end; range++)"),
    Plant("ids_of_another_run", "a new node is linked to the node of another run", "batch/cpu", BATCH_LEVEL,
          "at), before = number ? b->run_new[l->first_edit + number - 1] : 0;",
          "at), before = number ? b->run_new[l->first_edit + number] : 0;"),

    # ---- batches by a team: meetings, and who joins ----
    Plant("meeting_does_not_release", "who arrives at a meeting does not bring what it has stored", "team/plain32",
          WORKERS, "atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel)",
          "atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acquire)"),
    Plant("meeting_does_not_acquire", "the last to arrive at a meeting does not see what the others have stored",
          "team/plain64", WORKERS, "atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel)",
          "atomic_fetch_add_explicit(&team->arrived, 1, memory_order_release)"),
    Plant("meeting_ends_relaxed", "the end of a meeting does not hand on what was stored", "team/x86_32", WORKERS,
          "atomic_store_explicit(&team->round, round + 1, memory_order_release)",
          "atomic_store_explicit(&team->round, round + 1, memory_order_relaxed)"),
    Plant("meeting_is_left_relaxed", "who has waited at a meeting does not see what was stored", "team/x86_64", WORKERS,
          "atomic_load_explicit(&team->round, memory_order_acquire)",
          "atomic_load_explicit(&team->round, memory_order_relaxed)"),
    Plant("meeting_opens_too_early", "the next meeting may begin before the last one's arrivals are forgotten",
          "team/plain32", WORKERS,
          """        atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&team->round, round + 1, memory_order_release);""",
          """        atomic_store_explicit(&team->round, round + 1, memory_order_release);
        atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);"""),
    Plant("round_is_read_late", "a member may miss the end of the meeting that it has come to", "team/plain64", WORKERS,
          """    unsigned round = atomic_load_explicit(&team->round, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel) + 1 == team->members) {""",
          """    bool last = atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel) + 1 == team->members;
    unsigned round = atomic_load_explicit(&team->round, memory_order_relaxed);
    if (last) {"""),
    Plant("team_lets_too_many_in", "more helpers join than the team has members", "team/plain32", WORKERS,
          "if (w->team_work && member + 1 == w->team.members) w->open = false;", "(void)0;"),
    Plant("members_are_not_counted_anew", "helpers go on with the numbers that they had in the last batch",
          "team/plain64", WORKERS, "            w->joined = 0;\n", ""),
    Plant("caller_does_not_wait", "a batch returns while helpers are still in it", "team/plain32", WORKERS,
          """    team_barrier(&w->team); /* so all have joined; they only leave now */
    wait_for_helpers(w);""", """    pthread_mutex_lock(&w->mutex);
    w->open = w->in_use = false;
    pthread_mutex_unlock(&w->mutex);"""),
    Plant("filter_is_read_too_early", "finds look at the filter while updates still mark it", "team/plain32", BATCH_RUN,
          """    FOR_PART(w, i, n) batch_mark(&w->b, i);
    team_barrier(w->team);""", "    FOR_PART(w, i, n) batch_mark(&w->b, i);"),
    Plant("parts_are_used_at_once", "a member overwrites its sum before the others have read it", "team/plain64",
          BATCH_SORT, "    team_barrier(team); /* now the parts may be used again */\n", ""),
    Plant("sort_does_not_wait", "keys are counted while others still move them", "team/x86_64", BATCH_SORT,
          """        to.function[at] = from.function[i];
    }
    team_barrier(team);""", """        to.function[at] = from.function[i];
    }"""),
    Plant("digits_do_not_wait", "keys are moved before all were counted", "team/plain64", BATCH_SORT,
          """job->digits + (size_t)member * BATCH_DIGITS);
    team_barrier(team);""", "job->digits + (size_t)member * BATCH_DIGITS);"),
    Plant("rest_moves_too_early", "a member moves keys while others still look where their parts begin", "team/plain32",
          BATCH_SORT, "    team_barrier(team); /* all have found their parts before anybody moves a key */\n", ""),
    Plant("answers_do_not_wait", "operations are answered before their keys were looked up", "team/plain64", BATCH_RUN,
          """    look_up(w, own_stretch(w, keys));
    team_barrier(w->team);""", "    look_up(w, own_stretch(w, keys));"),
    Plant("build_does_not_wait", "nodes are built before it is known how many there is memory for", "team/x86_32",
          BATCH_RUN, """w->b.run_new[l->first_edit + l->runs - 1]);
    team_barrier(w->team);""", "w->b.run_new[l->first_edit + l->runs - 1]);"),
    Plant("refused_nodes_stay", "a batch that is refused leaves some of its nodes", "team/plain32", BATCH_RUN,
          "batch_all_nodes(&w->b)) batch_forget(&w->b, i);",
          "batch_all_nodes(&w->b)) if (i) batch_forget(&w->b, i);"),
    Plant("refused_batch_commits", "leaves are changed though inner nodes have no room", "team/x86_64", BATCH_RUN,
          "    if (s->full) {", "    if (s->full && s->level[0].nodes == 0) {"),
    Plant("hear_does_not_wait", "a member takes the words of those before it as they are", "team/plain64", BATCH_RUN,
          "memory_order_acquire) < w->told; look++)", "memory_order_acquire) == UINT32_MAX; look++)"),
    Plant("tidings_are_told_relaxed", "tidings do not bring the words that they tell of", "team/plain32", BATCH_RUN,
          "++w->told, memory_order_release)", "++w->told, memory_order_relaxed)"),
    Plant("tidings_are_heard_relaxed", "who has heard does not see the words", "team/x86_32", BATCH_RUN,
          "&tidings->told, memory_order_acquire)", "&tidings->told, memory_order_relaxed)"),
    Plant("mail_is_fetched_early", "answers are delivered before all members have left theirs", "team/plain32",
          BATCH_RUN, """    team_barrier(w->team);
    scatter_results(w);""", "    scatter_results(w);"),
    Plant("live_keys_of_others", "what changes in other parts of the keys counts where a skip goes to", "team/plain32",
          BATCH_LIVE, "return last - first + end.sum - begin.sum;", "return last - first + end.sum;"),
    Plant("skip_jumps_over_old_keys", "a skip goes to the batch's next key though old keys come first", "team/plain64",
          BATCH_QUERY, "if (live <= gap)", "if (live != BATCH_NO_KEY)"),
    Plant("pred_skips_to_the_wrong_gap", "a predecessor skips to old keys that are not the last ones", "team/x86_64",
          BATCH_QUERY, "gap == BATCH_NO_KEY ? 0 : gap + 1)", "gap == BATCH_NO_KEY ? 0 : gap)"),
    Plant("changes_are_noted_early", "a member forgets changes that another has noted", "team/x86_32", BATCH_LIVE_TEAM,
          """batch_live_clear(&w->b, i);
    team_barrier(w->team);""", "batch_live_clear(&w->b, i);"),
    Plant("levels_are_built_early", "a level is built while others still divide the one before", "team/plain32",
          BATCH_LIVE_TEAM, """batch_divide_group(&w->b, level, i);
        team_barrier(w->team);""", "batch_divide_group(&w->b, level, i);"),
    Plant("ranges_do_not_wait", "a member sorts its ranges before all keys are there", "team/x86_64", BATCH_RANGES,
          """    fill_ranges(from, side[1], begin, end, &r);
    team_barrier(team);""", "    fill_ranges(from, side[1], begin, end, &r);"),
    Plant("pass_shares_a_leaf", "two members change a leaf that keys of both lie in", "team/plain64", BATCH_PASS,
          "if (shared || run->shared || header_count", "if (header_count"),
    Plant("stock_is_not_settled", "a batch takes ids that agents have taken from the stock before", "team/plain32",
          BATCH_RUN, "        batch_settle_stock(&w->b, 1);\n", ""),
    Plant("parents_are_not_known", "children are joined before all cases have found their parents", "team/x86_32",
          BATCH_RUN, """batch_find_parent(&w->b, level, at);
        team_barrier(w->team);""", "batch_find_parent(&w->b, level, at);"),
    Plant("parent_is_joined_twice", "two members put the children of one parent together", "team/plain64", BATCH_TIDY,
          "    if (at > 0 && b->case_node[at - 1] == parent) return; /*", "    /*"),
    Plant("cases_stay_unordered", "small leaves of the pass come behind those of the stages", "team/plain32", BATCH_RUN,
          "b == all || (a < staged && other[a] < passed[b]) ?", "a < staged ?"),
    Plant("free_nodes_are_lost", "of the nodes that are free now, those of some cases do not come into the stock",
          "team/x86_64", BATCH_TIDY, "batch_stock(b)[end - i] = id;",
          "if (i == 1) batch_stock(b)[end - i] = id;"),
    Plant("wide_counts_do_not_wait", "wide counts go on before all zeros are counted", "team/plain64", BATCH_WIDE,
          """        c->zero_sum[n] = sum;
    }
    team_barrier(w->team);""", """        c->zero_sum[n] = sum;
    }"""),
    Plant("queries_do_not_wait", "ranges are written before all offsets are known", "team/plain32", BATCH_RUN,
          """        job->offsets[n] = job->total = sum;
    }
    team_barrier(w->team);""", """        job->offsets[n] = job->total = sum;
    }"""),

    # ---- batches beside queries at snapshots ----
    Plant("leaf_is_not_latched", "a leaf is overwritten without its latch beside a snapshot", "team/plain32",
          BATCH_LEVEL, "    if (!b->keeps) return;\n", "    return;\n"),
    Plant("new_nodes_come_late", "a node is named before what is in it can be seen", "team/x86_64", BATCH_LEVEL,
          """    uint64_t header = header_load(node);
    port_publish_fence();
""", "    uint64_t header = header_load(node);\n",
          ((PORT_CPU, "    port_publish_fence(); /* (b)", "    /* (b)"),)),
    Plant("latch_opens_relaxed", "a latch may be open before the last store", "team/plain64", BATCH_LEVEL,
          """        port_store_release(&node->word[HEADER_WORD], header);
    else""", """        port_store(&node->word[HEADER_WORD], header);
    else"""),
    Plant("leaf_is_dated_early", "a leaf says that it is new before it is latched", "team/x86_32", BATCH_COMMIT,
          """    batch_open_node(b, node);
    if (level == 0 && b->keeps) batch_date_leaf(b, number, run.node);""",
          """    if (level == 0 && b->keeps) batch_date_leaf(b, number, run.node);
    batch_open_node(b, node);"""),
    Plant("leaf_is_not_dated", "a snapshot takes a leaf for what it was", "team/plain32", BATCH_COMMIT,
          "    port_store(&b->record[leaf].since, port_load(&b->versions->epoch.clock));\n", ""),
    Plant("new_leaf_has_no_past", "a snapshot does not see the pairs that have gone to a new leaf", "team/plain64",
          BATCH_KEEP, "    port_store(&record->older, copy ? copy : port_load(&b->record[leaf].older));\n", ""),
    Plant("copies_do_not_wait", "leaves are overwritten before their copies are complete", "team/x86_64", BATCH_RUN,
          """batch_inherit(&w->b, i);
    team_barrier(w->team);""", "batch_inherit(&w->b, i);"),
    Plant("pass_forgets_snapshots", "leaves are changed where they stand while a snapshot is live", "team/plain32",
          BATCH_PASS, "return !b->keeps && b->sizes", "return b->sizes"),
    Plant("leaves_go_away", "leaves are put together while a snapshot is live", "team/x86_32", BATCH_RUN,
          "(w->seen & BATCH_HAS_ERASES) && !w->job->keeps)", "(w->seen & BATCH_HAS_ERASES))"),
    Plant("old_image_is_young", "no copy is kept of an image that is as old as the youngest pin", "team/plain32",
          BATCH_KEEP, "< port_load(&b->versions->epoch.pins_end);", "+ 1 < port_load(&b->versions->epoch.pins_end);"),
)
