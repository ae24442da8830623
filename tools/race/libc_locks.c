/* SPDX-License-Identifier: MIT */
/* Locks of POSIX and C11: which ones the running task holds. Locks that the program makes itself of atomics are none. */
#define _GNU_SOURCE
#include "libc.h"
#include "schedule.h"

#include <errno.h>
#include <pthread.h>
#include <threads.h>

static void held(const volatile void *lock, int shared)
{
    if (race_checks())
        race.locks = race_locks_with(race.locks, (uintptr_t)lock | (shared ? 1 : 0));
}

static void given_back(const volatile void *lock)
{
    if (race_checks())
        race.locks = race_locks_without(race_locks_without(race.locks, (uintptr_t)lock), (uintptr_t)lock | 1);
}

/* By a schedule a task that finds the lock taken waits, and others run. `owned`: a recursive lock knows only the thread. */
static int others(const volatile void *lock)
{
    const struct fiber *by = race_owner(lock);

    return by && by != race_self();
}

#define SCHEDULED(try, busy, overtime, owned, is_timed)                                                                \
    if (UNLIKELY(race_scheduled) && race_here()) {                                                                     \
        int result;                                                                                                    \
                                                                                                                       \
        race_point();                                                                                                  \
        while ((owned && others(lock)) || (result = try(lock)) == (busy))                                              \
            if (race_wait_for(FOR_LOCK, lock, RETURN_PC, is_timed))                                                    \
                return overtime;                                                                                       \
        if (owned && !result)                                                                                          \
            race_owns(lock);                                                                                           \
        return result;                                                                                                 \
    }
#define TAKES(name, try, lock_type, shared, busy, owned)                                                               \
    WRAP(int, name, (lock_type * lock))                                                                                \
    {                                                                                                                  \
        int error;                                                                                                     \
                                                                                                                       \
        SCHEDULED(try, busy, 0, owned, 0)                                                                              \
        error = name(lock);                                                                                            \
        if (!error)                                                                                                    \
            held(lock, shared);                                                                                        \
        return error;                                                                                                  \
    }
#define TAKES_UNTIL(name, try, lock_type, shared, busy, overtime, owned)                                               \
    WRAP(int, name, (lock_type * lock, const struct timespec *until))                                                  \
    {                                                                                                                  \
        int error;                                                                                                     \
                                                                                                                       \
        SCHEDULED(try, busy, overtime, owned, 1)                                                                       \
        error = name(lock, until);                                                                                     \
        if (!error)                                                                                                    \
            held(lock, shared);                                                                                        \
        return error;                                                                                                  \
    }
#define TRIES(name, lock_type, shared, busy, owned)                                                                    \
    WRAP(int, name, (lock_type * lock))                                                                                \
    {                                                                                                                  \
        int error;                                                                                                     \
                                                                                                                       \
        race_point();                                                                                                  \
        if (owned && UNLIKELY(race_scheduled) && race_here() && others(lock))                                          \
            return busy;                                                                                               \
        error = name(lock);                                                                                            \
        if (!error)                                                                                                    \
            held(lock, shared);                                                                                        \
        if (owned && UNLIKELY(race_scheduled) && race_here() && !error)                                                \
            race_owns(lock);                                                                                           \
        return error;                                                                                                  \
    }
#define GIVES(name, lock_type, owned)                                                                                  \
    WRAP(int, name, (lock_type * lock))                                                                                \
    {                                                                                                                  \
        int error;                                                                                                     \
                                                                                                                       \
        given_back(lock);                                                                                              \
        error = name(lock);                                                                                            \
        if (UNLIKELY(race_scheduled) && race_here()) {                                                                 \
            if (owned && !error)                                                                                       \
                race_owns_no_more(lock);                                                                               \
            race_wake(FOR_LOCK, lock, 1);                                                                              \
            race_point();                                                                                              \
        }                                                                                                              \
        return error;                                                                                                  \
    }

TAKES(pthread_mutex_lock, pthread_mutex_trylock, pthread_mutex_t, 0, EBUSY, 1)
TRIES(pthread_mutex_trylock, pthread_mutex_t, 0, EBUSY, 1)
TAKES_UNTIL(pthread_mutex_timedlock, pthread_mutex_trylock, pthread_mutex_t, 0, EBUSY, ETIMEDOUT, 1)
GIVES(pthread_mutex_unlock, pthread_mutex_t, 1)
TAKES(pthread_spin_lock, pthread_spin_trylock, pthread_spinlock_t, 0, EBUSY, 0)
TRIES(pthread_spin_trylock, pthread_spinlock_t, 0, EBUSY, 0)
GIVES(pthread_spin_unlock, pthread_spinlock_t, 0)
TAKES(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, pthread_rwlock_t, 1, EBUSY, 0)
TRIES(pthread_rwlock_tryrdlock, pthread_rwlock_t, 1, EBUSY, 0)
TAKES(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, pthread_rwlock_t, 0, EBUSY, 0)
TRIES(pthread_rwlock_trywrlock, pthread_rwlock_t, 0, EBUSY, 0)
GIVES(pthread_rwlock_unlock, pthread_rwlock_t, 0)
TAKES(mtx_lock, mtx_trylock, mtx_t, 0, thrd_busy, 1)
TRIES(mtx_trylock, mtx_t, 0, thrd_busy, 1)
GIVES(mtx_unlock, mtx_t, 1)
