/* SPDX-License-Identifier: MIT */
/**
 * @file wsfj.hpp
 * libwsfj for C++17: tasks are lambdas, functions and other callables; exceptions cross to the parent. Header only.
 *
 * @code
 * #include <wsfj.hpp>
 *
 * long fib(long n)
 * {
 *     if (n < 2)
 *         return n;
 *     long x, y;
 *     ws::task_scope s;
 *     s.spawn(x, fib, n - 1);        // may run in parallel with what follows
 *     y = fib(n - 2);
 *     s.sync();                      // x is valid from here
 *     return x + y;
 * }
 *
 * int main()
 * {
 *     std::printf("%ld\n", ws::run([] { return fib(40); }));
 * }
 * @endcode
 *
 * The rules of wsfj.h hold: code may resume on another thread after sync(). doc/cxx.md explains the rest: exceptions,
 * costs, and what a C program needs that loads C++ code later.
 */
#ifndef WSFJ_HPP
#define WSFJ_HPP

#if __cplusplus < 201703L
#error "libwsfj: wsfj.hpp needs C++17: compile with -std=c++17"
#endif
#pragma GCC system_header

#if defined WSFJ_PROFILE || defined WSFJ_SERIAL || defined WSFJ_RACE
#include "wsfj/inline/cxx_loop_serial.hpp"
#include "wsfj/inline/cxx_serial.hpp"
#else
#include "wsfj/inline/cxx_frame.hpp"
#include "wsfj/inline/cxx_loop.hpp"
#endif
#include "wsfj/inline/cxx_run.hpp"

#include <cerrno>

/** Another name for the namespace ws, for a program that has a `ws` of its own: define it before this header. */
#ifndef WSFJ_NAMESPACE
#define WSFJ_NAMESPACE ws
#endif

namespace WSFJ_NAMESPACE
{
inline namespace WSFJ_CXX_MODE
{

/**
 * The children of a block. A local variable of the task that spawns: no other task may use it, and while a scope that
 * was made later has children, neither may this one (with -DWSFJ_DEBUG that ends the program with a message).
 *
 * Leaving the block awaits the children. A child may use what lives until then: variables made before the scope.
 */
class task_scope
{
    ::wsfj_detail::wsfj_children wsfj_children_;

  public:
    WSFJ_CXX_INLINE task_scope() = default;
    task_scope(const task_scope &) = delete;
    task_scope &operator=(const task_scope &) = delete;

    /**
     * Leaving the block by its end is like sync(). If an exception leaves the block, the children are awaited, and
     * their results and exceptions are dropped. A scope inside a destructor that an exception has called cannot tell
     * the one from the other: end it with sync().
     */
    WSFJ_CXX_INLINE ~task_scope() noexcept(false)
    {
        uintptr_t wsfj_word = wsfj_children_.wsfj_end();

        if (WSFJ_CXX_RARELY(wsfj_word))
            ::wsfj_detail::wsfj_rethrow(wsfj_word);
    }

    /**
     * spawn(f, args...): f(args...) may run in parallel with what follows, as std::invoke calls it. spawn(x, f,
     * args...) assigns the result to the variable x before sync() returns; std::ignore drops it. The task has copies of
     * f and args; std::move moves, std::ref passes a reference. A child without room for them runs at once.
     */
    template <class wsfj_F, class... wsfj_As> WSFJ_CXX_INLINE void spawn(wsfj_F &&wsfj_f, wsfj_As &&...wsfj_as)
    {
        if constexpr (::wsfj_detail::wsfj_calls<wsfj_F, wsfj_As...>) {
            static_assert(::wsfj_detail::wsfj_can_keep<wsfj_F, wsfj_As...>());
            wsfj_children_
                .template wsfj_push<::wsfj_detail::wsfj_bound<std::decay_t<wsfj_F>, std::decay_t<wsfj_As>...>, void>(
                    nullptr, std::forward<wsfj_F>(wsfj_f), std::forward<wsfj_As>(wsfj_as)...);
        } else {
            wsfj_spawn_into(wsfj_f, std::forward<wsfj_As>(wsfj_as)...);
        }
    }

    /** Waits until all children are done, and throws the exception of the earliest spawned one that threw. The others'
     * are dropped. */
    WSFJ_CXX_INLINE void sync()
    {
        wsfj_children_.wsfj_wait();
    }

    /* For scope() and parallel_invoke(): the handler's exception counts as a last child's. */
    WSFJ_CXX_INLINE void wsfj_note_last()
    {
        wsfj_children_.wsfj_note_last();
    }

  private:
    template <class wsfj_X> WSFJ_CXX_INLINE void wsfj_spawn_into(wsfj_X &)
    {
        static_assert(::wsfj_detail::wsfj_never<wsfj_X>, "libwsfj: spawn(f): f cannot be called without arguments");
    }
    template <class wsfj_X, class wsfj_F, class... wsfj_As>
    WSFJ_CXX_INLINE void wsfj_spawn_into(wsfj_X &wsfj_x, wsfj_F &&wsfj_f, wsfj_As &&...wsfj_as)
    {
        using namespace ::wsfj_detail;

        static_assert(wsfj_calls<wsfj_F, wsfj_As...>,
                      "libwsfj: spawn(f, args...) and spawn(x, f, args...): f cannot be called with copies of these "
                      "arguments (std::ref passes a reference)");
        if constexpr (wsfj_calls<wsfj_F, wsfj_As...>) {
            using wsfj_R = std::invoke_result_t<std::decay_t<wsfj_F>, std::decay_t<wsfj_As>...>;

            static_assert(wsfj_can_keep<wsfj_F, wsfj_As...>());
            static_assert(!std::is_void_v<wsfj_R>, "libwsfj: spawn(x, f, args...): f has no result for x");
            if constexpr (!std::is_void_v<wsfj_R>) {
                static_assert(std::is_assignable_v<wsfj_X &, wsfj_R>,
                              "libwsfj: spawn(x, f, args...): the result of f cannot be assigned to x");
                if constexpr (std::is_same_v<wsfj_X, wsfj_R> && std::is_trivially_copyable_v<wsfj_R>)
                    wsfj_children_.template wsfj_push<wsfj_bound<std::decay_t<wsfj_F>, std::decay_t<wsfj_As>...>, wsfj_R>(
                        &wsfj_x, std::forward<wsfj_F>(wsfj_f), std::forward<wsfj_As>(wsfj_as)...);
                else
                    wsfj_children_
                        .template wsfj_push<wsfj_stores<wsfj_X, std::decay_t<wsfj_F>, std::decay_t<wsfj_As>...>, void>(
                            nullptr, std::addressof(wsfj_x), std::forward<wsfj_F>(wsfj_f),
                            std::forward<wsfj_As>(wsfj_as)...);
            }
        }
    }
};

/**
 * Calls f(s) with a scope `s`, awaits the children, and returns what f returns. Throws the exception that comes first
 * in the order of the serial program, from f or from a child, also where task_scope cannot: if f throws, an exception
 * of a child spawned before counts.
 */
template <class wsfj_F> WSFJ_CXX_INLINE decltype(auto) scope(wsfj_F &&wsfj_f)
{
    task_scope wsfj_s;

    if constexpr (std::is_void_v<std::invoke_result_t<wsfj_F, task_scope &>>) {
        WSFJ_TRY
        {
            std::invoke(std::forward<wsfj_F>(wsfj_f), wsfj_s);
        }
        WSFJ_CATCH
        {
            wsfj_s.wsfj_note_last();
        }
        wsfj_s.sync();
    } else {
        ::wsfj_detail::wsfj_result<std::invoke_result_t<wsfj_F, task_scope &>> wsfj_r;
        WSFJ_TRY
        {
            wsfj_r.wsfj_make([&]() -> decltype(auto) { return std::invoke(std::forward<wsfj_F>(wsfj_f), wsfj_s); });
        }
        WSFJ_CATCH
        {
            wsfj_s.wsfj_note_last();
        }
        wsfj_s.sync();
        return wsfj_r.wsfj_take();
    }
}

/** Calls all callables, which may run in parallel, and returns when all are done. Throws the exception of the first
 * one, in the order of the arguments, that threw. */
template <class wsfj_F, class... wsfj_Fs> WSFJ_CXX_INLINE void parallel_invoke(wsfj_F &&wsfj_f, wsfj_Fs &&...wsfj_fs)
{
    task_scope wsfj_s;

    ::wsfj_detail::wsfj_spawn_but_last(wsfj_s, wsfj_f, wsfj_fs...);
    wsfj_s.sync();
}

/**
 * Runs f(args...) as a root of the runtime and returns what it returns. From any thread; inside a task it is a call.
 * Throws what f throws, and std::system_error if the runtime cannot run it (the errors of ws_init() and ws_run();
 * without exceptions a line on stderr and abort()).
 */
template <class wsfj_F, class... wsfj_As> decltype(auto) run(wsfj_F &&wsfj_f, wsfj_As &&...wsfj_as)
{
    static_assert(std::is_invocable_v<wsfj_F, wsfj_As...>,
                  "libwsfj: run(f, args...): f cannot be called with these arguments");
    auto wsfj_all = [&]() -> decltype(auto) {
        return std::invoke(std::forward<wsfj_F>(wsfj_f), std::forward<wsfj_As>(wsfj_as)...);
    };

    return ::wsfj_detail::wsfj_in_region<wsfj_F>("ws::run", wsfj_all);
}

/**
 * Calls f(i) for each i from lo to hi - 1, perhaps in parallel, and returns when all are done. Anywhere: outside a task
 * it begins a region, unless the loop is known to be short. The type of i is what lo and hi have in common.
 *
 * Throws the exception of the lowest iteration that throws; iterations above it may be left out. Outside a task also
 * std::system_error, as run(). The calls of f may use copies of it if it is small and trivial to copy.
 */
template <class wsfj_L, class wsfj_H, class wsfj_F>
WSFJ_CXX_INLINE void for_each(wsfj_L wsfj_lo, wsfj_H wsfj_hi, wsfj_F &&wsfj_f)
{
    using wsfj_I = decltype(::wsfj_detail::wsfj_index_of(wsfj_lo, wsfj_hi));
    const ::wsfj_detail::wsfj_ends<wsfj_I> wsfj_e("ws::for_each", wsfj_lo, wsfj_hi);

    static_assert(std::is_invocable_v<std::remove_reference_t<wsfj_F> &, wsfj_I>,
                  "libwsfj: for_each(lo, hi, f): f cannot be called with an index");
    if constexpr (std::is_invocable_v<std::remove_reference_t<wsfj_F> &, wsfj_I>)
        ::wsfj_detail::wsfj_for_each(wsfj_f, wsfj_e.wsfj_lo, wsfj_e.wsfj_hi);
}

/**
 * The value of a loop: combine()s the values f(i) of all i from lo to hi - 1, whose neighbours it combines in a tree
 * that depends on their number alone. So the result is the same in every run, also of floating-point numbers, and that
 * of WS_REDUCE. `identity` is the value of an empty loop, and its type that of the result. Anywhere, and exceptions, as
 * for_each(); combine() counts as a part of the last iteration below it.
 */
template <class wsfj_L, class wsfj_H, class wsfj_T, class wsfj_C, class wsfj_F>
WSFJ_CXX_INLINE std::decay_t<wsfj_T> reduce(wsfj_L wsfj_lo, wsfj_H wsfj_hi, wsfj_T &&wsfj_identity,
                                            wsfj_C &&wsfj_combine, wsfj_F &&wsfj_f)
{
    return ::wsfj_detail::wsfj_reduce_by<::wsfj_detail::wsfj_tree>(
        wsfj_lo, wsfj_hi, std::forward<wsfj_T>(wsfj_identity), wsfj_combine, wsfj_f);
}

/**
 * The same, combined in the order of the index, but where the loop happens to be divided: the last bits of a
 * floating-point sum differ from run to run. It has the speed of a plain loop where combine() takes longer than f().
 * `identity` is the value of an empty loop, and of nothing else: it need not be neutral.
 */
template <class wsfj_L, class wsfj_H, class wsfj_T, class wsfj_C, class wsfj_F>
WSFJ_CXX_INLINE std::decay_t<wsfj_T> reduce_any(wsfj_L wsfj_lo, wsfj_H wsfj_hi, wsfj_T &&wsfj_identity,
                                                wsfj_C &&wsfj_combine, wsfj_F &&wsfj_f)
{
    return ::wsfj_detail::wsfj_reduce_by<::wsfj_detail::wsfj_row>(wsfj_lo, wsfj_hi, std::forward<wsfj_T>(wsfj_identity),
                                                                  wsfj_combine, wsfj_f);
}

/** ws_submit() of f(args...), with copies of both. An exception from it ends the program, as in std::thread. Throws
 *  std::system_error with the error of ws_submit(). */
template <class wsfj_F, class... wsfj_As> void submit(wsfj_F &&wsfj_f, wsfj_As &&...wsfj_as)
{
    using wsfj_box_type =
        ::wsfj_detail::wsfj_box_of<::wsfj_detail::wsfj_bound<std::decay_t<wsfj_F>, std::decay_t<wsfj_As>...>>;

    static_assert(::wsfj_detail::wsfj_can_keep<wsfj_F, wsfj_As...>());
    auto wsfj_box_ =
        std::make_unique<wsfj_box_type>(nullptr, 0, std::forward<wsfj_F>(wsfj_f), std::forward<wsfj_As>(wsfj_as)...);
    int wsfj_error = ws_submit(wsfj_box_type::wsfj_run, wsfj_box_.get());

    if (wsfj_error)
        ::wsfj_detail::wsfj_refuse("ws::submit", wsfj_error);
    (void)wsfj_box_.release();
}

/**
 * Detached tasks to wait for together. Its destructor waits too, and drops exceptions that wait() has not thrown. Where
 * it cannot wait (in a task of the group, or while another task waits), it ends the program.
 */
class group
{
    struct ::ws_group wsfj_group_ = WSFJ_GROUP_INIT(1);
    std::atomic<::wsfj_detail::wsfj_box *> wsfj_thrown{nullptr};
    std::atomic<size_t> wsfj_count{0};

    template <class wsfj_F, class... wsfj_As>
    int wsfj_add(int (*wsfj_how)(struct ::ws_group *, ws_function *, void *), wsfj_F &&wsfj_f, wsfj_As &&...wsfj_as)
    {
        using wsfj_box_type =
            ::wsfj_detail::wsfj_box_of<::wsfj_detail::wsfj_bound<std::decay_t<wsfj_F>, std::decay_t<wsfj_As>...>>;

        static_assert(::wsfj_detail::wsfj_can_keep<wsfj_F, wsfj_As...>());
        auto wsfj_box_ = std::make_unique<wsfj_box_type>(&wsfj_thrown, wsfj_count++, std::forward<wsfj_F>(wsfj_f),
                                                         std::forward<wsfj_As>(wsfj_as)...);
        int wsfj_error = wsfj_how(&wsfj_group_, wsfj_box_type::wsfj_run, wsfj_box_.get());

        if (!wsfj_error)
            (void)wsfj_box_.release();
        return wsfj_error;
    }

  public:
    group() = default;
    group(const group &) = delete;
    group &operator=(const group &) = delete;
    ~group()
    {
        int wsfj_error = ws_group_wait(&wsfj_group_);

        if (wsfj_error && wsfj_error != cancelled())
            ::wsfj_detail::wsfj_refuse("ws::group::~group",
                                       wsfj_error); /* std::terminate(): the tasks would lose their group */
        uintptr_t wsfj_word = ::wsfj_detail::wsfj_first_of(wsfj_thrown.exchange(nullptr));
        if (wsfj_word)
            (void)::wsfj_detail::wsfj_release(wsfj_word);
    }

    /** ws_group_submit() of f(args...), with copies of both. Throws std::system_error with its error. From any thread.
     * */
    template <class wsfj_F, class... wsfj_As> void submit(wsfj_F &&wsfj_f, wsfj_As &&...wsfj_as)
    {
        int wsfj_error = wsfj_add(ws_group_submit, std::forward<wsfj_F>(wsfj_f), std::forward<wsfj_As>(wsfj_as)...);

        if (wsfj_error)
            ::wsfj_detail::wsfj_refuse("ws::group::submit", wsfj_error);
    }

    /** The same, but never waits. @return false if there is no room */
    template <class wsfj_F, class... wsfj_As> bool try_submit(wsfj_F &&wsfj_f, wsfj_As &&...wsfj_as)
    {
        int wsfj_error = wsfj_add(ws_group_try_submit, std::forward<wsfj_F>(wsfj_f), std::forward<wsfj_As>(wsfj_as)...);

        if (wsfj_error && wsfj_error != EAGAIN)
            ::wsfj_detail::wsfj_refuse("ws::group::try_submit", wsfj_error);
        return !wsfj_error;
    }

    /** ws_group_cancel(): tasks that have not begun are destroyed instead of called. From any thread.
     *  @return whether this call has cancelled it */
    bool cancel(int wsfj_code)
    {
        return ws_group_cancel(&wsfj_group_, wsfj_code) != 0;
    }

    /** ws_group_deadline(). From any thread. */
    void deadline(uint64_t wsfj_at)
    {
        ws_group_deadline(&wsfj_group_, wsfj_at);
    }

    /** The code of cancel(), or ETIMEDOUT after the deadline; 0: not cancelled. A group stays cancelled. */
    int cancelled() const
    {
        return ws_scope_cancelled(&wsfj_group_.wsfj_scope);
    }

    /** ws_group_wait(). Throws the exception of the earliest submitted task that threw (the others' are dropped), and
     *  std::system_error with the error of ws_group_wait(); a cancelled group is none. The group may be used again. */
    void wait()
    {
        int wsfj_error = ws_group_wait(&wsfj_group_);

        if (wsfj_error && wsfj_error != cancelled())
            ::wsfj_detail::wsfj_refuse("ws::group::wait", wsfj_error);
        uintptr_t wsfj_word = ::wsfj_detail::wsfj_first_of(wsfj_thrown.exchange(nullptr));
        if (wsfj_word)
            ::wsfj_detail::wsfj_rethrow(wsfj_word);
    }
};

/** A blocking section (ws_blocking_begin()) until the end of the block. */
class blocking
{
  public:
    blocking()
    {
        ws_blocking_begin();
    }
    blocking(const blocking &) = delete;
    blocking &operator=(const blocking &) = delete;
    ~blocking()
    {
        ws_blocking_end();
    }
};

/** f(args...) in a blocking section. Returns what it returns, throws what it throws. */
template <class wsfj_F, class... wsfj_As> decltype(auto) blocking_call(wsfj_F &&wsfj_f, wsfj_As &&...wsfj_as)
{
    blocking wsfj_section;

    return std::invoke(std::forward<wsfj_F>(wsfj_f), std::forward<wsfj_As>(wsfj_as)...);
}

/** A pin (ws_pin()) until the end of the block. */
class pin
{
    int wsfj_error = ws_pin();

  public:
    pin() = default;
    pin(const pin &) = delete;
    pin &operator=(const pin &) = delete;
    ~pin()
    {
        if (!wsfj_error)
            ws_unpin();
    }
    /** 0, or EAGAIN: the task is not pinned. */
    int error() const
    {
        return wsfj_error;
    }
};

/** A phase (ws_phase_begin()) until the end of the block. */
class phase
{
#ifdef WSFJ_SERIAL
    int wsfj_error = 0;
#else
    int wsfj_error = ws_phase_begin();
#endif

  public:
    phase() = default;
    phase(const phase &) = delete;
    phase &operator=(const phase &) = delete;
    ~phase()
    {
#ifndef WSFJ_SERIAL
        if (!wsfj_error)
            (void)ws_phase_end();
#endif
    }
    /** 0, or the error of ws_phase_begin(): there is no phase. */
    int error() const
    {
        return wsfj_error;
    }
};

} // namespace WSFJ_CXX_MODE
} // namespace WSFJ_NAMESPACE

#include "wsfj/wait.hpp"

#endif
