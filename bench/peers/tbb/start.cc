/* SPDX-License-Identifier: MIT */
#include "../peer.h"

#include <wsfj.h>

#include <tbb/global_control.h>

tbb::task_arena wsfj_arena;

/* An arena alone would get no more threads than there are CPUs. */
int peer_start(int workers)
{
    static tbb::global_control control(tbb::global_control::max_allowed_parallelism, (size_t)workers);

    wsfj_arena.initialize(workers);
    return 0;
}
