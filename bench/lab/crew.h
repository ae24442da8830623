/* SPDX-License-Identifier: MIT */
/* Threads of the experiment's own, for experiments that use the library's queues without its workers. */
#ifndef LAB_CREW_H
#define LAB_CREW_H

#include "lab.h"

/* What one thread does. */
typedef void crew_body(void *context, unsigned self);

/* Makes `threads` threads begin body(context, 0), (context, 1) ... at the same moment; returns the seconds until the
 * last is done. */
double crew_run(struct lab *lab, unsigned threads, crew_body *body, void *context);

/* Binds the calling thread to a processor of its own, the n-th of those allowed. False if there is none. */
bool crew_bind(unsigned number);

/* For a loop that waits for another thread: yields now and then. */
void crew_pause(unsigned turn);

#endif
