/* SPDX-License-Identifier: MIT */
/* Stacks and switches for fibers.h: the switch of the runtime (lib/arch), and what a thread has once but each fiber for
 * itself. */
#define _GNU_SOURCE
#include "arch/context.h"
#include "arch/exceptions.h"

#include "fibers.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

struct flow {
    struct wsfj_context context;
    struct wsfj_exceptions exceptions;
    struct ws_scope *scopes;
    int error;
    char *stack; /* NULL: the thread's own */
    struct flow *next;
};

extern __thread struct ws_scope *wsfj_scope_chain __attribute__((tls_model("initial-exec")));
WSFJ_EXPORT __thread struct ws_scope *wsfj_scope_chain;

static struct flow *unused;

/* As large as the thread's stack may be: a task that runs there serially runs here, too. */
static size_t stack_size(void)
{
    static size_t size;
    const size_t least = (size_t)8 << 20, most = (size_t)64 << 20;
    struct rlimit limit;

    if (!size) {
        size = getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur > most ? most
               : limit.rlim_cur < least                                      ? least
                                                                             : (size_t)limit.rlim_cur;
        size &= ~((size_t)sysconf(_SC_PAGESIZE) - 1);
    }
    return size;
}

static struct flow *new_flow(void)
{
    const size_t size = stack_size(), guard = (size_t)sysconf(_SC_PAGESIZE);
    char *stack = mmap(NULL, size + guard, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    struct flow *flow;

    if (stack == MAP_FAILED)
        return NULL;
    (void)mprotect(stack, guard, PROT_NONE);
    flow = (struct flow *)(void *)(stack + guard + size - ((sizeof *flow + 63) & ~(size_t)63));
    flow->stack = stack + guard;
    return flow;
}

struct flow *race_fiber_here(void)
{
    static struct flow own;

    wsfj_context_here(&own.context);
    return &own;
}

struct flow *race_fiber_make(void (*entry)(void *), const void *arguments, size_t size)
{
    struct flow *flow = unused;
    char *top;

    if (flow)
        unused = flow->next;
    else if (!(flow = new_flow()))
        return NULL;
    top = (char *)flow - ((size + 63) & ~(size_t)63);
    memcpy(top, arguments, size);
    flow->exceptions = (struct wsfj_exceptions){NULL, 0};
    flow->scopes = wsfj_scope_chain; /* a child is a member of the scopes around its spawn */
    flow->error = 0;
    wsfj_context_make(&flow->context, flow->stack, (size_t)(top - flow->stack), entry, top);
    return flow;
}

void race_fiber_drop(struct flow *flow)
{
    wsfj_context_drop(&flow->context);
    flow->next = unused;
    unused = flow;
}

void race_fiber_switch(struct flow *from, struct flow *to)
{
    struct wsfj_exceptions *here = wsfj_exceptions_here();

    from->error = errno;
    from->scopes = wsfj_scope_chain;
    from->exceptions = wsfj_exceptions_swap(here, to->exceptions);
    wsfj_scope_chain = to->scopes;
    errno = to->error;
    wsfj_context_switch(&from->context, &to->context);
}

void race_fiber_entered(struct flow *flow)
{
    wsfj_context_entered(&flow->context);
}
