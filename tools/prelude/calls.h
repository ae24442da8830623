/* SPDX-License-Identifier: MIT */
/* What an engine offers to files that are compiled with prelude.h: the calls, without the macros that lead to them. */
#ifndef TOOLS_PRELUDE_CALLS_H
#define TOOLS_PRELUDE_CALLS_H

#include <pthread.h>
#include <stdint.h>

struct engine_site {
    const char *function, *operation, *place, *file;
    int line;
    const struct explore_mutant *mutant; /* the explorer's: the error planted here, as of `epoch` */
    unsigned epoch, noted;               /* noted: by orders.c */
};

long engine_syscall(struct engine_site *site, long number, ...);
int engine_lock(struct engine_site *site, pthread_mutex_t *mutex);
int engine_unlock(struct engine_site *site, pthread_mutex_t *mutex);
int engine_wait(struct engine_site *site, pthread_cond_t *condition, pthread_mutex_t *mutex);
int engine_broadcast(struct engine_site *site, pthread_cond_t *condition);
int engine_join(struct engine_site *site, pthread_t thread);
void engine_pause(void);
int engine_yield(void);
uint64_t engine_now(void);

#endif
