/* SPDX-License-Identifier: MIT */
#include "idle/loop_clock.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/base.h"
#include "idle/idle_counts.h"
#include "worker/workers.h"

/* The unit of the coarse clock: 2^16 ns. */
#define TICK_SHIFT 16

WSFJ_EXPORT uint64_t wsfj_loop_now(void)
{
    return wsfj_now();
}

/* The time in ticks of 65 us, as a searching worker has seen it last. In a cache line that is written once a tick. */
static struct {
    __attribute__((aligned(WSFJ_CACHE_LINE))) uint64_t tick;
    char rest[WSFJ_CACHE_LINE - sizeof(uint64_t)];
} shown;

void wsfj_loop_show_time(uint64_t now)
{
    uint64_t tick = now >> TICK_SHIFT;

    if (load_relaxed(&shown.tick) != tick)
        store_relaxed(&shown.tick, tick);
}

/* While no worker searches, the kernel's clock of some milliseconds must do. */
static uint64_t ticks(bool searching)
{
    return searching ? load_relaxed(&shown.tick) : wsfj_coarse_now() >> TICK_SHIFT;
}

WSFJ_EXPORT uint64_t wsfj_loop_clock(void)
{
    bool searching;

    if (wsfj_num_workers == 1)
        return 0; /* nobody waits: wsfj_loop_late() does not look */
    searching = wsfj_idle_counts().searching > 0;
    return ticks(searching) << 1 | searching;
}

/* If the last searcher has ceased to search meanwhile, its clock stands still: the run counts as late, which costs the next
 * one a measurement. */
WSFJ_EXPORT int wsfj_loop_late(uint64_t began)
{
    bool searching = began & 1;

    if (wsfj_num_workers == 1)
        return 0;
    return (searching && wsfj_idle_counts().searching == 0) || ticks(searching) - (began >> 1) > 1;
}
