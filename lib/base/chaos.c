/* SPDX-License-Identifier: MIT */
#include "base/chaos.h"

#include "base/atomic.h"
#include "base/debug.h"
#include "base/lexer.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Of so many points one yields, and of so many one sleeps: rare enough for the suite to end, often enough that each
 * point of a protocol meets both thousands of times in it. */
#define YIELDS_ONE_IN 8
#define SLEEPS_ONE_IN 512
#define SLEEP_NS 20000

void (*wsfj_chaos_too)(void);

static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Set once, then constant. */
static uint64_t seed;
static bool is_own;

uint64_t wsfj_chaos_mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u; /* the end of SplitMix64 */

    x = (x ^ x >> 29) * 0x94d049bb133111ebu;
    return x ^ x >> 32;
}

static void read_seed(void)
{
    const char *text = secure_getenv("WSFJ_CHAOS_SEED"), *at = text;
    struct timespec now;

    if (text && *text && wsfj_lexer_number(&at, UINT64_MAX, &seed) && wsfj_lexer_end(&at))
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    seed = wsfj_chaos_mix((uint64_t)now.tv_nsec, (uint64_t)getpid()) % 1000000; /* short: to be typed again */
    is_own = true;
    if (text && *text)
        wsfj_say("WSFJ_CHAOS_SEED=%.80s makes no sense (expected a number); using %llu", text,
                 (unsigned long long)seed);
}

uint64_t wsfj_chaos_seed(void)
{
    pthread_once(&once, read_seed);
    return seed;
}

bool wsfj_chaos_seed_is_own(void)
{
    pthread_once(&once, read_seed);
    return is_own;
}

/* Not inlined, also when linked: `state` is looked up anew each time, for its caller may be on another thread by then. Not
 * checked: it is that of all strands of this thread, whose start a checker does not order before them. */
__attribute__((noinline, no_sanitize("thread"))) void wsfj_chaos(void)
{
    static uint64_t threads;
    static __thread uint64_t state;
    uint64_t drawn = load_relaxed(&state);

    /* Threads draw in an order of their own each, so that a seed repeats what can be repeated. */
    if (!drawn)
        drawn = wsfj_chaos_mix(wsfj_chaos_seed(), add_relaxed(&threads, 1)) | 1;
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    store_relaxed(&state, drawn | 1);
    if ((drawn >> 32) % YIELDS_ONE_IN == 0)
        sched_yield();
    else if ((drawn >> 32) % SLEEPS_ONE_IN == 1)
        nanosleep(&(struct timespec){0, SLEEP_NS}, NULL);
    if (wsfj_chaos_too)
        wsfj_chaos_too();
}
