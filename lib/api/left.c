/* SPDX-License-Identifier: MIT */
#include "api/left.h"

#include "base/debug.h"

#include <pthread.h>

/* The stack that the calling thread began with: an address there, less `low`, is less than `size`. */
struct native {
    uintptr_t low;
    size_t size; /* 0: not known yet */
};

static struct native find(void)
{
    struct native native = {0, 0};
    pthread_attr_t attributes;
    void *low;

    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return native;
    if (pthread_attr_getstack(&attributes, &low, &native.size) == 0)
        native.low = (uintptr_t)low;
    pthread_attr_destroy(&attributes);
    return native;
}

/* A task may run coroutines on stacks of its own, so only the thread's first stack proves anything: while a task runs
 * on a stack of the pool, nothing runs there; and below a region that is run there, all frames belong to its tasks. */
bool wsfj_left_surely(const struct wsfj_stack *own, const void *frame)
{
    static __thread struct native native;
    static __thread bool told;

    if (!own->memory.size && !own->job.region)
        return false; /* a plain call of a task */
    if (!native.size)
        native = find();
    if ((uintptr_t)frame - native.low >= native.size)
        return false;
    if (!own->memory.size && (uintptr_t)own->job.region - native.low >= native.size)
        return false; /* the region runs on a coroutine's stack, which says nothing of this frame */
    if (!told)
        wsfj_say("ws_run(): longjmp() has left a task on this thread, which can begin no region any more");
    told = true;
    return true;
}
