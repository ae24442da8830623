/* SPDX-License-Identifier: MIT */
/*
 * Every file of the library includes this first: the configuration, the layout shared with inlined code, attributes.
 */
#ifndef WSFJ_BASE_BASE_H
#define WSFJ_BASE_BASE_H

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wsfj.h>

#define WSFJ_EXPORT __attribute__((visibility("default")))
/* For variables that fast paths in other files read. With -fvisibility=hidden alone their declarations count as those of
 * another library's variables, and each access first loads the address. */
#define WSFJ_HIDDEN __attribute__((visibility("hidden")))
/* Of the calling thread; initial-exec: a fast path reads it without a call. Such memory is scarce: a few bytes. */
#define WSFJ_OF_THREAD __attribute__((tls_model("initial-exec"))) __thread
#define WSFJ_COLD __attribute__((cold, noinline))
#define WSFJ_CACHE_LINE 64
/* Nanoseconds: an interval, or a time, without end. */
#define WSFJ_FOREVER UINT64_MAX
#define WSFJ_CONTAINER(p, type, member) ((type *)(void *)((char *)(p)-offsetof(type, member)))

#if defined __SANITIZE_ADDRESS__ || WSFJ_HAS_FEATURE(address_sanitizer)
#define WSFJ_ASAN 1
#else
#define WSFJ_ASAN 0
#endif
#if defined __SANITIZE_THREAD__ || WSFJ_HAS_FEATURE(thread_sanitizer)
#define WSFJ_TSAN 1
#else
#define WSFJ_TSAN 0
#endif

#endif
