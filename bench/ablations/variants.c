/* variants.c - the operations of variants.h by CPU threads. */
#include "variants.h"

#include "tree_insert.h"

#define DEFINE_VARIANT(name, operation, latching, splitting, fencing, loading)                                   \
    static void run_##name(abl_tree tree, const abl_work *work, size_t begin, size_t end, abl_tally *tally)      \
    {                                                                                                            \
        const abl_policy policy = {latching, splitting, fencing, loading};                                       \
        for (size_t i = begin; i < end; i++)                                                                     \
            work->answers[i] = abl_run_##operation(tree, policy, work->keys[i], tally);                          \
    }
ABL_VARIANTS(DEFINE_VARIANT)

void abl_run_part(enum abl_variant variant, abl_tree tree, const abl_work *work, size_t begin, size_t end)
{
#define VARIANT_FUNCTION(name, operation, latching, splitting, fencing, loading) run_##name,
    static void (*const functions[])(abl_tree, const abl_work *, size_t, size_t, abl_tally *) = {
        ABL_VARIANTS(VARIANT_FUNCTION)};
    abl_tally tally = {0, 0, 0};
    functions[variant](tree, work, begin, end, &tally);
    port_add(work->tally, tally.visited);
    port_add(work->tally + 1, tally.failures);
    port_add(work->tally + 2, tally.splits);
}
