/* SPDX-License-Identifier: MIT */
/**
 * @file wait.h
 * Waiting: events, futures, mutexes, semaphores, channels, and words for objects of the program's own.
 *
 * A task that waits is suspended, and its worker does other work; the task may resume on another worker, as after
 * ws_sync(). A waiting task holds a stack, but no thread. Children spawned before stay with the suspended task: sync first
 * if other workers should run them. A thread that runs no task sleeps, and so does the thread of a task in a blocking
 * section. Tasks and threads may use the same object.
 *
 * An object is a few words of the program's memory. Its initial value is a macro, such as #WS_EVENT_INIT; an event, a future
 * and a mutex may as well begin as zeros. It needs no clean-up, and may be freed as soon as all who waited for it are
 * back, even if the call that has woken them has not returned yet. In the child of a fork it can be used further; nobody
 * waits for it there.
 *
 * Times are absolute, in nanoseconds of CLOCK_MONOTONIC (ws_now()); #WS_FOREVER: no deadline. A wait whose deadline has
 * passed returns ETIMEDOUT, unless it need not wait: 0 as a deadline tries only. A call that would have to wait, or waits,
 * returns ECANCELED if a scope or the group of the caller (scope.h) is cancelled; ws_mutex_lock() does not. In
 * ws_config::poll, and in a destructor that runs as a thread of the runtime ends, a call that would have to wait returns
 * EDEADLK. So it does in a program with -DWSFJ_SERIAL, -DWSFJ_PROFILE or -DWSFJ_RACE, after a line on stderr: only a later
 * task could end the wait. There a wait with a deadline returns ETIMEDOUT at once. A wait without a deadline returns EDEADLK, too,
 * where the runtime could start no thread and the process has no other one.
 *
 * The waiters of all objects are in one table in the library, found by address (after the futexes of Linux, and the parking
 * lot of WebKit: F. Pizlo, "Locking in WebKit", 2016).
 */
#ifndef WSFJ_WAIT_H
#define WSFJ_WAIT_H

#include "inline/items.h"
#include "outside.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An event: it has happened or not. */
struct ws_event {
    uint32_t wsfj_state;
};
/** The same. */
typedef struct ws_event ws_event;

/** The initial value of an event: not set. */
#define WS_EVENT_INIT                                                                                                  \
    {                                                                                                                  \
        0                                                                                                              \
    }

/** A value that comes later, or an error instead. */
struct ws_future {
    ws_event wsfj_is_set;
    uint32_t wsfj_is_taken; /* 1: somebody has set it, or is about to */
    int wsfj_error;
    uint64_t wsfj_value;
};
/** The same. */
typedef struct ws_future ws_future;

/** The initial value of a future: not set. */
#define WS_FUTURE_INIT                                                                                                 \
    {                                                                                                                  \
        WS_EVENT_INIT, 0, 0, 0                                                                                         \
    }

/** A lock that belongs to a task, or to a thread that runs no task. */
struct ws_mutex {
    uint64_t wsfj_state;
};
/** The same. */
typedef struct ws_mutex ws_mutex;

/** The initial value of a mutex: free. */
#define WS_MUTEX_INIT                                                                                                  \
    {                                                                                                                  \
        0                                                                                                              \
    }

/** A number of units, which tasks take and give back. */
struct ws_semaphore {
    uint64_t wsfj_units;
};
/** The same. */
typedef struct ws_semaphore ws_semaphore;

/** The initial value of a semaphore with so many units. */
#define WS_SEMAPHORE_INIT(units)                                                                                       \
    {                                                                                                                  \
        (units)                                                                                                        \
    }

/** A queue of items between tasks. */
struct ws_channel {
    void *wsfj_items;     /* room for `capacity` of them; the channel's owner has it */
    size_t wsfj_size;     /* of an item, in bytes */
    size_t wsfj_capacity; /* 0: unbuffered */
    size_t wsfj_first;    /* the oldest item */
    size_t wsfj_count;    /* how many items are in the channel */
    uint32_t wsfj_closed;
    uint32_t wsfj_order; /* for wsfj-race */
};
/** The same. */
typedef struct ws_channel ws_channel;

/** The initial value of a channel whose items are in this array: long items[16]; ws_channel c = WS_CHANNEL_INIT(items); */
#define WS_CHANNEL_INIT(array)                                                                                         \
    {                                                                                                                  \
        (array), sizeof *(array), WSFJ_ITEMS(array), 0, 0, 0, 0                                                        \
    }

/** The initial value of a channel without a buffer, for items of this type. */
#define WS_CHANNEL_UNBUFFERED(type)                                                                                    \
    {                                                                                                                  \
        NULL, WSFJ_ITEM_SIZE(type), 0, 0, 0, 0, 0                                                                      \
    }

/** What ws_wait_any() can wait for. */
enum ws_thing_kind {
    WS_THING_EVENT = 1,     /**< a ws_event that is set */
    WS_THING_FUTURE = 2,    /**< a ws_future that is set */
    WS_THING_GROUP = 3,     /**< a ws_group whose tasks are done */
    WS_THING_SEMAPHORE = 4, /**< a ws_semaphore with a unit */
    WS_THING_RECEIVE = 5,   /**< a ws_channel that has an item, or whose sender waits, or that is closed */
    WS_THING_SEND = 6,      /**< a ws_channel with room, or whose receiver waits, or that is closed */
    WS_THING_DESCRIPTOR = 7 /**< a file descriptor, as for poll(2): one of its events has come, an error or a hang-up */
};

/** One of the things for ws_wait_any(). */
struct ws_thing {
    enum ws_thing_kind kind; /**< what it is */
    int ready;               /**< set by ws_wait_any(): 1 if it is ready, else 0 */
    void *object;            /**< the event, future, group, semaphore or channel; of a descriptor a struct pollfd */
};
/** The same. */
typedef struct ws_thing ws_thing;

/** How many things ws_wait_any() takes at most. */
#define WS_THINGS_MOST 64

#if defined WSFJ_SERIAL || defined WSFJ_RACE
#include "inline/serial_wait.h"
#else

/**
 * Waits while *word is `expected`, until ws_wake() or the deadline, for locks and conditions of the program's own: futex(2) for
 * tasks and threads. Change the word by an atomic operation first, then call ws_wake(). The word is read with acquire.
 *
 * @return 0: woken, or the word has another value, or for no reason: test again. ETIMEDOUT, EDEADLK: see above. Thread-safe.
 */
int ws_wait_on(const uint32_t *wsfj_word, uint32_t wsfj_expected, uint64_t wsfj_until);

/** Wakes the `most` tasks and threads that have waited longest at this word. The word may be freed by now. Thread-safe. */
void ws_wake(const uint32_t *wsfj_word, size_t wsfj_most);

/** Waits until the event is set; all that its setter did before is visible. @return 0, or EDEADLK. Thread-safe. */
int ws_event_wait(ws_event *wsfj_event);

/** The same with a deadline. @return also ETIMEDOUT. Thread-safe. */
int ws_event_wait_until(ws_event *wsfj_event, uint64_t wsfj_until);

/**
 * The same; dumps, the watchdog and gdb say "waits for WHAT" instead of the event's address. For libraries whose events stand for
 * something of theirs.
 *
 * @param wsfj_event the event
 * @param wsfj_what a text, of which 120 bytes are shown at most; it must stay until the call returns
 * @param wsfj_until a deadline, or #WS_FOREVER
 * @return as ws_event_wait_until(). Thread-safe.
 */
int ws_event_wait_named(ws_event *wsfj_event, const char *wsfj_what, uint64_t wsfj_until);
/** Sets the event, and makes all who wait go on. Any task or thread may, also in ws_config::poll, and more than once.
 * Thread-safe. */
void ws_event_set(ws_event *wsfj_event);

/** Whether the event is set. If so, all that its setter did before is visible. Thread-safe. */
int ws_event_is_set(const ws_event *wsfj_event);

/** The event has not happened. All that came before a ws_event_set() that is taken back is visible. Only while nobody waits
 * for it: one that is about to go on might wait again. If tasks or threads wait, a line on stderr says so. */
void ws_event_reset(ws_event *wsfj_event);

/**
 * Gives the future its value, for ever, and makes all who wait go on.
 *
 * @param wsfj_future the future
 * @param wsfj_value 64 bits; a pointer is passed as (uintptr_t)p
 * @param wsfj_error what ws_future_get() shall return: 0, or an error instead of a value
 * @return 0; EALREADY if it was set before (nothing changes). Thread-safe.
 */
int ws_future_set(ws_future *wsfj_future, uint64_t wsfj_value, int wsfj_error);

/** Whether the future is set. Thread-safe. */
int ws_future_is_set(const ws_future *wsfj_future);

/**
 * Waits for the future's value and stores it in *value, unless that is NULL. All that its setter did before is visible.
 *
 * @return the future's error; ETIMEDOUT or EDEADLK if it is not set (*value stays). Thread-safe.
 */
int ws_future_get(ws_future *wsfj_future, uint64_t *wsfj_value, uint64_t wsfj_until);

/**
 * Locks the mutex. It belongs to the calling task until ws_mutex_unlock(): the task may spawn, sync and wait meanwhile. So a
 * stolen child is another task, and a child that the task runs itself at a sync waits for ever.
 *
 * A free mutex goes to the first that comes, which need not be one that waits (barging: fast). An unlock hands it over to the
 * first waiter if that one has waited for 1 ms (after the mutex of Go, 2016, and of WebKit).
 *
 * @return 0; EDEADLK if the calling task has locked it before (a line on stderr says so), and see above. Thread-safe.
 */
int ws_mutex_lock(ws_mutex *wsfj_mutex);

/** The same with a deadline. @return also ETIMEDOUT. Thread-safe. */
int ws_mutex_lock_until(ws_mutex *wsfj_mutex, uint64_t wsfj_until);

/** Locks the mutex if it is free. @return 0; EBUSY if it is not. Thread-safe. */
int ws_mutex_trylock(ws_mutex *wsfj_mutex);

/**
 * Unlocks the mutex. Thread-safe.
 *
 * @return 0; EPERM (nothing changes) if the calling task has not locked it; a line on stderr says so
 */
int ws_mutex_unlock(ws_mutex *wsfj_mutex);

/** Makes a semaphore with so many units. */
void ws_semaphore_init(ws_semaphore *wsfj_semaphore, uint64_t wsfj_units);

/** Takes a unit; waits for one. First come, first served. @return 0, or EDEADLK. Thread-safe. */
int ws_semaphore_wait(ws_semaphore *wsfj_semaphore);

/** The same with a deadline. @return also ETIMEDOUT. Thread-safe. */
int ws_semaphore_wait_until(ws_semaphore *wsfj_semaphore, uint64_t wsfj_until);

/** Takes a unit if there is one. @return 0; EAGAIN if there is none. Thread-safe. */
int ws_semaphore_try_wait(ws_semaphore *wsfj_semaphore);

/** Gives n units. They go to those who have waited longest. Thread-safe. */
void ws_semaphore_post(ws_semaphore *wsfj_semaphore, uint64_t wsfj_n);

/**
 * Makes an empty, open channel.
 *
 * @param wsfj_channel the channel
 * @param wsfj_items room for `capacity` items, which belongs to the caller, so that a channel needs no clean-up and this call
 *                   cannot fail; it must live as long as the channel is used
 * @param wsfj_size bytes of an item: small, such as a pointer. A copy is made under a lock
 * @param wsfj_capacity how many items the channel can hold; 0: unbuffered, a sender waits for its receiver
 */
void ws_channel_init(ws_channel *wsfj_channel, void *wsfj_items, size_t wsfj_size, size_t wsfj_capacity);

/**
 * Sends a copy of an item; waits for room or, unbuffered, for a receiver. Items arrive in their order; senders and receivers
 * that wait are served in theirs. All that the sender did before is visible to the receiver.
 *
 * @return 0; EPIPE if the channel is closed, also meanwhile; EDEADLK. On an error nothing is sent. Thread-safe.
 */
int ws_channel_send(ws_channel *wsfj_channel, const void *wsfj_item);

/** The same with a deadline. @return also ETIMEDOUT. Thread-safe. */
int ws_channel_send_until(ws_channel *wsfj_channel, const void *wsfj_item, uint64_t wsfj_until);

/** The same if it need not wait. @return also EAGAIN. Thread-safe. */
int ws_channel_try_send(ws_channel *wsfj_channel, const void *wsfj_item);

/**
 * Receives an item; waits for one.
 *
 * @return 0; EPIPE if the channel is closed and empty; EDEADLK. On an error *item has no particular value. Thread-safe.
 */
int ws_channel_receive(ws_channel *wsfj_channel, void *wsfj_item);

/** The same with a deadline. @return also ETIMEDOUT. Thread-safe. */
int ws_channel_receive_until(ws_channel *wsfj_channel, void *wsfj_item, uint64_t wsfj_until);

/** The same if it need not wait. @return also EAGAIN. Thread-safe. */
int ws_channel_try_receive(ws_channel *wsfj_channel, void *wsfj_item);

/** Closes the channel: nothing more can be sent, what has been sent can be received. Senders that wait return EPIPE. A second
 * close does nothing. Thread-safe. */
void ws_channel_close(ws_channel *wsfj_channel);

/**
 * Waits until at least one of n things is ready, and sets `ready` of each. It takes nothing: the caller then tries, and
 * another task may have been faster. Two that both wait here for one unbuffered channel do not meet. Of a descriptor it
 * also sets `revents`, and its errors are those of ws_wait_fd(); but a file on a disk is always ready to be read and written.
 *
 * @return 0; ETIMEDOUT, ECANCELED, EDEADLK: see above; EINVAL if n is 0 or above #WS_THINGS_MOST, or a kind is none; of a descriptor
 *         also EINVAL, EBADF, EPERM, EBUSY. Thread-safe.
 */
int ws_wait_any(struct ws_thing *wsfj_things, size_t wsfj_n, uint64_t wsfj_until);

#endif

#ifdef __cplusplus
}
#endif

#endif
