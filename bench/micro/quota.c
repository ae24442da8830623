/* SPDX-License-Identifier: MIT */
/* The cost of reading the CPU quota of the control groups, on this machine: lib/machine/cgroup.h. */
#include "micro.h"

#include "machine/cgroup.h"

static struct wsfj_cgroup quota;

enum micro_end micro_quota(double *values, size_t n, const char **why)
{
    wsfj_cgroup_find(&quota, "/");
    if (quota.num_mounts == 0) {
        *why = "no control groups with a CPU controller here";
        return MICRO_SKIPPED;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t start = sample_now();

        wsfj_cgroup_read(&quota);
        values[i] = (double)(sample_now() - start);
    }
    return MICRO_DONE;
}

enum micro_end micro_quota_find(double *values, size_t n, const char **why)
{
    (void)why;
    for (size_t i = 0; i < n; i++) {
        uint64_t start = sample_now();

        wsfj_cgroup_find(&quota, "/");
        values[i] = (double)(sample_now() - start);
    }
    return MICRO_DONE;
}
