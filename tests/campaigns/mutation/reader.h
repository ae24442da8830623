/* SPDX-License-Identifier: MIT */
/* Between places.c, which reads statements, operands.c, which reads expressions, and notes.c, which notes places. */
#ifndef READER_H
#define READER_H

#include "mutate.h"

struct reader {
    const struct text *t;
    const struct function *function;
    struct places *out;
    size_t at;  /* the next token */
    int quiet;  /* above 0: notes nothing */
    bool stuck; /* this expression is not understood */
};

/* The token that is so far behind the next one. */
static inline const struct token *look(const struct reader *r, size_t ahead)
{
    return &r->t->tokens[r->at + ahead];
}

static inline bool is(const struct reader *r, const char *word)
{
    return text_is(r->t, look(r, 0), word);
}

/* Goes on if the next token is this one. */
static inline bool take(struct reader *r, const char *word)
{
    bool there = is(r, word);

    r->at += there;
    return there;
}

static inline bool among(const struct reader *r, const struct token *token, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (text_is(r->t, token, words[i]))
            return true;
    return false;
}

#define AMONG(r, token, words) among(r, token, words, sizeof(words) / sizeof(words)[0])

/* The tokens [first, last). */
struct span {
    size_t first, last;
};

/* The mistake that puts `now` for these tokens. They, or with `context` those, tell it from others. */
void reader_note(struct reader *r, const char *rule, struct span span, const char *now, const struct span *context);

/* A condition may be turned, or left out; one that loops is not true for ever. */
void reader_condition(struct reader *r, struct span span, bool loops);

/* Behind the bracket that closes the one here. */
void reader_skip_brackets(struct reader *r);

/* The value of a return, an assignment or a store may be another. */
void reader_result(struct reader *r, struct span span);

/* Reads a value, and the sign of an assignment before it if it has one. */
void reader_value(struct reader *r);

/* A word that begins what is no place, a word of the language, or a value with a name. */
bool reader_is_silent(const struct reader *r, const struct token *token);
bool reader_is_constant(const struct reader *r, const struct token *token);
bool reader_is_keyword(const struct reader *r, const struct token *token);

/* True if the token begins a type. */
bool reader_is_type(const struct reader *r, const struct token *token);

/* Reads as far as it understands: expressions between commas, or one. */
void reader_expression(struct reader *r);
void reader_assignment(struct reader *r);

/* A statement, or a block in parentheses. */
void reader_statement(struct reader *r);

#endif
