/* SPDX-License-Identifier: MIT */
#include "task/join.h"

#include "base/tsan.h"

#include <string.h>

struct wsfj_stack *wsfj_join_finish(struct wsfj_descriptor *desc, const struct wsfj_kind *kind)
{
    wsfj_chaos();

    /* JOIN-1: parent and thief both exchange, so the second one sees what the first did. The thief's last touch of the
     * descriptor. */
    uintptr_t old = swap_acq_rel(&desc->wsfj_word, wsfj_word_done(kind));

    if (!(old & WSFJ_WORD_JOIN))
        return NULL;
    return wsfj_join_arrive((struct wsfj_stack *)(old & ~(uintptr_t)WSFJ_WORD_JOIN), 1);
}

struct wsfj_stack *wsfj_join_drop(struct wsfj_descriptor *desc, const struct wsfj_kind *kind)
{
    wsfj_tsan_acquire(&desc->wsfj_word); /* the arguments, where the result goes: the steal has ordered them */
    memset(kind->wsfj_in_area ? (void *)(uintptr_t)desc->wsfj_args[0] : (void *)desc->wsfj_args, 0,
           kind->wsfj_result_size);
    wsfj_tsan_release(&desc->wsfj_word);
    return wsfj_join_finish(desc, kind);
}
