/* SPDX-License-Identifier: MIT */
/* What a worker's thread does when it runs nothing. Who changes it: lib/idle/README.md; when: park.h. */
#ifndef WSFJ_WORKER_PARK_WORD_H
#define WSFJ_WORKER_PARK_WORD_H

/* States of wsfj_worker::park, a futex. */
enum {
    WSFJ_PARK_AWAKE,   /* its thread runs, or is about to */
    WSFJ_PARK_ASLEEP,  /* its thread sleeps: may be woken, or a guest may take its slot */
    WSFJ_PARK_GUEST,   /* a guest has its slot; its thread sleeps */
    WSFJ_PARK_RETIRED, /* surplus (cpu_limit.h): its thread sleeps and is not counted; no waker may wake it */
    WSFJ_PARK_OFFERED, /* its thread searches and lets others run for a moment: a guest may take its slot */
    WSFJ_PARK_NEW      /* its thread, if there is one yet, waits for the end of the start */
};

#endif
