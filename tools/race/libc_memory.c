/* SPDX-License-Identifier: MIT */
/* Copies and comparisons of memory. clang 19 has names of its own for what it makes of assignments. */
#define _GNU_SOURCE
#include "libc.h"

#include <string.h>

#define COPY(name)                                                                                                     \
    do {                                                                                                               \
        READS(from, n);                                                                                                \
        WRITES(to, n);                                                                                                 \
        return name(to, from, n);                                                                                      \
    } while (0)

WRAP(void *, memcpy, (void *to, const void *from, size_t n))
{
    race_probe_seen |= to == race_probe_to;
    COPY(memcpy);
}
WRAP(void *, memmove, (void *to, const void *from, size_t n))
{
    COPY(memmove);
}
WRAP(void *, mempcpy, (void *to, const void *from, size_t n))
{
    COPY(mempcpy);
}
WRAP(void *, memset, (void *to, int c, size_t n))
{
    WRITES(to, n);
    return memset(to, c, n);
}
EXPORTED void *__tsan_memcpy(void *to, const void *from, size_t n);
void *__tsan_memcpy(void *to, const void *from, size_t n)
{
    COPY(memcpy);
}
EXPORTED void *__tsan_memmove(void *to, const void *from, size_t n);
void *__tsan_memmove(void *to, const void *from, size_t n)
{
    COPY(memmove);
}
EXPORTED void *__tsan_memset(void *to, int c, size_t n);
void *__tsan_memset(void *to, int c, size_t n)
{
    WRITES(to, n);
    return memset(to, c, n);
}
/* As much as decides the result, at least. */
WRAP(int, memcmp, (const void *a, const void *b, size_t n))
{
    if (race_checks()) {
        size_t k = 0;

        while (k < n && ((const char *)a)[k] == ((const char *)b)[k])
            k++;
        READS(a, k < n ? k + 1 : n);
        READS(b, k < n ? k + 1 : n);
    }
    return memcmp(a, b, n);
}
WRAP(void *, memchr, (const void *s, int c, size_t n))
{
    void *at = memchr(s, c, n);

    READS(s, at ? (size_t)((char *)at - (const char *)s) + 1 : n);
    return at;
}
