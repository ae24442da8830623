/* SPDX-License-Identifier: MIT */
/* The span goes through what tasks wait for, in units: lib/profile/edge.c. Neighbour: profile_detached.c, groups. */
#include "profile.h"

#include <errno.h>

static WS_TASK_VOID(leaf)
{
}

/* Costs n. */
static WS_TASK_VOID(chain, long, n)
{
    for (long i = 1; i < n; i++)
        ws_call(leaf);
}

static ws_event event;
static ws_future future;
static ws_semaphore semaphore;
static ws_mutex mutex;
static uint32_t word;
static long places[4];
static ws_channel channel = WS_CHANNEL_INIT(places);

/* Sets both in the middle: 1 + 10 before, 20 after. */
static WS_TASK_VOID(sets)
{
    ws_call(chain, 10);
    ws_event_set(&event);
    (void)ws_future_set(&future, 1, 0);
    ws_call(chain, 20);
}

/* The parent goes on after 1 + 1 + 10, and needs 50. */
static WS_TASK(int, waits_for_an_event)
{
    int error;

    ws_spawn(sets);
    error = ws_event_wait(&event);
    ws_call(chain, 50);
    ws_sync();
    return error;
}

static WS_TASK(int, waits_for_a_future)
{
    int error;

    ws_spawn(sets);
    error = ws_future_get(&future, NULL, WS_FOREVER);
    ws_call(chain, 50);
    ws_sync();
    return error;
}

static WS_TASK(int, waits_for_any)
{
    struct ws_thing things[] = {{WS_THING_SEMAPHORE, 0, &semaphore}, {WS_THING_EVENT, 0, &event}};
    int error;

    ws_spawn(sets);
    error = ws_wait_any(things, 2, WS_FOREVER);
    ws_call(chain, 50);
    ws_sync();
    return error;
}

static void is_in_the_group(void *unused)
{
    (void)unused;
    chain(10);
}

static WS_TASK(int, waits_for_a_group_of_things)
{
    static ws_group group = WS_GROUP_INIT;
    struct ws_thing things[] = {{WS_THING_SEMAPHORE, 0, &semaphore}, {WS_THING_GROUP, 0, &group}};
    int error = ws_group_submit(&group, is_in_the_group, NULL);

    error |= ws_wait_any(things, 2, WS_FOREVER);
    ws_call(chain, 50);
    return error | ws_group_wait(&group);
}

/* It does not wait: the child's 31 run beside the parent's 50. */
static WS_TASK(int, does_not_wait)
{
    ws_spawn(sets);
    ws_call(chain, 50);
    ws_sync();
    return 0;
}

/* What was set before counts for each that waits: 1 + 1 + 10, then each child in parallel. */
static WS_TASK_VOID(waits_then_works)
{
    (void)ws_event_wait(&event);
    ws_call(chain, 30);
}

static WS_TASK(int, many_wait)
{
    ws_spawn(sets);
    for (int i = 0; i < 3; i++)
        ws_spawn(waits_then_works);
    ws_sync();
    return 0;
}

static WS_TASK_VOID(sends)
{
    for (long i = 0; i < 4; i++) {
        ws_call(chain, 5);
        (void)ws_channel_send(&channel, &i);
    }
}

/* Four items come after 1 + 1 + 5, 10, 15 and 20: the last one is done at 22 + 3. */
static WS_TASK(int, receives)
{
    long item;
    int error = 0;

    ws_spawn(sends);
    for (int i = 0; i < 4; i++) {
        error |= ws_channel_receive(&channel, &item);
        ws_call(chain, 3);
    }
    ws_sync();
    return error;
}

/* As long as a place is not empty, nothing is sent: the item of the child is received after 1 + 40. */
static WS_TASK_VOID(sends_late)
{
    (void)ws_channel_send(&channel, &(long){0});
    ws_call(chain, 30);
}

static WS_TASK(int, waits_for_room)
{
    long item;
    int error = 0;

    for (long i = 0; i < 4; i++)
        error |= ws_channel_send(&channel, &i);
    ws_call(chain, 40);
    error |= ws_channel_receive(&channel, &item);
    ws_spawn(sends_late);
    ws_sync();
    return error;
}

static void posts(void *way)
{
    chain(10);
    if (way) {
        __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
        ws_wake(&word, 1);
    } else {
        ws_semaphore_post(&semaphore, 1);
    }
}

/* 32 detached tasks inside each other; what the last one submits runs when it waits. */
static void goes_down(void *arg)
{
    long left = (long)(intptr_t)arg;
    bool by_word = left < 0;

    left = by_word ? -left : left;
    if (left > 1) {
        (void)ws_submit(goes_down, (void *)(intptr_t)(by_word ? 1 - left : left - 1));
        return;
    }
    (void)ws_submit(posts, by_word ? &word : NULL);
    if ((by_word ? ws_wait_on(&word, 0, WS_FOREVER) : ws_semaphore_wait(&semaphore)) != 0)
        abort();
    chain(5);
}

static WS_TASK(int, is_resumed_by_a_post)
{
    return ws_submit(goes_down, (void *)32);
}

static WS_TASK(int, is_resumed_by_a_word)
{
    return ws_submit(goes_down, (void *)-32);
}

/* Nobody knows which of both comes first. */
static WS_TASK_VOID(locks)
{
    (void)ws_mutex_lock(&mutex);
    ws_call(chain, 10);
    (void)ws_mutex_unlock(&mutex);
}

static WS_TASK(int, locks_twice)
{
    ws_spawn(locks);
    ws_spawn(locks);
    ws_sync();
    return 0;
}

#define RUN(task)                                                                                                      \
    static int run_##task(long unused)                                                                                 \
    {                                                                                                                  \
        int wrong = 1;                                                                                                 \
                                                                                                                       \
        (void)unused;                                                                                                  \
        return ws_run(task, &wrong) || wrong;                                                                          \
    }
RUN(waits_for_an_event)
RUN(waits_for_a_future)
RUN(waits_for_any)
RUN(waits_for_a_group_of_things)
RUN(does_not_wait)
RUN(many_wait)
RUN(receives)
RUN(waits_for_room)
RUN(is_resumed_by_a_post)
RUN(is_resumed_by_a_word)
RUN(locks_twice)

static const struct {
    int (*run)(long);
    double work, span;
    bool says;
} cases[] = {
    {run_waits_for_an_event, 1 + 31 + 50, 1 + 1 + 10 + 50, false},
    {run_waits_for_a_future, 1 + 31 + 50, 1 + 1 + 10 + 50, false},
    {run_waits_for_any, 1 + 31 + 50, 1 + 1 + 10 + 50, false},
    {run_waits_for_a_group_of_things, 1 + 11 + 50, 1 + 11 + 50, false},
    {run_does_not_wait, 1 + 31 + 50, 1 + 50, false},
    {run_many_wait, 1 + 31 + 3 * 31, 1 + 1 + 10 + 30, false},
    {run_receives, 1 + 21 + 12, 1 + 1 + 20 + 3, false},
    {run_waits_for_room, 1 + 40 + 31, 1 + 40 + 31, false},
    {run_is_resumed_by_a_post, 1 + 32 + 11 + 5, 1 + 32 + 11 + 5, true},
    {run_is_resumed_by_a_word, 1 + 32 + 11 + 5, 1 + 32 + 11 + 5, true},
    {run_locks_twice, 1 + 2 * 11, 1 + 11, true},
};
#define CASES ((int)(sizeof cases / sizeof *cases))

/* Catches: an edge that is missing, from another task's set, or from a lock to whom it need not let wait; a profile that does not
 * say what it cannot know, or says it twice. */
START_TEST(the_span_is_exact)
{
    struct profile p = profile_of(cases[_i].run, 0, "1", "2");
    const char *line = strstr(p.outcome.text, "spans are lower bounds");

    expect_exit(&p.outcome, 0);
    ck_assert_double_eq(p.row[0].work, cases[_i].work);
    ck_assert_double_eq(p.row[0].span, cases[_i].span);
    ck_assert((line != NULL) == cases[_i].says);
    ck_assert_ptr_null(line ? strstr(line + 1, "spans are lower bounds") : NULL);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile_edges");

    tcase_add_loop_test(tcase, the_span_is_exact, 0, CASES);
    return run_case("profile_edges", tcase);
}
