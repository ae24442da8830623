/* SPDX-License-Identifier: MIT */
#include "idle/idle_counts.h"

#include "base/atomic.h"
#include "base/policy.h"
#include "worker/workers.h"

#define SEARCHING WSFJ_IDLE_SEARCHING

__attribute__((aligned(WSFJ_CACHE_LINE))) uint64_t wsfj_idle_state;

struct wsfj_idle_counts wsfj_idle_counts(void)
{
    return wsfj_idle_counts_of(load_seq(&wsfj_idle_state));
}

void wsfj_idle_counts_start(unsigned threads)
{
    store_seq(&wsfj_idle_state, threads * SEARCHING);
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
    add_seq(&wsfj_idle_state, SEARCHING);
}

struct wsfj_idle_counts wsfj_idle_counts_remove_searcher(void)
{
    return wsfj_idle_counts_of(add_seq(&wsfj_idle_state, (uint64_t)0 - SEARCHING) - SEARCHING);
}

bool wsfj_idle_counts_begin_search(bool (*hot)(void))
{
    uint64_t s = load_seq(&wsfj_idle_state);

    while (hot() || wsfj_idle_counts_of(s).searching < wsfj_idle_counts_most_searching(wsfj_idle_counts_of(s), 1)) {
        if (cas_seq(&wsfj_idle_state, &s, s + SEARCHING))
            return true;
    }
    return false;
}

bool wsfj_idle_counts_claim_searcher(unsigned most)
{
    uint64_t s = load_seq(&wsfj_idle_state);

    do {
        if (!wsfj_idle_counts_may_wake(wsfj_idle_counts_of(s), most))
            return false;
    } while (!cas_seq(&wsfj_idle_state, &s, s + SEARCHING));
    return true;
}
