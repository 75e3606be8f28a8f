/* soak_watch.c - a thread that looks on: it shows how far the soak is, and ends the program when nothing moves. */
#define _DEFAULT_SOURCE 1
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/common/clock.h"
#include "soak.h"

enum { LOOK_EVERY_MS = 200, TERMINAL_EVERY_S = 2, LOG_EVERY_S = 30 };

struct soak_watch {
    pthread_t thread;
    atomic_bool stop;
};

static unsigned long long now_ms(void) { return (unsigned long long)(clock_seconds() * 1e3); }

void soak_enter(struct soak *soak, unsigned hand, const char *what, size_t n)
{
    struct soak_post *post = &soak->hands[hand].post;
    atomic_store_explicit(&post->n, n, memory_order_relaxed);
    atomic_store_explicit(&post->since, now_ms(), memory_order_relaxed);
    atomic_store_explicit(&post->what, what, memory_order_release);
}

void soak_leave(struct soak *soak, unsigned hand)
{
    struct soak_post *post = &soak->hands[hand].post;
    atomic_store_explicit(&post->what, NULL, memory_order_relaxed);
    atomic_store_explicit(&post->last_return, now_ms(), memory_order_relaxed);
}

/* ---- counting ---- */

void soak_count(struct soak_hand *hand, uint64_t operations, uint64_t checked)
{
    atomic_fetch_add_explicit(&hand->operations, operations, memory_order_relaxed);
    atomic_fetch_add_explicit(&hand->checked, checked, memory_order_relaxed);
}

uint64_t soak_operations(const struct soak *soak)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < soak->hand_count; i++)
        sum += atomic_load_explicit(&soak->hands[i].operations, memory_order_relaxed);
    return sum;
}

uint64_t soak_checked(const struct soak *soak)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < soak->hand_count; i++)
        sum += atomic_load_explicit(&soak->hands[i].checked, memory_order_relaxed);
    return sum;
}

bool soak_time_left(const struct soak *soak)
{
    return clock_seconds() < soak->deadline && soak_operations(soak) < soak->options.operations;
}

/* ---- wrong answers ---- */

void soak_wrong(struct soak *soak, unsigned hand, const char *format, ...)
{
    struct soak_hand *who = &soak->hands[hand];
    if (who->wrong++ > 0) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(who->first_wrong, sizeof who->first_wrong, format, arguments);
    va_end(arguments);
}

bool soak_good(struct soak *soak, unsigned hand, const char *what, pleach_status status)
{
    if (status == PLEACH_OK) return true;
    const char *cuda = soak->device->kind == PLEACH_CUDA ? pleach_cuda_error() : "";
    soak_wrong(soak, hand, "%s answered: %s%s%s", what, pleach_strerror(status), cuda[0] != '\0' ? ": " : "", cuda);
    return false;
}

bool soak_is_wrong(const struct soak *soak)
{
    for (unsigned i = 0; i < soak->hand_count; i++)
        if (soak->hands[i].wrong > 0) return true;
    return false;
}

/* ---- looking on ---- */

static void show_progress(const struct soak *soak, bool terminal, uint64_t operations, double rate)
{
    const uint64_t round = atomic_load(&soak->shown_round);
    fprintf(stderr, "%s%" PRIu64 " operations, %.2f M/s, %.0f s, %s, round %" PRIu64 "%s", terminal ? "\r\033[K" : "",
            operations, rate / 1e6, clock_seconds() - soak->begin, soak_scenario_name(soak, round), round,
            terminal ? "" : "\n");
}

/* Milliseconds since any hand came back from a call. */
static unsigned long long silence_of(const struct soak *soak, unsigned long long started)
{
    unsigned long long latest = started;
    for (unsigned i = 0; i < soak->hand_count; i++) {
        const unsigned long long returned = atomic_load(&soak->hands[i].post.last_return);
        if (returned > latest) latest = returned;
    }
    const unsigned long long now = now_ms();
    return now > latest ? now - latest : 0;
}

/* Calls that hang cannot be undone, and neither can the threads in them: the process ends here. */
static void report_hang(struct soak *soak, unsigned long long silence)
{
    const uint64_t round = atomic_load(&soak->shown_round);
    cli_complain("pleach soak", "HANG: no call has returned for %llu s", silence / 1000);
    for (unsigned i = 0; i < soak->hand_count; i++) {
        const struct soak_post *post = &soak->hands[i].post;
        const char *what = atomic_load_explicit(&post->what, memory_order_acquire);
        if (what == NULL) continue;
        cli_complain("pleach soak", "thread %u: in %s, %zu elements, for %.1f s", i, what, atomic_load(&post->n),
                     (double)(now_ms() - atomic_load(&post->since)) / 1e3);
    }
    soak_tell_repeat(soak, round);
    printf("soak: %" PRIu64 " operations, %" PRIu64 " answers checked, %" PRIu64 " rounds, 1 hang\n",
           soak_operations(soak), soak_checked(soak), round - soak->options.first_round);
    fflush(stdout);
    _exit(EXIT_WRONG);
}

static void *watch_main(void *argument)
{
    struct soak *soak = argument;
    struct soak_watch *watch = soak->watch;
    const bool terminal = isatty(STDERR_FILENO);
    const unsigned long long started = now_ms();
    uint64_t shown = 0;
    double last = clock_seconds();
    while (!atomic_load(&watch->stop)) {
        usleep(LOOK_EVERY_MS * 1000);
        const unsigned long long silence = silence_of(soak, started);
        if ((double)silence > 1e3 * soak->options.patience) report_hang(soak, silence);
        const double seconds = clock_seconds() - last;
        if (seconds < (terminal ? TERMINAL_EVERY_S : LOG_EVERY_S)) continue;
        const uint64_t operations = soak_operations(soak);
        show_progress(soak, terminal, operations, (double)(operations - shown) / seconds);
        shown = operations;
        last += seconds;
    }
    if (terminal) fputs("\r\033[K", stderr);
    return NULL;
}

bool soak_watch_start(struct soak *soak)
{
    soak->watch = calloc(1, sizeof *soak->watch);
    if (soak->watch == NULL) return false;
    if (pthread_create(&soak->watch->thread, NULL, watch_main, soak) == 0) return true;
    free(soak->watch);
    soak->watch = NULL;
    return false;
}

void soak_watch_stop(struct soak *soak)
{
    if (soak->watch == NULL) return;
    atomic_store(&soak->watch->stop, true);
    pthread_join(soak->watch->thread, NULL);
    free(soak->watch);
}
