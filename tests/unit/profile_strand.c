/* SPDX-License-Identifier: MIT */
/* Timing of strands with clocks that are wrong. Neighbour: user/profile_clock.c, with correct clocks. */
#include "profile/profile.h"

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
        wsfj_strand_end(&account.profile, WSFJ_END_CHILD);
        then = account.last;
        account.last = wsfj_clock_read() + 100000; /* as on the processor before */
    }
    ck_assert_uint_gt(then, 0);
    ck_assert((double)account.profile.wsfj_work / WSFJ_PROFILE_TICK * wsfj_clock_tick() < 1e9);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile_strand");

    tcase_add_test(tcase, a_clock_may_go_back);
    return run_case("profile_strand", tcase);
}
