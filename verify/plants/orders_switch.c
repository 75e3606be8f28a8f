#include "orders_switch.h"

#include <stdio.h>
#include <stdlib.h>

static int chosen = -1;
static bool reached;

static void say_whether_reached(void)
{
    if (reached) fputs("the change was reached\n", stderr);
}

static __attribute__((constructor)) void choose(void)
{
    const char *text = getenv("PLEACH_ORDER");
    if (!text) return;
    chosen = atoi(text);
    atexit(say_whether_reached);
}

bool order_is(int change)
{
    if (change != chosen) return false;
    reached = true;
    return true;
}
