/* SPDX-License-Identifier: MIT */
/* By a schedule: all tasks wait. One line says for what. */
#include "report.h"
#include "schedule.h"

#include <wsfj/inline/race_hooks.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_TOLD = 4, FOUND = 66 };

static const char *what(enum wait waits)
{
    switch (waits) {
    case FOR_LOCK: return "a lock";
    case FOR_SIGNAL: return "a signal of a condition variable";
    case FOR_POST: return "a semaphore";
    default: return "a group";
    }
}

static void tell(FILE *f, const struct fiber *fiber)
{
    const struct place *places;
    const size_t n = race_places(fiber->pc, &places);
    size_t i = 0;

    while (i + 1 < n && !places[i].file)
        i++;
    (void)fprintf(f, "%s waits for %s",
                  fiber->site          ? fiber->site->wsfj_task
                  : places[i].function ? places[i].function
                                       : "a task",
                  what(fiber->waits));
    if (fiber->waits == FOR_LOCK && race_owner(fiber->object) == fiber)
        (void)fputs(" that it holds", f);
    if (places[i].file)
        (void)fprintf(f, " at %s:%u", places[i].file, places[i].line);
}

void race_deadlock(void)
{
    struct fiber *const *list;
    const size_t n = race_waiting(&list);
    size_t told = 0;
    FILE *f = race_stderr();

    (void)fflush(stdout);
    (void)fprintf(f, "wsfj-race: seed %s: deadlock: ", race_seed);
    for (size_t i = 0; i < n && told < MOST_TOLD; i++) {
        if (told++)
            (void)fputs(", ", f);
        tell(f, list[i]);
    }
    if (n > told)
        (void)fprintf(f, " and %zu more wait", n - told);
    (void)fputc('\n', f);
    _exit(FOUND);
}
