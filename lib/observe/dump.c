/* SPDX-License-Identifier: MIT */
#include "observe/dump.h"

#include "arch/arch.h"
#include "arch/frames.h"
#include "idle/source.h"
#include "observe/notes.h"
#include "observe/snapshot.h"
#include "observe/waits.h"
#include "observe/watchdog.h"
#include "signals/frame_request.h"
#include "signals/symbols.h"
#include "task/pool.h"
#include "task/stack.h"
#include "worker/reach.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <inttypes.h>
#include <unistd.h>

/* Running threads are all asked at once for their frames. Together they have this long to answer. */
#define ANSWER_NS 1000000000u
/* How many suspended stacks are shown, and how many children of each. The rest is counted. */
#define STACKS_MOST 1000
#define CHILDREN_MOST 8

static void frames(struct wsfj_textbuf *text, const uintptr_t *pc, uint32_t n)
{
    /* An address that is no code means a frame without a frame pointer: the chain has ended before. */
    for (uint32_t i = 0; i < n && wsfj_snapshot_code(text, "      ", pc[i], i > 0); i++)
        wsfj_textbuf_add(text, "\n");
}

/* All threads are asked before the first answer is awaited. */
static void ask_all(void)
{
    for (struct wsfj_stack *s = wsfj_pool_all(); s; s = s->pool.next_all) {
        s->answer.shown = false;
        if (load_acquire(&s->answer.state) != WSFJ_ANSWER_BUSY)
            store_release(&s->answer.state, WSFJ_ANSWER_IDLE);
        if (wsfj_snapshot_blocks(s))
            wsfj_frame_request_ask(s, load_relaxed(&s->blocking.thread));
    }
    for (unsigned i = 0; i < wsfj_num_workers; i++) {
        struct wsfj_stack *s = load_acquire(&wsfj_workers[i].stack);

        if (s)
            wsfj_frame_request_ask(s, wsfj_snapshot_thread(i));
    }
}

static void answered_frames(struct wsfj_textbuf *text, struct wsfj_stack *s, uint64_t until)
{
    static const char *const why_not[] = {[WSFJ_ANSWER_GONE] = "its thread runs something else by now",
                                          [WSFJ_ANSWER_BLOCKED] = "its thread blocks the signal",
                                          [WSFJ_ANSWER_OFF] =
                                              "WSFJ_DUMP_SIGNAL is not set, or others handle that signal",
                                          [WSFJ_ANSWER_NOBODY] = "its thread cannot be asked",
                                          [WSFJ_ANSWER_SILENT] = "its thread does not answer"};
    uint32_t state = load_acquire(&s->answer.state);

    if (state == WSFJ_ANSWER_IDLE)
        return; /* the stack began to run after the requests were sent */
    state = wsfj_frame_request_await(s, until);
    if (state == WSFJ_ANSWER_DONE && s->answer.moves != load_relaxed(&s->shown.moves))
        state = WSFJ_ANSWER_GONE; /* the frames may belong to another task than the one above */
    if (state == WSFJ_ANSWER_DONE)
        frames(text, s->answer.pc, s->answer.count);
    else
        wsfj_textbuf_add(text, "      no frames: %s\n", why_not[state]);
}

static void suspended_frames(struct wsfj_textbuf *text, const struct wsfj_stack *s)
{
    uint64_t runs = load_acquire(&s->shown.runs);
    uintptr_t pc[WSFJ_FRAMES_MOST];
    uintptr_t low = (uintptr_t)s->memory.low;
    uint32_t n = wsfj_frames_suspended(&s->context, low, low + s->memory.size, pc, WSFJ_FRAMES_MOST);

    /* The order of these loads does not matter: a fiber counts a resumption before it does much else. */
    if (load_acquire(&s->shown.runs) == runs)
        frames(text, pc, n);
    else
        wsfj_textbuf_add(text, "      no frames: it has resumed meanwhile\n");
}

/* Whether the task that runs on `s` was spawned on the deque of `parent`. */
static bool is_child(const struct wsfj_stack *s, const struct wsfj_stack *parent)
{
    uintptr_t job = (uintptr_t)load_relaxed(&s->job.stolen), low = (uintptr_t)parent->bottom;

    return load_relaxed(&s->shown.life) != WSFJ_LIFE_FREE && job >= low && job < (uintptr_t)parent->memory.last;
}

static void detached(struct wsfj_textbuf *text, const struct wsfj_stack *s)
{
    const ws_group *group = load_relaxed(&s->job.item.group);

    wsfj_textbuf_add(text, ", detached");
    if (group)
        wsfj_textbuf_add(text, ", of the group at %p", (const void *)group);
}

/* "stack 3, fib (fib.c:12), stolen from stack 1" */
static void introduce(struct wsfj_textbuf *text, const struct wsfj_stack *s)
{
    wsfj_textbuf_add(text, "stack %u, ", s->number);
    wsfj_snapshot_task(text, s);
    if (load_relaxed(&s->shown.life) == WSFJ_LIFE_FREE)
        return;
    if (load_relaxed(&s->job.item.fn))
        detached(text, s);
    else if (!load_relaxed(&s->job.stolen))
        wsfj_textbuf_add(text, ", a root");
    else
        for (const struct wsfj_stack *p = wsfj_pool_all(); p; p = p->pool.next_all)
            if (is_child(s, p))
                wsfj_textbuf_add(text, ", stolen from stack %u", p->number);
    if (load_relaxed(&s->pin.count))
        wsfj_textbuf_add(text, ", pinned");
}

static void children(struct wsfj_textbuf *text, const struct wsfj_stack *parent)
{
    unsigned n = 0;

    for (const struct wsfj_stack *s = wsfj_pool_all(); s; s = s->pool.next_all) {
        if (is_child(s, parent) && n++ < CHILDREN_MOST)
            wsfj_textbuf_add(text, "%sstack %u", n == 1 ? " (" : ", ", s->number);
    }
    if (n)
        wsfj_textbuf_add(text, "%s)", n > CHILDREN_MOST ? ", ..." : "");
}

static void wait_for_children(struct wsfj_textbuf *text, const struct wsfj_stack *s)
{
    uint64_t n = load_relaxed(&s->join);

    if (!n) {
        wsfj_textbuf_add(text, " can resume: its children are done");
        return;
    }
    wsfj_textbuf_add(text, " waits at a sync for %" PRIu64 " child%s", n, n == 1 ? "" : "ren");
    children(text, s);
}

static void reason(struct wsfj_textbuf *text, const struct wsfj_stack *s, uint64_t now)
{
    switch (load_relaxed(&s->shown.life)) {
    case WSFJ_LIFE_JOIN: wait_for_children(text, s); break;
    case WSFJ_LIFE_WAIT: wsfj_waits_say(text, s, now); break;
    case WSFJ_LIFE_YIELDED: wsfj_textbuf_add(text, " waits in the global queue for a worker"); break;
    case WSFJ_LIFE_SLOT: wsfj_textbuf_add(text, " waits in the global queue after a blocking section"); break;
    default: wsfj_textbuf_add(text, " resumes"); break;
    }
    wsfj_textbuf_add(text, "\n");
}

/* A thread that is in a poll source. */
static void source(struct wsfj_textbuf *text, uint64_t now)
{
    uint64_t since, tenths;
    ws_poll_function *fn = wsfj_source_longest(&since);

    if (!fn)
        return;
    tenths = now > since ? (now - since) / 100000000u : 0;
    wsfj_textbuf_add(text, "  poll source ");
    wsfj_snapshot_function(text, (uintptr_t)fn);
    wsfj_textbuf_add(text, ": a thread has been in it for %" PRIu64 ".%" PRIu64 " s\n", tenths / 10, tenths % 10);
}

static void worker(struct wsfj_textbuf *text, struct wsfj_worker *w, uint64_t now, uint64_t until)
{
    struct wsfj_snapshot g = wsfj_snapshot(w->id);
    pid_t tid = wsfj_snapshot_thread(w->id);
    uint64_t tenths = wsfj_watchdog_runs(w->id, now) / 100000000u;

    wsfj_textbuf_add(text, "  worker %u: %s%s%s, ", w->id, g.state, g.guest ? ", guest" : "",
                     g.lent ? ", slot lent" : "");
    if (tid)
        wsfj_textbuf_add(text, "thread %d, ", (int)tid);
    if (wsfj_reach_name(w))
        wsfj_textbuf_add(text, "may use %s, ", wsfj_reach_name(w));
    wsfj_textbuf_add(text, "deque %zu, queue %u%s", g.deque, g.queue, g.next ? " and run-next" : "");
    if (g.stack) {
        wsfj_textbuf_add(text, ": ");
        introduce(text, g.stack);
        if (tenths)
            wsfj_textbuf_add(text, ", has run for %" PRIu64 ".%" PRIu64 " s", tenths / 10, tenths % 10);
    }
    wsfj_textbuf_add(text, "\n");
    if (g.stack) {
        answered_frames(text, g.stack, until);
        g.stack->answer.shown = true; /* not again below, if it is suspended by then */
    }
}

static void waiting(struct wsfj_textbuf *text, struct wsfj_stack *s, uint64_t now, uint64_t until)
{
    bool is_blocking = wsfj_snapshot_blocks(s);

    wsfj_textbuf_add(text, "  ");
    introduce(text, s);
    wsfj_textbuf_add(text, ":");
    if (is_blocking) {
        wsfj_textbuf_add(text, " blocks in a blocking section, thread %d\n", (int)load_relaxed(&s->blocking.thread));
        answered_frames(text, s, until);
    } else {
        reason(text, s, now);
        suspended_frames(text, s);
    }
}

#define S(n) ((n) == 1 ? "" : "s")

void wsfj_dump(struct wsfj_textbuf *text, const char *why, uint64_t now, uint64_t age)
{
    struct wsfj_snapshot_totals all = wsfj_snapshot_totals();
    uint64_t until = wsfj_now() + ANSWER_NS;
    unsigned shown = 0, more = 0;

    wsfj_symbols_forget();
    ask_all();
    wsfj_textbuf_add(text, "libwsfj: dump of process %d after %" PRIu64 ".%03u s: %s\n", (int)getpid(),
                     age / 1000000000u, (unsigned)(age / 1000000u % 1000u), why);
    wsfj_textbuf_add(text, "  %u worker%s: %u running, %" PRIu32 " searching, %u asleep, %u retired, %u guest%s\n",
                     all.workers, S(all.workers), all.running, all.searching, all.sleeping, all.retired, all.guests,
                     S(all.guests));
    wsfj_textbuf_add(text, "  %u stack%s made, %u in use, %u waiting; queued: %zu task%s, %zu fiber%s, %zu root%s;",
                     all.made, S(all.made), all.used, all.waiting, all.global, S(all.global), all.fibers, S(all.fibers),
                     all.roots, S(all.roots));
    wsfj_textbuf_add(text, " detached: %" PRIu64 " submitted, %" PRIu64 " finished; %" PRIu64 " steal%s\n",
                     all.submitted, all.finished, all.steals, S(all.steals));
    source(text, now);
    wsfj_notes(text);
    for (unsigned i = 0; i < wsfj_num_workers; i++)
        worker(text, &wsfj_workers[i], now, until);
    for (struct wsfj_stack *s = wsfj_pool_all(); s; s = s->pool.next_all) {
        if (s->answer.shown || load_relaxed(&s->shown.life) == WSFJ_LIFE_FREE || wsfj_snapshot_runs(s))
            continue;
        if (shown++ < STACKS_MOST)
            waiting(text, s, now, until);
        else
            more++;
    }
    if (more)
        wsfj_textbuf_add(text, "  ... and %u more stack%s that wait%s\n", more, S(more), more == 1 ? "s" : "");
    wsfj_textbuf_add(text, "libwsfj: end of the dump\n");
}
