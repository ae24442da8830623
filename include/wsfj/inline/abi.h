/* SPDX-License-Identifier: MIT */
/*
 * What inlined code and the library share: the layout of a deque's descriptor and deque, and the out-of-descriptor entry points.
 *
 * Everything here is internal; its layout is part of the binary interface (WSFJ_ABI). Neighbours: fastpath.h, which
 * works on these structs, and lib/task/stack.h, which embeds the deque in a stack.
 */
#ifndef WSFJ_ABI_H
#define WSFJ_ABI_H

#include <stddef.h>
#include <stdint.h>

/** Number of the binary interface between inlined code and library. */
#define WSFJ_ABI 1

#ifdef __cplusplus
extern "C" {
#endif

#ifndef __has_feature
#define WSFJ_HAS_FEATURE(x) 0
#else
#define WSFJ_HAS_FEATURE(x) __has_feature(x)
#endif

#if WSFJ_HAS_FEATURE(safe_stack) || WSFJ_HAS_FEATURE(shadow_call_stack)
#error "libwsfj: -fsanitize=safe-stack and shadow-call-stack cannot work with stacks that change their thread"
#endif

/* What a thief reads of a task is ordered by the deque's tail. ThreadSanitizer follows each stack as a strand of its own,
 * on which only the word itself can be acquired. */
#if defined __SANITIZE_THREAD__ || WSFJ_HAS_FEATURE(thread_sanitizer)
#define WSFJ_WORD_ORDER __ATOMIC_RELEASE
#else
#define WSFJ_WORD_ORDER __ATOMIC_RELAXED
#endif

/** 1: a spawn or sync goes out of line by assembly that keeps every register; the compiler knows only that it may touch
 *  memory. 0: it goes out of line by a call. Code for APX uses calls, because the assembly does not keep the registers r16 to
 *  r31. The library has both ways for all callers, however it was compiled itself. */
#if defined __x86_64__ && !defined __ILP32__ && !defined __APX_F__ && !defined WSFJ_NO_ASM
#define WSFJ_ASM_EXITS 1
#else
#define WSFJ_ASM_EXITS 0
#endif

#define WSFJ_INLINE static inline __attribute__((always_inline))
#define WSFJ_LIKELY(x) __builtin_expect(!!(x), 1)
#define WSFJ_UNLIKELY(x) __builtin_expect(!!(x), 0)

struct wsfj_deque;
struct wsfj_descriptor;

/** Runs the task described by `desc` with the deque position `base`; a result goes to `rp` unless that is NULL.
 *  Everything in `desc` is read before the task starts: its own spawns may reuse the descriptor. */
typedef void wsfj_exec_fn(struct wsfj_deque *deque, struct wsfj_descriptor *base, struct wsfj_descriptor *desc, void *rp);

/** Copies the result that a finished task left in `desc` to `rp`, unless that is NULL. */
typedef void wsfj_fetch_fn(struct wsfj_descriptor *desc, void *rp);

/** How a frame deals with its children. */
struct wsfj_call_how {
    wsfj_exec_fn *exec;
    wsfj_exec_fn *twin; /**< the same for the children of a task's second copy (task.h) */
    wsfj_fetch_fn *fetch;
    int result; /**< 0: the task has none */
};

/** What is known of a task at compile time; one constant object for each. */
struct wsfj_kind {
    wsfj_exec_fn *exec;
    const char *name;
    const char *file;
    uint32_t lineno;
    uint32_t in_area; /**< arguments and result live in the argument area, descriptor->args[0] points to them */
    size_t result_size;
};

/** Words of arguments a descriptor holds; larger arguments or results go to the argument area. */
#define WSFJ_DESCRIPTOR_WORDS 6
#define WSFJ_DESCRIPTOR_BYTES 64

/**
 * A task descriptor: one cache line of a deque.
 *
 * `word` says what has become of the task: the address of its kind while it is pending or runs on a thief; an odd
 * value when a thief has finished it (DONE, with the size of the result in the upper bits); the address of the
 * parent's stack with bit 1 set when the parent waits for it (lib/core/join.c).
 */
struct wsfj_descriptor {
    uintptr_t word;
    void *rp; /**< where the parent wants the result; touched by the owner of the deque only */
    uint64_t args[WSFJ_DESCRIPTOR_WORDS];
} __attribute__((aligned(WSFJ_DESCRIPTOR_BYTES)));

/** Mode of the deque that takes part in the push of ws_run(): there is no deque behind it. */
#define WSFJ_DEQUE_ROOT 3

/**
 * The part of a stack that the fast path touches. One cache line.
 */
struct wsfj_deque {
    /* Written by the owner, read by thieves. */
    struct wsfj_descriptor *tail; /**< T: the first free descriptor */

    /* Written by the owner and, under the deque's lock, by thieves. */
    struct wsfj_descriptor *exposed; /**< E: descriptors below are public; a sync that meets it goes out of line */

    /* Written by the owner and by anyone who wants its attention (NULL: attend now). */
    struct wsfj_descriptor *limit; /**< a spawn whose tail passes this goes out of line */

    /* Owner only: the argument area. */
    char *area;
    char *area_end;
    char *area_start;

    /* Set at start, then constant. */
    uintptr_t mode; /**< enum wsfj_mode of lib/task/stack.h, or WSFJ_DEQUE_ROOT */
    uintptr_t spare;
} __attribute__((aligned(WSFJ_DESCRIPTOR_BYTES)));

/* Out of line, in the library. */
void wsfj_spawn_slow(struct wsfj_deque *deque, struct wsfj_descriptor *tail);
int wsfj_spawn_full(struct wsfj_deque *deque, struct wsfj_descriptor *base, struct wsfj_descriptor *tail);
int wsfj_sync_slow(struct wsfj_deque *deque, struct wsfj_descriptor *base, struct wsfj_descriptor *desc);
#ifdef __x86_64__
void wsfj_spawn_thunk(void);
void wsfj_loop_thunk(void);
void wsfj_sync_thunk(void);
#endif
void wsfj_leave_slow(struct wsfj_deque *deque, struct wsfj_descriptor *base, size_t n);
void wsfj_leave_named(struct wsfj_deque *deque, struct wsfj_descriptor *base, size_t n, const char *task);
void wsfj_descriptor_fetch(struct wsfj_descriptor *desc, void *rp);
void *wsfj_area_more(struct wsfj_deque *deque, size_t size, size_t align);
struct wsfj_deque *wsfj_self_slow(void);

/* Serial execution outside any region: enter gives this thread a deque of its own, leave takes it back. */
struct wsfj_deque *wsfj_serial_enter(void);
void wsfj_serial_leave(struct wsfj_deque *deque);

/** A root on its way into a region: the push of ws_run() writes it, lib/api/run.c runs it. */
struct wsfj_root {
    struct wsfj_deque deque; /**< takes part in the push only */
    struct wsfj_descriptor desc;
    void *area; /**< arguments too large for the descriptor, malloc()ed */
    uintptr_t spare[7];
};
void wsfj_root_open(struct wsfj_root *root);
int wsfj_root_run(struct wsfj_root *root, void *rp);

extern __attribute__((tls_model("initial-exec"))) __thread struct wsfj_deque *wsfj_tls;

#ifdef __cplusplus
}
#endif

#endif
