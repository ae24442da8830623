// SPDX-License-Identifier: MIT
// Exceptions and long jumps that leave functions with variables, on the stacks of tasks, before and after a join: a right
// program. AddressSanitizer marks such variables, and must clear the marks on the stack that the task has.
#include "elsewhere.h"

#include <setjmp.h>
#include <stdexcept>
#include <wsfj.hpp>

static jmp_buf *volatile back;

static __attribute__((noinline)) void fill(char *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = (char)i;
}

// The functions between leave marks behind where they are left by a throw or a jump.
static __attribute__((noinline)) int leave(int depth, jmp_buf *to)
{
    char mine[100];

    fill(mine, 100);
    if (depth > 0)
        return leave(depth - 1, to) + mine[depth];
    if (to)
        longjmp(*to, 1);
    throw std::runtime_error("leaves");
}

static __attribute__((noinline)) int thrown(int depth)
{
    try {
        return leave(depth, nullptr);
    } catch (const std::runtime_error &) {
        return 1;
    }
}

static __attribute__((noinline)) int jumped(int depth)
{
    jmp_buf here;

    return setjmp(here) ? 1 : leave(depth, &here);
}

static long tree(int n)
{
    char mine[64];
    long a = 0, b = 0;

    fill(mine, 64);
    if (n < 2)
        return thrown(5) + jumped(5) + thrown(n) - 2;
    {
        ws::task_scope s;

        s.spawn([&a, n] { a = tree(n - 1); });
        b = tree(n - 2);
        s.sync();
    }
    fill(mine, 64);
    return a + b + mine[3] - 3;
}

// On the thread that goes on after a join.
static WS_TASK_VOID(child, struct elsewhere *, e)
{
    elsewhere_child_begins(e);
    elsewhere_child_ends(e);
}

static WS_TASK(int, parent)
{
    struct elsewhere e = {0, 0, 0, WS_GROUP_INIT};

    ws_spawn(child, &e);
    long before = elsewhere_before_sync(&e);
    ws_sync();
    int left = thrown(9) + jumped(9);
    elsewhere_after_sync(&e, before);
    char mine[2000];
    fill(mine, 2000);
    return left;
}

int main()
{
    int left = 0;

    start_workers(2);
    for (int times = 0; times < 5; times++) {
        must(ws::run([] { return tree(12); }) == 233, "the tree's sum");
        must(ws_run(parent, &left) == 0 && left == 2, "an exception and a jump after a join");
    }
    return ws_fini();
}
