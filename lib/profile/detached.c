/* SPDX-License-Identifier: MIT */
/*
 * Detached tasks, blocking sections and pins of a profiled program.
 *
 * A detached task is called where it is submitted, and counts as parallel to what follows there. For each group the
 * farthest end of its tasks is kept, and ws_group_wait() continues from there. Tasks that submit tasks, which submit
 * tasks, would need more and more stack: beyond a depth they are queued, and called when the task at that depth has
 * returned.
 *
 * In tasks of the parallel runtime and in ws_config.poll nothing is profiled, and everything works as without a
 * profile.
 */
#include "api/local.h"
#include "arch/exceptions.h"
#include "base/alloc.h"
#include "idle/resume.h"
#include "profile/profile.h"
#include "profile/record.h"
#include "queue/group.h"
#include "worker/own.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <wsfj/inline/scope_chain.h>

#define DEPTH_MOST 32

static const struct wsfj_site submitted = {"", "ws_submit", 0}, grouped = {"", "ws_group_submit", 0};

/* The group of a task that runs. The task that has called it runs, too. */
struct wsfj_in_group {
    const ws_group *group; /* or NULL */
    const struct wsfj_in_group *caller;
};

/* Whether a task of the group runs here: the wait would be for a task that cannot end before it. */
static bool runs_here(const struct wsfj_account *a, const ws_group *group)
{
    const struct wsfj_in_group *in = a->in_groups;

    while (in && in->group != group)
        in = in->caller;
    return in != NULL;
}

static void call(struct wsfj_account *a, ws_function *fn, void *arg, ws_group *group, uint64_t post)
{
    struct wsfj_profile *p = &a->profile;
    const struct wsfj_in_group in = {group, a->in_groups};
    struct wsfj_scope scope = {.wsfj_profile = p};
    struct wsfj_spawned child;
    ws_scope *chain = wsfj_scope_chain;
    struct wsfj_exceptions submitter;

    wsfj_record_detach(a, group, post);
    wsfj_child_begin(&child, &scope, group ? &grouped : &submitted);
    p->wsfj_work += p->wsfj_unit;
    p->wsfj_span += p->wsfj_unit;
    a->nested++;
    a->in_groups = &in;
    wsfj_scope_chain = group ? &group->wsfj_scope : NULL; /* no member of the submitter's scopes */
    submitter = wsfj_exceptions_begin();
    if (!wsfj_group_drops(group))
        fn(arg);
    wsfj_exceptions_end(submitter);
    wsfj_scope_chain = chain;
    a->in_groups = in.caller;
    a->nested--;
    wsfj_child_end(&child, &scope);
    wsfj_reach(&a->farthest, scope.wsfj_reach);
    if (group)
        wsfj_groups_reach(group, scope.wsfj_reach);
}

static void call_queued(struct wsfj_account *a)
{
    while (a->first) {
        struct wsfj_detached *d = a->first;
        struct wsfj_position before;

        a->first = d->next;
        wsfj_strand_end(&a->profile, WSFJ_END_SYNC);
        before = wsfj_at(&a->profile);
        wsfj_go_on(&a->profile, d->at);
        wsfj_strand_begin(&a->profile, &a->own.wsfj_after);
        call(a, d->fn, d->arg, d->group, d->post);
        wsfj_strand_end(&a->profile, WSFJ_END_SYNC);
        wsfj_go_on(&a->profile, before);
        wsfj_strand_begin(&a->profile, &a->own.wsfj_after);
        wsfj_resume_all(wsfj_group_finish(d->group, 1));
        free(d);
    }
}

bool wsfj_profile_call_queued(void)
{
    struct wsfj_account *a;
    bool any;

    if (!wsfj_profile_tls)
        return false; /* a runtime without threads: nothing is queued */
    a = wsfj_account_of(wsfj_profile_tls);
    any = a->first != NULL;
    call_queued(a);
    return any;
}

static bool queue(struct wsfj_account *a, ws_function *fn, void *arg, ws_group *group)
{
    struct wsfj_detached *d = wsfj_malloc(sizeof *d);

    if (!d)
        return false;
    *d = (struct wsfj_detached){fn, arg, group, wsfj_at(&a->profile), wsfj_record_post(a), NULL};
    if (a->first)
        *a->last_next = d;
    else
        a->first = d;
    a->last_next = &d->next;
    return true;
}

/* The group counts the task from here to its end, so that other threads can wait for it. */
static void submit_inside(struct wsfj_account *a, ws_function *fn, void *arg, ws_group *group)
{
    if (group)
        wsfj_group_add(group);
    if (a->nested >= DEPTH_MOST && queue(a, fn, arg, group))
        return;
    call(a, fn, arg, group, 0);
    if (group)
        wsfj_resume_all(wsfj_group_finish(group, 1));
    if (a->nested == DEPTH_MOST - 1)
        call_queued(a);
}

static int submit(ws_function *fn, void *arg, ws_group *group)
{
    struct wsfj_profile_root root;
    int error = 0;

    if (!fn)
        return EINVAL;
    if (wsfj_profile_tls) {
        submit_inside(wsfj_account_of(wsfj_profile_tls), fn, arg, group);
        return 0;
    }
    error = wsfj_own_stack() ? EDEADLK : wsfj_profile_enter(&root, false);
    if (error == EDEADLK) /* the runtime runs the task, or refuses it */
        return group ? ws_group_submit(group, fn, arg) : ws_submit(fn, arg);
    if (error)
        return error;
    submit_inside(wsfj_account_of(wsfj_profile_tls), fn, arg, group);
    wsfj_profile_leave(&root, false);
    return 0;
}

WSFJ_EXPORT int wsfj_profile_submit(ws_function *fn, void *arg)
{
    return submit(fn, arg, NULL);
}

WSFJ_EXPORT int wsfj_profile_try_submit(ws_function *fn, void *arg)
{
    return submit(fn, arg, NULL);
}

WSFJ_EXPORT int wsfj_profile_group_submit(ws_group *group, ws_function *fn, void *arg)
{
    return submit(fn, arg, group);
}

WSFJ_EXPORT int wsfj_profile_group_try_submit(ws_group *group, ws_function *fn, void *arg)
{
    return submit(fn, arg, group);
}

WSFJ_EXPORT void wsfj_profile_group_init(ws_group *group)
{
    ws_group_init(group);
    (void)wsfj_groups_take(group); /* another group may have had this address */
}

/* The group may have tasks of other threads. */
static int wait_inside(struct wsfj_account *a, ws_group *group)
{
    struct wsfj_position at;

    if (runs_here(a, group))
        return EDEADLK;
    call_queued(a);
    wsfj_strand_end(&a->profile, WSFJ_END_SYNC);
    wsfj_record_group_wait(a, group);
    if (!wsfj_group_done(group)) {
        wsfj_profile_give_number(a);
        wsfj_group_wait_outside(group);
        wsfj_profile_take_number(a);
    }
    at = wsfj_at(&a->profile);
    wsfj_reach(&at, wsfj_groups_take(group));
    wsfj_go_on(&a->profile, at);
    wsfj_strand_begin(&a->profile, &a->own.wsfj_after);
    return wsfj_scope_code(&group->wsfj_scope);
}

WSFJ_EXPORT int wsfj_profile_group_wait(ws_group *group)
{
    int error;

    if (wsfj_profile_tls)
        return wait_inside(wsfj_account_of(wsfj_profile_tls), group);
    error = ws_group_wait(group);
    if (!error && !wsfj_own_stack())
        wsfj_profile_reached(wsfj_groups_take(group));
    return error;
}

WSFJ_EXPORT void wsfj_profile_yield(void)
{
    if (!wsfj_profile_tls) {
        ws_yield();
        return;
    }
    wsfj_record_yield(wsfj_account_of(wsfj_profile_tls));
    sched_yield();
}

/* In a blocking section time passes without work. Each is timed, however long others were. */
WSFJ_EXPORT void wsfj_profile_blocking_begin(void)
{
    struct wsfj_profile *p = wsfj_profile_tls;

    if (!p) {
        ws_blocking_begin();
    } else if (wsfj_account_of(p)->blocking++ == 0) {
        struct wsfj_account *a = wsfj_account_of(p);

        a->blocking = 0;
        wsfj_strand_end(p, WSFJ_END_SYNC);
        a->blocking = 1;
        wsfj_profile_give_number(a);
        if (!p->wsfj_unit)
            a->own.wsfj_synced.wsfj_left = 1;
        wsfj_strand_begin(p, &a->own.wsfj_synced);
    }
}

WSFJ_EXPORT void wsfj_profile_blocking_end(void)
{
    struct wsfj_profile *p = wsfj_profile_tls;

    if (!p) {
        ws_blocking_end();
    } else if (wsfj_account_of(p)->blocking && --wsfj_account_of(p)->blocking == 0) {
        struct wsfj_account *a = wsfj_account_of(p);

        a->blocking = 1;
        wsfj_strand_end(p, WSFJ_END_SYNC);
        a->blocking = 0;
        wsfj_profile_take_number(a);
        wsfj_strand_begin(p, &a->own.wsfj_after);
    }
}

/* A profiled task never leaves its thread. */
WSFJ_EXPORT int wsfj_profile_pin(void)
{
    return wsfj_profile_tls ? 0 : ws_pin();
}

WSFJ_EXPORT void wsfj_profile_unpin(void)
{
    if (!wsfj_profile_tls)
        ws_unpin();
}

WSFJ_EXPORT int wsfj_profile_worker_id(void)
{
    return wsfj_profile_tls ? wsfj_account_of(wsfj_profile_tls)->worker : ws_worker_id();
}

/* Profiled regions have numbers of their own, of which there may be more than workers. */
WSFJ_EXPORT size_t wsfj_profile_slot(void)
{
    size_t last = ws_num_workers();
    int worker = wsfj_profile_worker_id();

    return worker >= 0 && (size_t)worker < last ? (size_t)worker : last;
}

WSFJ_EXPORT void *wsfj_profile_local_here(struct wsfj_local *local)
{
    return wsfj_profile_tls ? wsfj_local_of(local, wsfj_profile_worker_id()) : wsfj_local_here(local);
}
