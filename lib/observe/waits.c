/* SPDX-License-Identifier: MIT */
#include "observe/waits.h"

#include "sync/mutex.h"
#include "task/pool.h"
#include "task/stack.h"

#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Of a text of the program so many bytes are shown at most. */
#define NAME_MOST 120

const char *const wsfj_waits_words[WSFJ_WAIT_NAMED + 1] = {[WSFJ_WAIT_GROUP] = "waits for the group at",
                                                           [WSFJ_WAIT_WORD] = "waits for the word at",
                                                           [WSFJ_WAIT_EVENT] = "waits for the event at",
                                                           [WSFJ_WAIT_FUTURE] = "waits for the future at",
                                                           [WSFJ_WAIT_MUTEX] = "waits for the mutex at",
                                                           [WSFJ_WAIT_SEMAPHORE] = "waits for the semaphore at",
                                                           [WSFJ_WAIT_CHANNEL] = "waits for the channel at",
                                                           [WSFJ_WAIT_CLOCK] = "sleeps",
                                                           [WSFJ_WAIT_DESCRIPTOR] = "waits for fd",
                                                           [WSFJ_WAIT_ANY] = "waits for any of",
                                                           [WSFJ_WAIT_NAMED] = "waits for"};

/* The object is memory of the program, which may be unmapped by now: the kernel reads it, or returns an error. Returns how many
 * bytes it has read, at most n. */
static size_t read_bytes(const void *object, size_t offset, void *bytes, size_t n)
{
    struct iovec to = {bytes, n};
    struct iovec from = {(char *)(uintptr_t)object + offset, n};
    ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);

    return got > 0 ? (size_t)got : 0;
}

static bool read_word(const void *object, size_t offset, uint64_t *word)
{
    return read_bytes(object, offset, word, sizeof *word) == sizeof *word;
}

/* The text may end where the mapping does, so no step crosses a boundary of 16 bytes. */
static void add_text(struct wsfj_textbuf *text, const char *what)
{
    char step[17];
    size_t at = 0, n;

    wsfj_textbuf_add(text, " ");
    do {
        n = 16 - ((uintptr_t)what + at) % 16;
        memset(step, 0, sizeof step);
        if (read_bytes(what, at, step, n) != n)
            return;
        n = strlen(step);
        if (at + n > NAME_MOST)
            step[NAME_MOST - at] = '\0';
        wsfj_textbuf_add(text, "%s", step);
        at += n;
    } while (((uintptr_t)what + at) % 16 == 0 && n > 0 && at < NAME_MOST);
}

static void add_group(struct wsfj_textbuf *text, const void *group)
{
    uint64_t n;

    if (!read_word(group, offsetof(ws_group, wsfj_state), &n))
        return;
    n >>= 1; /* group.c */
    wsfj_textbuf_add(text, n ? " (%" PRIu64 " task%s)" : " (done)", n, n == 1 ? "" : "s");
}

/* False: it cannot be read. *stack: the holder, or NULL; *held: by a stack or a thread. */
static bool find_holder(const void *mutex, const struct wsfj_stack **stack, bool *held)
{
    uint64_t holder;

    if (!read_word(mutex, offsetof(ws_mutex, wsfj_state), &holder))
        return false;
    holder = wsfj_mutex_holder(holder);
    *held = holder != 0;
    *stack = wsfj_pool_all();
    while (*stack && (uintptr_t)*stack != holder)
        *stack = (*stack)->pool.next_all;
    return true;
}

static void add_holder(struct wsfj_textbuf *text, const void *mutex)
{
    const struct wsfj_stack *stack;
    bool held;

    if (!find_holder(mutex, &stack, &held))
        return;
    if (stack)
        wsfj_textbuf_add(text, " held by stack %u", stack->number);
    else
        wsfj_textbuf_add(text, held ? " held by a thread" : " that is free");
}

static void add_events(struct wsfj_textbuf *text, int fd, uint32_t events)
{
    static const struct {
        uint32_t event;
        const char *name;
    } all[] = {{POLLIN, "in"}, {POLLOUT, "out"}, {POLLPRI, "pri"}, {POLLRDHUP, "rdhup"}};
    const char *before = " (";

    wsfj_textbuf_add(text, " %d", fd);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (events & all[i].event) {
            wsfj_textbuf_add(text, "%s%s", before, all[i].name);
            before = ", ";
        }
    }
    wsfj_textbuf_add(text, ")");
}

static void add_object(struct wsfj_textbuf *text, uint32_t kind, const void *on, uint32_t detail)
{
    switch (kind) {
    case WSFJ_WAIT_CLOCK: return;
    case WSFJ_WAIT_NAMED: add_text(text, on); return;
    case WSFJ_WAIT_DESCRIPTOR: add_events(text, (int)(intptr_t)on, detail); return;
    case WSFJ_WAIT_ANY: wsfj_textbuf_add(text, " %" PRIu32 ", the first at %p", detail, on); return;
    default: wsfj_textbuf_add(text, " %p", on);
    }
    if (kind == WSFJ_WAIT_GROUP)
        add_group(text, on);
    else if (kind == WSFJ_WAIT_MUTEX)
        add_holder(text, on);
    else if (kind == WSFJ_WAIT_CHANNEL)
        wsfj_textbuf_add(text, detail ? " (out)" : " (in)");
}

/* From `from` to `to`; 0 if that is a negative time: the waiter's clock may be another thread's. */
static void add_seconds(struct wsfj_textbuf *text, const char *before, uint64_t from, uint64_t to)
{
    uint64_t tenths = to > from ? (to - from) / 100000000u : 0;

    wsfj_textbuf_add(text, "%s%" PRIu64 ".%" PRIu64 " s", before, tenths / 10, tenths % 10);
}

void wsfj_waits_say(struct wsfj_textbuf *text, const struct wsfj_stack *s, uint64_t now)
{
    uint32_t kind = load_relaxed(&s->wait.kind);
    uint64_t until = load_relaxed(&s->wait.until);

    wsfj_textbuf_add(text, " %s", wsfj_waits_words[kind]);
    add_object(text, kind, load_relaxed(&s->wait.on), load_relaxed(&s->wait.detail));
    add_seconds(text, ", for ", load_relaxed(&s->wait.since), now);
    if (until != WSFJ_FOREVER)
        add_seconds(text, ", timer in ", now, until);
}

bool wsfj_waits_holds(const struct wsfj_stack *s, const void *mutex)
{
    const struct wsfj_stack *holder;
    bool held;

    return find_holder(mutex, &holder, &held) && holder == s;
}

const struct wsfj_stack *wsfj_waits_holder(const struct wsfj_stack *s)
{
    const struct wsfj_stack *holder;
    bool held;

    if (load_relaxed(&s->shown.life) != WSFJ_LIFE_WAIT || load_relaxed(&s->wait.kind) != WSFJ_WAIT_MUTEX ||
        load_relaxed(&s->wait.until) != WSFJ_FOREVER || !find_holder(load_relaxed(&s->wait.on), &holder, &held))
        return NULL;
    return holder;
}

bool wsfj_waits_for_threads(const struct wsfj_stack *s)
{
    return load_relaxed(&s->wait.kind) != WSFJ_WAIT_GROUP && !wsfj_waits_holder(s);
}
