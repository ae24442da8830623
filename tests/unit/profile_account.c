/* SPDX-License-Identifier: MIT */
/* Accounts of profiled regions: lib/profile/account.c and site.c, without a runtime. Neighbour: user/profile.c, the
 * accounts of a program. */
#include "profile/profile.h"

#include "../support/resources.h"
#include "../support/run.h"
#include "../support/sanitizer.h"

enum { ACCOUNTS = 8, SITES = 1000 };

static const struct wsfj_profile start;

/* Of sites only the address counts here. */
static const struct wsfj_site *site_at(uintptr_t i)
{
    return (const struct wsfj_site *)(i * 64);
}

/* As many regions at once, each with as many sites. */
static void use(void)
{
    struct wsfj_account *a[ACCOUNTS];

    for (int i = 0; i < ACCOUNTS; i++) {
        a[i] = wsfj_account_take(&start);
        ck_assert_ptr_nonnull(a[i]);
        for (uintptr_t s = 1; s <= SITES; s++)
            (void)wsfj_profile_tally(&a[i]->profile, site_at(s));
    }
    for (int i = 0; i < ACCOUNTS; i++)
        wsfj_account_give(a[i]);
}

/* Catches: memory of accounts, sites or tables that is not freed at exit, or in a table's place when it grows. */
START_TEST(accounts_leave_no_memory)
{
    size_t before;

    use(); /* what the C library keeps for itself */
    wsfj_accounts_free();
    before = allocated();
    for (int i = 0; i < 20; i++) {
        use();
        wsfj_accounts_free();
    }
    ck_assert_uint_le(allocated(), before + 1000);
}
END_TEST

/* Catches: an account that is used by two regions, or by none again. */
START_TEST(an_account_is_used_again)
{
    struct wsfj_account *a = wsfj_account_take(&start), *b = wsfj_account_take(&start), *c;

    ck_assert_ptr_ne(a, b);
    wsfj_account_give(a);
    c = wsfj_account_take(&start);
    ck_assert_ptr_eq(a, c);
    wsfj_account_give(b);
    wsfj_account_give(c);
    wsfj_accounts_free();
}
END_TEST

/* Catches: a site that is counted as another one, or twice; a table that is too full to be searched. */
START_TEST(each_site_has_its_own_tally)
{
    enum { MANY = 40000, MOST = 1 << 15 };
    struct wsfj_account *a = wsfj_account_take(&start);

    for (uintptr_t s = 1; s <= MANY; s++) {
        struct wsfj_tally *t = wsfj_profile_tally(&a->profile, site_at(s));

        ck_assert(s <= MOST ? t->wsfj_count == 0 : t == &a->rest);
        t->wsfj_count = s;
    }
    ck_assert_uint_eq(a->num_tallies, MOST);
    for (uintptr_t s = 1; s <= MOST; s++)
        ck_assert_uint_eq(wsfj_profile_tally(&a->profile, site_at(s))->wsfj_count, s);
    wsfj_account_give(a);
    wsfj_accounts_free();
}
END_TEST

/* Catches: a search that leaves the table at its end. */
START_TEST(behind_the_last_slot_comes_the_first)
{
    struct wsfj_account *a = wsfj_account_take(&start);
    uintptr_t at = 0;

    for (unsigned i = 1; i <= 4; i++) {
        do
            at++;
        while ((uintptr_t)site_at(at) * UINT64_C(0x9e3779b97f4a7c15) >> 48 != 0xffff); /* the last one of any table */
        wsfj_profile_tally(&a->profile, site_at(at))->wsfj_count = i;
        ck_assert_uint_eq(wsfj_profile_tally(&a->profile, site_at(at))->wsfj_count, i);
        ck_assert_uint_eq(a->num_tallies, i);
    }
    wsfj_account_give(a);
    wsfj_accounts_free();
}
END_TEST

static void set_sample(struct wsfj_strands *s)
{
    s->wsfj_sample[WSFJ_END_CHILD] =
        (struct wsfj_sample){.wsfj_timed = 2, .wsfj_stands_for = 12, .wsfj_sum = 6, .wsfj_squares = 20};
}

/* Catches: a number that is left out of the totals, or added a second time. */
START_TEST(each_number_is_added_once)
{
    static const struct wsfj_site site = {"a.c", "f", 7};
    static struct wsfj_spawned child;
    struct wsfj_account *a = wsfj_account_take(&start);
    struct wsfj_tally *t = wsfj_profile_tally(&a->profile, &site);
    struct wsfj_totals totals = {.sites = NULL};
    struct wsfj_total *found[2] = {NULL};

    t->wsfj_count = 3;
    t->wsfj_work = 100;
    t->wsfj_blocked = 20;
    t->wsfj_strands = 7;
    t->wsfj_longest = 60;
    t->wsfj_path = (struct wsfj_position){.wsfj_span = 70, .wsfj_burdened = 80};
    t->wsfj_outermost = &child;
    a->rest.wsfj_count = 2;
    a->rest.wsfj_work = 11;
    a->rest.wsfj_blocked = 5;
    set_sample(&t->wsfj_child); /* the variance of a strand is 2: 10 * 10 * 2 / 2 for those not timed */
    set_sample(&t->wsfj_after);
    set_sample(&t->wsfj_synced);
    set_sample(&a->rest.wsfj_child);
    set_sample(&a->own.wsfj_child);
    set_sample(&a->own.wsfj_after);
    a->profile.wsfj_work = 200;
    a->profile.wsfj_blocked = 25;
    a->profile.wsfj_strands = 9;
    a->timed = 50;
    a->hidden = 4;
    for (int i = 0; i < 2; i++) { /* the second time there is nothing new */
        wsfj_sites_fold(a, &totals);
        ck_assert_double_eq(totals.variance, 600);
        ck_assert_uint_eq(totals.spawns, 5);
        ck_assert_uint_eq(totals.work, 200);
        ck_assert_uint_eq(totals.blocked, 25);
        ck_assert_uint_eq(totals.strands, 9);
        ck_assert_uint_eq(totals.timed, 50);
        ck_assert_uint_eq(totals.hidden, 4);
    }
    for (struct wsfj_total *total = totals.sites; total; total = total->next)
        found[total->line == 7] = total;
    ck_assert(found[0] && found[1] && found[0]->next != found[1]->next);
    ck_assert_str_eq(found[1]->task, "f");
    ck_assert_uint_eq(found[1]->count, 3);
    ck_assert_uint_eq(found[1]->work, 100);
    ck_assert_uint_eq(found[1]->blocked, 20);
    ck_assert_uint_eq(found[1]->strands, 7);
    ck_assert_uint_eq(found[1]->longest, 60);
    ck_assert_uint_eq(found[1]->path.wsfj_span, 70);
    ck_assert_uint_eq(found[1]->path.wsfj_burdened, 80);
    ck_assert_str_eq(found[0]->task, "sites without memory");
    ck_assert_uint_eq(found[0]->count, 2);
    ck_assert_uint_eq(found[0]->work, 11);
    ck_assert_uint_eq(found[0]->blocked, 5);
    ck_assert_ptr_null(t->wsfj_outermost);
    t->wsfj_count = 1;
    t->wsfj_longest = 30;
    wsfj_sites_fold(a, &totals);
    ck_assert_uint_eq(found[1]->count, 4);
    ck_assert_uint_eq(found[1]->work, 100);
    ck_assert_uint_eq(found[1]->longest, 60);
    wsfj_account_give(a);
    wsfj_accounts_free();
    wsfj_totals_free(&totals);
}
END_TEST

/* Catches: texts of sites that are not freed with the totals. */
START_TEST(totals_leave_no_memory)
{
    static const struct wsfj_site site = {"a.c", "f", 7};
    struct wsfj_account *a = wsfj_account_take(&start);
    struct wsfj_tally *t = wsfj_profile_tally(&a->profile, &site);
    size_t before = 0;

    for (int i = 0; i < 200; i++) {
        struct wsfj_totals totals = {.sites = NULL};

        t->wsfj_count = 1;
        t->wsfj_total = NULL;
        wsfj_sites_fold(a, &totals);
        wsfj_totals_free(&totals);
        before = i ? before : allocated();
    }
    ck_assert_uint_le(allocated(), before + 1000);
    wsfj_account_give(a);
    wsfj_accounts_free();
}
END_TEST

/* Catches: a child of fork() that adds to its parent's totals, or counts what its parent's other threads have done. */
START_TEST(a_child_has_totals_of_its_own)
{
    static const struct wsfj_site site = {"a.c", "f", 7};
    struct wsfj_account *own = wsfj_account_take(&start), *other = wsfj_account_take(&start);
    struct wsfj_tally *tallies[] = {wsfj_profile_tally(&own->profile, &site), &own->rest,
                                    wsfj_profile_tally(&other->profile, &site)};
    struct wsfj_totals parent = {.sites = NULL}, child = {.sites = NULL};
    size_t sites = 0;

    for (int i = 0; i < 3; i++)
        tallies[i]->wsfj_count = 1;
    wsfj_sites_fold(own, &parent);
    wsfj_sites_fold(other, &parent);
    tallies[0]->wsfj_count = 10;
    tallies[1]->wsfj_count = 100;
    tallies[2]->wsfj_count = 1000;
    wsfj_accounts_forget(&own->profile);
    wsfj_sites_fold(own, &child);
    wsfj_sites_fold(other, &child);
    ck_assert_uint_eq(child.spawns, 110);
    for (const struct wsfj_total *t = child.sites; t; t = t->next, sites++)
        ck_assert_uint_eq(t->count, t->line == 7 ? 10 : 100);
    ck_assert_uint_eq(sites, 2);
    for (const struct wsfj_total *t = parent.sites; t; t = t->next)
        ck_assert_uint_eq(t->count, t->line == 7 ? 2 : 1);
    wsfj_account_give(own);
    wsfj_accounts_free();
    wsfj_totals_free(&parent);
    wsfj_totals_free(&child);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile_account");

    ADD_TEST_UNLESS(SANITIZED ? "it has an allocator of its own" : NULL, tcase, accounts_leave_no_memory);
    tcase_add_test(tcase, an_account_is_used_again);
    tcase_add_test(tcase, each_site_has_its_own_tally);
    tcase_add_test(tcase, behind_the_last_slot_comes_the_first);
    tcase_add_test(tcase, each_number_is_added_once);
    ADD_TEST_UNLESS(SANITIZED ? "it has an allocator of its own" : NULL, tcase, totals_leave_no_memory);
    tcase_add_test(tcase, a_child_has_totals_of_its_own);
    return run_case("profile_account", tcase);
}
