"""The planted bugs: small faults, each of which the simulator must find. run.py plants them one at a time.

A plant is a name, what it breaks, the file, the text to find there (exactly once) and the text to put in its place.
`where` names structure and variant in which it must be caught; `more` has further edits, as (file, find, with), where
one line does not make a fault. `tiny`: by going through the tiny cases, with one preemption. A fault that a sector's
leaving the L1 mends would need luck else; sectors stay there.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Plant:
    name: str
    what: str
    where: str
    file: str
    find: str
    put: str
    more: tuple = ()
    tiny: bool = False


FUNCTION = "src/batch/batch_function.h"
BATCH_LIST = "src/batch/batch_list.h"
BATCH_KEYS = "src/batch/batch_keys.h"
BATCH_QUERY = "src/batch/batch_query.h"
BATCH_LEVEL = "src/batch/batch_level.h"
BATCH_COMMIT = "src/batch/batch_commit.h"
BATCH_TIDY = "src/batch/batch_rebalance.h"
BATCH_KEEP = "src/batch/batch_keep.h"
BATCH_COUNT = "src/batch/batch_count.h"
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
PORT_CUDA = "src/port/port_cuda.h"
PLAIN = "src/node/node_plain.h"
CUDA = "src/node/node_cuda.h"
X86 = "src/node/node_search_x86.h"
FORMAT = "src/node/node_format.h"
POOL = "src/pool/pool.h"
GATE = "src/sync/gate.c"
CURSOR = "src/level/level_cursor.h"
FIND = "src/blink/blink_find.h"
UPDATE = "src/blink/blink_update.h"
LATCH = "src/level/level_latch.h"
IMAGE = "src/level/level_image.h"
SLOTS = "src/level/level_slots.h"
SPLIT = "src/blink/blink_split.h"
POST = "src/blink/blink_post.h"
SEEK = "src/level/level_seek.h"
RANGE = "src/level/level_range.h"
EPOCH = "src/epoch/epoch.h"
AGENT = "src/epoch/epoch_agent.h"
PINS = "src/epoch/epoch_pins.h"
VERSION = "src/version/version.h"
RECORD = "src/version/version_record.h"
KEEP = "src/versioned/versioned_keep.h"
PAST = "src/versioned/versioned_read.h"
VERSIONED = "src/versioned/versioned.h"
CHUNK_TAKE = "src/skiplist/skiplist_take.h"
CHUNK_FIND = "src/skiplist/skiplist_find.h"
CHUNK_SPLIT = "src/skiplist/skiplist_split.h"
CHUNK_UPDATE = "src/skiplist/skiplist_update.h"
CHUNK_RAISE = "src/skiplist/skiplist_raise.h"
CHUNK_MERGE = "src/skiplist/skiplist_merge.h"
CHUNK_TEND = "src/skiplist/skiplist_restructure.h"
RECLAIM = "src/skiplist/skiplist_reclaim.h"

PLANTS = [
    # ---- port: orders, scopes, fences ----
    Plant("cpu_release_is_relaxed", "unlocking does not wait for the stores before it (CPU)", "map/plain32", PORT_CPU,
          "PORT_FN void port_store_release(uint64_t *p, uint64_t v) { __atomic_store_n(p, v, __ATOMIC_RELEASE); }",
          "PORT_FN void port_store_release(uint64_t *p, uint64_t v) { __atomic_store_n(p, v, __ATOMIC_RELAXED); }"),
    Plant("cpu_acquire_is_relaxed", "a header's first load does not order the loads after it (CPU)", "map/x86_32",
          PORT_CPU, "__atomic_load_n(p, __ATOMIC_ACQUIRE)", "__atomic_load_n(p, __ATOMIC_RELAXED)"),
    Plant("cpu_latch_does_not_publish", "a writer's stores may be seen before its latch (CPU)", "map/plain64", PORT_CPU,
          "    port_publish_fence(); /* (b)", "    /* (b)"),
    Plant("cpu_validate_fence_missing", "the second look at a header may be taken early (CPU)", "map/plain32", PORT_CPU,
          "__atomic_thread_fence(__ATOMIC_ACQUIRE);", "(void)0;"),
    Plant("cpu_publish_fence_missing", "a new node may be seen before its contents (CPU)", "map/plain32", PORT_CPU,
          "__atomic_thread_fence(__ATOMIC_RELEASE);", "(void)0;"),
    Plant("cpu_swap_is_relaxed", "a returned node's next word may be older than its list head (CPU)", "pool/plain",
          PORT_CPU, "false, __ATOMIC_ACQ_REL,", "false, __ATOMIC_RELAXED,"),
    Plant("gpu_release_is_relaxed", "unlocking does not wait for the stores before it (GPU)", "map/cuda32", PORT_CUDA,
          "PTX_STORE(release, gpu, p, v)", "PTX_STORE(relaxed, gpu, p, v)"),
    Plant("gpu_fresh_load_hits_l1", "leaves are read through L1 (GPU)", "map/cuda64", PORT_CUDA,
          "PTX_LOAD_TWO(two.first, two.second, relaxed, gpu, p)",
          "PTX_LOAD_TWO(two.first, two.second, relaxed, cta, p)"),
    Plant("gpu_header_load_hits_l1", "headers are read through L1 (GPU)", "map/cuda64", PORT_CUDA,
          "PTX_LOAD(v, relaxed, gpu, p)", "PTX_LOAD(v, relaxed, cta, p)"),
    Plant("gpu_publish_fence_is_cta", "a new node may be seen before its contents (GPU)", "map/cuda32", PORT_CUDA,
          "PTX_FENCE(release, gpu)", "PTX_FENCE(release, cta)"),
    Plant("gpu_validate_fence_missing", "the second look at a header may be taken early (GPU)", "map/cuda64", PORT_CUDA,
          "port_validate_fence(void) { PTX_FENCE(acq_rel, cta);", "port_validate_fence(void) { (void)0;"),
    Plant("gpu_swap_is_relaxed", "a returned node's next word may be older than its list head (GPU)", "pool/cuda",
          PORT_CUDA, "PTX_CAS(old, acq_rel, gpu", "PTX_CAS(old, relaxed, gpu"),

    Plant("gpu_latch_is_cta", "a latch holds only within one multiprocessor (GPU)", "map/cuda32", PORT_CUDA,
          "PTX_CAS(old, relaxed, gpu, p, even, odd)", "PTX_CAS(old, relaxed, cta, p, even, odd)"),
    Plant("gpu_add_is_cta", "two multiprocessors take the same fresh node (GPU)", "map/cuda64", PORT_CUDA,
          "PTX_ADD(old, relaxed, gpu, p, v)", "PTX_ADD(old, relaxed, cta, p, v)"),

    # ---- node verbs ----
    Plant("lookup_skips_version_check", "a key that is being moved is reported absent", "map/plain32", PLAIN,
          "    if (!node_unchanged(node, header)) return NODE_CHANGED;\n", ""),
    Plant("unchanged_ignores_latch", "a header is trusted though a writer is at work", "map/plain32", PLAIN,
          "return !(header & HEADER_LATCHED) && header_load(node) == header;",
          "return header_load(node) == header;"),
    Plant("torn_pair_is_trusted", "half a new pair with half an old one (16-byte pairs in two words)", "map/plain64",
          PLAIN, "#define PAIR_IS_ATOMIC 0", "#define PAIR_IS_ATOMIC 1"),
    Plant("route_does_not_look_again", "the pair that is followed is not the one that was compared", "map/x86_32", X86,
          "return pair->key <= key; /* false", "return true; /* false"),
    Plant("hit_does_not_look_again", "a value is taken from a slot that has changed meanwhile", "map/x86_64", X86,
          "return pair->key == key ? NODE_FOUND : NODE_CHANGED;", "return NODE_FOUND;"),
    Plant("gpu_absent_without_check", "absence is answered without the second look (GPU)", "map/cuda32", CUDA,
          "    bool unchanged = !(end.second & HEADER_LATCHED) && header_load(node) == end.second;",
          "    bool unchanged = true;"),
    Plant("gpu_link_before_header", "a leaf's link may be older than its header (GPU)", "map/cuda64", CUDA,
          "    uint64_t header = header_load(node);\n    port_validate_fence();\n    *link =",
          "    uint64_t header = header_load(node);\n    *link ="),
    Plant("gpu_lookup_in_cache", "a leaf's end is read through L1 (GPU)", "map/cuda32", CUDA,
          "node_answer node_lookup(const map_node *node, map_key key, map_pair *pair)\n{\n"
          "    port_two end = port_load_two(",
          "node_answer node_lookup(const map_node *node, map_key key, map_pair *pair)\n{\n"
          "    port_two end = port_load_two_cached("),
    Plant("version_stands_still", "a changed node keeps its version", "map/plain32", FORMAT,
          "(uint64_t)count << 8) + HEADER_VERSION_ONE;", "(uint64_t)count << 8);"),

    # ---- pool ----
    Plant("pool_tag_stands_still", "a list that changed and changed back passes for unchanged (ABA)", "pool/plain",
          POOL,
          "if (port_compare_swap(head, old, ((old >> 32) + 1) << 32 | (uint32_t)next)) return id;",
          "if (port_compare_swap(head, old, (old >> 32) << 32 | (uint32_t)next)) return id;",
          ((POOL, "if (port_compare_swap(head, old, ((old >> 32) + 1) << 32 | id)) return;",
            "if (port_compare_swap(head, old, (old >> 32) << 32 | id)) return;"),)),
    Plant("pool_next_after_swap", "a returned node is reachable before its next word is there", "pool/plain", POOL,
          "        port_store(next, old & UINT32_MAX);\n"
          "        if (port_compare_swap(head, old, ((old >> 32) + 1) << 32 | id)) return;\n",
          "        if (port_compare_swap(head, old, ((old >> 32) + 1) << 32 | id)) {\n"
          "            port_store(next, old & UINT32_MAX);\n            return;\n        }\n"),
    Plant("pool_takes_without_swap", "two agents take the same returned node", "pool/cuda", POOL,
          "if (port_compare_swap(head, old, ((old >> 32) + 1) << 32 | (uint32_t)next)) return id;",
          "port_store(head, ((old >> 32) + 1) << 32 | (uint32_t)next);\n        return id;"),
    Plant("pool_counts_without_atomic", "two agents take the same fresh node", "map/cuda32", POOL,
          "uint64_t id = port_fetch_add(&pool->next, 1);",
          "uint64_t id = port_load(&pool->next);\n        port_store(&pool->next, id + 1);"),
    Plant("pool_passes_its_end", "the last look at the capacity is left out", "pool/plain", POOL,
          "return id < capacity ? (uint32_t)id : 0;", "return (uint32_t)id;"),

    # ---- gate ----
    Plant("gate_enters_relaxed", "announcing oneself may come after looking at the gate", "gate/cpu", GATE,
          "        atomic_fetch_add(place.counter, 1);\n        open = atomic_load(&g->closed) <= most;",
          "        atomic_fetch_add_explicit(place.counter, 1, memory_order_acquire);\n"
          "        open = atomic_load_explicit(&g->closed, memory_order_acquire) <= most;"),
    Plant("gate_leaves_relaxed", "what a call wrote may be missing for the exclusive caller", "gate/cpu", GATE,
          "        atomic_fetch_sub(place.counter, 1);\n",
          "        atomic_fetch_sub_explicit(place.counter, 1, memory_order_relaxed);\n"),
    Plant("gate_closes_without_barrier", "an owner's announcement may come after the exclusive caller's look at its slot",
          "gate/cpu", GATE, "    gate_barrier();\n    wait_until_empty(g, closed);", "    wait_until_empty(g, closed);"),
    Plant("gate_closes_after_barrier", "the barrier comes before the gate is closed", "gate/cpu", GATE,
          "    gate_barrier();\n    wait_until_empty(g, closed);", "    wait_until_empty(g, closed);",
          ((GATE, "    const bool open = atomic_load(&g->closed) == GATE_OPEN; /* then nobody waits */",
            "    gate_barrier();\n    const bool open = atomic_load(&g->closed) == GATE_OPEN;"),)),
    Plant("gate_trusts_the_compiler", "the compiler may put an owner's announcement behind its look at the gate", "gate/cpu",
          GATE, "{ atomic_signal_fence(memory_order_seq_cst); }", "{}"),
    Plant("gate_watches_without_barrier", "an owner leaves without seeing the mark, and is seen inside", "gate/cpu", GATE,
          "    atomic_store(&g->watched, 1);\n    gate_barrier();\n", "    atomic_store(&g->watched, 1);\n"),
    Plant("gate_owner_leaves_relaxed", "what an owner wrote may be missing for the exclusive caller", "gate/cpu", GATE,
          "place.counter, count - 1, memory_order_release", "place.counter, count - 1, memory_order_relaxed"),
    Plant("gate_owner_enters_relaxed", "what the exclusive caller wrote may be missing for an owner", "gate/cpu", GATE,
          "        open = atomic_load_explicit(&g->closed, memory_order_acquire) <= most;",
          "        open = atomic_load_explicit(&g->closed, memory_order_relaxed) <= most;"),
    Plant("gate_owner_wakes_nobody", "an owner that leaves a watched gate does not look who waits", "gate/cpu", GATE,
          "        if (atomic_load_explicit(&g->watched, memory_order_relaxed)) wake_if_empty(g);\n", ""),
    Plant("gate_forgets_owners", "who is alone does not wait for those that own a slot", "gate/cpu", GATE,
          "        if (atomic_load_explicit(&slot->inside, memory_order_acquire) != 0) return false;\n", ""),
    Plant("gate_forgets_the_slotless", "who is alone does not wait for those without a slot", "gate/cpu", GATE,
          "        if (atomic_load(&slot->more_inside) != 0) return false;\n", ""),
    Plant("gate_forgets_those_beside", "who is alone does not wait for those that a batch lets in", "gate/cpu", GATE,
          "        if (closed != GATE_ALONE) continue;\n", "        continue;\n"),
    Plant("gate_ignores_last_slot", "who is alone does not wait for those in the last slot", "gate/cpu", GATE,
          "    for (unsigned i = 0; i < GATE_SLOTS; i++) {\n        gate_slot *slot",
          "    for (unsigned i = 0; i < GATE_SLOTS - 1; i++) {\n        gate_slot *slot"),
    Plant("gate_does_not_look_back", "a call that finds the gate closed forgets that it announced itself", "gate/cpu",
          GATE, "    if (!open) leave(g, place); /*", "    /*"),
    Plant("gate_steps_back_unseen", "a call that steps back last does not wake the exclusive caller", "gate/cpu",
          GATE, "    if (!open) leave(g, place); /*", "    if (!open) atomic_fetch_sub(place.counter, 1); /*"),
    Plant("gate_has_no_queue", "an exclusive caller that has just come is let in before those who wait", "gate/cpu",
          GATE, "    *(g->last ? &g->last->next : &g->first) = &turn;\n    g->last = &turn;\n",
          "    turn.next = g->first;\n    g->first = &turn;\n"),
    Plant("gate_does_not_wait_for_guests", "who is let in on its behalf is not counted", "gate/cpu", GATE,
          "        atomic_fetch_add(guest->counter, 1);\n", ""),
    Plant("gate_overtakes_twice", "a shared caller that was overtaken is sent to look once more", "gate/cpu",
          GATE, "    count_in(g->overtaken);\n", "    if (g->first) count_in(g->overtaken);\n"),
    Plant("gate_wakes_no_guests", "who waits is not woken when the gate opens", "gate/cpu", GATE,
          "    if (guests) doze_wake(&g->opened);\n", "    (void)guests;\n"),
    Plant("gate_wakes_no_turn", "the next exclusive caller is not woken", "gate/cpu", GATE,
          "    if (called) doze_wake(called);\n", "    (void)called;\n"),
    Plant("gate_refused_are_not_woken", "who is refused for a view is not woken", "gate/cpu", GATE,
          "        if (!entered) doze_wake(called);\n", ""),
    Plant("gate_stops_at_a_refusal", "after an exclusive caller that is refused, the next ones are not looked at",
          "gate/cpu", GATE, "    while (!entered && g->first) {", "    if (!entered && g->first) {"),
    Plant("gate_watches_too_late", "the exclusive caller looks at the slots, and then marks the gate as watched",
          "gate/cpu", GATE,
          "    atomic_store(&g->watched, 1);\n    gate_barrier();\n    const bool empty = is_empty(g, closed);\n",
          "    const bool empty = is_empty(g, closed);\n    atomic_store(&g->watched, 1);\n"),
    Plant("gate_watches_relaxed", "the mark may be seen after the exclusive caller has looked at the slots", "gate/cpu",
          GATE, "    atomic_store(&g->watched, 1);\n    gate_barrier();\n",
          "    atomic_store_explicit(&g->watched, 1, memory_order_relaxed);\n",
          ((GATE, "        if (atomic_load(&slot->more_inside) != 0) return false;\n",
            "        if (atomic_load_explicit(&slot->more_inside, memory_order_acquire) != 0) return false;\n"),
           (GATE, "        if (atomic_load(&slot->more_beside) != 0) return false;\n",
            "        if (atomic_load_explicit(&slot->more_beside, memory_order_acquire) != 0) return false;\n"))),
    Plant("gate_last_wakes_nobody", "who leaves a watched gate does not look who waits", "gate/cpu", GATE,
          "        if (atomic_load(&g->watched)) wake_if_empty(g);\n", ""),
    Plant("gate_wakes_without_change", "the exclusive caller is woken, but its word says that it must sleep on",
          "gate/cpu", GATE, "        atomic_fetch_add(&g->emptied, 1);\n", ""),
    Plant("gate_believes_in_waking", "an exclusive caller that is woken for another's turn takes it for its own",
          "gate/cpu", GATE, "    while (turn.decided == UNDECIDED) {", "    if (turn.decided == UNDECIDED) {"),

    # ---- tree: latches ----
    Plant("put_unlocks_early", "the latch is released before the last store", "map/plain32", UPDATE,
          "        pair_store(node, place->at, pair_of(update->cursor.target, update->value));\n"
          "        unlatch(node, header_next(header, count));\n",
          "        unlatch(node, header_next(header, count));\n"
          "        pair_store(node, place->at, pair_of(update->cursor.target, update->value));\n"),
    Plant("insert_unlocks_early", "the latch is released before the pairs are written", "map/cuda32", UPDATE,
          "        node_write(node, image, at, count + 1);\n"
          "        unlatch(node, header_next(header, count + 1));\n",
          "        unlatch(node, header_next(header, count + 1));\n"
          "        node_write(node, image, at, count + 1);\n"),
    Plant("latch_is_not_taken", "an updater goes on without the latch", "map/x86_32", LATCH,
          "*header | HEADER_LATCHED) ? BLINK_DONE : BLINK_AGAIN;",
          "*header | HEADER_LATCHED) ? BLINK_DONE : BLINK_DONE;"),
    Plant("erase_forgets_latch", "erasing an absent key leaves the latch behind", "map/cuda32", UPDATE,
          "        unlatch(node, header); /* nothing was changed: the same version will do */\n", ""),
    Plant("full_pool_forgets_latch", "a split that finds no node leaves the latch behind", "map/cuda64", SPLIT,
          "        unlatch(node, header_next(header, header_count(header)));\n", ""),
    Plant("latches_in_wrong_order", "root latch, then node latch, and elsewhere the other way round", "map/plain32",
          POST,
          "    uint64_t root = port_load(&map.tree->root);\n    if ((root >> 32) >= post->level) {",
          "    uint64_t root = port_load(&map.tree->root);\n"
          "    uint64_t *top = &node_at(map, (uint32_t)root)->word[HEADER_WORD], even;\n"
          "    while (even = port_load(top) & ~HEADER_LATCHED, !port_latch(top, even, even | HEADER_LATCHED))\n"
          "        port_pause(0);\n"
          "    port_store_release(top, even);\n    if ((root >> 32) >= post->level) {",
          ((POST, "    unsigned count = header_count(header);\n    unsigned at = slots_rank",
            "    while (!port_compare_swap(&map.tree->root_latch, 0, 1)) port_pause(0);\n"
            "    port_store_release(&map.tree->root_latch, 0);\n"
            "    unsigned count = header_count(header);\n    unsigned at = slots_rank"),)),
    Plant("passes_unfinished_split", "an updater goes right through a node whose split is not finished", "map/cuda32",
          LATCH, "        if (header_load(node) != *header) return BLINK_AGAIN;\n", "",
          ((LATCH, "    if (*header & HEADER_LATCHED) return BLINK_AGAIN;\n", ""),
           (LATCH, "    return port_latch(&node->word[HEADER_WORD], *header, *header | HEADER_LATCHED) ?",
            "    if (*header & HEADER_LATCHED) return BLINK_AGAIN;\n"
            "    return port_latch(&node->word[HEADER_WORD], *header, *header | HEADER_LATCHED) ?"))),

    # ---- tree: contents ----
    Plant("absent_erase_is_refused", "erasing an absent key says that there was no memory", "map/plain32", UPDATE,
          "place->present ? BLINK_EXISTS : BLINK_ABSENT;", "place->present ? BLINK_EXISTS : BLINK_NOT_APPLIED;"),
    Plant("insert_keeps_count", "a new pair lies beyond the count", "map/plain64", UPDATE,
          "        unlatch(node, header_next(header, count + 1));\n        update->outcome = BLINK_INSERTED;",
          "        unlatch(node, header_next(header, count));\n        update->outcome = BLINK_INSERTED;"),
    Plant("erase_writes_dead_pair", "erasing drags a dead pair below a count that somebody still goes by", "map/cuda32",
          IMAGE, "if (i >= at && i + 1 < count) image->pair[i] = image->pair[i + 1];",
          "if (i >= at) image->pair[i] = image->pair[i + 1];"),
    Plant("update_ignores_link", "an updater stays in a leaf that no longer covers its key", "map/plain32", LATCH,
          "    if (belongs_right(*link, cursor->target)) {\n        /* Not while",
          "    if (false) {\n        /* Not while"),
    Plant("find_ignores_link", "a find answers absent instead of going right", "map/cuda32", FIND,
          "        cursor_right(map, &find->cursor, pair);\n        return BLINK_MOVED;",
          "        find->found = false;\n        return BLINK_DONE;"),
    Plant("link_key_is_excluded", "the key equal to the high key is looked for on the wrong side", "map/plain32",
          CURSOR,
          "return pair_is_link(link) && key >= link.key;", "return pair_is_link(link) && key > link.key;"),

    # ---- tree: splits ----
    Plant("split_names_node_early", "the link to the new node is there before the node", "map/cuda64", SPLIT,
          "    map_key separator = write_right(",
          "    pair_store(node, NODE_LINK_SLOT, link_to(slot_with(node, at, pair, left_count).key, right));\n"
          "    map_key separator = write_right("),
    Plant("split_without_publish_fence", "the new node's contents may come after its name", "map/plain32", SPLIT,
          "    port_publish_fence(); /* the new node is there before anything names it */\n", ""),
    Plant("split_drops_link", "the new node does not lead to the old right neighbour", "map/cuda32", SPLIT,
          "        pair_store(fresh, NODE_LINK_SLOT, old_link);", "        (void)old_link;"),
    Plant("split_keeps_count", "the left half still counts what has moved", "map/plain64", SPLIT,
          "    unlatch(node, header_next(header, left_count));",
          "    unlatch(node, header_next(header, NODE_CAPACITY));"),
    Plant("refused_split_keeps_version", "a node whose split found no memory passes for unchanged", "versioned/plain32",
          SPLIT, "unlatch(node, header_next(header, header_count(header)));", "unlatch(node, header);"),
    Plant("root_before_contents", "the new root is published before it is written", "map/cuda32", POST,
          "        map_node *node = node_at(map, id);\n",
          "        map_node *node = node_at(map, id);\n"
          "        port_store_release(&map.tree->root, (uint64_t)post->level << 32 | id);\n"),
    Plant("root_store_is_relaxed", "the new root may be seen before its contents", "map/cuda64", POST,
          "        port_store_release(&map.tree->root, (uint64_t)post->level << 32 | id);",
          "        port_store(&map.tree->root, (uint64_t)post->level << 32 | id);"),
    Plant("root_without_latch", "two agents put a root above the same node", "map/plain32", POST,
          "    if (!port_compare_swap(&map.tree->root_latch, 0, 1)) return BLINK_AGAIN;\n", ""),
    Plant("separator_is_lost", "a full parent loses the separator of its own split", "map/plain32", POST,
          "    post_start(map, post, separator, post->level + 1, NODE_NONE);\n    return BLINK_MOVED;",
          "    return BLINK_DONE;"),
    Plant("unposted_is_not_counted", "a separator that found no room is forgotten", "map/cuda32", POST,
          "        port_fetch_add(&map.tree->unposted, 1); /* I5", "        /* I5"),
    Plant("pad_is_forgotten", "the slots behind an inner node's last pair keep an old one", "map/cuda32", POST,
          "        if (at == count && !pair_is_link(link)) slots_pad(node, count + 1, pair);",
          ""),

    Plant("post_does_not_descend", "a separator far below the root does not find its level", "map/cuda32", POST,
          "    if (post->cursor.level > post->level) return cursor_descend(map, &post->cursor);\n", ""),
    Plant("separator_is_given_up", "an inner separator counts as unposted though there is room", "map/plain32", POST,
          "    if (pair_node(separator) == NODE_NONE) {\n        port_fetch_add(&map.tree->unposted, 1); /* I5",
          "    if (post->level) {\n        port_fetch_add(&map.tree->unposted, 1); /* I5"),
    Plant("patience_does_not_grow", "a long row of unposted nodes is never walked to its end", "map/plain32", CURSOR,
          "    if (cursor->patience < UINT32_MAX / 4) cursor->patience *= 4;\n", ""),
    Plant("root_latch_is_freed_early", "the next agent above the root does not see this one's root", "map/cuda32", POST,
          "        port_store_release(&map.tree->root, (uint64_t)post->level << 32 | id);\n"
          "    } else {\n        port_fetch_add(&map.tree->unposted, 1);\n    }\n",
          "        port_store_release(&map.tree->root_latch, 0);\n"
          "        port_store_release(&map.tree->root, (uint64_t)post->level << 32 | id);\n"
          "    } else {\n        port_fetch_add(&map.tree->unposted, 1);\n    }\n"),

    # ---- tree: seeks and ranges ----
    Plant("seek_walks_once", "a walk across leaves is not checked by a second one", "map/plain32", SEEK,
          "if (!seek->crossed || digest == seek->last_digest) return BLINK_DONE;", "return BLINK_DONE;"),
    Plant("seek_trusts_any_walk", "the second of two walks need not be like the first (GPU)", "map/cuda32", SEEK,
          "digest == seek->last_digest)", "seek->last_digest)"),
    Plant("seek_does_not_look_back", "the leaf that a seek crossed from may have changed (CPU)", "map/x86_32", SEEK,
          "return header_load(node_at(map, seek->crossed)) == seek->first_header;",
          "return (void)map, seek->first_header != HEADER_LATCHED;"),
    Plant("seek_trusts_first_of_many", "of all leaves that a seek crossed, only the first is looked at again (CPU)",
          "map/plain32", SEEK, "seek->first_header = seek->crossed ? HEADER_LATCHED : header;",
          "if (!seek->crossed) seek->first_header = header;"),
    Plant("seek_does_not_validate", "a seek goes by the image of a leaf that is being changed", "map/x86_32", SEEK,
          "    if (header_load(node) != header) return BLINK_AGAIN;\n\n    seek->digest", "    seek->digest"),
    Plant("gpu_seek_does_not_look_back", "the leaf that a seek crossed from may have changed (GPU)", "map/cuda32", SEEK,
          "return header_load(node_at(map, seek->crossed)) == seek->first_header;",
          "return (void)map, seek->first_header != HEADER_LATCHED;"),
    Plant("gpu_seek_misses_next_block", "the key above is not looked for in the next two slots (GPU)", "map/cuda32",
          CUDA, "    if (beyond) best.first = port_load(&node->word[before]);\n", ""),
    Plant("range_does_not_validate", "a range reports the image of a leaf that is being changed", "map/cuda64", RANGE,
          "    if (header_load(node) != header) return BLINK_AGAIN;",
          ""),
    Plant("range_passes_its_limit", "a range reports more than it was asked for", "map/x86_32", RANGE,
          "    if (n > range->limit - range->count) n = range->limit - range->count;\n", ""),
    Plant("gpu_range_passes_its_limit", "a range reports more than it was asked for (GPU)", "map/cuda32", RANGE,
          "if (!wanted || range->count >= range->limit) continue;",
          "if (!wanted || range->count > range->limit) continue;"),
    Plant("range_forgets_last_key", "a range leaves out the key that it ends with", "map/x86_64", RANGE,
          "image_rank_through(image, count, range->high) - from;",
          "image_rank(image, count, range->high) - from;"),
    Plant("range_stops_at_high_key", "a range forgets the leaf that begins with its last key", "map/plain32", RANGE,
          "link.key > range->high ||", "link.key >= range->high ||"),

    # ---- epochs ----
    Plant("enter_does_not_announce", "nobody knows that an agent is inside", "epoch/cuda", EPOCH,
          "    port_latch(epoch_slot(e, slot), EPOCH_OUT, EPOCH_IN + port_load(&e.state->clock)); /* ours",
          "    /* ours"),
    Plant("enter_does_not_settle", "an agent may look around before it is seen inside", "epoch/plain", EPOCH,
          "    port_settle_latch();\n    uint64_t stamp = port_load", "    uint64_t stamp = port_load"),
    Plant("stamp_before_announcement", "an agent's stamp is from before it was seen inside", "epoch/cuda", EPOCH,
          "    port_latch(epoch_slot(e, slot), EPOCH_OUT, EPOCH_IN + port_load(&e.state->clock));",
          "    uint64_t stamp = port_load(&e.state->clock);\n"
          "    port_latch(epoch_slot(e, slot), EPOCH_OUT, EPOCH_IN + stamp);",
          ((EPOCH, "    uint64_t stamp = port_load(&e.state->clock);\n    port_validate_fence();\n",
            "    port_validate_fence();\n"),)),
    Plant("enter_does_not_order", "an agent's stamp, which it pins, may be later than what it comes upon", "epoch/cuda",
          EPOCH, "    port_validate_fence();\n    return stamp;", "    return stamp;"),
    Plant("claim_without_swap", "two agents have the same slot", "epoch/plain", EPOCH,
          "        if (port_latch(epoch_slot(e, slot), EPOCH_FREE, word)) return slot;",
          "        port_store(epoch_slot(e, slot), word);\n        return slot;"),
    Plant("claim_does_not_acquire", "an agent sees its slot's ring as it was before the last one's visit",
          "epoch/plain", PORT_CPU, "odd, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)",
          "odd, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)"),
    Plant("claimed_is_not_counted", "scans do not look at slots that were never claimed before", "epoch/cuda", EPOCH,
          "        epoch_widen(e, slot);\n", ""),
    Plant("unclaim_is_relaxed", "a slot is free before its ring is written", "epoch/plain", EPOCH,
          "port_store_release(epoch_slot(e, slot), EPOCH_FREE)", "port_store(epoch_slot(e, slot), EPOCH_FREE)"),
    Plant("vanish_is_relaxed", "a slot is free before its agent has finished its loads", "epoch/plain", EPOCH,
          "{ port_store_after_loads(epoch_slot(e, slot), EPOCH_FREE); }", "{ port_store(epoch_slot(e, slot), EPOCH_FREE); }"),
    Plant("pass_stands_still", "the clock does not pass a snapshot's stamp", "epoch/cuda", EPOCH,
          "port_fetch_add(&e.state->clock, 1);", "port_load(&e.state->clock);"),
    Plant("look_before_clock", "a look at the slots may be older than the clock that it goes by (GPU)", "epoch/cuda",
          EPOCH, "    port_settle_loads(); /* the clock before the slots: E1 */\n", ""),
    Plant("look_forgets_somebody", "a look leaves out the last slot", "epoch/plain", EPOCH,
          "slot = epoch_first_inside(e); slot < end; slot++) {",
          "slot = epoch_first_inside(e); slot + 1 < end; slot++) {"),
    Plant("pins_before_floor", "an agent that pins and leaves is in neither place", "epoch/plain", EPOCH,
          "    port_load_in_order(&e->floor, &floor, &pinned);\n",
          "    pinned = port_load(&e->pins_oldest);\n    port_validate_fence();\n"
          "    floor = port_load(&e->floor);\n"),
    Plant("pins_are_ignored", "what was retired is free as soon as nobody is in a slot", "epoch/cuda", EPOCH,
          "return floor < pinned ? floor : pinned;", "return floor;"),
    Plant("ring_ignores_stamps", "what was just retired is used again", "epoch/cuda", AGENT,
          "        if (port_load(&epoch_entry(e, a->slot, head + i)->until) > oldest) break;\n", ""),
    Plant("ring_is_free_early", "what was retired is used again one epoch early", "epoch/plain", AGENT,
          "->until) > oldest) break;", "->until) > oldest + 1) break;"),
    Plant("head_stands_still", "what was used again stays in the ring", "epoch/plain", AGENT,
          "uint64_t head = port_load(&home->head) + used,", "uint64_t head = port_load(&home->head),"),
    Plant("ring_runs_over", "a full ring loses what it had", "epoch/cuda", AGENT,
          "room = e.ring - (tail - head);", "room = e.ring;"),
    Plant("stock_is_taken_twice", "the same free id is handed out again", "epoch/cuda", AGENT,
          "    uint32_t at = port_lane_add(&a->used, 1);\n", "    uint32_t at = a->used;\n"),
    Plant("floor_is_clock", "the floor rises past those who are inside", "epoch/plain", AGENT,
          "port_store_release(&s->floor, a->scan_least);", "port_store_release(&s->floor, clock);",
          ((AGENT, "if (over && a->scan_least > port_load(&s->floor))", "if (over && clock > port_load(&s->floor))"),)),
    Plant("scan_part_is_all", "the floor rises when a part of the slots has been looked at", "epoch/cuda", AGENT,
          "    bool over = a->scan_to >= port_load(&s->claimed);\n", "    bool over = true;\n"),
    Plant("scan_forgets_first_part", "who was seen inside by the first part of a scan does not count", "epoch/plain",
          AGENT, "    a->scan_least = port_load(&s->scan_least);\n",
          "    a->scan_least = port_load(&s->scan_clock);\n"),
    Plant("scan_reads_clock_late", "slots are looked at before the clock is read", "epoch/cuda", AGENT,
          "        port_store(&s->scan_least, clock);\n", "        port_store(&s->scan_least, UINT64_MAX - 9);\n",
          ((AGENT, "    bool over = a->scan_to >= port_load(&s->claimed);\n",
            "    bool over = a->scan_to >= port_load(&s->claimed);\n"
            "    uint64_t late = port_load(&s->clock), least = a->scan_least < late ? a->scan_least : late;\n"),
           (AGENT, "if (over && a->scan_least > port_load(&s->floor)) port_store_release(&s->floor, a->scan_least);",
            "if (over && least > port_load(&s->floor)) port_store_release(&s->floor, least);"),
           (AGENT, "if (over && ticking && a->scan_least == clock)", "if (over && ticking && least == clock)"))),
    Plant("scan_does_not_order", "slots may be looked at before the clock is read", "epoch/plain", AGENT,
          "    port_settle_loads(); /* the clock before the slots: E1 */\n", ""),
    Plant("scan_is_not_exclusive", "two scans go on with each other's parts", "epoch/cuda", AGENT,
          "    a->won = port_load(&s->scan_latch) == 0 && port_latch(&s->scan_latch, 0, 1);\n", "    a->won = true;\n"),
    Plant("scan_latch_is_freed_relaxed", "the next scan does not see where this one stopped", "epoch/plain", AGENT,
          "    port_store_release(&s->scan_latch, 0);", "    port_store(&s->scan_latch, 0);"),
    Plant("pin_is_not_oldest", "a pin of an old stamp does not hold anything back", "epoch/plain", PINS,
          "    if (stamp < port_load(&e->pins_oldest)) port_store(&e->pins_oldest, stamp);\n", ""),
    Plant("pin_latch_is_freed_relaxed", "a pin is not in the table when the next one is set", "epoch/cuda", PINS,
          "    port_store_release(&e->pin_latch, 0);\n    return room",
          "    port_store(&e->pin_latch, 0);\n    return room"),
    Plant("wrong_pin_is_removed", "letting go of one pin drops another", "epoch/cuda", PINS,
          "epoch_pins_next(p, epoch_pins_search(p, stamp));", "epoch_pins_next(p, 0 * stamp);"),
    Plant("pins_are_dropped_together", "the bounds forget a pin that has the same stamp, or came later", "epoch/plain",
          PINS, "port_load(&p.stamp[epoch_pins_next(p, 0)]));", "port_load(&p.stamp[epoch_pins_last(p)]));"),
    Plant("unpin_keeps_bounds", "a pin that is gone holds everything back for ever", "epoch/cuda", PINS,
          "    epoch_pin_bounds(e, p);\n", ""),
    Plant("move_loses_a_pin", "a larger table lacks the last pin of the old one", "epoch/plain", PINS,
          "for (uint64_t at = 0; at < used; at++) epoch_pins_mark(to, at);",
          "for (uint64_t at = 0; at + 1 < used; at++) epoch_pins_mark(to, at);"),
    Plant("move_keeps_old_table", "pins go on in a table that is somebody else's memory", "epoch/cuda", PINS,
          "        port_store(&e->pin_table, (uint64_t)(uintptr_t)table);\n", ""),

    # ---- versions and snapshots ----
    Plant("snapshot_is_ignored", "updates always change leaves in place", "versioned/cuda32", KEEP,
          "    return floor >= now && pins_oldest == UINT64_MAX;", "    return now < UINT64_MAX;"),
    Plant("visitors_are_ignored", "an update looks at pins only, not at who is inside", "versioned/cuda32", KEEP,
          "    return floor >= now && pins_oldest == UINT64_MAX;", "    return pins_oldest == UINT64_MAX;",
          ((VERSION, "    if (epoch_asks(v.epoch, since, until, VERSION_LOOK)) return true;\n", ""),)),
    Plant("pins_do_not_count", "an update looks at who is inside, not at pins", "versioned/plain32", KEEP,
          "    return floor >= now && pins_oldest == UINT64_MAX;", "    return floor >= now;"),
    Plant("snapshot_of_same_age_is_missed", "an image is thought to be younger than the last handle, which was taken "
          "when it began", "versioned/plain32", PINS, "if (from >= port_load(&e->pins_end)", "if (from + 1 >= port_load(&e->pins_end)"),
    Plant("clock_before_latch", "a snapshot may fall between an update's look at the clock and its latch",
          "versioned/plain32", KEEP,
          "    port_settle_latch(); /* the latch is there for all to see before the clock is read */\n", ""),
    Plant("pins_do_not_ask", "an update without room for a copy forgets the pins", "versioned/cuda32", KEEP,
          "return floor >= now && since >= port_load(&map.versions->state->epoch.pins_end);", "return floor >= now;",
          ((KEEP, "    if (since < port_load(&map.versions->state->epoch.pins_end)) return false;\n", ""),)),
    Plant("visitors_do_not_ask", "an update without room for a copy forgets who is inside", "versioned/plain32", KEEP,
          "return floor >= now && since >= port_load(&map.versions->state->epoch.pins_end);",
          "return since >= port_load(&map.versions->state->epoch.pins_end);"),
    Plant("snapshot_does_not_advance", "a snapshot leaves the clock where it is", "versioned/cuda32", VERSION,
          "agent->scan_least = epoch_pass_dated(v->epoch, agent->slot);",
          "agent->scan_least = port_load(&v->state->epoch.clock);"),
    Plant("snapshot_does_not_settle", "a snapshot's queries may look at nodes before the clock has advanced",
          "versioned/plain32", EPOCH, "    port_settle_loads();\n", ""),
    Plant("snapshot_is_of_yesterday", "a snapshot has the timestamp that it announced, which others may have passed",
          "versioned/cuda32", VERSION,
          "agent->scan_least = epoch_pass_dated(v->epoch, agent->slot);",
          "epoch_pass_dated(v->epoch, agent->slot);\n        agent->scan_least = word - EPOCH_IN;"),
    Plant("wrong_snapshot_is_released", "releasing one snapshot drops another", "versioned/cuda32", PINS,
          "epoch_pins_next(p, epoch_pins_search(p, stamp));", "epoch_pins_next(p, 0 * stamp);"),
    Plant("release_keeps_bounds", "a released snapshot holds images back for ever", "versioned/plain32", PINS,
          "    epoch_pin_bounds(e, p);\n", ""),
    Plant("pin_at_the_beginning_is_missed", "an image is not needed by the handle that was taken when it began",
          "versioned/plain32", PINS, "if (port_load(&p.stamp[middle]) < stamp)", "if (port_load(&p.stamp[middle]) <= stamp)",
          ((PINS, "epoch_pins_next(p, epoch_pins_search(p, stamp));", "epoch_pins_next(p, epoch_pins_search(p, stamp - 1));"),)),
    Plant("pin_at_the_end_is_missed", "an image is not needed by the last handle before it ended", "versioned/plain32",
          PINS, "port_load(&p.stamp[at]) < to;", "port_load(&p.stamp[at]) + 1 < to;"),
    Plant("late_pin_is_unsorted", "a pin that comes after younger ones is entered behind them", "versioned/plain64",
          PINS, "at > 0 && port_load(&p.stamp[at - 1]) > stamp;", "at > 0 && port_load(&p.stamp[at - 1]) > UINT64_MAX - 1;"),
    Plant("hit_under_latch", "a find sees the value from before an update that a snapshot has seen", "versioned/cuda32",
          VERSIONED, "#define NODE_HIT_WAITS 1", "#define NODE_HIT_WAITS 0"),
    Plant("image_is_returned_at_once", "an old image goes back to the pool though a snapshot may ask for it",
          "versioned/cuda32", RECORD, "    if (port_load(&image->until) > oldest) return false;\n", "",
          ((RECORD, "bool free = port_load(&image->until) <= oldest;", "bool free = true;"),)),
    Plant("image_is_returned_early", "an old image goes back while the last snapshot that it has may ask",
          "versioned/plain64", KEEP, "if (version_claim(&v.record[id], oldest)) {",
          "if (version_claim(&v.record[id], oldest + 1)) {"),
    Plant("ring_is_returned_early", "images in a ring go back while a snapshot may ask for them", "versioned/cuda64",
          KEEP, "port_load(&epoch_entry(e, slot, head)->until) <= oldest; head++) {",
          "port_load(&epoch_entry(e, slot, head)->until) <= oldest + 1; head++) {",
          ((KEEP, "if (version_claim(&map.versions->record[id], oldest))",
            "if (version_claim(&map.versions->record[id], oldest + 1))"),)),
    Plant("row_is_cut", "a copy does not lead to the images before it", "versioned/cuda32", KEEP,
          "port_store_release(&record[copy].older, version_word(id, place.older));",
          "port_store_release(&record[copy].older, version_word(id, 0));"),
    Plant("split_forgets_past", "the right part of a split has no past", "versioned/cuda64", KEEP,
          "    port_store(&record[to].older, port_load(&record[from].older));\n", ""),
    Plant("split_is_of_all_times", "the right part of a split counts as there from the beginning", "versioned/plain32",
          KEEP, "    port_store(&record[to].since, port_load(&record[from].since));\n",
          "    port_store(&record[to].since, 0);\n"),
    Plant("since_stands_still", "a changed leaf keeps the timestamp of its old image", "versioned/cuda32", KEEP,
          "    port_store(&record[id].since, now);\n", ""),
    Plant("record_is_not_validated", "record and leaf of different times are put together", "versioned/cuda64", PAST,
          "    if (header_load(node) != header) return BLINK_AGAIN; /* record and image belong to this header */\n",
          ""),
    Plant("link_of_today", "an old image is left by the link that its leaf has now", "versioned/plain32", PAST,
          "    leaf->link = pair_load(node, NODE_LINK_SLOT);\n", ""),
    Plant("count_of_today", "an old image is read with the count that its leaf has now", "versioned/cuda32", PAST,
          "    leaf->count = header_count(header_load(node));\n", ""),
    Plant("cut_forgets_pins", "an image is cut though a pinned snapshot needs it", "versioned/plain32", VERSION,
          "    return pinned;", "    return pinned && since == 0;"),
    Plant("cut_forgets_visitors", "an image is cut though a snapshot that is inside needs it", "versioned/plain64", KEEP,
          "        if (!version_needed(*map.versions, since, until)) return",
          "        if (since >= port_load(&map.versions->state->epoch.pins_end)) return"),
    Plant("stamp_is_missed", "an image is not needed by the snapshot that was taken when it began", "versioned/plain32",
          EPOCH, "return epoch_stamp(word) >= from;", "return epoch_stamp(word) > from;"),
    Plant("stamp_below_limit", "a snapshot keeps its stamp though an update has raised its limit", "versioned/plain32",
          EPOCH, "if (!e.dated || port_latch(epoch_slot(e, slot), word, EPOCH_EXACT | (EPOCH_IN + stamp))) return stamp;",
          "port_store(epoch_slot(e, slot), EPOCH_EXACT | (EPOCH_IN + stamp + 0 * word));\n        return stamp;"),
    Plant("limit_is_taken_for_stamp", "a snapshot that has no stamp yet is thought to need nothing later",
          "versioned/plain64", EPOCH, "    if (word & EPOCH_EXACT) return", "    if (word) return"),
    Plant("cut_keeps_link", "the image before a cut still leads to the image that was taken", "versioned/plain32",
          RECORD, "port_store_release(&record[before].older, version_word(leaf, (uint32_t)word));",
          "port_store_release(&record[before].older, link);"),
    Plant("cut_keeps_since", "the image before a cut does not reach back to where the cut image began",
          "versioned/plain32", RECORD, "    port_store(&record[before].since, port_load(&image->since));\n", ""),
    Plant("cut_does_not_lock", "an image is freed by age while it becomes a newer one", "versioned/plain32", RECORD,
          "    if (!port_latch(&image->older, word, word | VERSION_LOCK)) {",
          "    port_store(&image->older, word | VERSION_LOCK);\n    if (0) {"),
    Plant("cut_does_not_lock_before", "a link is cut in an image that was freed by age", "versioned/plain32", RECORD,
          "if (before && !port_latch(&record[before].older, link, link | VERSION_LOCK)) return false;", ""),
    Plant("claim_does_not_look_again", "an image is freed by the age that it had before it was cut", "versioned/plain32",
          RECORD, "bool free = port_load(&image->until) <= oldest;", "bool free = true;"),
    Plant("cut_image_keeps_its_age", "an image that was cut and is newer now is freed by its old age",
          "versioned/plain64", KEEP, "    port_store(&record[copy].until, now);\n",
          "    if (!cut) port_store(&record[copy].until, now);\n"),
    Plant("images_stay_private", "a leaf takes images that became another leaf's too by a split", "versioned/plain32",
          KEEP, "    port_store(&record[from].until, port_load(&record[from].since));\n", ""),
    Plant("chain_trusts_links", "a leaf's chain is followed beyond images that were freed by age", "versioned/plain32",
          KEEP, "        if (version_owner(word) != leaf || port_load(&record[id].until) != until) return false;\n",
          "        if (version_owner(word) != leaf) return false;\n"),
    Plant("reused_image_is_not_claimed", "an agent takes an image from its ring that was cut meanwhile",
          "versioned/plain32", KEEP,
          "if (id == NODE_NONE || version_claim(&map.versions->record[id], epoch_oldest(&map.versions->state->epoch)))",
          "if (1)"),
    Plant("add_after_erase_is_lost", "an add after an erase of the same key leaves it absent", "batch/cpu", FUNCTION,
          "return before == BATCH_GONE ? batch_function(BATCH_SET, batch_function_place(second)) : first;",
          "return first;"),
    Plant("keys_run_together", "what is done to one key goes on with the next", "batch/cpu", FUNCTION,
          "both.function = b.keys ? b.function : batch_then(a.function, b.function);",
          "both.function = batch_then(a.function, b.function);"),
    Plant("operation_sees_itself", "an update reports its own value as the old one", "batch/cpu", BATCH_KEYS,
          "batch_apply(b, b->op_link[op - 1].function, old);", "batch_apply(b, b->op_link[op].function, old);"),
    Plant("erases_are_not_marked", "a find does not know of an erase before it", "batch/cpu", BATCH_LIST,
          "if (batch_kind_at(&b->r, place) > BATCH_ERASE) return;",
          "if (batch_kind_at(&b->r, place) >= BATCH_ERASE) return;"),
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
    Plant("count_goes_the_wrong_way", "a wide count goes on among the wrong operations", "batch/cpu", BATCH_COUNT,
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
          """    team_meet(&w->team); /* so all have joined; they only leave now */
    wait_for_helpers(w);""", """    pthread_mutex_lock(&w->mutex);
    w->open = w->in_use = false;
    pthread_mutex_unlock(&w->mutex);"""),
    Plant("filter_is_read_too_early", "finds look at the filter while updates still mark it", "team/plain32", BATCH_RUN,
          """    FOR_PART(w, i, n) batch_mark(&w->b, i);
    team_meet(w->team);""", "    FOR_PART(w, i, n) batch_mark(&w->b, i);"),
    Plant("parts_are_used_at_once", "a member overwrites its sum before the others have read it", "team/plain64",
          BATCH_SORT, "    team_meet(team); /* now the parts may be used again */\n", ""),
    Plant("sort_does_not_wait", "keys are counted while others still move them", "team/x86_64", BATCH_SORT,
          """        to.function[at] = from.function[i];
    }
    team_meet(team);""", """        to.function[at] = from.function[i];
    }"""),
    Plant("digits_do_not_wait", "keys are moved before all were counted", "team/plain64", BATCH_SORT,
          """job->digits + (size_t)member * BATCH_DIGITS);
    team_meet(team);""", "job->digits + (size_t)member * BATCH_DIGITS);"),
    Plant("rest_moves_too_early", "a member moves keys while others still look where their parts begin", "team/plain32",
          BATCH_SORT, "    team_meet(team); /* all have found their parts before anybody moves a key */\n", ""),
    Plant("answers_do_not_wait", "operations are answered before their keys were looked up", "team/plain64", BATCH_RUN,
          """    look_up(w, own_stretch(w, keys));
    team_meet(w->team);""", "    look_up(w, own_stretch(w, keys));"),
    Plant("build_does_not_wait", "nodes are built before it is known how many there is memory for", "team/x86_32",
          BATCH_RUN, """w->b.run_new[l->first_edit + l->runs - 1]);
    team_meet(w->team);""", "w->b.run_new[l->first_edit + l->runs - 1]);"),
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
          BATCH_RUN, """    team_meet(w->team);
    deliver_mail(w);""", "    deliver_mail(w);"),
    Plant("live_keys_of_others", "what changes in other parts of the keys counts where a skip goes to", "team/plain32",
          BATCH_LIVE, "return last - first + end.sum - begin.sum;", "return last - first + end.sum;"),
    Plant("skip_jumps_over_old_keys", "a skip goes to the batch's next key though old keys come first", "team/plain64",
          BATCH_QUERY, "if (live <= gap)", "if (live != BATCH_NO_KEY)"),
    Plant("pred_skips_to_the_wrong_gap", "a predecessor skips to old keys that are not the last ones", "team/x86_64",
          BATCH_QUERY, "gap == BATCH_NO_KEY ? 0 : gap + 1)", "gap == BATCH_NO_KEY ? 0 : gap)"),
    Plant("changes_are_noted_early", "a member forgets changes that another has noted", "team/x86_32", BATCH_LIVE_TEAM,
          """batch_live_clear(&w->b, i);
    team_meet(w->team);""", "batch_live_clear(&w->b, i);"),
    Plant("levels_are_built_early", "a level is built while others still divide the one before", "team/plain32",
          BATCH_LIVE_TEAM, """batch_divide_group(&w->b, level, i);
        team_meet(w->team);""", "batch_divide_group(&w->b, level, i);"),
    Plant("ranges_do_not_wait", "a member sorts its ranges before all keys are there", "team/x86_64", BATCH_RANGES,
          """    fill_ranges(from, side[1], begin, end, &r);
    team_meet(team);""", "    fill_ranges(from, side[1], begin, end, &r);"),
    Plant("pass_shares_a_leaf", "two members change a leaf that keys of both lie in", "team/plain64", BATCH_PASS,
          "if (shared || run->shared || header_count", "if (header_count"),
    Plant("stock_is_not_settled", "a batch takes ids that agents have taken from the stock before", "team/plain32",
          BATCH_RUN, "        batch_settle_stock(&w->b, 1);\n", ""),
    Plant("parents_are_not_known", "children are joined before all cases have found their parents", "team/x86_32",
          BATCH_RUN, """batch_find_parent(&w->b, level, at);
        team_meet(w->team);""", "batch_find_parent(&w->b, level, at);"),
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
    team_meet(w->team);""", """        c->zero_sum[n] = sum;
    }"""),
    Plant("queries_do_not_wait", "ranges are written before all offsets are known", "team/plain32", BATCH_RUN,
          """        job->offsets[n] = job->total = sum;
    }
    team_meet(w->team);""", """        job->offsets[n] = job->total = sum;
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
    team_meet(w->team);""", "batch_inherit(&w->b, i);"),
    Plant("pass_forgets_snapshots", "leaves are changed where they stand while a snapshot is live", "team/plain32",
          BATCH_PASS, "return !b->keeps && b->sizes", "return b->sizes"),
    Plant("leaves_go_away", "leaves are put together while a snapshot is live", "team/x86_32", BATCH_RUN,
          "(w->seen & BATCH_HAS_ERASES) && !w->job->keeps)", "(w->seen & BATCH_HAS_ERASES))"),
    Plant("old_image_is_young", "no copy is kept of an image that is as old as the youngest pin", "team/plain32",
          BATCH_KEEP, "< port_load(&b->versions->epoch.pins_end);", "+ 1 < port_load(&b->versions->epoch.pins_end);"),

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
          "if (pair->key == key) return slot; /* else", "return slot; /* else"),
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
          CHUNK_MERGE, "bool fit = header_count(header) + header_count(right_header) <= CHUNK_MUCH;",
          "bool fit = true;"),

    # ---- skiplist: levels above ----
    Plant("merge_does_not_lower", "the pair of a zombie stays in the level above", "skiplist/plain64", CHUNK_TEND,
          "    if (t->raised)\n        t->stage = TEND_LOWER;",
          "    if (t->raised && t->level > 0)\n        t->stage = TEND_LOWER;"),
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
        port_forget_cached(); /* else the old image of an upper chunk could lead here again and again */
        seek_walk(map, seek);
""", "        cursor_right(map, cursor, link);\n"),

    # ---- skiplist: reclamation ----
    Plant("retired_is_free_now", "a chunk is used again while agents of its epoch may look at it", "skiplist/plain32",
          AGENT, "a->scan_least = port_load(&e.state->clock) + 2;", "a->scan_least = port_load(&e.state->clock);"),
    Plant("l1_is_not_emptied", "an agent that comes in sees old images in its L1 (GPU)", "skiplist/cuda32", AGENT,
          "        epoch_enter(e, a->slot);\n        port_forget_cached();\n", "        epoch_enter(e, a->slot);\n"),
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
]
