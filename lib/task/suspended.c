/* SPDX-License-Identifier: MIT */
#include "task/suspended.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "task/deque.h"
#include "task/stack.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* Under the mutex: a circular list. The next thief begins here. NULL: empty. */
static struct wsfj_stack *cursor;
size_t wsfj_suspended_listed;

void wsfj_suspended_add(struct wsfj_stack *s)
{
    wsfj_deque_publish_all(s); /* the owner cannot answer requests, and a forced exposure disturbs every worker */
    if (load_relaxed(&s->suspended.listed))
        return;
    store_relaxed(&s->suspended.listed, true);
    pthread_mutex_lock(&mutex);
    if (cursor) {
        s->suspended.next = cursor;
        s->suspended.before = cursor->suspended.before;
        s->suspended.before->suspended.next = s;
        cursor->suspended.before = s;
    } else {
        cursor = s->suspended.next = s->suspended.before = s;
    }
    store_seq(&wsfj_suspended_listed, wsfj_suspended_listed + 1); /* BLOCK-2: before worker.stack changes */
    pthread_mutex_unlock(&mutex);
}

void wsfj_suspended_remove(struct wsfj_stack *s)
{
    if (!load_relaxed(&s->suspended.listed))
        return;
    store_relaxed(&s->suspended.listed, false);
    wsfj_chaos();
    pthread_mutex_lock(&mutex);
    s->suspended.next->suspended.before = s->suspended.before;
    s->suspended.before->suspended.next = s->suspended.next;
    if (cursor == s)
        cursor = s->suspended.next == s ? NULL : s->suspended.next;
    store_seq(&wsfj_suspended_listed, wsfj_suspended_listed - 1);
    pthread_mutex_unlock(&mutex);
}

struct wsfj_stack *wsfj_suspended_next(void)
{
    struct wsfj_stack *s;

    if (wsfj_suspended_count() == 0)
        return NULL;
    pthread_mutex_lock(&mutex);
    s = cursor;
    if (s)
        cursor = s->suspended.next;
    pthread_mutex_unlock(&mutex);
    return s;
}

/* Whether `is` holds for any listed stack. Calls it for all of them. */
static bool any_listed(bool (*is)(struct wsfj_stack *))
{
    struct wsfj_stack *s;
    bool found = false;

    if (wsfj_suspended_count() == 0)
        return false;
    pthread_mutex_lock(&mutex);
    s = cursor;
    if (s) {
        do {
            found = is(s) || found;
            s = s->suspended.next;
        } while (s != cursor);
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

bool wsfj_suspended_ask(void)
{
    return any_listed(wsfj_deque_request); /* PARK-2: a task may spawn in its blocking section */
}

bool wsfj_suspended_have_work(void)
{
    return any_listed(wsfj_deque_has_work);
}

void wsfj_suspended_forget(void)
{
    pthread_mutex_init(&mutex, NULL);
    cursor = NULL;
    store_seq(&wsfj_suspended_listed, (size_t)0);
}
