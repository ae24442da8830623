/* SPDX-License-Identifier: MIT */
/* A parent at its sync, with children that were stolen (join.h): it waits without a thread. What a spawn does if the deque is
 * full, and a task that ends without a sync. */
#include "sched/sync.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "base/debug.h"
#include "base/policy.h"
#include "base/tsan.h"
#include "blocking/blocking.h"
#include "sched/give_way.h"
#include "sched/leave.h"
#include "sched/short_wait.h"
#include "task/deque.h"
#include "task/event.h"
#include "task/join.h"
#include "task/stack.h"
#include "worker/worker.h"

#include <string.h>

/* A loop on a full deque calls so many children before it spawns again: the slow path costs some 100 ns. */
#define CALLED_AT_ONCE 64

/* JOIN-2: puts the parent's address into the descriptor of every child in [base, desc]. Returns how many of them are
 * done. */
static uint64_t register_parent(struct wsfj_stack *own, struct wsfj_descriptor *base, struct wsfj_descriptor *desc)
{
    uint64_t done = 0;

    for (struct wsfj_descriptor *l = desc; l >= base; l--) {
        uintptr_t word = load_acquire(&l->wsfj_word);

        wsfj_chaos();
        /* A failed exchange has seen DONE, acquire: the result is visible. */
        if (word & WSFJ_WORD_DONE || !cas_acq_rel(&l->wsfj_word, &word, (uintptr_t)own | WSFJ_WORD_JOIN))
            done++;
    }
    return done;
}

static struct wsfj_stack *arrive_after_switch(struct wsfj_stack *own)
{
    return wsfj_join_arrive(own, 1);
}

/* Inline: in the library only wait_for() calls it. */
inline void WSFJ_POLICY_FUNCTION(wsfj_sync_suspend)(struct wsfj_stack *own, uint32_t children)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);

    WSFJ_EVENT(w, suspend, 0, load_relaxed(&own->number), children, 0);
    wsfj_stack_lives(own, WSFJ_LIFE_JOIN);
    /* JOIN-3: the scheduler's loop gives up the parent's own unit, after the switch. */
    wsfj_leave_stack(own, arrive_after_switch);
}

/* Waits for the stolen children in [base, desc]; but for a moment (short_wait.h), without occupying the worker. */
static void wait_for(struct wsfj_stack *own, struct wsfj_descriptor *base, struct wsfj_descriptor *desc)
{
    uint64_t n = (uint64_t)(desc - base) + 1;
    uint64_t done;

    if (wsfj_short_wait(own, base, desc))
        return;
    store_relaxed(&own->join, n + 1); /* before a child can arrive */
    done = register_parent(own, base, desc);

    if (done == n)
        return;
    if (done && sub_acq_rel(&own->join, done) == done + 1)
        return; /* the remaining children have arrived meanwhile */

    if (own->blocking.lender)
        wsfj_blocking_return(own);
    wsfj_sync_suspend(own, (uint32_t)(n - done));
}

WSFJ_EXPORT void wsfj_descriptor_fetch(struct wsfj_descriptor *desc, void *rp)
{
    size_t size = desc->wsfj_word >> 2;

    if (rp && size)
        memcpy(rp, desc->wsfj_word & 2u ? (void *)(uintptr_t)desc->wsfj_args[0] : (void *)desc->wsfj_args, size);
}

/* What the children in [base, desc] did comes before what their parent does next (fiber.c, run_stolen). */
static WSFJ_COLD void acquire_all(const struct wsfj_descriptor *base, const struct wsfj_descriptor *desc)
{
    for (; desc >= base; desc--)
        wsfj_tsan_acquire(&desc->wsfj_word);
}

/* All of [base, desc] is stolen: waits for these children, fetches all results but that of `desc`, and empties the
 * deque. */
static void collect(struct wsfj_stack *own, struct wsfj_descriptor *base, struct wsfj_descriptor *desc)
{
    char *area = NULL;

    wait_for(own, base, desc);
    if (wsfj_tsan_watches())
        acquire_all(base, desc);
    for (struct wsfj_descriptor *l = desc; l >= base; l--) {
        if (l < desc)
            wsfj_descriptor_fetch(l, l->wsfj_rp);
        if (l->wsfj_word & 2u)
            area = (char *)(uintptr_t)l->wsfj_args[0];
    }
    if (area)
        own->deque.wsfj_area = area;
    wsfj_deque_rebase(own, base);
    if (own->blocking.sections)
        wsfj_blocking_again(own);
}

WSFJ_EXPORT int wsfj_sync_slow(struct wsfj_deque *deque, struct wsfj_descriptor *base, struct wsfj_descriptor *desc)
{
    struct wsfj_stack *own = wsfj_stack_of(deque);

    if (wsfj_stack_is_asked(own) && !own->blocking.lender) {
        wsfj_publish_tail(deque, desc + 1); /* PREEMPT-1: a thief may take the child while the owner is away */
        wsfj_give_way(own);
        wsfj_publish_tail(deque, desc);
    }
    if (wsfj_deque_reclaim(own, desc))
        return 1;

    collect(own, base, desc);
    return 0;
}

WSFJ_EXPORT void wsfj_leave_slow(struct wsfj_deque *deque, struct wsfj_descriptor *base, size_t n)
{
    for (size_t i = 0; i < n; i++)
        base[i].wsfj_rp = NULL; /* the variables are gone: results are dropped */
    for (; n; n--) {
        struct wsfj_descriptor *desc = base + (n - 1);

        wsfj_publish_tail(deque, desc);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (desc < load_relaxed(&deque->wsfj_exposed) && !wsfj_sync_slow(deque, base, desc))
            return;
        wsfj_execany(deque, desc, desc, NULL);
    }
}

/* Whether an argument of the task in `desc` points to between low and high. Arguments are packed: a pointer may be at any
 * byte. */
static bool points_into(const struct wsfj_descriptor *desc, const struct wsfj_kind *kind, uintptr_t low, uintptr_t high)
{
    const char *args = kind->wsfj_in_area ? (const char *)(uintptr_t)desc->wsfj_args[0] : (const char *)desc->wsfj_args;

    for (size_t i = 0; i + sizeof(uintptr_t) <= kind->wsfj_args_size; i++) {
        uintptr_t word;

        memcpy(&word, args + i, sizeof word);
        if (word >= low && word < high)
            return true;
    }
    return false;
}

WSFJ_EXPORT void wsfj_leave_named(struct wsfj_deque *deque, struct wsfj_descriptor *base, size_t n, const char *task,
                                  const void *frame_end)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0); /* below the task's frame */
    bool dropped = false;

    for (size_t i = 0; i < n; i++) {
        uintptr_t word = load_relaxed(&base[i].wsfj_word);
        const struct wsfj_kind *kind = (const struct wsfj_kind *)word;

        dropped |= (word & WSFJ_WORD_DONE ? word >> 2 : kind->wsfj_result_size) != 0;
        if (!(word & WSFJ_WORD_DONE) && points_into(&base[i], kind, here, (uintptr_t)frame_end)) {
            wsfj_say("%s returned without ws_sync(): its child %s uses a variable that no longer exists", task,
                     kind->wsfj_name);
            dropped = false;
            break;
        }
    }
    if (dropped)
        wsfj_say("%s returned without ws_sync(): results of its children are dropped", task);
    wsfj_leave_slow(deque, base, n);
}

/* The owner pops `desc` for itself: false if it is stolen. */
static bool take_back(struct wsfj_stack *own, struct wsfj_descriptor *desc)
{
    wsfj_publish_tail(&own->deque, desc);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return desc >= load_relaxed(&own->deque.wsfj_exposed) || wsfj_deque_reclaim(own, desc);
}

WSFJ_EXPORT int wsfj_spawn_full(struct wsfj_deque *deque, struct wsfj_descriptor *base, struct wsfj_descriptor *tail)
{
    struct wsfj_stack *own = wsfj_stack_of(deque);
    struct wsfj_descriptor *desc = tail - 1;

    wsfj_spawn_slow(deque, tail);
    if (tail <= own->memory.soft)
        return 0;
    if (wsfj_stack_is_asked(own) && !own->blocking.lender)
        wsfj_give_way(own); /* PREEMPT-1: a loop may sync only after its end. The tail is high enough here */
    /* Calls several of the newest children, so that the loop does not come here for each. */
    for (int called = 0; called < CALLED_AT_ONCE; called++, desc--) {
        if (desc < base)
            return 1;
        if (!take_back(own, desc)) {
            wsfj_publish_tail(deque, desc + 1);
            break;
        }
        wsfj_execany(deque, desc, desc, desc->wsfj_rp);
    }
    if (desc + 1 < tail)
        return 1;
    /* The newest child is stolen, and so are all older ones. They stay in the deque until the sync, unless the deque is
     * full: then the loop waits for them here and starts again at its base. */
    if (tail <= own->memory.full)
        return 0;
    wsfj_publish_tail(deque, desc);
    collect(own, base, desc);
    wsfj_descriptor_fetch(desc, desc->wsfj_rp);
    return 1;
}

extern __typeof__(wsfj_sync_slow) wsfj_sync_slow_local
    __attribute__((alias("wsfj_sync_slow"), visibility("hidden"), used));
extern __typeof__(wsfj_spawn_full) wsfj_spawn_full_local
    __attribute__((alias("wsfj_spawn_full"), visibility("hidden"), used));
