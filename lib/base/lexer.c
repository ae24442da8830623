/* SPDX-License-Identifier: MIT */
#include "base/lexer.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static void skip_blanks(const char **at)
{
    while (isspace((unsigned char)**at))
        ++*at;
}

bool wsfj_lexer_sign(const char **at, char sign)
{
    skip_blanks(at);
    if (**at != sign)
        return false;
    ++*at;
    return true;
}

bool wsfj_lexer_number(const char **at, uint64_t most, uint64_t *value)
{
    uint64_t n = 0;

    skip_blanks(at);
    if (!isdigit((unsigned char)**at))
        return false;
    for (; isdigit((unsigned char)**at); ++*at) {
        uint64_t digit = (uint64_t)(**at - '0');

        if (digit > most || n > (most - digit) / 10)
            return false;
        n = 10 * n + digit;
    }
    *value = n;
    return true;
}

int wsfj_lexer_word(const char **at, const char *const *words, size_t n)
{
    size_t length;

    skip_blanks(at);
    length = strspn(*at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    for (size_t i = 0; i < n; i++) {
        if (strlen(words[i]) == length && strncasecmp(words[i], *at, length) == 0) {
            *at += length;
            return (int)i;
        }
    }
    return -1;
}

bool wsfj_lexer_end(const char **at)
{
    skip_blanks(at);
    return **at == '\0';
}
