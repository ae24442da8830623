/* SPDX-License-Identifier: MIT */
/* What an engine offers to files that are compiled with prelude.h: the calls, without the macros that lead to them. */
#ifndef TOOLS_PRELUDE_CALLS_H
#define TOOLS_PRELUDE_CALLS_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

struct engine_site {
    const char *function, *operation, *place, *file;
    int line;
    const struct explore_mutant *mutant; /* the explorer's: the error planted here, as of `epoch` */
    unsigned epoch, noted;               /* noted: by orders.c */
};

/* Both engines. */
long engine_syscall(struct engine_site *site, long number, ...);
int engine_lock(struct engine_site *site, pthread_mutex_t *mutex);
int engine_trylock(struct engine_site *site, pthread_mutex_t *mutex); /* the explorer's */
int engine_unlock(struct engine_site *site, pthread_mutex_t *mutex);
int engine_wait(struct engine_site *site, pthread_cond_t *condition, pthread_mutex_t *mutex);
int engine_broadcast(struct engine_site *site, pthread_cond_t *condition);
int engine_join(struct engine_site *site, pthread_t thread);
void engine_pause(void);
int engine_yield(void);
int engine_nap(void);
uint64_t engine_now(void);
size_t engine_number(const void *address); /* counts addresses from 0, in the order in which they are first asked for */

/* Virtual time. The atomics since the last point; so many make a point: 1 with --points=atomics. A store of a deque's
 * tail in inlined code always is a point. */
extern unsigned engine_atomics, engine_atomics_most;
extern unsigned engine_changes; /* those among them that read and write in one step */
void engine_atomic_point(void);
bool engine_delay(bool begins); /* a point of delay (chaos.c). False: none here */
void engine_tail_point(uintptr_t after, uintptr_t before);

/* Tells of each access, if `engine_lines`: it costs more if another CPU has the line. */
enum engine_access { ENGINE_LOAD, ENGINE_STORE, ENGINE_CHANGE };
extern bool engine_lines;
void engine_line(const volatile void *p, enum engine_access access);

/* An event of lib/task/event.h. `worker`: UINT32_MAX: a thread that serves none. */
void engine_event(unsigned event, uint32_t worker, unsigned detail, uint32_t a, uint32_t b, uint32_t c);

/* The machine and its threads. They follow the functions of the C library whose names they replace. */
int engine_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument);
pthread_t engine_self(void);
int engine_signal(struct engine_site *site, pthread_cond_t *condition);
int engine_mutex_init(pthread_mutex_t *mutex);
int engine_cond_init(pthread_cond_t *condition);
int engine_once(pthread_once_t *once, void (*function)(void));
int engine_key_create(pthread_key_t *key, void (*drop)(void *));
int engine_key_delete(pthread_key_t key);
void *engine_key_get(pthread_key_t key);
int engine_key_set(pthread_key_t key, const void *value);
int engine_cancel_state(int state, int *before);
int engine_detach(pthread_t thread);
int engine_name(pthread_t thread, const char *name);
int engine_sigmask(int how, const sigset_t *set, sigset_t *before);
int engine_altstack(const stack_t *stack, stack_t *before);
int engine_attributes(pthread_t thread, pthread_attr_t *attributes);
int engine_cpu_clock(pthread_t thread, clockid_t *clock);
int engine_clock(clockid_t clock, struct timespec *time);
int engine_sleep(const struct timespec *time, struct timespec *rest);
enum { ENGINE_EPOLL = 1 << 29, ENGINE_EVENTS }; /* no file has such a number */
int engine_watch(int set, int fd);
int engine_poke(int fd, uint64_t count);
int engine_poked(int fd, uint64_t *count);
struct pollfd;
int engine_poll(struct pollfd *fds, unsigned long n, const struct timespec *most);
pid_t engine_pid(void);
int engine_cpu(void);
int engine_mask_get(pid_t thread, size_t size, cpu_set_t *set);
int engine_mask_set(pid_t thread, size_t size, const cpu_set_t *set);
int engine_bind(pthread_t thread, size_t size, const cpu_set_t *set);
struct rusage;
int engine_usage(struct rusage *usage);
int engine_open(int directory, const char *path, int flags, ...);
char *engine_getenv(const char *name);
ssize_t engine_read_memory(const struct iovec *to, unsigned long n, const struct iovec *from, unsigned long m,
                           unsigned long flags);

#endif
