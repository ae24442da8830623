/* SPDX-License-Identifier: MIT */
/*
 * A word: the holder's address, and WAITING while an unlock must look into the wait table. The holder is a stack, or a thread
 * that runs no task. A stack stands for the tasks that run on it, one above the other: the upper one would wait for the
 * lower one for ever.
 *
 * A free mutex goes to the first that comes. An unlock wakes the first waiter, which tries again; if that one has waited for
 * long, the mutex is its own before it wakes. A waiter that comes too late keeps its age, and goes to the end of the queue.
 */
#include "sync/mutex.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/chaos.h"
#include "base/debug.h"
#include "base/thread.h"
#include "base/tsan.h"
#include "idle/resume.h"
#include "sync/waiting.h"
#include "task/stack.h"
#include "wait/table.h"
#include "worker/own_inline.h"

#include <errno.h>

#define WAITING WSFJ_MUTEX_WAITING
/* After this time a waiter is handed the mutex. As in Go: short against what a user notices, long against a critical section. */
#define HAND_OVER_NS 1000000

struct mutex_node {
    struct wsfj_node node;
    uint64_t self, since;
    bool handed; /* under the bucket's lock: the mutex is the waiter's */
};

/* Who calls. Not inlined: a task may resume on another thread. */
static __attribute__((noinline)) uint64_t self(void)
{
    struct wsfj_deque *deque = wsfj_self();
    struct wsfj_stack *own = deque ? wsfj_stack_of(deque) : NULL;

    return own && own->memory.size > 0 ? (uintptr_t)own : (uintptr_t)&wsfj_thread_is;
}

/* The stack that calls; NULL: a thread does. */
static struct wsfj_stack *stack_of(uint64_t self)
{
    return self == (uintptr_t)&wsfj_thread_is ? NULL : (struct wsfj_stack *)(uintptr_t)self;
}

/* The mutex is the caller's now. Returns 0. */
static int note(uint64_t self, const ws_mutex *mutex)
{
    struct wsfj_stack *own = stack_of(self);

    if (own)
        own->held[own->blocking.mutexes++ % WSFJ_HELD_MOST] = mutex;
    return 0;
}

/* It was the caller's. Returns 0. */
static int forget(uint64_t self)
{
    struct wsfj_stack *own = stack_of(self);

    if (own && own->blocking.mutexes) /* else an earlier task of the stack has locked it */
        own->blocking.mutexes--;
    return 0;
}

static bool try_lock(ws_mutex *mutex, uint64_t self)
{
    uint64_t state = 0;

    wsfj_chaos();
    while (!cas_acq_rel(&mutex->wsfj_state, &state, self | state))
        if (wsfj_mutex_holder(state))
            return false;
    wsfj_tsan_acquire(mutex);
    return true;
}

/* The holder will look into the table, unless the mutex is free. */
static bool must_wait(struct wsfj_node *node)
{
    ws_mutex *mutex = (ws_mutex *)(uintptr_t)node->key;
    uint64_t state = load_relaxed(&mutex->wsfj_state);

    do {
        wsfj_chaos();
        if (!wsfj_mutex_holder(state))
            return false;
    } while (!(state & WAITING) && !cas_acq_rel(&mutex->wsfj_state, &state, state | WAITING));
    return true;
}

static int lock_slow(ws_mutex *mutex, uint64_t self, uint64_t until)
{
    struct mutex_node n = {{.key = mutex, .must_wait = must_wait, .number = WSFJ_WAIT_FIRST}, self, wsfj_now(), false};
    int error = 0;

    if (wsfj_mutex_holder(load_relaxed(&mutex->wsfj_state)) == self) {
        wsfj_say("ws_mutex_lock(): the task or thread that locks the mutex at %p has locked it before", (void *)mutex);
        return EDEADLK;
    }
    while (!error) {
        error = wsfj_sync_wait_for(&n.node, WSFJ_WAIT_MUTEX, n.node.key, until);
        if (n.handed) {
            wsfj_tsan_acquire(mutex);
            return 0;
        }
        if (try_lock(mutex, self)) {
            wsfj_sync_met(mutex);
            return 0;
        }
    }
    return error;
}

static int lock(ws_mutex *mutex, uint64_t until)
{
    uint64_t me = self();
    int error = try_lock(mutex, me) ? 0 : lock_slow(mutex, me, until);

    return error ? error : note(me, mutex);
}

WSFJ_EXPORT int ws_mutex_lock(ws_mutex *mutex)
{
    return lock(mutex, WSFJ_FOREVER);
}

WSFJ_EXPORT int ws_mutex_lock_until(ws_mutex *mutex, uint64_t until)
{
    return lock(mutex, until);
}

WSFJ_EXPORT int ws_mutex_trylock(ws_mutex *mutex)
{
    uint64_t me = self();

    return try_lock(mutex, me) ? note(me, mutex) : EBUSY;
}

/* Hands the mutex over if the waiter has waited for long. Before the claim: the waiter may go on at once. If the claim
 * fails, the waiter still waits for the bucket's lock, which the caller has. */
static bool wake(ws_mutex *mutex, struct wsfj_bucket *bucket, struct mutex_node *n, uint64_t now,
                 struct wsfj_woken *woken)
{
    bool handed = now - n->since >= HAND_OVER_NS;

    n->handed = handed;
    if (handed)
        store_release(&mutex->wsfj_state, n->self | WAITING);
    if (wsfj_table_claim(bucket, &n->node, woken))
        return handed;
    n->handed = false;
    return false;
}

static WSFJ_COLD void unlock_slow(ws_mutex *mutex)
{
    struct wsfj_bucket *bucket = wsfj_table_lock(mutex);
    struct wsfj_node *node = wsfj_table_next(bucket, mutex, NULL), *next;
    struct wsfj_woken woken = {NULL, NULL, 0, NULL};
    uint64_t now = wsfj_now();
    bool handed = false;

    for (; node && !woken.count; node = next) {
        next = wsfj_table_next(bucket, mutex, node);
        handed = wake(mutex, bucket, WSFJ_CONTAINER(node, struct mutex_node, node), now, &woken);
    }
    if (!handed) /* the last access; who is woken and too early waits for the bucket's lock */
        store_release(&mutex->wsfj_state, node ? WAITING : 0);
    wsfj_table_unlock(bucket);
    wsfj_resume_all(wsfj_table_wake(&woken));
}

static WSFJ_COLD int not_locked(const ws_mutex *mutex, uint64_t state)
{
    wsfj_say("ws_mutex_unlock(): the mutex at %p is %s", (const void *)mutex,
             wsfj_mutex_holder(state) ? "locked by another task or thread" : "not locked");
    return EPERM;
}

WSFJ_EXPORT int ws_mutex_unlock(ws_mutex *mutex)
{
    uint64_t me = self(), state = me;

    wsfj_tsan_release(mutex);
    wsfj_sync_set(mutex, false);
    wsfj_chaos();
    if (cas_acq_rel(&mutex->wsfj_state, &state, 0)) /* the last access */
        return forget(me);
    if (wsfj_mutex_holder(state) != me)
        return not_locked(mutex, state);
    unlock_slow(mutex);
    return forget(me);
}
