/* SPDX-License-Identifier: MIT */
/*
 * What all parts of wsfj.hpp share: exceptions as words, names of types, errors.
 *
 * A user may have a macro of any name: every name here begins with wsfj_, or is C++'s own. Neighbours: cxx_task.hpp,
 * a callable as a task; cxx_frame.hpp and cxx_serial.hpp, the children of a block, in parallel and in order.
 */
#ifndef WSFJ_CXX_BASE_HPP
#define WSFJ_CXX_BASE_HPP

#pragma GCC system_header

#if !defined __cplusplus || __cplusplus < 201703L
#error "libwsfj: wsfj.hpp needs C++17: compile with -std=c++17"
#endif

#include "../../wsfj.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

/* Files that are compiled in different ways may be linked into one program: each has names of its own. */
#if defined WSFJ_RACE
#define WSFJ_CXX_KIND wsfj_raced
#elif defined WSFJ_PROFILE
#define WSFJ_CXX_KIND wsfj_profiled
#elif defined WSFJ_SERIAL
#define WSFJ_CXX_KIND wsfj_serial
#elif defined WSFJ_DEBUG
#define WSFJ_CXX_KIND wsfj_checked
#else
#define WSFJ_CXX_KIND wsfj_parallel
#endif
#ifdef __cpp_exceptions
#define WSFJ_CXX_MODE WSFJ_CXX_KIND
#define WSFJ_TRY try
#define WSFJ_CATCH catch (...)
#else
#define WSFJ_CXX_SILENT_1(wsfj_kind_) wsfj_kind_##_nothrow
#define WSFJ_CXX_SILENT(wsfj_kind_) WSFJ_CXX_SILENT_1(wsfj_kind_)
#define WSFJ_CXX_MODE WSFJ_CXX_SILENT(WSFJ_CXX_KIND)
#define WSFJ_TRY if (true)
#define WSFJ_CATCH else
#endif

#define WSFJ_CXX_INLINE __attribute__((__always_inline__)) inline
#define WSFJ_CXX_RARELY(wsfj_x_) __builtin_expect(!!(wsfj_x_), 0)
#define WSFJ_CXX_COLD __attribute__((__noinline__, __cold__)) inline
/* Not so rare, but too large to inline, and not worth registers in code that does not call it. */
#define WSFJ_CXX_OUTLINE __attribute__((__noinline__)) inline

namespace wsfj_detail
{
inline namespace WSFJ_CXX_MODE
{

static_assert(sizeof(std::exception_ptr) == sizeof(uintptr_t), "libwsfj: an exception_ptr is one word");

/* The exception that a handler holds, as a word that owns it; 0 is none. */
WSFJ_CXX_COLD uintptr_t wsfj_hold()
{
    alignas(std::exception_ptr) unsigned char wsfj_bytes[sizeof(std::exception_ptr)];
    uintptr_t wsfj_word;

    ::new (static_cast<void *>(wsfj_bytes)) std::exception_ptr(std::current_exception());
    std::memcpy(&wsfj_word, wsfj_bytes, sizeof wsfj_word);
    return wsfj_word;
}

/* Ends the word's ownership. */
WSFJ_CXX_COLD std::exception_ptr wsfj_release(uintptr_t wsfj_word)
{
    alignas(std::exception_ptr) unsigned char wsfj_bytes[sizeof(std::exception_ptr)];
    std::memcpy(wsfj_bytes, &wsfj_word, sizeof wsfj_word);
    auto wsfj_held = reinterpret_cast<std::exception_ptr *>(wsfj_bytes);
    std::exception_ptr wsfj_result(std::move(*wsfj_held));

    wsfj_held->~exception_ptr();
    return wsfj_result;
}

[[noreturn]] WSFJ_CXX_COLD void wsfj_rethrow(uintptr_t wsfj_word)
{
    std::rethrow_exception(wsfj_release(wsfj_word));
}

/* The exception of the earliest child that threw, and that child's place in the deque. */
struct wsfj_first {
    uintptr_t wsfj_word;
    const void *wsfj_at;

    /* Takes the word's exception unless an earlier child has thrown; else destroys it. */
    WSFJ_CXX_COLD void wsfj_note(uintptr_t wsfj_new, const void *wsfj_place)
    {
        uintptr_t wsfj_late = wsfj_new;

        if (!wsfj_word || wsfj_place < wsfj_at) {
            wsfj_late = wsfj_word;
            wsfj_word = wsfj_new;
            wsfj_at = wsfj_place;
        }
        if (wsfj_late)
            (void)wsfj_release(wsfj_late);
    }
};

/* Not inlined: the thread may have changed since the last call. */
WSFJ_CXX_OUTLINE bool wsfj_unwinds()
{
    return std::uncaught_exceptions() > 0;
}

[[noreturn]] WSFJ_CXX_COLD void wsfj_refuse(const char *wsfj_what, int wsfj_error)
{
#ifdef __cpp_exceptions
    throw std::system_error(wsfj_error, std::generic_category(), wsfj_what);
#else
    std::fprintf(stderr, "libwsfj: %s: %s\n", wsfj_what, std::generic_category().message(wsfj_error).c_str());
    std::abort();
#endif
}

/* The name of a type, for traces, dumps and profiles: cut out of the name of a function. */
template <class wsfj_T> constexpr const char *wsfj_long_name()
{
    return __PRETTY_FUNCTION__;
}

struct wsfj_cut {
    size_t wsfj_from, wsfj_length;
};

constexpr wsfj_cut wsfj_cut_of(const char *wsfj_long)
{
    size_t wsfj_from = 0, wsfj_end = 0;

    for (size_t wsfj_i = 0; wsfj_long[wsfj_i]; wsfj_i++) {
        if (!wsfj_from && wsfj_long[wsfj_i] == '=')
            wsfj_from = wsfj_i + 2;
        wsfj_end = wsfj_i;
    }
    return {wsfj_from, wsfj_end - wsfj_from};
}

template <size_t wsfj_n> struct wsfj_text {
    char wsfj_chars[wsfj_n + 1];
};

template <class wsfj_T> constexpr auto wsfj_make_name()
{
    constexpr wsfj_cut wsfj_part = wsfj_cut_of(wsfj_long_name<wsfj_T>());
    wsfj_text<wsfj_part.wsfj_length> wsfj_result = {};

    for (size_t wsfj_i = 0; wsfj_i < wsfj_part.wsfj_length; wsfj_i++)
        wsfj_result.wsfj_chars[wsfj_i] = wsfj_long_name<wsfj_T>()[wsfj_part.wsfj_from + wsfj_i];
    return wsfj_result;
}

template <class wsfj_T> inline constexpr auto wsfj_name = wsfj_make_name<wsfj_T>();

template <class wsfj_F, class... wsfj_As>
WSFJ_CXX_INLINE decltype(auto) wsfj_invoke(wsfj_F &&wsfj_f, wsfj_As &&...wsfj_as)
{
    static_assert(std::is_invocable_v<wsfj_F, wsfj_As...>,
                  "libwsfj: submit(f, args...): f cannot be called with copies of these arguments (std::ref passes a "
                  "reference)");
    if constexpr (std::is_invocable_v<wsfj_F, wsfj_As...>)
        return std::invoke(std::forward<wsfj_F>(wsfj_f), std::forward<wsfj_As>(wsfj_as)...);
}

/* A callable with copies of its arguments, called once. */
template <class wsfj_F, class... wsfj_As> struct wsfj_bound {
    wsfj_F wsfj_f;
    std::tuple<wsfj_As...> wsfj_args;

    template <class wsfj_G, class... wsfj_Bs>
    WSFJ_CXX_INLINE explicit wsfj_bound(std::in_place_t, wsfj_G &&wsfj_g, wsfj_Bs &&...wsfj_bs)
        : wsfj_f(std::forward<wsfj_G>(wsfj_g)), wsfj_args(std::forward<wsfj_Bs>(wsfj_bs)...)
    {
    }
    WSFJ_CXX_INLINE decltype(auto) wsfj_call()
    {
        return wsfj_apply(std::index_sequence_for<wsfj_As...>());
    }

  private:
    template <size_t... wsfj_is> WSFJ_CXX_INLINE decltype(auto) wsfj_apply(std::index_sequence<wsfj_is...>)
    {
        return wsfj_invoke(std::move(wsfj_f), std::get<wsfj_is>(std::move(wsfj_args))...);
    }
};

template <class wsfj_F> struct wsfj_bound<wsfj_F> {
    wsfj_F wsfj_f;

    template <class wsfj_G>
    WSFJ_CXX_INLINE explicit wsfj_bound(std::in_place_t, wsfj_G &&wsfj_g) : wsfj_f(std::forward<wsfj_G>(wsfj_g))
    {
    }
    WSFJ_CXX_INLINE decltype(auto) wsfj_call()
    {
        return wsfj_invoke(std::move(wsfj_f));
    }
};

/* The same with the address of the variable that gets the result. */
template <class wsfj_X, class wsfj_F, class... wsfj_As> struct wsfj_stores {
    wsfj_bound<wsfj_F, wsfj_As...> wsfj_inner;
    wsfj_X *wsfj_x;

    template <class... wsfj_Bs>
    WSFJ_CXX_INLINE explicit wsfj_stores(std::in_place_t, wsfj_X *wsfj_y, wsfj_Bs &&...wsfj_bs)
        : wsfj_inner(std::in_place, std::forward<wsfj_Bs>(wsfj_bs)...), wsfj_x(wsfj_y)
    {
    }
    WSFJ_CXX_INLINE void wsfj_call()
    {
        *wsfj_x = wsfj_inner.wsfj_call();
    }
};

/* What a task is named after. */
template <class wsfj_B> struct wsfj_callable;
template <class wsfj_F, class... wsfj_As> struct wsfj_callable<wsfj_bound<wsfj_F, wsfj_As...>> {
    using wsfj_type = wsfj_F;
};
template <class wsfj_X, class wsfj_F, class... wsfj_As> struct wsfj_callable<wsfj_stores<wsfj_X, wsfj_F, wsfj_As...>> {
    using wsfj_type = wsfj_F;
};

template <class wsfj_F, class... wsfj_As>
inline constexpr bool wsfj_calls = std::is_invocable_v<std::decay_t<wsfj_F>, std::decay_t<wsfj_As>...>;

template <class> inline constexpr bool wsfj_never = false;

template <class... wsfj_Ts> constexpr bool wsfj_can_keep()
{
    static_assert((std::is_constructible_v<std::decay_t<wsfj_Ts>, wsfj_Ts> && ...),
                  "libwsfj: a task keeps a copy of its callable and arguments: one of these cannot be copied (std::move "
                  "what can be moved, std::ref what must not be)");
    static_assert((std::is_move_constructible_v<std::decay_t<wsfj_Ts>> && ...),
                  "libwsfj: a callable or argument of a task cannot be moved (std::ref passes it by reference)");
    return true;
}

} // namespace WSFJ_CXX_MODE
} // namespace wsfj_detail

#endif
