/* SPDX-License-Identifier: MIT */
#include "../peer.h"

#include <omp.h>
#include <stdlib.h>

int peer_start(int workers)
{
    omp_set_dynamic(0);
    omp_set_num_threads(workers);
    if (!getenv("OMP_SCHEDULE"))
        omp_set_schedule(omp_sched_guided, 1);
    return 0;
}
