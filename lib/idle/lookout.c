/* SPDX-License-Identifier: MIT */
#include "idle/lookout.h"

#include "wait/descriptor.h"

uint64_t wsfj_lookout_waits, wsfj_lookout_until;
uint32_t *wsfj_lookout_park;

void wsfj_lookout_begin(void)
{
    wsfj_descriptor_open();
    (void)add_seq(&wsfj_lookout_waits,
                  1); /* PARK-13: before the caller reads who sleeps, or makes the preempter begin */
}

void wsfj_lookout_end(void)
{
    (void)add_relaxed(&wsfj_lookout_waits, (uint64_t)0 - 1);
}

void wsfj_lookout_sooner(uint64_t until)
{
    /* PARK-13: the deadline is known, then this reads the lookout. The lookout says until when it sleeps, then looks which
     * deadline is the first. */
    if (load_seq(&wsfj_lookout_park) && until < load_seq(&wsfj_lookout_until))
        wsfj_descriptor_poke();
}

void wsfj_lookout_forget(void)
{
    wsfj_descriptor_close();
    store_relaxed(&wsfj_lookout_waits, (uint64_t)0);
    wsfj_lookout_park = NULL;
}
