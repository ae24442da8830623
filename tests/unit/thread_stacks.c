/* SPDX-License-Identifier: MIT */
/* Stacks for many threads in one mapping: lib/base/thread.h. Neighbour: user/fork, the same in the child of a fork. */
#include "base/thread.h"

#include "../support/process.h"
#include "../support/run.h"
#include "../support/sanitizer.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum { THREADS = 4 };
#define STACK ((size_t)256 << 10)
#define USED ((size_t)200 << 10) /* sanitizers use stack, too */

static struct wsfj_thread_stacks stacks;
static char *lowest[THREADS];

/* Uses most of the stack. */
static void *use(void *number)
{
    char room[USED];

    memset(room, 1, sizeof room);
    __asm__ volatile("" : : "r"(room) : "memory");
    lowest[(uintptr_t)number] = room;
    return NULL;
}

static void run_on(unsigned i, void *(*function)(void *), void *argument)
{
    pthread_t thread;

    ck_assert_int_eq(wsfj_thread_make_on(&stacks, i, &thread, function, argument), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

static bool is_mapped(const void *address)
{
    return msync((void *)(uintptr_t)address, 1, MS_ASYNC) == 0;
}

/* Catches: a stack that is too small, or of another thread; memory that stays mapped. */
START_TEST(each_thread_has_its_stack)
{
    char *map;

    ck_assert(wsfj_thread_stacks_map(&stacks, THREADS, STACK));
    map = stacks.map;
    for (uintptr_t i = 0; i < THREADS; i++)
        run_on((unsigned)i, use, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        ck_assert(lowest[i] > map + i * stacks.each && lowest[i] + USED < map + (i + 1) * stacks.each);
    ck_assert(is_mapped(map));
    wsfj_thread_stacks_unmap(&stacks);
    ck_assert_ptr_null(stacks.map);
    for (size_t i = 0; i < THREADS; i++)
        ck_assert(!is_mapped(map + i * stacks.each));
    wsfj_thread_stacks_unmap(&stacks);
}
END_TEST

/* Writes from a local variable downwards: through the stack, the guard and the stack below. */
static void *fall(void *unused)
{
    volatile char *at = (volatile char *)&unused;

    for (size_t i = 0; i < stacks.each; i++)
        at[-(ptrdiff_t)i] = 0;
    return NULL;
}

static int overflow(long unused)
{
    pthread_t thread;

    (void)unused;
    if (!wsfj_thread_stacks_map(&stacks, THREADS, STACK) || wsfj_thread_make_on(&stacks, 1, &thread, fall, NULL) != 0)
        return 1;
    pthread_join(thread, NULL);
    return 2;
}

/* Catches: a stack without a guard, which overflows into the one below. */
START_TEST(an_overflow_ends_the_process)
{
    struct outcome o = in_child(overflow, 0);

    ck_assert_msg(WIFSIGNALED(o.status) && WTERMSIG(o.status) == SIGSEGV, "status %x", (unsigned)o.status);
}
END_TEST

static void *forget(void *copy)
{
    wsfj_thread_stacks_forget(copy);
    return NULL;
}

/* Catches: a child of a fork that unmaps the stack on which it runs, or that runs on none of the stacks and keeps them. */
START_TEST(only_the_stacks_of_the_thread_that_forgets_stay)
{
    struct wsfj_thread_stacks copy;

    ck_assert(wsfj_thread_stacks_map(&stacks, THREADS, STACK));
    copy = stacks;
    run_on(_i ? THREADS - 1 : 0, forget, &copy);
    ck_assert_ptr_null(copy.map);
    ck_assert(is_mapped(stacks.map));
    copy = stacks;
    wsfj_thread_stacks_forget(&copy);
    ck_assert_ptr_null(copy.map);
    ck_assert(!is_mapped(stacks.map));
    wsfj_thread_stacks_forget(&copy); /* there are none */
}
END_TEST

/* Catches: a mapping that the kernel has refused and that counts as made. */
START_TEST(too_many_are_refused)
{
    ck_assert(!wsfj_thread_stacks_map(&stacks, UINT32_MAX, (size_t)1 << 30));
    ck_assert_ptr_null(stacks.map);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("thread_stacks");

    tcase_add_test(tcase, each_thread_has_its_stack);
    ADD_TEST_UNLESS(SANITIZED ? "a sanitizer reports the overflow" : NULL, tcase, an_overflow_ends_the_process);
    tcase_add_loop_test(tcase, only_the_stacks_of_the_thread_that_forgets_stay, 0, 2);
    ADD_TEST_UNLESS(SANITIZED ? "a sanitizer has an allocator of its own" : NULL, tcase, too_many_are_refused);
    return run_case("thread_stacks", tcase);
}
