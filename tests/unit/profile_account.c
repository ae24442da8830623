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

        ck_assert(s <= MOST ? t->wsfj_count == 0 : t == &a->spare);
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

int main(void)
{
    TCase *tcase = new_case("profile_account");

    ADD_TEST_UNLESS(SANITIZED ? "it has an allocator of its own" : NULL, tcase, accounts_leave_no_memory);
    tcase_add_test(tcase, an_account_is_used_again);
    tcase_add_test(tcase, each_site_has_its_own_tally);
    tcase_add_test(tcase, behind_the_last_slot_comes_the_first);
    return run_case("profile_account", tcase);
}
