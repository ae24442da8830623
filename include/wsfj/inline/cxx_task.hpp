/* SPDX-License-Identifier: MIT */
/*
 * A callable in a descriptor of the deque: on the way in the callable, on the way out its result or its exception.
 *
 * Words 0 to 5 of the descriptor's arguments:
 *   the callable, if it is small        or word 0: where it is in the argument area
 *   a thief writes: the result, words 0 to 4, or in the area
 *                   word 5: the exception, or 0
 *
 * abi.h has the descriptor, cxx_frame.hpp the code that pushes and awaits it.
 */
#ifndef WSFJ_CXX_TASK_HPP
#define WSFJ_CXX_TASK_HPP

#pragma GCC system_header

#include "cxx_base.hpp"

namespace wsfj_detail
{
inline namespace WSFJ_CXX_MODE
{

/* The words of a descriptor, here only: their names. */
WSFJ_CXX_INLINE uint64_t *wsfj_words(struct wsfj_descriptor *wsfj_desc)
{
    return wsfj_desc->wsfj_args;
}

WSFJ_CXX_INLINE uint64_t &wsfj_thrown_word(struct wsfj_descriptor *wsfj_desc)
{
    return wsfj_words(wsfj_desc)[WSFJ_DESCRIPTOR_WORDS - 1];
}

/* The code of a plain function, if a frame knows it for all its children; NULL: it is in the descriptor. */
using wsfj_code = void (*)();

/* Runs the child in a descriptor for its parent. Lets its exception out. */
using wsfj_call_fn = void(struct wsfj_deque *, struct wsfj_descriptor *, void *, wsfj_code);

struct wsfj_cxx_kind {
    struct wsfj_kind wsfj_c; /* first: the descriptor has its address */
    wsfj_call_fn *wsfj_call;
};

/* A child of any kind. */
inline void wsfj_call_any(struct wsfj_deque *wsfj_deque_, struct wsfj_descriptor *wsfj_desc, void *wsfj_rp, wsfj_code)
{
    reinterpret_cast<const wsfj_cxx_kind *>(wsfj_desc->wsfj_word)->wsfj_call(wsfj_deque_, wsfj_desc, wsfj_rp, nullptr);
}

/* deque->wsfj_thrown holds the exception of the earliest child called since the frame has last looked. The newest are called
 * first. The frames inside the child have the word for themselves meanwhile. The descriptor's word tells the frame that
 * nobody has stolen the child (wsfj_made_room). */
WSFJ_CXX_COLD void wsfj_called(struct wsfj_deque *wsfj_deque_, struct wsfj_descriptor *wsfj_desc, void *wsfj_rp,
                               wsfj_call_fn *wsfj_call) noexcept
{
    auto wsfj_later = reinterpret_cast<wsfj_first *>(wsfj_deque_->wsfj_thrown);

    wsfj_deque_->wsfj_thrown = 0;
    WSFJ_TRY
    {
        wsfj_call(wsfj_deque_, wsfj_desc, wsfj_rp, nullptr);
    }
    WSFJ_CATCH
    {
        if (!wsfj_later) /* without memory the program ends, as it does where an exception is made */
            wsfj_later = new wsfj_first{0, nullptr};
        wsfj_later->wsfj_note(wsfj_hold(), wsfj_desc);
    }
    wsfj_desc->wsfj_word = 0;
    wsfj_deque_->wsfj_thrown = reinterpret_cast<uintptr_t>(wsfj_later);
}

/* Whether a frame can keep the code of a callable: only if that is a pointer to a function. */
template <class wsfj_B> struct wsfj_has_code {
    static constexpr bool wsfj_value = false;
};
template <class wsfj_P, class... wsfj_As> struct wsfj_has_code<wsfj_bound<wsfj_P *, wsfj_As...>> {
    static constexpr bool wsfj_value = std::is_function_v<wsfj_P>;
    static WSFJ_CXX_INLINE void wsfj_set(wsfj_bound<wsfj_P *, wsfj_As...> &wsfj_callee, wsfj_code wsfj_known)
    {
        wsfj_callee.wsfj_f = reinterpret_cast<wsfj_P *>(wsfj_known);
    }
    static WSFJ_CXX_INLINE wsfj_code wsfj_get(wsfj_P *wsfj_f)
    {
        return reinterpret_cast<wsfj_code>(wsfj_f);
    }
};

/* wsfj_B: a wsfj_bound or wsfj_stores. wsfj_R: the type of the result that goes through the descriptor, or void. */
template <class wsfj_B, class wsfj_R> struct wsfj_task {
    static constexpr bool wsfj_has_result = !std::is_void_v<wsfj_R>;
    using wsfj_slot = std::conditional_t<wsfj_has_result, wsfj_R, char>;

    static constexpr size_t wsfj_max(size_t wsfj_a, size_t wsfj_b)
    {
        return wsfj_a > wsfj_b ? wsfj_a : wsfj_b;
    }

    static constexpr size_t wsfj_size = wsfj_max(sizeof(wsfj_B), sizeof(wsfj_slot));
    static constexpr size_t wsfj_align = wsfj_max(WSFJ_DESCRIPTOR_BYTES, wsfj_max(alignof(wsfj_B), alignof(wsfj_slot)));
    static constexpr bool wsfj_in_area = sizeof(wsfj_B) > sizeof(uint64_t[WSFJ_DESCRIPTOR_WORDS]) ||
                                         sizeof(wsfj_slot) > sizeof(uint64_t[WSFJ_DESCRIPTOR_WORDS - 1]) ||
                                         alignof(wsfj_B) > 16 || alignof(wsfj_slot) > 16;

    static WSFJ_CXX_INLINE void *wsfj_room(struct wsfj_descriptor *wsfj_desc)
    {
        if constexpr (wsfj_in_area)
            return reinterpret_cast<void *>(static_cast<uintptr_t>(wsfj_words(wsfj_desc)[0]));
        else
            return wsfj_words(wsfj_desc);
    }

    struct wsfj_guard {
        wsfj_B *wsfj_there;
        WSFJ_CXX_INLINE ~wsfj_guard()
        {
            wsfj_there->~wsfj_B();
        }
    };

    static WSFJ_CXX_INLINE wsfj_B wsfj_take(void *wsfj_room_)
    {
        wsfj_guard wsfj_ends{static_cast<wsfj_B *>(wsfj_room_)};

        return wsfj_B(std::move(*wsfj_ends.wsfj_there));
    }

    static WSFJ_CXX_INLINE void wsfj_run(struct wsfj_deque *wsfj_deque_, struct wsfj_descriptor *wsfj_desc,
                                         void *wsfj_rp, wsfj_code wsfj_known)
    {
        void *wsfj_room_ = wsfj_room(wsfj_desc);
        wsfj_B wsfj_callee = wsfj_take(wsfj_room_);

        if constexpr (wsfj_in_area)
            wsfj_area_give(wsfj_deque_, wsfj_room_);
        if constexpr (wsfj_has_code<wsfj_B>::wsfj_value)
            if (wsfj_known)
                wsfj_has_code<wsfj_B>::wsfj_set(wsfj_callee, wsfj_known);
        (void)wsfj_known;
        if constexpr (wsfj_has_result) {
            wsfj_R wsfj_r = wsfj_callee.wsfj_call();
            if (wsfj_rp)
                *static_cast<wsfj_R *>(wsfj_rp) = wsfj_r;
        } else {
            wsfj_callee.wsfj_call();
        }
        (void)wsfj_rp;
    }

    static void wsfj_call(struct wsfj_deque *wsfj_deque_, struct wsfj_descriptor *wsfj_desc, void *wsfj_rp,
                          wsfj_code wsfj_known)
    {
        wsfj_run(wsfj_deque_, wsfj_desc, wsfj_rp, wsfj_known);
    }

    /* For a thief, whose own stack has another base, and for the library where the deque is full. */
    static void wsfj_exec(struct wsfj_deque *wsfj_deque_, struct wsfj_descriptor *wsfj_base,
                          struct wsfj_descriptor *wsfj_desc, void *wsfj_rp) noexcept
    {
        uintptr_t wsfj_word = 0;

        if (wsfj_base == wsfj_desc) {
            wsfj_called(wsfj_deque_, wsfj_desc, wsfj_rp, wsfj_call);
            return;
        }
        WSFJ_TRY
        {
            wsfj_run(wsfj_deque_, wsfj_desc, wsfj_rp, nullptr);
        }
        WSFJ_CATCH
        {
            wsfj_word = wsfj_hold();
        }
        wsfj_thrown_word(wsfj_desc) = wsfj_word;
    }

    static WSFJ_CXX_INLINE void wsfj_fetch(struct wsfj_descriptor *wsfj_desc, void *wsfj_rp)
    {
        if constexpr (wsfj_has_result)
            if (wsfj_rp)
                std::memcpy(wsfj_rp, wsfj_room(wsfj_desc), sizeof(wsfj_R));
        (void)wsfj_desc;
        (void)wsfj_rp;
    }

    static constexpr wsfj_cxx_kind wsfj_kind_ = {
        {wsfj_exec, wsfj_name<typename wsfj_callable<wsfj_B>::wsfj_type>.wsfj_chars, "C++", 0, wsfj_in_area,
         wsfj_has_result ? sizeof(wsfj_slot) : 0, 0, nullptr, 1 /* the callable must be destroyed */},
        wsfj_call};
};

} // namespace WSFJ_CXX_MODE
} // namespace wsfj_detail

#endif
