/* SPDX-License-Identifier: MIT */
/* What the kernel counts for a thread: lib/machine/delay.h. */
#include "machine/delay.h"

#include "../support/runtime.h"

#include <unistd.h>

static uint64_t cpu_time(void)
{
    struct timespec t;

    ck_assert_int_eq(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t), 0);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Catches: figures in another order, or of another thread; a file that stays open; a missing one that counts. */
START_TEST(the_kernels_figures)
{
    struct wsfj_delay d, none = {.known = true};
    uint64_t least, switches = wsfj_delay_switches(), turns;
    int fd = dup(0), again;

    close(fd);
    wsfj_delay_read(&d, getpid());
    turns = d.turns;
    do
        least = cpu_time();
    while (least < 20000000);
    nanosleep(&(struct timespec){0, 1}, NULL); /* the kernel's figures are as of the last tick or switch */
    wsfj_delay_read(&d, getpid());
    ck_assert(wsfj_delay_switches() >= switches);
    wsfj_delay_read(&none, -1);
    ck_assert(!none.known);
    again = dup(0);
    close(again);
    ck_assert_int_eq(again, fd);
    ck_assert(d.known == (access("/proc/thread-self/schedstat", R_OK) == 0));
    if (!d.known)
        return;
    ck_assert(d.ran >= least && d.ran <= cpu_time());
    ck_assert(d.waited > 0);
    ck_assert(d.turns > turns && d.turns < d.waited);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("delay");

    tcase_add_test(tcase, the_kernels_figures);
    return run_case("delay", tcase);
}
