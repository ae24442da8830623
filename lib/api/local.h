/* SPDX-License-Identifier: MIT */
/* WS_LOCAL, for callers that know their worker. */
#ifndef WSFJ_API_LOCAL_H
#define WSFJ_API_LOCAL_H

struct wsfj_local;

/* The slot of a worker, or, for -1, that of all other code. NULL: no memory. */
void *wsfj_local_of(struct wsfj_local *local, int worker);

#endif
