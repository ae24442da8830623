/* SPDX-License-Identifier: MIT */
/* The threads of the runtime and the orders to them: lib/blocking/spare.c. Here they serve no worker: the linker puts the
 * function below in place of the workers' loop, and the test tells each thread how that ends; another one counts joins. Neighbours:
 * explore/blocking, sender and spare at once; user/threads, through the public interface. */
#include "blocking/spare.h"

#include "base/futex.h"
#include "idle/park.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include "../support/flags.h"
#include "../support/run.h"

#include <errno.h>
#include <pthread.h>

enum { MOST = 3, NOT_YET = -1 };

/* By worker: whether a thread serves it, and how that shall end. */
static struct wsfj_worker crew[MOST];
static int begun[MOST], ends[MOST] = {NOT_YET, NOT_YET, NOT_YET};

/* The linker's names: __real_ is the library's function, __wrap_ is called in its place. */
int __real_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result);
static enum wsfj_served serve(struct wsfj_worker *worker, struct wsfj_thread *thread)
{
    int how;

    ck_assert(thread && thread->worker == worker);
    raise_flag(&begun[worker->id]);
    while ((how = is_raised(&ends[worker->id])) == NOT_YET)
        sched_yield();
    return (enum wsfj_served)how;
}

static unsigned joined;

int __wrap_pthread_join(pthread_t thread, void **result)
{
    joined++;
    return __real_pthread_join(thread, result);
}

/* Makes `threads` spares, of `most` threads at most. */
static void start(unsigned threads, unsigned most)
{
    struct wsfj_thread *t[MOST];

    for (unsigned i = 0; i < MOST; i++) {
        crew[i].id = i;
        crew[i].park = WSFJ_PARK_NEW;
    }
    wsfj_spare_start(most, serve);
    for (unsigned i = 0; i < threads; i++)
        ck_assert_ptr_nonnull(t[i] = wsfj_spare_take());
    for (unsigned i = 0; i < threads; i++)
        wsfj_spare_give(t[i]);
}

static void stop(void)
{
    wsfj_spare_stop();
    wsfj_spare_join();
}

static struct wsfj_thread *send(unsigned worker)
{
    struct wsfj_thread *t = wsfj_spare_take();

    ck_assert_ptr_nonnull(t);
    wsfj_spare_send(t, &crew[worker], &crew[worker]);
    wait_for(&begun[worker]);
    return t;
}

static void end(unsigned worker, enum wsfj_served how)
{
    __atomic_store_n(&ends[worker], (int)how, __ATOMIC_RELEASE);
}

/* Catches: a limit that is one off, or that counts the threads of an earlier start; a thread that is out of reach. */
START_TEST(no_more_threads_than_allowed)
{
    for (unsigned most = 1; most <= MOST; most++) {
        struct wsfj_thread *t[MOST];
        int error = 0;

        start(1, most);
        for (unsigned i = 0; i < most; i++)
            ck_assert_ptr_nonnull(t[i] = wsfj_spare_take());
        ck_assert_ptr_null(wsfj_spare_take());
        ck_assert_uint_eq(wsfj_spare_recruit(crew, 1, &error), 0);
        ck_assert_int_eq(error, EAGAIN);
        for (unsigned i = 0; i < most; i++)
            wsfj_spare_give(t[i]);
        for (unsigned i = most; i-- > 0;)
            ck_assert_ptr_eq(t[i], wsfj_spare_take()); /* the last given is the first taken */
        for (unsigned i = 0; i < most; i++)
            wsfj_spare_give(t[i]);
        stop();
    }
}
END_TEST

static void wake(unsigned worker, uint32_t park)
{
    __atomic_store_n(&crew[worker].park, park, __ATOMIC_RELEASE);
    wsfj_futex_wake(&crew[worker].park);
}

/* Catches: a thread that serves before the start is over, or while its worker sleeps; one that serves another worker; one
 * that counts as a spare, or never does. The park word changes to ASLEEP without a wake-up, as at the start. */
START_TEST(a_recruit_begins_when_its_worker_is_woken)
{
    struct wsfj_thread *again;
    int error = 0;

    start(0, 2);
    ck_assert_uint_eq(wsfj_spare_recruit(crew, 2, &error), 2);
    ck_assert_int_eq(error, 0);
    while (!__atomic_load_n(&crew[1].tid, __ATOMIC_ACQUIRE)) /* dumps and cpu_limit.c need it, also of a sleeper */
        sched_yield();
    if (_i)
        nanosleep(&(struct timespec){0, 5000000}, NULL); /* mostly the threads wait by now */
    __atomic_store_n(&crew[1].park, WSFJ_PARK_ASLEEP, __ATOMIC_RELEASE);
    wake(0, WSFJ_PARK_AWAKE);
    wait_for(&begun[0]);
    nanosleep(&(struct timespec){0, 5000000}, NULL);
    ck_assert(!is_raised(&begun[1]));
    wake(1, WSFJ_PARK_AWAKE);
    wait_for(&begun[1]);
    ck_assert_ptr_null(wsfj_spare_take()); /* both serve */
    end(1, WSFJ_SERVED_LENT);
    while (!(again = wsfj_spare_take()))
        sched_yield();
    wsfj_spare_send(again, &crew[2], &crew[2]);
    wait_for(&begun[2]);
    end(0, WSFJ_SERVED_IDLE);
    end(2, WSFJ_SERVED_IDLE);
    stop();
    ck_assert_uint_eq(joined, 2);
}
END_TEST

/* Catches: a thread that serves its worker though the runtime stops before the worker has begun. */
START_TEST(a_recruit_ends_when_the_start_fails)
{
    int error = 0;

    start(0, MOST);
    ck_assert_uint_eq(wsfj_spare_recruit(crew, MOST, &error), MOST);
    wsfj_workers = crew;
    wsfj_num_workers = MOST;
    wsfj_park_stop();
    stop();
    ck_assert_uint_eq(joined, MOST);
    for (unsigned i = 0; i < MOST; i++)
        ck_assert(!is_raised(&begun[i]));
}
END_TEST

/* Catches: a thread that becomes a spare although the runtime stops: nobody will tell it to end, and the stop waits for
 * it for ever. */
START_TEST(a_thread_that_comes_back_during_the_stop_ends)
{
    start(2, MOST);
    send(0);
    send(1);
    wsfj_spare_stop();
    end(0, WSFJ_SERVED_LENT);
    end(1, WSFJ_SERVED_IDLE);
    wsfj_spare_join();
    ck_assert_uint_eq(joined, 2);
}
END_TEST

/* Catches: a thread that lent its slot and ends, or that nobody can send any more; one that a pinned fiber keeps in
 * reserve and that counts as a spare as well. */
START_TEST(a_thread_that_lent_its_slot_serves_again)
{
    struct wsfj_thread *t, *again;

    start(1, 1);
    t = send(0);
    ck_assert_ptr_null(wsfj_spare_take());
    end(0, WSFJ_SERVED_KEPT);
    wsfj_spare_send(t, &crew[1], &crew[1]);
    wait_for(&begun[1]);
    ck_assert_ptr_null(wsfj_spare_take());
    end(1, WSFJ_SERVED_LENT);
    while (!(again = wsfj_spare_take()))
        sched_yield();
    ck_assert_ptr_eq(again, t);
    wsfj_spare_send(t, &crew[2], &crew[2]);
    wait_for(&begun[2]);
    end(2, WSFJ_SERVED_IDLE);
    stop();
}
END_TEST

/* Catches: a recall by another caller than the sender, or of an order that the thread has taken; a thread that is lost
 * after its recall. No thread runs here. */
START_TEST(only_the_sender_recalls_and_only_in_time)
{
    struct wsfj_thread sleeper = {.order = &crew[1]};

    wsfj_spare_start(0, NULL);
    ck_assert(!wsfj_spare_recall(&sleeper, &crew[2]));
    ck_assert_ptr_eq(sleeper.order, &crew[1]);
    ck_assert_ptr_null(wsfj_spare_take());
    ck_assert(wsfj_spare_recall(&sleeper, &crew[1]));
    ck_assert_ptr_null(sleeper.order);
    ck_assert_ptr_eq(wsfj_spare_take(), &sleeper);
    ck_assert(!wsfj_spare_recall(&sleeper, &crew[1]));
    ck_assert_ptr_null(wsfj_spare_take());
}
END_TEST

/* Catches: the child of a fork that waits for a thread of its parent, or sends it. */
START_TEST(after_a_fork_there_are_none)
{
    start(2, MOST);
    wsfj_spare_forget();
    ck_assert_ptr_null(wsfj_spare_take());
    wsfj_spare_join();
    ck_assert_uint_eq(joined, 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("spare");

    tcase_add_test(tcase, no_more_threads_than_allowed);
    tcase_add_loop_test(tcase, a_recruit_begins_when_its_worker_is_woken, 0, 2);
    tcase_add_test(tcase, a_recruit_ends_when_the_start_fails);
    tcase_add_test(tcase, a_thread_that_comes_back_during_the_stop_ends);
    tcase_add_test(tcase, a_thread_that_lent_its_slot_serves_again);
    tcase_add_test(tcase, only_the_sender_recalls_and_only_in_time);
    tcase_add_test(tcase, after_a_fork_there_are_none);
    return run_case("spare", tcase);
}
