/* SPDX-License-Identifier: MIT */
/*
 * What a room calls in the rooms above it, whose headers it may not include. runtime/hooks.c fills the table in.
 */
#ifndef WSFJ_BASE_HOOKS_H
#define WSFJ_BASE_HOOKS_H

#include "base/base.h"

struct wsfj_profile;
struct wsfj_stack;
struct wsfj_trace_ring;

struct wsfj_hooks {
    /* Counts the caller as a user of the runtime, after starting it if it is down. 0 or the error of ws_init(). */
    int (*enter)(void);

    /* A thread that the runtime has made is about to run tasks. */
    void (*thread_begins)(void);

    /* A thread of the program calls in for the first time. */
    void (*caller_begins)(void);

    /* A caller is about to serve a worker, and has not been prepared for that. */
    void (*guest_begins)(void);

    /* A worker sleeps, and no thread of the program is left that may call in (use.h). */
    void (*callers_are_gone)(void);

    /* Looks for what comes from outside the program, while workers are busy (wsfj_outside_look_and_poll()). */
    bool (*look_outside)(void);

    /* The task on the stack ends, but has locked a mutex. */
    void (*ends_locked)(const struct wsfj_stack *stack);

    /* Records an event of a worker, by the thread that serves it; of any thread. `event`: enum wsfj_event (event.h). */
    void (*trace_put)(struct wsfj_trace_ring *ring, unsigned event, unsigned detail, uint32_t a, uint32_t b, uint32_t c);
    void (*trace_put_shared)(struct wsfj_trace_ring *ring, unsigned event, unsigned detail, uint32_t a, uint32_t b,
                             uint32_t c);

    /* The calling thread serves the ring's worker no more. */
    void (*trace_leave)(struct wsfj_trace_ring *ring);

    /* The index of the name of the task that is about to begin on the stack. Not in signal handlers. */
    uint32_t (*name_task)(struct wsfj_trace_ring *ring, struct wsfj_stack *stack);

    /* The index of a constant text. As name_task(). */
    uint32_t (*name_text)(struct wsfj_trace_ring *ring, const char *text);

    /* The calling thread begins and ends a ws_run(): root_ends() gets what root_begins() returned. */
    struct wsfj_profile *(*root_begins)(void);
    void (*root_ends)(struct wsfj_profile *profile);

    /* In a profiled task: calls the detached tasks that are queued. False if there was none. */
    bool (*call_queued)(void);

    /* In a profiled task: it has set the object; the object has let it go on (profile/edge.c). `complete`: each task that the
     * object lets go on calls the other one. */
    void (*profile_set)(const void *object, bool complete);
    void (*profile_met)(const void *object);

    /* ws_submit(), for those who follow frame pointers (unwind_link.h). */
    int (*submit)(void (*function)(void *), void *argument);
};

extern WSFJ_HIDDEN const struct wsfj_hooks wsfj_hooks;

/* Of the calling thread. NULL: root_begins() would do nothing. */
extern WSFJ_OF_THREAD struct wsfj_profile *wsfj_profile_tls;

#endif
