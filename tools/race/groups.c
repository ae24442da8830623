/* SPDX-License-Identifier: MIT */
/*
 * Detached tasks and groups. A task runs where it is submitted, and is pending until its group is waited for; one without
 * a group is pending for ever. That is series-parallel as long as a task waits only for what was submitted in it. A wait
 * for more is said in one line, and then takes what was submitted outside as done for everyone.
 */
#include "schedule.h"

#include <wsfj/inline/race_hooks.h>

#include <errno.h>

EXPORTED int wsfj_race_submit(const void *group, struct ws_scope *scope, wsfj_race_call *call, void (*fn)(void *),
                              void *arg)
{
    struct wsfj_spawned child;

    if (!fn)
        return EINVAL;
    if (UNLIKELY(race_scheduled))
        return race_task_submit(group, scope, call, fn, arg, RETURN_PC);
    if (!race_enter(1)) {
        call(scope, fn, arg);
        return 0;
    }
    race.groups = 1;
    race.known_span = race.next_odd = 0;
    race_spawn(&child, group ? group : &race_detached, NULL, RETURN_PC, RETURN_BASE);
    call(scope, fn, arg);
    race_spawn_end(&child);
    return 0;
}

/* Whether a task of the group was submitted in a child that nobody has waited for: what that one did before is then done,
 * too, and taken as parallel still. */
static int submitted_inside(const void *group, size_t first)
{
    for (size_t i = first; i < race.pending; i++)
        if (race.intervals[i].owner == group &&
            ((i > first && race.intervals[i - 1].end == race.intervals[i].start &&
              race.intervals[i - 1].owner != group) ||
             (i + 1 < race.pending && race.intervals[i + 1].start == race.intervals[i].end &&
              race.intervals[i + 1].owner != group)))
            return 1;
    return 0;
}

EXPORTED int wsfj_race_wait(const void *group)
{
    static int told, told_inside;
    const uint32_t first =
        race.inner ? race.inner->wsfj_loop ? race.inner->wsfj_each_first : race.inner->wsfj_first : 0;

    if (UNLIKELY(race_scheduled))
        race_group_wait(group, RETURN_PC);
    if (!race_checks())
        return 0;
    for (size_t i = 0; i < first && i < race.pending; i++)
        if (race.intervals[i].owner == group && race.intervals[i].end != race.intervals[i].start) {
            if (!told++)
                race_say("a task waits for a group that another task has submitted to: that is not series-parallel, and "
                         "races of those tasks with what follows may be missed");
            race.intervals[i].end = race.intervals[i].start;
        }
    if (submitted_inside(group, first) && !told_inside++)
        race_say(
            "a group is waited for before the child that has submitted to it: that is not series-parallel, and false "
            "races of this child may follow");
    race_join(group, first);
    race_leave_if_idle();
    return 0;
}

EXPORTED void wsfj_race_yield(void)
{
    if (!race_here())
        return;
    race_slot_leave(race_self());
    race_turn();
}
