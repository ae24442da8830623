/* SPDX-License-Identifier: MIT */
/* A thread of the program that serves a worker: it finds no stack, and it leaves. lib/api/run.c, guest.c,
 * guest_root.c. Neighbours: user/roots.c, regions of several threads; stress/limits.c, few stacks; explore/park, guests and
 * other threads. */
#include "../support/flags.h"
#include "../support/runtime.h"

#include "api/guest.h"
#include "base/atomic.h"
#include "config/settings.h"
#include "idle/cpu_limit.h"
#include "idle/idle_counts.h"
#include "idle/park.h"
#include "idle/preempt.h"
#include "queue/global_queue.h"
#include "queue/root.h"
#include "task/item.h"
#include "task/pool.h"
#include "task/stack.h"
#include "task/suspended.h"
#include "worker/awake.h"
#include "worker/own.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACKS = 2, WORKERS = STACKS + 1 };

static bool alone; /* no runtime is there */
static int woken;
static long guest, told_by_guest; /* a thread, and how often it has looked for a sleeper */

static long this_thread(void)
{
    return syscall(SYS_gettid);
}

/* The linker's names. */
void __real_wsfj_wake_notify(struct wsfj_worker *self);
void __wrap_wsfj_wake_notify(struct wsfj_worker *self);

void __wrap_wsfj_wake_notify(struct wsfj_worker *self)
{
    woken++;
    add(&told_by_guest, this_thread() == guest);
    if (!alone)
        __real_wsfj_wake_notify(self);
}

static int may_end;
static long inside, ran_serially;

static WS_TASK_VOID(keeps_its_stack)
{
    add(&inside, 1);
    wait_for(&may_end);
}

static void *region(void *unused)
{
    (void)unused;
    ck_assert_int_eq(ws_run(keeps_its_stack), 0);
    return NULL;
}

static WS_TASK_VOID(tells)
{
    add(&ran_serially, ws_worker_id() < 0);
}

/* Catches: a guest that finds no stack and keeps its worker: after it no guest and no thread serves that worker, and the
 * next region hangs. */
START_TEST(a_guest_without_a_stack_gives_its_worker_back)
{
    pthread_t threads[STACKS];
    ws_config config;

    ws_config_default(&config);
    config.num_workers = WORKERS;
    config.max_stacks = STACKS;
    config.spin_us = 0;
    ck_assert_int_eq(ws_init(&config), 0);
    for (int i = 0; i < STACKS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, region, NULL), 0);
    while (get(&inside) < STACKS)
        sched_yield();
    for (int i = 0; i < WORKERS; i++) {
        while (wsfj_idle_counts().sleeping < 1)
            sched_yield();
        ck_assert_int_eq(ws_run(tells), 0);
    }
    ck_assert_int_eq(get(&ran_serially), WORKERS);
    raise_flag(&may_end);
    for (int i = 0; i < STACKS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    stop_runtime();
}
END_TEST

/* Catches: a region whose stack is lost, so that the next one makes another. */
START_TEST(regions_use_the_same_stacks)
{
    enum { REGIONS = 200, MOST = 20 };

    start_runtime(2, 0, WS_SPIN_DEFAULT);
    for (int i = 0; i < REGIONS; i++)
        ck_assert_int_eq(ws_run(tells), 0);
    ck_assert_uint_lt(wsfj_pool_high_water(), MOST);
    stop_runtime();
}
END_TEST

/* The surplus workers of a process with a CPU limit do not count as sleepers. */
static void await_sleep(void)
{
    struct wsfj_idle_counts now;

    do {
        sched_yield();
        now = wsfj_idle_counts();
    } while (now.searching > 0 || now.sleeping < 1);
}

/* Catches: a guest whose root ends without having left its stack: the region is not counted, the worker still shows the
 * stack, or the stack is lost. */
START_TEST(a_guest_leaves_its_worker_as_it_was)
{
    enum { REGIONS = 50, MOST = 10 };

    start_runtime(WORKERS, 0, 0);
    for (int i = 0; i < REGIONS; i++) {
        await_sleep();
        ck_assert_int_eq(ws_run(tells), 0);
        for (int w = 0; w < WORKERS; w++)
            ck_assert_ptr_null(load_relaxed(&wsfj_workers[w].stack));
    }
    ck_assert_uint_eq(read_stats().regions, REGIONS);
    ck_assert_uint_lt(wsfj_pool_high_water(), MOST);
    stop_runtime();
}
END_TEST

/* Catches: a guest that leaves free stacks in its worker's cache, where no thread finds them while the worker sleeps. */
START_TEST(a_guest_leaves_no_stacks_in_the_cache)
{
    struct wsfj_cache none = {NULL, 0, 0};
    struct wsfj_stack *s[2 * WORKERS];
    int with_stacks = 0;

    start_runtime(WORKERS, 0, 0);
    await_sleep();
    for (int i = 0; i < 2 * WORKERS; i++) {
        none.node = wsfj_workers[i % WORKERS].cache.node;
        s[i] = wsfj_pool_take(&none);
        ck_assert_ptr_nonnull(s[i]);
    }
    for (int i = 0; i < 2 * WORKERS; i++)
        wsfj_pool_give(&wsfj_workers[i % WORKERS].cache, s[i]);
    ck_assert_int_eq(ws_run(tells), 0);
    for (int i = 0; i < WORKERS; i++)
        with_stacks += wsfj_workers[i].cache.free != NULL;
    ck_assert_int_eq(with_stacks, WORKERS - 1);
    stop_runtime();
}
END_TEST

/* What is left when the guest goes. */
enum { NOTHING, OWN, ROOT, ITEM, FIBER, OTHERS_AWAKE, SUSPENDED, LEFT };

static _Alignas(4096) struct wsfj_worker crew[2];
static struct wsfj_entry entries[2][WSFJ_RUN_QUEUE_SIZE];
static const unsigned crew_near[] = {0, 1};
static const struct wsfj_kind kind = {.wsfj_name = "kind"};

static void nothing(void *unused)
{
    (void)unused;
}

static const struct wsfj_item item = {nothing, NULL, NULL};

static struct wsfj_stack *stack_with_a_child(void)
{
    struct wsfj_stack *s = wsfj_stack_make((size_t)64 << 10, WSFJ_MODE_NORMAL);

    ck_assert_ptr_nonnull(s);
    s->deque.wsfj_tail->wsfj_word = (uintptr_t)&kind;
    wsfj_publish_tail(&s->deque, s->deque.wsfj_tail + 1);
    return s;
}

static void leave_behind(int what)
{
    switch (what) {
    case OWN: ck_assert(wsfj_run_queue_push(&crew[0].detached.queue, item)); break;
    case ROOT: wsfj_roots = 1; break;
    case ITEM: ck_assert(wsfj_global_queue_put(item, false)); break;
    case FIBER: wsfj_global_queue_put_fiber(stack_with_a_child()); break;
    case OTHERS_AWAKE: wsfj_idle_counts_take_sleeper(); break;
    case SUSPENDED: wsfj_suspended_add(stack_with_a_child());
    }
}

/* Catches: a guest that leaves and, because all sleep, looks at too little (PARK-9); at every queue, as if it knew nothing. What
 * the other worker has in its queue is known to others, unless that worker is awake. */
START_TEST(a_guest_that_leaves_sees_what_is_left)
{
    alone = true;
    wsfj_workers = crew;
    wsfj_num_workers = 2;
    crew[1].id = crew[1].victims.position = 1;
    for (int i = 0; i < 2; i++)
        crew[i].detached.queue.entries = entries[i];
    wsfj_awake_start(crew_near);
    wsfj_cpu_limit_start(2);
    wsfj_idle_counts_start(0);
    wsfj_awake_enter(crew[0].victims.position);
    wsfj_awake_enter(crew[1].victims.position);
    ck_assert(wsfj_global_queue_start(10));
    ck_assert(wsfj_run_queue_push(&crew[1].detached.queue, item));
    ck_assert(wsfj_awake_leave(crew[1].victims.position, &crew[1].detached.queue));
    wsfj_park_lie_down(&crew[1], false);
    leave_behind(_i);
    wsfj_guest_leave(&crew[0]);
    /* The recheck of wake.c wakes by itself. */
    ck_assert_int_eq(woken || load_relaxed(&crew[0].park) == WSFJ_PARK_AWAKE ||
                         load_relaxed(&crew[1].park) == WSFJ_PARK_AWAKE,
                     _i != NOTHING);
}
END_TEST

static struct wsfj_worker *here;
static int late_flushes;

struct wsfj_worker *__real_wsfj_worker_here(void);
struct wsfj_worker *__wrap_wsfj_worker_here(void);
void __real_wsfj_guest_leave(struct wsfj_worker *w);
void __wrap_wsfj_guest_leave(struct wsfj_worker *w);

struct wsfj_worker *__wrap_wsfj_worker_here(void)
{
    return alone ? here : __real_wsfj_worker_here();
}

void __wrap_wsfj_guest_leave(struct wsfj_worker *w)
{
    late_flushes += w->cache.free != NULL;
    __real_wsfj_guest_leave(w);
}

/* Catches: a guest that gives stacks back after the worker is another thread's. */
START_TEST(a_guest_gives_stacks_back_before_it_leaves)
{
    struct wsfj_cache none = {NULL, 0, 0};
    struct wsfj_stack *s[2];

    start_runtime(1, 0, 0);
    await_sleep();
    none.node = wsfj_workers[0].cache.node;
    for (int i = 0; i < 2; i++)
        s[i] = wsfj_pool_take(&none);
    for (int i = 0; i < 2; i++)
        wsfj_pool_give(&wsfj_workers[0].cache, s[i]);
    late_flushes = 0;
    ck_assert_int_eq(ws_run(tells), 0);
    ck_assert_int_eq(late_flushes, 0);
    stop_runtime();
}
END_TEST

static bool was_alone;

static WS_TASK_VOID(yields_twice)
{
    struct wsfj_stack *own = wsfj_own_stack();

    ws_yield();
    was_alone = own->wait.alone;
    ws_yield();
    own->deque.wsfj_area += 8; /* as after a longjmp() */
    own->scope = (ws_scope *)own;
    own->deque.wsfj_scopes = 1;
}

static bool found_area;

static WS_TASK_VOID(looks_at_its_area)
{
    struct wsfj_stack *own = wsfj_own_stack();

    found_area = own->deque.wsfj_area != own->deque.wsfj_area_start || own->scope || own->deque.wsfj_scopes;
}

/* Catches: a root that resumes and is not counted; one that finds others after a yield in vain; a stack that is still the
 * root's when it is free; an argument area that is not empty. */
START_TEST(a_root_leaves_its_stack_as_it_was)
{
    struct wsfj_cache none = {NULL, 0, 0};
    struct wsfj_stack *s;

    start_runtime(1, 0, 0);
    await_sleep();
    if (_i == 0) {
        ck_assert_int_eq(ws_run(yields_twice), 0);
        ck_assert_uint_eq(read_stats().resumptions, 2);
        ck_assert(was_alone);
        await_sleep();
        ck_assert_int_eq(ws_run(looks_at_its_area), 0);
        ck_assert(!found_area);
    } else {
        ck_assert_int_eq(ws_run(tells), 0);
    }
    none.node = wsfj_workers[0].cache.node;
    s = wsfj_pool_take(&none);
    ck_assert_uint_eq(s->job.runs, 0);
    ck_assert_ptr_null(s->job.kind);
    ck_assert_ptr_null(s->job.code);
    ck_assert_ptr_null(wsfj_context_record(&s->context)->next);
    wsfj_pool_give(&wsfj_workers[0].cache, s);
    stop_runtime();
}
END_TEST

/* Catches: a guest that takes the last idle worker and does not tell the preempter; one that has its root queued although the
 * worker of its processor is busy and another one sleeps. */
START_TEST(a_guest_takes_the_last_sleeper)
{
    alone = true;
    wsfj_workers = crew;
    wsfj_num_workers = 2;
    crew[1].id = crew[1].victims.position = 1;
    wsfj_awake_start(crew_near);
    wsfj_cpu_limit_start(2);
    wsfj_idle_counts_start(0);
    ck_assert(wsfj_global_queue_start(10));
    wsfj_park_lie_down(&crew[1], false);
    crew[0].park = WSFJ_PARK_AWAKE;
    crew[0].stack = stack_with_a_child();
    here = &crew[_i];
    wsfj_preempt_state = WSFJ_PREEMPT_READY;
    ck_assert_ptr_eq(wsfj_guest_enter(), &crew[1]);
    ck_assert_uint_eq(wsfj_preempt_state, WSFJ_PREEMPT_QUIET);
}
END_TEST

static int child_runs, grandchild_runs;
static bool all_surplus; /* from the time on when the guest searches */
static long told_before, told_after;

static WS_TASK_VOID(nothing_at_all)
{
}

/* Answers a thief's request, which exposes the oldest task. */
static WS_TASK_VOID(answers)
{
    ws_spawn(nothing_at_all);
    ws_sync();
}

/* The other worker runs the child: only the guest can steal this one. */
static WS_TASK_VOID(grandchild)
{
    told_after = get(&told_by_guest);
    ck_assert_int_eq(this_thread(), guest);
    raise_flag(&grandchild_runs);
}

static WS_TASK_VOID(child)
{
    raise_flag(&child_runs);
    while (read_stats().suspensions == 0)
        sched_yield();
    if (all_surplus)
        wsfj_cpu_limit_change(0);
    told_before = get(&told_by_guest);
    ws_spawn(grandchild);
    while (!is_raised(&grandchild_runs))
        ws_call(answers);
    if (all_surplus)
        wsfj_cpu_limit_change(2);
}

static WS_TASK_VOID(parent)
{
    ws_spawn(child);
    while (!is_raised(&child_runs))
        ws_call(answers);
}

/* Catches: a guest that steals, and leaves a sleeper asleep that could steal as well; one that gives up its search because its
 * worker has no processor (_i): it has brought its own. */
START_TEST(a_guest_that_steals_wakes_a_sleeper)
{
    start_runtime(2, 0, 0);
    await_sleep();
    wsfj_settings.spin_ns = WSFJ_FOREVER; /* the guest waits for the grandchild */
    guest = this_thread();
    all_surplus = _i;
    ck_assert_int_eq(ws_run(parent), 0);
    if (woken) /* with link-time optimisation the linker has no say */
        ck_assert_int_eq(told_after - told_before, 1);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("guest");

    tcase_add_test(tcase, a_guest_without_a_stack_gives_its_worker_back);
    tcase_add_test(tcase, regions_use_the_same_stacks);
    tcase_add_test(tcase, a_guest_leaves_its_worker_as_it_was);
    tcase_add_test(tcase, a_guest_leaves_no_stacks_in_the_cache);
    tcase_add_loop_test(tcase, a_guest_that_leaves_sees_what_is_left, 0, LEFT);
    tcase_add_test(tcase, a_guest_gives_stacks_back_before_it_leaves);
    tcase_add_loop_test(tcase, a_root_leaves_its_stack_as_it_was, 0, 2);
    tcase_add_loop_test(tcase, a_guest_takes_the_last_sleeper, 0, 2);
    tcase_add_loop_test(tcase, a_guest_that_steals_wakes_a_sleeper, 0, 2);
    return run_case("guest", tcase);
}
