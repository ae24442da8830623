/* SPDX-License-Identifier: MIT */
/* How the library opens the files that it writes, and how long its messages may be. Neighbours: output_write.c;
 * trace_file.c; user/outputs.c, the same in programs. */
#include "../support/folder.h"

#include "../support/resources.h"
#include "../support/to_stderr.h"
#include "base/debug.h"
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES 3000

static char bytes[BYTES];

static void write_text(const char *name, const char *text)
{
    FILE *f = fopen(folder_path(name), "w");

    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

static void check_text(const char *name, const char *expected)
{
    char text[100] = "";
    FILE *f = fopen(folder_path(name), "r");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fread(text, 1, sizeof text - 1, f), strlen(expected));
    ck_assert_str_eq(text, expected);
    fclose(f);
}

static long size_of(const char *name)
{
    struct stat status;

    return lstat(folder_path(name), &status) == 0 ? (long)status.st_size : -1;
}

static void check_refused(const char *name, const char *expected)
{
    int files = count_files();

    for (int or_stream = 0; or_stream < 2; or_stream++) {
        const char *why = NULL;

        ck_assert_int_eq(wsfj_output_open(folder_path(name), or_stream, &why), -1);
        ck_assert_msg(why && strstr(why, expected), "%s: %s", name, why ? why : "");
    }
    ck_assert_int_eq(count_files(), files);
}

/* Catches: a symbolic link that is followed; a file that is emptied through a hard link; an open that waits for the
 * reader of a pipe; a refused file that stays open. */
START_TEST(what_is_not_ours_is_left_alone)
{
    char target[512];
    int reader;

    folder_make();
    write_text("precious", "precious");
    snprintf(target, sizeof target, "%s", folder_path("precious"));
    ck_assert_int_eq(symlink("precious", folder_path("soft")), 0);
    ck_assert_int_eq(symlink("nothing", folder_path("dangling")), 0);
    ck_assert_int_eq(link(target, folder_path("hard")), 0);
    ck_assert_int_eq(mkfifo(folder_path("pipe"), 0600), 0);
    ck_assert_int_eq(mkdir(folder_path("directory"), 0700), 0);
    check_refused("soft", "symbolic link");
    check_refused("dangling", "symbolic link");
    check_refused("hard", "second name");
    check_refused("precious", "second name");
    check_refused("pipe", "No such device or address");
    reader = open(folder_path("pipe"), O_RDONLY | O_NONBLOCK);
    ck_assert_int_ge(reader, 0);
    check_refused("pipe", "not a regular file");
    close(reader);
    check_refused("directory", "directory");
    check_refused("no/such", "No such file");
    check_text("precious", "precious");
    ck_assert_int_eq(size_of("nothing"), -1);
}
END_TEST

/* Catches: a file of another user overwritten because the permissions allow it. */
START_TEST(another_users_file_is_left_alone)
{
    folder_make();
    write_text("theirs", "theirs");
    ck_assert_int_eq(chown(folder_path("theirs"), 65534, (gid_t)-1), 0);
    check_refused("theirs", "belongs to another user");
    check_text("theirs", "theirs");
}
END_TEST

/* Catches: old contents that stay; a descriptor with stderr's number, one that stays open there, or one that a
 * program started by exec inherits. */
START_TEST(what_is_ours_is_written_anew)
{
    static const char *const names[] = {"old", "new", "old", "another"}; /* the last two without stderr */
    const char *why = NULL;

    folder_make();
    write_text("old", "old and longer");
    for (int i = 0; i < 4; i++) {
        int saved = dup(STDERR_FILENO), fd;

        if (i >= 2)
            close(STDERR_FILENO);
        fd = wsfj_output_open(folder_path(names[i]), false, &why);
        ck_assert_int_eq(fcntl(STDERR_FILENO, F_GETFD) == -1, i >= 2);
        dup2(saved, STDERR_FILENO);
        close(saved);
        ck_assert_int_gt(fd, STDERR_FILENO);
        ck_assert_int_ne(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
        ck_assert_int_eq(wsfj_output_write(fd, i % 2 ? "text" : "short", i % 2 ? 4 : 5), 0);
        close(fd);
        check_text(names[i], i % 2 ? "text" : "short");
    }
}
END_TEST

/* Catches: a stream refused because its name is a link; a stream whose file loses what the program has written; a
 * stream accepted where only files are allowed; a copy of the stream that a program's child inherits. */
START_TEST(streams_have_names)
{
    static const char *const names[] = {"/dev/stdout", "/dev/stderr"};
    int stream = _i ? STDERR_FILENO : STDOUT_FILENO, saved = dup(stream), fd;
    const char *why = NULL;

    folder_make();
    fflush(NULL);
    fd = open(folder_path("log"), O_WRONLY | O_CREAT, 0600);
    dup2(fd, stream);
    close(fd);
    ck_assert_int_eq(write(stream, "before ", 7), 7);
    fd = wsfj_output_open(names[_i], true, &why);
    ck_assert_int_gt(fd, STDERR_FILENO);
    ck_assert_int_ne(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    ck_assert_int_eq(wsfj_output_write(fd, "ours ", 5), 0);
    close(fd);
    ck_assert_int_eq(write(stream, "after", 5), 5);
    ck_assert_int_eq(wsfj_output_open(names[_i], false, &why), -1);
    ck_assert_ptr_nonnull(why);
    close(stream);
    ck_assert_int_eq(wsfj_output_open(names[_i], true, &why), -1);
    ck_assert_str_eq(why, strerror(EBADF));
    dup2(saved, stream);
    check_text("log", "before ours after");
}
END_TEST

/* Catches: a device that is refused, or accepted where a file is needed; a full disk that causes no error. */
START_TEST(a_full_disk_is_an_error)
{
    const char *why = NULL;
    int fd = wsfj_output_open("/dev/full", true, &why);

    ck_assert_msg(fd >= 0, "%s", why);
    ck_assert_int_eq(wsfj_output_write(fd, bytes, BYTES), ENOSPC);
    ck_assert_str_eq(wsfj_output_reason(ENOSPC), "no space left on the device");
    close(fd);
    ck_assert_int_eq(wsfj_output_open("/dev/full", false, &why), -1);
    ck_assert_str_eq(why, "it exists and is not a regular file");
}
END_TEST

/* Catches: a reason that belongs to another error. */
START_TEST(each_error_has_its_reason)
{
    static const struct {
        int error;
        const char *reason;
    } errors[] = {{EFBIG, "the limit of a file's size is reached"},
                  {ENOSPC, "no space left on the device"},
                  {EDQUOT, "the disk quota is used up"},
                  {EPIPE, "no process reads it"},
                  {EBADF, "the program has closed it"},
                  {ENOMEM, "no memory"},
                  {EIO, "the write failed"}};

    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        ck_assert_str_eq(wsfj_output_reason(errors[i].error), errors[i].reason);
}
END_TEST

/* Catches: a line that is cut without its end, with a byte that is none of the message's, or beyond its room. */
START_TEST(a_message_of_any_length_is_one_line)
{
    static const char prefix[] = "libwsfj: ";
    FILE *file = tmpfile();

    ck_assert(file && make_stderr(fileno(file)));
    for (size_t n = 480, room = 512 - sizeof prefix; n < 530; n++) {
        char text[600] = "", line[1200];
        ssize_t length;

        ck_assert(ftruncate(STDERR_FILENO, 0) == 0 && lseek(STDERR_FILENO, 0, SEEK_SET) == 0);
        memset(text, 'x', n);
        wsfj_say("%s", text);
        length = pread(fileno(file), line, sizeof line, 0);
        ck_assert_int_ge(length, (ssize_t)(sizeof prefix + (n < room ? n : room - 1)));
        ck_assert_int_le(length, (ssize_t)(sizeof prefix + (n < room ? n : room)));
        line[length] = '\0';
        ck_assert_int_eq(strncmp(line, prefix, sizeof prefix - 1), 0);
        ck_assert_str_eq(line + sizeof prefix - 1 + strspn(line + sizeof prefix - 1, "x"), "\n");
    }
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("output");

    if (folder_begin("output") != 0)
        return EXIT_FAILURE;
    memset(bytes, 'x', sizeof bytes);
    tcase_add_test(tcase, what_is_not_ours_is_left_alone);
    tcase_add_test(tcase, a_message_of_any_length_is_one_line);
    ADD_TEST_UNLESS(geteuid() == 0 ? NULL : "only root gives files away", tcase, another_users_file_is_left_alone);
    tcase_add_test(tcase, what_is_ours_is_written_anew);
    tcase_add_loop_test(tcase, streams_have_names, 0, 2);
    tcase_add_test(tcase, each_error_has_its_reason);
    ADD_TEST_UNLESS(access("/dev/full", W_OK) == 0 ? NULL : "there is no /dev/full", tcase, a_full_disk_is_an_error);

    int status = run_case("output", tcase);

    folder_end();
    return status;
}
