#include "fuzz.h"

#include <sys/prctl.h>

static FILE *real_errors, *caught;
static char *caught_text;
static size_t caught_size;

/* glibc's stderr may be assigned to. The fuzzer and the sanitizers write to the file descriptor, which stays. */
void fuzz_catch_messages(void)
{
    caught = open_memstream(&caught_text, &caught_size);
    CHECK(caught != NULL, "no memory");
    real_errors = stderr;
    stderr = caught;
}

char *fuzz_release_messages(void)
{
    stderr = real_errors;
    fclose(caught);
    return caught_text;
}

void fuzz_small_pages(void)
{
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* a wish: what it changes is speed */
}
