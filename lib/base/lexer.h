/* SPDX-License-Identifier: MIT */
/* Reads a setting's text piece by piece. Each function skips blanks, then returns true and moves *at behind the piece;
 * or it returns false and *at stays at the piece (or inside a number that is too large, and the text is invalid
 * then). */
#ifndef WSFJ_BASE_LEXER_H
#define WSFJ_BASE_LEXER_H

#include "base/base.h"

/* This character. */
bool wsfj_lexer_sign(const char **at, char sign);

/* A decimal number without a sign, at most `most`. */
bool wsfj_lexer_number(const char **at, uint64_t most, uint64_t *value);

/* A word of the list, in any case. Returns its index; -1: none of them. */
int wsfj_lexer_word(const char **at, const char *const *words, size_t n);

/* The end of the text. */
bool wsfj_lexer_end(const char **at);

#endif
