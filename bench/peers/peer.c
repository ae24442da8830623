/* SPDX-License-Identifier: MIT */
/*
 * wsfj-peer-RUNTIME KERNEL SIZE WORKERS - runs a kernel once on this runtime and prints the seconds.
 * Without arguments it lists the kernels with their default sizes. Status 1 if the result is wrong.
 */
#define _POSIX_C_SOURCE 200809L
#include "peer.h"
#include "harness/suite.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KERNEL_DECLARE(id) extern const struct kernel kernel_##id##_parallel;
SUITE(KERNEL_DECLARE)

#define KERNEL_ENTRY(id) &kernel_##id##_parallel,
static const struct kernel *const kernels[SUITE_SIZE] = {SUITE(KERNEL_ENTRY)};

static __attribute__((noreturn, format(printf, 2, 3))) void stop(int status, const char *format, ...)
{
    va_list arguments;

    fputs("wsfj-peer: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(status);
}

static long read_number(const char *text, long least, long most)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < least || value > most)
        stop(2, "%s is not a number from %ld to %ld", text, least, most);
    return value;
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* One verified run; returns its seconds. */
static double measure(const struct kernel *kernel, long size)
{
    void *data = kernel->prepare(size);
    double start, seconds;
    int error;

    if (!data)
        stop(1, "%s %ld: no memory", kernel->name, size);
    if (kernel->reset)
        kernel->reset(data);
    start = seconds_now();
    error = kernel->run(data);
    seconds = seconds_now() - start;
    if (error)
        stop(1, "%s %ld: %s", kernel->name, size, strerror(error));
    if (!kernel->check(data))
        stop(1, "%s %ld: the result is wrong", kernel->name, size);
    kernel->release(data);
    return seconds;
}

static const struct kernel *find(const char *name)
{
    for (size_t i = 0; i < SUITE_SIZE; i++) {
        if (strcmp(kernels[i]->name, name) == 0)
            return kernels[i];
    }
    stop(2, "there is no kernel %s", name);
}

int main(int argc, char **argv)
{
    const struct kernel *kernel;
    long size;
    int error;

    if (argc == 1) {
        for (size_t i = 0; i < SUITE_SIZE; i++)
            printf("%s %ld\n", kernels[i]->name, kernels[i]->size);
        return 0;
    }
    if (argc != 4)
        stop(2, "usage: %s KERNEL SIZE WORKERS", argv[0]);
    kernel = find(argv[1]);
    size = read_number(argv[2], kernel->small_size < 1 ? kernel->small_size : 1, kernel->largest_size);
    error = peer_start((int)read_number(argv[3], 1, 1024));
    if (error)
        stop(1, "%s", strerror(error));
    measure(kernel, kernel->small_size); /* starts its threads */
    printf("%.6f\n", measure(kernel, size));
    return 0;
}
