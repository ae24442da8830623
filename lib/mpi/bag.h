/* SPDX-License-Identifier: MIT */
/* A bag at one rank: the tasks of its workers, the runners that take them, and the driver, the thread that has called
 * ws_mpi_bag_run(). The driver alone calls bag_step() and MPI; runners wake it by a word. */
#ifndef LIB_MPI_BAG_H
#define LIB_MPI_BAG_H

#include "mpi/bag_step.h"
#include "mpi/bag_store.h"

#include <wsfj.h>
#include <wsfj/mpi.h>
#include <wsfj/mpi_bag.h>

#define BAG_EXPORT __attribute__((visibility("default")))

#define BAG_RUNNERS_MORE 64 /* runners above the workers: so many tasks may wait while workers go on with others */
#define BAG_REQUESTS 64     /* at first; the array grows */

/* The calls that the ranks compare. */
enum bag_call { BAG_CREATE, BAG_RUN, BAG_REDUCE, BAG_FREE, BAG_LOOP };

struct ws_mpi_bag {
    /* Constant. */
    MPI_Comm comm;   /* of the protocol: a receive for any message is posted */
    MPI_Comm values; /* of all else */
    int me, ranks;
    const struct ws_mpi_function *functions;
    size_t count;
    struct ws_mpi_bag_config config;
    struct bag_store *stores; /* one for each slot of ws_slot() */
    size_t slots;
    int runners_most;

    /* Written by runners and the driver. */
    _Alignas(128) atomic_int live; /* runners that are submitted or have begun: the rank has a task */
    atomic_int queued;             /* 1: a runner is submitted and has not begun */
    atomic_int busy;               /* runners with a task */
    atomic_int wanted;             /* 1: other ranks wait for tasks of this one */
    _Atomic(uint32_t) waiting;     /* their lines, for ws_mpi_bag_line() */
    _Atomic(uint32_t) wakes;       /* how often runners have woken the driver */
    _Atomic(uint64_t) inlined;
    _Atomic(uint64_t) last_end; /* of a runner */
    struct ws_group group;      /* the runners */

    /* The driver's. */
    _Alignas(128) atomic_int runs; /* 1: in ws_mpi_bag_run() */
    atomic_int in_wave;            /* for ws_mpi_bag_line() */
    struct bag_rank step;
    char *in, *out; /* a chunk that arrives, one that is cut off */
    size_t chunk_bytes;
    MPI_Request *requests; /* [0]: the next message; others: sends, whose buffers are in `sent` */
    void **sent;
    bool is_listening;
    int open, room;      /* how many requests; room for how many */
    uint32_t heard;      /* of `wakes` */
    bool has_news;       /* of the last look */
    uint64_t idle_since; /* 0: the rank has a task */
    uint64_t idle, end;
};

/* Adds n bytes to a hash that begins with WSFJ_BAG_HASH. */
#define WSFJ_BAG_HASH UINT64_C(0xcbf29ce484222325)
uint64_t wsfj_bag_hash(uint64_t hash, const void *bytes, size_t n);
/* Compares on all ranks who calls what; `size` is the caller's. EINVAL: they differ. */
int wsfj_bag_agree(ws_mpi_bag *bag, enum bag_call call, uint64_t size);
/* Sees to it that a runner comes for the tasks that are there. */
void wsfj_bag_more(ws_mpi_bag *bag);
/* A chunk of the oldest tasks for another rank; 0: there is none to spare. */
size_t wsfj_bag_cut(ws_mpi_bag *bag, void *chunk);
/* Runs tasks in the caller's thread, for at most so many nanoseconds. False: there is none. */
bool wsfj_bag_run_here(ws_mpi_bag *bag, uint64_t most);
bool wsfj_bag_empty(ws_mpi_bag *bag);
/* Wakes the driver. */
void wsfj_bag_wake(ws_mpi_bag *bag);
/* Ends the program: MPI has failed, or there is no memory for what other ranks rely on. */
void wsfj_bag_require(const ws_mpi_bag *bag, int mpi_error);
/* Calls fn(bag) where MPI may be called. */
void wsfj_bag_call(ws_mpi_bag *bag, void (*fn)(void *));
/* Waits for a request or a runner's wake, and takes it in. */
void wsfj_bag_next(ws_mpi_bag *bag);
/* What wsfj_bag_next() takes in, where MPI may be called: request `which` is complete; a runner has woken the driver. */
void wsfj_bag_completed(ws_mpi_bag *bag, int which, const MPI_Status *status);
void wsfj_bag_woken(ws_mpi_bag *bag);
/* Posts the receive for the first message. */
void wsfj_bag_listen(void *bag);
uint64_t wsfj_bag_now(void);
/* ws_mpi_bag_line() for ws_dump_add(). */
int wsfj_bag_say(void *bag, char *text, size_t size);

#endif
