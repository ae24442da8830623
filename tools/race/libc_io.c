/* SPDX-License-Identifier: MIT */
/* Input and output of the program's own memory, and sorting. Files and streams themselves are not looked at. */
#define _GNU_SOURCE
#include "libc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

WRAP(ssize_t, read, (int fd, void *to, size_t n))
{
    ssize_t got = read(fd, to, n);

    if (got > 0)
        WRITES(to, (size_t)got);
    return got;
}
WRAP(ssize_t, pread, (int fd, void *to, size_t n, off_t at))
{
    ssize_t got = pread(fd, to, n, at);

    if (got > 0)
        WRITES(to, (size_t)got);
    return got;
}
WRAP(ssize_t, write, (int fd, const void *from, size_t n))
{
    READS(from, n);
    return write(fd, from, n);
}
WRAP(ssize_t, pwrite, (int fd, const void *from, size_t n, off_t at))
{
    READS(from, n);
    return pwrite(fd, from, n, at);
}
WRAP(size_t, fread, (void *to, size_t size, size_t n, FILE *f))
{
    size_t got = fread(to, size, n, f);

    WRITES(to, size * got);
    return got;
}
WRAP(size_t, fwrite, (const void *from, size_t size, size_t n, FILE *f))
{
    READS(from, size * n);
    return fwrite(from, size, n, f);
}
WRAP(char *, fgets, (char *to, int n, FILE *f))
{
    char *got = fgets(to, n, f);

    if (got && race_checks())
        WRITES(to, strlen(to) + 1);
    return got;
}
WRAP(int, puts, (const char *s))
{
    READS_STRING(s);
    return puts(s);
}
WRAP(int, fputs, (const char *s, FILE *f))
{
    READS_STRING(s);
    return fputs(s, f);
}
WRAP(void, qsort, (void *base, size_t n, size_t size, int (*compare)(const void *, const void *)))
{
    WRITES(base, n * size);
    qsort(base, n, size, compare);
}
