/* SPDX-License-Identifier: MIT */
/* What a program may query: counters, the text of an error, the version. */
#include "../support/fib.h"
#include "../support/process.h"
#include "workers.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* Catches: a struct of another version that is written past its end; counters that never count. */
START_TEST(stats_need_their_size)
{
    struct ws_stats stats = {.size = sizeof stats};

    ck_assert_int_eq(ws_stats_get(NULL), EINVAL);
    stats.size = sizeof stats - 1;
    ck_assert_int_eq(ws_stats_get(&stats), EINVAL);
    stats.size = 0;
    ck_assert_int_eq(ws_stats_get(&stats), EINVAL);
    stats.size = sizeof stats + 8;
    ck_assert_int_eq(ws_stats_get(&stats), 0); /* also while nothing runs */
    ck_assert_uint_eq(stats.size, sizeof stats + 8);
    start(2);
    check_fib(15);
    stats.size = sizeof stats;
    ck_assert_int_eq(ws_stats_get(&stats), 0);
    ck_assert_uint_ge(stats.stacks, 1);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* What a function has returned, and what the text must say of it. */
static void expect(int error, int expected, const char *words)
{
    ck_assert_int_eq(error, expected);
    ck_assert_msg(strstr(ws_strerror(error), words) != NULL, "%s: no '%s'", ws_strerror(error), words);
}

static ws_group group = WS_GROUP_INIT;
static int release;

static void nothing(void *arg)
{
    (void)arg;
}

static void wait_for_release(void *arg)
{
    (void)arg;
    while (!__atomic_load_n(&release, __ATOMIC_ACQUIRE))
        ws_yield();
}

static int init_inside, fini_inside, pinned;

WS_TASK_VOID(inside)
{
    init_inside = ws_init(NULL);
    fini_inside = ws_fini();
}

/* The same on a thread of the runtime. */
static void inside_detached(void *unused)
{
    (void)unused;
    init_inside = ws_init(NULL);
    fini_inside = ws_fini();
}

static void pin_without_threads(void *arg)
{
    (void)arg;
    pinned = ws_pin();
}

/* The results of the first poll. */
static int polled[4], has_polled;

static int poll_once(void *arg)
{
    ws_config config;

    (void)arg;
    if (__atomic_load_n(&has_polled, __ATOMIC_ACQUIRE))
        return 0;
    ws_config_default(&config);
    polled[0] = ws_init(&config);
    polled[1] = ws_fini();
    polled[2] = ws_run(inside);
    polled[3] = ws_group_wait(&group);
    __atomic_store_n(&has_polled, 1, __ATOMIC_RELEASE);
    return 0;
}

static void start_with_poll(void)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 2;
    config.max_spares = 0;
    config.poll = poll_once;
    ck_assert_int_eq(ws_init(&config), 0);
    while (!__atomic_load_n(&has_polled, __ATOMIC_ACQUIRE))
        sched_yield();
}

/* Catches: a text that is not true of one of the functions that return its value. */
START_TEST(every_functions_errors_have_a_true_text)
{
    struct ws_stats stats = {.size = sizeof stats};
    ws_config config;

    expect(ws_phase_end(), EINVAL, "no phase to end");
    ws_config_default(&config);
    config.stack_size = 1;
    expect(ws_init(&config), EINVAL, "setting (stderr names it)");
    start_with_poll();
    expect(polled[0], EDEADLK, "ws_config.poll");
    expect(polled[1], EDEADLK, "ws_config.poll");
    expect(polled[2], EDEADLK, "ws_config.poll");
    expect(polled[3], EDEADLK, "ws_config.poll");
    expect(ws_init(NULL), EALREADY, "already running");
    expect(ws_stats_get(NULL), EINVAL, "NULL or too small");
    expect(ws_stats_worker(ws_num_workers(), &stats), ERANGE, "no such worker");
    expect(ws_stats_worker(0, NULL), EINVAL, "NULL or too small");
    expect(ws_submit(NULL, NULL), EINVAL, "an argument that is NULL");
    expect(ws_group_submit(&group, NULL, NULL), EINVAL, "an argument that is NULL");
    expect(ws_try_submit(NULL, NULL), EINVAL, "an argument that is NULL");
    expect(ws_group_try_submit(&group, NULL, NULL), EINVAL, "an argument that is NULL");
    ck_assert_int_eq(ws_run(inside), 0);
    expect(init_inside, EDEADLK, "inside a task");
    expect(fini_inside, EBUSY, "a task");
    ck_assert_int_eq(ws_group_submit(&group, inside_detached, NULL) | ws_group_wait(&group), 0);
    expect(init_inside, EDEADLK, "inside a task");
    expect(fini_inside, EBUSY, "a task");
    ck_assert_int_eq(ws_group_submit(&group, pin_without_threads, NULL) | ws_group_wait(&group), 0);
    expect(pinned, EAGAIN, "for a pin");
    ck_assert_int_eq(ws_phase_begin(), 0);
    expect(ws_fini(), EBUSY, "a phase has not ended");
    ck_assert_int_eq(ws_phase_end(), 0);
    ck_assert_int_eq(ws_group_submit(&group, wait_for_release, NULL), 0);
    expect(ws_fini(), EBUSY, "a task");
    __atomic_store_n(&release, 1, __ATOMIC_RELEASE);
    while (ws_fini() == EBUSY)
        sched_yield();
}
END_TEST

static WS_TASK_VOID(count_yield, int, n)
{
    for (int i = 0; i < n; i++)
        ws_yield();
}

static WS_TASK_VOID(count_block, int, n)
{
    for (int i = 0; i < n; i++) {
        ws_blocking_begin();
        ws_blocking_begin(); /* inside of a section: nothing */
        ws_blocking_end();
        ws_blocking_end();
    }
}

static WS_TASK_VOID(count_group, int, n)
{
    ws_group tasks = WS_GROUP_INIT;

    (void)ws_group_wait(&tasks); /* nothing to wait for */
    for (int i = 0; i < n; i++)
        (void)ws_group_submit(&tasks, nothing, NULL);
    (void)ws_group_wait(&tasks);
}

static WS_TASK_VOID(count_nothing, int, n)
{
    (void)n;
}

/* What the counters say of a region on the only worker, after the ones before. */
#define COUNTED(name, n, ...)                                                                                          \
    do {                                                                                                               \
        const struct ws_stats expected = {__VA_ARGS__}, was = read_stats();                                            \
        ck_assert_int_eq(ws_run(name, n), 0);                                                                          \
        expect_counts(#name, &expected, &was);                                                                         \
    } while (0)

#define ANY UINT64_MAX /* a section may end before its slot is lent */
#define COUNTERS(X)                                                                                                    \
    X(steals)                                                                                                          \
    X(steals_failed)                                                                                                   \
    X(exposures_asked)                                                                                                 \
    X(exposures_answered)                                                                                              \
    X(exposures_forced)                                                                                                \
    X(suspensions)                                                                                                     \
    X(tasks)                                                                                                           \
    X(regions)                                                                                                         \
    X(resumptions)                                                                                                     \
    X(waits)                                                                                                           \
    X(yields)                                                                                                          \
    X(blockings)                                                                                                       \
    X(overflows)                                                                                                       \
    X(global_takes)                                                                                                    \
    X(splits)                                                                                                          \
    X(slices)                                                                                                          \
    X(slices_home)                                                                                                     \
    X(cancelled)                                                                                                       \
    X(short_waits)                                                                                                     \
    X(short_waits_vain)

static void expect_counts(const char *name, const struct ws_stats *expected, const struct ws_stats *was)
{
    struct ws_stats is = read_stats();

#define EQUAL(field)                                                                                                   \
    ck_assert_msg(expected->field == ANY || is.field - was->field == expected->field, "%s: " #field " %llu, not %llu", \
                  name, (unsigned long long)(is.field - was->field), (unsigned long long)expected->field);
    COUNTERS(EQUAL)
}

/* Catches: a counter that one of the paths that it counts leaves out or counts twice; one that counts something else. */
START_TEST(each_path_counts_once)
{
    start(1);
    COUNTED(count_nothing, 0, .tasks = 1, .regions = 1);
    COUNTED(count_yield, 3, .tasks = 1, .regions = 1, .yields = 3, .resumptions = 3);
    COUNTED(count_block, 3, .tasks = 1, .regions = 1, .blockings = 3, .resumptions = ANY);
    COUNTED(count_group, 0, .tasks = 1, .regions = 1);
    COUNTED(count_group, 1, .tasks = 2, .regions = 1, .waits = 1, .resumptions = 1);
    COUNTED(count_group, 256, .tasks = 257, .regions = 1, .waits = 1, .resumptions = 1);
    COUNTED(count_group, 257, .tasks = 258, .regions = 1, .waits = 1, .resumptions = 1, .overflows = 1,
            .global_takes = 1);
    stop_runtime();
}
END_TEST

/* By threads that are no workers. */
static uint64_t wakes_of_others(void)
{
    uint64_t wakes = read_stats().wakes;

    for (size_t w = 0; w < ws_num_workers(); w++) {
        struct ws_stats of = {.size = sizeof of};

        ck_assert_int_eq(ws_stats_worker(w, &of), 0);
        wakes -= of.wakes;
    }
    return wakes;
}

static int has_no_wakes(long unused)
{
    struct ws_stats stats = {.size = sizeof stats};

    (void)unused;
    return ws_stats_get(&stats) != 0 || stats.wakes != 0;
}

/* Catches: a wake-up by a thread that is no worker that is not counted, or is counted as a worker's, or also in the child of a
 * fork. */
START_TEST(a_wake_of_another_thread_counts)
{
    uint64_t wakes, searches;
    struct outcome child;

    start_runtime(2, 0, 0);
    while (read_stats().parks < 2)
        sched_yield();
    searches = read_stats().searches;
    wakes = wakes_of_others();
    ck_assert_int_eq(ws_group_submit(&group, nothing, NULL) | ws_group_wait(&group), 0);
    while (read_stats().parks < 3)
        sched_yield();
    ck_assert_uint_eq(wakes_of_others(), wakes + 1);
    child = in_child(has_no_wakes, 0);
    expect_exit(&child, 0);
    ck_assert_uint_gt(read_stats().searches, searches);
    stop_runtime();
}
END_TEST

/* Catches: a number of a worker that stands for all of them, or leaves the counters as they were. */
START_TEST(no_such_worker_has_no_counters)
{
    static const size_t none[] = {2, 4096, SIZE_MAX};

    start(2);
    ck_assert_int_eq(ws_run(inside), 0);
    for (int i = 0; i < 3; i++) {
        struct ws_stats stats = {.size = sizeof stats, .regions = 77, .tasks = 77};

        ck_assert_int_eq(ws_stats_worker(none[i], &stats), ERANGE);
        ck_assert_uint_eq(stats.regions | stats.tasks, 0);
        ck_assert_uint_eq(stats.size, sizeof stats);
        ck_assert_int_eq(ws_stats_worker(none[i], NULL), EINVAL);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Keeps the only worker: one that yielded would let it make room. */
static void hold(void *begun)
{
    __atomic_store_n((int *)begun, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&release, __ATOMIC_ACQUIRE))
        sched_yield();
}

/* Catches: no room, told as something else. */
START_TEST(a_full_queue_has_a_true_text)
{
    ws_config config;
    int begun = 0, error = 0;

    ws_config_default(&config);
    config.num_workers = 1;
    config.max_pending = 2;
    ck_assert_int_eq(ws_init(&config), 0);
    __atomic_store_n(&release, 0, __ATOMIC_RELEASE);
    ck_assert_int_eq(ws_submit(hold, &begun), 0);
    while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE))
        sched_yield();
    for (int i = 0; i <= 2 && !error; i++)
        error = ws_try_submit(nothing, NULL);
    expect(error, EAGAIN, "no room for another task");
    expect(ws_group_try_submit(&group, nothing, NULL), EAGAIN, "no room for another task");
    __atomic_store_n(&release, 1, __ATOMIC_RELEASE);
    while (ws_fini() == EBUSY)
        sched_yield();
}
END_TEST

/* Catches: a text that is empty, of two lines, or missing for a value of another library. */
START_TEST(every_error_has_a_line_of_text)
{
    for (int error = -1; error < 200; error++) {
        const char *text = ws_strerror(error);

        ck_assert_ptr_nonnull(text);
        ck_assert_uint_gt(strlen(text), 3);
        ck_assert_ptr_null(strchr(text, '\n'));
    }
}
END_TEST

/* Catches: a library version that differs from the headers'. */
START_TEST(the_version_is_that_of_the_headers)
{
    const char *text = NULL;
    char built[32];

    ck_assert_uint_eq(ws_version(&text), WSFJ_VERSION);
    ck_assert_str_eq(text, WSFJ_VERSION_STRING);
    ck_assert_uint_eq(ws_version(NULL), WSFJ_VERSION);
    snprintf(built, sizeof built, "%d.%d.%d", WSFJ_VERSION_MAJOR, WSFJ_VERSION_MINOR, WSFJ_VERSION_PATCH);
    ck_assert_str_eq(built, WSFJ_VERSION_STRING);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("queries");

    tcase_add_test(tcase, stats_need_their_size);
    tcase_add_test(tcase, every_functions_errors_have_a_true_text);
    tcase_add_test(tcase, each_path_counts_once);
    tcase_add_test(tcase, a_wake_of_another_thread_counts);
    tcase_add_test(tcase, no_such_worker_has_no_counters);
    tcase_add_test(tcase, a_full_queue_has_a_true_text);
    tcase_add_test(tcase, every_error_has_a_line_of_text);
    tcase_add_test(tcase, the_version_is_that_of_the_headers);
    return run_case("queries", tcase);
}
