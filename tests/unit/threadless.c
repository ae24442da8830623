/* SPDX-License-Identifier: MIT */
/* Detached tasks and roots while the runtime has no thread: submitting and ws_run() call them. lib/api/submit.c, run.c,
 * serial.c. Neighbours: stress/limits.c, shortages of threads; cxx/called.cc, the exceptions of called tasks. */
#include "arch/exceptions.h"
#include "task/deque.h"

#include "../support/fib.h"
#include "../support/process.h"
#include "../support/resources.h"
#include "../support/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

/* The linker's name: it is called in place of the C library's function. */
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    (void)thread;
    (void)attributes;
    (void)body;
    (void)argument;
    return EAGAIN;
}

/* In place of the C++ runtime's: this program has none. */
static __thread struct wsfj_exceptions exceptions;

struct wsfj_exceptions *__cxa_get_globals(void)
{
    return &exceptions;
}

/* Children do not assert: they return the line that is wrong. */
#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return __LINE__ % 127 + 1;                                                                                 \
    } while (0)

static long ran, wrong;

static void spawns(void *n)
{
    long r = 0;

    ws_frame();
    ws_spawn(fib, &r, (long)(intptr_t)n);
    ws_sync();
    ran += r == 55;
}

static void submits(void *group)
{
    struct wsfj_deque *inside = wsfj_self();
    ws_scope *scope = inside ? wsfj_deque_scope(inside) : NULL;

    wrong += !inside || ws_group_submit(group, spawns, (void *)10) != 0 || ran != 1;
    wrong += wsfj_self() != inside || wsfj_deque_scope(inside) != scope; /* still a task */
    spawns((void *)10);
}

static int submit_without_threads(long unused)
{
    ws_group group = WS_GROUP_INIT;

    (void)unused;
    setenv("WSFJ_NUM_WORKERS", "2", 1);
    EXPECT(ws_submit(spawns, (void *)10) == 0 && ran == 1);
    EXPECT(!wsfj_self() && ws_init(NULL) == EALREADY); /* no task any more */
    ran = 0;
    EXPECT(ws_group_try_submit(&group, submits, &group) == 0 && ran == 2 && wrong == 0);
    EXPECT(!wsfj_self());
    EXPECT(ws_group_wait(&group) == 0);
    EXPECT(ws_try_submit(NULL, NULL) == EINVAL);
    EXPECT(ws_fini() == 0 && ws_num_workers() == 0);
    return 0;
}

/* Catches: a task that is not called, or for which its thread counts as a task afterwards, or is in its scope; a line with wrong numbers. */
START_TEST(submitting_calls_the_task)
{
    struct outcome o = in_child(submit_without_threads, 0);
    char line[200];

    snprintf(line, sizeof line,
             "libwsfj: WSFJ_NUM_WORKERS: only 0 of 2 threads could be started (%s); tasks run on the calling threads "
             "only\n",
             strerror(EAGAIN));
    expect_exit(&o, 0);
    ck_assert_str_eq(o.text, line);
}
END_TEST

static int start_and_stop(long workers)
{
    size_t before = 0;
    char text[24];

    snprintf(text, sizeof text, "%ld", workers);
    setenv("WSFJ_NUM_WORKERS", text, 1);
    for (int i = 0; i < 6; i++) {
        if (i == 2)
            before = address_space();
        EXPECT(ws_init(NULL) == 0 && ws_num_workers() == 1 && ws_fini() == 0);
    }
    EXPECT(address_space() < before + ((size_t)1 << 20)); /* the run queues of 1000 workers alone take more */
    return 0;
}

/* Catches: memory of the workers that were planned, which the stop forgets because fewer were started. */
START_TEST(the_memory_of_all_workers_goes_back)
{
    struct outcome o = in_child(start_and_stop, 1000);

    expect_exit(&o, 0);
}
END_TEST

/* Ends a scope of the task that has submitted it, which is behind the border, then one of its own. */
static void ends_the_submitters(void *scope)
{
    ws_scope own;

    ws_frame();
    ran += ws_scope_end(scope) == 0;
    ws_scope_begin(&own);
    ran += ws_scope_end(&own) == 0;
}

static WS_TASK_VOID(submits_in_a_scope)
{
    ws_scope scope;

    ws_scope_begin(&scope);
    wrong += ws_submit(ends_the_submitters, &scope) != 0 || wsfj_deque_scope(wsfj_self()) != &scope;
    ran += ws_scope_end(&scope) == 0;
}

static int end_behind_the_border(long unused)
{
    (void)unused;
    setenv("WSFJ_NUM_WORKERS", "2", 1);
    EXPECT(ws_run(submits_in_a_scope) == 0 && ran == 3 && wrong == 0);
    return 0;
}

/* Catches: a called task that ends a scope of the task which has called it: members spawned later are not cancelled. */
START_TEST(the_called_ends_no_scope_of_its_caller)
{
    struct outcome o = in_child(end_behind_the_border, 0);
    const char *says = strstr(o.text, "ws_scope_end(): the calling task has not begun the scope");

    expect_exit(&o, 0);
    ck_assert_msg(says && !strstr(says + 1, "ws_scope_end()"), "%s", o.text);
}
END_TEST

static ws_event never;
static ws_mutex mutex;

static WS_TASK_VOID(waits)
{
    uint64_t soon = ws_now() + 2000000;
    ws_scope scope;

    wrong += ws_event_wait_until(&never, soon) != ETIMEDOUT || ws_now() < soon;
    soon = ws_now() + 2000000;
    wrong += ws_sleep_until(soon) != 0 || ws_now() < soon;
    wrong += ws_event_wait(&never) != EDEADLK;
    wrong += ws_mutex_lock(&mutex) != 0 || ws_mutex_unlock(&mutex) != 0;
    soon = ws_now() + 2000000;
    ws_scope_begin(&scope);
    ws_scope_deadline(&scope, soon);
    wrong += ws_event_wait(&never) != ECANCELED || ws_now() < soon;
    wrong += ws_scope_end(&scope) != ETIMEDOUT;
    ran++;
}

static int wait_alone(long unused)
{
    (void)unused;
    setenv("WSFJ_NUM_WORKERS", "2", 1);
    EXPECT(ws_run(waits) == 0 && ran == 1 && wrong == 0);
    EXPECT(ws_event_wait(&never) == EDEADLK); /* the thread itself */
    return 0;
}

/* Catches: a wait for ever, where nobody is left who could end it; times that are not waited for. */
START_TEST(nobody_ends_a_wait)
{
    struct outcome o = in_child(wait_alone, 0);
    const char *says = strstr(o.text, "waits for what only a later task could do: EDEADLK\n");

    expect_exit(&o, 0);
    ck_assert_msg(says && strstr(says + 1, "EDEADLK"), "%s", o.text);
}
END_TEST

/* Ends with exceptions of its own, like a task that has left a handler by longjmp(). */
static void has_exceptions(void *unused)
{
    (void)unused;
    wrong += exceptions.caught != NULL || exceptions.uncaught != 0;
    exceptions = (struct wsfj_exceptions){&wrong, 9};
    ran++;
}

static WS_TASK_VOID(root_has_exceptions)
{
    has_exceptions(NULL);
}

/* The task is called by a task that is called by the thread. */
static void submits_in_a_handler(void *unused)
{
    has_exceptions(unused);
    wrong += ws_submit(has_exceptions, NULL) != 0 || exceptions.caught != &wrong || exceptions.uncaught != 9;
}

static int call_in_a_handler(long unused)
{
    int handled;

    (void)unused;
    setenv("WSFJ_NUM_WORKERS", "2", 1);
    exceptions = (struct wsfj_exceptions){&handled, 2};
    EXPECT(ws_submit(submits_in_a_handler, NULL) == 0 && ran == 2 && wrong == 0);
    EXPECT(exceptions.caught == &handled && exceptions.uncaught == 2);
    EXPECT(ws_run(root_has_exceptions) == 0 && ran == 3 && wrong == 0);
    EXPECT(exceptions.caught == &handled && exceptions.uncaught == 2);
    root_has_exceptions(); /* a plain call: a part of the handler */
    EXPECT(ran == 4 && wrong == 1);
    return 0;
}

/* Catches: a called task or root that sees the exceptions of the thread, or leaves it its own. */
START_TEST(the_called_have_no_exceptions)
{
    struct outcome o = in_child(call_in_a_handler, 0);

    expect_exit(&o, 0);
}
END_TEST

static int submit_without_memory(long unused)
{
    ws_group group = WS_GROUP_INIT;
    struct rlimit before;

    (void)unused;
    setenv("WSFJ_NUM_WORKERS", "1", 1);
    EXPECT(ws_init(NULL) == 0 && getrlimit(RLIMIT_AS, &before) == 0);
    EXPECT(setrlimit(RLIMIT_AS, &(struct rlimit){address_space(), before.rlim_max}) == 0);
    EXPECT(ws_submit(spawns, (void *)10) == ENOMEM);
    EXPECT(ws_group_submit(&group, spawns, (void *)10) == ENOMEM);
    EXPECT(ran == 0 && ws_group_wait(&group) == 0 && !wsfj_self());
    EXPECT(setrlimit(RLIMIT_AS, &before) == 0);
    EXPECT(ws_group_submit(&group, spawns, (void *)10) == 0 && ran == 1 && ws_group_wait(&group) == 0);
    EXPECT(ws_fini() == 0);
    return 0;
}

/* Catches: a task without memory for its children that is said to have run, or that its group waits for. */
START_TEST(without_memory_it_is_refused)
{
    struct outcome o = in_child(submit_without_memory, 0);

    expect_exit(&o, 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("threadless");

    tcase_add_test(tcase, submitting_calls_the_task);
    ADD_TEST_UNLESS(SANITIZED ? "sanitizers need much address space" : NULL, tcase, the_memory_of_all_workers_goes_back);
    tcase_add_test(tcase, the_called_ends_no_scope_of_its_caller);
    tcase_add_test(tcase, the_called_have_no_exceptions);
    tcase_add_test(tcase, nobody_ends_a_wait);
    ADD_TEST_UNLESS(SANITIZED ? "sanitizers need much address space" : emulated(NO_LIMITS), tcase,
                    without_memory_it_is_refused);
    return run_case("threadless", tcase);
}
