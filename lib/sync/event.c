/* SPDX-License-Identifier: MIT */
/* A word: SET, and WAITING while the setter must look into the wait table. */
#include "sync/event.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "base/debug.h"
#include "base/tsan.h"
#include "idle/resume.h"
#include "sync/waiting.h"
#include "wait/table.h"

#define SET 1u
#define WAITING 2u

WSFJ_EXPORT int ws_event_is_set(const ws_event *event)
{
    bool set = (load_acquire(&event->wsfj_state) & SET) != 0; /* acquire: what the setter did */

    if (set) {
        wsfj_tsan_acquire(event);
        wsfj_sync_met(event);
    }
    return set;
}

WSFJ_EXPORT void ws_event_set(ws_event *event)
{
    wsfj_tsan_release(event);
    wsfj_sync_set(event, true);
    wsfj_chaos();
    /* Release: what the caller did. This is the last access, the event may be gone afterwards. */
    if (swap_acq_rel(&event->wsfj_state, SET) & WAITING)
        wsfj_resume_all(wsfj_table_take(event, UINT32_MAX));
}

/* The setter will look into the table, unless the event is set. */
static bool must_wait(struct wsfj_node *node)
{
    ws_event *event = (ws_event *)(uintptr_t)node->key;
    uint32_t state = load_acquire(&event->wsfj_state);

    do {
        wsfj_chaos();
        if (state & SET)
            return false;
    } while (!(state & WAITING) && !cas_acq_rel(&event->wsfj_state, &state, WAITING));
    return true;
}

struct wsfj_node wsfj_event_node(const ws_event *event)
{
    return (struct wsfj_node){.key = event, .must_wait = must_wait, .number = WSFJ_WAIT_FIRST};
}

int wsfj_event_await(ws_event *event, enum wsfj_wait_kind kind, const void *on, uint64_t until)
{
    int error = 0;

    while (!ws_event_is_set(event)) {
        struct wsfj_node node = wsfj_event_node(event);

        if (error)
            return error;
        error = wsfj_sync_wait_for(&node, kind, on, until);
    }
    return 0;
}

WSFJ_EXPORT int ws_event_wait_until(ws_event *event, uint64_t until)
{
    return wsfj_event_await(event, WSFJ_WAIT_EVENT, event, until);
}

WSFJ_EXPORT int ws_event_wait(ws_event *event)
{
    return wsfj_event_await(event, WSFJ_WAIT_EVENT, event, WSFJ_FOREVER);
}

WSFJ_EXPORT int ws_event_wait_named(ws_event *event, const char *what, uint64_t until)
{
    return wsfj_event_await(event, WSFJ_WAIT_NAMED, what, until);
}

/* A waiter whose deadline has passed leaves WAITING behind. */
static bool is_waited_for(const ws_event *event)
{
    struct wsfj_bucket *bucket = wsfj_table_lock(event);
    bool found = wsfj_table_next(bucket, event, NULL) != NULL;

    wsfj_table_unlock(bucket);
    return found;
}

WSFJ_EXPORT void ws_event_reset(ws_event *event)
{
    /* Acquire: a caller that now looks for what is done sees what came before the set that it takes back. */
    uint32_t was = and_acquire(&event->wsfj_state, ~SET);

    wsfj_tsan_acquire(event);
    if ((was & WAITING) && is_waited_for(event))
        wsfj_say("ws_event_reset(): tasks or threads wait for the event at %p", (void *)event);
}
