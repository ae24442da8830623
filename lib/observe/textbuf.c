/* SPDX-License-Identifier: MIT */
#include "observe/textbuf.h"

#include "base/debug.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A call adds at most this much; longer text is cut. */
#define PIECE_MOST 1024

void wsfj_textbuf_flush(struct wsfj_textbuf *text)
{
    wsfj_write(text->chars, text->used);
    text->used = text->last_line = 0;
}

/* Writes all lines but the last, which is not complete. */
static void flush_lines(struct wsfj_textbuf *text)
{
    size_t rest = text->used - text->last_line;

    if (text->last_line == 0)
        return;
    wsfj_write(text->chars, text->last_line);
    memmove(text->chars, text->chars + text->last_line, rest);
    text->used = rest;
    text->last_line = 0;
}

void wsfj_textbuf_add(struct wsfj_textbuf *text, const char *format, ...)
{
    char piece[PIECE_MOST];
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);

    size_t length = n < 0 ? 0 : (size_t)n < sizeof piece ? (size_t)n : sizeof piece - 1;

    if (length > sizeof text->chars - text->used)
        flush_lines(text);
    if (length > sizeof text->chars - text->used)
        wsfj_textbuf_flush(text);
    for (size_t i = 0; i < length; i++) {
        char c = piece[i];

        text->chars[text->used++] = ((unsigned char)c < ' ' && c != '\n') || c == '\x7f' ? '?' : c;
        if (c == '\n')
            text->last_line = text->used;
    }
}
