/* batch/batch_live_team.h - retries the queries of a batch that have given up (batch_query.h), and builds the structure
 * by which they skip keys (batch_live.h), by a team of threads. Included by batch_cpu.c. */

#define HAD_OF(b, level, i) batch_had(b, i)
#define HAD_STORE(b, level, i, sum) batch_store_had(b, i, sum)
DEFINE_SCAN(scan_had, uint32_t, 0, ADD, HAD_OF, HAD_OF, HAD_STORE)
#define GAPS_FIRST(b, level, i) batch_find_gaps(b, i)
#define GAPS_AGAIN(b, level, i) batch_gaps_of(b, i)
#define GAPS_STORE(b, level, i, sum) batch_store_gaps(b, i, sum)
DEFINE_SCAN(scan_gaps, uint32_t, 0, ADD, GAPS_FIRST, GAPS_AGAIN, GAPS_STORE)
DEFINE_SCAN(scan_groups, batch_sums, ZERO_SUMS, batch_sums_join, batch_fill_group, batch_group_again,
            batch_store_group)

static void build_live(batch_worker *w)
{
    const uint32_t n = w->b.r.n, keys = w->b.sizes->keys, groups = batch_live_groups(n);
    FOR_PART(w, i, n) batch_live_clear(&w->b, i);
    team_barrier(w->team);
    FOR_PART(w, op, w->b.sizes->ops) batch_live_note(&w->b, op);
    scan_had(w, 0, keys);
    scan_gaps(w, 0, keys / 32 + 1);
    w->b.live.levels = batch_live_levels(keys);
    for (uint32_t level = 0; level < w->b.live.levels; level++) {
        scan_groups(w, level, groups);
        FOR_PART(w, i, groups) batch_divide_group(&w->b, level, i);
        team_barrier(w->team);
    }
}

static void note_effort(batch_worker *w, batch_effort effort)
{
    if (effort.steps > BATCH_PATIENCE) w->job->parts[w->member].steps += effort.steps;
}

/* Retries this worker's tired queries. Returns how many of the whole team's are still tired. */
static uint32_t ask_again(batch_worker *w, batch_wide *tired, uint32_t *n)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < *n; i++) {
        batch_effort effort = batch_query(&w->b, tired[i].op);
        note_effort(w, effort);
        if (effort.tired) tired[left++].op = tired[i].op;
    }
    *n = left;
    w->job->parts[w->member].words[0] = left;
    team_barrier(w->team);
    left = 0;
    for (unsigned m = 0; m < w->team->members; m++) left += (uint32_t)w->job->parts[m].words[0];
    team_barrier(w->team);
    return left;
}

/* n of the tired queries are this worker's, `all` is the whole team's number. */
static void ask_tired(batch_worker *w, batch_wide *tired, uint32_t n, uint32_t all)
{
    w->b.patience = batch_more_patience(w->b.sizes->ops, all);
    if (ask_again(w, tired, &n) == 0) return;
    build_live(w);
    ask_again(w, tired, &n);
}
