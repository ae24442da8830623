/* SPDX-License-Identifier: MIT */
/* Texts of the program that should be UTF-8, but may contain anything. Async-signal-safe. */
#ifndef WSFJ_BASE_UTF8_H
#define WSFJ_BASE_UTF8_H

#include <stdint.h>

/* The number of bytes, 2 to 4, of the non-ASCII character that begins at `text` (RFC 3629); 0 if none does. */
static inline unsigned wsfj_utf8(const char *text)
{
    const unsigned char *t = (const unsigned char *)text;
    unsigned n = t[0] >= 0xc2 && t[0] < 0xe0   ? 2
                 : t[0] >= 0xe0 && t[0] < 0xf0 ? 3
                 : t[0] >= 0xf0 && t[0] < 0xf5 ? 4
                                               : 0;
    uint32_t character = t[0] & (0x7fu >> n);

    for (unsigned i = 1; i < n; i++) {
        if ((t[i] & 0xc0) != 0x80)
            return 0;
        character = character << 6 | (t[i] & 0x3f);
    }
    if ((n == 3 && (character < 0x800 || (character >= 0xd800 && character < 0xe000))) ||
        (n == 4 && (character < 0x10000 || character > 0x10ffff)))
        return 0;
    return n;
}

#endif
