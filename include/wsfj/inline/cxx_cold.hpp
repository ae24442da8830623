/* SPDX-License-Identifier: MIT */
/*
 * The slow paths of cxx_frame.hpp: exceptions, children without room, blocks outside any region. Not inlined. They get
 * the frame's parts by value.
 */
#ifndef WSFJ_CXX_COLD_HPP
#define WSFJ_CXX_COLD_HPP

#pragma GCC system_header

#include "cxx_task.hpp"

#include <cxxabi.h>

namespace wsfj_detail
{
inline namespace WSFJ_CXX_MODE
{

/* The children in [base, desc] were stolen and are done: their exceptions. */
WSFJ_CXX_COLD void wsfj_collect(wsfj_first &wsfj_old, struct wsfj_descriptor *wsfj_base,
                                struct wsfj_descriptor *wsfj_desc)
{
    for (; wsfj_base <= wsfj_desc; wsfj_base++)
        if (wsfj_thrown_word(wsfj_base))
            wsfj_old.wsfj_note(wsfj_thrown_word(wsfj_base), wsfj_base);
}

/* The same at a sync without other exceptions. */
WSFJ_CXX_COLD void wsfj_collect_and_throw(struct wsfj_descriptor *wsfj_base, struct wsfj_descriptor *wsfj_desc)
{
    wsfj_first wsfj_new = {0, nullptr};

    wsfj_collect(wsfj_new, wsfj_base, wsfj_desc);
    if (wsfj_new.wsfj_word)
        wsfj_rethrow(wsfj_new.wsfj_word);
}

/* The deque was full, and the tail has moved from `end` down to `top`: the library has called the children between, or,
 * if that is all of them, perhaps awaited them because they were stolen. Returns what was noted, and NULL for nothing.
 * */
WSFJ_CXX_COLD wsfj_first *wsfj_made_room(wsfj_first *wsfj_noted, struct wsfj_deque *wsfj_deque_,
                                         struct wsfj_descriptor *wsfj_base, struct wsfj_descriptor *wsfj_top,
                                         struct wsfj_descriptor *wsfj_end) noexcept
{
    auto wsfj_called_ = reinterpret_cast<wsfj_first *>(wsfj_deque_->wsfj_thrown);
    wsfj_first wsfj_new = {0, nullptr};

    wsfj_deque_->wsfj_thrown = 0;
    if (!wsfj_called_ && wsfj_top == wsfj_base && wsfj_base->wsfj_word & 1u) {
        wsfj_collect(wsfj_new, wsfj_base, wsfj_end - 1);
        if (wsfj_new.wsfj_word)
            wsfj_called_ = new wsfj_first(wsfj_new);
    }
    if (!wsfj_noted)
        wsfj_noted = wsfj_called_;
    else if (wsfj_called_) {
        wsfj_noted->wsfj_note(wsfj_called_->wsfj_word, wsfj_called_->wsfj_at);
        delete wsfj_called_;
    }
    if (wsfj_noted && wsfj_noted->wsfj_at > wsfj_top)
        wsfj_noted->wsfj_at = wsfj_top;
    return wsfj_noted;
}

/* The state of the C++ runtime (lib/arch/exceptions.h). Not inlined: compilers keep its address. Not checked: a
 * sanitizer that knows fibers sees two of them at one thread's state. */
struct wsfj_state {
    void *wsfj_caught, *wsfj_uncaught;
};
__attribute__((__no_sanitize__("thread"))) WSFJ_CXX_COLD wsfj_state wsfj_swap_state(wsfj_state wsfj_next)
{
    auto wsfj_here = reinterpret_cast<wsfj_state *>(abi::__cxa_get_globals());
    wsfj_state wsfj_before = *wsfj_here;

    *wsfj_here = wsfj_next;
    return wsfj_before;
}

/* Runs or awaits the children in [base, top). Their result pointers are in the descriptors. */
WSFJ_CXX_OUTLINE void wsfj_await(wsfj_first &wsfj_old, struct wsfj_deque *wsfj_deque_,
                                 struct wsfj_descriptor *wsfj_base, struct wsfj_descriptor *wsfj_top)
{
    while (wsfj_top != wsfj_base) {
        wsfj_top--;
        wsfj_publish_tail(wsfj_deque_, wsfj_top);
        WSFJ_SYNC_EXIT(wsfj_deque_, wsfj_base, wsfj_top, wsfj_stolen);
        WSFJ_TRY
        {
            wsfj_call_any(wsfj_deque_, wsfj_top, wsfj_top->wsfj_rp, nullptr);
        }
        WSFJ_CATCH
        {
            wsfj_old.wsfj_note(wsfj_hold(), wsfj_top);
        }
    }
    return;
wsfj_stolen:
    wsfj_descriptor_fetch(wsfj_top, wsfj_top->wsfj_rp);
    wsfj_collect(wsfj_old, wsfj_base, wsfj_top);
}

/* A sync, or the end of the block, with children or exceptions left: the exception to throw, or 0. If an exception ends
 * the block, results and exceptions are dropped, and the children see no exception under way. */
WSFJ_CXX_OUTLINE uintptr_t wsfj_finish(wsfj_first *wsfj_noted, struct wsfj_deque *wsfj_deque_,
                                       struct wsfj_descriptor *wsfj_base, struct wsfj_descriptor *wsfj_top,
                                       bool wsfj_at_end) noexcept
{
    bool wsfj_drops = wsfj_at_end && wsfj_unwinds();
    wsfj_state wsfj_before = {nullptr, nullptr};
    wsfj_first wsfj_all = {0, nullptr};

    if (wsfj_noted)
        wsfj_all = *wsfj_noted;
    delete wsfj_noted;
    if (wsfj_drops) {
        wsfj_before = wsfj_swap_state(wsfj_before);
        for (struct wsfj_descriptor *wsfj_desc = wsfj_base; wsfj_desc != wsfj_top; wsfj_desc++)
            wsfj_desc->wsfj_rp = nullptr;
    }
    wsfj_await(wsfj_all, wsfj_deque_, wsfj_base, wsfj_top);
    if (wsfj_drops) {
        if (wsfj_all.wsfj_word)
            (void)wsfj_release(wsfj_all.wsfj_word);
        wsfj_all.wsfj_word = 0;
        (void)wsfj_swap_state(wsfj_before);
    }
    return wsfj_all.wsfj_word;
}

/* A sync of which a child at `top` has thrown: the rest of the children. */
[[noreturn]] WSFJ_CXX_COLD void wsfj_finish_and_throw(uintptr_t wsfj_word, struct wsfj_deque *wsfj_deque_,
                                                      struct wsfj_descriptor *wsfj_base,
                                                      struct wsfj_descriptor *wsfj_top)
{
    wsfj_first wsfj_all = {wsfj_word, wsfj_top};

    wsfj_await(wsfj_all, wsfj_deque_, wsfj_base, wsfj_top);
    wsfj_rethrow(wsfj_all.wsfj_word);
}

/* Gives room in the area back if what it is for cannot be copied there. */
struct wsfj_room_guard {
    struct wsfj_deque *wsfj_deque_;
    void *wsfj_room;
    WSFJ_CXX_INLINE ~wsfj_room_guard()
    {
        if (wsfj_deque_)
            wsfj_area_give(wsfj_deque_, wsfj_room);
    }
};

/* Notes the exception that the calling handler holds. */
WSFJ_CXX_COLD wsfj_first *wsfj_note_here(wsfj_first *wsfj_noted, const void *wsfj_at)
{
    if (!wsfj_noted)
        wsfj_noted = new wsfj_first{0, nullptr};
    wsfj_noted->wsfj_note(wsfj_hold(), wsfj_at);
    return wsfj_noted;
}

/* A child for whose callable or result there is no room. */
template <class wsfj_B, class wsfj_R, class... wsfj_As>
WSFJ_CXX_COLD wsfj_first *wsfj_run_at_once(wsfj_first *wsfj_noted, const void *wsfj_at, void *wsfj_rp,
                                           wsfj_As &&...wsfj_as)
{
    wsfj_B wsfj_callee(std::in_place, std::forward<wsfj_As>(wsfj_as)...);

    (void)wsfj_rp;
    WSFJ_TRY
    {
        if constexpr (std::is_void_v<wsfj_R>)
            wsfj_callee.wsfj_call();
        else
            *static_cast<wsfj_R *>(wsfj_rp) = wsfj_callee.wsfj_call();
    }
    WSFJ_CATCH
    {
        return wsfj_note_here(wsfj_noted, wsfj_at);
    }
    return wsfj_noted;
}

[[noreturn]] WSFJ_CXX_COLD void wsfj_misused(const char *wsfj_what)
{
    std::fprintf(stderr, "libwsfj: ws::task_scope: %s\n", wsfj_what);
    std::abort();
}

/* The deque of a thread's scopes outside any region, until the thread ends. For C tasks and ws_run() the thread has
 * none. So no scope has to remember whether it is outside. */
struct wsfj_outside {
    struct wsfj_deque *wsfj_deque_ = nullptr;

    ~wsfj_outside()
    {
        if (wsfj_deque_)
            wsfj_serial_leave(wsfj_deque_);
    }
};
inline thread_local wsfj_outside wsfj_outside_;

WSFJ_CXX_COLD struct wsfj_deque *wsfj_enter_outside() noexcept
{
    if (!wsfj_outside_.wsfj_deque_) {
        wsfj_outside_.wsfj_deque_ = wsfj_serial_enter();
        wsfj_tls = nullptr;
    }
    return wsfj_outside_.wsfj_deque_;
}

} // namespace WSFJ_CXX_MODE
} // namespace wsfj_detail

#endif
