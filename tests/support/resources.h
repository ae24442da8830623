/* SPDX-License-Identifier: MIT */
/* Resources of this process: threads, files, mappings, memory. For tests that count them before and after. */
#ifndef TESTS_SUPPORT_RESOURCES_H
#define TESTS_SUPPORT_RESOURCES_H

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct resources {
    int threads, files;
    size_t maps, mapped, resident; /* a number, then KiB */
};

/* Whether a thread of this process is ending or has ended: it may already be joined. PF_EXITING in its flags says
 * so. */
static inline int is_leaving(int task, const char *tid)
{
    char name[264], line[512];
    unsigned flags = 0;
    int fd, leaves = 1;
    ssize_t n;

    snprintf(name, sizeof name, "%s/stat", tid);
    fd = openat(task, name, O_RDONLY);
    n = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
    if (n > 0) {
        line[n] = '\0';
        ck_assert_int_eq(sscanf(strrchr(line, ')'), ") %*c %*d %*d %*d %*d %*d %u", &flags), 1);
        leaves = (flags & 4) != 0;
    }
    if (fd >= 0)
        close(fd);
    return leaves;
}

/* The thread that the runtime makes when a task waits for a busy worker (lib/idle/preempt.h): a test cannot predict
 * it. */
static inline int is_extra(int task, const char *tid)
{
    char name[264], comm[32] = "";
    int fd;

    snprintf(name, sizeof name, "%s/comm", tid);
    fd = openat(task, name, O_RDONLY);
    if (fd < 0)
        return 0;
    if (read(fd, comm, sizeof comm - 1) < 0)
        comm[0] = '\0';
    close(fd);
    return strncmp(comm, "wsfj-preempt", 12) == 0;
}

/* The threads that stay, except that one. A joined thread may be listed for a moment longer, and while it disappears
 * the list may lack another thread. */
static inline int count_threads(void)
{
    for (;;) {
        DIR *dir = opendir("/proc/self/task");
        int n = 0, leaving = 0;

        ck_assert_ptr_nonnull(dir);
        for (struct dirent *entry; (entry = readdir(dir));) {
            if (entry->d_name[0] != '.') {
                leaving += is_leaving(dirfd(dir), entry->d_name);
                n += !is_extra(dirfd(dir), entry->d_name);
            }
        }
        closedir(dir);
        if (!leaving)
            return n;
        nanosleep(&(struct timespec){0, 100000}, NULL);
    }
}

/* Waits a while for surplus threads to end. */
static inline int count_threads_down_to(int expected)
{
    int n;

    for (int i = 0; (n = count_threads()) != expected && i < 10000; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    return n;
}

static inline int count_files(void)
{
    int n = 0;

    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) != -1;
    return n;
}

/* In bytes. Also for children, which may not assert. */
static inline size_t address_space(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    if (!file || fscanf(file, "%lu", &pages) != 1)
        abort();
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* A field of /proc/self/status, in its unit. */
static inline size_t status_field(const char *name)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    size_t value = 0;

    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':')
            ck_assert_int_eq(sscanf(line + strlen(name) + 1, "%zu", &value), 1);
    }
    fclose(file);
    return value;
}

/* Mappings of at least `least` bytes. */
static inline size_t count_maps(size_t least)
{
    FILE *file = fopen("/proc/self/maps", "r");
    char line[1024];
    unsigned long from, to;
    size_t n = 0;

    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file)) {
        ck_assert_int_eq(sscanf(line, "%lx-%lx", &from, &to), 2);
        n += to - from >= least;
    }
    fclose(file);
    return n;
}

/* Bytes that malloc() has given out, or 0 if the C library does not tell. */
static inline size_t allocated(void)
{
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
    return mallinfo2().uordblks;
#endif
#endif
    return 0;
}

/* For exact values of allocated(): runs the program again, without the C library's cache of what a thread has freed. The
 * cache grows for a while and counts as allocated. */
static inline void count_exactly(char **argv)
{
    if (!getenv("GLIBC_TUNABLES") && setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1) == 0)
        (void)execv(argv[0], argv);
}

/* If the C library allows it: else each thread may map an arena of its own, which stays. */
static inline void use_one_arena(void)
{
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);
#endif
}

/* `threads`: the expected number; more threads get time to end. */
static inline struct resources read_resources(int threads)
{
    return (struct resources){.threads = count_threads_down_to(threads),
                              .files = count_files(),
                              .maps = count_maps(0),
                              .mapped = status_field("VmSize"),
                              .resident = status_field("VmRSS")};
}

#endif
