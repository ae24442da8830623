/* SPDX-License-Identifier: MIT */
#include "outside.h"

#include "base/atomic.h"
#include "idle/lookout.h"
#include "idle/outside.h"
#include "wait/descriptor.h"
#include "wait/table.h"
#include "wait/timer.h"

#include <string.h>

static struct wsfj_waiter waiters[SLEEPERS];
static struct wsfj_node nodes[SLEEPERS];
static uint32_t come[SLEEPERS]; /* what the fiber waits for besides */
static struct wsfj_stack *fibers[SLEEPERS];
static uint32_t poked; /* the eventfd */

void outside_start(void)
{
    wsfj_outside_forget();
    wsfj_lookout_until = 0;
    memset(waiters, 0, sizeof waiters);
    memset(come, 0, sizeof come);
    explore_shared(waiters, sizeof waiters);
    explore_shared(nodes, sizeof nodes);
    for (unsigned i = 0; i < SLEEPERS; i++)
        fibers[i] = explore_stack(2 + i, WSFJ_MODE_NORMAL);
    poked = explore_choose(2);
}

bool wsfj_descriptor_is_open(void)
{
    return true;
}

void wsfj_descriptor_look(struct wsfj_woken *woken)
{
    (void)woken;
}

/* The time comes if the thread sleeps until then. Others run meanwhile, and it sees what they have done. */
static void pass(uint64_t ns)
{
    (void)engine_nap();
    explore_tick = ns;
    (void)wsfj_now();
    explore_tick = 1;
}

void wsfj_descriptor_sleep(const struct timespec *most)
{
    while (!swap_acq_rel(&poked, 0u)) {
        if (most && most->tv_sec == 0) {
            pass((uint64_t)most->tv_nsec);
            return;
        }
        explore_sleep(&poked);
    }
}

void wsfj_descriptor_poke(void)
{
    (void)swap_acq_rel(&poked, 1u);
    (void)explore_wake(&poked);
}

static bool must_wait(struct wsfj_node *node)
{
    return load_acquire((const uint32_t *)node->key) == 0;
}

static void back(unsigned i, uint32_t reason)
{
    wsfj_lookout_end();
    explore_must(wsfj_waiter_disarm(&waiters[i]) == reason, "a fiber is resumed for another reason");
    waiters[i] = (struct wsfj_waiter){.state = WSFJ_WAIT_ARMING};
    nodes[i] = (struct wsfj_node){.key = NULL};
}

bool outside_sleep(unsigned i, uint64_t until)
{
    nodes[i] = (struct wsfj_node){.key = &come[i], .must_wait = must_wait, .number = WSFJ_WAIT_FIRST};
    waiters[i] = (struct wsfj_waiter){
        .stack = fibers[i], .state = WSFJ_WAIT_ARMING, .nodes = &nodes[i], .timer = {.at = until}, .timed = true};
    wsfj_lookout_begin();
    if (!wsfj_waiter_arm(&waiters[i])) {
        back(i, WSFJ_WAIT_TIME);
        return false;
    }
    wsfj_lookout_sooner(until);
    return true;
}

bool outside_come(unsigned i)
{
    struct wsfj_stack *s;

    store_release(&come[i], 1u);
    s = wsfj_table_take(&come[i], 1);
    if (s)
        back(i, WSFJ_WAIT_FIRST);
    return s != NULL;
}

void outside_back(const struct wsfj_stack *s)
{
    back(s != fibers[0], WSFJ_WAIT_TIME);
}
