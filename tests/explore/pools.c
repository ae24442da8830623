/* SPDX-License-Identifier: MIT */
#include "pools.h"

#include "sched/fiber.h"
#include "sched/fresh.h"
#include "task/pool.h"
#include "worker/worker.h"

#include <string.h>

enum { POOLS = 3, FREE = 4 };

static struct {
    struct wsfj_stack *stacks[FREE];
    unsigned n;
} pools[POOLS];

static unsigned owner_of(const struct wsfj_cache *cache)
{
    unsigned i = 0;

    while (i < POOLS - 1 && cache != &wsfj_workers[i].cache)
        i++;
    return i;
}

struct wsfj_stack *wsfj_pool_take(struct wsfj_cache *cache)
{
    unsigned i = owner_of(cache);

    return pools[i].n ? pools[i].stacks[--pools[i].n] : NULL;
}

static void give(unsigned i, struct wsfj_stack *s)
{
    explore_must(pools[i].n < FREE, "a stack is given back twice");
    pools[i].stacks[pools[i].n++] = s;
}

void wsfj_pool_give(struct wsfj_cache *cache, struct wsfj_stack *s)
{
    give(owner_of(cache), s);
}

void wsfj_pool_share(struct wsfj_stack *s)
{
    give(POOLS - 1, s);
}

struct wsfj_stack *wsfj_fresh_stack(struct wsfj_worker *w)
{
    return wsfj_pool_take(&w->cache);
}

void pools_start(void)
{
    memset(pools, 0, sizeof pools);
}

void pools_give(unsigned worker, unsigned stack)
{
    struct wsfj_stack *s = explore_stack(stack, WSFJ_MODE_NORMAL);

    wsfj_context_make(&s->context, s->memory.low, s->memory.size, wsfj_fiber_main, s);
    wsfj_pool_give(&wsfj_workers[worker].cache, s);
}

unsigned pools_free(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < POOLS; i++)
        n += pools[i].n;
    return n;
}
