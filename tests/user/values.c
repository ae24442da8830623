/* SPDX-License-Identifier: MIT */
/* Arguments and results of all scalar types arrive whole and in order, whether a child runs at its sync, was stolen and
 * is done, or is waited for. Tasks count errors; the main thread asserts. Neighbour: structures.c. */
#include "steals.h"
#include "workers.h"

#include <stdbool.h>

#define REPEATS 3

enum colour { RED = -1, BLUE = 1 << 30 };
typedef int (*callback)(int);
typedef const char *const *texts;

static int twice(int n)
{
    return 2 * n;
}

/* For each scalar type a task that returns its argument, between neighbours that must stay unchanged. */
/* clang-format off */
#define SCALARS(X)                                                                                                     \
    X(char, c, 'x') X(signed char, sc, -128) X(unsigned char, uc, 255) X(short, s, -32768)                             \
    X(unsigned short, us, 65535) X(int, i, -2147483647) X(unsigned, u, 4294967295u) X(long, l, -9223372036854775807l)  \
    X(unsigned long long, ull, 18446744073709551615ull) X(float, f, -1.5f) X(double, d, 1e300)                         \
    X(long double, ld, 1.0L / 3) X(_Bool, b, 1) X(enum colour, e, BLUE) X(callback, cb, twice)                         \
    X(void *, p, (void *)&steals_state) X(texts, t, (texts)(uintptr_t)&steals_state) X(unsigned __int128, x, (unsigned __int128)1 << 100)
/* clang-format on */

#define SCALAR_TASK(T, name, value)                                                                                    \
    static WS_TASK(T, echo_##name, char, before, T, v, char, after)                                                    \
    {                                                                                                                  \
        steals_in();                                                                                                   \
        T result = before == 'b' && after == 'a' ? v : (T)0;                                                           \
        steals_out();                                                                                                  \
        return result;                                                                                                 \
    }                                                                                                                  \
    static WS_TASK(long, root_##name)                                                                                  \
    {                                                                                                                  \
        struct {                                                                                                       \
            T before;                                                                                                  \
            T got;                                                                                                     \
            T after;                                                                                                   \
        } r = {(T)0, (T)0, (T)0};                                                                                      \
        T second = (T)0;                                                                                               \
        ws_spawn(echo_##name, &r.got, 'b', (value), 'a');                                                              \
        ws_spawn(echo_##name, &second, 'b', (value), 'a');                                                             \
        steals_wait(1);                                                                                                \
        ws_sync();                                                                                                     \
        return (r.got != (T)(value)) + (second != (T)(value)) + (r.before != (T)0) + (r.after != (T)0);                \
    }
SCALARS(SCALAR_TASK)

/* Catches: a value converted on its way (to an integer, to a double), or stored wider than its variable. */
START_TEST(scalars_arrive_whole)
{
    long wrong = 0, one;

    start(workers[_i]);
    for (unsigned mode = 0; mode < STEALS_MODES; mode++) {
        for (int i = 0; i < REPEATS; i++) {
#define SCALAR_RUN(T, name, value)                                                                                     \
    steals_begin((enum steals_mode)mode);                                                                              \
    one = 1;                                                                                                           \
    wrong += ws_run(root_##name, &one) + one;
            SCALARS(SCALAR_RUN)
        }
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert(steals() > 0 || ws_num_workers() == 1);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static unsigned void_calls;

static WS_TASK(double, args0)
{
    steals_in();
    steals_out();
    return 0.5;
}
static WS_TASK(double, args1, double, a)
{
    steals_in();
    steals_out();
    return a;
}
static WS_TASK(double, args2, char, a, double, b)
{
    steals_in();
    steals_out();
    return a + 10 * b;
}
static WS_TASK(double, args3, char, a, double, b, short, c)
{
    steals_in();
    steals_out();
    return a + 10 * b + 100 * c;
}
static WS_TASK(double, args4, char, a, double, b, short, c, float, d)
{
    steals_in();
    steals_out();
    return a + 10 * b + 100 * c + 1000 * (double)d;
}
static WS_TASK(double, args5, char, a, double, b, short, c, float, d, long, e)
{
    steals_in();
    steals_out();
    return a + 10 * b + 100 * c + 1000 * (double)d + 1e4 * (double)e;
}
static WS_TASK(double, args6, char, a, double, b, short, c, float, d, long, e, const char *, g)
{
    steals_in();
    steals_out();
    return a + 10 * b + 100 * c + 1000 * (double)d + 1e4 * (double)e + 1e5 * (*g - '0');
}
static WS_TASK(double, args7, char, a, double, b, short, c, float, d, long, e, const char *, g, bool, h)
{
    steals_in();
    steals_out();
    return a + 10 * b + 100 * c + 1000 * (double)d + 1e4 * (double)e + 1e5 * (*g - '0') + 1e6 * h;
}
static WS_TASK(double, args8, char, a, double, b, short, c, float, d, long, e, const char *, g, bool, h, long double, i)
{
    steals_in();
    steals_out();
    return a + 10 * b + 100 * c + 1000 * (double)d + 1e4 * (double)e + 1e5 * (*g - '0') + 1e6 * h + 1e7 * (double)i;
}
static WS_TASK_VOID(void0)
{
    steals_in();
    (void)__atomic_fetch_add(&void_calls, 1, __ATOMIC_RELAXED);
    steals_out();
}
static WS_TASK_VOID(void8, double *, at, char, b, short, c, float, d, long, e, const char *, g, bool, h, long double, i)
{
    steals_in();
    *at = b + 10 * c + 100 * (double)d + 1000 * (double)e + 1e4 * (*g - '0') + 1e5 * h + 1e6 * (double)i;
    (void)__atomic_fetch_add(&void_calls, 1, __ATOMIC_RELAXED);
    steals_out();
}

static WS_TASK(long, all_arities)
{
    static const double expected[9] = {0.5, 1, 21, 321, 4321, 54321, 654321, 1654321, 81654321};
    double r[9] = {0}, v = 0;
    long wrong = 0;

    ws_spawn(args0, &r[0]);
    ws_spawn(args1, &r[1], 1.0);
    ws_spawn(args2, &r[2], 1, 2.0);
    ws_spawn(args3, &r[3], 1, 2.0, 3);
    ws_spawn(args4, &r[4], 1, 2.0, 3, 4.0f);
    ws_spawn(args5, &r[5], 1, 2.0, 3, 4.0f, 5);
    ws_spawn(args6, &r[6], 1, 2.0, 3, 4.0f, 5, "6");
    ws_spawn(args7, &r[7], 1, 2.0, 3, 4.0f, 5, "6", true);
    ws_spawn(args8, &r[8], 1, 2.0, 3, 4.0f, 5, "6", true, 8.0L);
    ws_spawn(void0);
    ws_spawn(void8, &v, 1, 2, 3.0f, 4, "5", true, 7.0L);
    steals_wait(3);
    ws_sync();
    for (int i = 0; i < 9; i++)
        wrong += r[i] != expected[i];
    return wrong + (v != 7154321);
}

/* Catches: arguments shifted by each other's padding, lost, or exchanged; the same for roots and plain calls. */
START_TEST(none_to_eight_arguments_arrive_in_order)
{
    long wrong = 0, one;
    double r = 0, v = 0;
    unsigned runs = 0;

    start(workers[_i]);
    for (unsigned mode = 0; mode < STEALS_MODES; mode++) {
        for (int i = 0; i < 2 * REPEATS; i++, runs++) {
            steals_begin((enum steals_mode)mode);
            one = 1;
            wrong += ws_run(all_arities, &one) + one;
        }
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert_uint_eq(void_calls, 2 * runs);
    ck_assert(steals() > 0 || ws_num_workers() == 1);

    steals_begin(STEALS_NONE);
    ck_assert_int_eq(ws_run(args0, &r), 0);
    ck_assert(r == 0.5);
    ck_assert_int_eq(ws_run(args8, &r, 1, 2.0, 3, 4.0f, 5, "6", true, 8.0L), 0);
    ck_assert(r == 81654321);
    ck_assert_int_eq(ws_run(void0), 0);
    ck_assert_int_eq(ws_run(void8, &v, 1, 2, 3.0f, 4, "5", true, 7.0L), 0);
    ck_assert(v == 7154321);
    ck_assert(args8(1, 2.0, 3, 4.0f, 5, "6", true, 8.0L) == 81654321); /* a plain call, outside */
    void0();
    ck_assert_uint_eq(void_calls, 2 * runs + 3);
    ck_assert_int_eq(ws_run(args1, NULL, 1.0), 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("values");

    tcase_add_loop_test(tcase, scalars_arrive_whole, 0, WORKERS);
    tcase_add_loop_test(tcase, none_to_eight_arguments_arrive_in_order, 0, WORKERS);
    return run_case("values", tcase);
}
