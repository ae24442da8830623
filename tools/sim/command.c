/* SPDX-License-Identifier: MIT */
#include "command.h"

#include "costs.h"
#include "cpu.h"
#include "fail.h"
#include "machine.h"
#include "options.h"
#include "policy.h"

#include <wsfj.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    sim_program *program;
    sim_report *report;
    int argc, status;
    char **argv;
} job;

static void *run(void *unused)
{
    (void)unused;
    job.status = job.program(job.argc, job.argv);
    if (job.report)
        job.report(sim_totals());
    (void)ws_fini(); /* EBUSY: the program has left tasks behind */
    return NULL;
}

static void in_environment(const char *name, const char *format, unsigned value)
{
    char text[32];

    snprintf(text, sizeof text, format, value);
    if (setenv(name, text, 1) != 0)
        sim_fail(SIM_EXIT_SYSTEM, "no memory for the environment");
}

static void in_child(void)
{
    struct sim_totals totals;

    sim_machine_start(sim_options.machine, sim_options.workers ? sim_options.workers : 1);
    if (sim_options.workers)
        in_environment("WSFJ_NUM_WORKERS", "%u", sim_options.workers);
    in_environment("WSFJ_OMP", "%u", 0);
    sim_costs_seed(sim_options.seed);
    if (sim_options.atomics)
        engine_atomics_most = 1;
    sim_cpu_quota(sim_options.quota, sim_options.period);
    totals = sim_run(run, NULL);
    if (!sim_options.quiet)
        sim_policy_tell();
    if (!sim_options.quiet)
        fprintf(stderr,
                "wsfj-sim: %" PRIu64 ".%06" PRIu64 " ms of virtual time, %" PRIu64 " points, %" PRIu64
                " switches, %u threads on %u CPUs\n",
                totals.time / 1000000, totals.time % 1000000, totals.points, totals.switches, totals.threads,
                sim_cpu_count());
    exit(!sim_printed() && job.status == 0 ? 1 : job.status);
}

int sim_command(sim_program *program, int argc, char **argv, sim_report *report)
{
    pid_t child;
    int status;

    job.program = program;
    job.argc = argc;
    job.argv = argv;
    job.report = report;
    fflush(stdout);
    child = fork();
    if (child < 0)
        sim_fail(SIM_EXIT_SYSTEM, "no process for the run: %s", strerror(errno));
    if (child == 0)
        in_child();
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            sim_fail(SIM_EXIT_SYSTEM, "the process of the run is lost: %s", strerror(errno));
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    fprintf(stderr, "wsfj-sim: the run was killed by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return 128 + WTERMSIG(status);
}
