/* SPDX-License-Identifier: MIT */
/* Text of several lines that belong together: collected, and written to stderr in one piece as far as it fits. */
#ifndef WSFJ_OBSERVE_TEXTBUF_H
#define WSFJ_OBSERVE_TEXTBUF_H

#include "base/base.h"

struct wsfj_textbuf {
    size_t used, line; /* the last line starts here */
    char chars[32768];
};

/* Adds to the text. Control characters become '?', but for newlines. Whole lines are written when there is no room. */
__attribute__((format(printf, 2, 3))) void wsfj_textbuf_add(struct wsfj_textbuf *sheet, const char *format, ...);

/* Writes what there is. */
void wsfj_textbuf_flush(struct wsfj_textbuf *sheet);

#endif
