#include "verdicts.h"

#include <stdio.h>

#include "harness.h"

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
