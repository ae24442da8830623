/* SPDX-License-Identifier: MIT */
/*
 * The program's own calls of the C library come here (ld --wrap). Each wrapper says what the function reads and writes.
 * Calls inside of other libraries do not come here.
 */
#ifndef RACE_LIBC_H
#define RACE_LIBC_H

#include "detector.h"

/* Declares and begins a wrapper. */
#define WRAP(type, name, params)                                                                                       \
    EXPORTED type __wrap_##name params;                                                                                \
    type __wrap_##name params

#define READS(p, n) race_range((uintptr_t)(p), n, READ, RETURN_PC)
#define WRITES(p, n) race_range((uintptr_t)(p), n, WRITE, RETURN_PC)

/* The check is not worth a strlen() outside of regions. */
#define READS_STRING(s)                                                                                                \
    do {                                                                                                               \
        if (race_checks())                                                                                             \
            READS(s, strlen(s) + 1);                                                                                   \
    } while (0)

extern void *race_probe_to;
extern int race_probe_seen;

#endif
