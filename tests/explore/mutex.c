/* SPDX-License-Identifier: MIT */
/*
 * Mutexes of wsfj/wait.h: one holder at a time, who sees what the last one did; a waiter is woken or handed the mutex. The last
 * holder frees it, so that a later touch is a race. A wake-up that is lost shows as a deadlock.
 */
#include "stacks.h"
#include "things.h"

#include "base/atomic.h"
#include "worker/own.h"
#include "worker/worker.h"

#include <errno.h>

static ws_mutex mutex;
static struct wsfj_stack *own[EXPLORE_THREADS];
static unsigned counted, wanted; /* under the mutex */
static unsigned given_up;

static void start_with(uint64_t tick, unsigned n)
{
    things_start();
    explore_tick = tick;
    mutex = (ws_mutex)WS_MUTEX_INIT;
    counted = given_up = 0;
    wanted = n;
    things_share(&mutex, sizeof mutex);
    explore_shared(&counted, sizeof counted);
    for (unsigned i = 0; i < EXPLORE_THREADS; i++) {
        static struct wsfj_server lender;

        own[i] = explore_stack(i, WSFJ_MODE_NORMAL);
        own[i]->blocking.lender = &lender;
    }
}

/* The thread runs a task, in a blocking section: the thread itself waits. */
static void be_task(void)
{
    wsfj_tls = &own[explore_self()]->deque;
}

/* Waiters try again. */
static void start_two(void)
{
    start_with(1, 2);
}

/* Waiters have waited for long. */
static void start_handing(void)
{
    start_with(2000000, 2);
}

static void start_three(void)
{
    start_with(explore_choose(2) ? 2000000 : 1, 3);
}

/* The last holder frees the mutex. */
static void hold(void)
{
    bool last = ++counted == wanted;

    explore_must(ws_mutex_unlock(&mutex) == 0, "an unlock is refused");
    if (last)
        things_reuse(&mutex, sizeof mutex);
}

static void lock(void)
{
    be_task();
    explore_must(ws_mutex_lock(&mutex) == 0, "a lock fails");
    hold();
}

static void lock_until(void)
{
    int error;

    be_task();
    error = ws_mutex_lock_until(&mutex, wsfj_now() + 3);
    explore_must(error == 0 || error == ETIMEDOUT, "an error that is none");
    if (!error)
        counted++, explore_must(ws_mutex_unlock(&mutex) == 0, "an unlock is refused");
    else
        given_up++;
}

static void lock_twice(void)
{
    be_task();
    for (int i = 0; i < 2; i++) {
        explore_must(ws_mutex_lock(&mutex) == 0, "a lock fails");
        counted++;
        explore_must(ws_mutex_unlock(&mutex) == 0, "an unlock is refused");
    }
}

static void all_held(void)
{
    explore_must(counted == wanted, "two held the mutex at once");
    things_forgotten(&mutex);
}

static void free_at_last(void)
{
    explore_must(counted + given_up == 3, "two held the mutex at once");
    explore_must(ws_mutex_trylock(&mutex) == 0, "the mutex stays locked");
    things_forgotten(&mutex);
}

#define TRY "try_lock", "cas", "&mutex->wsfj_state"
#define UNLOCK "ws_mutex_unlock", "cas", "&mutex->wsfj_state"

static const struct explore_mutant tries[] = {
    {"the mutex is taken in two steps", TRY, EXPLORE_SPLIT, 0},
    {"the mutex is taken without an acquire", TRY, EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"a free mutex is given back without a release", UNLOCK, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"the mutex is given back in two steps", UNLOCK, EXPLORE_SPLIT, 0},
    {"a waiter notes that it waits in two steps", "must_wait", "cas", "&mutex->wsfj_state", EXPLORE_SPLIT, 0},
    {"a mutex that is waited for is given back relaxed", "unlock_slow", "store", "&mutex->wsfj_state", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"a mutex that is waited for is not given back", "unlock_slow", "store", "&mutex->wsfj_state", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant hands[] = {
    {"the mutex is not handed over", "wake", "store", "&mutex->wsfj_state", EXPLORE_SKIP, 0},
    {"a waiter notes that it waits in two steps", "must_wait", "cas", "&mutex->wsfj_state", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"two tasks", start_two, {lock, lock}, all_held, {3, 2}, {4, 2}, tries},
    {"two tasks, handed over", start_handing, {lock, lock}, all_held, {3, 2}, {4, 2}, hands},
    {"three tasks", start_three, {lock, lock, lock}, all_held, {1, 0}, {2, 0}, NULL},
    {"a task gives up", start_two, {lock_twice, lock_until}, free_at_last, {2, 1}, {3, 1}, NULL},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
