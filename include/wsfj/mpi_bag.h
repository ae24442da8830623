/* SPDX-License-Identifier: MIT */
/**
 * @file mpi_bag.h
 * A bag of independent tasks over all ranks of a communicator. Ranks without work steal from others, and the bag ends when
 * no rank has a task. A program with it is linked with libwsfj-mpi.
 *
 * @code
 * static void visit(ws_mpi_bag *bag, void *bytes, size_t n)
 * {
 *     struct node *node = bytes;
 *
 *     for (int i = 0; i < children_of(node); i++)
 *         ws_mpi_bag_add(bag, 0, child_of(node, i), sizeof *node);
 * }
 * static const struct ws_mpi_function functions[] = {{"visit", visit, NULL}};
 *
 * ws_mpi_bag_create(&bag, MPI_COMM_WORLD, functions, 1, NULL);
 * if (rank == 0)
 *     ws_mpi_bag_add(bag, 0, &root, sizeof root);
 * ws_mpi_bag_run(bag);
 * @endcode
 *
 * A function has another address on each rank, so a bag has a table of functions, the same on all ranks, and a task is a
 * number in this table and up to #WS_MPI_TASK_MOST bytes, which are copied. A rank runs its newest task first (depth first)
 * on all its workers. A rank without tasks asks two random ranks; a rank that is asked gives its oldest tasks, half of them.
 * Then it registers with its neighbours in a hypercube, its *lifelines*, and is silent until one of them has tasks to spare (V. Saraswat,
 * P. Kambadur, S. Kodali, D. Grove and S. Krishnamoorthy, "Lifeline-based Global Load Balancing", PPoPP 2011). The end is
 * found by counting messages in two waves (F. Mattern, "Algorithms for distributed termination detection", 1987).
 *
 * create, run, reduce and free are *collective*: all ranks of the communicator call them, in the same order and with equal
 * arguments. Each of them first compares what the ranks call. If that differs, all ranks return EINVAL, and rank 0
 * writes a line that says how. Each bag has a communicator of its own, so several bags may run at the same time, each in
 * a task or thread of its own.
 *
 * All functions also return what those of mpi.h do: call ws_mpi_init() first.
 *
 * With -DWSFJ_SERIAL, or without a second rank, nothing changes for the program; with -DWSFJ_SERIAL a rank runs its tasks
 * one after the other in the thread that calls ws_mpi_bag_run().
 */
#ifndef WSFJ_MPI_BAG_H
#define WSFJ_MPI_BAG_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A bag of tasks. */
typedef struct ws_mpi_bag ws_mpi_bag;

/** How many bytes a task may have. */
#define WS_MPI_TASK_MOST 65536

/** A function of a bag. */
struct ws_mpi_function {
    /** Its name, the same on all ranks. */
    const char *name;
    /**
     * Runs a task: n bytes, aligned to 16, that belong to the call. It is a task of libwsfj: it may spawn and sync (after ws_frame()),
     * wait, and add tasks. It must not wait for another task of the bag. A rank begins at most 64 tasks more than it has workers.
     */
    void (*run)(ws_mpi_bag *bag, void *bytes, size_t n);
    /**
     * NULL, or cuts a task that has not begun in two: `kept` holds the task; stores one part of it there and the other part, for a
     * thief, in `given` (n bytes each). A thief gets half of a range in this way if it is the only task. Must be quick: it runs under a lock.
     *
     * @return 1; 0 if the task cannot be cut (nothing changes)
     */
    int (*split)(void *kept, void *given, size_t n);
};

/** Settings of a bag; zeros are the defaults. The same on all ranks, but for `local`. */
struct ws_mpi_bag_config {
    size_t limit;  /**< bytes of tasks that a rank holds; above it ws_mpi_bag_add() runs the task at once. 0: 64 MiB */
    size_t chunk;  /**< bytes of tasks that a thief gets at most, but at least one task. 0: 64 KiB */
    uint64_t seed; /**< of the random victims */
    void *local;   /**< for ws_mpi_bag_local() */
};

/** What a rank has done in its last ws_mpi_bag_run(). Times in nanoseconds. */
struct ws_mpi_bag_stats {
    uint64_t tasks;     /**< tasks run here */
    uint64_t steals;    /**< chunks received */
    uint64_t stolen;    /**< chunks given */
    uint64_t refusals;  /**< times that a victim had nothing */
    uint64_t lifelines; /**< times that this rank has registered with a neighbour */
    uint64_t messages;  /**< messages sent to other ranks */
    uint64_t bytes;     /**< bytes in them */
    uint64_t waves;     /**< waves that this rank joined */
    uint64_t idle;      /**< time without a task */
    uint64_t end;       /**< time from the last task that ended here to the end of the run */
    uint64_t inlined;   /**< tasks that ws_mpi_bag_add() ran because of `limit` */
};

/**
 * Makes a bag. Collective: duplicates the communicator, and compares the names of the functions and the settings.
 *
 * @param bag where to store it; NULL after an error
 * @param comm its ranks; may be freed afterwards
 * @param functions the table; it must live as long as the bag
 * @param count how many functions, 1 to 65535
 * @param config settings; NULL: the defaults
 * @return 0; EINVAL: the ranks differ, a line on stderr says how, or an argument is wrong; ENOMEM. One thread of a rank at a time.
 */
int ws_mpi_bag_create(ws_mpi_bag **bag, MPI_Comm comm, const struct ws_mpi_function *functions, size_t count,
                      const struct ws_mpi_bag_config *config);

/** Frees a bag; `*bag` becomes NULL. Collective. @return 0; EBUSY while it runs or has tasks; EINVAL as above. */
int ws_mpi_bag_free(ws_mpi_bag **bag);

/**
 * Adds a task to this rank: before ws_mpi_bag_run(), or in a task of the bag or what it has spawned. The bytes are copied. If
 * the rank holds tasks of `limit` bytes, runs the task instead.
 *
 * @param bag the bag
 * @param function a number in the table
 * @param bytes n bytes; NULL if n is 0
 * @param n how many
 * @return 0; EMSGSIZE if n is above #WS_MPI_TASK_MOST (a line on stderr says so), EINVAL if there is no such function,
 *         ENOMEM. After an error there is no task. Thread-safe.
 */
int ws_mpi_bag_add(ws_mpi_bag *bag, unsigned function, const void *bytes, size_t n);

/**
 * Runs tasks until no rank has one. Collective. Cancelling a scope of the caller does not end the run: other ranks count on it.
 *
 * @return 0; EINVAL as above; EBUSY if the bag runs already, ENOMEM. After an error the tasks are still there.
 */
int ws_mpi_bag_run(ws_mpi_bag *bag);

/**
 * Combines a value of each rank, usually after a run; all ranks get the result. Collective.
 *
 * @param bag the bag
 * @param value n bytes: this rank's value, then the result
 * @param n the same on all ranks
 * @param combine adds `other` to `into`; associative and commutative
 * @return 0; EINVAL as above; EBUSY while the bag runs; ENOMEM
 */
int ws_mpi_bag_reduce(ws_mpi_bag *bag, void *value, size_t n, void (*combine)(void *into, const void *other, size_t n));

/** `local` of the settings. Thread-safe. */
void *ws_mpi_bag_local(const ws_mpi_bag *bag);

/** What this rank has done in the last run, or until now in the one that runs. @return 0; EINVAL if `stats` is NULL. Thread-safe. */
int ws_mpi_bag_stats_get(const ws_mpi_bag *bag, struct ws_mpi_bag_stats *stats);

/**
 * Writes a line without its newline: `bag: rank 2 of 4 is active, 17 tasks wait, 2 runners`, and who waits for tasks of this rank.
 * Each dump has it for up to 16 bags (ws_dump_add()).
 *
 * @return the length that the line needs, as snprintf(). Thread-safe; values of slightly different moments.
 */
int ws_mpi_bag_line(const ws_mpi_bag *bag, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
