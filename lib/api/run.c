/* SPDX-License-Identifier: MIT */
/*
 * ws_run() from the program's own threads. The caller takes a sleeping worker's slot and runs the root itself. If no
 * worker sleeps, or the worker on the caller's processor searches, the root is queued for any worker, and the caller
 * sleeps.
 */
#include "api/guest.h"
#include "api/guest_root.h"
#include "api/left.h"
#include "api/serial.h"
#include "arch/exceptions.h"
#include "base/alloc.h"
#include "base/atomic.h"
#include "base/chaos.h"
#include "base/debug.h"
#include "base/futex.h"
#include "base/hooks.h"
#include "base/tsan.h"
#include "idle/cpu_limit.h"
#include "idle/preempt.h"
#include "queue/root.h"
#include "sched/team.h"
#include "sched/unwind_link.h"
#include "task/stack.h"
#include "worker/between_tasks.h"
#include "worker/use.h"
#include "worker/worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Not inlined: its registers would cost every region some instructions. */
static __attribute__((noinline)) enum wsfj_region_state wait_for(struct wsfj_region *region)
{
    uint32_t state;

    while ((state = load_acquire(&region->state)) == WSFJ_REGION_RUNS)
        wsfj_futex_wait(&region->state, WSFJ_REGION_RUNS, NULL);
    wsfj_tsan_acquire(&region->state);
    return (enum wsfj_region_state)state;
}

/* Runs the root on the caller's own stack, like a serial program, but with no exceptions of the caller, as in a region
 * of workers. False if there is no memory for a deque. */
static bool run_serially(struct wsfj_region *region)
{
    struct wsfj_deque *deque = wsfj_serial_try_begin();
    struct wsfj_exceptions caller;

    if (!deque)
        return false;
    store_relaxed(&wsfj_stack_of(deque)->job.region, region); /* left.h */
    caller = wsfj_exceptions_begin();
    wsfj_execany(deque, wsfj_tail(deque), region->root, region->rp);
    wsfj_exceptions_end(caller);
    wsfj_serial_end(deque);
    return true;
}

/* Serves the worker until the region is done. False if no stack is to be had. */
static inline bool run_as_guest(struct wsfj_worker *w, struct wsfj_region *region)
{
    struct wsfj_stack *s;

    if (WSFJ_UNLIKELY(wsfj_thread_is != WSFJ_THREAD_GUEST))
        wsfj_hooks.guest_begins();
    s = wsfj_pool_take(&w->cache);
    if (!s) {
        wsfj_guest_leave(w);
        return false;
    }
    wsfj_stack_refresh(s);
    store_relaxed(&s->job.region, region);
    store_relaxed(&s->job.stolen, NULL);
    if (wsfj_guest_root_run(w, s) != WSFJ_SERVED_DONE)
        (void)wait_for(region); /* other threads have the rest of it */
    return true;
}

/* Queues the root for any worker. False as above. */
static bool run_queued(struct wsfj_region *region)
{
    wsfj_root_push(region);
    wsfj_preempt_queued(NULL); /* reads the counts after the push; a worker counted asleep later rechecks the queue */
    return wait_for(region) == WSFJ_REGION_DONE || run_serially(region);
}

/* Runs the region on this thread, or has the workers run it. 0, or ENOMEM. Inlined: otherwise run_region() could call it by
 * a jump, and the frame that the unwind link names would be gone. */
static inline WSFJ_ALWAYS int run_somewhere(struct wsfj_region *region)
{
    struct wsfj_worker *w = wsfj_guest_enter(); /* NULL also if the team has no threads: no worker ever sleeps */

    if (w && run_as_guest(w, region))
        return 0;
    return (!w && wsfj_team_has_threads() ? run_queued(region) : run_serially(region)) ? 0 : ENOMEM;
}

/* A function of its own, so that its frame record has a return address and the frame pointer of wsfj_root_run(). */
__attribute__((noinline)) static int run_region(struct wsfj_region *region)
{
    wsfj_unwind_link_root(region, __builtin_frame_address(0), (uintptr_t)run_region);
    return run_somewhere(region);
}

/* A region inside a profiled one. */
static WSFJ_COLD int run_hidden(struct wsfj_region *region)
{
    struct wsfj_profile *profile = wsfj_hooks.root_begins();
    int error = run_region(region);

    wsfj_hooks.root_ends(profile);
    return error;
}

/* A ws_run() outside of tasks. */
static inline WSFJ_ALWAYS int run_outside(struct wsfj_descriptor *root, void *rp)
{
    struct wsfj_region region;
    struct wsfj_use use;
    int error;

    region.root = root;
    region.rp = rp;
    region.state = WSFJ_REGION_RUNS;
    error = wsfj_use_begin(&use);
    if (error)
        return error;
    wsfj_cpu_limit_check();
    region.fpenv = wsfj_fpenv_get();
    error = WSFJ_UNLIKELY(wsfj_profile_tls) ? run_hidden(&region) : run_region(&region);
    wsfj_fpenv_set(region.fpenv);
    wsfj_use_end(&use);
    return error;
}

WSFJ_EXPORT void wsfj_root_open(struct wsfj_root *root)
{
    /* The push fills in the rest of the descriptor. */
    root->wsfj_deque = (struct wsfj_deque){.wsfj_mode = WSFJ_DEQUE_ROOT};
    root->wsfj_desc.wsfj_word = 0;
    root->wsfj_area = NULL;
}

WSFJ_EXPORT void *wsfj_area_more(struct wsfj_deque *deque, size_t size, size_t align)
{
    struct wsfj_root *root = WSFJ_CONTAINER(deque, struct wsfj_root, wsfj_deque);

    if (deque->wsfj_mode != WSFJ_DEQUE_ROOT)
        return NULL; /* the area is full: the child is called */
    root->wsfj_area = wsfj_aligned_alloc(align, (size + align - 1) / align * align);
    return root->wsfj_area;
}

/* An end of a loop, from the arguments of its task. Signed ones keep their order by two's complement. */
static uint64_t end_of(const char *at, unsigned size, bool is_signed)
{
    union {
        uint8_t one;
        uint16_t two;
        uint32_t four;
        uint64_t eight;
    } u;

    memcpy(&u, at, size);
    switch (size) {
    case 1: return is_signed ? (uint64_t)(int8_t)u.one : u.one;
    case 2: return is_signed ? (uint64_t)(int16_t)u.two : u.two;
    case 4: return is_signed ? (uint64_t)(int32_t)u.four : u.four;
    default: return u.eight;
    }
}

/* The iterations of a loop whose task has these arguments. */
static uint64_t iterations(const struct wsfj_loop_site *site, const char *args)
{
    uint64_t n = 1;

    args += site->wsfj_offset;
    for (unsigned i = 0; i < 3 && site->wsfj_size[i]; i++) {
        unsigned size = site->wsfj_size[i];
        bool is_signed = site->wsfj_signed[i];
        uint64_t lo = end_of(args, size, is_signed), hi = end_of(args + size, size, is_signed);

        n = wsfj_loop_times(n, (is_signed ? (int64_t)lo < (int64_t)hi : lo < hi) ? hi - lo : 0);
        args += 2 * size;
    }
    return n;
}

/* A loop that is predicted to be short runs here, on the caller's stack, and no region begins. */
static bool run_short_loop(struct wsfj_root *root, void *rp)
{
    const struct wsfj_kind *kind = (const struct wsfj_kind *)root->wsfj_desc.wsfj_word;
    const char *args = root->wsfj_area ? root->wsfj_area : (const char *)root->wsfj_desc.wsfj_args;
    struct wsfj_region region = {.root = &root->wsfj_desc, .rp = rp};
    uint64_t then;

    if (!kind || !kind->wsfj_site || wsfj_self() || wsfj_between_tasks() ||
        !wsfj_loop_short(kind->wsfj_site, iterations(kind->wsfj_site, args), 1))
        return false;
    then = wsfj_loop_clock();
    if (!run_serially(&region))
        return false;
    if (wsfj_loop_late(then))
        wsfj_loop_forget(kind->wsfj_site);
    free(root->wsfj_area);
    return true;
}

/* Of a thread outside of tasks, which has at most one ws_for() under way: a nested one is inside a task. */
static __thread struct wsfj_root outside = {.wsfj_deque.wsfj_mode = WSFJ_DEQUE_ROOT};

WSFJ_EXPORT struct wsfj_root *wsfj_loop_root(void)
{
    return &outside;
}

WSFJ_EXPORT int wsfj_loop_run(struct wsfj_root *root, void *rp)
{
    int error = run_short_loop(root, rp) ? 0 : wsfj_root_run(root, rp);

    /* As new, also for a ws_for() whose arguments call this one. */
    root->wsfj_desc.wsfj_word = 0;
    root->wsfj_area = NULL;
    return error;
}

WSFJ_EXPORT int wsfj_root_run(struct wsfj_root *root, void *rp)
{
    struct wsfj_deque *self = wsfj_self();
    int error = 0;

    __builtin_unwind_init(); /* saves the caller's registers in this frame, where a debugger finds them */

    if (!root->wsfj_desc.wsfj_word) {
        error = ENOMEM; /* the push found no room for the arguments */
    } else if (self && WSFJ_UNLIKELY(wsfj_left(self, __builtin_frame_address(0)))) {
        error = EDEADLK;
    } else if (self) {
        wsfj_execany(self, wsfj_tail(self), &root->wsfj_desc, rp); /* inside a task: a call */
    } else if (wsfj_between_tasks()) {
        error = EDEADLK;
    } else {
        error = run_outside(&root->wsfj_desc, rp);
    }
    if (root->wsfj_area) /* most roots have none */
        free(root->wsfj_area);
    return error;
}
