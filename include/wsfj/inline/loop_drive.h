/* SPDX-License-Identifier: MIT */
/*
 * The lazy driver of a loop: how much it runs before it looks for thieves, and what it gives to them.
 *
 * A driver spawns the upper half of its part of the loop as a task of the same kind, a child, then half of what is left,
 * and so on, down to a piece that is too short for a thief. It runs this piece in chunks. After each chunk it looks
 * whether a thief has asked (wsfj_asked()), and then makes its children public. After each piece it takes back the newest
 * child, unless a thief has that one and so all, and divides it in turn. A thief can force out a child at any time, in the
 * middle of a long iteration too.
 *
 * Each loop in the source remembers one word: how many of its iterations fit into 2 microseconds. A run of less than
 * four times that runs plainly. After Tzannes, Caragea, Barua, Vishkin, Lazy Binary-Splitting, PPoPP 2010, where
 * the owner's empty deque is the request; here the thief's request is.
 *
 * lib/loop/loop.c, loop_clock.c and slices.c have the functions. loop_task.h makes the driver of each loop.
 */
#ifndef WSFJ_LOOP_DRIVE_H
#define WSFJ_LOOP_DRIVE_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "fastpath.h"
#include "loop_args.h"
#include "scopes.h"

/** A run of less than so many times 2 microseconds runs plainly: a thief would take most of that to come and go. */
#define WSFJ_LOOP_WORTH 4
/** More iterations than any loop has. */
#define WSFJ_LOOP_ALL (~(uint64_t)0)
/** What a loop in the source remembers. A cache line of its own: its word changes while other threads read it. */
struct wsfj_loop_site {
    uint64_t wsfj_fits;        /**< 1024 times the iterations that fit into 2 us; 0: not known. Any thread, relaxed */
    unsigned char wsfj_offset; /**< where the task's arguments have the first `lo`; `hi` and the other indices follow */
    unsigned char wsfj_size[3]; /**< sizeof each index; 0: there are fewer */
    unsigned char wsfj_signed[3];
    unsigned char wsfj_kept; /**< 1: runs to its end in a cancelled scope, too (kinds have the same) */
    const char *wsfj_name;   /**< for traces */
} __attribute__((__aligned__(64)));

#define WSFJ_IS_SIGNED(I) ((I)-1 < (I)1)
#define WSFJ_LOOP_SITE(f, I, offset)                                                                                   \
    static struct wsfj_loop_site wsfj_site_##f = {0, offset, {sizeof(I), 0, 0}, {WSFJ_IS_SIGNED(I), 0, 0}, 0, #f}
#define WSFJ_LOOP_SITE_2(f, I, J)                                                                                      \
    static struct wsfj_loop_site wsfj_site_##f = {                                                                     \
        0, 0, {sizeof(I), sizeof(J), 0}, {WSFJ_IS_SIGNED(I), WSFJ_IS_SIGNED(J), 0}, 0, #f}
#define WSFJ_LOOP_SITE_3(f, I, J, K)                                                                                   \
    static struct wsfj_loop_site wsfj_site_##f = {                                                                     \
        0, 0, {sizeof(I), sizeof(J), sizeof(K)}, {WSFJ_IS_SIGNED(I), WSFJ_IS_SIGNED(J), WSFJ_IS_SIGNED(K)}, 0, #f}

/** Which half of what was left each child has: the upper one, with one exception. */
enum wsfj_loop_order {
    WSFJ_LOOP_UPWARD,      /**< there is no exception */
    WSFJ_LOOP_UPPER_FIRST, /**< the next child shall have the lower half */
    WSFJ_LOOP_LOWER_LAST   /**< the oldest child has the lower half */
};

/** A driver at work. Only the thread that runs it uses it. */
struct wsfj_loop {
    struct wsfj_loop_site *wsfj_site;
    struct wsfj_deque *wsfj_deque;
    uint64_t wsfj_at;      /**< where the piece begins, counted from the driver's first iteration */
    uint64_t wsfj_left;    /**< iterations of the piece that are to run */
    uint64_t wsfj_push;    /**< of these, how many the driver shall spawn as the next child */
    uint64_t wsfj_fits;    /**< as in the site, but of this run */
    uint64_t wsfj_worth;   /**< a longer piece is divided */
    uint64_t wsfj_chunk;   /**< iterations until the next look */
    uint64_t wsfj_grain;   /**< the least that is worth a spawn, from the program; WSFJ_LOOP_ALL: nothing is */
    uint64_t wsfj_looks;   /**< looks until the clock is read */
    uint64_t wsfj_ran;     /**< iterations that this driver has run */
    uint64_t wsfj_counted; /**< of these, before the clock was read last */
    uint64_t wsfj_read;    /**< when that was, in nanoseconds */
    uint64_t wsfj_began;
    enum wsfj_loop_order wsfj_order;
    uint32_t wsfj_shown;    /**< a trace shows the loop, under this name; 0: it does not */
    size_t wsfj_children;   /**< the newest children; thieves may have the oldest of them */
    uint64_t wsfj_size[64]; /**< the iterations of each child */
};

#ifdef __cplusplus
extern "C" {
#endif
void wsfj_loop_begin(struct wsfj_loop *wsfj_loop, struct wsfj_loop_site *wsfj_site, struct wsfj_deque *wsfj_deque,
                     uint64_t wsfj_n, uint64_t wsfj_grain);
struct wsfj_descriptor *wsfj_loop_turn(struct wsfj_loop *wsfj_loop, struct wsfj_descriptor *wsfj_top);
void wsfj_loop_measure(struct wsfj_loop *wsfj_loop);
void wsfj_loop_end(struct wsfj_loop *wsfj_loop);
uint64_t wsfj_loop_now(void);
void wsfj_loop_learn(struct wsfj_loop_site *wsfj_site, uint64_t wsfj_n, uint64_t wsfj_began);
uint64_t wsfj_loop_clock(void);
int wsfj_loop_late(uint64_t wsfj_began); /* as wsfj_loop_clock() has said: more than a tick has passed */
struct wsfj_root *wsfj_loop_root(void);
int wsfj_loop_run(struct wsfj_root *wsfj_root, void *wsfj_rp);

/** The slices of a static loop; `taken`: one bit for each. */
struct wsfj_slices {
    uint64_t wsfj_count;
    uint64_t wsfj_taken[64];
};
void wsfj_slices_begin(struct wsfj_slices *wsfj_slices, struct wsfj_deque *wsfj_deque, uint64_t wsfj_n);
uint64_t wsfj_slices_take(struct wsfj_slices *wsfj_slices, struct wsfj_deque *wsfj_deque);
#ifdef __cplusplus
}
#endif

/** The iterations that fit into 2 microseconds; at least one. */
WSFJ_INLINE uint64_t wsfj_loop_fits(const struct wsfj_loop_site *wsfj_site)
{
    return __atomic_load_n(&wsfj_site->wsfj_fits, __ATOMIC_RELAXED) >> 10 | 1;
}

/** The most iterations that are predicted to be too short for a thief: one, if each takes longer. */
WSFJ_INLINE uint64_t wsfj_loop_plain(const struct wsfj_loop_site *wsfj_site)
{
    return WSFJ_LOOP_WORTH * wsfj_loop_fits(wsfj_site) - (WSFJ_LOOP_WORTH - 1);
}

/** Whether `n` iterations are predicted to be too short for a thief. */
WSFJ_INLINE int wsfj_loop_short(const struct wsfj_loop_site *wsfj_site, uint64_t wsfj_n, uint64_t wsfj_grain)
{
    return wsfj_n <= wsfj_loop_plain(wsfj_site) || wsfj_n <= wsfj_grain;
}

/** The product of two numbers of iterations, at most WSFJ_LOOP_ALL. */
WSFJ_INLINE uint64_t wsfj_loop_times(uint64_t wsfj_a, uint64_t wsfj_b)
{
    uint64_t wsfj_n;

    return __builtin_mul_overflow(wsfj_a, wsfj_b, &wsfj_n) ? WSFJ_LOOP_ALL : wsfj_n;
}

/** A prediction was wrong by more than a tick of the coarse clock: the next run measures. */
WSFJ_INLINE void wsfj_loop_forget(struct wsfj_loop_site *wsfj_site)
{
    __atomic_store_n(&wsfj_site->wsfj_fits, (uint64_t)0, __ATOMIC_RELAXED);
}

/** How many iterations of the piece become the next child. */
WSFJ_INLINE uint64_t wsfj_loop_half(const struct wsfj_loop *wsfj_loop)
{
    return wsfj_loop->wsfj_left > wsfj_loop->wsfj_worth ? wsfj_loop->wsfj_left / 2 : 0;
}

/** Where the next child begins, from the driver's first iteration.
 *
 *  A thief takes the oldest child, one half of the loop, and keeps its data. The next time the loop may begin on the thief:
 *  then that worker spawns the other half. So the workers with the upper half of the numbers run the upper half of the loop
 *  first, and with two workers the data stay where they are. */
WSFJ_INLINE uint64_t wsfj_loop_child(struct wsfj_loop *wsfj_loop)
{
    const uint64_t wsfj_at = wsfj_loop->wsfj_at;

    if (WSFJ_LIKELY(wsfj_loop->wsfj_order != WSFJ_LOOP_UPPER_FIRST))
        return wsfj_at + wsfj_loop->wsfj_left - wsfj_loop->wsfj_push;
    wsfj_loop->wsfj_order = WSFJ_LOOP_LOWER_LAST;
    wsfj_loop->wsfj_at = wsfj_at + wsfj_loop->wsfj_push;
    return wsfj_at;
}

/** After the spawn of a child. `called`: whether it, and perhaps older ones, have run already, because there was no room.
 *  What is left of the older children is then no longer next to this piece: they stay in the deque until the sync. */
WSFJ_INLINE void wsfj_loop_pushed(struct wsfj_loop *wsfj_loop, int wsfj_called)
{
    wsfj_loop->wsfj_left -= wsfj_loop->wsfj_push;
    wsfj_loop->wsfj_size[wsfj_loop->wsfj_children++] = wsfj_loop->wsfj_push;
    if (WSFJ_UNLIKELY(wsfj_called)) {
        wsfj_loop->wsfj_children = 0;
        wsfj_loop->wsfj_order = WSFJ_LOOP_UPWARD;
    }
    wsfj_loop->wsfj_push = wsfj_loop_half(wsfj_loop);
}

/** The iterations of the next chunk. */
WSFJ_INLINE uint64_t wsfj_loop_next(const struct wsfj_loop *wsfj_loop)
{
    return wsfj_loop->wsfj_chunk < wsfj_loop->wsfj_left ? wsfj_loop->wsfj_chunk : wsfj_loop->wsfj_left;
}

#ifndef WSFJ_PROFILE /* which has no drivers */
/** After a chunk of `n` iterations. Returns whether there is more to do. */
WSFJ_INLINE int wsfj_loop_goes_on(struct wsfj_loop *wsfj_loop, struct wsfj_frame *wsfj_f, uint64_t wsfj_n)
{
    wsfj_loop->wsfj_at += wsfj_n;
    wsfj_loop->wsfj_left -= wsfj_n;
    wsfj_loop->wsfj_ran += wsfj_n;
    if (WSFJ_UNLIKELY(--wsfj_loop->wsfj_looks == 0))
        wsfj_loop_measure(wsfj_loop);
    if (WSFJ_UNLIKELY(wsfj_dropped(wsfj_f->wsfj_deque)) && !wsfj_loop->wsfj_site->wsfj_kept) {
        wsfj_loop->wsfj_left = 0; /* the children run at the sync, and find out for themselves */
        return 0;
    }
    if (WSFJ_UNLIKELY(wsfj_loop->wsfj_left == 0 || wsfj_asked(wsfj_f->wsfj_deque))) {
        wsfj_f->wsfj_top = wsfj_loop_turn(wsfj_loop, wsfj_f->wsfj_top);
        wsfj_f->wsfj_n = (size_t)(wsfj_f->wsfj_top - wsfj_f->wsfj_base);
    }
    return wsfj_loop->wsfj_left != 0;
}
#endif

/** Where slice k begins, of `count` slices of n iterations: the first n % count slices have one more. */
WSFJ_INLINE uint64_t wsfj_slice_at(uint64_t wsfj_n, uint64_t wsfj_count, uint64_t wsfj_k)
{
    const uint64_t wsfj_more = wsfj_n % wsfj_count;

    return wsfj_n / wsfj_count * wsfj_k + (wsfj_k < wsfj_more ? wsfj_k : wsfj_more);
}

#endif
