/* SPDX-License-Identifier: MIT */
/* The CPUs on which the threads of the library run, beside the places to which workers are bound (workers.h). */
#ifndef WSFJ_WORKER_TEAM_CPUS_H
#define WSFJ_WORKER_TEAM_CPUS_H

/* The team's threads are made in the calling process. Only a child of that process reads their masks. */
void wsfj_team_note_process(void);

/* How many CPUs the masks of all workers' threads and of the process's first thread have, taken together; UINT_MAX if
 * that is not known, or there are no threads. Binds a thread to its place again if its mask has become larger than that
 * place: after a mask has shrunk and grown, all threads are bound as before. Not while threads start. */
unsigned wsfj_team_cpus(void);

/* Adds these CPUs to the mask of the calling thread, which the library has made: a new thread has the mask of its
 * maker, which may be bound. */
void wsfj_team_spread(void);

/* In the child of a fork, before the team is forgotten: if the library has made the calling thread and bound it to a
 * place, the thread gets these CPUs of the parent. If a task has bound it elsewhere since, nothing changes. */
void wsfj_team_unbind_child(void);

#endif
