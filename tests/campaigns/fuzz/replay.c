/* SPDX-License-Identifier: MIT */
/*
 * A harness with the inputs saved in tests/campaigns/fuzz/corpus, each a test of its own, in a process of its own. With arguments:
 * these files, in this process (for a debugger). Environment: srcdir.
 */
#include "../../support/resources.h"
#include "../../support/run.h"
#include "../../support/sanitizer.h"
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUTS_MOST 1000

static struct dirent **inputs;

/* Runs it until no more memory is in use than before. The first times something may be made that stays, or be kept by
 * malloc(), a few blocks of each size. */
static void forgets_nothing(const uint8_t *input, size_t size)
{
    bool more = true;

    for (int i = 0; more && i < 100; i++) {
        size_t before = allocated();

        (void)LLVMFuzzerTestOneInput(input, size);
        more = allocated() > before && fuzz_memory_is_ours && !SANITIZED; /* those search themselves */
    }
    must(!more);
}

static void replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    size_t size = 0, room = 0, n;

    do {
        room += 65536;
        data = realloc(data, room);
        n = data && file ? fread(data + size, 1, room - size, file) : 0;
        size += n;
    } while (n > 0);
    if (!file || !data || fclose(file) != 0) {
        perror(path);
        abort();
    }

    /* The exact size, for what watches the ends of blocks. */
    uint8_t *input = malloc(size);

    if (size)
        memcpy(input, data, size);
    free(data);
    forgets_nothing(input, size);
    free(input);
}

static int folder(char *path, size_t room)
{
    const char *srcdir = getenv("srcdir");

    return snprintf(path, room, "%s/tests/campaigns/fuzz/corpus/%s", srcdir ? srcdir : ".", fuzz_name);
}

START_TEST(the_saved_input_breaks_nothing)
{
    char path[4096];
    int n = folder(path, sizeof path);

    snprintf(path + n, sizeof path - (size_t)n, "/%s", inputs[_i]->d_name);
    printf("%s\n", inputs[_i]->d_name);
    fflush(stdout);
    replay(path);
    ck_assert_msg(true, "%s", path);
}
END_TEST

static int is_input(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
    TCase *tcase = new_case(fuzz_name);
    char path[4096];
    int n;

    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    if (argc > 1)
        return 0;
    folder(path, sizeof path);
    n = scandir(path, &inputs, is_input, alphasort);
    if (n <= 0 || n > INPUTS_MOST) {
        fprintf(stderr, "%s: no inputs, or too many\n", path);
        return 1;
    }
    tcase_add_loop_test(tcase, the_saved_input_breaks_nothing, 0, n);
    return run_case(fuzz_name, tcase);
}
