/* SPDX-License-Identifier: MIT */
#include "idle/awake.h"

#include "core/team.h"

__attribute__((aligned(WSFJ_CACHE_LINE))) uint64_t wsfj_awake_set[WSFJ_WORKERS_MOST / WSFJ_AWAKE_BITS];

void wsfj_awake_start(void)
{
    for (unsigned i = 0; i < WSFJ_WORKERS_MOST; i += WSFJ_AWAKE_BITS)
        store_seq(wsfj_awake_word(i), UINT64_C(0));
}

unsigned wsfj_awake_next(unsigned id)
{
    uint64_t from = ~UINT64_C(0) << id % WSFJ_AWAKE_BITS;

    for (id -= id % WSFJ_AWAKE_BITS; id < wsfj_num_workers; id += WSFJ_AWAKE_BITS) {
        uint64_t set = load_seq(wsfj_awake_word(id)) & from; /* PARK-11 */

        if (set)
            return id + (unsigned)__builtin_ctzll(set);
        from = ~UINT64_C(0);
    }
    return wsfj_num_workers;
}
