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

/* Of numbers that differ pairwise, and that no factor maps to each other. */
static void fill_all(void)
{
    fill();
    for (int i = 0; i < 2; i++)
        site[i] = (struct wsfj_total){.file = i ? "b.c" : "a.c",
                                      .task = i ? "second" : "first",
                                      .line = i ? 37 : 31,
                                      .count = i ? 41 : 43,
                                      .work = i ? 7100 : 7300,
                                      .blocked = i ? 1300 : 1700,
                                      .strands = i ? 47 : 53,
                                      .path = {.wsfj_span = i ? 590 : 610, .wsfj_burdened = i ? 1090 : 1130},
                                      .longest = i ? 97 : 89};
    totals = (struct wsfj_totals){.regions = 17, .unfinished = 19, .spawns = 23, .strands = 29};
    summary.scale = 2;
    summary.program = "a \"program\"";
    summary.work = 131000;
    summary.blocked = 13700;
    summary.serial = 144700;
    summary.span = 14900;
    summary.span_least = 11300;
    summary.span_most = 16700;
    summary.burdened = 19100;
    summary.strand = 4517.2;
    summary.steal = 2110;
    summary.join = 3070;
    summary.sampled = 0.25;
    summary.error = 0.0125;
}

/* Catches: a number in the column of another one, or of another unit; a column more or less. */
START_TEST(each_column_of_the_csv_has_its_own_number)
{
    fill_all();
    write_as(wsfj_profile_csv);
    ck_assert_str_eq(
        text,
        "kind,file,line,task,count,work,span,burdened_span,parallelism,burdened_parallelism,strands,strand,unit,regions,"
        "unfinished,steal,join,measured,sampled,error,blocked,longest,program,span_least,span_most\n"
        "total,\"\",0,\"\",23,131000,14900,19100,9.71141,7.57592,29,4517.24,ns,17,19,2110,3070,1,0.25,0.0125,13700,,"
        "\"a \"\"program\"\"\",11300,16700\n"
        "site,\"a.c\",31,\"first\",43,14600,1220,2260,14.7541,7.9646,53,275.472,ns,,,,,,,,3400,178,,,\n"
        "site,\"b.c\",37,\"second\",41,14200,1180,2180,14.2373,7.70642,47,302.128,ns,,,,,,,,2600,194,,,\n");
}
END_TEST

/* Catches: a number in the line of another one, or of another unit. */
START_TEST(each_line_has_its_own_number)
{
    fill_all();
    write_as(wsfj_profile_text);
    expect("libwsfj: profile of 17 regions, 23 spawns\n"
           "  19 of the regions had not ended at exit\n"
           "  work               131 us\n"
           "  blocked           13.7 us\n"
           "  span              11 us to 17 us, burdened 16 us to 21 us\n"
           "  parallelism       8.7 to 13, burdened 6.9 to 9.3\n"
           "  strands                29   average       4.52 us\n"
           "  burden            2.11 us a steal, 3.07 us a suspended join (measured)\n"
           "  sampled             25.0% of the work, standard error 1.25% of it\n\n");
    expect("\n       count       work       span parallelism  burdened     strand  spawned\n"
           "          43    14.6 us     1.2 us          15       8.0     275 ns  first at a.c:31\n"
           "          41    14.2 us     1.2 us          14       7.7     302 ns  second at b.c:37\n");
    summary.span_least = summary.span_most = summary.span; /* exact */
    write_as(wsfj_profile_text);
    expect("\n  span              14.9 us   burdened      19.1 us\n"
           "  parallelism          9.71   burdened         7.58\n");
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile_report");

    tcase_add_test(tcase, a_length_has_the_unit_that_suits_it);
    tcase_add_test(tcase, the_speed_up_is_between_the_laws);
    tcase_add_test(tcase, what_there_is_none_of_has_no_line);
    tcase_add_test(tcase, each_column_of_the_csv_has_its_own_number);
    tcase_add_test(tcase, each_line_has_its_own_number);
    return run_case("profile_report", tcase);
}
