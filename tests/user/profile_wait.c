/* SPDX-License-Identifier: MIT */
/* What a thread has waited for a processor is not work; and no strand loses more than it has. The kernel's count of it
 * is a file of our own here. Neighbour: profile_clock.c. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "profile.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#define MS 1000000
#define TIMES 3

/* What the file says, in nanoseconds; whether it can be opened; whether a wait comes behind each look at it. */
static uint64_t waited = 5000 * (uint64_t)MS;
static bool is_unreadable, waits_behind;

static int open_schedstat(void)
{
    char text[80];
    int n = snprintf(text, sizeof text, "1 %llu 1\n", (unsigned long long)waited), file;

    if (is_unreadable)
        return -1;
    file = memfd_create("schedstat", 0);
    if (file >= 0 && (write(file, text, (size_t)n) != n || lseek(file, 0, SEEK_SET)))
        abort();
    if (waits_behind) {
        usleep(30000);
        waited += 30 * MS;
    }
    return file;
}

/* The library's, too. */
int open(const char *path, int flags, ...)
{
    va_list more;
    int mode;

    va_start(more, flags);
    mode = flags & O_CREAT ? va_arg(more, int) : 0;
    va_end(more);
    if (strcmp(path, "/proc/thread-self/schedstat") == 0)
        return open_schedstat();
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static uint64_t ns_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Uses the processor for 5 ms. */
static void be_busy(void)
{
    uint64_t until = ns_of(CLOCK_THREAD_CPUTIME_ID) + 5 * MS;

    while (ns_of(CLOCK_THREAD_CPUTIME_ID) < until)
        ;
}

static WS_TASK_VOID(busy)
{
    be_busy();
}

/* Catches: a wait of before the strand, since the last look. */
static WS_TASK_VOID(waits_before)
{
    waited += 50 * MS;
    ws_spawn(busy);
    ws_sync();
}

/* Catches: a count that cannot be read for once, taken for 0. */
static WS_TASK_VOID(goes_blind)
{
    is_unreadable = true;
    ws_spawn(busy);
    ws_sync();
    is_unreadable = false;
}

static WS_TASK_VOID(sees_again)
{
    is_unreadable = false;
    be_busy();
}

static WS_TASK_VOID(is_blind_before)
{
    is_unreadable = true;
    ws_spawn(sees_again);
    ws_sync();
}

/* Catches: a wait between the look and the strand. */
static WS_TASK_VOID(no_longer_waits)
{
    waits_behind = false;
    be_busy();
}

static WS_TASK_VOID(waits_behind_a_look)
{
    waits_behind = true;
    ws_spawn(no_longer_waits);
    ws_sync();
}

#define RUN(task)                                                                                                      \
    static int run_##task(long unused)                                                                                 \
    {                                                                                                                  \
        int error = 0;                                                                                                 \
                                                                                                                       \
        (void)unused;                                                                                                  \
        for (int i = 0; i < TIMES; i++)                                                                                \
            error |= ws_run(task);                                                                                     \
        return error;                                                                                                  \
    }
RUN(waits_before)
RUN(goes_blind)
RUN(is_blind_before)
RUN(waits_behind_a_look)

static const struct {
    int (*run)(long);
    const char *task; /* that is busy */
} cases[] = {
    {run_waits_before, "busy"},
    {run_goes_blind, "busy"},
    {run_is_blind_before, "sees_again"},
    {run_waits_behind_a_look, "no_longer_waits"},
};
#define CASES ((int)(sizeof cases / sizeof *cases))

START_TEST(no_strand_loses_more_than_it_has)
{
    struct profile p = profile_of(cases[_i].run, 0, "0", "2");

    expect_exit(&p.outcome, 0);
    ck_assert_double_ge(profile_site(&p, cases[_i].task)->work, 0.9 * TIMES * 5 * MS);
    ck_assert_double_ge(p.row[0].work, 0.9 * TIMES * 5 * MS);
}
END_TEST

static WS_TASK_VOID(waits_inside)
{
    usleep(200000);
    waited += 180 * MS;
}

static int run_waits_inside(long unused)
{
    uint64_t before, after;

    (void)unused;
    (void)ws_run(busy);
    before = ns_of(CLOCK_MONOTONIC);
    if (ws_run(waits_inside))
        return 1;
    after = ns_of(CLOCK_MONOTONIC);
    fprintf(stderr, "%lu", (unsigned long)(after - before));
    return 0;
}

/* Catches: a wait that counts as work. A look at the kernel's count that loses the processor itself makes it uncertain, and as
 * much of the wait stays: of several profiles one must fit. */
START_TEST(a_wait_is_no_work)
{
    bool fits = false;

    for (int i = 0; i < 10 && !fits; i++) {
        struct profile waiting = profile_of(run_waits_inside, 0, "0", "2");
        double wall = atof(waiting.outcome.text);

        expect_exit(&waiting.outcome, 0);
        ck_assert_double_ge(wall, 200 * MS);
        fits = waiting.row[0].span <= wall - 100 * MS;
    }
    ck_assert(fits);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile_wait");

    tcase_add_loop_test(tcase, no_strand_loses_more_than_it_has, 0, CASES);
    tcase_add_test(tcase, a_wait_is_no_work);
    return run_case("profile_wait", tcase);
}
