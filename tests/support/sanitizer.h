/* SPDX-License-Identifier: MIT */
/* Whether this is the slow build of a sanitizer, and which one: gcc tells by macros, clang (before 21) by features. */
#ifndef TESTS_SUPPORT_SANITIZER_H
#define TESTS_SUPPORT_SANITIZER_H

#ifdef __has_feature
#define SANITIZER_FEATURE(x) __has_feature(x)
#else
#define SANITIZER_FEATURE(x) 0
#endif

#if defined __SANITIZE_ADDRESS__ || SANITIZER_FEATURE(address_sanitizer)
#define SANITIZED_ADDRESS 1
#else
#define SANITIZED_ADDRESS 0
#endif
#if defined __SANITIZE_THREAD__ || SANITIZER_FEATURE(thread_sanitizer)
#define SANITIZED_THREAD 1
#else
#define SANITIZED_THREAD 0
#endif
#define SANITIZED (SANITIZED_ADDRESS || SANITIZED_THREAD)

#endif
