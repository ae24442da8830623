/* SPDX-License-Identifier: MIT */
/*
 * A thread that is cancelled in a task: also outside any region, where a short loop, a plain call and a block with
 * ws_frame() run. The cancellation takes effect afterwards. The same file is compiled as a profiled program
 * (cancel_profile), in which only regions are the library's. Neighbour: threads.c.
 *
 * Catches: a loop that ends in the middle; a worker's thread that ends in a task; a deque that a cancelled thread takes
 * with it; a thread that can no longer be cancelled, or that can be although the program has forbidden it.
 */
#include "../support/resources.h"
#include "workers.h"

#include <pthread.h>

#define MANY 64

static long ran;
static pthread_t caller; /* of what cancels it */

/* The third iteration cancels the caller and its own thread, and is a point of cancellation. */
static void visit(long i, bool cancels)
{
    if (cancels && i == 3) {
        pthread_cancel(caller);
        pthread_cancel(pthread_self());
        pthread_testcancel();
    }
    (void)__atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
}

static WS_LOOP(each, long, i, bool, cancels)
{
    visit(i, cancels);
}
static WS_REDUCE(long, 0, WS_ADD, sum, long, i, bool, cancels)
{
    visit(i, cancels);
    return 1;
}
static WS_TASK(long, visits, long, from, long, to, bool, cancels)
{
    for (long i = from; i < to; i++)
        visit(i, cancels);
    return to - from;
}
static WS_TASK_VOID(tree, long, from, long, to, bool, cancels)
{
    long mid = from + (to - from) / 2;

    if (to - from == 1) {
        visit(from, cancels);
        return;
    }
    ws_spawn(tree, from, mid, cancels);
    tree(mid, to, cancels); /* a plain call in a task */
    ws_sync();
    pthread_testcancel();
}
static void spawn_in_block(void)
{
    ws_frame();
    ws_spawn(visits, NULL, 0, 1, false);
}
/* Calls what is also called outside. */
static WS_TASK_VOID(nested, bool, cancels)
{
    long r = 0;

    ws_for(each, 0, MANY / 2, cancels);
    pthread_testcancel();
    ws_run(visits, &r, MANY / 2, MANY, false);
    pthread_testcancel();
    spawn_in_block();
    pthread_testcancel();
    (void)__atomic_sub_fetch(&ran, 1, __ATOMIC_RELAXED);
}

static void short_loop(bool cancels)
{
    (void)ws_for(each, 0, MANY, cancels);
}
static void short_reduction(bool cancels)
{
    long r = 0;

    (void)ws_for(sum, &r, 0, MANY, cancels);
}
static void region(bool cancels)
{
    (void)ws_run(tree, 0, MANY, cancels);
}
#ifndef WSFJ_PROFILE
static void called_loop(bool cancels)
{
    each(0, MANY, cancels);
}
static void called_task(bool cancels)
{
    (void)visits(0, MANY, cancels);
}
static void called_tree(bool cancels)
{
    tree(0, MANY, cancels);
}
static void called_nested(bool cancels)
{
    nested(cancels);
}
static void block(bool cancels)
{
    long a = 0, b = 0;

    ws_frame();
    ws_spawn(visits, &a, 0, MANY / 2, cancels);
    ws_spawn(visits, &b, MANY / 2, MANY, false);
    ws_sync();
    pthread_testcancel();
}
#endif
static void nested_region(bool cancels)
{
    (void)ws_run(nested, cancels);
}

static const struct {
    const char *name;
    void (*call)(bool cancels);
} calls[] = {
    {"a short loop", short_loop},
    {"a short reduction", short_reduction},
    {"a region", region},
    {"a region with calls", nested_region},
#ifndef WSFJ_PROFILE
    {"a plain call of a loop", called_loop},
    {"a plain call of a task", called_task},
    {"a plain call that spawns", called_tree},
    {"a plain call with calls", called_nested},
    {"a block", block},
#endif
};
enum { CALLS = sizeof calls / sizeof *calls };

/* How a thread went through a call. */
struct outcome {
    int call, state; /* the cancel state before it, */
    int after;       /* and after it */
    long ran;
};

static void *is_cancelled(void *argument)
{
    struct outcome *o = argument;

    caller = pthread_self();
    pthread_setcancelstate(o->state, NULL);
    __atomic_store_n(&ran, 0, __ATOMIC_RELAXED);
    calls[o->call].call(true);
    o->ran = __atomic_load_n(&ran, __ATOMIC_RELAXED);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &o->after);
    pthread_testcancel();
    return NULL;
}

static void check_call(int call, int state)
{
    struct outcome o = {.call = call, .state = state, .after = -1, .ran = -1};
    pthread_t thread;
    void *how = NULL;

    ck_assert_int_eq(pthread_create(&thread, NULL, is_cancelled, &o), 0);
    ck_assert_int_eq(pthread_join(thread, &how), 0);
    ck_assert_msg(o.ran == MANY, "%s: %ld of %d iterations", calls[call].name, o.ran, MANY);
    ck_assert_msg(o.after == state, "%s: cancel state %d instead of %d", calls[call].name, o.after, state);
    ck_assert_msg(how == PTHREAD_CANCELED, "%s: the cancellation is lost", calls[call].name);
}

/* In the second round loops are known to be short. */
START_TEST(a_cancellation_takes_effect_after_the_call)
{
    if (_i > 0)
        start(workers[_i - 1]);
    for (int round = 0; round < 2; round++) {
        for (int call = 0; call < CALLS; call++) {
            check_call(call, PTHREAD_CANCEL_ENABLE);
            check_call(call, PTHREAD_CANCEL_DISABLE);
            for (int k = 0; k < 2000; k++)
                calls[call].call(false);
        }
    }
    while (_i > 0 && ws_fini() != 0)
        sched_yield();
}
END_TEST

#ifndef WSFJ_PROFILE
/* A deque has more than a page. What the process gets once, such as workers if the machine is so slow that a loop is not short,
 * shows in one half only. */
START_TEST(a_cancelled_thread_leaves_no_deque)
{
    const size_t most = 150 * (size_t)sysconf(_SC_PAGESIZE) / 1024;
    size_t before = 0, middle = 0;

    for (int k = 0; k < 2000; k++)
        short_loop(false);
    for (int k = 0; k < 400; k++) {
        for (int call = 0; call < CALLS; call++)
            if (calls[call].call != region && calls[call].call != nested_region)
                check_call(call, PTHREAD_CANCEL_ENABLE);
        if (k == 99)
            before = status_field("VmSize");
        if (k == 249)
            middle = status_field("VmSize");
    }
    ck_assert(middle <= before + most || status_field("VmSize") <= middle + most);
}
END_TEST
#endif

int main(void)
{
    TCase *tcase = new_case("cancel");

    tcase_add_loop_test(tcase, a_cancellation_takes_effect_after_the_call, 0, 1 + WORKERS);
#ifndef WSFJ_PROFILE
    tcase_add_test(tcase, a_cancelled_thread_leaves_no_deque);
#endif
    return run_case("cancel", tcase);
}
