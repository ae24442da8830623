/* SPDX-License-Identifier: MIT */
/* The command wsfj-race: as a compiler, and as a runner of programs. */
#ifndef RACE_COMMAND_H
#define RACE_COMMAND_H

#include <stdint.h>

enum { BROKEN = 99, FOUND = 66 };

/** A list of arguments that ends with NULL. */
struct words {
    char **word;
    int n;
};
void words_add(struct words *words, const char *word);
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** Runs a command to its end. @return its exit status; 128 and more: a signal */
int run_words(const struct words *words, const char *out);
char *temporary_folder(void);
void temporary_folder_end(void);

/* compile.c */
int is_compiler(const char *word);
int compile(int n, char **arguments);
/* replay.c */
int run_with_stacks(char **program);
/* schedules.c */
uint64_t number_of(const char *what, const char *text, uint64_t least, uint64_t most);
int run_schedules(char **program, uint64_t n, uint64_t first);
int run_seed(char **program, uint64_t seed);

#endif
