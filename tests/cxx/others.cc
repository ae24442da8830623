/* SPDX-License-Identifier: MIT */
/*
 * The rest of wsfj.hpp: ws::run(), detached tasks, groups, blocking sections, pins, phases; also without exceptions and
 * without type information.
 *
 * Catches: a result or callable that is copied where it should be moved; a section, pin or phase that is not ended; a
 * group that does not wait; a worker that waits for an object whose initialiser needs this worker.
 */
#include <wsfj.hpp>

#include "stolen.h"

#include <array>
#include <cerrno>
#include <functional>
#include <memory>
#include <string>

static int twice(int n)
{
    return 2 * n;
}

struct adder {
    int value;
    int add(int n)
    {
        return value += n;
    }
};

static void runs(bool)
{
    adder a{1};
    auto owned = std::make_unique<int>(7);

    CHECK(ws::run(twice, 4) == 8);
    CHECK(ws::run(&adder::add, a, 2) == 3 && a.value == 3);
    CHECK(*ws::run([p = std::move(owned)]() mutable { return std::move(p); }) == 7);
    CHECK(&ws::run([&]() -> adder & { return a; }) == &a);
    CHECK(ws::run([] { return std::string(100, 'r'); }).size() == 100);
    CHECK(ws::run([] { return ws::run(twice, ws::run(twice, 5)); }) == 20);
    ws::run([&] { a.value = 0; });
    CHECK(a.value == 0);
}

static void groups(bool)
{
    ws::group g;
    std::atomic<int> sum{0};
    auto owned = std::make_unique<int>(3);

    g.wait(); /* empty */
    for (int i = 0; i < 1000; i++)
        g.submit([&sum](int n) { sum += n; }, i);
    g.submit([&sum](std::unique_ptr<int> p, std::array<long, 30> all) { sum += *p + (int)all[29]; }, std::move(owned),
             std::array<long, 30>());
    g.submit([&] { g.submit([&sum] { sum += 1; }); }); /* a task of the group adds to it */
    g.wait();
    CHECK(sum == 999 * 500 + 4);
#if !defined WSFJ_SERIAL && defined __cpp_exceptions
    g.submit([&] {
        try {
            g.wait(); /* for itself */
        } catch (const std::system_error &e) {
            sum = e.code().value();
        }
    });
    g.wait();
    CHECK(sum == EDEADLK);
#endif
    {
        ws::group left;
        left.submit([&sum] {
            sched_yield();
            sum = 5;
        });
    }
    CHECK(sum == 5);
    std::atomic<int> done{0};
    ws::submit([&done](int n) { done = n; }, 1);
    while (!done)
        ws_yield();
}

static void sections(bool)
{
    int value = 3, inside = -1;

    CHECK(ws::blocking_call(twice, 3) == 6);
    CHECK(&ws::blocking_call([&]() -> int & { return value; }) == &value);
    {
        ws::blocking outer, inner;
#if !defined WSFJ_SERIAL && !defined WSFJ_PROFILE
        inside = ws_worker_id(); /* -1: the slot is lent */
#endif
    }
    CHECK(inside == -1);
    ws::pin pinned;
    CHECK(pinned.error() == 0);
    long here = this_thread();
    std::atomic<int> begun{0};
    ws::task_scope s;
    s.spawn([&] {
        begun = 1;
        for (int i = 0; i < 3; i++)
            sched_yield();
    });
    if (num_workers > 1)
        await(begun, 1);
    s.sync();
    CHECK(this_thread() == here);
}

/* Objects of functions, whose initialisers spawn while other tasks of the region wait for them. */
static long leaves(int n)
{
    if (n == 1)
        return 1;

    long x, y;
    ws::task_scope s;

    s.spawn(x, leaves, n / 2);
    y = leaves(n - n / 2);
    s.sync();
    return x + y;
}

template <int number> struct made_in_parallel {
    long value = leaves(200 + number);
};

template <int number> static long value_of(int)
{
    static made_in_parallel<number> object;

    return object.value;
}

template <int number> static void initialise()
{
    if constexpr (number < 40) {
        CHECK(ws::run([] { return ws::reduce(0, 300, 0l, std::plus<>(), value_of<number>); }) == 300 * (200 + number));
        initialise<number + 1>();
    }
}

static void initialisers()
{
    initialise<0>();
}

#ifndef WSFJ_SERIAL
/* A pin without a spare thread: the error is there, and the end does not unpin. */
static void without_spares()
{
    ws::run([] {
        for (int i = 0; i < 3; i++) {
            ws::pin refused;
            CHECK(refused.error() == 0 || refused.error() == EAGAIN);
        }
    });
    {
        ws::phase first;
        CHECK(first.error() == 0);
        CHECK(ws_fini() == EBUSY);
        {
            ws::phase second;
            CHECK(second.error() == 0);
        }
        CHECK(ws_fini() == EBUSY);
    }
    CHECK(ws_phase_end() == EINVAL);
}
#endif

int main()
{
    everywhere("runs", runs);
    everywhere("groups", groups);
    everywhere("sections", sections);
    with_workers("initialisers", 3, initialisers);
#ifndef WSFJ_SERIAL
    with_workers("phases", 2, without_spares);
#endif
    return ended("others");
}
