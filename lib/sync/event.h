/* SPDX-License-Identifier: MIT */
/* Events, also as a part of other objects. */
#ifndef WSFJ_SYNC_EVENT_H
#define WSFJ_SYNC_EVENT_H

#include "wait/waiter.h"

/* For a waiter: the node that waits for the event. It takes nothing. */
struct wsfj_node wsfj_event_node(const ws_event *event);

/* ws_event_wait_until() for an object that has the event as its part; `kind` says which. */
int wsfj_event_await(ws_event *event, enum wsfj_wait_kind kind, const void *on, uint64_t until);

#endif
