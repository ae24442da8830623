/* SPDX-License-Identifier: MIT */
/*
 * Calls that fail on purpose (configure --enable-chaos). In lib/, every call that may fail has a failpoint. The ones
 * for memory are in alloc.h:
 *
 *     memory = wsfj_failpoint(WSFJ_AT_ALLOC) ? NULL : malloc(size);
 *
 * WSFJ_CHAOS_FAIL lists which calls fail, as rules. The last rule of each kind counts:
 *
 *     rules = rule { "," rule }        mmap:7      the 7th mmap fails
 *     rule  = kind ":" when            thread:3+   the 3rd thread cannot be started, nor any later one
 *     when  = n | n "+" | "%" p        alloc:%5    5 % of the allocations fail, drawn from WSFJ_CHAOS_SEED
 *
 * The first start of the runtime in a process reads the list; calls are counted from then on. The contract under test:
 * with too few threads, or memory for only some workers, the runtime continues with a one-line warning. If not even one
 * worker can run, ws_init() and ws_run() return an error. While tasks run, a child that gets no stack runs serially.
 * chaos.h has the seed. Without the option none of this is compiled, and the condition above is a constant.
 */
#ifndef WSFJ_BASE_FAILPOINT_H
#define WSFJ_BASE_FAILPOINT_H

#include "base/base.h"

/* Kinds of calls, and the consequence when one fails. */
enum wsfj_failpoint {
    WSFJ_AT_ALLOC,      /* ws_init() fails, fewer workers, or a service is missing (stack_overflow.c) */
    WSFJ_AT_MMAP,       /* at the start an error, or a described machine is not read; later one steal less */
    WSFJ_AT_STACK,      /* one steal less: a further task stack, when there is one already */
    WSFJ_AT_MPROTECT,   /* as mmap: a stack without access or guard is not used */
    WSFJ_AT_MADVISE,    /* costs time: guards are made with mprotect, stacks keep their pages */
    WSFJ_AT_THREAD,     /* fewer workers */
    WSFJ_AT_FUTEX,      /* a wait returns early. Wakes never fail: the kernel loses none */
    WSFJ_AT_MEMBARRIER, /* registration at the start: every sync takes a lock, with a one-line warning */
    WSFJ_AT_BARRIER,    /* costs time: a barrier is refused while tasks run */
    WSFJ_AT_EPOLL,      /* waiters are looked after once a millisecond */
    WSFJ_AT_MACHINE,    /* a described machine counts as this one; of this one, all CPUs are equal cores */
    WSFJ_FAILPOINTS
};

#ifdef WSFJ_CHAOS
/* True if this call shall fail; errno is then set to what the kernel would return. Counts the calls of each kind. */
bool wsfj_failpoint(enum wsfj_failpoint kind);

/* Reads WSFJ_CHAOS_FAIL, the first time in a process. An invalid text is ignored, with a one-line warning. */
void wsfj_failpoint_start(void);

/* For the child of a fork: the next start reads WSFJ_CHAOS_FAIL again. */
void wsfj_failpoint_forget(void);

/* For tests: how many calls of that kind have failed on purpose. */
uint64_t wsfj_failpoint_count(enum wsfj_failpoint kind);
#else
/* Constants instead of functions: the object files are byte for byte those without failpoints. */
#define wsfj_failpoint(kind) false
#define wsfj_failpoint_start() ((void)0)
#define wsfj_failpoint_forget() ((void)0)
#define wsfj_failpoint_count(kind) UINT64_C(0)
#endif

#endif
