/* SPDX-License-Identifier: MIT */
/*
 * The queue is a list without a lock: whoever waits pushes its record, and the thread that makes progress takes all at once. All
 * else is under the lock: the records that have not begun, the table of requests, and the records about which MPI is asked one by one.
 *
 * MPI-1: a record is known to progress from its push until its event is set or it is withdrawn. Both happen under the lock, so
 * exactly one of them does.
 */
#include "mpi/progress.h"

#include "mpi/ask.h"

#include <pthread.h>
#include <stdlib.h>

/* MPI is asked about so many requests at once, and about so many other records. */
#define ROUND 64
#define SINGLES 16
/* After so many rounds that found nothing the next ones wait, up to so long. */
#define MISSES 5000
#define PAUSE_LEAST_NS 2000
#define PAUSE_MOST_NS 1000000

static struct wsfj_mpi_wait *pushed; /* the newest */
static size_t records;               /* pushed, and neither done nor withdrawn */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wsfj_mpi_wait *queue, **queue_end = &queue;       /* not begun */
static struct wsfj_mpi_wait *singles, **singles_end = &singles; /* in the order in which they are asked about */
static size_t alone;                                            /* how many these are */
/* The table. MPI wants its requests in an array: entry i belongs to request i. */
static MPI_Request *requests;
static struct wsfj_mpi_entry **entries;
static size_t count, capacity, turn; /* the next round begins at `turn` */

/* Of the thread that makes progress. */
static unsigned misses;
static uint64_t pause_ns;

size_t wsfj_mpi_open(void)
{
    return __atomic_load_n(&records, __ATOMIC_ACQUIRE);
}

void wsfj_mpi_queue(struct wsfj_mpi_wait *wait)
{
    __atomic_fetch_add(&records, 1, __ATOMIC_RELAXED); /* MPI-1: before the push, which orders it */
    wait->next = __atomic_load_n(&pushed, __ATOMIC_RELAXED);
    /* Release: the record (MPI-1). Its partner is the exchange of take_over(). */
    while (!__atomic_compare_exchange_n(&pushed, &wait->next, wait, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

/* The record may be gone when this returns (MPI-1). */
static void end(struct wsfj_mpi_wait *wait)
{
    __atomic_fetch_sub(&records, 1, __ATOMIC_RELEASE);
    ws_event_set(&wait->event);
}

static void append(struct wsfj_mpi_wait ***list_end, struct wsfj_mpi_wait *wait)
{
    wait->next = NULL;
    **list_end = wait;
    *list_end = &wait->next;
}

static bool unlink_from(struct wsfj_mpi_wait **list, struct wsfj_mpi_wait ***list_end, struct wsfj_mpi_wait *wait)
{
    while (*list && *list != wait)
        list = &(*list)->next;
    if (!*list)
        return false;
    *list = wait->next;
    if (*list_end == &wait->next)
        *list_end = list;
    return true;
}

/* Moves what was pushed into the queue (MPI-1). */
static void take_over(void)
{
    struct wsfj_mpi_wait *wait = __atomic_exchange_n(&pushed, NULL, __ATOMIC_ACQUIRE), *next;

    for (; wait; wait = next) {
        next = wait->next;
        append(&queue_end, wait);
    }
}

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

static void close_all(struct wsfj_mpi_wait *wait)
{
    for (int i = 0; i < wait->n && wait->left > 0; i++)
        if (wait->entries[i].open)
            close_entry(&wait->entries[i]);
}

/* A request of the record has completed. `status` is MPI's, with its error if `failed`. */
static void complete(struct wsfj_mpi_entry *e, MPI_Request now, const MPI_Status *status, bool failed)
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

static void add_single(struct wsfj_mpi_wait *wait)
{
    append(&singles_end, wait);
    alone++;
}

/* Puts the requests that have not completed into the table. */
static void add_all(struct wsfj_mpi_wait *wait)
{
    for (int i = 0; i < wait->n; i++) {
        struct wsfj_mpi_entry *e = &wait->entries[i];

        if (e->done)
            continue;
        *e = (struct wsfj_mpi_entry){.open = true, .at = count, .wait = wait};
        requests[count] = wait->requests[i];
        entries[count++] = e;
        wait->left++;
    }
}

static void begin(struct wsfj_mpi_wait *wait)
{
    if (wait->kind == WSFJ_MPI_CALL) {
        wait->begun = true;
        pthread_mutex_unlock(&lock); /* the function may wait for MPI itself; nobody withdraws the record (MPI-1) */
        wait->call(wait->arg);
        pthread_mutex_lock(&lock);
        wsfj_mpi_done(wait, MPI_SUCCESS);
    } else if (wsfj_mpi_begin(wait) && !wsfj_mpi_ask(wait)) {
        if (wait->entries && make_room((size_t)wait->n))
            add_all(wait);
        else
            add_single(wait);
    }
    if (wait->done)
        end(wait);
}

static size_t begin_all(void)
{
    size_t n = 0;

    for (take_over(); queue; n++) {
        struct wsfj_mpi_wait *wait = queue;

        queue = wait->next;
        if (!queue)
            queue_end = &queue;
        begin(wait);
    }
    return n;
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

static size_t ask_some(void)
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
        complete(which[i], now[i], &status[i], error != 0);
    return (size_t)some;
}

/* Those that are not done go to the end. */
static size_t ask_singles(void)
{
    size_t found = 0;

    for (size_t n = alone < SINGLES ? alone : SINGLES; n > 0; n--) {
        struct wsfj_mpi_wait *wait = singles;

        (void)unlink_from(&singles, &singles_end, wait);
        if (!wsfj_mpi_ask(wait)) {
            append(&singles_end, wait);
            continue;
        }
        alone--;
        found++;
        end(wait);
    }
    return found;
}

size_t wsfj_mpi_progress(void)
{
    size_t found;

    if (pthread_mutex_trylock(&lock))
        return 0;
    found = begin_all();
    found += ask_some();
    found += ask_singles();
    pthread_mutex_unlock(&lock);
    return found;
}

bool wsfj_mpi_withdraw(struct wsfj_mpi_wait *wait)
{
    bool known;

    pthread_mutex_lock(&lock); /* MPI-1 */
    take_over();
    known = unlink_from(&queue, &queue_end, wait);
    if (!known && unlink_from(&singles, &singles_end, wait)) {
        alone--;
        known = true;
    }
    if (!known && !wait->done && wait->kind == WSFJ_MPI_ALL) {
        close_all(wait);
        known = true;
    }
    if (known)
        __atomic_fetch_sub(&records, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return known;
}

uint64_t wsfj_mpi_pause(size_t found)
{
    if (found || !wsfj_mpi_open())
        misses = 0;
    if (!wsfj_mpi_open())
        return WS_FOREVER;
    if (misses < MISSES) {
        misses++;
        pause_ns = 0;
    } else if (pause_ns < PAUSE_MOST_NS) {
        pause_ns = pause_ns ? 2 * pause_ns : PAUSE_LEAST_NS;
        pause_ns = pause_ns < PAUSE_MOST_NS ? pause_ns : PAUSE_MOST_NS;
    }
    return pause_ns;
}
