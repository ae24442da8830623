/* SPDX-License-Identifier: MIT */
#include "../peer.h"

#include <omp.h>

int peer_start(int workers)
{
    omp_set_dynamic(0);
    omp_set_num_threads(workers);
    return 0;
}
