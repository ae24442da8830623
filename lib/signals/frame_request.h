/* SPDX-License-Identifier: MIT */
/*
 * The signal of WSFJ_DUMP_SIGNAL has two meanings. From any other sender it asks for a dump (monitor.h). From the
 * library to one of its threads it asks for the frames of the stack that runs there: a frame request.
 *
 * The state of a request is in the stack: idle, asked, busy (the handler walks the frames), then an end. Only the
 * watching thread asks, and only the handler goes from asked to busy. At the deadline a request that is asked is
 * withdrawn; one that is busy is left alone until it is done.
 */
#ifndef WSFJ_SIGNALS_FRAME_REQUEST_H
#define WSFJ_SIGNALS_FRAME_REQUEST_H

#include "base/base.h"

#include <sys/types.h>

struct wsfj_stack;

/* States of wsfj_answer; from WSFJ_ANSWER_DONE on they are ends. */
enum {
    WSFJ_ANSWER_IDLE,
    WSFJ_ANSWER_ASKED,
    WSFJ_ANSWER_BUSY,
    WSFJ_ANSWER_DONE,    /* the frames are in the answer */
    WSFJ_ANSWER_GONE,    /* another stack runs on that thread */
    WSFJ_ANSWER_BLOCKED, /* the thread blocks the signal; wsfj_frame_request_await() asks it again */
    WSFJ_ANSWER_OFF,     /* no signal is set, or the program has another handler */
    WSFJ_ANSWER_NOBODY,  /* no such thread, or the kernel refuses */
    WSFJ_ANSWER_SILENT   /* no answer in time */
};

/* What the handler and the watching thread call. */
struct wsfj_frame_request_calls {
    void (*dump)(void);                           /* prints a dump; async-signal-safe */
    bool (*runs)(const struct wsfj_stack *stack); /* a thread is inside the stack: the fiber runs, or blocks */
};

/* Takes the signal, before the threads start. A handler of the program is called after the library's. */
void wsfj_frame_request_start(int signal, const struct wsfj_frame_request_calls *calls);

/* Puts the former handler back, unless the program has installed one over the library's. */
void wsfj_frame_request_stop(void);

/* Unblocks the signal, if one is set, in the calling thread, which is one of the runtime's. */
void wsfj_frame_request_let_in(void);

/* Asks the thread for the frames of a stack that seems to run there. Only for the watching thread, like the next
 * function. */
void wsfj_frame_request_ask(struct wsfj_stack *stack, pid_t tid);

/* Waits for the answer, at most until that time (wsfj_now()), and returns a final state. With DONE the frames are in
 * stack->answer. Threads that block the signal are asked again: the thread that handles the signal of the dump itself
 * blocks it until its handlers have returned. */
uint32_t wsfj_frame_request_await(struct wsfj_stack *stack, uint64_t until);

#endif
