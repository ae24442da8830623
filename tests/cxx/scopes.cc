/* SPDX-License-Identifier: MIT */
/*
 * ws_scope in C++: the children of ws::task_scope are never dropped, because their callables must be destroyed. The loops
 * of wsfj.hpp run to their end. What C tasks spawn is dropped.
 */
#include <wsfj.hpp>

#include <memory>

#include "stolen.h"

static std::atomic<int> alive{0}, members{0};

struct counted {
    counted()
    {
        alive++;
    }
    counted(const counted &) = delete;
    counted &operator=(const counted &) = delete;
    ~counted()
    {
        alive--;
    }
};

static WS_TASK(int, member, int, n)
{
    members++;
    return n;
}

/* Catches: a thief that drops a callable, which is then never destroyed, or whose result is missing. */
static void callables(bool thieves)
{
    constexpr int n = 8;
    stolen state(thieves);
    int r[n] = {};
    ws_frame();
    ws_scope s;

    ws_scope_begin(&s);
    CHECK(ws_scope_cancel(&s, 5) == 1);
    {
        ws::task_scope t;

        for (int i = 0; i < n; i++) {
            auto c = std::make_unique<counted>();
            t.spawn(r[i], [&state, i, c = std::move(c)] {
                state.child();
                return i + 1;
            });
        }
        state.parent(1);
        t.sync();
    }
    CHECK(ws_scope_end(&s) == 5);
    CHECK(alive == 0);
    for (int i = 0; i < n; i++)
        CHECK(r[i] == i + 1);
}

static uint64_t dropped()
{
    ws_stats stats = {};

    stats.size = sizeof stats;
    CHECK(ws_stats_get(&stats) == 0);
    return stats.cancelled;
}

/* Catches: a member that a thief runs; a lambda or template in which the macros do not compile. */
template <class T> void c_members(bool thieves)
{
    auto body = [thieves](T code) {
        const uint64_t before = dropped();
        int r[8];
        ws_frame();
        ws_scope s;

        ws_scope_begin(&s);
        CHECK(ws_scope_cancel(&s, static_cast<int>(code)) == 1);
        for (int i = 0; i < 8; i++)
            ws_spawn(member, &r[i], i + 1);
        while (thieves && members == 0 && dropped() - before < 8)
            sched_yield();
        CHECK(!thieves || members == 0);
        CHECK(ws_scope_end(&s) == static_cast<int>(code));
        for (int i = 0; i < 8; i++)
            CHECK(r[i] == i + 1 || r[i] == 0);
    };

    members = 0;
    body(T(3));
}

/* Catches: a loop of C++ that ends early in a cancelled scope; a combination with a value that was never made. */
static void loops(bool thieves)
{
    std::atomic<int> strangers{0}, visited{0};
    auto combine = [&](std::unique_ptr<int> a, std::unique_ptr<int> b) {
        strangers += !a || !b;
        return std::make_unique<int>((a ? *a : 0) + (b ? *b : 0));
    };
    auto strange = [&](int a, int b) {
        strangers += !a || !b;
        return a + b;
    };
    ws_frame();
    ws_scope s;

    ws_scope_begin(&s);
    if (!thieves)
        CHECK(ws_scope_cancel(&s, 5) == 1);
    for (int round = 0; round < 2; round++) {
        auto visit = [&](int i) {
            if (i == 50)
                (void)ws_scope_cancel(&s, 5);
            visited++;
            return 1;
        };

        visited = 0;
        CHECK(*ws::reduce(0, 20000, std::make_unique<int>(0), combine,
                          [&](int i) { return std::make_unique<int>(visit(i)); }) == 20000);
        CHECK(ws::reduce(0, 20000, 0, strange, visit) == 20000);
        ws::for_each(0, 20000, visit);
        CHECK(visited == 60000);
    }
    CHECK(ws_scope_end(&s) == 5);
    CHECK(strangers == 0);
}

int main()
{
    everywhere("callables", callables);
    everywhere("loops", loops);
    everywhere("members", c_members<long>);
    return ended("scopes");
}
