/* SPDX-License-Identifier: MIT */
/*
 * An exception of a child reaches the sync: that of the earliest spawned child that threw, also if the children ran on
 * other threads, in another order, because the deque was full, or because there was no room for their arguments. All
 * others are destroyed; none is lost or thrown twice. A block that throws awaits its children.
 *
 * Catches: the exception of a later child; one that leaks, or that another scope gets; a scope that is left while its
 * children run; a child that sees its parent's unwinding as its own.
 */
#include <wsfj.hpp>

#include "stolen.h"
#include "thrown.h"

#include <array>
#include <stdexcept>
#include <string>

static void none_left()
{
    CHECK(thrown::live == 0);
}

static void one_child(bool thieves)
{
    stolen st(thieves);
    long x = 0;
    ws::task_scope s;

    CHECK(number_of([&] {
              s.spawn([&] {
                  st.child();
                  throw thrown(1);
              });
              st.parent(1);
              s.sync();
          }) == 1);
    none_left();
    s.sync(); /* it is thrown once */
    s.spawn(x, [] { return 3l; });
    s.sync();
    CHECK(x == 3); /* the scope works as before */
}

/* Which of eight children throw: all subsets. */
static void the_earliest(bool thieves)
{
    for (unsigned mask = 0; mask < 256; mask++) {
        std::atomic<int> ran{0};
        stolen st(thieves);
        long result[8] = {};
        int first = -1;

        for (int i = 7; i >= 0; i--)
            if (mask >> i & 1)
                first = i;
        CHECK(number_of([&] {
                  ws::task_scope s;
                  for (int i = 0; i < 8; i++) {
                      auto child = [&, i] {
                          st.child();
                          ran++;
                          if (mask >> i & 1)
                              throw thrown(i);
                          return (long)i;
                      };
                      if (i % 3 == 0)
                          s.spawn(result[i], child);
                      else if (i % 3 == 1)
                          s.spawn([child] { child(); });
                      else
                          s.spawn([child](std::array<long, 12> a) { a[0] = child(); }, std::array<long, 12>());
                  }
                  st.parent((int)(mask % 9 < num_workers ? mask % 9 : num_workers - 1));
                  s.sync();
              }) == first);
        CHECK(ran == 8);
        for (int i = 0; i < 8; i += 3)
            CHECK(mask >> i & 1 || result[i] == i);
        none_left();
    }
}

/* Leaving the block is like sync(). */
static void at_the_end(bool thieves)
{
    stolen st(thieves);

    CHECK(number_of([&] {
              ws::task_scope s;
              s.spawn([] {});
              s.spawn([&] {
                  st.child();
                  throw thrown(1);
              });
              s.spawn([] { throw thrown(2); });
              st.parent(thieves && num_workers > 2 ? 1 : 0);
          }) == 1);
    none_left();
}

/* An exception leaves the block: it goes on, the children are awaited. */
static void the_block(bool thieves)
{
    std::atomic<int> ran{0};
    stolen st(thieves);

    CHECK(number_of([&] {
              int result = 0;
              ws::task_scope s;
              s.spawn([&] {
                  st.child();
                  CHECK(std::uncaught_exceptions() == 0);
                  ran++;
                  throw thrown(1);
              });
              for (int i = 0; i < 5; i++)
                  s.spawn(result, [&] {
                      CHECK(std::uncaught_exceptions() == 0);
                      /* A scope of a child that runs now is not in that unwinding. */
                      CHECK(number_of([&] {
                                ws::task_scope inner;
                                inner.spawn([] { throw thrown(7); });
                            }) == 7);
                      ran++;
                      return 1;
                  });
              st.parent(1);
              throw thrown(9);
          }) == 9);
    CHECK(std::uncaught_exceptions() == 0);
    CHECK(ran == 6);
    none_left();
}

/* ws::scope() throws what the serial program would throw. */
static void scopes(bool thieves)
{
    stolen st(thieves);

    CHECK(number_of([&] {
              ws::scope([&](ws::task_scope &s) {
                  s.spawn([&] { st.child(); });
                  s.spawn([] { throw thrown(1); });
                  st.parent(1);
                  throw thrown(2);
              });
          }) == 1);
    CHECK(number_of([&] {
              ws::scope([&](ws::task_scope &s) {
                  s.spawn([] {});
                  throw thrown(2);
              });
          }) == 2);
    CHECK(number_of([&] {
              (void)ws::scope([&](auto &s) {
                  s.spawn([] { throw thrown(3); });
                  return thrown(4);
              });
          }) == 3);
    CHECK(number_of([&] { ws::parallel_invoke([] {}, [] { throw thrown(1); }, [] { throw thrown(2); }); }) == 1);
    CHECK(number_of([&] { ws::parallel_invoke([] {}, [] {}, [] { throw thrown(2); }); }) == 2);
    none_left();
}

static long tree(int depth, int bad, int number = 1)
{
    if (number == bad)
        throw thrown(number);
    if (depth == 0)
        return 1;
    long x = 0, y = 0;
    ws::task_scope s;
    s.spawn(x, tree, depth - 1, bad, 2 * number);
    y = tree(depth - 1, bad, 2 * number + 1);
    s.sync();
    return x + y;
}

static void trees(bool)
{
    for (int bad = 0; bad < 512; bad++) {
        CHECK(number_of([&] { CHECK(tree(7, bad) == 128); }) == (bad > 0 && bad < 256 ? bad : -1));
        none_left();
    }
}

/* More children than a deque holds: the library calls some of them while the block spawns. */
static void full_deque(bool thieves)
{
    constexpr int n = 70000;

    for (int first : {0, 3, 66000, n - 1, n}) {
        stolen st(thieves);
        std::atomic<int> ran{0};

        CHECK(number_of([&] {
                  ws::task_scope s;
                  for (int i = 0; i < n; i++)
                      s.spawn([&, i] {
                          if (i == 0)
                              st.child();
                          ran++;
                          /* Their own children meet the full deque, too, soon after a newer child has thrown. */
                          if ((i - first + 997 * 1000) % 997 == 967)
                              CHECK(number_of([&] {
                                        ws::task_scope inner;
                                        for (int k = 0; k < 200; k++)
                                            inner.spawn([k] {
                                                if (k >= 100)
                                                    throw thrown(k);
                                            });
                                        inner.sync();
                                    }) == 100);
                          if (i >= first && (i - first) % 997 == 0)
                              throw thrown(i);
                      });
                  st.parent(1);
                  s.sync();
              }) == (first == n ? -1 : first));
        CHECK(ran == n);
        none_left();
    }
}

/* The deque is full of stolen children: the spawn waits for them. */
static void full_of_stolen(bool thieves)
{
    constexpr int n = 140000;
    static bool done;
    stolen st(thieves);

    if (!st.by_thieves || done)
        return;
    done = true;
    CHECK(number_of([&] {
              ws::task_scope s;
              for (int i = 0; i < n; i++) {
                  s.spawn([&, i] {
                      st.child();
                      if (i % 1000 == 500)
                          throw thrown(i);
                  });
                  st.parent(i + 1);
              }
              s.sync();
          }) == 500);
    none_left();
}

/* Only children whose arguments find no room throw, and some before. */
static void no_room(bool)
{
    constexpr int n = 20000;

    for (int first : {10, n - 5}) {
        std::atomic<int> ran{0};
        CHECK(number_of([&] {
                  ws::task_scope s;
                  for (int i = 0; i < n; i++)
                      s.spawn(
                          [&](std::array<int, 40> a) {
                              ran++;
                              if (a[39] >= first && (a[39] - first) % 97 == 0)
                                  throw thrown(a[39]);
                          },
                          [i] {
                              std::array<int, 40> a{};
                              a[39] = i;
                              return a;
                          }());
                  s.sync();
              }) == first);
        CHECK(ran == n);
        none_left();
    }
}

/* A callable that cannot be copied to the task: spawn() throws, and nothing is spawned. */
struct throws_in_copy {
    bool armed = true;
    std::array<long, 10> much{};
    throws_in_copy() = default;
    throws_in_copy(const throws_in_copy &) : armed(true)
    {
        throw thrown(1);
    }
    throws_in_copy(throws_in_copy &&) noexcept = default;
    void operator()() const
    {
    }
};

/* ... or that throws when the child takes it from there. */
struct throws_in_move {
    int moves;
    explicit throws_in_move(int n) : moves(n)
    {
    }
    throws_in_move(throws_in_move &&other) : moves(other.moves - 1)
    {
        if (moves == 0)
            throw thrown(2);
    }
    void operator()() const
    {
    }
};

static void copies(bool thieves)
{
    stolen st(thieves);
    throws_in_copy c;
    long x = 0;
    ws::task_scope s;

    s.spawn([&] { st.child(); });
    CHECK(number_of([&] { s.spawn(c); }) == 1);
    s.spawn(x, [] { return 4l; });
    st.parent(1);
    s.sync();
    CHECK(x == 4);
#if !defined WSFJ_SERIAL && !defined WSFJ_PROFILE
    CHECK(number_of([&] {
              s.spawn(throws_in_move(2));
              s.sync();
          }) == 2);
#endif
    none_left();
}

static void from_run(bool)
{
    CHECK(number_of([] { ws::run([] { throw thrown(3); }); }) == 3);
    CHECK(number_of([] {
              (void)ws::run(
                  [](int n) -> std::string {
                      if (n == 1)
                          throw thrown(4);
                      return "none";
                  },
                  1);
          }) == 4);
    none_left();
}

static void from_groups(bool)
{
    ws::group g;

    for (int repeat = 0; repeat < 3; repeat++) {
        for (int i = 0; i < 100; i++)
            g.submit(
                [](int n) {
                    if (n % 10 == 7)
                        throw thrown(n);
                },
                i);
        CHECK(number_of([&] { g.wait(); }) == 7);
        none_left();
        g.wait();
    }
    {
        ws::group dropped;
        dropped.submit([] { throw thrown(1); });
        while (!dropped.try_submit([] { throw thrown(2); }))
            sched_yield();
    }
    none_left();
}

/* A handler that syncs, whose exception goes with the task. */
static void in_handlers(bool thieves)
{
    try {
        throw std::runtime_error("outer");
    } catch (const std::exception &e) {
        stolen st(thieves);
        CHECK(number_of([&] {
                  ws::task_scope s;
                  s.spawn([&] {
                      st.child();
                      for (int i = 0; i < 3; i++)
                          sched_yield();
                      throw thrown(1);
                  });
                  st.parent(1);
                  s.sync();
              }) == 1);
        CHECK(std::string(e.what()) == "outer");
        try {
            throw;
        } catch (const std::runtime_error &again) {
            CHECK(&again == &e);
        }
    }
}

/* In a destructor that an exception has called, sync() throws to that destructor. */
static void in_destructors(bool thieves)
{
    struct syncs {
        bool thieves;
        ~syncs()
        {
            stolen st(thieves);
            CHECK(std::uncaught_exceptions() == 1);
            CHECK(number_of([&] {
                      ws::task_scope s;
                      s.spawn([&] {
                          st.child();
                          throw thrown(1);
                      });
                      s.spawn([] { throw thrown(2); });
                      st.parent(1);
                      s.sync();
                  }) == 1);
            /* What is noted before the sync is not dropped there, either. */
            CHECK(number_of([&] {
                      ws::scope([](ws::task_scope &s) {
                          s.spawn([] {});
                          throw thrown(3);
                      });
                  }) == 3);
            CHECK(std::uncaught_exceptions() == 1);
        }
    };
    CHECK(number_of([&] {
              syncs here{thieves};
              throw thrown(5);
          }) == 5);
    none_left();
}

int main()
{
    everywhere("one child", one_child);
    everywhere("the earliest", the_earliest);
    everywhere("at the end", at_the_end);
    everywhere("the block", the_block);
    everywhere("scopes", scopes);
    everywhere("trees", trees);
    everywhere("full deque", full_deque);
    everywhere("full of stolen", full_of_stolen);
    everywhere("no room", no_room);
    everywhere("copies", copies);
    everywhere("run", from_run);
    everywhere("groups", from_groups);
    everywhere("in handlers", in_handlers);
    everywhere("in destructors", in_destructors);
    return ended("exceptions");
}
