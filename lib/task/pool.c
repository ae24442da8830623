/* SPDX-License-Identifier: MIT */
#include "task/pool.h"

#include "arch/context.h"
#include "base/alloc.h"
#include "base/atomic.h"
#include "base/failpoint.h"
#include "base/tsan.h"
#include "task/stack.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Free stacks in a worker's cache: going idle and stealing again needs no lock. */
#define CACHE_MOST 4
/* Free stacks in a node's list that keep their pages. */
#define WARM_MOST 16
/* Nodes with larger numbers share lists. */
#define NODES_MOST 64
/* Headers share mappings of this size. With a page for each header, 30,000 trimmed stacks would still take 117 MiB. */
#define SLAB_BYTES ((size_t)64 << 10)

/* How long a fork() waits for the mutex. */
#define HOLD_NAPS 2000
#define HOLD_NAP_NS 50000

/* gcc's ThreadSanitizer dies at 8128 fibers. */
#define WATCHED_MOST 7000

struct slab {
    struct slab *next;
    size_t used;
    struct wsfj_stack headers[];
};
#define SLAB_HEADERS ((SLAB_BYTES - sizeof(struct slab)) / sizeof(struct wsfj_stack))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* Under the mutex. */
static struct slab *slabs[NODES_MOST]; /* by node; the first slab of a list has the unused headers */
static struct {
    struct wsfj_stack *free;
    size_t count;
} common[NODES_MOST]; /* by node */
static size_t made, most_allowed;
static bool is_held; /* by a fork() */
/* By node: a free stack for the next taker, without the mutex. NULL: none. */
static struct {
    __attribute__((aligned(WSFJ_CACHE_LINE))) struct wsfj_stack *stack;
} warm[NODES_MOST];
/* Set at start, then constant. */
static size_t call_size;
static enum wsfj_mode deque_mode;
static void (*first_entry)(void *);
/* Every stack there is: prepended under the mutex, walked by signal handlers. */
struct wsfj_stack *wsfj_pool_stacks;

static void forget_free(void)
{
    memset(common, 0, sizeof common);
    memset(warm, 0, sizeof warm);
}

void wsfj_pool_start(size_t stack_size, bool locked, size_t most, void (*entry)(void *))
{
    wsfj_pool_stop(); /* in the child of a fork: unmaps the parent's stacks */
    call_size = stack_size;
    deque_mode = locked ? WSFJ_MODE_LOCKED : WSFJ_MODE_NORMAL;
    most_allowed = wsfj_tsan_watches() && (!most || most > WATCHED_MOST) ? WATCHED_MOST : most;
    first_entry = entry;
    made = 0;
    forget_free();
}

static void free_slabs(void)
{
    for (unsigned node = 0; node < NODES_MOST; node++) {
        for (struct slab *slab; (slab = slabs[node]);) {
            slabs[node] = slab->next;
            wsfj_unmap_shown(slab, SLAB_BYTES);
        }
    }
}

void wsfj_pool_stop(void)
{
    struct wsfj_stack *s = load_relaxed(&wsfj_pool_stacks), *next;

    store_relaxed(&wsfj_pool_stacks, NULL);
    forget_free();
    for (; s; s = next) {
        next = s->pool.next_all;
        wsfj_stack_unmap(s);
    }
    free_slabs();
}

void wsfj_pool_hold(void)
{
    for (unsigned i = 0; i < HOLD_NAPS && !is_held; i++) {
        if (pthread_mutex_trylock(&mutex) == 0)
            is_held = true;
        else
            nanosleep(&(struct timespec){0, HOLD_NAP_NS}, NULL);
    }
}

void wsfj_pool_release(void)
{
    if (is_held) {
        is_held = false;
        pthread_mutex_unlock(&mutex);
    }
}

void wsfj_pool_forget(bool runs_on_one)
{
    pthread_mutex_init(&mutex, NULL);
    is_held = false;
    if (runs_on_one) {
        store_relaxed(&wsfj_pool_stacks, NULL);
        memset(slabs, 0, sizeof slabs);
    }
    made = 0;
    forget_free();
}

/* A slab of the node with an unused header, all zero. A new slab's pages are untouched: the first thread that writes to
 * them runs on the node, and so they come to lie there. */
static struct slab *slab_locked(unsigned node)
{
    struct slab *slab = slabs[node];

    if (slab && slab->used < SLAB_HEADERS)
        return slab;
    slab = wsfj_map_shown(SLAB_BYTES, MAP_NORESERVE);
    if (!slab)
        return NULL;
    slab->next = slabs[node];
    slabs[node] = slab;
    return slab;
}

/* POOL-1: takes the stack and leaves NULL in one step. Acquire: what the last user left on the stack (give_warm). */
static struct wsfj_stack *take_warm(unsigned node)
{
    return swap_acq_rel(&warm[node].stack, NULL);
}

/* POOL-1: the same step the other way, for the next user of the stack (take_warm). False if there is one already. */
static bool give_warm(struct wsfj_stack *s)
{
    struct wsfj_stack *none = NULL;
    struct wsfj_stack **slot = &warm[s->pool.node].stack;

    return cas_acq_rel(slot, &none, s);
}

static struct wsfj_stack *make_locked(unsigned node)
{
    if (most_allowed && made >= most_allowed)
        return NULL;
    if (made && wsfj_failpoint(WSFJ_AT_STACK))
        return NULL;

    struct slab *slab = slab_locked(node);
    struct wsfj_stack *s = slab ? &slab->headers[slab->used] : NULL;

    if (!s || !wsfj_stack_map(s, call_size, deque_mode))
        return NULL;
    slab->used++;
    wsfj_context_make(&s->context, s->memory.low, s->memory.size, first_entry, s);
    s->pool.node = node;
    store_relaxed(&s->number, (unsigned)made + 1);
    s->pool.next_all = load_relaxed(&wsfj_pool_stacks);
    store_release(&wsfj_pool_stacks, s); /* release: wsfj_pool_all() may run in a signal handler here */
    store_relaxed(&made, made + 1);
    return s;
}

static struct wsfj_stack *pop_locked(unsigned node)
{
    struct wsfj_stack *s = common[node].free;

    if (s) {
        common[node].free = s->pool.next;
        store_relaxed(&common[node].count, common[node].count - 1);
    }
    return s;
}

/* Not inlined: its registers would cost wsfj_pool_take() a dozen instructions. */
static __attribute__((noinline)) struct wsfj_stack *take_listed(unsigned node)
{
    struct wsfj_stack *s;

    pthread_mutex_lock(&mutex);
    s = pop_locked(node);
    if (!s)
        s = make_locked(node);
    for (unsigned any = 0; !s && any < NODES_MOST; any++) { /* a far stack is better than none */
        s = take_warm(any);
        if (!s)
            s = pop_locked(any);
    }
    pthread_mutex_unlock(&mutex);
    if (s && s->pool.trimmed) {
        s->pool.trimmed = false;
        wsfj_context_renew(&s->context, first_entry, s);
    }
    return s;
}

struct wsfj_stack *wsfj_pool_take(struct wsfj_cache *cache)
{
    struct wsfj_stack *s = cache->free;
    unsigned node = cache->node % NODES_MOST;

    if (s) {
        cache->free = s->pool.next;
        cache->count--;
        return s;
    }
    s = take_warm(node);
    return s ? s : take_listed(node);
}

static __attribute__((noinline)) void give_listed(struct wsfj_stack *s)
{
    if (load_relaxed(&common[s->pool.node].count) >= WARM_MOST)
        wsfj_stack_trim(s); /* a system call: not under the mutex */
    pthread_mutex_lock(&mutex);
    s->pool.next = common[s->pool.node].free;
    common[s->pool.node].free = s;
    store_relaxed(&common[s->pool.node].count, common[s->pool.node].count + 1);
    pthread_mutex_unlock(&mutex);
}

void wsfj_pool_share(struct wsfj_stack *s)
{
    if (!give_warm(s))
        give_listed(s);
}

void wsfj_pool_give(struct wsfj_cache *cache, struct wsfj_stack *s)
{
    if (cache->count < CACHE_MOST && s->pool.node == cache->node % NODES_MOST) {
        s->pool.next = cache->free;
        cache->free = s;
        cache->count++;
    } else {
        wsfj_pool_share(s);
    }
}

void wsfj_pool_share_all(struct wsfj_cache *cache)
{
    struct wsfj_stack *s;

    while ((s = cache->free)) {
        cache->free = s->pool.next;
        wsfj_pool_share(s);
    }
    cache->count = 0;
}

size_t wsfj_pool_high_water(void)
{
    return load_relaxed(&made);
}

struct wsfj_stack *wsfj_pool_all(void)
{
    return load_acquire(&wsfj_pool_stacks); /* acquire: what make_locked() has written */
}
