/* SPDX-License-Identifier: MIT */
/*
 * What the harnesses share. Each is one file with libFuzzer's function: bytes in, properties that must hold whatever the
 * bytes are. clang's libFuzzer drives it (make check-fuzz), or replay.c with the saved inputs (make check).
 */
#ifndef TESTS_CAMPAIGNS_FUZZ_FUZZ_H
#define TESTS_CAMPAIGNS_FUZZ_FUZZ_H

#include "base/base.h"

/* Each harness: its name, and that of its folder in corpus/. */
extern const char fuzz_name[];
extern const bool fuzz_memory_is_ours; /* false: another library forgets some */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process if the property does not hold. */
#define must(condition) ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__))
_Noreturn void fuzz_fail(const char *what, const char *file, int line);

/* The input cut at its zero bytes, each piece a text in a block of its own: what reads beyond one is seen. */
#define FUZZ_TEXTS 32
struct fuzz_texts {
    size_t n;
    char *at[FUZZ_TEXTS];
};
struct fuzz_texts fuzz_cut(const uint8_t *data, size_t size);
void fuzz_free(struct fuzz_texts *texts);

/* What the library writes to stderr between the two: a text, "" if nothing. Programs are linked with --wrap=write. */
void fuzz_listen(void);
const char *fuzz_heard(void);

/* How many lines it has; each must begin with "libwsfj: ", end, and have nothing in it that moves a cursor. */
unsigned fuzz_lines(const char *heard);

struct wsfj_places;

/* The invariants of places.h, and whether two are the same. */
void fuzz_check_places(const struct wsfj_places *places);
bool fuzz_same_places(const struct wsfj_places *a, const struct wsfj_places *b);

#endif
