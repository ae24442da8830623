/* SPDX-License-Identifier: MIT */
#ifndef WSFJ_SYNC_MUTEX_H
#define WSFJ_SYNC_MUTEX_H

#include "base/base.h"

/* A bit of a mutex's word, beside the holder's address: an unlock must look into the wait table. */
#define WSFJ_MUTEX_WAITING UINT64_C(1)

/* Who holds a mutex with this word: the address of a struct wsfj_stack, or of a thread's own memory. 0: nobody. */
static inline uint64_t wsfj_mutex_holder(uint64_t state)
{
    return state & ~WSFJ_MUTEX_WAITING;
}

#endif
