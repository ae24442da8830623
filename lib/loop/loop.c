/* SPDX-License-Identifier: MIT */
/*
 * The cold half of a loop's driver: when it divides what is left, and what its site learns. The hot half is
 * include/wsfj/inline/loop_drive.h.
 */
#include "loop/loop.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/chaos.h"
#include "base/debug.h"
#include "base/hooks.h"
#include "sched/give_way.h"
#include "task/deque.h"
#include "task/event.h"
#include "task/stack.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <string.h>

/* The unit of a prediction, and the least that is worth a child in a loop that is divided. */
#define SHORT_NS 2000
/* A driver looks for a request once in so much time: a thief waits 1 us before it forces (steal.c). */
#define LOOKS_IN_SHORT 4
/* With one worker only the preempter asks, for other reasons: a look every 32 us will do. */
#define LONE_LOOKS 64
/* The clock is read only after so much time has passed, because reading it takes some 30 ns. */
#define MEASURE_NS 500
/* After a measurement the next one comes so many looks later. */
#define LOOKS 64

/* How many iterations fit into SHORT_NS, if `n` take `ns`: 1024 times that. */
static uint64_t fits(uint64_t n, uint64_t ns)
{
    double f = (double)n * SHORT_NS * 1024 / (double)(ns ? ns : 1);

    return f > 1e15 ? (uint64_t)1e15 : f < 1 ? 1 : (uint64_t)f;
}

/* `fit`: 1024 times the iterations that fit into SHORT_NS. */
static void set_pace(struct wsfj_loop *l, uint64_t fit)
{
    uint64_t n = fit / 1024, chunk = n / LOOKS_IN_SHORT, least = l->wsfj_grain == WSFJ_LOOP_ALL ? 1 : l->wsfj_grain;

    l->wsfj_fits = fit;
    l->wsfj_chunk = chunk > least ? chunk : least;
    least = least - 1 > UINT64_MAX / 2 ? UINT64_MAX : 2 * least - 1; /* both halves of a longer piece have the grain */
    l->wsfj_worth = n > least ? n : least;
    if (l->wsfj_grain == WSFJ_LOOP_ALL || wsfj_num_workers == 1 || l->wsfj_deque->wsfj_mode == WSFJ_MODE_PRIVATE)
        l->wsfj_worth = WSFJ_LOOP_ALL; /* no thief comes */
    if (wsfj_num_workers == 1)
        l->wsfj_chunk *= LONE_LOOKS;
    l->wsfj_push = wsfj_loop_half(l);
}

/* A trace shows the loop from here on. */
static void show(struct wsfj_loop *l)
{
    struct wsfj_stack *own = wsfj_stack_of(l->wsfj_deque);
    struct wsfj_worker *w = wsfj_loop_worker(own);
    struct wsfj_trace_ring *ring = w ? load_relaxed(&w->log.ring) : NULL;

    l->wsfj_shown = ring ? wsfj_hooks.name_text(ring, l->wsfj_site->wsfj_name) : 0;
    if (l->wsfj_shown)
        WSFJ_SHOW(w, loop_begin, 0, own->number, l->wsfj_shown, 0);
}

/* Whether the worker begins with the upper half of a loop (wsfj_loop_child()). */
static bool is_upper(const struct wsfj_worker *w)
{
    return w && w->id >= (wsfj_num_workers + 1) / 2;
}

#ifdef WSFJ_DEBUG
/* The index of a driver's first iteration tells where each child must begin that the driver takes back. The first child that
 * it takes back tells that index. Loops of less than 2^62 iterations do not use the last two sizes, which keep it. */
enum { ZERO = 62, STATE = 63 };
#define ZERO_UNKNOWN UINT64_MAX /* no child that is the 64th is so long */
#define ZERO_KNOWN (UINT64_MAX - 1)

static void check_begin(struct wsfj_loop *l)
{
    l->wsfj_size[STATE] = l->wsfj_left >> 62 ? 0 : ZERO_UNKNOWN;
}

/* An end of a child: the bits of its type, so that all sums are modulo the type. */
static uint64_t end_of(const char *at, size_t size)
{
    uint64_t end = 0;

    memcpy((char *)&end + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof end - size : 0), at, size);
    return end;
}

/* The child has the iterations that the driver thinks, and they are the next ones. */
static void check_child(struct wsfj_loop *l, const struct wsfj_descriptor *desc)
{
    const struct wsfj_kind *kind = (const struct wsfj_kind *)load_relaxed(&desc->wsfj_word);
    const char *args = kind->wsfj_in_area ? (const char *)(uintptr_t)desc->wsfj_args[0] : (const char *)desc->wsfj_args;
    size_t size = l->wsfj_site->wsfj_size[0];
    uint64_t bits = ~UINT64_C(0) >> (64 - 8 * size), lo, hi;

    args += kind->wsfj_site ? kind->wsfj_site->wsfj_offset : sizeof(void *); /* the parts of WS_TRY and WS_FOLD */
    lo = end_of(args, size);
    hi = end_of(args + size, size);
    wsfj_assert(((hi - lo) & bits) == (l->wsfj_left & bits));
    if (l->wsfj_size[STATE] == ZERO_KNOWN)
        wsfj_assert(((lo - l->wsfj_size[ZERO] - l->wsfj_at) & bits) == 0);
    if (l->wsfj_size[STATE] == ZERO_UNKNOWN) {
        l->wsfj_size[ZERO] = lo - l->wsfj_at;
        l->wsfj_size[STATE] = ZERO_KNOWN;
    }
}
#else
#define check_begin(l) ((void)0)
#define check_child(l, desc) ((void)0)
#endif

WSFJ_EXPORT void wsfj_loop_begin(struct wsfj_loop *l, struct wsfj_loop_site *site, struct wsfj_deque *deque, uint64_t n,
                                 uint64_t grain)
{
    uint64_t fit = load_relaxed(&site->wsfj_fits);

    l->wsfj_site = site;
    l->wsfj_deque = deque;
    l->wsfj_left = wsfj_dropped(deque) && !site->wsfj_kept ? 0 : n;
    l->wsfj_grain = grain ? grain : 1;
    l->wsfj_looks = fit ? 2 * LOOKS_IN_SHORT : 1;
    l->wsfj_at = l->wsfj_ran = l->wsfj_counted = l->wsfj_children = 0;
    l->wsfj_order = is_upper(wsfj_loop_worker(wsfj_stack_of(deque))) ? WSFJ_LOOP_UPPER_FIRST : WSFJ_LOOP_UPWARD;
    check_begin(l);
    set_pace(l, fit);
    show(l);
    l->wsfj_began = l->wsfj_read = wsfj_now();
}

/* Takes the newest child back, unless a thief has it. */
static bool take_back(struct wsfj_stack *own, struct wsfj_descriptor *desc)
{
    const struct wsfj_kind *kind = (const struct wsfj_kind *)load_relaxed(&desc->wsfj_word);

    wsfj_publish_tail(&own->deque, desc);
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* THE-1 */
    wsfj_chaos();
    if (desc < load_relaxed(&own->deque.wsfj_exposed) && !wsfj_deque_reclaim(own, desc)) {
        wsfj_publish_tail(&own->deque, desc + 1); /* it stays until the sync, like every stolen child */
        return false;
    }
    if (kind->wsfj_in_area)
        wsfj_area_give(&own->deque, (void *)(uintptr_t)desc->wsfj_args[0]);
    return true;
}

WSFJ_EXPORT struct wsfj_descriptor *wsfj_loop_turn(struct wsfj_loop *l, struct wsfj_descriptor *top)
{
    struct wsfj_stack *own = wsfj_stack_of(l->wsfj_deque);

    if (wsfj_asked(l->wsfj_deque))
        wsfj_spawn_slow(l->wsfj_deque, top);
    if (wsfj_stack_is_asked(own) && !own->blocking.lender)
        wsfj_give_way(own); /* PREEMPT-1: a loop may sync only after its end */
    if (l->wsfj_left == 0 && l->wsfj_children > 0) {
        if (take_back(own, top - 1)) {
            l->wsfj_left = l->wsfj_size[--l->wsfj_children];
            top--;
            if (l->wsfj_children == 0 && l->wsfj_order == WSFJ_LOOP_LOWER_LAST) {
                l->wsfj_at = 0;
                l->wsfj_order = WSFJ_LOOP_UPWARD;
            }
            check_child(l, top);
        } else {
            struct wsfj_worker *w = wsfj_loop_worker(own);

            for (; l->wsfj_children > 0; l->wsfj_children--) {
                if (w)
                    WSFJ_COUNT(w, split);
            }
        }
    }
    l->wsfj_push = wsfj_loop_half(l);
    return top;
}

/* `was` iterations were estimated to fit into 2 us; the last measurement says `now`. Returns the new estimate. Iterations that
 * take longer than estimated cost parallelism, so a lower estimate counts at once. Iterations that take less cost only some
 * time. A higher estimate is cut to `most`: most iterations of an uneven loop, and most of its pieces, take much less than
 * the mean. */
static uint64_t follow(uint64_t was, uint64_t now, uint64_t most)
{
    return was && now > most ? most : now;
}

WSFJ_EXPORT void wsfj_loop_measure(struct wsfj_loop *l)
{
    uint64_t now = wsfj_now(), ns = now - l->wsfj_read, n = l->wsfj_ran - l->wsfj_counted;

    if (l->wsfj_fits == 0 && l->wsfj_counted == 0 && ns < SHORT_NS) {
        /* The first iteration finds nothing in the caches, and the time has the spawns of the children in it. */
        l->wsfj_counted = l->wsfj_ran;
        l->wsfj_read = now;
        l->wsfj_looks = 1;
    } else if (ns < MEASURE_NS / 2) {
        l->wsfj_chunk *= 2; /* 1, 2, 4, ... */
        l->wsfj_looks = 1;
    } else {
        uint64_t fit = fits(n, ns), most = 2 * l->wsfj_fits;

        l->wsfj_looks = fit < most ? LOOKS : 2 * LOOKS_IN_SHORT;
        set_pace(l, follow(l->wsfj_fits, fit, most));
        l->wsfj_counted = l->wsfj_ran;
        l->wsfj_read = now;
    }
}

static void learn(struct wsfj_loop_site *site, uint64_t now)
{
    uint64_t was = load_relaxed(&site->wsfj_fits);

    now = follow(was, now, was + was / 3 + 1);
    /* A small change is not worth the store. */
    if (now > was + was / 8 || now + now / 8 < was)
        store_relaxed(&site->wsfj_fits, now);
}

WSFJ_EXPORT void wsfj_loop_learn(struct wsfj_loop_site *site, uint64_t n, uint64_t began)
{
    if (n)
        learn(site, fits(n, wsfj_now() - began));
}

WSFJ_EXPORT void wsfj_loop_end(struct wsfj_loop *l)
{
    struct wsfj_stack *own = wsfj_stack_of(l->wsfj_deque);
    struct wsfj_worker *w = wsfj_loop_worker(own);

    wsfj_loop_learn(l->wsfj_site, l->wsfj_ran, l->wsfj_began);
    if (l->wsfj_shown && w)
        WSFJ_SHOW(w, loop_end, 0, own->number, l->wsfj_shown, 0);
}
