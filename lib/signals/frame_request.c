/* SPDX-License-Identifier: MIT */
#include "signals/frame_request.h"

#include "arch/arch.h"
#include "arch/frames.h"
#include "base/atomic.h"
#include "base/futex.h"
#include "base/procfile.h"
#include "config/settings.h"
#include "signals/sigchain.h"
#include "task/pool.h"
#include "task/stack.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIGNALS 65

/* The signal code of a request. No other sender uses it. It has 16 bits, because emulators pass on no more. */
#define REQUEST (-0x5753)

/* How often a waiting thread checks whether the stack still runs and which threads block the signal. */
#define CHECK_NS 10000000u

/* By signal: the runtime may start again with another signal while the handler lies under one of the program's. */
static struct wsfj_sigchain links[SIGNALS];
static struct wsfj_frame_request_calls observer;
static int number;      /* the signal; 0: none. Written while only one thread is the library's */
static bool unanswered; /* a request may still be pending. Only for the watching thread, and the thread that joins it */

/* Reads only the stack that runs here: the requested one may be unmapped since its runtime has stopped. */
static void answer(const void *asked, const void *ucontext)
{
    struct wsfj_deque *deque = wsfj_self();
    struct wsfj_stack *s = deque ? wsfj_stack_of(deque) : NULL;
    uint32_t state = WSFJ_ANSWER_ASKED;

    if (!s || s != asked || !cas_acq_rel(&s->answer.state, &state, WSFJ_ANSWER_BUSY))
        return; /* the stack runs on another thread by now, or the request was withdrawn */

    uintptr_t low = (uintptr_t)s->memory.low;

    s->answer.moves = load_relaxed(&s->shown.moves);
    s->answer.count =
        wsfj_frames_walk(wsfj_frames_interrupted(ucontext), low, low + s->memory.size, s->answer.pc, WSFJ_FRAMES_MOST);
    store_release(&s->answer.state, WSFJ_ANSWER_DONE); /* publishes the frames to wsfj_frame_request_await() */
    wsfj_futex_wake(&s->answer.state);
}

/* Not for ThreadSanitizer, because of errno: as in blocking.c. */
static __attribute__((no_sanitize("thread"))) void handler(int signal, siginfo_t *info, void *ucontext)
{
    int error = errno;

    if (info->si_code == REQUEST) {
        answer(info->si_value.sival_ptr, ucontext);
    } else {
        observer.dump();
        wsfj_sigchain_call(&links[signal], info, ucontext);
    }
    errno = error;
}

void wsfj_frame_request_start(int signal, const struct wsfj_frame_request_calls *calls)
{
    observer = *calls;
    number = signal;
    unanswered = false;
    if (!signal)
        return;
    /* On the signal stack that the runtime's threads have: a task's own stack may be nearly used up. */
    links[signal].signal = signal;
    links[signal].handler = handler;
    links[signal].flags = SA_RESTART;
    wsfj_sigchain_install(&links[signal]);
}

void wsfj_frame_request_stop(void)
{
    int signal = number;

    number = 0;
    /* A request that arrives late must not meet the default action, which may end the process. */
    if (signal)
        wsfj_sigchain_remove(&links[signal], unanswered);
}

void wsfj_frame_request_let_in(void)
{
    sigset_t set;

    if (!wsfj_settings.dump_signal)
        return;
    sigemptyset(&set);
    sigaddset(&set, wsfj_settings.dump_signal);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Whether a thread blocks the signal: a request would stay pending, and could meet another handler later. */
static bool blocks(pid_t tid, int signal)
{
    static const char field[] = "SigBlk:";
    struct wsfj_procfile file = {.fd = -1};
    char line[128];
    bool found = false;

    snprintf(line, sizeof line, "/proc/self/task/%d/status", (int)tid);
    file.fd = wsfj_procfile_open(AT_FDCWD, line, 0);
    if (file.fd < 0)
        return false;
    while (!found && wsfj_procfile_line(&file, line, sizeof line)) {
        unsigned long long mask;

        if (strncmp(line, field, sizeof field - 1) == 0 && sscanf(line + sizeof field - 1, "%llx", &mask) == 1)
            found = mask >> (signal - 1) & 1;
    }
    close(file.fd);
    return found;
}

static uint32_t send(struct wsfj_stack *s, pid_t tid)
{
    siginfo_t info;

    if (!number || !wsfj_sigchain_is_on_top(&links[number]))
        return WSFJ_ANSWER_OFF;
    if (!tid)
        return WSFJ_ANSWER_NOBODY;
    if (blocks(tid, number))
        return WSFJ_ANSWER_BLOCKED;
    memset(&info, 0, sizeof info);
    info.si_signo = number;
    info.si_code = REQUEST;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = s;
    return syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, number, &info) == 0 ? WSFJ_ANSWER_ASKED : WSFJ_ANSWER_NOBODY;
}

void wsfj_frame_request_ask(struct wsfj_stack *s, pid_t tid)
{
    uint32_t sent, asked = WSFJ_ANSWER_ASKED;

    if (load_acquire(&s->answer.state) == WSFJ_ANSWER_BUSY)
        return; /* the handler still answers the last request */
    s->answer.tid = tid;
    store_release(&s->answer.state, WSFJ_ANSWER_ASKED);
    sent = send(s, tid);
    if (sent != WSFJ_ANSWER_ASKED)
        (void)cas_acq_rel(&s->answer.state, &asked, sent);
}

/* Asks every thread that blocked the signal, not only the awaited one: they all have the same deadline. */
static void ask_again(void)
{
    for (struct wsfj_stack *s = wsfj_pool_all(); s; s = s->pool.next_all)
        if (load_relaxed(&s->answer.state) == WSFJ_ANSWER_BLOCKED)
            wsfj_frame_request_ask(s, s->answer.tid);
}

static bool is_open(uint32_t state)
{
    return state == WSFJ_ANSWER_ASKED || state == WSFJ_ANSWER_BUSY || state == WSFJ_ANSWER_BLOCKED;
}

/* Ends a request, because time is up or the stack does not run any more. False if the handler is answering it. */
static bool withdraw(struct wsfj_stack *s, uint32_t state, bool runs)
{
    uint32_t end = !runs ? WSFJ_ANSWER_GONE : state == WSFJ_ANSWER_BLOCKED ? state : WSFJ_ANSWER_SILENT;

    return state != WSFJ_ANSWER_BUSY && cas_acq_rel(&s->answer.state, &state, end);
}

uint32_t wsfj_frame_request_await(struct wsfj_stack *s, uint64_t until)
{
    uint32_t state;

    while (is_open(state = load_acquire(&s->answer.state))) {
        bool in_time = wsfj_now() < until, runs = observer.runs(s);

        if (in_time && runs) {
            wsfj_futex_wait(&s->answer.state, state, &(struct timespec){0, CHECK_NS});
            ask_again();
        } else if (withdraw(s, state, runs) || !in_time) {
            break;
        }
    }
    state = load_acquire(&s->answer.state);
    unanswered = unanswered || state < WSFJ_ANSWER_DONE || state == WSFJ_ANSWER_SILENT || state == WSFJ_ANSWER_GONE;
    return state < WSFJ_ANSWER_DONE ? WSFJ_ANSWER_SILENT : state;
}
