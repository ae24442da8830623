/* SPDX-License-Identifier: MIT */
/*
 * What the C++ runtime keeps of a thread: the exceptions that are caught now, and how many are on their way. It belongs
 * to the fiber that runs, so it goes with the fiber to another thread: a `catch` block may sync, and so may a destructor
 * during unwinding. The loop that runs a fiber swaps the fiber's state with that of the thread (serve.c).
 *
 * The layout is part of the Itanium C++ ABI (2.2.2, __cxa_eh_globals), which libstdc++ and libc++abi follow on all
 * 64-bit processors.
 */
#ifndef WSFJ_ARCH_EXCEPTIONS_H
#define WSFJ_ARCH_EXCEPTIONS_H

#include "base/base.h"

struct wsfj_exceptions {
    void *caught;      /* the exceptions whose handlers run, the innermost first */
    unsigned uncaught; /* how many have been thrown and have no handler yet */
};

/* Weak: the library needs no C++ runtime, and a C program gets NULL. In a static program the linker adds the function
 * only if the program throws or catches itself. */
extern struct wsfj_exceptions *__cxa_get_globals(void) __attribute__((weak));

/* The state of the calling thread. NULL: the program had no C++ runtime when the library was loaded. */
static inline struct wsfj_exceptions *wsfj_exceptions_here(void)
{
    return __cxa_get_globals ? __cxa_get_globals() : NULL;
}

/* Gives the thread another state, and returns the one that it had. `here`: as above. */
static inline struct wsfj_exceptions wsfj_exceptions_swap(struct wsfj_exceptions *here, struct wsfj_exceptions next)
{
    struct wsfj_exceptions before = {NULL, 0};

    if (here) {
        before = *here;
        *here = next;
    }
    return before;
}

/* A task begins that runs on its caller's stack and must not see the caller's exceptions. Returns them, for the task's
 * end. */
static inline struct wsfj_exceptions wsfj_exceptions_begin(void)
{
    return wsfj_exceptions_swap(wsfj_exceptions_here(), (struct wsfj_exceptions){NULL, 0});
}

/* The task has ended, perhaps on another thread. */
static inline void wsfj_exceptions_end(struct wsfj_exceptions of_caller)
{
    (void)wsfj_exceptions_swap(wsfj_exceptions_here(), of_caller);
}

#endif
