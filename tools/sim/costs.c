/* SPDX-License-Identifier: MIT */
#include "costs.h"

#include "fail.h"
#include "machine.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST 1e15 /* of a value: 11 days in nanoseconds, 16 minutes in picoseconds */

/* Figures of a server of one socket; doc/simulator.md says where they are from. */
struct sim_costs sim_costs = {
    .pause = 30,
    .clock = 20,
    .lock = 20,
    .atomic = 2000,
    .rmw = 2000,
    .spawn = 4000,
    .futex = 300,
    .wake_call = 1200,
    .membarrier = 3000,
    .yield = 400,
    .create = 10000,
    .asked = 50,
    .answered = 50,
    .forced = 0,
    .suspend = 50,
    .resume = 100,
    .change = 1500,
    .slice = 3000000,
    .attempt = {10, 20, 40, 60, 120},
    .steal = {80, 100, 150, 200, 400},
    .migrate = {0, 2000, 5000, 10000, 20000},
    .wake = {5000, 9000, 30000},
};

enum kind { PLAIN = 1, BY_TIER = 2, DELAY = 4, FINE = 8 /* in picoseconds */ };

static const struct name {
    const char *name;
    unsigned kind;
    size_t offset;
} names[] = {
    {"pause", PLAIN, offsetof(struct sim_costs, pause)},
    {"clock", PLAIN, offsetof(struct sim_costs, clock)},
    {"lock", PLAIN, offsetof(struct sim_costs, lock)},
    {"atomic", PLAIN | FINE, offsetof(struct sim_costs, atomic)},
    {"atomic-rmw", PLAIN | FINE, offsetof(struct sim_costs, rmw)},
    {"line", BY_TIER | FINE, offsetof(struct sim_costs, line)},
    {"spawn", PLAIN | FINE, offsetof(struct sim_costs, spawn)},
    {"steal-attempt", BY_TIER, offsetof(struct sim_costs, attempt)},
    {"steal", BY_TIER, offsetof(struct sim_costs, steal)},
    {"expose.asked", PLAIN, offsetof(struct sim_costs, asked)},
    {"expose.answered", PLAIN, offsetof(struct sim_costs, answered)},
    {"expose.forced", PLAIN, offsetof(struct sim_costs, forced)},
    {"task", PLAIN, offsetof(struct sim_costs, task)},
    {"suspend", PLAIN, offsetof(struct sim_costs, suspend)},
    {"resume", PLAIN, offsetof(struct sim_costs, resume)},
    {"futex-call", PLAIN, offsetof(struct sim_costs, futex)},
    {"wake-call", PLAIN, offsetof(struct sim_costs, wake_call)},
    {"wake", DELAY, offsetof(struct sim_costs, wake)},
    {"late", DELAY, offsetof(struct sim_costs, late)},
    {"membarrier", PLAIN, offsetof(struct sim_costs, membarrier)},
    {"yield", PLAIN, offsetof(struct sim_costs, yield)},
    {"switch", PLAIN, offsetof(struct sim_costs, change)},
    {"slice", PLAIN, offsetof(struct sim_costs, slice)},
    {"migrate", BY_TIER, offsetof(struct sim_costs, migrate)},
    {"create", PLAIN, offsetof(struct sim_costs, create)},
};
enum { NAMES = sizeof names / sizeof *names };

/* Where an error is. */
struct place {
    const char *file;
    unsigned line;
};

static uint64_t *value_of(const struct name *n)
{
    return (uint64_t *)(void *)((char *)&sim_costs + n->offset);
}

/* The name and the values of NAME or NAME.TIER; NULL: no such name. */
static const struct name *find(const char *text, uint64_t **values)
{
    for (const struct name *n = names; n < names + NAMES; n++) {
        size_t length = strlen(n->name);

        *values = value_of(n);
        if (!(n->kind & BY_TIER) && strcmp(text, n->name) == 0)
            return n;
        if (!(n->kind & BY_TIER) || strncmp(text, n->name, length) != 0 || text[length] != '.')
            continue;
        for (unsigned tier = 0; tier < WSFJ_TIER_COUNT; tier++, ++*values)
            if (strcmp(text + length + 1, wsfj_tier_names[tier]) == 0)
                return n;
    }
    return NULL;
}

static double unit_of(const char *text)
{
    return !text ? 0 : strcmp(text, "ns") == 0 ? 1 : strcmp(text, "us") == 0 ? 1e3 : strcmp(text, "ms") == 0 ? 1e6 : 0;
}

static uint64_t parse(const struct place *at, const char *name, const char *text, double unit)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !isfinite(value))
        sim_fail(SIM_EXIT_USAGE, "%s:%u: %s: '%s' is no number", at->file, at->line, name, text);
    if (value < 0)
        sim_fail(SIM_EXIT_USAGE, "%s:%u: %s: %s is negative", at->file, at->line, name, text);
    if (value * unit > LARGEST)
        sim_fail(SIM_EXIT_USAGE, "%s:%u: %s: %s is too large (at most 1e9 ms)", at->file, at->line, name, text);
    return (uint64_t)llround(value * unit);
}

static void read_line(const struct place *at, char *line)
{
    char *words[6], *save;
    const struct name *name;
    unsigned n = 0, count;
    uint64_t *value;
    double unit;

    line[strcspn(line, "#\n")] = '\0';
    for (char *w = strtok_r(line, " \t\r", &save); w && n < 6; w = strtok_r(NULL, " \t\r", &save))
        words[n++] = w;
    if (n == 0)
        return;
    name = find(words[0], &value);
    if (!name)
        sim_fail(SIM_EXIT_USAGE, "%s:%u: unknown name '%s'", at->file, at->line, words[0]);
    count = name->kind & DELAY ? 3 : 1;
    if (n != count + 2)
        sim_fail(SIM_EXIT_USAGE, "%s:%u: %s needs %s and a unit", at->file, at->line, words[0],
                 count == 1 ? "a value" : "three values (p50, p90, p99)");
    unit = unit_of(words[n - 1]);
    if (unit == 0)
        sim_fail(SIM_EXIT_USAGE, "%s:%u: %s: unknown unit '%s' (ns, us or ms)", at->file, at->line, words[0],
                 words[n - 1]);
    for (unsigned i = 0; i < count; i++)
        value[i] = parse(at, words[0], words[i + 1], name->kind & FINE ? 1000 * unit : unit);
    if (count == 3 && (value[0] > value[1] || value[1] > value[2]))
        sim_fail(SIM_EXIT_USAGE, "%s:%u: %s: p50, p90 and p99 must not fall", at->file, at->line, words[0]);
    if (value == &sim_costs.slice && *value == 0)
        sim_fail(SIM_EXIT_USAGE, "%s:%u: slice must not be 0", at->file, at->line);
}

void sim_costs_read(const char *name)
{
    FILE *file = fopen(name, "r");
    struct place at = {name, 0};
    char *line = NULL;
    size_t room = 0;

    if (!file)
        sim_fail(SIM_EXIT_USAGE, "--costs %s: %s", name, strerror(errno));
    while (getline(&line, &room, file) >= 0) {
        at.line++;
        read_line(&at, line);
    }
    if (ferror(file))
        sim_fail(SIM_EXIT_USAGE, "--costs %s: it cannot be read", name);
    free(line);
    fclose(file);
}

static void write_values(FILE *file, const struct name *n, const uint64_t *v)
{
    if (n->kind & DELAY)
        fprintf(file, " %ju %ju %ju ns", (uintmax_t)v[0], (uintmax_t)v[1], (uintmax_t)v[2]);
    else if (n->kind & FINE && *v % 1000)
        fprintf(file, " %ju.%03ju ns", (uintmax_t)(*v / 1000), (uintmax_t)(*v % 1000));
    else
        fprintf(file, " %ju ns", (uintmax_t)(n->kind & FINE ? *v / 1000 : *v));
}

void sim_costs_write_one(FILE *file, const char *text)
{
    uint64_t *values;
    const struct name *n = find(text, &values);

    fputs(text, file);
    write_values(file, n, values);
}

void sim_costs_write(FILE *file)
{
    for (const struct name *n = names; n < names + NAMES; n++) {
        const uint64_t *v = value_of(n);

        for (unsigned tier = 0; tier < (n->kind & BY_TIER ? WSFJ_TIER_COUNT : 1); tier++) {
            fprintf(file, "%s%s%s", n->name, n->kind & BY_TIER ? "." : "",
                    n->kind & BY_TIER ? wsfj_tier_names[tier] : "");
            write_values(file, n, v + tier);
            fputc('\n', file);
        }
    }
}

static uint64_t state = 1;

void sim_costs_seed(uint64_t seed)
{
    state = seed;
}

/* splitmix64; any good generator will do. */
uint64_t sim_random(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The distribution is linear between its points. It begins at half of p50 and ends at twice p99. */
static uint64_t draw(const struct sim_delay *d)
{
    const uint64_t value[] = {d->p50 / 2, d->p50, d->p90, d->p99, 2 * d->p99};
    static const uint64_t end[] = {0, 500, 900, 990, 1000};
    uint64_t u = (sim_random() >> 11) % 1000000;
    unsigned i = 1;

    while (u >= end[i] * 1000)
        i++;
    return value[i - 1] + (value[i] - value[i - 1]) * (u - end[i - 1] * 1000) / ((end[i] - end[i - 1]) * 1000);
}

uint64_t sim_costs_wake(void)
{
    return draw(&sim_costs.wake);
}

/* Nothing is drawn where timers are exact. */
uint64_t sim_costs_late(void)
{
    return sim_costs.late.p99 ? draw(&sim_costs.late) : 0;
}

uint64_t sim_costs_migrate(unsigned from, unsigned to)
{
    return sim_costs.migrate[sim_machine_tier(from, to)];
}
