/* SPDX-License-Identifier: MIT */
#include "worker/mailbox.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/chaos.h"
#include "base/policy.h"
#include "task/stack.h"
#include "worker/worker.h"

/* States of wsfj_worker::mailbox; any other value is a stack. Open: the lowest bit is set; the others name the region
 * for whose fibers the mailbox is open, or are 0: for any. */
#define CLOSED ((uintptr_t)0)
#define OPEN ((uintptr_t)1)

/* Whether the owner has answered the request that the worker watches. A hint: the search looks again in any case. */
static bool is_answered(const struct wsfj_watch *watch)
{
    return wsfj_policy.watch && watch->stack && load_relaxed(&watch->stack->answers) != watch->answers;
}

struct wsfj_stack *wsfj_mailbox_pause(struct wsfj_worker *w, const struct wsfj_region *only, unsigned pauses)
{
    uintptr_t open = (uintptr_t)only | OPEN;

    store_release(&w->mailbox, open); /* senders read nothing of ours but this word */
    for (unsigned i = 0; i < pauses && load_relaxed(&w->mailbox) == open && !is_answered(&w->watch); i++)
        wsfj_pause();
    wsfj_chaos();
    /* MAIL-1: the exchange and the sender's compare-and-swap have one order. A stack sent before the exchange is the
     * worker's; after the exchange no stack comes. Acquire: the stack, as its last worker left it. */
    open = swap_acq_rel(&w->mailbox, CLOSED);
    return open & OPEN ? NULL : (struct wsfj_stack *)open;
}

bool wsfj_mailbox_send(struct wsfj_stack *s)
{
    struct wsfj_worker *to = load_relaxed(&s->worker);
    uintptr_t open = load_relaxed(&to->mailbox);

    if (open != OPEN && open != ((uintptr_t)load_relaxed(&s->job.region) | OPEN))
        return false;
    wsfj_chaos();
    return cas_acq_rel(&to->mailbox, &open, (uintptr_t)s);
}
