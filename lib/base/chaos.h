/* SPDX-License-Identifier: MIT */
/*
 * Bad luck on purpose (configure --enable-chaos): few processors and a healthy machine then show what otherwise takes a
 * rare interleaving or a poor machine. Here are delays at the points of the protocols, in failpoint.h calls that fail.
 * Both draw from WSFJ_CHAOS_SEED. Nothing of it is compiled without that option.
 */
#ifndef WSFJ_BASE_CHAOS_H
#define WSFJ_BASE_CHAOS_H

#include "base/base.h"

#ifdef WSFJ_CHAOS
#include <string.h>

/* Sometimes lets other threads run, or sleeps for a moment. At every point between two steps of a protocol. */
void wsfj_chaos(void);

/* A test may have more done there: called at each point if it is set, before the runtime starts. */
extern void (*wsfj_chaos_too)(void);

/* WSFJ_CHAOS_SEED; where it is not set, or makes no sense (one line), another number in each process. */
uint64_t wsfj_chaos_seed(void);

/* True if it is that other number. */
bool wsfj_chaos_seed_is_own(void);

/* A number that follows from the two, evenly spread. */
uint64_t wsfj_chaos_mix(uint64_t a, uint64_t b);

/* Whether an entry of the environment is for this, and no setting of the user's. */
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
