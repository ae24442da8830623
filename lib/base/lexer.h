/* SPDX-License-Identifier: MIT */
/* Reading a setting's text piece by piece. Blanks before a piece are skipped; where it is not what was asked for, the
 * reader stays there (or inside a number that is too large: then the text makes no sense anyway). */
#ifndef WSFJ_BASE_LEXER_H
#define WSFJ_BASE_LEXER_H

#include "base/base.h"

/* The sign. */
bool wsfj_lexer_sign(const char **at, char sign);

/* A decimal number without a sign, at most `most`. */
bool wsfj_lexer_number(const char **at, uint64_t most, uint64_t *value);

/* One of the words, as an index; -1: none of them. Letters may be large or small. */
int wsfj_lexer_word(const char **at, const char *const *words, size_t n);

/* The end of the text. */
bool wsfj_lexer_end(const char **at);

#endif
