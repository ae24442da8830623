/* SPDX-License-Identifier: MIT */
/*
 * Jobs in child processes. The program itself never runs a kernel: so every child starts from the same small memory,
 * nothing remains from another kernel, and a crash costs only one kernel.
 */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <stddef.h>

/* Zeroed memory that a child shares with its parent; NULL if there is none. */
void *child_memory(size_t size);
void child_memory_free(void *memory, size_t size);

/* Runs job(argument) in a child process and waits for its end. Returns 1 if the job has returned; else 0, and a line
 * about it in `why`. A job limits its own time with alarm(). */
int child_run(void (*job)(void *), void *argument, char *why, size_t why_size);

/* Inside a job: the most physical memory this process has had so far, in KiB. */
long child_peak_rss_kb(void);

#endif
