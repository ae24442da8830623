/* SPDX-License-Identifier: MIT */
#include "engine.h"

#include "check.h"
#include "costs.h"
#include "cpu.h"
#include "fail.h"
#include "task/stack.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STACK_LEAST ((size_t)256 << 10)
#define CHECK_EVERY 65536 /* points */

struct sim_thread *sim_self;
struct sim_thread **sim_threads;
unsigned sim_num_threads;
struct sim_heap sim_heap;
uint64_t sim_moment, sim_progress;
uint64_t (*sim_disturb)(void);

static struct wsfj_context origin; /* the caller of sim_run() */
static struct sim_totals totals;
static unsigned threads_room;
static uint64_t next_check;

/* The thread-local variables of the program and of the library, which is part of it. Each virtual thread has a copy. A new
 * thread begins with the values from the start of the simulation. */
static struct {
    char *here;
    size_t size;
    char *first;
} locals;

static int find_locals(struct dl_phdr_info *program, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < program->dlpi_phnum; i++) {
        if (program->dlpi_phdr[i].p_type == PT_TLS) {
            locals.here = program->dlpi_tls_data;
            locals.size = program->dlpi_phdr[i].p_memsz;
        }
    }
    return 1; /* the first object is the program */
}

struct sim_totals sim_totals(void)
{
    struct sim_totals now = totals;

    now.time = sim_moment;
    now.threads = sim_num_threads;
    return now;
}

/* When the thread runs again, AddressSanitizer must know whether it is on its own stack or on a fiber's. */
static void note_stack(struct sim_thread *t)
{
    if (!wsfj_asan_is_here())
        return;

    const char *here = __builtin_frame_address(0), *low = t->stack;
    bool is_own = here >= low && here < low + t->size;
    const struct wsfj_context *fiber = is_own ? NULL : &wsfj_stack_of(wsfj_tls)->context;

    t->context.stack_low = is_own ? t->stack : fiber->stack_low;
    t->context.stack_size = is_own ? t->size : fiber->stack_size;
}

static void switch_to(struct sim_thread *t)
{
    struct sim_thread *from = sim_self;

    if (t == from)
        return;
    note_stack(from);
    totals.switches++;
    from->error = errno;
    memcpy(from->locals, locals.here, locals.size);
    sim_self = t;
    memcpy(locals.here, t->locals, locals.size);
    wsfj_context_switch(&from->context, &t->context);
    errno = from->error; /* it runs again */
}

/* Handles events in order of time. Returns the thread that runs next: it is on a CPU, and its next point is due. */
static struct sim_thread *next(void)
{
    for (;;) {
        struct sim_event *e = sim_heap_take(&sim_heap);
        struct sim_thread *t = (struct sim_thread *)(void *)e;

        if (!e)
            sim_deadlock();
        sim_check(e->time >= sim_moment, "time goes back from %llu to %llu ns", (unsigned long long)sim_moment,
                  (unsigned long long)e->time);
        sim_moment = e->time;
        if (e->id >> 32 != SIM_OF_THREAD)
            sim_cpu_event(e);
        else if (t->state == SIM_ON_CPU)
            return t;
        else {
            if (t->state == SIM_WAITS)
                sim_wait_over(t);
            sim_cpu_arrive(t, e->time);
        }
    }
}

void sim_leave(void)
{
    switch_to(next());
}

static __attribute__((noinline)) void others_first(void)
{
    sim_heap_put(&sim_heap, &sim_self->event);
    sim_leave();
}

static uint64_t owed; /* picoseconds; of which at most one nanosecond is another thread's */

void sim_owe(uint64_t ps)
{
    owed += ps;
}

void sim_point(uint64_t ns)
{
    struct sim_thread *self = sim_self;

    owed += (engine_atomics - engine_changes) * sim_costs.atomic + engine_changes * sim_costs.rmw;
    engine_atomics = engine_changes = 0;
    ns += owed / 1000;
    owed %= 1000;
    if (!self)
        return;
    if (sim_disturb)
        ns += sim_disturb();
    self->event.time += ns;
    self->used += ns;
    if (++totals.points >= next_check) {
        next_check = totals.points + CHECK_EVERY;
        sim_check_livelock(totals.points);
    }
    if (sim_heap.count && sim_before(sim_heap.events[0], &self->event))
        others_first();
    else
        sim_moment = self->event.time;
}

void sim_arrive_after(struct sim_thread *t, uint64_t delay)
{
    sim_heap_remove(&sim_heap, &t->event);
    t->state = SIM_ARRIVES;
    t->event.time = sim_moment + delay;
    sim_heap_put(&sim_heap, &t->event);
}

static void thread_main(void *argument)
{
    struct sim_thread *t = argument;

    wsfj_context_entered(&t->context);
    t->function(t->argument);
    if (t->number == 0) { /* the simulation is over */
        memcpy(locals.here, locals.first, locals.size);
        sim_self = NULL;
        wsfj_context_switch(&t->context, &origin);
    }
    (void)sim_wake(t, UINT32_MAX, sim_costs_wake);
    t->state = SIM_ENDED;
    sim_cpu_leave(t);
    sim_leave();
    __builtin_unreachable();
}

struct sim_thread *sim_thread_make(void *(*function)(void *), void *argument, size_t stack)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct sim_thread *t = sim_new(1, sizeof *t);

    stack = (stack < STACK_LEAST ? STACK_LEAST : stack + page - 1) / page * page + page;
    t->stack = mmap(NULL, stack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (t->stack == MAP_FAILED || mprotect(t->stack, page, PROT_NONE) != 0)
        sim_fail(SIM_EXIT_SYSTEM, "no memory for the stack of virtual thread %u", sim_num_threads);
    wsfj_context_make(&t->context, (char *)t->stack + page, stack - page, thread_main, t);
    t->size = stack;
    t->number = sim_num_threads;
    t->event.id = SIM_EVENT_ID(SIM_OF_THREAD, t->number);
    t->function = function;
    t->argument = argument;
    t->locals = sim_new(1, locals.size);
    memcpy(t->locals, locals.first, locals.size);
    t->altstack.ss_flags = SS_DISABLE;
    sigemptyset(&t->signals);
    if (sim_num_threads == threads_room) {
        threads_room = threads_room ? 2 * threads_room : 64;
        sim_threads = sim_again(sim_threads, threads_room * sizeof *sim_threads);
    }
    sim_threads[sim_num_threads++] = t;
    return t;
}

void sim_thread_free(struct sim_thread *t)
{
    if (t->stack)
        munmap(t->stack, t->size);
    free(t->locals);
    free(t->mask);
    t->stack = NULL;
    t->locals = NULL;
    t->mask = NULL;
}

struct sim_totals sim_run(void *(*function)(void *), void *argument)
{
    (void)dl_iterate_phdr(find_locals, NULL);
    locals.first = sim_new(1, locals.size);
    memcpy(locals.first, locals.here, locals.size);
    next_check = CHECK_EVERY;
    sim_lines_start();
    wsfj_context_here(&origin);

    struct sim_thread *first = sim_thread_make(function, argument, (size_t)8 << 20);

    sim_arrive_after(first, 0);
    sim_self = next();
    wsfj_context_switch(&origin, &first->context);
    return sim_totals();
}
