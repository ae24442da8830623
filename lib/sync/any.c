/* SPDX-License-Identifier: MIT */
/* ws_wait_any(): a waiter with a node for each thing. The nodes only test. */
#include "base/tsan.h"
#include "queue/group.h"
#include "sync/channel.h"
#include "sync/event.h"
#include "sync/semaphore.h"
#include "sync/waiting.h"
#include "wait/table.h"

#include <errno.h>

/* Without a key if there is no such kind. */
static struct wsfj_node node_of(const struct ws_thing *thing)
{
    switch (thing->kind) {
    case WS_THING_EVENT: return wsfj_event_node(thing->object);
    case WS_THING_FUTURE: return wsfj_event_node(&((const ws_future *)thing->object)->wsfj_is_set);
    case WS_THING_GROUP: return wsfj_group_node(thing->object);
    case WS_THING_SEMAPHORE: return wsfj_semaphore_node(thing->object);
    case WS_THING_RECEIVE: return wsfj_channel_receive_node(thing->object);
    case WS_THING_SEND: return wsfj_channel_send_node(thing->object);
    default: return (struct wsfj_node){.key = NULL};
    }
}

static bool make_nodes(struct wsfj_node *nodes, const struct ws_thing *things, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        nodes[i] = node_of(&things[i]);
        if (!nodes[i].key)
            return false;
        nodes[i].number = WSFJ_WAIT_FIRST + (uint32_t)i;
        nodes[i].other = i + 1 < n ? &nodes[i + 1] : NULL;
    }
    return true;
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

/* Sets `ready` of each thing. True if one is. */
static bool test(struct ws_thing *things, struct wsfj_node *nodes, size_t n)
{
    bool any = false;

    for (size_t i = 0; i < n; i++) {
        things[i].ready = is_ready(&nodes[i]);
        any |= things[i].ready != 0;
    }
    return any;
}

WSFJ_EXPORT int ws_wait_any(struct ws_thing *things, size_t n, uint64_t until)
{
    struct wsfj_node nodes[WS_THINGS_MOST];
    int error = 0, refused;

    if (n == 0 || n > WS_THINGS_MOST || !make_nodes(nodes, things, n))
        return EINVAL;
    while (!test(things, nodes, n)) {
        if (error)
            return error;
        refused = wsfj_sync_refused(until);
        if (!refused) {
            struct wsfj_waiter waiter = wsfj_waiter_here(nodes);

            waiter.detail = (uint32_t)n;
            error = wsfj_sync_wait(&waiter, WSFJ_WAIT_ANY, things[0].object, until);
        } else if (!wsfj_sync_again(&refused, until)) {
            return refused;
        }
    }
    return 0;
}
