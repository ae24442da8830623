/* SPDX-License-Identifier: MIT */
/* Work and span by the clock, of tasks that take a known share of the processor's time. What is asserted holds however
 * slow the machine is, and however many others use it. Neighbour: profile.c, where all is known exactly. */
#include "profile.h"
#include "../support/sanitizer.h"

#include <time.h>

static uint64_t ns_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Uses the processor for so long. */
static WS_TASK_VOID(busy, long, us)
{
    uint64_t until = ns_of(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)us * 1000;

    while (ns_of(CLOCK_THREAD_CPUTIME_ID) < until)
        ;
}

static WS_TASK_VOID(at_once)
{
    for (int i = 0; i < 8; i++)
        ws_spawn(busy, 5000);
    ws_sync();
}

static WS_TASK_VOID(one_by_one)
{
    for (int i = 0; i < 8; i++) {
        ws_spawn(busy, 5000);
        ws_sync();
    }
}

static int run_at_once(long unused)
{
    (void)unused;
    return ws_run(at_once);
}
static int run_one_by_one(long unused)
{
    (void)unused;
    return ws_run(one_by_one);
}

static struct profile by_clock(int (*body)(long), long argument)
{
    struct profile p = profile_of(body, argument, "0", "2");

    expect_exit(&p.outcome, 0);
    ck_assert_str_eq(p.outcome.text, "");
    ck_assert_str_eq(p.row[0].unit, "ns");
    ck_assert_double_gt(p.row[0].steal, 0);
    ck_assert_double_gt(p.row[0].join, 0);
    return p;
}

#define MS 1e6

/* Catches: time that is lost or counted twice, children that follow each other. The longest child is the span, so 8 is
 * the most there can be. Each child has its 5 ms (a little less, as the kernel counts in other steps than the clock),
 * so less than 2 would need one that is disturbed for 15 ms of which the kernel knows nothing. */
START_TEST(equal_tasks_at_once_have_their_number_for_parallelism)
{
    struct profile p = by_clock(run_at_once, 0);

    ck_assert_double_ge(p.row[0].work, 0.9 * 8 * 5 * MS);
    ck_assert_double_ge(p.row[0].span, 0.9 * 5 * MS);
    ck_assert_double_ge(p.row[0].parallelism, 2);
    ck_assert_double_le(p.row[0].parallelism, 8.2);
    ck_assert_double_ge(p.row[0].burdened, p.row[0].span);
}
END_TEST

START_TEST(one_after_the_other_they_have_none)
{
    struct profile p = by_clock(run_one_by_one, 0);

    ck_assert_double_ge(p.row[0].work, 0.9 * 8 * 5 * MS);
    ck_assert_double_eq_tol(p.row[0].parallelism, 1, 0.05);
    ck_assert_double_ge(p.row[0].span_least, 0.9 * p.row[0].span); /* long strands are certain */
}
END_TEST

static WS_TASK_VOID(rarely, long, i)
{
    if (i % 4000 == 3999)
        ws_call(busy, 3000);
}

static WS_TASK_VOID(many_short, long, n)
{
    for (long i = 0; i < n; i++)
        ws_spawn(rarely, i);
    ws_sync();
}

static int run_many_short(long n)
{
    return ws_run(many_short, n);
}

/* Catches: a long strand that is lost because those before it were short and not timed. */
START_TEST(a_rare_long_strand_is_not_lost)
{
    struct profile p = by_clock(run_many_short, 40000);

    ck_assert_double_ge(p.row[0].work, 0.8 * 10 * 3 * MS);
    ck_assert_double_ge(p.row[0].span, 0.8 * 3 * MS);
}
END_TEST

/* Some 100 ns: short, so that most are not timed, but longer than it takes to time them. */
static WS_TASK_VOID(short_one, unsigned long, x)
{
    for (int i = 0; i < 80; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
}

static WS_TASK_VOID(short_ones, long, n)
{
    for (long i = 0; i < n; i++)
        ws_spawn(short_one, (unsigned long)i);
    ws_sync();
}

/* Prints the processor's time for the same calls outside of a region, where nothing is measured. */
static int run_within(long n)
{
    uint64_t before, after;

    if (ws_run(short_ones, n))
        return 1;
    before = ns_of(CLOCK_THREAD_CPUTIME_ID);
    short_ones(n);
    after = ns_of(CLOCK_THREAD_CPUTIME_ID);
    fprintf(stderr, "%lu", (unsigned long)(after - before));
    return 0;
}

#define MANY_CALLS 1000000

/* Catches: means that stand for more, or less, than they were taken from; the cost of timing taken for work. A strand
 * that is timed while another program has the processor may count too much: of several profiles one must fit. */
START_TEST(the_work_is_that_of_plain_calls)
{
    struct profile p;
    double ratio = 0;

    for (int i = 0; i < 10 && !(ratio > 0.6 && ratio < 1.5); i++) {
        p = profile_of(run_within, MANY_CALLS, "0", "2");
        expect_exit(&p.outcome, 0);
        ratio = p.row[0].work / atof(p.outcome.text);
    }
    ck_assert_double_gt(ratio, 0.6);
    ck_assert_double_lt(ratio, 1.5);
    ck_assert_uint_eq(p.row[0].count, MANY_CALLS);
}
END_TEST

/* How long the thread has waited for a processor, as the kernel counts; 0 if it does not. */
static uint64_t waited_ns(void)
{
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    unsigned long long waited = 0;

    if (file && fscanf(file, "%*u %llu", &waited) != 1)
        waited = 0;
    if (file)
        fclose(file);
    return waited;
}

/* Sleeps for so long. A single usleep() may not: if the thread waits for a processor until the timer ends, it has waited
 * and not slept, and a profile leaves out such waits. */
static void sleep_ms(uint64_t ms)
{
    uint64_t begin = ns_of(CLOCK_MONOTONIC) - waited_ns(), slept = 0;

    for (; slept < ms * 1000000; slept = ns_of(CLOCK_MONOTONIC) - waited_ns() - begin)
        usleep((useconds_t)((ms * 1000000 - slept) / 1000 + 1));
}

static WS_TASK_VOID(sleeps, int, in_bracket)
{
    ws_call(busy, 5000);
    if (in_bracket) {
        WS_BLOCKING
        {
            sleep_ms(100);
        }
    } else {
        sleep_ms(100);
    }
    ws_call(busy, 5000);
}

static WS_TASK_VOID(two_sleep, int, in_bracket)
{
    ws_spawn(sleeps, in_bracket);
    ws_call(sleeps, in_bracket);
    ws_sync();
}

static int run_two_sleep(long in_bracket)
{
    return ws_run(two_sleep, (int)in_bracket);
}

static int run_sleeps(long n)
{
    int error = 0;

    for (long i = 0; i < n; i++)
        error |= ws_run(sleeps, 1);
    return error;
}

/* A wait that is over at once, but for the last one. */
static WS_TASK_VOID(hardly_waits, long, n)
{
    for (long i = 0; i < n; i++)
        WS_BLOCKING
        {
            if (i == n - 1)
                sleep_ms(100);
        }
}

static int run_hardly_waits(long n)
{
    return ws_run(hardly_waits, n);
}

/* Catches: time in a blocking section that counts for nothing, or for work; work that is lost at its ends. */
START_TEST(a_bracket_has_a_length_but_no_work)
{
    struct profile with = by_clock(run_two_sleep, 1), without = by_clock(run_two_sleep, 0);

    ck_assert_double_ge(with.row[0].span, (100 + 0.9 * 10) * MS);
    ck_assert_double_ge(with.row[0].work, 0.9 * 2 * 10 * MS);
    ck_assert_double_le(with.row[0].work, 0.9 * with.row[0].span);
    ck_assert_double_ge(without.row[0].span, 0.9 * 110 * MS);
    ck_assert_double_ge(without.row[0].work, 0.9 * 2 * 110 * MS);
    ck_assert_double_ge(with.row[0].blocked, 2 * 100 * MS);
    ck_assert_double_ge(profile_site(&with, "sleeps")->blocked, 100 * MS);
    ck_assert_double_eq(without.row[0].blocked, 0);
}
END_TEST

/* Catches: a serial program that is promised a speed-up below 1, as if its blocking sections took no time in a serial
 * run. */
START_TEST(one_that_waits_alone_has_no_parallelism)
{
    struct profile p = by_clock(run_sleeps, 2);

    ck_assert_double_ge(p.row[0].blocked, 2 * 100 * MS);
    ck_assert_double_eq_tol(p.row[0].parallelism, 1, 0.05);
    ck_assert_double_eq_tol(p.row[0].parallelism, (p.row[0].work + p.row[0].blocked) / p.row[0].span, 1e-3);
}
END_TEST

/* Catches: a blocking section that is estimated by earlier ones, which took no time. */
START_TEST(a_rare_long_bracket_is_not_lost)
{
    struct profile p = by_clock(run_hardly_waits, 5000);

    ck_assert_double_ge(p.row[0].blocked, 100 * MS);
    ck_assert_double_ge(p.row[0].span, 100 * MS);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile_clock");

    tcase_add_test(tcase, equal_tasks_at_once_have_their_number_for_parallelism);
    tcase_add_test(tcase, one_after_the_other_they_have_none);
    tcase_add_test(tcase, a_rare_long_strand_is_not_lost);
    if (can_test("the_work_is_that_of_plain_calls",
                 SANITIZED ? "it has code of its own in each call" : emulated("reading the clock takes too long")))
        tcase_add_test(tcase, the_work_is_that_of_plain_calls);
    tcase_add_test(tcase, a_bracket_has_a_length_but_no_work);
    tcase_add_test(tcase, one_that_waits_alone_has_no_parallelism);
    tcase_add_test(tcase, a_rare_long_bracket_is_not_lost);
    return run_case("profile_clock", tcase);
}
