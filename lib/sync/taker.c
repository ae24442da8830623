/* SPDX-License-Identifier: MIT */
#include "sync/taker.h"

#include <errno.h>

void wsfj_taker_queue(struct wsfj_taker *taker, struct wsfj_bucket *bucket, const void *key, uint32_t number)
{
    taker->node = (struct wsfj_node){.key = key, .number = number};
    taker->waiter = wsfj_waiter_here(&taker->node);
    taker->waiter.detail = number - WSFJ_WAIT_FIRST;
    taker->done = false;
    wsfj_table_queue(bucket, &taker->node, &taker->waiter);
}

int wsfj_taker_wait(struct wsfj_taker *taker, enum wsfj_wait_kind kind, uint64_t until)
{
    int error = wsfj_sync_wait(&taker->waiter, kind, taker->node.key, until);

    return taker->done ? 0 : error == ECANCELED ? error : EAGAIN;
}

struct wsfj_taker *wsfj_taker_first(const struct wsfj_bucket *bucket, const void *key, uint32_t number)
{
    struct wsfj_node *node = wsfj_table_next(bucket, key, NULL);

    while (node && (node->must_wait || node->number != number))
        node = wsfj_table_next(bucket, key, node);
    return node ? WSFJ_CONTAINER(node, struct wsfj_taker, node) : NULL;
}

bool wsfj_taker_serve(struct wsfj_taker *taker, struct wsfj_bucket *bucket, struct wsfj_woken *woken)
{
    taker->done = true; /* before the claim: the taker may go on at once */
    if (wsfj_table_claim(bucket, &taker->node, woken))
        return true;
    /* It goes on because of its deadline or a cancelled scope, but not before it has had the lock. */
    taker->done = false;
    return false;
}

void wsfj_taker_tell(struct wsfj_bucket *bucket, const void *key, bool (*test)(struct wsfj_node *),
                     struct wsfj_woken *woken)
{
    struct wsfj_node *node = wsfj_table_next(bucket, key, NULL), *next;

    for (; node; node = next) {
        next = wsfj_table_next(bucket, key, node);
        if (!test || node->must_wait == test)
            (void)wsfj_table_claim(bucket, node, woken);
    }
}
