/* SPDX-License-Identifier: MIT */
/* wsfj-micro: the cost of single operations. The other files measure; this one selects measurements and prints
 * values. */
#include "micro.h"

#include "harness/machine.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wsfj.h>

#define EXIT_USAGE 2
#define MOST_VALUES 10000

static const struct micro {
    const char *name;
    micro_fn *measure;
    size_t n;    /* values, at most MOST_VALUES */
    size_t cpus; /* needed */
    const char *what;
} micros[] = {
    {"call", micro_call, 1001, 1, "ws_call of an empty task, in a loop"},
    {"spawn", micro_spawn, 1001, 1, "the same by spawn and sync: what it costs more"},
    {"line", micro_line, 1000, 2, "a cache line to another CPU and back, without the library"},
    {"steal-answered", micro_steal_answered, 5000, 2, "spawn to start elsewhere, the owner spawns on"},
    {"steal-forced", micro_steal_forced, 5000, 2,
     "a thief's end of one task to the start of the next, the owner is busy"},
    {"steal-public", micro_steal_public, 5000, 2, "a thief's end of one task to the start of the next, which is public"},
    {"join", micro_join, 5000, 2, "end of a stolen child to its suspended parent"},
    {"detached", micro_detached, 1000, 1, "a detached empty task, of 64 that one worker submits and runs"},
    {"suspend", micro_suspend, 1000, 1, "a wait for a group whose task the same worker runs, less the task"},
    {"event-set", micro_event_set, 1000, 1, "ws_event_wait for an event that is set"},
    {"mutex", micro_mutex, 1000, 1, "ws_mutex_lock and ws_mutex_unlock of a free mutex"},
    {"event", micro_event, 1000, 1, "a turn of two tasks that set and await events, on one worker"},
    {"event-other", micro_event_other, 1000, 2, "ws_event_set to the waiter, which resumes on the other worker"},
    {"channel", micro_channel, 1000, 1, "the same by unbuffered channels: a send and a receive"},
    {"channel-two", micro_channel_two, 1000, 2, "the same with two workers"},
    {"wake", micro_wake, 1000, 2, "spawn to start on a worker that was asleep"},
    {"run-warm", micro_run_warm, 10000, 1, "ws_run of an empty task, one after the other"},
    {"run-phase", micro_run_phase, 10000, 1, "the same in a phase, one after the other"},
    {"run-parked", micro_run_parked, 300, 1, "run-warm 2 ms later, all workers asleep"},
    {"first-parked", micro_first_parked, 300, 2, "ws_run to its first child's start elsewhere, all workers asleep"},
    {"first-hot", micro_first_hot, 300, 2, "the same in a phase, all workers searching"},
    {"period-cpu", micro_period_cpu, 50, 2, "CPU time for each of 20 regions of 10 us, one every ms"},
    {"period-cpu-hot", micro_period_cpu_hot, 50, 2, "the same in a phase"},
    {"period-wakes", micro_period_wakes, 50, 2, "wake-ups by workers for each such region: a number, no time"},
    {"submit", micro_submit, 100, 2, "a detached empty task, of 100000 that a task submits in a row"},
    {"submit-foreign", micro_submit_foreign, 100, 2, "the same, from a thread that is no worker"},
    {"submit-start", micro_submit_start, 10000, 2, "ws_submit in such a thread to the task's start, one at a time"},
    {"foreign", micro_foreign, 25, 2, "throughput of 64 threads in ws_run of fib(25) to that of 2: a ratio, no time"},
    {"trace", micro_trace, 25, 1, "detached tasks of 1 us with WSFJ_TRACE to such without: a ratio, no time"},
    {"quota", micro_quota, 1000, 1, "a look at the CPU quota of this process's control groups"},
    {"quota-find", micro_quota_find, 1000, 1, "finding where they are mounted, once at start"},
};

#define NUM_MICROS (sizeof micros / sizeof *micros)

static const char *volatile now_measuring = "";

/* A measurement hangs. Calls only functions that a signal handler may call. */
static void give_up(int signal)
{
    static const char head[] = "\nwsfj-micro: ", tail[] = ": has not come to an end\n";
    ssize_t ignored = write(STDERR_FILENO, head, sizeof head - 1);

    (void)signal;
    ignored += write(STDERR_FILENO, now_measuring, strlen(now_measuring));
    ignored += write(STDERR_FILENO, tail, sizeof tail - 1);
    (void)ignored;
    _exit(EXIT_FAILURE);
}

const char *micro_start(size_t workers, long spin_us)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = workers;
    config.spin_us = spin_us;
    return ws_init(&config) == 0 ? NULL : "ws_init failed";
}

static void print_ns(double ns)
{
    if (isnan(ns)) /* too few values for this percentile */
        printf(" %9s", "-");
    else
        printf(" %9.*f", ns < 10 ? 2 : ns < 100 ? 1 : 0, ns);
}

static enum micro_end measure(const struct micro *m)
{
    static double values[MOST_VALUES];
    const char *why = "";
    enum micro_end end = MICRO_SKIPPED;

    printf("%-15s", m->name);
    fflush(stdout);
    now_measuring = m->name;
    alarm(MICRO_SECONDS);
    if (machine_cpus() < m->cpus)
        why = "needs 2 CPUs";
    else
        end = m->measure(values, m->n, &why);
    if (ws_fini() != 0) {
        end = MICRO_FAILED;
        why = "ws_fini failed";
    }
    alarm(0);
    if (end == MICRO_DONE) {
        struct sample s = sample_of(values, m->n);

        print_ns(s.median);
        print_ns(s.p10);
        print_ns(s.p90);
        print_ns(s.p99);
        print_ns(s.p999);
        print_ns(s.min);
        print_ns(s.max);
        printf(" %6zu  %s\n", m->n, m->what);
    } else {
        printf(" %s: %s\n", end == MICRO_SKIPPED ? "skipped" : "FAILED", why);
    }
    return end;
}

static void list(void)
{
    for (size_t i = 0; i < NUM_MICROS; i++)
        printf("%-15s %s\n", micros[i].name, micros[i].what);
}

static const struct micro *find(const char *name)
{
    for (size_t i = 0; i < NUM_MICROS; i++) {
        if (strcmp(micros[i].name, name) == 0)
            return &micros[i];
    }
    return NULL;
}

/* The options that only print something. -1 if there is none. */
static int answer(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            puts("Usage: wsfj-micro [MEASUREMENT...] [--list] [--help] [--version]\n"
                 "Measures what single operations of libwsfj cost (default: all).");
            return EXIT_SUCCESS;
        }
        if (strcmp(argv[i], "--version") == 0) {
            puts("wsfj-micro (libwsfj) " WSFJ_VERSION_STRING);
            return EXIT_SUCCESS;
        }
        if (strcmp(argv[i], "--list") == 0) {
            list();
            return EXIT_SUCCESS;
        }
        if (!find(argv[i])) {
            fprintf(stderr, "wsfj-micro: unknown %s '%s' (see --%s)\n", argv[i][0] == '-' ? "option" : "measurement",
                    argv[i], argv[i][0] == '-' ? "help" : "list");
            return EXIT_USAGE;
        }
    }
    return -1;
}

int main(int argc, char **argv)
{
    struct machine machine;
    int status = answer(argc, argv), failed = 0;

    if (status >= 0)
        return status;
    signal(SIGALRM, give_up);
    machine_read(&machine);
    machine_print(&machine);
    printf("\n\n%-15s %9s %9s %9s %9s %9s %9s %9s %6s\n", "measurement, ns", "median", "p10", "p90", "p99", "p99.9",
           "min", "max", "runs");
    for (size_t i = 0; argc == 1 && i < NUM_MICROS; i++)
        failed |= measure(&micros[i]) == MICRO_FAILED;
    for (int i = 1; i < argc; i++)
        failed |= measure(find(argv[i])) == MICRO_FAILED;
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
