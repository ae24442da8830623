/* SPDX-License-Identifier: MIT */
/* main() of a program that links libwsfj-sim.a and has a sim_main(). */
#include "command.h"
#include "options.h"

int sim_main(int argc, char **argv);

int main(int argc, char **argv)
{
    /* What follows the first other word is the program's own. */
    sim_options_read(&argc, argv, "PROGRAM [options] [--] [arguments of sim_main()]", false);
    return sim_command(sim_main, argc, argv, NULL);
}
