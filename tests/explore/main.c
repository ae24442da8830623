/* SPDX-License-Identifier: MIT */
/*
 * PROGRAM: every program and its mutants; EXPLORE=full with wide bounds.
 *
 * PROGRAM number [mutant] SCHEDULE: one execution, with a trace. Programs and their mutants count from 1.
 *
 * PROGRAM orders [number]: see orders.c.
 *
 * Prints the line of totals. A check is a program that holds in every execution, or a mutant that is found and whose
 * schedule fails in the same way when it is replayed.
 */
#include "../support/limit.h"
#include "engine.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned checks, failures;
static const char *self;

static bool is_full(void)
{
    const char *text = getenv("EXPLORE");

    return text && strcmp(text, "full") == 0;
}

static void fail(const char *what)
{
    failures++;
    printf("    FAILED: %s\n", what);
}

static void check_program(unsigned number, const struct explore_program *p, struct explore_bounds bounds)
{
    static struct outcome o;

    checks++;
    search_all(p, bounds, NULL, &o);
    printf("%s (up to %u preemptions, %u stale loads): %lu executions\n", p->name, bounds.preemptions, bounds.stale,
           o.executions);
    if (o.failure) {
        fail(o.failure);
        printf("    replay: %s %u '%s'\n", self, number, o.schedule);
        (void)search_replay(p, NULL, o.schedule, true);
    }
}

static void check_mutant(const struct explore_program *p, unsigned number, unsigned which)
{
    static struct outcome o;
    const struct explore_mutant *m = &p->mutants[which];
    const char *again;

    checks++;
    search_find(p, m, p->full, &o);
    printf("    %u. %s: ", which + 1, m->name);
    if (!o.met)
        fail("there is no such site");
    else if (!o.failure)
        fail("not found");
    else if (!(again = search_replay(p, m, o.schedule, false)) || strcmp(again, o.failure) != 0)
        fail("found, but its replay differs");
    else
        printf("found after %lu: %s\n", o.executions, o.failure);
    if (o.failure && getenv("EXPLORE_SCHEDULES"))
        printf("        %s %u %u '%s'\n", self, number, which + 1, o.schedule);
}

static int replay(int argc, char **argv, const struct explore_program *p)
{
    const struct explore_mutant *m = argc > 3 ? &p->mutants[atoi(argv[2]) - 1] : NULL;
    const char *failure = search_replay(p, m, argv[argc - 1], true);

    printf("%s\n", failure ? failure : "holds");
    return failure != NULL;
}

/* The program of that number; 0: all. */
static int weaken(int number, const struct explore_program *programs)
{
    for (int i = 1; programs[i - 1].name; i++) {
        const struct explore_program *p = &programs[i - 1];

        if (number == 0 || number == i)
            orders_of(p, is_full() ? p->full : p->quick);
    }
    return 0;
}

/* A mutant may crash: that counts as found. The handler switches away, on a stack of its own. */
static void crash(int signal_number)
{
    if (current < 0) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
    search_fail("a crash");
}

static void catch_crashes(void)
{
    static char stack[65536];
    const stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = crash, .sa_flags = SA_ONSTACK | SA_NODEFER};

    sigaltstack(&alternative, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGILL, &action, NULL);
}

int explore_main(int argc, char **argv, const struct explore_program *programs)
{
    self = argv[0];
    catch_crashes();
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 1 && strcmp(argv[1], "orders") == 0)
        return weaken(argc > 2 ? atoi(argv[2]) : 0, programs);
    if (argc > 2)
        return replay(argc, argv, &programs[atoi(argv[1]) - 1]);
    if (!is_full())
        alarm(limit_seconds());
    for (unsigned i = 0; programs[i].name; i++) {
        const struct explore_program *p = &programs[i];
        struct explore_bounds bounds = is_full() ? p->full : p->quick;

        check_program(i + 1, p, bounds);
        for (unsigned m = 0; p->mutants && p->mutants[m].name; m++)
            check_mutant(p, i + 1, m);
    }
    printf("%u%%: Checks: %u, Failures: %u, Errors: 0\n", checks ? 100 * (checks - failures) / checks : 0, checks,
           failures);
    return checks == 0 || failures > 0;
}
