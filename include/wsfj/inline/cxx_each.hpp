/* SPDX-License-Identifier: MIT */
/*
 * What the loops of wsfj.hpp share in all programs: indices and callables. cxx_tree.hpp has the tree of a reduction,
 * cxx_loop.hpp the drivers of the parallel program, cxx_loop_serial.hpp those of the others.
 */
#ifndef WSFJ_CXX_EACH_HPP
#define WSFJ_CXX_EACH_HPP

#pragma GCC system_header

#include "cxx_run.hpp"

#include <cerrno>

namespace wsfj_detail
{
inline namespace WSFJ_CXX_MODE
{

template <class wsfj_T>
inline constexpr bool wsfj_is_index =
    std::is_integral_v<wsfj_T> && !std::is_same_v<wsfj_T, bool> && sizeof(wsfj_T) <= sizeof(uint64_t);

/* The type of the index. */
template <class wsfj_L, class wsfj_H> constexpr auto wsfj_index_of(wsfj_L wsfj_lo, wsfj_H wsfj_hi)
{
    static_assert(wsfj_is_index<wsfj_L> && wsfj_is_index<wsfj_H>,
                  "libwsfj: for_each(lo, hi, f) and reduce(lo, hi, ...): lo and hi must be integers");
    if constexpr (wsfj_is_index<wsfj_L> && wsfj_is_index<wsfj_H>)
        return std::common_type_t<wsfj_L, wsfj_H>();
    else
        return 0;
}

template <class wsfj_T> constexpr bool wsfj_is_negative(wsfj_T wsfj_x)
{
    if constexpr (std::is_signed_v<wsfj_T>)
        return wsfj_x < 0;
    else
        return false;
}

/* The ends of a loop as indices. With ends of both signs the index is unsigned: the loop up to a negative one is empty,
 * and the loop from a negative one has no index for its first iteration. */
template <class wsfj_I> struct wsfj_ends {
    wsfj_I wsfj_lo, wsfj_hi;

    template <class wsfj_L, class wsfj_H>
    WSFJ_CXX_INLINE wsfj_ends(const char *wsfj_what, wsfj_L wsfj_from, wsfj_H wsfj_to)
        : wsfj_lo(static_cast<wsfj_I>(wsfj_from)), wsfj_hi(static_cast<wsfj_I>(wsfj_to))
    {
        if constexpr (!std::is_signed_v<wsfj_I>) {
            if (WSFJ_CXX_RARELY(wsfj_is_negative(wsfj_to)))
                wsfj_hi = wsfj_lo;
            else if (WSFJ_CXX_RARELY(wsfj_is_negative(wsfj_from)))
                wsfj_refuse(wsfj_what, EINVAL);
        }
        (void)wsfj_what;
    }
};

template <class wsfj_I> WSFJ_CXX_INLINE uint64_t wsfj_count(wsfj_I wsfj_lo, wsfj_I wsfj_hi)
{
    return wsfj_lo < wsfj_hi ? static_cast<uint64_t>(wsfj_hi) - static_cast<uint64_t>(wsfj_lo) : 0;
}

template <class wsfj_I> WSFJ_CXX_INLINE wsfj_I wsfj_plus(wsfj_I wsfj_lo, uint64_t wsfj_n)
{
    return static_cast<wsfj_I>(static_cast<uint64_t>(wsfj_lo) + wsfj_n);
}

/* Whether the pieces of a loop use copies of a callable, which compilers keep in registers. */
template <class wsfj_F, class... wsfj_As> constexpr bool wsfj_use_copies()
{
    if constexpr (std::is_object_v<wsfj_F>)
        return std::is_trivially_copy_constructible_v<wsfj_F> && std::is_trivially_destructible_v<wsfj_F> &&
               sizeof(wsfj_F) <= 64 && std::is_invocable_v<const wsfj_F &, wsfj_As...>;
    else
        return false;
}
template <class wsfj_F, class... wsfj_As>
using wsfj_used = std::conditional_t<wsfj_use_copies<wsfj_F, wsfj_As...>(), const wsfj_F, wsfj_F &>;

/* The iterations from lo to hi, one after the other. */
template <class wsfj_F, class wsfj_I> WSFJ_CXX_OUTLINE void wsfj_each_in(wsfj_F &wsfj_f, wsfj_I wsfj_lo, wsfj_I wsfj_hi)
{
    wsfj_used<wsfj_F, wsfj_I> wsfj_g = wsfj_f;

    for (; wsfj_lo < wsfj_hi; wsfj_lo++)
        std::invoke(wsfj_g, static_cast<wsfj_I>(wsfj_lo));
}

#if !defined WSFJ_SERIAL && !defined WSFJ_RACE
/* What a loop remembers: one for each type of callable. `offset`: where a task's arguments have the first index. */
template <class wsfj_I> constexpr struct wsfj_loop_site wsfj_site_for(unsigned char wsfj_offset)
{
    return {0, wsfj_offset, {sizeof(wsfj_I), 0, 0}, {std::is_signed_v<wsfj_I>, 0, 0}, 1, "C++ loop"};
}
#endif

} // namespace WSFJ_CXX_MODE
} // namespace wsfj_detail

#endif
