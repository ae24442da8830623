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
    case FOR_OBJECT: return "an object of wait.h";
    default: return "a group";
    }
}

const struct place *race_place(uintptr_t pc)
{
    const struct place *places;
    const size_t n = race_places(pc, &places);
    size_t i = 0;

    while (i + 1 < n && (!places[i].file || strstr(places[i].file, "wsfj/inline/")))
        i++;
    return n ? &places[i] : NULL;
}

static void tell(FILE *f, const struct fiber *fiber)
{
    const struct place *place = race_place(fiber->pc);

    (void)fprintf(f, "%s waits for %s",
                  fiber->site                ? fiber->site->wsfj_task
                  : place && place->function ? place->function
                                             : "a task",
                  what(fiber->waits));
    if (fiber->waits == FOR_LOCK && race_owner(fiber->object) == fiber)
        (void)fputs(" that it holds", f);
    if (place && place->file)
        (void)fprintf(f, " at %s:%u", place->file, place->line);
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
