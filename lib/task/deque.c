/* SPDX-License-Identifier: MIT */
#include "task/deque.h"

#include "arch/spin.h"
#include "arch/ticks.h"
#include "base/atomic.h"
#include "base/chaos.h"
#include "base/fence.h"
#include "base/policy.h"
#include "task/stack.h"

static bool try_lock(struct wsfj_stack *s)
{
    return load_relaxed(&s->lock) == 0 && __atomic_exchange_n(&s->lock, 1, __ATOMIC_ACQUIRE) == 0;
}

/* Not inlined: otherwise a thread that finds the lock free saves registers for it, a dozen instructions. */
static WSFJ_COLD void wait_for_lock(struct wsfj_stack *s)
{
    for (unsigned i = 0; !try_lock(s); i++)
        wsfj_spin_wait(&s->lock, i); /* a thief holds the lock and may have been preempted */
}

static inline void lock(struct wsfj_stack *s)
{
    if (WSFJ_UNLIKELY(!try_lock(s)))
        wait_for_lock(s);
}

static void unlock(struct wsfj_stack *s)
{
    store_release(&s->lock, 0);
}

bool wsfj_deque_has_work(struct wsfj_stack *s)
{
    /* Acquire: a thief that then reads the descriptor sees what the owner wrote before this tail (THE-1). */
    return load_relaxed(&s->first) < load_acquire(&s->deque.wsfj_tail);
}

bool wsfj_deque_offers(const struct wsfj_stack *s)
{
    return load_relaxed(&s->first) < load_relaxed(&s->offered);
}

/* THE-7: the owner holds the lock. The thief that takes it next finds here which tasks are public. */
static inline void expose_to(struct wsfj_stack *s, struct wsfj_descriptor *end)
{
    store_relaxed(&s->deque.wsfj_exposed, end);
    store_relaxed(&s->offered, end);
}

size_t wsfj_deque_length(struct wsfj_stack *s)
{
    /* Relaxed: a hint. The two values are of different moments; the tail may even seem to lie below. */
    const struct wsfj_descriptor *first = load_relaxed(&s->first), *tail = load_relaxed(&s->deque.wsfj_tail);

    return first < tail ? (size_t)(tail - first) : 0;
}

/* PARK-1: the owner meets the request at its next spawn. Release: the owner sees what the caller counted before. */
static void lower(struct wsfj_stack *s)
{
    store_release(&s->deque.wsfj_limit, NULL);
}

/* On an empty deque, the request makes the first task of a burst public at once: that is the largest task, and the owner
 * may run a long leaf right after. The load first: a request that is there already costs the owner no cache miss. */
static void ask(struct wsfj_stack *s)
{
    if (load_relaxed(&s->deque.wsfj_limit) != NULL)
        lower(s);
}

bool wsfj_deque_request(struct wsfj_stack *s)
{
    uint64_t answers = load_seq(&s->answers);

    if (load_acquire(&s->stands) == answers + 1)
        return false;
    lower(s);                               /* PARK-2 */
    store_release(&s->stands, answers + 1); /* PARK-10 */
    return true;
}

void wsfj_deque_answer(struct wsfj_stack *own)
{
    /* Acquire: a sleeper counts itself asleep before it lowers the limit, and the owner then reads the counts. */
    (void)swap_acq_rel(&own->deque.wsfj_limit, own->memory.soft);
    wsfj_chaos();
    store_seq(&own->answers, load_relaxed(&own->answers) + 1); /* PARK-10: before the owner reads the counts */
}

/* The innermost open scope that the task in `h` is a member of. The thief holds the lock, so no scope ends meanwhile. It
 * may already see scopes that began after the spawn: they begin above the task. SCOPE-1: acquire, what is in them. */
static ws_scope *scope_of(struct wsfj_stack *s, const struct wsfj_descriptor *h)
{
    ws_scope *scope = load_acquire(&s->scope);

    while (scope && scope->wsfj_deque == &s->deque && scope->wsfj_first > h)
        scope = scope->wsfj_outer;
    return scope;
}

/* Takes descriptor `h` for the thief, which holds the lock. */
static inline enum wsfj_steal take_locked(struct wsfj_stack *s, struct wsfj_descriptor *h,
                                          const struct wsfj_region *only, struct wsfj_stolen *stolen)
{
    if (only && load_relaxed(&s->job.region) != only)
        return WSFJ_STEAL_EMPTY;
    store_relaxed(&s->first, h + 1); /* other thieves peek at it without the lock */
    stolen->desc = h;
    stolen->kind = (const struct wsfj_kind *)load_relaxed(&h->wsfj_word);
    stolen->region = load_relaxed(&s->job.region);
    stolen->scope = scope_of(s, h);
    ask(s); /* for the next thief, or for this one when it returns */
    return WSFJ_STEAL_GOT;
}

/* THE-3: makes the oldest private task public without the owner. The thief holds the lock. This releases it, and is thus
 * the last call of a steal: a steal without force saves no registers for it. */
static WSFJ_COLD enum wsfj_steal force_locked(struct wsfj_stack *s, struct wsfj_descriptor *h, struct wsfj_descriptor *e,
                                              const struct wsfj_region *only, struct wsfj_stolen *stolen)
{
    enum wsfj_steal got = WSFJ_STEAL_FAILED;

    store_seq(&s->deque.wsfj_exposed, h + 1);
    wsfj_chaos();
    /* The thief stores E before it loads T; the owner stores T before it loads E (THE-2). So at least one sees the
     * other's store. Without the barrier both could take the task. */
    if (wsfj_heavy_barrier() && load_acquire(&s->deque.wsfj_tail) > h)
        got = take_locked(s, h, only, stolen);
    if (got != WSFJ_STEAL_GOT)
        store_relaxed(&s->deque.wsfj_exposed, e); /* an owner that saw h + 1 waits for the lock and checks again */
    unlock(s);
    return got;
}

static inline enum wsfj_steal peek(struct wsfj_stack *s, bool force)
{
    bool some;

    if (wsfj_deque_offers(s))
        return WSFJ_STEAL_MAYBE;
    some = wsfj_deque_has_work(s);
    if (some && (force || load_relaxed(&s->first) < load_relaxed(&s->deque.wsfj_exposed)))
        return WSFJ_STEAL_MAYBE;
    ask(s);
    return some ? WSFJ_STEAL_ASKED : WSFJ_STEAL_EMPTY;
}

enum wsfj_steal wsfj_deque_peek(struct wsfj_stack *s, bool force)
{
    return peek(s, force);
}

enum wsfj_steal wsfj_deque_steal(struct wsfj_stack *s, bool force, const struct wsfj_region *only,
                                 struct wsfj_stolen *stolen)
{
    enum wsfj_steal got = peek(s, force);

    if (got != WSFJ_STEAL_MAYBE)
        return got;
    if (!try_lock(s))
        return WSFJ_STEAL_BUSY;

    struct wsfj_descriptor *h = load_relaxed(&s->first);

    got = WSFJ_STEAL_EMPTY;
    wsfj_chaos();
    /* THE-7: the owner takes no offered task without the lock. Its line, which each of its spawns writes, is left alone. */
    if (h < load_relaxed(&s->offered)) {
        got = take_locked(s, h, only, stolen);
    } else if (load_acquire(&s->deque.wsfj_tail) > h) {
        struct wsfj_descriptor *e = load_relaxed(&s->deque.wsfj_exposed);

        if (h < e)
            got = take_locked(s, h, only, stolen);
        else if (force && s->deque.wsfj_mode == WSFJ_MODE_NORMAL)
            return force_locked(s, h, e, only, stolen);
        else
            got = WSFJ_STEAL_ASKED;
    }
    unlock(s);
    return got;
}

enum wsfj_expose wsfj_deque_expose(struct wsfj_stack *s, struct wsfj_descriptor *tail)
{
    bool some;

    if (!try_lock(s))
        return WSFJ_EXPOSE_BUSY;

    struct wsfj_descriptor *h = load_relaxed(&s->first), *e = load_relaxed(&s->deque.wsfj_exposed);
    struct wsfj_descriptor *from = e > h ? e : h;

    wsfj_chaos();
    if (s->deque.wsfj_mode == WSFJ_MODE_NORMAL && tail > from)
        expose_to(s, from + (tail - from + wsfj_policy.expose_part - 1) / wsfj_policy.expose_part);
    some = tail > h;
    unlock(s);
    return some ? WSFJ_EXPOSE_DONE : WSFJ_EXPOSE_NOTHING;
}

void wsfj_deque_publish_all(struct wsfj_stack *s)
{
    if (s->deque.wsfj_mode != WSFJ_MODE_NORMAL)
        return; /* LOCKED: all tasks are public; PRIVATE: none ever is */
    lock(s);
    store_relaxed(&s->deque.wsfj_exposed, s->memory.last); /* THE-4: the owner may store any E above H */
    unlock(s);
}

/* The owner holds the lock. `calls`: a constant, whether this may call functions. */
WSFJ_INLINE bool reclaim_locked(struct wsfj_stack *s, struct wsfj_descriptor *desc, bool calls)
{
    struct wsfj_descriptor *h = load_relaxed(&s->first);
    bool mine = h <= desc, lowers = mine && s->deque.wsfj_mode == WSFJ_MODE_NORMAL;

    /* THE-4: the lock decides. Any E from H to the tail is sound. With half, not every pop takes the lock. */
    if (lowers)
        expose_to(s, h + (desc - h) / 2);
    unlock(s);
    if (lowers && desc <= h + 1 &&
        (calls ? wsfj_rough_now() : wsfj_rough_ticks()) - s->exposed_at > wsfj_policy.renew_ns)
        ask(s);
    return mine;
}

bool wsfj_deque_reclaim(struct wsfj_stack *s, struct wsfj_descriptor *desc)
{
    wsfj_chaos();
    lock(s);
    return reclaim_locked(s, desc, true);
}

bool wsfj_deque_reclaim_brief(struct wsfj_stack *s, struct wsfj_descriptor *desc)
{
    /* The first look is a hint: a stolen task is left to wsfj_deque_reclaim(), which decides under the lock (THE-4). */
    return load_relaxed(&s->first) <= desc && try_lock(s) && reclaim_locked(s, desc, false);
}

void wsfj_deque_rebase(struct wsfj_stack *s, struct wsfj_descriptor *base)
{
    /* THE-5, T first: a thief that sees the new H must not see an old tail above it. The lock orders the rest. */
    store_release(&s->deque.wsfj_tail, base);
    wsfj_chaos();
    lock(s);
    store_relaxed(&s->first, base);
    if (s->deque.wsfj_mode != WSFJ_MODE_LOCKED)
        expose_to(s, base);
    unlock(s);
}

ws_scope *wsfj_deque_scope(const struct wsfj_deque *deque)
{
    return load_relaxed(&WSFJ_CONTAINER(deque, struct wsfj_stack, deque)->scope);
}

void wsfj_deque_open_scope(struct wsfj_deque *deque, ws_scope *scope)
{
    struct wsfj_stack *own = wsfj_stack_of(deque);

    wsfj_chaos();
    /* SCOPE-1, release: a thief that reads the chain sees the scope as it is here; so does one that has got a task
     * spawned later. */
    store_release(&own->scope, scope);
}

void wsfj_deque_close_scopes(struct wsfj_deque *deque, ws_scope *until)
{
    struct wsfj_stack *own = wsfj_stack_of(deque);

    lock(own); /* SCOPE-2: no thief reads the scopes that end */
    wsfj_chaos();
    store_relaxed(&own->scope, until);
    unlock(own);
}
