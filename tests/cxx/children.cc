/* SPDX-License-Identifier: MIT */
/*
 * ws::task_scope: every kind of callable, argument and result arrives whole, whether the child runs at the sync, was
 * stolen, runs because the deque is full, or because there is no room for its arguments; in and outside regions.
 *
 * Catches: an argument that is copied where it should be moved, or destroyed twice or never; a result that is stored
 * wrong, or dropped; a child that runs twice or never; children of two scopes mixed up.
 */
#include <wsfj.hpp>

#include "stolen.h"

#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#if defined WSFJ_SERIAL || defined WSFJ_PROFILE
#define RUNS_AT_ONCE true
#else
#define RUNS_AT_ONCE false
#endif

static long fib(long n)
{
    if (n < 2)
        return n;
    long x, y;
    ws::task_scope s;
    s.spawn(x, fib, n - 1);
    y = fib(n - 2);
    s.sync();
    return x + y;
}

static long negative(long n)
{
    return -n;
}

static void functions(bool thieves)
{
    stolen st(thieves);
    long x = 0, y = 0;
    ws::task_scope s;

    s.spawn([&] { st.child(); });
    s.spawn(x, fib, 12);
    s.spawn(y, fib, 11);
    st.parent(1);
    s.sync();
    CHECK(x == 144 && y == 89);
    s.spawn(x, negative, 5); /* another function of the same type */
    s.spawn(y, fib, 10);
    s.sync();
    CHECK(x == -5 && y == 55);
}

/* Counts copies and objects. */
struct counted {
    static inline std::atomic<int> live{0}, copies{0};
    int value;
    explicit counted(int v) : value(v)
    {
        live++;
    }
    counted(const counted &other) : value(other.value)
    {
        live++;
        copies++;
    }
    counted(counted &&other) noexcept : value(other.value)
    {
        other.value = -1;
        live++;
    }
    counted &operator=(const counted &) = default;
    ~counted()
    {
        live--;
    }
    int add(int n) const
    {
        return value + n;
    }
};

static void objects(bool thieves)
{
    stolen st(thieves);
    {
        counted a(40), b(40), r(0);
        std::string text;
        long wide = 0;
        std::unique_ptr<int> back;
        int copies = counted::copies;
        ws::task_scope s;

        s.spawn(
            back,
            [&](std::unique_ptr<int> p) {
                st.child();
                ++*p;
                return p;
            },
            std::make_unique<int>(5));
        s.spawn(wide, &counted::add, &b, 2);
        s.spawn(
            text, [](const std::string &t, int n) { return t + std::to_string(n); }, std::string(50, 'x'), 7);
        s.spawn(
            r, [](counted c) { return counted(c.value + 1); }, counted(6));
        s.spawn([b = counted(9)] { CHECK(b.value == 9); });
        s.spawn([](counted &c, counted d) { c.value = d.value; }, std::ref(a), counted(41));
        s.spawn(std::ignore, fib, 3);
        st.parent(1);
        s.sync();
        CHECK(*back == 6);
        CHECK(text == std::string(50, 'x') + "7");
        CHECK(r.value == 7);
        CHECK(a.value == 41);
        CHECK(wide == 42);
        CHECK(counted::copies == copies);
        s.spawn([a] { CHECK(a.value == 41); });
        s.sync();
        CHECK(counted::copies == copies + 1);
    }
    CHECK(counted::live == 0);
}

using large = std::array<long, 20>;

struct alignas(32) aligned_little {
    long v = 8;
};

struct alignas(128) aligned {
    long v = 3;
};

static large filled(large from, long step)
{
    for (auto &v : from)
        v += step;
    return from;
}

static void large_ones(bool thieves)
{
    stolen st(thieves);
    large a, r{}, q{};
    aligned over, result;
    aligned_little little;
    std::array<char, 41> five{};
    long sum = 0;
    ws::task_scope s;

    std::iota(a.begin(), a.end(), 0);
    s.spawn(
        r,
        [&st](large x, long n) {
            st.child();
            return filled(x, n);
        },
        a, 1);
    s.spawn(q, filled, a, 2);
    s.spawn(sum, [over, a] {
        CHECK(reinterpret_cast<uintptr_t>(&over) % 128 == 0);
        return over.v + a[19];
    });
    s.spawn(
        result,
        [](const aligned &x) {
            aligned y;
            y.v = x.v + 1;
            return y;
        },
        over);
    s.spawn([little] {
        CHECK(reinterpret_cast<uintptr_t>(&little) % 32 == 0);
        CHECK(little.v == 8);
    });
    s.spawn(five, [] {
        std::array<char, 41> all;
        all.fill('f');
        return all;
    });
    st.parent(1);
    s.sync();
    for (long i = 0; i < 20; i++)
        CHECK(r[(size_t)i] == i + 1 && q[(size_t)i] == i + 2);
    CHECK(sum == 22);
    CHECK(result.v == 4);
    CHECK(five[0] == 'f' && five[40] == 'f');
}

/* Fills the argument area: later children run at once. */
static void no_room(bool)
{
    constexpr long n = 20000;
    static long results[n];
    ws::task_scope s;

    for (long i = 0; i < n; i++)
        s.spawn(
            results[i], [](const large &x, long k) { return x[5] + k; }, large{{0, 0, 0, 0, 0, 7}}, i);
    s.sync();
    for (long i = 0; i < n; i++)
        CHECK(results[i] == i + 7);
}

/* The argument area is given back: no child runs at once because it is full. */
static void room_again(bool)
{
    if (num_workers > 1)
        return;
    for (int i = 0; i < 50000; i++) {
        bool after = RUNS_AT_ONCE;
        ws::task_scope s;
        s.spawn([&after](const large &) { CHECK(after); }, large());
        after = true;
        s.sync();
    }
}

/* More children than a deque holds. */
static void full_deque(bool thieves)
{
    constexpr int n = 200000;
    std::vector<unsigned char> ran(n);
    stolen st(thieves);
    ws::task_scope s;

    s.spawn([&] { st.child(); });
    for (int i = 0; i < n; i++)
        s.spawn([&ran, i] { ran[(size_t)i]++; });
    st.parent(1);
    s.sync();
    for (unsigned char r : ran)
        CHECK(r == 1);
}

static void ends(bool thieves)
{
    stolen st(thieves);
    std::string x;
    long y = 0;
    {
        ws::task_scope s;
        s.spawn(y, [&] {
            st.child();
            return 5l;
        });
        s.spawn(x, [] { return std::string("end"); });
        st.parent(1);
    }
    CHECK(y == 5 && x == "end");
    {
        ws::task_scope s; /* one child, no sync */
        s.spawn(y, fib, 10);
    }
    CHECK(y == 55);
    long r[8] = {};
    for (int i = 0; i < 8; i++) { /* none or one: the compiler does not know */
        ws::task_scope s;
        if (i % 4)
            s.spawn(r[i], fib, i);
        if (i < 4)
            s.sync();
    }
    CHECK(r[1] == 1 && r[2] == 1 && r[3] == 2 && r[4] == 0 && r[5] == 5 && r[6] == 8 && r[7] == 13);
    ws::task_scope unused;
}

template <class T> static T sum(const T *from, const T *to)
{
    if (to - from < 3)
        return std::accumulate(from, to, T());
    const T *middle = from + (to - from) / 2;
    T left, right;
    ws::task_scope s;
    s.spawn(left, sum<T>, from, middle);
    {
        ws::task_scope inner; /* a scope in a scope */
        inner.spawn(right, sum<T>, middle, to);
        inner.sync();
    }
    s.sync();
    return left + right;
}

static void templates(bool)
{
    std::vector<long> numbers(1000, 3);
    std::vector<std::string> texts(100, "ab");

    CHECK(sum(numbers.data(), numbers.data() + 1000) == 3000);
    CHECK(sum(texts.data(), texts.data() + 100).size() == 200);
}

static long pairs_of(long n)
{
    long a = 0, b = 0, c = 0;

    ws::parallel_invoke([&] { a = fib(n); }, [&] { b = fib(n + 1); }, [&] { c = fib(n + 2); });
    return ws::scope([&](ws::task_scope &s) {
               long d = a + b - c;
               s.spawn([&a] { a++; });
               return d;
           }) +
           a;
}

static void invokes(bool)
{
    CHECK(pairs_of(10) == 56);
    int only = 0;
    ws::parallel_invoke([&] { only = 1; });
    CHECK(only == 1);
    int number = 4;
    CHECK(&ws::scope([&](auto &) -> int & { return number; }) == &number);
    ws::scope([&](auto &s) { s.spawn([&] { number++; }); });
    CHECK(number == 5);
}

static WS_TASK(long, c_task, long, n)
{
    return fib(n) + ws::run(fib, n);
}

/* Both interfaces in one program, and scopes in C tasks outside regions. */
static void with_c(bool)
{
    CHECK(c_task(10) == 110);
    long r = 0;
    {
        ws_frame();
        ws_spawn(c_task, &r, 8);
        ws_sync();
    }
    CHECK(r == 42);
    CHECK(ws::run(c_task, 5) == 10);
}

int main()
{
    everywhere("functions", functions);
    everywhere("objects", objects);
    everywhere("large ones", large_ones);
    everywhere("no room", no_room);
    everywhere("room again", room_again);
    everywhere("full deque", full_deque);
    everywhere("ends", ends);
    everywhere("templates", templates);
    everywhere("invokes", invokes);
    everywhere("with C", with_c);
    return ended("children");
}
