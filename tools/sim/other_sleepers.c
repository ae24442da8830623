/* SPDX-License-Identifier: MIT */
/* Which sleeper is woken: any. Compiled as the library's files are. */
#include "others.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "idle/park.h"
#include "idle/wake_choice.h"
#include "worker/worker.h"
#include "worker/workers.h"

extern __typeof__(wsfj_wake_choice) WSFJ_POLICY_FUNCTION(wsfj_wake_choice);

static bool asleep(const struct wsfj_worker *w)
{
    return load_relaxed(&w->park) == WSFJ_PARK_ASLEEP;
}

struct wsfj_worker *wsfj_wake_choice(const struct wsfj_worker *self)
{
    static const uint64_t golden = 0x9e3779b97f4a7c15u;
    unsigned n = wsfj_num_workers, start;

    if (!sim_others.waking || (self && asleep(self)))
        return WSFJ_POLICY_FUNCTION(wsfj_wake_choice)(self);
    start = (unsigned)(((wsfj_now() * golden) >> 32) % n);
    for (unsigned i = 0; i < n; i++) {
        struct wsfj_worker *w = &wsfj_workers[(start + i) % n];

        if (asleep(w))
            return w;
    }
    return NULL;
}
