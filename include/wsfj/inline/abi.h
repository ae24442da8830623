/* SPDX-License-Identifier: MIT */
/*
 * Shared by inlined code and the library: the layout of descriptor and deque, and the entry points of the slow paths.
 *
 * Everything here is internal; the layout is part of the binary interface (WSFJ_ABI). fastpath.h works on these
 * structs; lib/task/stack.h embeds the deque in a stack.
 */
#ifndef WSFJ_ABI_H
#define WSFJ_ABI_H

#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "compiler.h"

#include <stddef.h>
#include <stdint.h>

/** The number of the binary interface between inlined code and library. */
#define WSFJ_ABI 1

#ifdef __cplusplus
extern "C" {
#endif

#if WSFJ_HAS_FEATURE(__safe_stack__) || WSFJ_HAS_FEATURE(__shadow_call_stack__)
#error "libwsfj: -fsanitize=safe-stack and shadow-call-stack cannot work with stacks that change their thread"
#endif

/* The deque's tail orders what a thief reads of a task. ThreadSanitizer takes each fiber for a thread of its own, which
 * can acquire only the word itself. */
#if defined __SANITIZE_THREAD__ || WSFJ_HAS_FEATURE(__thread_sanitizer__)
#define WSFJ_WORD_ORDER __ATOMIC_RELEASE
#else
#define WSFJ_WORD_ORDER __ATOMIC_RELAXED
#endif

/** 1: the slow-path exits of spawn and sync are assembly that keeps every register; the compiler knows only that they
 * may touch memory. 0: they are calls. Code for APX uses calls, because the assembly does not keep the registers r16 to
 * r31. The library always has both kinds. */
#if defined __x86_64__ && !defined __ILP32__ && !defined __APX_F__ && !defined WSFJ_NO_ASM
#define WSFJ_ASM_EXITS 1
#else
#define WSFJ_ASM_EXITS 0
#endif

struct wsfj_deque;
struct wsfj_descriptor;
struct wsfj_loop_site;

/** Runs the task described by `desc` with the deque position `base`; a result goes to `rp` unless that is NULL.
 *  Everything in `desc` is read before the task starts: its own spawns may reuse the descriptor. */
typedef void wsfj_execfn(struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base,
                         struct wsfj_descriptor *wsfj_desc, void *wsfj_rp);

/** Copies the result of a finished task from `desc` to `rp`, unless that is NULL. */
typedef void wsfj_fetchfn(struct wsfj_descriptor *wsfj_desc, void *wsfj_rp);

/** The copies of a task's code, which call each other in turn (task.h). */
#define WSFJ_TWINS 3

/** How a frame deals with its children. */
struct wsfj_call_how {
    wsfj_execfn *wsfj_exec[WSFJ_TWINS]; /**< by the twin of the parent; [0] is NULL: the push has run the child */
    wsfj_fetchfn *wsfj_fetch;
    int wsfj_result; /**< 0: the task has none */
};

/** What is known of a task at compile time; one constant object for each task. */
struct wsfj_kind {
    wsfj_execfn *wsfj_exec;
    const char *wsfj_name;
    const char *wsfj_file;
    uint32_t wsfj_lineno;
    uint32_t wsfj_in_area; /**< arguments and result live in the argument area, descriptor->args[0] points to them */
    size_t wsfj_result_size;
    size_t wsfj_args_size;
    struct wsfj_loop_site *wsfj_site; /**< what a loop remembers (loop_drive.h); NULL: not a loop */
    uint32_t wsfj_kept;               /**< 1: a thief runs it even if its scope is cancelled (scope.h) */
};

/** Words of arguments a descriptor holds; larger arguments or results go to the argument area. */
#define WSFJ_DESCRIPTOR_WORDS 6
#define WSFJ_DESCRIPTOR_BYTES 64

/**
 * A task descriptor: one cache line of a deque.
 *
 * `word` is the state of the task: the address of its kind while the task is pending or runs on a thief; an odd value
 * when a thief has finished it (DONE, with the size of the result in the upper bits); the address of the parent's stack
 * with bit 1 set while the parent waits for it (lib/sched/sync.c).
 */
struct wsfj_descriptor {
    uintptr_t wsfj_word;
    void *wsfj_rp; /**< where the result goes; only the owner of the deque uses it */
    uint64_t wsfj_args[WSFJ_DESCRIPTOR_WORDS];
} __attribute__((__aligned__(WSFJ_DESCRIPTOR_BYTES)));

/** Mode of the deque in struct wsfj_root, which is used only for the push of ws_run(). */
#define WSFJ_DEQUE_ROOT 3

/**
 * The part of a stack that the fast path touches. One cache line.
 */
struct wsfj_deque {
    /* Written by the owner, read by thieves. */
    struct wsfj_descriptor *wsfj_tail; /**< T: the first free descriptor */

    /* Written by the owner and, under the deque's lock, by thieves. */
    struct wsfj_descriptor *wsfj_exposed; /**< E: descriptors below are public; their syncs take the slow path */

    /* Written by the owner, and by threads that request something of it (NULL: a request). */
    struct wsfj_descriptor *wsfj_limit; /**< a spawn whose tail passes this takes the slow path */

    /* Owner only: the argument area. */
    char *wsfj_area;
    char *wsfj_area_end;
    char *wsfj_area_start;

    /* Constant after the start. */
    uint32_t wsfj_mode; /**< enum wsfj_mode of lib/task/stack.h, or WSFJ_DEQUE_ROOT */

    /* Owner only. */
    uint32_t wsfj_scopes;  /**< how many scopes the running code is in (scopes.h) */
    uintptr_t wsfj_thrown; /**< the C++ exception of a child that ran early (cxx_task.hpp); 0: none */
} __attribute__((__aligned__(WSFJ_DESCRIPTOR_BYTES)));

/* The slow paths, in the library. */
void wsfj_spawn_slow(struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_tail);
int wsfj_spawn_full(struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base, struct wsfj_descriptor *wsfj_tail);
int wsfj_sync_slow(struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base, struct wsfj_descriptor *wsfj_desc);
#ifdef __x86_64__
void wsfj_spawn_thunk(void);
void wsfj_loop_thunk(void);
void wsfj_sync_thunk(void);
#endif
void wsfj_leave_slow(struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base, size_t wsfj_n);
void wsfj_leave_named(struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base, size_t wsfj_n,
                      const char *wsfj_task, const void *wsfj_frame_end);
void wsfj_descriptor_fetch(struct wsfj_descriptor *wsfj_desc, void *wsfj_rp);
void *wsfj_area_more(struct wsfj_deque *wsfj_deque, size_t wsfj_size, size_t wsfj_align);
struct wsfj_deque *wsfj_self_slow(void);

/* Serial execution outside any region: begin gives the calling thread a deque, end takes it back. Between them the
 * thread cannot be cancelled. Enter and leave, for the whole life of a thread, do not touch cancellation. */
struct wsfj_deque *wsfj_serial_begin(void);
void wsfj_serial_end(struct wsfj_deque *wsfj_deque);
struct wsfj_deque *wsfj_serial_enter(void);
void wsfj_serial_leave(struct wsfj_deque *wsfj_deque);

/** A root on its way into a region: the push of ws_run() writes it, lib/api/run.c runs it. */
struct wsfj_root {
    struct wsfj_deque wsfj_deque; /**< only for the push */
    struct wsfj_descriptor wsfj_desc;
    void *wsfj_area; /**< arguments too large for the descriptor, malloc()ed */
    uintptr_t wsfj_unused[7];
};
void wsfj_root_open(struct wsfj_root *wsfj_root);
int wsfj_root_run(struct wsfj_root *wsfj_root, void *wsfj_rp);

extern __attribute__((__tls_model__("initial-exec"))) __thread struct wsfj_deque *wsfj_tls;

#ifdef __cplusplus
}
#endif

#endif
