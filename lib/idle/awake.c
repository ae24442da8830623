/* SPDX-License-Identifier: MIT */
#include "idle/awake.h"

__attribute__((aligned(WSFJ_CACHE_LINE))) uint64_t wsfj_awake_set[WSFJ_WORKERS_MOST / WSFJ_AWAKE_BITS];

void wsfj_awake_start(void)
{
    for (unsigned i = 0; i < WSFJ_WORKERS_MOST; i += WSFJ_AWAKE_BITS)
        store_seq(wsfj_awake_word(i), UINT64_C(0));
}
