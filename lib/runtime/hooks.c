/* SPDX-License-Identifier: MIT */
/* What lower rooms call in the rooms above them (base/hooks.h). */
#include "base/hooks.h"

#include "idle/outside.h"
#include "observe/debugger.h"
#include "observe/locked.h"
#include "observe/trace.h"
#include "observe/trace_cpu.h"
#include "profile/profile.h"
#include "runtime/callers.h"
#include "runtime/runtime.h"
#include "signals/frame_request.h"
#include "signals/stack_overflow.h"

/* Keeps the debugger's table in the library, which itself does not read it. */
#if defined __has_attribute
#if __has_attribute(retain)
__attribute__((retain))
#endif
#endif
__attribute__((used)) static const struct wsfj_fact *const facts = wsfj_debugger;

/* A caller's thread keeps its signal mask. */
static void thread_begins(void)
{
    (void)wsfj_overflow_guard_thread();
    wsfj_frame_request_let_in();
}

/* If there is no signal stack to be had, or the program has set one, the next ws_run() tries again. */
static void guest_begins(void)
{
    if (wsfj_overflow_guard_thread())
        wsfj_thread_is = WSFJ_THREAD_GUEST;
}

const struct wsfj_hooks wsfj_hooks = {.enter = wsfj_runtime_enter,
                                      .thread_begins = thread_begins,
                                      .caller_begins = wsfj_callers_add,
                                      .guest_begins = guest_begins,
                                      .callers_are_gone = wsfj_callers_are_gone,
                                      .look_outside = wsfj_outside_look_and_poll,
                                      .ends_locked = wsfj_locked_say,
                                      .trace_put = wsfj_trace_put,
                                      .trace_put_shared = wsfj_trace_put_shared,
                                      .trace_leave = wsfj_trace_leave,
                                      .name_task = wsfj_trace_task,
                                      .name_text = wsfj_trace_text,
                                      .root_begins = wsfj_profile_hide,
                                      .root_ends = wsfj_profile_show,
                                      .call_queued = wsfj_profile_call_queued,
                                      .profile_set = wsfj_profile_set,
                                      .profile_met = wsfj_profile_met,
                                      .submit = ws_submit};
