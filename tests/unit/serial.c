/* SPDX-License-Identifier: MIT */
/* The deque of calls outside of regions: lib/api/serial.h. */
#include "api/serial.h"

#include "../support/resources.h"
#include "../support/run.h"
#include <stdlib.h>
#include <unistd.h>

/* Catches: a deque made for each call; a thread that stays inside after its call, and then shares the deque with the
 * next one; room for arguments that is not given back. */
START_TEST(one_deque_is_used_again)
{
    struct wsfj_deque *deque = wsfj_serial_enter();

    ck_assert_ptr_eq(wsfj_tls, deque);
    deque->wsfj_area = (char *)deque->wsfj_area + 64;
    wsfj_serial_leave(deque);
    ck_assert_ptr_null(wsfj_tls);
    ck_assert_ptr_eq(wsfj_serial_enter(), deque);
    ck_assert_ptr_eq(deque->wsfj_area, deque->wsfj_area_start);
    wsfj_serial_leave(deque);
}
END_TEST

#define ROUNDS 1000

/* Catches: a second deque that is kept by nobody. Each has more than a page. */
START_TEST(of_two_deques_one_is_kept)
{
    size_t before = 0, after;

    for (int i = 0; i < ROUNDS; i++) {
        struct wsfj_deque *first = wsfj_serial_enter(), *second = wsfj_serial_enter();

        ck_assert_ptr_ne(first, second);
        wsfj_serial_leave(second);
        wsfj_serial_leave(first);
        if (i == ROUNDS / 10)
            before = status_field("VmSize");
    }
    after = status_field("VmSize");
    ck_assert_uint_le(after, before + ROUNDS / 2 * (size_t)sysconf(_SC_PAGESIZE) / 1024);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("serial");

    tcase_add_test(tcase, one_deque_is_used_again);
    tcase_add_test(tcase, of_two_deques_one_is_kept);
    return run_case("serial", tcase);
}
