/* SPDX-License-Identifier: MIT */
/*
 * Start and stop: any number of times, from any thread, at any moment, and nothing stays behind.
 */
#include "../support/fib.h"
#include "../support/resources.h"
#include "stress.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define FIB_N 16L
#define MIB ((size_t)1 << 20)
#define PATIENCE_S 30
#define CYCLES COUNT(200, 20)
#define THREAD_ROUNDS COUNT(500, 40)

static const size_t worker_counts[] = {1, 2, 33};

/* Catches: a stop request that a worker going to sleep misses (the join hangs); freed workers still in use. Even _i:
 * with work between start and stop. */
START_TEST(start_and_stop_repeat_without_end)
{
    for (int i = 0; i < CYCLES; i++) {
        start_sized(worker_counts[_i / 2], 0);
        ck_assert_int_eq(ws_init(NULL), EALREADY);
        if (_i % 2 == 0)
            check_fib(FIB_N);
        ck_assert_int_eq(ws_fini(), 0);
        ck_assert_uint_eq(ws_num_workers(), 0);
        ck_assert_int_eq(ws_fini(), 0);
    }
}
END_TEST

static int flag;

static WS_TASK_VOID(help, int, unused)
{
    (void)unused;
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
}

/* True if another worker has run the child in time. */
static WS_TASK(int, has_help, int, unused)
{
    time_t end = time(NULL) + PATIENCE_S;
    int seen;

    (void)unused;
    __atomic_store_n(&flag, 0, __ATOMIC_RELAXED);
    ws_spawn(help, 0);
    while (!(seen = __atomic_load_n(&flag, __ATOMIC_ACQUIRE)) && time(NULL) < end)
        ;
    ws_sync();
    return seen;
}

/* Catches: searchers left in the counts from the last run, so that no worker is ever woken. All workers sleep before
 * the nap ends. */
START_TEST(workers_are_woken_after_a_restart_too)
{
    int helped;

    for (int i = 0; i < 10; i++) {
        start_sized(worker_counts[_i + 1], 0);
        check_fib(FIB_N);
        nanosleep(&(struct timespec){0, 20000000}, NULL);
        ck_assert_int_eq(ws_run(has_help, &helped, 0), 0);
        ck_assert_int_eq(helped, 1);
        ck_assert_int_eq(ws_fini(), 0);
    }
}
END_TEST

static int stop_working, is_working;
static int fini_inside, init_inside;

static WS_TASK(long, work_until_told, int, unused)
{
    long wrong = 0, expected = serial_fib(FIB_N), result;

    (void)unused;
    fini_inside = ws_fini();
    init_inside = ws_init(NULL);
    raise_flag(&is_working);
    while (!__atomic_load_n(&stop_working, __ATOMIC_ACQUIRE)) {
        ws_spawn(fib, &result, FIB_N);
        ws_sync();
        wrong += result != expected;
    }
    return wrong;
}

static void *run_until_told(void *wrong)
{
    return (void *)(intptr_t)ws_run(work_until_told, (long *)wrong, 0);
}

/* Catches: a stop that checks for callers too early or not at all and takes the workers away under a running region; a
 * refused stop that leaves the runtime half stopped. */
START_TEST(a_stop_under_a_running_region_is_refused_and_harmless)
{
    pthread_t thread;
    long wrong = -1;
    void *error = NULL;

    stop_working = is_working = 0;
    start_sized(worker_counts[_i], 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, run_until_told, &wrong), 0);
    while (!__atomic_load_n(&is_working, __ATOMIC_ACQUIRE))
        nanosleep(&(struct timespec){0, 100000}, NULL);
    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq(ws_fini(), EBUSY);
        ck_assert_uint_eq(ws_num_workers(), worker_counts[_i]);
        if (i % 10 == 0 && worker_counts[_i] > 1) /* the only worker is taken */
            check_fib(FIB_N);
    }
    raise_flag(&stop_working);
    pthread_join(thread, &error);
    ck_assert_ptr_null(error);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(fini_inside, EBUSY);
    ck_assert_int_eq(init_inside, EDEADLK);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* What one thread has done, and how often a result surprised it. */
struct player {
    pthread_t thread;
    unsigned seed;
    int wrong_init, wrong_fini, wrong_run, stopped;
};

static void *play(void *argument)
{
    struct player *p = argument;

    for (int i = 0; i < THREAD_ROUNDS; i++) {
        ws_config config;
        long result = 0;
        int got;

        switch (rand_r(&p->seed) % 4) {
        case 0:
            ws_config_default(&config);
            config.num_workers = 1 + (size_t)rand_r(&p->seed) % 5;
            got = ws_init(&config);
            p->wrong_init += got != 0 && got != EALREADY;
            break;
        case 1:
            got = ws_fini();
            p->wrong_fini += got != 0 && got != EBUSY;
            p->stopped += got == 0;
            break;
        default: got = ws_run(fib, &result, FIB_N); p->wrong_run += got != 0 || result != serial_fib(FIB_N);
        }
    }
    return NULL;
}

/* Catches: two starts at the same time; a ws_run() that has found the runtime up and meets a stop before it is
 * counted. */
START_TEST(start_stop_and_run_from_many_threads_at_once)
{
    struct player players[4] = {{.seed = 1}, {.seed = 2}, {.seed = 3}, {.seed = 4}};
    int stopped = 0;

    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&players[i].thread, NULL, play, &players[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(players[i].thread, NULL);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(players[i].wrong_init, 0);
        ck_assert_int_eq(players[i].wrong_fini, 0);
        ck_assert_int_eq(players[i].wrong_run, 0);
        stopped += players[i].stopped;
    }
    ck_assert_int_gt(stopped, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: a thread that is not joined. */
START_TEST(no_thread_is_left_after_a_stop)
{
    int before = count_threads(); /* an emulator may have a thread of its own */

    check_fib(FIB_N);
    ck_assert_int_eq(ws_fini(), 0);
    if (SANITIZED)
        before = count_threads(); /* the emulator's threads exist from now on */
    ck_assert_int_eq(count_threads_down_to(before), before);

    start_sized(worker_counts[_i], 0);
    check_fib(FIB_N);
    ck_assert_int_ge(count_threads(), before + (int)worker_counts[_i]);
    ck_assert_int_eq(ws_fini(), 0);
    ck_assert_int_eq(count_threads_down_to(before), before);
}
END_TEST

#if !SANITIZED
struct mappings {
    size_t lines, bytes, large;
};

/* Mappings of this process: how many, how much, and how many of at least `large` bytes. */
static struct mappings read_mappings(size_t large)
{
    FILE *file = fopen("/proc/self/maps", "r");
    struct mappings m = {0, 0, 0};
    char line[1024];
    unsigned long from, to;

    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file)) {
        ck_assert_int_eq(sscanf(line, "%lx-%lx", &from, &to), 2);
        m.lines++;
        m.bytes += to - from;
        m.large += to - from >= large;
    }
    fclose(file);
    return m;
}

/* Catches: a task stack that is never unmapped. Nothing else has this size. */
START_TEST(no_stack_is_left_after_a_stop)
{
    size_t size = 256 * MIB, before = read_mappings(size).large;

    start_sized(worker_counts[_i], size);
    check_fib(FIB_N);
    ck_assert_uint_gt(read_mappings(size).large, before);
    ck_assert_int_eq(ws_fini(), 0);
    ck_assert_uint_eq(read_mappings(size).large, before);
}
END_TEST

static void start_work_and_stop(size_t workers, int times)
{
    for (int i = 0; i < times; i++) {
        start_sized(workers, 0);
        check_fib(FIB_N);
        ck_assert_int_eq(ws_fini(), 0);
    }
}

/* Catches: anything else that each start leaves behind. glibc keeps the stacks of dead threads (up to 40 MiB, with some
 * memory for each) and arenas (one here), so the first cycles do not count. */
START_TEST(memory_does_not_grow_from_start_to_start)
{
    struct mappings before, after;
    size_t heap, resident;

    use_one_arena();
    start_work_and_stop(worker_counts[_i], 30);
    before = read_mappings(MIB);
    heap = allocated();
    resident = status_field("VmRSS");
    start_work_and_stop(worker_counts[_i], 100);
    after = read_mappings(MIB);
    ck_assert_uint_le(after.bytes, before.bytes + 40 * MIB); /* a task stack with its deque takes 45 MiB */
    ck_assert_uint_le(after.lines, before.lines + 40);
    ck_assert_uint_le(status_field("VmRSS"), resident + (8 << 10)); /* KiB */
    ck_assert_uint_le(allocated(), heap + (64 << 10)); /* those threads take up to 30 KiB: 700 bytes a cycle show */
}
END_TEST
#endif

int main(void)
{
    TCase *tcase = new_case("lifecycle");

    tcase_add_loop_test(tcase, start_and_stop_repeat_without_end, 0, 6);
    tcase_add_loop_test(tcase, workers_are_woken_after_a_restart_too, 0, 2);
    tcase_add_loop_test(tcase, a_stop_under_a_running_region_is_refused_and_harmless, 0, 3);
    tcase_add_test(tcase, start_stop_and_run_from_many_threads_at_once);
    tcase_add_loop_test(tcase, no_thread_is_left_after_a_stop, 0, 3);
#if !SANITIZED
    tcase_add_loop_test(tcase, no_stack_is_left_after_a_stop, 0, 3);
    if (can_test("memory_does_not_grow_from_start_to_start", emulated(NOT_OUR_MEMORY)))
        tcase_add_loop_test(tcase, memory_does_not_grow_from_start_to_start, 0, 3);
#endif
    return run_case("lifecycle", tcase);
}
