/* SPDX-License-Identifier: MIT */
/* Lines of the program in a dump. Each entry is a lock of its own: who has taken it may read it, change it or call its function. */
#include "observe/notes.h"

#include "base/atomic.h"
#include "observe/textbuf.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <wsfj/trace.h>

#define NOTES_MOST 16
#define NOTE_BYTES 256

enum { FREE, FILLED, TAKEN, TAKEN_FREE }; /* the last: it has nothing yet */

static struct note {
    int state;
    ws_dump_function *fn; /* these two: of the thread that has taken the entry */
    void *arg;
} notes[NOTES_MOST];

static bool take(struct note *n, int from, int to)
{
    return cas_acq_rel(&n->state, &from, to);
}

static void give_back(struct note *n, int state)
{
    store_release(&n->state, state);
}

WSFJ_EXPORT int ws_dump_add(ws_dump_function *fn, void *arg)
{
    if (!fn)
        return EINVAL;
    for (struct note *n = notes; n < notes + NOTES_MOST; n++)
        if (take(n, FREE, TAKEN_FREE)) {
            n->fn = fn;
            n->arg = arg;
            give_back(n, FILLED);
            return 0;
        }
    return ENOMEM;
}

WSFJ_EXPORT int ws_dump_remove(ws_dump_function *fn, void *arg)
{
    for (struct note *n = notes; n < notes + NOTES_MOST; n++) {
        bool taken;

        while (!(taken = take(n, FILLED, TAKEN)) && load_relaxed(&n->state) == TAKEN)
            sched_yield(); /* a dump calls the function */
        if (!taken)
            continue;
        bool found = n->fn == fn && n->arg == arg;

        give_back(n, found ? FREE : FILLED);
        if (found)
            return 0;
    }
    return ENOENT;
}

void wsfj_notes(struct wsfj_textbuf *text)
{
    char line[NOTE_BYTES] = "";

    for (struct note *n = notes; n < notes + NOTES_MOST; n++)
        if (take(n, FILLED, TAKEN)) {
            int length = n->fn(n->arg, line, sizeof line);

            give_back(n, FILLED);
            if (length > 0)
                wsfj_textbuf_add(text, "  %.*s\n", (int)strcspn(line, "\n"), line);
        }
}

void wsfj_notes_forget(void)
{
    for (struct note *n = notes; n < notes + NOTES_MOST; n++) {
        int state = load_relaxed(&n->state);

        store_relaxed(&n->state, state == TAKEN ? FILLED : state == TAKEN_FREE ? FREE : state);
    }
}
