/* SPDX-License-Identifier: MIT */
/*
 * Races that are not to be told: the file WSFJ_RACE_SUPPRESS has a line for each, `function PATTERN` or `file PATTERN`, with
 * the wildcards of the shell. A race is suppressed if one of its two accesses, or a function of its stack, fits.
 */
#define _GNU_SOURCE
#include "report.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct rule {
    int file;
    char *pattern;
};

static struct rule *rules;
static size_t n_rules;

void race_suppress_start(void)
{
    const char *name = getenv("WSFJ_RACE_SUPPRESS");
    char *line = NULL;
    size_t room = 0, number = 0;
    FILE *f;

    if (!name || !*name)
        return;
    f = fopen(name, "re");
    if (!f)
        race_die("WSFJ_RACE_SUPPRESS=%s cannot be read (%m)", name);
    while (getline(&line, &room, f) > 0) {
        char *key, *pattern, *rest;

        number++;
        line[strcspn(line, "#\n")] = 0;
        key = strtok_r(line, " \t", &rest);
        pattern = key ? strtok_r(NULL, " \t", &rest) : NULL;
        if (!key)
            continue;
        if (!pattern || (strcmp(key, "function") != 0 && strcmp(key, "file") != 0)) {
            race_say("WSFJ_RACE_SUPPRESS=%s, line %zu: expected `function PATTERN` or `file PATTERN`; left out", name,
                     number);
            continue;
        }
        rules = realloc(rules, (n_rules + 1) * sizeof *rules);
        pattern = strdup(pattern);
        if (!rules || !pattern)
            race_die("no memory");
        rules[n_rules++] = (struct rule){strcmp(key, "file") == 0, pattern};
    }
    free(line);
    (void)fclose(f);
}

static int fits(const struct rule *r, const struct place *p)
{
    const char *base = p->file ? strrchr(p->file, '/') : NULL;

    if (!r->file)
        return p->function && fnmatch(r->pattern, p->function, 0) == 0;
    return p->file && (fnmatch(r->pattern, p->file, 0) == 0 || (base && fnmatch(r->pattern, base + 1, 0) == 0));
}

static int side_fits(const struct rule *r, const struct side *side)
{
    if (fits(r, &side->at))
        return 1;
    for (size_t i = 0; i < side->n_stack; i++)
        if (!r->file && fits(r, &side->stack[i]))
            return 1;
    return 0;
}

int race_suppressed(const struct report *report)
{
    for (size_t i = 0; i < n_rules; i++)
        if (side_fits(&rules[i], &report->earlier) || side_fits(&rules[i], &report->later))
            return 1;
    return 0;
}
