/* SPDX-License-Identifier: MIT */
#include "observe/dump.h"

#include "task/stack.h"
#include "arch/arch.h"
#include "arch/frames.h"
#include "core/team.h"
#include "core/worker.h"
#include "idle/park.h"
#include "observe/snapshot.h"
#include "observe/watchdog.h"
#include "signals/frame_request.h"
#include "signals/symbols.h"
#include "task/pool.h"

#include <inttypes.h>
#include <sys/uio.h>
#include <unistd.h>

/* A thread that runs is asked for its frames and has so long to answer; all are asked at once. */
#define ANSWER_NS 1000000000u
/* Suspended stacks that are shown, and children of one; more are only counted. */
#define STACKS_MOST 1000
#define CHILDREN_MOST 8

static void frames(struct wsfj_textbuf *sheet, const uintptr_t *pc, uint32_t n)
{
    /* What is no code comes of a frame without a frame pointer: the chain has ended before. */
    for (uint32_t i = 0; i < n && wsfj_snapshot_code(sheet, "      ", pc[i], i > 0); i++)
        wsfj_textbuf_add(sheet, "\n");
}

/* Which thread runs on the worker; 0: not known. */
static pid_t thread_of(const struct wsfj_worker *w)
{
    return load_relaxed(&w->park) == WSFJ_PARK_GUEST ? load_relaxed(&w->guest) : load_acquire(&w->tid);
}

/* So that none waits for the next one's answer. */
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
            wsfj_frame_request_ask(s, thread_of(&wsfj_workers[i]));
    }
}

static void answered_frames(struct wsfj_textbuf *sheet, struct wsfj_stack *s, uint64_t until)
{
    static const char *const why_not[] = {[WSFJ_ANSWER_GONE] = "its thread has gone on to something else",
                                          [WSFJ_ANSWER_BLOCKED] = "its thread blocks the signal",
                                          [WSFJ_ANSWER_OFF] = "WSFJ_DUMP_SIGNAL is not set, or others handle that signal",
                                          [WSFJ_ANSWER_NOBODY] = "its thread cannot be asked",
                                          [WSFJ_ANSWER_SILENT] = "its thread does not answer"};
    uint32_t state = load_acquire(&s->answer.state);

    if (state == WSFJ_ANSWER_IDLE)
        return; /* it has come meanwhile */
    state = wsfj_frame_request_await(s, until);
    if (state == WSFJ_ANSWER_DONE && s->answer.moves != load_relaxed(&s->shown.moves))
        state = WSFJ_ANSWER_GONE; /* the frames may belong to another task than the one just printed */
    if (state == WSFJ_ANSWER_DONE)
        frames(sheet, s->answer.pc, s->answer.count);
    else
        wsfj_textbuf_add(sheet, "      no frames: %s\n", why_not[state]);
}

static void suspended_frames(struct wsfj_textbuf *sheet, const struct wsfj_stack *s)
{
    uint64_t turns = load_acquire(&s->shown.runs);
    uintptr_t pc[WSFJ_FRAMES_MOST];
    uintptr_t low = (uintptr_t)s->memory.low;
    uint32_t n = wsfj_frames_suspended(&s->context, low, low + s->memory.size, pc, WSFJ_FRAMES_MOST);

    /* Any order will do: who goes on says so before it does much else. */
    if (load_acquire(&s->shown.runs) == turns)
        frames(sheet, pc, n);
    else
        wsfj_textbuf_add(sheet, "      no frames: it has gone on meanwhile\n");
}

/* Whether the task that runs on `s` was spawned on the deque of `parent`. */
static bool is_child(const struct wsfj_stack *s, const struct wsfj_stack *parent)
{
    uintptr_t job = (uintptr_t)load_relaxed(&s->job.stolen), low = (uintptr_t)parent->bottom;

    return load_relaxed(&s->shown.life) != WSFJ_LIFE_FREE && job >= low && job < (uintptr_t)parent->memory.last;
}

static void detached(struct wsfj_textbuf *sheet, const struct wsfj_stack *s)
{
    const ws_group *group = load_relaxed(&s->job.item.group);

    wsfj_textbuf_add(sheet, ", detached");
    if (group)
        wsfj_textbuf_add(sheet, ", of the group at %p", (const void *)group);
}

/* "stack 3, fib (fib.c:12), stolen from stack 1" */
static void introduce(struct wsfj_textbuf *sheet, const struct wsfj_stack *s)
{
    wsfj_textbuf_add(sheet, "stack %u, ", s->number);
    wsfj_snapshot_task(sheet, s);
    if (load_relaxed(&s->shown.life) == WSFJ_LIFE_FREE)
        return;
    if (load_relaxed(&s->job.item.fn))
        detached(sheet, s);
    else if (!load_relaxed(&s->job.stolen))
        wsfj_textbuf_add(sheet, ", a root");
    else
        for (const struct wsfj_stack *p = wsfj_pool_all(); p; p = p->pool.next_all)
            if (is_child(s, p))
                wsfj_textbuf_add(sheet, ", stolen from stack %u", p->number);
    if (load_relaxed(&s->pin.count))
        wsfj_textbuf_add(sheet, ", pinned");
}

static void children(struct wsfj_textbuf *sheet, const struct wsfj_stack *parent)
{
    unsigned n = 0;

    for (const struct wsfj_stack *s = wsfj_pool_all(); s; s = s->pool.next_all) {
        if (is_child(s, parent) && n++ < CHILDREN_MOST)
            wsfj_textbuf_add(sheet, "%sstack %u", n == 1 ? " (" : ", ", s->number);
    }
    if (n)
        wsfj_textbuf_add(sheet, "%s)", n > CHILDREN_MOST ? ", ..." : "");
}

/* The group is the program's memory, which may be gone by now: the kernel reads it for us, or says no. */
static bool count_group(const ws_group *group, uint64_t *count)
{
    uint64_t state;
    struct iovec to = {&state, sizeof state};
    struct iovec from = {(char *)(uintptr_t)group + offsetof(ws_group, wsfj_state), sizeof state};

    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)sizeof state)
        return false;
    *count = state >> 1; /* group.c */
    return true;
}

static void wait_for_group(struct wsfj_textbuf *sheet, const struct wsfj_stack *s)
{
    const ws_group *group = load_relaxed(&s->wait.group);
    uint64_t n;

    wsfj_textbuf_add(sheet, " waits for the group at %p", (const void *)group);
    if (count_group(group, &n))
        wsfj_textbuf_add(sheet, n ? ": %" PRIu64 " task%s" : ", which is done", n, n == 1 ? "" : "s");
}

static void wait_for_children(struct wsfj_textbuf *sheet, const struct wsfj_stack *s)
{
    uint64_t n = load_relaxed(&s->join);

    if (!n) {
        wsfj_textbuf_add(sheet, " can go on: its children are done");
        return;
    }
    wsfj_textbuf_add(sheet, " waits at a sync for %" PRIu64 " child%s", n, n == 1 ? "" : "ren");
    children(sheet, s);
}

static void reason(struct wsfj_textbuf *sheet, const struct wsfj_stack *s)
{
    switch (load_relaxed(&s->shown.life)) {
    case WSFJ_LIFE_JOIN: wait_for_children(sheet, s); break;
    case WSFJ_LIFE_GROUP: wait_for_group(sheet, s); break;
    case WSFJ_LIFE_YIELDED: wsfj_textbuf_add(sheet, " waits in the global queue for a worker"); break;
    case WSFJ_LIFE_SLOT: wsfj_textbuf_add(sheet, " waits in the global queue after a bracket"); break;
    default: wsfj_textbuf_add(sheet, " goes on"); break;
    }
    wsfj_textbuf_add(sheet, "\n");
}

static void worker(struct wsfj_textbuf *sheet, struct wsfj_worker *w, uint64_t now, uint64_t until)
{
    struct wsfj_snapshot g = wsfj_snapshot(w->id);
    pid_t tid = thread_of(w);
    uint64_t tenths = wsfj_watchdog_runs(w->id, now) / 100000000u;

    wsfj_textbuf_add(sheet, "  worker %u: %s%s%s, ", w->id, g.state, g.guest ? ", guest" : "", g.lent ? ", lent" : "");
    if (tid)
        wsfj_textbuf_add(sheet, "thread %d, ", (int)tid);
    wsfj_textbuf_add(sheet, "deque %zu, queue %u%s", g.deque, g.queue, g.next ? " and run-next" : "");
    if (g.stack) {
        wsfj_textbuf_add(sheet, ": ");
        introduce(sheet, g.stack);
        if (tenths)
            wsfj_textbuf_add(sheet, ", has run for %" PRIu64 ".%" PRIu64 " s", tenths / 10, tenths % 10);
    }
    wsfj_textbuf_add(sheet, "\n");
    if (g.stack) {
        answered_frames(sheet, g.stack, until);
        g.stack->answer.shown = true; /* it may be suspended in a moment */
    }
}

static void waiting(struct wsfj_textbuf *sheet, struct wsfj_stack *s, uint64_t until)
{
    bool is_blocking = wsfj_snapshot_blocks(s);

    wsfj_textbuf_add(sheet, "  ");
    introduce(sheet, s);
    wsfj_textbuf_add(sheet, ":");
    if (is_blocking) {
        wsfj_textbuf_add(sheet, " blocks in a bracket, thread %d\n", (int)load_relaxed(&s->blocking.thread));
        answered_frames(sheet, s, until);
    } else {
        reason(sheet, s);
        suspended_frames(sheet, s);
    }
}

void wsfj_dump(struct wsfj_textbuf *sheet, const char *why, uint64_t now, uint64_t age)
{
    struct wsfj_snapshot_totals all = wsfj_snapshot_totals();
    uint64_t until = wsfj_now() + ANSWER_NS;
    unsigned shown = 0, more = 0;

    wsfj_symbols_forget();
    ask_all();
    wsfj_textbuf_add(sheet, "libwsfj: dump of process %d after %" PRIu64 ".%03u s: %s\n", (int)getpid(), age / 1000000000u,
                   (unsigned)(age / 1000000u % 1000u), why);
    wsfj_textbuf_add(sheet, "  %u workers: %u running, %" PRIu32 " searching, %u asleep, %u retired, %u guests\n",
                   all.workers, all.running, all.searching, all.sleeping, all.retired, all.guests);
    wsfj_textbuf_add(sheet, "  %u stacks made, %u in use, %u waiting; queued: %zu tasks, %zu strands, %zu roots;", all.made,
                   all.used, all.waiting, all.global, all.strands, all.roots);
    wsfj_textbuf_add(sheet, " detached: %" PRIu64 " submitted, %" PRIu64 " finished; %" PRIu64 " steals\n", all.submitted,
                   all.finished, all.steals);
    for (unsigned i = 0; i < wsfj_num_workers; i++)
        worker(sheet, &wsfj_workers[i], now, until);
    for (struct wsfj_stack *s = wsfj_pool_all(); s; s = s->pool.next_all) {
        if (s->answer.shown || load_relaxed(&s->shown.life) == WSFJ_LIFE_FREE || wsfj_snapshot_runs(s))
            continue;
        if (shown++ < STACKS_MOST)
            waiting(sheet, s, until);
        else
            more++;
    }
    if (more)
        wsfj_textbuf_add(sheet, "  ... and %u more stacks that wait\n", more);
    wsfj_textbuf_add(sheet, "libwsfj: end of the dump\n");
}
