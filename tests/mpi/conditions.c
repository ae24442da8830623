/* SPDX-License-Identifier: MIT */
/*
 * conditions NAME: what must not be, or seldom is, one condition in a process. Prints "as expected" from each rank; what the
 * library says on stderr, and how mpirun ends, conditions.sh looks at.
 */
#define _GNU_SOURCE 1
#include "ranks.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <wsfj/mpi_loop.h>

static ws_group tasks = WS_GROUP_INIT;
static int in = -1;

static void learn_rank(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

static void start(void)
{
    CHECK_IS(ws_mpi_init(NULL, NULL), 0);
    learn_rank();
}

static void wait_for_ever(void *unused)
{
    (void)unused;
    CHECK_IS(ws_mpi_recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0);
}

/* MPI keeps no copy of so much. */
enum { LARGE = 4 << 20 };
static int large[2][LARGE];

static void send_large(void *unused)
{
    (void)unused;
    CHECK_IS(ws_mpi_send(large[0], LARGE, MPI_INT, rank, 6, MPI_COMM_WORLD), 0);
}

static void submit(void (*fn)(void *))
{
    CHECK_IS(ws_group_submit(&tasks, fn, NULL), 0);
}

static void stop(void)
{
    CHECK_IS(ws_group_wait(&tasks), 0);
    CHECK_IS(ws_mpi_fini(), 0);
    CHECK_IS(ws_fini(), 0);
}

/* A rank dies while tasks of the others wait for it. It says who it is, so that the test can look for those that are left. */
static void killed(void)
{
    start();
    submit(wait_for_ever);
    CHECK_IS(ws_mpi_barrier(MPI_COMM_WORLD), 0);
    printf("process %d\n", (int)getpid());
    fflush(stdout);
    CHECK_IS(ws_mpi_barrier(MPI_COMM_WORLD), 0);
    if (rank == ranks - 1)
        kill(getpid(), SIGKILL);
    stop();
}

static void check_all(int expected)
{
    MPI_Request none = MPI_REQUEST_NULL;
    int index, value = 0, out = 0;

    CHECK_IS(ws_mpi_wait(&none, MPI_STATUS_IGNORE), expected);
    CHECK_IS(ws_mpi_waitall(1, &none, MPI_STATUSES_IGNORE), expected);
    CHECK_IS(ws_mpi_waitany(1, &none, &index, MPI_STATUS_IGNORE), expected);
    CHECK_IS(ws_mpi_send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), expected);
    CHECK_IS(ws_mpi_recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), expected);
    CHECK_IS(ws_mpi_sendrecv(&value, 1, MPI_INT, 0, 0, &out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
             expected);
    CHECK_IS(ws_mpi_probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), expected);
    CHECK_IS(ws_mpi_barrier(MPI_COMM_WORLD), expected);
    CHECK_IS(ws_mpi_bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD), expected);
    CHECK_IS(ws_mpi_allreduce(&value, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), expected);
    CHECK_IS(ws_mpi_gather(&value, 1, MPI_INT, &out, 1, MPI_INT, 0, MPI_COMM_WORLD), expected);
    CHECK_IS(ws_mpi_alltoall(&value, 1, MPI_INT, &out, 1, MPI_INT, MPI_COMM_WORLD), expected);
    CHECK_IS(ws_mpi_call(wait_for_ever, NULL), expected);
}

static void not_initialised(void)
{
    check_all(EINVAL);
    CHECK_IS(ws_mpi_run(wait_for_ever, NULL), EINVAL);
    CHECK_IS(ws_mpi_fini(), EINVAL);
    CHECK(strcmp(ws_mpi_strerror(EINVAL), ws_strerror(EINVAL)) == 0);
    CHECK(strstr(ws_mpi_strerror(-MPI_ERR_RANK), "class")); /* MPI, too, may have no words before it starts */
    start();
    stop();
    check_all(EINVAL);
    CHECK_IS(ws_mpi_init(NULL, NULL), EINVAL); /* MPI cannot begin again */
}

static void finalised(void)
{
    start();
    MPI_Finalize();
    check_all(EINVAL);
    CHECK_IS(ws_mpi_fini(), EINVAL);
    CHECK_IS(ws_fini(), 0);
}

static ws_event asked = WS_EVENT_INIT;

static uint64_t ask(void *unused)
{
    (void)unused;
    check_all(EDEADLK);
    CHECK_IS(ws_mpi_fini(), EDEADLK);
    ws_event_set(&asked);
    return WS_FOREVER;
}

static void in_a_source(void)
{
    start();
    CHECK_IS(ws_poll_add(ask, NULL), 0);
    CHECK_IS(ws_event_wait_until(&asked, ws_now() + 30000 * MS), 0);
    CHECK_IS(ws_poll_remove(ask, NULL), 0);
    stop();
}

static void single(void)
{
    int level;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &level);
    CHECK_IS(level, MPI_THREAD_SINGLE);
    CHECK_IS(ws_mpi_init(NULL, NULL), ENOTSUP);
    check_all(EINVAL);
    MPI_Finalize();
}

/* The program's MPI stays the program's. */
static void foreign(void)
{
    int level, flag;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    start();
    stop();
    MPI_Finalized(&flag);
    CHECK(!flag);
    start();
    stop();
    MPI_Finalize();
}

static void wrong_level(void)
{
    CHECK_IS(ws_mpi_init(NULL, NULL), EINVAL);
}

static void *init_elsewhere(void *unused)
{
    (void)unused;
    CHECK_IS(ws_mpi_init(NULL, NULL), EPERM);
    return NULL;
}

static void run_within(void *unused)
{
    (void)unused;
    CHECK_IS(ws_mpi_run(wait_for_ever, NULL), EPERM);
    CHECK_IS(ws_mpi_fini(), EPERM);
}

/* In a task, though in the right thread. */
static WS_TASK_VOID(root_within)
{
    run_within(NULL);
}

static void *fini_elsewhere(void *unused)
{
    (void)unused;
    CHECK_IS(ws_mpi_fini(), EPERM);
    CHECK_IS(ws_mpi_run(wait_for_ever, NULL), EPERM);
    return NULL;
}

static void in_thread(void *(*fn)(void *))
{
    pthread_t thread;

    CHECK_IS(pthread_create(&thread, NULL, fn, NULL), 0);
    CHECK_IS(pthread_join(thread, NULL), 0);
}

static void elsewhere(void)
{
    int level;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    in_thread(init_elsewhere);
    start();
    in_thread(fini_elsewhere);
    submit(run_within);
    CHECK_IS(ws_run(root_within), 0);
    stop();
    MPI_Finalize();
}

static void not_served(void *unused)
{
    (void)unused;
    check_all(EDEADLK);
}

/* A function that the thread calls for others may run tasks itself; afterwards the thread serves on. */
static void nothing(void *unused)
{
    (void)unused;
}

static void run_in_call(void *unused)
{
    (void)unused;
    CHECK_IS(ws_mpi_run(nothing, NULL), 0);
}

static void run_twice(void *unused)
{
    (void)unused;
    CHECK_IS(ws_mpi_call(run_in_call, NULL), 0);
    CHECK_IS(ws_mpi_barrier(MPI_COMM_WORLD), 0);
}

/* The calls belong to this thread, and it is not in ws_mpi_run(); it may call all itself. */
static void unserved(void)
{
    int value = 1;

    start();
    submit(not_served);
    CHECK_IS(ws_group_wait(&tasks), 0);
    CHECK_IS(ws_mpi_barrier(MPI_COMM_WORLD), 0);
    CHECK_IS(ws_mpi_sendrecv(&value, 1, MPI_INT, rank, 0, &in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
             0);
    CHECK_IS(in, 1);
    CHECK_IS(ws_mpi_run(run_twice, NULL), 0);
    stop();
}

/* The program has started MPI with less than the setting says. */
static void not_raised(void)
{
    int level;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    CHECK_IS(level, MPI_THREAD_FUNNELED);
    start();
    submit(not_served);
    stop();
    MPI_Finalize();
}

static void send_the_message(void)
{
    int value = 1;

    CHECK_IS(ws_mpi_send(&value, 1, MPI_INT, rank, 5, MPI_COMM_WORLD), 0);
}

static void *wait_in_thread(void *unused)
{
    (void)unused;
    wait_for_ever(NULL);
    return NULL;
}

/* Both ends refuse while a task waits, and change nothing. */
static void fini_busy(void)
{
    pthread_t thread;

    start();
    submit(wait_for_ever);
    CHECK_IS(ws_sleep_until(ws_now() + 50 * MS), 0);
    CHECK_IS(ws_mpi_fini(), EBUSY);
    CHECK_IS(ws_fini(), EBUSY);
    CHECK_IS(ws_mpi_fini(), EBUSY);
    send_the_message();
    CHECK_IS(ws_group_wait(&tasks), 0);
    CHECK_IS(pthread_create(&thread, NULL, wait_in_thread, NULL), 0);
    CHECK_IS(ws_sleep_until(ws_now() + 50 * MS), 0);
    CHECK_IS(ws_mpi_fini(), EBUSY);
    send_the_message();
    CHECK_IS(pthread_join(thread, NULL), 0);
    stop();
}

/* Nor while a loop runs: no wait is open then. */
static ws_event in_loop = WS_EVENT_INIT, refused = WS_EVENT_INIT;

static void wait_in_part(int64_t lo, int64_t hi, void *arg)
{
    (void)lo, (void)hi, (void)arg;
    ws_event_set(&in_loop);
    CHECK_IS(ws_event_wait(&refused), 0);
}

static void run_loop(void *unused)
{
    (void)unused;
    CHECK_IS(ws_mpi_for(wait_in_part, 0, 1, NULL), 0);
}

static void fini_in_loop(void)
{
    start();
    submit(run_loop);
    CHECK_IS(ws_event_wait(&in_loop), 0);
    CHECK_IS(ws_mpi_fini(), EBUSY);
    ws_event_set(&refused);
    stop();
}

static void fini_first(void)
{
    start();
    submit(wait_for_ever);
    send_the_message();
    CHECK_IS(ws_group_wait(&tasks), 0);
    CHECK_IS(ws_fini(), 0);
    CHECK_IS(ws_mpi_fini(), 0);
}

static void forked(void)
{
    int status;
    pid_t child;

    start();
    submit(wait_for_ever);
    CHECK_IS(ws_sleep_until(ws_now() + 50 * MS), 0);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(30);
        check_all(ECHILD);
        CHECK_IS(ws_mpi_init(NULL, NULL), ECHILD);
        CHECK(strcmp(ws_mpi_strerror(ECHILD), "unknown error") != 0);
        CHECK_IS(ws_mpi_run(wait_for_ever, NULL), ECHILD);
        CHECK_IS(ws_mpi_fini(), ECHILD);
        _exit(0);
    }
    CHECK_IS(waitpid(child, &status, 0), child);
    CHECK_IS(status, 0);
    send_the_message();
    stop();
}

static ws_event seen = WS_EVENT_INIT;
static int cpus_of_task;

static void look_at_cpus(void *unused)
{
    cpu_set_t cpus;

    (void)unused;
    sched_getaffinity(0, sizeof cpus, &cpus);
    cpus_of_task = CPU_COUNT(&cpus);
    ws_event_set(&seen);
}

/* As many CPUs as the launcher has given: EXPECTED_CPUS, the worker's number BOUND_CPUS. */
static void cpus(void)
{
    cpu_set_t mine;
    const char *expected = getenv("EXPECTED_CPUS"), *bound = getenv("BOUND_CPUS");

    start();
    sched_getaffinity(0, sizeof mine, &mine);
    CHECK_IS(CPU_COUNT(&mine), atoi(expected));
    submit(look_at_cpus);
    CHECK_IS(ws_event_wait(&seen), 0); /* a worker's thread, not this one */
    CHECK_IS(cpus_of_task, atoi(bound));
    stop();
}

static void bounce(void *unused)
{
    int value = rank;

    (void)unused;
    for (int i = 0; i < 50; i++)
        CHECK_IS(ws_mpi_sendrecv(&value, 1, MPI_INT, (rank + 1) % ranks, 7, &in, 1, MPI_INT, (rank + ranks - 1) % ranks,
                                 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                 0);
    CHECK_IS(in, (rank + ranks - 1) % ranks);
}

/* Works with whatever is set around it: few workers, few stacks, few CPUs. */
static void scarce(void)
{
    start();
    if (!getenv("WSFJ_MPI_THREADS")) {
        submit(bounce);
        CHECK_IS(ws_group_wait(&tasks), 0);
    }
    CHECK_IS(ws_mpi_run(bounce, NULL), 0);
    stop();
}

/* The program's runtime has two stacks: one for the task that waits, or runs the loop, and one for its parts. */
static void count_part(int64_t lo, int64_t hi, void *sum)
{
    __atomic_fetch_add((int64_t *)sum, hi - lo, __ATOMIC_RELAXED);
}

static void loop_in_task(void *sum)
{
    for (int i = 0; i < 5; i++)
        CHECK_IS(ws_mpi_for(count_part, 0, 1000, sum), 0);
}

static void few_stacks(void)
{
    int64_t sum = 0, all = 0;
    ws_config config;

    ws_config_default(&config);
    config.max_stacks = 2;
    CHECK_IS(ws_init(&config), 0);
    start();
    CHECK_IS(ws_mpi_run(bounce, NULL), 0);
    CHECK_IS(ws_mpi_run(loop_in_task, &sum), 0);
    CHECK_IS(ws_mpi_allreduce(&sum, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD), 0);
    CHECK_IS(all, 5000);
    stop();
}

/* A signal does not end a wait. */
static void handle(int signal)
{
    (void)signal;
}

static void signals(void)
{
    struct sigaction action = {.sa_handler = handle};
    pthread_t thread;

    start();
    sigaction(SIGUSR1, &action, NULL);
    CHECK_IS(pthread_create(&thread, NULL, wait_in_thread, NULL), 0);
    for (int i = 0; i < 20; i++) {
        pthread_kill(thread, SIGUSR1);
        CHECK_IS(ws_sleep_until(ws_now() + MS), 0);
    }
    CHECK_IS(in, -1);
    send_the_message();
    CHECK_IS(pthread_join(thread, NULL), 0);
    CHECK_IS(in, 1);
    stop();
}

/* A task that is pinned waits as others do, and goes on where it was. */
static void wait_pinned(void *unused)
{
    pthread_t me;
    int error = ws_pin();

    (void)unused;
    CHECK_IS(error, getenv("WSFJ_SPARES") ? EAGAIN : 0);
    me = pthread_self();
    wait_for_ever(NULL);
    CHECK(error || pthread_equal(me, pthread_self()));
    ws_unpin();
}

static void pinned(void)
{
    start();
    submit(wait_pinned);
    CHECK_IS(ws_sleep_until(ws_now() + 20 * MS), 0);
    send_the_message();
    stop();
}

static pthread_key_t key;

static void wait_at_end(void *unused)
{
    (void)unused;
    check_all(EDEADLK);
}

static void set_key(void *unused)
{
    (void)unused;
    pthread_setspecific(key, &key);
}

/* A thread of the runtime that ends must not wait. MPI runs on: it is the program's. */
static void destructor(void)
{
    int level;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    start();
    CHECK_IS(pthread_key_create(&key, wait_at_end), 0);
    submit(set_key);
    CHECK_IS(ws_group_wait(&tasks), 0);
    CHECK_IS(ws_fini(), 0);
    CHECK_IS(ws_mpi_fini(), 0);
    MPI_Finalize();
}

/* The library begins and ends several times, while the runtime and MPI, which are the program's, run on. */
static void again(void)
{
    int level;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    CHECK_IS(ws_init(NULL), 0);
    for (int i = 0; i < 3; i++) {
        int64_t sum = 0, all = 0;

        start();
        CHECK_IS(ws_mpi_run(bounce, NULL), 0);
        CHECK_IS(ws_mpi_run(loop_in_task, &sum), 0);
        CHECK_IS(ws_mpi_allreduce(&sum, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD), 0);
        CHECK_IS(all, 5000);
        CHECK_IS(ws_mpi_fini(), 0);
        CHECK_IS(ws_mpi_barrier(MPI_COMM_WORLD), EINVAL);
    }
    CHECK_IS(ws_fini(), 0);
    MPI_Finalize();
}

/* For the dump, which conditions.sh reads. */
static void dumped(void)
{
    start();
    submit(wait_for_ever);
    submit(send_large);
    CHECK_IS(ws_sleep_until(ws_now() + 50 * MS), 0);
    CHECK_IS(raise(SIGUSR2), 0);
    CHECK_IS(ws_sleep_until(ws_now() + 300 * MS), 0); /* a thread of the runtime writes it */
    send_the_message();
    CHECK_IS(ws_mpi_recv(large[1], LARGE, MPI_INT, rank, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0);
    stop();
}

static const struct {
    const char *name;
    void (*run)(void);
} all[] = {{"killed", killed},
           {"not_initialised", not_initialised},
           {"finalised", finalised},
           {"in_a_source", in_a_source},
           {"single", single},
           {"foreign", foreign},
           {"wrong_level", wrong_level},
           {"elsewhere", elsewhere},
           {"unserved", unserved},
           {"not_raised", not_raised},
           {"fini_busy", fini_busy},
           {"fini_in_loop", fini_in_loop},
           {"fini_first", fini_first},
           {"forked", forked},
           {"cpus", cpus},
           {"scarce", scarce},
           {"few_stacks", few_stacks},
           {"signals", signals},
           {"pinned", pinned},
           {"destructor", destructor},
           {"again", again},
           {"dumped", dumped}};

int main(int argc, char **argv)
{
    alarm(50);
    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++) {
        if (strcmp(argv[1], all[i].name) == 0) {
            case_name = argv[1];
            all[i].run();
            puts("as expected");
            return 0;
        }
    }
    fprintf(stderr, "%s: no such condition\n", argv[0]);
    return 2;
}
