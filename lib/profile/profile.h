/* SPDX-License-Identifier: MIT */
/*
 * The profile of a program compiled with -DWSFJ_PROFILE, which runs serially: the library's side of wsfj/inline/strands.h.
 *
 * A thread in a region has an account, which only it writes. At the end of the region its sums go to the totals of the
 * process, under the lock, and the account to the next comer; what it has learned about strands stays. At exit the totals
 * become a summary, and that a report.
 *
 *   profile.c            regions, their positions where they follow or overlap each other, fork and exit
 *   account.c    accounts, and places of workers
 *   strand.c     timing a strand, or not
 *   site.c       tallies and totals
 *   detached.c   detached tasks, brackets, pins; group.c: where those of a group end
 *   burden.c     what a steal and a suspended join cost here
 *   clock.c      the clock
 *   report.c     the summary, as text and CSV; html.c: as a page; out.c: where to
 */
#ifndef WSFJ_PROFILE_PROFILE_H
#define WSFJ_PROFILE_PROFILE_H

#include "base/base.h"
#include "core/use.h"

#include <stdio.h>
#include <wsfj/inline/strands.h>

/* Lengths are in 1/256 ticks: strands are as short as a few ticks, and their mean is not a whole number. */
#define WSFJ_PROFILE_TICK 256u

/* A detached task that was submitted too deep inside others. */
struct wsfj_detached {
    ws_function *fn;
    void *arg;
    ws_group *group;
    struct wsfj_position at; /* of the submitter */
    struct wsfj_detached *next;
};

struct wsfj_account {
    struct wsfj_profile profile;
    int worker;    /* what ws_worker_id() says; -1: it has no place */
    bool is_used;  /* under the lock: by a thread */
    bool is_orphan; /* its region began in the parent of a fork */
    uint32_t blocking; /* brackets: time counts as blocked, and for the span */
    struct wsfj_tally own;    /* the strands that no spawn begins: a region's first, in a bracket, after a wait */
    struct wsfj_tally spare;  /* the sites for which there was no memory */
    struct wsfj_tally *tallies;
    size_t num_tallies;
    uint64_t last, work_then; /* the end of the last strand that was timed, by the clock; the work then. 0: not known */
    uint64_t waited, look;    /* how long the thread had waited for a processor at the last look, in nanoseconds; how long
                                 that look took, as a length */
    bool knows_wait;          /* the kernel told it */
    uint64_t timed, hidden;   /* work that was timed; work that was missing between two looks at the clock */
    uint64_t random;
    struct wsfj_position farthest; /* end of a detached task: nobody need wait for it */
    unsigned nested;            /* detached tasks inside each other */
    struct wsfj_detached *first, **last_next; /* what waits until fewer are */
    struct wsfj_account *next;
};

/* A site's sums over all threads. */
struct wsfj_total {
    char *file, *task;
    unsigned line;
    uint64_t count, work, blocked, strands;
    struct wsfj_position path;
    struct wsfj_total *next;
};

/* All regions that are over. */
struct wsfj_totals {
    uint64_t regions, detached, unfinished, spawns;
    uint64_t work, blocked, strands, timed, hidden;
    double variance; /* of the work */
    struct wsfj_position end;
    struct wsfj_total *sites;
};

/* What a report says. Lengths in `unit`. */
struct wsfj_summary {
    const struct wsfj_totals *totals;
    const struct wsfj_total **sites; /* most work first */
    size_t num_sites;
    double scale;     /* from the totals' lengths */
    const char *unit; /* "ns" or "units" */
    double work, blocked, span, burdened, strand;
    double serial; /* work and blocked: what one processor takes that does not look for other work meanwhile */
    double sampled, error; /* parts of the work: not timed; standard error and what was hidden */
    double steal, join;
    bool burden_is_measured;
};

/* Said of a profile with a larger error than that. */
#define WSFJ_ROUGH_ERROR 0.2
#define WSFJ_ROUGH "rough: the error is large, further digits mean little; WSFJ_PROFILE_UNIT=1 counts tasks, exactly"

static inline struct wsfj_account *wsfj_account_of(struct wsfj_profile *p)
{
    return WSFJ_CONTAINER(p, struct wsfj_account, profile);
}

/* profile.c: as wsfj_profile_open(), for a region or for a detached task outside of one. */
int wsfj_profile_enter(struct wsfj_profile_root *root, bool is_region);
void wsfj_profile_leave(struct wsfj_profile_root *root, bool is_region);
/* The calling thread, outside, has waited for what ends there. */
void wsfj_profile_reached(struct wsfj_position at);
/* In the child of a fork. */
void wsfj_profile_forget(void);
/* Around what runs tasks of the parallel runtime on the calling thread: they are not of its region. */
struct wsfj_profile *wsfj_profile_hide(void);
void wsfj_profile_show(struct wsfj_profile *profile);

/* account.c. The lock is for accounts, totals and groups. */
void wsfj_profile_lock(void);
void wsfj_profile_unlock(void);
/* One that nobody uses, or a new one that begins as `start`; NULL if there is no memory. */
struct wsfj_account *wsfj_account_take(const struct wsfj_profile *start);
/* Under the lock: gives it back, with its place. */
void wsfj_account_give(struct wsfj_account *account);
/* Under the lock: gives the worker's place back. */
void wsfj_account_give_place(struct wsfj_account *account);
/* The same without it, and taking one again. */
void wsfj_profile_give_place(struct wsfj_account *account);
void wsfj_profile_take_place(struct wsfj_account *account);
/* In the child of a fork, whose thread has the profile `own`, or NULL. */
void wsfj_accounts_forget(const struct wsfj_profile *own);
void wsfj_accounts_free(void);

/* strand.c */
void wsfj_strands_start(bool unit); /* once; takes a millisecond */
void wsfj_strands_init(struct wsfj_strands *strands);
void wsfj_strands_look(struct wsfj_account *account);   /* at how long the thread has waited */
void wsfj_strands_resume(struct wsfj_account *account); /* what has passed since the last look was no work */
void wsfj_strands_check(struct wsfj_account *account);  /* at the end of a region */
/* What the estimates of those that were not timed add to the variance of the work. */
double wsfj_strands_variance(struct wsfj_strands *strands);

/* site.c */
bool wsfj_sites_init(struct wsfj_account *account);
void wsfj_sites_free(struct wsfj_account *account);
/* Under the lock: adds the account to the totals and clears it. */
void wsfj_sites_fold(struct wsfj_account *account, struct wsfj_totals *totals);
void wsfj_sites_clear(struct wsfj_account *account);
void wsfj_totals_free(struct wsfj_totals *totals);

/* group.c: a task of the group ends there; the farthest of those ends, which is forgotten then. */
void wsfj_groups_reach(const ws_group *group, struct wsfj_position at);
struct wsfj_position wsfj_groups_take(const ws_group *group);
/* Of all; in the child of a fork, and at the end. */
void wsfj_groups_forget(void);

/* burden.c: nanoseconds of a steal and of a suspended join. False: they are what they were elsewhere. Starts a
 * region of the parallel runtime. */
bool wsfj_burden_measure(double *steal, double *join);

/* clock.c */
void wsfj_clock_start(void);
uint64_t wsfj_clock_read(void);      /* ticks, never 0 */
double wsfj_clock_tick(void);        /* nanoseconds of a tick, more exact the later it is asked */
/* How long the thread has waited for a processor, in nanoseconds; false: nobody knows. */
bool wsfj_clock_waited(uint64_t *waited);

/* report.c */
typedef void wsfj_writer(FILE *file, const struct wsfj_summary *summary);
wsfj_writer wsfj_profile_text, wsfj_profile_csv, wsfj_profile_html; /* the last: html.c */
/* A length in a unit that suits it. */
struct wsfj_text {
    char text[32];
};
struct wsfj_text wsfj_profile_length(const struct wsfj_summary *summary, double length);
/* Speed-up with so many workers: at most, and what is to be expected at least. */
double wsfj_speedup_most(const struct wsfj_summary *summary, double workers);
double wsfj_speedup_least(const struct wsfj_summary *summary, double workers);
static inline double wsfj_ratio(double a, double b)
{
    return b > 0 ? a / b : a > 0 ? 1 : 0;
}

/* Of a site: by its span, or its burdened span. */
static inline double wsfj_parallelism(const struct wsfj_total *total, uint64_t span)
{
    return wsfj_ratio((double)total->work + (double)total->blocked, (double)span);
}

/* out.c */
bool wsfj_profile_unit(void); /* WSFJ_PROFILE_UNIT; says so if it makes no sense */
/* Writes the report where WSFJ_PROFILE_OUT says. `child`: of a fork, whose parent has that file. */
void wsfj_profile_write(const struct wsfj_totals *totals, bool unit, bool child, double steal, double join, bool measured);

#endif
