/* SPDX-License-Identifier: MIT */
#include "observe/debugger.h"

#include "arch/arch.h"
#include "observe/waits.h"
#include "task/pool.h"
#include "task/region.h"
#include "task/stack.h"
#include "wait/waiter.h"
#include "worker/worker.h"
#include "worker/workers.h"

/* clang-format off */
#define NUMBER(name, value) {name, NULL, value}
#define FIELD(type, field) {#type "." #field, NULL, offsetof(struct wsfj_##type, field)}
#define OBJECT(object) {#object, &object, sizeof(object)}
#define CODE(function) {#function, (const void *)function, 0}

/* The first line states the version of this table. */
const struct wsfj_fact wsfj_debugger[] = {
    NUMBER("libwsfj", 1),
    OBJECT(wsfj_workers),
    OBJECT(wsfj_num_workers),
    OBJECT(wsfj_pool_stacks),
    OBJECT(wsfj_waits_words),
    NUMBER("worker", sizeof(struct wsfj_worker)),
    FIELD(worker, tid),
    FIELD(worker, stack),
    FIELD(worker, park),
    FIELD(worker, server),
    FIELD(worker, detached.queue.head),
    FIELD(worker, detached.queue.tail),
    NUMBER("park.asleep", WSFJ_PARK_ASLEEP),
    NUMBER("park.guest", WSFJ_PARK_GUEST),
    NUMBER("park.retired", WSFJ_PARK_RETIRED),
    NUMBER("descriptor", sizeof(struct wsfj_descriptor)),
    FIELD(stack, deque.wsfj_tail),
    FIELD(stack, first),
    FIELD(stack, join),
    FIELD(stack, job.kind),
    FIELD(stack, job.parent),
    FIELD(stack, job.region),
    FIELD(stack, job.item.fn),
    FIELD(stack, job.code),
    FIELD(stack, wait.kind),
    FIELD(stack, wait.detail),
    FIELD(stack, wait.on),
    FIELD(stack, wait.since),
    FIELD(stack, wait.until),
    FIELD(stack, shown.life),
    FIELD(stack, blocking.lender),
    FIELD(stack, worker),
    FIELD(stack, context.stack_low),
    FIELD(stack, context.stack_size),
    FIELD(stack, number),
    FIELD(stack, pool.next_all),
    NUMBER("life.join", WSFJ_LIFE_JOIN),
    NUMBER("life.wait", WSFJ_LIFE_WAIT),
    NUMBER("life.yield", WSFJ_LIFE_YIELDED),
    NUMBER("life.slot", WSFJ_LIFE_SLOT),
    NUMBER("wait.group", WSFJ_WAIT_GROUP),
    NUMBER("wait.mutex", WSFJ_WAIT_MUTEX),
    NUMBER("wait.channel", WSFJ_WAIT_CHANNEL),
    NUMBER("wait.clock", WSFJ_WAIT_CLOCK),
    NUMBER("wait.descriptor", WSFJ_WAIT_DESCRIPTOR),
    NUMBER("wait.any", WSFJ_WAIT_ANY),
    NUMBER("wait.named", WSFJ_WAIT_NAMED),
    FIELD(kind, wsfj_name),
    FIELD(kind, wsfj_file),
    FIELD(kind, wsfj_lineno),
    FIELD(region, record),
#ifdef WSFJ_SWITCH_PORTABLE
    FIELD(stack, context.saved),
#else
    FIELD(stack, context.sp),
    CODE(wsfj_context_start),
    CODE(wsfj_context_between), /* right after it */
#endif
#ifdef __x86_64__
    CODE(wsfj_spawn_thunk),
    CODE(wsfj_loop_thunk),
    CODE(wsfj_sync_thunk),
    CODE(wsfj_thunk_end),
#endif
    {NULL, NULL, 0}};
/* clang-format on */
