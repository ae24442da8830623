/* SPDX-License-Identifier: MIT */
/* The slices of a static loop: each worker has its own, and takes another one if that is gone. */
#include "loop/loop.h"

#include "base/chaos.h"
#include "base/debug.h"
#include "task/event.h"
#include "worker/worker.h"
#include "worker/workers.h"

#ifdef WSFJ_DEBUG
/* The last word counts how often a slice was taken, if there are few enough slices. */
enum { TAKES = 63 };

static void check_slices(struct wsfj_slices *slices)
{
    for (uint64_t i = (slices->wsfj_count + 63) / 64; i <= TAKES; i++)
        slices->wsfj_taken[i] = 0;
}

static void check_taken(struct wsfj_slices *slices)
{
    uint64_t takes, bits = 0;

    if (slices->wsfj_count > TAKES * 64)
        return;
    takes = 1 + __atomic_fetch_add(&slices->wsfj_taken[TAKES], 1, __ATOMIC_ACQ_REL);
    for (int i = 0; i < TAKES; i++)
        bits += (uint64_t)__builtin_popcountll(load_relaxed(&slices->wsfj_taken[i]));
    wsfj_assert(takes <= bits && bits <= slices->wsfj_count); /* else one of them was taken twice */
}
#else
#define check_slices(slices) ((void)0)
#define check_taken(slices) ((void)0)
#endif

WSFJ_EXPORT void wsfj_slices_begin(struct wsfj_slices *slices, struct wsfj_deque *deque, uint64_t n)
{
    uint64_t most = deque->wsfj_mode == WSFJ_MODE_PRIVATE ? 1 : wsfj_num_workers;

    slices->wsfj_count = n < most ? n : most;
    for (uint64_t i = 0; i < (slices->wsfj_count + 63) / 64; i++)
        slices->wsfj_taken[i] = 0;
    check_slices(slices);
}

/* LOOP-1: each bit is set once, so each slice is taken once. Relaxed: the ticket's acquire already orders the data. */
static bool take_slice(struct wsfj_slices *slices, uint64_t k)
{
    uint64_t *word = &slices->wsfj_taken[k / 64], bit = UINT64_C(1) << k % 64;

    return !(load_relaxed(word) & bit) && !(__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit);
}

WSFJ_EXPORT uint64_t wsfj_slices_take(struct wsfj_slices *slices, struct wsfj_deque *deque)
{
    struct wsfj_stack *own = wsfj_stack_of(deque);
    struct wsfj_worker *w = wsfj_loop_worker(own);
    uint64_t n = slices->wsfj_count, home = w ? w->id % n : 0;

    /* There are as many tickets as slices, so there is one that stays free until this ticket comes to it. */
    for (uint64_t k = home, looks = 0;; k = k + 1 < n ? k + 1 : 0, looks++) {
        wsfj_assert(looks < n);
        wsfj_chaos();
        if (!take_slice(slices, k))
            continue;
        check_taken(slices);
        if (w && k == w->id)
            WSFJ_COUNT(w, slice_home);
        else if (w)
            WSFJ_COUNT(w, slice_other);
        return k;
    }
}
