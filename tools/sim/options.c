/* SPDX-License-Identifier: MIT */
#include "options.h"

#include "costs.h"
#include "fail.h"
#include "policy.h"
#include "log.h"
#include "sweep.h"

#include <wsfj.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORKERS_MOST 4096

struct sim_options sim_options = {.seed = 1, .unit = 1000};

uint64_t sim_option_number(const char *option, const char *text, uint64_t least, uint64_t most)
{
    char *end;
    unsigned long long n;

    errno = 0;
    n = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || n < least || n > most)
        sim_fail(SIM_EXIT_USAGE, "--%s=%s: expected a number from %ju to %ju", option, text, (uintmax_t)least,
                 (uintmax_t)most);
    return n;
}

static void set_machine(const char *text)
{
    sim_options.machine = text;
}

static void set_workers(const char *text)
{
    sim_options.workers = (unsigned)sim_option_number("workers", text, 1, WORKERS_MOST);
}

static void set_seed(const char *text)
{
    sim_options.seed = sim_option_number("seed", text, 0, UINT64_MAX);
}

static void set_points(const char *text)
{
    sim_options.atomics = strcmp(text, "atomics") == 0;
    if (!sim_options.atomics && strcmp(text, "calls") != 0)
        sim_fail(SIM_EXIT_USAGE, "--points=%s: expected calls or atomics", text);
}

/* PERCENT of one CPU, in a period of 100 ms, as container engines set it. */
static void set_quota(const char *text)
{
    sim_options.period = UINT64_C(100) * 1000000;
    sim_options.quota = sim_option_number("quota", text, 1, 100000000) * sim_options.period / 100;
}

static void set_unit(const char *text)
{
    sim_options.unit = sim_option_number("unit", text, 1, UINT64_C(1000000000));
}

static void set_quiet(const char *text)
{
    (void)text;
    sim_options.quiet = true;
}

static void write_costs(const char *text)
{
    (void)text;
    sim_costs_write(stdout);
    exit(!sim_printed());
}

static void list_policy(const char *text)
{
    (void)text;
    sim_policy_list(stdout);
    exit(!sim_printed());
}

static void show_version(const char *unused)
{
    const char *text;

    (void)unused;
    (void)ws_version(&text);
    printf("wsfj-sim (libwsfj) %s\n", text);
    exit(!sim_printed());
}

void (*sim_calibrator)(FILE *file);

static void calibrate(const char *text)
{
    (void)text;
    if (!sim_calibrator)
        sim_fail(SIM_EXIT_USAGE, "--calibrate is an option of wsfj-sim, not of programs that link its library");
    sim_calibrator(stdout);
    exit(!sim_printed());
}

static void set_log(const char *text)
{
    (void)text;
    sim_log_is_on = true;
}

static void set_report(const char *text)
{
    (void)text;
    sim_options.report = true;
}

static void set_format(const char *text)
{
    static const char *const names[] = {"table", "csv", "json"};

    sim_options.report = true;
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            sim_options.format = (enum sim_format)i;
            return;
        }
    }
    sim_fail(SIM_EXIT_USAGE, "--format=%s: expected table, csv or json", text);
}

static void set_runs(const char *text)
{
    sim_options.runs = (unsigned)sim_option_number("runs", text, 1, SIM_RUNS_MOST);
}

static void set_trace(const char *text)
{
    size_t length = strlen(text);

    if (length < 6 || strcmp(text + length - 5, ".json") != 0)
        sim_fail(SIM_EXIT_USAGE, "--trace=%s: expected a name that ends in .json", text);
    sim_options.trace = text;
}

static void set_plot(const char *text)
{
    sim_options.plot = text;
}

static const struct option {
    const char *name, *value; /* NULL: it takes none */
    const char *help;
    void (*set)(const char *value);
} options[] = {
    {"machine", "TEXT", "hwloc's description ('pack:2 core:32 pu:1'), an XML file, or this", set_machine},
    {"workers", "N", "1 to 4096; default: what the machine has room for", set_workers},
    {"costs", "FILE", "what things cost there", sim_costs_read},
    {"show-costs", NULL, "print all costs, as such a file, and exit", write_costs},
    {"calibrate", NULL, "measure costs on this machine, print them as such a file, and exit", calibrate},
    {"seed", "N", "of what varies: how long wake-ups take", set_seed},
    {"points", "calls|atomics", "where a thread may be preempted", set_points},
    {"policy", "NAME=VALUE,...", "other decisions than the runtime's", sim_policy_set},
    {"policy-list", NULL, "print the policy, with all that can be set, and exit", list_policy},
    {"quota", "PERCENT", "of CPU time in each 100 ms; 150: one and a half CPUs", set_quota},
    {"unit", "NS", "of the workloads that count in units (1000)", set_unit},
    {"log", NULL, "one line for each event, in order of time, in microseconds", set_log},
    {"report", NULL, "all figures of the run", set_report},
    {"format", "table|csv|json", "of the report, or of the rows of a sweep", set_format},
    {"columns", "NAME,...", "which figures the rows of a sweep have, by their names in csv", sim_table_columns},
    {"sweep", "NAME=VALUES", "a run for each: 2..8, 1,2,5, 1..64*2; {NAME} stands for it in arguments", sim_sweep_add},
    {"runs", "N", "so many of each, with seeds in a row: mean and 95 % interval", set_runs},
    {"trace", "FILE", "a trace, .json, for wsfj-view and Perfetto", set_trace},
    {"plot", "FILE", "speed-up and efficiency of --sweep workers=..., as SVG", set_plot},
    {"quiet", NULL, "no line about the run", set_quiet},
    {"version", NULL, "print the version, and exit", show_version},
};
enum { OPTIONS = sizeof options / sizeof *options };

static _Noreturn void help(const char *usage)
{
    printf("usage: %s\n", usage);
    for (const struct option *o = options; o < options + OPTIONS; o++)
        printf("  --%s%s%-*s %s\n", o->name, o->value ? " " : "", (int)(26 - strlen(o->name) - (o->value ? 1 : 0)),
               o->value ? o->value : "", o->help);
    exit(!sim_printed());
}

/* What a sweep can vary: not what is about all of its runs. */
static const struct option *find(const char *name)
{
    static const char *const others[] = {"columns", "format", "plot", "runs", "sweep", "trace"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i], name) == 0)
            return NULL;
    for (const struct option *o = options; o < options + OPTIONS; o++)
        if (strcmp(o->name, name) == 0 && o->value)
            return o;
    return NULL;
}

bool sim_option_varies(const char *name)
{
    return find(name) != NULL;
}

void sim_option_set(const char *name, const char *value)
{
    find(name)->set(value);
}

/* Handles the option at argv[i]; returns the index of the next word. */
static int take(int argc, char **argv, int i, const char *usage)
{
    const char *name = argv[i] + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);

    if (strcmp(name, "help") == 0)
        help(usage);
    for (const struct option *o = options; o < options + OPTIONS; o++) {
        if (strlen(o->name) != length || strncmp(o->name, name, length) != 0)
            continue;
        if (!o->value && equals)
            sim_fail(SIM_EXIT_USAGE, "--%s takes no value", o->name);
        if (o->value && !equals && ++i == argc)
            sim_fail(SIM_EXIT_USAGE, "--%s needs a value: %s", o->name, o->value);
        o->set(equals ? equals + 1 : o->value ? argv[i] : NULL);
        return i + 1;
    }
    sim_fail(SIM_EXIT_USAGE, "unknown option --%s (--help lists them)", name);
}

void sim_options_read(int *argc, char **argv, const char *usage, bool anywhere)
{
    int words = 1, i = 1;

    while (i < *argc && strcmp(argv[i], "--") != 0) {
        if (strncmp(argv[i], "--", 2) == 0)
            i = take(*argc, argv, i, usage);
        else if (anywhere)
            argv[words++] = argv[i++];
        else
            break;
    }
    i += i < *argc && strcmp(argv[i], "--") == 0;
    while (i < *argc)
        argv[words++] = argv[i++];
    argv[ *argc = words] = NULL;
}
