/* SPDX-License-Identifier: MIT */
#include "fault.h"

#include "atomic.h"
#include "debug.h"
#include "mishap.h"
#include "pool.h"
#include "worker.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif
/* What the handler itself needs, above the kernel's signal frame. */
#define HANDLER_STACK ((size_t)16 << 10)

static struct sigaction before;
static bool installed; /* possibly underneath a handler that came later */
static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void chain(int signal, siginfo_t *info, void *context)
{
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(signal, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        before.sa_handler(signal);
    else
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL); /* the fault happens again, and kills */
}

static void handler(int signal, siginfo_t *info, void *context)
{
    struct wsfj_stack *s = wsfj_pool_find(info->si_addr);

    if (!s || (char *)info->si_addr >= s->low) {
        chain(signal, info, context);
        return;
    }

    struct wsfj_worker *w = load_relaxed(&s->worker);

    /* The call stack comes from above, the deque from below. */
    wsfj_say("stack overflow in a task on worker %u: %s of %zu KiB is used up; "
             "raise WSFJ_STACK_SIZE or ws_config.stack_size",
             w ? w->id : 0, (char *)info->si_addr - s->guard < s->low - (char *)info->si_addr ? "the deque for a stack" : "its stack",
             s->size >> 10);
    sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
}

void wsfj_fault_start(void)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    /* Once only, also after a fork and underneath a later handler: or we would chain to ourselves. */
    if (installed)
        return;
    sigemptyset(&action.sa_mask);
    installed = sigaction(SIGSEGV, &action, &before) == 0;
}

static void drop(void *memory)
{
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    free(memory);
}

static void make_key(void)
{
    pthread_key_create(&key, drop);
}

/* The stack for the handler of the thread that stops the runtime; those of others go with their threads. Refused, and
 * kept, while this is a handler on that stack, which has called exit(). */
static void drop_here(void)
{
    void *memory;
    stack_t now;

    pthread_once(&key_once, make_key);
    memory = pthread_getspecific(key);
    if (!memory || sigaltstack(NULL, &now) != 0)
        return;
    if (now.ss_sp == memory && sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL) != 0)
        return;
    pthread_setspecific(key, NULL);
    free(memory);
}

void wsfj_fault_stop(void)
{
    struct sigaction now;

    /* Somebody who came after us keeps the signal; ours then only passes faults on. */
    if (sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO && now.sa_sigaction == handler)
        installed = sigaction(SIGSEGV, &before, NULL) != 0;
    drop_here();
}

void wsfj_fault_guard_thread(void)
{
    size_t size = HANDLER_STACK + getauxval(AT_MINSIGSTKSZ);
    stack_t now;
    void *memory;

    pthread_once(&key_once, make_key);
    if (pthread_getspecific(key) || sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE))
        return;
    memory = wsfj_mishap(WSFJ_AT_ALLOC) ? NULL : malloc(size);
    if (!memory || sigaltstack(&(stack_t){.ss_sp = memory, .ss_size = size}, NULL) != 0 ||
        pthread_setspecific(key, memory) != 0) {
        sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
        free(memory); /* an overflow then kills without the line */
    }
}
