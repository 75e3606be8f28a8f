/* verify/sim/main.c - the simulator as a program of its own: the command "pleach sim", for builds with planted bugs. */
#include "../../tools/commands.h"

int main(int argc, char **argv) { return command_sim(argc - 1, argv + 1); }
