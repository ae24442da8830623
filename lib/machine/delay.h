/* SPDX-License-Identifier: MIT */
/* How long a thread waits for a CPU, as the kernel counts it. */
#ifndef WSFJ_MACHINE_DELAY_H
#define WSFJ_MACHINE_DELAY_H

#include "machine/judge.h"

#include <sys/types.h>

/* The calling thread's involuntary switches. Takes some 0.3 us and opens nothing; 0 if the kernel refuses. */
uint64_t wsfj_delay_switches(void);

/* Sets all but `switches`, of a thread of this process, from its schedstat. A kernel without that, or one that refuses, leaves
 * `known` false. Takes 5 to 20 us. Keeps no file open. */
void wsfj_delay_read(struct wsfj_delay *delay, pid_t thread);

#endif
