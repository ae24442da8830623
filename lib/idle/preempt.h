/* SPDX-License-Identifier: MIT */
/*
 * Preemption: a detached task, a root or a runnable fiber waits in a queue, while all workers run fork/join work, which
 * does not return to its worker's loop before it ends. Then a thread of the runtime, the preempter, inspects the
 * workers once a millisecond. It asks fibers that have run without a break since its last inspection to give up their
 * workers at their next sync, because a task may change its thread only at a sync. Otherwise the preempter sleeps. It
 * is made when it is first needed. Labels PREEMPT-n: doc/protocols.md. After sysmon in Go's scheduler
 * (runtime/proc.go).
 */
#ifndef WSFJ_IDLE_PREEMPT_H
#define WSFJ_IDLE_PREEMPT_H

#include "config/settings.h"
#include "idle/idle_counts.h"
#include "idle/lookout.h"

enum wsfj_preempt {
    WSFJ_PREEMPT_QUIET,    /* nothing has been queued lately */
    WSFJ_PREEMPT_READY,    /* something has been queued: the preempter begins as soon as no worker is idle */
    WSFJ_PREEMPT_INSPECTS, /* the preempter inspects the workers at intervals */
    WSFJ_PREEMPT_STOPS,    /* the preempter ends */
    WSFJ_PREEMPT_BROKEN    /* the preempter could not be started */
};
/* A futex, on which the preempter sleeps unless it inspects. Only preempt.c writes it. */
extern WSFJ_HIDDEN uint32_t wsfj_preempt_state;

/* PREEMPT-2: something has been queued, or a searcher has moved tasks from one queue to another. For a moment they were in
 * neither, so an inspection may have missed them. A searcher calls this while it is still counted as one. */
void wsfj_preempt_get_ready(void);

/* Wakes or makes the preempter if the state is READY. No worker is idle, or ws_config.poll is to be called. */
void wsfj_preempt_begin(void);

void wsfj_preempt_none_idle(void); /* the counts show that no worker is idle */
void wsfj_preempt_polls(void);     /* there is something outside to look for, and a worker runs something */

/* PREEMPT-2: called after each change of the counts that makes one idle worker fewer. `now`: the counts after the
 * change. */
static inline void wsfj_preempt_fewer_idle(struct wsfj_idle_counts now)
{
    if (WSFJ_UNLIKELY(wsfj_idle_counts_none(now)))
        wsfj_preempt_none_idle();
}

/* A worker has published the stack that it runs: wakes the preempter if that has to look for what comes from outside. */
static inline void wsfj_preempt_runs(void)
{
    if (WSFJ_UNLIKELY(wsfj_settings.poll != NULL || wsfj_lookout_has_to()))
        wsfj_preempt_polls();
}

/* Before the first worker runs: there is no thread. So also in the child of a fork, before its own start. */
void wsfj_preempt_start(void);

/* Whether there is a thread for it. */
bool wsfj_preempt_has_thread(void);

/* After the last worker has ended: ends the thread, if there is one. */
void wsfj_preempt_stop(void);

#endif
