/* SPDX-License-Identifier: MIT */
/*
 * The benchmark kernels as programs that use every feature: each returns what its serial elision returns, with any
 * number of workers. bench/harness/suite.h lists the kernels.
 */
#include "harness/suite.h"
#include "workers.h"

#include <math.h>

#define REPEATS 3

#define DECLARE(id) extern const struct kernel kernel_##id##_parallel, kernel_##id##_serial;
SUITE(DECLARE)

#define PAIR(id) {&kernel_##id##_parallel, &kernel_##id##_serial},
static const struct {
    const struct kernel *parallel, *serial;
} kernels[] = {SUITE(PAIR)};

static double run_once(const struct kernel *kernel, void *data)
{
    if (kernel->reset)
        kernel->reset(data);
    ck_assert_int_eq(kernel->run(data), 0);
    ck_assert_msg(kernel->check(data) == 1, "%s: check() finds a wrong result", kernel->name);
    return kernel->result(data);
}

/* The elision's result is expected. It differs only if the compiler contracts a*b + c in one of the two. */
static double serial_result(const struct kernel *kernel)
{
    void *data = kernel->prepare(kernel->small_size);

    ck_assert_ptr_nonnull(data);

    double result = run_once(kernel, data);

    kernel->release(data);
    return result;
}

/* Catches: a child that runs twice or never; a result stored in the wrong variable or before the sync; a steal that
 * reads arguments of another task; with one worker, code that depends on thieves. */
START_TEST(every_kernel_gives_the_result_of_its_elision)
{
    start(workers[_i]);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const struct kernel *kernel = kernels[i].parallel;
        double expected = serial_result(kernels[i].serial);
        void *data = kernel->prepare(kernel->small_size);

        ck_assert_ptr_nonnull(data);
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            double result = run_once(kernel, data);

            ck_assert_msg(fabs(result - expected) <= 1e-9 * fabs(expected),
                          "%s with %zu workers: %.17g instead of %.17g", kernel->name, workers[_i], result, expected);
        }
        kernel->release(data);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("kernels");

    tcase_add_loop_test(tcase, every_kernel_gives_the_result_of_its_elision, 0, WORKERS);
    return run_case("kernels", tcase);
}
