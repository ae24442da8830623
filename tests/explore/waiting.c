/* SPDX-License-Identifier: MIT */
#include "waiting.h"

#include "base/atomic.h"
#include "idle/wake.h"
#include "wait/table.h"

#include <string.h>

enum { WORDS = 32 };

static uint32_t words[WORDS];
static unsigned results[KEYS]; /* what a waker has done before it changes the word */
uint32_t *waiting_keys[KEYS];

static struct waiting {
    struct wsfj_node nodes[KEYS];
    struct wsfj_waiter waiter;
    bool gone; /* the fiber has left its stack */
} waiting[WAITERS];
static struct wsfj_stack *fibers[WAITERS];
static unsigned went_on, waiters, num_keys;
uint32_t waiting_reason;
bool waiting_disarms, waiting_stays;

/* Nobody sleeps: threads wait by the futex of their waiter. */
void wsfj_wake_notify(struct wsfj_worker *self)
{
    (void)self;
}

static bool is_zero(struct wsfj_node *node)
{
    return load_acquire((const uint32_t *)node->key) == 0;
}

/* In setup: the buckets of the two keys are one, or two. */
static void find_keys(bool same)
{
    struct wsfj_bucket *first;

    waiting_keys[0] = &words[0];
    waiting_keys[1] = NULL;
    first = wsfj_table_lock(waiting_keys[0]);
    wsfj_table_unlock(first);
    explore_shared(first, WSFJ_CACHE_LINE / 2);
    for (unsigned i = 1; i < WORDS; i++) {
        struct wsfj_bucket *bucket = wsfj_table_lock(&words[i]);

        wsfj_table_unlock(bucket);
        explore_shared(bucket, WSFJ_CACHE_LINE / 2);
        if ((bucket == first) == same && !waiting_keys[1])
            waiting_keys[1] = &words[i];
    }
    explore_must(waiting_keys[1], "no such key");
}

void waiting_start(unsigned n, unsigned of, bool same)
{
    wsfj_table_forget();
    memset(words, 0, sizeof words);
    memset(results, 0, sizeof results);
    memset(waiting, 0, sizeof waiting);
    explore_tick = 1;
    went_on = waiting_reason = 0;
    waiters = n;
    num_keys = of;
    waiting_disarms = true;
    waiting_stays = false;
    wsfj_timer_forget();
    find_keys(same);
    for (unsigned i = 0; i < WAITERS; i++)
        fibers[i] = explore_stack(i, WSFJ_MODE_NORMAL);
    explore_shared(words, sizeof words);
    explore_shared(results, sizeof results);
    explore_shared(waiting, sizeof waiting);
}

/* The memory is something else from here on. Not memset(), which is not seen as an access. */
static void reuse(void *memory, size_t size)
{
    volatile uint32_t *word = memory;

    for (size_t i = 0; i < size / sizeof *word; i++)
        word[i] = 0x55555555;
}

static void go_on(struct waiting *w)
{
    uint32_t state = waiting_disarms ? wsfj_waiter_disarm(&w->waiter) : WSFJ_WAIT_FIRST;

    if (state >= WSFJ_WAIT_FIRST) {
        explore_must(state < WSFJ_WAIT_FIRST + num_keys, "a reason that is none");
        explore_must(results[waiting_keys[state - WSFJ_WAIT_FIRST] != waiting_keys[0]] == 1,
                     "what is waited for has not come");
        if (!waiting_stays)
            *waiting_keys[state - WSFJ_WAIT_FIRST] = 2;
    } else {
        explore_must(state == WSFJ_WAIT_TIME, "a reason that is none");
    }
    waiting_reason = state;
    reuse(w, sizeof *w);
    went_on++;
}

void waiting_resume(struct wsfj_stack *s)
{
    while (s) {
        struct wsfj_stack *next = s->pool.next;
        struct waiting *w = &waiting[s != fibers[0]];

        explore_must(w->gone, "a fiber is resumed on a stack that is in use");
        w->gone = false;
        go_on(w);
        s = next;
    }
}

struct wsfj_waiter *waiting_prepare(bool fiber)
{
    unsigned n = waiters > 1 ? explore_self() : 0;
    struct waiting *w = &waiting[n];

    for (unsigned i = 0; i < num_keys; i++)
        w->nodes[i] = (struct wsfj_node){.key = waiting_keys[i],
                                         .must_wait = is_zero,
                                         .other = i + 1 < num_keys ? &w->nodes[i + 1] : NULL,
                                         .number = WSFJ_WAIT_FIRST + i};
    w->waiter = (struct wsfj_waiter){.stack = fiber ? fibers[n] : NULL, .state = WSFJ_WAIT_ARMING, .nodes = w->nodes};
    return &w->waiter;
}

void waiting_fiber(struct wsfj_waiter *waiter)
{
    struct waiting *w = WSFJ_CONTAINER(waiter, struct waiting, waiter);

    w->gone = true;
    if (!wsfj_waiter_arm(waiter)) {
        w->gone = false;
        go_on(w);
    }
}

void waiting_thread(struct wsfj_waiter *waiter, uint64_t until)
{
    if (wsfj_waiter_arm(waiter))
        wsfj_waiter_sleep(waiter, until);
    go_on(WSFJ_CONTAINER(waiter, struct waiting, waiter));
}

void waiting_as_fiber(void)
{
    waiting_fiber(waiting_prepare(true));
}

void waiting_as_thread(void)
{
    waiting_thread(waiting_prepare(false), WSFJ_FOREVER);
}

void waiting_do(unsigned key)
{
    results[key] = 1;
}

void waiting_change(unsigned key)
{
    waiting_do(key);
    store_release(waiting_keys[key], 1u);
    waiting_resume(wsfj_table_take(waiting_keys[key], UINT32_MAX));
}

void waiting_change_first(void)
{
    waiting_change(0);
}

void waiting_change_second(void)
{
    waiting_change(1);
}

void waiting_check(void)
{
    explore_must(went_on == waiters, "a waiter does not go on exactly once");
    for (unsigned i = 0; i < KEYS; i++) {
        struct wsfj_bucket *bucket = wsfj_table_lock(waiting_keys[i]);

        explore_must(!wsfj_table_next(bucket, waiting_keys[i], NULL), "a node stays in the table");
        wsfj_table_unlock(bucket);
    }
}
