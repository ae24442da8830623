/* SPDX-License-Identifier: MIT */
/*
 * wait.hpp: what C++ has of events, locks and channels; also in serial and profiled programs, without exceptions.
 *
 * Catches: an item that is copied, leaked or destroyed twice; a lock that is not given back; a deadline in another clock or
 * unit; an exception of a future that is lost.
 */
#include <wsfj.hpp>

#include "test.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

using namespace std::chrono_literals;

static std::atomic<int> alive{0};

struct counted {
    int value;
    explicit counted(int n) : value(n)
    {
        alive++;
    }
    counted(counted &&other) noexcept : value(other.value)
    {
        alive++;
    }
    counted(const counted &) = delete;
    ~counted()
    {
        alive--;
    }
};

template <class... T>
constexpr bool stay_where_they_are = ((!std::is_copy_constructible_v<T> && !std::is_move_constructible_v<T> &&
                                       !std::is_move_assignable_v<T>)&&...);
static_assert(
    stay_where_they_are<ws::mutex, ws::event, ws::semaphore, ws::channel<int>, ws::channel<counted>, ws::future<int>>);

static void locks()
{
    ws::mutex m, other;
    long sum = 0;

    ws::for_each(0, 1000, [&](int i) {
        std::lock_guard<ws::mutex> guard(m);
        sum += i;
    });
    CHECK(sum == 499500);
    {
        std::unique_lock<ws::mutex> lock(m, std::defer_lock);
        CHECK(lock.try_lock());
        CHECK(!m.try_lock());
        lock.unlock();
        CHECK(lock.try_lock_for(1ms));
        lock.unlock();
        CHECK(lock.try_lock_until(std::chrono::system_clock::now() - 1s));
    }
    {
        std::unique_lock<ws::mutex> lock(m), moved(std::move(lock));

        CHECK(!lock.owns_lock() && moved.owns_lock() && !m.try_lock());
    }
    CHECK(m.try_lock());
    m.unlock();
#ifdef __cpp_exceptions
    try {
        std::lock_guard<ws::mutex> guard(m);

        throw 1;
    } catch (int) {
    }
    CHECK(m.try_lock());
    m.unlock();
#endif
    {
        std::scoped_lock both(m, other);
        CHECK(!other.try_lock());
    }
    CHECK(m.try_lock());
#if !defined WSFJ_SERIAL && !defined WSFJ_PROFILE
    std::thread([&] {
        auto begin = std::chrono::steady_clock::now();
        CHECK(!m.try_lock_for(2ms));
        CHECK(std::chrono::steady_clock::now() - begin >= 2ms);
        CHECK(!m.try_lock_until(std::chrono::system_clock::now() + 2ms));
    }).join();
#endif
    m.unlock();
}

static void events()
{
    ws::event e;
    int value = 0;
    ws::group g;

    CHECK(!e.is_set());
    CHECK(!e.wait_until(std::chrono::steady_clock::now() - 1s));
    g.submit([&] {
        value = 3;
        e.set();
    });
    e.wait();
    CHECK(value == 3 && e.is_set());
    CHECK(e.wait_until(std::chrono::steady_clock::now()));
    g.wait();
    e.reset();
    CHECK(!e.is_set());
}

static void semaphores()
{
    ws::semaphore s(2);

    s.acquire();
    CHECK(s.try_acquire());
    CHECK(!s.try_acquire());
    CHECK(!s.try_acquire_until(std::chrono::steady_clock::now() + 1ms));
    s.release(2);
    s.release();
    for (int i = 0; i < 3; i++)
        CHECK(s.try_acquire_until(std::chrono::steady_clock::now()));
}

template <class T, class F> static void pass(size_t capacity, F make)
{
    ws::channel<T> c(capacity);
    ws::group g;
    long n = 0;

    g.submit([&] {
        for (int i = 0; i < 100; i++)
            CHECK(c.send(make(i)));
        c.close();
        CHECK(!c.send(make(0)));
        CHECK(!c.try_send(make(0)));
        CHECK(!c.send_until(make(0), std::chrono::steady_clock::now() + 1h));
    });
    while (std::optional<T> item = c.receive())
        n++;
    CHECK(n == 100);
    g.wait();
    CHECK(!c.try_receive());
    CHECK(!c.receive_until(std::chrono::steady_clock::now() + 1h));
}

static void channels()
{
    pass<int>(100, [](int i) { return i; });
    pass<std::string>(100, [](int i) { return std::string(100, static_cast<char>('a' + i % 26)); });
    pass<std::unique_ptr<int>>(100, [](int i) { return std::make_unique<int>(i); });
#if !defined WSFJ_SERIAL && !defined WSFJ_PROFILE
    pass<std::string>(0, [](int i) { return std::to_string(i); });
    pass<counted>(3, [](int i) { return counted(i); });
#endif
    {
        ws::channel<counted> c(2);
        CHECK(c.try_send(counted(1)));
        CHECK(c.send_until(counted(2), std::chrono::steady_clock::now()));
        CHECK(!c.try_send(counted(3)));
        CHECK(!c.send_until(counted(3), std::chrono::steady_clock::now() + 1ms));
        CHECK(c.receive()->value == 1);
        CHECK(alive == 1);
    }
    CHECK(alive == 0);
}

static void futures()
{
    ws::future<std::string> f;
    ws::future<int> failed;
    ws::group g;

    CHECK(!f.is_set() && !f.wait_until(std::chrono::steady_clock::now()));
    g.submit([&] { CHECK(f.set_value("value")); });
    CHECK(f.get() == "value" && &f.get() == &f.get());
    g.wait();
    CHECK(!f.set_value("other") && f.get() == "value");
#ifdef __cpp_exceptions
    bool thrown = false;

    g.submit([&] { CHECK(failed.set_exception(std::make_exception_ptr(42))); });
    try {
        failed.get();
    } catch (int n) {
        thrown = n == 42;
    }
    CHECK(thrown && !failed.set_value(1));
    g.wait();
#else
    CHECK(failed.set_value(1));
#endif
}

/* Catches: a callable that is called, or not destroyed, after cancel(); a wait() that throws the code; a group that stays alive. */
static void nursery()
{
    std::atomic<long> ran{0};
    ws::event never;

    {
        ws::group g;

        g.submit([c = counted(1), &ran] { ran += c.value; });
        g.wait();
        CHECK(ran == 1 && g.cancelled() == 0 && alive == 0);
        CHECK(g.cancel(5) && !g.cancel(6) && g.cancelled() == 5);
        for (int i = 0; i < 100; i++)
            g.submit([c = counted(1), &ran] { ran += c.value; });
        CHECK(g.try_submit([c = counted(1), &ran] { ran += c.value; }));
        g.wait();
        CHECK(ran == 1 && alive == 0);
    }
    ws::group late;

    late.deadline(ws_now() + 1000000);
    late.submit([&] { ran += ws_sleep_until(WS_FOREVER) == ECANCELED && ws_cancelled() == ETIMEDOUT; });
    late.wait();
    CHECK(ran == 2 || ran == 1); /* begun, or dropped */
    CHECK(late.cancelled() == ETIMEDOUT);
}

#ifdef __cpp_exceptions
/* Throws while it is moved, so often. */
static int throws;

struct throwing {
    counted value;
    explicit throwing(int n) : value(n)
    {
    }
    throwing(throwing &&other) : value(other.value.value)
    {
        if (throws && --throws == 0)
            throw 7;
    }
};

template <class F> static bool has_thrown(F f)
{
    try {
        f();
    } catch (int n) {
        return n == 7;
    }
    return false;
}

/* An exception leaves each object as usable as before, and loses no item's memory. */
static void throwing_items()
{
    int before = alive;
    {
        ws::future<throwing> f;
        ws::channel<throwing> c(2);

        throws = 1;
        CHECK(has_thrown([&] { f.set_value(throwing(1)); }) && !f.is_set());
        CHECK(f.set_value(throwing(2)) && f.get().value.value == 2);
        throws = 1;
        CHECK(has_thrown([&] { c.send(throwing(3)); }));
        CHECK(c.send(throwing(4)) && c.send(throwing(5)) && !c.try_send(throwing(6)));
        throws = 1;
        CHECK(has_thrown([&] { c.receive(); }));
        CHECK(c.receive()->value.value == 5 && !c.try_receive() && c.send(throwing(8)));
    }
    CHECK(alive == before);
}
#endif

#if defined WSFJ_SERIAL && defined __cpp_exceptions
static void refused()
{
    int code = 0;

    try {
        ws::event().wait();
    } catch (const std::system_error &e) {
        code = e.code().value();
    }
    CHECK(code == EDEADLK);
}
#endif

/* Outside of tasks, and in a root with several numbers of workers. A task that waits keeps its stack, so one is too few. */
static void in_each_place(const char *name, void (*test)())
{
    static void (*now)();

    now = test;
    with_workers(name, 1, test);
    for (size_t workers = 1; workers < 4; workers++)
        with_workers(
            name, workers, [] { ws::run([] { now(); }); }, 3);
}

int main()
{
    in_each_place("locks", locks);
    in_each_place("events", events);
    in_each_place("semaphores", semaphores);
    in_each_place("channels", channels);
    in_each_place("futures", futures);
    in_each_place("nursery", nursery);

#ifdef __cpp_exceptions
    in_each_place("throwing_items", throwing_items);
#endif
#if defined WSFJ_SERIAL && defined __cpp_exceptions
    in_each_place("refused", refused);
#endif
    return ended("waits");
}
