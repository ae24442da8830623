/* SPDX-License-Identifier: MIT */
/*
 * The drivers of ws::for_each() and ws::reduce() in the parallel program: those of loop_task.h and reduce_task.h, with
 * exceptions. The callables stay where the caller has them, because the caller waits.
 */
#ifndef WSFJ_CXX_LOOP_HPP
#define WSFJ_CXX_LOOP_HPP

#pragma GCC system_header

#include "cxx_task.hpp"
#include "cxx_tree.hpp"

#include <pthread.h>

namespace wsfj_detail
{
inline namespace WSFJ_CXX_MODE
{

/* The exceptions of the pieces of a loop. The pieces are disjoint, and each runs in index order. So the exception of the
 * lowest piece is that of the serial program, if every piece below it runs. */
class wsfj_failures
{
    std::atomic<uint64_t> wsfj_limit{~static_cast<uint64_t>(0)}; /* pieces from this iteration on are skipped */
    std::atomic<wsfj_box *> wsfj_list{nullptr};

  public:
    bool wsfj_before(uint64_t wsfj_k) const
    {
        return WSFJ_CXX_RARELY(wsfj_limit.load(std::memory_order_relaxed) <= wsfj_k);
    }

    /* In the handler of a piece that begins at iteration k, counted from the loop's first. */
    WSFJ_CXX_COLD void wsfj_note(uint64_t wsfj_k) noexcept
    {
        uint64_t wsfj_was = wsfj_limit.load(std::memory_order_relaxed);
        auto wsfj_one = new wsfj_box(&wsfj_list, wsfj_k); /* without memory the program ends, as elsewhere */

        wsfj_one->wsfj_keep();
        while (wsfj_k < wsfj_was && !wsfj_limit.compare_exchange_weak(wsfj_was, wsfj_k, std::memory_order_relaxed)) {
        }
    }

    /* After all pieces. */
    WSFJ_CXX_INLINE void wsfj_throw()
    {
        if (WSFJ_CXX_RARELY(wsfj_list.load(std::memory_order_relaxed) != nullptr))
            wsfj_rethrow(wsfj_first_of(wsfj_list.exchange(nullptr)));
    }
};

inline void wsfj_no_fetch(struct wsfj_descriptor *, void *)
{
}

/* A piece as a task. wsfj_J: the loop, with wsfj_run(), which runs a piece and lets nothing out. */
template <class wsfj_J, class wsfj_I, class wsfj_To> struct wsfj_piece {
    wsfj_J *wsfj_job;
    wsfj_I wsfj_lo, wsfj_hi; /* the first one's place is in the site */
    wsfj_To *wsfj_to;

    static void wsfj_exec(struct wsfj_deque *wsfj_deque_, struct wsfj_descriptor *wsfj_base,
                          struct wsfj_descriptor *wsfj_desc, void *) noexcept
    {
        wsfj_piece wsfj_p = *reinterpret_cast<wsfj_piece *>(wsfj_words(wsfj_desc));

        wsfj_p.wsfj_job->wsfj_run(wsfj_deque_, wsfj_base, wsfj_p.wsfj_lo, wsfj_p.wsfj_hi, wsfj_p.wsfj_to);
    }

    static constexpr struct wsfj_kind wsfj_kind_ = {
        wsfj_exec, wsfj_name<std::remove_cv_t<typename wsfj_J::wsfj_body>>.wsfj_chars,
        "C++",     0,
        0,         0,
        0,         &wsfj_J::wsfj_site_,
        1};
};

/* Spawns the next child of a driver. */
template <class wsfj_J, class wsfj_I, class wsfj_To>
WSFJ_CXX_INLINE void wsfj_push_piece(struct wsfj_loop &wsfj_w, struct wsfj_frame &wsfj_f,
                                     wsfj_piece<wsfj_J, wsfj_I, wsfj_To> wsfj_p)
{
    using wsfj_child = wsfj_piece<wsfj_J, wsfj_I, wsfj_To>;
    struct wsfj_descriptor *wsfj_desc = wsfj_f.wsfj_top;
    struct wsfj_call_how wsfj_how = {
        {wsfj_child::wsfj_exec, wsfj_child::wsfj_exec, wsfj_child::wsfj_exec}, wsfj_no_fetch, 0};

    static_assert(sizeof(wsfj_child) <= sizeof(uint64_t[WSFJ_DESCRIPTOR_WORDS]));
    ::new (static_cast<void *>(wsfj_words(wsfj_desc))) wsfj_child(wsfj_p);
    __atomic_store_n(&wsfj_desc->wsfj_word, reinterpret_cast<uintptr_t>(&wsfj_child::wsfj_kind_), WSFJ_WORD_ORDER);
    wsfj_pushed(&wsfj_f, wsfj_how, nullptr);
    wsfj_loop_pushed(&wsfj_w, wsfj_f.wsfj_top <= wsfj_desc);
}

/* A run that is predicted to be short: see WSFJ_LOOP_SHORT_OR_DRIVE. Outside any region there is nobody to ask, and the
 * clock always tells; and the thread cannot be cancelled, as in a region. */
template <class wsfj_R>
WSFJ_CXX_INLINE decltype(auto) wsfj_short_run(struct wsfj_loop_site &wsfj_site_, struct wsfj_deque *wsfj_deque_,
                                              uint64_t wsfj_n, wsfj_R &&wsfj_range)
{
    struct wsfj_watch {
        struct wsfj_loop_site *wsfj_site_;
        bool wsfj_outside_;
        int wsfj_cancel_state;
        uint64_t wsfj_then;
        WSFJ_CXX_INLINE ~wsfj_watch()
        {
            if (WSFJ_CXX_RARELY(wsfj_then) && wsfj_loop_late(wsfj_then))
                wsfj_loop_forget(wsfj_site_);
            if (WSFJ_CXX_RARELY(wsfj_outside_))
                ::pthread_setcancelstate(wsfj_cancel_state, nullptr);
        }
    };
    int wsfj_cancel_state = 0;

    if (!wsfj_deque_)
        ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &wsfj_cancel_state);
    wsfj_watch wsfj_watch_{&wsfj_site_, !wsfj_deque_, wsfj_cancel_state, 0};

    if (wsfj_n > 1 && (!wsfj_deque_ || wsfj_asked(wsfj_deque_)))
        wsfj_watch_.wsfj_then = wsfj_loop_clock();
    return wsfj_range();
}

template <class wsfj_F, class wsfj_I> struct wsfj_each {
    using wsfj_body = wsfj_F;
    using wsfj_child = wsfj_piece<wsfj_each, wsfj_I, void>;
    static inline struct wsfj_loop_site wsfj_site_ = wsfj_site_for<wsfj_I>(sizeof(wsfj_each *));

    wsfj_F &wsfj_f;
    wsfj_I wsfj_first_;
    wsfj_failures wsfj_failed;

    wsfj_each(wsfj_F &wsfj_g, wsfj_I wsfj_lo) : wsfj_f(wsfj_g), wsfj_first_(wsfj_lo)
    {
    }

    uint64_t wsfj_at(wsfj_I wsfj_i) const
    {
        return static_cast<uint64_t>(wsfj_i) - static_cast<uint64_t>(wsfj_first_);
    }

    void wsfj_run(struct wsfj_deque *wsfj_deque_, struct wsfj_descriptor *wsfj_base, wsfj_I wsfj_lo, wsfj_I wsfj_hi,
                  void *) noexcept
    {
        const uint64_t wsfj_n = wsfj_count(wsfj_lo, wsfj_hi);

        if (wsfj_failed.wsfj_before(wsfj_at(wsfj_lo)))
            return;
        if (!wsfj_loop_short(&wsfj_site_, wsfj_n, 1)) {
            wsfj_drive(wsfj_deque_, wsfj_base, wsfj_lo, wsfj_hi);
            return;
        }
        WSFJ_TRY
        {
            wsfj_short_run(wsfj_site_, wsfj_deque_, wsfj_n, [&] { wsfj_each_in(wsfj_f, wsfj_lo, wsfj_hi); });
        }
        WSFJ_CATCH
        {
            wsfj_failed.wsfj_note(wsfj_at(wsfj_lo));
        }
    }

    WSFJ_CXX_OUTLINE void wsfj_drive(struct wsfj_deque *wsfj_deque_, struct wsfj_descriptor *wsfj_base, wsfj_I wsfj_lo,
                                     wsfj_I wsfj_hi) noexcept
    {
        struct wsfj_frame wsfj_v = wsfj_frame_at(wsfj_deque_, wsfj_base, 0);
        struct wsfj_loop wsfj_w;
        uint64_t wsfj_n = wsfj_count(wsfj_lo, wsfj_hi), wsfj_done;

        wsfj_loop_begin(&wsfj_w, &wsfj_site_, wsfj_deque_, wsfj_n, 1);
        do {
            while (wsfj_w.wsfj_push) {
                const wsfj_I wsfj_from = wsfj_plus(wsfj_lo, wsfj_loop_child(&wsfj_w));
                wsfj_push_piece(wsfj_w, wsfj_v,
                                wsfj_child{this, wsfj_from, wsfj_plus(wsfj_from, wsfj_w.wsfj_push), nullptr});
            }
            const wsfj_I wsfj_here = wsfj_plus(wsfj_lo, wsfj_w.wsfj_at);
            wsfj_n = wsfj_loop_next(&wsfj_w);
            wsfj_done = wsfj_at(wsfj_here) + wsfj_n;
            WSFJ_TRY
            {
                wsfj_each_in(wsfj_f, wsfj_here, wsfj_plus(wsfj_here, wsfj_n));
            }
            WSFJ_CATCH
            {
                wsfj_failed.wsfj_note(wsfj_at(wsfj_here));
            }
        } while (!wsfj_failed.wsfj_before(wsfj_done) && wsfj_loop_goes_on(&wsfj_w, &wsfj_v, wsfj_n));
        if (!wsfj_failed.wsfj_before(wsfj_done))
            wsfj_loop_learn(&wsfj_site_, wsfj_w.wsfj_ran, wsfj_w.wsfj_began);
        wsfj_sync(&wsfj_v);
    }

    /* The whole loop, in a task. */
    static void wsfj_all(wsfj_F &wsfj_f, wsfj_I wsfj_lo, wsfj_I wsfj_hi, struct wsfj_deque *wsfj_deque_)
    {
        wsfj_each wsfj_job(wsfj_f, wsfj_lo);

        wsfj_job.wsfj_drive(wsfj_deque_, wsfj_tail(wsfj_deque_), wsfj_lo, wsfj_hi);
        wsfj_job.wsfj_failed.wsfj_throw();
    }
};

template <class wsfj_F, class wsfj_I> WSFJ_CXX_INLINE void wsfj_for_each(wsfj_F &wsfj_f, wsfj_I wsfj_lo, wsfj_I wsfj_hi)
{
    using wsfj_loop_type = wsfj_each<wsfj_F, wsfj_I>;
    const uint64_t wsfj_n = wsfj_count(wsfj_lo, wsfj_hi);
    struct wsfj_deque *wsfj_deque_ = wsfj_self();

    if (wsfj_loop_short(&wsfj_loop_type::wsfj_site_, wsfj_n, 1))
        wsfj_short_run(wsfj_loop_type::wsfj_site_, wsfj_deque_, wsfj_n, [&] { wsfj_each_in(wsfj_f, wsfj_lo, wsfj_hi); });
    else if (wsfj_deque_)
        wsfj_loop_type::wsfj_all(wsfj_f, wsfj_lo, wsfj_hi, wsfj_deque_);
    else
        wsfj_in_region<wsfj_F>("ws::for_each", [&] { wsfj_loop_type::wsfj_all(wsfj_f, wsfj_lo, wsfj_hi, wsfj_self()); });
}

/* wsfj_T: a wsfj_tree (cxx_tree.hpp). */
template <class wsfj_T> struct wsfj_reduction {
    using wsfj_body = typename wsfj_T::wsfj_body;
    using wsfj_I = typename wsfj_T::wsfj_index;
    using wsfj_part_ = typename wsfj_T::wsfj_part_;
    using wsfj_child = wsfj_piece<wsfj_reduction, wsfj_I, wsfj_part_>;
    static inline struct wsfj_loop_site wsfj_site_ = wsfj_site_for<wsfj_I>(sizeof(wsfj_reduction *));

    const wsfj_T &wsfj_tree_;
    wsfj_I wsfj_first_;
    wsfj_failures wsfj_failed;

    wsfj_reduction(const wsfj_T &wsfj_tree, wsfj_I wsfj_lo) : wsfj_tree_(wsfj_tree), wsfj_first_(wsfj_lo)
    {
    }

    uint64_t wsfj_at(wsfj_I wsfj_i) const
    {
        return static_cast<uint64_t>(wsfj_i) - static_cast<uint64_t>(wsfj_first_);
    }

    /* Leaves no value if a piece has failed that begins before hi. */
    void wsfj_run(struct wsfj_deque *wsfj_deque_, struct wsfj_descriptor *wsfj_base, wsfj_I wsfj_lo, wsfj_I wsfj_hi,
                  wsfj_part_ *wsfj_to) noexcept
    {
        const uint64_t wsfj_n = wsfj_count(wsfj_lo, wsfj_hi);

        if (wsfj_failed.wsfj_before(wsfj_at(wsfj_lo)))
            return;
        if (!wsfj_loop_short(&wsfj_site_, wsfj_n, 1)) {
            wsfj_drive(wsfj_deque_, wsfj_base, wsfj_lo, wsfj_hi, *wsfj_to);
            return;
        }
        WSFJ_TRY
        {
            wsfj_short_run(wsfj_site_, wsfj_deque_, wsfj_n,
                           [&] { wsfj_to->wsfj_make([&] { return wsfj_tree_.wsfj_range(wsfj_lo, wsfj_hi); }); });
        }
        WSFJ_CATCH
        {
            wsfj_failed.wsfj_note(wsfj_at(wsfj_lo));
        }
    }

    WSFJ_CXX_OUTLINE void wsfj_drive(struct wsfj_deque *wsfj_deque_, struct wsfj_descriptor *wsfj_base, wsfj_I wsfj_lo,
                                     wsfj_I wsfj_hi, wsfj_part_ &wsfj_to) noexcept
    {
        struct wsfj_frame wsfj_v = wsfj_frame_at(wsfj_deque_, wsfj_base, 0);
        struct wsfj_loop wsfj_w;
        uint64_t wsfj_n = wsfj_count(wsfj_lo, wsfj_hi), wsfj_p = 0, wsfj_right = 0;
        wsfj_slots<wsfj_part_> wsfj_slots_(wsfj_n);
        wsfj_part_ wsfj_value;

        if (WSFJ_CXX_RARELY(!wsfj_slots_.wsfj_slot)) {
            wsfj_serially(wsfj_lo, wsfj_hi, wsfj_to);
            return;
        }
        wsfj_loop_begin(&wsfj_w, &wsfj_site_, wsfj_deque_, wsfj_n, 1);
        do {
            wsfj_right &= ~(wsfj_p & (0 - wsfj_p)); /* the child that was taken back began here */
            while (wsfj_w.wsfj_push) {
                const uint64_t wsfj_e = wsfj_p + wsfj_w.wsfj_left, wsfj_m = wsfj_tree_split(wsfj_p, wsfj_e);
                wsfj_right |= wsfj_m & (0 - wsfj_m);
                wsfj_w.wsfj_push = wsfj_e - wsfj_m;
                wsfj_push_piece(wsfj_w, wsfj_v,
                                wsfj_child{this, wsfj_plus(wsfj_lo, wsfj_m), wsfj_plus(wsfj_lo, wsfj_e),
                                           &wsfj_slots_.wsfj_slot[wsfj_tree_level(wsfj_m)]});
            }
            wsfj_n = wsfj_loop_next(&wsfj_w);
            WSFJ_TRY
            {
                wsfj_tree_.wsfj_fold(wsfj_slots_.wsfj_slot, wsfj_value, wsfj_p, wsfj_p + wsfj_n, wsfj_lo);
            }
            WSFJ_CATCH
            {
                wsfj_failed.wsfj_note(wsfj_at(wsfj_lo) + wsfj_p);
            }
            wsfj_p += wsfj_n;
        } while (!wsfj_failed.wsfj_before(wsfj_at(wsfj_lo) + wsfj_p) && wsfj_loop_goes_on(&wsfj_w, &wsfj_v, wsfj_n));
        if (!wsfj_failed.wsfj_before(wsfj_at(wsfj_lo) + wsfj_p))
            wsfj_loop_learn(&wsfj_site_, wsfj_w.wsfj_ran, wsfj_w.wsfj_began);
        wsfj_sync(&wsfj_v);
        if (wsfj_failed.wsfj_before(wsfj_at(wsfj_hi)))
            return;
        WSFJ_TRY
        {
            wsfj_tree_.wsfj_end(wsfj_slots_.wsfj_slot, wsfj_value, wsfj_p, wsfj_right);
            wsfj_to.wsfj_make([&] { return wsfj_value.wsfj_take(); });
        }
        WSFJ_CATCH
        {
            wsfj_failed.wsfj_note(wsfj_at(wsfj_hi) - 1);
        }
    }

    WSFJ_CXX_COLD void wsfj_serially(wsfj_I wsfj_lo, wsfj_I wsfj_hi, wsfj_part_ &wsfj_to) noexcept
    {
        WSFJ_TRY
        {
            wsfj_to.wsfj_make([&] { return wsfj_tree_.wsfj_range(wsfj_lo, wsfj_hi); });
        }
        WSFJ_CATCH
        {
            wsfj_failed.wsfj_note(wsfj_at(wsfj_lo));
        }
    }

    static typename wsfj_T::wsfj_value wsfj_all(const wsfj_T &wsfj_tree, wsfj_I wsfj_lo, wsfj_I wsfj_hi,
                                                struct wsfj_deque *wsfj_deque_)
    {
        wsfj_reduction wsfj_job(wsfj_tree, wsfj_lo);
        wsfj_part_ wsfj_to;

        wsfj_job.wsfj_drive(wsfj_deque_, wsfj_tail(wsfj_deque_), wsfj_lo, wsfj_hi, wsfj_to);
        wsfj_job.wsfj_failed.wsfj_throw();
        return wsfj_to.wsfj_take();
    }
};

/* At least one iteration. */
template <class wsfj_T>
WSFJ_CXX_INLINE typename wsfj_T::wsfj_value wsfj_reduce(const wsfj_T &wsfj_tree, typename wsfj_T::wsfj_index wsfj_lo,
                                                        typename wsfj_T::wsfj_index wsfj_hi)
{
    using wsfj_r = wsfj_reduction<wsfj_T>;
    const uint64_t wsfj_n = wsfj_count(wsfj_lo, wsfj_hi);
    struct wsfj_deque *wsfj_deque_ = wsfj_self();

    if (wsfj_loop_short(&wsfj_r::wsfj_site_, wsfj_n, 1))
        return wsfj_short_run(wsfj_r::wsfj_site_, wsfj_deque_, wsfj_n,
                              [&] { return wsfj_tree.wsfj_range(wsfj_lo, wsfj_hi); });
    if (wsfj_deque_)
        return wsfj_r::wsfj_all(wsfj_tree, wsfj_lo, wsfj_hi, wsfj_deque_);
    return wsfj_in_region<typename wsfj_T::wsfj_body>(
        wsfj_T::wsfj_called, [&] { return wsfj_r::wsfj_all(wsfj_tree, wsfj_lo, wsfj_hi, wsfj_self()); });
}

} // namespace WSFJ_CXX_MODE
} // namespace wsfj_detail

#endif
