/* SPDX-License-Identifier: MIT */
/**
 * @file race.h
 * What a program tells the race detector (doc/races.md). Without -DWSFJ_RACE each of these does nothing, so they may stay
 * in the program.
 */
#ifndef WSFJ_RACE_H
#define WSFJ_RACE_H

#ifdef __cplusplus
extern "C" {
#endif

#ifndef WSFJ_RACE

/** Accesses of the calling task from here to wsfj_race_ignore_end() are not checked. Pairs nest. A pair ends with the task. */
static inline void wsfj_race_ignore_begin(void)
{
}

/** From here on accesses are checked again, unless another pair is open. */
static inline void wsfj_race_ignore_end(void)
{
}

/**
 * A fake lock: what two tasks do between this and wsfj_race_unlock() with the same address is no race, as if a mutex were
 * held. For accesses that are ordered by what the detector does not see.
 *
 * @param wsfj_lock   any address; tasks that give the same one exclude each other
 */
static inline void wsfj_race_lock(const void *wsfj_lock)
{
    (void)wsfj_lock;
}

/**
 * The task no longer holds the fake lock.
 *
 * @param wsfj_lock   as for wsfj_race_lock()
 */
static inline void wsfj_race_unlock(const void *wsfj_lock)
{
    (void)wsfj_lock;
}

#else

void wsfj_race_ignore_begin(void);
void wsfj_race_ignore_end(void);
void wsfj_race_lock(const void *wsfj_lock);
void wsfj_race_unlock(const void *wsfj_lock);

#endif

#ifdef __cplusplus
}
#endif

#endif
