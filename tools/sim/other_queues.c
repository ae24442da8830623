/* SPDX-License-Identifier: MIT */
/* Other orders of detached tasks: the newest first, or all from the global queue. Compiled as the library's files are. */
#include "others.h"

#include "api/wait.h"
#include "idle/queued.h"
#include "idle/resume.h"
#include "queue/global_queue.h"
#include "queue/group.h"
#include "queue/run_queue.h"
#include "task/item.h"
#include "worker/items.h"
#include "worker/own_inline.h"

#include <errno.h>

extern __typeof__(wsfj_run_queue_pop) WSFJ_POLICY_FUNCTION(wsfj_run_queue_pop);
extern __typeof__(wsfj_run_queue_pop_next) WSFJ_POLICY_FUNCTION(wsfj_run_queue_pop_next);
extern __typeof__(wsfj_global_queue_take) WSFJ_POLICY_FUNCTION(wsfj_global_queue_take);
extern __typeof__(ws_submit) WSFJ_POLICY_FUNCTION(ws_submit);
extern __typeof__(ws_try_submit) WSFJ_POLICY_FUNCTION(ws_try_submit);
extern __typeof__(ws_group_submit) WSFJ_POLICY_FUNCTION(ws_group_submit);
extern __typeof__(ws_group_try_submit) WSFJ_POLICY_FUNCTION(ws_group_try_submit);

/* Takes the newest item; the others move up by one, so the head changes, and a thief that has copied some of them fails. In
 * one step: plain accesses are no points, at which another thread could go on. */
static bool pop_newest(struct wsfj_run_queue *queue, struct wsfj_item *item)
{
    uint64_t head = queue->head, tail = queue->tail & ~(uint64_t)WSFJ_RUN_QUEUE_NEXT, at = tail - WSFJ_RUN_QUEUE_ONE;
    const struct wsfj_entry *newest = wsfj_run_queue_entry(queue, at);

    if (head == tail)
        return false;
    *item = (struct wsfj_item){(ws_function *)newest->fn, (void *)newest->arg, (ws_group *)newest->group};
    for (; at > head; at -= WSFJ_RUN_QUEUE_ONE)
        *wsfj_run_queue_entry(queue, at) = *wsfj_run_queue_entry(queue, at - WSFJ_RUN_QUEUE_ONE);
    queue->head = head + WSFJ_RUN_QUEUE_ONE;
    queue->tail = tail;
    return true;
}

bool wsfj_run_queue_pop(struct wsfj_run_queue *queue, struct wsfj_item *item)
{
    return sim_others.queue_lifo ? pop_newest(queue, item) : WSFJ_POLICY_FUNCTION(wsfj_run_queue_pop)(queue, item);
}

bool wsfj_run_queue_pop_next(struct wsfj_run_queue *queue, struct wsfj_item *item)
{
    return sim_others.queue_lifo ? pop_newest(queue, item) : WSFJ_POLICY_FUNCTION(wsfj_run_queue_pop_next)(queue, item);
}

bool wsfj_run_queue_pop_of(struct wsfj_run_queue *queue, const ws_group *group, ws_function **fn, void **arg)
{
    return !sim_others.queue_lifo && WSFJ_POLICY_FUNCTION(wsfj_run_queue_pop_of)(queue, group, fn, arg);
}

unsigned wsfj_global_queue_take(struct wsfj_item *items, unsigned most, unsigned workers)
{
    if (sim_others.common_most && sim_others.common_most < most)
        most = sim_others.common_most;
    return WSFJ_POLICY_FUNCTION(wsfj_global_queue_take)(items, most, workers);
}

/* As a foreign thread does; but a worker must not wait for room that only workers make. */
static int put_common(ws_group *group, ws_function *fn, void *arg, bool wait)
{
    if (group)
        wsfj_group_add(group);
    while (!wsfj_global_queue_put((struct wsfj_item){fn, arg, group}, false)) {
        if (!wait) {
            wsfj_resume_all(wsfj_group_finish(group, 1));
            return EAGAIN;
        }
        wsfj_wait_yield(wsfj_own_served_inline());
    }
    wsfj_items_foreign();
    wsfj_queued(NULL);
    return 0;
}

static bool to_common(ws_function *fn)
{
    return sim_others.submit_common && fn && wsfj_own_served_inline();
}

int ws_submit(ws_function *fn, void *arg)
{
    return to_common(fn) ? put_common(NULL, fn, arg, true) : WSFJ_POLICY_FUNCTION(ws_submit)(fn, arg);
}

int ws_try_submit(ws_function *fn, void *arg)
{
    return to_common(fn) ? put_common(NULL, fn, arg, false) : WSFJ_POLICY_FUNCTION(ws_try_submit)(fn, arg);
}

int ws_group_submit(ws_group *group, ws_function *fn, void *arg)
{
    return to_common(fn) ? put_common(group, fn, arg, true) : WSFJ_POLICY_FUNCTION(ws_group_submit)(group, fn, arg);
}

int ws_group_try_submit(ws_group *group, ws_function *fn, void *arg)
{
    return to_common(fn) ? put_common(group, fn, arg, false)
                         : WSFJ_POLICY_FUNCTION(ws_group_try_submit)(group, fn, arg);
}
