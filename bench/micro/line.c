/* SPDX-License-Identifier: MIT */
/* A cache line that goes to another CPU and comes back, without the library: the least that a request and its answer can
 * take. */
#define _GNU_SOURCE 1 /* CPU_SET(), pthread_setaffinity_np() */
#include "micro.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>

#define TRIPS 100 /* for each value */

static _Alignas(64) uint64_t line; /* odd: it is the other thread's turn; the last value ends that thread */
static uint64_t last;
static cpu_set_t cpus[2];

/* The first two CPUs that the program may use. False if there is but one. */
static bool choose_cpus(void)
{
    cpu_set_t all;
    unsigned found = 0;

    if (sched_getaffinity(0, sizeof all, &all))
        return false;
    for (size_t i = 0; i < CPU_SETSIZE && found < 2; i++) {
        if (!CPU_ISSET(i, &all))
            continue;
        CPU_ZERO(&cpus[found]);
        CPU_SET(i, &cpus[found++]);
    }
    return found == 2;
}

static void wait_for(uint64_t value)
{
    while (__atomic_load_n(&line, __ATOMIC_ACQUIRE) != value)
        ;
}

static void *other(void *unused)
{
    for (uint64_t i = 0; i < last; i += 2) {
        wait_for(i + 1);
        __atomic_store_n(&line, i + 2, __ATOMIC_RELEASE);
    }
    return unused;
}

static void *caller(void *values)
{
    double *value = values;

    for (uint64_t i = 0; i < last; value++) {
        uint64_t then = sample_now();

        for (int n = 0; n < TRIPS; n++, i += 2) {
            __atomic_store_n(&line, i + 1, __ATOMIC_RELEASE);
            wait_for(i + 2);
        }
        *value = (double)(sample_now() - then) / TRIPS;
    }
    return NULL;
}

enum micro_end micro_line(double *values, size_t n, const char **why)
{
    void *(*const mains[2])(void *) = {caller, other};
    pthread_t threads[2];
    int error = 0;

    if (!choose_cpus()) {
        *why = "two CPUs are needed";
        return MICRO_SKIPPED;
    }
    line = 0;
    last = 2 * (uint64_t)TRIPS * n;
    for (int i = 0; i < 2 && !error; i++) {
        error = pthread_create(&threads[i], NULL, mains[i], values); /* the first waits for ever without the second */
        if (!error)
            error = pthread_setaffinity_np(threads[i], sizeof cpus[i], &cpus[i]);
    }
    if (error) {
        *why = strerror(error);
        return MICRO_FAILED;
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return MICRO_DONE;
}
