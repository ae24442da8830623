/* SPDX-License-Identifier: MIT */
/* Reads "NAME=VALUES": values separated by commas. 2..8 is 2, 3, ..., 8; 1..9+2 has steps of 2; 1..64*2 doubles. */
#include "sweep.h"

#include "fail.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_sweep sim_sweeps[SIM_SWEEPS_MOST];
size_t sim_num_sweeps;

static void add(struct sim_sweep *sweep, const char *value)
{
    if (sweep->count == SIM_POINTS_MOST)
        sim_fail(SIM_EXIT_USAGE, "--sweep %s: more than %d values", sweep->name, SIM_POINTS_MOST);
    sweep->values = sim_again(sweep->values, (sweep->count + 1) * sizeof *sweep->values);
    sweep->values[sweep->count] = strdup(value);
    if (!sweep->values[sweep->count])
        sim_fail(SIM_EXIT_SYSTEM, "no memory for --sweep");
    sweep->count++;
}

static bool number(const char **text, uint64_t *value)
{
    char *end;

    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *value = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

static void add_range(struct sim_sweep *sweep, const char *text)
{
    const char *at = text;
    uint64_t from, to, step = 1;
    char how = '+';
    char value[32];

    bool ok = number(&at, &from) && strncmp(at, "..", 2) == 0;

    at += 2 * ok;
    ok = ok && number(&at, &to);
    if (ok && (*at == '+' || *at == '*')) {
        how = *at++;
        ok = number(&at, &step);
    }
    if (!ok || *at || from > to || step < (how == '*' ? 2 : 1) || (how == '*' && from == 0))
        sim_fail(SIM_EXIT_USAGE, "--sweep %s: '%s' is no range (2..8, 0..100+10, 1..1024*2)", sweep->name, text);
    for (;;) {
        snprintf(value, sizeof value, "%" PRIu64, from);
        add(sweep, value);
        if (how == '+' ? to - from < step : from > to / step)
            return;
        from = how == '+' ? from + step : from * step;
    }
}

void sim_sweep_add(const char *text)
{
    struct sim_sweep *sweep = &sim_sweeps[sim_num_sweeps];
    const char *equals = strchr(text, '=');
    char *copy = strdup(text), *item, *rest;

    if (!copy)
        sim_fail(SIM_EXIT_SYSTEM, "no memory for --sweep");
    if (!equals || equals == text || !equals[1])
        sim_fail(SIM_EXIT_USAGE, "--sweep %s: expected NAME=VALUES", text);
    if (sim_num_sweeps == SIM_SWEEPS_MOST)
        sim_fail(SIM_EXIT_USAGE, "--sweep %s: at most %d sweeps", text, SIM_SWEEPS_MOST);
    copy[equals - text] = '\0';
    sweep->name = copy;
    for (size_t i = 0; i < sim_num_sweeps; i++)
        if (strcmp(sim_sweeps[i].name, copy) == 0)
            sim_fail(SIM_EXIT_USAGE, "--sweep %s: there is one of %s already", text, copy);
    for (item = copy + (equals - text) + 1; item; item = rest) {
        rest = strchr(item, ',');
        if (rest)
            *rest++ = '\0';
        if (!*item)
            sim_fail(SIM_EXIT_USAGE, "--sweep %s: an empty value", text);
        if (strstr(item, ".."))
            add_range(sweep, item);
        else
            add(sweep, item);
    }
    sim_num_sweeps++;
    if (sim_sweep_points() > SIM_POINTS_MOST)
        sim_fail(SIM_EXIT_USAGE, "--sweep %s: more than %d points", text, SIM_POINTS_MOST);
}

size_t sim_sweep_points(void)
{
    size_t points = 1;

    for (size_t i = 0; i < sim_num_sweeps; i++)
        points *= sim_sweeps[i].count;
    return points;
}

void sim_sweep_point(size_t point, const char **values)
{
    for (size_t i = sim_num_sweeps; i-- > 0;) {
        values[i] = sim_sweeps[i].values[point % sim_sweeps[i].count];
        point /= sim_sweeps[i].count;
    }
}
