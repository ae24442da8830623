/* SPDX-License-Identifier: MIT */
/*
 * The seam: where a function of the simulator takes the place of the library's. Included first into the library's files and
 * into those of the simulator that replace functions of theirs (-include).
 *
 * The library defines each of these functions as WSFJ_POLICY_FUNCTION(name) (lib/base/policy.h). Here that is another name,
 * so everything calls the simulator's function `name`, which has the library's own to call:
 *
 *   wsfj_steal, wsfj_sync_suspend                    other_joins.c
 *   wsfj_victims_begin, _next, _found                other_victims.c
 *   wsfj_wake_choice                                 other_sleepers.c
 *   wsfj_run_queue_pop, _pop_of, _pop_next,          other_queues.c
 *   wsfj_global_queue_take, ws_submit and its relatives
 */
#ifndef TOOLS_SIM_SEAM_H
#define TOOLS_SIM_SEAM_H
#ifndef __ASSEMBLER__

#define WSFJ_POLICY_FUNCTION(name) name##_of_library

#include <stdbool.h>
#include <stdint.h>
#include <wsfj.h>

/* Inlined in the library, so its header does not declare it. */
struct wsfj_run_queue;
bool wsfj_run_queue_pop_of(struct wsfj_run_queue *queue, const ws_group *group, ws_function **fn, void **arg);

/* An inline function of the library that is called elsewhere, too, needs a declaration of its name. */
struct wsfj_stack;
void WSFJ_POLICY_FUNCTION(wsfj_sync_suspend)(struct wsfj_stack *own, uint32_t children);

#endif
#endif
