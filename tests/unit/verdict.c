/* SPDX-License-Identifier: MIT */
/* What a profile's numbers mean: the sentences of lib/profile/verdict.h, of numbers for which they are known. */
#include "profile/verdict.h"

#include "../support/run.h"

#include <stdlib.h>
#include <string.h>

static const struct wsfj_verdict_site *sites;
static char *text;

static void site_at(const void *all, size_t i, struct wsfj_verdict_site *site)
{
    *site = ((const struct wsfj_verdict_site *)all)[i];
}

static void put_name(FILE *file, const char *name)
{
    fprintf(file, "<%s>", name);
}

/* Writes the verdict into `text`, with a | after each sentence. */
static void judge(struct wsfj_verdict v, const struct wsfj_verdict_site *of, size_t n)
{
    size_t size;
    FILE *file;

    free(text);
    text = NULL;
    file = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(file);
    v.site = site_at;
    v.sites = sites = of;
    v.num_sites = n;
    wsfj_verdict_put(file, &v, &(struct wsfj_verdict_style){"", "|", put_name});
    fclose(file);
}

/* A program of one site, which takes nearly all of the span. */
static void judge_one(double work, double span, double burdened)
{
    static struct wsfj_verdict_site site = {.task = "f", .file = "a.c", .line = 7, .count = 5};

    site.work = work;
    site.span = site.burdened = site.longest = span;
    judge((struct wsfj_verdict){.work = work, .span = span, .burdened = burdened, .strand = 1e6}, &site, 1);
}

#define SAYS(piece) ck_assert_msg(strstr(text, piece), "%s", text)
#define SAYS_NOT(piece) ck_assert_msg(!strstr(text, piece), "%s", text)

/* Catches: a bound that is not that of Cilkview or of the span law; the wrong side of either. */
START_TEST(parallelism_is_enough_for_so_many_workers)
{
    judge_one(1200, 100, 100);
    SAYS("The parallelism is 12.0, with the burden 12.0: enough for 7 workers, and more than 12 gain nothing.|");
    judge_one(1201, 100, 150);
    SAYS("The parallelism is 12.0, with the burden 8.0: enough for 4 workers, and more than 13 gain nothing.|");
    judge_one(341, 100, 100);
    SAYS(": enough for 2 workers, and more than 4 gain nothing.|");
    judge_one(339, 100, 100);
    SAYS("not enough for 2 workers, and more than 4 gain nothing.|");
    judge_one(100, 100, 100);
    SAYS("The parallelism is 1.0, with the burden 1.0: the program is serial, and no worker makes it faster.|");
    judge_one(101, 100, 100);
    SAYS("not enough for 2 workers, and more than 2 gain nothing.|");
    judge_one(1023, 1, 1);
    SAYS("enough for 601 workers, and more than 1023 gain nothing.|");
    judge_one(1025, 1, 1);
    SAYS("enough for 602 workers, not for 1024.|");
    judge_one(1740, 1, 1);
    SAYS("enough for 1023 workers, not for 1024.|");
    judge_one(1741, 1, 1);
    SAYS("enough for 1024 workers and more.|");
    judge_one(1e300, 1, 1);
    SAYS("enough for 1024 workers and more.|");
    judge_one(0, 0, 0);
    ck_assert_str_eq(text, "No region has run.|");
}
END_TEST

/* Catches: the wrong site; a task that is called the span though it is a small part of it. */
START_TEST(the_span_has_a_place)
{
    const struct wsfj_verdict_site nested[] = {
        {.task = "outer", .file = "a.c", .line = 1, .work = 1000, .span = 995, .longest = 95},
        {.task = "inner", .file = "b.c", .line = 2, .work = 900, .span = 891, .longest = 91},
        {.task = "leaf", .file = "c.c", .line = 3, .work = 800, .span = 800, .longest = 80}};
    const struct wsfj_verdict v = {.work = 1000, .span = 100, .burdened = 100};

    judge(v, nested, 3);
    SAYS("|One task, <inner> at <b.c>:2, is 91 % as long as the span: split it up, or ");
    judge(v, nested, 1);
    SAYS("|One task, <outer> at <a.c>:1, is 95 % as long as the span: split it up, or ");
    judge((struct wsfj_verdict){.work = 1000, .span = 100, .burdened = 100},
          &(struct wsfj_verdict_site){.task = "f", .file = "a.c", .longest = 90}, 1);
    SAYS(", is 90 % as long as the span: split it up, or ");
    judge(v, nested + 2, 1);
    SAYS("|One task, <leaf> at <c.c>:3, is 80 % as long as the span: shorten what it and the tasks around it do ");
    judge((struct wsfj_verdict){.work = 1000, .span = 320, .burdened = 320}, nested + 2, 1);
    SAYS(" is 25 % as long as the span: ");
    judge((struct wsfj_verdict){.work = 1000, .span = 321, .burdened = 321}, nested + 2, 1);
    SAYS("|No task is a quarter as long as the span, ");
    SAYS("Most work is spawned as <leaf> at <c.c>:3.|");
    judge((struct wsfj_verdict){.work = 5000, .span = 500, .burdened = 500}, nested, 3);
    SAYS("Most work is spawned as <outer> at <a.c>:1.|");
    judge(v, nested, 0);
    SAYS("|Nothing is spawned.|");
    judge_one(1800, 1, 1); /* enough */
    SAYS_NOT("span");
}
END_TEST

/* Catches: a task with tasks inside it that is to be split up. */
START_TEST(a_nest_of_tasks_is_split_up_already)
{
    const struct wsfj_verdict v = {.work = 1000, .span = 100, .burdened = 100};
    struct wsfj_verdict_site site = {.task = "f", .file = "a.c", .line = 1, .work = 1000, .span = 95, .longest = 95};

    judge(v, &site, 1);
    SAYS("|One task, <f> at <a.c>:1, is 95 % as long as the span: shorten what it and the tasks inside it do ");
    site.work = 104;
    judge(v, &site, 1);
    SAYS(": split it up, or ");
}
END_TEST

/* Catches: digits beyond the error; too few of them where there is none; the exponent of what has none. */
START_TEST(numbers_have_no_more_digits_than_they_are_known)
{
    static const struct {
        double work, least, most;
        const char *text;
    } known[] = {
        {1e6, 100, 450, "2200 to 10000"}, {1000, 200, 210, "4.76 to 5.00"}, {1000, 200, 201, "4.97 to 5.00"},
        {1000, 200, 200, "5.00"},         {12345, 10, 10, "1234.50"},       {1234.5, 1, 1.2, "1000 to 1200"},
        {10, 0, 3, "3.3 or more"},        {1e308, 1e-308, 1e-308, "inf"},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char *written = NULL;
        size_t size;
        FILE *file = open_memstream(&written, &size);

        wsfj_verdict_put_ratios(file, known[i].work, known[i].least, known[i].most, 2);
        fclose(file);
        ck_assert_str_eq(written, known[i].text);
        free(written);
    }
    ck_assert_str_eq(wsfj_verdict_number(0, 2, 2).text, "0.0");
}
END_TEST

/* Catches: a site's part above 100 %, if it is rounded or was seen to be longer than the whole. */
START_TEST(no_part_is_more_than_all)
{
    const struct wsfj_verdict_site site = {.task = "f", .file = "", .line = 0, .work = 10, .span = 11, .longest = 11};

    judge((struct wsfj_verdict){.work = 20, .span = 10, .burdened = 10}, &site, 1);
    SAYS("|One task, <f>, is 100 % as long as the span: split");
}
END_TEST

/* Catches: an older profile, which does not have the longest task, taken for one of short tasks. */
START_TEST(a_longest_task_that_is_not_known_is_not_named)
{
    const struct wsfj_verdict_site site = {.task = "f", .file = "a.c:3", .work = 10, .span = 10, .longest = -1};

    judge((struct wsfj_verdict){.work = 20, .span = 10, .burdened = 10}, &site, 1);
    SAYS_NOT("as long as the span");
    SAYS_NOT("No task is");
    SAYS("Most work is spawned as <f> at <a.c:3>.|");
}
END_TEST

/* Catches: small tasks that are not called small; the site with most work, or with the longest tasks, named instead of
 * that with most burden. */
START_TEST(small_tasks_are_named)
{
    const struct wsfj_verdict_site two[] = {
        {.task = "big", .file = "a.c", .line = 1, .count = 3, .work = 900, .span = 900, .burdened = 910, .longest = 90},
        {.task = "small", .file = "b.c", .line = 2, .count = 9, .work = 100, .span = 9, .burdened = 109, .longest = 3}};
    struct wsfj_verdict v = {.work = 1000, .span = 100, .burdened = 201, .strand = 1e6};

    judge(v, two, 2);
    SAYS("|Steals and suspended joins make the span 2.0 times as long, because tasks are too small: spawn larger pieces, "
         "first of <small> at <b.c>:2.|");
    SAYS_NOT("as long as the span");
    v.burdened = 200;
    judge(v, two, 2);
    SAYS_NOT("too small");
    v = (struct wsfj_verdict){.work = 1e6, .span = 100, .burdened = 100, .strand = 99};
    judge(v, two, 2);
    SAYS("enough for 1024 workers and more.|A strand has 99 ns on average, less than it costs to spread: below some size, "
         "call instead of spawning <small> at <b.c>:2.|");
    v.strand = 100;
    judge(v, two, 2);
    SAYS_NOT("strand");
    v.strand = 1;
    v.is_units = true;
    judge(v, two, 2);
    SAYS_NOT("strand");
    v = (struct wsfj_verdict){.work = 1e6, .span = 100, .burdened = 100, .strand = 9};
    judge(v, two, 0);
    SAYS_NOT("strand");
}
END_TEST

/* Catches: a verdict where the least and the most span would lead to others; the better end where the worse one counts; a
 * word of doubt where there is none. */
START_TEST(a_span_in_doubt)
{
    const struct wsfj_verdict_site site = {.task = "f", .file = "a.c", .line = 7, .count = 5, .work = 1, .longest = 90};
    struct wsfj_verdict v = {.work = 1200, .span = 100, .burdened = 110, .below = 40, .above = 10};

    judge(v, &site, 1);
    SAYS("The parallelism is 11 to 20, with the burden 10 to 17: enough for 5 workers, and more than 20 gain "
         "nothing.|One task, <f> at <a.c>:7, is 90 % as long as the span: ");
    v.below = 51;
    judge(v, &site, 1);
    ck_assert_str_eq(text, "The parallelism is 11 to 24, with the burden 10 to 20: too wide a range for a verdict, "
                           "because what a few short strands took decides it. Larger pieces are measured better; "
                           "WSFJ_PROFILE_UNIT=1 counts tasks, exactly.|");
    v.blocked = 800;
    judge(v, &site, 1);
    SAYS("exactly.|Tasks are blocked for 40 % of the serial time");
    v = (struct wsfj_verdict){.work = 1e6, .span = 100, .burdened = 100, .below = 99, .above = 100, .strand = 1e6};
    judge(v, &site, 1); /* whatever the span is */
    SAYS("The parallelism is 5000 to 1000000, with the burden 5000 to 1000000: enough for 1024 workers and more.|");
    v = (struct wsfj_verdict){.work = 1000, .span = 100, .burdened = 300, .below = 100, .above = 40};
    judge(v, &site, 1); /* the burden is known well enough: it decides */
    SAYS("with the burden 2.9 to 5.0: not enough for 2 workers.|Steals and suspended joins make the span at least 2.4 "
         "times as long");
    SAYS("The parallelism is 7.1 or more, with");
    v.above = 101;
    judge(v, &site, 1);
    SAYS("too wide a range");
    v = (struct wsfj_verdict){.work = 1000, .span = 100, .burdened = 210, .above = 20};
    judge(v, &site, 1); /* with the longest span it is less than twice as long */
    SAYS_NOT("too small");
}
END_TEST

/* Catches: a program that waits taken for one that computes; blocked time that counts as work. */
START_TEST(blocked_time_needs_no_worker)
{
    const struct wsfj_verdict_site site = {
        .task = "f", .file = "a.c", .line = 1, .work = 50, .span = 2000, .longest = 100};
    struct wsfj_verdict v = {.work = 50, .blocked = 1950, .span = 100, .burdened = 100};

    judge(v, &site, 1);
    ck_assert_str_eq(text,
                     "The parallelism is 20.0, with the burden 20.0: one worker is enough, because the program mostly "
                     "waits in blocking sections.|Tasks are blocked for 98 % of the serial time: at the shortest "
                     "possible time some 20 of them at once, each with a spare thread (WSFJ_SPARES).|");
    v.work = 1000;
    v.blocked = 1000;
    judge(v, &site, 1);
    SAYS("The parallelism is 20.0, with the burden 20.0: enough for 5 workers, and more than 10 gain nothing.|");
    SAYS("|Tasks are blocked for 50 % of the serial time: at the shortest possible time some 10 of them at once");
    v.blocked = 100;
    judge(v, &site, 1);
    SAYS_NOT("blocked");
    v.blocked = 120;
    v.span = v.burdened = 500;
    judge(v, &site, 1);
    SAYS("|Tasks are blocked for 11 % of the serial time: at the shortest possible time some 1 of them at once");
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("verdict");

    tcase_add_test(tcase, parallelism_is_enough_for_so_many_workers);
    tcase_add_test(tcase, the_span_has_a_place);
    tcase_add_test(tcase, a_nest_of_tasks_is_split_up_already);
    tcase_add_test(tcase, numbers_have_no_more_digits_than_they_are_known);
    tcase_add_test(tcase, no_part_is_more_than_all);
    tcase_add_test(tcase, a_longest_task_that_is_not_known_is_not_named);
    tcase_add_test(tcase, small_tasks_are_named);
    tcase_add_test(tcase, a_span_in_doubt);
    tcase_add_test(tcase, blocked_time_needs_no_worker);
    return run_case("verdict", tcase);
}
