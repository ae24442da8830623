/* SPDX-License-Identifier: MIT */
/*
 * Blocking sections of many tasks on few workers: every section lends its worker's slot, and the children of its task
 * run, those spawned before it and those spawned in it. A faulty library makes the program hang until the test's time
 * runs out. Neighbours: blocking_limits.c; blocking.c, one section.
 */
#include "blocking_sections.h"

#include <errno.h>
#include <pthread.h>

static const size_t few[] = {1, 2, 4};
#define FEW ((int)(sizeof few / sizeof *few))

static WS_TASK_VOID(opener, long, i)
{
    sem_post(&gates[i]);
}

static void read_pinned(void *arg)
{
    pthread_t self = pthread_self();

    if (ws_pin() != 0)
        add(&errors, 1);
    read_with_a_child(arg);
    if (!pthread_equal(self, pthread_self()))
        add(&errors, 1);
}

static WS_TASK_VOID(reader, long, i)
{
    read_with_a_child((void *)(intptr_t)i);
}

static void *run_reader(void *arg)
{
    if (ws_run(reader, (long)(intptr_t)arg) != 0)
        add(&errors, 1);
    return NULL;
}

/* The kind of task that reads. */
enum { DETACHED, PINNED, FOREIGN, READERS };

/* Catches: a section that keeps its slot because another task with children has lent the same slot before. */
START_TEST(every_reader_lends_its_slot)
{
    int who = _i / FEW % READERS;
    long readers = _i / FEW / READERS ? READERS_MOST : 2;
    pthread_t threads[READERS_MOST];

    reset();
    start(few[_i % FEW]);
    for (long i = 0; i < readers; i++) {
        if (who == FOREIGN)
            ck_assert_int_eq(pthread_create(&threads[i], NULL, run_reader, (void *)(intptr_t)i), 0);
        else
            submit(who == PINNED ? read_pinned : read_with_a_child, i);
    }
    if (who == FOREIGN && _i % 2)
        nanosleep(&(struct timespec){0, 5000000}, NULL); /* by then mostly all wait */
    submit(write_to_all, readers);
    for (long i = 0; who == FOREIGN && i < readers; i++)
        pthread_join(threads[i], NULL);
    await_all();
    ck_assert_int_eq(get(&children), readers);
}
END_TEST

/* Reader i waits for a child of the reader before it. */
static void read_from_the_next(void *arg)
{
    long i = (long)(intptr_t)arg;

    ws_frame();
    ws_spawn(opener, (i + 1) % READERS_MOST);
    WS_BLOCKING read_gate(i);
    ws_sync();
}

/* Catches: children that no thief finds, because many tasks with children are in blocking sections. */
START_TEST(children_of_all_readers_are_found)
{
    reset();
    start_runtime(few[_i / 2], 0, _i % 2 ? 0 : WS_SPIN_DEFAULT); /* without a search the recheck finds them */
    for (long i = 0; i < READERS_MOST; i++)
        submit(read_from_the_next, i);
    await_all();
}
END_TEST

static void spawn_inside(void *arg)
{
    long i = (long)(intptr_t)arg;

    ws_frame();
    for (int round = 0; round < 20; round++) {
        WS_BLOCKING
        {
            nanosleep(&(struct timespec){0, round % 3 * 200000}, NULL); /* the others fall asleep, or do not */
            ws_spawn(opener, i);
            read_gate(i);
            ws_spawn(opener, i); /* the first reader's deque is already listed */
            ws_spawn(child);
            read_gate(i);
        }
        ws_sync();
    }
}

/* Catches: a spawn inside a section that wakes no worker and that no thief finds. */
START_TEST(spawns_inside_a_blocking_section_are_heard)
{
    reset();
    start_runtime(few[_i / 2], 0, _i % 2 ? 0 : WS_SPIN_DEFAULT);
    for (long i = 0; i < 2; i++)
        submit(spawn_inside, i);
    await_all();
    ck_assert_int_eq(get(&children), 2 * 20);
}
END_TEST

static long syncing[2];

/* A thief runs it. It lasts until its parent waits for it. */
static WS_TASK(long, slow, long, i)
{
    while (!get(&syncing[i]))
        ws_yield();
    for (int n = 0; n < 10; n++)
        ws_yield(); /* the parent is about to switch away */
    return i + 1;
}

static void nothing_for_a_while(void *arg)
{
    (void)arg;
    for (int n = 0; n < 20; n++)
        ws_yield();
}

static void wait_inside(long i, bool for_a_group)
{
    ws_group own = WS_GROUP_INIT;
    long r = -1;

    ws_frame();
    ws_spawn(slow, &r, i);
    WS_BLOCKING
    {
        if (for_a_group) {
            if (ws_group_submit(&own, nothing_for_a_while, NULL) != 0 || ws_group_wait(&own) != 0)
                add(&errors, 1);
        }
        __atomic_store_n(&syncing[i], 1, __ATOMIC_RELEASE);
        if (!for_a_group) {
            ws_sync();
            if (r != i + 1)
                add(&errors, 1);
        }
        if (ws_worker_id() != -1)
            add(&errors, 1); /* the section is open again */
        read_gate(i);
    }
    if (ws_worker_id() < 0)
        add(&errors, 1);
}

static void sync_inside(void *arg)
{
    wait_inside((long)(intptr_t)arg, false);
}

static void wait_for_a_group_inside(void *arg)
{
    wait_inside((long)(intptr_t)arg, true);
}

static void write_later(void *readers)
{
    while (!get(&syncing[0]) || !get(&syncing[1]))
        ws_yield();
    for (int n = 0; n < 50; n++)
        ws_yield();
    write_to_all(readers);
}

/* Catches: a section that does not lend its slot again after a wait for tasks: a later read then keeps the worker. */
START_TEST(a_blocking_section_goes_on_after_a_wait_for_tasks)
{
    reset();
    start(few[_i / 2]);
    for (int round = 0; round < 20; round++) {
        syncing[0] = syncing[1] = 0;
        submit(_i % 2 ? wait_for_a_group_inside : sync_inside, 0);
        submit(_i % 2 ? wait_for_a_group_inside : sync_inside, 1);
        submit(write_later, 2);
        ck_assert_int_eq(ws_group_wait(&group), 0);
    }
    await_all();
}
END_TEST

static ws_group contested;
static long refused;

/* A task that waits for its own group. */
static void be_refused(void *arg)
{
    (void)arg;
    WS_BLOCKING
    {
        if (ws_group_wait(&contested) != EDEADLK || ws_worker_id() != -1)
            add(&errors, 1); /* the section is still open */
        add(&refused, 1);
    }
}

/* Catches: a blocking section that a refused wait has ended. */
START_TEST(a_refused_wait_leaves_the_blocking_section_open)
{
    reset();
    start(few[_i]);
    refused = 0;
    for (int round = 0; round < 20; round++)
        ck_assert_int_eq(ws_group_submit(&contested, be_refused, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&contested), 0);
    ck_assert_int_eq(refused, 20);
    await_all();
}
END_TEST

static void wait_for_child(void *arg)
{
    (void)arg;
    while (!get(&children))
        ws_yield();
}

static void yield_with_a_child(void *arg)
{
    ws_frame();
    ws_spawn(child);
    wait_for_child(arg);
}

static void wait_with_a_child(void *arg)
{
    ws_group own = WS_GROUP_INIT;

    (void)arg;
    ws_frame();
    ws_spawn(child);
    if (ws_group_submit(&own, wait_for_child, NULL) != 0 || ws_group_wait(&own) != 0)
        add(&errors, 1);
}

/* Catches: children that no thief can reach while their parent yields or waits for a group. */
START_TEST(children_of_a_task_that_lets_others_run_are_found)
{
    reset();
    start(few[_i / 2]);
    for (int round = 0; round < 20; round++) {
        children = 0;
        submit(_i % 2 ? wait_with_a_child : yield_with_a_child, 0);
        ck_assert_int_eq(ws_group_wait(&group), 0);
    }
    await_all();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("blocking_sections");

    tcase_add_loop_test(tcase, every_reader_lends_its_slot, 0, 2 * FEW * READERS);
    tcase_add_loop_test(tcase, children_of_all_readers_are_found, 0, 2 * FEW);
    tcase_add_loop_test(tcase, spawns_inside_a_blocking_section_are_heard, 0, 2 * FEW);
    tcase_add_loop_test(tcase, a_blocking_section_goes_on_after_a_wait_for_tasks, 0, 2 * FEW);
    tcase_add_loop_test(tcase, a_refused_wait_leaves_the_blocking_section_open, 0, FEW);
    tcase_add_loop_test(tcase, children_of_a_task_that_lets_others_run_are_found, 0, 2 * FEW);
    return run_case("blocking_sections", tcase);
}
