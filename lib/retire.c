/* SPDX-License-Identifier: MIT */
#include "retire.h"

#include "atomic.h"
#include "census.h"
#include "chaos.h"
#include "futex.h"
#include "inject.h"
#include "look.h"
#include "park.h"
#include "supply.h"

/* PARK-7: one searcher less, and no sleeper more. The last one looks once more, as it would before it sleeps; what it
 * finds is for a sleeper. */
static void resign(struct wsfj_worker *self)
{
    struct wsfj_census left = wsfj_census_remove_searchers(1);

    if (left.searching == 0 && left.sleeping > 0 && wsfj_look())
        wsfj_park_notify(self);
}

/* Wakes the worker's thread if it is retired. Whoever is awake is counted: before, as with a claim. */
static void recall(struct wsfj_worker *w)
{
    uint32_t retired = WSFJ_PARK_RETIRED;

    if (load_seq(&w->park) != WSFJ_PARK_RETIRED)
        return;
    wsfj_census_add_searcher();
    wsfj_chaos();
    if (cas_seq(&w->park, &retired, WSFJ_PARK_AWAKE))
        wsfj_futex_wake(&w->park);
    else
        resign(NULL); /* somebody else has done it */
}

/* Says that it is surplus before it looks whether that has changed; the other one changes it before it looks for those
 * who have said so (supply.c). */
void wsfj_retire_place(struct wsfj_worker *w)
{
    store_seq(&w->park, WSFJ_PARK_RETIRED);
    wsfj_chaos();
    if (wsfj_supply_allows(w->id))
        recall(w);
}

void wsfj_retire(struct wsfj_worker *self)
{
    wsfj_retire_place(self);
    resign(self);
    if (wsfj_worker_stopping())
        store_seq(&self->park, WSFJ_PARK_AWAKE); /* we may have said RETIRED after everybody was woken */
    if (load_acquire(&self->park) != WSFJ_PARK_AWAKE) {
        WSFJ_EVENT(self, park, 1, 0, 0, 0); /* the log is ours: no guest comes to a retired place */
        wsfj_park_sleep_on(self);
        WSFJ_EVENT(self, unpark, 0, 0, 0, 0);
    }
}

void wsfj_retire_recall(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        recall(&wsfj_workers[i]);
    wsfj_inject_offer(); /* places without a thread may be among them */
}
