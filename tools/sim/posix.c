/* SPDX-License-Identifier: MIT */
/* What the prelude puts in the place of the C library's threads, masks, files and process. */
#include "costs.h"
#include "cpu.h"
#include "engine.h"
#include "fail.h"
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

int engine_create(pthread_t *id, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
    size_t stack = 0;
    struct sim_thread *t;

    if (attributes)
        (void)pthread_attr_getstacksize(attributes, &stack);
    t = sim_thread_make(function, argument, stack);
    *id = (pthread_t)t;
    t->cpu = sim_self->cpu;
    t->signals = sim_self->signals;
    if (sim_self->mask) {
        t->mask = sim_new(sim_bit_words(sim_cpu_end()), sizeof *t->mask);
        memcpy(t->mask, sim_self->mask, sim_bit_words(sim_cpu_end()) * sizeof *t->mask);
    }
    sim_arrive_after(t, 2 * sim_costs.create);
    sim_point(sim_costs.create);
    return 0;
}

pthread_t engine_self(void)
{
    return sim_self ? (pthread_t)sim_self : (pthread_t)&sim_self;
}

int engine_once(pthread_once_t *once, void (*function)(void))
{
    volatile int *state = (volatile int *)(void *)once;

    while (*state == 1)
        engine_yield();
    if (*state == 2)
        return 0;
    *state = 1;
    function();
    *state = 2;
    return 0;
}

static bool keys[SIM_KEYS];

int engine_key_create(pthread_key_t *key, void (*drop)(void *))
{
    (void)drop; /* what a thread leaves stays until the end of the process */
    for (unsigned i = 0; i < SIM_KEYS; i++) {
        if (!keys[i]) {
            keys[i] = true;
            *key = i;
            return 0;
        }
    }
    return EAGAIN;
}

int engine_key_delete(pthread_key_t key)
{
    for (unsigned i = 0; i < sim_num_threads; i++)
        sim_threads[i]->specific[key] = NULL;
    keys[key] = false;
    return 0;
}

void *engine_key_get(pthread_key_t key)
{
    return sim_self ? sim_self->specific[key] : NULL;
}

int engine_key_set(pthread_key_t key, const void *value)
{
    if (sim_self)
        sim_self->specific[key] = (void *)(uintptr_t)value;
    return 0;
}

int engine_cancel_state(int state, int *before)
{
    (void)state;
    if (before)
        *before = PTHREAD_CANCEL_ENABLE;
    return 0;
}

/* What a thread leaves stays until the end of the process. */
int engine_detach(pthread_t id)
{
    (void)id;
    return 0;
}

int engine_name(pthread_t id, const char *name)
{
    struct sim_thread *t = (struct sim_thread *)id;

    if (sim_self)
        snprintf(t->name, sizeof t->name, "%s", name);
    return 0;
}

/* No signal is sent to a virtual thread: a mask is only kept. */
int engine_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    if (before) {
        if (sim_self)
            *before = sim_self->signals;
        else
            sigemptyset(before);
    }
    if (!sim_self || !set)
        return 0;
    if (how == SIG_SETMASK) {
        sim_self->signals = *set;
        return 0;
    }
    for (int i = 1; i < SIGRTMAX; i++) {
        if (sigismember(set, i) == 1)
            (void)(how == SIG_BLOCK ? sigaddset : sigdelset)(&sim_self->signals, i);
    }
    return 0;
}

int engine_altstack(const stack_t *stack, stack_t *before)
{
    if (before)
        *before = sim_self ? sim_self->altstack : (stack_t){.ss_flags = SS_DISABLE};
    if (stack && sim_self)
        sim_self->altstack = *stack;
    return 0;
}

/* AddressSanitizer is told of a thread's stack. Outside of a simulation: the real thread's. */
int engine_attributes(pthread_t id, pthread_attr_t *attributes)
{
    const struct sim_thread *t = (const struct sim_thread *)id;
    int error;

    if (!sim_self)
        return pthread_getattr_np(pthread_self(), attributes);
    error = pthread_attr_init(attributes);
    return error ? error : pthread_attr_setstack(attributes, t->stack, t->size);
}

int engine_cpu_clock(pthread_t id, clockid_t *clock)
{
    *clock = -SIM_PID - 1 - (clockid_t)((const struct sim_thread *)id)->number;
    return 0;
}

pid_t engine_pid(void)
{
    return SIM_PID;
}

int engine_cpu(void)
{
    return sim_self ? (int)sim_self->cpu : 0;
}

/* 0: the calling thread. */
static struct sim_thread *thread_of(pid_t tid)
{
    if (tid == 0)
        return sim_self;
    return tid >= SIM_PID && tid < SIM_PID + (pid_t)sim_num_threads ? sim_threads[tid - SIM_PID] : NULL;
}

int engine_mask_get(pid_t tid, size_t size, cpu_set_t *set)
{
    const struct sim_thread *t = thread_of(tid);

    if (tid && !t) {
        errno = ESRCH;
        return -1;
    }
    if (size * 8 < sim_cpu_end()) {
        errno = EINVAL;
        return -1;
    }
    CPU_ZERO_S(size, set);
    for (unsigned i = 0; i < sim_cpu_end(); i++)
        if (sim_cpu_exists(i) && (!t || !t->mask || sim_bit(t->mask, i)))
            CPU_SET_S(i, size, set);
    return 0;
}

static int set_mask(struct sim_thread *t, size_t size, const cpu_set_t *set)
{
    unsigned words = sim_bit_words(sim_cpu_end());
    bool any = false;
    uint64_t *mask;

    if (!t)
        return ESRCH;
    mask = sim_new(words, sizeof *mask);
    for (unsigned i = 0; i < sim_cpu_end() && i < size * 8; i++) {
        if (sim_cpu_exists(i) && CPU_ISSET_S(i, size, set)) {
            mask[i / 64] |= UINT64_C(1) << i % 64;
            any = true;
        }
    }
    if (!any) {
        free(mask);
        return EINVAL;
    }
    free(t->mask);
    t->mask = mask;
    sim_point(sim_costs.futex);
    sim_cpu_moved(t);
    return 0;
}

int engine_mask_set(pid_t tid, size_t size, const cpu_set_t *set)
{
    int error = set_mask(thread_of(tid), size, set);

    if (error)
        errno = error;
    return error ? -1 : 0;
}

int engine_bind(pthread_t id, size_t size, const cpu_set_t *set)
{
    return set_mask((struct sim_thread *)id, size, set);
}

/* A file of the virtual machine, as a file in memory. */
static int open_text(const char *text, size_t length)
{
    int fd = memfd_create("wsfj-sim", MFD_CLOEXEC);

    if (fd >= 0 && (pwrite(fd, text, length, 0) != (ssize_t)length)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

int engine_usage(struct rusage *usage)
{
    *usage = (struct rusage){.ru_nivcsw = (long)sim_self->switches};
    return 0;
}

/* The schedstat of a thread, if `name` is that. Returns its length, or -1. */
static int schedstat(const char *name, char *text, size_t room)
{
    const struct sim_thread *t;
    int tid, end = 0;

    if (sscanf(name, "proc/self/task/%d/schedstat%n", &tid, &end) != 1 || end == 0 || name[end])
        return -1;
    t = thread_of(tid);
    return t ? snprintf(text, room, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", t->used, t->waited, t->turns) : -1;
}

static bool begins(const char *path, const char *with)
{
    return strncmp(path, with, strlen(with)) == 0;
}

int engine_open(int directory, const char *path, int flags, ...)
{
    const char *name = path + strspn(path, "./");
    char text[256];
    va_list arguments;
    mode_t mode;
    int length;

    /* The names of functions are in the real program. */
    if ((begins(name, "proc/") || begins(name, "sys/")) && strcmp(name, "proc/self/maps") != 0) {
        length = schedstat(name, text, sizeof text);
        if (length < 0)
            length = sim_machine_file(name, text, sizeof text);
        if (length >= 0)
            return open_text(text, (size_t)length);
        errno = ENOENT;
        return -1;
    }
    va_start(arguments, flags);
    mode = flags & O_CREAT ? (mode_t)va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    return openat(directory, path, flags, mode);
}

ssize_t engine_read_memory(const struct iovec *to, unsigned long n, const struct iovec *from, unsigned long m,
                           unsigned long flags)
{
    return process_vm_readv(getpid(), to, n, from, m, flags);
}
