/* SPDX-License-Identifier: MIT */
/* Reductions whose results are to be the same in the parallel program and in its elision: compiled as both. */
#include "reductions.h"

#include <string.h>
#include <time.h>

#ifdef WSFJ_SERIAL
#define reductions_values reductions_values_serial
#define NAPS 0
#else
#define NAPS 1
#endif

static long part; /* of the iterations of a loop: one in each is disturbed */

/* Seldom: on a busy machine a yield or a nap takes milliseconds. */
static void disturb(long i, int how)
{
    if (!NAPS || how == 0 || i % part != how - 1)
        return;
    if (how == 2)
        nanosleep(&(struct timespec){0, 20000}, NULL);
    else
        ws_yield();
}

static WS_REDUCE(double, 0.0, WS_ADD, dot, long, i, const double *, x, const double *, y, int, how)
{
    disturb(i, how);
    return x[i] * y[i];
}

static WS_REDUCE(float, 1.0f, WS_MUL, product, int, i, const double *, x, int, how)
{
    disturb(i, how);
    return 1.0f + (float)x[i] / 1000;
}

static double mean(double a, double b)
{
    return a / 3 + b / 2;
}
static WS_REDUCE(double, 0.0, mean, skewed, unsigned, i, const double *, x, int, how)
{
    disturb((long)i, how);
    return x[i];
}

/* More than 16 bytes; and more than fit on the stack for long loops. */
static struct wide add_wide(struct wide a, struct wide b)
{
    for (int k = 0; k < 5; k++)
        a.v[k] = a.v[k] * 0.99 + b.v[k];
    return a;
}
static const struct wide no_wide;
static WS_REDUCE(struct wide, no_wide, add_wide, widen, long, i, const double *, x, int, how)
{
    struct wide w;

    disturb(i, how);
    for (int k = 0; k < 5; k++)
        w.v[k] = x[i] / (k + 1);
    return w;
}

static struct huge add_huge(struct huge a, struct huge b)
{
    for (int k = 0; k < 80; k++)
        a.v[k] = a.v[k] * 0.99 + b.v[k];
    return a;
}
static const struct huge no_huge;
static WS_REDUCE(struct huge, no_huge, add_huge, grow, long, i, const double *, x, int, how)
{
    struct huge h;

    disturb(i, how);
    for (int k = 0; k < 80; k++)
        h.v[k] = x[i] / (k + 1);
    return h;
}

int reductions_values(struct reductions *r, long n, const double *x, const double *y, int how)
{
    memset(r, 0, sizeof *r);
    part = n / (how == 3 ? 32 : 8) + 3;
    return ws_run(dot, &r->dot, 0, n, x, y, how) || ws_for(dot, &r->dot_again, 0, n, x, y, 0) ||
           ws_run(product, &r->product, 0, (int)n, x, how) || ws_run(skewed, &r->skewed, 0, (unsigned)n, x, how) ||
           ws_run(widen, &r->wide, 0, n, x, how) || ws_run(grow, &r->huge, 0, n, x, how);
}
