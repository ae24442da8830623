/* SPDX-License-Identifier: MIT */
#include "observe/locked.h"

#include "observe/snapshot.h"
#include "observe/waits.h"
#include "task/stack.h"

#include <pthread.h>

/* Adds a line. */
static void say(struct wsfj_textbuf *text, const struct wsfj_stack *own, const void *mutex)
{
    wsfj_textbuf_add(text, "libwsfj: the task ");
    wsfj_snapshot_task(text, own);
    if (mutex)
        wsfj_textbuf_add(text, " has ended, but not unlocked the mutex at %p\n", mutex);
    else
        wsfj_textbuf_add(text, " has ended, but not unlocked a mutex\n");
}

void wsfj_locked_say(const struct wsfj_stack *own)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static struct wsfj_textbuf text; /* too large for a stack */
    bool named = false;

    pthread_mutex_lock(&mutex);
    for (unsigned i = 0; i < WSFJ_HELD_MOST; i++) {
        if (own->held[i] && wsfj_waits_holds(own, own->held[i])) {
            say(&text, own, own->held[i]);
            named = true;
        }
    }
    if (!named)
        say(&text, own, NULL);
    wsfj_textbuf_flush(&text);
    pthread_mutex_unlock(&mutex);
}
