/* SPDX-License-Identifier: MIT */
/* The state that the child of a fork() must drop: forget_in_child() in lib/runtime/runtime.c. Each test forks at a
 * moment when the child would inherit something that belongs to the parent only. Neighbour: tests/user/fork.c, forks at
 * random moments. */
#include "queue/global_queue.h"
#include "queue/root.h"
#include "task/pool.h"
#include "task/stack.h"
#include "task/suspended.h"
#include "worker/own.h"

#include "../support/fib.h"
#include "../support/flags.h"
#include "../support/process.h"
#include "../support/runtime.h"

#include <errno.h>
#include <wsfj/wait.h>

/* Long enough for any machine: only a broken library takes so long. */
#define PATIENCE_S 60

/* The linker's names: __real_ is the C library's function, __wrap_ is called in its place. */
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);

/* is_held_up: the next pthread_create() waits for a fork. is_made: a pthread_create() waits. is_forked: the fork is
 * over. is_refused: each pthread_create() fails. */
static int is_held_up, is_made, is_forked, is_refused;

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    if (__atomic_exchange_n(&is_held_up, 0, __ATOMIC_ACQ_REL)) {
        raise_flag(&is_made);
        wait_for(&is_forked);
    }
    if (__atomic_load_n(&is_refused, __ATOMIC_ACQUIRE))
        return EAGAIN;
    return __real_pthread_create(thread, attributes, body, argument);
}

/* is_mapping_held_up: the next stack is mapped, and enters the list of all when a fork has begun. */
static int is_mapping_held_up;
static const struct wsfj_stack *held_up;

bool __real_wsfj_stack_map(struct wsfj_stack *s, size_t size, enum wsfj_mode mode);
bool __wrap_wsfj_stack_map(struct wsfj_stack *s, size_t size, enum wsfj_mode mode);

bool __wrap_wsfj_stack_map(struct wsfj_stack *s, size_t size, enum wsfj_mode mode)
{
    bool mapped = __real_wsfj_stack_map(s, size, mode);

    if (__atomic_exchange_n(&is_mapping_held_up, 0, __ATOMIC_ACQ_REL)) {
        held_up = s;
        raise_flag(&is_made);
        wait_for(&is_forked);
        nanosleep(&(struct timespec){0, 50000000}, NULL); /* a fork that does not wait for the list is over by now */
    }
    return mapped;
}

static int done, must_end;

static void sets(void *flag)
{
    raise_flag(flag);
}

/* Needs a second thread: it waits for a task that only a worker can run. */
static void blocks(void *unused)
{
    (void)unused;
    (void)ws_submit(sets, &done);
    ws_blocking_begin();
    wait_for(&done);
    ws_blocking_end();
}

/* The first thread that this makes is the spare. */
static void lends(void *unused)
{
    (void)unused;
    ws_blocking_begin();
    ws_blocking_end();
}

static void start_with_one_worker(void)
{
    setenv("WSFJ_NUM_WORKERS", "1", 1);
    setenv("WSFJ_SPARES", "2", 1);
    ck_assert_int_eq(ws_init(NULL), 0);
}

/* Kills the child after PATIENCE_S if it hangs: a thread that hangs in the start blocks all other signals. */
static int set_end(void)
{
    struct itimerspec end = {.it_value = {.tv_sec = PATIENCE_S}};
    timer_t timer;

    return timer_create(CLOCK_MONOTONIC, &(struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL},
                        &timer) != 0 ||
           timer_settime(timer, 0, &end, NULL) != 0;
}

static pid_t whose; /* the parent */
static int runs_elsewhere;

static WS_TASK_VOID(adds, int *, ran)
{
    (void)__atomic_add_fetch(ran, 1, __ATOMIC_RELAXED);
}

/* Its deque and its fiber come into the lists. */
static WS_TASK_VOID(yields_with_a_child, int *, ran)
{
    ws_spawn(adds, ran);
    ws_yield();
    ws_sync();
}

static int wrong_in_child(void)
{
    ws_group group = WS_GROUP_INIT;
    int wrong = set_end(), ran = 0;
    long r = 0;

    done = 0;
    wrong += wsfj_root_length() != 0;
    wrong += ws_init(NULL) != 0 || ws_num_workers() != 1;
    wrong += ws_run(fib, &r, 12L) != 0 || r != 144;
    wrong += ws_run(yields_with_a_child, &ran) != 0 || ran != 1;
    wrong += ws_group_submit(&group, blocks, NULL) != 0 || ws_group_wait(&group) != 0;
    wrong += ws_fini() != 0;
    return wrong;
}

/* Catches: a child process in which the mutex of the spare threads stays locked, because a thread of the parent held it
 * at the fork: the child's start, or its first task that blocks, then waits for ever. */
START_TEST(a_child_can_make_threads_though_its_parent_was_making_one)
{
    ws_group group = WS_GROUP_INIT;
    struct child child;
    struct outcome o;

    start_with_one_worker();
    raise_flag(&is_held_up);
    ck_assert_int_eq(ws_group_submit(&group, lends, NULL), 0);
    wait_for(&is_made);
    if (begin_child(&child))
        _exit(wrong_in_child());
    raise_flag(&is_forked);
    o = end_child(&child);
    expect_exit(&o, 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* The only worker runs this task. */
static void keeps_the_worker(void *begun)
{
    raise_flag(begun);
    wait_for(&must_end);
}

static WS_TASK_VOID(is_at_home)
{
    if (getpid() != whose)
        runs_elsewhere = 1;
}

static void *calls(void *unused)
{
    (void)unused;
    ck_assert_int_eq(ws_run(is_at_home), 0);
    return NULL;
}

static int wrong_without_region(void)
{
    return wrong_in_child() + runs_elsewhere;
}

/* Catches: a child process that inherits the queue of regions, and runs a region for which a thread of the parent
 * waits. */
START_TEST(a_child_has_none_of_the_regions_that_wait_in_its_parent)
{
    ws_group group = WS_GROUP_INIT;
    struct child child;
    struct outcome o;
    pthread_t caller;
    int begun = 0;

    whose = getpid();
    start_with_one_worker();
    ck_assert_int_eq(ws_group_submit(&group, keeps_the_worker, &begun), 0);
    wait_for(&begun);
    ck_assert_int_eq(pthread_create(&caller, NULL, calls, NULL), 0);
    while (wsfj_root_length() == 0)
        sched_yield();
    if (begin_child(&child))
        _exit(wrong_without_region());
    o = end_child(&child);
    expect_exit(&o, 0);
    raise_flag(&must_end);
    pthread_join(caller, NULL);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(ws_fini(), 0);
    ck_assert_int_eq(runs_elsewhere, 0);
}
END_TEST

static ws_group behind = WS_GROUP_INIT;
static int is_kept;

/* Its fiber is in the global queue while the worker is kept. */
static void yields(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&must_end, __ATOMIC_ACQUIRE))
        ws_yield();
}

/* Is suspended with a child in its deque, behind a task that keeps the worker. */
static WS_TASK_VOID(waits_with_a_child, int *, ran)
{
    ws_spawn(adds, ran);
    (void)ws_group_submit(&behind, keeps_the_worker, &is_kept);
    (void)ws_group_submit(&behind, yields, NULL); /* the newest comes first, and gives way to the other */
    (void)ws_group_wait(&behind);
    ws_sync();
}

static void *calls_and_waits(void *ran)
{
    ck_assert_int_eq(ws_run(waits_with_a_child, (int *)ran), 0);
    return NULL;
}

static void adds_one(void *ran)
{
    adds(ran);
    if (getpid() != whose)
        runs_elsewhere = 1;
}

/* What the lists have: a bit for each. */
static unsigned lists(void)
{
    struct wsfj_global_queue_length queue = wsfj_global_queue_length();

    return (unsigned)(wsfj_suspended_count() > 0) | (unsigned)(queue.items > 0) << 1 |
           (unsigned)(queue.fibers > 0) << 2 | (unsigned)(wsfj_root_length() > 0) << 3;
}
#define ALL_LISTS 15u

static int wrong_with_lists(void)
{
    unsigned inherited = lists();
    int wrong = wrong_in_child() + runs_elsewhere;

    return inherited || lists() ? 100 : wrong;
}

/* Catches: a list that the child inherits from its parent: suspended deques, tasks, fibers, roots. The
 * child's workers would take from stacks that are unmapped, wait for tasks that never end, or run the parent's. */
START_TEST(a_child_has_none_of_its_parents_lists)
{
    ws_group group = WS_GROUP_INIT;
    pthread_t waiter, caller;
    struct child child;
    struct outcome o;
    int ran = 0;

    whose = getpid();
    start_with_one_worker();
    ck_assert_int_eq(pthread_create(&waiter, NULL, calls_and_waits, &ran), 0);
    wait_for(&is_kept);
    ck_assert_int_eq(pthread_create(&caller, NULL, calls, NULL), 0);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(ws_group_submit(&group, adds_one, &ran), 0);
    while (lists() != ALL_LISTS)
        sched_yield();
    if (begin_child(&child))
        _exit(wrong_with_lists());
    o = end_child(&child);
    expect_exit(&o, 0);
    raise_flag(&must_end);
    pthread_join(waiter, NULL);
    pthread_join(caller, NULL);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    stop_runtime();
    ck_assert_int_eq(ran, 4);
    ck_assert_int_eq(runs_elsewhere, 0);
}
END_TEST

/* Catches: a child that inherits its parent's phase: it could never stop its runtime. */
START_TEST(a_child_is_in_no_phase_of_its_parent)
{
    struct child child;
    struct outcome o;

    start_with_one_worker();
    ck_assert_int_eq(ws_phase_begin(), 0);
    if (begin_child(&child))
        _exit(wrong_in_child() + (ws_phase_end() != EINVAL));
    o = end_child(&child);
    expect_exit(&o, 0);
    ck_assert_int_eq(ws_phase_end(), 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static bool is_listed(const struct wsfj_stack *wanted)
{
    const struct wsfj_stack *s = wsfj_pool_all();

    while (s && s != wanted)
        s = s->pool.next_all;
    return s;
}

static void tell_of_fork(void)
{
    raise_flag(&is_forked);
}

static ws_event goes_on = WS_EVENT_INIT;

static WS_TASK_VOID(waits)
{
    raise_flag(&is_kept);
    (void)ws_event_wait(&goes_on);
}

static void *calls_one_that_waits(void *unused)
{
    (void)unused;
    ck_assert_int_eq(ws_run(waits), 0);
    return NULL;
}

/* Catches: a stack that is mapped at the fork and in no list: each child of such a fork keeps it for ever. */
START_TEST(a_child_knows_the_stack_that_its_parent_was_making)
{
    ws_group group = WS_GROUP_INIT;
    pthread_t waiter;
    struct child child;
    struct outcome o;
    int ran = 0;

    start_with_one_worker();
    ck_assert_int_eq(pthread_atfork(tell_of_fork, NULL, NULL), 0); /* runs before the library's */
    raise_flag(&is_mapping_held_up);
    ck_assert_int_eq(pthread_create(&waiter, NULL, calls_one_that_waits, NULL), 0);
    wait_for(&is_kept);
    ck_assert_int_eq(ws_group_submit(&group, adds_one, &ran), 0);
    wait_for(&is_made); /* the worker has one stack, and the first task is on it */
    if (begin_child(&child))
        _exit(is_listed(held_up) ? wrong_in_child() : 100);
    o = end_child(&child);
    expect_exit(&o, 0);
    ws_event_set(&goes_on);
    pthread_join(waiter, NULL);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(ran, 1);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static int is_asked, is_asked_in_child;

/* In the parent the worker is in this function while another thread forks. */
static int polls(void *unused)
{
    (void)unused;
    raise_flag(getpid() == whose ? &is_asked : &is_asked_in_child);
    if (getpid() == whose)
        wait_for(&is_forked);
    return 0;
}

static void start_with_poll(void)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 1;
    config.poll = polls;
    if (ws_init(&config) != 0)
        abort();
}

static int wrong_with_poll(void)
{
    int wrong = set_end();

    start_with_poll();
    wait_for(&is_asked_in_child);
    return wrong + (ws_fini() != 0);
}

/* Catches: a child that never polls for work, because a thread of the parent was polling at the fork. */
START_TEST(a_child_asks_for_work_though_its_parent_was_asking)
{
    struct child child;
    struct outcome o;

    whose = getpid();
    start_with_poll();
    wait_for(&is_asked);
    if (begin_child(&child))
        _exit(wrong_with_poll());
    raise_flag(&is_forked);
    o = end_child(&child);
    expect_exit(&o, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static struct child root_child;
static bool is_root_child;

static WS_TASK_VOID(forks)
{
    is_root_child = begin_child(&root_child);
}

/* Catches: a child that leaves its parent's ws_run() and counts one user too few. Without threads the root runs on the
 * caller's stack, so it may return in the child. */
START_TEST(a_child_may_return_from_a_root_that_runs_serially)
{
    struct outcome o;

    raise_flag(&is_refused);
    start_with_one_worker();
    ck_assert_int_eq(ws_run(forks), 0);
    is_refused = 0;
    if (is_root_child)
        _exit(wrong_in_child());
    o = end_child(&root_child);
    expect_exit(&o, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* What other threads may be about to do to the fiber at the fork. */
enum { NOTHING, ASKED, LOCKED, WAYS };

static WS_TASK_VOID(returns)
{
}

static WS_TASK(int, forks_with_a_done_child, int, way)
{
    struct wsfj_stack *own = wsfj_own_stack();
    struct child child;
    int status;

    ws_spawn(returns);
    while (!(load_acquire(&own->bottom->wsfj_word) & 1)) /* until a thief has run it */
        sched_yield();
    if (way == ASKED)
        store_relaxed(&own->preempt, load_relaxed(&own->shown.runs));
    if (way == LOCKED)
        store_relaxed(&own->lock, 1u);
    if (begin_child(&child)) {
        ws_sync();
        _exit(set_end());
    }
    if (way == LOCKED)
        store_relaxed(&own->lock, 0u);
    status = end_child(&child).status;
    ws_sync();
    return status;
}

/* Catches: a fiber that in the child gives way to others, or waits for a lock that a thief in the parent has. */
START_TEST(a_fiber_in_a_child_owes_nothing)
{
    int status = -1;

    start_runtime(2, 0, WS_SPIN_DEFAULT);
    ck_assert_int_eq(ws_run(forks_with_a_done_child, &status, _i), 0);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase;

    if (SANITIZED)
        return EXIT_SKIPPED; /* a lock of the sanitizer's allocator held at the fork stays locked */
    tcase = new_case("forked");
    ADD_TEST_UNLESS(emulated(NO_THREADS), tcase, a_child_can_make_threads_though_its_parent_was_making_one);
    ADD_TEST_UNLESS(emulated(NO_THREADS), tcase, a_child_has_none_of_the_regions_that_wait_in_its_parent);
    ADD_TEST_UNLESS(emulated(NO_THREADS), tcase, a_child_has_none_of_its_parents_lists);
    ADD_TEST_UNLESS(emulated(NO_THREADS), tcase, a_child_is_in_no_phase_of_its_parent);
    ADD_TEST_UNLESS(emulated(NO_THREADS), tcase, a_child_knows_the_stack_that_its_parent_was_making);
    ADD_TEST_UNLESS(emulated(NO_THREADS), tcase, a_child_asks_for_work_though_its_parent_was_asking);
    ADD_TEST_UNLESS(emulated(NO_THREADS), tcase, a_child_may_return_from_a_root_that_runs_serially);
    tcase_add_loop_test(tcase, a_fiber_in_a_child_owes_nothing, 0, WAYS);
    return run_case("forked", tcase);
}
