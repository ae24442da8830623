/* SPDX-License-Identifier: MIT */
/* Where a fault counts as a stack overflow, what the line says of it, and the stack of the handler: lib/signals/
 * stack_overflow.c. Neighbour: stress/faults.c, stacks that really overflow. */
#include "signals/stack_overflow.h"
#include "task/stack.h"

#include "../support/process.h"
#include "../support/resources.h"
#include "../support/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

/* The linker's names: __real_ is the C library's function, __wrap_ is called in its place. */
int __real_sigaltstack(const stack_t *stack, stack_t *before);
int __wrap_sigaltstack(const stack_t *stack, stack_t *before);
int __real_pthread_setspecific(pthread_key_t key, const void *value);
int __wrap_pthread_setspecific(pthread_key_t key, const void *value);

static bool refuses_stack, refuses_value;

int __wrap_sigaltstack(const stack_t *stack, stack_t *before)
{
    if (refuses_stack && stack && !(stack->ss_flags & SS_DISABLE)) {
        errno = ENOMEM;
        return -1;
    }
    return __real_sigaltstack(stack, before);
}

int __wrap_pthread_setspecific(pthread_key_t key, const void *value)
{
    return refuses_value && value ? ENOMEM : __real_pthread_setspecific(key, value);
}

#define STACK_SIZE ((size_t)192 << 10)

enum {
    FIRST_OF_GUARD,
    LAST_OF_PAGE,
    SECOND_PAGE,
    LAST_OF_GUARD,
    BELOW_GUARD,
    ABOVE_GUARD,
    OTHERS_GUARD,
    OUTSIDE,
    PLACES
};

static char *place(const struct wsfj_stack *s, long which)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    switch (which) {
    case FIRST_OF_GUARD: return s->memory.guard;
    case LAST_OF_PAGE: return s->memory.guard + page - 1;
    case SECOND_PAGE: return s->memory.guard + page;
    case LAST_OF_GUARD: return s->memory.low - 1;
    case ABOVE_GUARD: return s->memory.low;
    case OTHERS_GUARD: return wsfj_stack_make(STACK_SIZE, WSFJ_MODE_NORMAL)->memory.low - 1;
    case OUTSIDE: return s->memory.low - 1;
    default: return s->memory.guard - 1;
    }
}

static WS_TASK_VOID(touches, long, which)
{
    volatile char *at = place(wsfj_stack_of(wsfj_self()), which);

    if (which == BELOW_GUARD || which == ABOVE_GUARD) /* not by this library */
        (void)mprotect((char *)(((uintptr_t)at) & ~(uintptr_t)4095), 4096, PROT_NONE);
    *at = 1;
}

static int touch_one(long which)
{
    start_runtime(1, STACK_SIZE, WS_SPIN_DEFAULT);
    if (which == OUTSIDE)
        touches(which);
    return ws_run(touches, which) + 1;
}

/* On worker 1: the other one waits. */
static void touches_detached(void *unused)
{
    (void)unused;
    if (ws_worker_id() == 1)
        touches(FIRST_OF_GUARD);
    for (;;)
        pause();
}

static int touch_on_second(long unused)
{
    (void)unused;
    start_runtime(2, STACK_SIZE, WS_SPIN_DEFAULT);
    for (int i = 0; i < 2; i++)
        if (ws_submit(touches_detached, NULL))
            return 1;
    for (;;)
        pause();
}

/* Catches: a line that names the wrong part, another size or another worker; a fault beside the guard, in the guard of
 * another stack, or of a deque outside regions, that is taken for an overflow. */
START_TEST(the_line_names_the_part_that_is_used_up)
{
    struct outcome o = in_child(touch_one, _i);
    char expected[200] = "";

    if (_i < BELOW_GUARD)
        snprintf(expected, sizeof expected,
                 "libwsfj: stack overflow in a task on worker 0: %s of 192 KiB is used up; raise WSFJ_STACK_SIZE or "
                 "ws_config.stack_size\n",
                 _i < SECOND_PAGE ? "the deque for a stack" : "its stack");
    expect_death(&o, SIGSEGV);
    ck_assert_str_eq(o.text, expected);
}
END_TEST

/* Catches: a line that names the first worker in any case. */
START_TEST(the_line_names_the_worker)
{
    struct outcome o = in_child(touch_on_second, 0);

    expect_death(&o, SIGSEGV);
    ck_assert_ptr_nonnull(strstr(o.text, " in a task on worker 1: the deque "));
}
END_TEST

/* Whether the process may read the byte: the kernel tells, without a fault. */
static bool is_readable(const void *at)
{
    int ends[2];
    bool can_read;

    if (pipe(ends) != 0)
        abort();
    can_read = write(ends[1], at, 1) == 1;
    if (!can_read && errno != EFAULT)
        abort();
    close(ends[0]);
    close(ends[1]);
    return can_read;
}

static int found[2]; /* a bit for each error, of a worker's thread and of the program's own */

static void inspect(int *errors)
{
    stack_t now;

    *errors = 0;
    if (sigaltstack(NULL, &now) != 0 || now.ss_flags & SS_DISABLE)
        *errors = 1;
    else
        *errors = (now.ss_size < (size_t)64 << 10 ? 2 : 0) | (is_readable((char *)now.ss_sp - 1) ? 4 : 0) |
                  (!is_readable(now.ss_sp) || !is_readable((char *)now.ss_sp + now.ss_size - 1) ? 8 : 0);
}

static void inspect_worker(void *unused)
{
    (void)unused;
    inspect(&found[0]);
}

/* Catches: a signal stack without a guard, which a handler of the program overruns unseen; one that is smaller than it
 * says. */
START_TEST(the_handlers_stack_has_a_guard_below)
{
    ws_group group = WS_GROUP_INIT;

    start_runtime(1, 0, WS_SPIN_DEFAULT);
    ck_assert_int_eq(ws_group_submit(&group, inspect_worker, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    stop_runtime();
    wsfj_overflow_guard_thread();
    inspect(&found[1]);
    ck_assert_int_eq(found[0], 0);
    ck_assert_int_eq(found[1], 0);
    wsfj_overflow_stop();
    ck_assert(sigaltstack(NULL, &(stack_t){0}) == 0);
}
END_TEST

static int on_guest; /* the same, of a caller's thread while it runs its own task; -1: it has run none */

static WS_TASK_VOID(inspect_guest, pthread_t, caller)
{
    if (pthread_equal(pthread_self(), caller))
        inspect(&on_guest);
}

static void *call(void *unused)
{
    for (on_guest = -1; on_guest < 0; sched_yield()) /* until the worker sleeps */
        if (ws_run(inspect_guest, pthread_self()) != 0)
            break;
    return unused;
}

/* Catches: an overflow on a caller's thread without a line. */
START_TEST(callers_have_a_handlers_stack)
{
    pthread_t caller;

    start_runtime(1, 0, WS_SPIN_DEFAULT);
    ck_assert_int_eq(pthread_create(&caller, NULL, call, NULL), 0);
    ck_assert_int_eq(pthread_join(caller, NULL), 0);
    ck_assert_int_eq(on_guest, 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static char own[1 << 16];

static bool is_disabled(void)
{
    stack_t now;

    ck_assert_int_eq(sigaltstack(NULL, &now), 0);
    return now.ss_flags & SS_DISABLE;
}

static bool is_own(void)
{
    stack_t now;

    ck_assert_int_eq(sigaltstack(NULL, &now), 0);
    return now.ss_sp == own && !(now.ss_flags & SS_DISABLE);
}

static void *is_guarded(void *unused)
{
    wsfj_overflow_guard_thread();
    wsfj_overflow_guard_thread(); /* a second time: nothing */
    ck_assert(!is_disabled());
    ck_assert_int_eq(sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL), 0);
    wsfj_overflow_guard_thread(); /* it is still there */
    ck_assert(is_disabled());
    return unused;
}

static void *has_its_own(void *before)
{
    if (!before)
        wsfj_overflow_guard_thread();
    ck_assert_int_eq(sigaltstack(&(stack_t){.ss_sp = own, .ss_size = sizeof own}, NULL), 0);
    if (before)
        wsfj_overflow_guard_thread();
    ck_assert(is_own());
    return NULL;
}

static void in_threads(void *(*body)(void *), void *argument, int n)
{
    for (int i = 0; i < n; i++) {
        pthread_t thread;

        ck_assert_int_eq(pthread_create(&thread, NULL, body, argument), 0);
        ck_assert_int_eq(pthread_join(thread, NULL), 0);
    }
}

#define THREADS 50

/* Catches: a signal stack that stays when its thread ends, or when the runtime stops in it; one that is made twice, or
 * though the program has one; one of the program's that is taken away. */
START_TEST(each_signal_stack_goes_with_its_thread)
{
    size_t mapped;

    in_threads(is_guarded, NULL, 3); /* the C library keeps a thread's stack */
    mapped = status_field("VmSize");
    in_threads(is_guarded, NULL, THREADS);
    in_threads(has_its_own, NULL, THREADS);
    in_threads(has_its_own, own, THREADS);
    for (int i = 0; i < THREADS; i++) {
        wsfj_overflow_guard_thread();
        ck_assert(!is_disabled());
        wsfj_overflow_stop();
        ck_assert(is_disabled());
    }
    ck_assert_uint_lt(status_field("VmSize"), mapped + THREADS * 64);
    wsfj_overflow_guard_thread();
    ck_assert_int_eq(sigaltstack(&(stack_t){.ss_sp = own, .ss_size = sizeof own}, NULL), 0);
    wsfj_overflow_stop();
    ck_assert(is_own());
    wsfj_overflow_guard_thread();
    ck_assert(is_own());
}
END_TEST

static void *is_refused(void *unused)
{
    wsfj_overflow_guard_thread();
    ck_assert(is_disabled());
    return unused;
}

/* Catches: a signal stack that the thread cannot use, or cannot keep, and whose memory stays; one that is in use and whose
 * memory goes. */
START_TEST(a_refused_signal_stack_is_given_back)
{
    size_t mapped;

    in_threads(is_guarded, NULL, 3); /* the C library keeps a thread's stack */
    mapped = status_field("VmSize");
    refuses_stack = true;
    in_threads(is_refused, NULL, THREADS);
    refuses_stack = false;
    refuses_value = true;
    in_threads(is_refused, NULL, THREADS);
    ck_assert_uint_lt(status_field("VmSize"), mapped + THREADS * 64);
}
END_TEST

int main(void)
{
    TCase *tcase;

    if (SANITIZED)
        return EXIT_SKIPPED; /* the sanitizer's handler and its signal stack come first */
    tcase = new_case("overflow");
    tcase_add_loop_test(tcase, the_line_names_the_part_that_is_used_up, 0, PLACES);
    tcase_add_test(tcase, the_line_names_the_worker);
    tcase_add_test(tcase, the_handlers_stack_has_a_guard_below);
    tcase_add_test(tcase, callers_have_a_handlers_stack);
    ADD_TEST_UNLESS(emulated(NOT_OUR_MEMORY), tcase, each_signal_stack_goes_with_its_thread);
    ADD_TEST_UNLESS(emulated(NOT_OUR_MEMORY), tcase, a_refused_signal_stack_is_given_back);
    return run_case("overflow", tcase);
}
