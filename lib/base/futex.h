/* SPDX-License-Identifier: MIT */
/* Sleeping on a word of this process, and waking: futex(2). A wait may return for no reason: callers look again. */
#ifndef WSFJ_BASE_FUTEX_H
#define WSFJ_BASE_FUTEX_H

#include "base/base.h"
#include "base/failpoint.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Sleeps while the word has this value, at most so long; `timeout` NULL: without an end. */
static inline void wsfj_futex_wait(uint32_t *word, uint32_t value, const struct timespec *timeout)
{
    if (!wsfj_failpoint(WSFJ_AT_FUTEX))
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, timeout, NULL, 0);
}

/* Wakes whoever sleeps there: one thread at most does. The memory may be gone already. */
static inline void wsfj_futex_wake(uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

#endif
