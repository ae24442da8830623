/* SPDX-License-Identifier: MIT */
#include "suite.h"

#include <string.h>

#define SUITE_DECLARE(id)                                                                                              \
    extern const struct kernel kernel_##id##_parallel, kernel_##id##_serial, kernel_##id##_counted;
SUITE(SUITE_DECLARE)

#define SUITE_ENTRY(id) {&kernel_##id##_parallel, &kernel_##id##_serial, &kernel_##id##_counted},
const struct suite_entry suite[SUITE_SIZE] = {SUITE(SUITE_ENTRY)};

unsigned long long wsfj_count;

const struct suite_entry *suite_find(const char *name)
{
    for (size_t i = 0; i < SUITE_SIZE; i++) {
        if (strcmp(suite[i].serial->name, name) == 0)
            return &suite[i];
    }
    return NULL;
}

long suite_least_size(const struct kernel *kernel)
{
    return kernel->small_size < 1 ? kernel->small_size : 1;
}
