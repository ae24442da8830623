/* SPDX-License-Identifier: MIT */
/* Loops. Their halves are no tasks here: the blocks stand in one list, in index order (WSFJ_WORD_RUN). */
#include "profile/record_build.h"

void wsfj_record_put_block(struct wsfj_account *a, enum wsfj_end end, uint64_t work)
{
    struct wsfj_record *r = a->record;
    uint64_t iterations = r->ran;

    r->ran = 0;
    if (wsfj_record_last(r)->kind == WSFJ_LIST_ITERATION) {
        wsfj_record_put_strand(a, end, false, work, true, 0);
        wsfj_record_close_list(r);
        if (!r->is_off)
            wsfj_record_put(r, wsfj_word(WSFJ_WORD_RUN, iterations << WSFJ_COST_BITS));
    } else {
        wsfj_record_put_strand(a, end, false, work, true, iterations);
    }
}

void wsfj_record_begin_half(struct wsfj_record *r, const void *scope)
{
    if (r->divides == scope) {
        if (!wsfj_record_open_list(r, WSFJ_LIST_LOOP, scope))
            return;
        wsfj_record_last(r)->loop = r->divided_loop;
        r->divides = NULL;
    }
    if (wsfj_record_open_list(r, WSFJ_LIST_HALF, NULL))
        wsfj_record_last(r)->loop = r->lists[r->num_lists - 2].loop;
}

/* A task of a loop begins: as a half of the loop that runs, or as a loop, if it is going to spawn. */
WSFJ_EXPORT void wsfj_profile_loop(struct wsfj_scope *scope, const void *loop, int divides)
{
    struct wsfj_record *r = wsfj_account_of(scope->wsfj_profile)->record;
    struct wsfj_record_list *l;

    if (!r || r->is_off)
        return;
    l = wsfj_record_last(r);
    if (l->kind == WSFJ_LIST_HALF && l->loop == loop && !l->is_entered) {
        l->is_entered = true;
        l->scope = scope;
    } else if (divides) {
        r->divides = scope;
        r->divided_loop = loop;
    }
}

/* The task's block has run. */
WSFJ_EXPORT void wsfj_profile_loop_ran(struct wsfj_scope *scope, uint64_t n)
{
    struct wsfj_record *r = wsfj_account_of(scope->wsfj_profile)->record;
    struct wsfj_record_list *l;

    if (!r || r->is_off)
        return;
    r->divides = NULL;
    l = wsfj_record_last(r);
    if (l->kind == WSFJ_LIST_ITERATION)
        l--;
    if (wsfj_record_is_loop(l) && l->scope == scope)
        r->ran = n < (uint64_t)1 << 36 ? n : ((uint64_t)1 << 36) - 1;
}
