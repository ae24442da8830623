/* SPDX-License-Identifier: MIT */
/*
 * The contract between a benchmark kernel and the programs that run it.
 *
 * Every file in kernels/ defines one kernel and is compiled several times: in parallel (plain), as the serial elision
 * (-DWSFJ_SERIAL), as an elision that counts its spawns (-DWSFJ_SERIAL -DWSFJ_COUNT), profiled (-DWSFJ_PROFILE, for a
 * test), and on other runtimes (peers/). So a kernel uses only the macros of <wsfj.h>, keeps all its tasks static, and
 * is valid C11 and C++17.
 */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include <stddef.h>
#include <wsfj.h>

struct kernel {
    const char *name;
    const char *what;  /* one line for --list, with the unit of `size` */
    long size;         /* default: 0.2 to 1 s serial */
    long small_size;   /* for the tests: a few milliseconds serial */
    long largest_size; /* the limit of --size */

    /* Allocates and fills the input; NULL if there is no memory. Not timed. */
    void *(*prepare)(long size);
    /* Restores the input before a run. Not timed. NULL if a run changes nothing. */
    void (*reset)(void *data);
    /* The work, entered through ws_run(); returns its error. Timed. */
    int (*run)(void *data);
    /* 1 if the result of the last run is right, by a known answer or an independent computation, else 0. */
    int (*check)(void *data);
    /* A number that stands for the whole result, the same in every variant (a checksum, a count). */
    double (*result)(void *data);
    void (*release)(void *data);
};

/* KERNEL(fib) = {...}; defines the kernel of this file under a name of its variant. */
#if defined WSFJ_COUNT
#define KERNEL_SYMBOL(id) kernel_##id##_counted
#elif defined WSFJ_SERIAL
#define KERNEL_SYMBOL(id) kernel_##id##_serial
#elif defined WSFJ_PROFILE
#define KERNEL_SYMBOL(id) kernel_##id##_profiled
#else
#define KERNEL_SYMBOL(id) kernel_##id##_parallel
#endif

#ifdef __cplusplus
#define KERNEL(id)                                                                                                     \
    extern "C" const struct kernel KERNEL_SYMBOL(id);                                                                  \
    const struct kernel KERNEL_SYMBOL(id)
#else
#define KERNEL(id)                                                                                                     \
    extern const struct kernel KERNEL_SYMBOL(id);                                                                      \
    const struct kernel KERNEL_SYMBOL(id)
#endif

#endif
