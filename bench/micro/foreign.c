/* SPDX-License-Identifier: MIT */
/* Many threads of the program in ws_run() at the same time, with two workers. */
#include "micro.h"

#include <pthread.h>
#include <stdbool.h>
#include <wsfj.h>

/* The same work for any number of threads. */
#define CALLS 256
#define FEW 2
#define MANY 64

static WS_TASK(long, fib, long, n)
{
    long x, y;

    if (n < 2)
        return n;
    ws_spawn(fib, &x, n - 1);
    y = ws_call(fib, n - 2);
    ws_sync();
    return x + y;
}

static pthread_barrier_t all;
static int calls_each;

static void *caller(void *wrong)
{
    bool *is_wrong = wrong;
    long r;

    pthread_barrier_wait(&all);
    for (int i = 0; i < calls_each; i++) {
        if (ws_run(fib, &r, 25L) || r != 75025)
            *is_wrong = true;
    }
    pthread_barrier_wait(&all);
    return NULL;
}

/* Nanoseconds for CALLS calls by `threads` threads; 0 after an error. */
static double timed(unsigned threads)
{
    pthread_t thread[MANY];
    bool wrong[MANY] = {false}, any = false;
    uint64_t start;

    calls_each = CALLS / (int)threads;
    pthread_barrier_init(&all, NULL, threads + 1);
    for (unsigned i = 0; i < threads; i++) {
        if (pthread_create(&thread[i], NULL, caller, &wrong[i]))
            return 0; /* the threads already made wait for ever: the program ends */
    }
    pthread_barrier_wait(&all);
    start = sample_now();
    pthread_barrier_wait(&all);

    double ns = (double)(sample_now() - start);

    for (unsigned i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        any = any || wrong[i];
    }
    pthread_barrier_destroy(&all);
    return any ? 0 : ns;
}

enum micro_end micro_foreign(double *values, size_t n, const char **why)
{
    *why = micro_start(2, WS_SPIN_DEFAULT);
    for (size_t i = 0; i < n && !*why; i++) {
        double few = timed(FEW), many = timed(MANY);

        values[i] = many > 0 ? few / many : 0;
        if (few <= 0 || many <= 0)
            *why = "a thread could not be made, or a result was wrong";
    }
    return *why ? MICRO_FAILED : MICRO_DONE;
}
