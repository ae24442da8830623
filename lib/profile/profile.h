/* SPDX-License-Identifier: MIT */
/*
 * The profile of a program compiled with -DWSFJ_PROFILE, which runs serially: the library's side of
 * wsfj/inline/strands.h.
 *
 * A thread in a region has an account, which only it writes. At the end of the region the sums are added to the totals
 * of the process, under the lock, and the account can be used by the next region; it keeps what it has learned about
 * strands. At exit the totals become a summary, and the summary a report. README.md lists the files.
 */
#ifndef WSFJ_PROFILE_PROFILE_H
#define WSFJ_PROFILE_PROFILE_H

#include "base/base.h"
#include "worker/use.h"

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
    uint64_t post;           /* its number in the record; 0: none */
    struct wsfj_detached *next;
};

struct wsfj_account {
    struct wsfj_profile profile;
    int worker;             /* what ws_worker_id() returns; -1: no number */
    bool is_used;           /* by a thread; under the lock */
    bool is_orphan;         /* its region began in the parent of a fork */
    uint32_t blocking;      /* open blocking sections: time counts as blocked, and for the span */
    struct wsfj_tally own;  /* strands that begin at no spawn: a region's first, in a blocking section, after a wait */
    struct wsfj_tally rest; /* sites for which there was no memory */
    struct wsfj_tally *tallies;
    size_t num_tallies;
    uint64_t last, work_then; /* when the last timed strand ended, by the clock, and the work then. 0: not known */
    uint64_t waited,
        query;       /* how long the thread had waited for a processor when last asked, in nanoseconds; how long the
                                 query took, as a length */
    bool knows_wait; /* the kernel has answered */
    uint64_t timed, hidden; /* timed work; work found missing between two readings of the clock */
    uint64_t random;
    struct wsfj_position farthest;            /* end of a detached task, which may have no waiter */
    unsigned nested;                          /* depth of detached tasks that have called each other */
    const struct wsfj_in_group *in_groups;    /* the innermost of them */
    struct wsfj_detached *first, **last_next; /* tasks queued because that was too deep */
    struct wsfj_record *record;               /* NULL: nothing was ever recorded */
    struct wsfj_account *next;
};

/* A site's sums over all threads. */
struct wsfj_total {
    char *file, *task;
    unsigned line;
    uint64_t count, work, blocked, strands;
    uint64_t longest; /* the longest span of a child */
    struct wsfj_position path;
    struct wsfj_total *next;
};

/* Sums over all regions that have ended. */
struct wsfj_totals {
    uint64_t regions, detached, unfinished, spawns;
    uint64_t work, blocked, strands, timed, hidden;
    double variance; /* of the work */
    struct wsfj_position end;
    struct wsfj_total *sites;
};

/* The contents of a report. Lengths in `unit`. */
struct wsfj_summary {
    const struct wsfj_totals *totals;
    const char *program;
    const struct wsfj_total **sites; /* most work first */
    size_t num_sites;
    double scale;     /* from the totals' lengths */
    const char *unit; /* "ns" or "units" */
    double work, blocked, span, burdened, strand;
    double span_least, span_most; /* what the program's own span may be */
    double serial;                /* work plus blocked: the time on a processor that does nothing else while blocked */
    double sampled, error;        /* parts of the work: not timed; standard error and what was hidden */
    double steal, join;
    bool burden_is_measured;
};

/* The same of the burdened span: what is in doubt of the span is in doubt of it, too. */
static inline double wsfj_burdened_least(const struct wsfj_summary *s)
{
    return s->burdened - (s->span - s->span_least);
}

static inline double wsfj_burdened_most(const struct wsfj_summary *s)
{
    return s->burdened + (s->span_most - s->span);
}

static inline struct wsfj_account *wsfj_account_of(struct wsfj_profile *p)
{
    return WSFJ_CONTAINER(p, struct wsfj_account, profile);
}

/* profile.c: as wsfj_profile_open(), for a region or for a detached task outside of one. */
int wsfj_profile_enter(struct wsfj_profile_root *root, bool is_region);
void wsfj_profile_leave(struct wsfj_profile_root *root, bool is_region);
/* The calling thread, outside of regions, has waited for what ends there. */
void wsfj_profile_reached(struct wsfj_position at);
/* In the child of a fork. */
void wsfj_profile_forget(void);
/* Around code that runs tasks of the parallel runtime on the calling thread: they do not belong to its region. */
struct wsfj_profile *wsfj_profile_hide(void);
void wsfj_profile_show(struct wsfj_profile *profile);

/* In a profiled task: calls the detached tasks that are queued. False if there was none. */
bool wsfj_profile_call_queued(void);

/* account.c. The lock is for accounts, totals and groups. */
void wsfj_profile_lock(void);
void wsfj_profile_unlock(void);
/* A free account, or a new one that begins as `start`; NULL if there is no memory. */
struct wsfj_account *wsfj_account_take(const struct wsfj_profile *start);
/* Under the lock: gives the account back, with its worker number. */
void wsfj_account_give(struct wsfj_account *account);
/* Under the lock: gives the worker number back. */
void wsfj_account_give_number(struct wsfj_account *account);
/* The same without the lock; and takes a number again, after waiting for one. */
void wsfj_profile_give_number(struct wsfj_account *account);
void wsfj_profile_take_number(struct wsfj_account *account);
/* In the child of a fork, whose thread has the profile `own`, or NULL. */
void wsfj_accounts_forget(const struct wsfj_profile *own);
void wsfj_accounts_free(void);

/* strand.c */
void wsfj_strands_start(bool unit); /* once; takes a millisecond */
void wsfj_strands_init(struct wsfj_strands *strands);
void wsfj_strands_query(struct wsfj_account *account);  /* asks the kernel how long the thread has waited */
void wsfj_strands_resume(struct wsfj_account *account); /* the time since the last strand was no work */
void wsfj_strands_check(struct wsfj_account *account);  /* at the end of a region */

/* sample.c: a strand was timed that ended in this way. */
void wsfj_strands_learn(struct wsfj_strands *strands, enum wsfj_end end, uint64_t length);
/* The median of the last strands that ended in the same way; 0: fewer than three are known. */
uint64_t wsfj_sample_usual(const struct wsfj_sample *sample);
uint64_t wsfj_sample_beyond(uint64_t length, uint64_t usual); /* how much longer than usual; 0: not longer */
/* What the estimates of untimed strands add to the variance of the work. */
double wsfj_strands_variance(struct wsfj_strands *strands);

/* site.c */
bool wsfj_sites_init(struct wsfj_account *account);
void wsfj_sites_free(struct wsfj_account *account);
/* Under the lock: adds the account to the totals and clears it. */
void wsfj_sites_fold(struct wsfj_account *account, struct wsfj_totals *totals);
void wsfj_sites_clear(struct wsfj_account *account);
void wsfj_totals_free(struct wsfj_totals *totals);

/* group.c: records that a task of the group ends there; takes the farthest of these ends, and forgets it. */
void wsfj_groups_reach(const void *group, struct wsfj_position at);
struct wsfj_position wsfj_groups_take(const void *group);
/* A group's number in the record, from 1 up, until wsfj_groups_take(): a parallel run may have tasks of this use and of the
 * next one at once. NULL, or why it has none. */
const char *wsfj_groups_number(const void *group, uint64_t *number);
/* Where another object was set last; false: there is no memory, or too many. And where that was, or the beginning. */
bool wsfj_objects_set(const void *object, struct wsfj_position at);
struct wsfj_position wsfj_objects_at(const void *object);
/* Forgets all groups and objects: in the child of a fork, and at the end. */
void wsfj_groups_forget(void);

/* burden.c: measures a steal and a suspended join, in nanoseconds, in a region of the parallel runtime. False: not
 * measured; the values are those of another machine. */
bool wsfj_burden_measure(double *steal, double *join);

/* edge.c: see hooks.h. */
void wsfj_profile_set(const void *object, bool complete);
void wsfj_profile_met(const void *object);

/* clock.c */
void wsfj_clock_start(void);
uint64_t wsfj_clock_read(void); /* ticks, never 0 */
double wsfj_clock_tick(void);   /* nanoseconds of a tick; later calls are more exact */
/* How long the thread has waited for a processor, in nanoseconds; false: not known. */
bool wsfj_clock_waited(uint64_t *waited);

/* report.c */
typedef void wsfj_writer(FILE *file, const struct wsfj_summary *summary);
wsfj_writer wsfj_profile_text, wsfj_profile_csv;
/* A length in a unit that suits it. */
struct wsfj_text {
    char text[32];
};
struct wsfj_text wsfj_profile_length(const struct wsfj_summary *summary, double length);
/* Speed-up with so many workers: the upper bound, and what to expect at least. */
double wsfj_speedup_most(const struct wsfj_summary *summary, double workers);
double wsfj_speedup_least(const struct wsfj_summary *summary, double workers);
static inline double wsfj_ratio(double a, double b)
{
    return b > 0 ? a / b : a > 0 ? 1 : 0;
}

/* A site's parallelism: by its span, or its burdened span. */
static inline double wsfj_parallelism(const struct wsfj_total *total, uint64_t span)
{
    return wsfj_ratio((double)total->work + (double)total->blocked, (double)span);
}

/* out.c */
/* The name with each %p replaced. If a child's name has none, its number is appended. NULL: no memory. */
char *wsfj_profile_path(const char *name, bool child);
bool wsfj_profile_unit(void); /* WSFJ_PROFILE_UNIT; a line on stderr if it is invalid */
/* Writes the report to WSFJ_PROFILE_OUT. `child`: of a fork; that file is its parent's. */
void wsfj_profile_write(const struct wsfj_totals *totals, bool unit, bool child, double steal, double join,
                        bool measured);

#endif
