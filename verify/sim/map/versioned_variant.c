/* verify/sim/map/versioned_variant.c - the map with versions, compiled for the simulator. */
#define SIM_VERSIONED 1
#include "map_variant.c"
