/* SPDX-License-Identifier: MIT */
/* Cuts text into tokens. */
#include "mutate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *room_for(void *array, size_t have, size_t more, size_t size)
{
    size_t room = 64;

    while (room < have)
        room *= 2;
    if (array && have + more <= room)
        return array;
    while (room < have + more)
        room *= 2;
    array = realloc(array, room * size);
    if (!array) {
        fputs("mutate: no memory\n", stderr);
        exit(2);
    }
    return array;
}

bool text_is(const struct text *t, const struct token *token, const char *word)
{
    size_t length = strlen(word);

    return token->end - token->begin == length && memcmp(t->bytes + token->begin, word, length) == 0;
}

bool text_begins(const struct text *t, const struct token *token, const char *with)
{
    size_t length = strlen(with);

    return token->end - token->begin >= length && memcmp(t->bytes + token->begin, with, length) == 0;
}

bool text_is_error(const struct text *t, const struct token *token)
{
    const char *b = t->bytes + token->begin;
    size_t n = 0;

    while (token->begin + n < token->end && (isupper((unsigned char)b[n]) || isdigit((unsigned char)b[n])))
        n++;
    return *b == 'E' && n == token->end - token->begin && n > 3;
}

uint64_t text_mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

uint64_t text_hash(const struct text *t, uint64_t hash, const struct token *first, const struct token *last)
{
    for (; first < last; first++) {
        for (size_t i = first->begin; i < first->end; i++)
            hash = text_mix(hash, (unsigned char)t->bytes[i]);
        hash = text_mix(hash, 256);
    }
    return hash;
}

static void add_token(struct text *t, enum kind kind, size_t begin, size_t end)
{
    t->tokens = room_for(t->tokens, t->num_tokens, 1, sizeof *t->tokens);
    t->tokens[t->num_tokens++] = (struct token){kind, begin, end, 0};
}

/* Behind the blanks and continued lines at `at`. */
static size_t skip_blanks(const struct text *t, size_t at, size_t end)
{
    while (at < end && (isspace((unsigned char)t->code[at]) || (t->code[at] == '\\' && t->code[at + 1] == '\n')))
        at++;
    return at;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

size_t text_string_end(const struct text *t, size_t at)
{
    char quote = t->code[at++];

    while (at < t->size && t->code[at] != quote)
        at += t->code[at] == '\\' ? 2 : 1;
    return at + 1;
}

static size_t sign_end(const struct text *t, size_t at)
{
    static const char *const long_signs[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
                                             "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"};

    for (size_t i = 0; i < sizeof long_signs / sizeof long_signs[0]; i++)
        if (strncmp(t->code + at, long_signs[i], strlen(long_signs[i])) == 0)
            return at + strlen(long_signs[i]);
    return at + 1;
}

void text_cut(struct text *t, size_t at, size_t end)
{
    size_t open[256], depth = 0;

    while ((at = skip_blanks(t, at, end)) < end) {
        const char c = t->code[at];
        enum kind kind = SIGN;
        size_t stop;

        if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)t->code[at + 1]))) {
            kind = NUMBER;
            for (stop = at + 1; in_word(t->code[stop]) || t->code[stop] == '.'; stop++) {
            }
        } else if (in_word(c)) {
            kind = WORD;
            for (stop = at + 1; in_word(t->code[stop]); stop++) {
            }
        } else if (c == '"' || c == '\'') {
            kind = STRING;
            stop = text_string_end(t, at);
        } else {
            stop = sign_end(t, at);
        }
        add_token(t, kind, at, stop);
        if (strchr("([{", c) && depth < sizeof open / sizeof open[0]) {
            open[depth++] = t->num_tokens - 1;
        } else if (strchr(")]}", c) && depth > 0) {
            t->tokens[t->num_tokens - 1].other = open[--depth];
            t->tokens[open[depth]].other = t->num_tokens - 1;
        }
        at = stop;
    }
    add_token(t, END, end, end);
}
