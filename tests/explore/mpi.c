/* SPDX-License-Identifier: MIT */
/*
 * MPI-2: a job in ws_mpi_run(), whose thread makes all calls, and sleeps when there is nothing to ask about.
 *
 * MPI-1: records of waiters, which lie on their stacks, are pushed, taken over, asked about, and end or are withdrawn, with a
 * stand-in for MPI that has the answer at the first, second or third question. Who is back uses the record's memory for something else, so
 * that a later touch is a race. A record that nobody has shows as a deadlock.
 */
#include "things.h"

#include "mpi/progress.h"
#include "mpi/run.h"

#include <string.h>

enum { WAITERS = 2 };

static struct waiter {
    struct wsfj_mpi_wait record;
    struct wsfj_mpi_entry entry;
    MPI_Request request;
} waiters[WAITERS];
static unsigned result[WAITERS]; /* of the call, or of MPI: it comes before the waiter goes on */
static unsigned back, waits;     /* waiters; how many there are */

/* For the library. An error of MPI is its class. */
int wsfj_mpi_error(int code)
{
    return -code;
}

void ws_event_set(ws_event *event)
{
    (void)__atomic_exchange_n(&event->wsfj_state, 1, __ATOMIC_ACQ_REL);
}

/* For run.c: the caller of ws_mpi_run() is the thread of ws_mpi_init(), and all calls are its. */
bool wsfj_mpi_is_funneled(void)
{
    return true;
}

bool wsfj_mpi_is_main(void)
{
    return true;
}

int wsfj_mpi_enter(const char *name)
{
    (void)name;
    return 0;
}

int ws_worker_id(void)
{
    return -1;
}

uint64_t ws_now(void)
{
    return 0;
}

int ws_poll_add(ws_poll_function *fn, void *arg)
{
    (void)fn, (void)arg;
    return 0;
}

int ws_event_is_set(const ws_event *event)
{
    return __atomic_load_n(&event->wsfj_state, __ATOMIC_ACQUIRE) != 0;
}

void ws_event_reset(ws_event *event)
{
    (void)__atomic_fetch_and(&event->wsfj_state, 0u, __ATOMIC_ACQUIRE);
}

/* Any time that is not for ever has come. */
int ws_event_wait_until(ws_event *event, uint64_t until)
{
    while (!ws_event_is_set(event)) {
        if (until != WS_FOREVER)
            return ETIMEDOUT;
        engine_pause();
    }
    return 0;
}

/* The task of ws_mpi_run(): thread 1 runs it. */
static struct {
    ws_function *fn;
    void *arg;
    unsigned there, ran;
} task;

int ws_group_submit(ws_group *group, ws_function *fn, void *arg)
{
    (void)group;
    task.fn = fn;
    task.arg = arg;
    __atomic_store_n(&task.there, 1, __ATOMIC_RELEASE);
    return 0;
}

int ws_group_wait(ws_group *group)
{
    (void)group;
    while (!__atomic_load_n(&task.ran, __ATOMIC_ACQUIRE))
        engine_pause();
    return 0;
}

static void run_task(void)
{
    while (!__atomic_load_n(&task.there, __ATOMIC_ACQUIRE))
        engine_pause();
    task.fn(task.arg);
    __atomic_store_n(&task.ran, 1, __ATOMIC_RELEASE);
}

/* How often MPI was asked: the third time it has the answer for sure. A round of progress asks twice. */
static unsigned questions[WAITERS];

static bool has_come(MPI_Request request)
{
    if (questions[request]++ < 2 && explore_choose(2))
        return false;
    result[request] = 1;
    return true;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    (void)status;
    *flag = *request == MPI_REQUEST_NULL || has_come(*request);
    if (*flag)
        *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int MPI_Testsome(int n, MPI_Request *requests, int *some, int *indices, MPI_Status *statuses)
{
    *some = 0;
    for (int i = 0; i < n; i++) {
        int flag;

        (void)MPI_Test(&requests[i], &flag, &statuses[i]);
        if (flag)
            indices[(*some)++] = i;
    }
    return MPI_SUCCESS;
}

int MPI_Testall(int n, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    explore_must(n == 1, "more requests than there are");
    return MPI_Test(requests, flag, statuses);
}

int MPI_Testany(int n, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
    *index = 0;
    explore_must(n == 1, "more requests than there are");
    return MPI_Test(requests, flag, status);
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    (void)from, (void)tag, (void)comm, (void)status;
    *flag = 1;
    return MPI_SUCCESS;
}

static void start(unsigned n)
{
    wsfj_mpi_forget();
    memset(waiters, 0, sizeof waiters);
    memset(questions, 0, sizeof questions);
    memset(result, 0, sizeof result);
    memset(&task, 0, sizeof task);
    back = 0;
    waits = n;
    explore_shared(waiters, sizeof waiters);
    explore_shared(questions, sizeof questions);
    explore_shared(result, sizeof result);
}

static void start_one(void)
{
    start(1);
}

static void start_two(void)
{
    start(2);
}

static void queue(unsigned i, enum wsfj_mpi_kind kind, void (*call)(void *))
{
    struct waiter *w = &waiters[i];

    w->request = (MPI_Request)i;
    w->record.kind = kind;
    w->record.n = 1;
    w->record.requests = &w->request;
    w->record.entries = kind == WSFJ_MPI_ALL ? &w->entry : NULL;
    w->record.call = call;
    w->record.arg = &result[i];
    wsfj_mpi_queue(&w->record);
}

static void go_on(unsigned i)
{
    things_reuse(&waiters[i], sizeof waiters[i]);
    (void)__atomic_fetch_add(&back, 1, __ATOMIC_ACQ_REL);
}

static void await_end(unsigned i)
{
    while (!__atomic_load_n(&waiters[i].record.event.wsfj_state, __ATOMIC_ACQUIRE))
        engine_pause();
    explore_must(waiters[i].record.done && result[i] == 1, "what is waited for has not come");
    go_on(i);
}

static void wait_in_table(void)
{
    queue(explore_self(), WSFJ_MPI_ALL, NULL);
    await_end(explore_self());
}

/* One about which MPI is asked alone. */
static void wait_alone(void)
{
    queue(explore_self(), WSFJ_MPI_ANY, NULL);
    await_end(explore_self());
}

static void give_up(enum wsfj_mpi_kind kind)
{
    queue(explore_self(), kind, NULL);
    if (wsfj_mpi_withdraw(&waiters[explore_self()].record))
        go_on(explore_self());
    else
        await_end(explore_self());
}

static void give_up_in_table(void)
{
    give_up(WSFJ_MPI_ALL);
}

static void give_up_alone(void)
{
    give_up(WSFJ_MPI_ANY);
}

static void store_result(void *arg)
{
    *(unsigned *)arg = 1;
}

static void wait_for_call(void)
{
    queue(explore_self(), WSFJ_MPI_CALL, store_result);
    await_end(explore_self());
}

static void give_up_call(void)
{
    queue(explore_self(), WSFJ_MPI_CALL, store_result);
    if (wsfj_mpi_withdraw(&waiters[explore_self()].record)) {
        explore_must(result[explore_self()] == 0, "a function runs, and its caller has given up");
        go_on(explore_self());
    } else {
        await_end(explore_self());
    }
}

static void serve(void)
{
    while (__atomic_load_n(&back, __ATOMIC_ACQUIRE) < waits) {
        (void)wsfj_mpi_progress();
        explore_must(wsfj_mpi_open() <= waits, "a record has ended before it is counted");
        engine_pause();
    }
}

static void work(void *unused)
{
    (void)unused;
    go_on(explore_self());
}

static void work_and_wait(void *unused)
{
    (void)unused;
    queue(explore_self(), WSFJ_MPI_ALL, NULL);
    wsfj_mpi_call_progress();
    await_end(explore_self());
}

static void run_work(void)
{
    explore_must(ws_mpi_run(work, NULL) == 0, "the job is refused");
}

static void run_work_and_wait(void)
{
    explore_must(ws_mpi_run(work_and_wait, NULL) == 0, "the job is refused");
}

/* Looks once. */
static void search(void)
{
    (void)wsfj_mpi_progress();
}

static void nobody_is_left(void)
{
    explore_must(back == waits, "a waiter is not back");
    explore_must(wsfj_mpi_open() == 0, "a record is counted that has gone");
    wsfj_mpi_forget();
}

#define PUSH "wsfj_mpi_queue", "cas", "&pushed"
#define RESET "ws_event_reset", "and", "&event->wsfj_state"
#define TAKE "take_over", "exchange", "&pushed"

static const struct explore_mutant one[] = {
    {"a record is pushed without a release (MPI-1)", PUSH, EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"a record is taken over without an acquire (MPI-1)", TAKE, EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"a record is not counted (MPI-1)", "wsfj_mpi_queue", "add", "&records", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant two[] = {{"a record is pushed in two steps (MPI-1)", PUSH, EXPLORE_SPLIT, 0},
                                            {"records are taken over in two steps (MPI-1)", TAKE, EXPLORE_SPLIT, 0},
                                            {NULL}};

static const struct explore_mutant gives_up[] = {
    {"a record is withdrawn without the lock (MPI-1)", "wsfj_mpi_withdraw", "lock", "&lock", EXPLORE_SKIP, 0},
    {"a record is withdrawn and counts (MPI-1)", "wsfj_mpi_withdraw", "sub", "&records", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant calls[] = {
    {"a record is counted after its push (MPI-1)", "wsfj_mpi_queue", "add", "&records", EXPLORE_LATE, 3},
    {NULL}};

static const struct explore_mutant askers[] = {
    {"two threads make progress (MPI-1)", "wsfj_mpi_progress", "trylock", "&lock", EXPLORE_SKIP, 0},
    {NULL}};

/* Either way it takes back what the looks have missed. */
static const struct explore_mutant sleeps[] = {
    {"the event is reset after the looks (MPI-2)", RESET, EXPLORE_LATE, 4},
    {"a reset does not see what came before the set that it takes back (MPI-2)", RESET, EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {NULL}};

static const struct explore_program programs[] = {
    {"a request in the table", start_one, {wait_in_table, serve}, nobody_is_left, {2, 1}, {3, 2}, one},
    {"a request asked about alone", start_one, {wait_alone, serve}, nobody_is_left, {2, 1}, {3, 2}, NULL},
    {"two requests", start_two, {wait_in_table, wait_alone, serve}, nobody_is_left, {1, 0}, {2, 1}, two},
    {"a request, and its waiter gives up", start_one, {give_up_in_table, serve}, nobody_is_left, {2, 1}, {3, 2}, gives_up},
    {"the same, asked about alone", start_one, {give_up_alone, serve}, nobody_is_left, {2, 1}, {3, 2}, gives_up},
    {"a call", start_one, {wait_for_call, serve}, nobody_is_left, {2, 1}, {3, 2}, calls},
    {"a call whose caller gives up", start_one, {give_up_call, serve}, nobody_is_left, {2, 1}, {3, 2}, NULL},
    {"a request, and two threads that make progress",
     start_one,
     {wait_in_table, serve, search},
     nobody_is_left,
     {2, 0},
     {2, 1},
     askers},
    {"a call and another request",
     start_two,
     {wait_for_call, give_up_in_table, serve},
     nobody_is_left,
     {1, 0},
     {2, 0},
     NULL},
    {"a job", start_one, {run_work, run_task}, nobody_is_left, {2, 1}, {3, 2}, sleeps},
    {"a job that waits", start_one, {run_work_and_wait, run_task}, nobody_is_left, {2, 1}, {3, 2}, NULL},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
