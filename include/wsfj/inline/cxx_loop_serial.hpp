/* SPDX-License-Identifier: MIT */
/*
 * ws::for_each() and ws::reduce() in a program that runs serially: the plain loop, and the same tree. A profiled loop has
 * halves as children and blocks of iterations as strands (loop_profile.h). In a program that is searched for races, all
 * iterations of a loop are parallel to each other (race_loop.h), and a reduction has halves as children.
 */
#ifndef WSFJ_CXX_LOOP_SERIAL_HPP
#define WSFJ_CXX_LOOP_SERIAL_HPP

#pragma GCC system_header

#include "cxx_serial.hpp"
#include "cxx_tree.hpp"

namespace wsfj_detail
{
inline namespace WSFJ_CXX_MODE
{

#if defined WSFJ_PROFILE || defined WSFJ_RACE
/* A half of a loop as a child. wsfj_K: what the loop is. */
template <class wsfj_K, class wsfj_J, class wsfj_I, class wsfj_To> struct wsfj_half {
    wsfj_J *wsfj_job;
    wsfj_I wsfj_lo, wsfj_hi;
    wsfj_To *wsfj_to;

    void operator()() const
    {
        wsfj_K::wsfj_half_of(*wsfj_job, wsfj_lo, wsfj_hi, wsfj_to);
    }
};
template <class wsfj_K, class wsfj_J, class wsfj_I, class wsfj_To>
struct wsfj_callable<wsfj_bound<wsfj_half<wsfj_K, wsfj_J, wsfj_I, wsfj_To>>> {
    using wsfj_type = std::remove_cv_t<typename wsfj_K::wsfj_body>;
};

#ifdef WSFJ_RACE
/* All iterations are parallel to each other (race_loop.h). */
template <class wsfj_F, class wsfj_I> struct wsfj_each {
    using wsfj_body = wsfj_F;
    static inline constexpr struct wsfj_site wsfj_here = {"C++", wsfj_name<std::remove_cv_t<wsfj_F>>.wsfj_chars, 0};

    static void wsfj_half_of(wsfj_F &wsfj_f, wsfj_I wsfj_lo, wsfj_I wsfj_hi, void *)
    {
        using wsfj_half_ = wsfj_half<wsfj_each, wsfj_F, wsfj_I, void>;
        wsfj_children wsfj_c;
        struct wsfj_spawned wsfj_spawned;
        uint64_t wsfj_n = wsfj_count(wsfj_lo, wsfj_hi);

        while (!wsfj_c.wsfj_failed() && wsfj_c.wsfj_halves(wsfj_n)) {
            const wsfj_I wsfj_mid = wsfj_plus(wsfj_lo, wsfj_n / 2);

            wsfj_c.template wsfj_push<wsfj_bound<wsfj_half_>, void>(
                nullptr, wsfj_half_{std::addressof(wsfj_f), wsfj_lo, wsfj_mid, nullptr});
            wsfj_lo = wsfj_mid;
            wsfj_n -= wsfj_n / 2;
        }
        wsfj_race_loop(&wsfj_spawned, &wsfj_here, __builtin_frame_address(0));
        for (; wsfj_lo < wsfj_hi && !wsfj_c.wsfj_failed(); wsfj_lo++) {
            wsfj_race_iteration(&wsfj_spawned);
            WSFJ_TRY
            {
                std::invoke(wsfj_f, static_cast<wsfj_I>(wsfj_lo));
            }
            WSFJ_CATCH
            {
                wsfj_c.wsfj_note_last();
            }
        }
        wsfj_race_loop_end(&wsfj_spawned);
        wsfj_c.wsfj_wait();
    }
};

/* A reduction's block is one iteration. */
template <class wsfj_K, class wsfj_I> struct wsfj_blocks {
    static uint64_t wsfj_size()
    {
        return 1;
    }

    template <class wsfj_F> static WSFJ_CXX_INLINE void wsfj_run(uint64_t, wsfj_F &&wsfj_f)
    {
        wsfj_f();
    }
};
#else
/* The blocks of the loop wsfj_K (loop_profile.h), which learns from each how long its iterations take. */
template <class wsfj_K, class wsfj_I> struct wsfj_blocks {
    static inline struct wsfj_loop_site wsfj_site_ = wsfj_site_for<wsfj_I>(0);

    static WSFJ_CXX_INLINE uint64_t wsfj_size()
    {
        return wsfj_loop_block(&wsfj_site_, wsfj_profile_tls);
    }

    template <class wsfj_F> static WSFJ_CXX_INLINE void wsfj_run(uint64_t wsfj_n, wsfj_F &&wsfj_f)
    {
        const uint64_t wsfj_began = wsfj_loop_now();

        wsfj_f();
        wsfj_loop_learn(&wsfj_site_, wsfj_n, wsfj_began);
    }
};

template <class wsfj_F, class wsfj_I> struct wsfj_each {
    using wsfj_body = wsfj_F;
    using wsfj_blocks_ = wsfj_blocks<wsfj_each, wsfj_I>;

    static void wsfj_half_of(wsfj_F &wsfj_f, wsfj_I wsfj_lo, wsfj_I wsfj_hi, void *)
    {
        using wsfj_half_ = wsfj_half<wsfj_each, wsfj_F, wsfj_I, void>;
        wsfj_children wsfj_c;
        uint64_t wsfj_n = wsfj_count(wsfj_lo, wsfj_hi);

        while (!wsfj_c.wsfj_failed() && wsfj_n > wsfj_blocks_::wsfj_size()) {
            const wsfj_I wsfj_mid = wsfj_plus(wsfj_lo, wsfj_n / 2);

            wsfj_c.template wsfj_push<wsfj_bound<wsfj_half_>, void>(
                nullptr, wsfj_half_{std::addressof(wsfj_f), wsfj_lo, wsfj_mid, nullptr});
            wsfj_lo = wsfj_mid;
            wsfj_n -= wsfj_n / 2;
        }
        WSFJ_TRY
        {
            if (!wsfj_c.wsfj_failed())
                wsfj_blocks_::wsfj_run(wsfj_n, [&] { wsfj_each_in(wsfj_f, wsfj_lo, wsfj_hi); });
        }
        WSFJ_CATCH
        {
            wsfj_c.wsfj_note_last();
        }
        wsfj_c.wsfj_wait();
    }
};
#endif

template <class wsfj_T> struct wsfj_reduction {
    using wsfj_body = typename wsfj_T::wsfj_body;
    using wsfj_I = typename wsfj_T::wsfj_index;
    using wsfj_part_ = typename wsfj_T::wsfj_part_;
    using wsfj_blocks_ = wsfj_blocks<wsfj_reduction, wsfj_I>;

    static void wsfj_half_of(const wsfj_T &wsfj_tree, wsfj_I wsfj_lo, wsfj_I wsfj_hi, wsfj_part_ *wsfj_to)
    {
        using wsfj_half_ = wsfj_half<wsfj_reduction, const wsfj_T, wsfj_I, wsfj_part_>;
        const uint64_t wsfj_n = wsfj_count(wsfj_lo, wsfj_hi);

        if (wsfj_n > wsfj_blocks_::wsfj_size()) {
            const wsfj_I wsfj_mid = wsfj_plus(wsfj_lo, wsfj_tree_split(0, wsfj_n));
            wsfj_part_ wsfj_x, wsfj_y;
            wsfj_children wsfj_c;

            wsfj_c.template wsfj_push<wsfj_bound<wsfj_half_>, void>(
                nullptr, wsfj_half_{std::addressof(wsfj_tree), wsfj_lo, wsfj_mid, &wsfj_x});
            WSFJ_TRY
            {
                if (!wsfj_c.wsfj_failed())
                    wsfj_half_of(wsfj_tree, wsfj_mid, wsfj_hi, &wsfj_y);
            }
            WSFJ_CATCH
            {
                wsfj_c.wsfj_note_last();
            }
            wsfj_c.wsfj_wait();
            wsfj_T::wsfj_joined(wsfj_tree.wsfj_c, *wsfj_to, wsfj_x, wsfj_y);
        } else {
            wsfj_blocks_::wsfj_run(wsfj_n,
                                   [&] { wsfj_to->wsfj_make([&] { return wsfj_tree.wsfj_range(wsfj_lo, wsfj_hi); }); });
        }
    }
};

template <class wsfj_F, class wsfj_I> void wsfj_for_each(wsfj_F &wsfj_f, wsfj_I wsfj_lo, wsfj_I wsfj_hi)
{
    wsfj_in_region<wsfj_F>("ws::for_each",
                           [&] { wsfj_each<wsfj_F, wsfj_I>::wsfj_half_of(wsfj_f, wsfj_lo, wsfj_hi, nullptr); });
}

template <class wsfj_T>
typename wsfj_T::wsfj_value wsfj_reduce(const wsfj_T &wsfj_tree, typename wsfj_T::wsfj_index wsfj_lo,
                                        typename wsfj_T::wsfj_index wsfj_hi)
{
    return wsfj_in_region<typename wsfj_T::wsfj_body>(wsfj_T::wsfj_called, [&] {
        typename wsfj_T::wsfj_part_ wsfj_to;

        wsfj_reduction<wsfj_T>::wsfj_half_of(wsfj_tree, wsfj_lo, wsfj_hi, &wsfj_to);
        return wsfj_to.wsfj_take();
    });
}
#else
template <class wsfj_F, class wsfj_I> WSFJ_CXX_INLINE void wsfj_for_each(wsfj_F &wsfj_f, wsfj_I wsfj_lo, wsfj_I wsfj_hi)
{
    for (; wsfj_lo < wsfj_hi; wsfj_lo++)
        std::invoke(wsfj_f, static_cast<wsfj_I>(wsfj_lo));
}

template <class wsfj_T>
WSFJ_CXX_INLINE typename wsfj_T::wsfj_value wsfj_reduce(const wsfj_T &wsfj_tree, typename wsfj_T::wsfj_index wsfj_lo,
                                                        typename wsfj_T::wsfj_index wsfj_hi)
{
    return wsfj_tree.wsfj_range(wsfj_lo, wsfj_hi);
}
#endif

} // namespace WSFJ_CXX_MODE
} // namespace wsfj_detail

#endif
