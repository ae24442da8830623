/* SPDX-License-Identifier: MIT */
/*
 * The rows of the table in doc/locks.md that the page shows no code for. Every function returns 0 if the row is true.
 * Run by tests/build/idioms.sh with 1 and 2 workers.
 */
#include "locks.h"

/*
 * ws_group_wait and ws_yield: a task that wants the lock does not get it; pthread_mutex_lock() would wait for ever.
 * The task that holds the lock may come back on another thread, which must not unlock it.
 */
struct attempt {
    pthread_mutex_t mutex;
    int error;
};

static void wants(void *arg)
{
    struct attempt *a = arg;

    __atomic_store_n(&a->error, pthread_mutex_trylock(&a->mutex), __ATOMIC_RELEASE);
}

static WS_TASK(int, group_wait)
{
    static struct attempt a = {PTHREAD_MUTEX_INITIALIZER, -1};
    ws_group group = WS_GROUP_INIT;

    pthread_mutex_lock(&a.mutex);
    return ws_group_submit(&group, wants, &a) || ws_group_wait(&group) || a.error != EBUSY;
}

static WS_TASK(int, yield)
{
    static struct attempt a = {PTHREAD_MUTEX_INITIALIZER, -1};

    pthread_mutex_lock(&a.mutex);
    if (ws_submit(wants, &a))
        return 1;
    while (__atomic_load_n(&a.error, __ATOMIC_ACQUIRE) == -1)
        ws_yield();
    return a.error != EBUSY;
}

/* A recursive mutex lets the child in. */
static WS_TASK(int, enters)
{
    int error = pthread_mutex_trylock(&recursive);

    if (!error)
        pthread_mutex_unlock(&recursive);
    return error;
}

static WS_TASK(int, recursion)
{
    int error;

    pthread_mutex_lock(&recursive);
    ws_spawn(enters, &error);
    ws_sync();
    pthread_mutex_unlock(&recursive);
    return error;
}

/* ws_spawn runs no child. */
static WS_TASK_VOID(set_flag, int *, flag)
{
    *flag = 1;
}

static WS_TASK(int, spawn)
{
    int flag = 0, early;

    pthread_mutex_lock(&lock);
    ws_spawn(set_flag, &flag);
    early = __atomic_load_n(&flag, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    ws_sync();
    return early || !flag;
}

/* ws_blocking_end: a spare thread serves the worker meanwhile, and continues the task when `yields` makes room. */
static void yields(void *arg)
{
    struct elsewhere *e = arg;

    raise_flag(&e->other_runs);
    while (!__atomic_load_n(&e->resumed, __ATOMIC_RELAXED))
        ws_yield();
}

static WS_TASK(int, blocking_end, int, inside)
{
    static struct elsewhere sections[2];
    struct elsewhere *e = &sections[inside];
    int error = 0;

    if (!inside)
        pthread_mutex_lock(&lock);
    if (ws_submit(yields, e))
        return 1;
    WS_BLOCKING
    {
        await_flag(&e->other_runs);
        if (inside) {
            pthread_mutex_lock(&lock);
            error = pthread_mutex_unlock(&lock);
        }
    }
    if (!inside)
        error = pthread_mutex_unlock(&lock);
    raise_flag(&e->resumed);
    return error != (inside ? 0 : EPERM);
}

/* ws_run returns on the thread that has called it. */
static WS_TASK_VOID(region)
{
    work();
}

static int from_outside(void)
{
    pthread_mutex_lock(&lock);
    int error = ws_run(region);
    return error | pthread_mutex_unlock(&lock);
}

static int failures;

static void say(const char *what, int error)
{
    if (error)
        printf("%s: not as the page says\n", what);
    failures += error != 0;
}

static WS_TASK_VOID(one_worker)
{
    say("ws_group_wait", ws_call(group_wait));
    say("ws_yield", ws_call(yield));
    say("a recursive mutex", ws_call(recursion));
    say("ws_spawn", ws_call(spawn));
    say("a lock that is released in the section", ws_call(blocking_end, 1));
    say("a lock over ws_blocking_end", ws_call(blocking_end, 0));
}

int main(void)
{
    if (ws_init(NULL))
        return 2;
    say("ws_run", from_outside());
    if (ws_num_workers() == 1 && ws_run(one_worker))
        return 2;
    return failures != 0;
}
