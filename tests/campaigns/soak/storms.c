/* SPDX-License-Identifier: MIT */
/*
 * Random programs while the system disturbs their process: results stay right, and nothing hangs. As tests a few
 * programs each; WSFJ_TEST_TIMES=n runs n times as many (make storms), WSFJ_TEST_SEED=n repeats a seed's. Neighbours:
 * weather.h, the storms; limits.c, shortages alone; failpoints.c, calls that fail on purpose.
 */
#include "../../stress/stress.h"
#include "batch.h"
#include "guard.h"
#include "weather.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int run_in(const void *storm)
{
    const struct storm *s = storm;
    const char *times = getenv("WSFJ_TEST_TIMES"), *seed = getenv("WSFJ_TEST_SEED");
    struct batch batch = {.first = seed ? (unsigned)strtoul(seed, NULL, 0) : (unsigned)(now() / 1000 % 1000000000),
                          .programs = s->programs * (times ? (unsigned)strtoul(times, NULL, 0) : 1),
                          .times = 1,
                          .change = s->change,
                          .refuses = s->is_shortage};

    if (s->is_shortage) /* each start reports fewer workers than requested */
        (void)dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    if (s->begin)
        s->begin();
    return batch_run(&batch);
}

/* Catches: code that relies on the usual duration of a step, a wait that a signal ends, a processor that stays the
 * same, a thread or a stack that is always available; a storm that does nothing. For each storm: weather.c. */
START_TEST(results_are_right_in_a_storm)
{
    const struct storm *s = &storms[_i];
    uint64_t begun = now();
    bool right;

    if (!can_test(s->name, s->programs ? NULL : "not in this build"))
        return;
    page_open();
    right = guard_run(run_in, s, s->disturb);
    ck_assert_msg(right, "%s: WSFJ_TEST_SEED=%u: %s", s->name, page->seed, page->wrong);
    ck_assert_int_gt(page->programs, 0);
    ck_assert(!s->strikes || page->strikes > 0);
    if (getenv("WSFJ_TEST_TIMES"))
        printf("| %-42s | %8ld programs | %9ld nodes | %8llu steals | %9ld strikes | %6.0f s |\n", s->name,
               page->programs, page->log.ran, (unsigned long long)page->stats.steals, page->strikes,
               (double)(now() - begun) * 1e-9);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("storms");

    tcase_add_loop_test(tcase, results_are_right_in_a_storm, 0, num_storms);
    return run_case("storms", tcase);
}
