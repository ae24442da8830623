/* SPDX-License-Identifier: MIT */
/**
 * @file wait.hpp
 * wait.h for C++; wsfj.hpp includes it. What would have to wait, but must not (EDEADLK), throws std::system_error. None of these
 * objects can be copied or moved; each may be destroyed when all calls on it are over.
 */
#ifndef WSFJ_WAIT_HPP
#define WSFJ_WAIT_HPP
#pragma GCC system_header

#include "inline/cxx_base.hpp"
#include "wait.h"

#include <chrono>
#include <optional>

#ifndef WSFJ_NAMESPACE
#define WSFJ_NAMESPACE ws
#endif

namespace wsfj_detail
{
inline namespace WSFJ_CXX_MODE
{

/* A deadline of the C++ library as one of wait.h: steady_clock is CLOCK_MONOTONIC. */
template <class wsfj_C, class wsfj_D> uint64_t wsfj_until(const std::chrono::time_point<wsfj_C, wsfj_D> &wsfj_time)
{
    std::chrono::nanoseconds wsfj_left = std::chrono::ceil<std::chrono::nanoseconds>(wsfj_time - wsfj_C::now());

    return wsfj_left.count() > 0 ? ws_now() + static_cast<uint64_t>(wsfj_left.count()) : 0;
}

/* True: done. False: `no`, such as ETIMEDOUT. */
WSFJ_CXX_INLINE bool wsfj_done(int wsfj_error, int wsfj_no, const char *wsfj_call)
{
    if (wsfj_error && wsfj_error != wsfj_no)
        wsfj_refuse(wsfj_call, wsfj_error);
    return wsfj_error == 0;
}

} // namespace WSFJ_CXX_MODE
} // namespace wsfj_detail

#include "inline/cxx_channel.hpp"

namespace WSFJ_NAMESPACE
{
inline namespace WSFJ_CXX_MODE
{

/** A ws_mutex, for std::lock_guard, std::unique_lock and std::scoped_lock. It belongs to a task, which may sync meanwhile. */
class mutex
{
    ws_mutex wsfj_mutex_ = WS_MUTEX_INIT;

  public:
    mutex() = default;
    mutex(const mutex &) = delete;
    mutex &operator=(const mutex &) = delete;

    /** ws_mutex_lock(). */
    void lock()
    {
        (void)::wsfj_detail::wsfj_done(ws_mutex_lock(&wsfj_mutex_), 0, "ws::mutex::lock");
    }
    /** ws_mutex_trylock(): whether it is locked now. */
    bool try_lock()
    {
        return ws_mutex_trylock(&wsfj_mutex_) == 0;
    }
    /** ws_mutex_lock_until(): false at the deadline. */
    template <class wsfj_C, class wsfj_D> bool try_lock_until(const std::chrono::time_point<wsfj_C, wsfj_D> &wsfj_time)
    {
        return ::wsfj_detail::wsfj_done(ws_mutex_lock_until(&wsfj_mutex_, ::wsfj_detail::wsfj_until(wsfj_time)),
                                        ETIMEDOUT, "ws::mutex::try_lock_until");
    }
    /** The same for a duration. */
    template <class wsfj_R, class wsfj_P> bool try_lock_for(const std::chrono::duration<wsfj_R, wsfj_P> &wsfj_time)
    {
        return try_lock_until(std::chrono::steady_clock::now() + wsfj_time);
    }
    /** ws_mutex_unlock(). */
    void unlock()
    {
        (void)ws_mutex_unlock(&wsfj_mutex_);
    }
};

/** A ws_event. */
class event
{
    ws_event wsfj_event_ = WS_EVENT_INIT;

  public:
    event() = default;
    event(const event &) = delete;
    event &operator=(const event &) = delete;

    /** ws_event_wait(). */
    void wait()
    {
        (void)::wsfj_detail::wsfj_done(ws_event_wait(&wsfj_event_), 0, "ws::event::wait");
    }
    /** ws_event_wait_until(): whether it is set. */
    template <class wsfj_C, class wsfj_D> bool wait_until(const std::chrono::time_point<wsfj_C, wsfj_D> &wsfj_time)
    {
        return ::wsfj_detail::wsfj_done(ws_event_wait_until(&wsfj_event_, ::wsfj_detail::wsfj_until(wsfj_time)),
                                        ETIMEDOUT, "ws::event::wait_until");
    }
    /** ws_event_set(). */
    void set()
    {
        ws_event_set(&wsfj_event_);
    }
    /** ws_event_is_set(). */
    bool is_set() const
    {
        return ws_event_is_set(&wsfj_event_) != 0;
    }
    /** ws_event_reset(): only while nobody waits. */
    void reset()
    {
        ws_event_reset(&wsfj_event_);
    }
};

/** A ws_semaphore, with the names of std::counting_semaphore. */
class semaphore
{
    ws_semaphore wsfj_semaphore_;

  public:
    /** With so many units. */
    explicit semaphore(uint64_t wsfj_units) : wsfj_semaphore_ WS_SEMAPHORE_INIT(wsfj_units)
    {
    }
    semaphore(const semaphore &) = delete;
    semaphore &operator=(const semaphore &) = delete;

    /** ws_semaphore_wait(). */
    void acquire()
    {
        (void)::wsfj_detail::wsfj_done(ws_semaphore_wait(&wsfj_semaphore_), 0, "ws::semaphore::acquire");
    }
    /** ws_semaphore_try_wait(). */
    bool try_acquire()
    {
        return ws_semaphore_try_wait(&wsfj_semaphore_) == 0;
    }
    /** ws_semaphore_wait_until(): false at the deadline. */
    template <class wsfj_C, class wsfj_D>
    bool try_acquire_until(const std::chrono::time_point<wsfj_C, wsfj_D> &wsfj_time)
    {
        return ::wsfj_detail::wsfj_done(ws_semaphore_wait_until(&wsfj_semaphore_, ::wsfj_detail::wsfj_until(wsfj_time)),
                                        ETIMEDOUT, "ws::semaphore::try_acquire_until");
    }
    /** ws_semaphore_post(). */
    void release(uint64_t wsfj_n = 1)
    {
        ws_semaphore_post(&wsfj_semaphore_, wsfj_n);
    }
};

/** A value of type T, or an exception, that is set once. */
template <class wsfj_T> class future
{
    std::atomic<bool> wsfj_is_taken_{false};
    std::optional<wsfj_T> wsfj_value_;
    std::exception_ptr wsfj_exception_;
    event wsfj_is_set_;

    bool wsfj_take()
    {
        return !wsfj_is_taken_.exchange(true);
    }

    /* A value whose move throws has not set the future. */
    struct wsfj_giving_back {
        future &wsfj_of;

        ~wsfj_giving_back()
        {
            if (!wsfj_of.wsfj_value_)
                wsfj_of.wsfj_is_taken_ = false;
        }
    };

  public:
    /** Sets the value. False if a value or an exception was set before. */
    bool set_value(wsfj_T wsfj_value)
    {
        if (!wsfj_take())
            return false;
        {
            wsfj_giving_back wsfj_unless_it_is_set{*this};

            wsfj_value_.emplace(std::move(wsfj_value));
        }
        wsfj_is_set_.set();
        return true;
    }
    /** Sets an exception, which get() throws. False as set_value(). */
    bool set_exception(std::exception_ptr wsfj_exception)
    {
        if (!wsfj_take())
            return false;
        wsfj_exception_ = std::move(wsfj_exception);
        wsfj_is_set_.set();
        return true;
    }
    /** Whether get() would return at once. */
    bool is_set() const
    {
        return wsfj_is_set_.is_set();
    }
    /** Waits until it is set, or until the deadline: whether it is. */
    template <class wsfj_C, class wsfj_D> bool wait_until(const std::chrono::time_point<wsfj_C, wsfj_D> &wsfj_time)
    {
        return wsfj_is_set_.wait_until(wsfj_time);
    }
    /** Waits for the value. All who wait get the same one. */
    wsfj_T &get()
    {
        wsfj_is_set_.wait();
        if (wsfj_exception_)
            std::rethrow_exception(wsfj_exception_);
        return *wsfj_value_;
    }
};
template <> class future<void>; /* there is none: use ws::event */

} // namespace WSFJ_CXX_MODE
} // namespace WSFJ_NAMESPACE

#endif
