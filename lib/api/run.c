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
#include "base/alloc.h"
#include "base/atomic.h"
#include "base/futex.h"
#include "base/hooks.h"
#include "base/thread.h"
#include "base/tsan.h"
#include "idle/cpu_limit.h"
#include "idle/queued.h"
#include "queue/root.h"
#include "sched/team.h"
#include "sched/unwind_link.h"
#include "task/stack.h"
#include "worker/between_tasks.h"
#include "worker/use.h"
#include "worker/worker.h"

#include <errno.h>
#include <stdlib.h>

/* Not inlined: its registers would cost every region some instructions. */
static __attribute__((noinline)) enum wsfj_region_state wait_for(struct wsfj_region *region)
{
    uint32_t state;

    wsfj_thread_wait_begin();
    while ((state = load_acquire(&region->state)) == WSFJ_REGION_RUNS)
        wsfj_futex_wait(&region->state, WSFJ_REGION_RUNS, NULL);
    wsfj_thread_wait_end();
    wsfj_tsan_acquire(&region->state);
    return (enum wsfj_region_state)state;
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
    wsfj_stack_renew(s);
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
    wsfj_queued(NULL); /* reads the counts after the push; a worker counted asleep later rechecks the queue */
    return wait_for(region) == WSFJ_REGION_DONE || wsfj_serial_run(region);
}

/* Runs the region on this thread, or has the workers run it. 0, or ENOMEM. Inlined: otherwise run_region() could call it by
 * a jump, and the frame that the unwind link names would be gone. */
static inline WSFJ_ALWAYS int run_somewhere(struct wsfj_region *region)
{
    struct wsfj_worker *w = wsfj_guest_enter(); /* NULL also if the team has no threads: no worker ever sleeps */

    if (w && run_as_guest(w, region))
        return 0;
    return (!w && wsfj_team_has_threads() ? run_queued(region) : wsfj_serial_run(region)) ? 0 : ENOMEM;
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
