/* SPDX-License-Identifier: MIT */
/*
 * Sets of processors as the kernel has them: which ones a thread may use, and binding it to some. Any number of
 * processors; cpu_set_t alone ends at 1024.
 */
#ifndef WSFJ_MACHINE_AFFINITY_H
#define WSFJ_MACHINE_AFFINITY_H

#include "base/base.h"

#include <sched.h>
#include <sys/types.h>

struct wsfj_affinity {
    void *set;    /* a cpu_set_t of as many bytes as needed; NULL: none */
    size_t bytes;
    unsigned end; /* processors from here on are not in it */
};

/* The calling thread's mask: what taskset, mpirun, srun or a container have left of the machine. False if the kernel
 * does not tell, or there is no memory: then errno is ENOMEM. */
bool wsfj_affinity_read(struct wsfj_affinity *affinity);
void wsfj_affinity_free(struct wsfj_affinity *affinity);

bool wsfj_affinity_has(const struct wsfj_affinity *affinity, unsigned cpu);
unsigned wsfj_affinity_count(const struct wsfj_affinity *affinity);

/* Binds the calling thread to those of the `n` processors that are there. False, and nothing changes, if none is (they
 * went offline, the mask was narrowed) or the kernel refuses. */
bool wsfj_affinity_bind(const unsigned *cpus, unsigned n);

/* Where nothing may be allocated: processors 0 to 8191, the most that kernels are built for. 1 KiB. */
struct wsfj_mask {
    cpu_set_t sets[8];
};

/* Binds the calling thread as the process's first thread is. A new thread is bound as the thread that has made it. */
void wsfj_affinity_as_process(void);

/* The mask of a thread of this process. False if the kernel does not tell. */
bool wsfj_mask_read(struct wsfj_mask *mask, pid_t thread);

void wsfj_mask_add(struct wsfj_mask *mask, const struct wsfj_mask *more);
unsigned wsfj_mask_count(const struct wsfj_mask *mask);

/* Binds a thread, which has this mask, to those of the `n` processors that are in it. Never to others: somebody has
 * taken them away. True if that changes anything. */
bool wsfj_mask_narrow(const struct wsfj_mask *mask, pid_t thread, const unsigned *cpus, unsigned n);

#endif
