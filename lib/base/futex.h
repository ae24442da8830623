/* SPDX-License-Identifier: MIT */
/* Sleeping on a word of this process, and waking: futex(2). A wait may return early: callers check the word again. */
#ifndef WSFJ_BASE_FUTEX_H
#define WSFJ_BASE_FUTEX_H

#include "base/base.h"
#include "base/failpoint.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Sleeps while the word has this value, at most for `timeout`; NULL: without limit. */
static inline void wsfj_futex_wait(uint32_t *word, uint32_t value, const struct timespec *timeout)
{
    if (!wsfj_failpoint(WSFJ_AT_FUTEX))
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, timeout, NULL, 0);
}

/* Wakes the thread that sleeps there; at most one does. The word may already be freed memory. */
static inline void wsfj_futex_wake(uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

#endif
