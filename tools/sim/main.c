/* SPDX-License-Identifier: MIT */
/* wsfj-sim: the runtime in virtual time, with a workload that has a name. */
#include "calibrate.h"
#include "command.h"
#include "fail.h"
#include "options.h"
#include "workloads.h"

#include <stdio.h>
#include <string.h>

static const char usage[] = "wsfj-sim [options] WORKLOAD|FILE [arguments], in any order";

int main(int argc, char **argv)
{
    sim_calibrator = sim_calibrate;
    sim_options_read(&argc, argv, usage, true);
    if (argc == 1) {
        fprintf(stderr, "usage: %s (--help lists the options)\nworkloads:\n", usage);
        for (const struct sim_workload *w = sim_workloads; w->name; w++)
            fprintf(stderr, "  %s %-*s %s\n", w->name, (int)(36 - strlen(w->name)), w->arguments, w->help);
        fprintf(stderr, "or a file with . or / in its name: a recorded graph, or a plain one (doc/graph.md)\n");
        return SIM_EXIT_USAGE;
    }
    for (const struct sim_workload *w = sim_workloads; w->name; w++)
        if (strcmp(w->name, argv[1]) == 0)
            return sim_command(w->run, argc - 1, argv + 1, NULL);
    if (strpbrk(argv[1], "./"))
        return sim_command(sim_workload_file, argc - 1, argv + 1, NULL);
    sim_fail(SIM_EXIT_USAGE, "unknown workload '%s' (without one, wsfj-sim lists them)", argv[1]);
}
