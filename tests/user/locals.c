/* SPDX-License-Identifier: MIT */
/* A program with much thread-local memory. */
#include "../support/fib.h"
#include "../support/process.h"
#include "../support/runtime.h"

/* As large as the stacks of the library's own threads (base/thread.h). */
static __thread volatile char large[512 << 10];

static int run(long unused)
{
    long result = -1;

    (void)unused;
    large[0] = 1;
    start_runtime(2, 0, WS_SPIN_DEFAULT);
    if (ws_run(fib, &result, 20L) || result != serial_fib(20))
        return 1;
    return ws_fini();
}

/* Catches: threads that cannot be made, or have no stack, because the C library places that memory in it. */
START_TEST(threads_have_room_beside_it)
{
    struct outcome o = in_child(run, 0);

    expect_exit(&o, 0);
    ck_assert_str_eq(o.text, "");
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("locals");

    tcase_add_test(tcase, threads_have_room_beside_it);
    return run_case("locals", tcase);
}
