/* SPDX-License-Identifier: MIT */
/* The loops on OpenMP, each as OpenMP's users write it. Where a schedule is not said, that of OMP_SCHEDULE counts. */
#include "loops.h"

#include <omp.h>
#include <stddef.h>
#include <string.h>

static void run_light(long n)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        loop_light(i);
}
static void run_empty(long n)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        loop_empty();
}
static void run_triad(long n)
{
    double *a = loop_a;
    const double *b = loop_b, *c = loop_c;

#pragma omp parallel for schedule(static) firstprivate(a, b, c)
    for (long i = 0; i < n; i++)
        a[i] = b[i] + 3 * c[i];
}
static void run_triangular(long n)
{
#pragma omp parallel for schedule(runtime)
    for (long i = 0; i < n; i++)
        loop_steps((uint32_t)i);
}
static void run_pareto(long n)
{
    const uint32_t *cost = loop_cost;

#pragma omp parallel for schedule(runtime) firstprivate(cost)
    for (long i = 0; i < n; i++)
        loop_steps(cost[i]);
}
static void run_few(long n)
{
#pragma omp parallel for schedule(runtime)
    for (long i = 0; i < n; i++)
        loop_steps(LOOP_FEW_STEPS(i));
}
static void run_half(long n)
{
#pragma omp parallel for schedule(runtime)
    for (long i = 0; i < n; i++)
        loop_steps(LOOP_HALF_STEPS(i, n));
}
static void run_sum(long n)
{
    const double *b = loop_b, *c = loop_c;
    double r = 0;

#pragma omp parallel for schedule(static) reduction(+ : r) firstprivate(b, c)
    for (long i = 0; i < n; i++)
        r += b[i] * c[i];
    loop_sum = r;
}
/* One parallel region for all steps. */
static void run_stencil(long n)
{
    double *a = loop_a, *b = loop_b;

#pragma omp parallel firstprivate(a, b)
    for (int k = 0; k < LOOP_STENCIL_STEPS; k += 2) {
#pragma omp for schedule(static)
        for (long i = 1; i <= n; i++)
            a[i] = 0.25 * (b[i - 1] + b[i + 1]) + 0.5 * b[i];
#pragma omp for schedule(static)
        for (long i = 1; i <= n; i++)
            b[i] = 0.25 * (a[i - 1] + a[i + 1]) + 0.5 * a[i];
    }
}
static void run_nested_outer(long n)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        for (long j = 0; j < loop_inner; j++)
            loop_ten(j);
}
static void run_nested_collapse(long n)
{
#pragma omp parallel for schedule(static) collapse(2)
    for (long i = 0; i < n; i++)
        for (long j = 0; j < loop_inner; j++)
            loop_ten(j);
}
static void run_nested_nested(long n)
{
    omp_set_max_active_levels(2);
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++) {
#pragma omp parallel for schedule(static)
        for (long j = 0; j < loop_inner; j++)
            loop_ten(j);
    }
}

const struct loop loops[] = {{"light", run_light},
                             {"empty", run_empty},
                             {"triad", run_triad},
                             {"triangular", run_triangular},
                             {"pareto", run_pareto},
                             {"few", run_few},
                             {"half", run_half},
                             {"sum", run_sum},
                             {"stencil", run_stencil},
                             {"nested-outer", run_nested_outer},
                             {"nested-collapse", run_nested_collapse},
                             {"nested-nested", run_nested_nested},
                             {NULL, NULL}};

int loops_at(const char *place, void (*f)(void *), void *argument)
{
    if (strcmp(place, "main") != 0)
        return -1;
    f(argument);
    return 0;
}
