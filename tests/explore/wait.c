/* SPDX-License-Identifier: MIT */
/*
 * The wait table (WAIT-1 to WAIT-4): fibers and threads wait for words that other threads change, for one word or for the
 * first of two, and until a timer claims them. Each waiter goes on exactly once, for a reason that is true, and with what its
 * waker has done. From then on its record and the word are memory for something else, so that a later touch is a race.
 *
 * A fiber is played: the thread that arms it is its loop, and the thread that resumes it goes on for it. Real ones: group.c.
 */
#include "stacks.h"

#include "base/atomic.h"
#include "idle/wake.h"
#include "wait/table.h"

#include <string.h>

enum { WORDS = 32, KEYS = 2, WAITERS = 2 };

static uint32_t words[WORDS];
static unsigned results[KEYS]; /* what a waker has done before it changes the word */
static uint32_t *keys[KEYS];

static struct waiting {
    struct wsfj_node nodes[KEYS];
    struct wsfj_waiter waiter;
    bool gone; /* the fiber has left its stack */
} waiting[WAITERS];
static struct wsfj_stack *fibers[WAITERS];
static unsigned went_on, waiters, num_keys;
static uint32_t reason, claimed; /* why the last waiter went on; as what a waker has claimed it, or 0 */
static bool disarms;             /* waiters take out their nodes */
static bool stays;               /* what they wait for is not used for something else */

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

    keys[0] = &words[0];
    keys[1] = NULL;
    first = wsfj_table_lock(keys[0]);
    wsfj_table_unlock(first);
    explore_shared(first, WSFJ_CACHE_LINE / 2);
    for (unsigned i = 1; i < WORDS; i++) {
        struct wsfj_bucket *bucket = wsfj_table_lock(&words[i]);

        wsfj_table_unlock(bucket);
        explore_shared(bucket, WSFJ_CACHE_LINE / 2);
        if ((bucket == first) == same && !keys[1])
            keys[1] = &words[i];
    }
    explore_must(keys[1], "no such key");
}

static void start(unsigned n, unsigned of, bool same)
{
    wsfj_table_forget();
    memset(words, 0, sizeof words);
    memset(results, 0, sizeof results);
    memset(waiting, 0, sizeof waiting);
    explore_tick = 1;
    went_on = reason = claimed = 0;
    waiters = n;
    num_keys = of;
    disarms = true;
    stays = false;
    wsfj_timer_forget();
    find_keys(same);
    for (unsigned i = 0; i < WAITERS; i++)
        fibers[i] = explore_stack(i, WSFJ_MODE_NORMAL);
    explore_shared(words, sizeof words);
    explore_shared(results, sizeof results);
    explore_shared(waiting, sizeof waiting);
}

static void start_one(void)
{
    start(1, 1, false);
}

static void start_first_of_two(void)
{
    start(1, 2, explore_choose(2));
}

/* Two nodes in one queue. */
static void start_twice(void)
{
    start(1, 2, false);
    keys[1] = keys[0];
}

static void start_two_waiters(void)
{
    start(2, 1, false);
    stays = true;
}

/* As ws_group_wait(). */
static void start_plain(void)
{
    start(1, 1, false);
    disarms = false;
}

static void prepare(struct waiting *w, struct wsfj_stack *s)
{
    for (unsigned i = 0; i < num_keys; i++)
        w->nodes[i] = (struct wsfj_node){.key = keys[i],
                                         .must_wait = is_zero,
                                         .other = i + 1 < num_keys ? &w->nodes[i + 1] : NULL,
                                         .number = WSFJ_WAIT_FIRST + i};
    w->waiter = (struct wsfj_waiter){.stack = s, .state = WSFJ_WAIT_ARMING, .nodes = w->nodes};
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
    uint32_t state = disarms ? wsfj_waiter_disarm(&w->waiter) : WSFJ_WAIT_FIRST;

    if (state >= WSFJ_WAIT_FIRST) {
        explore_must(state < WSFJ_WAIT_FIRST + num_keys, "a reason that is none");
        explore_must(results[keys[state - WSFJ_WAIT_FIRST] != keys[0]] == 1, "what is waited for has not come");
        if (!stays)
            *keys[state - WSFJ_WAIT_FIRST] = 2;
    } else {
        explore_must(state == WSFJ_WAIT_TIME, "a reason that is none");
    }
    reason = state;
    reuse(w, sizeof *w);
    went_on++;
}

static void resume(struct wsfj_stack *s)
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

static void wait_as_fiber(void)
{
    unsigned i = waiters > 1 ? explore_self() : 0;
    struct waiting *w = &waiting[i];

    prepare(w, fibers[i]);
    w->gone = true;
    if (!wsfj_waiter_arm(&w->waiter)) {
        w->gone = false;
        go_on(w);
    }
}

static void wait_as_thread(void)
{
    struct waiting *w = &waiting[waiters > 1 ? explore_self() : 0];

    prepare(w, NULL);
    if (wsfj_waiter_arm(&w->waiter))
        wsfj_waiter_sleep(&w->waiter, WSFJ_FOREVER);
    go_on(w);
}

/* The deadline may be before or behind the change. */
static void wait_until(void)
{
    struct waiting *w = &waiting[0];

    prepare(w, NULL);
    if (wsfj_waiter_arm(&w->waiter))
        wsfj_waiter_sleep(&w->waiter, wsfj_now() + 2);
    go_on(w);
}

static void wait_as_fiber_with_timer(void)
{
    struct waiting *w = &waiting[0];

    prepare(w, fibers[0]);
    w->waiter.timed = true;
    w->waiter.timer.at = 1;
    w->gone = true;
    if (!wsfj_waiter_arm(&w->waiter)) {
        w->gone = false;
        go_on(w);
    }
}

static void change(unsigned key)
{
    results[key] = 1;
    store_release(keys[key], 1u);
    resume(wsfj_table_take(keys[key], UINT32_MAX));
}

static void change_first(void)
{
    change(0);
}

static void change_second(void)
{
    change(1);
}

/* As wsfj_table_take(), by a waker that wants to know whom it has woken. */
static void change_and_count(void)
{
    struct wsfj_woken woken = {NULL, NULL, 0, NULL};
    struct wsfj_bucket *bucket;
    struct wsfj_node *node;

    results[0] = 1;
    store_release(keys[0], 1u);
    bucket = wsfj_table_lock(keys[0]);
    node = wsfj_table_next(bucket, keys[0], NULL);
    if (node && wsfj_table_claim(bucket, node, &woken))
        claimed = WSFJ_WAIT_FIRST;
    wsfj_table_unlock(bucket);
    explore_must(!wsfj_table_wake(&woken), "a fiber is resumed, but none waits");
}

static void expire(void)
{
    struct wsfj_woken woken = {NULL, NULL, 0, NULL};

    wsfj_table_expire(1, &woken);
    resume(wsfj_table_wake(&woken));
}

static void all_went_on(void)
{
    explore_must(went_on == waiters, "a waiter does not go on exactly once");
    explore_must(!claimed || reason == claimed, "a waiter goes on for another reason than it is claimed for");
    for (unsigned i = 0; i < KEYS; i++) {
        struct wsfj_bucket *bucket = wsfj_table_lock(keys[i]);

        explore_must(!wsfj_table_next(bucket, keys[i], NULL), "a node stays in the table");
        wsfj_table_unlock(bucket);
    }
}

#define LOCK "wsfj_spin_take", "exchange", "lock"
#define UNLOCK "wsfj_spin_give", "store", "lock"
#define CLAIM "claim", "cas", "&waiter->state"
#define ARM "wsfj_waiter_arm", "cas", "&waiter->state"

static const struct explore_mutant fiber[] = {
    {"no lock (WAIT-1)", LOCK, EXPLORE_SKIP, 0},
    {"the lock is taken without an acquire (WAIT-1)", LOCK, EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"the lock is given back relaxed (WAIT-1)", UNLOCK, EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the lock is taken in two steps (WAIT-1)", LOCK, EXPLORE_SPLIT, 0},
    {"the word changes after the waiters are taken (WAIT-1)", "change", "store", "keys[key]", EXPLORE_LATE, 2},
    {"a waker claims in two steps (WAIT-2)", CLAIM, EXPLORE_SPLIT, 0},
    {"a waker claims without a release (WAIT-3)", CLAIM, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"a waker does not claim (WAIT-2)", CLAIM, EXPLORE_SKIP, 0},
    {"the fiber waits in two steps (WAIT-2)", ARM, EXPLORE_SPLIT, 0},
    {"the fiber waits without a release (WAIT-2)", ARM, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {NULL}};

static const struct explore_mutant thread[] = {
    {"no lock (WAIT-1)", LOCK, EXPLORE_SKIP, 0},
    {"the word changes after the waiters are taken (WAIT-1)", "change", "store", "keys[key]", EXPLORE_LATE, 2},
    {"a waker claims in two steps (WAIT-2)", CLAIM, EXPLORE_SPLIT, 0},
    {"a waker claims without a release (WAIT-3)", CLAIM, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"the thread waits in two steps (WAIT-2)", ARM, EXPLORE_SPLIT, 0},
    {"nobody is woken", "wsfj_futex_wake", "syscall", "SYS_futex", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant plain[] = {
    {"the thread sees the claim without an acquire (WAIT-3)", "wsfj_waiter_sleep", "load", "&waiter->state",
     EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the thread finds the claim without an acquire (WAIT-3)", ARM, EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {NULL}};

static const struct explore_mutant first_of_two[] = {
    {"no lock (WAIT-4)", LOCK, EXPLORE_SKIP, 0},
    {"the lock is given back relaxed (WAIT-4)", UNLOCK, EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"a waker claims in two steps (WAIT-2)", CLAIM, EXPLORE_SPLIT, 0},
    {"a waker claims without a release (WAIT-3)", CLAIM, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"the waiter waits in two steps (WAIT-2)", ARM, EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant many[] = {{"no lock (WAIT-1)", LOCK, EXPLORE_SKIP, 0},
                                             {"a waker claims in two steps (WAIT-2)", CLAIM, EXPLORE_SPLIT, 0},
                                             {NULL}};

static const struct explore_mutant timers[] = {
    {"a claim in two steps (WAIT-2)", CLAIM, EXPLORE_SPLIT, 0},
    {"the fiber waits without a release (WAIT-2)", ARM, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"the fiber waits in two steps (WAIT-2)", ARM, EXPLORE_SPLIT, 0},
    {"the timers have no lock (WAIT-4)", "wsfj_spin_take", "exchange", "lock", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant deadlines[] = {
    {"the thread gives up in two steps (WAIT-2)", "wsfj_waiter_sleep", "cas", "&waiter->state", EXPLORE_SPLIT, 0},
    {"the thread does not give up", "wsfj_waiter_sleep", "cas", "&waiter->state", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"a fiber", start_one, {wait_as_fiber, change_first}, all_went_on, {3, 2}, {4, 3}, fiber},
    {"a thread", start_one, {wait_as_thread, change_first}, all_went_on, {3, 2}, {4, 3}, thread},
    {"a thread, one thing", start_plain, {wait_as_thread, change_first}, all_went_on, {3, 2}, {4, 3}, plain},
    {"a fiber, the first of two",
     start_first_of_two,
     {wait_as_fiber, change_first, change_second},
     all_went_on,
     {2, 1},
     {3, 1},
     first_of_two},
    {"a thread, the first of two",
     start_first_of_two,
     {wait_as_thread, change_first, change_second},
     all_went_on,
     {2, 1},
     {3, 1},
     first_of_two},
    {"a thread, one thing twice", start_twice, {wait_as_thread, change_first}, all_went_on, {3, 1}, {4, 2}, many},
    {"two fibers", start_two_waiters, {wait_as_fiber, wait_as_fiber, change_first}, all_went_on, {2, 1}, {3, 1}, many},
    {"two threads", start_two_waiters, {wait_as_thread, wait_as_thread, change_first}, all_went_on, {2, 1}, {3, 1}, many},
    {"a fiber with a timer",
     start_first_of_two,
     {wait_as_fiber_with_timer, change_first, expire},
     all_went_on,
     {2, 1},
     {3, 1},
     timers},
    {"a thread with a deadline", start_one, {wait_until, change_and_count}, all_went_on, {3, 2}, {4, 3}, deadlines},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
