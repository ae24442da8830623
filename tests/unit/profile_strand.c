/* SPDX-License-Identifier: MIT */
/* Timing of strands, and what is counted where. Neighbour: user/profile_clock.c, with correct clocks. */
#include "profile/profile.h"

#include "../support/resources.h"
#include "../support/run.h"

static struct wsfj_account account = {.random = 1};

/* Catches: a thread that has moved to a processor with a slow counter, and whose work then lasts centuries. */
START_TEST(a_clock_may_go_back)
{
    struct wsfj_strands strands;
    uint64_t then;

    wsfj_clock_start();
    wsfj_strands_start(false);
    wsfj_strands_init(&strands);
    for (int i = 0; i < 100; i++) {
        strands.wsfj_left = 1;
        wsfj_strand_begin(&account.profile, &strands);
        if (i % 2) /* the strand itself has moved */
            account.profile.wsfj_started = wsfj_clock_read() + 100000;
        wsfj_strand_end(&account.profile, WSFJ_END_CHILD);
        then = account.last;
        account.last = wsfj_clock_read() + 100000; /* as on the processor before */
    }
    ck_assert_uint_gt(then, 0);
    ck_assert((double)account.profile.wsfj_work / WSFJ_PROFILE_TICK * wsfj_clock_tick() < 1e9);
}
END_TEST

/* Catches: a first strand that stands for none or several: the error that the report tells of is then another. */
START_TEST(the_first_strand_stands_for_itself)
{
    struct wsfj_strands strands;

    wsfj_clock_start();
    wsfj_strands_start(false);
    wsfj_strands_init(&strands);
    account.last = 0;
    wsfj_strand_begin(&account.profile, &strands);
    wsfj_strand_end(&account.profile, WSFJ_END_CHILD);
    ck_assert_uint_eq(strands.wsfj_sample[WSFJ_END_CHILD].wsfj_timed, 1);
    ck_assert(strands.wsfj_sample[WSFJ_END_CHILD].wsfj_stands_for == 1);
}
END_TEST

/* Catches: a median that is not in the middle, of few lengths, of an even number or after the ring is full; one of two. */
START_TEST(the_usual_length_is_the_median_of_the_last)
{
    static const uint64_t lengths[] = {50, 10, 40, 20, 70, 60, 30, 900, 800, 1000};
    static const uint64_t usual[] = {0, 0, 40, 20, 40, 40, 40, 40, 60, 70};
    struct wsfj_sample sample = {.wsfj_known = 0};

    ck_assert_int_eq(WSFJ_RECENT, 7);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        sample.wsfj_recent[sample.wsfj_known++ % WSFJ_RECENT] = lengths[i];
        ck_assert_uint_eq(wsfj_sample_usual(&sample), usual[i]);
    }
}
END_TEST

/* Catches: a file that stays open each time the kernel is asked how long the thread has waited. */
START_TEST(asking_the_kernel_leaves_no_file_open)
{
    int files = count_files();
    uint64_t waited;

    for (int i = 0; i < 5; i++)
        (void)wsfj_clock_waited(&waited);
    ck_assert_int_eq(count_files(), files);
}
END_TEST

/* How many of 1000 empty strands count nothing. */
static int strands_without_work(void)
{
    struct wsfj_strands strands;
    int without = 0;

    wsfj_clock_start();
    wsfj_strands_start(false);
    wsfj_strands_init(&strands);
    for (int i = 0; i < 1000; i++) {
        uint64_t before = account.profile.wsfj_work;

        strands.wsfj_left = 1;
        account.last = 0;
        wsfj_strand_begin(&account.profile, &strands);
        wsfj_strand_end(&account.profile, WSFJ_END_CHILD);
        without += account.profile.wsfj_work == before;
    }
    return without;
}

/* Catches: the time that timing takes, counted as work. The library takes off the median of what timing costs, so about half
 * of the empty strands count nothing; a machine that has slowed down since the median was taken shows fewer, so the test
 * tries again. */
START_TEST(timing_is_no_work)
{
    int most = 0;

    for (int i = 0; i < 50 && most <= 100; i++) {
        int without = strands_without_work();

        most = without > most ? without : most;
    }
    ck_assert_int_gt(most, 100);
}
END_TEST

/* A timed strand that takes so long, and a little more. Returns how much of it is in doubt, in nanoseconds. */
static double timed(struct wsfj_strands *s, double ns)
{
    struct wsfj_profile *p = &account.profile;
    uint64_t doubt = p->wsfj_doubt;

    s->wsfj_left = 1;
    account.last = 0; /* nothing is missing */
    wsfj_strand_begin(p, s);
    p->wsfj_started = wsfj_clock_read() - (uint64_t)(ns / wsfj_clock_tick());
    wsfj_strand_end(p, WSFJ_END_CHILD);
    return (double)(p->wsfj_doubt - doubt) / WSFJ_PROFILE_TICK * wsfj_clock_tick();
}

/* How often of 200 times the doubt about such a strand is above a limit: the machine disturbs some of them itself. */
static int doubts_above(double ns, double limit)
{
    struct wsfj_strands strands;
    int found = 0;

    wsfj_strands_init(&strands);
    for (int i = 0; i < 20; i++)
        (void)timed(&strands, ns);
    for (int i = 0; i < 200; i++)
        found += timed(&strands, ns) > limit;
    return found;
}

/* The most doubt about such a strand among short ones: the machine may disturb the first ones that are tried. */
static double most_doubt(double ns)
{
    struct wsfj_strands strands;
    double most = 0;

    wsfj_strands_init(&strands);
    for (int i = 0; i < 20; i++) {
        double doubt;

        for (int j = 0; j < 20; j++)
            (void)timed(&strands, 100);
        doubt = timed(&strands, ns);
        most = doubt > most ? doubt : most;
    }
    return most;
}

/* Whether most strands of 100 ns take not much longer here, with the clock's own time. */
static bool is_quick(void)
{
    struct wsfj_strands strands;
    int quick = 0;

    wsfj_strands_init(&strands);
    for (int i = 0; i < 100; i++) {
        uint64_t span = account.profile.wsfj_span;

        (void)timed(&strands, 100);
        quick += (double)(account.profile.wsfj_span - span) / WSFJ_PROFILE_TICK * wsfj_clock_tick() < 180;
    }
    return quick > 90;
}

/* Catches: a strand that met an interrupt or a cold cache, taken for the program's; strands in doubt that take as long as
 * others of their kind, or too long for an interrupt. */
START_TEST(what_is_longer_than_usual_is_in_doubt)
{
    struct wsfj_strands strands;

    wsfj_clock_start();
    wsfj_strands_start(false);
    wsfj_strands_init(&strands);
    for (int i = 0; i < 3; i++) /* the first ones may be cold */
        ck_assert_double_ge(timed(&strands, 900), 800);
    ck_assert_double_ge(most_doubt(8000), 7000);
    if (is_quick())                                    /* else all strands are long */
        ck_assert_double_ge(most_doubt(60000), 50000); /* perhaps a long interrupt */
    ck_assert_int_le(doubts_above(5000, 2500), 100);
    ck_assert_int_le(doubts_above(50000, 25000), 100);
    ck_assert_int_le(doubts_above(500000, 1), 100);
}
END_TEST

/* Catches: doubt about strands that were not timed, of which it is not said; doubt that outlasts the disturbance. */
START_TEST(untimed_strands_are_in_doubt_like_their_mean)
{
    struct wsfj_profile *p = &account.profile;
    struct wsfj_strands strands;
    uint64_t span, doubt;

    wsfj_clock_start();
    wsfj_strands_start(false);
    wsfj_strands_init(&strands);
    for (int i = 0; i < 20; i++)
        (void)timed(&strands, 100);
    (void)timed(&strands, 15000);
    span = p->wsfj_span;
    doubt = p->wsfj_doubt;
    strands.wsfj_left = 1000;
    wsfj_strand_begin(p, &strands);
    wsfj_strand_end(p, WSFJ_END_CHILD);
    ck_assert_uint_eq(p->wsfj_span - span, strands.wsfj_mean[WSFJ_END_CHILD]);
    ck_assert_uint_gt(p->wsfj_doubt, doubt);
    ck_assert_uint_lt(p->wsfj_doubt - doubt, p->wsfj_span - span);
}
END_TEST

/* Catches: few strands that are timed soon after a long one, or ever fewer after the first short ones. */
START_TEST(after_a_long_strand_many_must_be_short)
{
    struct wsfj_strands strands;

    wsfj_clock_start();
    wsfj_strands_start(false);
    wsfj_strands_init(&strands);
    strands.wsfj_quiet = 5;
    strands.wsfj_period = 8;
    (void)timed(&strands, 1e6);
    ck_assert_uint_eq(strands.wsfj_quiet, 0);
    ck_assert_uint_eq(strands.wsfj_period, 1);
    for (int i = 0; i < 20; i++) { /* the machine may make some of them long */
        wsfj_strands_init(&strands);
        strands.wsfj_quiet = 15;
        (void)timed(&strands, 1);
        ck_assert_uint_eq(strands.wsfj_quiet, 0);
    }
}
END_TEST

/* Catches: work that was missed and is then not told, or not in doubt. */
START_TEST(what_was_missed_is_told)
{
    struct wsfj_profile *p = &account.profile;
    struct wsfj_strands strands;
    uint64_t least;

    wsfj_clock_start();
    wsfj_strands_start(false);
    wsfj_strands_init(&strands);
    least = (uint64_t)(5e9 / wsfj_clock_tick()) * WSFJ_PROFILE_TICK;
    *p = (struct wsfj_profile){.wsfj_now = &strands};
    account.work_then = 0;
    wsfj_strands_query(&account); /* from here on the thread may wait, but hardly for half of the time that it says */
    account.last = wsfj_clock_read() - (uint64_t)(10e9 / wsfj_clock_tick());
    wsfj_strand_begin(p, &strands);
    ck_assert_uint_gt(p->wsfj_work, least);
    ck_assert_uint_eq(account.hidden, p->wsfj_work);
    ck_assert_uint_eq(account.timed, p->wsfj_work);
    ck_assert_uint_eq(p->wsfj_span, p->wsfj_work);
    ck_assert_uint_eq(p->wsfj_doubt, p->wsfj_work);
    ck_assert_uint_eq(account.last, 0);
}
END_TEST

/* Catches: a section that blocks for as long as an interrupt takes, and is left out of the span. */
START_TEST(blocked_time_is_in_the_span)
{
    struct wsfj_profile *p = &account.profile;
    struct wsfj_strands strands;

    wsfj_clock_start();
    wsfj_strands_start(false);
    for (int blocking = 0; blocking < 2; blocking++) {
        bool is_whole = true;

        for (int i = 0; i < 20; i++) { /* the machine may make some of them too long for an interrupt */
            wsfj_strands_init(&strands);
            strands.wsfj_mean[WSFJ_END_CHILD] = 1;
            strands.wsfj_calm = 1000;
            *p = (struct wsfj_profile){.wsfj_work = 0};
            account.blocking = (unsigned)blocking;
            (void)timed(&strands, 60000);
            account.blocking = 0;
            ck_assert_uint_gt(blocking ? p->wsfj_blocked : p->wsfj_work, 0);
            ck_assert_uint_eq(blocking ? p->wsfj_work : p->wsfj_blocked, 0);
            is_whole = is_whole && p->wsfj_span == p->wsfj_work + p->wsfj_blocked;
        }
        ck_assert(is_whole == blocking);
    }
}
END_TEST

/* Catches: the least span of the path that has the longest span, instead of the longest least span; doubt of a child that
 * stays with its parent, or is lost at the sync. */
START_TEST(each_length_has_its_own_longest_path)
{
    struct wsfj_profile *p = &account.profile;
    struct wsfj_scope scope = {.wsfj_profile = p};
    struct wsfj_tally tally = {.wsfj_count = 0};
    struct wsfj_site site = {"", "", 0};
    struct wsfj_site_slot slots[2] = {{&site, &tally}, {&site, &tally}};
    static const struct {
        uint64_t span, doubt;
    } child[] = {{10, 9}, {5, 1}};

    *p = (struct wsfj_profile){.wsfj_slots = slots, .wsfj_shift = 63, .wsfj_span = 100, .wsfj_doubt = 30};
    for (int i = 0; i < 2; i++) {
        struct wsfj_spawned spawned;

        tally.wsfj_child.wsfj_left = tally.wsfj_after.wsfj_left = tally.wsfj_synced.wsfj_left = 1000;
        p->wsfj_now = &tally.wsfj_after;
        wsfj_child_begin(&spawned, &scope, &site);
        p->wsfj_span += child[i].span;
        p->wsfj_doubt += child[i].doubt;
        wsfj_child_end(&spawned, &scope);
        ck_assert_uint_eq(p->wsfj_span, 100);
        ck_assert_uint_eq(p->wsfj_doubt, 30);
    }
    wsfj_scope_sync(&scope);
    ck_assert_uint_eq(p->wsfj_span, 110);
    ck_assert_uint_eq(p->wsfj_span - p->wsfj_doubt, 70 + 4);
}
END_TEST

/* Catches: one strand of one end alone, whose deviation is no number: then that of the other ends is lost, too. */
START_TEST(one_strand_has_no_variance)
{
    struct wsfj_strands strands = {.wsfj_left = 0};

    strands.wsfj_sample[0] =
        (struct wsfj_sample){.wsfj_timed = 2, .wsfj_stands_for = 5, .wsfj_sum = 4, .wsfj_squares = 10};
    ck_assert_double_eq(wsfj_strands_variance(&strands), 3.0 * 3.0 * 2.0 / 1.0 / 2.0);
    for (int end = 1; end < WSFJ_ENDS; end++)
        strands.wsfj_sample[end] =
            (struct wsfj_sample){.wsfj_timed = 1, .wsfj_stands_for = 7, .wsfj_sum = 3, .wsfj_squares = 9};
    ck_assert_double_eq(wsfj_strands_variance(&strands), 9);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile_strand");

    tcase_add_test(tcase, a_clock_may_go_back);
    tcase_add_test(tcase, the_first_strand_stands_for_itself);
    tcase_add_test(tcase, the_usual_length_is_the_median_of_the_last);
    tcase_add_test(tcase, timing_is_no_work);
    tcase_add_test(tcase, asking_the_kernel_leaves_no_file_open);
    tcase_add_test(tcase, what_is_longer_than_usual_is_in_doubt);
    tcase_add_test(tcase, untimed_strands_are_in_doubt_like_their_mean);
    tcase_add_test(tcase, after_a_long_strand_many_must_be_short);
    tcase_add_test(tcase, what_was_missed_is_told);
    tcase_add_test(tcase, blocked_time_is_in_the_span);
    tcase_add_test(tcase, each_length_has_its_own_longest_path);
    tcase_add_test(tcase, one_strand_has_no_variance);
    return run_case("profile_strand", tcase);
}
