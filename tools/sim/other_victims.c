/* SPDX-License-Identifier: MIT */
/* Other orders of victims (enum sim_victim). Compiled as the library's files are. */
#include "others.h"

#include "base/atomic.h"
#include "base/bits.h"
#include "task/deque.h"
#include "task/stack.h"
#include "worker/victim.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <stdlib.h>

extern __typeof__(wsfj_victims_begin) WSFJ_POLICY_FUNCTION(wsfj_victims_begin);
extern __typeof__(wsfj_victims_next) WSFJ_POLICY_FUNCTION(wsfj_victims_next);
extern __typeof__(wsfj_victims_found) WSFJ_POLICY_FUNCTION(wsfj_victims_found);

/* By worker: a thief has one round at a time. */
static struct list {
    unsigned worker; /* uniform: shuffled; round-robin: by number */
    unsigned entry;  /* where the worker with this number stands */
    unsigned next;   /* its next victim: so many entries behind its own, less one */
    unsigned left;   /* how many are left in its round */
    unsigned last;   /* round-robin: `next` after the last victim tried */
} * list;
static unsigned listed, listed_for; /* workers; sim_others.victim */

static bool has_list(void)
{
    return sim_others.victim == SIM_VICTIM_UNIFORM || sim_others.victim == SIM_VICTIM_ROUND_ROBIN;
}

static void make_list(unsigned n)
{
    uint64_t random = 1;

    free(list);
    list = calloc(n, sizeof *list);
    if (!list)
        abort();
    listed = n;
    listed_for = sim_others.victim;
    for (unsigned i = 0; i < n; i++)
        list[i].worker = i;
    for (unsigned i = n; i > 1 && sim_others.victim == SIM_VICTIM_UNIFORM; i--) {
        unsigned j = (unsigned)(wsfj_random(&random) % i), id = list[j].worker;

        list[j].worker = list[i - 1].worker;
        list[i - 1].worker = id;
    }
    for (unsigned i = 0; i < n; i++)
        list[list[i].worker].entry = i;
}

/* The thief's. NULL: the round goes by tiers: so do all with one victim only (join.c), where each order is the same. */
static struct list *mine(const struct wsfj_victims *v)
{
    const struct wsfj_victim_order *o = v->order;

    if (!has_list() || o->n != wsfj_num_workers)
        return NULL;
    if (listed != o->n || listed_for != sim_others.victim)
        make_list(o->n);
    return &list[o->near[v->position]];
}

/* How many tasks wait with the worker, on its deque and in its run queue. */
static size_t length_of(const struct wsfj_worker *w)
{
    struct wsfj_stack *s = load_acquire(&w->stack);

    return (s ? wsfj_deque_length(s) : 0) + wsfj_run_queue_length(&w->detached.queue);
}

/* The position of the victim with the most tasks, the nearest of equals; order->n if no victim has any. */
static unsigned longest(const struct wsfj_victims *v)
{
    const struct wsfj_victim_order *o = v->order;
    enum wsfj_tier nearest = WSFJ_TIER_COUNT;
    unsigned found = o->n, low = v->position + 1, high = o->n;
    size_t most = 0;

    for (int part = 0; part < 2; part++, low = 0, high = v->position) { /* behind the thief, and before it */
        for (unsigned at = low; (at = wsfj_bits_next(o->awake, at, high)) < high; at++) {
            size_t n = length_of(&wsfj_workers[o->near[at]]);
            enum wsfj_tier tier = n && n >= most ? wsfj_victims_tier(v, o->near[at]) : WSFJ_TIER_COUNT;

            if (n > most || (n == most && tier < nearest)) {
                most = n;
                nearest = tier;
                found = at;
            }
        }
    }
    return found;
}

void wsfj_victims_begin(struct wsfj_victims *v, struct wsfj_victim_round *r, uint64_t *random)
{
    const uint64_t before = *random;
    struct list *own = mine(v);

    WSFJ_POLICY_FUNCTION(wsfj_victims_begin)(v, r, random);
    if (sim_others.victim == SIM_VICTIM_NEAR)
        return;
    *random = before;
    if (sim_others.victim == SIM_VICTIM_LARGEST)
        r->favourite = longest(v);
    if (!own)
        return;
    own->left = v->order->n - 1;
    own->next = own->last;
    if (sim_others.victim == SIM_VICTIM_UNIFORM)
        own->next = own->left > 1 ? (unsigned)(wsfj_random(random) % own->left) : 0;
}

/* The next one of the list, from the worker itself on, that is awake. */
static bool next_listed(struct wsfj_victim_round *r, struct list *own)
{
    const struct wsfj_victim_order *o = r->victims->order;

    while (own->left) {
        unsigned next = own->next;

        own->left--;
        own->next = next + 1 < o->n - 1 ? next + 1 : 0;
        r->victim = list[(own->entry + 1 + next) % o->n].worker;
        r->at = o->position[r->victim];
        if (wsfj_bits_has(o->awake, r->at)) {
            own->last = own->next;
            r->distance = wsfj_victims_tier(r->victims, r->victim);
            return true;
        }
    }
    return false;
}

bool wsfj_victims_next(struct wsfj_victim_round *r)
{
    struct list *own = mine(r->victims);

    return own ? next_listed(r, own) : WSFJ_POLICY_FUNCTION(wsfj_victims_next)(r);
}

void wsfj_victims_found(const struct wsfj_victim_round *r)
{
    if (sim_others.victim == SIM_VICTIM_NEAR)
        WSFJ_POLICY_FUNCTION(wsfj_victims_found)(r);
}
