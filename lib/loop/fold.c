/* SPDX-License-Identifier: MIT */
/* The copies of a WS_FOLD: one for each child that its driver has spawned (include/wsfj/fold.h). */
#include "base/alloc.h"

/* A copy that no child has used is kept for the next child. NULL: no memory. */
WSFJ_EXPORT struct wsfj_fold_copy *wsfj_fold_push(struct wsfj_fold *fold)
{
    struct wsfj_fold_copy *copy = fold->wsfj_free;

    if (copy) {
        fold->wsfj_free = copy->wsfj_next;
    } else {
        size_t offset = WSFJ_FOLD_OFFSET(fold->wsfj_align);

        copy = wsfj_aligned_alloc(offset, (offset + fold->wsfj_size + offset - 1) / offset * offset);
        if (!copy)
            return NULL;
    }
    copy->wsfj_next = fold->wsfj_newest;
    copy->wsfj_begun = 0;
    fold->wsfj_newest = copy;
    return copy;
}

WSFJ_EXPORT void wsfj_fold_pop(struct wsfj_fold *fold)
{
    struct wsfj_fold_copy *copy = fold->wsfj_newest;

    fold->wsfj_newest = copy->wsfj_next;
    copy->wsfj_next = fold->wsfj_free;
    fold->wsfj_free = copy;
}

WSFJ_EXPORT void wsfj_fold_end(struct wsfj_fold *fold)
{
    while (fold->wsfj_free) {
        struct wsfj_fold_copy *copy = fold->wsfj_free;

        fold->wsfj_free = copy->wsfj_next;
        free(copy);
    }
}
