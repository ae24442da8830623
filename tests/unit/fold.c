/* SPDX-License-Identifier: MIT */
/* The copies of a WS_FOLD: lib/loop/fold.c. Neighbour: user/fold.c, with loops. */
#include "base/base.h"

#include "../support/resources.h"
#include "../support/run.h"
#include <stdlib.h>
#include <wsfj.h>

#define ROUNDS 100

/* Catches: a copy that stays after its fold, or is lost when it is used again. */
START_TEST(all_copies_are_freed)
{
    size_t before = 0;

    for (int i = 0; i < ROUNDS; i++) {
        struct wsfj_fold fold = {.wsfj_size = 100, .wsfj_align = 64};
        struct wsfj_fold_copy *first = wsfj_fold_push(&fold), *second = wsfj_fold_push(&fold);

        ck_assert(first && second && first != second);
        wsfj_fold_pop(&fold);
        ck_assert_ptr_eq(fold.wsfj_newest, first);
        ck_assert_ptr_eq(wsfj_fold_push(&fold), second);
        wsfj_fold_pop(&fold);
        wsfj_fold_pop(&fold);
        wsfj_fold_end(&fold);
        if (i == ROUNDS / 10)
            before = allocated();
    }
    ck_assert_uint_lt(allocated(), before + ROUNDS / 2 * 100);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("fold");

    tcase_add_test(tcase, all_copies_are_freed);
    return run_case("fold", tcase);
}
