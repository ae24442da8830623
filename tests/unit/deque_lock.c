/* SPDX-License-Identifier: MIT */
/* Waiting for a deque's lock: lib/arch/spin.h. Neighbours: deque_owner.c, the owner's work under the lock; one_deque.h,
 * the fixture. */
#include "task/stack.h"
#include "one_deque.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

static int is_held, owner_comes;

/* Holds the lock. The owner takes this thread's only processor away before the thread can release the lock. */
static void *hold(void *unused)
{
    (void)unused;
    stack->lock = 1;
    store_release(&is_held, 1);
    while (!load_acquire(&owner_comes))
        ;
    store_release(&stack->lock, 0);
    return NULL;
}

/* Binds this thread, and its later threads, to the processor on which it runs. */
static bool stay_here(void)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET((unsigned)sched_getcpu() % CPU_SETSIZE, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

/* How often this thread has given up its processor to sleep. */
static long sleeps(void)
{
    struct rusage usage;

    ck_assert_int_eq(getrusage(RUSAGE_THREAD, &usage), 0);
    return usage.ru_nvcsw;
}

/* Catches: an owner with a real-time policy that only spins or yields. The thief that holds the lock then gets no
 * processor until the kernel's throttle stops the owner after a second, or, without the throttle, never. */
START_TEST(a_real_time_owner_lets_the_holder_of_the_lock_go_on)
{
    pthread_t holder;
    long before;
    bool got;

    start(WSFJ_MODE_NORMAL);
    push(2);
    ck_assert_int_eq(wsfj_deque_expose(stack, stack->deque.wsfj_tail), WSFJ_EXPOSE_DONE);
    ck_assert(pop()); /* the private task */
    ck_assert(stay_here());
    ck_assert_int_eq(pthread_create(&holder, NULL, hold, NULL), 0);
    while (!load_acquire(&is_held))
        sched_yield();
    if (sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1}) != 0) {
        printf("skipped: no real-time policy is allowed here\n");
        store_release(&owner_comes, 1);
        pthread_join(holder, NULL);
        stop();
        return;
    }
    before = sleeps();
    store_release(&owner_comes, 1);
    got = pop();
    before = sleeps() - before;
    ck_assert_int_eq(sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){.sched_priority = 0}), 0);
    ck_assert(got);
    ck_assert_int_ge(before, 1);
    pthread_join(holder, NULL);
    check_order();
    stop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("deque_lock");

    tcase_add_test(tcase, a_real_time_owner_lets_the_holder_of_the_lock_go_on);
    return run_case("deque_lock", tcase);
}
