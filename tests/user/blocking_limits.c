/* SPDX-License-Identifier: MIT */
/* Blocking sections with few or no spare threads, and in the child of a fork. Neighbour: blocking_sections.c. */
#include "../support/fib.h"
#include "../support/process.h"
#include "blocking_sections.h"

#include <pthread.h>
#include <string.h>

static void *write_from_outside(void *readers)
{
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    write_to_all(readers);
    return NULL;
}

/* As many readers as threads, those of two workers and the spares: each reader has a thread to wait on. */
static int read_with_spares(long spares)
{
    pthread_t writer;
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 2;
    config.max_spares = spares;
    if (ws_init(&config) != 0)
        return 1;
    for (int round = 0; round < 3; round++) {
        for (long i = 0; i < 2 + spares; i++)
            submit(read_with_a_child, i);
        if (pthread_create(&writer, NULL, write_from_outside, (void *)(2 + spares)) != 0)
            return 2;
        if (ws_group_wait(&group) != 0 || pthread_join(writer, NULL) != 0)
            return 3;
    }
    return ws_fini() == 0 && get(&children) == 3 * (2 + spares) ? 0 : 4;
}

/* Catches: a shortage of threads that makes the program hang, or that is not reported in exactly one line. */
START_TEST(without_a_spare_thread_the_worker_waits)
{
    struct outcome o;

    reset();
    o = in_child(read_with_spares, _i);
    expect_exit(&o, 0);
    ck_assert_msg(o.lines == 1 && strstr(o.text, _i ? "WSFJ_SPARES=1" : "WSFJ_SPARES=0"), "stderr: %s", o.text);
}
END_TEST

static long submitted, held;

static void hold(void *arg)
{
    (void)arg;
    add(&held, 1);
    while (get(&held) == 1)
        sched_yield();
}

/* Spawns its child after all tasks are submitted: a thief then finds another task to run. */
static void read_when_all_are_submitted(void *arg)
{
    while (!get(&submitted))
        sched_yield();
    read_with_a_child(arg);
}

/* The task that forks has a child pending, and its deque is listed. */
static void fork_in_a_blocking_section(void *unused)
{
    struct child in;
    struct outcome o;
    bool is_child = false;

    (void)unused;
    ws_frame();
    ws_spawn(child);
    WS_BLOCKING
    {
        is_child = begin_child(&in);
        if (is_child)
            ws_spawn(child);
        else
            add(&held, 1); /* its own worker is needed at the end of the section */
    }
    ws_sync();
    if (is_child)
        _exit(get(&children) > 0 ? 0 : 1); /* a thief of the parent may have taken one of the two before the fork */
    o = end_child(&in);
    if (!WIFEXITED(o.status) || WEXITSTATUS(o.status) != 0)
        add(&errors, 1);
}

/* Its child stays pending, because the other worker is busy in hold(). */
static void fork_when_all_are_submitted(void *arg)
{
    while (!get(&submitted))
        sched_yield();
    fork_in_a_blocking_section(arg);
}

/* Catches: a child process that uses the parent's list of suspended deques, or that lends a slot. */
START_TEST(a_fork_in_a_blocking_section_goes_on_alone)
{
    reset();
    start(1);
    submit(fork_when_all_are_submitted, 0);
    submit(hold, 0);
    add(&submitted, 1);
    await_all();
}
END_TEST

static int live_on(long unused)
{
    ws_group own = WS_GROUP_INIT;
    long r = 0;

    (void)unused;
    start_runtime(1, 256 << 10, WS_SPIN_DEFAULT); /* of another size than the parent's stacks: other addresses */
    for (int i = 0; i < 20; i++) {
        if (ws_run(fib, &r, 15L) != 0 || r != 610)
            return 1;
        if (ws_group_submit(&own, read_with_a_child, NULL) != 0)
            return 2;
        sem_post(&gates[0]);
        if (ws_group_wait(&own) != 0)
            return 3;
    }
    return get(&children) == 20 ? ws_fini() : 4;
}

/* Catches: thieves in a child process that find a task of the parent. */
START_TEST(a_forked_child_knows_none_of_them)
{
    struct outcome o;

    reset();
    start(1);
    submit(read_when_all_are_submitted, 0);
    submit(hold, 0);
    add(&submitted, 1);
    while (!get(&held))
        nanosleep(&(struct timespec){0, 100000}, NULL);
    o = in_child(live_on, 0);
    expect_exit(&o, 0);
    add(&held, 1);
    sem_post(&gates[0]);
    await_all();
}
END_TEST

/* As in fork.c. */
static const char *cannot_fork(void)
{
    return SANITIZED ? "a sanitizer's locks may be held in the child for ever" : emulated(NO_THREADS);
}

int main(void)
{
    TCase *tcase = new_case("bracket_limits");

    tcase_add_loop_test(tcase, without_a_spare_thread_the_worker_waits, 0, 2);
    ADD_TEST_UNLESS(cannot_fork(), tcase, a_forked_child_knows_none_of_them);
    ADD_TEST_UNLESS(cannot_fork(), tcase, a_fork_in_a_blocking_section_goes_on_alone);
    return run_case("bracket_limits", tcase);
}
