/* SPDX-License-Identifier: MIT */
/* A profile's text of numbers that are known: lib/profile/report.c. Neighbours: unit/verdict.c, the
 * sentences at the end; build/profile.sh, the reports of a program. */
#include "profile/profile.h"

#include "../support/run.h"

#include <string.h>

static struct wsfj_total site[2];
static const struct wsfj_total *sites[2] = {&site[0], &site[1]};
static struct wsfj_totals totals;
static struct wsfj_summary summary;
static char *text;

/* In nanoseconds: one region, two spawns of one site each, and work of 1 ms. */
static void fill(void)
{
    for (int i = 0; i < 2; i++)
        site[i] = (struct wsfj_total){.file = i ? "b\tc.c" : "a.c",
                                      .task = i ? "second" : "first",
                                      .line = 3,
                                      .count = 1,
                                      .work = 400000,
                                      .path = {.wsfj_span = 100000, .wsfj_burdened = 100000},
                                      .longest = 100000};
    totals = (struct wsfj_totals){.regions = 1, .spawns = 2, .strands = 1};
    summary = (struct wsfj_summary){.totals = &totals,
                                    .program = "program",
                                    .sites = sites,
                                    .num_sites = 2,
                                    .scale = 1,
                                    .unit = "ns",
                                    .work = 1000000,
                                    .serial = 1000000,
                                    .span = 100000,
                                    .span_least = 80000,
                                    .span_most = 120000,
                                    .burdened = 200000,
                                    .strand = 999,
                                    .steal = 1000,
                                    .join = 2000000,
                                    .burden_is_measured = true};
}

static void write_as(wsfj_writer *writer)
{
    size_t size;
    FILE *f;

    free(text);
    f = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(f);
    writer(f, &summary);
    fclose(f);
}

static void expect(const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "no '%s' in %.2000s", part, text);
}

static void expect_no(const char *part)
{
    ck_assert_msg(!strstr(text, part), "'%s' in %.2000s", part, text);
}

/* Catches: a length in a unit that does not suit it. */
START_TEST(a_length_has_the_unit_that_suits_it)
{
    static const struct {
        double length;
        const char *text;
    } lengths[] = {{0, "0.00 ns"},    {9.5, "9.50 ns"}, {99, "99.0 ns"}, {999, "999 ns"},
                   {1000, "1.00 us"}, {1e6, "1.00 ms"}, {1e9, "1.00 s"}, {1e13, "10000 s"}};

    fill();
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        ck_assert_str_eq(wsfj_profile_length(&summary, lengths[i].length).text, lengths[i].text);
    summary.unit = "units";
    ck_assert_str_eq(wsfj_profile_length(&summary, 123456).text, "123456");
    ck_assert_str_eq(wsfj_profile_length(&summary, 1234567).text, "1234567");
}
END_TEST

/* T(P) lies between T1 / P + 1.7 of the most burdened span, 220 us, and the larger one of T1 / P and the least span, 80
 * us. Catches: a bound of another span, or of none. */
START_TEST(the_speed_up_is_between_the_laws)
{
    fill();
    ck_assert_double_eq_tol(wsfj_speedup_most(&summary, 4), 4, 1e-9);
    ck_assert_double_eq_tol(wsfj_speedup_most(&summary, 100), 1000. / 80, 1e-9);
    ck_assert_double_eq_tol(wsfj_speedup_least(&summary, 4), 1000 / (250 + 1.7 * 220), 1e-9);
    write_as(wsfj_profile_text);
    expect("\n        4                 1.6      4.00\n");
    expect("\n     1024                 2.7        12\n");
}
END_TEST

/* Catches: a line that is missing, or there for nothing; a number that does not fit its noun. */
START_TEST(what_there_is_none_of_has_no_line)
{
    fill();
    write_as(wsfj_profile_text);
    expect("libwsfj: profile of 1 region, 2 spawns\n");
    expect("\n  work              1.00 ms\n");
    expect("1.00 us a steal, 2.00 ms a suspended join (measured)\n");
    expect_no("had not ended");
    expect_no("\n  blocked ");
    totals.regions = 2;
    totals.spawns = totals.unfinished = 1;
    summary.blocked = 5000;
    summary.burden_is_measured = false;
    write_as(wsfj_profile_text);
    expect("libwsfj: profile of 2 regions, 1 spawn\n  1 of the regions had not ended at exit\n");
    expect("\n  blocked           5.00 us\n");
    expect("(not measured here)\n");
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile_report");

    tcase_add_test(tcase, a_length_has_the_unit_that_suits_it);
    tcase_add_test(tcase, the_speed_up_is_between_the_laws);
    tcase_add_test(tcase, what_there_is_none_of_has_no_line);
    return run_case("profile_report", tcase);
}
