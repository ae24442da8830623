/* SPDX-License-Identifier: MIT */
#include "observe/textbuf.h"

#include "base/debug.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What one call adds is never longer; what is longer is cut. */
#define PIECE_MOST 1024

void wsfj_textbuf_flush(struct wsfj_textbuf *sheet)
{
    wsfj_write(sheet->chars, sheet->used);
    sheet->used = sheet->line = 0;
}

/* All lines but the last, which has not ended. */
static void flush_lines(struct wsfj_textbuf *sheet)
{
    size_t rest = sheet->used - sheet->line;

    if (sheet->line == 0)
        return;
    wsfj_write(sheet->chars, sheet->line);
    memmove(sheet->chars, sheet->chars + sheet->line, rest);
    sheet->used = rest;
    sheet->line = 0;
}

void wsfj_textbuf_add(struct wsfj_textbuf *sheet, const char *format, ...)
{
    char piece[PIECE_MOST];
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);

    size_t length = n < 0 ? 0 : (size_t)n < sizeof piece ? (size_t)n : sizeof piece - 1;

    if (length > sizeof sheet->chars - sheet->used)
        flush_lines(sheet);
    if (length > sizeof sheet->chars - sheet->used)
        wsfj_textbuf_flush(sheet);
    for (size_t i = 0; i < length; i++) {
        char c = piece[i];

        sheet->chars[sheet->used++] = ((unsigned char)c < ' ' && c != '\n') || c == '\x7f' ? '?' : c;
        if (c == '\n')
            sheet->line = sheet->used;
    }
}
