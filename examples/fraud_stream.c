/* fraud_stream.c - payments between accounts as a dynamic graph: new payments arrive, old ones expire, and accounts
 * that pay each other in rings of three are reported. The payments are synthetic; accounts 7 to 16 launder money.
 */
#include <inttypes.h>
#include <stdio.h>

#include <pleach/pleach.h>

enum { ACCOUNTS = 2000, BATCH = 500, KEPT = 6, BATCHES = 30, ALARM = 20 };

static uint32_t random_below(uint32_t n)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

/* One payment in ten is between the ten accounts 7 .. 16. */
static void make_payments(size_t n, uint32_t *from, uint32_t *to)
{
    for (size_t i = 0; i < n; i++) {
        const int inside = random_below(10) == 0;
        from[i] = inside ? 7 + random_below(10) : random_below(ACCOUNTS);
        to[i] = inside ? 7 + random_below(10) : random_below(ACCOUNTS);
    }
}

/* Erases the pairs that paid in batch `old` and not since. The value of an edge is the number of its last batch. */
static pleach_status drop_old(pleach_graph *graph, uint32_t old, uint32_t *from, uint32_t *to, uint64_t *rings,
                              uint64_t *went)
{
    static uint32_t last[BATCH];
    static uint8_t found[BATCH];
    size_t n = 0;
    pleach_status status = pleach_graph_find_edges(graph, BATCH, from, to, last, found, PLEACH_SYNC);
    for (size_t i = 0; i < BATCH && status == PLEACH_OK; i++)
        if (found[i] && last[i] == old) from[n] = from[i], to[n++] = to[i];
    return status != PLEACH_OK ? status : pleach_graph_erase_counting(graph, n, from, to, NULL, ACCOUNTS, rings, went);
}

int main(void)
{
    static uint32_t from[BATCHES][BATCH], to[BATCHES][BATCH], now[BATCH];
    static uint64_t rings[ACCOUNTS]; /* rings that each account is in, kept up to date */
    uint64_t pairs = 0, came = 0, went = 0, all = 0;
    const pleach_graph_config config = {.values = 1}; /* undirected, on the CPU */
    pleach_graph *graph;
    pleach_status status = pleach_graph_create(&graph, &config);
    for (uint32_t batch = 0; batch < BATCHES && status == PLEACH_OK; batch++, all += came - went) {
        make_payments(BATCH, from[batch], to[batch]);
        for (size_t i = 0; i < BATCH; i++) now[i] = batch;
        status = pleach_graph_insert_counting(graph, BATCH, from[batch], to[batch], now, NULL, ACCOUNTS, rings, &came);
        const uint32_t old = batch - KEPT;
        if (status == PLEACH_OK && batch >= KEPT) status = drop_old(graph, old, from[old], to[old], rings, &went);
    }
    if (status == PLEACH_OK) status = pleach_graph_size(graph, NULL, &pairs);
    if (status == PLEACH_OK) printf("%" PRIu64 " pairs of accounts, %" PRIu64 " rings of three\n", pairs, all);
    for (uint32_t account = 0; account < ACCOUNTS && status == PLEACH_OK; account++)
        if (rings[account] >= ALARM) printf("account %" PRIu32 " is in %" PRIu64 " of them\n", account, rings[account]);
    if (status != PLEACH_OK) fprintf(stderr, "%s\n", pleach_strerror(status));
    pleach_graph_destroy(graph);
    return status != PLEACH_OK;
}
