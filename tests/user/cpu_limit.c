/* SPDX-License-Identifier: MIT */
/*
 * CPUs are taken from a running program and given back: by masks, as taskset -a sets them, and by the quota of a
 * control group that the test makes if the machine allows it. The library checks once a second.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity() */
#endif
#include "../support/runtime.h"
#include "cgroups.h"

#include <dirent.h>

#define PATIENCE_NS (UINT64_C(60) * 1000000000)
#define PERIODS_NS (UINT64_C(3) * 1000000000) /* the library has checked by then */
#define THREADS_MOST 4096

static cpu_set_t before, one;
static unsigned all; /* CPUs */

static long running, most;

static WS_TASK_VOID(meet, unsigned, n)
{
    for (unsigned i = 0; i < n; i++)
        ws_spawn(meet, 0);
    if (n == 0) {
        long here = __atomic_add_fetch(&running, 1, __ATOMIC_SEQ_CST), seen = __atomic_load_n(&most, __ATOMIC_SEQ_CST);

        while (here > seen &&
               !__atomic_compare_exchange_n(&most, &seen, here, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            ;
        nanosleep(&(struct timespec){0, 500000}, NULL);
        (void)__atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST);
    }
    ws_sync();
}

/* How many workers take part when there is work for all. */
static unsigned take_part(void)
{
    __atomic_store_n(&most, 0, __ATOMIC_SEQ_CST);
    ck_assert_int_eq(ws_run(meet, 8 * all), 0);
    return (unsigned)__atomic_load_n(&most, __ATOMIC_SEQ_CST);
}

/* A worker may be late now and then: the number must be reached, and if it is not all of them it must stay for a
 * while. */
static void await(unsigned n)
{
    uint64_t end = now() + PATIENCE_NS;

    for (int in_a_row = 0; in_a_row < (n < all ? 5 : 1);) {
        in_a_row = take_part() == n ? in_a_row + 1 : 0;
        ck_assert_msg(in_a_row > 0 || now() < end, "%ld workers take part instead of %u", most, n);
    }
}

static void run_for(uint64_t ns)
{
    for (uint64_t end = now() + ns; now() < end;)
        take_part();
}

/* Reads the masks of all threads and returns their number. With `set` it first sets them, as taskset -a does. */
static unsigned masks(cpu_set_t *list, const cpu_set_t *set)
{
    DIR *tasks = opendir("/proc/self/task");
    unsigned n = 0;

    ck_assert_ptr_nonnull(tasks);
    for (struct dirent *entry; (entry = readdir(tasks)) && n < THREADS_MOST;) {
        int tid = atoi(entry->d_name);

        if (tid == 0)
            continue;
        if (set)
            ck_assert_int_eq(sched_setaffinity(tid, sizeof *set, set), 0);
        CPU_ZERO(&list[n]);
        ck_assert_int_eq(sched_getaffinity(tid, sizeof *list, &list[n++]), 0);
    }
    closedir(tasks);
    return n;
}

static void start_all(void)
{
    ck_assert_int_eq(ws_init(NULL), 0);
    ck_assert_uint_eq(ws_num_workers(), all);
    await(all);
}

static void stop(void)
{
    ck_assert_uint_eq(ws_num_workers(), all);
    ck_assert_int_eq(ws_fini(), 0);
}

/* Catches: masks read only at start; workers that stay retired, are not bound again, or are bound wrongly. */
START_TEST(masks_of_all_threads_that_shrink_and_grow)
{
    static cpu_set_t first[THREADS_MOST], last[THREADS_MOST];
    unsigned n;
    uint64_t end;

    start_all();
    n = masks(first, NULL);
    for (int round = 0; round < 2; round++) {
        (void)masks(last, &one);
        await(1);
        (void)masks(last, &before);
        await(all);
        end = now() + PATIENCE_NS;
        while (masks(last, NULL) == n && memcmp(first, last, n * sizeof *first) != 0 && now() < end)
            run_for(1000000);
        ck_assert_int_eq(memcmp(first, last, n * sizeof *first), 0);
    }
    stop();
}
END_TEST

/* Catches: a program that binds its own thread, as OpenMP does, and loses its workers. */
START_TEST(the_mask_of_the_callers_thread_alone_means_nothing)
{
    start_all();
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    run_for(PERIODS_NS);
    await(all);
    stop();
}
END_TEST

/* Catches: an explicit number that is reduced while the program runs. */
START_TEST(who_asks_for_a_number_keeps_it)
{
    static cpu_set_t list[THREADS_MOST];
    char number[16];

    snprintf(number, sizeof number, "%u", all);
    setenv("WSFJ_NUM_WORKERS", number, 1);
    start_all();
    (void)masks(list, &one);
    run_for(PERIODS_NS);
    await(all);
    stop();
}
END_TEST

/* Catches: an idle runtime that does not check before it is used. A second has long passed, and the first caller after
 * it must find the present limit: no worker has searched or parked since. */
START_TEST(an_idle_runtime_looks_at_its_next_use)
{
    static cpu_set_t list[THREADS_MOST];
    struct ws_stats asleep;

    start_all();
    (void)masks(list, &one);
    nanosleep(&(struct timespec){2, 0}, NULL);
    asleep = read_stats();
    nanosleep(&(struct timespec){1, 0}, NULL);
    ck_assert_uint_eq(read_stats().parks, asleep.parks);
    await(1);
    stop();
}
END_TEST

static void enter_group(void)
{
    char pid[32];

    snprintf(pid, sizeof pid, "%d", (int)getpid());
    ck_assert(write_file(inner, "cgroup.procs", pid));
}

/* Catches: a quota read only at start, or of only one group; the loop shrinks it in each of the groups. */
START_TEST(a_quota_that_shrinks_and_grows)
{
    if (!limit("-1", "-1", "100000"))
        return;
    enter_group();
    start_all();
    if (!limit(_i ? "100000" : "-1", _i ? "-1" : "100000", "100000"))
        return;
    await(1);
    ck_assert(limit("-1", "-1", "100000"));
    await(all);
    stop();
}
END_TEST

/* Catches: WSFJ_CGROUP=0 that counts only at start. */
START_TEST(a_quota_that_is_ignored)
{
    if (!limit("-1", "-1", "100000"))
        return;
    setenv("WSFJ_CGROUP", "0", 1);
    enter_group();
    start_all();
    if (!limit("-1", "100000", "100000"))
        return;
    run_for(PERIODS_NS);
    await(all);
    stop();
}
END_TEST

int main(void)
{
    static const char *const ours[] = {"WSFJ_NUM_WORKERS", "WSFJ_PLACES",     "WSFJ_BIND",    "WSFJ_CGROUP",
                                       "OMP_NUM_THREADS",  "HWLOC_SYNTHETIC", "HWLOC_XMLFILE"};
    TCase *tcase = new_case("supply");
    const char *missing = make_groups();

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        unsetenv(ours[i]);
    setenv("WSFJ_BIND", "close", 1); /* strict, however busy the machine is */
    if (sched_getaffinity(0, sizeof before, &before) == 0)
        all = (unsigned)CPU_COUNT(&before);
    if (all < 2 || ws_init(NULL) != 0 || ws_num_workers() < all || ws_fini() != 0) {
        puts("supply: fewer than two CPUs for us: nothing can be taken away");
        remove_groups();
        return EXIT_SKIPPED;
    }
    for (size_t cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);

    tcase_add_test(tcase, masks_of_all_threads_that_shrink_and_grow);
    tcase_add_test(tcase, the_mask_of_the_callers_thread_alone_means_nothing);
    tcase_add_test(tcase, who_asks_for_a_number_keeps_it);
    tcase_add_test(tcase, an_idle_runtime_looks_at_its_next_use);
    if (!missing) {
        tcase_add_loop_test(tcase, a_quota_that_shrinks_and_grows, 0, 2);
        tcase_add_test(tcase, a_quota_that_is_ignored);
    } else {
        printf("supply: not tested in control groups: %s\n", missing);
    }

    int status = run_case("supply", tcase);

    remove_groups();
    return status;
}
