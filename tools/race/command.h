/* SPDX-License-Identifier: MIT */
/* The command wsfj-race: as a compiler, and as a runner of programs. */
#ifndef RACE_COMMAND_H
#define RACE_COMMAND_H

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

#endif
