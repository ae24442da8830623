/* SPDX-License-Identifier: MIT */
/*
 * Sets of processors: which processors a thread may use, and binding a thread to some of them. Works for any number of
 * processors; cpu_set_t alone ends at 1024.
 */
#ifndef WSFJ_MACHINE_AFFINITY_H
#define WSFJ_MACHINE_AFFINITY_H

#include "base/base.h"

#include <sched.h>
#include <sys/types.h>

struct wsfj_affinity {
    void *set; /* a cpu_set_t of `bytes` bytes; NULL: no set */
    size_t bytes;
    unsigned end; /* all processors in the set have smaller numbers */
};

/* The calling thread's mask, as taskset, mpirun, srun or a container have set it. False if the kernel does not tell, or
 * there is no memory (errno is ENOMEM). */
bool wsfj_affinity_read(struct wsfj_affinity *affinity);
void wsfj_affinity_free(struct wsfj_affinity *affinity);

/* How many CPUs are online; 0: the kernel does not tell. */
unsigned wsfj_affinity_online(void);

/* How many CPUs the first thread of this process had when the library was loaded; 0: not known, as in the child of a
 * fork. */
unsigned wsfj_affinity_at_load(void);

bool wsfj_affinity_has(const struct wsfj_affinity *affinity, unsigned cpu);
unsigned wsfj_affinity_count(const struct wsfj_affinity *affinity);

/* For code that must not allocate: processors 0 to 8191, the most that kernels are built for. 1 KiB. */
struct wsfj_mask {
    cpu_set_t sets[8];
};

/* Binds the calling thread to the available ones of these processors. False, with nothing changed, if none is available
 * (they went offline, the mask was narrowed) or the kernel refuses. */
bool wsfj_affinity_set(const struct wsfj_mask *mask);
bool wsfj_affinity_bind(const unsigned *cpus, unsigned n);

/* True if the calling thread's mask, which is `own`, is still exactly what these have given it. False
 * also if only some of those processors were to be had. */
bool wsfj_affinity_is_given(const struct wsfj_mask *own);

/* Forgets what they have given the calling thread. True if its mask is still exactly that. */
bool wsfj_affinity_forget(void);

/* The mask of a thread of this process. False if the kernel does not tell. */
bool wsfj_mask_read(struct wsfj_mask *mask, pid_t thread);

void wsfj_mask_add(struct wsfj_mask *mask, const struct wsfj_mask *more);

/* Adds processors to the calling thread's mask. */
void wsfj_affinity_add(const struct wsfj_mask *more);

unsigned wsfj_mask_count(const struct wsfj_mask *mask);

/* True if `outer` has all processors of the mask. */
bool wsfj_mask_within(const struct wsfj_mask *mask, const struct wsfj_mask *outer);

/* Binds a thread, whose mask this is, to those of the `n` processors that are in the mask, and never to others, which
 * the user or a tool has taken away. True if that changes the mask. */
bool wsfj_mask_narrow(const struct wsfj_mask *mask, pid_t thread, const unsigned *cpus, unsigned n);

#endif
