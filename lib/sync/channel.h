/* SPDX-License-Identifier: MIT */
#ifndef WSFJ_SYNC_CHANNEL_H
#define WSFJ_SYNC_CHANNEL_H

#include "wait/waiter.h"

/* For a waiter: the node that waits until ws_channel_try_send(), or ws_channel_try_receive(), need not wait. It takes
 * nothing. */
struct wsfj_node wsfj_channel_send_node(const ws_channel *channel);
struct wsfj_node wsfj_channel_receive_node(const ws_channel *channel);

#endif
