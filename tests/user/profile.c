/* SPDX-License-Identifier: MIT */
/* Work and span in units, where each task costs 1: programs whose work and span are known. Neighbours:
 * profile_detached.c, profile_mixed.c, profile_clock.c. */
#undef WSFJ_DEBUG /* some shapes return without ws_sync(), which it reports */

#include "../support/sanitizer.h"
#include "profile.h"

#include <glob.h>

static WS_TASK_VOID(leaf)
{
}

enum { FIB_LINE = __LINE__ + 7 }; /* of its spawn */
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
    long r = -1, a = 0, b = 1;
    int error = ws_run(fib, &r, n);

    for (long i = 0; i < n; i++) {
        long c = a + b;

        a = b;
        b = c;
    }
    return error || r != a;
}

/* By the definitions: the child's path has a steal and a join more than what follows. */
static double burdened_fib(long n)
{
    double child, follows;

    if (n < 2)
        return 1;
    child = 1 + 1 + burdened_fib(n - 1) + 1;
    follows = 1 + burdened_fib(n - 2);
    return child > follows ? child : follows;
}

static double number(long n) /* of Fibonacci */
{
    return n < 2 ? (double)n : number(n - 1) + number(n - 2);
}

/* Catches: a strand that is charged twice or to the wrong path, a maximum that is a sum, a burden that is forgotten. */
START_TEST(fib_is_what_its_recurrences_say)
{
    long n = _i;
    struct profile p = units_of(run_fib, n);
    const struct row *all = &p.row[0];

    ck_assert_double_eq(all->work, 2 * number(n + 1) - 1);
    ck_assert_double_eq(all->span, n < 1 ? 1 : (double)n);
    ck_assert_double_eq(all->burdened, burdened_fib(n));
    ck_assert_uint_eq(all->count, (unsigned long long)number(n + 1) - 1);
    ck_assert_uint_eq(all->strands, 3 * all->count + 1);
    ck_assert_uint_eq(all->regions, 1);
    ck_assert_double_eq_tol(all->parallelism, all->work / all->span, 1e-4 * all->parallelism);
    ck_assert_double_eq_tol(all->burdened_parallelism, all->work / all->burdened, 1e-4 * all->burdened_parallelism);
    ck_assert_int_eq(p.rows, n < 2 ? 1 : 2);
    if (n < 2)
        return;

    /* What the site has spawned while it was not inside another one of its children: at n, n - 2, n - 4 ... */
    double work = 0, span = 0, burdened = 0, strands = 0;

    for (long m = n; m >= 2; m -= 2) {
        work += 2 * number(m) - 1;
        span += (double)(m - 1);
        burdened += burdened_fib(m - 1);
        strands += 3 * (number(m) - 1) + 1;
    }
    ck_assert_uint_eq(p.row[1].count, all->count);
    ck_assert_double_eq(p.row[1].work, work);
    ck_assert_double_eq(p.row[1].span, span);
    ck_assert_double_eq(p.row[1].burdened, burdened);
    ck_assert_uint_eq(p.row[1].strands, (unsigned long long)strands);
    ck_assert_double_eq(p.row[1].longest, (double)(n - 1)); /* the first one */
    ck_assert_str_eq(p.row[1].task, "fib");
    ck_assert_ptr_nonnull(strstr(p.row[1].file, "profile.c"));
    ck_assert_uint_eq(p.row[1].line, FIB_LINE);
}
END_TEST

/* A merge that costs n. */
static WS_TASK_VOID(merge, long, n)
{
    for (long i = 1; i < n; i++)
        ws_call(leaf);
}

static WS_TASK_VOID(mergesort, long, n)
{
    if (n < 2)
        return;
    ws_spawn(mergesort, n / 2);
    ws_call(mergesort, n / 2);
    ws_sync();
    ws_call(merge, n);
}

static int run_mergesort(long n)
{
    return ws_run(mergesort, n);
}

/* Catches: work after a sync that is not added to the longer side. */
START_TEST(mergesort_has_the_span_of_its_merges)
{
    double n = 1 << _i, levels = _i;
    struct profile p = units_of(run_mergesort, 1 << _i);

    ck_assert_double_eq(p.row[0].work, 2 * n - 1 + n * levels);
    ck_assert_double_eq(p.row[0].span, levels + 1 + 2 * (n - 1));
}
END_TEST

static WS_TASK_VOID(flat, long, n)
{
    for (long i = 0; i < n; i++)
        ws_spawn(leaf);
    ws_sync();
}

static int run_flat(long n)
{
    return ws_run(flat, n);
}

/* Catches: children of one sync that follow each other. */
START_TEST(a_flat_loop_has_the_span_of_one_child)
{
    struct profile p = units_of(run_flat, 1000);

    ck_assert_double_eq(p.row[0].work, 1001);
    ck_assert_double_eq(p.row[0].span, 2);
    ck_assert_double_eq(p.row[0].burdened, 4);
    ck_assert_uint_eq(p.row[0].strands, 1 + 2 * 1000 + 1);
    ck_assert_double_eq(p.row[1].parallelism, 1);
}
END_TEST

/* n leaves in a row. */
static WS_TASK(long, chain, long, n)
{
    for (long i = 1; i < n; i++)
        ws_call(leaf);
    return n;
}
WS_SPAWNABLE(int, abs, int, n);

/* 1 + max(3, 2 + max(4, 1)) + max(5, 2). */
static WS_TASK_VOID(several_syncs)
{
    long r = 0;
    int a = 0;

    ws_spawn(chain, &r, 3);
    (void)chain(2);
    ws_spawn(chain, NULL, 4);
    ws_call(leaf);
    ws_sync();
    ws_sync();
    ws_spawn(chain, &r, 5);
    ws_spawn(abs, &a, -1);
    (void)ws_call(chain, 2);
    ws_sync();
}

/* 1 + (1 + 7): nothing after the early return, but the child's end. */
static WS_TASK_VOID(leaves_early, int, early)
{
    ws_spawn(chain, NULL, 7);
    if (early)
        return;
    ws_call(leaf);
    ws_sync();
}
static WS_TASK_VOID(calls_one_that_leaves_early)
{
    ws_call(leaves_early, 1);
}

/* 1 + max(9, 4 + 2 + 3): a block waits for its own children, not for those around it. */
static WS_TASK_VOID(blocks)
{
    ws_spawn(chain, NULL, 9);
    {
        ws_frame();
        ws_spawn(chain, NULL, 4);
        ws_call(leaf);
    }
    for (int i = 0; i < 1; i++) {
        ws_frame();
        ws_spawn(chain, NULL, 1);
        ws_spawn(chain, NULL, 2);
    }
    {
        ws_frame();
        ws_spawn(chain, NULL, 3);
        ws_sync();
    }
}

/* A function that is no task, in a region: 2 + 2. */
static void plain(void)
{
    ws_frame();
    ws_spawn(chain, NULL, 2);
    ws_sync();
    ws_spawn(chain, NULL, 2);
}
static WS_TASK_VOID(calls_plain)
{
    plain();
}

/* ws_run() in a region is a call. */
static WS_TASK_VOID(runs_inside)
{
    ws_spawn(chain, NULL, 5);
    (void)ws_run(leaves_early, 1);
    ws_sync();
}

static int run_several(long i)
{
    (void)i;
    return ws_run(several_syncs);
}
static int run_early(long i)
{
    (void)i;
    return ws_run(calls_one_that_leaves_early);
}
static int run_blocks(long i)
{
    (void)i;
    return ws_run(blocks);
}
static int run_plain(long i)
{
    (void)i;
    return ws_run(calls_plain);
}
static int run_inside(long i)
{
    (void)i;
    return ws_run(runs_inside);
}

static const struct {
    int (*run)(long);
    double work, span;
    unsigned long long spawns;
} shapes[] = {
    {run_several, 1 + 3 + 2 + 4 + 1 + 5 + 2, 1 + 2 + 4 + 5, 4},
    {run_early, 1 + 1 + 7, 1 + 1 + 7, 1},
    {run_blocks, 1 + 9 + 4 + 1 + 1 + 2 + 3, 1 + 9, 5},
    {run_plain, 1 + 2 + 2, 1 + 2 + 2, 2},
    {run_inside, 1 + 5 + 1 + 7, 1 + 1 + 7, 2},
};
#define SHAPES ((int)(sizeof shapes / sizeof *shapes))

/* Each spawn is in a line of its own. Catches: a sync that waits for too few or too many, a block or a task whose end is no
 * sync, a region in a region, lines that count as one site. */
START_TEST(each_shape_has_its_work_and_span)
{
    struct profile p = units_of(shapes[_i].run, 0);

    ck_assert_double_eq(p.row[0].work, shapes[_i].work);
    ck_assert_double_eq(p.row[0].span, shapes[_i].span);
    ck_assert_uint_eq(p.row[0].count, shapes[_i].spawns);
    ck_assert_int_eq(p.rows, 1 + (int)shapes[_i].spawns);
    ck_assert_uint_eq(p.row[0].regions, 1);
}
END_TEST

/* Outside any region nothing is profiled, inside it is. */
static int run_regions(long n)
{
    int error = 0;

    (void)chain(100);
    plain();
    for (long i = 0; i < n; i++)
        error |= ws_run(flat, 10);
    return error || ws_fini(); /* no region is a user of the runtime any more */
}

/* Catches: regions of one thread that overlap; what runs outside of them, which is serial in any case; a region after
 * which the runtime is in use for ever. */
START_TEST(regions_follow_each_other)
{
    struct profile p = units_of(run_regions, 50);

    ck_assert_double_eq(p.row[0].work, 50 * 11);
    ck_assert_double_eq(p.row[0].span, 50 * 2);
    ck_assert_uint_eq(p.row[0].regions, 50);
    ck_assert_double_eq(profile_site(&p, "leaf")->work, 500);
}
END_TEST

static WS_TASK_VOID(exits)
{
    ws_spawn(chain, NULL, 6);
    exit(0);
}
static int run_exits(long i)
{
    (void)i;
    return ws_run(leaf) || ws_run(exits);
}

/* Catches: a profile that is lost, or a process that hangs, when a task ends it. */
START_TEST(exit_in_a_task_reports_what_there_is)
{
    struct profile p = units_of(run_exits, 0);

    ck_assert_double_eq(p.row[0].work, 1 + 1 + 6);
    ck_assert_uint_eq(p.row[0].unfinished, 1);
}
END_TEST

static int run_nothing(long i)
{
    (void)i;
    (void)chain(3);
    return ws_init(NULL) || ws_fini();
}

/* Catches: a file that is written over by a program that has nothing to say. */
START_TEST(without_a_region_there_is_no_profile)
{
    struct profile p = profile_of(run_nothing, 0, "1", "2");

    expect_exit(&p.outcome, 0);
    ck_assert_int_eq(p.rows, -1);
}
END_TEST

/* Catches: nonsense that is believed, or refused without a word, or with each region's. */
START_TEST(nonsense_costs_a_line)
{
    struct profile p = profile_of(run_regions, 10, "elephants", "2");

    expect_exit(&p.outcome, 0);
    ck_assert_str_eq(p.outcome.text, "libwsfj: invalid value WSFJ_PROFILE_UNIT=elephants (expected 0 or 1); using 0\n");
    ck_assert_str_eq(p.row[0].unit, "ns");
}
END_TEST

static int run_and_fork(long n)
{
    int status = -1;
    pid_t pid;

    if (run_fib(n))
        return 1;
    pid = fork();
    if (pid == 0)
        exit(run_fib(n - 1));
    return waitpid(pid, &status, 0) != pid || status || run_fib(2);
}

static WS_TASK(int, forks)
{
    pid_t pid;
    int status = -1;

    ws_call(leaf);
    pid = fork();
    if (pid == 0)
        exit(0);
    return waitpid(pid, &status, 0) != pid || status;
}
static int run_forks(long i)
{
    int wrong = 1;

    (void)i;
    return ws_run(forks, &wrong) || wrong;
}

/* The profile of a process that has forked; `childs` becomes its child's, which has the child's number behind its name. */
static struct profile units_of_fork(int (*body)(long), long argument, struct row *childs)
{
    struct profile p = units_of(body, argument);
    char pattern[100];
    glob_t names;

    snprintf(pattern, sizeof pattern, "/tmp/wsfj-profile-%ld.csv.*", (long)getpid());
    ck_assert_int_eq(glob(pattern, 0, NULL, &names), 0);
    ck_assert_uint_eq(names.gl_pathc, 1);
    ck_assert_int_eq(read_rows(names.gl_pathv[0], childs), 2);
    unlink(names.gl_pathv[0]);
    globfree(&names);
    return p;
}

/* Catches: a child of fork() that counts what its parent did, begins where that has ended, or writes over its file. */
START_TEST(a_fork_has_a_profile_of_its_own)
{
    struct row rows[ROWS_MOST];
    struct profile p = units_of_fork(run_and_fork, 10, rows);

    ck_assert_double_eq(p.row[0].work, 2 * number(11) - 1 + 3);
    ck_assert_double_eq(p.row[0].span, 10 + 2);
    ck_assert_uint_eq(p.row[0].regions, 2);
    ck_assert_double_eq(rows[0].work, 2 * number(10) - 1);
    ck_assert_double_eq(rows[0].span, 9);
    ck_assert_uint_eq(rows[0].regions, 1);

    p = units_of(run_forks, 0);
    ck_assert_double_eq(p.row[0].work, 2);
    ck_assert_uint_eq(p.row[0].unfinished, 0);
}
END_TEST

static pid_t forked = -1;

/* The child goes on in its parent's region, and ends it. */
static WS_TASK_VOID(forks_inside)
{
    ws_spawn(chain, NULL, 30);
    forked = fork();
    ws_spawn(chain, NULL, 20);
    ws_sync();
}

static int run_forks_inside(long n)
{
    int status = -1;

    if (run_fib(n) || ws_run(forks_inside))
        return 1;
    if (forked == 0)
        exit(run_fib(n - 1) || ws_fini());
    return waitpid(forked, &status, 0) != forked || status;
}

/* Catches: a region of the parent's, which the child ends, counted in the child's profile, or before it. */
START_TEST(the_region_of_a_fork_is_its_parents)
{
    struct row rows[ROWS_MOST];
    struct profile p = units_of_fork(run_forks_inside, 10, rows);

    ck_assert_double_eq(p.row[0].work, 2 * number(11) - 1 + 1 + 30 + 20);
    ck_assert_double_eq(p.row[0].span, 10 + 1 + 30);
    ck_assert_double_eq(rows[0].work, 2 * number(10) - 1);
    ck_assert_double_eq(rows[0].span, 9);
    ck_assert_uint_eq(rows[0].regions, 1);
    ck_assert_uint_eq(rows[0].unfinished, 0);
}
END_TEST

static int is_inside, may_end;

static WS_TASK_VOID(waits_inside)
{
    ws_spawn(chain, NULL, 30);
    ws_sync();
    __atomic_store_n(&is_inside, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&may_end, __ATOMIC_ACQUIRE))
        usleep(100);
}

static void *stay_inside(void *unused)
{
    (void)unused;
    return (void *)(intptr_t)ws_run(waits_inside);
}

static int run_forks_beside(long n)
{
    pthread_t thread;
    pid_t pid;
    int status = -1;
    void *error = NULL;

    if (pthread_create(&thread, NULL, stay_inside, NULL))
        return 1;
    while (!__atomic_load_n(&is_inside, __ATOMIC_ACQUIRE))
        usleep(100);
    pid = fork();
    if (pid == 0)
        exit(run_fib(n));
    if (waitpid(pid, &status, 0) != pid || status)
        return 2;
    __atomic_store_n(&may_end, 1, __ATOMIC_RELEASE);
    return pthread_join(thread, &error) || error;
}

/* Catches: what another thread of the parent has done in its region, counted by the child's first region; that region,
 * counted as one that never ends. */
START_TEST(regions_beside_a_fork_are_its_parents)
{
    struct row rows[ROWS_MOST];
    struct profile p = units_of_fork(run_forks_beside, 10, rows);

    ck_assert_double_eq(p.row[0].work, 1 + 30);
    ck_assert_double_eq(rows[0].work, 2 * number(11) - 1);
    ck_assert_double_eq(rows[0].span, 10);
    ck_assert_str_eq(rows[1].task, "fib");
    ck_assert_uint_eq(rows[0].regions, 1);
    ck_assert_uint_eq(rows[0].unfinished, 0);
}
END_TEST

/* Catches: a profile that kills the program, or that is lost, because its file exceeds the limit of a file's size. */
START_TEST(a_profile_may_be_too_long)
{
    struct child child;
    struct outcome o;
    char path[100];

    snprintf(path, sizeof path, "/tmp/wsfj-limited-%ld.csv", (long)getpid());
    unlink(path);
    fflush(NULL);
    if (begin_child(&child)) {
        setenv("WSFJ_PROFILE_OUT", path, 1);
        signal(SIGXFSZ, SIG_DFL);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){100, RLIM_INFINITY});
        exit(run_fib(10));
    }
    o = end_child(&child);
    ck_assert_int_eq(unlink(path), 0);
    expect_exit(&o, 0);
    ck_assert_msg(
        strstr(o.text, "libwsfj: WSFJ_PROFILE_OUT=/tmp/wsfj-limited-") &&
            strstr(o.text, ".csv was cut short (the limit of a file's size is reached); the profile goes here\n"),
        "%s", o.text);
    ck_assert_ptr_nonnull(strstr(o.text, "libwsfj: profile of 1 region, "));
    ck_assert_ptr_nonnull(strstr(o.text, "fib at "));
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile");

    tcase_add_loop_test(tcase, fib_is_what_its_recurrences_say, 0, 18);
    tcase_add_loop_test(tcase, mergesort_has_the_span_of_its_merges, 0, 10);
    tcase_add_test(tcase, a_flat_loop_has_the_span_of_one_child);
    tcase_add_loop_test(tcase, each_shape_has_its_work_and_span, 0, SHAPES);
    tcase_add_test(tcase, regions_follow_each_other);
    tcase_add_test(tcase, exit_in_a_task_reports_what_there_is);
    tcase_add_test(tcase, without_a_region_there_is_no_profile);
    tcase_add_test(tcase, nonsense_costs_a_line);
    tcase_add_test(tcase, a_profile_may_be_too_long);
    if (can_test("profiles of forks", SANITIZED_THREAD    ? "it knows no threads after fork()"
                                      : SANITIZED_ADDRESS ? "it looks for the parent's threads in the child"
                                                          : emulated(NO_THREADS))) {
        tcase_add_test(tcase, a_fork_has_a_profile_of_its_own);
        tcase_add_test(tcase, the_region_of_a_fork_is_its_parents);
        tcase_add_test(tcase, regions_beside_a_fork_are_its_parents);
    }
    return run_case("profile", tcase);
}
