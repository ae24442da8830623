/* SPDX-License-Identifier: MIT */
#include "ways.h"

#include "../stress/stress.h"
#include "log.h"
#include "tasks.h"

#include <pthread.h>
#include <sched.h>

#define CALLERS_MOST 8 /* threads at the same time */
#define NAP_NS 50000

unsigned program_may = PROGRAM_BLOCK | PROGRAM_HOLD;

/* A thread costs as much as a thousand nodes, so there are few. */
enum way way_of(struct node node)
{
    static const enum way ways[] = {SPAWNED,   SPAWNED,   SPAWNED,  CALLED,       CALLED_PLAINLY,
                                    SUBMITTED, SUBMITTED, RUN_HERE, RUN_BLOCKING, RUN_BY_CALLER};
    enum way way = ways[pick(node, 11, sizeof ways / sizeof *ways)];

    return way == RUN_BY_CALLER && pick(node, 17, 6) ? SPAWNED : way;
}

static bool may_hold(void)
{
    return (program_may & (PROGRAM_BLOCK | PROGRAM_HOLD)) == (PROGRAM_BLOCK | PROGRAM_HOLD);
}

static void nap(void)
{
    nanosleep(&(struct timespec){0, NAP_NS}, NULL);
}

static void yield(void)
{
    count(&program_log->yields);
    ws_yield();
}

static WS_TASK(int, child, struct node, node, struct place *, place)
{
    return program_run(node, place);
}

WS_TASK_VOID(way_late, struct node, node, uint64_t *, out)
{
    struct place place;

    program_check(program_run(node, open_for(&place, node)) == 0);
    *out = value_of(&place);
}

/* A detached task has no frame of its own: it calls, or opens one. */
static void run_errand(void *argument)
{
    struct errand *e = argument;
    int error = -1;

    if (pick(e->node, 20, 2)) {
        error = program_run(e->node, e->place);
    } else {
        ws_frame();
        ws_spawn(child, &error, e->node, e->place);
        if (pick(e->node, 21, 4) == 0)
            yield();
        ws_sync();
    }
    program_check(error == 0);
}

void way_submit(ws_group *group, struct errand *errand, struct node node, struct place *place)
{
    bool patient = pick(node, 22, 4);

    *errand = (struct errand){node, place};
    if ((patient ? ws_group_submit : ws_group_try_submit)(group, run_errand, errand) == 0)
        count(&program_log->submits);
    else
        program_check(program_run(node, place) == 0);
}

static void run_blocking(struct node node, struct place *place)
{
    int error = -1;

    if (!may_hold()) {
        error = program_run(node, place);
    } else {
        WS_BLOCKING
        {
            count(&program_log->sections);
            if (pick(node, 23, 2))
                nap();
            error = program_run(node, place);
        }
    }
    program_check(error == 0);
}

struct caller {
    struct node node;
    struct place *place;
    int error, done;
};

static long callers;

static void *call_in(void *argument)
{
    struct caller *c = argument;

    c->error = program_run(c->node, c->place);
    raise_flag(&c->done);
    return NULL;
}

/* Not always in a blocking section: without a spare thread the worker waits, perhaps the caller's. The new thread may
 * be on this processor, which a yield of the only task does not free. */
static void wait_for_caller(struct caller *c)
{
    for (unsigned i = 1; !wait_flag(&c->done, 0); i++) {
        if (pick(c->node, 24, 2)) {
            WS_BLOCKING
            {
                count(&program_log->sections);
                nap();
            }
        }
        yield();
        if (i % 64 == 0)
            sched_yield();
    }
}

static void run_by_caller(struct node node, struct place *place)
{
    struct caller c = {.node = node, .place = place, .error = -1};
    pthread_t thread;
    bool may = __atomic_add_fetch(&callers, 1, __ATOMIC_RELAXED) <= CALLERS_MOST && may_hold() &&
               !(program_may & PROGRAM_ALONE);

    if (may && pthread_create(&thread, NULL, call_in, &c) == 0) {
        count(&program_log->callers);
        wait_for_caller(&c);
        pthread_join(thread, NULL);
    } else {
        c.error = program_run(node, place);
    }
    (void)__atomic_sub_fetch(&callers, 1, __ATOMIC_RELAXED);
    program_check(c.error == 0);
}

/* Never inlined: the C library says that a function never sees another thread than before. */
static __attribute__((noinline)) pthread_t thread_now(void)
{
    __asm__ volatile("" ::: "memory");
    return pthread_self();
}

/* The child's tasks run anywhere, the child where it began: on this thread. No spare thread: the pin is refused. */
static void run_pinned(struct node node, struct place *place)
{
    bool pinned = may_hold() && ws_pin() == 0;
    pthread_t thread = thread_now();

    if (pinned)
        count(&program_log->pins);
    program_check(program_run(node, place) == 0);
    if (pick(node, 56, 4) == 0)
        yield();
    program_check(!pinned || pthread_equal(thread, thread_now()));
    if (pinned)
        ws_unpin();
}

static WS_TASK_VOID(awaited, struct caller *, c)
{
    c->error = program_run(c->node, c->place);
    raise_flag(&c->done);
}

static void awaited_errand(void *argument)
{
    awaited(argument);
}

/* The child, spawned or detached, is reached only if a thief finds it, or is told of it. */
static void run_below(struct node node, struct place *place)
{
    struct caller c = {.node = node, .place = place, .error = -1};

    ws_frame();
    if (pick(node, 58, 2) || ws_submit(awaited_errand, &c) != 0)
        ws_spawn(awaited, &c);
    WS_BLOCKING
    {
        count(&program_log->sections);
        while (!is_raised(&c.done))
            nap();
    }
    ws_sync();
    program_check(c.error == 0);
}

void way_run(struct node node, struct place *place)
{
    switch (way_of(node)) {
    case RUN_BLOCKING: run_blocking(node, place); break;
    case RUN_BY_CALLER: run_by_caller(node, place); break;
    default:
        if (program_may & PROGRAM_PIN && pick(node, 55, 8) == 0)
            run_pinned(node, place);
        else if (program_may & PROGRAM_RELY && pick(node, 57, 4) == 0)
            run_below(node, place);
        else
            program_check(program_run(node, place) == 0);
    }
}

static void stray(void *unused)
{
    (void)unused;
    (void)__atomic_fetch_add(&program_log->strays_done, 1, __ATOMIC_RELEASE); /* for way_settle() */
}

static bool send_stray(int (*submit)(ws_function *, void *))
{
    bool sent = submit(stray, NULL) == 0;

    if (sent)
        count(&program_log->strays_sent);
    return sent;
}

bool way_send_stray(void)
{
    return send_stray(ws_try_submit);
}

void way_pause(struct node node, unsigned what)
{
    uint32_t turn = pick(node, what, 512);

    if (turn < 4) {
        yield();
    } else if (turn < 7) {
        (void)send_stray(turn == 6 ? ws_try_submit : ws_submit);
    } else if (turn < 10 && program_may & PROGRAM_BLOCK) {
        count(&program_log->sections);
        ws_blocking_begin();
        if (turn == 8)
            nap();
        if (turn == 9)
            WS_BLOCKING ws_yield(); /* nested, and with nothing to wait for */
        ws_blocking_end();
    }
}

void program_work(struct node node)
{
    uint32_t turn = pick(node, 6, 512);

    count(&program_log->ran);
    if (turn == 0)
        nanosleep(&(struct timespec){0, (long)pick(node, 7, 100000)}, NULL);
    else if (turn < 32)
        sched_yield();
    else
        spin(pick(node, 7, turn < 40 ? 8192 : 32));
    way_pause(node, 25);
}

void program_spawned(const struct brood *brood)
{
    (void)__atomic_fetch_add(&program_log->spawns, (long)brood->spawns + brood->late, __ATOMIC_RELAXED);
}

void way_settle(void)
{
    while (__atomic_load_n(&program_log->strays_done, __ATOMIC_ACQUIRE) <
           __atomic_load_n(&program_log->strays_sent, __ATOMIC_ACQUIRE))
        nap();
}
