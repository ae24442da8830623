/* SPDX-License-Identifier: MIT */
/*
 * Calls that fail on purpose (configure --enable-chaos). Every call in lib/ that may fail asks here first; for
 * memory alloc.h does:
 *
 *     memory = wsfj_failpoint(WSFJ_AT_ALLOC) ? NULL : malloc(size);
 *
 * Which ones fail says WSFJ_CHAOS_FAIL, a list of rules, the last one of each kind counting:
 *
 *     rules = rule { "," rule }        mmap:7      the 7th mmap fails
 *     rule  = kind ":" when            thread:3+   the 3rd thread is not to be had, nor any later one
 *     when  = n | n "+" | "%" p        alloc:%5    of a hundred allocations five fail, drawn from WSFJ_CHAOS_SEED
 *
 * The list is read when the runtime first starts in a process, and calls are counted from there on. The contract that
 * is put to the test: with fewer threads, or memory for fewer workers, the runtime goes on and says so in one line; if
 * not even one can run, ws_init() or ws_run() return an error; while tasks run a child that finds no stack runs
 * serially. Neighbour: chaos.h, the seed, and delays. Nothing of it is compiled without that option: the condition
 * above is false.
 */
#ifndef WSFJ_BASE_FAILPOINT_H
#define WSFJ_BASE_FAILPOINT_H

#include "base/base.h"

/* Kinds of calls, and what a failure of each leads to. */
enum wsfj_failpoint {
    WSFJ_AT_ALLOC,      /* malloc and its like: an error of ws_init(), fewer workers, or a service less (stack_overflow.c) */
    WSFJ_AT_MMAP,       /* at the start an error, or no hwloc; later a steal less */
    WSFJ_AT_STACK,      /* a steal less: one more task stack, when there is one already */
    WSFJ_AT_MPROTECT,   /* as mmap: a stack without access or guard is none */
    WSFJ_AT_MADVISE,    /* nothing but time: guards are made with mprotect, stacks stay warm */
    WSFJ_AT_THREAD,     /* fewer workers */
    WSFJ_AT_FUTEX,      /* nothing: a wait that returns early. A wake is never lost, the kernel loses none */
    WSFJ_AT_MEMBARRIER, /* the registering at the start: every sync takes a lock, one line */
    WSFJ_AT_BARRIER,    /* nothing but time: a barrier that is refused while tasks run */
    WSFJ_AT_HWLOC,      /* the machine is taken for equal cores */
    WSFJ_FAILPOINTS
};

#ifdef WSFJ_CHAOS
/* True if this call is to fail; errno then is what the kernel would say. Counts the calls of each kind. */
bool wsfj_failpoint(enum wsfj_failpoint kind);

/* Reads WSFJ_CHAOS_FAIL, the first time in a process. A text that makes no sense costs one line, and nothing fails. */
void wsfj_failpoint_start(void);

/* The child of a fork reads it anew. */
void wsfj_failpoint_forget(void);

/* For the tests: how many calls of that kind have failed on purpose. */
uint64_t wsfj_failpoint_count(enum wsfj_failpoint kind);
#else
/* Constants instead of functions: the objects are then, byte for byte, those without the question. */
#define wsfj_failpoint(kind) false
#define wsfj_failpoint_start() ((void)0)
#define wsfj_failpoint_forget() ((void)0)
#define wsfj_failpoint_count(kind) UINT64_C(0)
#endif

#endif
