#include "rounds.h"

#include <stdio.h>

history_checker *new_checker(void)
{
    history_checker *c = history_checker_create();
    assert_non_null(c);
    return c;
}

char *explanation(history_checker *c, const history *h)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    history_explain(c, h, out);
    fclose(out);
    return text;
}

static size_t histories_judged, operations_judged;

static void judge(agent *a)
{
    rounds *all = a->shared;
    history h = recorded_history(all->book);
    history_verdict verdict = history_check(all->checker, &h);
    if (verdict == HISTORY_BAD)
        history_explain(all->checker, &h, stderr);
    EXPECT(a, verdict == HISTORY_GOOD);
    histories_judged++;
    operations_judged += h.count;
    for (size_t i = 0; i < h.count; i++)
        all->refused += h.ops[i].kind <= HISTORY_ERASE && h.ops[i].outcome == HISTORY_NOT_APPLIED;
}

static void end_round(agent *a)
{
    rounds *all = a->shared;
    all->contents(a);
    if (!a->failed)
        judge(a);
    recorder_forget(all->book);
    if (rng_percent(&a->r, all->emptied)) {
        EXPECT_OK(a, all->empty(a));
        all->book->initial_count = 0;
    }
    if (all->begin)
        all->begin(a);
}

/* No agent leaves early, because the others would wait at the barrier; the first one ends it for all. */
static void take_part(agent *a)
{
    rounds *all = a->shared;
    for (size_t round = 1; !all->over; round++) {
        pthread_barrier_wait(&all->barrier);
        all->work(a);
        pthread_barrier_wait(&all->barrier);
        if (a->index == 0) {
            end_round(a);
            all->over = stopped(a) || round >= all->count;
        }
        pthread_barrier_wait(&all->barrier);
    }
}

void run_rounds(size_t agents, rounds *all)
{
    all->book = recorder_create(agents);
    all->checker = new_checker();
    assert_int_equal(pthread_barrier_init(&all->barrier, NULL, (unsigned)agents), 0);
    run_agents(agents, take_part, all);
    pthread_barrier_destroy(&all->barrier);
    history_checker_destroy(all->checker);
    recorder_destroy(all->book);
}

void rounds_were_judged(void)
{
    printf("checked %zu histories, %zu operations\n", histories_judged, operations_judged);
    assert_true(histories_judged > 0 && operations_judged > histories_judged);
    histories_judged = operations_judged = 0; /* those of the next setting have a line of their own */
}

history_kind find_or_update(agent *a, unsigned erases)
{
    if (rng_percent(&a->r, 35))
        return HISTORY_FIND;
    if (rng_percent(&a->r, erases))
        return HISTORY_ERASE;
    return rng_percent(&a->r, 60) ? HISTORY_PUT : HISTORY_ADD;
}

uint64_t round_value(agent *a, size_t call)
{
    return rng_percent(&a->r, 95) ? 1000 + call * 64 + a->index : 1 + rng_below(&a->r, 3);
}
