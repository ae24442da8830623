/* SPDX-License-Identifier: MIT */
/* What counts as a move: lib/observe/watchdog.h, with one worker whose stack is moved by hand. */
#include "observe/watchdog.h"

#include "base/thread.h"
#include "config/settings.h"
#include "idle/lookout.h"
#include "queue/global_queue.h"
#include "queue/root.h"
#include "task/pool.h"
#include "task/stack.h"
#include "wait/waiter.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include "../support/run.h"
#include "../support/sanitizer.h"

#include <pthread.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static struct wsfj_worker worker;

static void never_entered(void *unused)
{
    (void)unused;
    abort();
}

/* One worker without a stack, watched from `now` on. */
static void start(uint64_t now)
{
    wsfj_workers = &worker;
    wsfj_num_workers = 1;
    wsfj_pool_start((size_t)1 << 16, false, 0, never_entered);
    ck_assert(wsfj_watchdog_start(1, now));
}

/* A fiber that runs, though not yet on the worker. */
static struct wsfj_stack *running(void)
{
    struct wsfj_stack *s = wsfj_pool_take(&worker.cache);

    ck_assert_ptr_nonnull(s);
    wsfj_stack_lives(s, WSFJ_LIFE_RUNS);
    return s;
}

/* Ten units of time later the stall has lasted that long. */
#define STILL(expected) ck_assert_uint_eq(wsfj_watchdog_check(t += 10, 0), expected)

/* Catches: time that is counted although the watching thread did not run; a move meanwhile that is not seen; time that is
 * missing from then on. */
START_TEST(missed_time_is_no_stall)
{
    struct wsfj_stack *s;

    start(0);
    s = running();
    ck_assert_uint_eq(wsfj_watchdog_check(10, 0), 0);
    ck_assert_uint_eq(wsfj_watchdog_check(20, 0), 10);
    ck_assert_uint_eq(wsfj_watchdog_check(1030, 1000), 20);
    ck_assert_uint_eq(wsfj_watchdog_check(1040, 0), 30);
    wsfj_stack_lives(s, WSFJ_LIFE_JOIN);
    ck_assert_uint_eq(wsfj_watchdog_check(3000, 1900), 0);
    ck_assert_uint_eq(wsfj_watchdog_check(3010, 0), 10);
    wsfj_watchdog_stop();
}
END_TEST

/* Catches: a begin, an end, a suspension or a spawn that is no move; idleness or work at hand that is a stall. */
START_TEST(each_move_ends_the_stall)
{
    struct wsfj_stack *s;
    uint64_t t = 0;

    start(t);
    s = wsfj_pool_take(&worker.cache);
    ck_assert_ptr_nonnull(s);
    STILL(0);
    STILL(0); /* idle */
    worker.stack = s;
    wsfj_stack_lives(s, WSFJ_LIFE_RUNS);
    STILL(0);
    STILL(10);
    STILL(20);
    ck_assert_uint_eq(wsfj_watchdog_runs(0, t), 20);
    wsfj_stack_lives(s, WSFJ_LIFE_FREE); /* another fiber on the same stack */
    wsfj_stack_lives(s, WSFJ_LIFE_RUNS);
    STILL(0);
    ck_assert_uint_eq(wsfj_watchdog_runs(0, t), 0);
    STILL(10);
    s->deque.wsfj_tail++;
    STILL(0);
    ck_assert_uint_eq(wsfj_watchdog_runs(0, t), 20);
    STILL(10);
    wsfj_stack_lives(s, WSFJ_LIFE_JOIN);
    STILL(0);
    STILL(10);
    worker.stack = NULL; /* the worker looks for other work, and has found none yet: no move */
    STILL(20);
    wsfj_stack_lives(s, WSFJ_LIFE_RUNS);
    STILL(0);
    STILL(10);
    worker.detached.submitted++;
    STILL(0);
    STILL(10);
    wsfj_stack_lives(s, WSFJ_LIFE_FREE);
    STILL(0);
    STILL(10); /* a task is pending */
    worker.detached.finished++;
    STILL(0);
    STILL(0);
    wsfj_watchdog_stop();
}
END_TEST

/* Catches: a yield that counts as a move, or that hides one; a number of yields that is not counted from the last
 * move. */
START_TEST(a_yield_is_no_move)
{
    struct wsfj_stack *s[2];
    uint64_t t = 0;

    start(t);
    for (int i = 0; i < 2; i++)
        s[i] = running();
    STILL(0);
    for (int i = 0; i < 8; i++) { /* they yield to each other */
        worker.log.count[WSFJ_EVENT_yield]++;
        wsfj_stack_lives(s[i % 2], WSFJ_LIFE_YIELDED);
        worker.stack = i % 3 ? s[(i + 1) % 2] : NULL;
        STILL(10 * (uint64_t)i + 10);
        ck_assert_uint_eq(wsfj_watchdog_yields(), (uint64_t)i + 1);
        wsfj_stack_lives(s[i % 2], WSFJ_LIFE_RUNS);
        ck_assert_uint_eq(wsfj_watchdog_runs(0, t), 0);
    }
    s[1]->deque.wsfj_tail++; /* has spawned a child before it yields again */
    wsfj_stack_lives(s[1], WSFJ_LIFE_YIELDED);
    STILL(0);
    ck_assert_uint_eq(wsfj_watchdog_yields(), 0);
    wsfj_stack_lives(s[1], WSFJ_LIFE_RUNS);
    STILL(10);
    wsfj_stack_lives(s[1], WSFJ_LIFE_JOIN);
    STILL(0);
    wsfj_stack_lives(s[1], WSFJ_LIFE_RUNS);
    wsfj_stack_lives(s[1], WSFJ_LIFE_YIELDED);
    STILL(0);
    wsfj_stack_lives(s[1], WSFJ_LIFE_RUNS);
    STILL(10);
    store_relaxed(&s[0]->wait.must_help,
                  true); /* waits for a group without a stack for others, and looks again and again */
    wsfj_stack_lives(s[0], WSFJ_LIFE_WAIT);
    wsfj_stack_lives(s[0], WSFJ_LIFE_RUNS);
    STILL(20);
    store_relaxed(&s[0]->wait.must_help, false);
    wsfj_stack_lives(s[0], WSFJ_LIFE_RUNS); /* the group is done */
    STILL(0);
    wsfj_watchdog_stop();
}
END_TEST

static struct wsfj_global_queue_length queue;
static size_t roots;

struct wsfj_global_queue_length __wrap_wsfj_global_queue_length(void);
size_t __wrap_wsfj_root_length(void);

/* In place of the library's. */
struct wsfj_global_queue_length __wrap_wsfj_global_queue_length(void)
{
    return queue;
}

size_t __wrap_wsfj_root_length(void)
{
    return roots;
}

/* Catches: a queued fiber or region that is idleness; a region that begins or ends and is no move. */
START_TEST(what_is_queued_is_not_idle)
{
    uint64_t t = 0;

    start(t);
    STILL(0);
    queue.fibers = 1;
    STILL(10); /* fibers move when they come and go: that changes nothing here */
    STILL(20);
    queue.fibers = 0;
    STILL(0);
    roots = 1;
    STILL(0);
    STILL(10);
    roots = 2;
    STILL(0);
    STILL(10);
    worker.detached.submitted++;
    STILL(0);
    STILL(10);
    worker.detached.submitted++;
    worker.detached.finished++;
    STILL(0);
    worker.detached.finished++;
    STILL(0); /* that alone is a move, too */
    STILL(10);
    wsfj_watchdog_stop();
}
END_TEST

/* Catches: a time from before the start, or from another run of the runtime; a table that is used after its end. */
START_TEST(each_start_begins_anew)
{
    struct wsfj_stack *s[2];
    uint64_t t = 1000;

    start(t);
    for (int i = 0; i < 2; i++)
        s[i] = running();
    worker.stack = s[0];
    for (int i = 0; i < 2; i++) {
        if (i > 0)
            ck_assert(wsfj_watchdog_start(1, t));
        ck_assert_uint_eq(wsfj_watchdog_runs(0, t), 0);
        STILL(0);
        STILL(10);
        worker.log.count[WSFJ_EVENT_yield] += 3;
        ck_assert_uint_eq(wsfj_watchdog_runs(0, t), 10);
        worker.stack = s[1]; /* it is not known since when */
        ck_assert_uint_eq(wsfj_watchdog_runs(0, t), 0);
        worker.stack = s[0];
        wsfj_stack_lives(s[0], WSFJ_LIFE_RUNS);
        ck_assert_uint_eq(wsfj_watchdog_runs(0, t), 0);
        wsfj_watchdog_stop();
        ck_assert_uint_eq(wsfj_watchdog_runs(0, t), 0);
        t += 1000;
    }
}
END_TEST

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long n, const struct iovec *from,
                                unsigned long m, unsigned long flags);

/* Where the kernel refuses that, it is no part of the test. */
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long n, const struct iovec *from,
                                unsigned long m, unsigned long flags)
{
    ck_assert(pid == getpid() && n == 1 && m == 1 && !flags);
    memcpy(to->iov_base, from->iov_base, to->iov_len);
    return (ssize_t)to->iov_len;
}

static struct wsfj_stack *waiting(enum wsfj_wait_kind kind, const void *on)
{
    struct wsfj_stack *s = running();

    s->wait.kind = kind;
    s->wait.on = on;
    s->wait.until = WS_FOREVER;
    wsfj_stack_lives(s, WSFJ_LIFE_WAIT);
    return s;
}

static int ask_nothing(void *unused)
{
    (void)unused;
    return 0;
}

/* Catches: a wait for something outside that is a stall; one that is none although something runs or is queued. */
START_TEST(waits_for_outside_are_no_stall)
{
    struct wsfj_stack *s, *other;
    uint64_t t = 0;

    start(t);
    s = waiting(WSFJ_WAIT_EVENT, &worker);
    STILL(0);
    STILL(10);
    ck_assert(wsfj_watchdog_all_wait());
    wsfj_lookout_waits = 1;
    STILL(0);
    STILL(0);
    other = running();
    STILL(0);
    STILL(10);
    ck_assert(!wsfj_watchdog_all_wait());
    store_relaxed(&other->shown.life, (uint32_t)WSFJ_LIFE_JOIN); /* its children are done: it can resume */
    STILL(20);
    store_relaxed(&other->shown.life, (uint32_t)WSFJ_LIFE_YIELDED);
    STILL(30);
    store_relaxed(&other->shown.life, (uint32_t)WSFJ_LIFE_SLOT);
    STILL(40);
    other->join = 1;
    store_relaxed(&other->shown.life, (uint32_t)WSFJ_LIFE_JOIN);
    STILL(0);
    STILL(0);
    queue.fibers = 1;
    STILL(10);
    queue.fibers = 0;
    STILL(0);
    roots = 1;
    STILL(0);
    STILL(10);
    roots = 0;
    STILL(0);
    wsfj_lookout_waits = 0;
    STILL(10);
    wsfj_settings.poll = ask_nothing;
    STILL(0);
    wsfj_settings.poll = NULL;
    STILL(10);
    wsfj_stack_lives(s, WSFJ_LIFE_FREE);
    wsfj_watchdog_stop();
}
END_TEST

static void *wait_for_end(void *mutex)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return NULL;
}

/* Catches: a thread of the program that is overlooked, or counts although it waits itself or cannot end the wait. */
START_TEST(a_thread_may_end_a_wait)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct wsfj_stack *s;
    pthread_t thread;
    uint64_t t = 0;

    start(t);
    s = waiting(WSFJ_WAIT_EVENT, &worker);
    STILL(0);
    STILL(10);
    pthread_mutex_lock(&mutex);
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_end, &mutex), 0);
    STILL(0);
    STILL(0);
    wsfj_thread_wait_begin();
    STILL(10);
    wsfj_thread_wait_end();
    STILL(0);
    s->wait.kind = WSFJ_WAIT_GROUP;
    STILL(10);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    wsfj_watchdog_stop();
}
END_TEST

/* Catches: tasks that wait for each other's mutexes, and are idle because others wait for something outside; tasks that do
 * not, and are a stall. */
START_TEST(a_circle_of_mutexes_is_a_stall)
{
    ws_mutex mutexes[3];
    struct wsfj_stack *s[3];
    uint64_t t = 0;

    start(t);
    for (int i = 0; i < 3; i++)
        s[i] = waiting(WSFJ_WAIT_MUTEX, &mutexes[i]);
    for (int i = 0; i < 3; i++)
        mutexes[i].wsfj_state = (uintptr_t)s[(i + 1) % 3] | 1;
    wsfj_lookout_waits = 1;
    STILL(0);
    STILL(10);
    s[1]->wait.until = 5;
    STILL(0);
    s[1]->wait.until = WS_FOREVER;
    STILL(10);
    s[2]->wait.kind = WSFJ_WAIT_EVENT;
    STILL(0);
    s[2]->wait.kind = WSFJ_WAIT_MUTEX;
    mutexes[2].wsfj_state = 1;
    STILL(0);
    mutexes[2].wsfj_state = (uintptr_t)s[1]; /* the first one waits for a circle */
    STILL(10);
    wsfj_watchdog_stop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("watchdog");

    tcase_add_test(tcase, each_move_ends_the_stall);
    tcase_add_test(tcase, missed_time_is_no_stall);
    tcase_add_test(tcase, a_yield_is_no_move);
    tcase_add_test(tcase, what_is_queued_is_not_idle);
    tcase_add_test(tcase, each_start_begins_anew);
    ADD_TEST_UNLESS(SANITIZED_THREAD ? "ThreadSanitizer has a thread of its own" : NULL, tcase,
                    waits_for_outside_are_no_stall);
    ADD_TEST_UNLESS(SANITIZED_THREAD ? "ThreadSanitizer has a thread of its own" : NULL, tcase, a_thread_may_end_a_wait);
    tcase_add_test(tcase, a_circle_of_mutexes_is_a_stall);
    return run_case("watchdog", tcase);
}
