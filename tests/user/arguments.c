/* SPDX-License-Identifier: MIT */
/* What a spawn does with its arguments: ws_spawn_if(), sixteen parameters, compound literals, const and array types. */
#include "workers.h"

#define ROUNDS 200

struct point {
    int x, y;
};
struct large {
    long numbers[20];
};
typedef const int three[3];
typedef int (*function)(int);

static int twice(int n)
{
    return 2 * n;
}

static WS_TASK(long, sum16, char, a, short, b, int, c, long, d, float, e, double, f, unsigned, g, long long, h, char, i,
               short, j, int, k, long, l, float, m, double, n, unsigned, o, const char *, p)
{
    return a + 2L * b + 3L * c + 4L * d + (long)(5 * e) + (long)(6 * f) + 7L * g + 8L * (long)h + 9L * i + 10L * j +
           11L * k + 12L * l + (long)(13 * m) + (long)(14 * n) + 15L * o + p[0];
}

/* Sixteen pieces and the result pointer. */
static WS_TASK(int, points, struct point, a, struct point, b, struct point, c, struct point, d, struct point, e,
               struct point, f, struct point, g, struct point, h)
{
    return a.x + 2 * a.y + 3 * b.x + 4 * b.y + 5 * c.x + 6 * c.y + 7 * d.x + 8 * d.y + e.x * e.y + f.x * f.y +
           g.x * g.y + h.x * h.y;
}

static WS_TASK(long, typed, const int, n, three, a, function, f, const struct large, l)
{
    return n + 10 * a[0] + 100 * a[1] + 1000 * a[2] + 10000 * f(n) + l.numbers[19];
}

static int next; /* of the tasks of spawn_if, in which nothing runs at once */
static WS_TASK(int, count, int, n)
{
    return n + __atomic_add_fetch(&next, 1, __ATOMIC_RELAXED) * 0;
}

static WS_TASK(long, tree, int, depth, int, cut)
{
    long a = 0, b = 0;

    if (depth == 0)
        return 1;
    ws_spawn_if(depth > cut, tree, &a, depth - 1, cut);
    ws_spawn_if(depth % 2, tree, &b, depth - 1, cut);
    ws_sync();
    return a + b;
}

static WS_TASK(struct large, fill, long, n, struct large, from)
{
    from.numbers[n % 20] = n;
    return from;
}

static WS_TASK_VOID(note, int *, to, int, n)
{
    *to = n;
}
static WS_TASK_VOID(bare)
{
    __atomic_add_fetch(&next, 1, __ATOMIC_RELAXED);
}

static WS_TASK(int, evaluates, int, condition)
{
    int evaluated = 0, conditions = 0, result[2] = {0, 0}, *to = result, noted = 0;

    ws_spawn_if((conditions++, condition), count, to++, (evaluated++, 7));
    ck_assert_ptr_eq(to, result + 1);
    ck_assert_int_eq(evaluated, 1);
    ck_assert_int_eq(conditions, 1);
    if (!condition)
        ck_assert_int_eq(result[0], 7); /* a call has stored its result */
    ws_spawn_if(condition, note, &noted, 3);
    if (!condition)
        ck_assert_int_eq(noted, 3);
    ws_spawn_if(condition, bare);
    ws_spawn_if(condition, count, NULL, 1);
    ws_sync();
    ck_assert_int_eq(noted, 3);
    return result[0];
}

/* Between children that wait: theirs must not be lost. */
static WS_TASK(long, mixed, int, n)
{
    struct large from = {{0}}, got[8];
    int small[8] = {0}, more[8] = {0};
    long sum = 0;

    for (int i = 0; i < n; i++) {
        ws_spawn(count, &small[i % 8], i);
        ws_spawn_if(i % 3 == 0, fill, &got[i % 8], i, from);
        ws_spawn_if(i % 2, count, &more[i % 8], i);
        if (i % 8 == 7) {
            ws_sync();
            for (int j = 0; j < 8; j++)
                sum += small[j] + more[j] + got[j].numbers[(i - 7 + j) % 20];
        }
    }
    ws_sync();
    return sum;
}

/* More children than a deque holds. */
static WS_TASK(long, many, int, n, int *, results)
{
    long sum = 0;

    for (int i = 0; i < n; i++) {
        ws_spawn_if(i % 3, count, &results[i], i);
        if (i == n / 2)
            ws_spawn_if(0, tree, &sum, 8, 3);
    }
    ws_sync();
    for (int i = 0; i < n; i++)
        sum += results[i];
    return sum;
}

static WS_TASK(long, all, int, n)
{
    static const int numbers[3] = {1, 2, 3};
    struct large l = {.numbers = {[19] = 1000000}};
    long a = 0, c = 0, results[4];
    int b = 0;

    ws_spawn(sum16, &a, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, "p");
    ws_spawn(points, &b, (struct point){1, 2}, (struct point){3, 4}, (struct point){.x = n, .y = 6},
             (struct point){7, 8}, (struct point){1, 1}, (struct point){2, 2}, (struct point){3, 3},
             (struct point){4, 4});
    ws_spawn(typed, &c, 5, numbers, twice, l);
    for (int i = 0; i < 4; i++)
        ws_spawn(typed, &results[i], i, numbers, twice, l);
    ws_sync();
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(results[i], i + 3210 + 20000 * i + 1000000);
    ck_assert_int_eq(c, 5 + 3210 + 100000 + 1000000);
    ck_assert_int_eq(b, 1 + 4 + 9 + 16 + 5 * n + 36 + 49 + 64 + 1 + 4 + 9 + 16);
    return a;
}

START_TEST(arguments_arrive)
{
    long r = 0, expected = 'p';

    for (int i = 1; i <= 15; i++)
        expected += i * i;
    start(workers[_i]);
    for (int i = 0; i < ROUNDS; i++) {
        ck_assert_int_eq(ws_run(all, &r, i), 0);
        ck_assert_int_eq(r, expected);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

START_TEST(spawn_if_spawns_or_calls)
{
    int r = 0;
    long sum = 0, expected = 0;

    start(workers[_i]);
    for (int i = 0; i < ROUNDS; i++) {
        next = 0;
        ck_assert_int_eq(ws_run(evaluates, &r, i % 2), 0);
        ck_assert_int_eq(r, 7);
        ck_assert_int_eq(next, 3); /* count twice, bare once */
    }
    for (int cut = 0; cut < 12; cut++) {
        ck_assert_int_eq(ws_run(tree, &sum, 11, cut), 0);
        ck_assert_int_eq(sum, 2048);
    }
    for (int i = 0; i < 400; i++)
        expected += 3 * i;
    ck_assert_int_eq(ws_run(mixed, &sum, 400), 0);
    ck_assert_int_eq(sum, expected);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

START_TEST(spawn_if_when_the_deque_is_full)
{
    const int n = 200000;
    int *results = malloc((size_t)n * sizeof *results);
    long sum = 0;

    ck_assert_ptr_nonnull(results);
    start(workers[_i]);
    ck_assert_int_eq(ws_run(many, &sum, n, results), 0);
    ck_assert_int_eq(sum, 256 + (long)n * (n - 1) / 2);
    ck_assert_int_eq(ws_fini(), 0);
    free(results);
}
END_TEST

START_TEST(spawn_if_outside_of_a_region)
{
    int a = 0, b = 0;
    ws_frame();

    ws_spawn_if(0, count, &a, 4);
    ws_spawn_if(1, count, &b, 5);
    ck_assert_int_eq(a, 4);
    ws_sync();
    ck_assert_int_eq(b, 5);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("arguments");

    tcase_add_loop_test(tcase, arguments_arrive, 0, WORKERS);
    tcase_add_loop_test(tcase, spawn_if_spawns_or_calls, 0, WORKERS);
    tcase_add_loop_test(tcase, spawn_if_when_the_deque_is_full, 0, WORKERS);
    tcase_add_test(tcase, spawn_if_outside_of_a_region);
    return run_case("arguments", tcase);
}
