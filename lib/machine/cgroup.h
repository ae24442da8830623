/* SPDX-License-Identifier: MIT */
/*
 * How many CPUs' worth of time the kernel lets this process have: the CPU quota of its control groups, versions 1
 * (cpu.cfs_quota_us, cpu.cfs_period_us) and 2 (cpu.max), also both at once. The tightest of all groups from the
 * process's own up to the root counts, as far as they can be seen from here.
 *
 * Nothing here is ever an error: a file that is missing, unreadable or malformed sets no limit. Nothing is allocated,
 * no file stays open, errno is left as it was. Each structure is for one thread at a time; different ones are
 * independent.
 */
#ifndef WSFJ_MACHINE_CGROUP_H
#define WSFJ_MACHINE_CGROUP_H

#include "base/base.h"

#include <limits.h>

/* No limit: so many that the least of it and anything else is the other. */
#define WSFJ_CGROUP_NONE UINT_MAX

/* One of each version is usual, containers may see some more. Mounts beyond that, or beyond the text, are not looked
 * at. */
#define WSFJ_CGROUP_MOUNTS 8
#define WSFJ_CGROUP_TEXT 4096
/* A path of the kernel's and what stands before and behind it. Longer lines (an overlay with many layers) are passed
 * over. */
#define WSFJ_CGROUP_LINE (PATH_MAX + 512)

struct wsfj_cgroup {
    /* Set by wsfj_cgroup_find(), then constant. */
    const char *top; /* the directory that stands for / */
    unsigned num_mounts;
    struct wsfj_cgroup_mount {
        uint64_t id;
        bool unified;      /* version 2 */
        const char *root;  /* the group that is seen at the mount point; in `text`, as the next */
        const char *point; /* begins with / */
    } mounts[WSFJ_CGROUP_MOUNTS];
    size_t text_used;
    char text[WSFJ_CGROUP_TEXT];

    /* For the time of a call: instead of a large frame on a small thread's stack. */
    char line[WSFJ_CGROUP_LINE];
    char path[WSFJ_CGROUP_TEXT + WSFJ_CGROUP_LINE + 32];
};

/*
 * Looks up, once, where the groups with the CPU controller are mounted: <top>/proc/self/mountinfo. `top` is "/" but for
 * tests; the text must live as long as the structure, which must not be moved. A mount that is made later is not seen
 * until the next wsfj_cgroup_find().
 */
void wsfj_cgroup_find(struct wsfj_cgroup *quota, const char *top);

/*
 * The whole CPUs in the tightest quota as it is now: quota divided by period, rounded down, at least 1; or
 * WSFJ_CGROUP_NONE. The process may have moved to another group since the last call: <top>/proc/self/cgroup is read each
 * time, and of each group one file (version 2) or up to two. 20 us in the root group, some 8 more for each file
 * (wsfj-micro quota, on a virtual machine).
 *
 * The groups are those of the process's first thread; threads that were moved elsewhere alone do not count. From inside
 * a control group namespace what lies outside its mounts cannot be seen.
 */
unsigned wsfj_cgroup_read(struct wsfj_cgroup *quota);

#endif
