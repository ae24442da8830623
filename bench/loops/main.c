/* SPDX-License-Identifier: MIT */
/*
 * wsfj-loops-RUNTIME LOOP N PLACE - runs a loop of N iterations again and again, and prints the nanoseconds it takes: the
 * median of batches of at least 0.1 ms, over 20 ms after a warm-up of 20 ms. A batch counts if the kernel has taken no
 * processor from the threads meanwhile. If there are hardly any such batches in 60 ms, the machine is busy, and the tenth
 * part of all batches with the best times counts. Without arguments it lists the loops.
 */
#define _POSIX_C_SOURCE 200809L
#include "loops.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define WARM_NS 20e6
#define MEASURED_NS 20e6
#define MOST_NS 60e6
#define BATCH_NS 1e5
#define LEAST_BATCHES 5
#define MOST_BATCHES 1000
#define MOST_N 100000000

double *loop_a, *loop_b, *loop_c;
uint32_t *loop_cost;
volatile double loop_sum;
long loop_inner = 1000;

static __attribute__((noreturn, format(printf, 1, 2))) void stop(const char *format, ...)
{
    va_list arguments;

    fputs("wsfj-loops: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Apart by some lines, so that the arrays do not compete for the same sets of a cache. */
static void *array(size_t bytes, size_t apart)
{
    void *p;

    if (posix_memalign(&p, 4096, bytes + 4096))
        stop("no memory");
    memset(p, 0, bytes + 4096);
    return (char *)p + apart * 320;
}

/* Costs follow a Pareto distribution with exponent 1.2. */
static void fill(long n)
{
    size_t count = (size_t)n + 2;
    uint64_t x = 1;

    loop_a = (double *)array(count * sizeof(double), 0);
    loop_b = (double *)array(count * sizeof(double), 1);
    loop_c = (double *)array(count * sizeof(double), 2);
    loop_cost = (uint32_t *)array(count * sizeof(uint32_t), 3);
    for (size_t i = 0; i < count; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        loop_b[i] = (double)(i % 100) / 3;
        loop_c[i] = (double)(i % 37) / 7;
        loop_cost[i] = (uint32_t)fmin(30 * pow(((double)(x >> 11) + 0.5) * 0x1p-53, -1 / 1.2), 1e9);
    }
}

/* How often the kernel has taken a processor from a thread of this process. */
static long interruptions(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The median of the best n of `all` values. */
static double median(double *values, int all, int n)
{
    qsort(values, (size_t)all, sizeof *values, compare);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

struct measurement {
    const struct loop *loop;
    long n;
    double ns;
};

static void measure(void *argument)
{
    struct measurement *m = (struct measurement *)argument;
    void (*volatile run)(long) = m->loop->run; /* read at each call: nothing moves across the clock */
    static double all[MOST_BATCHES], quiet[MOST_BATCHES];
    double start = now(), warm, spent = 0, spent_quiet = 0;
    long times = 0, in_batch;
    int num_all = 0, num_quiet = 0;

    do {
        run(m->n);
        times++;
        warm = now() - start;
    } while (warm < WARM_NS || times < 2);
    in_batch = (long)(BATCH_NS * (double)times / warm) + 1;
    while (num_all < MOST_BATCHES && (num_all < LEAST_BATCHES || (spent_quiet < MEASURED_NS && spent < MOST_NS))) {
        long before = interruptions();
        double ns;

        start = now();
        for (long k = 0; k < in_batch; k++)
            run(m->n);
        ns = now() - start;
        all[num_all++] = ns;
        spent += ns;
        if (interruptions() == before) {
            quiet[num_quiet++] = ns;
            spent_quiet += ns;
        }
    }
    m->ns = num_quiet >= LEAST_BATCHES ? median(quiet, num_quiet, num_quiet) : median(all, num_all, (num_all + 9) / 10);
    m->ns /= (double)in_batch;
}

static const struct loop *find(const char *name)
{
    for (const struct loop *l = loops; l->name; l++) {
        if (strcmp(l->name, name) == 0)
            return l;
    }
    stop("there is no loop %s", name);
}

int main(int argc, char **argv)
{
    struct measurement m;
    char *end;

    if (argc == 1) {
        for (const struct loop *l = loops; l->name; l++)
            puts(l->name);
        return 0;
    }
    if (argc != 4)
        stop("usage: %s LOOP N PLACE", argv[0]);
    m.loop = find(argv[1]);
    errno = 0;
    m.n = strtol(argv[2], &end, 10);
    if (end == argv[2] || *end || errno || m.n < 1 || m.n > MOST_N)
        stop("%s is not a number from 1 to %d", argv[2], MOST_N);
    fill(m.n);
    if (loops_at(argv[3], measure, &m))
        stop("%s cannot run at %s", argv[1], argv[3]);
    printf("%.2f\n", m.ns);
    return fflush(stdout) != 0 || ferror(stdout);
}
