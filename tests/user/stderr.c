/* SPDX-License-Identifier: MIT */
/*
 * Which descriptor 2 gets the library's lines: the one that is stderr now, and no file that got the number by chance.
 * Each scene is a process of its own, since it matters what the descriptor is when the library is loaded. Neighbours:
 * outputs.c, a stderr that cannot be written; unit/output.c, files.
 */
#include "../support/folder.h"
#include "../support/process.h"
#include "../support/sanitizer.h"

#include <errno.h>
#include <fcntl.h>
#include <wsfj.h>

static const char line[] = "libwsfj: invalid value ws_config.num_workers = 4097 (expected 0 to 4096)\n";

static void must(bool holds, int place)
{
    if (!holds)
        _exit(place);
}
#define MUST(holds) must(holds, __LINE__ % 256)

/* Makes the library print the line. */
static void speak(void)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 4097;
    MUST(ws_fini() == 0);
    MUST(ws_init(&config) == EINVAL);
}

static WS_TASK_VOID(nothing)
{
}

static void open_as_stderr(const char *name, int flags)
{
    int file = open(name, flags | O_CREAT, 0600);

    MUST(file >= 0);
    if (file != STDERR_FILENO)
        MUST(dup2(file, STDERR_FILENO) == STDERR_FILENO && close(file) == 0);
}

static void in_fork(void)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        speak();
        _exit(0);
    }
    MUST(waitpid(child, &status, 0) == child && status == 0);
}

static void closed_and_database(void)
{
    open_as_stderr("database", O_RDWR);
    speak();
    in_fork();
}

static void closed_and_log(void)
{
    open_as_stderr("log", O_WRONLY);
    speak();
}

static void database_gets_2(void)
{
    close(STDERR_FILENO);
    open_as_stderr("database", O_RDWR);
    speak();
    in_fork();
    MUST(setenv("WSFJ_STATS", "1", 1) == 0 && ws_run(nothing) == 0 && ws_fini() == 0);
}

static void log_gets_2(void)
{
    open_as_stderr("log", O_WRONLY);
    speak();
}

static void log_is_reopened(void)
{
    MUST(freopen("log", "a", stderr) != NULL);
    speak();
}

static void all_else_is_closed(void)
{
    MUST(ws_run(nothing) == 0);
    for (int file = STDERR_FILENO + 1; file < 1024; file++)
        close(file);
    MUST(ws_run(nothing) == 0);
    speak();
}

static void program_is_replaced(void)
{
    open_as_stderr("log", O_WRONLY);
    execl("/proc/self/exe", "stderr", "speak", (char *)NULL);
}

static void database_is_not_inherited(void)
{
    open_as_stderr("database", O_RDWR);
    fcntl(STDERR_FILENO, F_SETFD, FD_CLOEXEC);
    execl("/proc/self/exe", "stderr", "closed_and_database", (char *)NULL);
}

#define HOLD 3 /* a pipe: the daemon ends when its other end is closed */
#define DONE 4 /* a pipe: closed at the daemon's end */

static void daemon_leaves(void)
{
    char none;

    MUST(ws_run(nothing) == 0);
    speak();
    MUST(daemon(1, 0) == 0);
    speak(); /* to /dev/null */
    MUST(read(HOLD, &none, 1) == 0);
    open_as_stderr("log", O_WRONLY);
    speak();
}

static const struct {
    const char *name;
    void (*body)(void);
    int flags; /* its stderr when it is loaded: the log, opened so; or */
    int lines; /* in the log at the end; no file "database" has any */
} scenes[] = {
#define CLOSED (-1)
#define NULL_DEVICE (-2)
#define PIPE (-3)
#define SCENE(name, flags, lines)                                                                                      \
    {                                                                                                                  \
#name, name, flags, lines                                                                                      \
    }
    SCENE(speak, O_WRONLY, 1),
    SCENE(speak, O_RDWR, 1), /* 2<>log */
    SCENE(closed_and_database, CLOSED, 0),
    SCENE(closed_and_log, CLOSED, 0),
    SCENE(database_gets_2, O_WRONLY, 0),
    SCENE(database_gets_2, NULL_DEVICE, 0),
    SCENE(log_gets_2, NULL_DEVICE, 1),
    SCENE(log_is_reopened, NULL_DEVICE, 1),
    SCENE(all_else_is_closed, O_WRONLY, 1),
    SCENE(in_fork, O_WRONLY, 1),
    SCENE(program_is_replaced, NULL_DEVICE, 1),
    SCENE(database_is_not_inherited, NULL_DEVICE, 0),
    SCENE(daemon_leaves, PIPE, 1),
};
#define SCENES ((int)(sizeof scenes / sizeof *scenes))

static int play(const char *name)
{
    for (int i = 0; i < SCENES; i++) {
        if (strcmp(scenes[i].name, name) == 0) {
            scenes[i].body();
            return 0;
        }
    }
    return 1;
}

/* In a child: begins the scene, with the stderr that it wants. */
static void load(int scene, int to_test, int hold, int done)
{
    char name[64];

    snprintf(name, sizeof name, "%s", scenes[scene].name);
    MUST(chdir(folder) == 0);
    hold = fcntl(hold, F_DUPFD, 100); /* away from their places first */
    done = fcntl(done, F_DUPFD, 100);
    if (scenes[scene].flags == PIPE)
        dup2(to_test, STDERR_FILENO);
    else if (scenes[scene].flags == NULL_DEVICE)
        open_as_stderr("/dev/null", O_RDWR);
    else if (scenes[scene].flags != CLOSED)
        open_as_stderr("log", scenes[scene].flags);
    else
        close(STDERR_FILENO);
    for (int file = STDERR_FILENO + 1; file < 100; file++)
        close(file);
    dup2(hold, HOLD);
    dup2(done, DONE);
    close(hold);
    close(done);
    execl("/proc/self/exe", "stderr", name, (char *)NULL);
}

/* Everything that is written to the pipe until its last writer closes it. */
static int lines_of(int pipe_end)
{
    char text[4096];
    size_t used = 0;

    for (ssize_t n = 1; n > 0; used += n > 0 ? (size_t)n : 0)
        n = read(pipe_end, text + used, sizeof text - 1 - used);
    text[used] = '\0';
    ck_assert_msg(used == 0 || strcmp(text, line) == 0, "%s", text);
    return used != 0;
}

static long size_of(const char *name)
{
    struct stat status;

    return stat(folder_path(name), &status) == 0 ? (long)status.st_size : 0;
}

/* Catches: a line in a database that got the number 2; a line to the stderr of the start after the program has another
 * one, or none to the new one; a copy of the descriptor that keeps a pipe open (daemon_leaves: its reader here sees the
 * end while the daemon lives) or that the program closes. */
START_TEST(lines_go_to_stderr_only)
{
    int out[2], hold[2], done[2], status;
    pid_t child;

    folder_make();
    ck_assert(pipe(out) == 0 && pipe(hold) == 0 && pipe(done) == 0);
    child = fork();
    if (child == 0) {
        close(hold[1]);
        load(_i, out[1], hold[0], done[1]);
        _exit(1);
    }
    close(out[1]);
    close(hold[0]);
    close(done[1]);
    ck_assert_int_eq(lines_of(out[0]), scenes[_i].flags == PIPE);
    close(hold[1]);
    ck_assert_int_eq(lines_of(done[0]), 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(status == 0, "%s: status %x", scenes[_i].name, (unsigned)status);
    ck_assert_msg(size_of("log") == scenes[_i].lines * (long)strlen(line), "%s", scenes[_i].name);
    ck_assert_msg(size_of("database") == 0, "%s", scenes[_i].name);
}
END_TEST

int main(int argc, char **argv)
{
    TCase *tcase;

    if (argc > 1)
        return play(argv[1]); /* before new_case(), which keeps a copy of stderr */
    if (folder_begin("stderr") != 0)
        return EXIT_FAILURE;
    tcase = new_case("stderr");
    if (can_test("lines_go_to_stderr_only", SANITIZED ? "the child of a fork hangs in the sanitizers' allocators"
                                                      : emulated("/proc/self/exe is the emulator")))
        tcase_add_loop_test(tcase, lines_go_to_stderr_only, 0, SCENES);

    int status = run_case("stderr", tcase);

    folder_end();
    return status;
}
