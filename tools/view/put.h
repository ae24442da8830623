/* SPDX-License-Identifier: MIT */
/* Texts and numbers for people, and for HTML and JSON. */
#ifndef WSFJ_VIEW_PUT_H
#define WSFJ_VIEW_PUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A duration, as "1.25 ms". */
struct view_text {
    char at[32];
};
struct view_text view_time(double ns);

/* A moment, as "1.250 ms": whole microseconds, below a millisecond whole nanoseconds. */
struct view_text view_moment(uint64_t ns);

/* 100 * part / whole, as "12 %"; small values as "0.3 %". */
struct view_text view_percent(double part, double whole);

/* How many bytes the character has; 0: it is invalid, or could move a cursor. Such bytes are shown as question
 * marks. */
size_t view_character(const char *text);

/* The beginning of a name. */
struct view_short {
    char at[64];
};
struct view_short view_short(const char *name);

/* The end of a noun that is counted. */
#define VIEW_S(n) ((n) == 1 ? "" : "s")

/* Escaped for a text or attribute of HTML or XML. */
void view_put_markup(FILE *out, const char *text);

/* A JSON string in quotes, escaped for a script element, too. */
void view_put_json(FILE *out, const char *text);

void view_put_plain(FILE *out, const char *text);

void view_put_lines(FILE *out, const char *const *lines);

#endif
