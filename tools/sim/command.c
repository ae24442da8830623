/* SPDX-License-Identifier: MIT */
#include "command.h"

#include "costs.h"
#include "cpu.h"
#include "fail.h"
#include "log.h"
#include "machine.h"
#include "measures.h"
#include "options.h"
#include "policy.h"
#include "sweep.h"
#include "watch.h"

#include <wsfj.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    sim_program *program;
    sim_report *report;
    int argc, status;
    char **argv;
    bool is_sweep;
    double *values;
} job;

/* Rows for other programs stand alone on stdout: what the simulated one prints goes to stderr. */
static void run_program(void)
{
    bool moves = sim_options.format != SIM_FORMAT_TABLE;
    int out = -1;

    if (moves && (fflush(stdout) != 0 || (out = dup(STDOUT_FILENO)) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0))
        sim_fail(SIM_EXIT_SYSTEM, "stdout cannot be moved: %s", strerror(errno));
    job.status = job.program(job.argc, job.argv);
    sim_log_end();
    if (moves) {
        fflush(stdout);
        (void)dup2(out, STDOUT_FILENO);
        close(out);
    }
}

/* Takes no virtual time. The library still runs. */
static void measure(void)
{
    struct sim_thread *self = sim_self;
    unsigned atomics = engine_atomics, changes = engine_changes;

    sim_self = NULL;
    sim_measure(job.values);
    if (sim_options.report && !job.is_sweep)
        sim_report_print(job.values);
    sim_self = self;
    engine_atomics = atomics;
    engine_changes = changes;
}

static void *run(void *unused)
{
    (void)unused;
    run_program();
    measure();
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

/* The library would only warn of a file that it cannot write. */
static void trace_begin(void)
{
    FILE *file = fopen(sim_options.trace, "w");

    if (!file || fclose(file) != 0)
        sim_fail(SIM_EXIT_USAGE, "--trace=%s: %s", sim_options.trace, strerror(errno));
    if (setenv("WSFJ_TRACE", sim_options.trace, 1) != 0)
        sim_fail(SIM_EXIT_SYSTEM, "no memory for the environment");
}

static bool trace_is_written(void)
{
    struct stat file;

    if (stat(sim_options.trace, &file) == 0 && file.st_size > 0)
        return true;
    fprintf(stderr, "wsfj-sim: --trace=%s: the library has not written it\n", sim_options.trace);
    return false;
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
    if (sim_options.trace)
        trace_begin();
    sim_watch_start();
    totals = sim_run(run, NULL);
    sim_log_end();
    if (sim_options.trace && !trace_is_written())
        job.status = job.status ? job.status : 1;
    if (!sim_options.quiet && job.values[SIM_time_ns] > 0)
        fprintf(stderr, "wsfj-sim: %.0f task%s, %.0f stolen; speed-up %.4g on %.0f worker%s, efficiency %.1f %%\n",
                job.values[SIM_tasks], SIM_S(job.values[SIM_tasks]), job.values[SIM_stolen], job.values[SIM_speedup],
                job.values[SIM_workers], SIM_S(job.values[SIM_workers]), 100 * job.values[SIM_efficiency]);
    if (!sim_options.quiet)
        sim_policy_tell();
    if (!sim_options.quiet)
        fprintf(stderr,
                "wsfj-sim: %" PRIu64 ".%06" PRIu64 " ms of virtual time, %" PRIu64 " points, %" PRIu64
                " switches, %u thread%s on %u CPU%s\n",
                totals.time / 1000000, totals.time % 1000000, totals.points, totals.switches, totals.threads,
                SIM_S(totals.threads), sim_cpu_count(), SIM_S(sim_cpu_count()));
    exit(!sim_printed() && job.status == 0 ? 1 : job.status);
}

static void in_sweep(int argc, char **argv, double *values)
{
    job.argc = argc;
    job.argv = argv;
    job.values = values;
    job.is_sweep = true;
    in_child();
}

int sim_command(sim_program *program, int argc, char **argv, sim_report *report)
{
    static double values[SIM_MEASURE_COUNT];
    pid_t child;
    int status;

    job.program = program;
    job.argc = argc;
    job.argv = argv;
    job.report = report;
    if (sim_num_sweeps || sim_options.runs) {
        if (sim_log_is_on || sim_options.trace)
            sim_fail(SIM_EXIT_USAGE, "--log and --trace are for one run, not for --sweep or --runs");
        return sim_sweep_run(argc, argv, in_sweep);
    }
    if (sim_options.plot)
        sim_fail(SIM_EXIT_USAGE, "--plot needs --sweep workers=...");
    job.values = values;
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
