/* SPDX-License-Identifier: MIT */
/* What an account's thread does, as words of its builder: strands, tasks, scopes, waits. */
#include "profile/record_build.h"

#include "base/alloc.h"
#include "idle/phase.h"

#include <string.h>

#define LONG_NS 1000

static unsigned num_threads;
static __thread unsigned own_thread; /* 0: it has no number yet */

/* The strand's length since the last one, as words. */
static void put_lengths(struct wsfj_account *a, enum wsfj_end end, bool is_timed)
{
    struct wsfj_record *r = a->record;
    uint64_t work = a->profile.wsfj_work - r->work, blocked = a->profile.wsfj_blocked - r->blocked;

    r->work += work;
    r->blocked += blocked;
    if (blocked || a->blocking)
        wsfj_record_put_strand(a, end, true, blocked, is_timed, 0);
    if (r->is_off || (a->blocking && !work))
        return;
    work += r->kept;
    r->kept = 0;
    if (r->ran)
        wsfj_record_put_block(a, end, work);
    else if (wsfj_record_is_loop(wsfj_record_last(r)))
        r->kept = work;
    else
        wsfj_record_put_strand(a, end, false, work, is_timed, 0);
}

static void begin_child(struct wsfj_record *r, const void *scope)
{
    size_t n = r->detaches ? 0 : wsfj_record_find(r, scope);

    if (!r->detaches) {
        if (n)
            wsfj_record_close_above(r, n);
        else if (!wsfj_record_open_list(r, WSFJ_LIST_SCOPE, scope))
            return;
    }
    if (r->is_off || !wsfj_record_open_list(r, WSFJ_LIST_TASK, NULL))
        return;
    wsfj_record_last(r)->is_detached = r->detaches;
    wsfj_record_last(r)->group = r->detaches ? r->group : 0;
    wsfj_record_last(r)->post = r->detaches ? r->post : 0;
    r->detaches = false;
}

static void end_child(struct wsfj_record *r)
{
    size_t n = r->num_lists;

    while (n > 1 && r->lists[n - 1].kind != WSFJ_LIST_TASK && r->lists[n - 1].kind != WSFJ_LIST_HALF)
        n--;
    if (n > 1)
        wsfj_record_close_above(r, n - 1);
}

static void sync_scope(struct wsfj_record *r, const void *scope)
{
    size_t n = wsfj_record_find(r, scope);

    if (n && r->lists[n - 1].kind != WSFJ_LIST_HALF)
        wsfj_record_close_above(r, n - 1);
}

void wsfj_record_strand(struct wsfj_account *a, enum wsfj_end end, const struct wsfj_scope *scope, bool is_timed)
{
    struct wsfj_record *r = a->record;
    bool spawns = scope && end == WSFJ_END_SPAWN, halves;

    if (r->is_off)
        return;
    halves = spawns && !r->detaches && wsfj_record_is_loop(wsfj_record_last(r)) && wsfj_record_last(r)->scope == scope;
    if (spawns && !halves && wsfj_record_is_loop(wsfj_record_last(r)) &&
        !wsfj_record_open_list(r, WSFJ_LIST_ITERATION, NULL))
        return;
    put_lengths(a, end, is_timed);
    if (!scope || r->is_off)
        return;
    if (spawns && (halves || (!r->detaches && r->divides == scope)))
        wsfj_record_begin_half(r, scope);
    else if (spawns)
        begin_child(r, scope);
    else if (end == WSFJ_END_CHILD)
        end_child(r);
    else
        sync_scope(r, scope);
}

/* The group's number; 0: none. False: recording has ended. */
static bool number_group(struct wsfj_record *r, const ws_group *group, uint64_t *number)
{
    const char *why;

    *number = 0;
    why = group ? wsfj_groups_number(group, number) : NULL;
    if (why)
        wsfj_record_give_up(r, why);
    return !why;
}

void wsfj_record_detach(struct wsfj_account *a, const ws_group *group, uint64_t post)
{
    struct wsfj_record *r = a->record;

    if (!r || r->is_off || !number_group(r, group, &r->group))
        return;
    r->detaches = true;
    r->post = post;
}

/* A word between strands: what the strand has done so far stands behind it. */
static void put_between(struct wsfj_record *r, uint64_t word)
{
    if (wsfj_record_is_loop(wsfj_record_last(r)) && !wsfj_record_open_list(r, WSFJ_LIST_ITERATION, NULL))
        return;
    wsfj_record_put(r, word);
}

uint64_t wsfj_record_post(struct wsfj_account *a)
{
    uint64_t number;

    if (!a->record || a->record->is_off)
        return 0;
    number = wsfj_record_next_post();
    put_between(a->record, wsfj_word(WSFJ_WORD_POST, number));
    return number;
}

void wsfj_record_group_wait(struct wsfj_account *a, const ws_group *group)
{
    uint64_t number;

    if (a->record && !a->record->is_off && number_group(a->record, group, &number))
        put_between(a->record, wsfj_word(WSFJ_WORD_WAIT, number));
}

void wsfj_record_yield(struct wsfj_account *a)
{
    if (a->record && !a->record->is_off)
        put_between(a->record, wsfj_word(WSFJ_WORD_YIELD, 0));
}

void wsfj_record_enter(struct wsfj_account *a, uint64_t epoch)
{
    struct wsfj_record *r = a->record;

    if (!r)
        r = a->record = wsfj_calloc(1, sizeof *r);
    if (!r) {
        wsfj_record_fail("no memory");
        return;
    }
    if (!own_thread)
        own_thread = __atomic_add_fetch(&num_threads, 1, __ATOMIC_RELAXED); /* a number, and nothing else */
    *r = (struct wsfj_record){.region = wsfj_record_next_region(),
                              .epoch = epoch,
                              .thread = own_thread,
                              .in_phase = wsfj_phase_on(),
                              .words = r->words,
                              .max_words = r->max_words,
                              .lists = r->lists,
                              .max_lists = r->max_lists,
                              .costs = r->costs,
                              .num_costs = r->num_costs,
                              .work = a->profile.wsfj_work,
                              .blocked = a->profile.wsfj_blocked};
    r->least = (uint64_t)(LONG_NS / wsfj_clock_tick() * WSFJ_PROFILE_TICK);
    (void)wsfj_record_open_list(r, WSFJ_LIST_TASK, NULL);
}

void wsfj_record_leave(struct wsfj_account *a)
{
    struct wsfj_record *r = a->record;

    if (!r || r->is_off)
        return;
    wsfj_record_close_above(r, 1);
    if (!r->is_off)
        wsfj_record_put_rest(a);
    if (!r->is_off)
        wsfj_record_close_above(r, 0);
    if (!r->is_off)
        wsfj_record_costs(r->costs, r->num_costs);
    r->is_off = true;
}

void wsfj_record_drop(struct wsfj_account *a)
{
    struct wsfj_record *r = a->record;

    if (!r)
        return;
    r->is_off = true;
    if (r->costs)
        memset(r->costs, 0, r->num_costs * sizeof *r->costs);
}

void wsfj_record_free(struct wsfj_account *a)
{
    if (!a->record)
        return;
    free(a->record->words);
    free(a->record->lists);
    free(a->record->costs);
    free(a->record);
    a->record = NULL;
}
