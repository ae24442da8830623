/* SPDX-License-Identifier: MIT */
/* For stuck.sh: programs that do not end as they should. */
#include <wsfj/sim.h>

#include "calls.h"

static struct engine_site here = {"nobody_wakes_me", "syscall", "a word", "stuck.c", 7, NULL, 0, 0};

static struct engine_site locks = {"locks_twice", "lock", "&mutex", "stuck.c", 8, NULL, 0, 0};

#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

WS_TASK(long, waits, long, n)
{
    static uint32_t word;

    (void)engine_syscall(&here, SYS_futex, &word, FUTEX_WAIT, 0, NULL);
    return n;
}

WS_TASK(long, locks_twice, long, n)
{
    static pthread_mutex_t mutex;

    for (int i = 0; i < 2; i++)
        (void)engine_lock(&locks, &mutex);
    return n;
}

WS_TASK(long, yields, volatile long *, flag)
{
    while (!*flag)
        ws_yield();
    return 0;
}

WS_TASK(long, works, long, n)
{
    sim_work(UINT64_C(600000000));
    return n;
}

int sim_main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    long flag = 0, result;

    if (strcmp(what, "deadlock") == 0)
        return ws_run(waits, &result, 1);
    if (strcmp(what, "mutex") == 0)
        return ws_run(locks_twice, &result, 1);
    if (strcmp(what, "livelock") == 0)
        return ws_run(yields, &result, &flag);
    if (strcmp(what, "crash") == 0)
        raise(SIGILL);
    if (strcmp(what, "status") == 0)
        return 7;
    if (strcmp(what, "exit") == 0) {
        (void)ws_run(works, &result, 1);
        exit(9);
    }
    if (strcmp(what, "long") == 0)
        return ws_run(works, &result, 1);
    return 2;
}
