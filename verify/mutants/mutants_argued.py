"""Mutants that nothing could notice (mutants.py), by file, function, change and the lines that it changes, and why. No
line numbers, so an argument stays while its lines do, and is gone when they are edited.

Performance is no promise here: what only costs steps is argued, if the steps stay bounded."""
ORDER = "the two have nothing to do with each other, and write to what only this agent sees"
HINT = "the bit is a hint: a set one costs a look at a list that is empty, as after a swap that fails"

ARGUED = (
    ("src/core/blink/blink_cursor.h", "cursor_right", "a statement is dropped",
     "W(cursor_to_root)(cursor, port_load(&map.tree->root));",
     "the walk goes on to the right from the same node, read anew, with more patience: the root is a shorter way"),
    ("src/core/blink/blink_cut.h", "W", "'>' is '>='", "if (child.key > cut) cut = child.key;",
     "what is stored where the two are equal is what is there"),
    ("src/core/blink/blink_cut.h", "cut_child", "'<' is '<='",
     "PORT_UNROLL for (unsigned i = 1; i < NODE_CAPACITY; i++) child += i < *count && W(pair_load)(node, i).key <= key;",
     "the slot after the last one is below no count; said of the loop's end, the other '<' is caught"),
    ("src/core/blink/blink_range.h", "range_goes_on", "two statements change places",
     "cursor->node = W(pair_node)(link); cursor->side_steps = 0;", ORDER),
    ("src/core/blink/blink_split.h", "W", "'<' is '<='", "if (i < right_count) W(pair_store)(fresh, i, moved[i]);",
     "one pair more is written only where one moves (appending), to a slot of the fresh node that is past its count, "
     "where old content stands anyway; in an inner node slots_pad writes it again"),
    ("src/core/blink/blink_update.h", "update_start", "two statements change places",
     "update->old = 0; update->kind = kind;", ORDER),
    ("src/core/skiplist/skiplist_raise.h", "lower_here", "'<' is '<='",
     "for (unsigned i = at; i + 1 < count; i++) W(pair_store)(node, i, W(pair_load)(node, i + 1));",
     "one store more, to the last slot, which slots_pad writes next, from that slot on; it stores a true pair or link"),
    ("src/core/skiplist/skiplist_tend.h", "step_look", "a statement is dropped",
     "if (step == BLINK_AGAIN && t->tries++ < TEND_TRIES) return BLINK_AGAIN;",
     "AGAIN has changed nothing: the left neighbour is asked at once, as it is after TEND_TRIES tries"),
    ("src/core/skiplist/skiplist_update.h", "update_start", "two statements change places",
     "update->separator = W(pair_of)(0, NODE_NONE); W(cursor_start)(map, &update->cursor, key);", ORDER),
    ("src/core/skiplist/skiplist_update.h", "update_bottom", "a statement is dropped", "look.last = look.pair;",
     "only erase_here reads it, and the next statement sets it for every erase"),
    ("src/core/slabhash/slabhash_find.h", "find_elsewhere", "two statements change places",
     "at = (const slab *)port_after(at->word, header); *seen ^= header;", ORDER),
    ("src/core/slabhash/slabhash_move.h", "help_step", "'>=' is '>'",
     "if (help->bucket >= help->end) return SLAB_DONE;",
     "no caller comes with bucket == end: help_begin gives one bucket at least, and DONE comes with the last"),
    ("src/core/slabhash/slabhash_to_end.h", "update_briefly", "a statement is dropped",
     "step = (slab_step)port_between_tries(S(slab_update_briefly)(place, table, c));",
     "no brief try is made, and none is promised: every element goes the long way, which does the same"),
    ("src/core/slabhash/slabhash_update.h", "locate_in_first", "two statements change places",
     "c->at = c->first; c->before = NULL;", ORDER),
    ("src/core/slabhash/slabhash_update.h", "locate_in_first", "two statements change places",
     "if (mask == SLAB_ALL) return false; c->slot = S(slab_free_slot)(mask, c->group);",
     "the lowest bit that is not in SLAB_ALL is SLAB_SLOTS, which the slot is already"),
    ("src/core/slabhash/slabhash_update.h", "leaves_it", "'&&' is '||'",
     "if (!c->brief || (c->first && c->in_first)) return false;",
     "a brief try latches what it then leaves as it is: goes_short_way ends it, change_abandon gives the latch back"),
    ("src/epoch/epoch_agent.h", "epoch_close", "'<' is '<='",
     "uint32_t used = a->used < a->stocked ? a->used : a->stocked, "
     "bagged = a->bagged < EPOCH_BAG ? a->bagged : EPOCH_BAG;", "the smaller of two, which are equal where it differs"),
    ("src/pool/pool_runs.h", "pool_give_rest", "'<' is '<='",
     "for (uint32_t at = id + 1; at < last; at++) port_store(pool_run_link(p, at), at + 1);",
     "the link of the last node is written again by pool_push, before any agent can find it"),
    ("src/pool/pool_runs.h", "pool_split_run", "a statement is dropped", "pool_note_none(p, longer);", HINT),
    ("src/pool/pool_runs.h", "pool_note_none", "a condition is negated",
     "if (old & bit) (void)port_compare_swap(given, old, old & ~bit);", HINT),
    ("src/version/version.h", "version_open", "two statements change places",
     "epoch_agent_begin(agent, lanes); if (port_lane(lanes) == 0) agent->won = version_keeps(*v);",
     "epoch_agent_begin leaves `won` alone, and the other lanes read it after epoch_tell's meeting"),
)
EQUIVALENT = {a[:4]: a[4] for a in ARGUED}
