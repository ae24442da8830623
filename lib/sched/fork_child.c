/* SPDX-License-Identifier: MIT */
#include "sched/fork_child.h"

#include "base/atomic.h"
#include "base/debug.h"
#include "task/stack.h"

#include <stdlib.h>

void wsfj_fork_child_make(struct wsfj_stack *own)
{
    own->deque.wsfj_mode = WSFJ_MODE_PRIVATE;
    count_one(&own->shown.runs); /* no other task may follow this one (detached.c) */
    own->blocking.sections = 0;
    own->blocking.lender = NULL; /* the slot it had lent does not exist here */
    store_relaxed(&own->suspended.listed, false);
    store_relaxed(&own->preempt, (uint64_t)0);
    /* A thief may have held the lock, and in the parent it has got its task or not: `first` tells. Tasks from there on
     * are this fiber's, so the fast path may take them back; a sync of those below goes out of line (sync.c). */
    store_relaxed(&own->lock, 0);
    store_relaxed(&own->deque.wsfj_exposed, load_relaxed(&own->first));
    store_relaxed(&own->offered, load_relaxed(&own->first));
    store_relaxed(&own->deque.wsfj_limit, own->memory.soft);
}

_Noreturn void wsfj_fork_child_stop(bool ends)
{
    wsfj_say("fork() inside a task: in the child %s; end the child by exec(), _exit() or exit() before",
             ends ? "the task that has called it cannot return" : "a task waits for another one that the parent has");
    abort();
}
