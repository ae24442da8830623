/* SPDX-License-Identifier: MIT */
/* main() of a program that links libwsfj-sim.a and has a sim_main(). */
#include "command.h"
#include "options.h"

int sim_main(int argc, char **argv);

int main(int argc, char **argv)
{
    int first = sim_options_read(argc, argv, "PROGRAM [options] [--] [arguments of sim_main()]");

    argv[first - 1] = argv[0]; /* sim_main() sees its name and its arguments */
    return sim_command(sim_main, argc - first + 1, argv + first - 1, NULL);
}
