/* SPDX-License-Identifier: MIT */
/*
 * The pending children of a block: spawn and sync for callables, in parallel. As wsfj_pushed() and wsfj_sync() of
 * fastpath.h, with exceptions. Like the frame there, this one must dissolve into registers: cold functions get its
 * parts by value, never its address.
 *
 * Which exception counts: each child has a place, its descriptor. An earlier child has a lower one. Only a deque that is
 * full gives a place to a second child; then the first one's place counts as the lowest that is given anew.
 */
#ifndef WSFJ_CXX_FRAME_HPP
#define WSFJ_CXX_FRAME_HPP

#pragma GCC system_header

#include "cxx_task.hpp"

#include <cxxabi.h>

/* wsfj_children has members that stay undefined on purpose until the first spawn, as struct wsfj_frame. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

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
 * if that is all of them, perhaps awaited them because they were stolen. Returns what was noted, and NULL for nothing. */
WSFJ_CXX_COLD wsfj_first *wsfj_made_room(wsfj_first *wsfj_noted, struct wsfj_deque *wsfj_deque_,
                                         struct wsfj_descriptor *wsfj_base, struct wsfj_descriptor *wsfj_top,
                                         struct wsfj_descriptor *wsfj_end) noexcept
{
    auto wsfj_called_ = reinterpret_cast<wsfj_first *>(wsfj_deque_->spare);
    wsfj_first wsfj_new = {0, nullptr};

    wsfj_deque_->spare = 0;
    if (!wsfj_called_ && wsfj_top == wsfj_base && wsfj_base->word & 1u) {
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

/* The state of the C++ runtime (lib/arch/exceptions.h). Not inlined: compilers keep its address. */
struct wsfj_state {
    void *wsfj_words_[2];
};
WSFJ_CXX_COLD wsfj_state wsfj_swap_state(wsfj_state wsfj_next)
{
    wsfj_state wsfj_before;
    void *wsfj_here = abi::__cxa_get_globals();

    std::memcpy(&wsfj_before, wsfj_here, sizeof wsfj_before);
    std::memcpy(wsfj_here, &wsfj_next, sizeof wsfj_next);
    return wsfj_before;
}

/* Runs or awaits the children in [base, top). Their result pointers are in the descriptors. */
WSFJ_CXX_COLD void wsfj_await(wsfj_first &wsfj_old, struct wsfj_deque *wsfj_deque_, struct wsfj_descriptor *wsfj_base,
                              struct wsfj_descriptor *wsfj_top)
{
    while (wsfj_top != wsfj_base) {
        wsfj_top--;
        wsfj_publish_tail(wsfj_deque_, wsfj_top);
        WSFJ_SYNC_DOOR(wsfj_deque_, wsfj_base, wsfj_top, wsfj_stolen);
        WSFJ_TRY
        {
            wsfj_call_any(wsfj_deque_, wsfj_top, wsfj_top->rp, nullptr);
        }
        WSFJ_CATCH
        {
            wsfj_old.wsfj_note(wsfj_hold(), wsfj_top);
        }
    }
    return;
wsfj_stolen:
    wsfj_descriptor_fetch(wsfj_top, wsfj_top->rp);
    wsfj_collect(wsfj_old, wsfj_base, wsfj_top);
}

/* A sync, or the end of the block, with children or exceptions left: the exception to throw, or 0. If an exception ends the
 * block, results and exceptions are dropped, and the children see no exception under way. */
WSFJ_CXX_COLD uintptr_t wsfj_finish(wsfj_first *wsfj_noted, struct wsfj_deque *wsfj_deque_,
                                    struct wsfj_descriptor *wsfj_base, struct wsfj_descriptor *wsfj_top,
                                    bool wsfj_at_end) noexcept
{
    bool wsfj_drops = wsfj_at_end && wsfj_unwinds();
    wsfj_state wsfj_before = {{nullptr, nullptr}};
    wsfj_first wsfj_all = {0, nullptr};

    if (wsfj_noted)
        wsfj_all = *wsfj_noted;
    delete wsfj_noted;
    if (wsfj_drops) {
        wsfj_before = wsfj_swap_state(wsfj_before);
        for (struct wsfj_descriptor *wsfj_desc = wsfj_base; wsfj_desc != wsfj_top; wsfj_desc++)
            wsfj_desc->rp = nullptr;
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
    wsfj_B wsfj_b(std::in_place, std::forward<wsfj_As>(wsfj_as)...);

    (void)wsfj_rp;
    WSFJ_TRY
    {
        if constexpr (std::is_void_v<wsfj_R>)
            wsfj_b.wsfj_call();
        else
            *static_cast<wsfj_R *>(wsfj_rp) = wsfj_b.wsfj_call();
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

/* Outside any region: this thread's deque, and how many scopes use it. To others the thread has none: then every scope
 * comes here and is counted, and none has to remember that it was. */
struct wsfj_outside {
    struct wsfj_deque *wsfj_deque_;
    size_t wsfj_scopes;
};
inline thread_local wsfj_outside wsfj_outside_ = {nullptr, 0};

WSFJ_CXX_COLD struct wsfj_deque *wsfj_enter_outside() noexcept
{
    if (wsfj_outside_.wsfj_scopes++ == 0) {
        wsfj_outside_.wsfj_deque_ = wsfj_serial_enter();
        wsfj_tls = nullptr;
    }
    return wsfj_outside_.wsfj_deque_;
}

/* Unless the deque is that of a C task outside any region. */
WSFJ_CXX_COLD void wsfj_leave_outside(const struct wsfj_deque *wsfj_deque_) noexcept
{
    if (wsfj_deque_ == wsfj_outside_.wsfj_deque_ && --wsfj_outside_.wsfj_scopes == 0) {
        wsfj_outside_.wsfj_deque_ = nullptr;
        wsfj_serial_leave(const_cast<struct wsfj_deque *>(wsfj_deque_));
    }
}

/* The mode of a deque outside any region, WSFJ_MODE_PRIVATE in lib/task/stack.h. */
inline constexpr uintptr_t wsfj_mode_outside = 2;

class wsfj_children
{
    struct wsfj_frame wsfj_f;
    wsfj_first *wsfj_noted; /* exceptions before the sync; NULL: none, and nearly always so */
    /* How to run the children, as the frame's `exec`: undefined while there are none. */
    wsfj_call_fn *wsfj_call;
    wsfj_code wsfj_known;

    WSFJ_CXX_INLINE void wsfj_check() const
    {
#ifdef WSFJ_DEBUG
        if (wsfj_self() != wsfj_f.deque && wsfj_f.deque != wsfj_outside_.wsfj_deque_)
            wsfj_misused("used by another task than the one that has made it");
        if (wsfj_tail(wsfj_f.deque) != wsfj_f.top)
            wsfj_misused("used while a scope that was made after it has children");
#endif
    }

  public:
    WSFJ_CXX_INLINE wsfj_children()
    {
        wsfj_f.deque = wsfj_self();
        if (WSFJ_CXX_RARELY(!wsfj_f.deque))
            wsfj_f.deque = wsfj_enter_outside();
        wsfj_f.base = wsfj_f.top = wsfj_tail(wsfj_f.deque);
        wsfj_f.twin = 0;
        wsfj_f.n = 0;
        wsfj_f.single = 0;
        wsfj_f.rp = nullptr;
        wsfj_noted = nullptr;
    }

    /* wsfj_B: a wsfj_bound or wsfj_stores, made of wsfj_as. wsfj_R: the type of the result that goes to wsfj_rp, or void. */
    template <class wsfj_B, class wsfj_R, class... wsfj_As>
    WSFJ_CXX_INLINE void wsfj_push(void *wsfj_rp, wsfj_As &&...wsfj_as)
    {
        using wsfj_t = wsfj_task<wsfj_B, wsfj_R>;
        struct wsfj_descriptor *wsfj_desc = wsfj_f.top;
        void *wsfj_room = wsfj_words(wsfj_desc);

        wsfj_check();
        if constexpr (wsfj_t::wsfj_in_area) {
            wsfj_room = wsfj_area_take(wsfj_f.deque, wsfj_t::wsfj_size, wsfj_t::wsfj_align);
            if (WSFJ_CXX_RARELY(!wsfj_room)) {
                wsfj_noted =
                    wsfj_run_at_once<wsfj_B, wsfj_R>(wsfj_noted, wsfj_desc, wsfj_rp, std::forward<wsfj_As>(wsfj_as)...);
                return;
            }
        }
        wsfj_room_guard wsfj_guard{wsfj_t::wsfj_in_area ? wsfj_f.deque : nullptr, wsfj_room};
        wsfj_B *wsfj_b = ::new (wsfj_room) wsfj_B(std::in_place, std::forward<wsfj_As>(wsfj_as)...);
        wsfj_code wsfj_code_ = nullptr;

        wsfj_guard.wsfj_deque_ = nullptr;
        if constexpr (wsfj_t::wsfj_in_area)
            wsfj_words(wsfj_desc)[0] = reinterpret_cast<uintptr_t>(wsfj_room);
        if constexpr (wsfj_has_code<wsfj_B>::wsfj_value)
            wsfj_code_ = wsfj_has_code<wsfj_B>::wsfj_get(wsfj_b->wsfj_f);
        (void)wsfj_b;
        __atomic_store_n(&wsfj_desc->word, reinterpret_cast<uintptr_t>(&wsfj_t::wsfj_kind_), WSFJ_WORD_ORDER);
        wsfj_pushed_one<wsfj_t>(wsfj_desc, wsfj_code_, wsfj_rp);
    }

    template <class wsfj_t>
    WSFJ_CXX_INLINE void wsfj_pushed_one(struct wsfj_descriptor *wsfj_desc, wsfj_code wsfj_code_, void *wsfj_rp)
    {
        struct wsfj_call_how wsfj_how;

        if (wsfj_f.n == 0 || wsfj_call == wsfj_t::wsfj_call) {
            wsfj_known = wsfj_f.n == 0 || wsfj_known == wsfj_code_ ? wsfj_code_ : nullptr;
            wsfj_call = wsfj_t::wsfj_call;
        } else {
            wsfj_call = wsfj_call_any;
            wsfj_known = nullptr;
        }
        wsfj_how.exec = wsfj_how.twin = wsfj_t::wsfj_exec;
        wsfj_how.fetch = wsfj_t::wsfj_fetch;
        wsfj_how.result = wsfj_t::wsfj_has_result;
        wsfj_pushed(&wsfj_f, wsfj_how, wsfj_rp);
        if (WSFJ_CXX_RARELY(wsfj_f.top != wsfj_desc + 1))
            wsfj_noted = wsfj_made_room(wsfj_noted, wsfj_f.deque, wsfj_f.base, wsfj_f.top, wsfj_desc + 1);
    }

    /* Runs or awaits every child. Their results are stored; throws their first exception. */
    WSFJ_CXX_INLINE void wsfj_wait()
    {
        wsfj_check();
        if (WSFJ_CXX_RARELY(wsfj_noted)) {
            uintptr_t wsfj_word = wsfj_end_slowly(false);
            if (wsfj_word)
                wsfj_rethrow(wsfj_word);
        } else if (__builtin_constant_p(wsfj_f.n) && wsfj_f.n == 1 && wsfj_f.single) {
            wsfj_empty();
            wsfj_wait_one();
        } else {
            struct wsfj_descriptor *wsfj_top = wsfj_f.top;
            if (wsfj_f.single)
                wsfj_f.base->rp = wsfj_f.rp;
            wsfj_empty();
            wsfj_wait_many(wsfj_top);
        }
    }

    /* The exception of code that belongs to the block and came after all children; in its handler. */
    WSFJ_CXX_INLINE void wsfj_note_last()
    {
        wsfj_noted = wsfj_note_here(wsfj_noted, wsfj_f.top);
    }

    /* The end of the block. Returns the exception to throw, or 0. */
    WSFJ_CXX_INLINE uintptr_t wsfj_end()
    {
        uintptr_t wsfj_word = 0;

        if (wsfj_f.top != wsfj_f.base || wsfj_noted)
            wsfj_word = wsfj_end_slowly(true);
        if (WSFJ_CXX_RARELY(wsfj_f.deque->mode == wsfj_mode_outside))
            wsfj_leave_outside(wsfj_f.deque);
        return wsfj_word;
    }

  private:
    WSFJ_CXX_INLINE void wsfj_empty()
    {
        wsfj_f.top = wsfj_f.base;
        wsfj_f.n = 0;
        wsfj_f.single = 0;
    }

    WSFJ_CXX_INLINE uintptr_t wsfj_end_slowly(bool wsfj_at_end)
    {
        wsfj_first *wsfj_noted_ = wsfj_noted;
        struct wsfj_descriptor *wsfj_top = wsfj_f.top;

        if (wsfj_f.single)
            wsfj_f.base->rp = wsfj_f.rp;
        wsfj_empty();
        wsfj_noted = nullptr;
        return wsfj_finish(wsfj_noted_, wsfj_f.deque, wsfj_f.base, wsfj_top, wsfj_at_end);
    }

    WSFJ_CXX_INLINE void wsfj_wait_one()
    {
        wsfj_publish_tail(wsfj_f.deque, wsfj_f.base);
        WSFJ_SYNC_DOOR(wsfj_f.deque, wsfj_f.base, wsfj_f.base, wsfj_stolen);
        wsfj_call(wsfj_f.deque, wsfj_f.base, wsfj_f.rp, wsfj_known); /* may throw: nothing is left to do then */
        return;
    wsfj_stolen:
        wsfj_f.fetch(wsfj_f.base, wsfj_f.rp);
        wsfj_collect_and_throw(wsfj_f.base, wsfj_f.base);
    }

    WSFJ_CXX_INLINE void wsfj_wait_many(struct wsfj_descriptor *wsfj_top)
    {
        while (wsfj_top != wsfj_f.base) {
            uintptr_t wsfj_word = 0;

            wsfj_top--;
            wsfj_publish_tail(wsfj_f.deque, wsfj_top);
            WSFJ_SYNC_DOOR(wsfj_f.deque, wsfj_f.base, wsfj_top, wsfj_stolen);
            WSFJ_TRY
            {
                wsfj_call(wsfj_f.deque, wsfj_top, wsfj_top->rp, wsfj_known);
            }
            WSFJ_CATCH
            {
                wsfj_word = wsfj_hold();
            }
            if (WSFJ_CXX_RARELY(wsfj_word))
                wsfj_finish_and_throw(wsfj_word, wsfj_f.deque, wsfj_f.base, wsfj_top);
        }
        return;
    wsfj_stolen:
        /* This child and all older ones; the results of the older ones are stored. */
        wsfj_f.fetch(wsfj_top, wsfj_top->rp);
        wsfj_collect_and_throw(wsfj_f.base, wsfj_top);
    }
};

} // namespace WSFJ_CXX_MODE
} // namespace wsfj_detail

#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic pop
#endif

#endif
