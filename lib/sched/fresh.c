/* SPDX-License-Identifier: MIT */
#include "sched/fresh.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "sched/shortage.h"
#include "task/stack.h"
#include "worker/worker.h"

struct wsfj_stack *wsfj_fresh_stack(struct wsfj_worker *w)
{
    struct wsfj_stack *s = wsfj_pool_take(&w->cache);

    store_relaxed(&w->no_stack, s ? 0 : load_relaxed(&w->no_stack) + 1);
    if (s)
        wsfj_stack_renew(s);
    else
        wsfj_shortage_check(wsfj_now());
    return s;
}
