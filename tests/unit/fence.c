/* SPDX-License-Identifier: MIT */
/* The heavy half of the asymmetric barrier: lib/base/fence.h. */
#include "base/fence.h"

#include "../support/run.h"
#include "arch/arch.h"
#include "base/atomic.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if WSFJ_TSAN
#define ROUNDS 200
#else
#define ROUNDS 50000
#endif
/* Beside other programs a round takes some ms, since the two sides wait for each other. */
#define LONG_ENOUGH_NS 5000000000u

/* Makes the kernel answer every membarrier() of this process with `action`. False if that is impossible here. */
static bool filter_membarrier(uint32_t action)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog all = {sizeof program / sizeof *program, program};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0;
}

/* Catches: a start that reports one mode and uses another. */
START_TEST(works_is_what_start_has_found)
{
    ck_assert(!wsfj_heavy_works());

    bool works = wsfj_heavy_start(true);

    ck_assert_int_eq(wsfj_heavy_works(), works);
    if (works)
        ck_assert(wsfj_heavy_barrier());
    ck_assert(!wsfj_heavy_start(false));
    ck_assert(!wsfj_heavy_works());
    ck_assert_int_eq(wsfj_heavy_start(true), works);
}
END_TEST

/* Catches: a refusal that passes for a barrier: both sides would run the same task. */
START_TEST(a_refusal_is_noticed)
{
    bool works = wsfj_heavy_start(true);

    if (!filter_membarrier(SECCOMP_RET_ERRNO | (_i ? ENOMEM : EPERM)))
        return;
    ck_assert(!wsfj_heavy_barrier());
    ck_assert_int_eq(wsfj_heavy_works(), works);
    ck_assert(!wsfj_heavy_start(true));
    ck_assert(!wsfj_heavy_works());
}
END_TEST

/* Catches: a query although the switch is off: some seccomp filters kill the process for any use of the call. */
START_TEST(switched_off_the_call_is_not_made)
{
    if (!filter_membarrier(SECCOMP_RET_KILL_PROCESS))
        return;
    ck_assert(!wsfj_heavy_start(false));
    ck_assert(!wsfj_heavy_works());
}
END_TEST

/* The store buffering of THE-1 and THE-3. */
static _Alignas(64) unsigned light_store;
static _Alignas(64) unsigned heavy_store;
static _Alignas(64) unsigned light_round, heavy_round;
static unsigned light_saw;

static void wait_until(unsigned *round, unsigned value)
{
    for (unsigned i = 1; load_acquire(round) < value; i++)
        if (i % 1000 == 0)
            sched_yield();
}

static void *light_side(void *argument)
{
    for (unsigned i = 1; i <= ROUNDS; i++) {
        wait_until(&heavy_round, i);
        store_relaxed(&light_store, i);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        light_saw = load_relaxed(&heavy_store);
        store_release(&light_round, i);
    }
    return argument;
}

/* Catches: a barrier that does not reach the other threads: neither side would see the other's store. A machine with
 * one processor cannot show this. */
START_TEST(one_of_two_sides_sees_the_others_store)
{
    unsigned seed = 1, missed = 0;
    uint64_t end = wsfj_now() + LONG_ENOUGH_NS;
    pthread_t thread;

    if (!wsfj_heavy_start(true))
        return;
    ck_assert_int_eq(pthread_create(&thread, NULL, light_side, NULL), 0);
    for (unsigned i = 1; i <= ROUNDS && wsfj_now() < end; i++) {
        store_release(&heavy_round, i);
        for (volatile int delay = rand_r(&seed) % 64; delay > 0; delay--)
            ;
        store_relaxed(&heavy_store, i);

        bool passed = wsfj_heavy_barrier();
        unsigned saw = load_relaxed(&light_store);

        wait_until(&light_round, i);
        missed += passed && saw < i && light_saw < i;
    }
    store_release(&heavy_round, ROUNDS); /* the other side waits for no more */
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_uint_eq(missed, 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("fence");

    tcase_add_test(tcase, works_is_what_start_has_found);
    tcase_add_loop_test(tcase, a_refusal_is_noticed, 0, 2);
    tcase_add_test(tcase, switched_off_the_call_is_not_made);
    tcase_add_test(tcase, one_of_two_sides_sees_the_others_store);
    return run_case("fence", tcase);
}
