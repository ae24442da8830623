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
#include "mpi/pause.h"
#include "mpi/table.h"

#include <pthread.h>

/* MPI is asked about so many records at once that are not in the table. */
#define SINGLES 16
/* After so many rounds that found nothing the next ones wait. */
#define MISSES 2500

static struct wsfj_mpi_wait *pushed; /* the newest */
static size_t records;               /* pushed, and neither done nor withdrawn */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wsfj_mpi_wait *queue, **queue_end = &queue;       /* not begun */
static struct wsfj_mpi_wait *singles, **singles_end = &singles; /* in the order in which they are asked about */
static size_t alone;                                            /* how many these are */

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

static void add_single(struct wsfj_mpi_wait *wait)
{
    append(&singles_end, wait);
    alone++;
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
        if (!wait->entries || !wsfj_mpi_table_add(wait))
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
    found += wsfj_mpi_table_ask(end);
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
        wsfj_mpi_table_remove(wait);
        known = true;
    }
    if (known)
        __atomic_fetch_sub(&records, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return known;
}

void wsfj_mpi_forget(void)
{
    __atomic_store_n(&pushed, NULL, __ATOMIC_RELAXED); /* no other thread is here */
    __atomic_store_n(&records, 0, __ATOMIC_RELAXED);
    queue = singles = NULL;
    queue_end = &queue;
    singles_end = &singles;
    alone = 0;
    misses = 0;
    wsfj_mpi_table_free();
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
    } else {
        pause_ns = wsfj_mpi_longer(pause_ns);
    }
    return pause_ns;
}
