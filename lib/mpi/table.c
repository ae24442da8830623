/* SPDX-License-Identifier: MIT */
#include "mpi/table.h"

#include "mpi/ask.h"

#include <stdlib.h>

/* MPI is asked about so many requests at once. */
#define ROUND 64

/* MPI wants its requests in an array: entry i belongs to request i. */
static MPI_Request *requests;
static struct wsfj_mpi_entry **entries;
static size_t count, capacity, turn; /* the next round begins at `turn` */

static bool make_room(size_t n)
{
    size_t more = capacity ? capacity : 64;
    void *p;

    while (more < count + n)
        more *= 2;
    if (more == capacity)
        return true;
    p = realloc(requests, more * sizeof *requests);
    if (!p)
        return false;
    requests = p;
    p = realloc(entries, more * sizeof *entries);
    if (!p)
        return false;
    entries = p;
    capacity = more;
    return true;
}

bool wsfj_mpi_table_add(struct wsfj_mpi_wait *wait)
{
    if (!make_room((size_t)wait->n))
        return false;
    for (int i = 0; i < wait->n; i++) {
        struct wsfj_mpi_entry *e = &wait->entries[i];

        if (e->done)
            continue;
        *e = (struct wsfj_mpi_entry){.open = true, .at = count, .wait = wait};
        requests[count] = wait->requests[i];
        entries[count++] = e;
        wait->left++;
    }
    return true;
}

/* Takes the entry out of the table. The last one takes its place. */
static void close_entry(struct wsfj_mpi_entry *e)
{
    count--;
    requests[e->at] = requests[count];
    entries[e->at] = entries[count];
    entries[e->at]->at = e->at;
    e->open = false;
    e->wait->left--;
}

void wsfj_mpi_table_remove(struct wsfj_mpi_wait *wait)
{
    for (int i = 0; i < wait->n && wait->left > 0; i++)
        if (wait->entries[i].open)
            close_entry(&wait->entries[i]);
}

/* A request of the record has completed. `status` is MPI's, with its error if `failed`. */
static void complete(struct wsfj_mpi_entry *e, MPI_Request now, const MPI_Status *status, bool failed,
                     void (*end)(struct wsfj_mpi_wait *))
{
    struct wsfj_mpi_wait *wait = e->wait;
    ptrdiff_t i = e - wait->entries;

    wait->requests[i] = now; /* MPI_REQUEST_NULL, unless it is persistent */
    wsfj_mpi_completed(wait, (int)i, status, failed ? status->MPI_ERROR : MPI_SUCCESS);
    close_entry(e);
    if (wait->left == 0) {
        wsfj_mpi_done(wait, MPI_SUCCESS);
        end(wait);
    }
}

/* MPI_Testsome tells nothing of the requests that it could not ask about: each is asked about alone. */
static int ask_each(size_t first, int n, int *index, MPI_Status *status)
{
    int some = 0;

    for (int i = 0; i < n; i++) {
        int flag = 0, code = MPI_Test(&requests[first + (size_t)i], &flag, &status[some]);

        if (!flag && code == MPI_SUCCESS)
            continue;
        status[some].MPI_ERROR = code;
        index[some++] = i;
    }
    return some;
}

size_t wsfj_mpi_table_ask(void (*end)(struct wsfj_mpi_wait *))
{
    struct wsfj_mpi_entry *which[ROUND];
    MPI_Request now[ROUND];
    MPI_Status status[ROUND];
    int index[ROUND], some = 0, n, error;

    if (turn >= count)
        turn = 0;
    n = count - turn < ROUND ? (int)(count - turn) : ROUND;
    if (n == 0)
        return 0;
    error = wsfj_mpi_error(MPI_Testsome(n, requests + turn, &some, index, status));
    /* MPI_UNDEFINED: the program has completed all of them elsewhere. */
    if (some == MPI_UNDEFINED || (error && error != -MPI_ERR_IN_STATUS)) {
        some = ask_each(turn, n, index, status);
        error = -MPI_ERR_IN_STATUS;
    }
    for (int i = 0; i < some; i++) {
        which[i] = entries[turn + (size_t)index[i]];
        now[i] = requests[turn + (size_t)index[i]];
    }
    turn += (size_t)n;
    for (int i = 0; i < some; i++)
        complete(which[i], now[i], &status[i], error != 0, end);
    return (size_t)some;
}

void wsfj_mpi_table_free(void)
{
    free(requests);
    free(entries);
    requests = NULL;
    entries = NULL;
    count = capacity = turn = 0;
}
