/* SPDX-License-Identifier: MIT */
#include "idle/idle_counts.h"

#include "base/atomic.h"
#include "base/policy.h"
#include "core/team.h"

#define SEARCHING ((uint64_t)1)
#define SLEEPING ((uint64_t)1 << 32)

/* Low half: workers that search. High half, signed: workers that sleep and that any thread may wake. */
static __attribute__((aligned(WSFJ_CACHE_LINE))) uint64_t state;

static struct wsfj_idle_counts counts(uint64_t s)
{
    return (struct wsfj_idle_counts){.searching = (uint32_t)s, .sleeping = (int32_t)(s >> 32)};
}

struct wsfj_idle_counts wsfj_idle_counts(void)
{
    return counts(load_seq(&state));
}

void wsfj_idle_counts_start(unsigned threads)
{
    store_seq(&state, threads * SEARCHING);
}

unsigned wsfj_idle_counts_most_searching(struct wsfj_idle_counts now, unsigned leaving)
{
    uint32_t others = now.searching + leaving + (now.sleeping > 0 ? (uint32_t)now.sleeping : 0);
    uint32_t busy = others < wsfj_num_workers ? wsfj_num_workers - others : 0;

    if (wsfj_policy.search_part == 0)
        return UINT32_MAX;
    return busy < 2 * wsfj_policy.search_part ? 1 : busy / wsfj_policy.search_part;
}

void wsfj_idle_counts_add_searcher(void)
{
    add_seq(&state, SEARCHING);
}

struct wsfj_idle_counts wsfj_idle_counts_remove_searcher(void)
{
    return counts(add_seq(&state, (uint64_t)0 - SEARCHING) - SEARCHING);
}

struct wsfj_idle_counts wsfj_idle_counts_fall_asleep(bool was_searching)
{
    uint64_t change = SLEEPING - (was_searching ? SEARCHING : 0);

    return counts(add_seq(&state, change) + change);
}

struct wsfj_idle_counts wsfj_idle_counts_take_sleeper(void)
{
    return counts(add_seq(&state, (uint64_t)0 - SLEEPING) - SLEEPING);
}

bool wsfj_idle_counts_begin_search(bool (*hot)(void))
{
    uint64_t s = load_seq(&state);

    while (hot() || counts(s).searching < wsfj_idle_counts_most_searching(counts(s), 1)) {
        if (cas_seq(&state, &s, s + SEARCHING))
            return true;
    }
    return false;
}

bool wsfj_idle_counts_claim_searcher(unsigned most)
{
    uint64_t s = load_seq(&state);

    do {
        if (counts(s).sleeping <= 0 || counts(s).searching >= most)
            return false;
    } while (!cas_seq(&state, &s, s + SEARCHING));
    return true;
}
