/* SPDX-License-Identifier: MIT */
/*
 * WS_TRY and WS_FOLD where they run, and where something is missing: in sections, pins, groups, detached tasks and
 * children of fork(); without room for their parts, without stacks, barrier or threads; in a cancelled scope. Also built
 * with -DWSFJ_DEBUG, and profiled. Neighbours: try.c, fold.c, loops_where.c.
 */
#include "../support/process.h"
#include "list.h"
#include "workers.h"

#include <errno.h>
#include <sched.h>

#ifdef WSFJ_PROFILE
#define PARALLEL 0
#else
#define PARALLEL 1
#endif

#define MOST 20000

/* No thread is to be had. */
static bool refuse_threads;
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    return refuse_threads ? EAGAIN : __real_pthread_create(thread, attributes, body, argument);
}

/* And no memory for what a fold needs. */
static bool refuse_memory;
static int refused;
void *__real_aligned_alloc(size_t align, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size)
{
    if (__atomic_load_n(&refuse_memory, __ATOMIC_RELAXED)) {
        (void)__atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    return __real_aligned_alloc(align, size);
}

/* What some iterations do. */
enum { NOTHING, YIELD, BLOCK, SPAWN, WHATS };

static WS_TASK_VOID(yield_a_little, int, times)
{
    for (; times > 0; times--)
        sched_yield();
}

/* A frame of its own, for the loops' bodies. */
static void act(int what, long i)
{
    if (i % 64 == 0 && what == YIELD)
        ws_yield();
    if (i % 64 == 0 && what == BLOCK)
        WS_BLOCKING yield_a_little(2);
    if (what == SPAWN) {
        ws_frame();
        ws_spawn(yield_a_little, i % 64 == 0);
        ws_spawn(yield_a_little, i % 100 == 0);
    }
}

static WS_FOLD(struct list, list_clear, list_append, collect, struct list *, l, long, i, int, what)
{
    act(what, i);
    list_put(l, i);
}

static WS_TASK_VOID(hit, unsigned char *, tried)
{
    (void)__atomic_add_fetch(tried, 1, __ATOMIC_RELAXED);
}

/* Fails at `first` and at a third of all iterations behind it. The end of the iteration waits for its child. */
static WS_TRY(attempt, long, i, unsigned char *, tried, long, first, int, what)
{
    act(what, i);
    if (what == SPAWN)
        ws_spawn(hit, &tried[i]);
    else
        ws_call(hit, &tried[i]);
    return i == first || (i > first && i % 3 == 0) ? (int)i + 1 : 0;
}

/* Whether a list has the numbers from lo to hi behind a -5, which goes; empties it. */
static bool is_range(struct list *l, long lo, long hi)
{
    bool right = l->n == 1 + hi - lo && l->v[0] == -5;

    for (long i = lo; right && i < hi; i++)
        right = l->v[1 + i - lo] == i;
    free(l->v);
    return right;
}

/* The iterations from lo to hi of a try, whose first failure was to be at `first`. */
static bool is_attempt(WS_TRIED(long) r, const unsigned char *tried, long lo, long hi, long first)
{
    bool right = r.at == (first < hi ? first : hi) && r.status == (first < hi ? (int)first + 1 : 0);

    for (long i = 0; right && i < MOST; i++)
        right = i < lo || i >= hi ? tried[i] == 0 : i <= first ? tried[i] == 1 : tried[i] <= 1;
    return right;
}

/* Both loops, from anywhere. Returns how many results are wrong. */
static long both(long n, int what)
{
    unsigned char *tried = (unsigned char *)calloc(2, MOST);
    struct list l = {0, 0, NULL};
    WS_TRIED(long) r = {-1, -1}, s = {-1, -1};
    long wrong = 0;

    list_put(&l, -5);
    wrong += ws_for(collect, &l, 7, n, what) != 0;
    wrong += !is_range(&l, 7, n);
    wrong += !tried || ws_for(attempt, &r, 3, n, tried, n - 9, what) != 0 || !is_attempt(r, tried, 3, n, n - 9);
    wrong += !tried || ws_for(attempt, &s, 0, n, tried + MOST, n, what) != 0 || !is_attempt(s, tried + MOST, 0, n, n);
    free(tried);
    return wrong;
}

static WS_TASK(long, both_as_a_task, long, n, int, what)
{
    return both(n, what);
}

struct errand {
    long n, wrong;
    int what;
};

static void both_detached(void *argument)
{
    struct errand *e = (struct errand *)argument;

    e->wrong = both(e->n, e->what);
}

#define ERRANDS 6

/* In a group and alone, in a section, pinned, and as a child while the others run. */
static WS_TASK(long, everywhere, int, what)
{
    ws_group group = WS_GROUP_INIT;
    struct errand e[ERRANDS];
    long wrong = 0, child = -1;

    for (int k = 0; k < ERRANDS; k++) {
        e[k] = (struct errand){500 + 700 * k, -1, what};
        wrong += ws_group_submit(&group, both_detached, &e[k]) != 0;
    }
    ws_spawn(both_as_a_task, &child, 3000, what);
    WS_BLOCKING
    {
        wrong += both(2000, what);
    }
    wrong += ws_pin() != 0;
    wrong += both(2500, what);
    ws_unpin();
    ws_sync();
    wrong += ws_group_wait(&group) != 0;
    for (int k = 0; k < ERRANDS; k++)
        wrong += e[k].wrong;
    return wrong + child;
}

/* Catches: a driver that loses a part, a failure or the order when its thread or its worker changes. */
START_TEST(tries_and_folds_run_everywhere)
{
    start(workers[_i]);
    for (int run = 0; run < 3; run++) {
        for (int what = 0; what < WHATS; what++) {
            long wrong = -1;

            ck_assert_int_eq(ws_run(everywhere, &wrong, what), 0);
            ck_assert_int_eq(wrong, 0);
            ck_assert_int_eq(both(4000, what), 0); /* from this thread */
        }
    }
    ck_assert_int_eq(list_inits, list_merges);
    stop_runtime();
}
END_TEST

static int both_there(long n)
{
    int wrong = (int)both(n, SPAWN);

    return wrong ? 10 + wrong : ws_fini();
}

/* Catches: a fold or a try that hangs or is wrong in a child, where the parent's workers are missing. */
START_TEST(tries_and_folds_run_in_the_child_of_a_fork)
{
    struct outcome o;

    start(workers[_i]);
    ck_assert_int_eq(both(MOST, NOTHING), 0);
    o = in_child(both_there, MOST / 4);
    expect_exit(&o, 0);
    ck_assert_int_eq(both(MOST, NOTHING), 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static int both_without_threads(long n)
{
    ws_config config;
    long wrong = -1;

    refuse_threads = true;
    ws_config_default(&config);
    config.num_workers = 3;
    if (ws_init(&config) != 0)
        return 2;
    wrong = both(n, SPAWN);
    if (wrong == 0 && ws_run(everywhere, &wrong, YIELD) != 0)
        wrong = 1;
    return wrong ? 10 + (int)wrong : ws_fini();
}

/* Catches: a part that waits for a thread that nobody could start. */
START_TEST(tries_and_folds_run_without_any_thread)
{
    struct outcome o = in_child(both_without_threads, MOST / 4);

    expect_exit(&o, 0);
}
END_TEST

/* Catches: a part that needs a stack, or the barrier, or a known number of workers. */
START_TEST(tries_and_folds_run_with_few_stacks_without_membarrier_and_with_many_workers)
{
    static const size_t numbers[] = {2, 8, 2, 70}, stacks[] = {2, 3, 0, 0};
    ws_config config;

    if (_i == 2)
        setenv("WSFJ_MEMBARRIER", "0", 1);
    ws_config_default(&config);
    config.num_workers = numbers[_i];
    config.max_stacks = stacks[_i];
    ck_assert_int_eq(ws_init(&config), 0);
    for (int run = 0; run < 8; run++) {
        long wrong = -1;

        ck_assert_int_eq(ws_run(both_as_a_task, &wrong, MOST, run % 2 ? SPAWN : NOTHING), 0);
        ck_assert_int_eq(wrong, 0);
    }
    ck_assert_int_eq(list_inits, list_merges);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Arguments in the area: of 1000 bytes, so that a small stack's area holds 60. */
struct large {
    long words[125];
};

static WS_FOLD(struct list, list_clear, list_append, collect_large, struct list *, l, long, i, struct large, a)
{
    take_time(i);
    list_put(l, a.words[124] == 124 ? i : -1);
}

static WS_TRY(attempt_large, long, i, struct large, a, unsigned char *, tried, long, first)
{
    take_time(i);
    (void)__atomic_add_fetch(&tried[i], 1, __ATOMIC_RELAXED);
    return a.words[124] != 124 || i == first || (i > first && i % 3 == 0) ? (int)i + 1 : 0;
}

static WS_TASK(long, take, struct large, a)
{
    return a.words[3];
}

/* Both loops in a deque or an area that is almost full. `first`: where the try fails. */
static long both_in_the_rest(struct large a, long first)
{
    static unsigned char tried[MOST];
    struct list l = {0, 0, NULL};
    WS_TRIED(long) r;

    list_put(&l, -5);
    memset(tried, 0, sizeof tried);
    collect_large(&l, 0, 1000, a);
    r = attempt_large(0, 1000, a, tried, first);
    return !is_range(&l, 0, 1000) + !is_attempt(r, tried, 0, 1000, first);
}

static WS_TASK(long, in_a_full_area, int, fill, struct large, a, long, first)
{
    long taken[80] = {0}, wrong;

    for (int k = 0; k < fill; k++)
        ws_spawn(take, &taken[k], a);
    wrong = both_in_the_rest(a, first);
    ws_sync();
    for (int k = 0; k < fill; k++)
        wrong += taken[k] != 3;
    return wrong;
}

static WS_TASK_VOID(count, long *, n)
{
    (void)__atomic_add_fetch(n, 1, __ATOMIC_RELAXED);
}

static WS_TASK(long, in_a_full_deque, long, fill, struct large, a, long, first)
{
    long n = 0, wrong;

    for (long k = 0; k < fill; k++)
        ws_spawn(count, &n);
    wrong = both_in_the_rest(a, first);
    ws_sync();
    return wrong + (n != fill);
}

static struct large large(void)
{
    struct large a;

    for (int k = 0; k < 125; k++)
        a.words[k] = k;
    return a;
}

/* Catches: a part that runs where it is spawned, for lack of room, and whose failure is lost, or is not the first, or
 * whose list comes at the wrong place. The failures lie in all parts. */
START_TEST(tries_and_folds_run_where_there_is_no_room_for_arguments)
{
    long wrong = -1;

    start_runtime(workers[_i], 256 << 10, WS_SPIN_DEFAULT);
    for (int fill = 40; fill < 70; fill++) {
        for (long first = 50; first <= 1000; first += 190) {
            ck_assert_int_eq(ws_run(in_a_full_area, &wrong, fill, large(), first), 0);
            ck_assert_int_eq(wrong, 0);
        }
    }
    ck_assert_int_eq(list_inits, list_merges);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

START_TEST(tries_and_folds_run_where_there_is_no_room_for_tasks)
{
    long wrong = -1;

    start_runtime(workers[_i], 256 << 10, WS_SPIN_DEFAULT);
    for (long fill = 65520; fill < 65540; fill++) {
        ck_assert_int_eq(ws_run(in_a_full_deque, &wrong, fill, large(), fill % 11 * 100), 0);
        ck_assert_int_eq(wrong, 0);
    }
    ck_assert_int_eq(list_inits, list_merges);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

#if PARALLEL
static WS_TASK(long, without_memory, long, n)
{
    long wrong;

    __atomic_store_n(&refuse_memory, true, __ATOMIC_RELAXED);
    wrong = both(n, SPAWN);
    __atomic_store_n(&refuse_memory, false, __ATOMIC_RELAXED);
    return wrong;
}

/* Catches: a part that begins with memory that is not there. */
START_TEST(without_memory_a_fold_is_not_divided)
{
    long wrong = -1;

    start(workers[_i]);
    ck_assert_int_eq(ws_run(without_memory, &wrong, MOST), 0);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(list_inits, 0);
    ck_assert_int_eq(refused > 0, workers[_i] > 1); /* one worker needs no parts */
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST
#endif

int main(void)
{
    TCase *tcase = new_case("try_fold");

    tcase_add_loop_test(tcase, tries_and_folds_run_everywhere, 0, WORKERS);
    if (can_test("tries_and_folds_run_in_the_child_of_a_fork",
                 SANITIZED_THREAD ? "ThreadSanitizer allows no new threads after a fork" : NULL))
        tcase_add_loop_test(tcase, tries_and_folds_run_in_the_child_of_a_fork, 0, WORKERS);
    tcase_add_test(tcase, tries_and_folds_run_without_any_thread);
    tcase_add_loop_test(tcase, tries_and_folds_run_with_few_stacks_without_membarrier_and_with_many_workers, 0, 4);
    tcase_add_loop_test(tcase, tries_and_folds_run_where_there_is_no_room_for_arguments, 0, WORKERS);
    tcase_add_loop_test(tcase, tries_and_folds_run_where_there_is_no_room_for_tasks, 0, WORKERS);
#if PARALLEL
    tcase_add_loop_test(tcase, without_memory_a_fold_is_not_divided, 0, WORKERS);
#endif
    return run_case("try_fold", tcase);
}
