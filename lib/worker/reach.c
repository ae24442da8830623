/* SPDX-License-Identifier: MIT */
#include "worker/reach.h"

#include "arch/arch.h"
#include "base/alloc.h"
#include "base/debug.h"
#include "base/thread.h"
#include "config/settings.h"
#include "machine/affinity.h"
#include "machine/delay.h"
#include "machine/placement.h"
#include "machine/topology.h"
#include "task/event.h"
#include "task/pool.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

uint64_t wsfj_reach_period = 5000000;
wsfj_judge_function *wsfj_reach_judge = wsfj_judge;

/* One worker narrows, and has this long to find others in the way again, before the next one does: ten times what the judge
 * needs. */
#define NARROW_NS 100000000u
/* After the kernel has refused a mask. */
#define REFUSED_NS UINT64_C(60000000000)

/* The units of all places, one place after the other. */
static struct wsfj_unit *members;
static unsigned num_members;
static const unsigned *places; /* the processors of the same units */
static bool has_nodes;         /* several */

/* What a worker's thread knows of its CPUs. */
struct notes {
    struct wsfj_judge judge;
    pid_t thread;  /* whom the judge has seen last */
    unsigned home; /* the NUMA node of its place */
};
static struct notes *notes_of; /* by worker */

static uint64_t narrow_next; /* when the next worker may narrow */

bool wsfj_reach_make(const struct wsfj_topology *t, const struct wsfj_placement *l, const unsigned *cpus)
{
    if (!l->bound || l->bind != WS_BIND_AUTO)
        return true;
    num_members = l->end[l->places - 1];
    members = wsfj_malloc(num_members * sizeof *members);
    notes_of = wsfj_calloc(l->workers, sizeof *notes_of);
    for (unsigned i = 0; members && i < num_members; i++)
        members[i] = t->units[l->member[i]];
    places = cpus;
    has_nodes = t->count[WSFJ_LEVEL_NUMA] > 1;
    return members && notes_of;
}

void wsfj_reach_free(void)
{
    free(members);
    free(notes_of);
    wsfj_reach_forget();
}

void wsfj_reach_forget(void)
{
    members = NULL;
    notes_of = NULL;
    num_members = 0;
}

bool wsfj_reach_is_on(void)
{
    return members;
}

void wsfj_reach_begin(struct wsfj_worker *w)
{
    w->reach = (struct wsfj_reach){.look_at = 0};
    if (!wsfj_reach_is_on())
        return;
    w->reach.look_at = wsfj_coarse_now() + wsfj_reach_period; /* a short program does not look */
    notes_of[w->id].home = w->cache.node;
}

/* While a worker is narrower than ALL, it never goes from a fast core to a slow one. */
static bool reaches(const struct wsfj_worker *w, enum wsfj_reach_step step, const struct wsfj_unit *u)
{
    static const enum wsfj_level levels[] = {[WSFJ_REACH_CACHE] = WSFJ_LEVEL_CACHE, [WSFJ_REACH_NODE] = WSFJ_LEVEL_NUMA};
    const struct wsfj_unit *own = members + (w->cpus - places);

    for (unsigned i = 0; i < w->num_cpus && step != WSFJ_REACH_ALL; i++) {
        bool near = step == WSFJ_REACH_PLACE ? u == &own[i] : u->in[levels[step]] == own[i].in[levels[step]];

        if (near && u->kind <= own[i].kind)
            return true;
    }
    return step == WSFJ_REACH_ALL;
}

void wsfj_reach_cpus(const struct wsfj_worker *w, enum wsfj_reach_step step, const struct wsfj_mask *limit,
                     struct wsfj_mask *m)
{
    CPU_ZERO_S(sizeof m->sets, m->sets);
    for (unsigned i = 0; i < num_members; i++)
        if (reaches(w, step, &members[i]) && (!limit || CPU_ISSET_S(members[i].cpu, sizeof limit->sets, limit->sets)))
            CPU_SET_S(members[i].cpu, sizeof m->sets, m->sets);
}

/* False: the kernel refuses, and nothing has changed. It is asked again after a while. */
static bool move(struct wsfj_worker *w, enum wsfj_reach_step step, const struct wsfj_mask *to)
{
    if (!wsfj_affinity_set(to)) {
        w->reach.look_at = wsfj_coarse_now() + REFUSED_NS;
        return false;
    }
    store_relaxed(&w->reach.step, step);
    if (wsfj_settings.display)
        wsfj_say("worker %u may use %s now", w->id, step ? wsfj_reach_name(w) : "its own CPUs only");
    return true;
}

/* To the next step that adds a CPU. */
static void widen(struct wsfj_worker *w, const struct wsfj_mask *own)
{
    struct wsfj_mask first, to;

    if (!wsfj_mask_read(&first, getpid()))
        return;
    for (enum wsfj_reach_step step = WSFJ_REACH_CACHE; step <= WSFJ_REACH_ALL; step++) {
        wsfj_reach_cpus(w, step, &first, &to);
        if (wsfj_mask_within(own, &to) && !wsfj_mask_within(&to, own)) {
            (void)move(w, step, &to);
            return;
        }
    }
}

/* To the next step that leaves out a CPU. */
static void narrow(struct wsfj_worker *w, const struct wsfj_mask *own, uint64_t now)
{
    uint64_t next = load_relaxed(&narrow_next);
    struct wsfj_mask to;

    if (now < next || !cas_acq_rel(&narrow_next, &next, now + NARROW_NS))
        return;
    for (enum wsfj_reach_step step = WSFJ_REACH_ALL; step-- > WSFJ_REACH_PLACE;) {
        wsfj_reach_cpus(w, step, own, &to);
        if (wsfj_mask_count(&to) > 0 && !wsfj_mask_within(own, &to)) {
            if (move(w, step, &to))
                wsfj_judge_narrowed(&notes_of[w->id].judge, now);
            return;
        }
    }
    store_relaxed(&w->reach.step, WSFJ_REACH_PLACE); /* another thread of the worker was wide */
}

/* Somebody else has set the mask: it stays, unless it has all CPUs again. */
static void adopt(struct wsfj_worker *w, const struct wsfj_mask *own)
{
    struct wsfj_mask to;

    store_relaxed(&w->reach.step, WSFJ_REACH_OTHERS);
    wsfj_reach_cpus(w, WSFJ_REACH_ALL, NULL, &to);
    if (!wsfj_mask_within(&to, own))
        return;
    wsfj_reach_cpus(w, WSFJ_REACH_PLACE, own, &to);
    (void)move(w, WSFJ_REACH_PLACE, &to);
}

/* New stacks lie where the thread runs that touches them first. */
static void follow_node(struct wsfj_worker *w)
{
    unsigned node = notes_of[w->id].home, cpu = (unsigned)sched_getcpu();

    for (unsigned i = 0; wsfj_reach_is_wide(w) && i < num_members; i++)
        if (members[i].cpu == cpu)
            node = members[i].in[WSFJ_LEVEL_NUMA];
    if (node == w->cache.node)
        return;
    wsfj_pool_flush(&w->cache);
    w->cache.node = node;
}

static void look(struct wsfj_worker *w)
{
    struct notes *notes = &notes_of[w->id];
    struct wsfj_delay delay = {.switches = wsfj_delay_switches()};
    pid_t thread = wsfj_thread_id();
    uint64_t now = wsfj_now();
    enum wsfj_verdict verdict;
    struct wsfj_mask own;

    if (notes->thread != thread) {
        notes->thread = thread;
        notes->judge.asked = 0;
        notes->judge.begin = (struct wsfj_delay){.known = false};
    }
    if (!wsfj_judge_is_due(&notes->judge, now, delay.switches))
        return;
    wsfj_delay_read(&delay, thread);
    verdict = wsfj_reach_judge(&notes->judge, now, &delay, w->reach.step != WSFJ_REACH_PLACE);
    if (!wsfj_mask_read(&own, 0))
        return;
    if (!wsfj_affinity_is_given(&own))
        adopt(w, &own);
    else if (verdict == WSFJ_VERDICT_WIDER)
        widen(w, &own);
    else if (verdict == WSFJ_VERDICT_NARROWER)
        narrow(w, &own, now);
    if (has_nodes)
        follow_node(w);
}

WSFJ_COLD void wsfj_reach_look(struct wsfj_worker *w, uint64_t now)
{
    int error = errno, cancel;

    w->reach.look_at = now + wsfj_reach_period;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    look(w);
    pthread_setcancelstate(cancel, &cancel);
    errno = error;
}

bool wsfj_reach_bind(struct wsfj_worker *w)
{
    enum wsfj_reach_step step = load_relaxed(&w->reach.step);
    struct wsfj_mask first, to;

    if (step == WSFJ_REACH_PLACE || step == WSFJ_REACH_OTHERS || !wsfj_mask_read(&first, getpid()))
        return wsfj_affinity_bind(w->cpus, w->num_cpus);
    wsfj_reach_cpus(w, step, &first, &to);
    return wsfj_affinity_set(&to);
}

const char *wsfj_reach_name(const struct wsfj_worker *w)
{
    static const char *const names[] = {[WSFJ_REACH_CACHE] = "CPUs of its cache",
                                        [WSFJ_REACH_NODE] = "CPUs of its NUMA node",
                                        [WSFJ_REACH_ALL] = "all CPUs",
                                        [WSFJ_REACH_OTHERS] = "CPUs that others have set"};

    return names[load_relaxed(&w->reach.step)];
}
