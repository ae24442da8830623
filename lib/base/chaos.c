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

/* How many points there are to one that yields, and to one that sleeps. Rare enough for the test suite to end; often
 * enough that each point of a protocol meets both thousands of times in the suite. */
#define YIELDS_ONE_IN 8
#define SLEEPS_ONE_IN 512
#define SLEEP_NS 20000
#ifndef WSFJ_CHAOS_DELAY
#define WSFJ_CHAOS_DELAY(call) ((void)(call)) /* the simulator notes that the thread is in the middle of something */
#endif

void (*wsfj_chaos_too)(void);

static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Set once, then constant. */
static uint64_t seed;
static bool is_own;

uint64_t wsfj_chaos_mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u; /* the final steps of SplitMix64 */

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
    seed = wsfj_chaos_mix((uint64_t)now.tv_nsec, (uint64_t)getpid()) % 1000000; /* short enough to type again */
    is_own = true;
    if (text && *text)
        wsfj_say("invalid value WSFJ_CHAOS_SEED=%.80s (expected a number); using %llu", text, (unsigned long long)seed);
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

/* Never inlined, not even by the linker: the caller's fiber may have moved to another thread, and each call must look
 * up `state` anew. Not checked by ThreadSanitizer: all fibers of a thread share its `state`. */
__attribute__((noinline, no_sanitize("thread"))) void wsfj_chaos(void)
{
    static uint64_t threads;
    static __thread uint64_t state;
    const struct timespec pause = {0, SLEEP_NS};
    uint64_t drawn = load_relaxed(&state);

    /* Each thread draws a sequence of its own: a seed repeats as much as can be repeated. */
    if (!drawn)
        drawn = wsfj_chaos_mix(wsfj_chaos_seed(), add_relaxed(&threads, 1)) | 1;
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    store_relaxed(&state, drawn | 1);
    if ((drawn >> 32) % YIELDS_ONE_IN == 0)
        WSFJ_CHAOS_DELAY(sched_yield());
    else if ((drawn >> 32) % SLEEPS_ONE_IN == 1)
        WSFJ_CHAOS_DELAY(nanosleep(&pause, NULL));
    if (wsfj_chaos_too)
        wsfj_chaos_too();
}
