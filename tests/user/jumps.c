/* SPDX-License-Identifier: MIT */
/* ws_run() on a thread that has left a task by longjmp(): one line, EDEADLK. What is none: jumps inside a task, and regions
 * inside tasks on whatever stack. lib/api/left.c. */
#include "../support/flags.h"
#include "../support/process.h"
#include "workers.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define LINE "libwsfj: ws_run(): longjmp() has left a task on this thread, which can begin no region any more\n"

/* Children do not assert: they return the line that is wrong. */
#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return __LINE__ % 127 + 1;                                                                                 \
    } while (0)

static jmp_buf out;
static int holds, may_end;
static long nested;

static pid_t thread_id(void)
{
    return (pid_t)syscall(SYS_gettid);
}

static WS_TASK_VOID(leaf)
{
    add(&nested, 1);
}

/* Only the calling thread's stack has the frame to jump to. */
static WS_TASK_VOID(leaves, pid_t, caller)
{
    if (thread_id() == caller)
        longjmp(out, 1);
}

/* A function of its own: a body of a task cannot have setjmp(). Until the caller itself runs the task. */
static __attribute__((noinline)) void leave(void)
{
    if (setjmp(out) == 0)
        for (;;)
            (void)ws_run(leaves, thread_id());
}

static void *run_elsewhere(void *unused)
{
    return ws_run(leaf) ? &holds : unused;
}

static void hold_stack(void *unused)
{
    (void)unused;
    raise_flag(&holds);
    wait_for(&may_end);
}

/* 0: on a stack of its own; else without one, on the caller's. */
static void start_for(long serially)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 2;
    config.max_stacks = serially ? 1 : 0;
    config.spin_us = 0; /* the caller takes a worker's place soon */
    if (ws_init(&config) || (serially && ws_submit(hold_stack, NULL)))
        abort();
    if (serially)
        wait_for(&holds);
}

static int run_after_a_jump(long serially)
{
    pthread_t other;
    void *wrong;

    start_for(serially);
    leave();
    EXPECT(ws_run(leaf) == EDEADLK && nested == 0);
    EXPECT(ws_run(leaf) == EDEADLK && nested == 0);
    EXPECT(ws_fini() == EBUSY);
    EXPECT(pthread_create(&other, NULL, run_elsewhere, NULL) == 0 && pthread_join(other, &wrong) == 0);
    EXPECT(!wrong && nested == 1);
    return 0;
}

/* Catches: a region that is called as if it were inside a task, without a word; a line for each; another thread that is
 * refused. */
START_TEST(the_next_region_is_refused)
{
    struct outcome o = in_child(run_after_a_jump, _i);

    expect_exit(&o, 0);
    ck_assert_str_eq(o.text, LINE);
}
END_TEST

static void nest(void)
{
    add(&nested, ws_run(leaf) ? 1000 : 0);
}

static ucontext_t here, there;

static __attribute__((noinline)) void nest_in_coroutine(void)
{
    static char stack[2][1 << 16];

    for (int i = 0; i < 2; i++) {
        if (getcontext(&there))
            abort();
        there.uc_stack.ss_sp = stack[i];
        there.uc_stack.ss_size = sizeof stack[i];
        there.uc_link = &here;
        makecontext(&there, nest, 0);
        if (swapcontext(&here, &there))
            abort();
    }
}

static __attribute__((noinline)) void jump_inside(void)
{
    jmp_buf inside;

    if (setjmp(inside) == 0)
        longjmp(inside, 1);
    nest();
}

static WS_TASK_VOID(nests)
{
    ws_pinned(); /* swapcontext() must find its thread */
    nest();
    jump_inside();
    nest_in_coroutine();
    ws_call(leaf);
}

static WS_TASK_VOID(nests_deeper)
{
    add(&nested, ws_run(nests) ? 1000 : 0);
}

/* A region that begins far below the next calls. */
static __attribute__((noinline)) int run_below(void)
{
    volatile char room[1 << 14];

    room[0] = 0;
    return ws_run(nests) + room[0];
}

static int run_nested(long serially)
{
    start_for(serially);
    for (int i = 0; i < 10; i++)
        EXPECT(ws_run(nests) == 0 && ws_run(nests_deeper) == 0);
    EXPECT(run_below() == 0);
    nests(); /* outside any region */
    EXPECT(ws_run(nests) == 0);
    EXPECT(nested == 23 * 5);
    raise_flag(&may_end);
    while (ws_fini() == EBUSY)
        sched_yield();
    return 0;
}

/* Catches: a region inside a task that is taken for one after a jump. */
START_TEST(regions_inside_tasks_go_on)
{
    struct outcome o = in_child(run_nested, _i);

    expect_exit(&o, 0);
    ck_assert_str_eq(o.text, "");
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("jumps");

#if !SANITIZED
    tcase_add_loop_test(tcase, the_next_region_is_refused, 0, 2);
#endif
    tcase_add_loop_test(tcase, regions_inside_tasks_go_on, 0, 2);
    return run_case("jumps", tcase);
}
