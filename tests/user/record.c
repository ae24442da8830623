/* SPDX-License-Identifier: MIT */
/* WSFJ_RECORD: the graph of a profiled program has the work, the tasks and, in units, the span that the profile has.
 * Neighbours: profile.c, profile_detached.c; unit/graph.c, what the reader refuses. */
#undef WSFJ_DEBUG
#include "../support/folder.h"

#include "profile.h"

#include "../../tools/sim/graph.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static struct graph graph;
static struct graph_sums sums;

/* Reads the record; its error, or NULL. */
static const char *read_record(const char *name)
{
    static char error[300];
    const char *why;
    FILE *f = fopen(folder_path(name), "r");
    bool done;

    ck_assert_ptr_nonnull(f);
    done = graph_read(&graph, f, "record", error, sizeof error);
    fclose(f);
    if (done)
        ck_assert_msg(graph_sum(&graph, &sums, &why), "%s", why);
    return done ? NULL : error;
}

/* Runs the body, and reads its record. */
static struct profile record_of(int (*body)(long), long argument, bool in_units)
{
    struct profile p;
    const char *error;

    setenv("WSFJ_RECORD", folder_path("graph"), 1);
    p = profile_of(body, argument, in_units ? "1" : "0", "2");
    expect_exit(&p.outcome, 0);
    ck_assert_str_eq(p.outcome.text, "");
    error = read_record("graph");
    ck_assert_msg(!error, "%s", error);
    ck_assert(graph.is_units == in_units);
    ck_assert_double_eq_tol(sums.work, p.row[0].work, 1e-6 * p.row[0].work + 0.01);
    ck_assert_double_eq_tol(sums.work, graph.work, 1e-12 * graph.work);
    ck_assert_double_eq_tol(sums.blocked, p.row[0].blocked, 1e-6 * p.row[0].blocked + 0.01);
    return p;
}

/* How often items of the kind run in all. */
static uint64_t in_node(enum graph_kind kind, bool iterations, uint32_t node)
{
    uint64_t n = 0;

    for (size_t i = 0; i < graph.nodes[node].count; i++) {
        const struct graph_item *item = &graph.items[graph.nodes[node].first + i];

        if (item->kind == kind)
            n += item->times * (iterations ? item->iterations : 1);
        if (item->node != GRAPH_NONE && item->kind != GRAPH_POST)
            n += item->times * in_node(kind, iterations, item->node);
    }
    return n;
}

static uint64_t count(enum graph_kind kind, bool iterations)
{
    uint64_t n = 0;

    for (size_t i = 0; i < graph.num_regions; i++)
        n += in_node(kind, iterations, graph.regions[i].node);
    for (size_t i = 0; i < graph.num_posted; i++)
        n += in_node(kind, iterations, graph.posted[i].node);
    return n;
}

static WS_TASK_VOID(leaf)
{
}

static WS_TASK(long, fib, long, n)
{
    long x, y;

    if (n < 2)
        return n;
    ws_spawn(fib, &x, n - 1);
    y = ws_call(fib, n - 2);
    ws_sync();
    return x + y;
}

static int run_fib(long n)
{
    long r;

    return ws_run(fib, &r, n);
}

/* Catches: a strand that is lost or stands twice, a child in the wrong scope, a sync that is missing. */
START_TEST(fib_has_its_work_and_its_span)
{
    struct profile p = record_of(run_fib, _i, true);

    ck_assert_double_eq(sums.span, p.row[0].span);
    ck_assert_uint_eq(sums.tasks, p.row[0].count + 1);
    ck_assert_uint_eq(graph.num_regions, 1);
}
END_TEST

/* Catches: equal subtrees that are not shared. fib(24) has 75024 spawns. */
START_TEST(equal_subtrees_are_one)
{
    (void)record_of(run_fib, 24, true);
    ck_assert_uint_lt(graph.num_nodes, 60);
    ck_assert_uint_eq(sums.tasks, 75025);
}
END_TEST

/* Catches: lengths whose rounding adds up, strands with a mean that do not count. */
START_TEST(measured_work_is_all_there)
{
    struct profile p = record_of(run_fib, 20, false);

    ck_assert_uint_eq(sums.tasks, p.row[0].count + 1);
    ck_assert_uint_eq(p.row[0].count, 10945);
}
END_TEST

static void busy(long us)
{
    struct timespec begin, now;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}

static WS_TASK_VOID(works, long, us)
{
    busy(us);
}

/* Lengths of different octaves. */
static WS_TASK_VOID(uneven, long, n)
{
    for (long i = 0; i < n; i++)
        ws_spawn(works, 3 + (i * 37) % 500);
    ws_sync();
    busy(50);
}

static int run_uneven(long n)
{
    return ws_run(uneven, n);
}

/* Catches: a long strand that gets a mean; a remainder that is carried on and lost. The longest child takes 499 us. */
START_TEST(long_strands_have_their_own_lengths)
{
    (void)record_of(run_uneven, 300, false);
    ck_assert_double_ge(sums.span, 499e3 * 0.85);
    ck_assert_double_ge(sums.work, 300 * 200e3);
    ck_assert_uint_eq(sums.tasks, 301);
}
END_TEST

static WS_TASK_VOID(flat, long, n)
{
    for (long i = 0; i < n; i++)
        ws_spawn(leaf);
    ws_sync();
    {
        ws_frame();
        ws_spawn(leaf);
        ws_call(leaf);
    }
    for (long i = 0; i < n; i++) {
        ws_spawn(fib, NULL, i % 3);
        if (i % 7 == 0)
            ws_sync();
    }
}

static int run_flat(long n)
{
    return ws_run(flat, n);
}

/* Catches: a list that loses items when it is folded, a repetition that counts once. */
START_TEST(long_lists_are_short)
{
    struct profile p = record_of(run_flat, 30000, true);

    ck_assert_double_eq(sums.span, p.row[0].span);
    ck_assert_uint_eq(sums.tasks, 1 + 30000 + 1 + 30000 + 10000); /* fib(2) spawns one */
    ck_assert_uint_lt(graph.num_nodes, 300);
}
END_TEST

static WS_LOOP(empty, long, i)
{
    (void)i;
}

static WS_LOOP(spawning, long, i, long, n)
{
    ws_spawn(fib, NULL, 3);
    ws_call(empty, 0, n);
    (void)i;
}

static WS_LOOP2(plane, long, i, int, j)
{
    (void)i;
    (void)j;
}

static WS_TASK_VOID(loops)
{
    ws_call(leaf);
    ws_call(empty, 0, 1000);
    ws_spawn(spawning, 0, 10, 6);
    ws_call(plane, 0, 30, 0, 40);
    ws_call(empty, 0, 1);
    ws_sync();
}

static int run_loops(long unused)
{
    (void)unused;
    return ws_run(loops);
}

/* Catches: a half that counts as a task, iterations that are lost, an inner loop that becomes part of the outer one. A loop of
 * one block stays what it is: work. */
START_TEST(a_loop_is_one_node)
{
    (void)record_of(run_loops, 0, true);
    ck_assert_uint_eq(count(GRAPH_LOOP, false), 1 + 1 + 10 + 1);
    ck_assert_uint_eq(count(GRAPH_RUN, true), 1000 + 10 + 10 * 6 + 30 * 40);
    ck_assert_uint_eq(sums.tasks, 1 + 1 + 10 * (1 + 2)); /* fib(3) spawns two */
}
END_TEST

static WS_TASK_VOID(calls, long, n)
{
    for (long i = 0; i < n; i++)
        ws_call(leaf);
}

static WS_LOOP(nesting, long, i, long, n)
{
    ws_call(empty, 0, n);
    (void)i;
}

static int run_nesting(long n)
{
    return ws_run(nesting, 0, 10, n);
}

/* Catches: an inner loop that an iteration begins with, and that becomes part of the outer one. */
START_TEST(a_loop_in_a_loop_is_its_own)
{
    (void)record_of(run_nesting, 6, true);
    ck_assert_uint_eq(count(GRAPH_LOOP, false), 1 + 10);
    ck_assert_uint_eq(count(GRAPH_RUN, true), 10 + 10 * 6);
    ck_assert_uint_eq(sums.tasks, 1);
}
END_TEST

static volatile double sink;

static WS_LOOP(adds, long, i, long, n)
{
    double sum = 0;

    for (long j = 0; j < n; j++)
        sum += (double)(i ^ j);
    sink = sum;
}

static int run_adds(long n)
{
    return ws_run(adds, 0, n, 100);
}

/* Catches: blocks of many iterations that count as one. */
START_TEST(measured_loops_have_all_iterations)
{
    (void)record_of(run_adds, 100000, false);
    ck_assert_uint_eq(count(GRAPH_LOOP, false), 1);
    ck_assert_uint_eq(count(GRAPH_RUN, true), 100000);
}
END_TEST

static void detached(void *arg)
{
    calls((long)(intptr_t)arg);
}

static WS_TASK_VOID(groups, long, n)
{
    ws_group g = WS_GROUP_INIT;

    for (long i = 0; i < n; i++)
        if (ws_group_submit(&g, detached, (void *)(intptr_t)(i % 5)) || ws_submit(detached, (void *)2))
            abort();
    ws_call(leaf);
    if (ws_group_wait(&g))
        abort();
    ws_call(leaf);
    ws_yield();
}

static int run_groups(long n)
{
    return ws_run(groups, n);
}

/* Catches: a detached task that becomes a child, a wait for nothing. */
START_TEST(groups_are_waited_for)
{
    struct profile p = record_of(run_groups, 100, true);

    ck_assert_double_eq(sums.span, p.row[0].span);
    ck_assert_uint_eq(sums.tasks, 201);
    ck_assert_uint_eq(count(GRAPH_WAIT, false), 1);
    ck_assert_uint_eq(count(GRAPH_YIELD, false), 1);
    ck_assert_uint_eq(count(GRAPH_SPAWN, false), 0);
}
END_TEST

static WS_TASK_VOID(two_groups)
{
    ws_group a = WS_GROUP_INIT, b = WS_GROUP_INIT;

    if (ws_group_submit(&a, detached, (void *)100) || ws_group_submit(&b, detached, (void *)10) || ws_group_wait(&b))
        abort();
    ws_call(calls, 50);
    if (ws_group_submit(&b, detached, (void *)70) || ws_group_wait(&a))
        abort();
    ws_call(calls, 5);
}

static int run_two_groups(long unused)
{
    (void)unused;
    return ws_run(two_groups);
}

/* Catches: a wait for the tasks of another group. A group that was waited for has another number when it is used again. */
START_TEST(each_wait_is_for_its_own_group)
{
    struct profile p = record_of(run_two_groups, 0, true);
    uint32_t most = 0;

    ck_assert_double_eq(sums.span, p.row[0].span);
    for (size_t i = 0; i < graph.num_items; i++)
        if (graph.items[i].group != GRAPH_NONE && graph.items[i].group > most)
            most = graph.items[i].group;
    ck_assert_uint_eq(most, 2);
}
END_TEST

static ws_group chained;

static void chain(void *arg)
{
    if (arg && ws_group_submit(&chained, chain, (char *)arg - 1))
        abort();
}

static WS_TASK_VOID(chains, long, n)
{
    ws_group_init(&chained);
    if (ws_group_submit(&chained, chain, (void *)(intptr_t)n) || ws_group_wait(&chained))
        abort();
}

static int run_chains(long n)
{
    return ws_run(chains, n);
}

/* Catches: a task that was queued, because it was too deep, and is lost. */
START_TEST(queued_tasks_are_posted)
{
    (void)record_of(run_chains, 200, true);
    ck_assert_uint_eq(sums.tasks, 202);
    ck_assert_uint_gt(graph.num_posted, 100);
    ck_assert_uint_eq(count(GRAPH_POST, false), graph.num_posted);
}
END_TEST

static WS_TASK_VOID(blocks)
{
    ws_spawn(fib, NULL, 5);
    WS_BLOCKING
    {
        nanosleep(&(struct timespec){0, 3000000}, NULL);
    }
    ws_sync();
}

static int run_blocks(long unused)
{
    (void)unused;
    return ws_run(blocks);
}

/* Catches: blocked time that counts as work. */
START_TEST(blocked_time_is_apart)
{
    (void)record_of(run_blocks, 0, false);
    ck_assert_double_ge(sums.blocked, 3e6);
    ck_assert_double_ge(sums.span, 3e6 * 0.85);
    ck_assert_uint_ge(count(GRAPH_BLOCK, false), 1);
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

/* Runs the body with its record in that file. */
static struct outcome outcome_of(int (*body)(long), long argument, const char *path)
{
    struct child child;

    fflush(NULL);
    if (begin_child(&child)) {
        setenv("WSFJ_RECORD", path, 1);
        setenv("WSFJ_PROFILE_OUT", "/dev/null", 1);
        setenv("WSFJ_PROFILE_UNIT", "1", 1);
        exit(body(argument));
    }
    return end_child(&child);
}

/* Catches: a file that looks whole though the process was killed. */
START_TEST(a_killed_process_leaves_a_record_cut_short)
{
    struct outcome o = outcome_of(run_leaves, -1, folder_path("graph"));
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
    struct outcome o = outcome_of(run_forks, 10, folder_path("graph"));
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
    struct outcome o = outcome_of(run_fib, 5, "/nowhere/graph");

    expect_line(&o, "/nowhere/graph", " cannot be written (No such file or directory); nothing is recorded");
    o = outcome_of(run_twice, 5, "/dev/full");
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
    o = outcome_of(run_limited, 20, path);
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
    struct outcome o = outcome_of(run_nothing, 1, "graph");

    expect_line(&o, "graph", ": nothing was recorded (only tasks compiled with -DWSFJ_PROFILE are)");
    o = outcome_of(run_nothing, 0, "graph");
    ck_assert_str_eq(o.text, "");
}
END_TEST

static void begin(void)
{
    folder_make();
}

int main(void)
{
    TCase *tcase = new_case("record");
    int failed;

    if (folder_begin("record") != 0)
        return EXIT_FAILURE;
    tcase_add_checked_fixture(tcase, begin, NULL);
    tcase_add_loop_test(tcase, fib_has_its_work_and_its_span, 0, 16);
    tcase_add_test(tcase, equal_subtrees_are_one);
    tcase_add_test(tcase, measured_work_is_all_there);
    tcase_add_test(tcase, long_strands_have_their_own_lengths);
    tcase_add_test(tcase, long_lists_are_short);
    tcase_add_test(tcase, a_loop_is_one_node);
    tcase_add_test(tcase, a_loop_in_a_loop_is_its_own);
    tcase_add_test(tcase, measured_loops_have_all_iterations);
    tcase_add_test(tcase, groups_are_waited_for);
    tcase_add_test(tcase, each_wait_is_for_its_own_group);
    tcase_add_test(tcase, queued_tasks_are_posted);
    tcase_add_test(tcase, blocked_time_is_apart);
    tcase_add_test(tcase, regions_follow_each_other);
    tcase_add_test(tcase, threads_record_at_once);
    tcase_add_test(tcase, exit_in_a_task_ends_the_record);
    tcase_add_test(tcase, a_killed_process_leaves_a_record_cut_short);
    tcase_add_test(tcase, a_fork_has_a_record_of_its_own);
    tcase_add_test(tcase, a_refused_file_costs_one_line);
    tcase_add_test(tcase, a_full_disk_costs_one_line);
    tcase_add_test(tcase, a_record_of_nothing_costs_one_line);
    failed = run_case("record", tcase);
    folder_end();
    return failed;
}
