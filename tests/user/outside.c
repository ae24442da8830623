/* SPDX-License-Identifier: MIT */
/* Tasks that wait for times and file descriptors: wsfj/outside.h, lib/idle/outside.c, lib/wait/{timer,descriptor}.c. */
#define _GNU_SOURCE
#include "../support/flags.h"
#include "../support/heard.h"
#include "../support/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

static ws_group group = WS_GROUP_INIT;
static long wrong, done;
static int flag;

static void start_with(size_t workers, size_t stacks)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = workers;
    config.max_stacks = stacks;
    ck_assert_int_eq(ws_init(&config), 0);
    wrong = done = 0;
    flag = 0;
}

static void submit(ws_function *fn, void *arg)
{
    ck_assert_int_eq(ws_group_submit(&group, fn, arg), 0);
}

static void await_all(void)
{
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(get(&wrong), 0);
    stop_runtime();
}

static void sleep_until(void *at)
{
    uint64_t until = *(uint64_t *)at;

    add(&wrong, ws_sleep_until(until) != 0 || ws_now() < until);
    add(&done, 1);
}

/* Catches: a sleeper that wakes early, or never; timers that the heap loses. */
START_TEST(each_sleeper_wakes_at_its_time)
{
    enum { SLEEPERS = 500 };
    static uint64_t at[SLEEPERS];
    uint32_t random = 1 + (uint32_t)_i;

    start_with(1 + (size_t)_i % 2, 0);
    for (int i = 0; i < SLEEPERS; i++) {
        random = random * 1664525 + 1013904223;
        at[i] = ws_now() + random % (20 * MS);
        submit(sleep_until, &at[i]);
    }
    await_all();
    ck_assert_int_eq(done, SLEEPERS);
}
END_TEST

static void block_then_sleep(void *at)
{
    usleep(20000); /* the other workers sleep, and one of them is the lookout */
    sleep_until(at);
}

/* Catches: a lookout that sleeps until the deadline that was the first when it fell asleep. */
START_TEST(an_earlier_deadline_ends_the_sleep_of_the_lookout)
{
    uint64_t late, early;

    start_with(2, 0);
    late = ws_now() + 2000 * MS;
    early = ws_now() + 150 * MS;
    submit(block_then_sleep, &early);
    usleep(2000);
    submit(sleep_until, &late);
    while (get(&done) == 0)
        usleep(1000);
    ck_assert_uint_lt(ws_now(), late);
    await_all();
}
END_TEST

static WS_TASK_VOID(nothing, int, unused)
{
    (void)unused;
}

static void sync_until_raised(void *unused)
{
    ws_frame();
    (void)unused;
    while (!is_raised(&flag)) {
        ws_spawn(nothing, 0);
        ws_sync();
    }
}

static void sleep_and_raise(void *unused)
{
    (void)unused;
    add(&wrong, ws_sleep_until(ws_now() + 20 * MS) != 0);
    raise_flag(&flag);
}

/* Catches: times that nobody looks for while no worker is idle (PREEMPT-2). */
START_TEST(busy_workers_do_not_hide_a_deadline)
{
    start_with(1 + (size_t)_i % 2, 0);
    submit(sleep_and_raise, NULL);
    usleep(_i < 2 ? 0 : 5000); /* the sleeper sleeps, mostly, and so does its worker */
    for (int i = 0; i <= _i % 2; i++)
        submit(sync_until_raised, NULL);
    await_all();
}
END_TEST

static WS_TASK_VOID(sleep_as_root, uint64_t, ns)
{
    uint64_t until = ws_now() + ns;

    add(&wrong, ws_sleep_until(until) != 0 || ws_now() < until);
}

/* Catches: a runtime in which nobody looks while all workers search without end. */
START_TEST(workers_that_never_sleep_look)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 2;
    config.spin_us = WS_SPIN_FOREVER;
    ck_assert_int_eq(ws_init(&config), 0);
    ck_assert_int_eq(ws_run(sleep_as_root, 5 * MS), 0);
    await_all();
}
END_TEST

/* Catches: a guest's slot whose thread goes on to sleep without a lookout (PARK-13). */
START_TEST(the_root_of_a_guest_sleeps)
{
    start_with(1 + (size_t)_i, 0);
    for (int i = 0; i < 20; i++) {
        usleep(500); /* all workers sleep, mostly */
        ck_assert_int_eq(ws_run(sleep_as_root, MS), 0);
    }
    await_all();
}
END_TEST

static void wait_for_flag(void *fd)
{
    add(&wrong, ws_wait_fd(*(int *)fd, POLLIN, WS_FOREVER) != 0);
}

static void give_up_soon(void *fd)
{
    add(&wrong, ws_wait_fd(*(int *)fd, POLLIN, ws_now() + MS) != ETIMEDOUT);
}

static double cpu_seconds(void)
{
    struct rusage used;

    (void)getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

/* Catches: a lookout that does not sleep: because of a deadline that has passed, or of one that was withdrawn; or of a descriptor
 * that is ready, but that nobody waits for. */
START_TEST(who_waits_takes_no_time)
{
    int ends[2], left = _i ? eventfd(0, EFD_CLOEXEC) : -1;
    uint64_t soon, late;
    double before;

    ck_assert_int_eq(pipe(ends), 0);
    start_with(2, 0);
    if (_i) {
        submit(give_up_soon, &left);
        ck_assert_int_eq(ws_group_wait(&group), 0);
        ck_assert_int_eq(eventfd_write(left, 1), 0);
        late = ws_now() + 400 * MS;
        submit(sleep_until, &late);
    } else {
        submit(wait_for_flag, &ends[0]);
    }
    soon = ws_now() + MS;
    submit(sleep_until, &soon);
    while (get(&done) == 0)
        usleep(1000);
    usleep(20000); /* workers fall asleep, and the preempter */
    before = cpu_seconds();
    usleep(200000);
    ck_assert_double_lt(cpu_seconds() - before, 0.02);
    ck_assert_int_eq(write(ends[1], "x", 1), 1);
    await_all();
    close(ends[0]);
    close(ends[1]);
    if (_i)
        close(left);
}
END_TEST

static int pipes[2][2];

static void open_pipes(void)
{
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pipe2(pipes[i], O_NONBLOCK | O_CLOEXEC), 0);
}

static void close_pipes(void)
{
    for (int i = 0; i < 4; i++)
        close(pipes[i / 2][i % 2]);
}

static bool read_byte(int fd)
{
    char byte;
    ssize_t n;

    while ((n = read(fd, &byte, 1)) < 0 && errno == EAGAIN)
        if (ws_wait_fd(fd, POLLIN, ws_now() + 3600000 * MS) != 0) /* a deadline that is withdrawn each time */
            return false;
    return n == 1;
}

enum { ROUNDS = 200 };

/* Sends first, if `first`; then both play. */
static void play(void *first)
{
    int in = pipes[first == NULL][0], out = pipes[first != NULL][1];

    for (int i = 0; i < ROUNDS; i++) {
        if (first)
            add(&wrong, write(out, "x", 1) != 1);
        add(&wrong, !read_byte(in));
        if (!first)
            add(&wrong, write(out, "x", 1) != 1);
    }
}

static void play_in_a_section(void *first)
{
    WS_BLOCKING
    {
        play(first);
    }
}

static void play_pinned(void *first)
{
    int error = ws_pin();

    play(first);
    if (!error)
        ws_unpin();
}

static void *play_outside(void *first)
{
    play(first);
    return NULL;
}

static WS_TASK_VOID(play_as_root, void *, first)
{
    play(first);
}

static WS_TASK_VOID(child, int, n)
{
    if (n > 0) {
        ws_spawn(child, n - 1);
        ws_call(child, n - 1);
    }
}

static void play_with_children(void *first)
{
    ws_frame();
    ws_spawn(child, 3);
    play(first);
}

/* Catches: an event that is lost, in whatever way the task waits. */
START_TEST(tasks_talk_over_pipes)
{
    static ws_function *const ways[] = {play, play_in_a_section, play_pinned, play_with_children};
    pthread_t thread;
    int way = _i / 4;

    open_pipes();
    start_with(1 + (size_t)_i % 2, _i % 4 < 2 ? 2 : 0);
    if (way < 4) {
        submit(ways[way], NULL);
        submit(play, &flag);
    } else if (way == 4) {
        submit(play, NULL);
        ck_assert_int_eq(pthread_create(&thread, NULL, play_outside, &flag), 0);
        pthread_join(thread, NULL);
    } else {
        submit(play, NULL);
        ck_assert_int_eq(ws_run(play_as_root, (void *)&flag), 0);
    }
    await_all();
    close_pipes();
}
END_TEST

static int pair[2];

static void wait_for_events(void *events)
{
    add(&wrong, ws_wait_fd(pair[0], (short)(uintptr_t)events, WS_FOREVER) != 0);
    add(&done, 1);
}

static void expect_busy(void *unused)
{
    (void)unused;
    while (ws_wait_fd(pair[0], POLLIN, ws_now() + MS) != EBUSY)
        ws_yield();
    add(&wrong, write(pair[1], "x", 1) != 1);
}

/* Catches: two tasks of one descriptor, of which one is forgotten when the other's event comes, or the second of one direction
 * not refused. */
START_TEST(a_task_for_each_direction)
{
    char bytes[4096] = {0};

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
    start_with(2, 0);
    while (write(pair[0], bytes, sizeof bytes) > 0)
        ;
    submit(wait_for_events, (void *)(uintptr_t)POLLIN);
    submit(wait_for_events, (void *)(uintptr_t)POLLOUT);
    usleep(2000);
    submit(expect_busy, NULL);
    while (get(&done) == 0)
        usleep(100);
    ck_assert_int_eq(get(&done), 1); /* the other one cannot write */
    while (read(pair[1], bytes, sizeof bytes) > 0)
        ;
    await_all();
    ck_assert_int_eq(done, 2);
    close(pair[0]);
    close(pair[1]);
}
END_TEST

static void wait_for_file(void *fd)
{
    add(&wrong, ws_wait_fd(*(int *)fd, POLLIN, WS_FOREVER) == 0);
}

static void expect_errors(void *unused)
{
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    uint64_t before = ws_now();

    (void)unused;
    add(&wrong, ws_wait_fd(pipes[0][0], 0, WS_FOREVER) != EINVAL);
    add(&wrong, ws_wait_fd(pipes[0][0], POLLERR, WS_FOREVER) != EINVAL);
    add(&wrong, ws_wait_fd(10000, POLLIN, WS_FOREVER) != EBADF);
    add(&wrong, ws_wait_fd(-1, POLLIN, WS_FOREVER) != EBADF);
    add(&wrong, ws_wait_fd(10000, POLLIN, 0) != EBADF);
    add(&wrong, ws_wait_fd(file, POLLIN, WS_FOREVER) != EPERM);
    add(&wrong, ws_wait_fd(pipes[0][0], POLLIN, 0) != ETIMEDOUT);
    add(&wrong, ws_wait_fd(pipes[0][1], POLLOUT, 0) != 0);
    add(&wrong, ws_wait_fd(pipes[0][0], POLLIN, before + 3 * MS) != ETIMEDOUT || ws_now() < before + 3 * MS);
    add(&wrong, ws_wait_fd(pipes[0][1], POLLOUT, WS_FOREVER) != 0);
    close(file);
}

/* Catches: an error that is not told, or told for another reason; a deadline that ends no wait; a descriptor that cannot be
 * polled, of which nothing is said, or too much. */
START_TEST(errors_are_told)
{
    const char *line;

    open_pipes();
    start_with(1, 0);
    listen_begin();
    submit(expect_errors, NULL);
    await_all();
    listen_end();
    line = strstr(heard, "libwsfj: ws_wait_fd(): descriptor 10000 cannot be polled (");
    ck_assert_msg(line && !strstr(line + 1, "libwsfj: "), "%s", heard);
    close_pipes();
}
END_TEST

/* Catches: one of the reasons that nobody hears of; another error that is told as one of them. */
START_TEST(a_descriptor_that_cannot_be_polled_is_named)
{
    const int fds[] = {-1, 10000, open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
    char line[80];

    open_pipes();
    start_with(1, 0);
    listen_begin();
    ck_assert_int_eq(ws_wait_fd(pipes[0][0], POLLIN, 0), ETIMEDOUT);
    ck_assert_int_eq(ws_wait_fd(pipes[0][0], 0, 0), EINVAL);
    submit(wait_for_file, (void *)&fds[_i]);
    await_all();
    listen_end();
    snprintf(line, sizeof line, "libwsfj: ws_wait_fd(): descriptor %d cannot be polled (", fds[_i]);
    ck_assert_msg(strncmp(heard, line, strlen(line)) == 0, "%s", heard);
    close(fds[2]);
    close_pipes();
}
END_TEST

static void interrupt(int unused)
{
    (void)unused;
}

static void *wait_twice(void *unused)
{
    uint64_t until = ws_now() + 5 * MS;

    errno = EINTR; /* from an earlier call */
    add(&wrong, ws_wait_fd(pipes[0][0], POLLIN, until) != ETIMEDOUT || ws_now() < until);
    raise_flag(&flag);
    add(&wrong, ws_wait_fd(pipes[0][0], POLLIN, WS_FOREVER) != 0);
    add(&done, 1);
    return unused;
}

/* Catches: a thread of the program whose wait ends with a signal, or with the errno of an earlier one. */
START_TEST(a_signal_ends_no_wait)
{
    struct sigaction action = {.sa_handler = interrupt};
    pthread_t thread;

    open_pipes();
    start_with(1, 0);
    ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_twice, NULL), 0);
    while (!is_raised(&flag))
        usleep(100);
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(pthread_kill(thread, SIGUSR1), 0);
        usleep(500);
    }
    ck_assert_int_eq(get(&done), 0);
    ck_assert_int_eq(write(pipes[0][1], "x", 1), 1);
    pthread_join(thread, NULL);
    ck_assert_int_eq(get(&done), 1);
    await_all();
    close_pipes();
}
END_TEST

/* Catches: a wait that does not end without epoll, of which nothing is said: the process has no descriptor left. */
START_TEST(without_epoll_waits_end)
{
    struct rlimit limit;
    char line[200];
    uint64_t soon;
    int last;

    open_pipes();
    start_with(2, 0);
    listen_begin();
    last = dup(0);
    close(last);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = (rlim_t)last;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    soon = ws_now() + 5 * MS;
    submit(sleep_until, &soon);
    submit(play, NULL);
    submit(play, &flag);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    submit(wait_for_flag, &pipes[0][0]);
    usleep(50000); /* all sleep, and the preempter */
    ck_assert_int_eq(write(pipes[0][1], "x", 1), 1);
    await_all();
    listen_end();
    snprintf(line, sizeof line,
             "libwsfj: no epoll (%s): tasks that wait for descriptors or times are looked after once a millisecond\n",
             strerror(EMFILE));
    ck_assert_str_eq(heard, line);
    close_pipes();
}
END_TEST

/* Catches: a child that waits for what its parent waits for, or shares its descriptors. */
START_TEST(the_child_of_a_fork_waits_for_its_own)
{
    static uint64_t later;
    int status;
    pid_t pid;

    open_pipes();
    start_with(2, 0);
    later = ws_now() + 30 * MS;
    submit(sleep_until, &later);
    submit(play, NULL);
    usleep(5000);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        close_pipes();
        open_pipes();
        group = (ws_group)WS_GROUP_INIT;
        start_with(2, 0);
        submit(play, NULL);
        submit(play, &flag);
        later = ws_now() + MS;
        submit(sleep_until, &later);
        await_all();
        _exit(0);
    }
    submit(play, &flag);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    await_all();
    close_pipes();
}
END_TEST

/* Catches: a stop while a task waits; descriptors that stay open after it. */
START_TEST(fini_waits_for_who_waits)
{
    uint64_t soon;
    int before = dup(0), after;

    close(before);
    start_with(2, 0);
    soon = ws_now() + 20 * MS;
    submit(sleep_until, &soon);
    ck_assert_int_eq(ws_fini(), EBUSY);
    await_all();
    after = dup(0);
    close(after);
    ck_assert_int_eq(before, after);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("outside");

    tcase_add_loop_test(tcase, each_sleeper_wakes_at_its_time, 0, 4);
    tcase_add_test(tcase, an_earlier_deadline_ends_the_sleep_of_the_lookout);
    tcase_add_loop_test(tcase, busy_workers_do_not_hide_a_deadline, 0, 4);
    tcase_add_test(tcase, workers_that_never_sleep_look);
    tcase_add_loop_test(tcase, the_root_of_a_guest_sleeps, 0, 2);
    tcase_add_loop_test(tcase, who_waits_takes_no_time, 0, 2);
    tcase_add_loop_test(tcase, tasks_talk_over_pipes, 0, 6 * 4);
    tcase_add_test(tcase, a_task_for_each_direction);
    tcase_add_test(tcase, errors_are_told);
    tcase_add_test(tcase, a_signal_ends_no_wait);
    tcase_add_loop_test(tcase, a_descriptor_that_cannot_be_polled_is_named, 0, 3);
    tcase_add_test(tcase, without_epoll_waits_end);
    ADD_TEST_UNLESS(SANITIZED_THREAD ? "it knows no threads after fork()" : emulated(NO_THREADS), tcase,
                    the_child_of_a_fork_waits_for_its_own);
    tcase_add_test(tcase, fini_waits_for_who_waits);
    return run_case("outside", tcase);
}
