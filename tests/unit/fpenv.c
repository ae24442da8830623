/* SPDX-License-Identifier: MIT */
/* The floating-point modes that a region carries from thread to thread: lib/arch/fpenv.h. */
#include "arch/fpenv.h"

#include "../support/modes.h"
#include "../support/run.h"
#include <fenv.h>
#include <pthread.h>

/* The result shows the mode of the division. */
static bool rounds_up(void)
{
    volatile double one = 1, three = 3, x = one / three, y = -one / three;

    return x > -y;
}

static void *set_rounding(void *argument)
{
    wsfj_fpenv_set(*(struct wsfj_fpenv *)argument);
    return fegetround() == FE_UPWARD && rounds_up() ? argument : NULL;
}

static void *reset_rounding(void *argument)
{
    wsfj_fpenv_reset(*(struct wsfj_fpenv *)argument);
    return fegetround() == FE_UPWARD && rounds_up() ? argument : NULL;
}

/* Catches: get, set and reset that skip the vector unit or the x87 unit, or change bits that they do not carry. */
START_TEST(the_rounding_mode_travels_in_an_fpenv)
{
    struct wsfj_fpenv before = wsfj_fpenv_get(), up;
    pthread_t thread;
    void *result = NULL;

    fesetround(FE_UPWARD);
    up = wsfj_fpenv_get();
    (_i ? wsfj_fpenv_reset : wsfj_fpenv_set)(before);
    ck_assert_int_eq(fegetround(), FE_TONEAREST);
    ck_assert(!rounds_up());
    ck_assert_int_eq(pthread_create(&thread, NULL, _i ? reset_rounding : set_rounding, &up), 0);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    ck_assert_ptr_eq(result, &up);
    ck_assert_int_eq(fegetround(), FE_TONEAREST);
}
END_TEST

/* Catches: exception flags of one thread that show up in another one, or that a change of the modes clears. */
START_TEST(an_fpenv_carries_no_exception_flags)
{
    struct wsfj_fpenv env, up;
    volatile double zero = 0, quotient;

    fesetround(FE_UPWARD);
    up = wsfj_fpenv_get();
    fesetround(FE_TONEAREST);
    feraiseexcept(FE_DIVBYZERO);
    env = wsfj_fpenv_get();
    feclearexcept(FE_ALL_EXCEPT);
    wsfj_fpenv_set(env);
    ck_assert_int_eq(fetestexcept(FE_ALL_EXCEPT), 0);
    wsfj_fpenv_reset(env);
    ck_assert_int_eq(fetestexcept(FE_ALL_EXCEPT), 0);
    quotient = 1 / zero; /* in the vector unit */
    wsfj_fpenv_set(env);
    ck_assert_int_eq(fetestexcept(FE_ALL_EXCEPT), FE_DIVBYZERO);
    wsfj_fpenv_set(up);
    ck_assert_int_eq(fetestexcept(FE_ALL_EXCEPT), FE_DIVBYZERO);
    wsfj_fpenv_set(env);
    (void)quotient;
}
END_TEST

/* Catches: modes other than rounding that stay behind. */
START_TEST(flush_to_zero_travels_in_an_fpenv)
{
    struct wsfj_fpenv before = wsfj_fpenv_get(), flushes;

    modes_set_flush(true);
    flushes = wsfj_fpenv_get();
    (_i ? wsfj_fpenv_reset : wsfj_fpenv_set)(before);
    ck_assert(modes_flush() == MODES_ALWAYS_FLUSH);
    (_i ? wsfj_fpenv_reset : wsfj_fpenv_set)(flushes);
    ck_assert(modes_flush());
    wsfj_fpenv_set(before);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("fpenv");

    tcase_add_loop_test(tcase, the_rounding_mode_travels_in_an_fpenv, 0, 2);
    tcase_add_loop_test(tcase, flush_to_zero_travels_in_an_fpenv, 0, 2);
    tcase_add_test(tcase, an_fpenv_carries_no_exception_flags);
    return run_case("fpenv", tcase);
}
