/* SPDX-License-Identifier: MIT */
/* Strings. A function that stops early is said to read what it surely reads; a search reads up to what it has found. */
#define _GNU_SOURCE
#include "libc.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

WRAP(size_t, strlen, (const char *s))
{
    size_t n = strlen(s);

    READS(s, n + 1);
    return n;
}
WRAP(size_t, strnlen, (const char *s, size_t most))
{
    size_t n = strnlen(s, most);

    READS(s, n < most ? n + 1 : n);
    return n;
}
#define COPY_STRING(name, at, length)                                                                                  \
    WRAP(char *, name, (char *to, const char *from))                                                                   \
    {                                                                                                                  \
        if (race_checks()) {                                                                                           \
            const size_t n = strlen(from) + 1;                                                                         \
                                                                                                                       \
            READS(from, n);                                                                                            \
            length;                                                                                                    \
            WRITES(at, n);                                                                                             \
        }                                                                                                              \
        return name(to, from);                                                                                         \
    }
COPY_STRING(strcpy, to, (void)0)
COPY_STRING(stpcpy, to, (void)0)
COPY_STRING(strcat, to + strlen(to), READS(to, strlen(to) + 1))

WRAP(char *, strncpy, (char *to, const char *from, size_t n))
{
    size_t length = strnlen(from, n);

    READS(from, length < n ? length + 1 : n);
    WRITES(to, n);
    return strncpy(to, from, n);
}
WRAP(char *, strncat, (char *to, const char *from, size_t n))
{
    if (race_checks()) {
        const size_t length = strnlen(from, n), old = strlen(to);

        READS(from, length < n ? length + 1 : n);
        READS(to, old + 1);
        WRITES(to + old, length + 1);
    }
    return strncat(to, from, n);
}
/* Up to the first difference. */
static void compare(const char *a, const char *b, size_t n, uintptr_t pc)
{
    size_t k = 0;

    if (!race_checks())
        return;
    while (k < n && a[k] == b[k] && a[k])
        k++;
    k += k < n;
    race_range((uintptr_t)a, k, READ, pc);
    race_range((uintptr_t)b, k, READ, pc);
}
WRAP(int, strcmp, (const char *a, const char *b))
{
    compare(a, b, SIZE_MAX, RETURN_PC);
    return strcmp(a, b);
}
WRAP(int, strncmp, (const char *a, const char *b, size_t n))
{
    compare(a, b, n, RETURN_PC);
    return strncmp(a, b, n);
}
WRAP(int, strcasecmp, (const char *a, const char *b))
{
    compare(a, b, SIZE_MAX, RETURN_PC);
    return strcasecmp(a, b);
}
WRAP(int, strncasecmp, (const char *a, const char *b, size_t n))
{
    compare(a, b, n, RETURN_PC);
    return strncasecmp(a, b, n);
}
WRAP(char *, strchr, (const char *s, int c))
{
    char *at = strchr(s, c);

    READS(s, (at ? (size_t)(at - s) : strlen(s)) + 1);
    return at;
}
WRAP(char *, strrchr, (const char *s, int c))
{
    READS_STRING(s);
    return strrchr(s, c);
}
WRAP(char *, strstr, (const char *s, const char *part))
{
    char *at = strstr(s, part);

    READS_STRING(part);
    if (race_checks())
        READS(s, at ? (size_t)(at - s) + strlen(part) : strlen(s) + 1);
    return at;
}
WRAP(size_t, strspn, (const char *s, const char *set))
{
    size_t n = strspn(s, set);

    READS(s, n + 1);
    READS_STRING(set);
    return n;
}
WRAP(size_t, strcspn, (const char *s, const char *set))
{
    size_t n = strcspn(s, set);

    READS(s, n + 1);
    READS_STRING(set);
    return n;
}
WRAP(char *, strpbrk, (const char *s, const char *set))
{
    READS(s, strcspn(s, set) + 1);
    READS_STRING(set);
    return strpbrk(s, set);
}
WRAP(char *, strdup, (const char *s))
{
    READS_STRING(s);
    return strdup(s);
}
WRAP(char *, strndup, (const char *s, size_t n))
{
    size_t length = strnlen(s, n);

    READS(s, length < n ? length + 1 : n);
    return strndup(s, n);
}
#define NUMBER(type, name)                                                                                             \
    WRAP(type, name, (const char *s, char **end, int base))                                                            \
    {                                                                                                                  \
        char *at;                                                                                                      \
        type value = name(s, &at, base);                                                                               \
                                                                                                                       \
        READS(s, (size_t)(at - s) + 1);                                                                                \
        if (end) {                                                                                                     \
            WRITES(end, sizeof *end);                                                                                  \
            *end = at;                                                                                                 \
        }                                                                                                              \
        return value;                                                                                                  \
    }
NUMBER(long, strtol)
NUMBER(unsigned long, strtoul)
NUMBER(long long, strtoll)
NUMBER(unsigned long long, strtoull)
WRAP(double, strtod, (const char *s, char **end))
{
    char *at;
    double value = strtod(s, &at);

    READS(s, (size_t)(at - s) + 1);
    if (end) {
        WRITES(end, sizeof *end);
        *end = at;
    }
    return value;
}
WRAP(int, atoi, (const char *s))
{
    char *at;
    long value = strtol(s, &at, 10);

    READS(s, (size_t)(at - s) + 1);
    return (int)value;
}
WRAP(long, atol, (const char *s))
{
    char *at;
    long value = strtol(s, &at, 10);

    READS(s, (size_t)(at - s) + 1);
    return value;
}
WRAP(double, atof, (const char *s))
{
    char *at;
    double value = strtod(s, &at);

    READS(s, (size_t)(at - s) + 1);
    return value;
}
