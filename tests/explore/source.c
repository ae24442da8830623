/* SPDX-License-Identifier: MIT */
/*
 * Poll sources: the lookout, searchers and threads of the program ask a source, which is added, asked for anew and removed
 * meanwhile. One thread at a time is in it. What came before ws_poll_add() is found. After ws_poll_remove() its memory is
 * something else. News that nobody finds show as a deadlock.
 */
#include "crew.h"
#include "outside.h"

#include "base/atomic.h"
#include "idle/outside.h"
#include "idle/park.h"
#include "idle/source.h"
#include "idle/wake.h"
#include "worker/stopping.h"
#include "worker/use.h"

#include <string.h>

static unsigned news, found; /* of the program; what the source has found */
static unsigned inside;      /* threads in the source; plain, as the source's own data may be */
static unsigned pieces;
static bool again; /* the source wants to be asked once more, when there are news */

/* For the library. */
void *explore_calloc(size_t n, size_t size);
void *explore_calloc(size_t n, size_t size)
{
    static char memory[64];

    explore_must(n * size <= sizeof memory, "no memory");
    memset(memory, 0, sizeof memory);
    explore_shared(memory, sizeof memory);
    return memory;
}

static uint64_t source(void *arg)
{
    *(unsigned *)arg = 1;
    for (unsigned n = swap_acq_rel(&news, 0u); n; n--) {
        crew_take();
        if (++found == pieces)
            wsfj_park_stop();
    }
    if (!again)
        return WS_FOREVER;
    again = false;
    store_release(&news, 1u); /* they come after this look, and no thread tells */
    return OUTSIDE_SOON;
}

static void start(unsigned searching, unsigned n)
{
    crew_start(CREW, searching);
    explore_thread_local((void *)&wsfj_source_inside);
    outside_start();
    wsfj_use_forget();
    wsfj_use_become(WSFJ_UP);
    news = found = inside = 0;
    pieces = n;
    again = false;
    explore_shared(&inside, sizeof inside);
}

/* Worker 1 searches. */
static void start_one(void)
{
    start(1, 1);
}

/* The source has been asked, and is to be asked when there is news. */
static void add_source(void)
{
    explore_must(ws_poll_add(source, &inside) == 0, "a source is refused");
    (void)wsfj_outside_look_and_poll();
}

static void start_added(void)
{
    start(1, 1);
    add_source();
}

/* Something else is waited for, too. */
static void start_beside(void)
{
    start(1, 1);
    (void)outside_sleep(0, OUTSIDE_NEVER);
    add_source();
}

static void start_late(void)
{
    start(1, 2);
    add_source();
}

static void start_two(void)
{
    start(2, 2);
    add_source();
}

/* The source is due, and wants to be asked again a while later. */
static void start_again(void)
{
    start(2, 1);
    again = true;
    explore_must(ws_poll_add(source, &inside) == 0, "a source is refused");
}

/* The source is due. */
static void start_anew(void)
{
    start(2, 1);
    explore_must(ws_poll_add(source, &inside) == 0, "a source is refused");
}

/* The source asks for itself: it is asked when a time has come. */
static void start_due(void)
{
    start(1, 1);
    again = true;
    explore_must(ws_poll_add(source, &inside) == 0, "a source is refused");
}

/* The source is due. */
static void start_removed(void)
{
    start(0, 1);
    explore_must(ws_poll_add(source, &inside) == 0, "a source is refused");
}

static void tell(void)
{
    (void)add_acq_rel(&news, 1u);
    explore_must(ws_poll_add(source, &inside) == 0, "a source is refused");
}

static void teller(void)
{
    tell();
    crew_wait(1);
}

static void teller_of_two(void)
{
    tell();
    tell();
    crew_wait(2);
}

static void busy(void)
{
    crew_wait(1);
}

static void sleeper(void)
{
    struct wsfj_worker *w = &crew[explore_self()];

    while (!wsfj_stopping()) {
        wsfj_park_sleep(w, true);
        (void)wsfj_outside_try_look(&crew[explore_self()]);
    }
}

/* The same, but it searches first. */
static void searcher(void)
{
    (void)wsfj_outside_try_look(&crew[explore_self()]);
    sleeper();
}

static void looker(void)
{
    (void)wsfj_outside_look_and_poll();
}

static void remover(void)
{
    explore_must(ws_poll_remove(source, &inside) == 0, "a source is not removed");
    inside = 2;
}

#define DUE "&s->due"

static const struct explore_mutant adds[] = {
    {"nobody looks for a source", "wsfj_lookout_begin", "add", "&wsfj_lookout_waits", EXPLORE_SKIP, 0},
    {"that there is something to look for is stored with acquire and release (PARK-13)", "wsfj_lookout_begin", "add",
     "&wsfj_lookout_waits", EXPLORE_WEAKER, __ATOMIC_ACQ_REL},
    {"that there is something to look for is read with an acquire (PARK-13)", "wsfj_lookout_has_to", "load",
     "&wsfj_lookout_waits", EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {NULL}};

static const struct explore_mutant shows[] = {{"that a source is due is shown with acquire and release (PARK-13)",
                                               "make_due", "cas", DUE, EXPLORE_WEAKER, __ATOMIC_ACQ_REL},
                                              {"when a source is due is read with an acquire (PARK-13)",
                                               "wsfj_source_first", "load", DUE, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
                                              {NULL}};

static const struct explore_mutant asks[] = {
    {"two threads ask a source", "wsfj_source_ask", "cas", DUE, EXPLORE_SPLIT, 0},
    {"who asks does not see what the last one did", "wsfj_source_ask", "cas", DUE, EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"an answer hides that the source is to be asked again", "ask", "cas", DUE, EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant anew[] = {
    {"that a source is to be asked again is noted in two steps", "make_due", "cas", DUE, EXPLORE_SPLIT, 0},
    {"the answer of a source that is to be asked again counts", "ask", "store", DUE, EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant laters[] = {{"who asks does not see the lookout (PARK-13)", "wsfj_lookout_sooner",
                                                "load", "&wsfj_lookout_park", EXPLORE_SKIP, 0},
                                               {NULL}};

static const struct explore_mutant removes[] = {
    {"a source is removed in two steps", "stop", "cas", DUE, EXPLORE_SPLIT, 0},
    {"who asks leaves the source without a release", "ask", "cas", DUE, EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"who removes a source does not see what was done in it", "stop", "cas", DUE, EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {NULL}};

static const struct explore_program programs[] = {
    {"a source is added", start_one, {teller, sleeper}, NULL, {2, 1}, {3, 1}, adds},
    {"a source is asked for anew", start_added, {teller, sleeper}, NULL, {2, 1}, {3, 1}, adds},
    {"the same, and a time is waited for", start_beside, {teller, sleeper}, NULL, {2, 1}, {3, 1}, shows},
    {"news that come while a source is asked", start_late, {teller_of_two, sleeper}, NULL, {2, 0}, {3, 0}, anew},
    {"a source with two askers", start_two, {teller_of_two, sleeper, sleeper}, NULL, {1, 0}, {2, 0}, asks},
    {"a searcher asks, and the source wants to be asked again",
     start_again,
     {busy, sleeper, searcher},
     NULL,
     {1, 0},
     {2, 0},
     laters},
    {"a searcher asks, and the source is asked for anew",
     start_anew,
     {teller, sleeper, searcher},
     NULL,
     {2, 0},
     {2, 0},
     NULL},
    {"a source that is due later", start_due, {busy, sleeper}, NULL, {2, 1}, {3, 1}, NULL},
    {"a source is removed", start_removed, {remover, looker, looker}, NULL, {2, 1}, {3, 1}, removes},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
