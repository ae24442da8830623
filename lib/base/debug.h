/* SPDX-License-Identifier: MIT */
/* Messages on stderr, and the assertions of the debug build. */
#ifndef WSFJ_BASE_DEBUG_H
#define WSFJ_BASE_DEBUG_H

#include "base/base.h"

/* Writes "libwsfj: ", the text and a newline to stderr, in one call. Control characters in the text become '?'. */
__attribute__((format(printf, 1, 2))) void wsfj_say(const char *format, ...);

/* Writes text to stderr as it is, in one call. For several lines that belong together. */
__attribute__((format(printf, 1, 2))) void wsfj_print(const char *format, ...);

/* Writes text of any length to stderr, in one call unless the kernel takes only a part. */
void wsfj_write(const char *text, size_t length);

#ifdef WSFJ_DEBUG
WSFJ_COLD _Noreturn void wsfj_assert_failed(const char *what, const char *file, int line);
#define wsfj_assert(condition) ((condition) ? (void)0 : wsfj_assert_failed(#condition, __FILE__, __LINE__))
#else
#define wsfj_assert(condition) ((void)sizeof(condition))
#endif

#endif
