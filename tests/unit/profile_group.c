/* SPDX-License-Identifier: MIT */
/* Where the tasks of groups end, and their numbers: lib/profile/group.c. Only the addresses of groups matter. Neighbours:
 * user/profile_detached.c, user/record_detached.c, with real groups. */
#include "profile/profile.h"

#include "../support/run.h"

#define GROUPS 65536 /* how many are kept */

static const ws_group *group(size_t i)
{
    return (const ws_group *)(uintptr_t)((i + 1) * 64);
}

/* A task of the group ends there. */
static void reach(const ws_group *g, uint64_t span)
{
    wsfj_groups_reach(g, (struct wsfj_position){.wsfj_span = span});
}

static uint64_t take(const ws_group *g)
{
    return wsfj_groups_take(g).wsfj_span;
}

/* Enough for many of them to lie in one bucket. Catches: groups of one bucket that are taken for each other, or lost with
 * each other. */
START_TEST(each_group_has_its_own_end)
{
    enum { N = 5000 };

    for (size_t i = 0; i < N; i++) {
        reach(group(i), 10 * i + 5);
        reach(group(i), 10 * i); /* nearer */
    }
    for (size_t i = 0; i < N; i += 2)
        ck_assert_uint_eq(take(group(i)), 10 * i + 5);
    for (size_t i = 0; i < N; i++)
        ck_assert_uint_eq(take(group(i)), i % 2 ? 10 * i + 5 : 0);
}
END_TEST

/* Catches: a group without room whose end is lost, or that displaces another one; ends that the child of a fork keeps. */
START_TEST(groups_without_room_share_an_end)
{
    for (size_t i = 0; i < GROUPS; i++)
        reach(group(i), 2);
    reach(group(GROUPS), 7);
    ck_assert_uint_eq(take(group(GROUPS)), 7);
    ck_assert_uint_eq(take(group(0)), 7); /* nobody knows which of them were without room */
    wsfj_groups_forget();
    for (size_t i = 0; i <= GROUPS; i++)
        ck_assert_uint_eq(take(group(i)), 0);
    reach(group(GROUPS), 7); /* there is room again */
    ck_assert_uint_eq(take(group(0)), 0);
}
END_TEST

/* The group's number, or 0 and why it has none. */
static uint64_t number(const ws_group *g, const char **why)
{
    uint64_t n = 0;

    *why = wsfj_groups_number(g, &n);
    return n;
}

/* Catches: groups with one number, a number that changes while the group is used, or that its next use has, too; a number
 * that is lost with the end of a task, or an end that is lost with the number; numbers that the child of a fork goes on
 * with. */
START_TEST(each_use_of_a_group_has_its_number)
{
    const char *why;

    for (int run = 0; run < 2; run++) {
        for (size_t i = 0; i < 3; i++)
            ck_assert_uint_eq(number(group(i), &why), i + 1);
        reach(group(1), 30);
        ck_assert_uint_eq(number(group(1), &why), 2);
        ck_assert_uint_eq(take(group(1)), 30);
        ck_assert_uint_eq(number(group(1), &why), 4);
        ck_assert_uint_eq(number(group(0), &why), 1);
        ck_assert_ptr_null(why);
        wsfj_groups_forget();
    }
}
END_TEST

/* Catches: a group without room that has a number of its own, and keeps it from one call to the next by luck. */
START_TEST(groups_without_room_have_no_number)
{
    const char *why;

    for (size_t i = 0; i < GROUPS; i++)
        ck_assert_uint_eq(number(group(i), &why), i + 1);
    ck_assert_uint_eq(number(group(GROUPS), &why), 0);
    ck_assert_str_eq(why, "too many groups");
    ck_assert_uint_eq(number(group(3), &why), 4);
    (void)take(group(3));
    ck_assert_uint_eq(number(group(GROUPS), &why), GROUPS + 1);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile_group");

    tcase_add_test(tcase, each_group_has_its_own_end);
    tcase_add_test(tcase, groups_without_room_share_an_end);
    tcase_add_test(tcase, each_use_of_a_group_has_its_number);
    tcase_add_test(tcase, groups_without_room_have_no_number);
    return run_case("profile_group", tcase);
}
