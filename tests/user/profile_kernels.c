/* SPDX-License-Identifier: MIT */
/* The benchmark kernels, profiled: programs that use every feature. Neighbour: kernels.c. */
#include "profile.h"

#include "harness/suite.h"

#include <math.h>

#define DECLARE(id) extern const struct kernel kernel_##id##_profiled, kernel_##id##_serial, kernel_##id##_counted;
SUITE(DECLARE)

#define TRIPLE(id) {&kernel_##id##_profiled, &kernel_##id##_serial, &kernel_##id##_counted},
static const struct {
    const struct kernel *profiled, *serial, *counted;
} kernels[] = {SUITE(TRIPLE)};

unsigned long long wsfj_count;

/* NAN if something is wrong. */
static double result_of(const struct kernel *kernel)
{
    void *data = kernel->prepare(kernel->small_size);
    double result = NAN;

    if (!data)
        return NAN;
    if (kernel->reset)
        kernel->reset(data);
    if (kernel->run(data) == 0 && kernel->check(data) == 1)
        result = kernel->result(data);
    kernel->release(data);
    return result;
}

static int run_profiled(long i)
{
    double expected = result_of(kernels[i].serial), result = result_of(kernels[i].profiled);

    return !(fabs(result - expected) <= 1e-9 * fabs(expected));
}

/* Catches: a spawn that is not counted, or counted twice; a result that is stored in the wrong place. */
START_TEST(every_kernel_has_the_spawns_of_its_elision)
{
    struct profile p = units_of(run_profiled, _i);

    wsfj_count = 0;
    ck_assert(!isnan(result_of(kernels[_i].counted)));
    if (wsfj_count)
        ck_assert_msg(p.row[0].count == wsfj_count, "%s: %llu spawns instead of %llu", kernels[_i].serial->name,
                      p.row[0].count, wsfj_count);
    else /* a kernel of loops: a profile counts their halves, where the elision has plain loops */
        ck_assert_msg(p.row[0].count > 0, "%s: no spawns", kernels[_i].serial->name);
    ck_assert_double_ge(p.row[0].work, p.row[0].span);
    ck_assert_double_ge(p.row[0].burdened, p.row[0].span);
}
END_TEST

/* Catches: a span that is longer than the work, by the clock too. */
START_TEST(every_kernel_has_a_parallelism)
{
    struct profile p = profile_of(run_profiled, _i, "0", "2");

    expect_exit(&p.outcome, 0);
    ck_assert_str_eq(p.outcome.text, "");
    ck_assert_double_ge(p.row[0].parallelism, 1);
    ck_assert_double_le(p.row[0].burdened_parallelism, p.row[0].parallelism);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile_kernels");

    tcase_add_loop_test(tcase, every_kernel_has_the_spawns_of_its_elision, 0, SUITE_SIZE);
    tcase_add_loop_test(tcase, every_kernel_has_a_parallelism, 0, SUITE_SIZE);
    return run_case("profile_kernels", tcase);
}
