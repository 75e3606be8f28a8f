/* batch/batch_level.h - applies the edits of one level of the tree: runs, plan, build, commit. Included by batch.h. The
 * code is the same for leaves and for inner nodes, whose pairs are (low key of a child, its id).
 *
 * The new contents of a node are its old pairs and the run's edits, merged. They are numbered by rank, 0 .. total-1,
 * and cut into equal parts; part 0 stays in the node and the others are new nodes. A worker that builds a part finds
 * where it begins by a search. The rank of an edit is the number of edits before it that leave a pair, plus the number
 * of old pairs below its key, minus the number of those old pairs that earlier edits replace or remove. The sums of the
 * scan give both numbers of edits.
 */

/* New parts are made 5/7 full. At the end of a level, where ascending keys arrive, they are made full. */
enum { BATCH_PART_PAIRS = 10 };

PORT_FN uint32_t batch_parts(uint32_t total, bool appending)
{
    uint32_t pairs = appending ? NODE_CAPACITY : BATCH_PART_PAIRS;
    return (total + pairs - 1) / pairs;
}

PORT_FN uint32_t batch_part_begin(uint32_t total, uint32_t parts, uint32_t part)
{
    return (uint32_t)((uint64_t)total * part / parts);
}

/* Called before and after the stores to a node. Towards concurrent snapshot queries a batch behaves like an update of
 * blink/: new nodes are complete before any pointer leads to them, and a reader does not use what it reads from a node
 * while the node is latched. */
PORT_FN void batch_open_node(const batch_ref *b, map_node *node)
{
    if (!b->keeps) return;
    uint64_t header = header_load(node);
    port_publish_fence();
    port_latch(&node->word[HEADER_WORD], header, header | HEADER_LATCHED); /* never contended */
}

PORT_FN void batch_close_node(const batch_ref *b, map_node *node, uint64_t header)
{
    if (b->keeps)
        port_store_release(&node->word[HEADER_WORD], header);
    else
        port_store(&node->word[HEADER_WORD], header);
}

/* ---- runs ---- */

/* Returns the level's edit number `at` as an element of the scan. */
PORT_FN batch_sums batch_sums_of(const batch_ref *b, uint32_t level, uint32_t at)
{
    uint32_t edit = b->sizes->level[level].first_edit + at;
    batch_sums sums;
    sums.runs = at == 0 || b->edit_node[edit] != b->edit_node[edit - 1];
    sums.has = (b->edit_flags[edit] & BATCH_HAS) != 0;
    sums.had = (b->edit_flags[edit] & BATCH_HAD) != 0;
    return sums;
}

/* Stores the scan's result at an edit. */
PORT_FN void batch_store_sums(const batch_ref *b, uint32_t level, uint32_t at, batch_sums sums)
{
    batch_level *l = &b->sizes->level[level];
    uint32_t edit = l->first_edit + at;
    b->edit_sums[edit] = sums;
    if (batch_sums_of(b, level, at).runs) b->run_first[l->first_edit + sums.runs - 1] = edit;
    if (at + 1 == l->edits) l->runs = sums.runs;
}

/* ---- one run ---- */

typedef struct batch_run {
    node_image old;
    map_pair link;
    uint32_t node; /* NODE_NONE: the parts get a new root above the old one */
    uint32_t old_count;
    uint32_t begin, end; /* its edits */
    uint32_t total, parts;
} batch_run;

/* Returns the sums over the edits of the run before `edit`. */
PORT_FN batch_sums batch_sums_before(const batch_ref *b, uint32_t level_first, uint32_t begin, uint32_t edit)
{
    batch_sums at = {0, 0, 0}, from = {0, 0, 0};
    if (edit > level_first) at = b->edit_sums[edit - 1];
    if (begin > level_first) from = b->edit_sums[begin - 1];
    at.has -= from.has;
    at.had -= from.had;
    return at;
}

/* Sets run->begin, end and total: the run's edits, and how many pairs its node will have. The node now has
 * `old_count`. */
PORT_FN void batch_run_edits(const batch_ref *b, uint32_t level, uint32_t number, batch_run *run)
{
    const batch_level *l = &b->sizes->level[level];
    run->begin = b->run_first[l->first_edit + number];
    run->end = number + 1 < l->runs ? b->run_first[l->first_edit + number + 1] : l->first_edit + l->edits;
    run->node = b->edit_node[run->begin];
    run->old_count = 1;
    if (run->node != NODE_NONE) run->old_count = header_count(header_load(node_at(b->map, run->node)));
    batch_sums sums = batch_sums_before(b, l->first_edit, run->begin, run->end);
    run->total = run->old_count + sums.has - sums.had;
}

PORT_FN void batch_run_image(const batch_ref *b, uint32_t level, batch_run *run)
{
    if (run->node == NODE_NONE) {
        image_of_one(&run->old, pair_of(0, (map_key)b->sizes->level[level].below));
        run->link = pair_of(0, 0);
    } else {
        map_node *node = node_at(b->map, run->node);
        node_read(node, &run->old);
        run->link = pair_load(node, NODE_LINK_SLOT);
    }
}

/* Returns the number of parts into which the pairs are cut. */
PORT_FN uint32_t batch_run_parts(const batch_ref *b, const batch_run *run)
{
    if (run->total <= NODE_CAPACITY) return 1;
    bool last = !pair_is_link(run->link), appending = last && run->old_count > 0;
    if (appending) appending = image_rank(&run->old, run->old_count, b->edit_key[run->begin]) == run->old_count;
    return batch_parts(run->total, appending);
}

PORT_FN void batch_run_open(const batch_ref *b, uint32_t level, uint32_t number, batch_run *run)
{
    batch_run_edits(b, level, number, run);
    batch_run_image(b, level, run);
    run->parts = batch_run_parts(b, run);
}

/* Plan: returns the number of new nodes of a run; one more if it needs a new root. Most nodes have enough free slots
 * and are not read. */
PORT_FN uint32_t batch_new_nodes(const batch_ref *b, uint32_t level, uint32_t number)
{
    batch_run run;
    batch_run_edits(b, level, number, &run);
    run.parts = 1;
    if (run.total > NODE_CAPACITY) {
        batch_run_image(b, level, &run);
        run.parts = batch_run_parts(b, &run);
    }
    return run.parts - (run.node != NODE_NONE);
}

/* The plan's scan: its element in the first pass, its element in the second pass, and storing the result. */
PORT_FN uint32_t batch_plan_run(const batch_ref *b, uint32_t level, uint32_t number)
{
    return b->run_new[b->sizes->level[level].first_edit + number] = batch_new_nodes(b, level, number);
}

PORT_FN uint32_t batch_planned(const batch_ref *b, uint32_t level, uint32_t number)
{
    return b->run_new[b->sizes->level[level].first_edit + number];
}

PORT_FN void batch_store_planned(const batch_ref *b, uint32_t level, uint32_t number, uint32_t sum)
{
    b->run_new[b->sizes->level[level].first_edit + number] = sum;
}

/* After the scan, one worker sets the position of the level's new nodes and the edits of the next level. Above the old
 * root the leftmost node of each new level is the root, until a level has no other node. If there is no memory for the
 * new nodes, the next level has no edits. */
PORT_FN void batch_close_plan(const batch_ref *b, uint32_t level, uint32_t nodes)
{
    batch_sizes *s = b->sizes;
    batch_level *l = &s->level[level], *above = l + 1;
    uint64_t ids = s->first_id + (uint64_t)l->first_node + nodes, capacity = port_load(&b->map.tree->pool.capacity);
    uint64_t edits = (uint64_t)l->first_edit + l->edits + nodes;
    if (ids > capacity + s->stock || edits > b->edit_room) s->full = 1;
    l->nodes = s->full ? 0 : nodes;
    above->first_edit = l->first_edit + l->edits;
    above->edits = l->nodes;
    above->runs = above->nodes = 0;
    above->first_node = l->first_node + l->nodes;
    if (l->nodes && level > (uint32_t)(s->new_root >> 32)) {
        s->new_root = (uint64_t)level << 32 | batch_new_id(b, l->first_node);
        if (l->nodes == 1) above->edits = 0;
    }
    above->below = (uint32_t)s->new_root;
}

/* Returns the node of an inner level that covers a key. */
PORT_FN uint32_t batch_node_on(const batch_ref *b, uint32_t level, map_key key)
{
    level_cursor cursor;
    cursor_start(b->map, &cursor, key);
    for (;;) {
        while (cursor.level > level) cursor_descend(b->map, &cursor);
        map_pair link = pair_load(node_at(b->map, cursor.node), NODE_LINK_SLOT);
        if (!belongs_right(link, cursor.target)) break;
        cursor_right(b->map, &cursor, link);
    }
    return cursor.node;
}

/* Stores the node that an edit of an inner level belongs to, or NODE_NONE if that level does not exist yet. */
PORT_FN void batch_locate(const batch_ref *b, uint32_t level, uint32_t at)
{
    uint32_t edit = b->sizes->level[level].first_edit + at;
    bool there = level <= (uint32_t)(b->sizes->root >> 32);
    b->edit_node[edit] = there ? batch_node_on(b, level, b->edit_key[edit]) : NODE_NONE;
}

/* ---- build ---- */

/* A position in the merged sequence: the next edit, and the next old pair. */
typedef struct batch_cut { uint32_t edit, slot; } batch_cut;

PORT_FN uint32_t batch_rank(const batch_ref *b, uint32_t level_first, const batch_run *run, uint32_t edit)
{
    if (edit == run->end) return run->total;
    batch_sums sums = batch_sums_before(b, level_first, run->begin, edit);
    return sums.has - sums.had + image_rank(&run->old, run->old_count, b->edit_key[edit]);
}

/* Returns the next pair of the merged sequence, which must exist, and advances. */
PORT_FN map_pair batch_next(const batch_ref *b, const batch_run *run, batch_cut *cut)
{
    for (;;) {
        bool has_old = cut->slot < run->old_count;
        map_pair old = image_pair(&run->old, cut->slot);
        if (cut->edit == run->end || (has_old && old.key < b->edit_key[cut->edit])) {
            cut->slot++;
            return old;
        }
        uint32_t edit = cut->edit++;
        if (has_old && old.key == b->edit_key[edit]) cut->slot++;
        if (b->edit_flags[edit] & BATCH_HAS) return pair_of(b->edit_key[edit], b->edit_value[edit]);
    }
}

/* Returns the position at which the pair of this rank is next. */
PORT_FN batch_cut batch_cut_at(const batch_ref *b, uint32_t level_first, const batch_run *run, uint32_t rank)
{
    batch_cut cut;
    uint32_t low = run->begin, high = run->end; /* invariant: the last edit with a rank <= `rank` is in low .. high-1 */
    if (batch_rank(b, level_first, run, low) > rank) {
        cut.edit = low; /* before all edits */
        cut.slot = rank;
        return cut;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (batch_rank(b, level_first, run, middle) <= rank)
            low = middle;
        else
            high = middle;
    }
    uint32_t at = batch_rank(b, level_first, run, low);
    cut.edit = low;
    cut.slot = image_rank(&run->old, run->old_count, b->edit_key[low]);
    for (; at < rank; at++) batch_next(b, run, &cut);
    return cut;
}

/* Writes the pairs of one part to its node; `link` leads to the next node. Returns the part's first key. */
PORT_FN map_key batch_write_part(const batch_ref *b, const batch_run *run, map_node *node, uint32_t level,
                                 batch_cut cut, uint32_t count, map_pair link, uint64_t header)
{
    map_key first = 0;
    map_pair pair = pair_of(0, 0);
    for (uint32_t i = 0; i < count; i++) {
        pair = batch_next(b, run, &cut);
        if (i == 0) first = pair.key;
        pair_store(node, i, pair);
    }
    if (level)
        slots_pad(node, count, pair_is_link(link) ? link : pair); /* I4 */
    else
        pair_store(node, NODE_LINK_SLOT, link);
    batch_close_node(b, node, header);
    return first;
}

/* Returns the link from one part to the next: the first key there, and its node. `first` is the number of part 0's node
 * among the new ones if it is new; otherwise one less than the number of part 1's. */
PORT_FN map_pair batch_link_after(const batch_ref *b, uint32_t level_first, const batch_run *run, uint32_t part,
                                  uint32_t first)
{
    if (part + 1 == run->parts) return run->link;
    batch_cut cut = batch_cut_at(b, level_first, run, batch_part_begin(run->total, run->parts, part + 1));
    map_pair next = batch_next(b, run, &cut);
    return link_to(next.key, batch_new_id(b, first + part + 1));
}

/* Returns the run that the level's new node number `at` belongs to. */
PORT_FN uint32_t batch_run_of_node(const batch_ref *b, uint32_t level, uint32_t at)
{
    const batch_level *l = &b->sizes->level[level];
    uint32_t low = 0, high = l->runs; /* the first run with run_new > at */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (b->run_new[l->first_edit + middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Build: writes the level's new node number `at`, and adds it as an edit to the level above. */
PORT_FN void batch_build(const batch_ref *b, uint32_t level, uint32_t at)
{
    const batch_level *l = &b->sizes->level[level];
    uint32_t number = batch_run_of_node(b, level, at), before = number ? b->run_new[l->first_edit + number - 1] : 0;
    batch_run run;
    batch_run_open(b, level, number, &run);
    bool whole = run.node == NODE_NONE; /* part 0 is new too */
    uint32_t part = at - before + !whole, id = batch_new_id(b, l->first_node + at);
    uint32_t from = batch_part_begin(run.total, run.parts, part), to = batch_part_begin(run.total, run.parts, part + 1);
    map_pair link = batch_link_after(b, l->first_edit, &run, part, l->first_node + before - !whole);
    batch_cut cut = batch_cut_at(b, l->first_edit, &run, from);
    map_key low = batch_write_part(b, &run, node_at(b->map, id), level, cut, to - from, link,
                                   header_first(level, to - from));
    uint32_t edit = b->sizes->level[level + 1].first_edit + at;
    b->edit_key[edit] = low;
    b->edit_value[edit] = (map_key)id;
    /* Part 0 of a new root replaces the next level's old pair, (0, below). */
    b->edit_flags[edit] = whole && part == 0 ? BATCH_HAS | BATCH_HAD : BATCH_HAS;
}

/* Returns the number of new nodes of all levels. */
PORT_FN uint32_t batch_all_nodes(const batch_ref *b)
{
    const batch_level *l = b->sizes->level;
    while (l->edits) l++;
    return l->first_node;
}
