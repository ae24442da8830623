/* SPDX-License-Identifier: MIT */
/*
 * Each word of a dump and of WSFJ_SCHEDTRACE, with workers and stacks whose state is set by hand: lib/observe/dump.h,
 * schedtrace.h, snapshot.h. Neighbours: user/dump.c, user/monitor.c, the same of a program that runs.
 */
#include "observe/dump.h"

#include "../support/run.h"
#include "../support/to_stderr.h"
#include "idle/idle_counts.h"
#include "observe/schedtrace.h"
#include "observe/watchdog.h"
#include "queue/global_queue.h"
#include "queue/root.h"
#include "signals/frame_request.h"
#include "task/pool.h"
#include "task/stack.h"
#include "wait/waiter.h"
#include "worker/items.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <poll.h>
#include <sys/mman.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

struct wsfj_global_queue_length __wrap_wsfj_global_queue_length(void);
struct wsfj_items __wrap_wsfj_items(void);
struct wsfj_idle_counts __wrap_wsfj_idle_counts(void);
size_t __wrap_wsfj_root_length(void);
uint64_t __wrap_wsfj_watchdog_runs(unsigned worker, uint64_t now);
void __wrap_wsfj_frame_request_ask(struct wsfj_stack *s, pid_t tid);
uint32_t __wrap_wsfj_frame_request_await(struct wsfj_stack *s, uint64_t until);
ssize_t __real_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long n, const struct iovec *from,
                                unsigned long m, unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long n, const struct iovec *from,
                                unsigned long m, unsigned long flags);
uint32_t __wrap_wsfj_frames_suspended(const struct wsfj_context *context, uintptr_t low, uintptr_t high, uintptr_t *pc,
                                      uint32_t most);

struct wsfj_global_queue_length __wrap_wsfj_global_queue_length(void)
{
    return (struct wsfj_global_queue_length){.items = 11, .fibers = 12};
}

size_t __wrap_wsfj_root_length(void)
{
    return 13;
}

struct wsfj_items __wrap_wsfj_items(void)
{
    return (struct wsfj_items){.submitted = 15, .finished = 14};
}

struct wsfj_idle_counts __wrap_wsfj_idle_counts(void)
{
    return (struct wsfj_idle_counts){.searching = 16, .sleeping = 17};
}

uint64_t __wrap_wsfj_watchdog_runs(unsigned worker, uint64_t now)
{
    return worker == 0 ? now - UINT64_C(1260000000) : 99999999;
}

#define WORKERS 6
#define STACKS 31 /* in the order of their numbers, less 1 */
static struct wsfj_worker workers[WORKERS];
static struct wsfj_stack *stacks[STACKS];
static struct wsfj_textbuf text;
static char seen[sizeof text.chars + 1];
static pid_t asked[STACKS + 1];
static uint32_t answers[STACKS + 1]; /* by the number of the stack */
static bool refuses_to_read;

static void __attribute__((noinline)) some_function(void *arg)
{
    __asm__ volatile("nop; nop; nop" : : "r"(arg) : "memory");
}

/* Its frames: where it was interrupted, and a return to the byte behind the first one of a function. */
void __wrap_wsfj_frame_request_ask(struct wsfj_stack *s, pid_t tid)
{
    if (s->number > STACKS)
        return;
    asked[s->number] = tid;
    s->answer.state = WSFJ_ANSWER_ASKED;
    s->answer.moves = s->shown.moves;
    s->answer.count = 2;
    s->answer.pc[0] = (uintptr_t)some_function;
    s->answer.pc[1] = (uintptr_t)some_function + 1;
}

uint32_t __wrap_wsfj_frame_request_await(struct wsfj_stack *s, uint64_t until)
{
    (void)until;
    if (s->number == 2) { /* after its answer it goes on, and yields */
        s->shown.moves++;
        s->shown.life = WSFJ_LIFE_YIELDED;
        workers[1].stack = NULL;
    }
    return answers[s->number];
}

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long n, const struct iovec *from,
                                unsigned long m, unsigned long flags)
{
    if (refuses_to_read || pid != getpid() || n != 1 || m != 1 || flags)
        return -1;
    return __real_process_vm_readv(pid, to, n, from, m, flags);
}

/* Fiber 9 resumes while its frames are read. */
uint32_t __wrap_wsfj_frames_suspended(const struct wsfj_context *context, uintptr_t low, uintptr_t high, uintptr_t *pc,
                                      uint32_t most)
{
    ck_assert(low < high && most > 0);
    stacks[8]->shown.runs += context == &stacks[8]->context;
    pc[0] = (uintptr_t)some_function;
    return 1;
}

static void never_entered(void *unused)
{
    (void)unused;
    abort();
}

static struct wsfj_stack *take(void)
{
    static struct wsfj_cache cache;
    struct wsfj_stack *s = wsfj_pool_take(&cache);

    ck_assert_ptr_nonnull(s);
    return s;
}

static const struct wsfj_kind sort = {.wsfj_name = "sort", .wsfj_file = "sort.c", .wsfj_lineno = 12};
static ws_group done = WS_GROUP_INIT, one = WS_GROUP_INIT, two = WS_GROUP_INIT;

static struct wsfj_stack *lives(unsigned number, enum wsfj_life life)
{
    stacks[number - 1]->shown.life = (uint32_t)life;
    stacks[number - 1]->wait.since = UINT64_C(400000000);
    stacks[number - 1]->wait.until = WS_FOREVER;
    return stacks[number - 1];
}

static void is_stolen(unsigned number, unsigned parent, enum wsfj_life life)
{
    struct wsfj_stack *s = lives(number, life);

    s->job.kind = &sort;
    s->job.stolen = stacks[parent - 1]->bottom;
}

static struct wsfj_stack *is_detached(unsigned number, ws_group *group, enum wsfj_life life)
{
    struct wsfj_stack *s = lives(number, life);

    s->job.item.fn = some_function;
    s->job.item.group = group;
    return s;
}

static void runs(unsigned worker, unsigned number)
{
    workers[worker].stack = stacks[number - 1];
    stacks[number - 1]->worker = &workers[worker];
}

static void begin(void)
{
    FILE *file = tmpfile();

    ck_assert(file && make_stderr(fileno(file)));
    wsfj_workers = workers;
    wsfj_num_workers = WORKERS;
    for (unsigned i = 0; i < WORKERS; i++)
        workers[i].id = i;
    wsfj_pool_start((size_t)1 << 16, false, 0, never_entered);
    for (int i = 0; i < STACKS; i++)
        stacks[i] = take();
    done.wsfj_state = 0;
    one.wsfj_state = 1 << 1 | 1;
    two.wsfj_state = 2 << 1;
}

/* Worker 0 runs a root with three tasks in its deque, 1 a guest that runs a child of it; the others run nothing. */
static void make_workers(void)
{
    struct wsfj_worker *w = workers;

    lives(1, WSFJ_LIFE_RUNS)->job.kind = &sort;
    stacks[0]->deque.wsfj_tail = stacks[0]->first + 3;
    runs(0, 1);
    w[0].tid = 100;
    w[0].guest = 200;
    w[0].detached.queue.tail = 6 * WSFJ_RUN_QUEUE_ONE | WSFJ_RUN_QUEUE_NEXT;
    w[0].dispatch.count = 7;
    w[0].log.count[WSFJ_EVENT_steal] = 4;
    is_stolen(2, 1, WSFJ_LIFE_RUNS);
    runs(1, 2);
    w[1].park = WSFJ_PARK_GUEST;
    w[1].tid = 101;
    w[1].guest = 201;
    w[1].log.count[WSFJ_EVENT_steal] = 40;
    w[2].park = WSFJ_PARK_ASLEEP;
    w[2].tid = 102;
    w[2].lent = 1;
    w[3].park = WSFJ_PARK_RETIRED;
    w[3].tid = 103;
    w[4].detached.queue.tail = 2 * WSFJ_RUN_QUEUE_ONE;
    w[5].detached.queue.tail = WSFJ_RUN_QUEUE_NEXT; /* the flag alone: the queue is empty */
    w[5].park = WSFJ_PARK_RETIRED;
}

/* Each reason to wait; and two parents, with as many children as are named, and one more. */
static void make_waiting(void)
{
    lives(3, WSFJ_LIFE_JOIN)->join = 2;
    stacks[2]->job.kind = &sort;
    is_stolen(4, 3, WSFJ_LIFE_JOIN);
    stacks[3]->join = 0;
    is_stolen(5, 3, WSFJ_LIFE_WAIT);
    stacks[4]->wait.on = &done;
    stacks[4]->pin.count = 1;
    is_detached(6, NULL, WSFJ_LIFE_YIELDED);
    is_detached(7, &one, WSFJ_LIFE_SLOT)->blocking.lender = (struct wsfj_server *)(uintptr_t)64;
    is_detached(8, NULL, WSFJ_LIFE_RUNS)->blocking.lender = (struct wsfj_server *)(uintptr_t)64;
    stacks[7]->blocking.thread = 208;
    stacks[7]->worker = &workers[0]; /* which runs something else by now */
    lives(9, WSFJ_LIFE_RUNS);
    lives(10, WSFJ_LIFE_FREE)->job.stolen = stacks[2]->bottom; /* was a child of 3 */
    is_detached(11, NULL, WSFJ_LIFE_WAIT)->wait.on = &one;
    is_detached(12, NULL, WSFJ_LIFE_WAIT)->wait.on = &two;
    lives(13, WSFJ_LIFE_JOIN)->join = 1;
    lives(14, WSFJ_LIFE_JOIN)->join = 9;
    for (unsigned i = 15; i < 23; i++)
        is_stolen(i, 13, WSFJ_LIFE_RUNS);
    for (unsigned i = 23; i < 32; i++)
        is_stolen(i, 14, WSFJ_LIFE_RUNS);
}

static void answer_all(uint32_t first, uint32_t second, uint32_t blocked)
{
    answers[1] = first;
    answers[2] = second;
    answers[8] = blocked;
}

static void dump(uint64_t age)
{
    text.used = text.last_line = 0;
    wsfj_dump(&text, "the test asks", UINT64_C(2520000000), age);
    memcpy(seen, text.chars, text.used);
    seen[text.used] = '\0';
}

/* The text from `start` to the end of the line before `end`. */
static void expect(const char *start, const char *end, const char *expected)
{
    const char *from = strstr(seen, start), *to = from ? strstr(from, end) : NULL;

    ck_assert_msg(to && (size_t)(to - from) == strlen(expected) && strncmp(from, expected, strlen(expected)) == 0,
                  "expected: %s\nin: %s", expected, seen);
}

/* A line that is there once. */
static void expect_line(const char *line)
{
    const char *at = strstr(seen, line);

    ck_assert_msg(at && at[strlen(line)] == '\n' && (at == seen || at[-1] == '\n'), "no line '%s' in: %s", line, seen);
    ck_assert_msg(!strstr(at + 1, line), "twice '%s' in: %s", line, seen);
}

/* A line with this beginning, an address, and this end. */
static void expect_line_with(const char *first, const char *last)
{
    const char *at = strstr(seen, first);
    size_t n = at ? strcspn(at += strlen(first), ", \n") : 0;

    ck_assert_msg(n && strncmp(at + n, last, strlen(last)) == 0 && at[n + strlen(last)] == '\n', "no '%s...%s' in: %s",
                  first, last, seen);
}

static void expect_no_frames(unsigned number, const char *why)
{
    char line[200];

    snprintf(line, sizeof line, "      no frames: %s\n", why);
    ck_assert_msg(strstr(seen, line), "of stack %u no '%s' in: %s", number, why, seen);
}

/* Catches: a number that another one is told as, a worker's state, guest or lent slot that is not told; frames that are
 * left out, another task's, or have another offset. */
START_TEST(each_worker_is_told)
{
    char head[300];

    begin();
    make_workers();
    lives(3, WSFJ_LIFE_YIELDED);
    wsfj_workers[3].reach.step = WSFJ_REACH_CACHE;
    wsfj_workers[4].reach.step = WSFJ_REACH_OTHERS;
    answer_all(WSFJ_ANSWER_DONE, WSFJ_ANSWER_DONE, WSFJ_ANSWER_OFF);
    dump(UINT64_C(12034567890));
    snprintf(head, sizeof head,
             "libwsfj: dump of process %d after 12.034 s: the test asks\n"
             "  6 workers: 2 running, 16 searching, 1 asleep, 2 retired, 1 guest\n"
             "  31 stacks made, 3 in use, 1 waiting; queued: 11 tasks, 12 fibers, 13 roots;"
             " detached: 15 submitted, 14 finished; 44 steals\n",
             (int)getpid());
    expect("libwsfj: dump", "  worker 0", head);
    expect("  worker 0", "  worker 1",
           "  worker 0: running, thread 100, deque 3, queue 5 and run-next: stack 1, sort (sort.c:12), a root, has run "
           "for 1.2 s\n      some_function+0x0 (dump)\n      some_function+0x1 (dump)\n");
    expect("  worker 1", "  stack 3",
           "  worker 1: running, guest, thread 201, deque 0, queue 0: stack 2, sort (sort.c:12), stolen from stack 1\n"
           "      no frames: its thread runs something else by now\n"
           "  worker 2: parked, slot lent, thread 102, deque 0, queue 0\n"
           "  worker 3: retired, thread 103, may use CPUs of its cache, deque 0, queue 0\n"
           "  worker 4: searching, may use CPUs that others have set, deque 0, queue 2\n"
           "  worker 5: retired, deque 0, queue 0\n");
    ck_assert(asked[1] == 100 && asked[2] == 201 && !asked[3]);
    ck_assert_ptr_null(strstr(seen, "  stack 1,"));
    ck_assert_ptr_null(strstr(seen, "  stack 2,"));
    ck_assert_ptr_null(strstr(seen, "  stack 4,"));
    ck_assert_str_eq(seen + strlen(seen) - 25, "libwsfj: end of the dump\n");
}
END_TEST

/* Catches: a reason that is another one's, a fiber that waits and is not told, a free one that is; children left out or
 * others named, "1 children", a group's tasks that are not counted. */
START_TEST(each_reason_to_wait_is_told)
{
    char line[300];

    begin();
    make_waiting();
    answer_all(0, 0, WSFJ_ANSWER_SILENT);
    dump(0);
#define THE_SORT "sort (sort.c:12), "
    expect_line("  stack 3, " THE_SORT "a root: waits at a sync for 2 children (stack 5, stack 4)");
    expect_line("  stack 4, " THE_SORT "stolen from stack 3: can resume: its children are done");
    snprintf(line, sizeof line,
             "  stack 5, " THE_SORT "stolen from stack 3, pinned: waits for the group at %p (done), for 2.1 s",
             (void *)&done);
    expect_line(line);
    snprintf(line, sizeof line,
             "  stack 7, some_function (dump), detached, of the group at %p: waits in the global queue after a "
             "blocking section",
             (void *)&one);
    expect_line(line);
    expect_line("  stack 8, some_function (dump), detached: blocks in a blocking section, thread 208");
    ck_assert(asked[8] == 208 && !asked[7] && !asked[6]);
    expect("  stack 9,", "  stack 8,",
           "  stack 9, a task that begins or ends, a root: resumes\n"
           "      no frames: it has resumed meanwhile\n");
    expect("  stack 6,", "  stack 5,",
           "  stack 6, some_function (dump), detached: waits in the global queue for a worker\n"
           "      some_function+0x0 (dump)\n");
    ck_assert_ptr_null(strstr(seen, "  stack 10,"));
    snprintf(line, sizeof line,
             "  stack 11, some_function (dump), detached: waits for the group at %p (1 task), for 2.1 s", (void *)&one);
    expect_line(line);
    snprintf(line, sizeof line,
             "  stack 12, some_function (dump), detached: waits for the group at %p (2 tasks), for 2.1 s", (void *)&two);
    expect_line(line);
    expect_line("  stack 13, a task that begins or ends, a root: waits at a sync for 1 child (stack 22, stack 21, "
                "stack 20, stack 19, stack 18, stack 17, stack 16, stack 15)");
    expect_line("  stack 14, a task that begins or ends, a root: waits at a sync for 9 children (stack 31, stack 30, "
                "stack 29, stack 28, stack 27, stack 26, stack 25, stack 24, ...)");
    refuses_to_read = true;
    dump(0);
    snprintf(line, sizeof line, "  stack 12, some_function (dump), detached: waits for the group at %p, for 2.1 s",
             (void *)&two);
    expect_line(line);
}
END_TEST

static ws_mutex of_stack, of_thread, of_nobody;

/* Catches: a wait that is told as another one, or without what it waits for, its direction, its holder, its length or its
 * deadline. */
START_TEST(each_wait_is_told)
{
    static const char long_text[] = "123456789012345678901234567890123456789012345678901234567890"
                                    "123456789012345678901234567890123456789012345678901234567890more";
    /* The last bytes before what is not mapped. */
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
         *edge = pages + 4096 - 5;
    const struct {
        enum wsfj_wait_kind kind;
        const void *on;
        uint32_t detail;
        uint64_t until;
        const char *words; /* with the object's address */
    } waits[] = {
        {WSFJ_WAIT_WORD, &one, 0, WS_FOREVER, "waits for the word at %p, for 2.1 s"},
        {WSFJ_WAIT_EVENT, &one, 0, UINT64_C(5400000000), "waits for the event at %p, for 2.1 s, timer in 2.8 s"},
        {WSFJ_WAIT_FUTURE, &one, 0, UINT64_C(2520000000), "waits for the future at %p, for 2.1 s, timer in 0.0 s"},
        {WSFJ_WAIT_MUTEX, &of_stack, 0, 1, "waits for the mutex at %p held by stack 7, for 2.1 s, timer in 0.0 s"},
        {WSFJ_WAIT_MUTEX, &of_thread, 0, WS_FOREVER, "waits for the mutex at %p held by a thread, for 2.1 s"},
        {WSFJ_WAIT_MUTEX, &of_nobody, 0, WS_FOREVER, "waits for the mutex at %p that is free, for 2.1 s"},
        {WSFJ_WAIT_SEMAPHORE, &one, 0, WS_FOREVER, "waits for the semaphore at %p, for 2.1 s"},
        {WSFJ_WAIT_CHANNEL, &one, 0, WS_FOREVER, "waits for the channel at %p (in), for 2.1 s"},
        {WSFJ_WAIT_CHANNEL, &one, 1, WS_FOREVER, "waits for the channel at %p (out), for 2.1 s"},
        {WSFJ_WAIT_CLOCK, NULL, 0, UINT64_C(5530000000), "sleeps, for 2.1 s, timer in 3.0 s"},
        {WSFJ_WAIT_DESCRIPTOR, (void *)9, POLLIN, WS_FOREVER, "waits for fd 9 (in), for 2.1 s"},
        {WSFJ_WAIT_DESCRIPTOR, (void *)0, POLLOUT | POLLPRI, 0, "waits for fd 0 (out, pri), for 2.1 s, timer in 0.0 s"},
        {WSFJ_WAIT_DESCRIPTOR, (void *)70000, POLLRDHUP, WS_FOREVER, "waits for fd 70000 (rdhup), for 2.1 s"},
        {WSFJ_WAIT_NAMED, "a message of 2 words", 0, WS_FOREVER, "waits for a message of 2 words, for 2.1 s"},
        {WSFJ_WAIT_NAMED, edge, 0, WS_FOREVER, "waits for edge, for 2.1 s"},
        {WSFJ_WAIT_NAMED, (void *)64, 0, WS_FOREVER, "waits for , for 2.1 s"},
        {WSFJ_WAIT_NAMED, long_text, 0, WS_FOREVER,
         "waits for 123456789012345678901234567890123456789012345678901234567890"
         "123456789012345678901234567890123456789012345678901234567890, for 2.1 s"},
        {WSFJ_WAIT_ANY, &two, 3, WS_FOREVER, "waits for any of 3, the first at %p, for 2.1 s"},
    };
    enum { WAITS = sizeof waits / sizeof *waits, FIRST = 11 };

    ck_assert_ptr_ne(pages, MAP_FAILED);
    ck_assert_int_eq(munmap(pages + 4096, 4096), 0);
    memcpy(edge, "edge", 5);
    begin();
    of_stack.wsfj_state = (uintptr_t)stacks[6] | 1;
    of_thread.wsfj_state = (uintptr_t)&text;
    of_nobody.wsfj_state = 1;
    for (unsigned i = 0; i < WAITS; i++) {
        struct wsfj_stack *s = is_detached(FIRST + i, NULL, WSFJ_LIFE_WAIT);

        s->wait.kind = waits[i].kind;
        s->wait.on = waits[i].on;
        s->wait.detail = waits[i].detail;
        s->wait.until = waits[i].until;
    }
    dump(0);
    for (unsigned i = 0; i < WAITS; i++) {
        char format[200], line[300];

        snprintf(format, sizeof format, "  stack %u, some_function (dump), detached: %s", FIRST + i, waits[i].words);
        snprintf(line, sizeof line, format, waits[i].on);
        expect_line(line);
    }
    stacks[FIRST]->wait.since = UINT64_C(9000000000); /* resumes and waits again meanwhile */
    refuses_to_read = true;
    dump(0);
    expect_line_with("  stack 12, some_function (dump), detached: waits for the event at ",
                     ", for 0.0 s, timer in 2.8 s");
    expect_line_with("  stack 14, some_function (dump), detached: waits for the mutex at ",
                     ", for 2.1 s, timer in 0.0 s");
}
END_TEST

static const struct {
    uint32_t answer;
    const char *why;
} why_not[] = {
    {WSFJ_ANSWER_GONE, "its thread runs something else by now"},
    {WSFJ_ANSWER_BLOCKED, "its thread blocks the signal"},
    {WSFJ_ANSWER_OFF, "WSFJ_DUMP_SIGNAL is not set, or others handle that signal"},
    {WSFJ_ANSWER_NOBODY, "its thread cannot be asked"},
    {WSFJ_ANSWER_SILENT, "its thread does not answer"},
};
#define WHY_NOT ((int)(sizeof why_not / sizeof *why_not))

/* Catches: another reason than the answer's; an answer of the dump before that a later one takes for its own, or that is
 * written over while a handler writes it. */
START_TEST(why_there_are_no_frames_is_told)
{
    begin();
    make_workers();
    make_waiting();
    stacks[5]->answer.state = WSFJ_ANSWER_DONE;
    stacks[6]->answer.state = WSFJ_ANSWER_BUSY;
    answer_all(why_not[_i].answer, WSFJ_ANSWER_DONE, WSFJ_ANSWER_DONE);
    dump(0);
    expect_no_frames(1, why_not[_i].why);
    ck_assert_uint_eq(stacks[5]->answer.state, WSFJ_ANSWER_IDLE);
    ck_assert_uint_eq(stacks[6]->answer.state, WSFJ_ANSWER_BUSY);
    workers[0].stack = NULL; /* it has left the worker since the last dump */
    lives(1, WSFJ_LIFE_YIELDED);
    dump(0);
    expect_line("  stack 1, sort (sort.c:12), a root: waits in the global queue for a worker");
}
END_TEST

/* Catches: more stacks than one may read, or some that are not counted. */
START_TEST(of_very_many_stacks_the_rest_is_counted)
{
    begin();
    for (int i = 0; i < 1002; i++) {
        struct wsfj_stack *s = take();

        s->job.item.fn = some_function;
        s->shown.life = WSFJ_LIFE_YIELDED;
    }
    dump(0);
    expect_line("  ... and 2 more stacks that wait");
}
END_TEST

/* Catches: a field of another number or worker, one that is not told, an age in another unit. */
START_TEST(each_field_of_schedtrace_is_told)
{
    begin();
    make_workers();
    lives(3, WSFJ_LIFE_YIELDED);
    lives(4, WSFJ_LIFE_RUNS)->worker = NULL;
    wsfj_schedtrace(&text, UINT64_C(12034567890));
    memcpy(seen, text.chars, text.used);
    ck_assert_str_eq(
        seen, "WSFJ 12034ms: workers=6 running=2 guests=1 searching=16 sleeping=1 retired=2 stacks=31 used=4 waiting=1 "
              "globalqueue=11 fibers=12 roots=13 submitted=15 finished=14 steals=44\n"
              "  W0: running deque=3 queue=5 next=1 dispatched=7 steals=4 stack=1 task=sort (sort.c:12)\n"
              "  W1: running guest deque=0 queue=0 next=0 dispatched=0 steals=40 stack=2 task=sort (sort.c:12)\n"
              "  W2: parked lent deque=0 queue=0 next=0 dispatched=0 steals=0\n"
              "  W3: retired deque=0 queue=0 next=0 dispatched=0 steals=0\n"
              "  W4: searching deque=0 queue=2 next=0 dispatched=0 steals=0\n"
              "  W5: retired deque=0 queue=0 next=0 dispatched=0 steals=0\n");
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("dump");

    tcase_add_test(tcase, each_worker_is_told);
    tcase_add_test(tcase, each_reason_to_wait_is_told);
    tcase_add_test(tcase, each_wait_is_told);
    tcase_add_loop_test(tcase, why_there_are_no_frames_is_told, 0, WHY_NOT);
    tcase_add_test(tcase, of_very_many_stacks_the_rest_is_counted);
    tcase_add_test(tcase, each_field_of_schedtrace_is_told);
    return run_case("dump", tcase);
}
