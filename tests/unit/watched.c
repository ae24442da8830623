/* SPDX-License-Identifier: MIT */
/*
 * What a ThreadSanitizer in the program hears: lib/base/tsan.h, lib/arch/context.h, lib/task/pool.h. The one here only
 * counts. With the real one: tests/build/thread-sanitizer.sh.
 */
#include "base/tsan.h"

#include "../support/run.h"
#include "../support/sanitizer.h"
#include "arch/context.h"
#include "task/pool.h"
#include "task/stack.h"

#include <string.h>

#if WSFJ_TSAN
int main(void)
{
    return EXIT_SKIPPED; /* the real one is there */
}
#else
#define MOST 8000 /* gcc's dies at 8128 fibers */

static long made, destroyed, switches, wrong;
static char fibers[MOST + 1], thread;
static void *current = &thread;

void *__tsan_create_fiber(unsigned flags)
{
    wrong += flags != 0 || made >= MOST;
    return &fibers[__atomic_fetch_add(&made, 1, __ATOMIC_RELAXED)];
}

void __tsan_destroy_fiber(void *fiber)
{
    wrong += !fiber || fiber == current;
    destroyed++;
}

void *__tsan_get_current_fiber(void)
{
    return current;
}

void __tsan_switch_to_fiber(void *fiber, unsigned flags)
{
    wrong += flags != 0 || fiber == current;
    current = fiber;
    switches++;
}

static const void *released;

void __tsan_acquire(void *address)
{
    wrong += !address;
}

void __tsan_release(void *address)
{
    released = address;
}

static struct wsfj_context here, there;
static int entered;

static void entry(void *argument)
{
    wsfj_context_entered(&there);
    for (;;) {
        entered += current == there.fiber;
        wsfj_context_switch(&there, argument);
    }
}

/* Catches: a switch that is not told, or the wrong fiber; a slot that is released never, twice or by the loop, or
 * that was never set. */
START_TEST(each_switch_is_told)
{
    static __attribute__((aligned(16))) char memory[64 << 10];
    int slot;

    memset(&here, 0xff, sizeof here); /* a thread's lies on its stack */
    memset(&there, 0xff, sizeof there);
    wsfj_context_here(&here);
    wsfj_context_make(&there, memory, sizeof memory, entry, &here);
    wsfj_context_switch(&here, &there);
    ck_assert(entered == 1 && switches == 2 && current == &thread && !released);
    there.slot = &slot;
    wsfj_context_switch(&here, &there);
    ck_assert(entered == 2 && switches == 4 && current == &thread && released == &slot && !there.slot);
    wsfj_context_drop(&there);
    ck_assert(made == 1 && destroyed == 1 && wrong == 0);
}
END_TEST

/* Catches: more stacks than the sanitizer has fibers; fibers that stay. */
START_TEST(stacks_have_a_limit)
{
    struct wsfj_cache cache = {.free = NULL};
    long n = 0;

    wsfj_pool_start((size_t)64 << 10, false, _i ? 5 : 0, entry);
    while (n < MOST && wsfj_pool_take(&cache))
        n++;
    if (_i)
        ck_assert_int_eq(n, 5);
    else
        ck_assert(n > 1000 && n < MOST);
    wsfj_pool_stop();
    ck_assert(made == n && destroyed == n && wrong == 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("watched");

    tcase_add_test(tcase, each_switch_is_told);
    tcase_add_loop_test(tcase, stacks_have_a_limit, 0, 2);
    return run_case("watched", tcase);
}
#endif
