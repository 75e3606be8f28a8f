"""The planted bugs of hash tables, and of the runs of slabs that they take; see plants.py."""
from plants import Plant

TABLE = "src/core/slabhash/slabhash_table.h"
WIDTH = "src/core/slabhash/slabhash_width.h"
FIND = "src/core/slabhash/slabhash_find.h"
WALK = "src/core/slabhash/slabhash_walk.h"
MOVE = "src/core/slabhash/slabhash_move.h"
UPDATE = "src/core/slabhash/slabhash_update.h"
RUNS = "src/pool/pool_runs.h"

HASH_PLANTS = (
    # ---- finds ----
    Plant("look_skips_header", "a bucket that has changed meanwhile is believed", "hash/cuda32", FIND,
          "return !((header ^ look->header) & ~(uint64_t)SLAB_LATCHED) && port_load(&look->table->root) == look->root;",
          "return header && port_load(&look->table->root) == look->root;"),
    Plant("look_skips_root", "a slab that is another table's by now answers for this one", "hash/plain32", FIND,
          "~(uint64_t)SLAB_LATCHED) && port_load(&look->table->root) == look->root;", "~(uint64_t)SLAB_LATCHED);"),
    Plant("look_has_no_fence", "the last look at the header is taken before the slots", "hash/plain64", FIND,
          "    port_validate_fence();\n    uint64_t header = port_load", "    uint64_t header = port_load"),
    Plant("chain_mask_has_no_fence", "slots are loaded before the mask that says what they are", "hash/cuda32", FIND,
          "        mask = slab_mask(port_load(&at->word[SLAB_HEADER]));\n        port_validate_fence();",
          "        mask = slab_mask(port_load(&at->word[SLAB_HEADER]));"),
    Plant("find_waits_for_bucket", "a find does not end while a writer has stopped", "hash/plain32_set", FIND,
          "if (look->header & (SLAB_MOVED | SLAB_OTHER))",
          "if (look->header & (SLAB_LATCHED | SLAB_MOVED | SLAB_OTHER))"),
    Plant("latched_look_is_over", "a find begins again and again while a writer has stopped", "hash/cuda64_set", FIND,
          "(header ^ look->header) & ~(uint64_t)SLAB_LATCHED", "header ^ (look->header & ~(uint64_t)SLAB_LATCHED)"),
    Plant("moved_skips_root", "a root of another growth is followed", "hash/cuda32", FIND,
          "if (!next || port_load(&table->root) != look->root)", "if (!next)"),
    # ---- walks ----
    Plant("walk_skips_last_look", "a walk believes a bucket that has changed meanwhile", "hash/plain32", WALK,
          "    if (S(look_holds)(&look)) return SLAB_DONE;\n    sink->count = before;\n    return SLAB_AGAIN;",
          "    return SLAB_DONE;"),
    Plant("walk_keeps_what_it_saw", "a walk that looks again sees keys twice", "hash/cuda64_set", WALK,
          "    if (S(look_holds)(&look)) return SLAB_DONE;\n    sink->count = before;",
          "    if (S(look_holds)(&look)) return SLAB_DONE;"),
    Plant("walk_misses_new_buckets", "a walk sees one bucket of those that another has become", "hash/cuda32", WALK,
          "for (; bits < log; bits++, count++) {", "for (; 0 && bits < log; bits++, count++) {"),
    # ---- updates ----
    Plant("latch_skips_root", "an update changes a bucket that is another table's by now", "hash/plain64_set", UPDATE,
          "if (port_load(&table->root) != look.root) {", "if (0) {"),
    Plant("late_latch_is_kept", "who came late to a bucket does not let go of it", "hash/cuda32", UPDATE,
          "        port_store_release(&first->word[SLAB_HEADER], look.header);\n        return SLAB_AGAIN;",
          "        return SLAB_AGAIN;"),
    Plant("first_slab_is_not_latched", "a late agent puts an old header back on a free slab", "hash/plain32", UPDATE,
          "port_store_release(&first->word[SLAB_HEADER], header | SLAB_LATCHED);",
          "port_store_release(&first->word[SLAB_HEADER], header);",
          ((UPDATE, "        port_store_release(&first->word[SLAB_HEADER], header);\n    else",
            "        return true;\n    else"),)),
    Plant("room_ends_search", "a key is put twice: the rest of the chain is not looked at", "hash/cuda64_set", UPDATE,
          "if (!next) break;", "if (!next || room) break;"),
    Plant("mask_before_slot", "a slot counts before its pair is there", "hash/cuda32", UPDATE,
          "        S(slot_store)(c->at, c->slot, c->pair);\n        if (c->at == c->first) {",
          "        if (c->at == c->first) {",
          ((UPDATE, "slab_mask(old) | (uint32_t)1 << c->slot));\n        }",
            "slab_mask(old) | (uint32_t)1 << c->slot));\n        }\n"
            "        S(slot_store)(c->at, c->slot, c->pair);"),)),
    Plant("mask_passes_slot", "a slot may be seen to count before its pair is there", "hash/plain64_set", UPDATE,
          "port_store_release(header, slab_next_header(old, SLAB_OTHER, slab_mask(old) | (uint32_t)1 << c->slot));",
          "port_store(header, slab_next_header(old, SLAB_OTHER, slab_mask(old) | (uint32_t)1 << c->slot));"),
    Plant("link_passes_slab", "a slab is linked before it is seen to be filled", "hash/plain32", UPDATE,
          "        port_publish_fence();\n        port_store(&c->at->word[SLAB_LINK], c->fresh);",
          "        port_store(&c->at->word[SLAB_LINK], c->fresh);"),
    Plant("erase_keeps_version", "a bucket whose keys have been erased passes for unchanged", "hash/cuda64", UPDATE,
          "slab_next_header(c->header, 0, mask));\n    if (!emptied) return;",
          "slab_next_header(c->header - SLAB_VERSION, 0, mask));\n    if (!emptied) return;"),
    Plant("emptied_is_freed_first", "a slab is free while its bucket is said to be unchanged", "hash/cuda32_set",
          UPDATE, "    port_store_release(&c->first->word[SLAB_HEADER], slab_next_header(c->header, 0, mask));\n"
          "    if (!emptied) return;\n    slab_free(place, emptied);",
          "    if (emptied) slab_free(place, emptied);\n"
          "    port_store_release(&c->first->word[SLAB_HEADER], slab_next_header(c->header, 0, mask));\n"
          "    if (!emptied) return;"),
    Plant("emptied_slab_stays", "an empty slab stays in its chain", "hash/plain64_set", UPDATE,
          "if (!(slab_mask(old) & ~bit)) {", "if (!old) {"),
    Plant("set_loses_neighbour", "a key of 32 bits takes the one beside it along", "hash/cuda32_set", WIDTH,
          "port_store(&payload[slot / 2], other | (uint64_t)pair.key << shift);",
          "port_store(&payload[slot / 2], (other & 0) | (uint64_t)pair.key << shift);"),
    # ---- slabs from the pool and back ----
    Plant("freed_slab_passes_bucket", "what becomes of a slab is seen before the change of its bucket", "hash/cuda32",
          TABLE, "    port_publish_fence(); /* whoever sees what becomes of it",
          "    /* whoever sees what becomes of it"),
    Plant("freed_slab_is_first", "a free slab has the header of a bucket's first one", "hash/plain32", TABLE,
          "slab_next_header(port_load(header), SLAB_OTHER, 0)", "slab_next_header(port_load(header), 0, 0)"),
    Plant("run_list_has_no_tag", "a list that changed and changed back hands a slab out twice", "hash/plain64", RUNS,
          "if (port_compare_swap(head, old, ((old >> 32) + 1) << 32 | (uint32_t)next)) return id;",
          "if (port_compare_swap(head, old, old >> 32 << 32 | (uint32_t)next)) return id;",
          ((RUNS, "while (!port_compare_swap(head, old, ((old >> 32) + 1) << 32 | id));",
            "while (!port_compare_swap(head, old, old >> 32 << 32 | id));"),)),
    Plant("run_is_split_wrongly", "the part of a run that is kept is given back, too", "hash/cuda64", RUNS,
          "pool_give_run(p, longer, id + ((uint32_t)1 << longer));", "pool_give_run(p, longer, id);"),
    Plant("last_run_passes_end", "a run is taken by addition, and ends where there is no memory", "hash/cuda32", RUNS,
          "if (port_compare_swap(&p.pool->next, id, id + count)) return (uint32_t)id;",
          "return (uint32_t)port_fetch_add(&p.pool->next, count);"),
    Plant("run_by_addition", "a run that ends where there is no memory takes the nodes before that along",
          "hash/plain64_set", RUNS,
          "if (port_compare_swap(&p.pool->next, id, id + count)) return (uint32_t)id;",
          "id = port_fetch_add(&p.pool->next, count);\n        return id + count <= capacity ? (uint32_t)id : 0;"),
    # ---- growth ----
    Plant("moved_link_is_root", "a find follows the next root as if it were a link of the chain", "hash/cuda64", MOVE,
          "    uint32_t chain = (uint32_t)port_load(&bucket->word[SLAB_LINK]);",
          "    uint32_t chain = (uint32_t)port_load(&bucket->word[SLAB_LINK]);\n"
          "    port_store(&bucket->word[SLAB_LINK], next);"),
    Plant("moved_before_targets", "a bucket is said to have moved before the others are there", "hash/cuda64", MOVE,
          "    port_publish_fence();\n    for (uint32_t i = 0; i < targets; i++) {",
          "    port_store_release(&bucket->word[SLAB_HEADER], slab_next_header(header, SLAB_MOVED, 0));\n"
          "    for (uint32_t i = 0; i < targets; i++) {",
          ((MOVE, "    port_store_release(&bucket->word[SLAB_HEADER], slab_next_header(header, SLAB_MOVED, 0));\n"
            "    slabs -=", "    slabs -="),)),
    Plant("moved_passes_targets", "a bucket may be seen to have moved before the others are there", "hash/plain32",
          MOVE,
          "port_store_release(&bucket->word[SLAB_HEADER], slab_next_header(header, SLAB_MOVED, 0));",
          "port_store(&bucket->word[SLAB_HEADER], slab_next_header(header, SLAB_MOVED, 0));"),
    Plant("chain_is_freed_first", "a chain is free before its bucket has moved", "hash/plain64_set", MOVE,
          "    port_store_release(&bucket->word[SLAB_HEADER], slab_next_header(header, SLAB_MOVED, 0));\n"
          "    slabs -= S(chain_free)(place, chain);",
          "    slabs -= S(chain_free)(place, chain);\n"
          "    port_store_release(&bucket->word[SLAB_HEADER], slab_next_header(header, SLAB_MOVED, 0));"),
    Plant("failed_move_keeps_slabs", "slabs of a move for which memory was lacking are lost", "hash/cuda64", MOVE,
          "S(chain_free)(place, (uint32_t)port_load(&fillers[i].first->word[SLAB_LINK]));", "(void)fillers[i];"),
    Plant("failed_move_lets_go", "a move for which memory was lacking gives its latch away", "hash/plain64", MOVE,
          "        return false;\n    }\n    for (uint32_t i = 0; i < targets; i++) {",
          "        port_store_release(&bucket->word[SLAB_HEADER], header);\n        return false;\n    }\n"
          "    for (uint32_t i = 0; i < targets; i++) {"),
    Plant("growth_ends_early", "a bucket is left behind in the old run", "hash/plain64", TABLE,
          "if (slab_moved(load) + 1 < buckets) return;",
          "if (slab_moved(load) + 2 < buckets) return;"),
    Plant("bucket_counts_first", "a bucket counts as moved before it is said to be", "hash/plain64", MOVE,
          "    port_store_release(&bucket->word[SLAB_HEADER], slab_next_header(header, SLAB_MOVED, 0));\n",
          "    slab_count_moved(place, table, root, next);\n"
          "    port_store_release(&bucket->word[SLAB_HEADER], slab_next_header(header, SLAB_MOVED, 0));\n",
          ((MOVE, "port_fetch_add(&table->load, (uint64_t)(int64_t)(int32_t)slabs);\n"
            "    slab_count_moved(place, table, root, next);",
            "port_fetch_add(&table->load, (uint64_t)(int64_t)(int32_t)slabs);"),)),
    Plant("growth_is_not_claimed", "two agents take a run for one growth", "hash/cuda64_set", TABLE,
          "if (port_load(&table->next) || !port_compare_swap(&table->next, 0, SLAB_NEXT_CLAIMED)) return;",
          "if (port_load(&table->next)) return;\n    port_store(&table->next, SLAB_NEXT_CLAIMED);"),
    Plant("growth_forgets_load", "slabs that a move saves still count", "hash/cuda64", MOVE,
          "if (!place->load_of_keys && slabs)", "if (0 && slabs)"),
)
