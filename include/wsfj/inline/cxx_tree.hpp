/* SPDX-License-Identifier: MIT */
/*
 * The tree of ws::reduce(), and its evaluation by one thread: the tree of reduce_fold.h, for values of any type. A value
 * is only ever made and moved.
 */
#ifndef WSFJ_CXX_TREE_HPP
#define WSFJ_CXX_TREE_HPP

#pragma GCC system_header

#include "cxx_each.hpp"

namespace wsfj_detail
{
inline namespace WSFJ_CXX_MODE
{

/* Room for a value. */
template <class wsfj_R, bool = std::is_trivially_destructible_v<wsfj_R>> struct wsfj_part {
    alignas(wsfj_R) unsigned char wsfj_bytes[sizeof(wsfj_R)];
    bool wsfj_made = false;

    WSFJ_CXX_INLINE wsfj_part() = default;
    wsfj_part(const wsfj_part &) = delete;
    wsfj_part &operator=(const wsfj_part &) = delete;
    template <class wsfj_F> WSFJ_CXX_INLINE void wsfj_make(wsfj_F &&wsfj_f)
    {
        ::new (static_cast<void *>(wsfj_bytes)) wsfj_R(std::forward<wsfj_F>(wsfj_f)());
        wsfj_made = true;
    }
    WSFJ_CXX_INLINE wsfj_R wsfj_take()
    {
        wsfj_end wsfj_ends{*this};

        return std::move(*reinterpret_cast<wsfj_R *>(wsfj_bytes));
    }
    WSFJ_CXX_INLINE ~wsfj_part()
    {
        if (wsfj_made)
            reinterpret_cast<wsfj_R *>(wsfj_bytes)->~wsfj_R();
    }

  private:
    struct wsfj_end {
        wsfj_part &wsfj_of;
        WSFJ_CXX_INLINE ~wsfj_end()
        {
            wsfj_of.wsfj_made = false;
            reinterpret_cast<wsfj_R *>(wsfj_of.wsfj_bytes)->~wsfj_R();
        }
    };
};

template <class wsfj_R> struct wsfj_part<wsfj_R, true> {
    alignas(wsfj_R) unsigned char wsfj_bytes[sizeof(wsfj_R)];

    WSFJ_CXX_INLINE wsfj_part()
    {
    }
    wsfj_part(const wsfj_part &) = delete;
    wsfj_part &operator=(const wsfj_part &) = delete;
    template <class wsfj_F> WSFJ_CXX_INLINE void wsfj_make(wsfj_F &&wsfj_f)
    {
        ::new (static_cast<void *>(wsfj_bytes)) wsfj_R(std::forward<wsfj_F>(wsfj_f)());
    }
    WSFJ_CXX_INLINE wsfj_R wsfj_take()
    {
        return std::move(*reinterpret_cast<wsfj_R *>(wsfj_bytes));
    }
};

/* The slots of a tree of n leaves; n > 0. At most WSFJ_REDUCE_BYTES of them lie here. wsfj_slot: NULL without memory. */
template <class wsfj_P> struct wsfj_slots {
    static constexpr size_t wsfj_here = sizeof(wsfj_P) * 64 <= WSFJ_REDUCE_BYTES ? 64
                                        : sizeof(wsfj_P) <= WSFJ_REDUCE_BYTES    ? WSFJ_REDUCE_BYTES / sizeof(wsfj_P)
                                                                                 : 1;
    wsfj_P wsfj_few[wsfj_here];
    std::unique_ptr<wsfj_P[]> wsfj_many;
    wsfj_P *wsfj_slot = wsfj_few;

    WSFJ_CXX_INLINE explicit wsfj_slots(uint64_t wsfj_n)
    {
        if constexpr (wsfj_here < 64)
            if (WSFJ_CXX_RARELY(wsfj_tree_slots(wsfj_n) > wsfj_here)) {
                wsfj_many.reset(new (std::nothrow) wsfj_P[wsfj_tree_slots(wsfj_n)]);
                wsfj_slot = wsfj_many.get();
            }
        (void)wsfj_n;
    }
};

/* A reduction's callables. wsfj_R: its value. */
template <class wsfj_R, class wsfj_C, class wsfj_F, class wsfj_I> struct wsfj_tree {
    using wsfj_value = wsfj_R;
    using wsfj_body = wsfj_F;
    using wsfj_index = wsfj_I;
    using wsfj_part_ = wsfj_part<wsfj_R>;
    static constexpr const char *wsfj_called = "ws::reduce";

    wsfj_C &wsfj_c;
    wsfj_F &wsfj_f;

    wsfj_tree(wsfj_C &wsfj_combine, wsfj_F &wsfj_g) : wsfj_c(wsfj_combine), wsfj_f(wsfj_g)
    {
    }

    static constexpr bool wsfj_is_good()
    {
        constexpr bool wsfj_f_fits = std::is_invocable_r_v<wsfj_R, wsfj_F &, wsfj_I>;
        constexpr bool wsfj_c_fits = std::is_invocable_r_v<wsfj_R, wsfj_C &, wsfj_R, wsfj_R>;

        static_assert(std::is_move_constructible_v<wsfj_R>,
                      "libwsfj: reduce(lo, hi, identity, combine, f): a value cannot be moved");
        static_assert(wsfj_f_fits, "libwsfj: reduce(lo, hi, identity, combine, f): f must take an index and return a "
                                   "value of the identity's type");
        static_assert(wsfj_c_fits, "libwsfj: reduce(lo, hi, identity, combine, f): combine must take two values of the "
                                   "identity's type and return one");
        if constexpr (wsfj_f_fits)
            static_assert(!wsfj_loses<std::decay_t<std::invoke_result_t<wsfj_F &, wsfj_I>>>,
                          "libwsfj: reduce(lo, hi, identity, combine, f): the identity's type is too small for what f "
                          "returns");
        return wsfj_f_fits && wsfj_c_fits;
    }

    /* Whether a number of this type loses digits in wsfj_R: the identity 0 makes an int of each double. */
    template <class wsfj_V>
    static constexpr bool wsfj_loses = std::is_integral_v<wsfj_R> &&
                                       (std::is_floating_point_v<wsfj_V> ||
                                        (std::is_integral_v<wsfj_V> && sizeof(wsfj_V) > sizeof(wsfj_R)));

    /* The leaves from p to e - 1, at least one. `after`: the last complete node before them, then the one after them. */
    WSFJ_CXX_OUTLINE void wsfj_fold(wsfj_part_ *wsfj_slot, wsfj_part_ &wsfj_after, uint64_t wsfj_p, uint64_t wsfj_e,
                                    wsfj_I wsfj_lo) const
    {
        wsfj_used<wsfj_C, wsfj_R, wsfj_R> wsfj_combine = wsfj_c;
        wsfj_used<wsfj_F, wsfj_I> wsfj_g = wsfj_f;
        wsfj_part_ wsfj_v;
        auto wsfj_leaf = [&](uint64_t wsfj_k) -> wsfj_R { return std::invoke(wsfj_g, wsfj_plus(wsfj_lo, wsfj_k)); };
        auto wsfj_join = [&](wsfj_R &&wsfj_x, wsfj_R &&wsfj_y) -> wsfj_R {
            return std::invoke(wsfj_combine, std::move(wsfj_x), std::move(wsfj_y));
        };

        if (wsfj_p)
            wsfj_v.wsfj_make([&] { return wsfj_after.wsfj_take(); });
        else if constexpr (std::is_trivially_destructible_v<wsfj_R>)
            std::memset(wsfj_v.wsfj_bytes, 0, sizeof wsfj_v.wsfj_bytes); /* else gcc warns that it is not initialised */
        while (wsfj_p < wsfj_e) {
            unsigned wsfj_k = 0;
            uint64_t wsfj_step = 1;

            if (wsfj_p)
                wsfj_slot[wsfj_tree_level(wsfj_p)].wsfj_make([&] { return wsfj_v.wsfj_take(); });
            if (sizeof(wsfj_R) <= 64 && (wsfj_p & 7) == 0 && wsfj_e - wsfj_p >= 8) {
                wsfj_v.wsfj_make([&]() -> wsfj_R {
                    wsfj_R wsfj_0 = wsfj_leaf(wsfj_p), wsfj_1 = wsfj_leaf(wsfj_p + 1), wsfj_2 = wsfj_leaf(wsfj_p + 2),
                           wsfj_3 = wsfj_leaf(wsfj_p + 3), wsfj_4 = wsfj_leaf(wsfj_p + 4),
                           wsfj_5 = wsfj_leaf(wsfj_p + 5), wsfj_6 = wsfj_leaf(wsfj_p + 6),
                           wsfj_7 = wsfj_leaf(wsfj_p + 7);
                    wsfj_R wsfj_01 = wsfj_join(std::move(wsfj_0), std::move(wsfj_1));
                    wsfj_R wsfj_23 = wsfj_join(std::move(wsfj_2), std::move(wsfj_3));
                    wsfj_R wsfj_45 = wsfj_join(std::move(wsfj_4), std::move(wsfj_5));
                    wsfj_R wsfj_67 = wsfj_join(std::move(wsfj_6), std::move(wsfj_7));
                    wsfj_R wsfj_0123 = wsfj_join(std::move(wsfj_01), std::move(wsfj_23));

                    return wsfj_join(std::move(wsfj_0123), wsfj_join(std::move(wsfj_45), std::move(wsfj_67)));
                });
                wsfj_k = 3;
                wsfj_step = 8;
            } else {
                wsfj_v.wsfj_make([&] { return wsfj_leaf(wsfj_p); });
            }
            for (; wsfj_p >> wsfj_k & 1; wsfj_k++)
                wsfj_joined(wsfj_combine, wsfj_v, wsfj_slot[wsfj_k], wsfj_v);
            wsfj_p += wsfj_step;
        }
        wsfj_after.wsfj_make([&] { return wsfj_v.wsfj_take(); });
    }

    /* The value of the whole tree, as WSFJ_REDUCE_END. */
    WSFJ_CXX_INLINE void wsfj_end(wsfj_part_ *wsfj_slot, wsfj_part_ &wsfj_v, uint64_t wsfj_p, uint64_t wsfj_right) const
    {
        for (unsigned wsfj_k = wsfj_tree_level(wsfj_p); wsfj_k < 64; wsfj_k++) {
            if (wsfj_right >> wsfj_k & 1)
                wsfj_joined(wsfj_c, wsfj_v, wsfj_v, wsfj_slot[wsfj_k]);
            else if (wsfj_k > wsfj_tree_level(wsfj_p) && wsfj_p >> wsfj_k & 1)
                wsfj_joined(wsfj_c, wsfj_v, wsfj_slot[wsfj_k], wsfj_v);
        }
    }

    /* The tree of the iterations from lo to hi, at least one, by one thread. Without memory for the slots, the halves of
     * the tree come one by one. */
    wsfj_R wsfj_range(wsfj_I wsfj_lo, wsfj_I wsfj_hi) const
    {
        const uint64_t wsfj_n = wsfj_count(wsfj_lo, wsfj_hi);
        wsfj_slots<wsfj_part_> wsfj_slots_(wsfj_n);
        wsfj_part_ wsfj_v;

        if (WSFJ_CXX_RARELY(!wsfj_slots_.wsfj_slot)) {
            const wsfj_I wsfj_mid = wsfj_plus(wsfj_lo, wsfj_tree_split(0, wsfj_n));
            wsfj_part_ wsfj_y;

            wsfj_v.wsfj_make([&] { return wsfj_range(wsfj_lo, wsfj_mid); });
            wsfj_y.wsfj_make([&] { return wsfj_range(wsfj_mid, wsfj_hi); });
            wsfj_joined(wsfj_c, wsfj_v, wsfj_v, wsfj_y);
        } else {
            wsfj_fold(wsfj_slots_.wsfj_slot, wsfj_v, 0, wsfj_n, wsfj_lo);
            wsfj_end(wsfj_slots_.wsfj_slot, wsfj_v, wsfj_n, 0);
        }
        return wsfj_v.wsfj_take();
    }

    /* to = combine(x, y); `to` may be one of them. */
    template <class wsfj_G>
    static WSFJ_CXX_INLINE void wsfj_joined(wsfj_G &wsfj_combine, wsfj_part_ &wsfj_to, wsfj_part_ &wsfj_x,
                                            wsfj_part_ &wsfj_y)
    {
        wsfj_R wsfj_left = wsfj_x.wsfj_take(), wsfj_right = wsfj_y.wsfj_take();

        wsfj_to.wsfj_make(
            [&]() -> wsfj_R { return std::invoke(wsfj_combine, std::move(wsfj_left), std::move(wsfj_right)); });
    }
};

/* The same for ws::reduce_any(): each piece combines from left to right, and then come the children, the nearest one, of
 * the lowest level, first. */
template <class wsfj_R, class wsfj_C, class wsfj_F, class wsfj_I>
struct wsfj_row : wsfj_tree<wsfj_R, wsfj_C, wsfj_F, wsfj_I> {
    using wsfj_base_ = wsfj_tree<wsfj_R, wsfj_C, wsfj_F, wsfj_I>;
    using wsfj_part_ = typename wsfj_base_::wsfj_part_;
    using wsfj_base_::wsfj_base_;
    static constexpr const char *wsfj_called = "ws::reduce_any";

    WSFJ_CXX_OUTLINE void wsfj_fold(wsfj_part_ *, wsfj_part_ &wsfj_after, uint64_t wsfj_p, uint64_t wsfj_e,
                                    wsfj_I wsfj_lo) const
    {
        wsfj_used<wsfj_C, wsfj_R, wsfj_R> wsfj_combine = this->wsfj_c;
        wsfj_used<wsfj_F, wsfj_I> wsfj_g = this->wsfj_f;
        auto wsfj_leaf = [&](uint64_t wsfj_k) -> wsfj_R { return std::invoke(wsfj_g, wsfj_plus(wsfj_lo, wsfj_k)); };

        if (!wsfj_p)
            wsfj_after.wsfj_make([&] { return wsfj_leaf(wsfj_p++); });
        if constexpr (std::is_move_assignable_v<wsfj_R>) {
            wsfj_R wsfj_v = wsfj_after.wsfj_take();

            for (; wsfj_p < wsfj_e; wsfj_p++)
                wsfj_v = std::invoke(wsfj_combine, std::move(wsfj_v), wsfj_leaf(wsfj_p));
            wsfj_after.wsfj_make([&] { return std::move(wsfj_v); });
        } else {
            for (wsfj_part_ wsfj_y; wsfj_p < wsfj_e; wsfj_p++) {
                wsfj_y.wsfj_make([&] { return wsfj_leaf(wsfj_p); });
                wsfj_base_::wsfj_joined(wsfj_combine, wsfj_after, wsfj_after, wsfj_y);
            }
        }
    }

    WSFJ_CXX_INLINE void wsfj_end(wsfj_part_ *wsfj_slot, wsfj_part_ &wsfj_v, uint64_t, uint64_t wsfj_right) const
    {
        for (; wsfj_right; wsfj_right &= wsfj_right - 1)
            wsfj_base_::wsfj_joined(this->wsfj_c, wsfj_v, wsfj_v, wsfj_slot[wsfj_tree_level(wsfj_right)]);
    }

    wsfj_R wsfj_range(wsfj_I wsfj_lo, wsfj_I wsfj_hi) const
    {
        wsfj_part_ wsfj_v;

        wsfj_fold(nullptr, wsfj_v, 0, wsfj_count(wsfj_lo, wsfj_hi), wsfj_lo);
        return wsfj_v.wsfj_take();
    }
};

/* What both functions do. */
template <template <class, class, class, class> class wsfj_Tree, class wsfj_L, class wsfj_H, class wsfj_T, class wsfj_C,
          class wsfj_F>
WSFJ_CXX_INLINE std::decay_t<wsfj_T> wsfj_reduce_by(wsfj_L wsfj_lo, wsfj_H wsfj_hi, wsfj_T &&wsfj_identity,
                                                    wsfj_C &wsfj_combine, wsfj_F &wsfj_f)
{
    using wsfj_I = decltype(wsfj_index_of(wsfj_lo, wsfj_hi));
    using wsfj_tree_type = wsfj_Tree<std::decay_t<wsfj_T>, wsfj_C, wsfj_F, wsfj_I>;
    const wsfj_ends<wsfj_I> wsfj_e(wsfj_tree_type::wsfj_called, wsfj_lo, wsfj_hi);

    if constexpr (wsfj_tree_type::wsfj_is_good())
        if (wsfj_e.wsfj_lo < wsfj_e.wsfj_hi)
            return wsfj_reduce(wsfj_tree_type(wsfj_combine, wsfj_f), wsfj_e.wsfj_lo, wsfj_e.wsfj_hi);
    return std::forward<wsfj_T>(wsfj_identity);
}

} // namespace WSFJ_CXX_MODE
} // namespace wsfj_detail

#endif
