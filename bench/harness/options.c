/* SPDX-License-Identifier: MIT */
#include "options.h"

#include "machine.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __attribute__((format(printf, 1, 2))) int refuse(const char *format, ...)
{
    va_list arguments;

    fputs("wsfj-bench: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs("\n", stderr);
    return -1;
}

/* Reads a whole number from `least` to `most` and what follows it; false if there is none. */
static int read_number(const char *text, long least, long most, long *value, const char **end)
{
    char *stop;

    if (!isdigit((unsigned char)*text))
        return 0;
    *value = strtol(text, &stop, 10); /* LONG_MAX if the number is even greater */
    *end = stop;
    return *value >= least && *value <= most;
}

static int read_whole(const char *text, long least, long most, long *value)
{
    const char *end;

    return read_number(text, least, most, value, &end) && *end == '\0';
}

/* The effect of each option's value; false if the value is invalid. */
static int set_size(struct options *o, const char *value)
{
    o->size_text = value; /* each kernel has its own range: options_read() checks it at the end */
    return read_whole(value, 0, LONG_MAX, &o->size);
}

static void add_count(struct options *o, size_t workers)
{
    for (size_t i = 0; i < o->num_counts; i++) {
        if (o->workers[i] == workers)
            return;
    }
    o->workers[o->num_counts++] = workers;
}

static int set_workers(struct options *o, const char *value)
{
    o->num_counts = 0;
    for (;; value++) {
        long workers;

        if (o->num_counts == OPTIONS_COUNTS_MOST || !read_number(value, 1, OPTIONS_WORKERS_MOST, &workers, &value))
            return 0;
        add_count(o, (size_t)workers);
        if (*value != ',')
            return *value == '\0';
    }
}

static int set_runs(struct options *o, const char *value)
{
    long runs = 0;
    int is_right = read_whole(value, 1, OPTIONS_RUNS_MOST, &runs);

    o->runs = (unsigned)runs;
    return is_right;
}

static int set_format(struct options *o, const char *value)
{
    static const char *const names[] = {[OPTIONS_TABLE] = "table", [OPTIONS_CSV] = "csv", [OPTIONS_JSON] = "json"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(value, names[i]) == 0) {
            o->format = (enum options_format)i;
            return 1;
        }
    }
    return 0;
}

#define TEXT(macro) TEXT_OF(macro)
#define TEXT_OF(value) #value

static const struct {
    const char *name;
    const char *value; /* its name in --help; NULL if there is none */
    const char *what;
    const char *expected;
    int (*set)(struct options *o, const char *value);
    enum options_action action; /* of an option without a value */
} known[] = {
    {"--size", "N", "problem size, instead of each kernel's own (--list shows them)", "a whole number", set_size, 0},
    {"--workers", "P[,P...]", "numbers of workers (default: 1 and the CPUs allowed)",
     "up to " TEXT(OPTIONS_COUNTS_MOST) " whole numbers from 1 to " TEXT(OPTIONS_WORKERS_MOST) ", separated by commas",
     set_workers, 0},
    {"--runs", "R", "timed runs of each variant (default: " TEXT(OPTIONS_RUNS_DEFAULT) ")",
     "a whole number from 1 to " TEXT(OPTIONS_RUNS_MOST), set_runs, 0},
    {"--format", "FORMAT", "table, csv or json (default: table)", "table, csv or json", set_format, 0},
    {"--list", NULL, "show the kernels with their sizes", NULL, NULL, OPTIONS_LIST},
    {"--help", NULL, "show this", NULL, NULL, OPTIONS_HELP},
    {"--version", NULL, "show the version", NULL, NULL, OPTIONS_VERSION},
};

void options_help(void)
{
    puts("Usage: wsfj-bench [KERNEL...] [OPTION...]\n"
         "Times the benchmark kernels (default: all) on libwsfj against their serial elision.\n");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *value = known[i].value ? known[i].value : "";

        printf("  %s %-*s %s\n", known[i].name, (int)(20 - strlen(known[i].name)), value, known[i].what);
    }
    puts("\nExit status: 0 if every result was right, 1 if not, 2 if the command line is invalid.");
}

/* Reads the option at argv[*i] and its value, which may be the next argument. */
static int read_option(struct options *o, int argc, char **argv, int *i)
{
    const char *text = argv[*i];
    size_t length = strcspn(text, "=");

    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const char *name = known[k].name, *value = text[length] ? text + length + 1 : NULL;

        if (strncmp(text, name, length) != 0 || name[length] != '\0')
            continue;
        if (!known[k].set) {
            if (value)
                return refuse("%s takes no value, but got '%s'", name, value);
            /* The first of several counts. */
            o->action = o->action ? o->action : known[k].action;
            return 0;
        }
        if (!value && ++*i < argc)
            value = argv[*i];
        if (!value)
            return refuse("%s needs a value: %s", name, known[k].expected);
        return known[k].set(o, value) ? 0 : refuse("%s '%s': expected %s", name, value, known[k].expected);
    }
    return refuse("unknown option '%s' (see --help)", text);
}

static int add_kernel(struct options *o, const char *name)
{
    const struct suite_entry *entry = suite_find(name);

    if (!entry)
        return refuse("unknown kernel '%s' (--list shows them)", name);
    for (size_t i = 0; i < o->num_kernels; i++) {
        if (o->kernels[i] == entry)
            return 0;
    }
    o->kernels[o->num_kernels++] = entry;
    return 0;
}

static int check_size(const struct options *o)
{
    for (size_t i = 0; o->size_text && i < o->num_kernels; i++) {
        const struct kernel *k = o->kernels[i]->serial;
        long least = suite_least_size(k);

        if (o->size < least || o->size > k->largest_size)
            return refuse("--size '%s': %s takes %ld to %ld", o->size_text, k->name, least, k->largest_size);
    }
    return 0;
}

int options_read(struct options *options, int argc, char **argv)
{
    struct options *o = options;
    int only_kernels = 0;

    *o = (struct options){.runs = OPTIONS_RUNS_DEFAULT};
    for (int i = 1; i < argc; i++) {
        int error;

        if (!only_kernels && strcmp(argv[i], "--") == 0) {
            only_kernels = 1;
            continue;
        }
        error = !only_kernels && argv[i][0] == '-' ? read_option(o, argc, argv, &i) : add_kernel(o, argv[i]);
        if (error)
            return error;
    }
    if (o->num_counts == 0) {
        add_count(o, 1);
        add_count(o, machine_cpus() < OPTIONS_WORKERS_MOST ? machine_cpus() : OPTIONS_WORKERS_MOST);
    }
    for (size_t i = 0; o->num_kernels == 0 && i < SUITE_SIZE; i++)
        o->kernels[i] = &suite[i];
    if (o->num_kernels == 0)
        o->num_kernels = SUITE_SIZE;
    return check_size(o);
}

long options_size(const struct options *options, const struct kernel *kernel)
{
    return options->size_text ? options->size : kernel->size;
}
