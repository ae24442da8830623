/* SPDX-License-Identifier: MIT */
/*
 * What can happen to a worker: a row for each event. Counters, probes and traces, the tables of WSFJ_STATS=1 and what
 * wsfj-view says take all that they know of an event from here. Neighbours: event.h, how one is noted; wsfj.h, where
 * struct ws_stats says what a counter means; trace_walk.c, which draws traces.
 */
#ifndef WSFJ_TASK_EVENT_ROWS_H
#define WSFJ_TASK_EVENT_ROWS_H

/*
 * X(name, recorded, counted, drawn, text):
 *
 * name      of the counter, the probe and the event in a trace, where it has blanks
 * recorded  whether a trace records each one
 * counted   COLUMN(field, heading): the field of struct ws_stats, and the heading of its column with WSFJ_STATS=1;
 *           FIELD(field): without a column; UNCOUNTED
 * drawn     MOMENT(a, b, c): a moment of a trace, with what its numbers are called there, or 0; LANE: trace_walk.c
 *           makes a slice, an arrow or a span of it; UNDRAWN
 * text      what the event's worker did, for wsfj-view. In braces one of the numbers by what it is called, where {tasks}
 *           and {children} bring their noun; {stack}; {task}, what runs on that stack; {name}
 *
 * The comment before a row has the meaning of the numbers: detail, a, b, c. "stack" is the number of a stack, "part" how
 * often its fiber was resumed before, "name" the index of a task's name. After a change of an event that is recorded,
 * raise WSFJ_TRACE_FORMAT.
 */
/* clang-format off */
#define WSFJ_EVENTS(X)                                                                                                 \
    /* a task begins on a stack taken from the pool: -, stack, name, 0 */                                              \
    X(task_begin, 1, UNCOUNTED, LANE, "began {task}")                                                                  \
    /* the task ends, the stack goes back: -, stack */                                                                 \
    X(task_end, 1, COLUMN(tasks, "tasks"), LANE, "finished {task}")                                                    \
    /* a fiber waits at a sync: -, stack, children that are not done */                                                \
    X(suspend, 1, COLUMN(suspensions, "suspended"), LANE, "suspended {task}: it waits for {children}")                 \
    /* a fiber waits, but not for its children: enum wsfj_wait_kind, stack */                                          \
    X(wait, 1, COLUMN(waits, "waits"), LANE, "suspended {task}: it waits")                                             \
    /* a fiber lets others run: -, stack, -, next part */                                                              \
    X(yield, 1, COLUMN(yields, "yields"), LANE, "suspended {task}: it yields")                                         \
    /* what a fiber waited for is done: -, stack, -, next part */                                                      \
    X(runnable, 1, UNCOUNTED, MOMENT("stack", 0, 0), "finished what {task} waits for")                                 \
    /* a fiber that waited or yielded runs again: -, stack, name, part */                                              \
    X(resume, 1, COLUMN(resumptions, "resumed"), LANE, "resumed {task}")                                               \
    /* its deadline has ended a wait: enum wsfj_wait_kind, stack */                                                    \
    X(timeout, 1, COLUMN(timeouts, "timeouts"), MOMENT("stack", 0, 0), "went on with {task} at its deadline")          \
    /* a cancellation has ended a wait: enum wsfj_wait_kind, stack */                                                  \
    X(wait_cut, 0, COLUMN(cancelled_waits, "cut"), UNDRAWN, 0)                                                         \
    /* an event of a descriptor has ended a wait, or several */                                                        \
    X(fd_event, 0, COLUMN(fd_events, "fd"), UNDRAWN, 0)                                                                \
    /* enum wsfj_tier, victim, tasks taken at once, tasks remaining */                                                 \
    X(steal, 1, FIELD(steals), MOMENT("victim", "tasks", "remaining"),                                                 \
      "stole {tasks} from worker {victim} ({remaining} left)")                                                         \
    /* a thief drops a task whose scope is cancelled: -, victim */                                                     \
    X(cancel, 0, COLUMN(cancelled, "cancelled"), UNDRAWN, 0)                                                           \
    /* a try at a victim that brought nothing: -, victim */                                                            \
    X(steal_fail, 0, COLUMN(steals_failed, "failed"), UNDRAWN, 0)                                                      \
    /* a thief asks an owner to make tasks public: -, victim */                                                        \
    X(expose_request, 1, COLUMN(exposures_asked, "requested"), MOMENT("victim", 0, 0),                                 \
      "asked worker {victim} to make tasks public")                                                                    \
    /* the owner makes tasks public: -, stack, tasks in its deque */                                                   \
    X(expose, 1, COLUMN(exposures_answered, "exposed"), MOMENT("stack", "tasks", 0),                                   \
      "made tasks of stack {stack} public ({tasks} in its deque)")                                                     \
    /* a thief makes them public without the owner: -, victim */                                                       \
    X(expose_force, 1, COLUMN(exposures_forced, "forced"), MOMENT("victim", 0, 0),                                     \
      "forced a task of worker {victim} to be public")                                                                 \
    /* a thief has taken a part of a running loop */                                                                   \
    X(split, 0, FIELD(splits), UNDRAWN, 0)                                                                             \
    /* a worker runs its own slice of a static loop */                                                                 \
    X(slice_home, 0, FIELD(slices_home), UNDRAWN, 0)                                                                   \
    /* a worker runs the slice of another one */                                                                       \
    X(slice_other, 0, FIELD(slices), UNDRAWN, 0)                                                                       \
    /* a worker's own queues are empty, it looks for work */                                                           \
    X(search, 1, COLUMN(searches, "searches"), LANE, "began to look for work")                                         \
    /* the worker goes to sleep: 1 if it is surplus */                                                                 \
    X(park, 1, COLUMN(parks, "parks"), LANE, "fell asleep")                                                            \
    /* the worker was woken */                                                                                         \
    X(unpark, 1, UNCOUNTED, LANE, "woke up")                                                                           \
    /* a worker wakes another one: -, which one */                                                                     \
    X(wake, 1, COLUMN(wakes, "wakes"), MOMENT("worker", 0, 0), "woke worker {worker}")                                 \
    /* half of a full run queue goes to the global queue: -, tasks */                                                  \
    X(overflow, 1, COLUMN(overflows, "overflows"), MOMENT("tasks", 0, 0),                                              \
      "moved {tasks} to the global queue, because its run queue was full")                                             \
    /* tasks come from the global queue: -, tasks */                                                                   \
    X(global_queue_take, 1, COLUMN(global_takes, "global"), MOMENT("tasks", 0, 0),                                     \
      "took {tasks} from the global queue")                                                                            \
    /* a fiber is about to block, its slot is lent: -, stack */                                                        \
    X(block_begin, 1, COLUMN(blockings, "blocked"), LANE, "lent its slot, because a blocking section began in {task}") \
    /* the fiber has a slot: 1 if it is still its own, stack, name, part */                                            \
    X(block_end, 1, UNCOUNTED, LANE, "is back in {task} after a blocking section")                                     \
    /* the root of a ws_run() begins: -, stack */                                                                      \
    X(region_begin, 1, UNCOUNTED, LANE, "began a region (ws_run) on stack {stack}")                                    \
    /* that root ends: -, stack */                                                                                     \
    X(region_end, 1, COLUMN(regions, "regions"), LANE, "ended a region (ws_run) on stack {stack}")                     \
    /* a loop begins that is not short: -, stack, name */                                                              \
    X(loop_begin, 1, UNCOUNTED, LANE, "began the loop {name} on stack {stack}")                                        \
    /* that loop ends, but for its stolen parts: -, stack, name */                                                     \
    X(loop_end, 1, UNCOUNTED, LANE, "ended the loop {name} on stack {stack}")                                          \
    /* ws_trace_mark(): -, -, name */                                                                                  \
    X(mark, 1, UNCOUNTED, MOMENT(0, 0, 0), "set the mark \"{name}\"")                                                   \
    /* a parent has waited a moment at its sync, and its children have ended: -, stack */                              \
    X(short_wait, 1, COLUMN(short_waits, "short"), MOMENT("stack", 0, 0),                                              \
      "waited a moment at a sync of {task}: its children have ended")                                                  \
    /* the same, and a child runs on: -, stack */                                                                      \
    X(short_wait_vain, 1, COLUMN(short_waits_vain, "vain"), MOMENT("stack", 0, 0),                                  \
      "waited a moment at a sync of {task}, in vain")
/* clang-format on */

#endif
