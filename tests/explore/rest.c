/* SPDX-License-Identifier: MIT */
/* Stand-ins for the parts of the library that the explored code calls but does not need: they do nothing. They are
 * weak, so that a program can define its own. */
#include "api/local.h"
#include "api/serial.h"
#include "base/debug.h"
#include "base/hooks.h"
#include "base/thread.h"
#include "blocking/blocking.h"
#include "blocking/pin.h"
#include "config/settings.h"
#include "idle/loop_clock.h"
#include "idle/outside.h"
#include "idle/phase.h"
#include "idle/preempt.h"
#include "idle/queued.h"
#include "idle/source.h"
#include "idle/wake.h"
#include "machine/cgroup.h"
#include "queue/group.h"
#include "queue/root.h"
#include "sched/fork_child.h"
#include "sched/fresh.h"
#include "sched/shortage.h"
#include "sched/give_way.h"
#include "sched/steal.h"
#include "sched/team.h"
#include "sched/unwind_link.h"
#include "task/pool.h"
#include "wait/descriptor.h"
#include "worker/reach.h"
#include "worker/team_cpus.h"
#include "worker/use.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#define REST __attribute__((weak))

REST struct wsfj_settings wsfj_settings;
REST struct wsfj_worker *wsfj_workers;
REST unsigned wsfj_num_workers;

REST size_t ws_num_workers(void)
{
    return wsfj_num_workers;
}

REST void wsfj_unwind_link_begin(struct wsfj_stack *own)
{
    (void)own;
}

REST void wsfj_blocking_return(struct wsfj_stack *own)
{
    (void)own;
}

REST void wsfj_blocking_again(struct wsfj_stack *own)
{
    (void)own;
}

REST bool wsfj_outside_sleep(struct wsfj_worker *self, const struct timespec *most)
{
    (void)self;
    (void)most;
    return false;
}

REST void wsfj_scope_wake(ws_scope *scope)
{
    (void)scope;
}

REST bool wsfj_outside_try_look(struct wsfj_worker *self)
{
    (void)self;
    return false;
}

REST uint64_t wsfj_source_first(void)
{
    return WSFJ_FOREVER;
}

REST void wsfj_source_ask(uint64_t now)
{
    (void)now;
}

REST void wsfj_source_forget(void)
{
}

REST void wsfj_descriptor_open(void)
{
}

REST void wsfj_descriptor_close(void)
{
}

REST void wsfj_descriptor_poke(void)
{
}

REST int wsfj_descriptor_refuses(int fd, short events)
{
    (void)fd;
    (void)events;
    return EINVAL;
}

REST int wsfj_descriptor_poll(struct pollfd *fds, unsigned n)
{
    (void)fds;
    (void)n;
    return EINVAL;
}

REST void wsfj_descriptor_node(struct wsfj_descriptor_wait *wait, int fd, short events)
{
    (void)wait;
    (void)fd;
    (void)events;
}

REST void wsfj_descriptor_begin(void)
{
}

REST void wsfj_descriptor_end(void)
{
}

REST int ws_sleep_until(uint64_t until)
{
    (void)until;
    return 0;
}

REST uint64_t wsfj_thread_count(void)
{
    return 0;
}

REST pid_t wsfj_thread_id(void)
{
    return 0;
}

REST uint32_t wsfj_group_watched;

REST struct wsfj_stack *wsfj_group_finish(ws_group *group, unsigned tasks)
{
    (void)group;
    (void)tasks;
    return NULL;
}

REST size_t wsfj_roots;

REST struct wsfj_region *wsfj_root_pop(void)
{
    return NULL;
}

REST void wsfj_root_finish(struct wsfj_region *region, enum wsfj_region_state state)
{
    (void)region;
    (void)state;
}

REST _Noreturn void wsfj_fork_child_stop(bool ends)
{
    (void)ends;
    abort();
}

REST bool wsfj_phase_hot(void)
{
    return false;
}

REST bool wsfj_phase_on(void)
{
    return false;
}

/* Nothing is pinned. */
REST struct wsfj_stack *wsfj_pin_after_switch(struct wsfj_server *self, struct wsfj_stack *stack,
                                              wsfj_after_switch *left)
{
    (void)self;
    (void)stack;
    (void)left;
    abort();
}

REST void wsfj_pin_return(struct wsfj_server *self, struct wsfj_stack *stack)
{
    (void)self;
    (void)stack;
    abort();
}

REST enum wsfj_served wsfj_pin_hand_over(struct wsfj_server *self, struct wsfj_stack *stack)
{
    (void)self;
    (void)stack;
    abort();
}

REST void wsfj_pin_end(struct wsfj_stack *own)
{
    (void)own;
}

/* So wsfj_queued_must_tell() asks the counts. */
REST uint32_t wsfj_preempt_state = WSFJ_PREEMPT_INSPECTS;

REST void wsfj_queued(struct wsfj_worker *self)
{
    wsfj_wake_notify(self);
}

REST void wsfj_preempt_none_idle(void)
{
}

REST void wsfj_preempt_get_ready(void)
{
}

REST void wsfj_preempt_begin(void)
{
}

REST void wsfj_preempt_polls(void)
{
}

/* No fiber of these programs is requested to give way. */
REST void wsfj_give_way(struct wsfj_stack *own)
{
    (void)own;
    abort();
}

REST void *wsfj_local_of(struct wsfj_local *local, int worker)
{
    (void)local;
    (void)worker;
    return NULL;
}

REST void wsfj_loop_show_time(uint64_t now)
{
    (void)now;
}

REST WSFJ_OF_THREAD size_t wsfj_thread_is;
REST WSFJ_OF_THREAD struct wsfj_profile *wsfj_profile_tls;
REST size_t wsfj_callers = 1;

REST void wsfj_thread_begin(const char *name)
{
    (void)name;
}

REST struct wsfj_deque *wsfj_serial_try_begin(void)
{
    return NULL;
}

REST void ws_unpin(void)
{
}

REST bool wsfj_source_poll(void)
{
    return false;
}

REST struct wsfj_stack *wsfj_pool_take(struct wsfj_cache *cache)
{
    (void)cache;
    return NULL;
}

REST void wsfj_pool_give(struct wsfj_cache *cache, struct wsfj_stack *stack)
{
    (void)cache;
    (void)stack;
}

REST void wsfj_pool_share(struct wsfj_stack *stack)
{
    (void)stack;
}

REST void wsfj_pool_share_all(struct wsfj_cache *cache)
{
    (void)cache;
}

REST void wsfj_cgroup_find(struct wsfj_cgroup *quota, const char *top)
{
    (void)quota;
    (void)top;
}

REST unsigned wsfj_cgroup_read(struct wsfj_cgroup *quota)
{
    (void)quota;
    return WSFJ_CGROUP_NONE;
}

REST bool wsfj_use_any(void)
{
    return true;
}

REST struct wsfj_stack *wsfj_steal(struct wsfj_worker *w, const struct wsfj_region *only)
{
    (void)w;
    (void)only;
    return NULL;
}

REST void wsfj_thread_wait_begin(void)
{
}

REST void wsfj_thread_wait_end(void)
{
}

REST void wsfj_shortage_start(void)
{
}

REST void wsfj_shortage_check(uint64_t now)
{
    (void)now;
}

REST struct wsfj_stack *wsfj_fresh_stack(struct wsfj_worker *w)
{
    (void)w;
    return NULL;
}

REST bool wsfj_team_has_threads(void)
{
    return true;
}

REST unsigned wsfj_team_cpus(void)
{
    return 0;
}

REST void wsfj_team_spread(void)
{
}

REST void wsfj_reach_look(struct wsfj_worker *w, uint64_t now)
{
    (void)w;
    (void)now;
}

REST struct wsfj_worker *wsfj_worker_here(void)
{
    return NULL;
}

REST void wsfj_say(const char *format, ...)
{
    (void)format;
}

#ifdef __x86_64__
REST void wsfj_slow_path_find(void)
{
}
#endif

REST void wsfj_spawn_thunk(void)
{
}

REST void wsfj_loop_thunk(void)
{
}

REST void wsfj_sync_thunk(void)
{
}

REST struct wsfj_deque *wsfj_serial_begin(void)
{
    return NULL;
}

REST void wsfj_serial_end(struct wsfj_deque *deque)
{
    (void)deque;
}

/* Tracing is off: wsfj_hooks has no function for it. */
REST struct wsfj_log wsfj_foreign_log;

static void begin_thread(void)
{
}

REST const struct wsfj_hooks wsfj_hooks = {.thread_begins = begin_thread,
                                           .caller_begins = begin_thread,
                                           .look_outside = wsfj_source_poll};
