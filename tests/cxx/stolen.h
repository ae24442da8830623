/* SPDX-License-Identifier: MIT */
/*
 * Makes thieves take children, not by chance. A test calls child() first in each child and parent() between the spawns
 * and the sync. In the mode `by_thieves` the parent waits until so many children have begun elsewhere: the oldest ones.
 */
#ifndef TESTS_CXX_STOLEN_H
#define TESTS_CXX_STOLEN_H

#include "test.h"

inline size_t num_workers = 1;

struct stolen {
    bool by_thieves;
    std::atomic<int> begun{0};

    explicit stolen(bool thieves) : by_thieves(thieves && num_workers > 1)
    {
    }
    void child()
    {
        begun++;
    }
    void parent(int n)
    {
        if (by_thieves)
            await(begun, n);
    }
};

/* Runs the test as a root, with several numbers of workers, with and without steals, and with few stacks. */
inline void everywhere(const char *name, void (*test)(bool thieves))
{
#if defined WSFJ_SERIAL || defined WSFJ_PROFILE
    static const size_t workers[] = {1};
#else
    static const size_t workers[] = {1, 2, 3};
#endif
    static void (*now)(bool);

    running = name;
    now = test;
    test(false); /* outside any region */
    end_runtime();
    for (size_t n : workers) {
        num_workers = n;
        with_workers(name, n, [] {
            for (int i = 0; i < 2; i++)
                ws::run([] { now(false); });
            if (num_workers > 1)
                for (int i = 0; i < 3; i++)
                    ws::run([] { now(true); });
        });
    }
    num_workers = 1;
#if !defined WSFJ_SERIAL && !defined WSFJ_PROFILE
    for (size_t stacks : {1, 2})
        with_workers(
            name, 1, [] { ws::run([] { now(false); }); }, stacks);
#endif
}

#endif
