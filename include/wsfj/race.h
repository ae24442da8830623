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

#ifdef WSFJ_RACE

/** Accesses of the calling task from here to wsfj_race_ignore_end() are not checked. Pairs nest. A pair ends with the task. */
void wsfj_race_ignore_begin(void);
void wsfj_race_ignore_end(void);

/**
 * A fake lock: what two tasks do between these with the same address is no race, as if a mutex were held. For accesses
 * that are ordered by what the detector does not see.
 */
void wsfj_race_lock(const void *wsfj_lock);
void wsfj_race_unlock(const void *wsfj_lock);

#else

static inline void wsfj_race_ignore_begin(void)
{
}
static inline void wsfj_race_ignore_end(void)
{
}
static inline void wsfj_race_lock(const void *wsfj_lock)
{
    (void)wsfj_lock;
}
static inline void wsfj_race_unlock(const void *wsfj_lock)
{
    (void)wsfj_lock;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
