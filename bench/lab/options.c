/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(macro) TEXT_OF(macro)
#define TEXT_OF(value) #value

static const struct {
    const char *name, *expected;
    double most;
} values[LAB_OPTIONS] = {
    [LAB_WORKERS] = {"--workers", "whole numbers from 1 to " TEXT(LAB_THREADS_MOST) ", separated by commas",
                     LAB_THREADS_MOST},
    [LAB_LENGTH] = {"--length", "times such as 50us or 1.5ms, from 1ns to 10s, separated by commas", 1e10},
    [LAB_COUNT] = {"--count", "whole numbers from 1 to " TEXT(LAB_COUNT_MOST) ", separated by commas", LAB_COUNT_MOST},
};

/* What is read. */
struct options {
    struct lab *lab;
    enum options_action *action;
    bool *chosen;
    const char *text[LAB_OPTIONS]; /* of --workers, --length, --count as they were given */
};

static __attribute__((format(printf, 1, 2))) bool refuse(const char *format, ...)
{
    va_list arguments;

    fputs("wsfj-lab: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs("\n", stderr);
    return false;
}

/* The factor of the unit at *text, in nanoseconds, and *text behind it; 0 if there is none. */
static double read_unit(const char **text)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    size_t length = strcspn(*text, ",");

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (length == strlen(units[i].name) && strncmp(*text, units[i].name, length) == 0) {
            *text += length;
            return units[i].ns;
        }
    }
    return 0;
}

/* One value at *text, and *text behind it; 0 if it is none. */
static double read_value(enum lab_option option, const char **text)
{
    size_t length = strspn(*text, option == LAB_LENGTH ? "0123456789." : "0123456789");
    char *end;
    double value;

    if (!isdigit((unsigned char)**text))
        return 0;
    value = strtod(*text, &end);
    if (end != *text + length)
        return 0;
    *text = end;
    if (option == LAB_LENGTH)
        value *= read_unit(text);
    return value >= 1 && value <= values[option].most ? value : 0;
}

static bool read_list(struct options *o, enum lab_option option, const char *text)
{
    struct lab_list *list = &o->lab->own[option];
    const char *at = text;

    list->n = 0;
    for (;; at++) {
        double value = list->n < LAB_LIST_MOST ? read_value(option, &at) : 0;

        if (value == 0 || (*at && *at != ','))
            return refuse("%s '%s': expected up to " TEXT(LAB_LIST_MOST) " %s", values[option].name, text,
                          values[option].expected);
        list->at[list->n++] = value;
        if (!*at)
            break;
    }
    o->text[option] = text;
    return true;
}

/* By number, by name or by both: 04, steal, 04-steal. */
static bool is_called(const struct lab_experiment *e, const char *text, size_t length)
{
    size_t number = strcspn(e->name, "-");

    return (length == number && strncmp(e->name, text, length) == 0) ||
           (length == strlen(e->name) && strncmp(e->name, text, length) == 0) ||
           (length == strlen(e->name + number + 1) && strncmp(e->name + number + 1, text, length) == 0);
}

/* Marks what a list like 04,11 names. */
static bool choose(struct options *o, const struct lab_experiment *experiments, size_t n, const char *list)
{
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t length = strcspn(at, ","), i = 0;

        while (i < n && !is_called(&experiments[i], at, length))
            i++;
        if (i == n)
            return refuse("%.*s: no such experiment (see --list)", (int)length, at);
        o->chosen[i] = true;
    }
    return true;
}

/* An experiment that cannot use a value says so. */
static bool can_use(const struct options *o, const struct lab_experiment *e)
{
    for (unsigned i = 0; i < LAB_OPTIONS; i++) {
        if (!o->text[i])
            continue;
        if (e->takes[i] == LAB_NONE)
            return refuse("%s has no use for %s (--list shows what each takes)", e->name, values[i].name);
        if (e->takes[i] == LAB_ONE && o->lab->own[i].n > 1)
            return refuse("%s takes one value of %s, not '%s'", e->name, values[i].name, o->text[i]);
    }
    return true;
}

/* An option that takes a value: its number, or LAB_OPTIONS for --out; LAB_OPTIONS + 1 if it is none of them. */
static unsigned find_option(const char *text, size_t length)
{
    unsigned i = 0;

    while (i < LAB_OPTIONS && (strlen(values[i].name) != length || strncmp(text, values[i].name, length) != 0))
        i++;
    return i < LAB_OPTIONS ? i : strncmp(text, "--out", length) == 0 && length == 5 ? LAB_OPTIONS : LAB_OPTIONS + 1;
}

static bool read_option(struct options *o, char ***argv)
{
    const char *text = **argv, *value;
    size_t length = strcspn(text, "=");
    unsigned option = find_option(text, length);

    if (option <= LAB_OPTIONS) {
        value = text[length] ? text + length + 1 : (*argv)[1] ? *++*argv : NULL;
        if (!value)
            return refuse("%.*s needs a value: %s", (int)length, text,
                          option < LAB_OPTIONS ? values[option].expected : "a folder");
        if (option < LAB_OPTIONS)
            return read_list(o, (enum lab_option)option, value);
        o->lab->out = value;
    } else if (strcmp(text, "--quick") == 0) {
        o->lab->quick = true;
    } else if (strcmp(text, "--help") == 0) {
        *o->action = OPTIONS_HELP;
    } else if (strcmp(text, "--list") == 0) {
        *o->action = OPTIONS_LIST;
    } else if (strcmp(text, "--machine") == 0) {
        *o->action = OPTIONS_MACHINE;
    } else {
        return refuse("unknown option '%s' (see --help)", text);
    }
    return true;
}

bool options_read(struct lab *lab, enum options_action *action, bool *chosen, const struct lab_experiment *experiments,
                  size_t n, char **argv)
{
    struct options o = {.lab = lab, .action = action, .chosen = chosen};
    bool any = false;

    for (argv++; *argv; argv++) {
        if (**argv == '-' ? !read_option(&o, &argv) : !choose(&o, experiments, n, *argv))
            return false;
    }
    lab->is_own = o.text[LAB_WORKERS] || o.text[LAB_LENGTH] || o.text[LAB_COUNT];
    if (!lab->is_own && !lab->out)
        lab->out = "bench/lab/results";
    for (size_t i = 0; i < n; i++)
        any |= chosen[i];
    for (size_t i = 0; i < n; i++) {
        if (!any)
            chosen[i] = !lab->is_own || strcmp(experiments[i].name, "10-latency") == 0;
        if (chosen[i] && !can_use(&o, &experiments[i]))
            return false;
    }
    return true;
}

void options_help(void)
{
    puts("Usage: wsfj-lab [EXPERIMENT[,EXPERIMENT...]...] [OPTION...]\n"
         "Runs experiments on libwsfj's scheduler (default: all). An experiment is named as 04, steal or 04-steal.\n\n"
         "  --workers P[,P...]  your own numbers of workers,\n"
         "  --length T[,T...]   lengths of a task (50us; ns, us, ms or s)\n"
         "  --count N[,N...]    and numbers of tasks; --list shows which of them an experiment takes.\n"
         "                      Without an experiment: latency. The tables go to standard output.\n"
         "  --out DIR           write tables (.csv) and findings there; with none of the three above the default is\n"
         "                      bench/lab/results\n"
         "  --quick             tiny sizes, to see whether all is in order: the figures mean nothing then\n"
         "  --list, --machine, --help\n\n"
         "Exit status: 0; 1 if something did not hold that must; 2 if the command line is invalid.");
}

void options_list(const struct lab_experiment *experiments, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool any = false;

        printf("%-12s %s", experiments[i].name, experiments[i].what);
        for (unsigned k = 0; k < LAB_OPTIONS; k++) {
            if (experiments[i].takes[k] == LAB_NONE)
                continue;
            printf("%s%s%s", any ? " " : " [", values[k].name, experiments[i].takes[k] == LAB_ONE ? "" : "...");
            any = true;
        }
        puts(any ? "]" : "");
    }
}
