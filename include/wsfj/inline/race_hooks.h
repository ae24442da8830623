/* SPDX-License-Identifier: MIT */
/*
 * What a program with -DWSFJ_RACE calls at the borders of its strands. tools/race/ has the functions.
 *
 * All bookkeeping is out of line, in a library that is not instrumented. Everything here is internal.
 */
#ifndef WSFJ_RACE_HOOKS_H
#define WSFJ_RACE_HOOKS_H

#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "compiler.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined WSFJ_RACE_LIBRARY && !defined __SANITIZE_THREAD__ && !WSFJ_HAS_FEATURE(__thread_sanitizer__)
#error "libwsfj: -DWSFJ_RACE needs the flags that wsfj-race adds: compile with `wsfj-race cc`"
#endif

/* A child's arguments must count as escaped. Else gcc (ipa-modref) and clang (inferred nocapture) leave accesses to the
 * parent's local variables without instrumentation. */
#ifdef __clang__
#define WSFJ_OPAQUE __attribute__((__noinline__, __optnone__, __unused__))
#else
#define WSFJ_OPAQUE __attribute__((__noipa__, __unused__))
#endif
/* Out of line: what dies with the body lies below the frame of its caller. */
#define WSFJ_RACED_BODY __attribute__((__noinline__, __unused__))

/** A place in the source that spawns; one constant object for each. */
struct wsfj_site {
    const char *wsfj_file, *wsfj_task;
    unsigned wsfj_line;
};

/** A task, or a block with ws_frame(). */
struct wsfj_scope {
    const char *wsfj_task;
    uintptr_t wsfj_limit; /**< the stack below this address was private when the scope began */
    uint32_t wsfj_first;  /**< how many intervals were pending then; by a schedule: children that have not ended */
    int wsfj_is_task;     /**< its variables are dead when the scope ends */
};

/** A child or a loop, from its begin to its end. */
struct wsfj_spawned {
    struct wsfj_spawned *wsfj_outer;
    const void *wsfj_owner; /**< who waits for it: a scope, a group or nobody; NULL: called, no child */
    const struct wsfj_site *wsfj_site;
    uintptr_t wsfj_pc; /**< of a submission, or of a spawn whose site has no line */
    uintptr_t wsfj_limit, wsfj_base;
    uint64_t wsfj_iterations; /**< of a loop, so far */
    uint32_t wsfj_begun, wsfj_first, wsfj_each_first;
    uint32_t wsfj_held[4]; /**< what the parent had: locks and others (detector.h) */
    int wsfj_loop;
};

struct ws_scope;

#ifdef __cplusplus
extern "C" {
#endif
void wsfj_race_open(struct wsfj_scope *wsfj_scope, const char *wsfj_task);
void wsfj_race_block(struct wsfj_scope *wsfj_scope);
void wsfj_race_close(struct wsfj_scope *wsfj_scope);
void wsfj_race_sync(struct wsfj_scope *wsfj_scope);
/** @return 1: by a schedule (tools/race/schedule.c), it is to be forked instead of begun */
int wsfj_race_child(struct wsfj_spawned *wsfj_child, const struct wsfj_scope *wsfj_scope,
                    const struct wsfj_site *wsfj_site, void *wsfj_frame);
void wsfj_race_child_end(struct wsfj_spawned *wsfj_child);
void wsfj_race_loop(struct wsfj_spawned *wsfj_loop, const struct wsfj_site *wsfj_site, void *wsfj_frame);
void wsfj_race_iteration(struct wsfj_spawned *wsfj_loop);
void wsfj_race_loop_end(struct wsfj_spawned *wsfj_loop);
/** Calls the function of a detached task; `scope`: of its group, or NULL. */
typedef void wsfj_race_call(struct ws_scope *wsfj_scope, void (*wsfj_fn)(void *), void *wsfj_arg);
int wsfj_race_submit(const void *wsfj_group, struct ws_scope *wsfj_scope, wsfj_race_call *wsfj_call,
                     void (*wsfj_fn)(void *), void *wsfj_arg);
int wsfj_race_wait(const void *wsfj_group);
void wsfj_race_yield(void);
void wsfj_race_stay(int wsfj_begins);
void wsfj_race_awake(void);
int wsfj_race_await(const char *wsfj_call, int wsfj_is_timed);
int wsfj_race_forks(const struct wsfj_scope *wsfj_scope);
int wsfj_race_halves(const struct wsfj_scope *wsfj_scope, uint64_t wsfj_n, uint64_t wsfj_many);
void wsfj_race_fork(struct wsfj_scope *wsfj_scope, const struct wsfj_site *wsfj_site, void (*wsfj_go)(void *),
                    const void *wsfj_arguments, size_t wsfj_size);
int wsfj_race_region(void *wsfj_frame);
void wsfj_race_region_end(int wsfj_outermost);
void *wsfj_race_local(int *wsfj_used, void *wsfj_slot, size_t wsfj_size);
void *wsfj_race_local_next(const int *wsfj_used, void *wsfj_slot, const void *wsfj_last);
void wsfj_race_local_free(int *wsfj_used, void *wsfj_slot, size_t wsfj_size);
void wsfj_race_probe(const char *wsfj_file, void *wsfj_to, const void *wsfj_from);
void wsfj_race_probed(void);
#ifdef __cplusplus
}
#endif

#ifndef WSFJ_RACE_LIBRARY
/* Each file copies eight bytes before main() and is told if the detector has not seen it: then the flags are missing. */
static __attribute__((__constructor__, __unused__)) void wsfj_race_check_flags(void)
{
    static char wsfj_from[8], wsfj_to[8];

    wsfj_race_probe(__BASE_FILE__, wsfj_to, wsfj_from);
    memcpy(wsfj_to, wsfj_from, sizeof wsfj_to);
    wsfj_race_probed();
}
#endif

#endif
