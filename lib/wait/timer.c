/* SPDX-License-Identifier: MIT */
#include "wait/timer.h"

#include "arch/spin.h"

static uint32_t lock;
static struct wsfj_timer *root; /* the earliest */
uint64_t wsfj_timer_first = WSFJ_FOREVER;

void wsfj_timer_forget(void)
{
    store_relaxed(&lock, 0u);
    root = NULL;
    store_relaxed(&wsfj_timer_first, WSFJ_FOREVER);
}

/* One of two roots becomes the other's first child. Returns that other one. NULL: an empty heap. */
static struct wsfj_timer *meld(struct wsfj_timer *a, struct wsfj_timer *b)
{
    struct wsfj_timer *early, *late;

    if (!a || !b)
        return a ? a : b;
    early = b->at < a->at ? b : a;
    late = early == a ? b : a;
    late->before = early;
    late->next = early->child;
    if (late->next)
        late->next->before = late;
    early->child = late;
    return early;
}

/* Melds siblings, from the first on: in pairs, then the pairs from the last one back. */
static struct wsfj_timer *meld_siblings(struct wsfj_timer *first)
{
    struct wsfj_timer *pairs = NULL, *all = NULL;

    while (first) {
        struct wsfj_timer *a = first, *b = a->next, *pair;

        first = b ? b->next : NULL;
        a->next = NULL;
        if (b)
            b->next = NULL;
        pair = meld(a, b);
        pair->next = pairs;
        pairs = pair;
    }
    while (pairs) {
        struct wsfj_timer *pair = pairs;

        pairs = pair->next;
        pair->next = NULL;
        all = meld(all, pair);
    }
    return all;
}

/* The heap begins with another timer. Sequentially consistent: the lookout reads it after it has said until when it
 * sleeps (PARK-13). */
static void show_first(void)
{
    store_seq(&wsfj_timer_first, root ? root->at : WSFJ_FOREVER);
}

static void take_out(struct wsfj_timer *timer)
{
    struct wsfj_timer *rest = meld_siblings(timer->child);

    if (timer == root) {
        root = rest;
    } else {
        if (timer->before->child == timer)
            timer->before->child = timer->next;
        else
            timer->before->next = timer->next;
        if (timer->next)
            timer->next->before = timer->before;
        root = meld(root, rest);
    }
    timer->queued = false;
    if (load_relaxed(&wsfj_timer_first) == timer->at)
        show_first();
}

void wsfj_timer_add(struct wsfj_timer *timer)
{
    wsfj_spin_take(&lock);
    timer->child = timer->next = timer->before = NULL;
    timer->queued = true;
    root = meld(root, timer);
    if (root == timer)
        show_first();
    wsfj_spin_give(&lock);
}

void wsfj_timer_remove(struct wsfj_timer *timer)
{
    wsfj_spin_take(&lock);
    if (timer->queued)
        take_out(timer);
    wsfj_spin_give(&lock);
}

void wsfj_timer_expire(uint64_t now, void (*expired)(struct wsfj_timer *, void *), void *arg)
{
    if (load_relaxed(&wsfj_timer_first) > now)
        return;
    wsfj_spin_take(&lock);
    while (root && root->at <= now) {
        struct wsfj_timer *timer = root;

        take_out(timer);
        expired(timer, arg);
    }
    wsfj_spin_give(&lock);
}
