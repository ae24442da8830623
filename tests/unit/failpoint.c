/* SPDX-License-Identifier: MIT */
/* Which calls fail on purpose: lib/base/failpoint.h. */
#include "base/failpoint.h"

#include "../support/process.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS 64
#define MANY 10000

/* The exit codes of the child. */
enum { RIGHT = 0, WRONG = 11 };

static const char *rules, *chosen_seed;

static void start_with(void)
{
    if (rules)
        setenv("WSFJ_CHAOS_FAIL", rules, 1);
    else
        unsetenv("WSFJ_CHAOS_FAIL");
    if (chosen_seed)
        setenv("WSFJ_CHAOS_SEED", chosen_seed, 1);
    else
        unsetenv("WSFJ_CHAOS_SEED");
    wsfj_failpoint_forget();
    wsfj_failpoint_start();
}

/* Bit n - 1: the n-th call fails. */
static uint64_t calls_that_fail(enum wsfj_failpoint kind)
{
    uint64_t found = 0;

    (void)kind; /* in builds where nothing fails */
    for (int i = 0; i < CALLS; i++)
        found |= (uint64_t)wsfj_failpoint(kind) << i;
    return found;
}

static int numbered(long i)
{
    static const struct {
        const char *rules;
        uint64_t alloc, mmap;
        int error; /* of the first mmap that fails */
    } cases[] = {
        {NULL, 0, 0, 0},
        {"", 0, 0, 0},
        {"mmap:1", 0, 1, ENOMEM},
        {"mmap:7", 0, 1u << 6, ENOMEM},
        {" MMAP : 63 + , alloc:2", 2, UINT64_C(3) << 62, ENOMEM},
        {"mmap:7,mmap:2", 0, 2, ENOMEM},
        {"alloc:1+", ~UINT64_C(0), 0, 0},
        {"mmap:%100", 0, ~UINT64_C(0), ENOMEM},
        {"mmap:18446744073709551615", 0, 0, 0},
    };
    const size_t n = sizeof cases / sizeof *cases;

    if (i < 0)
        return (int)n;
    rules = cases[i].rules;
    chosen_seed = "1";
    start_with();
    errno = 0;
    if (calls_that_fail(WSFJ_AT_MMAP) != cases[i].mmap || errno != cases[i].error ||
        calls_that_fail(WSFJ_AT_ALLOC) != cases[i].alloc)
        return WRONG;
    if (wsfj_failpoint_count(WSFJ_AT_MMAP) != (uint64_t)__builtin_popcountll(cases[i].mmap) ||
        calls_that_fail(WSFJ_AT_THREAD) != 0)
        return WRONG;
    wsfj_failpoint_start(); /* goes on counting: a process reads the rules once */
    return calls_that_fail(WSFJ_AT_ALLOC) == (cases[i].alloc >> 63 ? cases[i].alloc : 0) ? RIGHT : WRONG;
}

/* Catches: counting from zero; one kind's rule used for another; an end that is forgotten; a count that restarts. */
START_TEST(the_calls_that_rules_name_fail)
{
    for (int i = 0; i < numbered(-1); i++) {
        struct outcome o = in_child(numbered, i);

        ck_assert_msg(WIFEXITED(o.status) && WEXITSTATUS(o.status) == RIGHT, "case %d: %x %s", i, (unsigned)o.status,
                      o.text);
        ck_assert_str_eq(o.text, "");
    }
}
END_TEST

static int malformed(long unused)
{
    (void)unused;
    chosen_seed = "1";
    start_with();
    return wsfj_failpoint(WSFJ_AT_MMAP) || wsfj_failpoint(WSFJ_AT_ALLOC) ? WRONG : RIGHT;
}

/* Catches: a rule read as another; a list obeyed in part. */
START_TEST(rules_that_make_no_sense_cost_one_line)
{
    static const char *const texts[] = {"mmap",    "mmap:",     "mmap:0",   "mmap:+",        "mmap:%",
                                        "mmap:%0", "mmap:%101", "malloc:1", "mmap:1,",       "mmap:1 alloc:1",
                                        "1",       "mmap:-1",   "mmap:1x",  "mmap:1;alloc:1"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char expected[64];
        struct outcome o;

        rules = texts[i];
        snprintf(expected, sizeof expected, "libwsfj: invalid value WSFJ_CHAOS_FAIL=%s", rules);
        o = in_child(malformed, 0);
        expect_exit(&o, RIGHT);
        ck_assert_msg(o.lines == 1 && strncmp(o.text, expected, strlen(expected)) == 0, "%s: %s", rules, o.text);
    }
}
END_TEST

/* The first 64 draws of two kinds, on stderr for the parent. */
static int draw(long unused)
{
    unsigned long long first, second;

    (void)unused;
    start_with();
    first = calls_that_fail(WSFJ_AT_ALLOC);
    second = calls_that_fail(WSFJ_AT_FUTEX);
    fprintf(stderr, "%llx %llx\n", first, second);
    return RIGHT;
}

/* Catches: draws that differ in another process, or that are the same for all seeds or all kinds. */
START_TEST(a_seed_repeats_its_draws)
{
    unsigned long long first, second;
    struct outcome o, again;

    rules = "alloc:%50,futex:%50";
    chosen_seed = "17";
    o = in_child(draw, 0);
    again = in_child(draw, 0);
    ck_assert_str_eq(o.text, again.text);
    ck_assert_int_eq(sscanf(o.text, "%llx %llx", &first, &second), 2);
    ck_assert(first != second && first != 0);
    chosen_seed = "18";
    again = in_child(draw, 0);
    ck_assert_str_ne(o.text, again.text);
}
END_TEST

/* Catches: a seed that cannot be repeated, because the message lacks it or names another. */
START_TEST(a_seed_that_nobody_chose_is_told_once)
{
    static char text[32];
    struct outcome o, again;
    unsigned long long seed;

    rules = "alloc:%50,futex:%50";
    chosen_seed = _i ? "all of it" : NULL;
    o = in_child(draw, 0);
    ck_assert_int_eq(o.lines, 2 + _i);
    if (_i)
        ck_assert_ptr_nonnull(strstr(o.text, "invalid value WSFJ_CHAOS_SEED=all of it"));
    ck_assert_int_eq(sscanf(strrchr(o.text, '=') + 1, "%llu draws the calls that fail", &seed), 1);
    snprintf(text, sizeof text, "%llu", seed);
    chosen_seed = text;
    again = in_child(draw, 0);
    ck_assert_int_eq(again.lines, 1);
    ck_assert_ptr_nonnull(strstr(o.text, again.text));

    rules = "alloc:3,futex:1+"; /* nothing is drawn */
    chosen_seed = NULL;
    o = in_child(draw, 0);
    ck_assert_int_eq(o.lines, 1);
}
END_TEST

static int count_failures(long percent)
{
    char text[32];
    long n = 0;

    snprintf(text, sizeof text, "barrier:%%%ld", percent);
    rules = text;
    chosen_seed = "3";
    start_with();
    for (int i = 0; i < MANY; i++)
        n += wsfj_failpoint(WSFJ_AT_BARRIER);
    return labs(n * 100 - percent * MANY) < 2 * MANY ? RIGHT : WRONG;
}

/* Catches: draws that are not spread evenly, within two in a hundred. */
START_TEST(so_many_of_a_hundred_fail)
{
    static const long percent[] = {1, 5, 50, 99};
    struct outcome o = in_child(count_failures, percent[_i]);

    expect_exit(&o, RIGHT);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("failpoint");

    tcase_add_test(tcase, the_calls_that_rules_name_fail);
    tcase_add_test(tcase, rules_that_make_no_sense_cost_one_line);
    tcase_add_test(tcase, a_seed_repeats_its_draws);
    tcase_add_loop_test(tcase, a_seed_that_nobody_chose_is_told_once, 0, 2);
    tcase_add_loop_test(tcase, so_many_of_a_hundred_fail, 0, 4);
    return run_case("failpoint", tcase);
}
