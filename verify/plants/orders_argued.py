"""Orders that the simulator does not miss (orders.py), by name, and why they are there all the same."""
PROGRESS = "only bounds how long an agent goes by stale inner nodes (docs/memory-model.md, Stale reads)"
HINT = "the word is a hint: whoever misses it looks through all lists before an allocation fails (pool_runs.h)"

ARGUED = {
    "src/core/blink/blink_cursor.h cursor_right: port_forget_cached removed": PROGRESS,
    "src/pool/pool_runs.h pool_note_longer: port_compare_swap acquire only": HINT,
    "src/pool/pool_runs.h pool_note_longer: port_compare_swap release only": HINT,
    "src/pool/pool_runs.h pool_note_none: port_compare_swap acquire only": HINT,
    "src/pool/pool_runs.h pool_note_none: port_compare_swap release only": HINT,
}
