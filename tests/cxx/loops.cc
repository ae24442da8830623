/* SPDX-License-Identifier: MIT */
/*
 * ws::for_each(), ws::reduce() and ws::reduce_any(): each iteration runs once, wherever the loop is; a reduction has the tree
 * of WS_REDUCE, bit by bit, or any in the order of the index; the exception of the lowest iteration comes out, once, when all pieces have ended.
 *
 * Catches: an iteration that is left out or runs twice, in a stolen piece too; an index that overflows; a callable that
 * is copied although it must not be; a value that leaks, or is combined in another order; an exception that leaks, or
 * of a later iteration; pieces that still run when it comes out; a loop that goes on after it; a loop that ends in the
 * middle because its thread is cancelled.
 */
#include <wsfj.hpp>

#include "stolen.h"
#ifdef __cpp_exceptions
#include "thrown.h"
#endif

#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

/* Runs the loop as one that has not run before: it is divided before its first iteration. */
template <class L, class H, class F> static void each_anew(L lo, H hi, F &&f)
{
#if !defined WSFJ_SERIAL && !defined WSFJ_PROFILE
    wsfj_loop_forget(&wsfj_detail::wsfj_each<std::remove_reference_t<F>, std::common_type_t<L, H>>::wsfj_site_);
#endif
    ws::for_each(lo, hi, f);
}

template <class L, class H, class R, class C, class F>
static R reduce_anew(L lo, H hi, R &&identity, C &&combine, F &&f)
{
#if !defined WSFJ_SERIAL && !defined WSFJ_PROFILE
    using tree =
        wsfj_detail::wsfj_tree<R, std::remove_reference_t<C>, std::remove_reference_t<F>, std::common_type_t<L, H>>;
    wsfj_loop_forget(&wsfj_detail::wsfj_reduction<tree>::wsfj_site_);
#endif
    return ws::reduce(lo, hi, std::move(identity), combine, f);
}

static void counts(bool thieves)
{
    for (int n : {0, 1, 2, 3, 7, 64, 65, 1000, 20000}) {
        for (int repeat = 0; repeat < 4; repeat++) {
            auto ran = std::make_unique<std::atomic<unsigned char>[]>((size_t)n + 1);
            stolen st(thieves && n > 1 && repeat % 2 == 0);
            auto body = [&](int i) {
                ran[(size_t)i]++;
                if (i == 0)
                    st.parent(1); /* this iteration does not end before a thief has the upper half */
                else if (i >= n / 2)
                    st.child();
            };

            if (repeat % 2 == 0)
                each_anew(0, n, body);
            else
                ws::for_each(0, n, body);
            for (int i = 0; i < n; i++)
                CHECK(ran[(size_t)i] == 1);
            CHECK(ran[(size_t)n] == 0);
        }
    }
}

/* n iterations from lo, each once, in an index of type I. */
template <class I, class L, class H> static void indices(L lo, H hi, uint64_t n)
{
    std::array<std::atomic<int>, 300> ran{};
    std::atomic<uint64_t> all{0};

    for (int repeat = 0; repeat < 2; repeat++) {
        each_anew(lo, hi, [&](auto i) {
            static_assert(std::is_same_v<decltype(i), I>);
            ran[(size_t)((uint64_t)i - (uint64_t)lo) % 300]++;
            all++;
        });
        CHECK(reduce_anew(lo, hi, uint64_t(0), std::plus<>(), [](I) { return uint64_t(1); }) == n);
    }
    CHECK(all == 2 * n);
    for (size_t i = 0; i < 300; i++)
        CHECK(ran[i] == (i < n ? 2 : 0));
}

static void all_indices(bool)
{
    indices<signed char>((signed char)-128, (signed char)127, 255);
    indices<unsigned char>((unsigned char)3, (unsigned char)255, 252);
    indices<short>((short)-100, (short)100, 200);
    indices<int>(INT_MAX - 3, INT_MAX, 3);
    indices<int>(INT_MIN, INT_MIN + 100, 100);
    indices<unsigned>(UINT_MAX - 77, UINT_MAX, 77);
    indices<int64_t>(INT64_MIN, INT64_MIN + 200, 200);
    indices<int64_t>(INT64_MAX - 200, INT64_MAX, 200);
    indices<uint64_t>(UINT64_MAX - 256, UINT64_MAX, 256);
    indices<long>(-5, 10l, 15);
    indices<size_t>(0, std::string(9, 'x').size(), 9);
    indices<int>(5, 5, 0);
    indices<int>(5, -5, 0);
    indices<unsigned>(7u, 3u, 0);
    indices<size_t>((size_t)0, -1, 0); /* no iteration, rather than all */
    indices<unsigned>(3, 10u, 7);
#ifdef __cpp_exceptions
    try {
        ws::for_each(-1, std::string("a").size(), [](size_t) { CHECK(false); });
        CHECK(false);
    } catch (const std::system_error &e) {
        CHECK(e.code().value() == EINVAL && std::string(e.what()).find("ws::for_each") == 0);
    }
#endif
}

static std::atomic<int> plain_calls{0};
static void plain(long)
{
    plain_calls++;
}

struct counter {
    std::array<char, 2000> large{};
    std::atomic<int> calls{0};
    counter() = default;
    counter(const counter &) = delete;
    void operator()(int)
    {
        calls++;
    }
};

static void callables(bool)
{
    auto owned = std::make_unique<std::atomic<int>>(0);
    std::atomic<int> *seen = owned.get();
    counter lvalue;
    std::function<void(int)> any = [&](int) { ++*seen; };
    std::array<long, 300> much{};

    much[299] = 1;
    plain_calls = 0;
    auto moved = [p = std::move(owned)](int) { ++*p; };
    each_anew(0, 1000, moved);
    each_anew(0, 1000, any);
    CHECK(*seen == 2000);
    each_anew(0, 1000, lvalue);
    CHECK(lvalue.calls == 1000);
    each_anew(0l, 1000, plain);
    each_anew(0l, 1000, &plain);
    CHECK(plain_calls == 2000);
    each_anew(0, 1000, [much, seen](int) { *seen += (int)much[299]; });
    each_anew(0, 1000, [seen](int) mutable { ++*seen; });
    CHECK(*seen == 4000);
}

/* Loops, scopes, and tasks by the macros in iterations. */
static WS_TASK(long, sum_to, long, n)
{
    long x = 0;

    if (n == 0)
        return 0;
    ws_spawn(sum_to, &x, n - 1);
    ws_sync();
    return x + n;
}

static void nested(bool thieves)
{
    for (int repeat = 0; repeat < 3; repeat++) {
        std::atomic<long> sum{0};
        stolen st(thieves);

        each_anew(0, 40, [&](int i) {
            if (i == 0)
                st.parent(1);
            else if (i >= 20)
                st.child();
            long x = 0, y = 0;
            ws::task_scope s;
            s.spawn(x, [i] { return ws::reduce(0, 100, 0l, std::plus<>(), [i](int k) { return (long)i * k; }); });
            s.spawn(y, [] { return sum_to(10); });
            ws::for_each(0, 100, [&](int) { sum++; });
            s.sync();
            sum += x + y;
        });
        CHECK(sum == 40 * 100 + 4950l * 780 + 40 * 55);
    }
}

/* The tree of WS_REDUCE, as its definition says. */
static double leaf(long i)
{
    return 1.0 / (double)(i * i % 1009 + 1) - 0.001 * (double)(i % 7);
}
static double reference(long lo, long hi)
{
    long m = 1;

    if (hi - lo == 1)
        return leaf(lo);
    while (2 * m < hi - lo)
        m *= 2;
    return reference(lo, lo + m) + reference(lo + m, hi);
}
static WS_REDUCE(double, 0.0, WS_ADD, macro_sum, long, i)
{
    return leaf(i);
}

static void sums(bool thieves)
{
    for (long n = 1; n < 400; n += n < 70 ? 1 : 37) {
        double sum = reference(-5, n - 5);

        CHECK(reduce_anew(-5l, n - 5, 0.0, std::plus<>(), leaf) == sum);
        CHECK(ws::reduce(-5l, n - 5, 1e9, std::plus<>(), [](long i) { return leaf(i); }) == sum);
        CHECK(macro_sum(-5, n - 5) == sum);
    }
    for (long n : {1000l, 4096l, 100001l})
        for (int repeat = 0; repeat < 3; repeat++) {
            stolen st(thieves);
            double sum = reference(0, n);

            CHECK(reduce_anew(0l, n, 0.0, std::plus<>(), [&](long i) {
                      if (i == 0)
                          st.parent(1);
                      else if (i == 512)
                          st.child();
                      return leaf(i);
                  }) == sum);
            CHECK(ws::reduce(0l, n, 0.0, std::plus<double>(), leaf) == sum);
            CHECK(macro_sum(0, n) == sum);
        }
    CHECK(ws::reduce(3, 3, 42, std::plus<>(), [](int) { return 1; }) == 42);
    CHECK(ws::reduce(0, 1, 42, std::plus<>(), [](int) { return 1; }) == 1);
}

/* Counts objects; only made and moved; an interval of numbers, whose combination is that of neighbours only. */
template <size_t more> struct interval {
    static inline std::atomic<int> live{0};
    static inline std::atomic<bool> torn{false};
    long from, to;
    std::unique_ptr<long> owned; /* freed twice or never: what a sanitizer sees */
    std::array<char, more> large{};

    interval(long a, long b) : from(a), to(b), owned(new long(b))
    {
        live++;
    }
    interval(interval &&o) noexcept : from(o.from), to(o.to), owned(std::move(o.owned))
    {
        live++;
    }
    interval &operator=(interval &&) = delete;
    ~interval()
    {
        live--;
    }
    static interval join(interval &&x, interval &&y)
    {
        if (x.to != y.from || !x.owned || !y.owned || *x.owned != x.to)
            torn = true;
        return interval(x.from, y.to);
    }
};

/* Not inlined: gcc would warn of a mixture with its own. */
static bool refuse_memory = false;
__attribute__((noinline)) void *operator new[](size_t size, const std::nothrow_t &) noexcept
{
    return refuse_memory ? nullptr : std::malloc(size);
}
__attribute__((noinline)) void *operator new[](size_t size)
{
    return std::malloc(size ? size : 1);
}
__attribute__((noinline)) void operator delete[](void *p) noexcept
{
    std::free(p);
}
__attribute__((noinline)) void operator delete[](void *p, size_t) noexcept
{
    std::free(p);
}

template <size_t more> static void intervals(bool thieves)
{
    using value = interval<more>;

    for (bool refuse : {false, true})
        for (long n : {1l, 2l, 3l, 8l, 9l, 100l, 1023l, 3000l}) {
            stolen st(thieves && n >= 100);
            refuse_memory = refuse;
            {
                value all = reduce_anew(0l, n, value(-1, -1), value::join, [&](long i) {
                    if (!refuse && i == 0)
                        st.parent(1);
                    else if (i >= 64)
                        st.child();
                    return value(i, i + 1);
                });
                CHECK(all.from == 0 && all.to == n && *all.owned == n);
            }
            refuse_memory = false;
            CHECK(value::live == 0 && !value::torn);
        }
}

struct alignas(64) wide {
    std::array<long, 40> at{};
};
static void values(bool thieves)
{
    std::string digits;

    intervals<1>(thieves);
    intervals<300>(thieves);
    intervals<700>(thieves);
    intervals<5000>(thieves);
    for (int i = 0; i < 20000; i++)
        digits += std::to_string(i % 23);
    for (int repeat = 0; repeat < 3; repeat++)
        CHECK(reduce_anew(0, 20000, std::string(), std::plus<>(), [](int i) { return std::to_string(i % 23); }) ==
              digits);
    wide w = reduce_anew(
        0, 5000, wide(),
        [](const wide &left, const wide &y) {
            wide x = left;
            for (size_t k = 0; k < 40; k++)
                x.at[k] += y.at[k];
            return x;
        },
        [](int i) {
            wide x;
            CHECK((uintptr_t)&x % 64 == 0);
            x.at[(size_t)i % 40] = 1;
            return x;
        });
    for (long at : w.at)
        CHECK(at == 125);
}

/* Only made and moved: no value is assigned. */
struct made {
    const long value;
    explicit made(long v) : value(v)
    {
    }
    made(made &&) = default;
};

static void in_any_tree(bool thieves)
{
    for (long n : {1l, 2l, 63l, 64l, 1000l, 30000l})
        for (int repeat = 0; repeat < 4; repeat++) {
            stolen st(thieves && n > 600 && repeat % 2 == 0);
            std::string digits;

            for (long i = 0; i < n; i++)
                digits += std::to_string(i);
            auto leaf_of = [&](long i) {
                if (i == 0)
                    st.parent(1);
                else if (i == n / 2)
                    st.child();
                return std::to_string(i);
            };
            using row = wsfj_detail::wsfj_row<std::string, std::plus<>, decltype(leaf_of), long>;
            std::plus<> plus;
            (void)sizeof(row);
#if !defined WSFJ_SERIAL && !defined WSFJ_PROFILE
            wsfj_loop_forget(&wsfj_detail::wsfj_reduction<row>::wsfj_site_);
#endif
            CHECK(ws::reduce_any(0l, n, std::string("not neutral"), plus, leaf_of) == digits);
            CHECK(ws::reduce_any(
                      0l, n, made(7), [](const made &x, const made &y) { return made(x.value + y.value); },
                      [](long i) { return made(i); })
                      .value == n * (n - 1) / 2);
        }
    CHECK(ws::reduce_any(3, 3, 42, std::plus<>(), [](int) { return 1; }) == 42);
    CHECK(ws::reduce_any(0, 1, 42, std::plus<>(), [](int) { return 1; }) == 1);
#ifdef __cpp_exceptions
    CHECK(number_of([] {
              (void)ws::reduce_any(0, 100000, 0, std::plus<>(), [](int i) -> int {
                  if (i >= 777)
                      throw thrown(i);
                  return 1;
              });
          }) == 777);
    CHECK(thrown::live == 0);
#endif
}

/* From eight threads at once, outside any region. */
static void threads()
{
    std::vector<std::thread> all;

    for (int t = 0; t < 8; t++)
        all.emplace_back([t] {
            for (int repeat = 0; repeat < 20; repeat++) {
                std::vector<int> ran(2000);
                ws::for_each(0, 2000, [&](int i) { ran[(size_t)i]++; });
                each_anew(0, 2000, [&](int i) { ran[(size_t)i] += t; });
                for (int n : ran)
                    CHECK(n == 1 + t);
                CHECK(ws::reduce(0l, 2000l, 0.0, std::plus<>(), leaf) == reference(0, 2000));
            }
        });
    for (std::thread &t : all)
        t.join();
}

#if !defined WSFJ_SERIAL && !defined WSFJ_PROFILE
struct round {
    pthread_t caller;
    bool cancels, reduces;
    std::atomic<int> ran{0};
    int state = -1;

    int visit(int i)
    {
        if (i == 3 && cancels) {
            (void)pthread_cancel(caller);
            pthread_testcancel();
        }
        ran++;
        return 1;
    }
};

static void *loop_in_round(void *argument)
{
    round &r = *static_cast<round *>(argument);

    r.caller = pthread_self();
    if (r.reduces)
        CHECK(ws::reduce(0, 64, 0, std::plus<>(), [&r](int i) { return r.visit(i); }) == 64);
    else
        ws::for_each(0, 64, [&r](int i) { (void)r.visit(i); });
    (void)pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &r.state);
    return nullptr;
}

/* A thread that is cancelled in a loop, outside any region. In the later rounds the loop is known to be short. */
static void cancelled()
{
    for (int n = 0; n < 400; n++) {
        round r;
        pthread_t thread;

        r.cancels = n % 20 == 0;
        r.reduces = n % 3 == 0;
        CHECK(pthread_create(&thread, nullptr, loop_in_round, &r) == 0);
        CHECK(pthread_join(thread, nullptr) == 0);
        CHECK(r.ran == 64);
        CHECK(r.state == PTHREAD_CANCEL_ENABLE);
    }
}
#endif

#ifdef __cpp_exceptions
/* Iterations that throw: every step from the first. All before it have run, none runs when it comes out. */
static void lowest(bool thieves)
{
    constexpr int n = 500;

    for (int first : {0, 1, 2, 3, 100, 249, 250, 251, 255, 256, 498, 499, n})
        for (int step : {1, 2, 50, n}) {
            std::array<std::atomic<int>, n> ran{};
            std::atomic<int> at_work{0};
            stolen st(thieves);
            auto body = [&](int i) {
                at_work++;
                ran[(size_t)i]++;
                if (i == 0) /* a piece before the upper half that throws drops it, if no thief has begun it */
                    while (st.by_thieves && st.begun == 0 && thrown::live == 0)
                        sched_yield();
                else if (i >= n / 2)
                    st.child();
                if (thieves && i % 50 == 0)
                    sched_yield(); /* so that pieces overlap */
                at_work--;
                if (i >= first && (i - first) % step == 0)
                    throw thrown(i);
            };

            for (int what = 0; what < 2; what++) {
                CHECK(number_of([&] {
                          if (what == 0)
                              each_anew(0, n, body);
                          else
                              (void)reduce_anew(
                                  0, n, 0, [](int x, int y) { return x > y ? x : y; },
                                  [&](int i) {
                                      body(i);
                                      return i;
                                  });
                      }) == (first == n ? -1 : first));
                CHECK(at_work == 0 && thrown::live == 0);
                for (int i = 0; i < n; i++) {
                    CHECK(i <= first ? ran[(size_t)i].load() == 1 : ran[(size_t)i].load() <= 1);
                    ran[(size_t)i] = 0;
                }
                st.begun = 0;
            }
        }
}

/* What comes after an exception is dropped: else the loop would not end. */
static void dropped(bool)
{
    for (int repeat = 0; repeat < 2; repeat++) {
        auto body = [](int64_t i) {
            if (i == 3)
                throw thrown(3);
        };
        CHECK(number_of([&] { each_anew(int64_t(0), INT64_MAX, body); }) == 3);
        CHECK(number_of([&] {
                  (void)reduce_anew(int64_t(0), INT64_MAX, int64_t(0), std::plus<>(), [&](int64_t i) {
                      body(i);
                      return i;
                  });
              }) == 3);
    }
    CHECK(thrown::live == 0);
}

/* combine() throws where it gets the number `bad` from the right; values are destroyed. */
static void in_combine(bool thieves)
{
    using value = interval<20>;

    for (long n : {2l, 9l, 100l, 1000l})
        for (long bad : {1l, 2l, 8l, 63l, 64l, 99l, 512l, 768l}) {
            stolen st(thieves && n >= 100);
            if (bad >= n)
                continue;
            CHECK(number_of([&] {
                      (void)reduce_anew(
                          0l, n, value(0, 0),
                          [&](value x, value y) {
                              if (y.from <= bad && bad < y.to)
                                  throw thrown((int)bad);
                              return value::join(std::move(x), std::move(y));
                          },
                          [&](long i) {
                              if (i == 0)
                                  st.parent(1); /* any other will do: a piece above the failure may be skipped */
                              else
                                  st.child();
                              return value(i, i + 1);
                          });
                  }) == bad);
            CHECK(value::live == 0 && thrown::live == 0);
        }
}

/* Exceptions go through loops in loops and scopes, and loops in a handler work. */
static void through(bool)
{
    CHECK(number_of([&] {
              each_anew(0, 50, [](int i) {
                  ws::task_scope s;
                  s.spawn([i] {
                      each_anew(0, 50, [i](int k) {
                          if (i >= 20 && k >= 30)
                              throw thrown(100 * i + k);
                      });
                  });
                  s.sync();
              });
          }) == 2030);
    try {
        throw thrown(1);
    } catch (const thrown &t) {
        CHECK(number_of([&] {
                  each_anew(0, 50, [](int i) {
                      if (i >= 20)
                          throw thrown(i);
                  });
              }) == 20);
        CHECK(t.number == 1);
    }
    CHECK(thrown::live == 0);
}
#endif

int main()
{
    everywhere("counts", counts);
    everywhere("indices", all_indices);
    everywhere("callables", callables);
    everywhere("nested", nested);
    everywhere("sums", sums);
    everywhere("values", values);
    everywhere("in any tree", in_any_tree);
    for (size_t n : {1, 2, 3}) /* not as a root: join() would keep a worker */
        with_workers("threads", n, threads);
#if !defined WSFJ_SERIAL && !defined WSFJ_PROFILE
    for (size_t n : {1, 2, 3})
        with_workers("cancelled", n, cancelled);
#endif
#ifdef __cpp_exceptions
    everywhere("lowest", lowest);
    everywhere("dropped", dropped);
    everywhere("in combine", in_combine);
    everywhere("through", through);
#endif
    return ended("loops");
}
