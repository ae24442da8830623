/* SPDX-License-Identifier: MIT */
/* By a schedule: the fibers that wait for a lock, a signal or a group, and who holds which mutex. */
#define _GNU_SOURCE
#include "schedule.h"

#include <sys/stat.h>

static struct fiber *waiting[MOST_FIBERS + 1];
static size_t n_waiting;

/** The running fiber waits. @return 1: the time is over */
int race_wait_for(enum wait kind, const volatile void *object, uintptr_t pc, int is_timed)
{
    struct fiber *self = race_self();

    self->waits = kind;
    self->object = object;
    self->pc = pc;
    self->is_timed = is_timed;
    self->timed_out = 0;
    waiting[n_waiting++] = self;
    race_next();
    return self->timed_out;
}

static void wake_at(size_t i)
{
    struct fiber *fiber = waiting[i];

    waiting[i] = waiting[--n_waiting];
    race_make_ready(fiber);
}

/** All that wait for it, or a drawn one. */
void race_wake(enum wait kind, const volatile void *object, int all)
{
    size_t found = 0, wanted;

    for (size_t i = 0; i < n_waiting; i++)
        found += waiting[i]->waits == kind && waiting[i]->object == object;
    if (!found)
        return;
    wanted = all ? 0 : race_draw((unsigned)found);
    for (size_t i = n_waiting; i-- > 0;)
        if (waiting[i]->waits == kind && waiting[i]->object == object && (all || !wanted--)) {
            wake_at(i);
            if (!all)
                return;
        }
}

/** Everything that a thread outside of the tasks may have ended. */
void race_wake_all(void)
{
    for (size_t i = n_waiting; i-- > 0;)
        if (waiting[i]->waits == FOR_LOCK || waiting[i]->waits == FOR_POST || waiting[i]->waits == FOR_OBJECT)
            wake_at(i);
}

/** Time passes only when nothing else can happen: then a drawn one of those that wait with a limit goes on. */
int race_wake_timed(void)
{
    unsigned n = 0, wanted;

    for (size_t i = 0; i < n_waiting; i++)
        n += waiting[i]->is_timed != 0;
    if (!n)
        return 0;
    wanted = race_draw(n);
    for (size_t i = 0;; i++)
        if (waiting[i]->is_timed && !wanted--) {
            waiting[i]->timed_out = 1;
            wake_at(i);
            return 1;
        }
}

size_t race_waiting(struct fiber *const **list)
{
    *list = waiting;
    return n_waiting;
}

/** Whether the program has threads of its own. */
int race_other_threads(void)
{
    struct stat s;

    return stat("/proc/self/task", &s) == 0 && s.st_nlink > 3; /* two links, and one for each thread */
}

/* Of a recursive mutex the C library knows the thread that has it, which is the same for all fibers. */
static struct held {
    const volatile void *lock;
    struct fiber *by;
    unsigned times;
} * held;
static size_t n_held, room;

static struct held *held_of(const volatile void *lock)
{
    for (size_t i = n_held; i-- > 0;)
        if (held[i].lock == lock)
            return &held[i];
    return NULL;
}

struct fiber *race_owner(const volatile void *lock)
{
    const struct held *h = held_of(lock);

    return h ? h->by : NULL;
}

void race_owns(const volatile void *lock)
{
    struct held *h = held_of(lock);

    if (h) {
        h->times++;
        return;
    }
    if (n_held == room) {
        struct held *more = race_map(sizeof *more * (2 * room + 1024)); /* the old one stays mapped */

        for (size_t i = 0; i < n_held; i++)
            more[i] = held[i];
        held = more;
        room = 2 * room + 1024;
    }
    held[n_held++] = (struct held){lock, race_self(), 1};
}

void race_owns_no_more(const volatile void *lock)
{
    struct held *h = held_of(lock);

    if (h && --h->times == 0)
        *h = held[--n_held];
}
