/* SPDX-License-Identifier: MIT */
/*
 * A ring of items, under the lock of its bucket. Receivers wait while the ring is empty, senders while it is full: never both.
 * An item for a receiver that waits goes directly to its place; a sender's item goes into the ring, or to the receiver, by
 * the call that makes room for it.
 */
#include "sync/channel.h"

#include "base/tsan.h"
#include "idle/resume.h"
#include "sync/taker.h"

#include <errno.h>
#include <string.h>

#define RECEIVERS WSFJ_WAIT_FIRST
#define SENDERS (WSFJ_WAIT_FIRST + 1u)

/* A call on a channel, while it has the lock. */
struct access {
    ws_channel *channel;
    struct wsfj_bucket *bucket;
    struct wsfj_woken woken;
    const void *place; /* of the item in the ring that the call has filled or emptied; else NULL */
};

static struct access lock(ws_channel *channel)
{
    struct access a = {channel, wsfj_table_lock(channel), {NULL, NULL, 0, NULL}, NULL};

    wsfj_tsan_acquire(channel); /* copies of items touch the memory of those who wait */
    return a;
}

static void unlock(struct access *a)
{
    wsfj_tsan_release(a->channel);
    wsfj_table_unlock(a->bucket); /* the channel may be gone from here on */
    if (a->place) {               /* a place is filled after it was emptied, and the other way round */
        wsfj_sync_met(a->place);
        wsfj_sync_set(a->place, true);
    }
    wsfj_resume_all(wsfj_table_wake(&a->woken));
}

WSFJ_EXPORT void ws_channel_init(ws_channel *channel, void *items, size_t size, size_t capacity)
{
    *channel = (ws_channel){items, size, capacity, 0, 0, 0, 0};
}

static bool is_waited_for(const ws_channel *c, uint32_t number)
{
    return wsfj_taker_first(wsfj_table_bucket(c), c, number) != NULL;
}

static bool no_receive(struct wsfj_node *node)
{
    const ws_channel *c = node->key;

    return !c->wsfj_count && !c->wsfj_closed && !is_waited_for(c, SENDERS);
}

static bool no_send(struct wsfj_node *node)
{
    const ws_channel *c = node->key;

    return c->wsfj_count == c->wsfj_capacity && !c->wsfj_closed && !is_waited_for(c, RECEIVERS);
}

struct wsfj_node wsfj_channel_send_node(const ws_channel *channel)
{
    return (struct wsfj_node){.key = channel, .must_wait = no_send, .number = WSFJ_WAIT_FIRST};
}

struct wsfj_node wsfj_channel_receive_node(const ws_channel *channel)
{
    return (struct wsfj_node){.key = channel, .must_wait = no_receive, .number = WSFJ_WAIT_FIRST};
}

/* The place of item number i, counted from the oldest one. */
static char *item_at(const ws_channel *c, size_t i)
{
    size_t place = c->wsfj_first + i;

    return (char *)c->wsfj_items + (place < c->wsfj_capacity ? place : place - c->wsfj_capacity) * c->wsfj_size;
}

/* Serves the sender or receiver that has waited longest. The copy comes before the claim: then the item is the taker's own
 * again. */
static bool to_receiver(struct access *a, const void *item)
{
    struct wsfj_taker *taker;

    while ((taker = wsfj_taker_first(a->bucket, a->channel, RECEIVERS))) {
        memcpy(taker->item, item, a->channel->wsfj_size);
        if (wsfj_taker_serve(taker, a->bucket, &a->woken))
            return true;
    }
    return false;
}

static bool from_sender(struct access *a, void *item)
{
    struct wsfj_taker *taker;

    while ((taker = wsfj_taker_first(a->bucket, a->channel, SENDERS))) {
        memcpy(item, taker->item, a->channel->wsfj_size);
        if (wsfj_taker_serve(taker, a->bucket, &a->woken))
            return true;
    }
    return false;
}

/* 0; EPIPE; EAGAIN: the caller must wait. */
static int send(struct access *a, const void *item)
{
    ws_channel *c = a->channel;

    if (c->wsfj_closed)
        return EPIPE;
    if (to_receiver(a, item))
        return 0;
    if (c->wsfj_count == c->wsfj_capacity)
        return EAGAIN;
    a->place = memcpy(item_at(c, c->wsfj_count), item, c->wsfj_size);
    c->wsfj_count++;
    wsfj_taker_tell(a->bucket, c, no_receive, &a->woken);
    return 0;
}

static int receive(struct access *a, void *item)
{
    ws_channel *c = a->channel;

    if (!c->wsfj_count)
        return from_sender(a, item) ? 0 : c->wsfj_closed ? EPIPE : EAGAIN;
    a->place = item_at(c, 0);
    memcpy(item, a->place, c->wsfj_size);
    c->wsfj_first = c->wsfj_first + 1 < c->wsfj_capacity ? c->wsfj_first + 1 : 0;
    /* The number stays if a sender fills the place: that one may be back at once, and free the channel. */
    if (from_sender(a, item_at(c, c->wsfj_count - 1)))
        return 0;
    c->wsfj_count--;
    wsfj_taker_tell(a->bucket, c, no_send, &a->woken);
    return 0;
}

static int pass(struct access *a, void *item, uint32_t number)
{
    return number == SENDERS ? send(a, item) : receive(a, item);
}

/* Sends or receives. EAGAIN: the caller has waited, and tries again, or *refused says why it must not wait. */
static int pass_or_wait(ws_channel *channel, void *item, uint32_t number, uint64_t until, int *refused)
{
    struct access a = lock(channel);
    struct wsfj_taker taker;
    int error = pass(&a, item, number);

    *refused = error == EAGAIN ? wsfj_sync_refused(until) : 0;
    if (error == EAGAIN && !*refused) {
        taker.item = item;
        wsfj_taker_queue(&taker, a.bucket, channel, number);
        wsfj_taker_tell(a.bucket, channel, number == SENDERS ? no_receive : no_send, &a.woken); /* unbuffered */
    }
    unlock(&a);
    return error == EAGAIN && !*refused ? wsfj_taker_wait(&taker, WSFJ_WAIT_CHANNEL, until) : error;
}

static int pass_until(ws_channel *channel, void *item, uint32_t number, uint64_t until)
{
    int error, refused;

    while ((error = pass_or_wait(channel, item, number, until, &refused)) == EAGAIN)
        if (refused && !wsfj_sync_again(&refused, channel, until))
            return refused;
    wsfj_tsan_acquire(channel); /* after a wait */
    return error;
}

static int try_to_pass(ws_channel *channel, void *item, uint32_t number)
{
    struct access a = lock(channel);
    int error = pass(&a, item, number);

    unlock(&a);
    return error;
}

WSFJ_EXPORT int ws_channel_send(ws_channel *channel, const void *item)
{
    return pass_until(channel, (void *)(uintptr_t)item, SENDERS, WSFJ_FOREVER);
}

WSFJ_EXPORT int ws_channel_send_until(ws_channel *channel, const void *item, uint64_t until)
{
    return pass_until(channel, (void *)(uintptr_t)item, SENDERS, until);
}

WSFJ_EXPORT int ws_channel_try_send(ws_channel *channel, const void *item)
{
    return try_to_pass(channel, (void *)(uintptr_t)item, SENDERS);
}

WSFJ_EXPORT int ws_channel_receive(ws_channel *channel, void *item)
{
    return pass_until(channel, item, RECEIVERS, WSFJ_FOREVER);
}

WSFJ_EXPORT int ws_channel_receive_until(ws_channel *channel, void *item, uint64_t until)
{
    return pass_until(channel, item, RECEIVERS, until);
}

WSFJ_EXPORT int ws_channel_try_receive(ws_channel *channel, void *item)
{
    return try_to_pass(channel, item, RECEIVERS);
}

WSFJ_EXPORT void ws_channel_close(ws_channel *channel)
{
    struct access a = lock(channel);

    channel->wsfj_closed = 1;
    wsfj_taker_tell(a.bucket, channel, NULL, &a.woken);
    unlock(&a);
}
