/* SPDX-License-Identifier: MIT */
#include "machine/affinity.h"

#include "base/alloc.h"
#include "base/procfile.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* sched_getaffinity() returns EINVAL until the set is as large as the kernel's. Kernels are built for 8192 at most. */
#define CPUS_FIRST 1024u
#define CPUS_MOST 65536u

bool wsfj_affinity_read(struct wsfj_affinity *a)
{
    *a = (struct wsfj_affinity){.set = NULL};
    for (unsigned n = CPUS_FIRST; n <= CPUS_MOST; n *= 2) {
        cpu_set_t *set = wsfj_malloc(CPU_ALLOC_SIZE(n));

        if (!set)
            return false;
        a->bytes = CPU_ALLOC_SIZE(n);
        CPU_ZERO_S(a->bytes, set);
        if (sched_getaffinity(0, a->bytes, set) == 0) {
            a->set = set;
            a->end = n;
            return true;
        }
        free(set);
        if (errno != EINVAL)
            return false;
    }
    return false;
}

void wsfj_affinity_free(struct wsfj_affinity *a)
{
    if (a->set)
        free((cpu_set_t *)a->set);
    *a = (struct wsfj_affinity){.set = NULL};
}

unsigned wsfj_affinity_online(void)
{
    struct wsfj_procfile file = {.fd = wsfj_procfile_open(AT_FDCWD, "/sys/devices/system/cpu/online", 0)};
    unsigned n = 0, first, last;

    if (file.fd < 0)
        return 0;
    while (wsfj_procfile_range(&file, &first, &last))
        n += last - first + 1;
    close(file.fd);
    return n;
}

static unsigned at_load;
static pid_t loader;

__attribute__((constructor)) static void look_at_mask(void)
{
    struct wsfj_mask mask;

    loader = getpid();
    if (wsfj_mask_read(&mask, loader))
        at_load = wsfj_mask_count(&mask);
}

unsigned wsfj_affinity_at_load(void)
{
    return getpid() == loader ? at_load : 0;
}

bool wsfj_affinity_has(const struct wsfj_affinity *a, unsigned cpu)
{
    return cpu < a->end && CPU_ISSET_S(cpu, a->bytes, (const cpu_set_t *)a->set);
}

unsigned wsfj_affinity_count(const struct wsfj_affinity *a)
{
    return a->set ? (unsigned)CPU_COUNT_S(a->bytes, (const cpu_set_t *)a->set) : 0;
}

/* The sum of the mask that the library has last given the calling thread; 0: none. */
static WSFJ_OF_THREAD uint64_t given;

/* Two masks with the same sum are the same: it is 64 bits of a hash. Not 0. */
static uint64_t sum_of(const struct wsfj_mask *m)
{
    const unsigned char *bytes = (const unsigned char *)m;
    uint64_t sum = 0xcbf29ce484222325u;

    for (size_t i = 0; i < sizeof *m; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum | 1;
}

bool wsfj_affinity_set(const struct wsfj_mask *m)
{
    /* The kernel takes those that are online and allowed; EINVAL if that leaves none. */
    if (pthread_setaffinity_np(pthread_self(), sizeof m->sets, m->sets) != 0)
        return false;
    given = sum_of(m); /* the thread does not read its mask: another thread may have set it since */
    return true;
}

bool wsfj_affinity_bind(const unsigned *cpus, unsigned n)
{
    struct wsfj_mask mask; /* on the caller's stack: malloc() would make an arena for each thread */

    CPU_ZERO_S(sizeof mask.sets, mask.sets);
    for (unsigned i = 0; i < n; i++)
        CPU_SET_S(cpus[i], sizeof mask.sets, mask.sets);
    return wsfj_affinity_set(&mask);
}

bool wsfj_affinity_is_given(const struct wsfj_mask *own)
{
    return given == sum_of(own);
}

bool wsfj_affinity_forget(void)
{
    struct wsfj_mask own;
    bool is = wsfj_mask_read(&own, 0) && wsfj_affinity_is_given(&own);

    given = 0;
    return is;
}

bool wsfj_mask_read(struct wsfj_mask *m, pid_t thread)
{
    return sched_getaffinity(thread, sizeof m->sets, m->sets) == 0;
}

void wsfj_mask_add(struct wsfj_mask *m, const struct wsfj_mask *more)
{
    CPU_OR_S(sizeof m->sets, m->sets, m->sets, more->sets);
}

unsigned wsfj_mask_count(const struct wsfj_mask *m)
{
    return (unsigned)CPU_COUNT_S(sizeof m->sets, m->sets);
}

bool wsfj_mask_within(const struct wsfj_mask *m, const struct wsfj_mask *outer)
{
    struct wsfj_mask both;

    CPU_AND_S(sizeof both.sets, both.sets, m->sets, outer->sets);
    return CPU_EQUAL_S(sizeof both.sets, both.sets, m->sets);
}

bool wsfj_mask_narrow(const struct wsfj_mask *m, pid_t thread, const unsigned *cpus, unsigned n)
{
    struct wsfj_mask own;

    CPU_ZERO_S(sizeof own.sets, own.sets);
    for (unsigned i = 0; i < n; i++)
        if (CPU_ISSET_S(cpus[i], sizeof m->sets, m->sets))
            CPU_SET_S(cpus[i], sizeof own.sets, own.sets);
    if (wsfj_mask_count(&own) == 0 || CPU_EQUAL_S(sizeof own.sets, own.sets, m->sets))
        return false;
    return sched_setaffinity(thread, sizeof own.sets, own.sets) == 0;
}

void wsfj_affinity_add(const struct wsfj_mask *more)
{
    struct wsfj_mask own, sum;

    if (!wsfj_mask_read(&own, 0))
        return;
    sum = own;
    wsfj_mask_add(&sum, more);
    if (wsfj_mask_count(&sum) > wsfj_mask_count(&own))
        (void)sched_setaffinity(0, sizeof sum.sets, sum.sets);
}
