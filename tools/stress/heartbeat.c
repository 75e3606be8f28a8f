/* heartbeat.c - counts and wrong results of the clients, and a thread that shows progress and ends the program if no
 * call returns any more. */
#define _DEFAULT_SOURCE 1
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "stress.h"
#include "tools/common/cli.h"
#include "tools/common/clock.h"

enum { CHECK_EVERY_MS = 50, TERMINAL_EVERY_S = 2, LOG_EVERY_S = 30 };

struct watchdog {
    pthread_t thread;
    atomic_bool stop;
};

static unsigned long long now_ms(void) { return (unsigned long long)(clock_seconds() * 1e3); }

void heartbeat_begin(struct stress *s, unsigned client, const char *what, size_t n)
{
    struct heartbeat *heartbeat = &s->clients[client].heartbeat;
    atomic_store_explicit(&heartbeat->n, n, memory_order_relaxed);
    atomic_store_explicit(&heartbeat->since, now_ms(), memory_order_relaxed);
    atomic_store_explicit(&heartbeat->what, what, memory_order_release);
}

pleach_status heartbeat_end(struct stress *s, unsigned client, pleach_status status)
{
    struct heartbeat *heartbeat = &s->clients[client].heartbeat;
    atomic_store_explicit(&heartbeat->what, NULL, memory_order_relaxed);
    atomic_store_explicit(&heartbeat->last_return, now_ms(), memory_order_relaxed);
    return status;
}

/* ---- counts ---- */

void stress_count(struct client *client, uint64_t operations, uint64_t checked)
{
    atomic_fetch_add_explicit(&client->operations, operations, memory_order_relaxed);
    atomic_fetch_add_explicit(&client->checked, checked, memory_order_relaxed);
}

struct stress_totals stress_sum(const struct stress *s)
{
    struct stress_totals sum = {.rounds = s->rounds_done, .seconds = clock_seconds() - s->begin};
    for (unsigned i = 0; i < s->client_count; i++) {
        sum.operations += atomic_load(&s->clients[i].operations);
        sum.checked += atomic_load(&s->clients[i].checked);
        sum.wrong += atomic_load(&s->clients[i].wrong);
    }
    return sum;
}

bool stress_is_wrong(const struct stress *s) { return stress_sum(s).wrong > 0; }

bool stress_goes_on(const struct stress *s)
{
    const struct stress_totals sum = stress_sum(s);
    return sum.wrong == 0 && sum.seconds < s->options.seconds && sum.operations < s->options.operations;
}

/* ---- wrong results ---- */

void stress_wrong(struct stress *s, unsigned client, const char *format, ...)
{
    struct client *c = &s->clients[client];
    if (atomic_fetch_add(&c->wrong, 1) > 0) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->first_wrong, sizeof c->first_wrong, format, arguments);
    va_end(arguments);
}

bool stress_ok(struct stress *s, unsigned client, const char *what, pleach_status status)
{
    if (status == PLEACH_OK) return true;
    const char *cuda = s->on_gpu ? pleach_cuda_error() : "";
    stress_wrong(s, client, "%s returned: %s%s%s", what, pleach_strerror(status), cuda[0] != '\0' ? ": " : "", cuda);
    return false;
}

/* ---- the watchdog ---- */

static void show_progress(const struct stress *s, bool terminal, double rate)
{
    const uint64_t round = atomic_load(&s->shown_round);
    const struct stress_totals sum = stress_sum(s);
    fprintf(stderr, "%s%" PRIu64 " operations, %.2f M/s, %.0f s, %s, round %" PRIu64 "%s", terminal ? "\r\033[K" : "",
            sum.operations, rate / 1e6, sum.seconds, stress_scenario_name(&s->options, round), round,
            terminal ? "" : "\n");
}

/* Milliseconds since a call returned to any client. */
static unsigned long long silence(const struct stress *s, unsigned long long started)
{
    unsigned long long latest = started;
    for (unsigned i = 0; i < s->client_count; i++) {
        const unsigned long long returned = atomic_load(&s->clients[i].heartbeat.last_return);
        if (returned > latest) latest = returned;
    }
    const unsigned long long now = now_ms();
    return now > latest ? now - latest : 0;
}

/* A call that hangs cannot be cancelled, and its thread cannot be stopped: the process ends here. */
static void report_hang(struct stress *s, unsigned long long silent)
{
    const uint64_t round = atomic_load(&s->shown_round);
    cli_complain(s->options.command, "HANG: no call has returned for %llu s", silent / 1000);
    for (unsigned i = 0; i < s->client_count; i++) {
        const struct heartbeat *heartbeat = &s->clients[i].heartbeat;
        const char *what = atomic_load_explicit(&heartbeat->what, memory_order_acquire);
        if (what == NULL) continue;
        cli_complain(s->options.command, "client %u: in %s, %zu elements, for %.1f s", i, what,
                     atomic_load(&heartbeat->n), (double)(now_ms() - atomic_load(&heartbeat->since)) / 1e3);
    }
    stress_print_repeat(&s->options, round);
    const struct stress_totals sum = stress_sum(s);
    printf("stress: %" PRIu64 " operations, %" PRIu64 " results checked, %" PRIu64 " rounds, 1 hang\n", sum.operations,
           sum.checked, round - s->options.first_round);
    fflush(stdout);
    _exit(EXIT_WRONG);
}

static void *watchdog_main(void *argument)
{
    struct stress *s = argument;
    const bool terminal = isatty(STDERR_FILENO);
    const unsigned long long started = now_ms();
    uint64_t shown = 0;
    double last = clock_seconds();
    while (!atomic_load(&s->watchdog->stop)) {
        usleep(CHECK_EVERY_MS * 1000);
        const unsigned long long silent = silence(s, started);
        if ((double)silent > 1e3 * s->options.hang_timeout) report_hang(s, silent);
        const double seconds = clock_seconds() - last;
        if (seconds < (terminal ? TERMINAL_EVERY_S : LOG_EVERY_S)) continue;
        const uint64_t operations = stress_sum(s).operations;
        show_progress(s, terminal, (double)(operations - shown) / seconds);
        shown = operations;
        last += seconds;
    }
    if (terminal) fputs("\r\033[K", stderr);
    return NULL;
}

bool watchdog_start(struct stress *s)
{
    s->watchdog = calloc(1, sizeof *s->watchdog);
    if (s->watchdog != NULL && pthread_create(&s->watchdog->thread, NULL, watchdog_main, s) == 0) return true;
    free(s->watchdog);
    s->watchdog = NULL;
    return false;
}

void watchdog_stop(struct stress *s)
{
    atomic_store(&s->watchdog->stop, true);
    pthread_join(s->watchdog->thread, NULL);
    free(s->watchdog);
}
