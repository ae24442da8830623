/* SPDX-License-Identifier: MIT */
/*
 * Access to shared fields, with the memory order in the name. Every access to a field that another thread may touch
 * goes through these macros. A comment at the site gives the reason for the order.
 */
#ifndef WSFJ_BASE_ATOMIC_H
#define WSFJ_BASE_ATOMIC_H

#include "base/base.h"

#define load_relaxed(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define load_seq(p) __atomic_load_n(p, __ATOMIC_SEQ_CST)
#define store_relaxed(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define store_seq(p, v) __atomic_store_n(p, v, __ATOMIC_SEQ_CST)
#define swap_acq_rel(p, v) __atomic_exchange_n(p, v, __ATOMIC_ACQ_REL)
#define add_relaxed(p, v) __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define add_acq_rel(p, v) __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL)
#define sub_acq_rel(p, v) __atomic_fetch_sub(p, v, __ATOMIC_ACQ_REL)
#define add_seq(p, v) __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST)
#define sub_seq(p, v) __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST)
#define or_seq(p, v) __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST)
#define and_relaxed(p, v) __atomic_fetch_and(p, v, __ATOMIC_RELAXED)
#define and_acquire(p, v) __atomic_fetch_and(p, v, __ATOMIC_ACQUIRE)
#define cas_acq_rel(p, expected, v)                                                                                    \
    __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
#define cas_seq(p, expected, v) __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

/* For a counter with one writer and any number of readers: no locked instruction. */
#define count_one(p) store_relaxed(p, load_relaxed(p) + 1)
#define count_release(p) store_release(p, load_relaxed(p) + 1)

#endif
