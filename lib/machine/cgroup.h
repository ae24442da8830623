/* SPDX-License-Identifier: MIT */
/*
 * The CPU quota of the process's control groups: how many CPUs' worth of time the kernel gives the process. Version 1
 * (cpu.cfs_quota_us, cpu.cfs_period_us), version 2 (cpu.max), or both at once. The tightest limit counts, from the
 * process's own group up to the root, as far as the process can see the groups.
 *
 * No function fails: a file that is missing, unreadable or malformed sets no limit. Nothing is allocated, no file stays
 * open, errno is unchanged. One thread at a time may use a structure; different structures are independent.
 */
#ifndef WSFJ_MACHINE_CGROUP_H
#define WSFJ_MACHINE_CGROUP_H

#include "base/base.h"

#include <limits.h>

/* No limit: larger than any other value. */
#define WSFJ_CGROUP_NONE UINT_MAX

/* Usually there is one mount of each version; containers may see a few more. Mounts beyond this number, or beyond the
 * room for text, are ignored. */
#define WSFJ_CGROUP_MOUNTS 8
#define WSFJ_CGROUP_TEXT 4096
/* Room for a path and the fields around it. Longer lines (an overlay with many layers) are skipped. */
#define WSFJ_CGROUP_LINE (PATH_MAX + 512)

struct wsfj_cgroup {
    /* Set by wsfj_cgroup_find(), then constant. */
    const char *top; /* the directory that stands for / */
    unsigned num_mounts;
    struct wsfj_cgroup_mount {
        uint64_t id;
        bool unified;      /* version 2 */
        const char *root;  /* the group that the mount point shows; in `text`, as `point` */
        const char *point; /* begins with / */
    } mounts[WSFJ_CGROUP_MOUNTS];
    size_t text_used;
    char text[WSFJ_CGROUP_TEXT];

    /* Used during a call, so that no large frame lies on a small thread's stack. */
    char line[WSFJ_CGROUP_LINE];
    char path[WSFJ_CGROUP_TEXT + WSFJ_CGROUP_LINE + 32];
};

/*
 * Finds where the groups with the CPU controller are mounted, from <top>/proc/self/mountinfo. `top` is "/" except in
 * tests, and must live as long as the structure, which must not be moved. Mounts made later are not seen until the next
 * wsfj_cgroup_find().
 */
void wsfj_cgroup_find(struct wsfj_cgroup *quota, const char *top);

/*
 * The tightest quota at this moment in whole CPUs: quota divided by period, rounded down, at least 1; or
 * WSFJ_CGROUP_NONE. Reads <top>/proc/self/cgroup each time, because the process may have moved to another group, and
 * one file (version 2) or up to two of each group. Takes 20 us in the root group, about 8 us more for each file
 * (wsfj-micro quota, on a virtual machine).
 *
 * The groups are those of the process's first thread; other threads' groups do not count. In a control group namespace,
 * groups outside its mounts are invisible.
 */
unsigned wsfj_cgroup_read(struct wsfj_cgroup *quota);

#endif
