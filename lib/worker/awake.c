/* SPDX-License-Identifier: MIT */
#include "worker/awake.h"

__attribute__((aligned(WSFJ_CACHE_LINE))) uint64_t wsfj_awake_set[WSFJ_WORKERS_MOST / WSFJ_BITS];
const unsigned *wsfj_awake_near;

void wsfj_awake_start(const unsigned *near)
{
    wsfj_awake_near = near;
    for (unsigned i = 0; i < WSFJ_WORKERS_MOST / WSFJ_BITS; i++)
        store_seq(&wsfj_awake_set[i], UINT64_C(0));
}
