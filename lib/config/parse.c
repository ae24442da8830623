/* SPDX-License-Identifier: MIT */
#include "config/parse.h"

#include "base/lexer.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Decimal digits at the start of the text; *end points behind them. */
static bool parse_number(const char *text, uint64_t *value, const char **end)
{
    char *stop;

    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    unsigned long long n = strtoull(text, &stop, 10);
    if (errno)
        return false;
    *value = n;
    *end = stop;
    return true;
}

bool wsfj_parse_workers(const char *text, size_t *value)
{
    uint64_t n;
    const char *end;

    if (strcmp(text, "cores") == 0) {
        *value = WSFJ_WORKERS_CORES;
        return true;
    }
    if (strcmp(text, "threads") == 0) {
        *value = WSFJ_WORKERS_THREADS;
        return true;
    }
    if (!parse_number(text, &n, &end) || *end || n < 1 || n > WSFJ_WORKERS_MOST)
        return false;
    *value = (size_t)n;
    return true;
}

bool wsfj_parse_up_to(const char *text, uint64_t most, uint64_t *value)
{
    uint64_t n;
    const char *end;

    if (!parse_number(text, &n, &end) || *end || n > most)
        return false;
    *value = n;
    return true;
}

bool wsfj_parse_spares(const char *text, size_t *value)
{
    uint64_t n;

    if (!wsfj_parse_up_to(text, WSFJ_SPARES_MOST, &n))
        return false;
    *value = (size_t)n;
    return true;
}

bool wsfj_parse_events(const char *text, size_t *value)
{
    uint64_t n;
    const char *end;
    size_t power = WSFJ_EVENTS_LEAST;

    if (!parse_number(text, &n, &end) || *end || n < WSFJ_EVENTS_LEAST || n > WSFJ_EVENTS_MOST)
        return false;
    while (power < n)
        power *= 2;
    *value = power;
    return true;
}

bool wsfj_parse_bind(const char *text, enum ws_bind *value)
{
    static const char *const words[] = {"close", "spread", "primary", "master", "true", "false", "none", "auto"};
    static const enum ws_bind values[] = {WS_BIND_CLOSE, WS_BIND_SPREAD, WS_BIND_PRIMARY, WS_BIND_PRIMARY,
                                          WS_BIND_CLOSE, WS_BIND_NONE,   WS_BIND_NONE,    WS_BIND_AUTO};
    const int in_lists = 4;
    int first = wsfj_lexer_word(&text, words, sizeof words / sizeof *words), next = first;

    while (next >= 0 && next < in_lists && wsfj_lexer_sign(&text, ','))
        next = wsfj_lexer_word(&text, words, (size_t)in_lists);
    if (next < 0 || !wsfj_lexer_end(&text))
        return false;
    *value = values[first];
    return true;
}

bool wsfj_parse_trace(const char *name)
{
    const size_t length = strlen(name), suffix = strlen(WSFJ_TRACE_SUFFIX);

    return length > suffix && strcmp(name + length - suffix, WSFJ_TRACE_SUFFIX) == 0;
}

bool wsfj_parse_size(const char *text, size_t *value)
{
    uint64_t n;
    const char *end;
    unsigned shift = 0;

    if (!parse_number(text, &n, &end))
        return false;
    switch (toupper((unsigned char)*end)) {
    case 'G': shift += 10; /* fall through */
    case 'M': shift += 10; /* fall through */
    case 'K':
        shift += 10;
        end++;
        break;
    case 'B': end++; break;
    default: break;
    }
    if (*end || n > WSFJ_STACK_MOST >> shift || n << shift < WSFJ_STACK_LEAST)
        return false;
    *value = (size_t)(n << shift);
    return true;
}

bool wsfj_parse_wait(const char *text, uint64_t *ns)
{
    uint64_t us;
    const char *end;

    if (strcmp(text, "active") == 0) {
        *ns = WSFJ_FOREVER;
        return true;
    }
    if (strcmp(text, "passive") == 0) {
        *ns = 0;
        return true;
    }
    if (!parse_number(text, &us, &end) || *end || us > WSFJ_SPIN_MOST_US)
        return false;
    *ns = us * 1000u;
    return true;
}

bool wsfj_parse_flag(const char *text, bool *value)
{
    if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
        return false;
    *value = *text == '1';
    return true;
}

bool wsfj_parse_omp_threads(const char *text, size_t *value)
{
    uint64_t first = 0, n;

    do {
        if (!wsfj_lexer_number(&text, WSFJ_WORKERS_MOST, &n) || n < 1)
            return false;
        if (!first)
            first = n;
    } while (wsfj_lexer_sign(&text, ','));
    if (!wsfj_lexer_end(&text))
        return false;
    *value = (size_t)first;
    return true;
}

bool wsfj_parse_omp_size(const char *text, size_t *value)
{
    static const char *const suffixes[] = {"B", "K", "M", "G"};
    uint64_t n;

    if (!wsfj_lexer_number(&text, WSFJ_STACK_MOST, &n))
        return false;

    int suffix = wsfj_lexer_word(&text, suffixes, sizeof suffixes / sizeof *suffixes);
    unsigned shift = 10 * (suffix < 0 ? 1 : (unsigned)suffix);

    if (!wsfj_lexer_end(&text) || n < 1 || n > WSFJ_STACK_MOST >> shift)
        return false;
    *value = n << shift < WSFJ_STACK_LEAST ? WSFJ_STACK_LEAST : (size_t)(n << shift);
    return true;
}

bool wsfj_parse_omp_wait(const char *text, uint64_t *ns)
{
    static const char *const words[] = {"passive", "active"};
    int found = wsfj_lexer_word(&text, words, sizeof words / sizeof *words);

    if (found < 0 || !wsfj_lexer_end(&text))
        return false;
    *ns = found ? WSFJ_FOREVER : 0;
    return true;
}

bool wsfj_parse_omp_display(const char *text, bool *value)
{
    static const char *const words[] = {"false", "true", "verbose"};
    uint64_t n = 0;
    int found = wsfj_lexer_word(&text, words, sizeof words / sizeof *words);

    if ((found < 0 && !wsfj_lexer_number(&text, 1, &n)) || !wsfj_lexer_end(&text))
        return false;
    *value = found > 0 || n == 1;
    return true;
}
