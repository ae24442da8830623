/* SPDX-License-Identifier: MIT */
/* ws_for() from the program's own threads: a short loop is called, any other one is a region (run.c). */
#include "api/serial.h"
#include "base/base.h"
#include "loop/count.h"
#include "task/region.h"
#include "worker/between_tasks.h"

#include <stdlib.h>

/* A loop that is predicted to be short runs here, on the caller's stack, and no region begins. */
static bool run_short_loop(struct wsfj_root *root, void *rp)
{
    const struct wsfj_kind *kind = (const struct wsfj_kind *)root->wsfj_desc.wsfj_word;
    const char *args = root->wsfj_area ? root->wsfj_area : (const char *)root->wsfj_desc.wsfj_args;
    struct wsfj_region region = {.root = &root->wsfj_desc, .rp = rp};
    uint64_t then;

    if (!kind || !kind->wsfj_site || wsfj_self() || wsfj_between_tasks() ||
        !wsfj_loop_short(kind->wsfj_site, wsfj_loop_count(kind->wsfj_site, args), 1))
        return false;
    then = wsfj_loop_clock();
    if (!wsfj_serial_run(&region))
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
