/* SPDX-License-Identifier: MIT */
#include "awake.h"

#include "api/guest.h"
#include "base/atomic.h"
#include "config/settings.h"
#include "core/fiber.h"
#include "core/steal.h"
#include "core/team.h"
#include "idle/cpu_limit.h"
#include "idle/park.h"
#include "task/pool.h"

#include <string.h>

enum { FREE = 4 };

struct wsfj_worker awake[AWAKE];
struct wsfj_thread awake_threads[AWAKE];
static struct {
    struct wsfj_stack *stacks[FREE];
    unsigned n;
} free_stacks[AWAKE];

static unsigned owner_of(const struct wsfj_cache *cache)
{
    unsigned i = 0;

    while (i < AWAKE - 1 && cache != &awake[i].cache)
        i++;
    return i;
}

struct wsfj_stack *wsfj_pool_take(struct wsfj_cache *cache)
{
    unsigned i = owner_of(cache);

    return free_stacks[i].n ? free_stacks[i].stacks[--free_stacks[i].n] : NULL;
}

void wsfj_pool_give(struct wsfj_cache *cache, struct wsfj_stack *s)
{
    unsigned i = owner_of(cache);

    explore_must(free_stacks[i].n < FREE, "a stack is given back twice");
    free_stacks[i].stacks[free_stacks[i].n++] = s;
}

struct wsfj_stack *wsfj_steal_fresh_stack(struct wsfj_worker *w)
{
    return wsfj_pool_take(&w->cache);
}

void wsfj_cpu_limit_check(void)
{
}

bool wsfj_cpu_limit_allows(unsigned worker)
{
    (void)worker;
    return true;
}

void wsfj_park_carry_over(struct wsfj_stack *stack)
{
    (void)stack;
}

void wsfj_park_notify(struct wsfj_worker *self)
{
    (void)self;
}

void wsfj_park_found(struct wsfj_worker *self)
{
    (void)self;
}

bool wsfj_park_search(void)
{
    return true;
}

void wsfj_park_sleep(struct wsfj_worker *self, bool was_searching)
{
    (void)self;
    (void)was_searching;
    explore_pause();
}

/* Behind a guest. */
void wsfj_park_sleep_on(struct wsfj_worker *self)
{
    while (load_acquire(&self->park) != WSFJ_PARK_AWAKE)
        explore_pause();
}

bool wsfj_park_offer(struct wsfj_worker *w)
{
    (void)w;
    return false;
}

void wsfj_park_wake_all(void)
{
}

/* The worker's own thread has the slot again. */
void wsfj_guest_lend(struct wsfj_worker *w)
{
    store_seq(&w->park, WSFJ_PARK_AWAKE);
}

void wsfj_guest_leave(struct wsfj_worker *w)
{
    store_seq(&w->park, WSFJ_PARK_AWAKE);
}

void awake_start(unsigned workers)
{
    memset(awake, 0, sizeof awake);
    memset(free_stacks, 0, sizeof free_stacks);
    wsfj_workers = awake;
    wsfj_num_workers = workers;
    explore_tick = 1;
    wsfj_settings.spin_ns = 1; /* a round, a pause with an open mailbox, a round */
    wsfj_worker_begin();
    for (unsigned i = 0; i < AWAKE; i++)
        awake[i].id = i;
    explore_shared(awake, sizeof awake);
}

void awake_give(unsigned worker, unsigned stack)
{
    struct wsfj_stack *s = explore_stack(stack, WSFJ_MODE_NORMAL);

    wsfj_context_make(&s->context, s->memory.low, s->memory.size, wsfj_fiber_main, s);
    wsfj_pool_give(&awake[worker].cache, s);
}

void awake_serve(void)
{
    unsigned i = explore_self();

    explore_must(wsfj_worker_serve(&awake[i], &awake_threads[i], NULL, NULL) == WSFJ_SERVED_IDLE, "a worker ends");
}
