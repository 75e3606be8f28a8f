/* verify/plants/orders_switch.h - which change of orders.py is made: all of a source are compiled in, one is chosen when
 * the simulator starts. */
#ifndef PLEACH_ORDERS_SWITCH_H
#define PLEACH_ORDERS_SWITCH_H

#include <stdbool.h>

bool order_is(int change);

#endif
