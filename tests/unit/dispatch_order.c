/* SPDX-License-Identifier: MIT */
/* What a worker takes next, step by step: lib/sched/dispatch.c, detached.c. No thread runs here, and no stack. The linker
 * puts the functions below in place of the wake-up of other workers and of the queue of roots. Neighbours: unit/dispatch.c,
 * the same calls in a working runtime; unit/run_queue.c and global_queue.c, the queues alone. */
#include "sched/detached.h"
#include "sched/dispatch.h"

#include "base/policy.h"
#include "idle/cpu_limit.h"
#include "idle/waiting.h"
#include "queue/global_queue.h"
#include "queue/group.h"
#include "queue/root.h"
#include "sched/fork_child.h"
#include "sched/load.h"
#include "task/pool.h"
#include "task/region.h"
#include "task/stack.h"
#include "wait/table.h"
#include "worker/awake.h"
#include "worker/items.h"
#include "worker/items_count.h"
#include "wait/table.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include "../support/run.h"

#include <fenv.h>
#include <string.h>

enum { CREW = 3, NONE = 0 };

static _Alignas(4096) struct wsfj_worker crew[CREW];
static struct wsfj_entry entries[CREW][WSFJ_RUN_QUEUE_SIZE];
static int made_known;

/* The roots that wait. */
static struct wsfj_region *root;
static bool too_late; /* another worker is faster */
static struct wsfj_region *finished;
static enum wsfj_region_state how;

/* The linker's names. */
void __wrap_wsfj_queued(struct wsfj_worker *worker);
struct wsfj_region *__wrap_wsfj_root_pop(void);
void __wrap_wsfj_root_finish(struct wsfj_region *region, enum wsfj_region_state state);

static void queue_root(struct wsfj_region *region)
{
    root = region;
    wsfj_roots = 1;
}

struct wsfj_region *__wrap_wsfj_root_pop(void)
{
    struct wsfj_region *popped = too_late ? NULL : root;

    too_late = false;
    if (popped) {
        root = NULL;
        wsfj_roots = 0;
    }
    return popped;
}

void __wrap_wsfj_root_finish(struct wsfj_region *region, enum wsfj_region_state state)
{
    finished = region;
    how = state;
}

void __wrap_wsfj_queued(struct wsfj_worker *worker)
{
    (void)worker;
    made_known++;
}

static void look(void *unused);

static void entry(void *unused)
{
    (void)unused;
}

static void nothing(void *unused)
{
    (void)unused;
}

static void start(unsigned workers)
{
    static unsigned near[CREW];

    wsfj_workers = crew;
    wsfj_num_workers = workers;
    for (unsigned i = 0; i < CREW; i++) {
        crew[i].id = crew[i].victims.position = near[i] = i;
        crew[i].detached.queue.entries = entries[i];
    }
    wsfj_awake_start(near);
    for (unsigned i = 0; i < workers; i++)
        wsfj_awake_enter(crew[i].victims.position);
    ck_assert(wsfj_global_queue_start(1000));
    wsfj_pool_start((size_t)64 << 10, false, 0, entry);
    wsfj_load_start();
    wsfj_items_start();
}

/* Starts one worker, which has a server and has dispatched once. Returns a stack for its tasks. */
static struct wsfj_stack *start_serving(struct wsfj_server *server)
{
    struct wsfj_stack *s;

    start(1);
    wsfj_cpu_limit_start(1);
    s = wsfj_pool_take(&crew[0].cache);
    ck_assert_ptr_nonnull(s);
    s->worker = server->worker;
    crew[0].server = server;
    crew[0].dispatch.count = 1;
    return s;
}

static void stop(void)
{
    wsfj_global_queue_stop();
    wsfj_pool_stop();
}

static struct wsfj_item item_of(uintptr_t number)
{
    return (struct wsfj_item){nothing, (void *)number, NULL};
}

static void push(unsigned worker, uintptr_t from, uintptr_t to)
{
    for (; from < to; from++)
        ck_assert(wsfj_run_queue_push(&crew[worker].detached.queue, item_of(from)));
}

static void put_next(unsigned worker, uintptr_t number)
{
    wsfj_run_queue_put_next(&crew[worker].detached.queue, nothing, (void *)number, NULL);
}

static void put_common(uintptr_t from, uintptr_t to)
{
    for (; from < to; from++)
        ck_assert(wsfj_global_queue_put(item_of(from), false));
}

/* The number of what the worker takes, as a task that waits does; NONE: nothing. */
static uintptr_t item(unsigned worker)
{
    struct wsfj_item taken;

    return wsfj_dispatch_item(&crew[worker], &taken) ? (uintptr_t)taken.arg : NONE;
}

/* The same, as a worker does that has nothing to run. The stack goes back. */
static uintptr_t loaded(unsigned worker)
{
    struct wsfj_stack *s = wsfj_dispatch(&crew[worker], false);
    uintptr_t number;

    if (!s)
        return NONE;
    ck_assert(s->job.item.fn == nothing && !s->job.stolen);
    number = (uintptr_t)s->job.item.arg;
    wsfj_pool_give(&crew[worker].cache, s);
    return number;
}

/* Catches: a task in run-next that keeps the run queue waiting for ever, or that comes too seldom; one that is forgotten
 * when it is not its turn and nothing else is there. */
START_TEST(run_next_comes_first_three_times_in_a_row)
{
    enum { QUEUED = 3 };
    bool full = false; /* the slot */

    start(1);
    push(0, 1, 1 + QUEUED);
    for (uintptr_t i = 0; i < 30; i++) {
        bool queued = i % 4 == 3 && i / 4 < QUEUED;

        if (!full)
            put_next(0, 100);
        ck_assert_uint_eq(item(0), queued ? 1 + i / 4 : 100);
        full = queued;
    }
    ck_assert_uint_eq(item(0), NONE);
    stop();
}
END_TEST

/* Catches: a task that is lost on its way from the global queue, or overtakes another. */
START_TEST(a_share_of_the_global_queue_comes_in_order)
{
    start((unsigned)_i);
    put_common(1, 400);
    for (uintptr_t i = 1; i < 400; i++)
        ck_assert_uint_eq(item(0), i);
    ck_assert_uint_eq(item(0), NONE);
    stop();
}
END_TEST

/* Catches: a worker whose queue is never looked at by others, or whose task in run-next is not; one that gives up after the
 * first look, which only notes that task. */
START_TEST(each_worker_finds_what_each_other_has)
{
    start(CREW);
    for (unsigned w = 0; w < CREW; w++) {
        for (unsigned of = 0; of < CREW; of++) {
            push(of, 1, 2);
            ck_assert_uint_eq(item(w), 1);
            put_next(of, 2);
            ck_assert(wsfj_waiting_items());
            ck_assert_uint_eq(item(w), 2);
            ck_assert_uint_eq(item(w), NONE);
            ck_assert(!wsfj_waiting_items());
        }
    }
    stop();
}
END_TEST

/* Catches: a run queue that never runs empty and keeps the global queue waiting, in particular if it is full, so that
 * there is no room for a share. */
START_TEST(the_global_queue_comes_first_each_61st_time)
{
    start(1);
    push(0, 1000, 1000 + WSFJ_RUN_QUEUE_SIZE);
    put_common(1, 10);
    for (uintptr_t i = 0; i < 200; i++) {
        ck_assert_uint_eq(crew[0].dispatch.count, i);
        if (i % 61 == 0) {
            ck_assert_uint_eq(loaded(0), 1 + i / 61);
        } else {
            ck_assert_uint_ge(loaded(0), 1000);
            push(0, 2000 + i, 2001 + i);
        }
    }
    stop();
}
END_TEST

/* Catches: fibers that have yielded and keep tasks waiting, or the reverse; a kind that is not looked at although the
 * others are empty. */
START_TEST(the_common_queues_take_turns)
{
    static struct wsfj_stack fibers[4];

    start(1);
    for (uintptr_t i = 1; i < 8; i++) {
        put_common(i, i + 1);
        ck_assert_uint_eq(loaded(0), i);
    }
    for (int i = 0; i < 4; i++)
        wsfj_global_queue_put_fiber(&fibers[i]);
    crew[0].dispatch.common = 0;
    for (int i = 0; i < 4; i++) {
        put_common(1, 2);
        made_known = 0;
        ck_assert_ptr_eq(wsfj_dispatch(&crew[0], false), &fibers[i]);
        ck_assert_int_eq(made_known, 1); /* the task */
        ck_assert_uint_eq(loaded(0), 1);
        ck_assert_int_eq(made_known, i < 3 ? 2 : 1); /* the next fiber */
    }
    ck_assert_ptr_null(wsfj_dispatch(&crew[0], false));
    ck_assert_uint_eq(wsfj_pool_high_water(), 1); /* the stacks go back */
    stop();
}
END_TEST

static struct wsfj_item item_of_fiber(struct wsfj_stack *s)
{
    return (struct wsfj_item){NULL, s, WSFJ_ITEM_FIBER};
}

/* A fiber in the worker's run queue, in run-next or not. */
static void push_fiber(unsigned worker, struct wsfj_stack *s, bool is_next)
{
    struct wsfj_run_queue *queue = &crew[worker].detached.queue;

    if (is_next)
        wsfj_run_queue_put_next(queue, NULL, s, WSFJ_ITEM_FIBER);
    else
        ck_assert(wsfj_run_queue_push(queue, item_of_fiber(s)));
}

/* Catches: a fiber that is run as a task; one that keeps the stack that a task would have got. */
START_TEST(a_fiber_comes_out_of_a_run_queue_as_itself)
{
    static struct wsfj_stack fiber;
    struct wsfj_item taken;

    start(CREW);
    for (int i = 0; i < 4; i++) {
        push_fiber(0, &fiber, i % 2);
        push(0, 5, 6);
        ck_assert(wsfj_waiting_any() && wsfj_waiting_items());
        if (i < 2) {
            made_known = 0;
            ck_assert_ptr_eq(wsfj_dispatch(&crew[0], false), &fiber);
            ck_assert_int_eq(made_known, 1); /* the task */
        } else {
            ck_assert_ptr_eq(wsfj_dispatch_anything(&crew[1]), &fiber);
        }
        ck_assert_uint_eq(loaded(0), 5);
    }
    push_fiber(0, &fiber, true);
    ck_assert(wsfj_dispatch_item(&crew[1], &taken) && wsfj_item_fiber(taken) == &fiber);
    ck_assert(!wsfj_waiting_any());
    ck_assert_uint_eq(wsfj_pool_high_water(), 2); /* one of each worker: they go back */
    stop();
}
END_TEST

/* Catches: a fiber that waits behind tasks for which there is no stack: it may be the one that is to give its stack back. A task
 * that is lost, or comes out twice, or a search without end, when the worker looks for fibers; a task that leaves run-next. */
START_TEST(a_worker_without_a_stack_finds_its_fibers)
{
    static struct wsfj_stack fibers[2];
    struct wsfj_stack *only;
    uint64_t count;

    start(1);
    wsfj_pool_start((size_t)64 << 10, false, 1, entry);
    crew[0].dispatch.count = 1; /* does not owe the common queues anything */
    ck_assert_ptr_nonnull(only = wsfj_pool_take(&crew[0].cache));
    push_fiber(0, &fibers[0], false);
    put_next(0, 9);
    ck_assert_ptr_eq(wsfj_dispatch(&crew[0], false), &fibers[0]);
    ck_assert(wsfj_run_queue_next_full(&crew[0].detached.queue) && item(0) == 9);
    push(0, 1, 3);
    push_fiber(0, &fibers[0], false);
    push(0, 3, 4);
    push_fiber(0, &fibers[1], _i);
    count = wsfj_items_dispatches(&crew[0]);
    for (int i = 0; i < 2; i++) {
        made_known = 0;
        ck_assert_ptr_eq(wsfj_dispatch(&crew[0], false), &fibers[i]);
        ck_assert_int_eq(made_known, 1);
    }
    ck_assert_uint_eq(wsfj_items_dispatches(&crew[0]), count + 2);
    ck_assert_ptr_null(wsfj_dispatch(&crew[0], false));
    ck_assert_uint_eq(wsfj_run_queue_length(&crew[0].detached.queue), 3);
    wsfj_pool_give(&crew[0].cache, only);
    for (uintptr_t sum = 0, i = 0; i < 3; i++) {
        sum += loaded(0);
        ck_assert(i < 2 || sum == 1 + 2 + 3);
    }
    ck_assert_uint_eq(loaded(0), NONE);
    stop();
}
END_TEST

/* Catches: a fiber that keeps its place in a full run queue when that overflows, where a worker without a stack would not
 * find it; one that takes room of the global queue from tasks. */
START_TEST(fibers_overflow_into_the_list_of_fibers)
{
    static struct wsfj_stack fiber;
    struct wsfj_stack *only;
    unsigned moved;

    start(1);
    wsfj_pool_start((size_t)64 << 10, false, 1, entry);
    ck_assert_ptr_nonnull(only = wsfj_pool_take(&crew[0].cache));
    push_fiber(0, &fiber, false);
    push(0, 1, WSFJ_RUN_QUEUE_SIZE);
    ck_assert(wsfj_global_queue_overflow(&crew[0].detached.queue, &moved));
    ck_assert_uint_eq(wsfj_global_queue_length().items, WSFJ_RUN_QUEUE_SIZE / 2 - 1);
    ck_assert_uint_eq(wsfj_global_queue_length().fibers, 1);
    ck_assert_ptr_eq(wsfj_dispatch(&crew[0], false), &fiber);
    wsfj_pool_give(&crew[0].cache, only);
    stop();
}
END_TEST

/* Catches: a guest that keeps its slot though only the worker's own thread may run what waits. */
START_TEST(a_guest_sees_what_it_may_not_run)
{
    static struct wsfj_stack fiber;
    static struct wsfj_region ours, others;
    struct wsfj_item taken;

    start(1);
    fiber.job.region = &others;
    ck_assert(!wsfj_waiting_others(&ours) && !wsfj_waiting_any());
    wsfj_global_queue_put_fiber(&fiber);
    ck_assert(wsfj_waiting_others(&ours) && !wsfj_waiting_others(&others));
    ck_assert(wsfj_waiting_any() && !wsfj_waiting_items());
    ck_assert_ptr_eq(wsfj_global_queue_take_fiber(NULL), &fiber);
    put_common(1, 2);
    ck_assert(wsfj_waiting_others(&ours) && wsfj_waiting_any());
    ck_assert_uint_eq(wsfj_global_queue_take(&taken, 1, 1), 1);
    push(0, 1, 2);
    ck_assert(wsfj_waiting_others(&ours) && wsfj_waiting_any());
    ck_assert_uint_eq(item(0), 1);
    ck_assert(!wsfj_waiting_others(&ours) && !wsfj_waiting_any());
    queue_root(&others);
    ck_assert(wsfj_waiting_others(&ours));
    stop();
}
END_TEST

/* Catches: a stack that still has what ran there before, beside the root or the task that it gets. */
START_TEST(a_stack_gets_one_thing_to_run)
{
    static struct wsfj_region region;
    static struct wsfj_descriptor before;
    static ws_group group;
    struct wsfj_stack *s;

    start(1);
    ck_assert_ptr_nonnull(s = wsfj_pool_take(&crew[0].cache));
    for (int i = 0; i < 2; i++) {
        s->job.item = (struct wsfj_item){look, &before, &group};
        s->job.stolen = &before;
        s->job.region = NULL;
        wsfj_pool_give(&crew[0].cache, s);
        if (i == 0)
            queue_root(&region);
        else
            put_common(5, 6);
        ck_assert_ptr_eq(wsfj_dispatch(&crew[0], false), s);
        ck_assert_ptr_null(s->job.stolen);
        if (i == 0) {
            ck_assert_ptr_eq(s->job.region, &region);
            ck_assert(!s->job.item.fn);
        } else {
            ck_assert_ptr_ne(s->job.region, NULL);
            ck_assert(s->job.item.fn == nothing && s->job.item.arg == (void *)5 && !s->job.item.group);
        }
    }
    stop();
}
END_TEST

/* Catches: a root that waits for ever because there is no stack; one that is refused though there is one, because
 * another worker has taken the root before; a stack that is lost then. */
START_TEST(without_a_stack_a_root_is_refused)
{
    static struct wsfj_region region;
    struct wsfj_stack *s;

    start(1);
    wsfj_pool_start((size_t)64 << 10, false, 1, entry);
    crew[0].dispatch.count = 1; /* looks at the common queues once */
    crew[0].dispatch.common = 1;
    queue_root(&region);
    too_late = true;
    ck_assert_ptr_null(wsfj_dispatch(&crew[0], false));
    ck_assert(!finished && root == &region);
    ck_assert_ptr_nonnull(s = wsfj_pool_take(&crew[0].cache));
    crew[0].dispatch.common = 1;
    ck_assert_ptr_null(wsfj_dispatch(&crew[0], false));
    ck_assert(finished == &region && how == WSFJ_REGION_SERIAL && !root);
    wsfj_pool_give(&crew[0].cache, s);
    stop();
}
END_TEST

/* Catches: a worker that gives way and leaves other workers' queues alone. */
START_TEST(who_gives_way_looks_everywhere)
{
    struct wsfj_stack *s;

    start(CREW);
    push(2, 1, 2);
    ck_assert_ptr_null(wsfj_dispatch(&crew[0], false));
    ck_assert_ptr_nonnull(s = wsfj_dispatch_anything(&crew[0]));
    ck_assert_ptr_eq(s->job.item.arg, (void *)1);
    ck_assert_ptr_null(wsfj_dispatch_anything(&crew[0]));
    stop();
}
END_TEST

/* Catches: a start that finds tasks of an earlier runtime under way; a task that is never counted as finished. */
START_TEST(tasks_are_under_way_until_they_are_counted)
{
    start(1);
    wsfj_items_foreign();
    ck_assert(wsfj_items_busy());
    ck_assert_uint_eq(wsfj_items().submitted, 1);
    ck_assert_uint_eq(wsfj_items().finished, 0);
    wsfj_items_finished(&crew[0]);
    ck_assert(!wsfj_items_busy());
    wsfj_items_foreign();
    memset(&crew[0].detached, 0, sizeof crew[0].detached);
    wsfj_load_start();
    wsfj_items_start();
    ck_assert(!wsfj_items_busy());
    stop();
}
END_TEST

static int rounding;

static void look(void *unused)
{
    (void)unused;
    rounding = fegetround();
}

/* Catches: detached tasks that do not have the rounding mode of the runtime's start. */
START_TEST(detached_tasks_round_as_at_the_start)
{
    ck_assert_int_eq(fesetround(FE_UPWARD), 0);
    start(1);
    ck_assert_int_eq(fesetround(FE_DOWNWARD), 0);
    wsfj_load_call((struct wsfj_item){look, NULL, NULL});
    ck_assert_int_eq(rounding, FE_UPWARD);
    stop();
}
END_TEST

/* Why the scheduler's loop must go on after a task; the first three are no reasons. */
enum {
    NOTHING_ELSE,
    COMMON_EMPTY,
    ITEM_NOT_DUE,
    GUEST,
    LENT,
    TRACED,
    ITEM_DUE,
    FIBER_DUE,
    ROOT_DUE,
    STEAL_DUE,
    SURPLUS,
    FORK_CHILD,
    NO_TASK,
    REASONS
};

static struct wsfj_exceptions left; /* what a task has left */
static int followed;                /* how many tasks have run after the first one, or in all */

static void give_reason(struct wsfj_worker *w, struct wsfj_server *server, struct wsfj_stack *s, int reason)
{
    static struct wsfj_region region;
    static struct wsfj_stack fiber;

    if (reason == COMMON_EMPTY || (reason >= ITEM_DUE && reason <= ROOT_DUE))
        w->dispatch.count = 2 * (uint64_t)wsfj_policy.common_every;
    switch (reason) {
    case GUEST: server->thread = NULL; break;
    case LENT: server->lent = true; break;
    case TRACED: w->log.ring = (void *)w; break;
    case ITEM_NOT_DUE: w->dispatch.count = 2 * (uint64_t)wsfj_policy.common_every + 1; /* fall through */
    case ITEM_DUE: put_common(1, 2); break;
    case FIBER_DUE: wsfj_global_queue_put_fiber(&fiber); break;
    case ROOT_DUE: queue_root(&region); break;
    case STEAL_DUE: w->dispatch.count = 3 * (uint64_t)wsfj_policy.steal_every; break;
    case SURPLUS: wsfj_cpu_limit_start(0); break;
    case FORK_CHILD: s->deque.wsfj_mode = WSFJ_MODE_PRIVATE; break;
    case NO_TASK: ck_assert_uint_eq(item(0), 1);
    }
}

/* The first task: leaves what the next one must not find. */
static void leaves(void *argument)
{
    struct wsfj_stack *s = argument;

    s->deque.wsfj_limit = s->memory.soft;
    s->job.runs = 7;
    s->shown.runs++; /* it has left its stack, and resumed */
    left = (struct wsfj_exceptions){&left, 2};
}

/* The next task: finds nothing of the first one. */
static void follows(void *argument)
{
    struct wsfj_stack *s = argument;

    ck_assert(s->job.item.fn == follows && s->job.item.arg == s && !s->job.item.group);
    ck_assert(s->job.runs == 1 && !s->deque.wsfj_limit);
    ck_assert(!left.caught && left.uncaught == 0);
    ck_assert(s->worker->log.followed == 1);
    followed++;
}

/* Catches: a task that follows another one on its stack although the scheduler's loop has a reason to go on, or that does
 * not follow although there is none; a task that finds what the one before it has left; one that is not counted. */
START_TEST(own_tasks_follow_each_other_on_one_stack)
{
    struct wsfj_worker *w = &crew[0];
    struct wsfj_server server = {.worker = w, .thread = (void *)w, .exceptions = &left};
    bool goes_on = _i <= ITEM_NOT_DUE;
    enum wsfj_mode mode;
    struct wsfj_stack *s;
    uint64_t count;

    s = start_serving(&server);
    mode = (enum wsfj_mode)s->deque.wsfj_mode;
    ck_assert(wsfj_run_queue_push(&w->detached.queue, (struct wsfj_item){_i == NO_TASK ? nothing : follows,
                                                                         _i == NO_TASK ? (void *)1 : s, NULL}));
    give_reason(w, &server, s, _i);
    count = w->dispatch.count;
    wsfj_load_item(s, (struct wsfj_item){leaves, s, NULL});
    ck_assert_ptr_null(wsfj_detached_run(s));
    ck_assert_int_eq(followed, goes_on);
    ck_assert(w->dispatch.count == count && w->detached.finished == 1 && w->log.count[WSFJ_EVENT_task_end] == 1);
    ck_assert_uint_eq(w->log.followed, goes_on);
    ck_assert_uint_eq(wsfj_items_dispatches(w), count + goes_on);
    ck_assert_uint_eq(wsfj_items_ended(w), 1 + goes_on);
    ck_assert(goes_on || left.caught);
    ck_assert_uint_eq(item(0), _i == ITEM_NOT_DUE ? 1 : goes_on || _i == NO_TASK ? NONE : (uintptr_t)s);
    s->deque.wsfj_mode = mode;
    s->scope = NULL;
    wsfj_pool_give(&w->cache, s);
    stop();
}
END_TEST

enum { SECTION_OPEN, PIN_OPEN, RESUMED, MOVED, MOVED_TO_A_GUEST, LENT_LATER, FORKED, CHANGES };

/* The second task changes something: as wsfj_leave_stack() and wsfj_blocking_again() do, or like fork(). */
static void changes(void *what)
{
    static struct wsfj_server other = {.thread = (void *)crew}, guest;
    struct wsfj_stack *s = crew[0].stack;

    if (++followed != 2)
        return;
    s->shown.runs += (intptr_t)what >= RESUMED && (intptr_t)what <= LENT_LATER;
    s->job.runs++;
    switch ((intptr_t)what) {
    case SECTION_OPEN: s->blocking.sections = 1; break;
    case PIN_OPEN: s->pin.count = 1; break;
    case MOVED:
    case MOVED_TO_A_GUEST:
        s->worker = &crew[1];
        crew[1].server = (intptr_t)what == MOVED ? &other : &guest;
        crew[1].dispatch.count = 1;
        ck_assert(wsfj_run_queue_push(&crew[1].detached.queue, (struct wsfj_item){changes, what, NULL}));
        break;
    case LENT_LATER: crew[0].server->lent = true; break;
    case FORKED: wsfj_fork_child_make(s); break;
    }
}

/* Catches: a change that is seen only after the first of several tasks on a stack; what a later one leaves open; a task
 * that does not begin another run of its fiber. */
START_TEST(what_any_task_changes_is_seen_after_it)
{
    static const int expected[CHANGES] = {5, 5, 5, 3, 2, 2, 2};
    struct wsfj_worker *w = &crew[0], *last = _i == MOVED || _i == MOVED_TO_A_GUEST ? &crew[1] : w;
    struct wsfj_server server = {.worker = w, .thread = (void *)w};
    struct wsfj_stack *s;

    s = start_serving(&server);
    wsfj_cpu_limit_start(2);
    w->stack = s;
    s->shown.runs = 100;
    for (int i = 0; i < 4; i++)
        ck_assert(wsfj_run_queue_push(&w->detached.queue, (struct wsfj_item){changes, (void *)(intptr_t)_i, NULL}));
    wsfj_load_item(s, (struct wsfj_item){changes, (void *)(intptr_t)_i, NULL});
    ck_assert_ptr_null(wsfj_detached_run(s));
    ck_assert_int_eq(followed, expected[_i]);
    ck_assert(s->blocking.sections == 0 && s->pin.count == 0);
    ck_assert_uint_eq(last->detached.finished, 1);
    ck_assert_uint_eq(wsfj_items_ended(&crew[0]) + wsfj_items_ended(&crew[1]), (uint64_t)expected[_i]);
    ck_assert(expected[_i] == 2 || s->job.runs == 1);
    ck_assert_uint_ge(s->shown.runs, 100 + (uint64_t)expected[_i] - 1);
    s->deque.wsfj_mode = WSFJ_MODE_NORMAL;
    wsfj_pool_give(&w->cache, s);
    stop();
}
END_TEST

/* The task number `at` puts a task into the global queue; 0: none does. */
static void comes(void *at)
{
    if (++followed == (int)(intptr_t)at)
        put_common(1, 2);
}

/* Catches: tasks that follow each other for ever while a steal is due, or while something waits in the common queues; if they
 * are of one group, and if each is of another one than the task before it. */
START_TEST(a_row_ends_when_a_steal_or_the_common_queues_are_due)
{
    static const struct {
        intptr_t at;
        int expected;
    } cases[] = {{0, 251 - 1}, {70, 2 * 61 - 1}, {61, 2 * 61 - 1}, {60, 61 - 1}};
    const int expected = cases[_i / 2].expected;
    void *at = (void *)cases[_i / 2].at;
    ws_group alternate = WS_GROUP_INIT, *other = _i % 2 ? &alternate : NULL;
    struct wsfj_worker *w = &crew[0];
    struct wsfj_server server = {.worker = w, .thread = (void *)w};
    struct wsfj_stack *s;

    s = start_serving(&server);
    for (int i = 0; i < WSFJ_RUN_QUEUE_SIZE; i++)
        ck_assert(wsfj_run_queue_push(&w->detached.queue, (struct wsfj_item){comes, at, i % 2 ? NULL : other}));
    alternate.wsfj_state = (uint64_t)WSFJ_RUN_QUEUE_SIZE * WSFJ_GROUP_ONE;
    wsfj_load_item(s, item_of(1));
    ck_assert_ptr_null(wsfj_detached_run(s));
    ck_assert_int_eq(followed, expected);
    ck_assert_uint_eq(wsfj_items_dispatches(w), 1 + (uint64_t)expected);
    ck_assert_uint_eq(w->log.followed, other ? 0 : (uint64_t)expected);
    wsfj_pool_give(&w->cache, s);
    stop();
}
END_TEST

static ws_group groups[2];

/* By task: how many tasks each group counts when it begins. */
static uint64_t seen[8][2];

static uint64_t count_of(int g)
{
    return groups[g].wsfj_state >> 1;
}

static void notes(void *unused)
{
    (void)unused;
    for (int g = 0; g < 2; g++)
        seen[followed][g] = count_of(g);
    followed++;
}

/* The stack and the run queue get a task of each group in `order`, which ends with -1; run-next may get the second one. */
static void fill(struct wsfj_stack *s, const int *order, bool has_next)
{
    struct wsfj_run_queue *queue = &crew[0].detached.queue;

    for (int i = 0; order[i] >= 0; i++) {
        ws_group *group = &groups[order[i]];

        wsfj_group_add(group);
        if (i == 0)
            wsfj_load_item(s, (struct wsfj_item){notes, NULL, group});
        else if (i == 1 && has_next)
            wsfj_run_queue_put_next(queue, notes, NULL, group);
        else
            ck_assert(wsfj_run_queue_push(queue, (struct wsfj_item){notes, NULL, group}));
    }
}

/* Catches: a group that hears of its ended tasks only after a task of another group has begun; one that hears of each task
 * by itself, of too many, or of none; a waiter that does not go on at once. */
START_TEST(a_group_is_told_of_tasks_in_a_row_at_once)
{
    enum { RING, RUN_NEXT, WAITER, DUE, CASES };
    static const struct {
        int order[7], ran;
        uint64_t seen[6][2], last[2];
    } cases[CASES] = {
        {{0, 0, 0, 1, 1, 0, -1}, 6, {{4, 2}, {4, 2}, {4, 2}, {1, 2}, {1, 2}, {1, 0}}, {0, 0}},
        {{0, 0, 1, 1, -1}, 4, {{2, 2}, {2, 2}, {0, 2}, {0, 2}}, {0, 0}},
        {{0, 0, 0, 1, 1, 0, -1}, 5, {{4, 2}, {4, 2}, {4, 2}, {1, 2}, {1, 2}}, {1, 0}},
        {{0, 0, -1}, 1, {{2, 0}}, {1, 0}},
    };
    static struct wsfj_stack fiber;
    struct wsfj_worker *w = &crew[0];
    struct wsfj_server server = {.worker = w, .thread = (void *)w};
    struct wsfj_node node;
    struct wsfj_waiter waiter = {.stack = &fiber, .state = WSFJ_WAIT_ARMING, .nodes = &node};
    struct wsfj_stack *s;
    uint64_t count;

    s = start_serving(&server);
    if (_i == DUE)
        w->dispatch.count = wsfj_policy.steal_every;
    fill(s, cases[_i].order, _i == RUN_NEXT);
    count = wsfj_items_dispatches(w);
    if (_i == WAITER) {
        node = wsfj_group_node(&groups[1]);
        ck_assert(wsfj_waiter_arm(&waiter));
    }
    ck_assert_ptr_eq(wsfj_detached_run(s), _i == WAITER ? &fiber : NULL);
    ck_assert_int_eq(followed, cases[_i].ran);
    ck_assert_uint_eq(wsfj_items_dispatches(w), count + (uint64_t)followed - 1);
    for (int i = 0; i < followed; i++) {
        for (int g = 0; g < 2; g++)
            ck_assert_uint_eq(seen[i][g], cases[_i].seen[i][g]);
    }
    ck_assert(count_of(0) == cases[_i].last[0] && count_of(1) == cases[_i].last[1]);
    ck_assert_uint_eq(w->dispatch.next_in_a_row, 0);
    wsfj_pool_give(&w->cache, s);
    stop();
}
END_TEST

static char kinds[16]; /* the tasks that ran: newest or queued */

/* A task that submits the next one. */
static void newest(void *unused)
{
    (void)unused;
    kinds[followed++] = 'n';
    if (followed < 12) {
        wsfj_group_add(&groups[0]);
        wsfj_run_queue_put_next(&crew[0].detached.queue, newest, NULL, &groups[0]);
    }
}

static void queued(void *unused)
{
    (void)unused;
    kinds[followed++] = 'q';
}

/* Catches: tasks of a group that submit each other and keep the run queue waiting for ever, or that each wait for a task of
 * the run queue. */
START_TEST(run_next_comes_first_three_times_in_a_row_on_a_stack)
{
    struct wsfj_worker *w = &crew[0];
    struct wsfj_server server = {.worker = w, .thread = (void *)w};
    struct wsfj_stack *s;

    s = start_serving(&server);
    for (int i = 0; i < 3; i++) {
        wsfj_group_add(&groups[0]);
        ck_assert(wsfj_run_queue_push(&w->detached.queue, (struct wsfj_item){queued, NULL, &groups[0]}));
    }
    wsfj_group_add(&groups[0]);
    wsfj_load_item(s, (struct wsfj_item){newest, NULL, &groups[0]});
    ck_assert_ptr_null(wsfj_detached_run(s));
    ck_assert_str_eq(kinds, "nnnnqnnnqnnnq");
    ck_assert_uint_eq(count_of(0), 0);
    wsfj_pool_give(&w->cache, s);
    stop();
}
END_TEST

/* Catches: a fiber in the run queue that runs as the next task of a row; a group that hears of the row's tasks only when the fiber
 * has run; a row that goes on past a fiber in run-next. */
START_TEST(a_row_ends_at_a_fiber)
{
    static struct wsfj_stack fiber;
    struct wsfj_worker *w = &crew[0];
    struct wsfj_server server = {.worker = w, .thread = (void *)w};
    struct wsfj_stack *s;

    s = start_serving(&server);
    for (int i = 0; i < 3; i++)
        wsfj_group_add(&groups[0]);
    wsfj_load_item(s, (struct wsfj_item){queued, NULL, &groups[0]});
    ck_assert(wsfj_run_queue_push(&w->detached.queue, (struct wsfj_item){queued, NULL, &groups[0]}));
    push_fiber(0, &fiber, _i);
    ck_assert(_i || wsfj_run_queue_push(&w->detached.queue, (struct wsfj_item){queued, NULL, &groups[0]}));
    ck_assert_ptr_eq(wsfj_detached_run(s), &fiber);
    ck_assert_str_eq(kinds, _i ? "q" : "qq");
    ck_assert_uint_eq(count_of(0), _i ? 2 : 1);
    ck_assert_uint_eq(wsfj_run_queue_length(&w->detached.queue), 1);
    wsfj_pool_give(&w->cache, s);
    stop();
}
END_TEST

/* Catches: a waiter that is lost when several wait for the group whose last task has ended: one goes on at once, the others are
 * in the run queue. */
START_TEST(one_waiter_goes_on_at_once)
{
    enum { MOST = 3 };
    static struct wsfj_stack fibers[MOST];
    struct wsfj_waiter waiters[MOST];
    struct wsfj_node nodes[MOST];
    struct wsfj_worker *w = &crew[0];
    struct wsfj_server server = {.worker = w, .thread = (void *)w};
    struct wsfj_stack *s;

    s = start_serving(&server);
    wsfj_tls = &s->deque;
    wsfj_group_add(&groups[0]);
    wsfj_load_item(s, (struct wsfj_item){queued, NULL, &groups[0]});
    for (int i = 0; i < MOST; i++) {
        fibers[i].worker = w;
        nodes[i] = wsfj_group_node(&groups[0]);
        waiters[i] = (struct wsfj_waiter){.stack = &fibers[i], .state = WSFJ_WAIT_ARMING, .nodes = &nodes[i]};
        ck_assert(wsfj_waiter_arm(&waiters[i]));
    }
    ck_assert_ptr_eq(wsfj_detached_run(s), &fibers[0]);
    ck_assert_uint_eq(wsfj_run_queue_length(&w->detached.queue), MOST - 1);
    for (int i = MOST - 1; i > 0; i--)
        ck_assert_ptr_eq(wsfj_dispatch(w, false), &fibers[i]); /* the newest is in run-next */
    ck_assert_ptr_null(wsfj_dispatch(w, false));
    wsfj_tls = NULL;
    wsfj_pool_give(&w->cache, s);
    stop();
}
END_TEST

static void first_kind(void *unused)
{
    (void)unused;
    kinds[followed++] = 'f';
}

/* Catches: a row that goes on with the oldest task although a newer one, of another group, is in run-next. */
START_TEST(a_row_does_not_pass_by_run_next)
{
    struct wsfj_worker *w = &crew[0];
    struct wsfj_server server = {.worker = w, .thread = (void *)w};
    struct wsfj_stack *s;

    s = start_serving(&server);
    for (int i = 0; i < 2; i++)
        wsfj_group_add(&groups[0]);
    wsfj_group_add(&groups[1]);
    ck_assert(wsfj_run_queue_push(&w->detached.queue, (struct wsfj_item){queued, NULL, &groups[0]}));
    wsfj_run_queue_put_next(&w->detached.queue, first_kind, NULL, &groups[1]);
    wsfj_load_item(s, (struct wsfj_item){queued, NULL, &groups[0]});
    ck_assert_ptr_null(wsfj_detached_run(s));
    ck_assert_str_eq(kinds, "qfq");
    wsfj_pool_give(&w->cache, s);
    stop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("dispatch_order");

    tcase_add_test(tcase, run_next_comes_first_three_times_in_a_row);
    tcase_add_loop_test(tcase, a_share_of_the_global_queue_comes_in_order, 1, 1 + CREW);
    tcase_add_test(tcase, each_worker_finds_what_each_other_has);
    tcase_add_test(tcase, the_global_queue_comes_first_each_61st_time);
    tcase_add_test(tcase, the_common_queues_take_turns);
    tcase_add_test(tcase, a_fiber_comes_out_of_a_run_queue_as_itself);
    tcase_add_loop_test(tcase, a_worker_without_a_stack_finds_its_fibers, 0, 2);
    tcase_add_test(tcase, fibers_overflow_into_the_list_of_fibers);
    tcase_add_test(tcase, a_guest_sees_what_it_may_not_run);
    tcase_add_test(tcase, a_stack_gets_one_thing_to_run);
    tcase_add_test(tcase, without_a_stack_a_root_is_refused);
    tcase_add_test(tcase, who_gives_way_looks_everywhere);
    tcase_add_test(tcase, tasks_are_under_way_until_they_are_counted);
    tcase_add_test(tcase, detached_tasks_round_as_at_the_start);
    tcase_add_loop_test(tcase, own_tasks_follow_each_other_on_one_stack, 0, REASONS);
    tcase_add_loop_test(tcase, what_any_task_changes_is_seen_after_it, 0, CHANGES);
    tcase_add_loop_test(tcase, a_row_ends_when_a_steal_or_the_common_queues_are_due, 0, 8);
    tcase_add_loop_test(tcase, a_group_is_told_of_tasks_in_a_row_at_once, 0, 4);
    tcase_add_test(tcase, run_next_comes_first_three_times_in_a_row_on_a_stack);
    tcase_add_test(tcase, a_row_does_not_pass_by_run_next);
    tcase_add_loop_test(tcase, a_row_ends_at_a_fiber, 0, 2);
    tcase_add_test(tcase, one_waiter_goes_on_at_once);
    return run_case("dispatch_order", tcase);
}
