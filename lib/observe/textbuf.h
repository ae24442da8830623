/* SPDX-License-Identifier: MIT */
/* Collects lines that belong together and writes them to stderr in one piece, as far as they fit. */
#ifndef WSFJ_OBSERVE_TEXTBUF_H
#define WSFJ_OBSERVE_TEXTBUF_H

#include "base/base.h"

struct wsfj_textbuf {
    size_t used;
    size_t last_line; /* where the last line starts */
    char chars[32768];
};

/* Adds to the text. Control characters except newlines become '?'. If there is no room, writes the complete lines
 * first. */
__attribute__((format(printf, 2, 3))) void wsfj_textbuf_add(struct wsfj_textbuf *text, const char *format, ...);

/* Writes all of it. */
void wsfj_textbuf_flush(struct wsfj_textbuf *text);

#endif
