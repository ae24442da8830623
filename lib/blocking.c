/* SPDX-License-Identifier: MIT */
#include "blocking.h"

#include "atomic.h"
#include "census.h"
#include "chaos.h"
#include "deque.h"
#include "global.h"
#include "guest.h"
#include "park.h"
#include "region.h"
#include "spare.h"
#include "strand.h"
#include "worker.h"

#include <errno.h>

/* Not inlined: compilers keep the address of errno, which is another thread's afterwards. Not checked: a checker that takes
 * stacks for strands of their own sees two of them at one thread's errno. */
static __attribute__((noinline, no_sanitize("thread"))) int get_errno(void)
{
    return errno;
}

static __attribute__((noinline, no_sanitize("thread"))) void set_errno(int error)
{
    errno = error;
}

/* Shows the stack's tasks to thieves while something else runs in its place. False if another one is shown already. */
static bool show(struct wsfj_worker *w, struct wsfj_stack *own)
{
    struct wsfj_stack *none = NULL;

    return cas_seq(&w->lent, &none, own);
}

/* Without `shown` it never was. */
static void hide(struct wsfj_worker *w, struct wsfj_stack *own, bool shown)
{
    if (shown)
        (void)cas_seq(&w->lent, &own, NULL);
}

static void lend(struct wsfj_stack *own)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);
    struct wsfj_server *server = load_acquire(&w->server);
    struct wsfj_thread *spare = NULL;
    bool shown = show(w, own); /* BLOCK-2: before it ceases to be what runs */
    bool possible = shown || !wsfj_deque_has_work(own);

    if (possible && server->thread)
        possible = (spare = wsfj_spare_take()) != NULL;
    else if (possible)
        possible = w->has_thread; /* it sleeps behind the guest */
    (void)load_acquire(&w->stack); /* for a checker that takes a stack for a strand of its own: what the loop did before */
    if (!possible) {
        hide(w, own, shown);
        return;
    }
    own->lender = server;
    own->spare = spare;
    own->shown = shown;
    store_relaxed(&server->lent, true);
    wsfj_chaos();
    store_seq(&w->stack, NULL);
    wsfj_blocking_give(w, spare, own); /* BLOCK-1: the last touch of the worker */
}

static void go_back(struct wsfj_stack *own)
{
    struct wsfj_worker *w = load_relaxed(&own->worker);
    struct wsfj_server *server = own->lender;

    own->lender = NULL;
    hide(w, own, own->shown);
    wsfj_chaos();
    if (own->spare && wsfj_spare_recall(own->spare, own)) {
        store_relaxed(&server->lent, false);
        store_seq(&w->stack, own); /* PARK-3 */
        wsfj_park_found(w);
        wsfj_park_carry_over(own);
    } else {
        own->pause = WSFJ_PAUSE_PLACE;
        store_release(&own->left, true); /* for wsfj_pool_stop() */
        wsfj_context_switch(&own->context, &server->loop);
        wsfj_fpenv_set(load_relaxed(&own->region)->fpenv);
    }
}

void wsfj_blocking_return(struct wsfj_stack *own)
{
    if (own->lender) {
        int error = get_errno();

        go_back(own);
        set_errno(error);
    }
}

void wsfj_blocking_give(struct wsfj_worker *w, struct wsfj_thread *spare, const struct wsfj_stack *sender)
{
    if (spare) {
        wsfj_census_add_searcher();
        wsfj_spare_send(spare, w, sender);
    } else {
        wsfj_guest_lend(w);
    }
}

void wsfj_blocking_left(struct wsfj_stack *s)
{
    wsfj_global_put_strand(s);
    wsfj_park_notify(NULL);
}

WSFJ_EXPORT void ws_blocking_begin(void)
{
    struct wsfj_stack *own = wsfj_strand_own();
    int error = get_errno();

    if (own && own->brackets++ == 0)
        lend(own);
    set_errno(error);
}

WSFJ_EXPORT void ws_blocking_end(void)
{
    struct wsfj_stack *own = wsfj_strand_own();

    if (own && own->brackets > 0 && --own->brackets == 0)
        wsfj_blocking_return(own);
}
