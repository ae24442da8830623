/* SPDX-License-Identifier: MIT */
/*
 * What the library tells AddressSanitizer and LeakSanitizer: lib/arch/asan.c, lib/base/leaks.h. This program takes their
 * place (books.h), and looks whether their books are true. tests/build/address-sanitizer.sh asks the real ones.
 *
 * Catches: a switch that is not told, or told wrongly, of a thread's own stack, too; a fake stack that another fiber gets,
 * or that stays behind after ws_fini(); memory that is hidden before a pointer there is gone, or shown for ever; marks that
 * stay on a stack when its memory goes back to the kernel.
 */
#include "task/pool.h"
#include "task/stack.h"
#include "worker/own.h"
#include "worker/worker.h"

#include "../support/flags.h"
#include "../support/runtime.h"

#include <sys/wait.h>
#include <unistd.h>

#if !SANITIZED
#include "books.h"

#define OF_MAIN 1
#define OF_PARENT 2
#define OF_CHILD 3

static void start(size_t workers)
{
    num_books = 0; /* all threads of the last runtime have ended */
    mine = NULL;
    fakes = 0;
    call(OF_MAIN);
    start_runtime(workers, 0, WS_SPIN_DEFAULT);
}

static void stop_and_look(void)
{
    stop_runtime();
    ck_assert_uint_eq(num_shown, 0);
    ck_assert_int_eq(fakes, 1);
    ck_assert(is_on(OF_MAIN) && my_books() == &books[0] && within(books[0].here, __builtin_frame_address(0)) &&
              books[0].here.size == own_stack().size);
}

/* A task waits for a stolen child and goes on on any thread. */
static int child_runs, released;

static WS_TASK_VOID(slow_child, int, unused)
{
    (void)unused;
    call(OF_CHILD);
    raise_flag(&child_runs);
    wait_for(&released);
    must(is_on(OF_CHILD));
}

/* Runs when the worker of the task that waits is free. */
static void release(void *variable)
{
    call(0);
    must(readers(variable) == 1);
    raise_flag(&released);
}

static WS_TASK_VOID(parent, const char *, of_main)
{
    ws_group group = WS_GROUP_INIT;
    char variable = 0;

    must(readers(of_main) == 1);
    call(OF_PARENT);
    ws_spawn(slow_child, 0);
    wait_for(&child_runs);
    must(ws_group_submit(&group, release, &variable) == 0);
    ws_sync();
    must(is_on(OF_PARENT) && readers(&variable) == 1 && readers(of_main) == 1);
    must(ws_group_wait(&group) == 0);
    call(OF_PARENT);
}

START_TEST(a_task_that_waits)
{
    char variable = 0;

    for (int times = 0; times < 3; times++) {
        child_runs = released = 0;
        cleared = 0;
        start(2);
        ck_assert_int_eq(ws_run(parent, &variable), 0);

        long stacks = (long)wsfj_pool_high_water();

        ck_assert_int_ge(stacks, 3);
        stop_and_look();
        ck_assert_int_eq(cleared, 2 * stacks); /* when it is mapped, and when it is unmapped */
    }
}
END_TEST

/* Each of these takes a stack of its own; most are given back to the kernel when all have ended. */
#define DEEP 60

static void nest(void *depth)
{
    ws_group group = WS_GROUP_INIT;
    long next = *(long *)depth - 1;

    call((int)next + 1);
    if (!next)
        return;
    must(ws_group_submit(&group, nest, &next) == 0);
    must(ws_group_wait(&group) == 0);
    must(is_on((int)next + 1) && readers(&next) == 1);
}

START_TEST(stacks_that_are_trimmed)
{
    long depth = DEEP;
    ws_group group = WS_GROUP_INIT;

    cleared = 0;
    start(1);
    for (int times = 0; times < 3; times++) {
        ck_assert_int_eq(ws_group_submit(&group, nest, &depth), 0);
        ck_assert_int_eq(ws_group_wait(&group), 0);
    }

    long stacks = (long)wsfj_pool_high_water();

    ck_assert_int_ge(stacks, DEEP);
    ck_assert_int_lt(stacks, 2 * DEEP);
    stop_and_look();
    ck_assert_int_gt(cleared, 2 * stacks + 2 * DEEP / 3); /* those, too, that have lost their frames */
}
END_TEST

/* What waits in a queue or in a deque is the program's as well. */
#define OF_SUBMITTED ((uintptr_t)0x5eed0001)
#define OF_SPAWNED ((uintptr_t)0x5eed0002)
static int held, let_go;

static void hold(void *unused)
{
    (void)unused;
    raise_flag(&held);
    wait_for(&let_go);
}

static void item(void *unused)
{
    (void)unused;
}

static WS_TASK_VOID(child, uintptr_t, pointer)
{
    (void)pointer;
}

static WS_TASK_VOID(spawner, int, unused)
{
    struct wsfj_stack *own = wsfj_own_stack();

    (void)unused;
    must(!is_found(OF_SPAWNED));
    ws_spawn(child, OF_SPAWNED);
    must(is_found(OF_SPAWNED));
    must(readers(own->deque.wsfj_area_start) == 1 && readers(own) == 1);
    ws_sync();
}

START_TEST(what_waits)
{
    ws_group group = WS_GROUP_INIT;

    start(1);
    ck_assert_int_eq(ws_group_submit(&group, hold, NULL), 0);
    wait_for(&held);
    ck_assert_uint_eq(readers(wsfj_workers), 1);
    ck_assert_uint_eq(readers(wsfj_workers[0].detached.queue.entries), 1);
    ck_assert(!is_found(OF_SUBMITTED));
    ck_assert_int_eq(ws_group_submit(&group, item, (void *)OF_SUBMITTED), 0);
    ck_assert(is_found(OF_SUBMITTED));
    raise_flag(&let_go);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(ws_run(spawner, 0), 0);
    stop_and_look();
}
END_TEST

/* Threads of the program that call in serve a worker, each from its own stack. */
#define GUESTS 3
#define REGIONS 50

static WS_TASK(long, fib, long, n)
{
    long a = 0, b;

    call(0);
    if (n < 2)
        return n;
    ws_spawn(fib, &a, n - 1);
    b = ws_call(fib, n - 2);
    ws_sync();
    call(0);
    return a + b;
}

static void *guest(void *unused)
{
    struct bounds own = own_stack();
    long result = 0;

    for (int i = 0; i < REGIONS; i++) {
        must(ws_run(fib, &result, 12L) == 0 && result == 144);
        must(my_books()->here.low == own.low && my_books()->here.size == own.size && !my_books()->switching);
    }
    return unused;
}

START_TEST(guests)
{
    pthread_t threads[GUESTS];

    start(3);
    for (int i = 0; i < GUESTS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, guest, NULL), 0);
    for (int i = 0; i < GUESTS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    stop_and_look();
}
END_TEST

/* A task that leaves its worker or its thread in each other way, and has its books again each time. */
#define AWAY 20
#define ROUNDS 10

static void go_away(void *number)
{
    int own = (int)(intptr_t)number;

    call(own);
    for (int i = 0; i < ROUNDS; i++) {
        ws_yield();
        must(is_on(own));
        WS_BLOCKING ws_yield();
        must(is_on(own));
        ws_pin();
        ws_yield();
        WS_BLOCKING usleep(10);
        ws_unpin();
        must(is_on(own));
        call(own);
    }
}

START_TEST(tasks_that_go_away)
{
    ws_group group = WS_GROUP_INIT;

    start(2);
    for (intptr_t i = 1; i <= AWAY; i++)
        ck_assert_int_eq(ws_group_submit(&group, go_away, (void *)(OF_CHILD + i)), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    stop_and_look();
}
END_TEST

/* The child of a fork has the books of the thread that forked, and gives back what the others had. */
static void lock(void)
{
    pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

static bool ends_well(pid_t child)
{
    int status = -1;

    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static WS_TASK(int, forks)
{
    pid_t pid;

    call(OF_PARENT);
    pid = fork();
    if (pid == 0) {
        call(0);
        _exit(is_on(OF_PARENT) ? 0 : 1);
    }
    return ends_well(pid);
}

START_TEST(forked)
{
    long result = 0;
    int ok = 0;
    pid_t pid;

    ck_assert_int_eq(pthread_atfork(lock, unlock, unlock), 0);
    start(3);
    ck_assert(ws_run(fib, &result, 14L) == 0 && result == 377);
    pid = fork();
    if (pid == 0) {
        alarm(60);
        must(ws_run(fib, &result, 14L) == 0 && result == 377);
        stop_runtime();
        must(num_shown == 0 && is_on(OF_MAIN));
        _exit(0);
    }
    ck_assert(ends_well(pid));
    ck_assert(ws_run(forks, &ok) == 0 && ok);
    stop_and_look();
}
END_TEST

int main(void)
{
    TCase *tc = new_case("asan");

    tcase_add_test(tc, a_task_that_waits);
    tcase_add_test(tc, stacks_that_are_trimmed);
    tcase_add_test(tc, what_waits);
    tcase_add_test(tc, guests);
    tcase_add_test(tc, tasks_that_go_away);
    ADD_TEST_UNLESS(emulated(NO_THREADS), tc, forked);
    return run_case("asan", tc);
}
#else
int main(void)
{
    puts("skipped: this program takes the place of the sanitizer");
    return EXIT_SKIPPED;
}
#endif
