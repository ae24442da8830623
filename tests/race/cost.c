/* SPDX-License-Identifier: MIT */
/* One run of a kernel: `cost NAME SIZE` prints the seconds of user and system time, and the most memory in kilobytes. For
 * cost.sh, as the elision and under the detector. */
#include "harness/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#ifdef WSFJ_SERIAL
#define KERNEL_NAME(id) kernel_##id##_serial
#else
#define KERNEL_NAME(id) kernel_##id##_parallel
#endif

extern const struct kernel KERNEL_NAME(fib), KERNEL_NAME(mergesort), KERNEL_NAME(matmul), KERNEL_NAME(cilksort),
    KERNEL_NAME(heat);

static double seconds(struct rusage *r)
{
    (void)getrusage(RUSAGE_SELF, r);
    return (double)(r->ru_utime.tv_sec + r->ru_stime.tv_sec) +
           1e-6 * (double)(r->ru_utime.tv_usec + r->ru_stime.tv_usec);
}

int main(int n, char **arguments)
{
    static const struct kernel *const kernels[] = {&KERNEL_NAME(fib), &KERNEL_NAME(mergesort), &KERNEL_NAME(matmul),
                                                   &KERNEL_NAME(cilksort), &KERNEL_NAME(heat)};

    for (unsigned i = 0; n == 3 && i < sizeof kernels / sizeof *kernels; i++) {
        const struct kernel *k = kernels[i];
        struct rusage r;
        double time;
        void *data;
        int right;

        if (strcmp(arguments[1], k->name) != 0)
            continue;
        data = k->prepare(atol(arguments[2]));
        if (!data)
            return 2;
        if (k->reset)
            k->reset(data);
        time = seconds(&r);
        right = k->run(data) == 0;
        time = seconds(&r) - time;
        printf("%.4f %ld\n", time, r.ru_maxrss);
        return right && k->check(data) ? 0 : 3;
    }
    return 1;
}
