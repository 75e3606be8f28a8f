"""Orders that the simulator does not miss (orders.py), by name, and why they are there all the same, or what else keeps
the order. Each argument supposes that the other orders stay: of two that stand in for each other one is needed."""
PROGRESS = "only bounds how long an agent goes by stale inner nodes (docs/memory-model.md, Stale reads)"
HINT = "the word is a hint: whoever misses it looks through all lists before an allocation fails (pool_runs.h)"

# ---- free lists ----
GIVES = ("who gives a node loads nothing through the id that it replaces; the swap goes on with the release of who gave"
         " before, as every read-modify-write does")
FOLLOWED = ("the next word is loaded at an address made from the loaded id, which x86, aarch64 and GPUs keep in order"
            " (C11 alone would want acquire); all other use of the node comes after the swap, which acquires")
TAKES = ("a taker has stored nothing for others before its swap, whose new value depends on what it has loaded; the"
         " swap goes on with the release of who gave the next node, as every read-modify-write does")
TAKEN = ("port_load_acquire has acquired what the giver stored under the very value that the swap finds; no machine"
         " stores to the node before the branch on the swap's result")

# ---- the gate: on all machines, by C11 ----
LOCKED = "every store to the word is made under the gate's lock, and so is this access: the lock orders them"
COUNTED = ("made under the lock, which every exclusive call takes after this and before it looks at the slots; all"
           " changes of a counter are read-modify-writes, so they go on with the release of who left before")
UNMARKED = ("the mark is set and removed under the lock, in one order. Who finds it too long takes the lock and looks"
            " again; a call that sleeps has set it later, by a sequentially consistent store")
CHANGED = ("the word says only that it has changed, which happens under the lock, and waking is a full fence; what was"
           " changed with it is looked at under the lock, or is the slots, looked at again with acquire")
GUESTS = "release is enough for the guest, which loads the word with acquire; the waking after it is a full fence"
LOOK = "decides nothing: the caller enters by try_to_enter or under the lock afterwards"
OPENED = ("release is enough for who finds the gate open. Who finds it closed still waits under the lock, which is"
          " taken for each closing too, so a later closing is not hidden by this store")

# ---- epochs ----
OWN = ("its stores to home and ring are for the slot's next owner (release and acquire of the slot), and to a scan a"
       " slot that is out is as a free one. Who claims it as inside passes the clock behind port_settle_latch: dmb ish"
       " on aarch64, on x86 the swap was locked; a GPU has branched on the swap's result")
SETTLED = ("port_settle_latch follows at once: dmb ish on aarch64, on x86 the swap is locked. On a GPU acquire, which"
           " stays, keeps the load of the clock behind the swap, and the port_validate_fence after it, the same"
           " instruction as the latch's own fence, keeps stores there")
WIDENED = ("nothing is read on the strength of it; the clock is read behind port_settle_latch (dmb ish on aarch64, on"
           " x86 the swap is locked), and a GPU has branched on the swap's result before it swaps the slot's word")
EXCLUDES = ("(b) is for readers that look at a latch to see whether what they have read is whole; here none does."
            " Acquire of the latch and release of it hand over what it protects")
UNPINNED = ("port_latch just before has the same: on CPUs its release fence (dmb ish on aarch64) stands between the"
            " holder's loads and all stores under the latch, by C11 too; on a GPU its fence.acq_rel.cta has waited for"
            " the loads, which is what port_store_after_loads rests on")
RELEASED = ("the floor, and scan_least of a scan in parts, go out by a release behind the loads of the slots: stlr on"
            " aarch64, any store on x86, MEMBAR.ALL.GPU on a GPU, where the minimum over lanes has used their values."
            " The clock ticks behind a branch on them. Who uses the floor has a fence behind it, epoch_oldest, the"
            " scanning agent itself too. C11 alone would want this fence: it knows no order but through an acquire")
FENCED = ("port_validate_fence in epoch_scan has the loads of the slots before this store: dmb ishld on aarch64,"
          " nothing needed on x86, MEMBAR.ALL.CTA in each lane and then a barrier on a GPU; parts by other agents have"
          " come through scan_latch. C11 alone would want the release: it knows no order but through one")
TICKED = ("the swap is behind a branch on the slots, and nothing is read on the strength of it. Before this agent looks"
          " at the clock again there is port_settle_latch (dmb ish on aarch64, on x86 the swap is locked), and on a GPU"
          " the release of scan_latch, which waits for the swap")

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
}
WEAKER = {"atomic_load": ("acquire", "relaxed"), "atomic_store": ("release", "relaxed"),
          "atomic_fetch_add": ("acq_rel", "relaxed"), "atomic_fetch_sub": ("acq_rel", "relaxed")}


def argued_of_gate():
    return {f"src/gate/gate.c {place.format(order)}": why for why, places in GATE.items() for place in places
            for order in WEAKER[place.split()[1]]}


ARGUED = {
    "src/core/blink/blink_cursor.h cursor_right: port_forget_cached removed": PROGRESS,
    "src/pool/pool_runs.h pool_note_longer: port_compare_swap acquire only": HINT,
    "src/pool/pool_runs.h pool_note_longer: port_compare_swap release only": HINT,
    "src/pool/pool_runs.h pool_note_none: port_compare_swap acquire only": HINT,
    "src/pool/pool_runs.h pool_note_none: port_compare_swap release only": HINT,
    "src/pool/pool.h pool_give_row: port_compare_swap release only": GIVES,
    "src/pool/pool.h pool_take_returned: port_load_acquire relaxed": FOLLOWED,
    "src/pool/pool.h pool_take_returned: port_compare_swap acquire only": TAKES,
    "src/pool/pool.h pool_take_returned: port_compare_swap release only": TAKEN,
    "src/epoch/epoch.h epoch_widen: port_latch relaxed": WIDENED,
    "src/epoch/epoch.h epoch_widen: port_latch without its fence": WIDENED,
    "src/epoch/epoch.h epoch_claim: port_latch without its fence": OWN,
    "src/epoch/epoch.h epoch_enter: port_latch without its fence": SETTLED,
    "src/epoch/epoch_agent.h epoch_scan: port_validate_fence removed": RELEASED,
    "src/epoch/epoch_agent.h epoch_scan_begin: port_latch without its fence": EXCLUDES,
    "src/epoch/epoch_agent.h epoch_scan_end: port_store_release relaxed": FENCED,
    "src/epoch/epoch_agent.h epoch_scan_end: port_latch relaxed": TICKED,
    "src/epoch/epoch_agent.h epoch_scan_end: port_latch without its fence": TICKED,
    "src/epoch/epoch_pins.h epoch_pin: port_latch without its fence": EXCLUDES,
    "src/epoch/epoch_pins.h epoch_unpin: port_latch without its fence": EXCLUDES,
    "src/epoch/epoch_pins.h epoch_unpin: port_publish_fence removed": UNPINNED,
    "src/epoch/epoch_pins.h epoch_pins_move: port_latch without its fence": EXCLUDES,
    **argued_of_gate(),
}

UNSEEN = {}
ELSEWHERE = {}
