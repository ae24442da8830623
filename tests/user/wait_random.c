/* SPDX-License-Identifier: MIT */
/* Random programs of mutexes, semaphores, channels, events and deadlines, by tasks of each kind and threads side by side: what
 * must stay the same stays the same. With chaos (--enable-chaos) also in orders that are rare. In the child of a fork, too. */
#include "waits.h"

#include <sys/wait.h>
#include <unistd.h>

enum { TASKS = 16, THREADS = 3, GUESTS = 2, ALL = TASKS + THREADS + GUESTS, STEPS = 60, OBJECTS = 3, UNITS = 2 };

static ws_mutex mutexes[OBJECTS];
static long counted[OBJECTS], locked; /* under the mutexes; the sum of `counted` */
static ws_semaphore semaphores[OBJECTS];
static long places[OBJECTS][2];
static ws_channel channels[OBJECTS];
static long sent, received, wrong;
static ws_event rounds[STEPS]; /* set by the first that comes there */
static unsigned seed;

static uint64_t pick(ws_rng *r, uint64_t n)
{
    return ws_rng_next(r) % n;
}

/* In the past, soon, or some ms away: nobody waits for ever. */
static uint64_t deadline(ws_rng *r)
{
    uint64_t way = pick(r, 4);

    return way == 0 ? 0 : now() + pick(r, way == 1 ? 10000 : 2000000);
}

static void pause_a_little(ws_rng *r)
{
    if (pick(r, 4) == 0)
        ws_yield();
}

static void use_mutex(ws_rng *r, uint64_t k)
{
    uint64_t until = deadline(r);
    int error = pick(r, 2) ? ws_mutex_lock(&mutexes[k]) : ws_mutex_lock_until(&mutexes[k], until);

    if (error) {
        add(&wrong, error != ETIMEDOUT || now() < until);
        return;
    }
    counted[k]++;
    pause_a_little(r);
    add(&locked, 1);
    add(&wrong, ws_mutex_unlock(&mutexes[k]) != 0);
}

static void use_semaphore(ws_rng *r, uint64_t k)
{
    uint64_t until = deadline(r);
    int error = pick(r, 2) ? ws_semaphore_wait(&semaphores[k]) : ws_semaphore_wait_until(&semaphores[k], until);

    if (error) {
        add(&wrong, error != ETIMEDOUT || now() < until);
        return;
    }
    pause_a_little(r);
    ws_semaphore_post(&semaphores[k], 1);
}

static void use_channel(ws_rng *r, uint64_t k)
{
    uint64_t until = deadline(r);
    long item = (long)pick(r, 1000);
    bool sends = pick(r, 2);
    int error = sends ? ws_channel_send_until(&channels[k], &item, until)
                      : ws_channel_receive_until(&channels[k], &item, until);

    if (error)
        add(&wrong, error != ETIMEDOUT || now() < until);
    else
        add(sends ? &sent : &received, item);
}

static void use_any(ws_rng *r, uint64_t k)
{
    struct ws_thing all[] = {{WS_THING_SEMAPHORE, 0, &semaphores[k]},
                             {WS_THING_SEND, 0, &channels[k]},
                             {WS_THING_RECEIVE, 0, &channels[(k + 1) % OBJECTS]},
                             {WS_THING_EVENT, 0, &rounds[pick(r, STEPS)]}};
    uint64_t until = deadline(r);
    int error = ws_wait_any(all, 1 + pick(r, 4), until);

    if (error)
        add(&wrong, error != ETIMEDOUT || now() < until);
}

static void step(ws_rng *r, long i)
{
    uint64_t k = pick(r, OBJECTS);

    switch (pick(r, 6)) {
    case 0: use_mutex(r, k); break;
    case 1: use_semaphore(r, k); break;
    case 2: use_any(r, k); break;
    case 3:
        if (pick(r, 3) == 0)
            ws_event_set(&rounds[i]);
        else
            (void)ws_event_wait_until(&rounds[i], deadline(r));
        break;
    default: use_channel(r, k);
    }
}

static void run(long number)
{
    ws_rng r = ws_rng_at(seed, (uint64_t)number);

    for (long i = 0; i < STEPS; i++)
        step(&r, i);
}

/* Catches: two holders, a unit or an item that is lost or doubled, a deadline that comes early, a waiter that is forgotten. */
static void play(int shape)
{
    struct crowd crowd;
    long item, all = 0;

    wrong = sent = received = locked = 0;
    for (size_t k = 0; k < OBJECTS; k++) {
        counted[k] = 0;
        ws_semaphore_init(&semaphores[k], UNITS);
        ws_channel_init(&channels[k], places[k], sizeof(long), k);
    }
    for (size_t i = 0; i < STEPS; i++)
        ws_event_reset(&rounds[i]);
    start_shape(shape, ALL + 2);
    crowd_begin(&crowd, run, TASKS, THREADS, GUESTS);
    crowd_end(&crowd);
    for (size_t k = 0; k < OBJECTS; k++) {
        while (ws_channel_try_receive(&channels[k], &item) == 0)
            received += item;
        for (int i = 0; i < UNITS; i++)
            ck_assert_int_eq(ws_semaphore_try_wait(&semaphores[k]), 0);
        ck_assert_int_eq(ws_semaphore_try_wait(&semaphores[k]), EAGAIN);
        ck_assert_int_eq(ws_mutex_trylock(&mutexes[k]), 0);
        ck_assert_int_eq(ws_mutex_unlock(&mutexes[k]), 0);
        all += counted[k];
    }
    ck_assert_int_eq(all, locked);
    ck_assert_int_eq(sent, received);
    ck_assert_int_eq(wrong, 0);
    stop_runtime();
}

START_TEST(what_must_stay_the_same_does)
{
    seed = (unsigned)_i * 7919 + (getenv("WSFJ_TEST_SEED") ? (unsigned)atoi(getenv("WSFJ_TEST_SEED")) : 0);
    play(_i % SHAPES);
}
END_TEST

static ws_mutex held = WS_MUTEX_INIT;
static ws_semaphore wanted = WS_SEMAPHORE_INIT(0);
static ws_event never = WS_EVENT_INIT, end = WS_EVENT_INIT;
static ws_channel empty = WS_CHANNEL_UNBUFFERED(long);

static void wait_for_never(long number)
{
    long item;

    switch (number % 4) {
    case 0: (void)ws_event_wait(&end); break;
    case 1: (void)ws_semaphore_wait(&wanted); break;
    case 2: (void)ws_channel_receive(&empty, &item); break;
    default: (void)ws_mutex_lock(&held); (void)ws_mutex_unlock(&held);
    }
}

static int use_in_child(void)
{
    long item;

    if (ws_mutex_unlock(&held) || ws_mutex_lock(&held) || ws_mutex_unlock(&held))
        return 1;
    ws_semaphore_post(&wanted, 1);
    if (ws_semaphore_wait(&wanted) || ws_semaphore_try_wait(&wanted) != EAGAIN)
        return 2;
    if (ws_channel_try_send(&empty, &(long){1}) != EAGAIN)
        return 3;
    if (ws_event_wait_until(&never, now() + 1000) != ETIMEDOUT)
        return 4;
    if (ws_channel_receive_until(&empty, &item, now() + 1000) != ETIMEDOUT)
        return 5;
    ws_event_set(&end);
    return ws_event_wait(&end) ? 6 : 0;
}

static void check_child(pid_t child)
{
    int status;

    ck_assert_int_ge(child, 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

static void fork_in_task(void *unused)
{
    pid_t child;

    (void)unused;
    if (ws_mutex_lock(&held)) /* so that the task that has forked holds it in the child */
        abort();
    child = fork();
    if (child == 0)
        _exit(use_in_child());
    check_child(child);
    if (ws_mutex_unlock(&held))
        abort();
}

/* Others wait for the objects in the parent. Catches: a child that finds its parent's waiters, or resumes one. */
START_TEST(objects_in_the_child_of_a_fork)
{
    ws_group group = WS_GROUP_INIT;
    struct crowd crowd;
    pid_t child;

    start_shape(_i, ALL + 2);
    ck_assert_int_eq(ws_mutex_lock(&held), 0);
    crowd_begin(&crowd, wait_for_never, TASKS, THREADS, GUESTS);
    while (read_stats().waits < TASKS / 2)
        sched_yield();
    child = fork();
    if (child == 0)
        _exit(use_in_child());
    check_child(child);
    ck_assert_int_eq(ws_mutex_unlock(&held), 0);
    ck_assert_int_eq(ws_group_submit(&group, fork_in_task, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ws_semaphore_post(&wanted, ALL);
    ws_channel_close(&empty);
    ws_event_set(&end);
    crowd_end(&crowd);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("wait_random");

    tcase_add_loop_test(tcase, what_must_stay_the_same_does, 0, SHAPES * 5);
    if (can_test("forks", emulated("the child of a process with threads")))
        tcase_add_loop_test(tcase, objects_in_the_child_of_a_fork, 0, SHAPES);
    return run_case("wait_random", tcase);
}
