/* SPDX-License-Identifier: MIT */
/*
 * quicksort [N] - sorts N numbers. It shows the macros in C++: a task is an ordinary function, so the standard library
 * works in it. Exceptions must not leave a task.
 */
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>
#include <vector>
#include <wsfj.h>

static WS_TASK_VOID(quicksort, double *, first, double *, last)
{
    if (last - first <= 1000) {
        std::sort(first, last);
        return;
    }
    double low = std::min(*first, last[-1]), high = std::max(*first, last[-1]), middle = first[(last - first) / 2];
    double pivot = std::max(low, std::min(high, middle));
    double *less = std::partition(first, last, [=](double x) { return x < pivot; });
    double *more = std::partition(less, last, [=](double x) { return x == pivot; });

    ws_spawn(quicksort, first, less);
    ws_call(quicksort, more, last);
    ws_sync();
}

static int run(long n)
{
    std::vector<double> numbers(static_cast<std::size_t>(n));
    std::mt19937_64 random;

    std::generate(numbers.begin(), numbers.end(), [&] { return static_cast<double>(random() >> 11); });
    if (int error = ws_run(quicksort, numbers.data(), numbers.data() + n))
        return std::fprintf(stderr, "quicksort: %s\n", ws_strerror(error)), 1;
    if (!std::is_sorted(numbers.begin(), numbers.end()))
        return std::fprintf(stderr, "quicksort: %ld numbers: the result is not sorted\n", n), 1;
    if (std::printf("%ld numbers, the median is %.0f\n", n, numbers[numbers.size() / 2]) < 0 || std::fclose(stdout))
        return std::fprintf(stderr, "quicksort: standard output: %s\n", std::strerror(errno)), 1;
    return 0;
}

int main(int argc, char **argv)
{
    const long most = 1000000000;
    char *end = nullptr;
    long n = argc == 2 ? std::strtol(argv[1], &end, 10) : 1000000;

    if (argc > 2)
        return std::fputs("usage: quicksort [N]\n", stderr), 2;
    if (end && (end == argv[1] || *end || n < 1 || n > most))
        return std::fprintf(stderr, "quicksort: '%s' is not a number from 1 to %ld\n", argv[1], most), 2;
    try {
        return run(n);
    } catch (const std::bad_alloc &) {
        return std::fprintf(stderr, "quicksort: %ld numbers: no memory\n", n), 1;
    }
}
