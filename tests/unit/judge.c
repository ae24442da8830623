/* SPDX-License-Identifier: MIT */
/* Whether others use a worker's CPUs, by made-up times: lib/machine/judge.h. */
#include "machine/judge.h"

#include "../support/run.h"

#define MS UINT64_C(1000000)

static struct wsfj_judge judge;
static struct wsfj_delay delay;
static uint64_t now;

static void begin(bool known)
{
    judge = (struct wsfj_judge){.asked = 0};
    delay = (struct wsfj_delay){.switches = 700, .known = known, .ran = 1000 * MS, .waited = 5000 * MS, .turns = 50};
    now = 3000 * MS;
    ck_assert(wsfj_judge_is_due(&judge, now, delay.switches));
    ck_assert_int_eq(wsfj_judge(&judge, now, &delay, false), WSFJ_VERDICT_STAY);
}

/* The next `ran` + `waited` nanoseconds of the thread, and then `slept`. */
static enum wsfj_verdict after(uint64_t ran, uint64_t waited, uint64_t slept, unsigned switches, unsigned turns,
                               bool wide)
{
    now += ran + waited + slept;
    delay.ran += ran;
    delay.waited += waited;
    delay.switches += switches;
    delay.turns += turns;
    return wsfj_judge(&judge, now, &delay, wide);
}

/* Catches: a judge that is asked at each look; one that only a switch leads to. */
START_TEST(a_switch_or_a_long_time_makes_it_due)
{
    begin(true);
    ck_assert(!wsfj_judge_is_due(&judge, now + 99 * MS, 700));
    ck_assert(wsfj_judge_is_due(&judge, now + 100 * MS, 700));
    ck_assert(!wsfj_judge_is_due(&judge, now + 9 * MS, 701));
    ck_assert(wsfj_judge_is_due(&judge, now + 10 * MS, 701));
    (void)after(10 * MS, 0, 0, 1, 1, false);
    ck_assert(!wsfj_judge_is_due(&judge, now + 99 * MS, 701));
}
END_TEST

/* Catches: what the thread has waited for before the first look; another bound than a tenth, or of another time. */
START_TEST(more_than_a_tenth_of_the_time_that_it_wanted)
{
    begin(true);
    ck_assert_int_eq(after(18 * MS, 2 * MS, 0, 2, 0, false), WSFJ_VERDICT_STAY);
    ck_assert_int_eq(after(18 * MS - 1, 2 * MS + 1, 0, 2, 0, false), WSFJ_VERDICT_WIDER);
    ck_assert_int_eq(after(18 * MS, 2 * MS, 500 * MS, 0, 0, false), WSFJ_VERDICT_STAY);
    ck_assert_int_eq(after(17 * MS, 3 * MS, 500 * MS, 0, 0, false), WSFJ_VERDICT_WIDER);
}
END_TEST

/* Catches: a CPU that wakes slowly and counts as a stranger; a stranger that is hidden by that allowance. */
START_TEST(each_turn_may_begin_late)
{
    begin(true);
    ck_assert_int_eq(after(10 * MS, 10 * MS, 100 * MS, 0, 100, false), WSFJ_VERDICT_STAY);
    ck_assert_int_eq(after(10 * MS, 13 * MS, 100 * MS, 0, 100, false), WSFJ_VERDICT_WIDER);
}
END_TEST

/* Catches: a verdict on less than 10 ms, and those 10 ms forgotten. */
START_TEST(short_times_are_added)
{
    begin(true);
    ck_assert_int_eq(after(1 * MS, 4 * MS, 100 * MS, 1, 1, false), WSFJ_VERDICT_STAY);
    ck_assert_int_eq(after(1 * MS, 4 * MS - 1, 100 * MS, 1, 1, false), WSFJ_VERDICT_STAY);
    ck_assert(!wsfj_judge_is_due(&judge, now + 99 * MS, delay.switches));
    ck_assert_int_eq(after(0, 1, 100 * MS, 1, 1, false), WSFJ_VERDICT_WIDER);
}
END_TEST

/* Catches: the first look as one that tells nothing, and a verdict by switches after it. */
START_TEST(a_thread_that_has_just_begun)
{
    now = 3000 * MS;
    judge = (struct wsfj_judge){.asked = 0};
    delay = (struct wsfj_delay){.known = true, .ran = 1};
    ck_assert_int_eq(wsfj_judge(&judge, now, &delay, false), WSFJ_VERDICT_STAY);
    ck_assert_int_eq(after(10 * MS, 0, 0, 10, 1, false), WSFJ_VERDICT_STAY);
}
END_TEST

/* Catches: a judge that needs schedstat; one that takes a switch now and then for a stranger; figures of one kind compared with
 * those of another. */
START_TEST(without_schedstat_a_switch_in_each_10_ms)
{
    begin(false);
    ck_assert_int_eq(after(0, 0, 100 * MS, 9, 0, false), WSFJ_VERDICT_STAY);
    ck_assert_int_eq(after(0, 0, 100 * MS, 10, 0, false), WSFJ_VERDICT_WIDER);
    ck_assert_int_eq(after(0, 0, 100 * MS, 0, 0, false), WSFJ_VERDICT_STAY);
    delay.known = true;
    ck_assert_int_eq(after(0, 1000 * MS, 0, 0, 0, false), WSFJ_VERDICT_STAY);
}
END_TEST

static void widen(void)
{
    ck_assert_int_eq(after(10 * MS, 10 * MS, 0, 2, 2, false), WSFJ_VERDICT_WIDER);
}

static void quiet(uint64_t ms, enum wsfj_verdict then)
{
    ck_assert_int_eq(after((ms - 1) * MS, 0, 0, 1, 1, true), WSFJ_VERDICT_STAY);
    ck_assert_int_eq(after(MS, 0, 0, 0, 0, true), then);
}

/* Catches: a thread that narrows at once, or never, or without being wide. */
START_TEST(it_narrows_after_a_second_of_quiet)
{
    begin(true);
    ck_assert_int_eq(after(1000 * MS, 0, 0, 0, 0, false), WSFJ_VERDICT_STAY);
    widen();
    quiet(1000, WSFJ_VERDICT_NARROWER);
    ck_assert_int_eq(after(MS, 0, 0, 0, 0, true), WSFJ_VERDICT_NARROWER); /* another worker was first */
    widen();
    quiet(1000, WSFJ_VERDICT_NARROWER);
    wsfj_judge_narrowed(&judge, now);
    ck_assert_int_eq(after(MS, 0, 0, 0, 0, true), WSFJ_VERDICT_STAY); /* the next step has its own second */
    quiet(999, WSFJ_VERDICT_NARROWER);
}
END_TEST

/* Catches: a pause that does not grow, grows without end or by a second step wider, or stays long after it was right. */
START_TEST(each_time_that_it_was_wrong_the_pause_doubles)
{
    static const uint64_t pauses[] = {1, 2, 4, 8, 16, 32, 60, 60};

    begin(true);
    widen();
    for (unsigned i = 0; i < sizeof pauses / sizeof *pauses; i++) {
        quiet(1000 * pauses[i], WSFJ_VERDICT_NARROWER);
        wsfj_judge_narrowed(&judge, now);
        widen();
        widen();
    }
    quiet(60000, WSFJ_VERDICT_NARROWER);
    wsfj_judge_narrowed(&judge, now);
    ck_assert_int_eq(after(60000 * MS, 0, 0, 0, 0, false), WSFJ_VERDICT_STAY);
    widen();
    quiet(1000, WSFJ_VERDICT_NARROWER);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("judge");

    tcase_add_test(tcase, a_switch_or_a_long_time_makes_it_due);
    tcase_add_test(tcase, more_than_a_tenth_of_the_time_that_it_wanted);
    tcase_add_test(tcase, each_turn_may_begin_late);
    tcase_add_test(tcase, short_times_are_added);
    tcase_add_test(tcase, a_thread_that_has_just_begun);
    tcase_add_test(tcase, without_schedstat_a_switch_in_each_10_ms);
    tcase_add_test(tcase, it_narrows_after_a_second_of_quiet);
    tcase_add_test(tcase, each_time_that_it_was_wrong_the_pause_doubles);
    return run_case("judge", tcase);
}
