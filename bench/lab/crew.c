/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE 1 /* sched_setaffinity() */
#include "crew.h"

#include "arch/arch.h"
#include "base/atomic.h"

#include <pthread.h>
#include <sched.h>

struct crew {
    crew_body *body;
    void *context;
    pthread_barrier_t start;
    unsigned threads, there;
};

struct member {
    struct crew *crew;
    pthread_t thread;
    unsigned self;
    uint64_t begun, ended;
};

static void *member_run(void *argument)
{
    struct member *m = argument;

    pthread_barrier_wait(&m->crew->start);
    /* Not all threads wake from the barrier at once. If there are more threads than processors they alternate here. */
    (void)add_acq_rel(&m->crew->there, 1u);
    for (unsigned turn = 0; load_acquire(&m->crew->there) < m->crew->threads; turn++)
        crew_pause(turn);
    m->begun = sample_now();
    m->crew->body(m->crew->context, m->self);
    m->ended = sample_now();
    return NULL;
}

double crew_run(struct lab *lab, unsigned threads, crew_body *body, void *context)
{
    struct crew crew = {.body = body, .context = context, .threads = threads};
    struct member members[LAB_THREADS_MOST];
    uint64_t begun = UINT64_MAX, ended = 0;

    lab_need(lab, threads <= LAB_THREADS_MOST && pthread_barrier_init(&crew.start, NULL, threads) == 0, "a barrier");
    for (unsigned i = 0; i < threads; i++) {
        members[i] = (struct member){.crew = &crew, .self = i};
        lab_need(lab, pthread_create(&members[i].thread, NULL, member_run, &members[i]) == 0, "threads");
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(members[i].thread, NULL);
        begun = members[i].begun < begun ? members[i].begun : begun;
        ended = members[i].ended > ended ? members[i].ended : ended;
    }
    pthread_barrier_destroy(&crew.start);
    return (double)(ended - begun) * 1e-9;
}

bool crew_bind(unsigned number)
{
    cpu_set_t set, one;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return false;
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &set) && number-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            return sched_setaffinity(0, sizeof one, &one) == 0;
        }
    }
    return false;
}

void crew_pause(unsigned turn)
{
    if (turn % 1024 == 1023)
        sched_yield();
    else
        wsfj_pause();
}
