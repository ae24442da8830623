/* SPDX-License-Identifier: MIT */
/* OpenMP: task; parallel for, and taskloop inside. One thread of a parallel region produces. */
#include "small.h"

#include <omp.h>
#include <stddef.h>

static int num_threads;
static int is_inside;

static int begin(int workers, int beside)
{
    num_threads = workers + beside;
    omp_set_dynamic(0);
    omp_set_num_threads(num_threads);
    return 0;
}

static void tasks(long n, small_task *f, char *first)
{
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < n; i++) {
#pragma omp task firstprivate(f, first, i)
        f(first + i);
    }
}

static void submitter(void (*f)(void))
{
#pragma omp parallel
#pragma omp single
    f();
}

static void submit(small_task *f, void *argument, void (*wait)(void))
{
#pragma omp task firstprivate(f, argument)
    f(argument);
    wait();
}

static void loop(long n, unsigned char *runs)
{
    if (is_inside) {
#pragma omp taskloop num_tasks(num_threads) firstprivate(runs)
        for (long i = 0; i < n; i++)
            small_iteration(runs, i);
    } else {
#pragma omp parallel for schedule(static) firstprivate(runs)
        for (long i = 0; i < n; i++)
            small_iteration(runs, i);
    }
}

static int at(enum small_place place, void (*f)(void *), void *argument)
{
    if (place == SMALL_PHASE)
        return -1;
    if (place == SMALL_OUTSIDE) {
        f(argument);
        return 0;
    }
    is_inside = 1;
#pragma omp parallel
#pragma omp single
    f(argument);
    is_inside = 0;
    return 0;
}

const struct small_contender contender = {begin, tasks, submitter, submit, loop, at};
