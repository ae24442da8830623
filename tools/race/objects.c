/* SPDX-License-Identifier: MIT */
/* Waits of wsfj/wait.h (inline/serial_wait.h). Serially only a later task could end one: a line names the site. By a schedule a
 * task that waits lets others run, and tests again after any change of any object. */
#include "report.h"
#include "schedule.h"

#include <wsfj/inline/race_hooks.h>

#include <errno.h>

static unsigned changes; /* of any object */

EXPORTED void wsfj_race_stay(int begins)
{
    if (begins)
        race_point();
    race_stays += begins ? 1u : -1u;
}

EXPORTED void wsfj_race_awake(void)
{
    if (UNLIKELY(race_scheduled) && race_here()) {
        changes++;
        race_wake(FOR_OBJECT, NULL, 1);
        race_point();
    }
}

/* Once for each site, of the first ones. */
static void tell(const char *call, uintptr_t pc)
{
    static uintptr_t told[16];
    const struct place *place;
    size_t i = 0;

    while (i < 16 && told[i] && told[i] != pc)
        i++;
    if (i == 16 || told[i])
        return;
    told[i] = pc;
    place = race_place(pc);
    race_say("%s() at %s:%u waits for what only a later task could do: EDEADLK, and what would follow is not judged",
             call, place && place->file ? place->file : "?", place ? place->line : 0);
}

EXPORTED int wsfj_race_await(const char *call, int is_timed)
{
    const uintptr_t pc = RETURN_PC;

    if (UNLIKELY(race_scheduled) && race_here()) {
        struct fiber *self = race_self();

        if (self->seen == changes) /* nothing has changed since before the test */
            return race_wait_for(FOR_OBJECT, NULL, pc, is_timed) ? ETIMEDOUT : 0;
        self->seen = changes;
        return 0;
    }
    if (is_timed)
        return ETIMEDOUT;
    tell(call, pc);
    return EDEADLK;
}
