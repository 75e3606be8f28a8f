"""Orders whose absence the simulator does not notice (orders.py), by the names that orders.py gives them.

ARGUED     nothing is lost without this one: what else keeps the order, on which machines. Each argument supposes that
           the other orders stay: of two that stand in for each other one is needed
UNSEEN     needed, but no schedule shows it; docs/results/notes/planted-bugs.md has them in a table
ELSEWHERE  no simulated variant comes there; what looks at it, if anything does
"""
PROGRESS = "only bounds how long an agent goes by stale inner nodes (docs/memory-model.md, Stale reads)"
HINT = "the word is a hint: whoever misses it looks through all lists before an allocation fails (pool_runs.h)"

# ---- free lists ----
GIVES = ("who gives a node loads nothing through the id that it replaces; the swap goes on with the release of who"
         " gave before, as every read-modify-write does")
FOLLOWED = ("the next word is loaded at an address made from the loaded id, which x86, aarch64 and GPUs keep in order"
            " (C11 alone would want acquire); all other use of the node comes after the swap, which acquires")
TAKES = ("a taker has stored nothing for others before its swap, whose new value depends on what it has loaded; the"
         " swap goes on with the release of who gave the next node, as every read-modify-write does")
TAKEN = ("port_load_acquire has acquired what the giver stored under the very value that the swap finds; no machine"
         " stores to the node before the branch on the swap's result")

BEGINS_ROW = "who begins a row loads nothing by the word that it replaces, the end of a row"
ROW = ("who splits a run has stored nothing to the nodes of the row. What their users before stored came to it by the"
       " acquire that took the run, and on machines with one point of coherence no store of the next users goes"
       " before it. C11 alone would want the release")
ROW_TAKEN = ("the node is reached by an address made from what the addition returned, which x86, aarch64 and GPUs"
             " keep in order, loads and stores. C11 alone would want the acquire")

# ---- a latch that is let go of unused ----
PASSED_ON = ("nothing was stored under the latch. What the holder before stored has come to this one by acquire, and"
             " on machines with one point of coherence goes before this store. C11 alone would want the release")

# ---- hash tables ----
TAKEN_OVER = ("the take has acquired: its swap, or for a node of the row its fence (dmb ishld on aarch64; a GPU has"
              " branched on the addition's result). No later store goes before that on any machine; fresh memory has"
              " no past")
STARTED = ("the run's past has come to this agent by acquire, and its readers reach the run by an address made from"
           " `next`. Its own store before is the cursor, which helpers compare with `next`. C11 alone would want the"
           " release")
CLAIMED = ("the swap lets one agent in. It has stored nothing for others before; its stores come after the load of 0,"
           " on which it branches, and what is behind that 0 was released. C11 alone would want the acquire")
SHARED_OUT = ("the swap shares out numbers of buckets. Each bucket is then latched by its own header, and with it"
              " comes all that is to be known of it")
MOVED_BY = ("look_at has acquire fences just before on CPUs, and a GPU has branched on the header's bit")
LAST_LOOK = ("the last look at the root, which comes after this load, finds another root: a later growth's `next` is"
             " stored after the root that it starts from (bucket_unchanged_after; of updates change_latch, under the latch)")
CHAIN = ("every change of a chain gives its first slab another header, and two looks at that enclose both loads; a"
         " link and a mask of different instants between them each were true, and no key moves from slab to slab in"
         " one change")
UNDER_LATCH = "under the bucket's latch, which was acquired: nobody changes either word"
BOTH_NEW = ("the latch's acquire makes both as new as the bucket. From then on the root stays, as the bucket is not"
            " moved, and of `next` a value from before growth began does as well as if it had begun later")
NO_READER = ("(b) is for readers that see by the latch that a writer is there. A look at a bucket leaves the latch"
             " bit out (bucket_unchanged_after), and what is stored before the header changes counts for nobody")
TARGETS = ("nothing is stored to the bucket until its latch goes; targets are read by who has seen that it has moved,"
           " or the next root, both of which are released after these stores. Who knows a target from an older table"
           " finds another root in the end")
FIRST_SLAB = ("the swap of the root, which comes next or came before, releases the slab. Who knows it from an older"
              " table finds another root, whatever it reads there")
COUNTED_MOVED = ("the fence before the addition has this agent's stores before it, and the acquire fence after it"
                 " keeps later stores behind the additions of others. C11 alone would want both fences")
COUNTED_FENCE = ("port_publish_fence before the next root keeps the addition, a load too, before that store: dmb ish"
                 " on aarch64, MEMBAR.ALL.GPU on a GPU, and the addition was locked on x86. C11 alone would want the"
                 " acquire")
GROWN = ("all buckets of the old root have moved, so none can be latched under it, and growth can only be started by"
         " an agent that has seen the next root; port_publish_fence has the cursor before this store")

COHERENT = ("the caches of CPUs are coherent, so nothing is read again and again. Where the fence orders as well"
            " there is another one: in slab_count_moved port_publish_fence, for epoch_section_begin the one in"
            " epoch_enter")

# ---- skiplists ----
STATE = ("the swap changes the chunk's state and nothing is stored to the chunk, or read of it, on the strength of"
         " that: who takes it in latches it with acquire, and all else is done under the latch of another chunk")
HEADS = ("the word says on which level searches begin. The heads of all levels are there from the beginning, and what"
         " a head held before leads down as well, only further to the left")
STALE_HEAD = "only bounds how long a search goes by an old upper chunk (docs/skiplist.md)"

MERGE_FENCED = ("port_publish_fence in merge_bottom and merge_upper stands between the latch and the first store to"
                " the right chunk: dmb ish on aarch64, MEMBAR.ALL.GPU on a GPU, and on x86 the swap was locked")
SENT_BACK = ("the fence before has the left chunk's pairs and count there before both links. Who is sent back and"
             " finds the left chunk's old link comes to the right chunk again, until that store has left its buffer,"
             " soon")
NODE_LAST = ("on CPUs node_last has a fence between the link and all later loads; on a GPU it has header and link"
             " from one access, and the same word is not older the second time")

# ---- the root of a tree ----
TAKES_LATCH = ("taking a latch publishes nothing: the release is in the stores that follow, of the root and of the"
               " latch")

# ---- batches ----
MET = ("the nodes below the new root were written before the last meeting of the team, or by an earlier kernel; no"
       " later store passes that. What this agent stored since is not for queries beside the batch")

# ---- versions ----
WHETHER = ("decides whether an agent gets a slot for images. Without one updates keep images all the same, in lists")
TWICE = "the swap behind it acquires the same value, and nothing is read by it before"
LOCKED_WORD = "the only store under the lock is to the locked word itself"
AS_IT_IS = ("nothing else was stored under the lock, and what is stored depends on what was read under it. What was"
            " stored before came to this agent by acquire; C11 alone would want the release")
CUT_LOCK = ("those who cut have the leaf's latch. The lock keeps out only who claims by age: a read-modify-write too,"
            " which reads `until` alone and stores nothing to the record but the locked word. Readers leave the lock"
            " bit out")
NONE_BETWEEN = ("no live snapshot is between the two values of `since`, so with the new link a reader goes on or"
                " stops by either of them (version_record.h)")
SWEEPS = "the swap says who looks through the lists, each of which is taken with acquire"
EMPTIES = ("who finds the 0 that this stores reads nothing by it; another agent's push is a read-modify-write, or"
           " begins anew with its own release")

# ---- graphs ----
FRESH = ("the segment is fresh memory: all zeros, and nobody has stored to it. Who finds the entry reaches it by an"
         " address made from it")
NOTHING = "who succeeds has replaced 0 and loads nothing on the strength of it: the entry is loaded again"
ALONE = "the word is read only by who is alone (the gate, or a kernel's end, is between); among agents it only grows"
OWN_BIT = ("the bit says nothing of other memory. An edge that says something of the vertex is stored later and goes"
           " out by the release of its bucket's header; and the word is only stored as a whole, to count keys, by who"
           " has seen the bit (count_key)")
COUNTER = ("the swap gives each number to one agent, by being one access. The entries of a number's segment are"
           " loaded by each who takes one, or made; names of free numbers were stored by who was alone; and the"
           " number goes out by the release of the dictionary's bucket, whose latch is held")

# ---- the gate: on all machines, by C11 ----
LOCKED = "every store to the word is made under the gate's lock, and so is this access: the lock orders them"
COUNTED = ("made under the lock, which every exclusive call takes after this and before it looks at the slots. The"
           " owner of the counter makes the change or sleeps; a counter without an owner is changed by"
           " read-modify-writes alone, which go on with the release of who left before")
UNMARKED = ("the mark is set and removed under the lock, in one order. Who finds it too long takes the lock and looks"
            " again; a call that sleeps has set it later, by a sequentially consistent store and before a barrier")
CHANGED = ("the word says only that it has changed, which happens under the lock, and waking is a full fence; what"
           " was changed with it is looked at under the lock, or is the slots, looked at again with acquire")
GUESTS = "release is enough for the guest, which loads the word with acquire; the waking after it is a full fence"
LOOK = "decides nothing: the caller enters by try_to_enter or under the lock afterwards"
BEHIND = ("the load of more_inside just before is sequentially consistent, so it comes after the store of closed, or"
          " of watched, on all machines; it is an acquire, which no later load passes. C11 alone would want both")
OPENED = ("release is enough for who finds the gate open. Who finds it closed still waits under the lock, which is"
          " taken for each closing too, so a later closing is not hidden by this store")

# ---- epochs ----
OWN = ("its stores to home and ring are for the slot's next owner (release and acquire of the slot), and to a scan a"
       " slot that is out is as a free one. Who claims it as inside passes the clock behind port_fence_after_latch: dmb"
       " ish on aarch64, on x86 the swap was locked; a GPU has branched on the swap's result")
SETTLED = ("port_fence_after_latch follows at once: dmb ish on aarch64, on x86 the swap is locked. On a GPU acquire, which"
           " stays, keeps the load of the clock behind the swap, and the port_validate_fence after it, the same"
           " instruction as the latch's own fence, keeps stores there")
WIDENED = ("nothing is read on the strength of it; the clock is read behind port_fence_after_latch (dmb ish on aarch64, on"
           " x86 the swap is locked), and a GPU has branched on the swap's result before it swaps the slot's word")
DATED = ("the stamp has settled in epoch_advance, before and after the addition, and stands; the swap only says it to"
         " updates. One that sees the word from before keeps an image too many; one that changes the word does so by"
         " a swap, which comes before this one, and this one fails, or after, and that one fails")
ASKED = ("the update has settled its latch before it looks at the slot, and stores to the leaf behind a branch on the"
         " swap. The agent whose own swap then fails passes the clock anew, and settles behind that before it looks"
         " at a leaf")
EXCLUDES = ("(b) is for readers that look at a latch to see whether what they have read is whole; here none does."
            " Acquire of the latch and release of it hand over what it protects")
UNPINNED = ("port_latch just before has the same: on CPUs its release fence (dmb ish on aarch64) stands between the"
            " holder's loads and all stores under the latch, by C11 too; on a GPU its fence.acq_rel.cta has waited"
            " for the loads, which is what port_store_after_loads rests on")
RELEASED = ("the floor, and scan_least of a scan in parts, go out by a release behind the loads of the slots: stlr on"
            " aarch64, any store on x86, MEMBAR.ALL.GPU on a GPU, where the minimum over lanes has used their values."
            " The clock ticks behind a branch on them. Who uses the floor has a fence behind it, epoch_oldest, the"
            " scanning agent itself too. C11 alone would want this fence: it knows no order but through an acquire")
FENCED = ("port_validate_fence in epoch_scan has the loads of the slots before this store: dmb ishld on aarch64,"
          " nothing needed on x86, MEMBAR.ALL.CTA in each lane and then a barrier on a GPU; parts by other agents"
          " have come through scan_latch. C11 alone would want the release: it knows no order but through one")
TICKED = ("the swap is behind a branch on the slots, and nothing is read on the strength of it. Before this agent"
          " looks at the clock again there is port_fence_after_latch (dmb ish on aarch64, on x86 the swap is locked), and"
          " on a GPU the release of scan_latch, which waits for the swap")

GATE = {
    LOCKED: ("wake_if_empty: atomic_load {}", "wake_if_empty: atomic_load {} (2)", "wait_as_guest: atomic_load {}",
             "enter_by_lock: atomic_load {}", "sleep_until_empty: atomic_load {}", "close_gate: atomic_load {}",
             "wait_for_turn: atomic_load {}", "close_to: atomic_load {}", "gate_view_close: atomic_load {}",
             "gate_view_close: atomic_fetch_sub {}"),
    COUNTED: ("enter_by_lock: atomic_fetch_add {}", "count_in: atomic_fetch_add {}"),
    UNMARKED: ("wake_if_empty: atomic_store {}", "sleep_until_empty: atomic_store {} (2)"),
    CHANGED: ("wake_if_empty: atomic_fetch_add {}", "let_next_in: atomic_fetch_add {}"),
    GUESTS: ("let_guests_in: atomic_fetch_add acq_rel",),
    LOOK: ("look_whether_open: atomic_load {}",),
    OPENED: ("let_next_in: atomic_store release",),
    BEHIND: ("is_empty: atomic_load acquire (2)",),
}
WEAKER = {"atomic_load": ("acquire", "relaxed"), "atomic_store": ("release", "relaxed"),
          "atomic_fetch_add": ("acq_rel", "relaxed"), "atomic_fetch_sub": ("acq_rel", "relaxed")}


def argued_of_gate():
    return {f"src/sync/gate.c {place.format(order)}": why for why, places in GATE.items() for place in places
            for order in WEAKER[place.split()[1]]}


ARGUED = {
    "src/port/port_cpu.h port_invalidate_cached: port_validate_fence removed": COHERENT,
    "src/level/level_cursor.h cursor_right: port_invalidate_cached removed": PROGRESS,
    "src/pool/pool_runs.h pool_note_longer: port_compare_swap acquire only": HINT,
    "src/pool/pool_runs.h pool_note_longer: port_compare_swap release only": HINT,
    "src/pool/pool_runs.h pool_note_none: port_compare_swap acquire only": HINT,
    "src/pool/pool_runs.h pool_note_none: port_compare_swap release only": HINT,
    "src/pool/pool.h pool_free_list: port_compare_swap release only": GIVES,
    "src/pool/pool.h pool_alloc_returned: port_load_acquire relaxed": FOLLOWED,
    "src/pool/pool.h pool_alloc_returned: port_compare_swap acquire only": TAKES,
    "src/pool/pool.h pool_alloc_returned: port_compare_swap release only": TAKEN,
    "src/epoch/epoch.h epoch_widen: port_latch relaxed": WIDENED,
    "src/epoch/epoch.h epoch_widen: port_latch without its fence": WIDENED,
    "src/epoch/epoch.h epoch_claim: port_latch without its fence": OWN,
    "src/epoch/epoch.h epoch_enter: port_latch without its fence": SETTLED,
    "src/epoch/epoch_participant.h epoch_scan: port_validate_fence removed": RELEASED,
    "src/epoch/epoch_participant.h epoch_scan_begin: port_latch without its fence": EXCLUDES,
    "src/epoch/epoch_participant.h epoch_scan_end: port_store_release relaxed": FENCED,
    "src/epoch/epoch_participant.h epoch_scan_end: port_latch relaxed": TICKED,
    "src/epoch/epoch_participant.h epoch_scan_end: port_latch without its fence": TICKED,
    "src/epoch/epoch_pins.h epoch_pin: port_latch without its fence": EXCLUDES,
    "src/epoch/epoch_pins.h epoch_unpin: port_latch without its fence": EXCLUDES,
    "src/epoch/epoch_pins.h epoch_unpin: port_publish_fence removed": UNPINNED,
    "src/epoch/epoch_pins.h epoch_pins_move: port_latch without its fence": EXCLUDES,
    "src/pool/pool_runs.h pool_push: port_compare_swap release only": GIVES,
    "src/pool/pool_runs.h pool_alloc_run_from: port_load_acquire relaxed": FOLLOWED,
    "src/pool/pool_runs.h pool_alloc_run_from: port_compare_swap acquire only": TAKES,
    "src/pool/pool_runs.h pool_alloc_run_from: port_compare_swap release only": TAKEN,
    "src/pool/pool_runs.h pool_alloc_from_row: port_validate_fence removed": ROW_TAKEN,
    "src/pool/pool_runs.h pool_begin_row: port_compare_swap acquire only": ROW,
    "src/pool/pool_runs.h pool_begin_row: port_compare_swap release only": BEGINS_ROW,
    "src/epoch/epoch.h epoch_advance_dated: port_latch relaxed": DATED,
    "src/epoch/epoch.h epoch_advance_dated: port_latch without its fence": DATED,
    "src/batch/batch_commit.h batch_end: port_publish_fence removed": MET,
    "src/blink/blink_post.h post_above_root: port_compare_swap acquire only": TAKES_LATCH,
    "src/blink/blink_post.h post_above_root: port_store_release relaxed": PASSED_ON,
    "src/level/level_seek.h seek_leaf: port_invalidate_cached removed": STALE_HEAD,
    "src/skiplist/skiplist_merge.h merge_bottom: port_publish_fence removed (2)": SENT_BACK,
    "src/skiplist/skiplist_merge.h merge_here: port_latch without its fence": MERGE_FENCED,
    "src/skiplist/skiplist_update.h update_bottom: port_validate_fence removed": NODE_LAST,
    "src/skiplist/skiplist_merge.h merge_look: port_latch relaxed": STATE,
    "src/skiplist/skiplist_merge.h merge_look: port_latch without its fence": STATE,
    "src/skiplist/skiplist_raise.h set_state: port_latch relaxed": STATE,
    "src/skiplist/skiplist_raise.h set_state: port_latch without its fence": STATE,
    "src/skiplist/skiplist_raise.h begin_at: port_compare_swap acquire only": HEADS,
    "src/skiplist/skiplist_raise.h begin_at: port_compare_swap release only": HEADS,
    "src/skiplist/skiplist_raise.h lower_here: port_compare_swap acquire only": HEADS,
    "src/skiplist/skiplist_raise.h lower_here: port_compare_swap release only": HEADS,
    "src/hash/slabhash_find.h look_begin: port_validate_fence removed": MOVED_BY,
    "src/hash/slabhash_find.h look_begin: port_validate_fence removed (2)": LAST_LOOK,
    "src/hash/slabhash_find.h find_displaced: port_load_in_order in no order": CHAIN,
    "src/hash/slabhash_move.h move_bucket: port_publish_fence removed": TARGETS,
    "src/hash/slabhash_move.h help_begin: port_compare_swap acquire only": SHARED_OUT,
    "src/hash/slabhash_move.h help_begin: port_compare_swap release only": SHARED_OUT,
    "src/hash/slabhash_move.h help_step: port_latch without its fence": TARGETS,
    "src/hash/slabhash_move.h help_step: port_store_release relaxed": PASSED_ON,
    "src/hash/slabhash_table.h slab_take: port_publish_fence removed": TAKEN_OVER,
    "src/hash/slabhash_table.h slab_start_growth: port_compare_swap acquire only": CLAIMED,
    "src/hash/slabhash_table.h slab_start_growth: port_compare_swap release only": CLAIMED,
    "src/hash/slabhash_table.h slab_start_growth: port_publish_fence removed": TAKEN_OVER,
    "src/hash/slabhash_table.h slab_start_growth: port_store_release relaxed": STARTED,
    "src/hash/slabhash_table.h slab_count_moved: port_invalidate_cached removed": COUNTED_FENCE,
    "src/hash/slabhash_table.h slab_count_moved: port_publish_fence removed (2)": COUNTED_MOVED,
    "src/hash/slabhash_table.h slab_count_moved: port_store_release relaxed": GROWN,
    "src/hash/slabhash_update.h change_latch: port_latch without its fence": NO_READER,
    "src/hash/slabhash_update.h change_latch: port_load_in_order in no order": BOTH_NEW,
    "src/hash/slabhash_update.h change_latch: port_store_release relaxed": PASSED_ON,
    "src/hash/slabhash_update.h change_abandon: port_store_release relaxed": PASSED_ON,
    "src/hash/slabhash_update.h table_begin: port_store_release relaxed": FIRST_SLAB,
    "src/hash/slabhash_update.h table_begin: port_store_release relaxed (2)": FIRST_SLAB,
    "src/hash/slabhash_update.h table_begin: port_compare_swap release only": NOTHING,
    "src/hash/slabhash_update.h locate_displaced: port_load_in_order in no order": UNDER_LATCH,
    "src/hash/slabhash_update.h locate_room: port_load_in_order in no order": UNDER_LATCH,
    "src/version/version.h version_keeps: port_load_in_order in no order": WHETHER,
    "src/version/version.h version_push: port_compare_swap release only": GIVES,
    "src/version/version.h version_pop_all: port_load_acquire relaxed": TWICE,
    "src/version/version.h version_pop_all: port_compare_swap acquire only": EMPTIES,
    "src/version/version.h version_pop_all: port_compare_swap release only": TAKEN,
    "src/version/version_record.h version_claim: port_latch without its fence": LOCKED_WORD,
    "src/version/version_record.h version_claim: port_store_release relaxed": AS_IT_IS,
    "src/version/version_record.h version_cut: port_latch relaxed": CUT_LOCK,
    "src/version/version_record.h version_cut: port_latch without its fence": CUT_LOCK,
    "src/version/version_record.h version_cut: port_latch relaxed (2)": CUT_LOCK,
    "src/version/version_record.h version_cut: port_latch without its fence (2)": CUT_LOCK,
    "src/version/version_record.h version_cut: port_store_release relaxed": PASSED_ON,
    "src/version/version_record.h version_cut: port_store_release relaxed (2)": NONE_BETWEEN,
    "src/blink/blink_keep.h return_ring: port_latch without its fence": OWN,
    "src/blink/blink_keep.h sweep: port_compare_swap acquire only": SWEEPS,
    "src/blink/blink_keep.h sweep: port_compare_swap release only": SWEEPS,
    "src/epoch/epoch_pins.h epoch_pinned: port_latch without its fence": EXCLUDES,
    "src/epoch/epoch.h epoch_slot_asks: port_compare_swap acquire only": ASKED,
    "src/epoch/epoch.h epoch_slot_asks: port_compare_swap release only": ASKED,
    "src/graph/base/graph_format.h graph_make_run: port_compare_swap acquire only": FRESH,
    "src/graph/base/graph_format.h graph_make_run: port_compare_swap release only": NOTHING,
    "src/graph/base/graph_format.h graph_make_segment: port_compare_swap acquire only": ALONE,
    "src/graph/base/graph_format.h graph_make_segment: port_compare_swap release only": ALONE,
    "src/graph/base/graph_format.h graph_vertex_put: port_compare_swap acquire only": OWN_BIT,
    "src/graph/base/graph_format.h graph_vertex_put: port_compare_swap release only": OWN_BIT,
    **{f"src/graph/ids/numbers.h graph_alloc_internal_id: port_compare_swap {order} only{which}": COUNTER
       for order in ("acquire", "release") for which in ("", " (2)")},
    **argued_of_gate(),
}

RARE = "in the model, not met in a few thousand schedules"
E4 = "the agent is in neither place (E4); " + RARE
MARK = "no instruction, but where the code relies on a branch, which the machine cannot lose; " + RARE
LATE = "a load that is taken behind a later store; " + RARE

UNSEEN = {
    "src/sync/gate.c let_guests_in: atomic_fetch_add relaxed":
        "message passing to a guest's record, which is plain memory outside of the simulator",
    "src/epoch/epoch.h epoch_advance: port_fence_after_latch removed":
        "store buffering of two read-modify-writes, which the simulator does not have",
    "src/epoch/epoch.h epoch_leave: port_store_release relaxed": LATE,
    "src/epoch/epoch.h epoch_exit_and_release: port_store_after_loads relaxed": LATE,
    "src/port/port_cpu.h port_store_after_loads: __ATOMIC_RELEASE is __ATOMIC_RELAXED": LATE,
    "src/port/port_cpu.h port_order_after: port_validate_fence removed": RARE,
    "src/port/port_cuda.h port_store_after_loads: acq_rel is relaxed": LATE,
    "src/port/port_cuda.h port_fence_seq_cst: sc is acq_rel": "store buffering, in epoch_section_end; " + RARE,
    "src/port/port_cuda.h port_fence_seq_cst: gpu is cta": "store buffering, in epoch_section_end; " + RARE,
    "src/epoch/epoch.h epoch_look: port_fence_loads removed":
        "the only caller has loaded the clock before, and epoch_oldest's fence is between; C11 alone wants it",
    "src/epoch/epoch.h epoch_look: port_validate_fence removed": E4,
    "src/epoch/epoch.h epoch_oldest: port_load_in_order in no order": E4,
    "src/epoch/epoch.h epoch_oldest: port_validate_fence removed": LATE,
    "src/epoch/epoch_participant.h epoch_section_end: port_fence_seq_cst removed": "store buffering; " + RARE,
    "src/epoch/epoch_participant.h epoch_section_begin: port_invalidate_cached removed": RARE,
    "src/epoch/epoch_participant.h epoch_scan_end: port_fence_after_latch removed": "store buffering; " + RARE,
    "src/epoch/epoch_pins.h epoch_pinned: port_latch relaxed": RARE,
    "src/epoch/epoch_pins.h epoch_pinned: port_store_release relaxed": LATE,
    "src/version/version.h version_needed: port_validate_fence removed": E4,
    "src/version/version.h version_needed: port_validate_fence removed (2)": LATE,
    "src/version/version.h version_push: port_compare_swap acquire only": RARE,
    "src/version/version_record.h version_claim: port_latch relaxed": RARE,
    "src/blink/blink_keep.h return_ring: port_latch relaxed": RARE,
    "src/blink/blink_keep.h can_update_in_place: port_load_in_order in no order": E4,
    "src/versioned/versioned_read.h read_older: port_validate_fence removed": RARE,
    "src/level/level_latch.h latch_covering: port_validate_fence removed": RARE,
    "src/blink/blink_post.h post_above_root: port_store_release relaxed (2)": RARE,
    "src/blink/blink_post.h post_above_root: port_store_release relaxed (3)": RARE,
    "src/level/level_seek.h seek_leaf: port_validate_fence removed": RARE,
    "src/skiplist/skiplist_find.h chunk_look: port_validate_fence removed": RARE,
    "src/skiplist/skiplist_restructure.h can_be_merged: port_fence_seq_cst removed": RARE,
    "src/skiplist/skiplist_restructure.h step_merge: port_fence_seq_cst removed": RARE,
    "src/skiplist/skiplist_split.h chunk_split: port_publish_fence removed": RARE,
    "src/skiplist/skiplist_split.h chunk_split: port_publish_fence removed (2)": RARE,
    "src/node/node_cuda.h node_lookup: PTX_AFTER_BRANCH removed (2)": MARK,
    "src/node/node_cuda.h node_lookup: port_validate_fence removed": RARE,
    "src/node/node_cuda.h node_last: port_validate_fence removed": RARE,
    "src/node/node_cuda.h node_end: PTX_AFTER_BRANCH removed (2)": MARK,
    "src/node/node_cuda.h node_lookup: PTX_AFTER_BRANCH removed (4)": MARK,
    "src/node/node_cuda.h node_lookup: port_validate_fence removed (2)": RARE,
    "src/node/node_cuda.h node_lookup: port_validate_fence removed (3)": RARE,
    "src/node/node_cuda.h node_last: port_validate_fence removed (2)": RARE,
    "src/node/node_cuda.h node_last: port_validate_fence removed (3)": RARE,
    "src/node/node_plain.h node_lookup: port_validate_fence removed": RARE,
    "src/node/node_plain.h node_last: port_validate_fence removed": RARE,
    "src/node/node_search_x86.h node_lookup: port_validate_fence removed": RARE,
    "src/node/node_search_x86.h node_lookup: port_validate_fence removed (2)": RARE,
    "src/node/node_search_x86.h node_last: port_validate_fence removed": RARE,
    "src/batch/batch_level.h batch_open_node: port_publish_fence removed": RARE,
    "src/batch/batch_level.h batch_open_node: port_latch relaxed": RARE,
    "src/batch/batch_level.h batch_open_node: port_latch without its fence": RARE,
    "src/hash/slabhash_find.h bucket_unchanged: port_validate_fence removed":
        "a GPU's: the simulator takes the address made of one value for an order of all loads before",
    "src/hash/slabhash_find.h bucket_unchanged_after: port_order_after removed":
        "a GPU's, for a key that is in no slot; " + RARE,
    "src/hash/slabhash_find.h bucket_unchanged_after: port_order_after removed (2)":
        "a GPU's: the simulator takes the address made of one value for an order of all loads before",
    "src/hash/slabhash_find.h bucket_unchanged_after: port_invalidate_cached removed":
        "a GPU's: an old root is gone by again and again; " + RARE,
    "src/hash/slabhash_table.h slab_count_moved: port_publish_fence removed": RARE,
    "src/hash/slabhash_walk.h walk_bucket: port_validate_fence removed": RARE,
}

FUTEX = ("the simulator has a futex of its own. Acquire would do: it hands over what was stored before the word"
         " changed; relaxed would not on aarch64 and in C11, and no tool shows that")
HANDED = ("needed on aarch64 and in C11 (docs/memory-model.md, A program's own memory); no instruction on x86."
          " ThreadSanitizer goes by annotations beside it, which stay (tests/sync/test_handover.c), so no tool shows it")
NUMBER = ("hands a number, and the counters of its slots, from a thread that ends to the next one: needed on aarch64"
          " and in C11. tests/sync/test_gate.c has threads that come and go, on x86, where it is no instruction")
ONCE = ("the word changes within pthread_once, which every reader has been through, or in a child of fork, whose only"
        " thread is the caller: no order is needed")

ONE_STORE = ("the simulator has one kind of relaxed store: PTX promises other blocks nothing of a store of CTA scope,"
             " though by what is known of these machines it goes through to L2 as well")
BY_ONE = ("for who is alone with the table: the gate, or a kernel's end, orders it before and after"
          " (tests/graph/test_graph_random.c and its like)")
WIDE = ("128-bit keys, which are not simulated: the text is that of node_plain.h, and tests/map/test_wide_keys_threads.c"
        " has threads")

ELSEWHERE = {
    "src/node/node_search_wide.h node_route: port_load_acquire relaxed": WIDE,
    "src/node/node_search_wide.h node_lookup: port_load_acquire relaxed": WIDE,
    "src/hash/slabhash_drop.h table_open: port_publish_fence removed": BY_ONE,
    "src/hash/slabhash_drop.h table_open: port_store_release relaxed": BY_ONE,
    "src/hash/slabhash_drop.h drop_buckets: port_store_release relaxed": BY_ONE,
    "src/hash/slabhash_drop.h table_drop: port_store_release relaxed": BY_ONE,
    "src/hash/slabhash_search.h search_two: port_load_in_order in no order":
        "compiled for GPUs alone: one access, which has no order to lose",
    "src/port/port_cuda.h port_store: gpu is cta": ONE_STORE,
    "src/port/port_cuda.h port_store_two: gpu is cta": ONE_STORE,
    "src/port/port_cuda.h port_store_after_loads: gpu is cta": ONE_STORE,
    "src/port/port_cuda.h port_add: gpu is cta":
        "the simulator has its own, as CPUs do; the tests on GPUs count with it",
    "src/port/port_cpu.h port_fence_after_latch: __ATOMIC_SEQ_CST is __ATOMIC_ACQ_REL":
        "a compiler fence, on x86 alone; the simulator compiles the other branch, port_fence_seq_cst",
    **{f"src/sync/doze.h doze_while: atomic_load {order}{which}": FUTEX
       for order in ("acquire", "relaxed") for which in ("", " (2)")},
    "src/sync/handover.h handover_give: port_publish_fence removed": HANDED,
    "src/sync/handover.h handover_take: port_validate_fence removed": HANDED,
    "src/sync/thread_number.c give_number_back: memory_order_release is memory_order_relaxed": NUMBER,
    **{f"src/sync/thread_number.c take_own_number: memory_order_acq_rel is memory_order_{order}": NUMBER
       for order in ("acquire", "release")},
    **{f"src/sync/thread_number.c others_own_slots: atomic_fetch_or {order}": NUMBER for order in ("acq_rel", "relaxed")},
    **{f"src/sync/thread_number.c {function}: atomic_store {order}{which}": ONCE
       for function in ("begin", "begin_in_child") for order in ("release", "relaxed") for which in ("", " (2)")},
    **{f"src/sync/thread_number.c {function}: atomic_load {order}{which}": ONCE
       for function in ("begin_in_child", "gate_take_number") for order in ("acquire", "relaxed")
       for which in ("", " (2)")},
    **{f"src/sync/thread_number.c gate_barrier: atomic_load {order}": ONCE for order in ("acquire", "relaxed")},
}
