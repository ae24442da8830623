/* SPDX-License-Identifier: MIT */
#include "base/fence.h"

#include "base/atomic.h"
#include "base/failpoint.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool works;

static long membarrier(int command)
{
    return syscall(SYS_membarrier, command, 0, 0);
}

bool wsfj_heavy_start(bool allowed)
{
    /* With WSFJ_MEMBARRIER=0 not even a query is made: some seccomp filters kill the process for it. */
    bool ok = allowed && !wsfj_failpoint(WSFJ_AT_MEMBARRIER) &&
              membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 && !wsfj_failpoint(WSFJ_AT_MEMBARRIER) &&
              membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0;

    store_relaxed(&works, ok);
    return ok;
}

bool wsfj_heavy_works(void)
{
    return load_relaxed(&works); /* set before any worker starts */
}

bool wsfj_heavy_barrier(void)
{
    return !wsfj_failpoint(WSFJ_AT_BARRIER) && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0;
}
