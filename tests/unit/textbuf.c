/* SPDX-License-Identifier: MIT */
/* Lines that are written in one piece, however many there are: lib/observe/textbuf.h. */
#include "observe/textbuf.h"

#include "../support/run.h"
#include "../support/to_stderr.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST 1024 /* a call adds less than that */
#define ROOM sizeof guarded.text.chars
#define ALL (1 << 20)

static struct {
    struct wsfj_textbuf text;
    char guard[8];
} guarded = {.guard = "guarded"};
static char added[ALL + 1], seen[ALL + 1];
static size_t all; /* what was added; here it never needs to be cut */
static FILE *file; /* stderr */

static void begin(void)
{
    file = tmpfile();
    ck_assert(file && make_stderr(fileno(file)));
}

static size_t written(void)
{
    struct stat status;

    ck_assert_int_eq(fstat(STDERR_FILENO, &status), 0);
    return (size_t)status.st_size;
}

/* All that was written is now in `seen`. */
static void look(void)
{
    ssize_t n = pread(fileno(file), seen, ALL, 0);

    ck_assert_int_ge(n, 0);
    seen[n] = '\0';
}

/* Adds n letters, or n - 1 and the end of the line. */
static void add(size_t n, bool is_end)
{
    char piece[MOST];

    ck_assert(n > 0 && n < MOST && all + n <= ALL);
    memset(piece, 'a' + (int)(all % 26), n);
    if (is_end)
        piece[n - 1] = '\n';
    piece[n] = '\0';
    memcpy(added + all, piece, n);
    all += n;
    wsfj_textbuf_add(&guarded.text, "%s", piece);
}

/* Catches: a name of the program that moves the cursor of a terminal; a newline or a letter that is lost for it. */
START_TEST(control_characters_are_not_written)
{
    begin();
    for (char c = 1; c < '\x7f'; c++)
        wsfj_textbuf_add(&guarded.text, "%c", c);
    wsfj_textbuf_add(&guarded.text, "\x7f\xc3\xa4\n");
    wsfj_textbuf_flush(&guarded.text);
    look();
    for (char c = 1; c < '\x7f'; c++)
        ck_assert_int_eq(seen[c - 1], c >= ' ' || c == '\n' ? c : '?');
    ck_assert_str_eq(seen + 126, "?\xc3\xa4\n");
}
END_TEST

/* Catches: a call that writes more than it has room for, or loses the end of what fits. */
START_TEST(long_pieces_are_cut)
{
    static const size_t lengths[] = {MOST - 2, MOST - 1, MOST, 5 * MOST};
    static char piece[5 * MOST + 1];
    size_t kept = lengths[_i] < MOST ? lengths[_i] : MOST - 1;

    begin();
    memset(piece, 'x', lengths[_i]);
    wsfj_textbuf_add(&guarded.text, "%s", piece);
    wsfj_textbuf_add(&guarded.text, "\n");
    wsfj_textbuf_flush(&guarded.text);
    look();
    ck_assert_uint_eq(strlen(seen), kept + 1);
    ck_assert_uint_eq(strspn(seen, "x"), kept);
}
END_TEST

/* Catches: a line that is torn, lost or written twice; lines that are written before there is need; a byte beyond the
 * room. */
START_TEST(only_whole_lines_make_room)
{
    uint32_t random = 1;

    begin();
    for (int i = 0; i < 2000 && all + MOST < ALL; i++) {
        size_t before = written(), n = 64 * (1 + (random >> 16) % 15) + (random >> 28) % 3 - 1;

        add(n, (random >> 24) % 4 == 0);
        ck_assert_uint_eq(written() > before, all - before > ROOM);
        ck_assert(written() == 0 || added[written() - 1] == '\n');
        random = random * 1664525 + 1013904223;
    }
    ck_assert_uint_gt(written(), 10 * ROOM);
    wsfj_textbuf_flush(&guarded.text);
    wsfj_textbuf_flush(&guarded.text);
    look();
    ck_assert_uint_eq(strlen(seen), all);
    ck_assert_int_eq(memcmp(seen, added, all), 0);
    ck_assert_str_eq(guarded.guard, "guarded");
}
END_TEST

/* Catches: a line longer than all there is that is lost, written in more pieces than it needs, or beyond the room. */
START_TEST(a_line_may_be_longer_than_the_room)
{
    begin();
    add(100, true);
    while (all < 100 + ROOM - 10)
        add(1, false);
    ck_assert_uint_eq(written(), 100);
    add(11, false); /* one more than there is room for */
    ck_assert_uint_eq(written(), 100 + ROOM - 10);
    while (all - written() < ROOM)
        add(1, false);
    ck_assert_uint_eq(written(), 100 + ROOM - 10);
    add(10, true);
    ck_assert_uint_eq(written(), all - 10);
    wsfj_textbuf_flush(&guarded.text);
    look();
    ck_assert_uint_eq(strlen(seen), all);
    ck_assert_int_eq(memcmp(seen, added, all), 0);
    ck_assert_str_eq(guarded.guard, "guarded");
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("textbuf");

    tcase_add_test(tcase, control_characters_are_not_written);
    tcase_add_loop_test(tcase, long_pieces_are_cut, 0, 4);
    tcase_add_test(tcase, only_whole_lines_make_room);
    tcase_add_test(tcase, a_line_may_be_longer_than_the_room);
    return run_case("textbuf", tcase);
}
