/* SPDX-License-Identifier: MIT */
/* Where the tables of wsfj-bench say what a spawn costs. The times are made up. */
#include "../../bench/harness/spawn_cost.h"

#include "../support/run.h"

#include <math.h>

/* One run. */
static struct sample once(double seconds)
{
    return (struct sample){.median = seconds, .min = seconds, .max = seconds};
}

static double cost(struct sample serial, struct sample one, double spawns)
{
    return spawn_cost(&serial, &one, spawns);
}

/* Catches: another quotient. */
START_TEST(many_spawns_have_a_cost)
{
    ck_assert_double_eq_tol(cost(once(0.1), once(0.15), 1e7), 5, 1e-9);
    ck_assert_double_eq_tol(cost(once(1), once(1.1), 1.001e7), 10, 0.1); /* about the fewest */
}
END_TEST

/* Catches: noise of one run divided by few spawns: 69687 ns of matmul. */
START_TEST(few_spawns_have_none)
{
    ck_assert(isnan(cost(once(0.7), once(0.74), 574)));
    ck_assert(isnan(cost(once(1.36), once(1.92), 4130070))); /* of uts on a busy machine: 135 ns */
    ck_assert(isnan(cost(once(1), once(1.1), 0.99e7)));
    ck_assert(isnan(cost(once(0), once(0.1), 0)));
}
END_TEST

/* Catches: a cost below zero, or from times that differ no more than the runs of one program. */
START_TEST(what_is_less_than_the_spread_is_none)
{
    const struct sample serial = {.median = 0.1, .min = 0.09, .max = 0.11};
    const struct sample one = {.median = 0.14, .min = 0.13, .max = 0.15},
                        more = {.median = 0.15, .min = 0.14, .max = 0.16};

    ck_assert(isnan(cost(serial, one, 1e7)));
    ck_assert_double_eq_tol(cost(serial, more, 1e7), 5, 1e-9);
    ck_assert(isnan(cost(once(0.1), once(0.09), 1e7)));
    ck_assert(isnan(cost(once(0.1), once(0.1), 1e7)));
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("spawn_cost");

    tcase_add_test(tcase, many_spawns_have_a_cost);
    tcase_add_test(tcase, few_spawns_have_none);
    tcase_add_test(tcase, what_is_less_than_the_spread_is_none);
    return run_case("spawn_cost", tcase);
}
