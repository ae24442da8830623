/* SPDX-License-Identifier: MIT */
/*
 * The signal of WSFJ_DUMP_SIGNAL, which has two meanings: sent by anybody it asks for a dump (monitor.h), sent by the
 * library to one of its threads it asks for the frames of the stack that runs there.
 *
 * A question goes from the watching thread to the stack's own record: idle, asked, busy (the handler is walking), then
 * what came of it. Only the watching thread asks, only the handler goes from asked to busy; what has not been begun in
 * time is withdrawn, and what has is left alone until it is done.
 */
#ifndef WSFJ_SIGNALS_FRAME_REQUEST_H
#define WSFJ_SIGNALS_FRAME_REQUEST_H

#include "base/base.h"

#include <sys/types.h>

struct wsfj_stack;

/* States of wsfj_answer; those from WSFJ_ANSWER_DONE on are ends. */
enum {
    WSFJ_ANSWER_IDLE,
    WSFJ_ANSWER_ASKED,
    WSFJ_ANSWER_BUSY,
    WSFJ_ANSWER_DONE,    /* the frames are there */
    WSFJ_ANSWER_GONE,    /* something else runs on that thread */
    WSFJ_ANSWER_BLOCKED, /* the thread blocks the signal; wsfj_frame_request_await() asks it again until the time is up */
    WSFJ_ANSWER_OFF,     /* no signal is set, or its handler is not ours any more */
    WSFJ_ANSWER_NOBODY, /* no such thread, or the kernel refuses */
    WSFJ_ANSWER_SILENT  /* none in time */
};

/* Takes the signal. A handler that was there before is called after ours. Before the threads start. */
struct wsfj_frame_request_calls {
    void (*dump)(void);                           /* prints a dump; async-signal-safe */
    bool (*runs)(const struct wsfj_stack *stack); /* a thread is inside the stack: it runs, or blocks in a bracket */
};
void wsfj_frame_request_start(int signal, const struct wsfj_frame_request_calls *calls);

/* Puts the earlier handler back, unless somebody has put one over ours. */
void wsfj_frame_request_stop(void);

/* The calling thread, one of the runtime's, takes the signal from now on, if there is one. */
void wsfj_frame_request_let_in(void);

/* Asks the thread for the frames of a stack that seems to run there. Only the watching thread, as the next. */
void wsfj_frame_request_ask(struct wsfj_stack *stack, pid_t tid);

/* Waits for the answer, at most until that time (wsfj_now()), and returns a final state. With DONE the frames are in
 * stack->answer. Meanwhile it asks all threads again that block the signal: the thread that takes the very signal that asks
 * for a dump blocks it only until its handlers have returned. */
uint32_t wsfj_frame_request_await(struct wsfj_stack *stack, uint64_t until);

#endif
