/* SPDX-License-Identifier: MIT */
/*
 * The places of a source file where a rule makes a mistake. text.c finds the functions, tokens.c cuts them into tokens,
 * places.c reads the statements of a function and operands.c their expressions, notes.c notes places, mutate.c is the
 * program.
 */
#ifndef MUTATE_H
#define MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind { WORD, NUMBER, STRING, SIGN, END };

/* Bytes [begin, end) of the file. */
struct token {
    enum kind kind;
    size_t begin, end;
    size_t other; /* of a bracket: the token that closes or opens it; otherwise 0 */
};

/* A function, or the replacement of a macro. If the file has several of one name, they count as one function. */
struct function {
    struct token name;
    size_t first; /* its first token; an END follows the last one */
    bool macro;
};

struct text {
    const char *file; /* its name */
    char *bytes;
    char *code; /* the same without comments and lines of the preprocessor: blanks instead */
    size_t size;
    struct token *tokens; /* of functions and macros; an END behind each */
    size_t num_tokens;
    struct function *functions; /* in the file's order */
    size_t num_functions;
};

/* One mistake: instead of the bytes [begin, end), `now`, in which $ stands for these bytes. */
struct place {
    const struct function *function;
    const char *rule;
    unsigned ordinal; /* from 1, for each rule of each name of a function */
    unsigned line;
    uint64_t hash; /* of names and tokens: the same wherever the function lies, whatever else changes */
    size_t begin, end;
    const char *now;
};

struct places {
    struct place *at;
    size_t n;
};

/* Reads and cuts the file. Ends the program if it cannot. */
struct text text_read(const char *file);
void text_free(struct text *t);

/* True if the token is this word or sign. */
bool text_is(const struct text *t, const struct token *token, const char *word);

/* True if the token begins so, or is the name of an error number. */
bool text_begins(const struct text *t, const struct token *token, const char *with);
bool text_is_error(const struct text *t, const struct token *token);

/* A hash of the bytes of the tokens [first, last), beginning with `hash`; and of a number. */
uint64_t text_hash(const struct text *t, uint64_t hash, const struct token *first, const struct token *last);
uint64_t text_mix(uint64_t hash, uint64_t number);

/* All mistakes, in the file's order. */
struct places places_of(const struct text *t);

/* Adds the tokens of [at, end), with each bracket's partner, and an END. */
void text_cut(struct text *t, size_t at, size_t end);

/* The end of the string or character at `at`. */
size_t text_string_end(const struct text *t, size_t at);

/* Memory for `more` elements behind the first `have`. Ends the program if there is none. */
void *room_for(void *array, size_t have, size_t more, size_t size);

#endif
