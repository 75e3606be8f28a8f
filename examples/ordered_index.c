/* ordered_index.c - an index of events by time: events in an interval, the first event, the next event.
 *
 *   ordered_index         index in host memory
 *   ordered_index cuda    index on the GPU; the calls are the same
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pleach/pleach.h>

enum { EVENTS = 8 };

/* Ends the example at the first error, with the library's message. */
#define TRY(call)                                                                                                \
    do {                                                                                                         \
        pleach_status status = (call);                                                                           \
        if (status != PLEACH_OK) {                                                                               \
            fprintf(stderr, "%s: %s\n", #call, pleach_strerror(status));                                         \
            return 1;                                                                                            \
        }                                                                                                        \
    } while (0)

static int fill(pleach_map *index)
{
    /* Microseconds as keys, event numbers as values; unordered, and one time occurs twice. */
    const uint64_t times[EVENTS] = {5300, 1200, 9100, 4800, 1200, 7700, 3600, 2500};
    const uint64_t events[EVENTS] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t outcomes[EVENTS];
    TRY(pleach_map_put(index, EVENTS, times, events, outcomes, NULL, PLEACH_SYNC));
    for (int i = 0; i < EVENTS; i++)
        printf("event %" PRIu64 " at %4" PRIu64 ": %s\n", events[i], times[i],
               outcomes[i] == PLEACH_INSERTED ? "new" : "took the place of another");
    return 0;
}

static int print_interval(pleach_map *index, uint64_t from, uint64_t to)
{
    uint64_t times[EVENTS], events[EVENTS], offsets[2];
    size_t total;
    TRY(pleach_map_range(index, 1, &from, &to, 0, EVENTS, times, events, offsets, &total));
    printf("%zu events from %" PRIu64 " to %" PRIu64 ":", total, from, to);
    for (size_t i = 0; i < total; i++)
        printf(" %" PRIu64 ":%" PRIu64, times[i], events[i]);
    printf("\n");
    return 0;
}

static int print_ends(pleach_map *index)
{
    uint64_t first, last, next, size;
    int found;
    TRY(pleach_map_min(index, &found, &first, NULL));
    TRY(pleach_map_max(index, &found, &last, NULL));
    TRY(pleach_map_succ_one(index, 5000, &found, &next, NULL));
    TRY(pleach_map_size(index, &size));
    printf("%" PRIu64 " times, first %" PRIu64 ", last %" PRIu64 ", next after 5000: %" PRIu64 "\n", size, first,
           last, next);
    return 0;
}

int main(int argc, char **argv)
{
    pleach_map_config config = {.device = PLEACH_CPU, .key_bits = 64};
    pleach_map *index;
    if (argc > 1 && !strcmp(argv[1], "cuda"))
        config.device = PLEACH_CUDA;
    TRY(pleach_map_create(&index, &config));
    int failed = fill(index) || print_interval(index, 2000, 5000) || print_ends(index);
    pleach_map_destroy(index);
    return failed;
}
