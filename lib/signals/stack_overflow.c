/* SPDX-License-Identifier: MIT */
#include "signals/stack_overflow.h"

#include "arch/frames.h"
#include "base/atomic.h"
#include "base/debug.h"
#include "base/mapping.h"
#include "base/thread.h"
#include "signals/sigchain.h"
#include "task/stack.h"
#include "worker/worker.h"

#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif
/* Room above the kernel's signal frame. The library's handlers need a few KiB. But a handler of the program that they
 * call, or that is installed with SA_ONSTACK, had the thread's own stack before. Untouched pages cost nothing. */
#define HANDLER_STACK ((size_t)64 << 10)

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static bool has_key; /* false if there was no free key, or if this code is about to be unloaded */

static void handler(int signal, siginfo_t *info, void *context);
static struct wsfj_sigchain overflow_link = {.signal = SIGSEGV, .handler = handler};

/* The stack whose guard the calling thread's task has hit. NULL: the fault is another one, or in a deque outside
 * regions: its size is fixed, so the line has no advice for it. */
static struct wsfj_stack *overflowed(const char *at)
{
    struct wsfj_deque *deque = wsfj_self();
    struct wsfj_stack *s = deque ? wsfj_stack_of(deque) : NULL;

    return s && s->memory.size && at >= s->memory.guard && at < s->memory.low ? s : NULL;
}

/* The guard lies between the two. The deque grows up, one descriptor after the other, so it hits the first page. The
 * call stack grows down, by frames of any size. */
static void report(const struct wsfj_stack *s, const char *at)
{
    struct wsfj_worker *w = load_relaxed(&s->worker);

    wsfj_say("stack overflow in a task on worker %u: %s of %zu KiB is used up; "
             "raise WSFJ_STACK_SIZE or ws_config.stack_size",
             w ? w->id : 0, (size_t)(at - s->memory.guard) < wsfj_page_size() ? "the deque for a stack" : "its stack",
             s->memory.size >> 10);
}

/* The line, then the program's handler. If that returns to the same instruction, and has not made the memory usable,
 * the fault comes again. A handler may also send the task elsewhere. */
static void tell(struct wsfj_stack *s, siginfo_t *info, void *context)
{
    uintptr_t pc = wsfj_frames_interrupted(context).pc;

    report(s, info->si_addr);
    wsfj_sigchain_pass_on(&overflow_link, info, context);
    s->overflowed_at = wsfj_frames_interrupted(context).pc == pc ? info->si_addr : NULL;
}

static void handler(int signal, siginfo_t *info, void *context)
{
    struct wsfj_stack *s = overflowed(info->si_addr);

    if (!s)
        wsfj_sigchain_pass_on(&overflow_link, info, context);
    else if (s->overflowed_at != info->si_addr)
        tell(s, info, context);
    else
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL); /* else the fault would come for ever */
}

void wsfj_overflow_start(void)
{
    wsfj_sigchain_install(&overflow_link);
}

/* Disables the thread's signal stack, unless the program has installed another. False in a handler that runs on that
 * stack. */
static bool withdraw(const void *memory)
{
    stack_t now;

    return sigaltstack(NULL, &now) != 0 || now.ss_sp != memory ||
           sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL) == 0;
}

/* The same in each call: a stack does not store it, because that would take a page of memory for each thread. */
static size_t stack_bytes(void)
{
    return wsfj_whole_pages(HANDLER_STACK + getauxval(AT_MINSIGSTKSZ));
}

/* Maps a signal stack. malloc() would not do: with dlmopen(), a copy of the library in another namespace, with
 * another free(), may drop it, because C libraries do not know each other's keys. The guard is below the stack. */
static void *map_signal_stack(void)
{
    char *map = wsfj_map(wsfj_page_size() + stack_bytes(), PROT_READ | PROT_WRITE, MAP_NORESERVE);

    if (!map)
        return NULL;
    (void)mprotect(map, wsfj_page_size(), PROT_NONE); /* if refused, the stack has no guard */
    return map + wsfj_page_size();
}

static void unmap(void *memory)
{
    munmap((char *)memory - wsfj_page_size(), wsfj_page_size() + stack_bytes());
}

/* The thread's next ws_run() makes another one. */
static void forget_guest(void)
{
    if (wsfj_thread_is == WSFJ_THREAD_GUEST)
        wsfj_thread_is = WSFJ_THREAD_CALLER;
}

static void drop(void *memory)
{
    forget_guest();
    if (withdraw(memory))
        unmap(memory);
}

static void make_key(void)
{
    store_relaxed(&has_key, pthread_key_create(&key, drop) == 0);
}

static bool key_works(void)
{
    pthread_once(&key_once, make_key);
    return load_relaxed(&has_key);
}

/* Drops the signal stack of the thread that stops the runtime; other threads drop theirs when they end. Keeps it in a
 * handler that runs on it and has called exit(). */
static void drop_here(void)
{
    void *memory = key_works() ? pthread_getspecific(key) : NULL;

    if (!memory || !withdraw(memory))
        return;
    pthread_setspecific(key, NULL);
    forget_guest();
    unmap(memory);
}

void wsfj_overflow_stop(void)
{
    wsfj_sigchain_remove(&overflow_link, false); /* underneath a handler of the program, ours only passes faults on */
    drop_here();
}

void wsfj_overflow_unload(void)
{
    if (key_works()) {
        store_relaxed(&has_key, false);
        pthread_key_delete(key);
    }
}

bool wsfj_overflow_guard_thread(void)
{
    stack_t now;
    void *memory;

    if (!key_works() || pthread_getspecific(key))
        return key_works();
    if (sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE))
        return false;
    memory = map_signal_stack();
    if (!memory)
        return false; /* an overflow then kills without the line */
    if (sigaltstack(&(stack_t){.ss_sp = memory, .ss_size = stack_bytes()}, NULL) != 0 ||
        pthread_setspecific(key, memory) != 0) {
        sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
        unmap(memory);
        return false;
    }
    return true;
}
