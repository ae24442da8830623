/* SPDX-License-Identifier: MIT */
/* Locks of POSIX and C11: which ones the running task holds. Locks that the program makes itself of atomics are none. */
#define _GNU_SOURCE
#include "libc.h"

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

#define TAKES(name, lock_type, shared)                                                                                 \
    WRAP(int, name, (lock_type * lock))                                                                                \
    {                                                                                                                  \
        int error = name(lock);                                                                                        \
                                                                                                                       \
        if (!error)                                                                                                    \
            held(lock, shared);                                                                                        \
        return error;                                                                                                  \
    }
#define TAKES_UNTIL(name, lock_type, shared)                                                                           \
    WRAP(int, name, (lock_type * lock, const struct timespec *until))                                                  \
    {                                                                                                                  \
        int error = name(lock, until);                                                                                 \
                                                                                                                       \
        if (!error)                                                                                                    \
            held(lock, shared);                                                                                        \
        return error;                                                                                                  \
    }
#define GIVES(name, lock_type)                                                                                         \
    WRAP(int, name, (lock_type * lock))                                                                                \
    {                                                                                                                  \
        given_back(lock);                                                                                              \
        return name(lock);                                                                                             \
    }

TAKES(pthread_mutex_lock, pthread_mutex_t, 0)
TAKES(pthread_mutex_trylock, pthread_mutex_t, 0)
TAKES_UNTIL(pthread_mutex_timedlock, pthread_mutex_t, 0)
GIVES(pthread_mutex_unlock, pthread_mutex_t)
TAKES(pthread_spin_lock, pthread_spinlock_t, 0)
TAKES(pthread_spin_trylock, pthread_spinlock_t, 0)
GIVES(pthread_spin_unlock, pthread_spinlock_t)
TAKES(pthread_rwlock_rdlock, pthread_rwlock_t, 1)
TAKES(pthread_rwlock_tryrdlock, pthread_rwlock_t, 1)
TAKES(pthread_rwlock_wrlock, pthread_rwlock_t, 0)
TAKES(pthread_rwlock_trywrlock, pthread_rwlock_t, 0)
GIVES(pthread_rwlock_unlock, pthread_rwlock_t)
TAKES(mtx_lock, mtx_t, 0)
TAKES(mtx_trylock, mtx_t, 0)
GIVES(mtx_unlock, mtx_t)
