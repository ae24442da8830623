/* SPDX-License-Identifier: MIT */
#include "base/thread.h"

#include "base/atomic.h"
#include "base/failpoint.h"
#include "base/mapping.h"
#include "base/procfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <link.h>
#endif

WSFJ_OF_THREAD size_t wsfj_thread_is;

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
    look_up();
    return wsfj_whole_pages(needed + load_relaxed(&locals));
}
#else
static size_t stack_size(size_t needed)
{
    return wsfj_whole_pages(needed);
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

void wsfj_thread_restore_signals(const sigset_t *instead, int let_in)
{
    sigset_t own, given;

    memset(&own, 0, sizeof own); /* the C library writes only a part of them */
    memset(&given, 0, sizeof given);
    wsfj_thread_block_signals(&own);
    pthread_sigmask(SIG_SETMASK, NULL, &given); /* as the kernel shows it: without the signals that nobody can block */
    if (let_in && !sigismember(&own, let_in))
        sigdelset(&given, let_in);
    pthread_sigmask(SIG_SETMASK, memcmp(&own, &given, sizeof own) == 0 ? instead : &own, NULL);
}

static int make(pthread_t *id, pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
    sigset_t before;
    int error;

    wsfj_thread_block_signals(&before);
    error = wsfj_failpoint(WSFJ_AT_THREAD) ? EAGAIN : pthread_create(id, attributes, function, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(attributes);
    return error;
}

int wsfj_thread_make(pthread_t *id, size_t stack, void *(*function)(void *), void *argument)
{
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_size(stack));
    return make(id, &attributes, function, argument);
}

bool wsfj_thread_stacks_map(struct wsfj_thread_stacks *s, unsigned count, size_t stack)
{
    const char *call;
    size_t guard = wsfj_page_size(), each = guard + stack_size(stack);

    *s = (struct wsfj_thread_stacks){wsfj_map_lazily(count * each, &call), guard, each, count};
    return s->map;
}

void wsfj_thread_stacks_unmap(struct wsfj_thread_stacks *s)
{
    if (s->map)
        munmap(s->map, s->count * s->each);
    s->map = NULL;
}

void wsfj_thread_stacks_forget(struct wsfj_thread_stacks *s)
{
    /* pthread_self() is the address of the C library's data of the thread, which lies on the thread's stack. */
    uintptr_t own = (uintptr_t)pthread_self(), low = (uintptr_t)s->map;

    if (own - low >= s->count * s->each)
        wsfj_thread_stacks_unmap(s);
    s->map = NULL;
}

int wsfj_thread_make_on(const struct wsfj_thread_stacks *s, unsigned i, pthread_t *id, void *(*function)(void *),
                        void *argument)
{
    char *guard = s->map + i * s->each;
    pthread_attr_t attributes;

    if (!wsfj_map_guard(guard, s->guard))
        return errno;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, guard + s->guard, s->each - s->guard);
    return make(id, &attributes, function, argument);
}

void wsfj_thread_begin(const char *name)
{
    wsfj_thread_is = WSFJ_THREAD_OURS;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); /* a task may know its thread, which must not end */
    pthread_setname_np(pthread_self(), name);
}

void wsfj_thread_begin_number(unsigned number)
{
    /* Not by snprintf(), which would touch another page of the stack, in each thread. */
    char name[16] = "wsfj-", *end = name + 5;
    unsigned power = 1;

    while (number / power > 9)
        power *= 10;
    for (; power; power /= 10)
        *end++ = (char)('0' + number / power % 10);
    wsfj_thread_begin(name);
}

pid_t wsfj_thread_id(void)
{
    return (pid_t)syscall(SYS_gettid);
}

uint64_t wsfj_thread_count(void)
{
    static const char key[] = "Threads:\t";
    struct wsfj_procfile file = {.fd = wsfj_procfile_open(AT_FDCWD, "/proc/self/status", 0)};
    uint64_t count = 0;
    char line[100];

    if (file.fd < 0)
        return 0;
    while (!count && wsfj_procfile_line(&file, line, sizeof line)) {
        const char *at = line + sizeof key - 1;

        if (strncmp(line, key, sizeof key - 1) == 0)
            (void)wsfj_procfile_number(&at, &count);
    }
    close(file.fd);
    return count;
}

static uint64_t waiting;

void wsfj_thread_wait_begin(void)
{
    (void)add_relaxed(&waiting, 1);
}

void wsfj_thread_wait_end(void)
{
    (void)add_relaxed(&waiting, (uint64_t)0 - 1);
}

uint64_t wsfj_thread_waiting(void)
{
    return load_relaxed(&waiting);
}

void wsfj_thread_forget(void)
{
    store_relaxed(&waiting, (uint64_t)0);
}
