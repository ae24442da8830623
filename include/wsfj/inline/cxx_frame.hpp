/* SPDX-License-Identifier: MIT */
/*
 * The pending children of a block: spawn and sync for callables, in parallel. As wsfj_pushed() and wsfj_sync() of
 * fastpath.h, with exceptions. Like the frame there, this one must dissolve into registers: __cold__ functions get its
 * parts by value, never its address.
 *
 * Which exception counts: each child has a place, its descriptor. An earlier child has a lower one. Only a deque that
 * is full gives a place to a second child; then the first one's place counts as the lowest that is given anew.
 */
#ifndef WSFJ_CXX_FRAME_HPP
#define WSFJ_CXX_FRAME_HPP

#pragma GCC system_header

#include "cxx_cold.hpp"

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
        if (wsfj_self() != wsfj_f.wsfj_deque && wsfj_f.wsfj_deque != wsfj_outside_.wsfj_deque_)
            wsfj_misused("used by another task than the one that has made it");
        if (wsfj_tail(wsfj_f.wsfj_deque) != wsfj_f.wsfj_top)
            wsfj_misused("used while a scope that was made after it has children");
#endif
    }

  public:
    WSFJ_CXX_INLINE wsfj_children()
    {
        struct wsfj_deque *wsfj_deque_ = wsfj_self();

        if (WSFJ_CXX_RARELY(!wsfj_deque_))
            wsfj_deque_ = wsfj_enter_outside();
        wsfj_f = wsfj_frame_at(wsfj_deque_, wsfj_tail(wsfj_deque_), 0);
        wsfj_noted = nullptr;
    }

    /* wsfj_B: a wsfj_bound or wsfj_stores, made of wsfj_as. wsfj_R: the type of the result that goes to wsfj_rp, or
     * void. */
    template <class wsfj_B, class wsfj_R, class... wsfj_As>
    WSFJ_CXX_INLINE void wsfj_push(void *wsfj_rp, wsfj_As &&...wsfj_as)
    {
        using wsfj_child = wsfj_task<wsfj_B, wsfj_R>;
        struct wsfj_descriptor *wsfj_desc = wsfj_f.wsfj_top;
        void *wsfj_room = wsfj_words(wsfj_desc);

        wsfj_check();
        if constexpr (wsfj_child::wsfj_in_area) {
            wsfj_room = wsfj_area_take(wsfj_f.wsfj_deque, wsfj_child::wsfj_size, wsfj_child::wsfj_align);
            if (WSFJ_CXX_RARELY(!wsfj_room)) {
                wsfj_noted =
                    wsfj_run_at_once<wsfj_B, wsfj_R>(wsfj_noted, wsfj_desc, wsfj_rp, std::forward<wsfj_As>(wsfj_as)...);
                return;
            }
        }
        wsfj_room_guard wsfj_guard{wsfj_child::wsfj_in_area ? wsfj_f.wsfj_deque : nullptr, wsfj_room};
        wsfj_B *wsfj_callee = ::new (wsfj_room) wsfj_B(std::in_place, std::forward<wsfj_As>(wsfj_as)...);
        wsfj_code wsfj_code_ = nullptr;

        wsfj_guard.wsfj_deque_ = nullptr;
        if constexpr (wsfj_child::wsfj_in_area)
            wsfj_words(wsfj_desc)[0] = reinterpret_cast<uintptr_t>(wsfj_room);
        if constexpr (wsfj_has_code<wsfj_B>::wsfj_value)
            wsfj_code_ = wsfj_has_code<wsfj_B>::wsfj_get(wsfj_callee->wsfj_f);
        (void)wsfj_callee;
        __atomic_store_n(&wsfj_desc->wsfj_word, reinterpret_cast<uintptr_t>(&wsfj_child::wsfj_kind_), WSFJ_WORD_ORDER);
        wsfj_pushed_one<wsfj_child>(wsfj_desc, wsfj_code_, wsfj_rp);
    }

    template <class wsfj_child>
    WSFJ_CXX_INLINE void wsfj_pushed_one(struct wsfj_descriptor *wsfj_desc, wsfj_code wsfj_code_, void *wsfj_rp)
    {
        struct wsfj_call_how wsfj_how;

        if (wsfj_f.wsfj_n == 0 || wsfj_call == wsfj_child::wsfj_call) {
            wsfj_known = wsfj_f.wsfj_n == 0 || wsfj_known == wsfj_code_ ? wsfj_code_ : nullptr;
            wsfj_call = wsfj_child::wsfj_call;
        } else {
            wsfj_call = wsfj_call_any;
            wsfj_known = nullptr;
        }
        wsfj_how.wsfj_exec[0] = wsfj_how.wsfj_exec[1] = wsfj_how.wsfj_exec[2] = wsfj_child::wsfj_exec;
        wsfj_how.wsfj_fetch = wsfj_child::wsfj_fetch;
        wsfj_how.wsfj_result = wsfj_child::wsfj_has_result;
        wsfj_pushed(&wsfj_f, wsfj_how, wsfj_rp);
        if (WSFJ_CXX_RARELY(wsfj_f.wsfj_top != wsfj_desc + 1))
            wsfj_noted =
                wsfj_made_room(wsfj_noted, wsfj_f.wsfj_deque, wsfj_f.wsfj_base, wsfj_f.wsfj_top, wsfj_desc + 1);
    }

    /* Runs or awaits every child. Their results are stored; throws their first exception. */
    WSFJ_CXX_INLINE void wsfj_wait()
    {
        wsfj_check();
        if (WSFJ_CXX_RARELY(wsfj_noted)) {
            uintptr_t wsfj_word = wsfj_end_slowly(false);
            if (wsfj_word)
                wsfj_rethrow(wsfj_word);
        } else if (__builtin_constant_p(wsfj_f.wsfj_n) && wsfj_f.wsfj_n == 1 && wsfj_f.wsfj_single) {
            wsfj_empty();
            wsfj_wait_one();
        } else {
            struct wsfj_descriptor *wsfj_top = wsfj_f.wsfj_top;
            if (wsfj_f.wsfj_single)
                wsfj_f.wsfj_base->wsfj_rp = wsfj_f.wsfj_rp;
            wsfj_empty();
            wsfj_wait_many(wsfj_top);
        }
    }

    /* The exception of code that belongs to the block and came after all children; in its handler. */
    WSFJ_CXX_INLINE void wsfj_note_last()
    {
        wsfj_noted = wsfj_note_here(wsfj_noted, wsfj_f.wsfj_top);
    }

    /* The end of the block. Returns the exception to throw, or 0. */
    WSFJ_CXX_INLINE uintptr_t wsfj_end()
    {
        return wsfj_f.wsfj_top != wsfj_f.wsfj_base || wsfj_noted ? wsfj_end_slowly(true) : 0;
    }

  private:
    WSFJ_CXX_INLINE void wsfj_empty()
    {
        wsfj_f.wsfj_top = wsfj_f.wsfj_base;
        wsfj_f.wsfj_n = 0;
        wsfj_f.wsfj_single = 0;
    }

    WSFJ_CXX_INLINE uintptr_t wsfj_end_slowly(bool wsfj_at_end)
    {
        wsfj_first *wsfj_noted_ = wsfj_noted;
        struct wsfj_descriptor *wsfj_top = wsfj_f.wsfj_top;

        if (wsfj_f.wsfj_single)
            wsfj_f.wsfj_base->wsfj_rp = wsfj_f.wsfj_rp;
        wsfj_empty();
        wsfj_noted = nullptr;
        return wsfj_finish(wsfj_noted_, wsfj_f.wsfj_deque, wsfj_f.wsfj_base, wsfj_top, wsfj_at_end);
    }

    WSFJ_CXX_INLINE void wsfj_wait_one()
    {
        wsfj_publish_tail(wsfj_f.wsfj_deque, wsfj_f.wsfj_base);
        WSFJ_SYNC_EXIT(wsfj_f.wsfj_deque, wsfj_f.wsfj_base, wsfj_f.wsfj_base, wsfj_stolen);
        wsfj_call(wsfj_f.wsfj_deque, wsfj_f.wsfj_base, wsfj_f.wsfj_rp,
                  wsfj_known); /* may throw: nothing is left to do then */
        return;
    wsfj_stolen:
        wsfj_f.wsfj_fetch(wsfj_f.wsfj_base, wsfj_f.wsfj_rp);
        wsfj_collect_and_throw(wsfj_f.wsfj_base, wsfj_f.wsfj_base);
    }

    WSFJ_CXX_INLINE void wsfj_wait_many(struct wsfj_descriptor *wsfj_top)
    {
        while (wsfj_top != wsfj_f.wsfj_base) {
            uintptr_t wsfj_word = 0;

            wsfj_top--;
            wsfj_publish_tail(wsfj_f.wsfj_deque, wsfj_top);
            WSFJ_SYNC_EXIT(wsfj_f.wsfj_deque, wsfj_f.wsfj_base, wsfj_top, wsfj_stolen);
            WSFJ_TRY
            {
                wsfj_call(wsfj_f.wsfj_deque, wsfj_top, wsfj_top->wsfj_rp, wsfj_known);
            }
            WSFJ_CATCH
            {
                wsfj_word = wsfj_hold();
            }
            if (WSFJ_CXX_RARELY(wsfj_word))
                wsfj_finish_and_throw(wsfj_word, wsfj_f.wsfj_deque, wsfj_f.wsfj_base, wsfj_top);
        }
        return;
    wsfj_stolen:
        /* This child and all older ones; the results of the older ones are stored. */
        wsfj_f.wsfj_fetch(wsfj_top, wsfj_top->wsfj_rp);
        wsfj_collect_and_throw(wsfj_f.wsfj_base, wsfj_top);
    }
};

} // namespace WSFJ_CXX_MODE
} // namespace wsfj_detail

#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic pop
#endif

#endif
