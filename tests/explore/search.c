/* SPDX-License-Identifier: MIT */
/*
 * The search: depth first through the tree of choices, each execution from the start. The last choice that has a way
 * not yet taken takes it in the next execution.
 *
 * A schedule lists the choices that do not take their first way, each with its step and its kind: "12p1 12w0 20s2".
 */
#include "engine.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_CHOICES 8192

static struct choice {
    unsigned step;
    enum kind kind;
    unsigned taken, ways;
} trail[MOST_CHOICES];

static const char letters[] = "pwsc";
static unsigned length, position;
static bool replaying, loud, mutant_met;
static const char *failure, *race;
static const struct explore_mutant *mutant;
static unsigned epoch;

struct explore_bounds budget;
unsigned execution, step;

/* The choices of a replayed schedule. */
static unsigned recorded(enum kind kind)
{
    for (unsigned i = 0; i < length; i++) {
        if (trail[i].step == step && trail[i].kind == kind)
            return trail[i].taken;
    }
    return 0;
}

unsigned search_choose(bool open, enum kind kind, unsigned n)
{
    if (replaying)
        return recorded(kind) < n ? recorded(kind) : 0;
    if (!open || n < 2)
        return 0;
    if (position == length) {
        if (length == MOST_CHOICES) {
            search_fail("too many choices");
            return 0;
        }
        trail[length++] = (struct choice){step, kind, 0, n};
    }
    return trail[position++].taken;
}

unsigned explore_choose(unsigned n)
{
    step++;
    return search_choose(true, PROGRAM, n);
}

void search_fail(const char *what)
{
    if (!failure)
        failure = what;
    search_trace(NULL, "fails: %s", what);
    if (current >= 0)
        thread_stop();
}

void search_note_race(void)
{
    race = "a race: a plain access is not ordered";
    search_trace(NULL, "notes %s", race);
}

void explore_must(bool ok, const char *what)
{
    if (!ok)
        search_fail(what);
}

void search_trace(const struct engine_site *site, const char *format, ...)
{
    va_list arguments;

    if (!loud)
        return;
    printf("%5u  thread %d  ", step, current);
    if (site)
        printf("%s:%d %s: %s %s ", site->file, site->line, site->function, site->operation, site->place);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

/* The function, or any function if that is NULL. */
static bool names(const struct explore_mutant *m, const struct engine_site *site)
{
    return strcmp(m->operation, site->operation) == 0 && (!m->function || strcmp(m->function, site->function) == 0) &&
           strcmp(m->place, site->place) == 0;
}

const struct explore_mutant *search_mutant(struct engine_site *site)
{
    if (site->epoch != epoch) {
        site->epoch = epoch;
        site->mutant = mutant && names(mutant, site) ? mutant : NULL;
        mutant_met |= site->mutant != NULL;
    }
    return site->mutant;
}

/* False: a location turned out to be shared, and the execution does not count. */
static bool execute(const struct explore_program *program, struct explore_bounds bounds)
{
    execution++;
    budget = bounds;
    position = step = 0;
    failure = race = NULL;
    memory_begin();
    kernel_begin();
    program->setup();
    if (thread_run_all(program) && program->check)
        program->check();
    if (!failure)
        failure = race;
    return location_begin();
}

/* To the next way; false if there is none. */
static bool backtrack(void)
{
    while (length && trail[length - 1].taken + 1 == trail[length - 1].ways)
        length--;
    if (length)
        trail[length - 1].taken++;
    return length > 0;
}

static void begin(const struct explore_mutant *m, bool replay, bool trace)
{
    mutant = m;
    mutant_met = false;
    epoch++;
    replaying = replay;
    loud = trace;
    length = 0;
}

static void write_schedule(char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < length && used + 32 < size; i++) {
        if (trail[i].taken)
            used += (size_t)snprintf(text + used, size - used, "%s%u%c%u", used ? " " : "", trail[i].step,
                                     letters[trail[i].kind], trail[i].taken);
    }
}

void search_all(const struct explore_program *program, struct explore_bounds bounds, const struct explore_mutant *m,
                struct outcome *outcome)
{
    begin(m, false, false);
    outcome->executions = 0;
    for (bool more = true; more;) {
        bool counts = execute(program, bounds);

        outcome->executions++;
        if (failure) {
            more = false;
        } else if (counts) {
            more = backtrack();
        } else {
            length = 0;
            outcome->executions = 0;
        }
    }
    outcome->failure = failure;
    outcome->met = mutant_met;
    write_schedule(outcome->schedule, sizeof outcome->schedule);
}

void search_find(const struct explore_program *program, const struct explore_mutant *m, struct explore_bounds most,
                 struct outcome *outcome)
{
    unsigned long before = 0;

    for (unsigned sum = 0; sum <= most.preemptions + most.stale; sum++) {
        struct explore_bounds bounds = {sum < most.preemptions ? sum : most.preemptions,
                                        sum < most.stale ? sum : most.stale};

        search_all(program, bounds, m, outcome);
        outcome->executions += before;
        before = outcome->executions;
        if (outcome->failure)
            return;
    }
}

static void read_schedule(const char *text)
{
    char letter;
    struct choice c = {0};
    int used;

    for (; sscanf(text, "%u%c%u%n", &c.step, &letter, &c.taken, &used) == 3; text += used) {
        const char *known = strchr(letters, letter);

        if (known && length < MOST_CHOICES) {
            c.kind = (enum kind)(known - letters);
            trail[length++] = c;
        }
    }
}

const char *search_replay(const struct explore_program *program, const struct explore_mutant *m, const char *schedule,
                          bool trace)
{
    begin(m, true, trace);
    read_schedule(schedule);
    (void)execute(program, (struct explore_bounds){0, 0});
    return failure;
}
