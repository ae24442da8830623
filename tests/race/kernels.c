/* SPDX-License-Identifier: MIT */
/* Runs the kernels of bench/kernels at their small size: `kernels NAME`; without a name, it lists them. For kernels.sh. */
#include "harness/kernel.h"

#include <stdio.h>
#include <string.h>

#define KERNEL_OF(id) extern const struct kernel kernel_##id##_parallel;
#include "kernels.def"
#undef KERNEL_OF

int main(int n, char **arguments)
{
    static const struct kernel *const kernels[] = {
#define KERNEL_OF(id) &kernel_##id##_parallel,
#include "kernels.def"
    };

    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const struct kernel *k = kernels[i];
        void *data;
        int right;

        if (n == 1)
            printf("%s\n", k->name);
        if (n != 2 || strcmp(arguments[1], k->name) != 0)
            continue;
        data = k->prepare(k->small_size);
        if (!data)
            return 2;
        if (k->reset)
            k->reset(data);
        right = k->run(data) == 0 && k->check(data);
        k->release(data);
        return right ? 0 : 3;
    }
    return n != 1;
}
