"""The planted bugs of skiplists, and of their reclamation; see plants.py."""
from plants import Plant

X86 = "src/node/node_search_x86.h"
SEEK = "src/level/level_seek.h"
EPOCH = "src/epoch/epoch.h"
AGENT = "src/epoch/epoch_participant.h"
CHUNK_FIND = "src/skiplist/skiplist_find.h"
CHUNK_SPLIT = "src/skiplist/skiplist_split.h"
CHUNK_UPDATE = "src/skiplist/skiplist_update.h"
CHUNK_RAISE = "src/skiplist/skiplist_raise.h"
CHUNK_MERGE = "src/skiplist/skiplist_merge.h"
CHUNK_RESTRUCTURE = "src/skiplist/skiplist_restructure.h"
RECLAIM = "src/skiplist/skiplist_reclaim.h"

SKIPLIST_PLANTS = (
    # ---- skiplist: bottom chunks ----
    Plant("miss_looks_at_link_first", "a pair that a split moves is looked for in no chunk", "skiplist/plain32",
          CHUNK_FIND, "    look->slot = node_scan(",
          "    map_pair early = pair_load(node, NODE_LINK_SLOT);\n    look->slot = node_scan(",
          ((CHUNK_FIND, "    if (hit) return NODE_FOUND;\n", "    link = early;\n    if (hit) return NODE_FOUND;\n"),)),
    Plant("miss_does_not_compare", "a pair that moves within its chunk is reported absent", "skiplist/x86_64",
          CHUNK_FIND, "return (header ^ look->header) & ~HEADER_LATCHED ? NODE_CHANGED : NODE_ABSENT;",
          "return NODE_ABSENT;"),
    Plant("hit_does_not_count", "a pair is found that does not count yet, in a slot that counted before",
          "skiplist/cuda32", CHUNK_FIND,
          "return look->slot < header_count(header_load(node)) ? NODE_FOUND : NODE_CHANGED;", "return NODE_FOUND;"),
    Plant("find_waits_for_latch", "a find does not end while a writer has stopped", "skiplist/cuda32", CHUNK_FIND,
          "    if (hit) return NODE_FOUND;\n",
          "    if (hit) return NODE_FOUND;\n    if (look->header & HEADER_LATCHED) return NODE_CHANGED;\n"),
    Plant("scan_does_not_look_again", "a value is taken from a slot that has changed meanwhile", "skiplist/x86_32", X86,
          "if (pair->key == key) return slot; /* otherwise", "return slot; /* otherwise"),
    Plant("insert_counts_first", "a pair counts before it is there", "skiplist/cuda64", CHUNK_UPDATE,
          """        pair_store(node, count, pair);
        unlatch(node, header_next(header, count + 1));
""",
          """        unlatch(node, header_next(header, count + 1));
        pair_store(node, count, pair);
"""),
    Plant("erase_copies_late", "the last pair is copied when it does not count any more", "skiplist/plain64",
          CHUNK_UPDATE,
          """    if (look->slot != last) pair_store(node, look->slot, look->last);
    unlatch(node, header_next(look->header, last));
""",
          """    unlatch(node, header_next(look->header, last));
    if (look->slot != last) pair_store(node, look->slot, look->last);
"""),
    Plant("split_overwrites_first", "pairs are overwritten before the link to them is there", "skiplist/x86_32",
          CHUNK_SPLIT,
          """    pair_store(node, NODE_LINK_SLOT, link_to(separator, right));
    port_publish_fence(); /* what moves is found behind the link before it is overwritten here */
    if (!appending) close_left(node, &image, pair, separator, left);
""",
          """    if (!appending) close_left(node, &image, pair, separator, left);
    pair_store(node, NODE_LINK_SLOT, link_to(separator, right));
"""),
    Plant("split_moves_what_stays", "a pair that stays is missed while it moves down", "skiplist/cuda32", CHUNK_SPLIT,
          """        if (image->pair[hole].key < separator) continue;
        while (next < NODE_CAPACITY && image->pair[next].key >= separator) next++;
        pair_store(node, hole, next < NODE_CAPACITY ? image->pair[next] : pair);
        next++;
""",
          """        if (hole == 0) next = 0;
        while (next < NODE_CAPACITY && image->pair[next].key >= separator) next++;
        pair_store(node, hole, next < NODE_CAPACITY ? image->pair[next] : pair);
        next++;
"""),
    Plant("merge_passes_by_first", "a chunk is passed by before its pairs count in the other", "skiplist/plain32",
          CHUNK_MERGE,
          """    port_store_release(&left->word[HEADER_WORD], between | HEADER_LATCHED);
    map_pair link = pair_load(right, NODE_LINK_SLOT);
    port_publish_fence();
    pair_store(left, NODE_LINK_SLOT, link);
""",
          """    map_pair link = pair_load(right, NODE_LINK_SLOT);
    pair_store(left, NODE_LINK_SLOT, link);
    port_store_release(&left->word[HEADER_WORD], between | HEADER_LATCHED);
"""),
    Plant("merge_link_passes_count", "a chunk may be seen passed by before its pairs count", "skiplist/x86_64",
          CHUNK_MERGE, "    port_publish_fence();\n    pair_store(left, NODE_LINK_SLOT, link);",
          "    pair_store(left, NODE_LINK_SLOT, link);"),
    Plant("zombie_before_pairs", "a find runs in a circle while a merge has stopped", "skiplist/cuda64", CHUNK_MERGE,
          """    for (unsigned i = 0; i < more; i++) pair_store(left, count + i, pair_load(right, i));
    uint64_t between""",
          """    map_pair link = pair_load(right, NODE_LINK_SLOT);
    pair_store(right, NODE_LINK_SLOT, link_to(0, left_id));
    for (unsigned i = 0; i < more; i++) pair_store(left, count + i, pair_load(right, i));
    uint64_t between""",
          ((CHUNK_MERGE, "    map_pair link = pair_load(right, NODE_LINK_SLOT);\n    port_publish_fence();",
            "    port_publish_fence();"),
           (CHUNK_MERGE, "    pair_store(right, NODE_LINK_SLOT, link_to(0, left_id));\n    unlatch(right",
            "    unlatch(right"))),
    Plant("merge_does_not_count_again", "a chunk takes in more pairs than it has room for", "skiplist/x86_32",
          CHUNK_MERGE, "if (!pairs_fit(header, right_header) || !epoch_retire", "if (!epoch_retire"),

    # ---- skiplist: levels above ----
    Plant("merge_does_not_lower", "the pair of a zombie stays in the level above", "skiplist/plain64", CHUNK_RESTRUCTURE,
          "    if (t->raised)\n        t->stage = RESTRUCTURE_LOWER;",
          "    if (t->raised && t->level > 0)\n        t->stage = RESTRUCTURE_LOWER;"),
    Plant("merged_above_is_forgotten", "a chunk that was the first in its upper chunk stays empty", "skiplist/cuda64",
          CHUNK_RESTRUCTURE, "            restructure_later(t, t->about.key, t->level - 1);\n", ""),
    Plant("pads_keep_removed_pair", "a pair that was taken out is still followed", "skiplist/cuda32", CHUNK_RAISE,
          "    slots_pad(node, count - 1, last ? pair_load(node, count - 2) : link); /* no copy of it stays */\n",
          ""),
    Plant("merge_takes_what_is_raised", "a chunk is merged that somebody else is about to raise", "skiplist/plain32",
          CHUNK_MERGE, "(state != CHUNK_RAISED && state != CHUNK_LOW)", "state == CHUNK_ZOMBIE"),
    Plant("first_pair_is_removed", "an upper chunk has no pair for its low key", "skiplist/x86_64", CHUNK_RAISE,
          "    if (at == 0) {\n", "    if (at == 0 && count == 1) {\n"),
    Plant("seek_goes_on_from_zombie", "the largest key below is looked for below the wrong one", "skiplist/cuda64",
          SEEK,
          """        port_fetch_add(&map.tree->restarts, 1);
        port_invalidate_cached(); /* else the old image of an upper chunk could lead here again and again */
        seek_walk(map, seek);
""", "        cursor_right(map, cursor, link);\n"),

    # ---- skiplist: reclamation ----
    Plant("retired_is_free_now", "a chunk is used again while agents of its epoch may look at it", "skiplist/plain32",
          AGENT, "a->scan_least = port_load(&e.state->clock) + 2;", "a->scan_least = port_load(&e.state->clock);"),
    Plant("l1_is_not_emptied", "an agent that comes in sees old images in its L1 (GPU)", "skiplist/cuda32", AGENT,
          "        epoch_enter(e, a->slot);\n        port_invalidate_cached();\n", "        epoch_enter(e, a->slot);\n"),
    Plant("stay_is_not_announced", "nobody knows that an agent is inside", "skiplist/x86_64", EPOCH,
          "    port_latch(epoch_slot(e, slot), EPOCH_OUT, EPOCH_IN + port_load(&e.state->clock)); "
          "/* ours: it succeeds */\n", ""),
    Plant("ring_is_given_whole", "what was just retired goes to the pool", "skiplist/plain32", AGENT,
          "while (head + free < tail && port_load(&epoch_entry(e, a->slot, head + free)->until) <= oldest) free++;",
          "(void)oldest, free = tail - head;"),
    Plant("bag_passes_ring", "a full ring loses what it had", "skiplist/x86_32", AGENT,
          "a->bag_room = room < EPOCH_BAG ? (uint32_t)room : EPOCH_BAG;", "a->bag_room = EPOCH_BAG;"),
    Plant("given_chunk_stays_zombie", "a chunk in a free list passes for a zombie", "skiplist/cuda64", RECLAIM,
          "    port_store(&chunk[place->node_bytes / NODE_SLOTS * NODE_HEADER_SLOT / sizeof *chunk], 0);\n", ""),
)
