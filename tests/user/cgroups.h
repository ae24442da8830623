/* SPDX-License-Identifier: MIT */
/* Control groups with a CPU quota, made by the test: as root, where the cpu controller is in version 1. */
#ifndef TESTS_USER_CGROUPS_H
#define TESTS_USER_CGROUPS_H

#include "../support/run.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* The hierarchy, mounted where only this process sees it, and two nested groups. */
static char point[64], outer[4096], inner[4160];

static inline bool write_file(const char *directory, const char *name, const char *text)
{
    char path[sizeof inner + 64];

    snprintf(path, sizeof path, "%s/%s", directory, name);

    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0)
        close(fd);
    return ok;
}

/* Sets both groups. False if the kernel refuses: an outer group may have a tighter limit. */
static inline bool limit(const char *outer_quota, const char *inner_quota, const char *period)
{
    ck_assert(write_file(inner, "cpu.cfs_quota_us", "-1"));
    ck_assert(write_file(outer, "cpu.cfs_quota_us", "-1"));
    if (write_file(inner, "cpu.cfs_period_us", period) && write_file(outer, "cpu.cfs_period_us", period) &&
        write_file(outer, "cpu.cfs_quota_us", outer_quota) && write_file(inner, "cpu.cfs_quota_us", inner_quota))
        return true;
    printf("a quota of %s in one of %s each %s us is not accepted here: not tested\n", inner_quota, outer_quota, period);
    return false;
}

/* This process's path in the hierarchy of the cpu controller, version 1. */
static inline bool own_path(char *path, size_t room)
{
    char line[4200];
    FILE *file = fopen("/proc/self/cgroup", "r");
    bool found = false;

    while (file && !found && fgets(line, sizeof line, file)) {
        char *names = strchr(line, ':'), *where = names ? strchr(names + 1, ':') : NULL;

        if (!where)
            continue;
        *where++ = *names = ',';
        found = strstr(names, ",cpu,") && (size_t)snprintf(path, room, "%.*s", (int)strcspn(where, "\n"), where) < room;
    }
    if (file)
        fclose(file);
    return found;
}

/* NULL, or what this machine does not allow. */
static inline const char *make_groups(void)
{
    char path[2048];

    if (!own_path(path, sizeof path))
        return "no cpu controller of version 1";
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return "no mounts of our own";
    strcpy(point, "/tmp/wsfj-cgroup-XXXXXX");
    if (!mkdtemp(point))
        return "no place to mount";
    if (mount("wsfj", point, "cgroup", 0, "cpu") != 0 && mount("wsfj", point, "cgroup", 0, "cpu,cpuacct") != 0)
        return "the cpu controller cannot be mounted";
    snprintf(outer, sizeof outer, "%s%s/wsfj-test-%d", point, path, (int)getpid());
    snprintf(inner, sizeof inner, "%s/inner", outer);
    if (mkdir(outer, 0755) != 0 || mkdir(inner, 0755) != 0)
        return "no groups of our own";
    return write_file(inner, "cpu.cfs_quota_us", "-1") ? NULL : "this kernel has no quotas";
}

static inline void remove_groups(void)
{
    for (int tries = 0; *inner && rmdir(inner) != 0 && errno == EBUSY && tries < 100; tries++)
        usleep(10000); /* a process is still ending */
    if (*outer)
        rmdir(outer);
    if (*point) {
        umount2(point, MNT_DETACH);
        rmdir(point);
    }
}

#endif
