/* SPDX-License-Identifier: MIT */
/* The rough clock (arch/ticks.h). */
#include "arch/ticks.h"

#include "../support/run.h"

#include <time.h>

#define FACTOR 3
#define TRIES 100

/* Whether the rough clock goes as far as the system's during 2 ms, up to the factor. */
static bool agrees(void)
{
    uint64_t from = wsfj_now(), rough_from = wsfj_rough_now(), rough, ns;

    nanosleep(&(struct timespec){0, 2000000}, NULL);
    rough = wsfj_rough_now() - rough_from;
    ns = wsfj_now() - from;
    return rough < FACTOR * ns && ns < FACTOR * rough;
}

/* Catches: a rough clock that does not count in nanoseconds, or stands still. A thread that loses its processor between two
 * reads tries again. */
START_TEST(the_rough_clock_is_right_up_to_a_factor)
{
    int tries = 0;

    if (_i)
        wsfj_rough_find();
    while (!agrees() && tries < TRIES)
        tries++;
    ck_assert_int_lt(tries, TRIES);
}
END_TEST

/* Catches: a rough clock that reads the system's clock although the processor has a steady counter. */
START_TEST(the_rough_clock_counts_where_the_processor_can)
{
    wsfj_rough_find();
    ck_assert(wsfj_rough_counts == wsfj_ticks_count());
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("ticks");

    tcase_add_loop_test(tcase, the_rough_clock_is_right_up_to_a_factor, 0, 2);
    tcase_add_test(tcase, the_rough_clock_counts_where_the_processor_can);
    return run_case("ticks", tcase);
}
