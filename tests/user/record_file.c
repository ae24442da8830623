/* SPDX-License-Identifier: MIT */
/* The record's file: regions of several starts and threads, exit and fork, and files that cannot be written. Neighbour:
 * record.c. */
#undef WSFJ_DEBUG /* some shapes return without ws_sync(), which it reports */
#include "record.h"

#include "../support/flags.h"
#include "../support/sanitizer.h"

#include <pthread.h>

static void detached(void *unused)
{
    (void)unused;
}

static WS_TASK_VOID(leaf_too)
{
}

/* Two places in one line. */
#define SPAWN_BOTH                                                                                                     \
    ws_spawn(leaf);                                                                                                    \
    ws_spawn(leaf_too)

enum { PLACES_LINE = __LINE__ + 4 };
static WS_TASK_VOID(places, long, n)
{
    for (long i = 0; i < n; i++) {
        SPAWN_BOTH;
        ws_spawn(leaf);
    }
}

static int is_inside, may_end;

static WS_TASK_VOID(stays, long, n)
{
    ws_call(places, n);
    raise_flag(&is_inside);
    wait_for(&may_end);
}

static void *run_beside(void *n)
{
    return (void *)(intptr_t)ws_run(stays, (long)(intptr_t)n);
}

/* In two regions at once: each has its own account of sites. */
static int run_places(long n)
{
    pthread_t thread;
    void *error = NULL;

    if (pthread_create(&thread, NULL, run_beside, (void *)(intptr_t)n))
        return 1;
    wait_for(&is_inside);
    if (ws_run(places, n))
        return 1;
    raise_flag(&may_end);
    return pthread_join(thread, &error) || error;
}

/* The places where a task is spawned. */
static int num_places(const char *task, unsigned line)
{
    int n = 0;

    for (size_t i = 0; i < graph.num_sites; i++)
        n += graph.sites[i].line == line && strcmp(graph.sites[i].task, task) == 0 &&
             strstr(graph.sites[i].file, "record_file.c");
    return n;
}

/* Catches: places of one line, or of one task, that become one; a place that stands twice; a wrong name. */
START_TEST(each_place_that_spawns_is_a_site)
{
    (void)record_of(run_places, 20, true);
    ck_assert_uint_eq(graph.num_sites, 2 + 3);
    ck_assert_int_eq(num_places("leaf", PLACES_LINE), 1);
    ck_assert_int_eq(num_places("leaf_too", PLACES_LINE), 1);
    ck_assert_int_eq(num_places("leaf", PLACES_LINE + 1), 1);
    for (size_t i = 0; i < graph.num_sites; i++)
        ck_assert_uint_eq(graph.sites[i].number, i);
}
END_TEST

static int run_twice(long n)
{
    int error =
        ws_init(NULL) || run_fib(n) || ws_fini() || ws_init(NULL) || run_fib(n + 1) || ws_submit(detached, NULL);

    return error || ws_fini();
}

/* Catches: a second start that begins the file anew, regions in the wrong order. */
START_TEST(regions_follow_each_other)
{
    struct profile p = record_of(run_twice, 6, true);

    ck_assert_uint_eq(graph.num_regions, 3);
    ck_assert_uint_lt(graph.regions[0].epoch, graph.regions[1].epoch);
    ck_assert_double_eq(sums.span, p.row[0].span);
}
END_TEST

/* Catches: means of one region only. */
START_TEST(measured_regions_are_all_there)
{
    (void)record_of(run_twice, 12, false);
    ck_assert_uint_eq(graph.num_regions, 3);
}
END_TEST

static int run_phases(long n)
{
    return run_fib(n) || ws_phase_begin() || run_fib(n) || ws_phase_begin() || run_fib(n) || ws_phase_end() ||
           run_fib(n) || ws_phase_end() || run_fib(n);
}

/* Catches: a phase that is not seen, or that never ends. */
START_TEST(regions_in_a_phase_are_marked)
{
    (void)record_of(run_phases, 6, true);
    ck_assert_uint_eq(graph.num_regions, 5);
    for (size_t i = 0; i < 5; i++)
        ck_assert(graph.regions[i].in_phase == (i > 0 && i < 4));
}
END_TEST

static void *in_thread(void *n)
{
    for (int i = 0; i < 20; i++)
        if (run_fib((long)(intptr_t)n))
            abort();
    return NULL;
}

static int run_threads(long n)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, in_thread, (void *)(intptr_t)(n + i)))
            return 1;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

/* Catches: builders or tables that threads share by mistake. */
START_TEST(threads_record_at_once)
{
    struct profile p = record_of(run_threads, 8, true);

    ck_assert_uint_eq(graph.num_regions, 80);
    ck_assert_uint_eq(sums.tasks, p.row[0].count + 80);
    ck_assert_uint_eq(graph.num_sites, 2 + 1); /* the same one in all threads */
}
END_TEST

static WS_TASK_VOID(leaves, long, status)
{
    ws_spawn(leaf);
    if (status < 0)
        _exit(0);
    exit((int)status);
}

static int run_leaves(long status)
{
    return ws_run(leaves, status);
}

/* Catches: a region that exit() ends, and that is lost. */
START_TEST(exit_in_a_task_ends_the_record)
{
    (void)record_of(run_leaves, 0, true);
    ck_assert_uint_eq(sums.tasks, 2);
}
END_TEST

/* Catches: a file that looks whole though the process was killed. */
START_TEST(a_killed_process_leaves_a_record_cut_short)
{
    struct outcome o = outcome_of(run_leaves, -1, "1", folder_path("graph"));
    const char *error;

    expect_exit(&o, 0);
    error = read_record("graph");
    ck_assert_ptr_nonnull(error);
}
END_TEST

static int run_forks(long n)
{
    char from[600], to[600];
    int status;
    pid_t pid;

    if (run_fib(n))
        return 1;
    pid = fork();
    if (pid == 0)
        exit(run_fib(n + 1));
    snprintf(from, sizeof from, "%s.%ld", getenv("WSFJ_RECORD"), (long)pid);
    snprintf(to, sizeof to, "%s.child", getenv("WSFJ_RECORD"));
    return waitpid(pid, &status, 0) != pid || status != 0 || run_fib(n) || rename(from, to) != 0;
}

/* Catches: a child that writes into its parent's file, or none of its own. */
START_TEST(a_fork_has_a_record_of_its_own)
{
    struct outcome o = outcome_of(run_forks, 10, "1", folder_path("graph"));
    const char *error;

    expect_exit(&o, 0);
    ck_assert_str_eq(o.text, "");
    error = read_record("graph");
    ck_assert_msg(!error, "%s", error);
    ck_assert_uint_eq(graph.num_regions, 2);
    ck_assert_uint_eq(sums.tasks, 2 * 89);
    error = read_record("graph.child");
    ck_assert_msg(!error, "%s", error);
    ck_assert_uint_eq(graph.num_regions, 1);
    ck_assert_uint_eq(sums.tasks, 144);
}
END_TEST

static void expect_line(const struct outcome *o, const char *path, const char *end)
{
    char line[700];

    snprintf(line, sizeof line, "libwsfj: WSFJ_RECORD=%.80s%s\n", path, end);
    expect_exit(o, 0);
    ck_assert_str_eq(o->text, line);
}

/* Catches: a program that fails, or a silent loss, if the file cannot be made. */
START_TEST(a_refused_file_costs_one_line)
{
    struct outcome o = outcome_of(run_fib, 5, "1", "/nowhere/graph");

    expect_line(&o, "/nowhere/graph", " cannot be written (No such file or directory); nothing is recorded");
    o = outcome_of(run_twice, 5, "1", "/dev/full");
    expect_line(&o, "/dev/full", " cannot be written (it exists and is not a regular file); nothing is recorded");
}
END_TEST

static int run_limited(long n)
{
    if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){100, 100}))
        return 1;
    return run_fib(n);
}

/* Catches: a write that fails unseen. */
START_TEST(a_full_disk_costs_one_line)
{
    char path[600];
    struct outcome o;
    const char *error;

    snprintf(path, sizeof path, "%s", folder_path("g"));
    o = outcome_of(run_limited, 20, "1", path);
    expect_line(&o, path, " was cut short (the limit of a file's size is reached)");
    error = read_record("g");
    ck_assert_ptr_nonnull(error);
    ck_assert_ptr_nonnull(strstr(error, "cut short"));
}
END_TEST

static int run_nothing(long start)
{
    return start ? ws_init(NULL) || ws_fini() : 0;
}

/* Catches: a user who waits for a file, and is not told. A process that never starts the runtime says nothing. */
START_TEST(a_record_of_nothing_costs_one_line)
{
    struct outcome o = outcome_of(run_nothing, 1, "1", "graph");

    expect_line(&o, "graph", ": nothing was recorded (only tasks compiled with -DWSFJ_PROFILE are)");
    o = outcome_of(run_nothing, 0, "1", "graph");
    ck_assert_str_eq(o.text, "");
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("record_file");

    tcase_add_test(tcase, each_place_that_spawns_is_a_site);
    tcase_add_test(tcase, regions_follow_each_other);
    tcase_add_test(tcase, measured_regions_are_all_there);
    tcase_add_test(tcase, regions_in_a_phase_are_marked);
    tcase_add_test(tcase, threads_record_at_once);
    tcase_add_test(tcase, exit_in_a_task_ends_the_record);
    tcase_add_test(tcase, a_killed_process_leaves_a_record_cut_short);
    if (can_test("records of forks", SANITIZED_THREAD    ? "it knows no threads after fork()"
                                     : SANITIZED_ADDRESS ? "it looks for the parent's threads in the child"
                                                         : emulated(NO_THREADS)))
        tcase_add_test(tcase, a_fork_has_a_record_of_its_own);
    tcase_add_test(tcase, a_refused_file_costs_one_line);
    tcase_add_test(tcase, a_full_disk_costs_one_line);
    tcase_add_test(tcase, a_record_of_nothing_costs_one_line);
    return run_records("record_file", tcase);
}
