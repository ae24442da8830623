/* SPDX-License-Identifier: MIT */
/*
 * quicksort [N] - sorts N numbers. It shows wsfj.hpp: a template whose recursive calls are tasks, lambdas, and an
 * exception that comes out of ws::run().
 */
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <random>
#include <system_error>
#include <vector>
#include <wsfj.hpp>

template <class Iterator, class Less> static void quicksort(Iterator first, Iterator last, Less less)
{
    if (last - first <= 1000) {
        std::sort(first, last, less);
        return;
    }
    auto low = std::min(*first, last[-1], less), high = std::max(*first, last[-1], less);
    auto pivot = std::max(low, std::min(high, first[(last - first) / 2], less), less);
    Iterator middle = std::partition(first, last, [&](const auto &x) { return less(x, pivot); });
    Iterator more = std::partition(middle, last, [&](const auto &x) { return !less(pivot, x); });
    ws::task_scope scope;

    scope.spawn([=] { quicksort(first, middle, less); });
    quicksort(more, last, less);
    scope.sync();
}

static int run(long n)
{
    std::vector<double> numbers(static_cast<std::size_t>(n));
    std::mt19937_64 random;

    std::generate(numbers.begin(), numbers.end(), [&] { return static_cast<double>(random() >> 11); });
    ws::run([&] { quicksort(numbers.begin(), numbers.end(), std::less<double>()); });
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
    } catch (const std::system_error &error) { /* the runtime cannot start */
        return std::fprintf(stderr, "quicksort: %s\n", error.what()), 1;
    }
}
