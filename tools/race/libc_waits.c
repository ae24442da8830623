/* SPDX-License-Identifier: MIT */
/* Condition variables and semaphores. By a schedule a task that waits lets others run; else they are the C library's. */
#define _GNU_SOURCE
#include "libc.h"
#include "schedule.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

int __wrap_pthread_mutex_lock(pthread_mutex_t *lock);
int __wrap_mtx_lock(mtx_t *lock);

/* No task runs between the unlock and the wait, but the unlock may wake one. */
#define WAITS(owned_lock, unlock, take, is_timed, overtime)                                                            \
    if (UNLIKELY(race_scheduled) && race_here()) {                                                                     \
        int late;                                                                                                      \
                                                                                                                       \
        race_owns_no_more(owned_lock);                                                                                 \
        (void)unlock(owned_lock);                                                                                      \
        race_wake(FOR_LOCK, owned_lock, 1);                                                                            \
        late = race_wait_for(FOR_SIGNAL, condition, RETURN_PC, is_timed);                                              \
        (void)take(owned_lock);                                                                                        \
        return late ? (overtime) : 0;                                                                                  \
    }
#define WAKES(condition_type, name, all)                                                                               \
    WRAP(int, name, (condition_type * condition))                                                                      \
    {                                                                                                                  \
        if (UNLIKELY(race_scheduled) && race_here()) {                                                                 \
            race_wake(FOR_SIGNAL, condition, all);                                                                     \
            race_point();                                                                                              \
        }                                                                                                              \
        return name(condition);                                                                                        \
    }

WRAP(int, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *lock))
{
    WAITS(lock, pthread_mutex_unlock, __wrap_pthread_mutex_lock, 0, 0)
    return pthread_cond_wait(condition, lock);
}
WRAP(int, pthread_cond_timedwait, (pthread_cond_t * condition, pthread_mutex_t *lock, const struct timespec *until))
{
    WAITS(lock, pthread_mutex_unlock, __wrap_pthread_mutex_lock, 1, ETIMEDOUT)
    return pthread_cond_timedwait(condition, lock, until);
}
WAKES(pthread_cond_t, pthread_cond_signal, 0)
WAKES(pthread_cond_t, pthread_cond_broadcast, 1)

WRAP(int, cnd_wait, (cnd_t * condition, mtx_t *lock))
{
    WAITS(lock, mtx_unlock, __wrap_mtx_lock, 0, 0)
    return cnd_wait(condition, lock);
}
WAKES(cnd_t, cnd_signal, 0)
WAKES(cnd_t, cnd_broadcast, 1)

WRAP(int, sem_wait, (sem_t * semaphore))
{
    int error;

    if (!race_here())
        return sem_wait(semaphore);
    race_point();
    while ((error = sem_trywait(semaphore)) != 0 && errno == EAGAIN)
        (void)race_wait_for(FOR_POST, semaphore, RETURN_PC, 0);
    return error;
}
WRAP(int, sem_post, (sem_t * semaphore))
{
    int error = sem_post(semaphore);

    if (race_here()) {
        race_wake(FOR_POST, semaphore, 1);
        race_point();
    }
    return error;
}
