/* SPDX-License-Identifier: MIT */
/* Objects of wsfj/wait.h in the child of a fork, while tasks and threads of the parent wait for them. */
#include "waits.h"

#include <sys/wait.h>
#include <unistd.h>

enum { TASKS = 16, THREADS = 3, GUESTS = 2, ALL = TASKS + THREADS + GUESTS };

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
    TCase *tcase = new_case("wait_fork");

    if (can_test("forks", emulated("the child of a process with threads")))
        tcase_add_loop_test(tcase, objects_in_the_child_of_a_fork, 0, SHAPES);
    return run_case("wait_fork", tcase);
}
