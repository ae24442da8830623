/* SPDX-License-Identifier: MIT */
/* wsfj-race: reads the command line (doc/races.md). */
#define _GNU_SOURCE
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char usage[] =
    "Usage: wsfj-race COMPILER ARGUMENT...      compiles and links as COMPILER would (gcc, clang, cc, g++, clang++, c++)\n"
    "       wsfj-race [--stacks] PROGRAM ...    runs PROGRAM; --stacks: twice, with the earlier stack of each race\n"
    "       wsfj-race --schedules N PROGRAM ... runs PROGRAM by N schedules, from seed 1 or --seed S on, and compares the\n"
    "                                           output and the exit status with a serial run; stops at a difference\n"
    "       wsfj-race --seed S PROGRAM ...      runs PROGRAM by the schedule of one seed\n"
    "       wsfj-race --help | --version\n"
    "The exit status is 66 if there is a race, or a schedule differs. WSFJ_RACE_OUT=FILE (FILE.json) has the reports,\n"
    "WSFJ_RACE_SUPPRESS=FILE what is not told.\n";

static void line(const char *format, va_list a)
{
    (void)fputs("wsfj-race: ", stderr);
    (void)vfprintf(stderr, format, a);
    (void)fputc('\n', stderr);
}

void say(const char *format, ...)
{
    va_list a;

    va_start(a, format);
    line(format, a);
    va_end(a);
}

void die(const char *format, ...)
{
    va_list a;

    va_start(a, format);
    line(format, a);
    va_end(a);
    temporary_folder_end();
    exit(BROKEN);
}

void words_add(struct words *words, const char *word)
{
    char *copy = word ? strdup(word) : NULL;

    words->word = realloc(words->word, ((size_t)words->n + 2) * sizeof *words->word);
    if (!words->word || (word && !copy))
        die("no memory");
    words->word[words->n++] = copy;
    words->word[words->n] = NULL;
}

int run_words(const struct words *words, const char *out)
{
    posix_spawn_file_actions_t actions;
    int error, status;
    pid_t pid;

    if (posix_spawn_file_actions_init(&actions) != 0)
        die("no memory");
    if (out) {
        (void)posix_spawn_file_actions_addopen(&actions, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        (void)posix_spawn_file_actions_adddup2(&actions, 1, 2);
    }
    error = posix_spawnp(&pid, words->word[0], &actions, NULL, words->word, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (error)
        die("%s cannot be run: %s", words->word[0], strerror(error));
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            die("%s is lost: %s", words->word[0], strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static char folder[64];

char *temporary_folder(void)
{
    if (!folder[0]) {
        (void)snprintf(folder, sizeof folder, "/tmp/wsfj-race-XXXXXX");
        if (!mkdtemp(folder)) {
            folder[0] = 0;
            die("no temporary folder in /tmp: %s", strerror(errno));
        }
    }
    return folder;
}

void temporary_folder_end(void)
{
    struct words words = {NULL, 0};
    char path[sizeof folder];

    if (!folder[0])
        return;
    (void)strcpy(path, folder);
    folder[0] = 0;
    words_add(&words, "rm");
    words_add(&words, "-rf");
    words_add(&words, path);
    (void)run_words(&words, NULL);
}

int main(int n, char **arguments)
{
    int stacks = 0, i = 1, status;
    uint64_t schedules = 0, seed = 1;
    const char *seeds = NULL;

    if (n > 1 && is_compiler(arguments[1])) {
        status = compile(n - 1, arguments + 1);
        temporary_folder_end();
        return status;
    }
    for (; i < n && arguments[i][0] == '-'; i++) {
        if (strcmp(arguments[i], "--help") == 0)
            return fputs(usage, stdout) < 0;
        if (strcmp(arguments[i], "--version") == 0)
            return printf("wsfj-race (libwsfj) %s\n", RACE_VERSION) < 0;
        if (strcmp(arguments[i], "--stacks") == 0)
            stacks = 1;
        else if (strcmp(arguments[i], "--schedules") == 0)
            schedules = number_of("--schedules", arguments[++i], 1, 1000000000);
        else if (strcmp(arguments[i], "--seed") == 0)
            seed = number_of("--seed", seeds = arguments[++i], 0, UINT64_MAX);
        else
            die("unknown option %s (see wsfj-race --help)", arguments[i]);
    }
    if (i == n) {
        (void)fputs(usage, stderr);
        return BROKEN;
    }
    if (stacks && (schedules || seeds))
        die("--stacks is for races, not for schedules: leave out one of them");
    if (seeds && !schedules)
        return run_seed(arguments + i, seed);
    if (schedules) {
        status = run_schedules(arguments + i, schedules, seed);
        temporary_folder_end();
        return status;
    }
    if (!stacks) {
        (void)execvp(arguments[i], arguments + i);
        die("%s cannot be run: %s", arguments[i], strerror(errno));
    }
    status = run_with_stacks(arguments + i);
    temporary_folder_end();
    return status;
}
