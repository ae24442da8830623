/* SPDX-License-Identifier: MIT */
/*
 * What the files of libwsfj-mpi share. Someone who waits has a record on its own stack. The record is queued; who makes
 * progress (progress.c) takes it over, asks MPI, and sets the record's event.
 */
#ifndef WSFJ_MPI_RECORD_H
#define WSFJ_MPI_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <wsfj.h>
#include <wsfj/mpi.h>
#include <wsfj/wait.h>

#define WSFJ_MPI_EXPORT __attribute__((visibility("default")))

enum wsfj_mpi_kind {
    WSFJ_MPI_ALL,   /* waits for all requests */
    WSFJ_MPI_ANY,   /* waits for one of them */
    WSFJ_MPI_PROBE, /* waits for a message */
    WSFJ_MPI_CALL   /* runs a function */
};

struct wsfj_mpi_wait;

/* A request of a record for all. */
struct wsfj_mpi_entry {
    bool done; /* it has completed, and its status is stored. MPI says of a persistent one later that it has no status */
    /* In the table (table.h), under the lock: */
    bool open;
    size_t at;
    struct wsfj_mpi_wait *wait;
};

struct wsfj_mpi_wait {
    const char *name; /* of the function, for messages */
    enum wsfj_mpi_kind kind;
    bool lasting; /* cannot be cancelled, and has no deadline */
    int n;
    MPI_Request *requests; /* the caller's */
    MPI_Status *statuses;  /* the caller's: n of them for all requests, else one; or NULL */
    int from, tag;         /* of the message */
    MPI_Comm comm;
    const char *what;        /* for dumps: the function of MPI; `from` and `tag` follow unless it is no message's */
    const char *preposition; /* before the rank; NULL: no message */
    int (*begin)(void *arg, MPI_Request *request); /* makes the request first, unless NULL; its value is MPI's */
    void (*call)(void *arg);
    void *arg;

    struct wsfj_mpi_entry *entries; /* n; NULL: there is one request, or no memory */
    struct wsfj_mpi_wait *next;     /* in the queue, or among those that are asked about one by one */
    bool begun, done;               /* under the lock, or before the record is queued */
    int left;                       /* open entries */
    int index;                      /* of any: the request that has completed */
    int error;                      /* the first one */
    ws_event event;                 /* set when `done` is true */
};

/* Where the caller wants the status, or NULL: MPI_STATUS_IGNORE is no memory. */
static inline MPI_Status *wsfj_mpi_status(MPI_Status *status)
{
    return status == MPI_STATUS_IGNORE || status == MPI_STATUSES_IGNORE ? NULL : status;
}

/* 0, or why MPI may not be called or waited for now, after a line that names the function. */
int wsfj_mpi_enter(const char *name);

/* Whether only the thread of ws_mpi_init() calls MPI, and whether the caller is that thread. */
bool wsfj_mpi_is_funneled(void);
bool wsfj_mpi_is_main(void);

/* MPI's error code as this library returns it. */
int wsfj_mpi_error(int code);

/* One line on stderr, with "libwsfj-mpi: " before it. */
__attribute__((format(printf, 1, 2))) void wsfj_mpi_say(const char *format, ...);

#endif
