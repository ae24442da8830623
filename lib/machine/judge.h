/* SPDX-License-Identifier: MIT */
/*
 * Whether others use a worker's CPUs (WSFJ_BIND=auto): a pure function of the times that delay.c reads. reach.c asks it, and
 * changes the thread's mask.
 *
 * The trigger is an involuntary switch. But a thread that sleeps often waits for its CPU each time it is woken, and has no such
 * switch: of 500 ms beside a busy process it waited 312, without one. So the kernel's count of the run delay is read every 100 ms,
 * too.
 */
#ifndef WSFJ_MACHINE_JUDGE_H
#define WSFJ_MACHINE_JUDGE_H

#include "base/base.h"

/* What the kernel has counted for a thread. */
struct wsfj_delay {
    uint64_t switches; /* involuntary */
    bool known;        /* the rest is known (schedstat) */
    uint64_t ran;      /* nanoseconds on a CPU */
    uint64_t waited;   /* run delay: nanoseconds in which it could run, and had no CPU */
    uint64_t turns;    /* how often it has got a CPU */
};

enum wsfj_verdict { WSFJ_VERDICT_STAY, WSFJ_VERDICT_WIDER, WSFJ_VERDICT_NARROWER };

/* Of one thread. All zero: nothing is known so far. Times are those of wsfj_now(). */
struct wsfj_judge {
    uint64_t asked;          /* when it was asked last */
    struct wsfj_delay begin; /* of what it judges next */
    uint64_t quiet_since;    /* others were in the way until then */
    uint64_t pause;          /* how long it must be quiet before the mask narrows; 0: QUIET_NS */
    uint64_t narrowed;       /* when the mask was narrowed, if that has not proved wrong or right; else 0 */
};

/* Whether wsfj_judge() is to be asked now. So many involuntary switches are all that it needs. */
bool wsfj_judge_is_due(const struct wsfj_judge *judge, uint64_t now, uint64_t switches);

/* WIDER: the thread has waited for its CPUs for more than a tenth of the time in which it wanted one. NARROWER: the mask `is_wide`,
 * and it has been quiet for long enough. */
typedef enum wsfj_verdict wsfj_judge_function(struct wsfj_judge *judge, uint64_t now, const struct wsfj_delay *delay,
                                              bool is_wide);
wsfj_judge_function wsfj_judge;

/* The mask is narrower now. If others are in the way again soon, the next pause is twice as long. */
void wsfj_judge_narrowed(struct wsfj_judge *judge, uint64_t now);

#endif
