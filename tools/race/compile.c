/* SPDX-License-Identifier: MIT */
/*
 * wsfj-race cc ...: the compiler with the flags that the detector needs.
 *
 * The instrumentation is that of -fsanitize=thread. At a link this flag would add libtsan, so sources are compiled to
 * objects of their own first. Our flags come last: they must follow -O3.
 */
#define _GNU_SOURCE
#include "command.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const wrapped[] = {
#define WRAPPED(name) #name,
#include "wrapped.def"
#undef WRAPPED
};

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

int is_compiler(const char *word)
{
    static const char *const names[] = {"gcc", "g++", "clang", "clang++", "cc", "c++"};
    const char *base = base_of(word);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *at = strstr(base, names[i]);
        size_t n = strlen(names[i]);

        /* gcc, gcc-12, x86_64-linux-gnu-gcc */
        if (at && (at == base || at[-1] == '-') &&
            (at[n] == 0 || (at[n] == '-' && at[n + 1] >= '0' && at[n + 1] <= '9')))
            return 1;
    }
    return 0;
}

static int is_clang(const char *compiler)
{
    char command[4096], text[4096];
    size_t n;
    FILE *f;

    if (strstr(base_of(compiler), "clang"))
        return 1;
    if (strstr(base_of(compiler), "gcc") || strstr(base_of(compiler), "g++"))
        return 0;
    (void)snprintf(command, sizeof command, "'%s' --version", compiler);
    f = popen(command, "re");
    if (!f)
        return 0;
    n = fread(text, 1, sizeof text - 1, f);
    text[n] = 0;
    (void)pclose(f);
    return strstr(text, "clang") != NULL;
}

static int ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), k = strlen(end);

    return n > k && strcmp(s + n - k, end) == 0;
}

static int is_source(const char *word)
{
    static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".i", ".ii"};

    for (size_t i = 0; word[0] != '-' && i < sizeof ends / sizeof *ends; i++)
        if (ends_in(word, ends[i]))
            return 1;
    return 0;
}

static int is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return 1;
    return 0;
}

/** Options whose value is the next word. */
static int takes_value(const char *word)
{
    static const char *const list[] = {"-o",       "-I",          "-D",
                                       "-U",       "-L",          "-l",
                                       "-x",       "-MF",         "-MT",
                                       "-MQ",      "-include",    "-imacros",
                                       "-isystem", "-iquote",     "-T",
                                       "-u",       "-z",          "-e",
                                       "-Xlinker", "-Xassembler", "-idirafter",
                                       "-B",       "-target",     "-mllvm",
                                       "--param",  "-Xclang",     "-Xpreprocessor",
                                       NULL};

    return is_one_of(word, list);
}

static int only_compiles(const char *word)
{
    static const char *const list[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", NULL};

    return is_one_of(word, list);
}

/** Words for the linker alone. */
static int only_links(const char *word)
{
    return strncmp(word, "-l", 2) == 0 || strncmp(word, "-L", 2) == 0 || strncmp(word, "-Wl,", 4) == 0 ||
           strcmp(word, "-Xlinker") == 0 || strcmp(word, "-shared") == 0 || strcmp(word, "-rdynamic") == 0;
}

static void refuse(const char *word)
{
    if (strncmp(word, "-fsanitize=", 11) == 0)
        die("%s: wsfj-race adds what it needs of -fsanitize=thread; leave out sanitizers", word);
    if (strcmp(word, "-static") == 0 || strcmp(word, "-static-pie") == 0)
        die("%s: the detector is a shared library, and replaces malloc(): link without %s", word, word);
    if (strncmp(word, "-flto", 5) == 0)
        die("%s: with link-time optimisation the compiler may leave out accesses; leave it out", word);
}

/* An object without instrumentation: nothing that it does is seen. */
static void check_object(const char *file)
{
    struct stat s;
    void *p = MAP_FAILED;
    int fd;

    if (!ends_in(file, ".o") && !ends_in(file, ".a") && !ends_in(file, ".so"))
        return;
    fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return; /* the linker says so */
    if (fstat(fd, &s) == 0 && s.st_size > 0)
        p = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    (void)close(fd);
    if (p == MAP_FAILED)
        return;
    if (!memmem(p, (size_t)s.st_size, "__tsan_", 7))
        say("%s is not compiled by wsfj-race: its accesses are not checked", file);
    (void)munmap(p, (size_t)s.st_size);
}

static const char *folder_of(const char *variable, const char *installed)
{
    const char *s = getenv(variable);

    return s && *s ? s : installed;
}

static void add_format(struct words *words, const char *format, const char *value)
{
    char text[4096];

    (void)snprintf(text, sizeof text, format, value);
    words_add(words, text);
}

static void add_compile_flags(struct words *words, int clang)
{
    static const char *const both[] = {"-DWSFJ_RACE", "-fsanitize=thread", "-fno-optimize-sibling-calls",
                                       "-fno-plt",    "-U_FORTIFY_SOURCE", NULL};
    static const char *const of_clang[] = {
        "-fno-vectorize", "-fno-slp-vectorize", "-mllvm", "-tsan-instrument-func-entry-exit=0", "-mcx16", NULL};
    static const char *const of_gcc[] = {"--param=tsan-instrument-func-entry-exit=0", "-fno-ipa-icf", NULL};

    for (const char *const *f = both; *f; f++)
        words_add(words, *f);
    for (const char *const *f = clang ? of_clang : of_gcc; *f; f++)
        words_add(words, *f);
    for (size_t i = 0; i < sizeof wrapped / sizeof *wrapped; i++)
        add_format(words, "-fno-builtin-%s", wrapped[i]);
    add_format(words, "-I%s", folder_of("WSFJ_RACE_INCLUDEDIR", RACE_INCLUDEDIR));
}

static void add_link_flags(struct words *words)
{
    const char *folder = folder_of("WSFJ_RACE_LIBDIR", RACE_LIBDIR);

    for (size_t i = 0; i < sizeof wrapped / sizeof *wrapped; i++)
        add_format(words, "-Wl,--wrap=%s", wrapped[i]);
    add_format(words, "-L%s", folder);
    add_format(words, "-Wl,-rpath,%s", folder);
    words_add(words, "-Wl,--no-as-needed");
    words_add(words, "-lwsfj-race");
}

/* One source to an object; the words for the linker and the other files are left out. */
static int compile_one(int n, char **arguments, const char *source, const char *object, int clang)
{
    struct words words = {NULL, 0};

    words_add(&words, arguments[0]);
    words_add(&words, "-g");
    for (int i = 1; i < n; i++) {
        const int value = takes_value(arguments[i]) && i + 1 < n;

        if (arguments[i][0] == '-' && strcmp(arguments[i], "-o") != 0 && !only_links(arguments[i])) {
            words_add(&words, arguments[i]);
            if (value)
                words_add(&words, arguments[i + 1]);
        }
        i += value;
    }
    add_compile_flags(&words, clang);
    words_add(&words, "-c");
    words_add(&words, source);
    words_add(&words, "-o");
    words_add(&words, object);
    return run_words(&words, NULL);
}

static int compile_and_link(int n, char **arguments, int clang)
{
    struct words words = {NULL, 0};
    char object[128];
    int status, sources = 0;

    words_add(&words, arguments[0]);
    for (int i = 1; i < n; i++) {
        if (takes_value(arguments[i]) && i + 1 < n) {
            words_add(&words, arguments[i++]);
            words_add(&words, arguments[i]);
        } else if (is_source(arguments[i])) {
            (void)snprintf(object, sizeof object, "%s/%d.o", temporary_folder(), sources++);
            status = compile_one(n, arguments, arguments[i], object, clang);
            if (status)
                return status;
            words_add(&words, object);
        } else {
            check_object(arguments[i]);
            words_add(&words, arguments[i]);
        }
    }
    add_link_flags(&words);
    return run_words(&words, NULL);
}

int compile(int n, char **arguments)
{
    const int clang = is_clang(arguments[0]);
    struct words words = {NULL, 0};
    int only = 0;

    for (int i = 1; i < n; i++) {
        refuse(arguments[i]);
        if (strcmp(arguments[i], "-x") == 0)
            die("-x: wsfj-race knows sources by the ends of their names");
        only |= only_compiles(arguments[i]);
        i += takes_value(arguments[i]);
    }
    if (!only)
        return compile_and_link(n, arguments, clang);
    words_add(&words, arguments[0]);
    words_add(&words, "-g");
    for (int i = 1; i < n; i++)
        words_add(&words, arguments[i]);
    add_compile_flags(&words, clang);
    return run_words(&words, NULL);
}
