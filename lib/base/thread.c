/* SPDX-License-Identifier: MIT */
#include "base/thread.h"

#include "base/atomic.h"
#include "base/failpoint.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <link.h>
#endif

#ifdef __GLIBC__
/*
 * glibc takes the thread-local memory of the program and its libraries from the requested stack size: half a MiB of it
 * would leave no stack. musl adds it.
 *
 * Looked up when this library is loaded. A later look would wait for the loader's lock, which another thread may hold
 * at a fork. A program that contains the library may start the runtime earlier, from a constructor or .preinit_array:
 * the start then looks it up. Objects loaded after this library have their thread-local memory elsewhere.
 */

/* 0: not looked up yet; the sum is never 0, because glibc itself has thread-local memory. Relaxed: each look finds the
 * same sum. */
static size_t locals;

static int add(struct dl_phdr_info *object, size_t size, void *sum)
{
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_TLS)
            *(size_t *)sum += object->dlpi_phdr[i].p_memsz + object->dlpi_phdr[i].p_align;
    return 0;
}

__attribute__((constructor)) static void look_up(void)
{
    size_t sum = 0;

    if (load_relaxed(&locals))
        return;
    (void)dl_iterate_phdr(add, &sum);
    store_relaxed(&locals, sum);
}

/* Whole pages: glibc puts the thread's own data at the end of the size, so an odd size would take one page more of each
 * thread. */
static size_t stack_size(size_t needed)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    look_up();
    return (needed + load_relaxed(&locals) + page - 1) / page * page;
}
#else
static size_t stack_size(size_t needed)
{
    return needed;
}
#endif

void wsfj_thread_block_signals(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF};
    sigset_t all;

    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

int wsfj_thread_make(pthread_t *id, size_t stack, void *(*function)(void *), void *argument)
{
    pthread_attr_t attributes;
    sigset_t before;
    int error;

    if (wsfj_failpoint(WSFJ_AT_THREAD))
        return EAGAIN;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_size(stack));
    wsfj_thread_block_signals(&before);
    error = pthread_create(id, &attributes, function, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

void wsfj_thread_name(unsigned number)
{
    /* Not by snprintf(), which needs so much stack that each sleeping thread would take another page. */
    char name[16] = "wsfj-", *end = name + 5;
    unsigned power = 1;

    while (number / power > 9)
        power *= 10;
    for (; power; power /= 10)
        *end++ = (char)('0' + number / power % 10);
    pthread_setname_np(pthread_self(), name);
}

pid_t wsfj_thread_id(void)
{
    return (pid_t)syscall(SYS_gettid);
}
