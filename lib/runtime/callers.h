/* SPDX-License-Identifier: MIT */
/*
 * The program's threads that have called in. When none is left, because main has ended by pthread_exit() and all others
 * have ended, too, only threads of the library are alive. They would keep the process alive for ever, and they block
 * the signals that could end it. So the runtime stops, and the C library ends the process with status 0, as POSIX asks.
 */
#ifndef WSFJ_RUNTIME_CALLERS_H
#define WSFJ_RUNTIME_CALLERS_H

/* The calling thread counts as a caller until wsfj_callers_end(). Not twice before that. */
void wsfj_callers_add(void);

/* The calling thread, a caller, ends: called by its destructor. After the last caller's end the runtime stops, unless a
 * detached task remains. */
void wsfj_callers_end(void);

/* For a worker that falls asleep when no caller is left: stops the runtime if no detached task remains. */
void wsfj_callers_are_gone(void);

/* In the child of a fork: the calling thread is the only one, and the process's first. */
void wsfj_callers_forget(void);

/* Before this code is unloaded with its shared object, and the runtime is down: waits for the thread that has stopped it. */
void wsfj_callers_unload(void);

#endif
