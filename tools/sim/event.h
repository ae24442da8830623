/* SPDX-License-Identifier: MIT */
/* Events of the library: what each costs, and who listens. */
#ifndef TOOLS_SIM_EVENT_H
#define TOOLS_SIM_EVENT_H

#include "task/event.h"

#include <stdint.h>

struct sim_note {
    uint64_t time;
    enum wsfj_event event;
    uint32_t worker; /* UINT32_MAX: a thread that serves no worker */
    unsigned detail;
    uint32_t a, b, c; /* task/event.h */
};

/* Is told of every event, in order of time, before the event is paid for. NULL: nobody listens. */
extern void (*sim_listener)(const struct sim_note *note);

#endif
