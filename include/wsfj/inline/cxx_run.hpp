/* SPDX-License-Identifier: MIT */
/*
 * Callables that somebody waits for elsewhere: the root of ws::run(), detached tasks and their groups. Each keeps its
 * exception for the waiter.
 */
#ifndef WSFJ_CXX_RUN_HPP
#define WSFJ_CXX_RUN_HPP

#pragma GCC system_header

#include "cxx_base.hpp"

namespace wsfj_detail
{
inline namespace WSFJ_CXX_MODE
{

/* A result that is made in one place and taken in another. */
template <class wsfj_R> struct wsfj_result {
    static_assert(std::is_move_constructible_v<wsfj_R>,
                  "libwsfj: a result that comes from another task must be movable");
    alignas(wsfj_R) unsigned char wsfj_bytes[sizeof(wsfj_R)];

    WSFJ_CXX_INLINE wsfj_result()
    {
        __asm__("" : "=m"(wsfj_bytes)); /* else gcc warns that they are not initialised */
    }
    template <class wsfj_F> WSFJ_CXX_INLINE void wsfj_make(wsfj_F &&wsfj_f)
    {
        ::new (static_cast<void *>(wsfj_bytes)) wsfj_R(std::forward<wsfj_F>(wsfj_f)());
        wsfj_made = true;
    }
    WSFJ_CXX_INLINE wsfj_R wsfj_take()
    {
        return std::move(*reinterpret_cast<wsfj_R *>(wsfj_bytes));
    }
    WSFJ_CXX_INLINE ~wsfj_result()
    {
        if (wsfj_made)
            reinterpret_cast<wsfj_R *>(wsfj_bytes)->~wsfj_R();
    }

  private:
    bool wsfj_made = false;
};

template <class wsfj_R> struct wsfj_result<wsfj_R &> {
    wsfj_R *wsfj_r = nullptr;

    template <class wsfj_F> WSFJ_CXX_INLINE void wsfj_make(wsfj_F &&wsfj_f)
    {
        wsfj_r = std::addressof(std::forward<wsfj_F>(wsfj_f)());
    }
    WSFJ_CXX_INLINE wsfj_R &wsfj_take()
    {
        return *wsfj_r;
    }
};

template <class wsfj_R> struct wsfj_result<wsfj_R &&> : wsfj_result<wsfj_R> {
};

template <> struct wsfj_result<void> {
    template <class wsfj_F> WSFJ_CXX_INLINE void wsfj_make(wsfj_F &&wsfj_f)
    {
        std::forward<wsfj_F>(wsfj_f)();
    }
    WSFJ_CXX_INLINE void wsfj_take()
    {
    }
};

/* A call whose result or exception its caller takes. */
template <class wsfj_F, class wsfj_R> struct wsfj_root_call {
    wsfj_F &wsfj_f;
    uintptr_t wsfj_word = 0;
    wsfj_result<wsfj_R> wsfj_r = {};

    explicit wsfj_root_call(wsfj_F &wsfj_g) : wsfj_f(wsfj_g)
    {
    }
};

template <class wsfj_C> void wsfj_root_do(wsfj_C &wsfj_call) noexcept
{
    WSFJ_TRY
    {
        wsfj_call.wsfj_r.wsfj_make(wsfj_call.wsfj_f);
    }
    WSFJ_CATCH
    {
        wsfj_call.wsfj_word = wsfj_hold();
    }
}

#if defined WSFJ_RACE
template <class wsfj_F, class wsfj_C> int wsfj_root_start(wsfj_C &wsfj_call)
{
    int wsfj_entered = wsfj_race_region(__builtin_frame_address(0));

    wsfj_root_do(wsfj_call);
    wsfj_race_region_end(wsfj_entered);
    return 0;
}
#elif defined WSFJ_PROFILE
template <class wsfj_F, class wsfj_C> int wsfj_root_start(wsfj_C &wsfj_call)
{
    struct wsfj_profile_root wsfj_root_;
    int wsfj_error = wsfj_profile_open(&wsfj_root_);

    if (!wsfj_error) {
        wsfj_root_do(wsfj_call);
        wsfj_profile_close(&wsfj_root_);
    }
    return wsfj_error;
}
#elif defined WSFJ_SERIAL
template <class wsfj_F, class wsfj_C> int wsfj_root_start(wsfj_C &wsfj_call)
{
    wsfj_root_do(wsfj_call);
    return 0;
}
#else
template <class wsfj_F, class wsfj_C> struct wsfj_root_task {
    static void wsfj_exec(struct wsfj_deque *, struct wsfj_descriptor *, struct wsfj_descriptor *wsfj_desc,
                          void *) noexcept
    {
        wsfj_root_do(*reinterpret_cast<wsfj_C *>(static_cast<uintptr_t>(wsfj_desc->wsfj_args[0])));
    }
    static constexpr struct wsfj_kind wsfj_kind_ = {wsfj_exec, wsfj_name<std::decay_t<wsfj_F>>.wsfj_chars, "C++", 0, 0,
                                                    0};
};

template <class wsfj_F, class wsfj_C> int wsfj_root_start(wsfj_C &wsfj_call)
{
    struct wsfj_root wsfj_root_;

    wsfj_root_open(&wsfj_root_);
    wsfj_root_.wsfj_desc.wsfj_args[0] = reinterpret_cast<uintptr_t>(&wsfj_call);
    wsfj_root_.wsfj_desc.wsfj_word = reinterpret_cast<uintptr_t>(&wsfj_root_task<wsfj_F, wsfj_C>::wsfj_kind_);
    return wsfj_root_run(&wsfj_root_, nullptr);
}
#endif

/* Calls `all` as a root. wsfj_F: what the root is named after. */
template <class wsfj_F, class wsfj_A> decltype(auto) wsfj_in_region(const char *wsfj_what, wsfj_A &&wsfj_all)
{
    wsfj_root_call<wsfj_A, std::invoke_result_t<wsfj_A &>> wsfj_call(wsfj_all);
    int wsfj_error = wsfj_root_start<wsfj_F>(wsfj_call);

    if (wsfj_error)
        wsfj_refuse(wsfj_what, wsfj_error);
    if (WSFJ_CXX_RARELY(wsfj_call.wsfj_word))
        wsfj_rethrow(wsfj_call.wsfj_word);
    return wsfj_call.wsfj_r.wsfj_take();
}

/* A detached task on its way, and after it if it belongs to a group and has thrown. */
struct wsfj_box {
    std::atomic<wsfj_box *> *wsfj_thrown; /* the group's list; NULL: no group */
    wsfj_box *wsfj_next;
    uint64_t wsfj_number; /* in the order of submission; the place of a loop's piece */
    uintptr_t wsfj_word;

    wsfj_box(std::atomic<wsfj_box *> *wsfj_list, uint64_t wsfj_n)
        : wsfj_thrown(wsfj_list), wsfj_next(nullptr), wsfj_number(wsfj_n), wsfj_word(0)
    {
    }
    virtual ~wsfj_box() = default;

    /* In a handler: keeps its exception, and puts the box into its list. */
    WSFJ_CXX_COLD void wsfj_keep()
    {
        wsfj_word = wsfj_hold();
        wsfj_next = wsfj_thrown->load();
        while (!wsfj_thrown->compare_exchange_weak(wsfj_next, this)) {
        }
    }
};

template <class wsfj_B> struct wsfj_box_of : wsfj_box {
    wsfj_B wsfj_callee;

    template <class... wsfj_As>
    explicit wsfj_box_of(std::atomic<wsfj_box *> *wsfj_list, uint64_t wsfj_n, wsfj_As &&...wsfj_as)
        : wsfj_box(wsfj_list, wsfj_n), wsfj_callee(std::in_place, std::forward<wsfj_As>(wsfj_as)...)
    {
    }

    /* An exception without a group ends the program, as in std::thread. */
    static void wsfj_run(void *wsfj_arg) noexcept
    {
        auto wsfj_self_ = std::unique_ptr<wsfj_box_of>(static_cast<wsfj_box_of *>(wsfj_arg));

        if (!wsfj_self_->wsfj_thrown) {
            wsfj_self_->wsfj_callee.wsfj_call();
            return;
        }
        if (ws_cancelled()) /* ws::group::cancel(): the callable is destroyed */
            return;
        WSFJ_TRY
        {
            wsfj_self_->wsfj_callee.wsfj_call();
        }
        WSFJ_CATCH
        {
            wsfj_self_.release()->wsfj_keep();
        }
    }
};

/* The exception of the box with the lowest number, or 0; destroys all others. */
WSFJ_CXX_COLD uintptr_t wsfj_first_of(wsfj_box *wsfj_list)
{
    uintptr_t wsfj_word = 0;
    uint64_t wsfj_number = 0;

    while (wsfj_list) {
        wsfj_box *wsfj_one = wsfj_list;
        uintptr_t wsfj_late = wsfj_one->wsfj_word;

        wsfj_list = wsfj_one->wsfj_next;
        if (!wsfj_word || wsfj_one->wsfj_number < wsfj_number) {
            std::swap(wsfj_word, wsfj_late);
            wsfj_number = wsfj_one->wsfj_number;
        }
        if (wsfj_late)
            (void)wsfj_release(wsfj_late);
        delete wsfj_one;
    }
    return wsfj_word;
}

/* The last callable is called here; its exception counts after those of the others. */
template <class wsfj_S, class wsfj_F> WSFJ_CXX_INLINE void wsfj_spawn_but_last(wsfj_S &wsfj_s, wsfj_F &wsfj_f)
{
    WSFJ_TRY
    {
        std::invoke(wsfj_f);
    }
    WSFJ_CATCH
    {
        wsfj_s.wsfj_note_last();
    }
}
template <class wsfj_S, class wsfj_F, class... wsfj_Fs>
WSFJ_CXX_INLINE void wsfj_spawn_but_last(wsfj_S &wsfj_s, wsfj_F &wsfj_f, wsfj_Fs &...wsfj_fs)
{
    wsfj_s.spawn(std::ref(wsfj_f));
    wsfj_spawn_but_last(wsfj_s, wsfj_fs...);
}

} // namespace WSFJ_CXX_MODE
} // namespace wsfj_detail

#endif
