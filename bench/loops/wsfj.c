/* SPDX-License-Identifier: MIT */
/* The loops on libwsfj; with -DWSFJ_SERIAL their elision. */
#include "loops.h"

#include <string.h>
#include <wsfj.h>

static WS_LOOP(light, long, i)
{
    loop_light(i);
}

static WS_LOOP(empty, long, i)
{
    (void)i;
    loop_empty();
}

static WS_LOOP(triad, long, i, double *, a, const double *, b, const double *, c)
{
    a[i] = b[i] + 3 * c[i];
}

static WS_LOOP_STATIC(triad_static, long, i, double *, a, const double *, b, const double *, c)
{
    a[i] = b[i] + 3 * c[i];
}

static WS_RANGE(triad_range, long, lo, hi, double *, a, const double *, b, const double *, c)
{
    for (long i = lo; i < hi; i++)
        a[i] = b[i] + 3 * c[i];
}

static WS_LOOP(triangular, long, i)
{
    loop_steps((uint32_t)i);
}

static WS_LOOP(pareto, long, i, const uint32_t *, cost)
{
    loop_steps(cost[i]);
}

static WS_LOOP(few, long, i)
{
    loop_steps(LOOP_FEW_STEPS(i));
}

static WS_LOOP(half, long, i, long, n)
{
    loop_steps(LOOP_HALF_STEPS(i, n));
}

static WS_REDUCE(double, 0.0, WS_ADD, sum, long, i, const double *, b, const double *, c)
{
    return b[i] * c[i];
}

static WS_REDUCE_ANY(double, 0.0, WS_ADD, sum_any, long, i, const double *, b, const double *, c)
{
    return b[i] * c[i];
}

static WS_LOOP(step, long, i, const double *, from, double *, to)
{
    to[i] = 0.25 * (from[i - 1] + from[i + 1]) + 0.5 * from[i];
}

static WS_LOOP_STATIC(step_static, long, i, const double *, from, double *, to)
{
    to[i] = 0.25 * (from[i - 1] + from[i + 1]) + 0.5 * from[i];
}

static WS_LOOP(inner, long, j)
{
    loop_ten(j);
}

static WS_LOOP(outer, long, i)
{
    (void)i;
    (void)ws_for(inner, 0, loop_inner);
}

static WS_LOOP2(square, long, i, long, j)
{
    loop_light(i + j);
}

static WS_LOOP3(cube, long, i, long, j, long, k)
{
    loop_light(i + j + k);
}

static void run_light(long n)
{
    (void)ws_for(light, 0, n);
}
static void run_empty(long n)
{
    (void)ws_for(empty, 0, n);
}
static void run_triad(long n)
{
    (void)ws_for(triad, 0, n, loop_a, loop_b, loop_c);
}
static void run_triad_static(long n)
{
    (void)ws_for(triad_static, 0, n, loop_a, loop_b, loop_c);
}
static void run_triad_range(long n)
{
    (void)ws_for(triad_range, 0, n, loop_a, loop_b, loop_c);
}
static void run_triangular(long n)
{
    (void)ws_for(triangular, 0, n);
}
static void run_pareto(long n)
{
    (void)ws_for(pareto, 0, n, loop_cost);
}
static void run_few(long n)
{
    (void)ws_for(few, 0, n);
}
static void run_half(long n)
{
    (void)ws_for(half, 0, n, n);
}
static void run_sum(long n)
{
    double r = 0;

    (void)ws_for(sum, &r, 0, n, loop_b, loop_c);
    loop_sum = r;
}
static void run_sum_any(long n)
{
    double r = 0;

    (void)ws_for(sum_any, &r, 0, n, loop_b, loop_c);
    loop_sum = r;
}
static void run_stencil(long n)
{
    for (int k = 0; k < LOOP_STENCIL_STEPS; k += 2) {
        (void)ws_for(step, 1, n + 1, loop_b, loop_a);
        (void)ws_for(step, 1, n + 1, loop_a, loop_b);
    }
}
static void run_stencil_static(long n)
{
    for (int k = 0; k < LOOP_STENCIL_STEPS; k += 2) {
        (void)ws_for(step_static, 1, n + 1, loop_b, loop_a);
        (void)ws_for(step_static, 1, n + 1, loop_a, loop_b);
    }
}
static void run_nested(long n)
{
    (void)ws_for(outer, 0, n);
}
static void run_square(long n)
{
    (void)ws_for(square, 0, n, 0, n);
}
static void run_cube(long n)
{
    (void)ws_for(cube, 0, n, 0, n, 0, n);
}

/* The largest iteration alone, for the bound that no schedule can beat by more. */
static void run_pareto_largest(long n)
{
    static uint32_t most; /* looked for in the warm-up only */

    if (most == 0) {
        for (long i = 0; i < n; i++)
            most = loop_cost[i] > most ? loop_cost[i] : most;
    }
    loop_steps(most);
}
static void run_triangular_largest(long n)
{
    loop_steps((uint32_t)(n - 1));
}
static void run_few_largest(long n)
{
    (void)n;
    loop_steps(LOOP_FEW_STEPS(10));
}

const struct loop loops[] = {{"light", run_light},
                             {"empty", run_empty},
                             {"triad", run_triad},
                             {"triad-static", run_triad_static},
                             {"triad-range", run_triad_range},
                             {"triangular", run_triangular},
                             {"triangular-largest", run_triangular_largest},
                             {"pareto", run_pareto},
                             {"pareto-largest", run_pareto_largest},
                             {"few", run_few},
                             {"few-largest", run_few_largest},
                             {"half", run_half},
                             {"sum", run_sum},
                             {"sum-any", run_sum_any},
                             {"stencil", run_stencil},
                             {"stencil-static", run_stencil_static},
                             {"nested", run_nested},
                             {"square", run_square},
                             {"cube", run_cube},
                             {NULL, NULL}};

struct call {
    void (*f)(void *);
    void *argument;
};

static WS_TASK_VOID(in_task, struct call *, c)
{
    c->f(c->argument);
}

int loops_at(const char *place, void (*f)(void *), void *argument)
{
    struct call c = {f, argument};

    if (strcmp(place, "task") == 0)
        return ws_run(in_task, &c);
    if (strcmp(place, "phase") == 0) {
        int error = ws_phase_begin();

        if (error)
            return error;
        f(argument);
        return ws_phase_end();
    }
    if (strcmp(place, "main") != 0)
        return -1;
    f(argument);
    return 0;
}
