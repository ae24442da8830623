/* SPDX-License-Identifier: MIT */
/*
 * Bad luck on purpose (configure --enable-chaos): tests then meet rare interleavings and shortages on any machine. This
 * file delays threads at the points of the protocols; failpoint.h makes calls fail. Both draw random numbers from
 * WSFJ_CHAOS_SEED. Without the option none of it is compiled.
 */
#ifndef WSFJ_BASE_CHAOS_H
#define WSFJ_BASE_CHAOS_H

#include "base/base.h"

#ifdef WSFJ_CHAOS
#include <string.h>

/* Called between any two steps of a protocol. Sometimes yields the processor, or sleeps for a moment. */
void wsfj_chaos(void);

/* A hook for tests, called at each point. A test sets it before the runtime starts. */
extern void (*wsfj_chaos_too)(void);

/* WSFJ_CHAOS_SEED. If it is not set or invalid (with a one-line warning), each process draws a number of its own. */
uint64_t wsfj_chaos_seed(void);

/* True if the process has drawn the seed. */
bool wsfj_chaos_seed_is_own(void);

/* A hash of the two numbers. */
uint64_t wsfj_chaos_mix(uint64_t a, uint64_t b);

/* True if this entry of the environment sets a WSFJ_CHAOS_* variable. */
static inline bool wsfj_chaos_owns(const char *entry)
{
    static const char prefix[] = "WSFJ_CHAOS_";

    return strncmp(entry, prefix, sizeof prefix - 1) == 0;
}
#else
/* Constants instead of functions, as in failpoint.h. */
#define wsfj_chaos() ((void)0)
#define wsfj_chaos_owns(entry) false
#endif

#endif
