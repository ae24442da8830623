/* SPDX-License-Identifier: MIT */
/* Detached tasks, blocking sections, pins, workers' numbers and several threads in a profiled program, in units.
 * Neighbours: profile.c, fork/join alone; profile_apart.c. */
#include "../support/resources.h"
#include "../support/sanitizer.h"
#include "profile.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_long ran;

static WS_TASK_VOID(leaf)
{
}

/* Costs n; a detached task costs 1 besides. */
static WS_TASK_VOID(chain, long, n)
{
    for (long i = 1; i < n; i++)
        ws_call(leaf);
}

static void count(void *arg)
{
    ran++;
    chain((long)(intptr_t)arg);
}

static void spawns(void *arg)
{
    long n = (long)(intptr_t)arg;

    ws_frame();
    for (long i = 0; i < n; i++)
        ws_spawn(chain, 3);
    ws_sync();
    ran++;
}

/* 1 + max(4 + 1, 2) + 1: a wait continues from the farthest of the group, a task in no group is not waited for. */
static WS_TASK(int, waits)
{
    ws_group g = WS_GROUP_INIT;
    int error = 0;

    error |= ws_group_submit(&g, count, (void *)4);
    error |= ws_group_try_submit(&g, count, (void *)1);
    error |= ws_submit(count, (void *)2);
    ws_call(chain, 2);
    error |= ws_group_wait(&g);
    ws_call(leaf);
    error |= ws_group_wait(&g);
    return error || ran != 3;
}

/* The region ends after 1, the task without a waiter after 21. */
static WS_TASK(int, leaves_alone)
{
    return ws_try_submit(count, (void *)20) || ran != 1;
}

/* 1 + (1 + 3): what a detached task spawns is parallel. */
static WS_TASK(int, detached_spawns)
{
    ws_group g;
    int error;

    ws_group_init(&g);
    error = ws_group_submit(&g, spawns, (void *)10);
    return error || ws_group_wait(&g) || ran != 1;
}

static WS_TASK(int, no_function)
{
    return ws_submit(NULL, NULL) != EINVAL || ws_group_wait(&(ws_group)WS_GROUP_INIT) != 0;
}

/* Pins and yields count nothing, a blocking section has no length here. */
static WS_TASK(int, in_brackets)
{
    int before = ws_worker_id(), inside, error = ws_pin();

    ws_pinned();
    ws_yield();
    ws_unpin();
    ws_blocking_end(); /* none has begun */
    WS_BLOCKING
    {
        ws_blocking_begin();
        inside = ws_worker_id();
        ws_blocking_end();
        inside = ws_worker_id() == inside ? inside : 0;
        ws_call(leaf);
    }
    ws_blocking_end();
    return error || before != 0 || inside != -1 || ws_worker_id() != 0 || ws_num_workers() != 2;
}

/* A worker's slot is its own, all other code has the last one. */
static WS_TASK(int, has_a_slot)
{
    int error = ws_slot() != 0;

    WS_BLOCKING
    {
        error |= ws_slot() != 2;
    }
    return error || ws_slot() != 0;
}

/* 1 + max(20 + 1, 1 + 1): a group that was initialised again has no tasks yet. */
static WS_TASK(int, uses_a_group_again)
{
    ws_group g = WS_GROUP_INIT;
    int error = ws_group_submit(&g, count, (void *)20);

    ws_group_init(&g);
    error |= ws_group_submit(&g, count, (void *)1) || ws_group_wait(&g);
    ws_call(chain, 10);
    return error || ran != 2;
}

#define DEEP 32 /* as deep detached tasks call each other */

static int order[4];

static void in_order(void *arg)
{
    order[ran++ & 3] = (int)(intptr_t)arg;
    chain(2);
}

/* Submits itself, and at the depth where tasks are queued several others. */
static void too_deep(void *arg)
{
    long left = (long)(intptr_t)arg;
    int error = 0;

    if (left > 1)
        error = ws_submit(too_deep, (void *)(intptr_t)(left - 1));
    for (int i = 0; left == 1 && i < 4; i++)
        error |= ws_submit(in_order, (void *)(intptr_t)i);
    if (error)
        abort();
}

static WS_TASK(int, is_too_deep)
{
    int error = ws_submit(too_deep, (void *)(intptr_t)DEEP);

    for (int i = 0; i < 4; i++)
        error |= order[i] != i;
    return error || ran != 4;
}

#define RUN(task)                                                                                                      \
    static int run_##task(long unused)                                                                                 \
    {                                                                                                                  \
        int wrong = 1;                                                                                                 \
                                                                                                                       \
        (void)unused;                                                                                                  \
        return ws_run(task, &wrong) || wrong || ws_worker_id() != -1;                                                  \
    }
RUN(waits)
RUN(leaves_alone)
RUN(detached_spawns)
RUN(no_function)
RUN(in_brackets)
RUN(has_a_slot)
RUN(is_too_deep)
RUN(uses_a_group_again)

/* Outside of any region: all at once, and what follows the wait after them. */
static int run_outside(long n)
{
    ws_group g = WS_GROUP_INIT;
    int error = 0;

    for (long i = 1; i <= n; i++)
        error |= ws_group_submit(&g, count, (void *)(intptr_t)i);
    error |= ws_group_wait(&g);
    return error || ws_run(chain, 5) || ran != n;
}

static const struct {
    int (*run)(long);
    double work, span;
} cases[] = {
    {run_waits, 1 + 5 + 2 + 3 + 2 + 1, 1 + 5 + 1},
    {run_leaves_alone, 1 + 21, 1 + 21},
    {run_detached_spawns, 1 + 1 + 30, 1 + 1 + 3},
    {run_no_function, 1, 1},
    {run_in_brackets, 2, 2},
    {run_has_a_slot, 1, 1},
    {run_is_too_deep, 1 + DEEP + 4 * 3, 1 + DEEP + 3},
    {run_uses_a_group_again, 1 + 21 + 2 + 10, 1 + 21},
    {run_outside, 2 + 3 + 4 + 5 + 6 + 5, 6 + 5},
};
#define CASES ((int)(sizeof cases / sizeof *cases))

/* Catches: a detached task that is not run, or not in its turn, or counts as if its submitter waited for it, or as if no
 * wait came. */
START_TEST(detached_tasks_are_parallel_to_what_follows)
{
    struct profile p = units_of(cases[_i].run, 5);

    ck_assert_double_eq(p.row[0].work, cases[_i].work);
    ck_assert_double_eq(p.row[0].span, cases[_i].span);
}
END_TEST

/* Catches: sites of one line that count as one because only their tasks differ. */
START_TEST(each_task_of_a_line_is_a_site)
{
    struct profile p = units_of(run_waits, 0);

    ck_assert_uint_eq(profile_site(&p, "ws_submit")->count, 1);
    ck_assert_uint_eq(profile_site(&p, "ws_group_submit")->count, 2);
}
END_TEST

struct relay {
    long left;
    ws_group *group;
};

/* Submits the next one, and that the next: without end the stack would overflow. */
static void submit_next(void *arg)
{
    struct relay *l = arg;
    char much[1000];

    memset(much, (int)l->left, sizeof much);
    __asm__ volatile("" : : "r"(much) : "memory");
    ran++;
    if (l->left-- > 0)
        (void)ws_group_submit(l->group, submit_next, l);
}

static int run_links(long n)
{
    ws_group g = WS_GROUP_INIT;
    struct relay l = {n - 1, &g};

    return ws_group_submit(&g, submit_next, &l) || ws_group_wait(&g) || ran != n;
}

/* A short relay first: what the C library keeps for itself. */
static int run_twice(long n)
{
    size_t before;

    if (run_links(1000))
        return 1;
    before = allocated();
    ran = 0;
    return run_links(n) || allocated() > before + (size_t)n;
}

/* Catches: a stack that grows with the number of tasks, or memory; a position that is lost in the queue. */
START_TEST(tasks_that_submit_each_other_need_no_more_stack)
{
    struct profile p = units_of(SANITIZED ? run_links : run_twice, 100000); /* an allocator of its own tells nothing */
    long n = SANITIZED ? 100000 : 101000;

    ck_assert_double_eq(p.row[0].work, (double)n);
    ck_assert_double_eq(p.row[0].span, (double)n);
    ck_assert_uint_eq(profile_site(&p, "ws_group_submit")->count, (unsigned long long)n);
}
END_TEST

static pthread_barrier_t both;
static atomic_int seen[2];

static WS_TASK_VOID(meets, long, n)
{
    pthread_barrier_wait(&both);
    if (ws_worker_id() >= 0 && ws_worker_id() < 2)
        seen[ws_worker_id()]++;
    ws_call(chain, n);
    pthread_barrier_wait(&both);
}

static void *meet(void *arg)
{
    return (void *)(intptr_t)ws_run(meets, (long)(intptr_t)arg);
}

static int run_meetings(long unused)
{
    pthread_t thread;
    void *error = NULL;

    (void)unused;
    pthread_barrier_init(&both, NULL, 2);
    if (pthread_create(&thread, NULL, meet, (void *)10) || ws_run(meets, 20) || pthread_join(thread, &error))
        return 1;
    return error || seen[0] != 1 || seen[1] != 1 || ws_run(chain, 3);
}

/* Catches: regions that overlap and count as if they followed each other, or have one worker's number; one that follows
 * both and counts as if it overlapped. */
START_TEST(regions_of_two_threads_are_parallel)
{
    struct profile p = units_of(run_meetings, 0);

    ck_assert_double_eq(p.row[0].work, 11 + 21 + 3);
    ck_assert_double_eq(p.row[0].span, 21 + 3);
    ck_assert_uint_eq(p.row[0].regions, 3);
}
END_TEST

static atomic_int is_running, may_end;

static WS_TASK_VOID(outlasts, long, n)
{
    is_running = 1;
    while (!may_end)
        ws_yield();
    ws_call(chain, n);
}

static void *outlast(void *arg)
{
    return (void *)(intptr_t)ws_run(outlasts, (long)(intptr_t)arg);
}

static void *run_chain(void *arg)
{
    return (void *)(intptr_t)ws_run(chain, (long)(intptr_t)arg);
}

static int in_thread(void *(*fn)(void *), void *arg)
{
    pthread_t thread;
    void *error = NULL;

    return pthread_create(&thread, NULL, fn, arg) || pthread_join(thread, &error) || error;
}

static int run_overlaps(long unused)
{
    pthread_t thread;
    void *error = NULL;

    (void)unused;
    if (in_thread(run_chain, (void *)4) || pthread_create(&thread, NULL, outlast, (void *)5))
        return 1;
    while (!is_running)
        usleep(100);
    if (in_thread(run_chain, (void *)9) || in_thread(run_chain, (void *)8))
        return 1;
    if (ws_run(chain, 3) || ws_run(chain, 7))
        return 1;
    may_end = 1;
    return pthread_join(thread, &error) || error || in_thread(run_chain, (void *)2);
}

/* Catches: a region that begins where the last one of another thread has ended, though a third one runs all the
 * time; regions of one thread that begin together. */
START_TEST(regions_that_overlap_begin_together)
{
    struct profile p = units_of(run_overlaps, 0);

    ck_assert_double_eq(p.row[0].work, 4 + 6 + 9 + 8 + 3 + 7 + 2);
    ck_assert_double_eq(p.row[0].span, 4 + 3 + 7 + 2);
}
END_TEST

#define THREADS 8
#define REGIONS 200
static atomic_int owner[2];
static atomic_long collisions;

static WS_TASK_VOID(alone, long, n)
{
    atomic_int *o = &owner[ws_worker_id() & 1];

    if (ws_worker_id() > 1 || atomic_fetch_add(o, 1) != 0)
        collisions++;
    for (long i = 0; i < n; i++)
        ws_spawn(chain, 2);
    ws_sync();
    atomic_fetch_sub(o, 1);
}

static void *many(void *arg)
{
    ws_group g = WS_GROUP_INIT;

    (void)arg;
    for (int i = 0; i < REGIONS; i++)
        if (ws_run(alone, 10) || ws_group_submit(&g, count, (void *)1) || ws_group_wait(&g))
            collisions++;
    return NULL;
}

static int run_many(long unused)
{
    pthread_t threads[THREADS];

    (void)unused;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, many, NULL))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return collisions != 0 || ran != THREADS * REGIONS;
}

/* Catches: threads that share an account or a worker's number, sums that are lost where they meet. */
START_TEST(nothing_is_lost_between_threads)
{
    struct profile p = units_of(run_many, 0);
    double each = 1 + 10 * 2;

    ck_assert_double_eq(p.row[0].work, THREADS * REGIONS * (each + 2));
    ck_assert_uint_eq(p.row[0].regions, THREADS * REGIONS);
    ck_assert_uint_eq(profile_site(&p, "chain")->count, THREADS * REGIONS * 10);
    ck_assert_double_ge(p.row[0].span, REGIONS * (3 + 2));
    ck_assert_double_le(p.row[0].span, THREADS * REGIONS * (3 + 2));
}
END_TEST

static ws_group shared = WS_GROUP_INIT;

static void slow(void *arg)
{
    (void)arg;
    pthread_barrier_wait(&both); /* the other thread has seen that we run */
    usleep(20000);
    ran++;
}

static void *submit_slow(void *arg)
{
    (void)arg;
    return (void *)(intptr_t)ws_group_submit(&shared, slow, NULL);
}

static WS_TASK(int, waits_for_another)
{
    pthread_barrier_wait(&both);
    return ws_group_wait(&shared) || ran != 1;
}

static int run_wait_for_another(long unused)
{
    pthread_t thread;
    int wrong = 1;
    void *error = NULL;

    (void)unused;
    pthread_barrier_init(&both, NULL, 2);
    if (pthread_create(&thread, NULL, submit_slow, NULL) || ws_run(waits_for_another, &wrong))
        return 1;
    return pthread_join(thread, &error) || error || wrong;
}

/* Catches: a wait that does not wait for a task that another thread is calling. */
START_TEST(a_group_may_have_tasks_of_several_threads)
{
    struct profile p = units_of(run_wait_for_another, 0);

    ck_assert_double_eq(p.row[0].work, 2);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile_detached");

    tcase_add_loop_test(tcase, detached_tasks_are_parallel_to_what_follows, 0, CASES);
    tcase_add_test(tcase, each_task_of_a_line_is_a_site);
    tcase_add_test(tcase, tasks_that_submit_each_other_need_no_more_stack);
    tcase_add_test(tcase, regions_of_two_threads_are_parallel);
    tcase_add_test(tcase, regions_that_overlap_begin_together);
    tcase_add_test(tcase, nothing_is_lost_between_threads);
    tcase_add_test(tcase, a_group_may_have_tasks_of_several_threads);
    return run_case("profile_detached", tcase);
}
