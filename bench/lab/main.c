/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE 1 /* getloadavg() */
/* wsfj-lab: runs experiments and writes their results. The other files are the experiments. */
#include "lab.h"
#include "harness/machine.h"
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

static const struct lab_experiment experiments[] = {
    {"01-spread", lab_spread, "100 tasks that one worker has started, spread over 4"},
    {"02-run-queue", lab_ring, "the bounded run queue: push, pop, two thieves at once"},
    {"03-share", lab_share, "10000 tasks on 8 workers, by the length of a task"},
    {"04-steal", lab_steal, "one steal of a half, by the length of the victim's queue"},
    {"05-overflow", lab_overflow, "from the run queue into the global queue"},
    {"06-next", lab_next, "the run-next slot, and what older tasks wait for it"},
    {"07-order", lab_order, "owner's order: first in first out, last in first out"},
    {"08-fraction", lab_fraction, "how much of a queue a thief takes"},
    {"09-source", lab_source, "one worker submits all tasks, or each its part"},
    {"10-latency", lab_latency, "throughput and latency by workers, length and number of tasks"},
    {"11-victims", lab_victims, "whom to steal from"},
    {"12-grain", lab_grain, "tasks from 10 ns to 10 ms: overhead, imbalance, speed-up"},
    {"14-livelock", lab_livelock, "thieves that search without a bound"},
    {"15-few", lab_few, "20 tasks on 2 to 8 workers"},
    {"16-joins", lab_joins, "how long parents wait for stolen children"},
    {"17-queues", lab_queues, "one shared queue, own queues, own queues with thieves"},
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

/* By number, by name or by both: 04, steal, 04-steal. */
static bool is_called(const struct lab_experiment *e, const char *text, size_t length)
{
    size_t number = strcspn(e->name, "-");

    return (length == number && strncmp(e->name, text, length) == 0) ||
           (length == strlen(e->name) && strncmp(e->name, text, length) == 0) ||
           (length == strlen(e->name + number + 1) && strncmp(e->name + number + 1, text, length) == 0);
}

/* Marks the experiments of a list like 04,11. False, after a line, if one does not exist. */
static bool choose(const char *list, bool *chosen)
{
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t length = strcspn(at, ","), i = 0;

        while (i < NUM_EXPERIMENTS && !is_called(&experiments[i], at, length))
            i++;
        if (i == NUM_EXPERIMENTS) {
            fprintf(stderr, "wsfj-lab: %.*s: no such experiment (see --list)\n", (int)length, at);
            return false;
        }
        chosen[i] = true;
    }
    return true;
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
    lab->table = lab->findings = NULL;
    lab->num_said = 0;
    write_machine(lab);
    alarm(lab->quick ? LAB_SECONDS / 10 : LAB_SECONDS);
    e->run(lab);
    alarm(0);
    lab_need(lab, lab->table && fclose(lab->table) == 0, "room for its table");
    lab_need(lab, lab->findings && fclose(lab->findings) == 0, "room for its findings");
    printf("%-12s %5.1f s  %s\n", e->name, (double)(sample_now() - start) * 1e-9, e->what);
    fflush(stdout);
}

static void help(void)
{
    puts("Usage: wsfj-lab [--quick] [--out DIR] [EXPERIMENT[,EXPERIMENT...]...] [--list] [--machine] [--help]\n"
         "Runs experiments on libwsfj's scheduler (default: all) and writes tables (.csv) and findings to DIR\n"
         "(default: bench/lab/results, which is made). An experiment is named as 04, steal or 04-steal.\n"
         "--quick: tiny sizes, to see whether all is in order; the figures mean nothing then.\n"
         "Exit status: 0; 1 if something did not hold that must; 2 if the command line is invalid.");
}

static bool make_folder(const char *out)
{
    if (mkdir(out, 0777) == 0 || errno == EEXIST)
        return true;
    fprintf(stderr, "wsfj-lab: --out %s: %s\n", out, strerror(errno));
    return false;
}

int main(int argc, char **argv)
{
    struct lab lab = {.out = "bench/lab/results", .name = "lab"};
    bool chosen[NUM_EXPERIMENTS] = {false}, any = false;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) {
            lab.quick = true;
        } else if (strcmp(argv[i], "--out") == 0 && argv[i + 1]) {
            lab.out = argv[++i];
        } else if (strcmp(argv[i], "--help") == 0) {
            help();
            return EXIT_SUCCESS;
        } else if (strcmp(argv[i], "--machine") == 0) {
            print_machine(stdout, false);
            return EXIT_SUCCESS;
        } else if (strcmp(argv[i], "--list") == 0) {
            for (size_t k = 0; k < NUM_EXPERIMENTS; k++)
                printf("%-12s %s\n", experiments[k].name, experiments[k].what);
            return EXIT_SUCCESS;
        } else if (argv[i][0] == '-') {
            fprintf(stderr, "wsfj-lab: what is %s? Try wsfj-lab --help\n", argv[i]);
            return EXIT_USAGE;
        } else if (!choose(argv[i], chosen)) {
            return EXIT_USAGE;
        } else {
            any = true;
        }
    }
    if (!make_folder(lab.out))
        return EXIT_USAGE;
    signal(SIGALRM, give_up);
    work_calibrate();
    for (size_t i = 0; i < NUM_EXPERIMENTS; i++)
        if (!any || chosen[i])
            run(&lab, &experiments[i]);
    return lab.broken ? EXIT_FAILURE : EXIT_SUCCESS;
}
