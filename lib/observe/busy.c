/* SPDX-License-Identifier: MIT */
#include "observe/busy.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/debug.h"
#include "base/thread.h"
#include "config/settings.h"
#include "idle/phase.h"
#include "observe/snapshot.h"
#include "task/pool.h"
#include "task/stack.h"
#include "worker/items.h"
#include "worker/use.h"
#include "worker/workers.h"

#include <inttypes.h>

/* At most so many lines name tasks. */
#define LINES_MOST 32
#define SECOND UINT64_C(1000000000)

/* Whether lines are wanted, and the last ones were a second ago: programs repeat ws_fini() until it returns 0. */
static bool is_due(void)
{
    static uint64_t next;
    uint64_t now = wsfj_now(), due = load_relaxed(&next);

    return wsfj_settings.display && now >= due && cas_acq_rel(&next, &due, now + SECOND);
}

void wsfj_busy_say_caller(void)
{
    if (is_due())
        wsfj_say("ws_fini(): EBUSY: thread %d has called it inside a task", (int)wsfj_thread_id());
}

/* Returns how many lines it adds. */
static unsigned running(struct wsfj_textbuf *text, unsigned worker)
{
    struct wsfj_snapshot now = wsfj_snapshot(worker);

    if (!now.stack)
        return 0;
    wsfj_textbuf_add(text, "  thread %d%s: worker %u runs ", (int)wsfj_snapshot_thread(worker),
                     now.guest ? ", in ws_run()" : "", worker);
    wsfj_snapshot_task(text, now.stack);
    wsfj_textbuf_add(text, "\n");
    return 1;
}

static unsigned not_running(struct wsfj_textbuf *text, const struct wsfj_stack *s)
{
    if (load_relaxed(&s->shown.life) == WSFJ_LIFE_FREE || wsfj_snapshot_runs(s))
        return 0;
    if (wsfj_snapshot_blocks(s))
        wsfj_textbuf_add(text, "  thread %d: blocks in ", (int)load_relaxed(&s->blocking.thread));
    else
        wsfj_textbuf_add(text, "  no thread: waits: ");
    wsfj_snapshot_task(text, s);
    wsfj_textbuf_add(text, "\n");
    return 1;
}

void wsfj_busy_say(void)
{
    static struct wsfj_textbuf text;
    struct wsfj_items tally = wsfj_items();
    unsigned lines = 0;

    if (!is_due())
        return;
    wsfj_textbuf_add(&text, "libwsfj: ws_fini(): EBUSY: calls and phases: %zu%s; detached tasks: %" PRIu64 "\n",
                     load_seq(&wsfj_users), wsfj_phase_on() ? " (a phase has not ended)" : "",
                     tally.submitted - tally.finished);
    for (unsigned i = 0; i < wsfj_num_workers && lines < LINES_MOST; i++)
        lines += running(&text, i);
    for (const struct wsfj_stack *s = wsfj_pool_all(); s && lines < LINES_MOST; s = s->pool.next_all)
        lines += not_running(&text, s);
    wsfj_textbuf_flush(&text);
}
