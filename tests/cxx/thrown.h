/* SPDX-License-Identifier: MIT */
/* Exceptions that tests throw. */
#ifndef TESTS_CXX_THROWN_H
#define TESTS_CXX_THROWN_H

#include <atomic>

/* Counts objects. */
struct thrown {
    static inline std::atomic<int> live{0};
    int number;
    explicit thrown(int n) : number(n)
    {
        live++;
    }
    thrown(const thrown &other) : number(other.number)
    {
        live++;
    }
    ~thrown()
    {
        live--;
    }
};

/* The number that `code` throws, or -1. */
template <class F> static int number_of(F &&code)
{
    try {
        code();
    } catch (const thrown &t) {
        return t.number;
    }
    return -1;
}

#endif
