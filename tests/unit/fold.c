/* SPDX-License-Identifier: MIT */
/* The copies of a WS_FOLD: lib/loop/fold.c. Neighbour: user/fold.c, with loops. */
#include "base/base.h"

#include "../support/resources.h"
#include "../support/run.h"
#include "guarded.h"
#include <stdlib.h>
#include <wsfj.h>

#define ROUNDS 100

void *__wrap_aligned_alloc(size_t align, size_t size);

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    return guarded_alloc(align, size);
}

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

/* Catches: a copy that does not fit into its block behind the head, or is not aligned. */
START_TEST(a_copy_of_any_size_has_room)
{
    for (size_t align = 1; align <= 256; align *= 4) {
        for (size_t i = 0; i < GUARDED_SIZES; i++) {
            struct wsfj_fold fold = {.wsfj_size = guarded_sizes[i], .wsfj_align = align};
            char *copy = (char *)wsfj_fold_push(&fold);

            ck_assert_ptr_nonnull(copy);
            copy += WSFJ_FOLD_OFFSET(align);
            ck_assert_uint_eq((uintptr_t)copy % align, 0);
            ck_assert_msg(guard_holds(copy, guarded_sizes[i]), "%zu bytes", guarded_sizes[i]);
            wsfj_fold_pop(&fold);
            wsfj_fold_end(&fold);
        }
    }
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("fold");

    tcase_add_test(tcase, all_copies_are_freed);
    tcase_add_test(tcase, a_copy_of_any_size_has_room);
    return run_case("fold", tcase);
}
