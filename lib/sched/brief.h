/* SPDX-License-Identifier: MIT */
/*
 * Brief exits: what most slow-path exits come to, done with general registers only and without calls that leave this
 * code. So an exit first keeps only the general registers (arch/x86_64/thunk.S), and saves the vectors, which takes
 * longer than all of this, only if a brief exit was not enough.
 *
 * brief.c and the files whose functions it calls, deque.c and idle_counts.c, are compiled for general registers
 * (lib/local.mk). tests/build/brief.sh reads the machine code of all that can be reached from here.
 */
#ifndef WSFJ_SCHED_BRIEF_H
#define WSFJ_SCHED_BRIEF_H

#include "base/base.h"

/* 0: this library is not compiled so, and the functions below may use any register. For thunk.S. */
extern const uint32_t wsfj_brief_works;

/* The beginning of wsfj_spawn_slow() and wsfj_spawn_full(): answers a request. Returns 1 if nothing is left to do; 0: the
 * exit goes on to that function. */
int wsfj_spawn_brief(struct wsfj_deque *deque, struct wsfj_descriptor *tail);
int wsfj_loop_brief(struct wsfj_deque *deque, struct wsfj_descriptor *tail);

/* In place of wsfj_sync_slow(): takes a public child back. Returns 1 if it is the owner's; 0: the exit goes on. */
int wsfj_sync_brief(struct wsfj_deque *deque, struct wsfj_descriptor *desc);

#endif
