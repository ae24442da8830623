/* SPDX-License-Identifier: MIT */
/* ws_wait_any(): a waiter with a node for each thing. The nodes only test. A thread asks poll(2) for descriptors instead. */
#include "base/hooks.h"
#include "base/tsan.h"
#include "idle/lookout.h"
#include "queue/group.h"
#include "sync/channel.h"
#include "sync/event.h"
#include "sync/semaphore.h"
#include "sync/waiting.h"
#include "wait/descriptor.h"
#include "wait/table.h"

#include <errno.h>

struct any {
    size_t n;
    struct ws_thing *things;
    struct wsfj_descriptor_wait nodes[WS_THINGS_MOST];
    unsigned num_fds;
    struct pollfd fds[1 + WS_THINGS_MOST]; /* the first one is for the waiter */
};

static int make_descriptor_node(struct any *any, struct wsfj_descriptor_wait *node, const struct pollfd *p)
{
    wsfj_descriptor_node(node, p->fd, p->events);
    any->fds[++any->num_fds] = (struct pollfd){p->fd, p->events, 0};
    return wsfj_descriptor_refuses(p->fd, p->events);
}

/* EINVAL: there is no such kind. */
static int make_node(struct any *any, struct wsfj_descriptor_wait *wait, const struct ws_thing *thing)
{
    struct wsfj_node *node = &wait->node;

    wait->error = 0;
    switch (thing->kind) {
    case WS_THING_EVENT: *node = wsfj_event_node(thing->object); break;
    case WS_THING_FUTURE: *node = wsfj_event_node(&((const ws_future *)thing->object)->wsfj_is_set); break;
    case WS_THING_GROUP: *node = wsfj_group_node(thing->object); break;
    case WS_THING_SEMAPHORE: *node = wsfj_semaphore_node(thing->object); break;
    case WS_THING_RECEIVE: *node = wsfj_channel_receive_node(thing->object); break;
    case WS_THING_SEND: *node = wsfj_channel_send_node(thing->object); break;
    case WS_THING_DESCRIPTOR: return make_descriptor_node(any, wait, thing->object);
    default: return EINVAL;
    }
    return 0;
}

static int make_nodes(struct any *any)
{
    for (size_t i = 0; i < any->n; i++) {
        int error = make_node(any, &any->nodes[i], &any->things[i]);

        if (error)
            return error;
        any->nodes[i].node.number = WSFJ_WAIT_FIRST + (uint32_t)i;
    }
    return 0;
}

/* Links the nodes, for a thread without those of descriptors. Returns the first. */
static struct wsfj_node *link_nodes(struct any *any, bool descriptors)
{
    struct wsfj_node *first = NULL;

    for (size_t i = any->n; i-- > 0;) {
        if (descriptors || any->things[i].kind != WS_THING_DESCRIPTOR) {
            any->nodes[i].node.other = first;
            first = &any->nodes[i].node;
        }
    }
    return first;
}

static bool is_ready(struct wsfj_node *node)
{
    struct wsfj_bucket *bucket = wsfj_table_lock(node->key);
    bool ready = !node->must_wait(node);

    wsfj_table_unlock(bucket);
    if (ready)
        wsfj_tsan_acquire(node->key);
    return ready;
}

/* Sets `ready` of each thing. 0: one is. ETIMEDOUT: none is. Or why one cannot be waited for. */
static int test(struct any *any)
{
    int error = any->num_fds ? wsfj_descriptor_poll(any->fds + 1, any->num_fds) : ETIMEDOUT;
    const struct pollfd *p = any->fds;

    if (error && error != ETIMEDOUT)
        return error;
    for (size_t i = 0; i < any->n; i++) {
        struct ws_thing *thing = &any->things[i];

        if (thing->kind == WS_THING_DESCRIPTOR) {
            ((struct pollfd *)thing->object)->revents = (++p)->revents;
            thing->ready = p->revents != 0;
        } else {
            thing->ready = is_ready(&any->nodes[i].node);
            if (thing->ready && thing->kind <= WS_THING_GROUP)
                wsfj_sync_met(any->nodes[i].node.key);
        }
        error = thing->ready ? 0 : error;
    }
    return error;
}

/* Why a descriptor could not be waited for, or 0. */
static int descriptor_error(const struct any *any)
{
    for (size_t i = 0; i < any->n; i++)
        if (any->nodes[i].error)
            return any->nodes[i].error;
    return 0;
}

static int wait_as_thread(struct any *any, uint64_t until)
{
    struct wsfj_waiter waiter = wsfj_waiter_here(link_nodes(any, false));
    int error;

    waiter.detail = (uint32_t)any->n;
    wsfj_waiter_poll_begin(&waiter, any->fds, any->num_fds);
    error = wsfj_sync_wait(&waiter, WSFJ_WAIT_ANY, any->things[0].object, until);
    wsfj_waiter_poll_end(&waiter);
    return error;
}

static int wait_once(struct any *any, uint64_t until)
{
    struct wsfj_waiter waiter = wsfj_waiter_here(link_nodes(any, true));
    int error, refused;

    if (any->num_fds && !waiter.stack)
        return wait_as_thread(any, until);
    waiter.detail = (uint32_t)any->n;
    if (any->num_fds) {
        wsfj_descriptor_begin();
        wsfj_lookout_begin();
    }
    error = wsfj_sync_wait(&waiter, WSFJ_WAIT_ANY, any->things[0].object, until);
    if (any->num_fds) {
        wsfj_lookout_end();
        wsfj_descriptor_end();
    }
    refused = descriptor_error(any);
    return refused ? refused : error;
}

/* In a profiled task. Unlike others it may wait, if no other task is left to run: for descriptors. */
static int run_another_or_wait(struct any *any, uint64_t until)
{
    return wsfj_hooks.call_queued() ? 0 : wait_once(any, until);
}

WSFJ_EXPORT int ws_wait_any(struct ws_thing *things, size_t n, uint64_t until)
{
    struct any any;
    int error, waited = 0;

    any.n = n;
    any.things = things;
    any.num_fds = 0;
    error = n == 0 || n > WS_THINGS_MOST ? EINVAL : make_nodes(&any);
    if (error)
        return error;
    while ((error = test(&any)) == ETIMEDOUT && !waited) {
        int refused = wsfj_sync_refused(until);

        if (!refused)
            waited = wait_once(&any, until);
        else if (refused == EAGAIN && any.num_fds)
            waited = run_another_or_wait(&any, until);
        else if (!wsfj_sync_again(&refused, things->object, until))
            return refused;
    }
    return error == ETIMEDOUT ? waited : error;
}
