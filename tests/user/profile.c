/* SPDX-License-Identifier: MIT */
/* Work and span in units, where each task costs 1: programs whose work and span are known. Neighbours:
 * profile_shapes.c, profile_fork.c, profile_detached.c, profile_mixed.c, profile_clock.c. */
#undef WSFJ_DEBUG /* some shapes return without ws_sync(), which it reports */

#include "profile_fib.h"

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
    ck_assert_ptr_nonnull(strstr(p.row[1].file, "profile_fib.h"));
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

/* A function that is no task, in a region: 2 + 2. */
static void plain(void)
{
    ws_frame();
    ws_spawn(chain, NULL, 2);
    ws_sync();
    ws_spawn(chain, NULL, 2);
}
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
    tcase_add_test(tcase, regions_follow_each_other);
    tcase_add_test(tcase, exit_in_a_task_reports_what_there_is);
    tcase_add_test(tcase, without_a_region_there_is_no_profile);
    tcase_add_test(tcase, nonsense_costs_a_line);
    tcase_add_test(tcase, a_profile_may_be_too_long);
    return run_case("profile", tcase);
}
