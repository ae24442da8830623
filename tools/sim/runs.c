/* SPDX-License-Identifier: MIT */
/* The runs of a sweep. A run prints nothing but errors; of these the first line stands in its row. */
#include "sweep.h"

#include "fail.h"
#include "options.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct process {
    pid_t pid;
    size_t run;
    FILE *errors;
};

static struct {
    int argc;
    char **argv;
    void (*child)(int argc, char **argv, double *values);
    size_t points, runs; /* of each point */
    double *values;      /* shared with the children: of each run */
    char **why;          /* of each run: NULL: it has ended well */
    bool *done;
} all;

/* "{name}" in the argument becomes the value. */
static char *filled(char *argument, const char *name, const char *value)
{
    size_t length = strlen(name);
    char *at, *text;

    for (at = strchr(argument, '{'); at; at = strchr(at + 1, '{'))
        if (strncmp(at + 1, name, length) == 0 && at[length + 1] == '}')
            break;
    if (!at)
        return argument;
    text = sim_new(1, strlen(argument) + strlen(value) + 1);
    sprintf(text, "%.*s%s%s", (int)(at - argument), argument, value, at + length + 2);
    return filled(text, name, value);
}

/* True if one of the arguments has it. */
static bool fill(const char *name, const char *value)
{
    bool found = false;

    for (int i = 1; i < all.argc; i++) {
        char *text = filled(all.argv[i], name, value);

        found |= text != all.argv[i];
        all.argv[i] = text;
    }
    return found;
}

static void check_names(void)
{
    for (size_t i = 0; i < sim_num_sweeps; i++) {
        const char *name = sim_sweeps[i].name;
        bool found = sim_option_varies(name);

        for (int k = 1; k < all.argc && !found; k++)
            found = filled(all.argv[k], name, "") != all.argv[k];
        if (!found)
            sim_fail(SIM_EXIT_USAGE, "--sweep %s: no such option, and no {%s} in the arguments", name, name);
        for (size_t k = 0; k < sim_sweeps[i].count; k++)
            if (strstr(sim_sweeps[i].values[k], "{"))
                sim_fail(SIM_EXIT_USAGE, "--sweep %s: a brace in '%s'", name, sim_sweeps[i].values[k]);
    }
}

static _Noreturn void in_child(size_t run, FILE *errors)
{
    const char *values[SIM_SWEEPS_MOST];
    FILE *null = freopen("/dev/null", "w", stdout);

    if (!null || dup2(fileno(errors), STDERR_FILENO) < 0)
        _exit(SIM_EXIT_SYSTEM);
    sim_options.quiet = true;
    sim_options.seed += run % all.runs;
    sim_sweep_point(run / all.runs, values);
    for (size_t i = 0; i < sim_num_sweeps; i++)
        if (!fill(sim_sweeps[i].name, values[i]))
            sim_option_set(sim_sweeps[i].name, values[i]);
    all.child(all.argc, all.argv, all.values + run * SIM_MEASURE_COUNT);
    _exit(SIM_EXIT_SYSTEM);
}

static void start(struct process *process, size_t run)
{
    process->run = run;
    process->errors = tmpfile();
    if (!process->errors)
        sim_fail(SIM_EXIT_SYSTEM, "no file for the errors of a run: %s", strerror(errno));
    fflush(stdout);
    process->pid = fork();
    if (process->pid < 0)
        sim_fail(SIM_EXIT_SYSTEM, "no process for the run: %s", strerror(errno));
    if (process->pid == 0)
        in_child(run, process->errors);
}

/* Why it has failed: the first line of its errors, else its status. */
static char *reason(FILE *errors, int status)
{
    static const char prefix[] = "wsfj-sim: ";
    char *line = sim_new(1, 512), *text = line;

    rewind(errors);
    if (fgets(line, 512, errors) && *line != '\n') {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, prefix, sizeof prefix - 1) == 0)
            memmove(line, line + sizeof prefix - 1, strlen(line) - sizeof prefix + 2);
    } else if (WIFSIGNALED(status)) {
        snprintf(text, 512, "killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        snprintf(text, 512, "exit status %d", WEXITSTATUS(status));
    }
    return line;
}

static void end(struct process *process, int status)
{
    all.done[process->run] = true;
    if (status != 0)
        all.why[process->run] = reason(process->errors, status);
    fclose(process->errors);
    process->pid = 0;
}

static struct sim_row row_of(size_t point)
{
    struct sim_row row = {.runs = (unsigned)all.runs};
    double *column = sim_new(all.runs, sizeof *column);

    sim_sweep_point(point, row.values);
    for (int m = 0; m < SIM_MEASURE_COUNT; m++) {
        for (size_t i = 0; i < all.runs; i++) {
            size_t run = point * all.runs + i;

            column[i] = all.why[run] ? NAN : all.values[run * SIM_MEASURE_COUNT + (size_t)m];
        }
        row.figures[m] = sim_mean(column, all.runs);
    }
    for (size_t i = all.runs; i-- > 0;) {
        row.failed += all.why[point * all.runs + i] != NULL;
        row.why = all.why[point * all.runs + i] ? all.why[point * all.runs + i] : row.why;
    }
    free(column);
    return row;
}

static bool is_done(size_t point)
{
    for (size_t i = 0; i < all.runs; i++)
        if (!all.done[point * all.runs + i])
            return false;
    return true;
}

static void progress(size_t ended, bool on)
{
    if (on)
        fprintf(stderr, "\r\033[K");
    if (on && ended < all.points * all.runs)
        fprintf(stderr, "%zu of %zu runs", ended, all.points * all.runs);
}

static unsigned cpus(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

/* Prints each row as soon as the ones before it have been printed. */
static void run_all(struct sim_row *rows)
{
    unsigned room = cpus();
    struct process *processes = sim_new(room, sizeof *processes);
    size_t total = all.points * all.runs, started = 0, ended = 0, printed = 0;
    bool shows = isatty(STDERR_FILENO);

    while (ended < total) {
        int status;
        pid_t pid;

        for (unsigned i = 0; i < room && started < total; i++)
            if (!processes[i].pid)
                start(&processes[i], started++);
        do
            pid = waitpid(-1, &status, 0);
        while (pid < 0 && errno == EINTR);
        if (pid < 0)
            sim_fail(SIM_EXIT_SYSTEM, "the process of a run is lost: %s", strerror(errno));
        for (unsigned i = 0; i < room; i++)
            if (processes[i].pid == pid) {
                end(&processes[i], status);
                ended++;
            }
        progress(total, shows);
        for (; printed < all.points && is_done(printed); printed++) {
            rows[printed] = row_of(printed);
            sim_table_row(&rows[printed]);
        }
        fflush(stdout);
        progress(ended, shows);
    }
    free(processes);
}

int sim_sweep_run(int argc, char **argv, void (*child)(int argc, char **argv, double *values))
{
    struct sim_row *rows;
    size_t total;
    int status = 0;

    all.argc = argc;
    all.argv = argv;
    all.child = child;
    all.points = sim_sweep_points();
    all.runs = sim_options.runs ? sim_options.runs : 1;
    total = all.points * all.runs;
    check_names();
    if (total > SIM_RUNS_MOST)
        sim_fail(SIM_EXIT_USAGE, "%zu runs are more than %d", total, SIM_RUNS_MOST);
    if (sim_options.plot)
        sim_plot_check();
    all.why = sim_new(total, sizeof *all.why);
    all.done = sim_new(total, sizeof *all.done);
    all.values = mmap(NULL, total * SIM_MEASURE_COUNT * sizeof *all.values, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all.values == MAP_FAILED)
        sim_fail(SIM_EXIT_SYSTEM, "no memory for the results of %zu runs", total);
    rows = sim_new(all.points, sizeof *rows);
    sim_table_begin();
    run_all(rows);
    sim_table_end();
    for (size_t i = 0; i < all.points; i++)
        status |= rows[i].failed > 0;
    if (sim_options.plot && !sim_plot(sim_options.plot, rows, all.points))
        status = 1;
    return sim_printed() ? status : 1;
}
