/* SPDX-License-Identifier: MIT */
/*
 * With -DWSFJ_PROFILE, the public functions that tasks call have other names, so that files compiled with and without
 * it can be linked into one program. The renamed functions do what wsfj.h, submit.h, blocking.h and pin.h say, as far
 * as a serial program can (doc/profiling.md).
 */
#ifndef WSFJ_RENAMED_H
#define WSFJ_RENAMED_H

#define ws_worker_id wsfj_profile_worker_id
#define ws_slot wsfj_profile_slot
#define wsfj_local_here wsfj_profile_local_here
#define ws_submit wsfj_profile_submit
#define ws_try_submit wsfj_profile_try_submit
#define ws_group_submit wsfj_profile_group_submit
#define ws_group_try_submit wsfj_profile_group_try_submit
#define ws_group_init wsfj_profile_group_init
#define ws_group_wait wsfj_profile_group_wait
#define ws_yield wsfj_profile_yield
#define ws_blocking_begin wsfj_profile_blocking_begin
#define ws_blocking_end wsfj_profile_blocking_end
#define ws_pin wsfj_profile_pin
#define ws_unpin wsfj_profile_unpin

#endif
