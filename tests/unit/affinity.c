/* SPDX-License-Identifier: MIT */
/* Sets of processors, and binding to processors that may have gone offline: lib/machine/affinity.h. */
#include "machine/affinity.h"

#include "../support/run.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* No machine has this processor: it stands for one that has gone offline. */
#define GONE 8000u

static cpu_set_t before;

static void read_mask(cpu_set_t *mask)
{
    CPU_ZERO(mask);
    ck_assert_int_eq(sched_getaffinity(0, sizeof *mask, mask), 0);
}

static unsigned last_of(const cpu_set_t *mask)
{
    unsigned last = 0;

    for (unsigned i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, mask))
            last = i;
    return last;
}

/* Catches: a set with a processor too many or too few. */
START_TEST(the_mask_is_the_kernels)
{
    struct wsfj_affinity affinity;

    read_mask(&before);
    ck_assert(wsfj_affinity_read(&affinity));
    ck_assert_int_eq((int)wsfj_affinity_count(&affinity), CPU_COUNT(&before));
    for (unsigned i = 0; i < CPU_SETSIZE; i++)
        ck_assert_int_eq(wsfj_affinity_has(&affinity, i), CPU_ISSET(i, &before) != 0);
    ck_assert(!wsfj_affinity_has(&affinity, UINT32_MAX));
    wsfj_affinity_free(&affinity);
    ck_assert(!wsfj_affinity_has(&affinity, 0));
    ck_assert_uint_eq(wsfj_affinity_count(&affinity), 0);
}
END_TEST

/* Catches: a set that ends where cpu_set_t does, or where the next one begins. */
START_TEST(a_set_may_have_any_number_of_processors)
{
    static const unsigned edges[] = {0, 63, 64, 1023, 1024, 2047};
    cpu_set_t sets[3];
    struct wsfj_affinity affinity = {.set = sets, .bytes = 2 * sizeof *sets, .end = 2 * CPU_SETSIZE};

    memset(sets, 0, sizeof sets);
    memset(&sets[2], 0xff, sizeof *sets); /* behind it */
    for (unsigned i = 0; i < sizeof edges / sizeof *edges; i++) {
        ck_assert(!wsfj_affinity_has(&affinity, edges[i]));
        CPU_SET_S(edges[i], affinity.bytes, sets);
        ck_assert(wsfj_affinity_has(&affinity, edges[i]));
        ck_assert_uint_eq(wsfj_affinity_count(&affinity), i + 1);
    }
    ck_assert(!wsfj_affinity_has(&affinity, 2 * CPU_SETSIZE));
}
END_TEST

/* Catches: a thread that dies, or runs where it did not run before, because its processor is gone. */
START_TEST(binding_to_a_processor_that_is_gone_changes_nothing)
{
    static const unsigned gone[] = {GONE, GONE + 1, 1000};
    cpu_set_t after;

    read_mask(&before);
    ck_assert(!wsfj_affinity_bind(gone, 3));
    ck_assert(!wsfj_affinity_bind(NULL, 0));
    read_mask(&after);
    ck_assert(CPU_EQUAL(&before, &after));
}
END_TEST

/* Catches: a set that is refused because of one processor, or cut off at 1024. */
START_TEST(binding_takes_what_is_left)
{
    unsigned cpus[] = {GONE, 0};
    cpu_set_t after;

    read_mask(&before);
    cpus[1] = last_of(&before);
    ck_assert(wsfj_affinity_bind(cpus, 2));
    read_mask(&after);
    ck_assert_int_eq(CPU_COUNT(&after), 1);
    ck_assert(CPU_ISSET(cpus[1], &after));
}
END_TEST

/* Catches: a mask that somebody else has set, taken for the library's; the library's own, taken for somebody else's. */
START_TEST(a_mask_is_given_until_somebody_changes_it)
{
    static struct wsfj_mask own, one;
    unsigned cpus[CPU_SETSIZE], n = 0;

    read_mask(&before);
    for (unsigned i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &before))
            cpus[n++] = i;
    ck_assert(wsfj_mask_read(&own, 0));
    ck_assert(!wsfj_affinity_is_given(&own));
    ck_assert(!wsfj_affinity_forget());
    ck_assert(wsfj_affinity_set(&own));
    ck_assert(wsfj_affinity_is_given(&own));
    CPU_SET_S(8191, sizeof own, own.sets);
    ck_assert(!wsfj_affinity_is_given(&own));
    CPU_CLR_S(8191, sizeof own, own.sets);
    ck_assert(wsfj_affinity_bind(cpus, 1));
    ck_assert(wsfj_mask_read(&one, 0));
    ck_assert(wsfj_affinity_is_given(&one));
    ck_assert(wsfj_affinity_is_given(&own) == (n == 1));
    ck_assert(wsfj_mask_within(&one, &own) && wsfj_mask_within(&own, &own));
    ck_assert(wsfj_mask_within(&own, &one) == (n == 1));
    ck_assert(wsfj_affinity_forget());
    ck_assert(!wsfj_affinity_forget());
    ck_assert(wsfj_affinity_bind(cpus, 1));
    ck_assert_int_eq(sched_setaffinity(0, sizeof before, &before), 0);
    ck_assert(wsfj_affinity_forget() == (n == 1));
}
END_TEST

static const cpu_set_t *soon; /* what another thread makes of a mask as soon as it is set; NULL: it stays */

/* The library's, too. */
int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *mask)
{
    int error = syscall(SYS_sched_setaffinity, 0, size, mask) ? errno : 0;

    ck_assert(pthread_equal(thread, pthread_self()));
    if (soon)
        ck_assert_int_eq(sched_setaffinity(0, sizeof *soon, soon), 0);
    return error;
}

/* Catches: a mask that the library reads back, and takes for its own, although another thread was quicker. */
START_TEST(a_mask_that_somebody_changes_at_once_is_not_given)
{
    static struct wsfj_mask all, own;
    cpu_set_t one;

    read_mask(&before);
    CPU_ZERO(&one);
    CPU_SET(last_of(&before), &one);
    ck_assert(wsfj_mask_read(&all, 0));
    soon = &one;
    ck_assert(wsfj_affinity_set(&all));
    soon = NULL;
    ck_assert(wsfj_mask_read(&own, 0));
    ck_assert_uint_eq(wsfj_mask_count(&own), 1);
    ck_assert(wsfj_affinity_is_given(&own) == (CPU_COUNT(&before) == 1));
}
END_TEST

static void *rest(void *tid)
{
    __atomic_store_n((pid_t *)tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    pause();
    return NULL;
}

/* Catches: a change of the caller's mask instead of the thread's; a processor that the thread did not have; one too
 * few. */
START_TEST(another_thread_is_narrowed_to_what_it_has)
{
    unsigned first = 0, last;
    pid_t tid = 0;
    pthread_t thread;
    cpu_set_t after;
    struct wsfj_mask mask, sum;

    read_mask(&before);
    last = last_of(&before);
    while (!CPU_ISSET(first, &before))
        first++;
    ck_assert_int_eq(pthread_create(&thread, NULL, rest, &tid), 0);
    while (!__atomic_load_n(&tid, __ATOMIC_ACQUIRE))
        sched_yield();
    ck_assert(wsfj_mask_read(&mask, tid));
    ck_assert_int_eq((int)wsfj_mask_count(&mask), CPU_COUNT(&before));

    unsigned own[] = {GONE, last}, all[CPU_SETSIZE], n = 0;

    for (unsigned i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &before))
            all[n++] = i;
    ck_assert(!wsfj_mask_narrow(&mask, tid, all, n)); /* no change */
    ck_assert(!wsfj_mask_narrow(&mask, tid, own, 1)); /* no processor would remain */
    ck_assert(!wsfj_mask_narrow(&mask, tid, NULL, 0));
    ck_assert(wsfj_mask_narrow(&mask, tid, own, 2) == (n > 1));
    ck_assert(wsfj_mask_read(&sum, tid));
    ck_assert_uint_eq(wsfj_mask_count(&sum), 1);
    ck_assert(!wsfj_mask_narrow(&sum, tid, &first, 1) || first == last); /* has been taken away */
    ck_assert(wsfj_mask_read(&sum, tid));
    ck_assert_uint_eq(wsfj_mask_count(&sum), 1);
    ck_assert(CPU_ISSET(last, &sum.sets[0]));

    wsfj_mask_add(&sum, &mask);
    ck_assert_uint_eq(wsfj_mask_count(&sum), n);
    wsfj_mask_add(&sum, &sum);
    ck_assert_uint_eq(wsfj_mask_count(&sum), n);
    read_mask(&after);
    ck_assert(CPU_EQUAL(&before, &after));
    ck_assert(!wsfj_mask_read(&sum, -1));
    pthread_cancel(thread);
    pthread_join(thread, NULL);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("affinity");

    tcase_add_test(tcase, the_mask_is_the_kernels);
    tcase_add_test(tcase, a_set_may_have_any_number_of_processors);
    tcase_add_test(tcase, binding_to_a_processor_that_is_gone_changes_nothing);
    tcase_add_test(tcase, binding_takes_what_is_left);
    tcase_add_test(tcase, a_mask_is_given_until_somebody_changes_it);
    tcase_add_test(tcase, a_mask_that_somebody_changes_at_once_is_not_given);
    tcase_add_test(tcase, another_thread_is_narrowed_to_what_it_has);
    return run_case("affinity", tcase);
}
