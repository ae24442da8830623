/* SPDX-License-Identifier: MIT */
/* Words for what gcc and clang can, in C and C++. */
#ifndef WSFJ_COMPILER_H
#define WSFJ_COMPILER_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#if !defined __cplusplus && (!defined __STDC_VERSION__ || __STDC_VERSION__ < 201112L)
#error "libwsfj: wsfj.h needs C11: compile with -std=c11 or later, or with -std=gnu11"
#endif

#ifndef __has_feature
#define WSFJ_HAS_FEATURE(x) 0
#else
#define WSFJ_HAS_FEATURE(x) __has_feature(x)
#endif

#define WSFJ_INLINE static inline __attribute__((__always_inline__))
#define WSFJ_LIKELY(x) __builtin_expect(!!(x), 1)
#define WSFJ_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define WSFJ_UNUSED __attribute__((__unused__))
#define WSFJ_ALWAYS __attribute__((__always_inline__))
#define WSFJ_OUTLINE static __attribute__((__noinline__, __cold__, __unused__))
/* In C, an inline definition after a plain declaration is emitted for other files too; C++ needs an attribute. */
#ifdef __cplusplus
#define WSFJ_SHARED __attribute__((__used__)) inline
#elif defined __clang__ /* inlines global functions anyway, and warns of static ones in an inline one */
#define WSFJ_SHARED __attribute__((__unused__))
#else
#define WSFJ_SHARED __attribute__((__unused__)) inline
#endif
#ifdef __cplusplus
#define WSFJ_ASSERT static_assert
#else
#define WSFJ_ASSERT _Static_assert
#endif
/* Takes the semicolon after a macro that needs none. */
#define WSFJ_NOTHING WSFJ_ASSERT(1, "")

#endif
