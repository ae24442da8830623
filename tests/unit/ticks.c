/* SPDX-License-Identifier: MIT */
/* The rough clock (arch/ticks.h), and the coarse one (arch/arch.h). */
#include "arch/arch.h"
#include "arch/ticks.h"

#include "../support/run.h"

#include <time.h>

#define FACTOR 3
#define TRIES 100

/* Whether another clock goes as far as the system's during so many milliseconds, up to the factor. */
static bool agrees(uint64_t (*clock)(void), long ms)
{
    uint64_t from = wsfj_now(), other_from = clock(), other, ns;

    nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
    other = clock() - other_from;
    ns = wsfj_now() - from;
    return other < FACTOR * ns && ns < FACTOR * other;
}

static uint64_t rough(void)
{
    return wsfj_rough_now();
}

static uint64_t coarse(void)
{
    return wsfj_coarse_now();
}

/* Catches: a rough clock that does not count in nanoseconds, or stands still. A thread that loses its processor between two
 * reads tries again. */
START_TEST(the_rough_clock_is_right_up_to_a_factor)
{
    int tries = 0;

    if (_i)
        wsfj_rough_find();
    while (!agrees(rough, 2) && tries < TRIES)
        tries++;
    ck_assert_int_lt(tries, TRIES);
}
END_TEST

/* Catches: a coarse clock that shows something else than the system's of some milliseconds before. */
START_TEST(the_coarse_clock_is_late_by_less_than_a_tenth_of_a_second)
{
    int tries = 0;
    uint64_t at = wsfj_coarse_now(), late = wsfj_now() - at;

    for (; late > 100000000 && tries < TRIES; tries++) {
        at = wsfj_coarse_now();
        late = wsfj_now() - at;
    }
    ck_assert_int_lt(tries, TRIES);
    for (tries = 0; !agrees(coarse, 40) && tries < TRIES;)
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
    tcase_add_test(tcase, the_coarse_clock_is_late_by_less_than_a_tenth_of_a_second);
    return run_case("ticks", tcase);
}
