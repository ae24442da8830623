/* SPDX-License-Identifier: MIT */
/* wsfj-info: shows what the runtime would do with a machine and its settings, without starting it. */
#include "groups.h"

#include "base/fence.h"
#include "machine/placement.h"
#include "machine/report.h"
#include "config/settings.h"
#include "machine/topology.h"
#include "machine/tier.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define EXIT_USAGE 2
/* More workers would not fit into a line, or on a screen. */
#define EACH_MOST 64

static const char help[] = "Usage: wsfj-info [OPTION]...\n"
                           "Shows what libwsfj does with this machine and the settings: workers, their\n"
                           "processors, how far they are from each other, limits.\n"
                           "\n"
                           "  --xml FILE        show a machine that hwloc has exported to FILE (lstopo FILE)\n"
                           "  --synthetic TEXT  show the machine hwloc makes of TEXT, as \"pack:2 l3:4 core:8 pu:2\"\n"
                           "  --workers N       with N workers\n"
                           "  --all             a line for each worker, also if there are more than 64; else\n"
                           "                    groups of workers, by cache, NUMA node or package (0-6:2: 0,2,4,6)\n"
                           "  --help            this text\n"
                           "  --version         the version\n";

struct options {
    enum wsfj_machine machine;
    const char *text;
    size_t workers; /* 0: not given */
    bool all;
};

__attribute__((format(printf, 1, 2))) static void line(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

/* The argument of --xml or --synthetic; only one of them may be given, once. */
static bool take_machine(struct options *o, enum wsfj_machine machine)
{
    if (o->machine != WSFJ_MACHINE_THIS) {
        fprintf(stderr, "wsfj-info: more than one machine\n");
        return false;
    }
    o->machine = machine;
    o->text = optarg;
    return true;
}

static bool take_workers(struct options *o)
{
    if (wsfj_parse_workers(optarg, &o->workers) && o->workers && o->workers <= WSFJ_WORKERS_MOST)
        return true;
    fprintf(stderr, "wsfj-info: --workers takes a number from 1 to %d, not %.40s\n", WSFJ_WORKERS_MOST, optarg);
    return false;
}

/* The exit status, or -1: continue. */
static int read_options(int argc, char **argv, struct options *o)
{
    static const struct option known[] = {{"xml", required_argument, NULL, 'x'},
                                          {"synthetic", required_argument, NULL, 's'},
                                          {"workers", required_argument, NULL, 'w'},
                                          {"all", no_argument, NULL, 'a'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'v'},
                                          {NULL, 0, NULL, 0}};
    bool good = true;

    for (int c; good && (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        switch (c) {
        case 'x': good = take_machine(o, WSFJ_MACHINE_XML); break;
        case 's': good = take_machine(o, WSFJ_MACHINE_SYNTHETIC); break;
        case 'w': good = take_workers(o); break;
        case 'a': o->all = true; break;
        case 'h': fputs(help, stdout); return EXIT_SUCCESS;
        case 'v': puts("wsfj-info " WSFJ_VERSION_STRING); return EXIT_SUCCESS;
        default: good = false; break;
        }
    }
    if (good && optind == argc)
        return -1;
    if (good)
        fprintf(stderr, "wsfj-info: unexpected argument %s\n", argv[optind]);
    fputs("Try wsfj-info --help.\n", stderr);
    return EXIT_USAGE;
}

/* Prints what getrlimit() has found. */
static void print_limit(const char *what, int error, const struct rlimit *limit)
{
    if (error)
        return;
    if (limit->rlim_cur == RLIM_INFINITY)
        line("%s: no limit", what);
    else
        line("%s: %llu", what, (unsigned long long)limit->rlim_cur);
}

static void print_limits(void)
{
    FILE *file = fopen("/proc/sys/vm/max_map_count", "r");
    unsigned long mappings;
    struct rlimit limit;

    line("workers: 1 to %d", WSFJ_WORKERS_MOST);
    line("task stack: %zuK to %zuG, in pages of %ld bytes", WSFJ_STACK_LEAST >> 10, WSFJ_STACK_MOST >> 30,
         sysconf(_SC_PAGESIZE));
    line("membarrier: %s", !wsfj_settings.membarrier ? "not used"
                           : wsfj_heavy_start(true)  ? "works"
                                                     : "refused here: each sync takes a lock");
    print_limit("threads of this user", getrlimit(RLIMIT_NPROC, &limit), &limit);
    print_limit("address space in bytes", getrlimit(RLIMIT_AS, &limit), &limit);
    if (file && fscanf(file, "%lu", &mappings) == 1)
        line("memory mappings: %lu", mappings);
    if (file)
        fclose(file);
}

/* Prints a letter for each pair of workers. */
static void print_distances(const struct wsfj_topology *t, const struct wsfj_placement *l)
{
    static const char letters[] = "ocnpm";

    if (l->workers < 2 || l->workers > EACH_MOST)
        return;
    puts("\nDistances (o: one core, c: cache, n: NUMA node, p: package, m: machine)");
    for (unsigned i = 0; i < l->workers; i++) {
        printf("%6u ", i);
        for (unsigned j = 0; j < l->workers; j++)
            putchar(i == j ? '.' : letters[wsfj_placement_tier(l, t, i, j)]);
        putchar('\n');
    }
}

static bool print_workers(const struct wsfj_topology *t, const struct wsfj_placement *l, bool all)
{
    line("\nWorkers: %u", l->workers);
    if (!all && l->workers > EACH_MOST) {
        wsfj_report_places(line, l);
        return groups_print(t, l);
    }
    wsfj_report_workers(line, t, l);
    print_distances(t, l);
    return true;
}

static bool print_all(const struct wsfj_topology *t, bool all)
{
    struct wsfj_placement l;
    unsigned n;
    bool ok;

    if (!wsfj_placement_places(&l, t, &wsfj_settings.places, wsfj_settings.bind))
        return false;
    n = wsfj_placement_wanted(&l, t, wsfj_settings.num_workers);
    if (!wsfj_placement_workers(&l, t, n)) {
        wsfj_placement_free(&l);
        return false;
    }
    line("libwsfj %s", WSFJ_VERSION_STRING);
    wsfj_report_machine(line, t);
    line("\nSettings (value, origin)");
    wsfj_report_settings(line);
    line("\nLimits");
    print_limits();
    ok = print_workers(t, &l, all);
    wsfj_placement_free(&l);
    return ok;
}

static int finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "wsfj-info: stdout cannot be written\n");
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    struct options options = {.machine = WSFJ_MACHINE_THIS};
    int status = read_options(argc, argv, &options);
    struct wsfj_topology topology;
    ws_config config;
    bool ok;

    if (status >= 0)
        return finish(status);
    ws_config_default(&config);
    config.num_workers = options.workers;
    if (wsfj_settings_read(&config) != 0)
        return EXIT_FAILURE;
    if (options.machine != WSFJ_MACHINE_THIS && !wsfj_topology_imagines) {
        fprintf(stderr, "wsfj-info: built without hwloc, it can show this machine only\n");
        return EXIT_FAILURE;
    }
    if (!wsfj_topology_read(&topology, options.machine, options.text)) {
        fprintf(stderr, "wsfj-info: hwloc cannot make a machine of %s\n", options.text ? options.text : "this one");
        return EXIT_FAILURE;
    }
    ok = print_all(&topology, options.all);
    wsfj_topology_free(&topology);
    wsfj_places_free(&wsfj_settings.places);
    if (!ok)
        fprintf(stderr, "wsfj-info: no memory\n");
    return finish(ok ? EXIT_SUCCESS : EXIT_FAILURE);
}
