#include <stdlib.h>
#include <string.h>

#include "checker.h"

enum { FIRST_ROOM = 64 };

/* A set beyond this many words is taken for a search that leads nowhere: 512 MiB. */
static const size_t MOST_WORDS = (size_t)1 << 27;

bool list_grow(void *pointer, size_t *room, size_t wanted, size_t size)
{
    size_t larger = *room ? *room : FIRST_ROOM;
    while (larger < wanted)
        larger *= 2;
    void *old, *memory;
    memcpy(&old, pointer, sizeof old);
    memory = larger > SIZE_MAX / size ? NULL : realloc(old, larger * size);
    if (!memory)
        return false;
    memcpy(pointer, &memory, sizeof memory);
    *room = larger;
    return true;
}

static uint64_t scramble(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15u;
    return x ^ x >> 32;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

void number_table_clear(number_table *t)
{
    t->count = 0;
    if (++t->generation == 0 && t->slots) { /* after 2^32 rounds old slots would look new */
        memset(t->slots, 0, t->room * sizeof *t->slots);
        t->generation = 1;
    }
}

/* The slot of the key, or the free one where it belongs. */
static number_slot *number_slot_of(const number_table *t, uint64_t key)
{
    size_t i = scramble(key) & (t->room - 1);
    while (t->slots[i].generation == t->generation && t->slots[i].key != key)
        i = (i + 1) & (t->room - 1);
    return &t->slots[i];
}

static bool number_table_grow(number_table *t)
{
    number_table larger = {.room = t->room ? t->room * 2 : FIRST_ROOM, .count = t->count, .generation = 1};
    larger.slots = calloc(larger.room, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < t->room; i++)
        if (t->slots[i].generation == t->generation)
            *number_slot_of(&larger, t->slots[i].key) = (number_slot){t->slots[i].key, t->slots[i].number, 1};
    free(t->slots);
    *t = larger;
    return true;
}

uint32_t number_for(number_table *t, uint64_t key)
{
    if (t->room < 2 * ((size_t)t->count + 1) && !number_table_grow(t))
        return NONE;
    number_slot *slot = number_slot_of(t, key);
    if (slot->generation != t->generation)
        *slot = (number_slot){key, t->count++, t->generation};
    return slot->number;
}

/* ---- tuples ------------------------------------------------------------------------------------------------------ */

void tuple_set_clear(tuple_set *set, size_t width)
{
    set->width = (uint32_t)width;
    set->count = 0;
    if (++set->generation == 0 && set->slots) {
        memset(set->slots, 0, set->room * sizeof *set->slots);
        set->generation = 1;
    }
}

static tuple_slot *tuple_slot_of(const tuple_set *set, const uint32_t *tuple)
{
    uint64_t hash = set->width;
    for (uint32_t i = 0; i < set->width; i++)
        hash = scramble(hash ^ tuple[i]);
    size_t i = hash & (set->room - 1);
    while (set->slots[i].generation == set->generation &&
           memcmp(tuple_at(set, set->slots[i].tuple), tuple, set->width * sizeof *tuple))
        i = (i + 1) & (set->room - 1);
    return &set->slots[i];
}

static bool tuple_set_grow(tuple_set *set)
{
    size_t room = set->room ? set->room * 2 : FIRST_ROOM;
    tuple_slot *slots = calloc(room, sizeof *slots);
    if (!slots)
        return false;
    free(set->slots);
    set->slots = slots;
    set->room = room;
    set->generation = 1;
    for (uint32_t i = 0; i < set->count; i++)
        *tuple_slot_of(set, tuple_at(set, i)) = (tuple_slot){i, 1};
    return true;
}

uint32_t tuple_set_add(tuple_set *set, const uint32_t *tuple)
{
    if (set->room < 2 * ((size_t)set->count + 1) && !tuple_set_grow(set))
        return NONE;
    tuple_slot *slot = tuple_slot_of(set, tuple);
    if (slot->generation == set->generation)
        return slot->tuple;
    size_t words = ((size_t)set->count + 1) * set->width;
    if (words > MOST_WORDS || !LIST_ROOM(set->words, words))
        return NONE;
    memcpy(set->words.at + words - set->width, tuple, set->width * sizeof *tuple);
    *slot = (tuple_slot){set->count, set->generation};
    return set->count++;
}
