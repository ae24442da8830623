/* SPDX-License-Identifier: MIT */
/* Every macro of wsfj.h in its common forms, valid C11 and C++17: nothing here may cost a user a warning. */
#include <wsfj.h>

struct point {
    double x, y;
};
struct large {
    char text[100];
};
typedef int (*callback)(int);
extern int forms_twice(int n);
extern void forms_note(int n);
extern long forms_main(void);

WS_DECLARE(long, forms_odd, long, n);
WS_DECLARE_VOID(forms_done, int, n);
WS_DECLARE_VOID(forms_nothing);
WS_SPAWNABLE(int, forms_twice, int, n);
WS_SPAWNABLE_VOID(forms_note, int, n);

/* Leaves: no spawn, no sync. */
WS_TASK(int, forms_leaf, int, n)
{
    return n;
}

WS_TASK(struct point, forms_point, double, x, double, y)
{
    struct point p = {x, y};
    return p;
}

WS_TASK(struct large, forms_large, struct large, text, char, c)
{
    text.text[0] = c;
    return text;
}

WS_TASK(int, forms_callback, callback, f, int, n)
{
    return f(n);
}

WS_TASK_VOID(forms_done, int, n)
{
    (void)n;
}

WS_TASK_VOID(forms_nothing)
{
}

static WS_TASK(long, forms_even, long, n)
{
    return n == 0 ? 1 : ws_call(forms_odd, n - 1);
}

WS_TASK(long, forms_odd, long, n)
{
    return n == 0 ? 0 : ws_call(forms_even, n - 1);
}

WS_TASK(long, forms_eight, char, a, short, b, int, c, long, d, float, e, double, f, const char *, g,
        const void *const *, h)
{
    return a + b + c + d + (long)e + (long)f + (g != NULL) + (h != NULL);
}

static WS_TASK(long, forms_parent, int, n)
{
    int a = 0, b = 0, c = 0;
    long d = 0;
    struct point p = {0, 0};
    struct large l = {{0}};

    ws_spawn(forms_leaf, &a, n);
    ws_spawn(forms_twice, &b, n);
    ws_spawn(forms_point, &p, 1.0, 2.0);
    ws_spawn(forms_large, &l, l, 'x');
    ws_spawn(forms_callback, &c, forms_twice, n);
    ws_spawn(forms_eight, &d, 'a', 2, 3, 4L, 5.0f, 6.0, "g", NULL);
    ws_spawn(forms_note, n);
    ws_spawn(forms_done, n);
    ws_spawn(forms_nothing);
    ws_sync();
    for (int i = 0; i < n; i++)
        ws_spawn(forms_leaf, NULL, i);
    ws_sync();
    ws_call(forms_nothing);
    if (n > 0)
        ws_spawn(forms_done, n);
    return a + b + c + d + (long)p.x + l.text[0] + ws_call(forms_even, 4);
}

/* Several kinds in one loop, and a block inside a task. */
WS_TASK(long, forms_loop, int, n)
{
    long sum = 0;
    int a[8] = {0};
    struct large text = {{0}};

    for (int i = 0; i < n && i < 8; i++) {
        ws_spawn(forms_leaf, &a[i], i);
        if (i % 2)
            ws_spawn(forms_done, i);
        if (i % 3 == 0)
            ws_spawn(forms_large, NULL, text, 'x');
    }
    ws_sync();
    for (int i = 0; i < 8; i++)
        sum += a[i];
    {
        int b = 0;

        ws_frame();
        ws_spawn(forms_leaf, &b, n);
        ws_sync();
        sum += b;
    }
    return sum;
}

WS_TASK_VOID(forms_mixed_loop, int *, r)
{
    for (int i = 0; i < 60; i++) {
        ws_spawn(forms_leaf, &r[i], i);
        if (i % 2)
            ws_spawn(forms_done, i);
        if (i % 3 == 0)
            ws_spawn(forms_leaf, &r[i], i);
    }
    ws_sync();
}

static int in_a_block(int n)
{
    int r = 0;
    {
        ws_frame();
        ws_spawn(forms_leaf, &r, n);
        ws_sync();
    }
    return r;
}

static int blocking_sections(int n)
{
    WS_BLOCKING
    {
        for (int i = 0; i < n; i++)
            WS_BLOCKING forms_note(i);
        WS_BLOCKING WS_BLOCKING if (n > 3) return 1;
    }
    return 0;
}

static WS_LOCAL(int, forms_local);

static void forms_zero(long *sum)
{
    *sum = 0;
}

static void forms_add(long *to, long *from)
{
    *to += *from;
}

static WS_FOLD(long, forms_zero, forms_add, forms_fold, long *, sum, unsigned short, i, const char *, text)
{
    *sum += i + *text;
}

static WS_TRY(forms_try, unsigned, i)
{
    return i > 5;
}

static long at_once(void)
{
    long sum = 0;
    int a = 0, b = 0;
    WS_TRIED(unsigned) r;
    ws_rng rng = ws_rng_at(1, 2);

    ws_frame();
    ws_invoke((forms_leaf, &a, 1), (forms_nothing), (forms_leaf, &b, 2));
    ws_invoke((forms_done, 1), (forms_leaf, NULL, (int)ws_rng_below(&rng, 3)));
    ws_spawn(forms_fold, &sum, 0, 9, "f");
    ws_spawn(forms_try, &r, 0, 9);
    ws_sync();
    *ws_local(&forms_local) += a;
    ws_local_each(&forms_local, p) sum += *p;
    ws_local_free(&forms_local);
    return sum + r.status + (r.at > 3) + b + ws_for(forms_fold, &sum, 0, 3, "g") + ws_for(forms_try, &r, 0, 3);
}

long forms_main(void)
{
    long r = 0;

    if (ws_run(forms_parent, &r, 3) != 0 || ws_run(forms_nothing) != 0 || ws_run(forms_done, 1) != 0)
        return -1;
    return r + in_a_block(1) + blocking_sections(2) + forms_leaf(2) + forms_parent(1) + forms_loop(5) + at_once();
}
