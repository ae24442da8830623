/* SPDX-License-Identifier: MIT */
/* Every kind of loop and reduction, with indices and values of many types: compiled without a warning, also within the
 * headers (headers.sh). */
#include <wsfj.h>
static WS_LOOP(a, long, i, int *, x)
{
    x[i]++;
}
static WS_LOOP(b, unsigned char, i, int *, x)
{
    x[i]++;
}
static WS_LOOP(b2, short, i)
{
    (void)i;
}
static WS_LOOP_GRAIN(100, c, int, i, int *, x)
{
    x[i]++;
}
static WS_LOOP_STATIC(d, size_t, i, int *, x)
{
    x[i]++;
}
static WS_LOOP2(e, long, i, int, j, int *, x)
{
    x[i] += j;
}
static WS_LOOP3(f, long, i, int, j, unsigned, k, int *, x)
{
    x[i] += j + (int)k;
}
static WS_RANGE(g, long, lo, hi, int *, x)
{
    for (long i = lo; i < hi; i++)
        x[i]++;
}
struct big {
    double at[100];
};
static struct big add_big(struct big p, struct big q)
{
    p.at[0] += q.at[0];
    return p;
}
static WS_REDUCE(double, 0.0, WS_ADD, r, long, i, const double *, x)
{
    return x[i];
}
static WS_REDUCE_ANY(int, 0, WS_MAX, r2, short, i, const int *, x)
{
    return x[i];
}
static const struct big none = {{0}};
static WS_REDUCE(struct big, none, add_big, r3, int, i)
{
    struct big v = {{0}};
    v.at[0] = i;
    return v;
}
WS_TASK_VOID(t, int *, x)
{
    ws_spawn(a, 0, 10, x);
    ws_call(g, 0, 10, x);
    ws_sync();
}
int main(void)
{
    int x[300] = {0}, m = 0;
    double y[10] = {1}, s = 0;
    struct big v = {{0}};
    int bad = ws_for(a, 0, 10, x) + ws_for(b, 0, 10, x) + ws_for(b2, 0, 10) + ws_for(c, 0, 10, x) +
              ws_for(d, 0, 10, x) + ws_for(e, 0, 10, 0, 10, x) + ws_for(f, 0, 10, 0, 10, 0, 10, x) +
              ws_for(g, 0, 10, x) + ws_for(r, &s, 0, 10, y) + ws_for(r2, &m, 0, 10, x) + ws_for(r3, &v, 0, 10) +
              ws_run(t, x);
    return bad || s != 1 || v.at[0] != 45 || x[3] != 1 + 1 + 1 + 1 + 45 + 900 + 1 + 2;
}
