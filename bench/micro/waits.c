/* SPDX-License-Identifier: MIT */
/*
 * Tasks that wait for each other. Two tasks take turns: each lets the other one go on, and waits. A value is the time of a
 * turn, of many in a row: what makes a task runnable, its resumption, and the other one's suspension.
 */
#include "micro.h"

#include <errno.h>
#include <stdatomic.h>
#include <wsfj.h>

#define TURNS 500  /* for each value, of both tasks */
#define ROUNDS 100 /* for each value, of what need not wait */
/* How long the setter on the other worker gives the waiter to leave its stack. */
#define SUSPEND_NS 20000u

static ws_event events[2];
static ws_channel channels[2];
static ws_mutex mutex;
static size_t turns;

/* Lets the other one go on, and waits. */
static int turn_by_event(int mine)
{
    int error;

    ws_event_set(&events[!mine]);
    error = ws_event_wait(&events[mine]);
    ws_event_reset(&events[mine]);
    return error;
}

static int turn_by_channel(int mine)
{
    long item = 0;
    int error = ws_channel_send(&channels[!mine], &item);

    return error ? error : ws_channel_receive(&channels[mine], &item);
}

/* The second task, which waits first and is let go last. */
static void answer_by_event(void *error)
{
    *(int *)error = ws_event_wait(&events[1]);
    ws_event_reset(&events[1]);
    for (size_t i = 1; i < turns; i++)
        *(int *)error |= turn_by_event(1);
    ws_event_set(&events[0]);
}

static void answer_by_channel(void *error)
{
    long item = 0;

    *(int *)error = ws_channel_receive(&channels[1], &item);
    for (size_t i = 1; i < turns; i++)
        *(int *)error |= turn_by_channel(1);
    *(int *)error |= ws_channel_send(&channels[0], &item);
}

static WS_TASK(int, take_turns, double *, values, size_t, n, ws_function *, answer, int, by_event)
{
    ws_group group = WS_GROUP_INIT;
    int error, other = 0;

    turns = n * TURNS / 2;
    error = ws_group_submit(&group, answer, &other);
    for (size_t i = 0; i < n && !error; i++) {
        uint64_t start = sample_now();

        for (size_t k = 0; k < TURNS / 2; k++)
            error |= by_event ? turn_by_event(0) : turn_by_channel(0);
        values[i] = (double)(sample_now() - start) / TURNS;
    }
    return error | ws_group_wait(&group) | other;
}

static enum micro_end run_turns(double *values, size_t n, const char **why, size_t workers, ws_function *answer)
{
    int error, wrong = 0;

    for (int i = 0; i < 2; i++) {
        events[i] = (ws_event)WS_EVENT_INIT;
        channels[i] = (ws_channel)WS_CHANNEL_UNBUFFERED(long);
    }
    *why = micro_start(workers, WS_SPIN_DEFAULT);
    if (*why)
        return MICRO_FAILED;
    error = ws_run(take_turns, &wrong, values, n, answer, answer == answer_by_event);
    *why = error || wrong ? ws_strerror(error ? error : wrong) : NULL;
    return *why ? MICRO_FAILED : MICRO_DONE;
}

enum micro_end micro_event(double *values, size_t n, const char **why)
{
    return run_turns(values, n, why, 1, answer_by_event);
}

enum micro_end micro_channel(double *values, size_t n, const char **why)
{
    return run_turns(values, n, why, 1, answer_by_channel);
}

enum micro_end micro_channel_two(double *values, size_t n, const char **why)
{
    return run_turns(values, n, why, 2, answer_by_channel);
}

static WS_TASK(int, need_not_wait, double *, values, size_t, n, int, by_event)
{
    int error = 0;

    ws_event_set(&events[0]);
    for (size_t i = 0; i < n; i++) {
        uint64_t start = sample_now();

        for (int k = 0; k < ROUNDS; k++) {
            if (by_event)
                error |= ws_event_wait(&events[0]);
            else
                error |= ws_mutex_lock(&mutex) | ws_mutex_unlock(&mutex);
        }
        values[i] = (double)(sample_now() - start) / ROUNDS;
    }
    return error;
}

static enum micro_end run_plainly(double *values, size_t n, const char **why, int by_event)
{
    int error, wrong = 0;

    *why = micro_start(1, WS_SPIN_DEFAULT);
    if (*why)
        return MICRO_FAILED;
    error = ws_run(need_not_wait, &wrong, values, n, by_event);
    *why = error || wrong ? ws_strerror(error ? error : wrong) : NULL;
    return *why ? MICRO_FAILED : MICRO_DONE;
}

enum micro_end micro_event_set(double *values, size_t n, const char **why)
{
    return run_plainly(values, n, why, 1);
}

enum micro_end micro_mutex(double *values, size_t n, const char **why)
{
    return run_plainly(values, n, why, 0);
}

/* A waiter and a setter that keeps its worker: the waiter resumes on the other one. */
struct elsewhere {
    double *values;
    size_t n;
    atomic_size_t waits, resumed; /* how often the waiter was about to wait, and is back */
    atomic_int stop;
    uint64_t set; /* when */
    int error;
};

static void wait_elsewhere(void *arg)
{
    struct elsewhere *e = arg;

    for (size_t i = 0; i < e->n && !atomic_load(&e->stop); i++) {
        ws_event_reset(&events[0]);
        atomic_store(&e->waits, i + 1);
        e->error |= ws_event_wait(&events[0]);
        e->values[i] = (double)(sample_now() - e->set);
        atomic_store(&e->resumed, i + 1);
    }
}

/* Spins until the count is reached; 0 if that takes too long. */
static int spin_until(atomic_size_t *count, size_t least)
{
    uint64_t until = sample_now() + MICRO_WAIT_NS;

    while (atomic_load_explicit(count, memory_order_acquire) < least)
        if (sample_now() > until)
            return 0;
    return 1;
}

/* A region, so that the other worker searches all the time. */
static WS_TASK(int, set_elsewhere, struct elsewhere *, e)
{
    ws_group group = WS_GROUP_INIT;
    int error = ws_group_submit(&group, wait_elsewhere, e);

    for (size_t i = 0; i < e->n && !error; i++) {
        uint64_t until;

        error = spin_until(&e->waits, i + 1) ? 0 : ETIMEDOUT;
        until = sample_now() + SUSPEND_NS;
        while (sample_now() < until)
            ;
        e->set = sample_now();
        ws_event_set(&events[0]);
        if (!error)
            error = spin_until(&e->resumed, i + 1) ? 0 : ETIMEDOUT;
    }
    if (error)
        atomic_store(&e->stop, 1);
    ws_event_set(&events[0]);
    return ws_group_wait(&group) | error;
}

enum micro_end micro_event_other(double *values, size_t n, const char **why)
{
    struct elsewhere e = {.values = values, .n = n};
    int error, wrong = 0;

    *why = micro_start(2, WS_SPIN_FOREVER);
    if (*why)
        return MICRO_FAILED;
    error = ws_run(set_elsewhere, &wrong, &e);
    error = error ? error : wrong | e.error;
    *why = error ? ws_strerror(error) : NULL;
    return *why ? MICRO_FAILED : MICRO_DONE;
}
