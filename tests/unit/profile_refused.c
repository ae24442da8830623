/* SPDX-License-Identifier: MIT */
/* A profiled program that is refused memory: lib/profile. The linker replaces the allocating functions with the ones
 * below. In units, so that nothing is measured. */
#include "profile/profile.h"
#include "queue/group.h"

#include "../support/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The linker's names: __real_ is the C library's function, __wrap_ is called in its place. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
char *__wrap_strdup(const char *text);

static size_t refused; /* blocks of that size; 0: none */
static int refusals;
static const char *no_copy; /* the text of which there is none */

void *__wrap_malloc(size_t size)
{
    if (size != refused)
        return __real_malloc(size);
    refusals++;
    return NULL;
}

void *__wrap_calloc(size_t n, size_t size)
{
    if (size != refused)
        return __real_calloc(n, size);
    refusals++;
    return NULL;
}

char *__wrap_strdup(const char *text)
{
    if (text != no_copy)
        return __real_strdup(text);
    refusals++;
    return NULL;
}

static void start(void)
{
    ck_assert_int_eq(setenv("WSFJ_PROFILE_UNIT", "1", 1), 0);
    ck_assert_int_eq(setenv("WSFJ_PROFILE_OUT", "/dev/null", 1), 0);
    start_runtime(1, 0, WS_SPIN_DEFAULT);
}

/* Catches: a refused region that keeps the runtime busy for ever, or is counted as one. */
START_TEST(a_refused_region_is_over)
{
    static const size_t sizes[] = {sizeof(struct wsfj_account), sizeof(struct wsfj_site_slot)};
    struct wsfj_profile_root root;

    start();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        refused = sizes[i];
        refusals = 0;
        ck_assert_int_eq(wsfj_profile_open(&root), ENOMEM);
        ck_assert_int_eq(refusals, 1);
        ck_assert_ptr_null(root.wsfj_profile);
        ck_assert_ptr_null(wsfj_profile_tls);
        wsfj_profile_close(&root);
    }
    refused = 0;
    ck_assert_int_eq(ws_fini(), 0);
    ck_assert_int_eq(wsfj_profile_open(&root), 0);
    ck_assert_int_eq(ws_fini(), EBUSY);
    wsfj_profile_close(&root);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* What ws_group_submit() is in a profiled program. */
int wsfj_profile_group_submit(ws_group *group, ws_function *fn, void *arg);

/* More than are called inside each other. */
#define DEPTH 50

static int calls;

static void submits(void *group)
{
    if (++calls < DEPTH)
        ck_assert_int_eq(wsfj_profile_group_submit(group, submits, group), 0);
}

/* Catches: a task that cannot be queued, and is lost; one that its group awaits for ever. */
START_TEST(what_cannot_be_queued_is_called)
{
    ws_group group = WS_GROUP_INIT;
    struct wsfj_profile_root root;

    start();
    ck_assert_int_eq(wsfj_profile_open(&root), 0);
    refused = sizeof(struct wsfj_detached);
    submits(&group);
    refused = 0;
    ck_assert_int_eq(calls, DEPTH);
    ck_assert_int_gt(refusals, 0);
    ck_assert(wsfj_group_done(&group));
    wsfj_profile_close(&root);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static const struct wsfj_profile empty;
static struct wsfj_totals totals;

/* Catches: a site without a tally of its own, or without totals, that ends the program; totals that are half made; a site
 * that stays without totals for ever. */
START_TEST(sites_without_memory_are_counted_together)
{
    static const struct wsfj_site site = {"a.c", "f", 7};
    struct wsfj_account *a = wsfj_account_take(&empty);
    struct wsfj_tally *tally;

    ck_assert_ptr_nonnull(a);
    refused = sizeof *tally;
    ck_assert_ptr_eq(wsfj_profile_tally(&a->profile, &site), &a->rest);
    refused = 0;
    tally = wsfj_profile_tally(&a->profile, &site);
    ck_assert_ptr_ne(tally, &a->rest);
    for (int i = 0; i < 4; i++) {
        refusals = 0;
        refused = i == 0 ? sizeof *totals.sites : 0;
        no_copy = i == 1 ? site.wsfj_file : i == 2 ? site.wsfj_task : NULL;
        tally->wsfj_count = 3;
        wsfj_sites_fold(a, &totals);
        ck_assert_int_eq(refusals, i < 3);
        ck_assert_uint_eq(totals.spawns, 3u * (unsigned)(i + 1));
        ck_assert((totals.sites != NULL) == (i == 3));
    }
    ck_assert_uint_eq(totals.sites->count, 3);
    wsfj_account_give(a);
    wsfj_accounts_free();
    wsfj_totals_free(&totals);
    ck_assert_ptr_null(totals.sites);
    ck_assert_uint_eq(totals.spawns, 0);
}
END_TEST

/* Catches: the end of a group that is lost, because there is no memory for it. */
START_TEST(groups_without_memory_share_an_end)
{
    static const ws_group group = WS_GROUP_INIT;

    refused = sizeof(const ws_group *) + sizeof(struct wsfj_position) + sizeof(uint64_t) + sizeof(void *);
    wsfj_groups_reach(&group, (struct wsfj_position){.wsfj_span = 7});
    refused = 0;
    ck_assert_int_eq(refusals, 1);
    ck_assert_uint_eq(wsfj_groups_take(&group).wsfj_span, 7);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile_refused");

    tcase_add_test(tcase, a_refused_region_is_over);
    tcase_add_test(tcase, what_cannot_be_queued_is_called);
    tcase_add_test(tcase, sites_without_memory_are_counted_together);
    tcase_add_test(tcase, groups_without_memory_share_an_end);
    return run_case("profile_refused", tcase);
}
