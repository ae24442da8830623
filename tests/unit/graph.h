/* SPDX-License-Identifier: MIT */
/* Texts for the readers of graphs, graph_read() and dag_read(), and what becomes of them when some of their bytes change. */
#ifndef TESTS_UNIT_GRAPH_H
#define TESTS_UNIT_GRAPH_H

#include "../support/run.h"

#include <stdint.h>
#include <string.h>

static char error[300];

static inline FILE *open_text(const char *text, size_t size)
{
    FILE *f = fmemopen((void *)text, size, "r");

    ck_assert_ptr_nonnull(f);
    return f;
}

/* Reads a text into a graph; NULL, or the error. */
#define read_text(reader, graph, text, size)                                                                           \
    __extension__({                                                                                                    \
        FILE *file_ = open_text(text, size);                                                                           \
        bool done_ = reader(graph, file_, "g", error, sizeof error);                                                   \
                                                                                                                       \
        fclose(file_);                                                                                                 \
        ck_assert(done_ == !*error);                                                                                   \
        done_ ? (const char *)NULL : error;                                                                            \
    })

static uint64_t state = 1;

static inline unsigned draw(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

/* Changes, drops, doubles or swaps some bytes, and reads what that is. */
static inline size_t mutate(char *text, size_t n, size_t most)
{
    static const char bytes[] = "0123456789 \n-@*.,:#\te";
    unsigned changes = 1 + draw(4);

    while (changes--) {
        size_t at = draw((unsigned)n), length = 1 + draw(12);

        length = length < n - at ? length : n - at;
        switch (draw(4)) {
        case 0: text[at] = bytes[draw(sizeof bytes - 1)]; break;
        case 1:
            if (n - length > 10) {
                memmove(text + at, text + at + length, n - at - length);
                n -= length;
            }
            break;
        case 2:
            if (n + length <= most) {
                memmove(text + at + length, text + at, n - at);
                n += length;
            }
            break;
        default: text[at] = (char)draw(256);
        }
    }
    return n;
}

/* A reader says what is wrong in one line, with the file's name in front. */
static inline void expect_line(const char *said)
{
    ck_assert_ptr_null(strchr(said, '\n'));
    ck_assert(said[1] == ':' && said[2] >= '0' && said[2] <= '9');
}

/* Reads each text TRIES times with some changes; most are refused, each in one line. `read`: NULL, or the error. */
static inline void read_changed(const char *const *texts, size_t num_texts,
                                const char *(*read)(const char *text, size_t size))
{
    enum { TRIES = 10000, MOST = 1000 };
    char text[MOST];
    int num_read = 0;

    for (size_t i = 0; i < TRIES; i++) {
        const char *whole = texts[i % num_texts], *said;
        size_t n = strlen(whole);

        memcpy(text, whole, n);
        n = mutate(text, n, MOST);
        said = read(text, n);
        if (said)
            expect_line(said);
        num_read += !said;
    }
    ck_assert_int_gt(num_read, TRIES / 100);
    ck_assert_int_lt(num_read, TRIES / 2);
}

#endif
