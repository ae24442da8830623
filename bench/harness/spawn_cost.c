/* SPDX-License-Identifier: MIT */
#include "spawn_cost.h"

#include <math.h>

#define MOST_NS_EACH 100.0

double spawn_cost(const struct sample *serial, const struct sample *one_worker, double spawns)
{
    double more = one_worker->median - serial->median;
    double spread = one_worker->max - one_worker->min + serial->max - serial->min;

    if (spawns == 0 || serial->median * 1e9 > MOST_NS_EACH * spawns || more <= spread)
        return NAN;
    return more * 1e9 / spawns;
}
