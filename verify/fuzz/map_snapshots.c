/* map_snapshots.c - snapshots of a versioned map. Some are kept open while the map goes on; each must answer as the map
 * would have when it was taken. */
#include <string.h>

#include <base/memory.h>

#include "map_subject.h"

static model model_copy(const model *m)
{
    model copy = {m->n, m->n, fuzz_alloc(m->n * sizeof *m->pairs)};
    if (m->n > 0) memcpy(copy.pairs, m->pairs, m->n * sizeof *m->pairs);
    return copy;
}

/* Perhaps with an allocation that fails. */
static void take(subject *s, unsigned form)
{
    kept_snapshot *fresh = &s->kept[s->live];
    s->may_lack = form >= 224;
    base_fail_nth_allocation(s->may_lack ? 1 + (long)(form / 8 % 2) : 0);
    pleach_status status = pleach_snapshot_take(s->map, &fresh->snapshot, PLEACH_SYNC);
    base_fail_nth_allocation(0);
    CHECK((fresh->snapshot != NULL) == (status == PLEACH_OK), "take answers %s", pleach_status_name(status));
    if (!succeeded(s, status, "take")) return;
    fresh->model = model_copy(&s->model);
    s->live++;
}

static void release(subject *s, size_t which)
{
    pleach_snapshot_release(s->kept[which].snapshot);
    model_free(&s->kept[which].model);
    s->kept[which] = s->kept[--s->live];
}

static void ask(subject *s, const kept_snapshot *whom, unsigned what)
{
    const model newest = s->model;
    s->model = whom->model;
    s->asked = whom->snapshot;
    switch (what % 8) {
    case 0: query_find(s); break;
    case 1:
    case 2: query_neighbours(s); break;
    case 3: query_range_count(s); break;
    case 4: query_range_limit(s); break;
    case 5: query_range(s); break;
    case 6: whole_export(s); break;
    default: check_content(s); break;
    }
    s->asked = NULL;
    s->model = newest;
}

void snapshot_something(subject *s)
{
    unsigned form = take_byte(&s->in);
    if (s->live == 0 || (form % 8 == 0 && s->live < MOST_SNAPSHOTS))
        take(s, form);
    else if (form % 8 == 1)
        release(s, form / 8 % s->live);
    else
        ask(s, &s->kept[form / 8 % s->live], form);
}

void snapshots_release_all(subject *s)
{
    while (s->live > 0) release(s, s->live - 1);
}
