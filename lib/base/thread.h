/* SPDX-License-Identifier: MIT */
/* Makes and names the runtime's threads; what a thread is to the library. */
#ifndef WSFJ_BASE_THREAD_H
#define WSFJ_BASE_THREAD_H

#include "base/base.h"

#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

/* What the loop of a worker's thread and the handler of a first ws_init() need; sanitizers need more. */
#define WSFJ_LOOP_STACK ((size_t)512 << 10)

/* What the calling thread is to the library. */
enum {
    WSFJ_THREAD_STRANGER, /* the program's, and has not called in */
    WSFJ_THREAD_CALLER,   /* the program's, and has called in */
    WSFJ_THREAD_GUEST,    /* a caller that has been prepared to serve a worker */
    WSFJ_THREAD_OURS      /* the library has made it; true to its very end, when destructors of the program run */
};
extern WSFJ_HIDDEN WSFJ_OF_THREAD size_t wsfj_thread_is;

/* How many threads the process has; 0: the kernel does not tell. */
uint64_t wsfj_thread_count(void);

/* The calling thread is about to sleep until tasks have done something, without a deadline; it is awake again. */
void wsfj_thread_wait_begin(void);
void wsfj_thread_wait_end(void);

/* How many threads sleep so. In the child of a fork: none. */
uint64_t wsfj_thread_waiting(void);
void wsfj_thread_forget(void);

/* Makes a thread that takes no signals, with at least `stack` bytes of stack. Returns 0 or the error of
 * pthread_create(). The function first calls wsfj_thread_begin() or wsfj_thread_begin_number(), unless the thread is to
 * count as one of the program's. */
int wsfj_thread_make(pthread_t *id, size_t stack, void *(*function)(void *), void *argument);

/* Stacks for many threads in one mapping, each above a guard of a page. */
struct wsfj_thread_stacks {
    char *map;          /* NULL: there are none */
    size_t guard, each; /* bytes of a guard, and of a guard and a stack */
    unsigned count;
};

/* Maps `count` stacks of at least `stack` bytes. False if there is no memory; then `stacks` has none. */
bool wsfj_thread_stacks_map(struct wsfj_thread_stacks *stacks, unsigned count, size_t stack);

/* Unmaps the stacks, after all threads on them have ended. */
void wsfj_thread_stacks_unmap(struct wsfj_thread_stacks *stacks);

/* In the child of a fork: unmaps the stacks, but keeps all of them if the calling thread is on one. */
void wsfj_thread_stacks_forget(struct wsfj_thread_stacks *stacks);

/* As wsfj_thread_make(), on stack `i`, which no other thread has. The C library puts its data of the thread there, too. */
int wsfj_thread_make_on(const struct wsfj_thread_stacks *stacks, unsigned i, pthread_t *id, void *(*function)(void *),
                        void *argument);

/* The calling thread is the library's from now on, and cannot be cancelled. Names it `name` or wsfj-NUMBER, for
 * debuggers and top. */
void wsfj_thread_begin(const char *name);
void wsfj_thread_begin_number(unsigned number);

/* The kernel's number of the calling thread. */
pid_t wsfj_thread_id(void);

/* Blocks the signals that no thread of the library takes: all but those of its own faults and the profiler's. Stores
 * the caller's mask in *before. */
void wsfj_thread_block_signals(sigset_t *before);

/* In the child of a fork that a thread of the library has called: if the thread's signal mask is still the one that the
 * library has given it, perhaps without the signal `let_in` (or 0), `instead` takes its place. */
void wsfj_thread_restore_signals(const sigset_t *instead, int let_in);

#endif
