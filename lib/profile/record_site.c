/* SPDX-License-Identifier: MIT */
/* Sites in the record: a number for each file, line and task, and their lines of the file. */
#include "base/alloc.h"
#include "config/settings.h"
#include "profile/record_file.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SITES_MOST (((1u << WSFJ_COST_BITS) - WSFJ_COSTS_LENGTHS) / (3 * WSFJ_ENDS))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Under the lock. */
static struct wsfj_site *sites; /* 0: own, 1: those without memory */
static uint32_t num_sites;

static bool is_same(const struct wsfj_site *a, const struct wsfj_site *b)
{
    return a->wsfj_line == b->wsfj_line && strcmp(a->wsfj_task, b->wsfj_task) == 0 &&
           strcmp(a->wsfj_file, b->wsfj_file) == 0;
}

/* A copy: the code that has the site may be unloaded. 1, the sites without memory, if there is none, or too many sites. */
static uint32_t add_site(const struct wsfj_site *site)
{
    struct wsfj_site *more, copy = {NULL, NULL, site->wsfj_line};

    if (num_sites == SITES_MOST)
        return 1;
    more = num_sites & (num_sites - 1) ? sites : wsfj_realloc(sites, (num_sites ? num_sites * 2 : 1) * sizeof *more);
    if (more) {
        sites = more;
        copy.wsfj_file = strdup(site->wsfj_file);
        copy.wsfj_task = strdup(site->wsfj_task);
    }
    if (copy.wsfj_file && copy.wsfj_task) {
        sites[num_sites] = copy;
        return num_sites++;
    }
    free((char *)copy.wsfj_file);
    free((char *)copy.wsfj_task);
    return 1;
}

uint32_t wsfj_record_site(const struct wsfj_site *site)
{
    uint32_t i = 0;

    if (!wsfj_settings.record)
        return 1;
    pthread_mutex_lock(&lock);
    while (i < num_sites && !is_same(&sites[i], site))
        i++;
    if (i == num_sites)
        i = add_site(site);
    pthread_mutex_unlock(&lock);
    return i;
}

void wsfj_record_print_sites(void)
{
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < num_sites; i++) {
        wsfj_record_print("site %u %u ", i, sites[i].wsfj_line);
        wsfj_record_print_text(*sites[i].wsfj_file ? sites[i].wsfj_file : "-");
        wsfj_record_print("\t");
        wsfj_record_print_text(sites[i].wsfj_task);
        wsfj_record_end_line();
    }
    pthread_mutex_unlock(&lock);
}

void wsfj_record_sites_forget(void)
{
    pthread_mutex_init(&lock, NULL);
}

void wsfj_record_sites_clear(void)
{
    while (num_sites) {
        num_sites--;
        free((char *)sites[num_sites].wsfj_file);
        free((char *)sites[num_sites].wsfj_task);
    }
    free(sites);
    sites = NULL;
}
