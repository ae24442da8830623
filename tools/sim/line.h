/* SPDX-License-Identifier: MIT */
/* Lines of a text file, word by word, and one error line that names file and line. */
#ifndef TOOLS_SIM_LINE_H
#define TOOLS_SIM_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct line {
    FILE *file;
    const char *name;
    char *text; /* of the line, without its end */
    size_t room, length;
    uint64_t number;
    char *at; /* where the next word begins */
    char *error;
    size_t error_size;
    bool has_failed, has_end; /* `has_end`: the line ended in a newline */
};

/* Keeps the pointers until line_free(). */
void line_begin(struct line *line, FILE *file, const char *name, char *error, size_t size);
void line_free(struct line *line);

/* Reads the next line. False: there is none, or an error. */
bool line_next(struct line *line);

/* The next word, or NULL at the end of the line. Spaces separate words. */
char *line_word(struct line *line);

/* The rest of the line. */
char *line_rest(struct line *line);

/* The error, unless there was one before. Always false. */
bool line_fail(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A whole number of at most `most`. `what` names it in the error. */
bool line_whole(struct line *line, const char *word, const char *what, uint64_t most, uint64_t *value);

/* A length of time: a decimal number, at least 0 and below 2^63. */
bool line_cost(struct line *line, const char *word, const char *what, double *value);

/* Room for element n of an array. False, with an error: no memory. */
bool line_room(struct line *line, void *array, size_t n, size_t size);

#endif
