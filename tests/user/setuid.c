/* SPDX-License-Identifier: MIT */
/*
 * A program with more rights than its user trusts no variable of the environment (doc/process.md): a copy of this
 * program is made set-uid and started with variables that change a plain copy's behaviour. Linked with libwsfjcore,
 * since a set-uid program finds no library of a build directory. Skipped where this does not work: without root, and on
 * file systems without set-uid.
 */
#include "../plugin/untrusted.h"
#include "../support/process.h"

#include "config/settings.h"
#include "machine/topology.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <wsfj.h>

#define NOBODY 65534
#define UNTRUSTED "tests/plugin/.libs/untrusted.so"

/* The bits of the copy's exit code. */
#define SECURE 1  /* the kernel has marked it as secure */
#define SET 2     /* a setting differs from the default */
#define STARTED 4 /* three workers, as the variable says */
#define TOLD 8    /* the machine is the one that hwloc's variables describe */
#define ASKED 16  /* hwloc has read a description that no variable names */
#define BROKEN 32 /* or another exit code */

static char directory[256], plain[300], secure[300], plugins[300], untrusted[400], open_to_all[300];

static int copy_main(void)
{
    int found = getauxval(AT_SECURE) ? SECURE : 0;
    struct wsfj_topology t;

    if (ws_init(NULL) != 0 || !wsfj_topology_read(&t, WSFJ_MACHINE_THIS, NULL))
        return BROKEN;
    for (int i = 0; i < WSFJ_SETTINGS; i++)
        found |= wsfj_settings.from[i] != WSFJ_FROM_DEFAULT ? SET : 0;
    found |= ws_num_workers() == 3 ? STARTED : 0;
    found |= t.count[WSFJ_LEVEL_PACKAGE] == 5 ? TOLD : 0;
    wsfj_topology_free(&t);
    if (getenv("HWLOC_PLUGINS_PATH") && wsfj_topology_read(&t, WSFJ_MACHINE_SYNTHETIC, "core:2 pu:1")) {
        found |= ASKED;
        wsfj_topology_free(&t);
    }
    return ws_fini() == 0 ? found : BROKEN;
}

/* Outside any test, so without Check's assertions, as the two functions below. */
static bool copy_file(const char *from, const char *to, mode_t mode, uid_t owner)
{
    char buffer[65536];
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0600);
    ssize_t n = -1;
    bool ok = in >= 0 && out >= 0;

    while (ok && (n = read(in, buffer, sizeof buffer)) > 0)
        ok = write(out, buffer, (size_t)n) == n;
    /* In this order: a change of the owner clears the set-uid bit. */
    ok = ok && n == 0 && fchown(out, owner, (gid_t)-1) == 0 && fchmod(out, mode) == 0;
    close(in);
    close(out);
    return ok;
}

static bool make_copies(void)
{
    const char *where = getenv("TMPDIR");

    snprintf(directory, sizeof directory, "%.200s/wsfj-setuid-XXXXXX", where && *where ? where : "/tmp");
    if (!mkdtemp(directory) || chmod(directory, 0755) != 0)
        return false;
    snprintf(plain, sizeof plain, "%s/plain", directory);
    snprintf(secure, sizeof secure, "%s/secure", directory);
    snprintf(plugins, sizeof plugins, "%s/plugins", directory);
    snprintf(open_to_all, sizeof open_to_all, "%s/open", directory);
    snprintf(untrusted, sizeof untrusted, "%s/hwloc_untrusted.so", plugins);
    return copy_file("/proc/self/exe", plain, 0755, 0) && copy_file("/proc/self/exe", secure, 04755, NOBODY) &&
           mkdir(open_to_all, 0777) == 0 && chmod(open_to_all, 0777) == 0 && mkdir(plugins, 0755) == 0 &&
           (access(UNTRUSTED, R_OK) != 0 || copy_file(UNTRUSTED, untrusted, 0755, 0)); /* not with --disable-shared */
}

static void remove_copies(void)
{
    unlink(untrusted);
    rmdir(plugins);
    rmdir(open_to_all);
    unlink(secure);
    unlink(plain);
    rmdir(directory);
}

/* Starts a copy. A null pointer ends the environment. */
static struct outcome run(const char *path, char *const *environment)
{
    struct child child;

    if (begin_child(&child)) {
        execve(path, (char *[]){(char *)(size_t)path, (char[]){"copy"}, NULL}, environment);
        _exit(BROKEN);
    }
    return end_child(&child);
}

/* A sanitizer's search for leaks needs rights that a set-uid process lacks. */
#define SANITIZERS                                                                                                     \
    (char[])                                                                                                           \
    {                                                                                                                  \
        "ASAN_OPTIONS=detect_leaks=0"                                                                                  \
    }

/* Catches: getenv() instead of secure_getenv(). */
START_TEST(no_setting_is_taken_and_nothing_is_written)
{
    char *all[] = {SANITIZERS,
                   (char[]){"WSFJ_NUM_WORKERS=3"},
                   (char[]){"WSFJ_PLACES=cores"},
                   (char[]){"WSFJ_BIND=none"},
                   (char[]){"WSFJ_STACK_SIZE=1M"},
                   (char[]){"WSFJ_WAIT=passive"},
                   (char[]){"WSFJ_SPARES=elephants"},
                   (char[]){"WSFJ_MEMBARRIER=0"},
                   (char[]){"WSFJ_CGROUP=0"},
                   (char[]){"WSFJ_OMP=1"},
                   (char[]){"WSFJ_DISPLAY=1"},
                   (char[]){"WSFJ_STATS=1"},
                   (char[]){"WSFJ_SCHEDTRACE=60000"},
                   (char[]){"WSFJ_DUMP_SIGNAL=QUIT"},
                   (char[]){"WSFJ_WATCHDOG=1"},
                   (char[]){"WSFJ_TRACE_EVENTS=2048"},
                   (char[]){"WSFJ_RECORD=elephants"},
                   (char[]){"WSFJ_CHAOS_FAIL=elephants"},
                   (char[]){"OMP_DISPLAY_ENV=true"},
                   NULL};
    struct outcome o = run(plain, all);

    expect_exit(&o, SET | STARTED);
    ck_assert_msg(strstr(o.text, "WSFJ_SPARES=elephants") && o.lines > 10, "%s", o.text);
    o = run(secure, all);
    expect_exit(&o, SECURE);
    ck_assert_str_eq(o.text, "");
}
END_TEST

/* Catches: a file named by a variable and written with the rights of the program's owner. */
START_TEST(no_trace_is_written)
{
    char path[400], variable[500];
    char *environment[] = {SANITIZERS, variable, NULL};

    snprintf(path, sizeof path, "%s/trace.json", open_to_all);
    snprintf(variable, sizeof variable, "WSFJ_TRACE=%s", path);

    struct outcome o = run(plain, environment);

    expect_exit(&o, SET);
    ck_assert_msg(unlink(path) == 0, "the plain copy writes it");
    o = run(secure, environment);
    expect_exit(&o, SECURE);
    ck_assert_str_eq(o.text, "");
    ck_assert_int_eq(access(path, F_OK), -1);
}
END_TEST

/* Catches: the same for OMP_*, which are read if no WSFJ_* is set. */
START_TEST(nor_one_of_OMP)
{
    char *all[] = {SANITIZERS, (char[]){"OMP_NUM_THREADS=3"}, (char[]){"OMP_DISPLAY_ENV=true"}, NULL};
    struct outcome o = run(plain, all);

    expect_exit(&o, SET | STARTED);
    o = run(secure, all);
    expect_exit(&o, SECURE);
    ck_assert_str_eq(o.text, "");
}
END_TEST

/* Catches: getenv() instead of secure_getenv() where hwloc's variables describe the machine. */
START_TEST(nobody_tells_it_of_another_machine)
{
    char *synthetic[] = {SANITIZERS, (char[]){"HWLOC_SYNTHETIC=pack:5 core:1 pu:1"}, NULL};
    struct outcome o = run(plain, synthetic);

    expect_exit(&o, TOLD);
    o = run(secure, synthetic);
    expect_exit(&o, SECURE);
}
END_TEST

/* Catches: code that runs because a variable names it; hwloc does not use secure_getenv(). */
START_TEST(no_code_is_loaded)
{
    char path[400];
    char *environment[] = {SANITIZERS, path, NULL};

    snprintf(path, sizeof path, "HWLOC_PLUGINS_PATH=%s", plugins);

    struct outcome o = run(plain, environment);

    if (!strstr(o.text, UNTRUSTED_SAYS)) {
        printf("skipped: this hwloc loads no plug-ins\n");
        return;
    }
    expect_exit(&o, ASKED);
    o = run(secure, environment);
    expect_exit(&o, SECURE);
    ck_assert_str_eq(o.text, "");
}
END_TEST

/* 1: set-uid works here; 0: it does not; -1: the copy does not run at all. */
static int kernel_does_it(void)
{
    char *environment[] = {SANITIZERS, NULL};
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        execve(secure, (char *[]){secure, (char[]){"copy"}, NULL}, environment);
        _exit(BROKEN);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) & BROKEN)
        return -1;
    return WEXITSTATUS(status) & SECURE;
}

int main(int argc, char **argv)
{
    TCase *tcase = new_case("set-uid");
    int status = EXIT_SKIPPED, works = -1;

    if (argc > 1 && strcmp(argv[1], "copy") == 0)
        _exit(copy_main()); /* not exit(): a coverage tool would write files then */
    if (geteuid() != 0) {
        printf("skipped: only root can make a program set-uid to another user\n");
        return EXIT_SKIPPED;
    }
    if (!can_test("set-uid", emulated("the kernel runs no program of the other machine by itself")))
        return EXIT_SKIPPED;
    tcase_add_test(tcase, no_setting_is_taken_and_nothing_is_written);
    tcase_add_test(tcase, nor_one_of_OMP);
    tcase_add_test(tcase, no_trace_is_written);
    ADD_TEST_UNLESS(WITHOUT_MACHINES, tcase, nobody_tells_it_of_another_machine);
    tcase_add_test(tcase, no_code_is_loaded);
    if (!make_copies() || (works = kernel_does_it()) < 0)
        fprintf(stderr, "cannot make copies that run in %s\n", directory);
    else if (works)
        status = run_case("set-uid", tcase);
    else
        printf("skipped: set-uid has no effect in %s\n", directory);
    remove_copies();
    return works < 0 ? 1 : status;
}
