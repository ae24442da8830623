/* SPDX-License-Identifier: MIT */
#include "core/join.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "base/debug.h"
#include "blocking/blocking.h"
#include "core/fiber.h"
#include "core/preempt.h"
#include "core/worker.h"
#include "task/deque.h"

#include <string.h>

/* The word of a line (include/wsfj/inline/abi.h): kind (bits 00), DONE (bit 0 set), waiting parent (bits 10). */
#define WORD_DONE 1u
#define WORD_JOIN 2u

/* A full loop calls so many children before it spawns again: the way out of line costs some 100 ns. */
#define CALLED_AT_ONCE 64

struct wsfj_stack *wsfj_join_arrive(struct wsfj_stack *parent, uint64_t n)
{
    wsfj_chaos();
    /* Release: our results for the parent. Acquire: the last one hands on everybody's results. */
    return sub_acq_rel(&parent->join, n) == n ? parent : NULL;
}

struct wsfj_stack *wsfj_join_finish(struct wsfj_line *line, const struct wsfj_kind *kind)
{
    wsfj_chaos();

    /* JOIN-1: both sides exchange, so the second one sees what the first did. Our last touch of the line. */
    uintptr_t old = swap_acq_rel(&line->word, wsfj_word_done(kind));

    if (!(old & WORD_JOIN))
        return NULL;
    return wsfj_join_arrive((struct wsfj_stack *)(old & ~(uintptr_t)WORD_JOIN), 1);
}

/* JOIN-2: registers the parent with every child in [base, line]; how many of them are done already. */
static uint64_t announce(struct wsfj_stack *own, struct wsfj_line *base, struct wsfj_line *line)
{
    uint64_t done = 0;

    for (struct wsfj_line *l = line; l >= base; l--) {
        uintptr_t word = load_acquire(&l->word);

        wsfj_chaos();
        /* A failed exchange has seen DONE, acquire: the result is visible. */
        if (word & WORD_DONE || !cas_acq_rel(&l->word, &word, (uintptr_t)own | WORD_JOIN))
            done++;
    }
    return done;
}

static struct wsfj_stack *left(struct wsfj_stack *own)
{
    return wsfj_join_arrive(own, 1);
}

/* Waits for the stolen children in [base, line], without occupying the worker. */
static void wait_for(struct wsfj_stack *own, struct wsfj_line *base, struct wsfj_line *line)
{
    uint64_t n = (uint64_t)(line - base) + 1;
    uint64_t done;

    store_relaxed(&own->join, n + 1); /* counted before announced */
    done = announce(own, base, line);

    if (done == n)
        return;
    if (done && sub_acq_rel(&own->join, done) == done + 1)
        return; /* the others have arrived meanwhile */

    wsfj_blocking_return(own);

    struct wsfj_worker *w = load_relaxed(&own->worker);

    WSFJ_EVENT(w, suspend, 0, load_relaxed(&own->number), (uint32_t)(n - done), 0);
    wsfj_stack_lives(own, WSFJ_LIFE_JOIN);
    /* JOIN-3: our own unit is given up by the scheduler's loop, after this stack is left. */
    wsfj_strand_leave(own, left);
    (void)load_acquire(&own->join); /* all results: whoever resumed us has them already, this strand now too */
}

WSFJ_EXPORT void wsfj_line_fetch(struct wsfj_line *line, void *rp)
{
    size_t size = line->word >> 2;

    if (rp && size)
        memcpy(rp, line->word & 2u ? (void *)(uintptr_t)line->args[0] : (void *)line->args, size);
}

/* All of [base, line] is stolen: waits for it, brings all results but that of `line` home, and empties the deque. */
static void collect(struct wsfj_stack *own, struct wsfj_line *base, struct wsfj_line *line)
{
    char *area = NULL;

    wait_for(own, base, line);
    for (struct wsfj_line *l = line; l >= base; l--) {
        if (l < line)
            wsfj_line_fetch(l, l->rp);
        if (l->word & 2u)
            area = (char *)(uintptr_t)l->args[0];
    }
    if (area)
        own->head.area = area;
    wsfj_deque_rebase(own, base);
    wsfj_blocking_again(own);
}

WSFJ_EXPORT int wsfj_sync_slow(struct wsfj_head *head, struct wsfj_line *base, struct wsfj_line *line)
{
    struct wsfj_stack *own = wsfj_stack_of(head);

    if (wsfj_preempt_is_asked(own) && !own->lender) {
        wsfj_publish_tail(head, line + 1); /* PREEMPT-1: a thief may take the child while we are away */
        wsfj_preempt_give_way(own);
        wsfj_publish_tail(head, line);
    }
    if (wsfj_deque_reclaim(own, line))
        return 1;

    collect(own, base, line);
    return 0;
}

WSFJ_EXPORT void wsfj_leave_slow(struct wsfj_head *head, struct wsfj_line *base, size_t n)
{
    for (size_t i = 0; i < n; i++)
        base[i].rp = NULL; /* the variables are gone: results are dropped */
    for (; n; n--) {
        struct wsfj_line *line = base + (n - 1);

        wsfj_publish_tail(head, line);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (line < load_relaxed(&head->exposed) && !wsfj_sync_slow(head, base, line))
            return;
        wsfj_exec_any(head, line, line, NULL);
    }
}

WSFJ_EXPORT void wsfj_leave_named(struct wsfj_head *head, struct wsfj_line *base, size_t n, const char *task)
{
    for (size_t i = 0; i < n; i++) {
        uintptr_t word = load_relaxed(&base[i].word);

        if (word & WORD_DONE ? word >> 2 : ((const struct wsfj_kind *)word)->result_size) {
            wsfj_say("%s returned without ws_sync(): results of its children are dropped", task);
            break;
        }
    }
    wsfj_leave_slow(head, base, n);
}

/* The owner pops `line` for itself: false if it is stolen. */
static bool take_back(struct wsfj_stack *own, struct wsfj_line *line)
{
    wsfj_publish_tail(&own->head, line);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return line >= load_relaxed(&own->head.exposed) || wsfj_deque_reclaim(own, line);
}

WSFJ_EXPORT int wsfj_spawn_full(struct wsfj_head *head, struct wsfj_line *base, struct wsfj_line *tail)
{
    struct wsfj_stack *own = wsfj_stack_of(head);
    struct wsfj_line *line = tail - 1;

    wsfj_spawn_slow(head, tail);
    if (tail <= own->soft)
        return 0;
    if (wsfj_preempt_is_asked(own) && !own->lender)
        wsfj_preempt_give_way(own); /* PREEMPT-1: a loop may sync only after its end. Here the tail need not be raised */
    /* The newest children run as ordinary parallel calls; several, so that the loop does not come here for each. */
    for (int called = 0; called < CALLED_AT_ONCE; called++, line--) {
        if (line < base)
            return 1;
        if (!take_back(own, line)) {
            wsfj_publish_tail(head, line + 1);
            break;
        }
        wsfj_exec_any(head, line, line, line->rp);
    }
    if (line + 1 < tail)
        return 1;
    /* Stolen, and so are all older ones. It stays until the sync, unless many have stayed: then the loop waits here and
     * starts again at its base. */
    if (tail <= own->full)
        return 0;
    wsfj_publish_tail(head, line);
    collect(own, base, line);
    wsfj_line_fetch(line, line->rp);
    return 1;
}

extern __typeof__(wsfj_sync_slow) wsfj_sync_slow_local
    __attribute__((alias("wsfj_sync_slow"), visibility("hidden"), used));
extern __typeof__(wsfj_spawn_full) wsfj_spawn_full_local
    __attribute__((alias("wsfj_spawn_full"), visibility("hidden"), used));
