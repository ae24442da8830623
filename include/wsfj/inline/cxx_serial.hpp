/* SPDX-License-Identifier: MIT */
/*
 * The children of a block in a serial, a profiled and a raced program: each runs where it is spawned. An exception is kept
 * until the sync, as in the parallel program. Neighbour: cxx_frame.hpp.
 */
#ifndef WSFJ_CXX_SERIAL_HPP
#define WSFJ_CXX_SERIAL_HPP

#pragma GCC system_header

#include "cxx_base.hpp"

namespace wsfj_detail
{
inline namespace WSFJ_CXX_MODE
{

#if defined WSFJ_PROFILE || defined WSFJ_RACE
template <class wsfj_B>
inline constexpr struct wsfj_site wsfj_site_of = {"C++",
                                                  wsfj_name<typename wsfj_callable<wsfj_B>::wsfj_type>.wsfj_chars, 0};
#endif

/* A raced child runs out of line, so that its frame is below its parent's, and the compiler sees nothing of it. */
#ifdef WSFJ_RACE
#define WSFJ_CXX_CHILD WSFJ_OPAQUE
#else
#define WSFJ_CXX_CHILD WSFJ_CXX_INLINE
#endif

class wsfj_children
{
    uintptr_t wsfj_word = 0;
#if defined WSFJ_RACE
    struct wsfj_scope wsfj_scope_ = wsfj_race_begin_block();
#elif defined WSFJ_PROFILE
    struct wsfj_scope wsfj_scope_ = wsfj_scope_open();
#endif

  public:
    template <class wsfj_B, class wsfj_R, class... wsfj_As>
    WSFJ_CXX_CHILD void wsfj_push(void *wsfj_rp, wsfj_As &&...wsfj_as)
    {
#if defined WSFJ_RACE
        if (WSFJ_CXX_RARELY(wsfj_race_forks(&wsfj_scope_))) {
            const struct wsfj_forked<wsfj_B> wsfj_a = {
                this, new wsfj_B(std::in_place, std::forward<wsfj_As>(wsfj_as)...), wsfj_rp
            };

            wsfj_race_fork(&wsfj_scope_, &wsfj_site_of<wsfj_B>, wsfj_go<wsfj_B, wsfj_R>, &wsfj_a, sizeof wsfj_a);
            return;
        }
#endif
        wsfj_B wsfj_callee(std::in_place, std::forward<wsfj_As>(wsfj_as)...);

#if defined WSFJ_RACE
        struct wsfj_spawned wsfj_child;
        (void)wsfj_race_child(&wsfj_child, &wsfj_scope_, &wsfj_site_of<wsfj_B>, __builtin_frame_address(0));
        wsfj_child.wsfj_pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
#elif defined WSFJ_PROFILE
        struct wsfj_spawned wsfj_child;
        wsfj_child_begin(&wsfj_child, &wsfj_scope_, &wsfj_site_of<wsfj_B>);
#else
        WSFJ_COUNT_ONE();
#endif
        wsfj_do<wsfj_B, wsfj_R>(wsfj_callee, wsfj_rp);
#if defined WSFJ_RACE
        wsfj_race_child_end(&wsfj_child);
#elif defined WSFJ_PROFILE
        wsfj_child_end(&wsfj_child, &wsfj_scope_);
#endif
    }

    WSFJ_CXX_INLINE void wsfj_wait()
    {
        wsfj_reached();
        uintptr_t wsfj_first_ = wsfj_word;
        wsfj_word = 0;
        if (WSFJ_CXX_RARELY(wsfj_first_))
            wsfj_rethrow(wsfj_first_);
    }

    /* In a handler: its exception counts unless there is an earlier one. */
    WSFJ_CXX_INLINE void wsfj_note_last()
    {
        if (!wsfj_word)
            wsfj_word = wsfj_hold();
    }

    WSFJ_CXX_INLINE bool wsfj_failed() const
    {
        return WSFJ_CXX_RARELY(wsfj_word != 0);
    }

    WSFJ_CXX_INLINE uintptr_t wsfj_end()
    {
        wsfj_reached();
        if (WSFJ_CXX_RARELY(wsfj_word) && wsfj_unwinds()) {
            (void)wsfj_release(wsfj_word);
            wsfj_word = 0;
        }
        return wsfj_word;
    }

#ifdef WSFJ_RACE
    /* By a schedule: whether a loop of n iterations is halved (race_loop.h). */
    WSFJ_CXX_INLINE bool wsfj_halves(uint64_t wsfj_n) const
    {
        return wsfj_race_halves(&wsfj_scope_, wsfj_n, 4096);
    }
#endif

  private:
    template <class wsfj_B, class wsfj_R> WSFJ_CXX_INLINE void wsfj_do(wsfj_B &wsfj_callee, void *wsfj_rp)
    {
        WSFJ_TRY
        {
            if constexpr (std::is_void_v<wsfj_R>)
                wsfj_callee.wsfj_call();
            else
                *static_cast<wsfj_R *>(wsfj_rp) = wsfj_callee.wsfj_call();
        }
        WSFJ_CATCH
        {
            wsfj_note_last();
            if constexpr (!std::is_void_v<wsfj_R>)
                std::memset(wsfj_rp, 0, sizeof(wsfj_R)); /* else gcc warns that it is not initialised */
        }
        (void)wsfj_rp;
    }

#ifdef WSFJ_RACE
    /* By a schedule a child runs later, and has a copy of its callable. */
    template <class wsfj_B> struct wsfj_forked {
        wsfj_children *wsfj_to;
        wsfj_B *wsfj_callee;
        void *wsfj_rp;
    };
    template <class wsfj_B, class wsfj_R> static void wsfj_go(void *wsfj_at)
    {
        const struct wsfj_forked<wsfj_B> wsfj_a = *static_cast<struct wsfj_forked<wsfj_B> *>(wsfj_at);
        std::unique_ptr<wsfj_B> wsfj_owned(wsfj_a.wsfj_callee);

        wsfj_a.wsfj_to->template wsfj_do<wsfj_B, wsfj_R>(*wsfj_a.wsfj_callee, wsfj_a.wsfj_rp);
    }
#endif

    WSFJ_CXX_INLINE void wsfj_reached()
    {
#if defined WSFJ_RACE
        wsfj_race_sync(&wsfj_scope_);
#elif defined WSFJ_PROFILE
        wsfj_scope_sync(&wsfj_scope_);
#endif
    }
};

} // namespace WSFJ_CXX_MODE
} // namespace wsfj_detail

#endif
