/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE 1 /* getloadavg() */
/* wsfj-lab: runs experiments and writes their results. The other files are the experiments. */
#include "lab.h"
#include "harness/machine.h"
#include "options.h"
#include "work.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wsfj.h>

#define EXIT_USAGE 2

/* The last: what each takes of --workers, --length and --count. */
static const struct lab_experiment experiments[] = {
    {"01-spread", lab_spread, "100 tasks that one worker has started, spread over 4", {LAB_ONE, LAB_ONE, LAB_ONE}},
    {"02-run-queue", lab_run_queue, "the bounded run queue: push, pop, two thieves at once", {0, 0, LAB_ONE}},
    {"03-share", lab_share, "10000 tasks on 8 workers, by the length of a task", {LAB_ONE, LAB_MANY, LAB_ONE}},
    {"04-steal", lab_steal, "one steal of a half, by the length of the victim's queue", {0, 0, 0}},
    {"05-overflow", lab_overflow, "from the run queue into the global queue", {0, 0, 0}},
    {"06-next", lab_next, "run-next, and what older tasks wait for it", {LAB_MANY, LAB_ONE, 0}},
    {"09-source", lab_source, "one worker submits all tasks, or each its part", {LAB_ONE, LAB_ONE, LAB_ONE}},
    {"10-latency", lab_latency, "throughput, latency from submission", {LAB_MANY, LAB_MANY, LAB_MANY}},
    {"12-grain", lab_grain, "tasks from 10 ns to 10 ms: overhead, imbalance", {LAB_ONE, LAB_MANY, LAB_ONE}},
    {"17-queues", lab_queues, "one shared queue, own queues, own queues with thieves", {0, LAB_MANY, LAB_ONE}},
};

#define NUM_EXPERIMENTS (sizeof experiments / sizeof *experiments)

static const char *volatile now_running = "";

/* An experiment hangs. Calls only functions that a signal handler may call. */
static void give_up(int signal)
{
    static const char head[] = "wsfj-lab: ", tail[] = ": has not come to an end\n";
    ssize_t ignored = write(STDERR_FILENO, head, sizeof head - 1);

    (void)signal;
    ignored += write(STDERR_FILENO, now_running, strlen(now_running));
    ignored += write(STDERR_FILENO, tail, sizeof tail - 1);
    (void)ignored;
    _exit(EXIT_FAILURE);
}

/* The machine of the results, and its load. */
static void print_machine(FILE *file, bool quick)
{
    struct machine machine;
    char day[16];
    time_t now = time(NULL);
    double load = 0;

    machine_read(&machine);
    strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
    (void)getloadavg(&load, 1);
    fprintf(file, "%s, %zu CPU%s; %s; %s; libwsfj %s; %s; load %.1f at the start%s\n", machine.cpu_model, machine.cpus,
            machine.cpus == 1 ? "" : "s", machine.kernel, machine.compiler, machine.version, day, load,
            quick ? "; quick" : "");
}

static void write_machine(struct lab *lab)
{
    char path[1024];
    FILE *file;

    if (!lab->out)
        return;
    snprintf(path, sizeof path, "%s/%s.machine", lab->out, lab->name);
    file = fopen(path, "w");
    lab_need(lab, file != NULL, "a folder for the results (--out)");
    print_machine(file, lab->quick);
    lab_need(lab, fclose(file) == 0, "room for the results");
}

static void run(struct lab *lab, const struct lab_experiment *e)
{
    uint64_t start = sample_now();

    lab->name = now_running = e->name;
    lab->num_said = 0;
    write_machine(lab);
    if (!lab->is_own) /* a user's values may take any time */
        alarm(lab->quick ? LAB_SECONDS / 10 : LAB_SECONDS);
    e->run(lab);
    alarm(0);
    lab_close(lab);
    printf("%-12s %5.1f s  %s\n", e->name, (double)(sample_now() - start) * 1e-9, e->what);
    fflush(stdout);
}

static bool make_folder(const char *out)
{
    if (mkdir(out, 0777) == 0 || errno == EEXIST)
        return true;
    fprintf(stderr, "wsfj-lab: --out %s: %s\n", out, strerror(errno));
    return false;
}

static void run_chosen(struct lab *lab, const bool *chosen)
{
    signal(SIGALRM, give_up);
    work_calibrate();
    if (lab->is_own)
        print_machine(stdout, lab->quick);
    for (size_t i = 0; i < NUM_EXPERIMENTS; i++)
        if (chosen[i])
            run(lab, &experiments[i]);
}

int main(int argc, char **argv)
{
    bool chosen[NUM_EXPERIMENTS] = {false};
    struct lab lab = {.name = "lab"};
    enum options_action action = OPTIONS_RUN;

    if (argc < 1 || !options_read(&lab, &action, chosen, experiments, NUM_EXPERIMENTS, argv))
        return EXIT_USAGE;
    if (action == OPTIONS_HELP)
        options_help();
    else if (action == OPTIONS_LIST)
        options_list(experiments, NUM_EXPERIMENTS);
    else if (action == OPTIONS_MACHINE)
        print_machine(stdout, false);
    else if (lab.out && !make_folder(lab.out))
        return EXIT_USAGE;
    else
        run_chosen(&lab, chosen);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "wsfj-lab: standard output: %s\n", strerror(errno));
        return EXIT_FAILURE;
    }
    return lab.broken ? EXIT_FAILURE : EXIT_SUCCESS;
}
