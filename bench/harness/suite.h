/* SPDX-License-Identifier: MIT */
/* The kernels of the suite, each in its three variants. Neighbour: kernel.h, the contract of a kernel. */
#ifndef BENCH_SUITE_H
#define BENCH_SUITE_H

#include "kernel.h"

/* One line for each kernel: SUITE(X) is X(fib) X(nqueens) ... in the order in which they run. */
#define SUITE(X)                                                                                                       \
    X(fib)                                                                                                             \
    X(nqueens)                                                                                                         \
    X(mergesort)                                                                                                       \
    X(integrate)                                                                                                       \
    X(matmul)                                                                                                          \
    X(uts)                                                                                                             \
    X(skynet)                                                                                                          \
    X(cilksort)                                                                                                        \
    X(strassen)                                                                                                        \
    X(heat)                                                                                                            \
    X(lu)                                                                                                              \
    X(fft)                                                                                                             \
    X(cholesky)                                                                                                        \
    X(knapsack)                                                                                                        \
    X(treesum)                                                                                                         \
    X(quicksort)                                                                                                       \
    X(axpy)                                                                                                            \
    X(triad)                                                                                                           \
    X(stencil)                                                                                                         \
    X(triangular)                                                                                                      \
    X(pareto)                                                                                                          \
    X(mandelbrot)                                                                                                      \
    X(spmv)                                                                                                            \
    X(histogram)                                                                                                       \
    X(dot)

#define SUITE_COUNT(id) +1
enum { SUITE_SIZE = 0 SUITE(SUITE_COUNT) };

/* The same kernel compiled in parallel, as the serial elision, and as an elision that counts its spawns. */
struct suite_entry {
    const struct kernel *parallel, *serial, *counted;
};

extern const struct suite_entry suite[SUITE_SIZE];

/* The spawns of the counted variants: one more at each spawn. */
extern unsigned long long wsfj_count;

/* The kernel of this name, or NULL. */
const struct suite_entry *suite_find(const char *name);

/* The smallest size a kernel takes; the largest is kernel.largest_size. */
long suite_least_size(const struct kernel *kernel);

#endif
