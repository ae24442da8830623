/* SPDX-License-Identifier: MIT */
#include "guest.h"

#include "atomic.h"
#include "census.h"
#include "chaos.h"
#include "fence.h"
#include "futex.h"
#include "inject.h"
#include "look.h"
#include "park.h"
#include "retire.h"
#include "supply.h"
#include "team.h"

/* A place for a guest, the first from `start` on whose park word is `from`; NULL if there is none. */
static struct wsfj_worker *take_place(unsigned start, uint32_t from)
{
    unsigned n = wsfj_num_workers;

    for (unsigned i = 0; i < n; i++) {
        struct wsfj_worker *w = &wsfj_workers[(start + i) % n];
        uint32_t expected = from;

        if (from == WSFJ_PARK_EMPTY && !wsfj_supply_allows(w->id))
            continue;
        if (load_relaxed(&w->park) == from && cas_seq(&w->park, &expected, WSFJ_PARK_GUEST))
            return w;
    }
    return NULL;
}

struct wsfj_worker *wsfj_guest_enter(void)
{
    const struct wsfj_worker *here = wsfj_team_here();
    unsigned start = here ? here->id : 0;
    struct wsfj_worker *w = take_place(start, WSFJ_PARK_EMPTY);

    while (!w && wsfj_census_claim_place()) {
        wsfj_chaos();
        while (!(w = take_place(start, WSFJ_PARK_ASLEEP)))
            ;
        if (!wsfj_supply_allows(w->id)) {
            wsfj_retire_place(w); /* fell asleep before it was surplus */
            w = NULL;
        }
    }
    return w;
}

void wsfj_guest_lend(struct wsfj_worker *w)
{
    wsfj_census_add_searcher();
    store_seq(&w->park, WSFJ_PARK_AWAKE);
    wsfj_futex_wake(&w->park);
}

void wsfj_guest_leave(struct wsfj_worker *w)
{
    if (!w->has_thread) {
        store_seq(&w->park, WSFJ_PARK_EMPTY);
        wsfj_inject_offer();
        wsfj_park_notify(NULL);
        return;
    }
    if (!wsfj_supply_allows(w->id)) {
        wsfj_retire_place(w);
        return;
    }
    store_seq(&w->park, WSFJ_PARK_ASLEEP);
    wsfj_chaos();

    /* The place sleeps now: as the last searcher would, see that nothing is left lying. */
    if (wsfj_census_fall_asleep(false).searching == 0 && wsfj_look())
        wsfj_park_notify(NULL);
    else if (!wsfj_heavy_works() && wsfj_look_anything_runs())
        wsfj_futex_wake(&w->park); /* its thread begins to nap */
}
