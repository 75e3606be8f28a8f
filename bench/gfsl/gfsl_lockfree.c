/* gfsl_lockfree.c - the baseline under the operations of gfsl.h. The list with the first keys is made once
 * on the host and copied for each repeat; nodes lie in memory as if the keys had been inserted in their order. */
#include <stdlib.h>
#include <string.h>

#include "gfsl.h"
#include "tools/common/cli.h"

static uint64_t draw_of(const struct gfsl *g, uint64_t i) { return mix64(mix64(g->options->seed + 3) ^ i); }

void gfsl_lockfree_drop_image(struct gfsl *g)
{
    free(g->image);
    g->image = NULL;
    g->image_made = false;
}

/* Places by key; 0 for those that are not there. */
static uint64_t *place_first_keys(struct gfsl *g)
{
    uint64_t *places = calloc(g->range, sizeof places[0]);
    if (places == NULL) return NULL;
    g->image_room = lockfree_new_room(g->bits);
    for (size_t i = 0; i < g->first; i++)
        places[gfsl_order_key(g, i)] = lockfree_take(&g->image_room, lockfree_draw(draw_of(g, i)));
    return places;
}

static bool make_image(struct gfsl *g)
{
    lockfree_builder builder;
    if (g->image_made && g->image_fill == g->mix->fill) return true;
    gfsl_lockfree_drop_image(g);
    uint64_t *places = place_first_keys(g);
    if (places != NULL) g->image = malloc(lockfree_bytes(&g->image_room));
    if (g->image != NULL) {
        lockfree_begin(&builder, lockfree_list_at(g->image, &g->image_room, g->bits));
        for (size_t key = 0; key < g->range; key++)
            if (places[key] != 0) lockfree_append(&builder, key, key, places[key]);
        g->image_made = true;
        g->image_fill = g->mix->fill;
    }
    free(places);
    return g->image_made || gfsl_complain(g, "the first keys", PLEACH_E_MEMORY);
}

/* Every insert gets a node, whether it will need it or not. */
static bool place_inserts(struct gfsl *g)
{
    const size_t bytes = g->n * sizeof g->host_places[0];
    g->room = g->image_room;
    g->host_places = bench_memory_zeros(&g->list_memory, bytes);
    g->device_places = bench_memory_device(&g->list_memory, g->device, bytes);
    if (g->list_memory.lacking) return false;
    for (size_t i = 0; i < g->n; i++)
        if (g->kinds[i] == GFSL_INSERT)
            g->host_places[i] = lockfree_take(&g->room, lockfree_draw(draw_of(g, g->first + i)));
    g->work.places = g->device_places;
    return g->device->copy_in(g->device_places, g->host_places, bytes);
}

static bool lockfree_open(struct gfsl *g, bool *there)
{
    *there = true;
    if (!make_image(g)) return false;
    g->work.stay = 1;
    /* Lines as on the device: none is shared by the halves of a node. */
    if (place_inserts(g)) g->list_words = bench_memory_lines(&g->list_memory, g->device, lockfree_bytes(&g->room));
    return g->list_words != NULL || gfsl_complain(g, "nodes", PLEACH_E_MEMORY);
}

static void lockfree_close(struct gfsl *g)
{
    bench_memory_release(&g->list_memory);
    g->list_words = NULL;
    g->work.places = NULL;
}

static bool lockfree_restore(struct gfsl *g)
{
    return g->device->copy_in(g->list_words, g->image, lockfree_bytes(&g->image_room)) ||
           gfsl_complain(g, "the first keys", PLEACH_E_CUDA);
}

static void call_slice(void *context, size_t begin, size_t end)
{
    const struct gfsl *g = context;
    const struct gfsl_work *w = &g->work;
    const lockfree_list list = lockfree_list_at(g->list_words, &g->room, g->bits);
    for (size_t i = begin; i < end; i++) {
        const uint64_t key = word_get(w->keys, g->bits, i);
        bool yes = false;
        switch ((enum gfsl_kind)w->kinds[i]) {
        case GFSL_CONTAINS: yes = lockfree_contains(list, key); break;
        case GFSL_INSERT: yes = lockfree_add(list, key, key, w->places[i]); break;
        case GFSL_DELETE: yes = lockfree_erase(list, key); break;
        }
        w->answers[i] = yes ? GFSL_YES : GFSL_NO;
    }
}

static pleach_status lockfree_call(void *context, pleach_stream stream)
{
    struct gfsl *g = context;
    if (g->device->kind == PLEACH_CUDA)
        return gfsl_run_lockfree(lockfree_list_at(g->list_words, &g->room, g->bits), &g->work, stream);
    (void)stream;
    crew_share(g->crew, g->n, call_slice, g);
    return PLEACH_OK;
}

static bool note_keys(struct gfsl *g, lockfree_list list)
{
    const char *wrong = lockfree_check(list);
    if (wrong != NULL) return gfsl_complain(g, wrong, PLEACH_E_CORRUPT);
    memset(g->final, 0, g->range);
    g->final_size = 0;
    for (uint64_t at = lockfree_after(list, list.words, 0); at != 0; g->final_size++) {
        uint64_t *node = lockfree_node(list, at);
        const uint64_t key = lockfree_key(list, node);
        if (key >= g->range) return gfsl_complain(g, "a key beyond the range", PLEACH_E_CORRUPT);
        g->final[key] = 1;
        at = lockfree_after(list, node, 0);
    }
    return true;
}

static bool lockfree_collect(struct gfsl *g, bool last)
{
    (void)last;
    if (g->device->kind == PLEACH_CPU) return note_keys(g, lockfree_list_at(g->list_words, &g->room, g->bits));
    void *copy = malloc(lockfree_bytes(&g->room));
    const bool copied = copy != NULL && g->device->copy_out(copy, g->list_words, lockfree_bytes(&g->room));
    const bool good = copied ? note_keys(g, lockfree_list_at(copy, &g->room, g->bits))
                             : gfsl_complain(g, "copying the list", copy == NULL ? PLEACH_E_MEMORY : PLEACH_E_CUDA);
    free(copy);
    return good;
}

const struct gfsl_verbs gfsl_lockfree_verbs = {.open = lockfree_open, .restore = lockfree_restore,
                                               .call = lockfree_call, .collect = lockfree_collect,
                                               .close = lockfree_close};
