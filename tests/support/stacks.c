/* SPDX-License-Identifier: MIT */
/*
 * The ledger: at each stop of the runtime, all stacks that were made are free, and nobody waits for a time or a descriptor. Programs of `counted_tests`
 * (tests/local.mk) link the library's objects, and the linker redirects the runtime's call of wsfj_pool_stop() to here.
 *
 * Catches: a stack that is not given back, on whatever way: its memory stays taken, and under ws_config.max_stacks the
 * program soon has none. The life word of such a stack says "free", and so does a dump.
 */
#include "idle/lookout.h"
#include "task/pool.h"
#include "task/stack.h"
#include "wait/timer.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <stdio.h>
#include <stdlib.h>

void __real_wsfj_pool_stop(void);
void __wrap_wsfj_pool_stop(void);

/* Takes as many stacks for each node as the node has made: a stack returns to its node's list. Each one that is lost is
 * made anew, or refused. */
static size_t count_lost(void)
{
    size_t before = wsfj_pool_high_water(), refused = 0, n = 0;

    for (const struct wsfj_stack *s = wsfj_pool_all(); s && n < before; s = s->pool.next_all, n++) {
        struct wsfj_cache none = {.free = NULL, .node = s->pool.node};

        refused += wsfj_pool_take(&none) == NULL;
    }
    return refused + wsfj_pool_high_water() - before;
}

/* A program whose poll sources outlast a stop sets it. */
int has_sources;

/* No thread of the runtime is left. */
void __wrap_wsfj_pool_stop(void)
{
    size_t made = wsfj_pool_high_water(), lost;

    for (unsigned i = 0; i < wsfj_num_workers; i++)
        wsfj_pool_flush(&wsfj_workers[i].cache);
    lost = count_lost();
    if (lost) {
        fprintf(stderr, "stacks: %zu of %zu were not given back\n", lost, made);
        abort();
    }
    if (wsfj_timer_first != WSFJ_FOREVER || (wsfj_lookout_waits && !has_sources)) {
        fprintf(stderr, "outside: %llu still wait\n", (unsigned long long)wsfj_lookout_waits);
        abort();
    }
    __real_wsfj_pool_stop();
}
