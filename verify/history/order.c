#include <string.h>

#include "checker.h"

enum { SHORT_RUN = 16 };

static inline bool comes_before(const event *a, const event *b)
{
    return a->stamp != b->stamp ? a->stamp < b->stamp : a->phase < b->phase;
}

static void sort_run(event *events, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        event e = events[i];
        size_t to = i;
        for (; to > 0 && comes_before(&e, &events[to - 1]); to--)
            events[to] = events[to - 1];
        events[to] = e;
    }
}

static void merge(const event *a, size_t a_count, const event *b, size_t b_count, event *out)
{
    const event *a_end = a + a_count, *b_end = b + b_count;
    while (a < a_end && b < b_end)
        *out++ = comes_before(b, a) ? *b++ : *a++;
    memcpy(out, a, (size_t)(a_end - a) * sizeof *a);
    out += a_end - a;
    memcpy(out, b, (size_t)(b_end - b) * sizeof *b);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void merge_runs(const event *from, size_t n, size_t run, event *to)
{
    for (size_t start = 0; start < n; start += 2 * run) {
        size_t a_count = least(run, n - start), b_count = least(run, n - start - a_count);
        merge(from + start, a_count, from + start + a_count, b_count, to + start);
    }
}

bool sort_events(event_list *scratch, event *events, size_t n)
{
    for (size_t start = 0; start < n; start += SHORT_RUN)
        sort_run(events + start, least(SHORT_RUN, n - start));
    if (n <= SHORT_RUN)
        return true;
    if (!LIST_ROOM(*scratch, n))
        return false;
    event *from = events, *to = scratch->at;
    for (size_t run = SHORT_RUN; run < n; run *= 2) {
        merge_runs(from, n, run, to);
        event *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != events)
        memcpy(events, from, n * sizeof *events);
    return true;
}
