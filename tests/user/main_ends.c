/* SPDX-License-Identifier: MIT */
/*
 * Main ends by pthread_exit(): the process ends with status 0 when the program's last thread and the last detached task
 * have ended, although threads of the library are alive until then. Each case is a process of its own. Neighbour:
 * threads.c, the ends of other threads.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_timedjoin_np() */
#endif
#include "../support/fib.h"
#include "../support/flags.h"
#include "../support/process.h"
#include "../support/viewed.h"
#include "workers.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

static int main_has_ended, may_end;
static bool refuses_threads;

int __real_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*function)(void *), void *argument);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*function)(void *), void *argument);

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
    return refuses_threads ? EAGAIN : __real_pthread_create(id, attributes, function, argument);
}

/* A process that hangs is killed: the library's threads block all signals but this one. */
static void limit_process(void)
{
    struct sigevent late = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec end = {.it_value.tv_sec = limit_seconds()};
    timer_t timer;

    if (timer_create(CLOCK_MONOTONIC, &late, &timer) != 0 || timer_settime(timer, 0, &end, NULL) != 0)
        _exit(99);
}

static void use(void)
{
    long r = 0;

    if (ws_run(fib, &r, 12L) != 0 || r != 144)
        _exit(98);
}

static void raise_that(void *flag)
{
    raise_flag(flag);
}

/* After the library's own destructor: keys that are made later have theirs later. */
static void tell_when_main_has_ended(void)
{
    static pthread_key_t key;

    if (pthread_key_create(&key, raise_that) != 0 || pthread_setspecific(key, &main_has_ended) != 0)
        _exit(97);
}

static void make_thread(void *(*function)(void *), bool detached)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
    if (pthread_create(&thread, &attributes, function, NULL) != 0)
        _exit(96);
}

static void *uses_later(void *unused)
{
    wait_for(&main_has_ended);
    use();
    return unused;
}

static void *uses_now(void *unused)
{
    use();
    return unused;
}

static void *uses_and_waits(void *unused)
{
    use();
    wait_for(&main_has_ended);
    return unused;
}

static void join_user(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, uses_now, NULL) != 0 || pthread_join(thread, NULL) != 0)
        _exit(95);
}

/* What main does before it ends. */
static void uses_alone(void)
{
    use();
}

static void only_starts(void)
{
    start(3);
}

static void leaves_a_thread_that_will_use(void)
{
    use();
    make_thread(uses_later, false);
}

static void leaves_a_detached_thread(void)
{
    use();
    make_thread(uses_later, true);
}

static void never_uses(void)
{
    make_thread(uses_later, false);
}

static void never_uses_and_ends_last(void)
{
    join_user();
}

static void never_uses_and_a_user_stays(void)
{
    make_thread(uses_and_waits, true);
}

static void others_used_and_ended(void)
{
    use();
    join_user();
    join_user();
}

/* The task ends when the last caller has ended. */
static void waits_for_main(void *unused)
{
    (void)unused;
    wait_for(&main_has_ended);
}

static void leaves_a_task(void)
{
    if (ws_submit(waits_for_main, NULL) != 0)
        _exit(94);
}

/* A task that no worker serves while it waits, and one that is suspended. */
static void blocks(void *unused)
{
    (void)unused;
    WS_BLOCKING
    {
        wait_for(&main_has_ended);
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
}

static void waits_for_blocked(void *unused)
{
    ws_group group = WS_GROUP_INIT;

    if (ws_group_submit(&group, blocks, unused) != 0 || ws_group_wait(&group) != 0)
        _exit(93);
}

static void leaves_suspended_tasks(void)
{
    for (int i = 0; i < 10; i++)
        if (ws_submit(waits_for_blocked, NULL) != 0)
            _exit(94);
}

/* Tasks that submit tasks, long after main. */
static void goes_on(void *left)
{
    wait_for(&main_has_ended);
    if (left && ws_submit(goes_on, (char *)left - 1) != 0)
        _exit(92);
    nanosleep(&(struct timespec){0, 100000}, NULL);
}

static void leaves_a_chain(void)
{
    if (ws_submit(goes_on, (void *)100) != 0)
        _exit(94);
}

static void leaves_a_phase(void)
{
    if (ws_phase_begin() != 0 || ws_phase_begin() != 0)
        _exit(91);
    use();
}

static void leaves_a_task_and_a_phase(void)
{
    leaves_a_phase();
    leaves_a_task();
}

static void searches_for_ever(void)
{
    start_runtime(2, 0, WS_SPIN_FOREVER);
    leaves_a_task();
}

static int finds_nothing(void *unused)
{
    (void)unused;
    return 0;
}

static void has_a_source(void)
{
    ws_config config;

    ws_config_default(&config);
    config.poll = finds_nothing;
    if (ws_init(&config) != 0)
        _exit(90);
    leaves_a_task();
}

static void stopped_before(void)
{
    use();
    if (ws_fini() != 0)
        _exit(89);
}

static void stopped_and_used(void)
{
    stopped_before();
    use();
}

/* The first thread of the child is the one that forked. */
static void fork_and_end_there(void)
{
    pid_t pid = fork();
    int status = -1;

    if (pid == 0) {
        limit_process();
        close(STDERR_FILENO); /* the exit handler runs here, too */
        use();
        pthread_exit(NULL);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        _exit(88);
}

static void *uses_and_forks(void *unused)
{
    use();
    fork_and_end_there();
    return unused;
}

static void *forks(void *unused)
{
    fork_and_end_there();
    return unused;
}

static void its_child_ends_like_that(void)
{
    void *(*const functions[])(void *) = {uses_and_forks, forks};
    pthread_t thread;

    use();
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread, NULL, functions[i], NULL) != 0 || pthread_join(thread, NULL) != 0)
            _exit(87);
}

/* The thread that ends then stops the runtime itself. */
static void no_thread_can_be_made(void)
{
    use();
    refuses_threads = true;
}

/* Destructors of the program may use the library after the library's own destructor. */
static WS_TASK_VOID(takes_a_while)
{
    nanosleep(&(struct timespec){0, 20000000}, NULL);
}

/* Other threads may stop the runtime before, and find it in use meanwhile. */
static void uses_at_the_end(void *unused)
{
    (void)unused;
    use();
    if (ws_run(takes_a_while) != 0)
        _exit(98);
}

static void uses_in_a_destructor(void)
{
    pthread_key_t key;

    use();
    if (pthread_key_create(&key, uses_at_the_end) != 0 || pthread_setspecific(key, &may_end) != 0)
        _exit(97);
}

static void uses_first_in_a_destructor(void)
{
    pthread_key_t key;

    if (pthread_key_create(&key, uses_at_the_end) != 0 || pthread_setspecific(key, &may_end) != 0)
        _exit(97);
}

/* After the library's own destructor. pthread_exit() is under way in the child, too. */
static void forks_at_the_end(void *unused)
{
    pid_t pid = fork();
    int status = -1;

    (void)unused;
    if (pid == 0) {
        limit_process();
        close(STDERR_FILENO);
        use();
    } else if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        _exit(88);
    }
}

static void forks_in_a_destructor(void)
{
    pthread_key_t key;

    use();
    if (pthread_key_create(&key, forks_at_the_end) != 0 || pthread_setspecific(key, &may_end) != 0)
        _exit(97);
}

static const struct way {
    const char *name;
    void (*before)(void);
} ways[] = {{"main has used it alone", uses_alone},
            {"it was only started", only_starts},
            {"another thread uses it later", leaves_a_thread_that_will_use},
            {"the same, detached", leaves_a_detached_thread},
            {"main has never used it, another thread does", never_uses},
            {"the same, and that has ended before", never_uses_and_ends_last},
            {"the same, and that ends later", never_uses_and_a_user_stays},
            {"others have ended before", others_used_and_ended},
            {"a task runs", leaves_a_task},
            {"tasks wait and block", leaves_suspended_tasks},
            {"tasks submit tasks", leaves_a_chain},
            {"a phase is open", leaves_a_phase},
            {"a task runs in a phase", leaves_a_task_and_a_phase},
            {"workers search without end", searches_for_ever},
            {"there is a ws_config.poll", has_a_source},
            {"it was stopped", stopped_before},
            {"it was stopped and used again", stopped_and_used},
            {"in the child of a fork", its_child_ends_like_that},
            {"no thread can be made", no_thread_can_be_made},
            {"a destructor uses it", uses_in_a_destructor},
            {"a destructor uses it first", uses_first_in_a_destructor},
            {"a destructor forks", forks_in_a_destructor}};
#define WAYS (int)(sizeof ways / sizeof *ways)

static void tell(const char *text)
{
    (void)!write(STDERR_FILENO, text, strlen(text));
}

static cpu_set_t allowed;

static void at_exit(void)
{
    cpu_set_t now;

    if (sched_getaffinity(0, sizeof now, &now) != 0 || !CPU_EQUAL(&now, &allowed))
        tell("exit handlers are bound\n");
    refuses_threads = false;
    use();
    tell("exit handler\n");
}

static int main_ends(long way)
{
    limit_process();
    if (atexit(at_exit) != 0 || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return 96;
    ways[way].before();
    tell_when_main_has_ended();
    pthread_exit(NULL);
}

static int count(const char *text, const char *what)
{
    int n = 0;

    for (const char *at = text; (at = strstr(at, what)); at++)
        n++;
    return n;
}

/* A worker that falls asleep after the last caller wants a thread, too, and says that there is none. */
static const char *behind_refusals(const char *text)
{
    const char *end;

    while (strstr(text, "no thread could be started that stops the runtime") && (end = strchr(text, '\n')))
        text = end + 1;
    return text;
}

/* Catches: a process that never ends, or too early; exit handlers that run twice or cannot use the library. */
START_TEST(the_process_ends_with_its_last_user)
{
    struct outcome o = in_child(main_ends, _i);
    const char *text = ways[_i].before == no_thread_can_be_made ? behind_refusals(o.text) : o.text;

    ck_assert_msg(WIFEXITED(o.status) && WEXITSTATUS(o.status) == 0 && strcmp(text, "exit handler\n") == 0,
                  "%s: status %x, stderr: %.1000s", ways[_i].name, (unsigned)o.status, o.text);
}
END_TEST

static char trace_name[64];

static int ends_with_outputs(long unused)
{
    (void)unused;
    limit_process();
    setenv("WSFJ_STATS", "1", 1);
    setenv("WSFJ_TRACE", trace_name, 1);
    leaves_a_task();
    tell_when_main_has_ended();
    pthread_exit(NULL);
}

/* Catches: statistics or a trace that are not written, or twice. */
START_TEST(outputs_are_written_once)
{
    struct outcome o;
    struct stat file;

    snprintf(trace_name, sizeof trace_name, "main_ends-%d.json", (int)getpid());
    o = in_child(ends_with_outputs, 0);
    ck_assert_int_eq(stat(trace_name, &file), 0);
    trace_fits(trace_name);
    unlink(trace_name);
    expect_exit(&o, 0);
    ck_assert_int_eq(count(o.text, "steals by distance"), 1);
    ck_assert_int_gt((int)file.st_size, 100);
}
END_TEST

/* Has never called in: it takes the signals of the process. */
static void *waits_for_a_signal(void *unused)
{
    sigset_t set;
    int got = 0;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    wait_for(&main_has_ended);
    while (ws_num_workers() > 0)
        sched_yield();
    kill(getpid(), SIGTERM);
    sigwait(&set, &got);
    _exit(got == SIGTERM ? 5 : 6);
    return unused;
}

static int leaves_a_sigwait(long unused)
{
    sigset_t set;

    (void)unused;
    limit_process();
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    use();
    make_thread(waits_for_a_signal, false);
    tell_when_main_has_ended();
    pthread_exit(NULL);
}

/* Catches: a stop that ends other threads of the program, or takes their signals; a runtime that stays because a thread
 * lives that has never called in. */
START_TEST(a_thread_that_waits_for_signals_lives)
{
    struct outcome o = in_child(leaves_a_sigwait, 0);

    expect_exit(&o, 5);
}
END_TEST

/* How often the library's threads have gone to sleep. */
static unsigned long sleeps(void)
{
    unsigned long sum = 0;
    DIR *tasks = opendir("/proc/self/task");

    for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
        char path[300], line[256];
        bool ours = false;
        FILE *file;

        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        file = fopen(path, "r");
        while (file && fgets(line, sizeof line, file)) {
            ours = ours || strncmp(line, "Name:\twsfj-", 11) == 0;
            if (ours && strncmp(line, "voluntary_ctxt_switches:", 24) == 0)
                sum += strtoul(line + 24, NULL, 10);
        }
        if (file)
            fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return sum;
}

/* Returns when no thread of the library has woken up for a while; never, if one wakes up now and then. */
static void wait_for_quiet(void)
{
    unsigned long before;

    do {
        before = sleeps();
        nanosleep(&(struct timespec){0, 200000000}, NULL);
    } while (before == 0 || sleeps() != before);
}

/* Has called in, and may do so again: the runtime stays. */
static void *looks_at_the_runtime(void *only_starts_it)
{
    if (only_starts_it)
        start(2);
    else
        use();
    raise_flag(&may_end);
    wait_for(&main_has_ended);
    wait_for_quiet();
    if (ws_num_workers() == 0)
        _exit(7);
    use();
    return NULL;
}

static int leaves_a_user(long only_starts_it)
{
    pthread_t thread;

    limit_process();
    if (pthread_create(&thread, NULL, looks_at_the_runtime, only_starts_it ? &may_end : NULL) != 0)
        return 96;
    wait_for(&may_end);
    use();
    tell_when_main_has_ended();
    pthread_exit(NULL);
}

/* Catches: a stop at the end of main alone; a thread that looks again and again whether the process may end. */
START_TEST(the_runtime_stays_for_a_user)
{
    struct outcome o = in_child(leaves_a_user, _i);

    expect_exit(&o, 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("main_ends");

    if (can_test("the child of a fork that starts threads", emulated(NO_THREADS))) {
        tcase_add_loop_test(tcase, the_process_ends_with_its_last_user, 0, WAYS);
        tcase_add_test(tcase, outputs_are_written_once);
        tcase_add_test(tcase, a_thread_that_waits_for_signals_lives);
        tcase_add_loop_test(tcase, the_runtime_stays_for_a_user, 0, 2);
    }
    return run_case("main_ends", tcase);
}
