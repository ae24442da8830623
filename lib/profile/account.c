/* SPDX-License-Identifier: MIT */
/* Accounts, and their worker numbers. As many regions run at once as there are workers, each with a number of its own:
 * data that a program keeps for each worker is used by a single task at a time. */
#include "base/alloc.h"
#include "profile/profile.h"
#include "profile/record.h"
#include "worker/workers.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t number_is_free = PTHREAD_COND_INITIALIZER;
static struct wsfj_account *accounts; /* under the lock */

void wsfj_profile_lock(void)
{
    pthread_mutex_lock(&lock);
}

void wsfj_profile_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/* The least free number; -1 if there is none. */
static int free_number(void)
{
    for (int i = 0; i < (int)wsfj_num_workers; i++) {
        struct wsfj_account *a = accounts;

        while (a && a->worker != i)
            a = a->next;
        if (!a)
            return i;
    }
    return -1;
}

static void take_number_locked(struct wsfj_account *a)
{
    while ((a->worker = free_number()) < 0)
        pthread_cond_wait(&number_is_free, &lock);
}

void wsfj_account_give_number(struct wsfj_account *a)
{
    a->worker = -1;
    pthread_cond_signal(&number_is_free);
}

void wsfj_profile_give_number(struct wsfj_account *a)
{
    wsfj_profile_lock();
    wsfj_account_give_number(a);
    wsfj_profile_unlock();
}

void wsfj_profile_take_number(struct wsfj_account *a)
{
    wsfj_profile_lock();
    take_number_locked(a);
    wsfj_profile_unlock();
    if (!a->profile.wsfj_unit)
        wsfj_strands_query(a);
    wsfj_strands_resume(a);
}

static struct wsfj_account *new_account(const struct wsfj_profile *start)
{
    struct wsfj_account *a = wsfj_calloc(1, sizeof *a);

    if (!a)
        return NULL;
    a->worker = -1;
    a->random = (uintptr_t)a | 1;
    a->profile = *start;
    if (!wsfj_sites_init(a)) {
        free(a);
        return NULL;
    }
    a->next = accounts;
    accounts = a;
    return a;
}

struct wsfj_account *wsfj_account_take(const struct wsfj_profile *start)
{
    struct wsfj_account *a;

    wsfj_profile_lock();
    for (a = accounts; a && a->is_used; a = a->next)
        ;
    if (!a)
        a = new_account(start);
    if (a) {
        a->is_used = true;
        a->blocking = 0;
        a->farthest = (struct wsfj_position){0, 0, 0};
    }
    wsfj_profile_unlock();
    return a;
}

void wsfj_account_give(struct wsfj_account *a)
{
    a->is_used = false;
    wsfj_account_give_number(a);
}

void wsfj_accounts_forget(const struct wsfj_profile *own)
{
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&number_is_free, NULL);
    for (struct wsfj_account *a = accounts; a; a = a->next) {
        a->is_used = a->is_orphan = &a->profile == own;
        a->worker = a->is_used ? 0 : -1;
        wsfj_record_drop(a);
        for (struct wsfj_tally *t = a->tallies; t; t = t->wsfj_next)
            t->wsfj_total = NULL;
        a->rest.wsfj_total = NULL;
        if (!a->is_used)
            wsfj_sites_clear(a);
    }
}

void wsfj_accounts_free(void)
{
    while (accounts) {
        struct wsfj_account *a = accounts;

        accounts = a->next;
        wsfj_sites_free(a);
        wsfj_record_free(a);
        free(a);
    }
}
